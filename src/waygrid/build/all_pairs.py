"""All distances between the nodes of a small graph (see `core.elimination`), by blocks of sources."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from waygrid.core import elimination, layout
from waygrid.core.types import Array

COLUMNS = 64  # of a block: 3,964 nodes take 1 MB, which the second-level cache holds
_FAR = 2**30  # 32-bit distances below this can be added up; where there is no way
_FAR_WIDE = 2**61
_WINDOW = 4096  # buckets of the queue, at least


class Upward(NamedTuple):
    """A graph whose nodes were taken out one by one: their ranks, and by rank the upper neighbours."""

    rank: Array  # of each node; 0: taken out last
    first: Array  # of each rank: its first upper neighbour; those of the next rank end them
    upper: Array  # ranks
    prices: Array

    @property
    def far(self) -> int:
        """The distance of what cannot be reached."""
        return _FAR if self.prices.dtype == np.int32 else _FAR_WIDE

    def columns(self) -> tuple[Array, Array]:
        """Return memory for the distances from a block of sources."""
        nodes = self.rank.size
        return np.zeros((nodes, COLUMNS), self.prices.dtype), np.zeros(nodes, np.uint8)

    def measure(self, sources: Array, memory: tuple[Array, Array]) -> Array:
        """Return dist[rank, k], the distances of all nodes from at most COLUMNS sources; a view of the memory."""
        elimination.sweep_block(self.first, self.upper, self.prices, self.rank[sources], self.far, *memory)
        return memory[0]


def list_edges(nodes: int, tails: Array, heads: Array) -> tuple[Array, Array, Array]:
    """Return edges in both directions, each once, sorted: where those of each node begin, their tails and heads.

    >>> [array.tolist() for array in list_edges(3, np.array([0, 1, 0]), np.array([1, 0, 2]))]
    [[0, 2, 3, 4], [0, 0, 1, 2], [1, 2, 0, 0]]
    """
    keys = np.unique(np.concatenate((tails * nodes + heads, heads * nodes + tails)))
    tails, heads = np.divmod(keys, nodes)
    return np.searchsorted(tails, np.arange(nodes + 1)), tails, heads


def take_out_nodes(first: Array, heads: Array, costs: Array) -> Upward:
    """Take all nodes out of a graph that has every edge in both directions (see `list_edges`).

    >>> line = take_out_nodes(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1]), np.array([5, 5, 7, 7]))
    >>> line.measure(np.array([0]), line.columns())[line.rank, 0].tolist()
    [0, 5, 12]
    """
    nodes = len(first) - 1
    detours = np.zeros(len(heads), np.uint8)
    elimination.mark_detours(first, heads, costs, detours)
    kept = detours == 0
    lists = np.zeros((nodes, 3), np.int64)
    lists[:, elimination.BEGIN] = np.concatenate(([0], np.cumsum(kept)))[first[:-1]]
    lists[:, elimination.COUNT] = np.diff(np.concatenate(([0], np.cumsum(kept)))[first])
    lists[:, elimination.ROOM] = lists[:, elimination.COUNT]
    ids, prices, used = heads[kept].astype(np.int32), costs[kept].astype(np.int64), int(kept.sum())
    window = max(_WINDOW, 1 << nodes.bit_length())
    waiting = (
        np.zeros(nodes, layout.NODE),
        np.full(window, -1, np.int32),
        np.zeros(window // 64 + window // 4096, np.uint64),
    )
    elimination.line_up(lists, *waiting)
    order, done = np.zeros(nodes, np.int64), 0
    while True:
        done, used = elimination.eliminate(lists, ids, prices, used, *waiting, order, done)
        if done == nodes:
            break
        more = max(ids.size, 4 * nodes)
        ids, prices = (np.concatenate((array, np.zeros(more, array.dtype))) for array in (ids, prices))
    rank = np.zeros(nodes, np.int64)
    rank[order[::-1]] = np.arange(nodes)
    count = int(lists[:, elimination.COUNT].sum())
    upward = Upward(rank, np.zeros(nodes + 1, np.int64), np.zeros(count, np.int32), np.zeros(count, np.int64))
    elimination.gather_upper(lists, ids, prices, order, rank, *upward[1:])
    return _narrow(upward)


def _narrow(upward: Upward) -> Upward:
    """Take 32 bits for distances where all of them fit: none is more than twice the farthest from a root.

    A root is a node without upper neighbours, the last one of its component.
    """
    nodes = upward.rank.size
    roots = np.flatnonzero(np.diff(upward.first) == 0)
    dist = np.full((nodes, 1), _FAR_WIDE, np.int64)
    dist[roots] = 0
    elimination.sweep_down(*upward[1:], dist)
    if 2 * int(dist.max(initial=0)) + int(upward.prices.max(initial=0)) >= _FAR:
        return upward
    return upward._replace(prices=upward.prices.astype(np.int32))
