"""The parts of building a taut table, each a `Work` that threads can share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from waygrid.algorithms.anyangle import taut_build as made
from waygrid.algorithms.anyangle import taut_sweep
from waygrid.algorithms.anyangle.anya_cones import CONE
from waygrid.algorithms.anyangle.anya_rows import count_points, pack_rows
from waygrid.build.all_pairs import COLUMNS, Upward, list_edges, take_out_nodes
from waygrid.core.types import Array
from waygrid.grid.grid import Grid

_BLOCK = 32  # corners of a call
_LINKS, _SPANS = 64, 256  # of a corner, roughly


class CornerMap(NamedTuple):
    """The corners of a map where paths bend."""

    free: Array  # the map, as rows of bits
    corners: Array  # x and y of each, as lattice points of the map with a wall around it
    numbers: Array  # of every lattice point, -1 where paths do not bend


class SightLinks(NamedTuple):
    """Which corners see each other, as edges in both directions."""

    first: Array  # of each corner; those of the next end them
    heads: Array
    lengths: Array  # as whole numbers


def map_corners(grid: Grid) -> CornerMap:
    """Find all corners where paths bend."""
    free = pack_rows(grid.table.walk, grid.width, grid.height)
    touching = grid.topology == "octile" and grid.corners == "always"
    corners = np.zeros((0, 2), np.int32)
    for _ in range(2):
        count = taut_sweep.find_corners(free, grid.width, grid.height, touching, corners)
        if count > len(corners):
            corners = np.zeros((count, 2), np.int32)
    numbers = np.full(count_points(grid.width, grid.height), -1, np.int32)
    numbers[corners[:, 1].astype(np.int64) * (64 * free.shape[1] + 1) + corners[:, 0]] = np.arange(len(corners))
    return CornerMap(free, corners, numbers)


class SightWork:
    """What every corner sees: `counts` of corners and spans of cells, and these, one corner's after the other's."""

    batch = _BLOCK

    def __init__(self, found: CornerMap) -> None:
        self._found = found
        self.total = len(found.corners)
        self.scratch_bytes = 2**20
        self.output_bytes = self.total * (8 + 4 * _LINKS + 12 * _SPANS)

    def scratch(self) -> list[Array]:
        """Return memory for cones and what is seen; the list keeps longer arrays where these prove too short."""
        cones = np.zeros(8 * (64 * self._found.free.shape[1] + 4), CONE)
        return [cones, np.zeros(_BLOCK * _LINKS, np.int32), np.zeros((_BLOCK * _SPANS, 3), np.int32)]

    def run(self, scratch: list[Array], first: int, last: int) -> dict[str, Array]:
        """Return what corners first to last - 1 see."""
        own = self._found.corners[first:last]
        counts = np.zeros((len(own), 2), np.int32)
        done = 0
        while True:
            done, links, spans = taut_sweep.sweep_corners(
                self._found.free, scratch[0], self._found.numbers, own, done, counts, *scratch[1:]
            )
            if done == len(own):
                return {"counts": counts, "links": scratch[1][:links].copy(), "spans": scratch[2][:spans].copy()}
            scratch[0] = np.zeros(2 * len(scratch[0]), CONE)
            scratch[1:] = [np.concatenate((array, np.zeros_like(array))) for array in scratch[1:]]


def link_corners(corners: Array, counts: Array, seen: Array, scale: int, taut: bool) -> SightLinks:
    """Return the edges between corners that see each other, with their lengths.

    taut: only those at both of whose ends a path may bend.
    """
    chosen = seen & 1 == 1 if taut else np.ones(len(seen), np.bool_)
    tails = np.repeat(np.arange(len(corners)), counts[:, 0])[chosen]
    first, tails, heads = list_edges(len(corners), tails, (seen[chosen] >> 1).astype(np.int64))
    delta = (corners[tails] - corners[heads]).astype(np.float64)
    lengths = np.rint(np.hypot(delta[:, 0], delta[:, 1]) * 2.0**scale).astype(np.int64)
    return SightLinks(first, heads, lengths)


class PairWork:
    """The entries of all pairs of corners: `table`, row by row."""

    batch = COLUMNS

    def __init__(self, links: SightLinks, upward: Upward, form: Array) -> None:
        self._links, self._upward, self._form = links, upward, form
        self.total = upward.rank.size
        self.scratch_bytes = self.total * (COLUMNS * upward.prices.itemsize + 1)
        self.output_bytes = 2 * self.total * (self.total + 1)

    def scratch(self) -> tuple[Array, Array]:
        """Return memory for the distances of a block of corners."""
        return self._upward.columns()

    def run(self, scratch: tuple[Array, Array], first: int, last: int) -> dict[str, Array]:
        """Return the rows of corners first to last - 1."""
        nodes = self.total
        begins = [made.row_begin(corner, nodes) for corner in range(first, last + 1)]
        table = np.empty(begins[-1] - begins[0], np.uint32)
        for begin in range(first, last, COLUMNS):
            end = min(last, begin + COLUMNS)
            rows = table[begins[begin - first] - begins[0] : begins[end - first] - begins[0]]
            self._write_rows(scratch, begin, end, rows)
        return {"table": table}

    def _write_rows(self, scratch: tuple[Array, Array], begin: int, end: int, rows: Array) -> None:
        """Write the rows of at most COLUMNS corners."""
        rank, first, upper, prices = self._upward
        far, count = self._upward.far, end - begin
        made.sweep_block(first, upper, prices, rank, *self._links, begin, count, far, *scratch)
        made.write_pairs(*self._links, rank, scratch[0], far, begin, count, self._form, rows)


def measure_longest(upward: Upward, links: SightLinks) -> int:
    """Return a bound on the distance of any two corners: two legs, and twice the way from the root of a component."""
    roots, longest = np.flatnonzero(np.diff(upward.first) == 0), 0
    order = np.argsort(upward.rank)
    memory = upward.columns()
    for begin in range(0, len(roots), COLUMNS):
        dist = upward.measure(order[roots[begin : begin + COLUMNS]], memory)
        own = dist[:, : len(roots[begin : begin + COLUMNS])]
        longest = max(longest, int(own[own < upward.far].max(initial=0)))
    return 2 * (longest + int(links.lengths.max(initial=0)))


def gather_accesses(free: Array, ranks: Array, counts: Array, spans: Array, cells: int) -> dict[str, Any]:
    """Return the corners that each free cell sees: `first` of each cell, and `accesses`."""
    first = np.zeros(cells + 1, np.int64)
    made.count_accesses(free, ranks, spans, first)
    np.cumsum(first, out=first)
    accesses = np.zeros(int(first[-1]), np.uint16)
    made.fill_accesses(free, ranks, counts, spans, first[:-1].copy(), accesses)
    return {"first": first.astype(np.int32), "accesses": accesses}


def take_out_corners(links: SightLinks) -> Upward:
    """Prepare the distances between all corners, in 64 bits: without a taut link there is none that would need them."""
    upward = take_out_nodes(links.first, links.heads, links.lengths)
    return upward._replace(prices=upward.prices.astype(np.int64))
