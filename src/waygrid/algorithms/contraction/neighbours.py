"""The graph of the spots, drawn by threads."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from waygrid.algorithms.contraction import neighbours_build as drawing
from waygrid.algorithms.contraction.tiles import Tiles
from waygrid.build.sweep import Plan, build_key, sweep
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.grid.grid import Grid
from waygrid.grid.table import MoveTable

VERSION = 1  # of the pieces; a higher one when their meaning changes
_SEEN = 48  # neighbours of a spot, roughly
_BATCH = 512  # spots of a call


class Edges(NamedTuple):
    """The edges between spots, in both directions."""

    first: Array
    heads: Array
    costs: Array
    kinds: Array  # from which end an edge goes diagonally first


class NeighbourWork:
    """The neighbours of spots: `counts` of each, `heads`, one spot's after the other's, and their `costs`."""

    batch = _BATCH
    scratch_bytes = 1

    def __init__(self, table: MoveTable, tiles: Tiles) -> None:
        self._table, self._tiles = table, tiles
        width, height = int(table.geo[layout.WIDTH]), int(table.geo[layout.HEIGHT])
        self._stops = (
            np.zeros((height, (width + 63) >> 6), np.uint64),
            np.zeros((width, (height + 63) >> 6), np.uint64),
        )
        drawing.mark_stops(table.walk, table.geo, tiles.masks, *self._stops)
        self._kind = np.int32 if (width + height) * int(table.geo[layout.DIAGONAL]) < 2**31 else np.int64
        self.total = len(tiles.spots)
        self.output_bytes = self.total * (4 + 8 * _SEEN)

    def scratch(self) -> None:
        """Return nothing: it takes next to no memory."""

    def run(self, scratch: None, first: int, last: int) -> dict[str, Array]:
        """Return the neighbours of the spots first to last - 1."""
        table, tiles, counts = self._table, self._tiles, np.zeros(last - first, np.int32)
        known = (table.moves, table.geo, (tiles.masks, tiles.numbers), self._stops, tiles.spots, first, last, counts)
        seen, done = np.zeros(_SEEN * (last - first), np.int32), 0
        while True:
            done, used = drawing.list_neighbours(*known, seen, done)
            if done == last - first:
                heads, costs = seen[:used].copy(), np.zeros(used, self._kind)
                drawing.measure_legs(table.geo, tiles.spots, first, counts, heads, costs)
                return {"counts": counts, "heads": heads, "costs": costs}
            seen = np.concatenate((seen, np.zeros(seen.size + self.total, np.int32)))


class DetourWork:
    """Which edges two others replace: `marks`, one for each edge."""

    batch = _BATCH

    def __init__(self, edges: Edges) -> None:
        self._edges = edges
        self.total = len(edges.first) - 1
        self.scratch_bytes, self.output_bytes = 8 * self.total, len(edges.heads)

    def scratch(self) -> Array:
        """Return the places of edges by their heads."""
        return np.full(self.total, -1, np.int64)

    def run(self, scratch: Array, first: int, last: int) -> dict[str, Array]:
        """Return the marks of the edges of spots first to last - 1."""
        edges = self._edges
        marks = np.zeros(edges.first[last] - edges.first[first], np.uint8)
        drawing.mark_detours(edges.first, edges.heads, edges.costs, first, last, scratch, marks)
        return {"marks": marks}


def join_spots(grid: Grid, tiles: Tiles, plan: Plan | None = None) -> Edges:
    """Return the graph of the spots, without edges that two others replace at no more cost.

    Most edges go before they are known from both ends, on a StarCraft map four fifths. So memory holds 8 bytes for each
    that is seen.
    """
    here = replace(plan or Plan(), cluster=None, device="cpu")
    seen = sweep(NeighbourWork(grid.table, tiles), here, _key("neighbours", grid))
    begins = np.concatenate((np.zeros(1, np.int64), np.cumsum(seen["counts"], dtype=np.int64)))
    kind, none = seen["costs"].dtype, np.zeros(0, np.int32)
    forward = _drop_detours(Edges(begins, seen.pop("heads"), seen.pop("costs"), none), here, _key("detours", grid))
    count = len(tiles.spots)
    backward = np.zeros(count + 1, np.int64), np.zeros_like(forward.heads)
    drawing.turn_round(forward.first, forward.heads, *backward)
    first, place = np.zeros(count + 1, np.int64), np.full(count, -1, np.int64)
    heads, kinds = np.zeros(2 * len(forward.heads), np.int32), np.zeros(2 * len(forward.heads), np.int32)
    drawing.join_both_ways((forward.first, forward.heads), backward, place, first, heads, kinds)
    heads, kinds, costs = heads[: first[-1]], kinds[: first[-1]], np.zeros(first[-1], kind)
    drawing.measure_legs(grid.table.geo, tiles.spots, 0, np.diff(first), heads, costs)
    return _drop_detours(Edges(first, heads, costs, kinds), here, _key("edges", grid))


def _drop_detours(edges: Edges, plan: Plan, key: str) -> Edges:
    kept = np.flatnonzero(sweep(DetourWork(edges), replace(plan, progress=None), key)["marks"] == 0)
    begins = np.searchsorted(kept, edges.first)
    return Edges(begins, edges.heads[kept], edges.costs[kept], edges.kinds[kept] if len(edges.kinds) else edges.kinds)


def _key(part: str, grid: Grid) -> str:
    return build_key(f"ch-{part}", grid.fingerprint(), {}, VERSION)
