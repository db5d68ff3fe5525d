"""The hierarchy over the spots of a grid. The spots of a large map are taken out strip by strip, by threads."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from waygrid.algorithms.contraction import hierarchy_build as contracting
from waygrid.algorithms.contraction.labels_build import gather_arcs, link_shortcuts
from waygrid.algorithms.contraction.neighbours import Edges
from waygrid.build.pieces import Pieces
from waygrid.build.progress_bar import Progress
from waygrid.build.steps import Steps
from waygrid.build.workers import Piece
from waygrid.core import layout
from waygrid.core.threads import count_threads
from waygrid.core.types import Array

_PAIRS = 4096  # of neighbours of a node, at first
_ROOM = 4096  # for shortcuts, at least
STRIP = 2**16  # nodes; smaller maps are one strip
_STEP = 64  # nodes of a call: Ctrl-C is heard after it, and progress moves by it; the last ones take a millisecond each
_SHARE = 15 / 16  # of a strip goes before the strips are joined; 31/32 takes 8 % less time and leaves 2 % more arcs


class Arcs(NamedTuple):
    """The hierarchy. Nodes are numbered by their ranks, the one taken out last is 0."""

    ranks: Array  # of all nodes
    first: Array  # of each rank: its first arc
    arcs: Array  # to upper neighbours, see `ch_query.UPPER`
    prices: Array
    levels: Array


class Contraction:
    """A graph from which nodes are taken out. What is left of it keeps all its distances."""

    def __init__(self, counts: Array, room: int, costs: np.dtype) -> None:
        """Make lists with space for so many neighbours of each node, all still empty."""
        ends = np.cumsum(counts, dtype=np.int64)
        self.lists = np.zeros((len(counts), 5), np.int64)
        self.lists[:, contracting.BEGIN] = ends - counts
        self.lists[:, contracting.ROOM] = counts
        self.used = int(ends[-1]) if len(ends) else 0
        size = self.used + room
        self.graph: tuple[Array, ...] = np.zeros(size, np.int32), np.zeros(size, costs), np.zeros(size, np.int32)

    @classmethod
    def of_edges(cls, edges: Edges) -> Contraction:
        """Return the lists of a graph that is not contracted yet. They share its arrays."""
        made = cls(np.diff(edges.first), 0, edges.costs.dtype)
        made.lists[:, contracting.COUNT] = made.lists[:, contracting.ROOM]
        made.graph = edges.heads, edges.costs, edges.kinds
        return made

    @classmethod
    def unpack(cls, kept: dict[str, Array]) -> Contraction:
        """Return the graph that was packed into these arrays."""
        wide = len(kept["costs"]) > len(kept["heads"])
        costs = kept["costs"].view(np.int64 if wide else np.int32)
        first = np.concatenate((np.zeros(1, np.int64), np.cumsum(kept["counts"], dtype=np.int64)))
        made = cls.of_edges(Edges(first, kept["heads"], costs, kept["mids"]))
        made.lists[:, contracting.LEVEL] = kept["levels"]
        return made

    def pack(self, order: Array) -> dict[str, Array]:
        """Return arrays that keep the graph, and the nodes that went: of the same types for all strips of all maps."""
        self._make_room(0)
        heads, costs, mids = self.graph
        return {
            "counts": self.lists[:, contracting.COUNT].astype(np.int32),
            "levels": self.lists[:, contracting.LEVEL].astype(np.int32),
            "heads": heads,
            "costs": costs.view(np.int32),  # two for each where they take 64 bits
            "mids": mids,
            "order": order.astype(np.int32),
        }

    def take_out(self, waiting: Array, most: int, steps: Steps) -> Array:
        """Take so many of the waiting nodes out, one by one; return them in this order."""
        nodes, before, done = len(self.lists), -1, 0
        memory = np.full(nodes, layout.INFINITE, np.int64), np.zeros(nodes + 1, np.int32)
        widest = int(self.lists[:, contracting.COUNT].max(initial=0))
        pairs = np.zeros((max(_PAIRS, widest * widest), 2), np.int32)
        queue = np.zeros(len(waiting), np.int32), np.zeros(len(waiting), np.int64), np.zeros(nodes, layout.NODE)
        contracting.line_up(self.lists, self.graph[0], self.graph[1], memory, pairs, waiting, queue)
        order, room = np.zeros(most, np.int64), self.used // 2 + _ROOM
        while done < most:
            until = min(done + _STEP, most)
            began = done
            done, used = contracting.contract(
                self.lists, self.graph, self.used, memory, pairs, queue, order[:until], done
            )
            self.used = self.used if used < 0 else used
            steps.add(done - began)
            if done == until:
                continue
            degree = int(self.lists[queue[0][0], contracting.COUNT])
            if used < 0:
                self.graph = self.graph[0], self.graph[1].astype(np.int64), self.graph[2]
            elif degree * degree > len(pairs):
                pairs = np.zeros((2 * degree * degree, 2), np.int32)
                continue
            room, before = (2 * room if before == done else room), done
            self._make_room(room)
        return order

    def add(self, other: Contraction, base: int = 0) -> None:
        """Append the lists of another graph, whose node 0 is node `base` of this one."""
        contracting.copy_lists(other.lists, other.graph, base, self.lists, self.graph)

    def _make_room(self, room: int) -> None:
        """Leave out the gaps that lists left which moved, and make room for more behind them."""
        tight = Contraction(self.lists[:, contracting.COUNT], room, self.graph[1].dtype)
        tight.lists[:, contracting.STALE] = self.lists[:, contracting.STALE]
        tight.add(self)
        self.lists[:], self.graph, self.used = tight.lists, tight.graph, tight.used


def contract(
    edges: Edges,
    threads: int | None = None,
    strip: int = STRIP,
    progress: bool | Progress | None = None,
    pieces: Pieces | None = None,
) -> Arcs:
    """Take all nodes out; graphs of two strips or more strip by strip first.

    Nodes are numbered along the map, so that a strip of them has few edges to others. The result does not depend on the
    number of threads.

    pieces: of an earlier build with strips of the same size, its strips; takes those that are done now.
    """
    nodes = len(edges.first) - 1
    whole, lower, upper = Contraction.of_edges(edges), np.zeros(0, np.int64), np.arange(nodes)
    found = {} if pieces is None else {piece.first: piece.arrays for piece in pieces.take()}
    with Steps(progress, nodes, sum(len(kept["order"]) for kept in found.values())) as steps:
        if nodes >= 2 * strip:
            count = nodes // strip
            ends = [nodes * k // count for k in range(count + 1)]
            _contract_strips(edges, ends, count_threads(threads), steps, found, pieces)
            lower = np.concatenate([found[begin]["order"] + begin for begin in ends[:-1]])
            whole, upper = _join(edges, found, ends), np.setdiff1d(upper, lower, assume_unique=True)
        order = np.concatenate((lower, whole.take_out(upper, len(upper), steps)))
    count = int(whole.lists[:, contracting.COUNT].sum())
    first, arcs = np.zeros(nodes + 1, np.int32), np.zeros((count, 4), np.int32)
    prices = np.zeros(count, whole.graph[1].dtype)
    ranks = np.zeros(nodes, np.int32)
    ranks[order[::-1]] = np.arange(nodes)
    gather_arcs(whole.lists, whole.graph, order, ranks, first, arcs, prices)
    link_shortcuts(first, arcs)
    return Arcs(ranks, first, arcs, prices, whole.lists[order[::-1], contracting.LEVEL])


def _contract_strips(
    edges: Edges,
    ends: list[int],
    threads: int,
    steps: Steps,
    found: dict[int, dict[str, Array]],
    pieces: Pieces | None,
) -> None:
    """Take most nodes out that have no edge to another strip, of all strips that are not found yet."""

    def run(begin: int, end: int) -> Piece:
        strip, inner = _cut(edges, begin, end)
        return Piece(begin, end, strip.pack(strip.take_out(inner, int(len(inner) * _SHARE), steps)))

    def keep(piece: Piece) -> None:
        found[piece.first] = piece.arrays
        if pieces is not None:
            pieces.add(piece)

    steps.share(run, (strip for strip in pairwise(ends) if strip[0] not in found), threads, keep)
    if pieces is not None:
        pieces.save()
        pieces.take()  # the file has them by now, if there is one: what follows needs the memory


def _cut(edges: Edges, begin: int, end: int) -> tuple[Contraction, Array]:
    """Return the graph of a range of nodes, numbered from 0, and the nodes without an edge that leaves it."""
    first = edges.first[begin : end + 1] - edges.first[begin]
    here = slice(edges.first[begin], edges.first[end])
    stays = np.flatnonzero((edges.heads[here] >= begin) & (edges.heads[here] < end))
    inside = np.searchsorted(stays, first)
    heads, costs, kinds = (array[here][stays] for array in (edges.heads, edges.costs, edges.kinds))
    strip = Contraction.of_edges(Edges(inside, heads - np.int32(begin), costs, kinds))
    return strip, np.flatnonzero(np.diff(inside) == np.diff(first))


def _join(edges: Edges, found: dict[int, dict[str, Array]], ends: list[int]) -> Contraction:
    """Put strips together again, with the edges between them; nothing is left in `found`."""
    strips = [Contraction.unpack(found.pop(begin)) for begin in ends[:-1]]
    sizes = np.diff(ends)
    tails = np.repeat(np.arange(len(sizes)), edges.first[ends[1:]] - edges.first[ends[:-1]])
    crosses = np.flatnonzero(np.searchsorted(ends, edges.heads, side="right") - 1 != tails)
    heads, costs, kinds = (array[crosses] for array in (edges.heads, edges.costs, edges.kinds))
    between = Contraction.of_edges(Edges(np.searchsorted(crosses, edges.first), heads, costs, kinds))
    counts = np.concatenate([strip.lists[:, contracting.COUNT] for strip in strips])
    wide = max((strip.graph[1].dtype for strip in strips), key=lambda kind: kind.itemsize)
    whole = Contraction(counts + between.lists[:, contracting.COUNT], 0, wide)
    for strip, begin in zip(strips, ends, strict=False):
        whole.add(strip, begin)
    whole.add(between)
    return whole
