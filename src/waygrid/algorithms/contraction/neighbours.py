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
    """The neighbours of spots: `counts`, how many each has, and `heads`, one spot's after the other's."""

    batch = _BATCH
    scratch_bytes = 1

    def __init__(self, table: MoveTable, tiles: Tiles) -> None:
        self._table, self._tiles = table, tiles
        width, height = int(table.geo[layout.WIDTH]), int(table.geo[layout.HEIGHT])
        self._stops = (np.zeros((height, (width + 63) >> 6), np.uint64), np.zeros((width, (height + 63) >> 6), np.uint64))
        drawing.mark_stops(table.walk, table.geo, tiles.masks, *self._stops)
        self.total = len(tiles.spots)
        self.output_bytes = self.total * 4 * (1 + _SEEN)

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
                return {"counts": counts, "heads": seen[:used].copy()}
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
    """Return the graph of the spots, without edges that two others replace at no more cost."""
    table, count = grid.table, len(tiles.spots)
    here = replace(plan or Plan(), cluster=None, device="cpu")
    seen = sweep(NeighbourWork(table, tiles), here, build_key("ch-neighbours", grid.fingerprint(), {}, VERSION))
    begins = np.concatenate((np.zeros(1, np.int64), np.cumsum(seen["counts"], dtype=np.int64)))
    forward = begins, seen["heads"]
    backward = np.zeros(count + 1, np.int64), np.zeros_like(seen["heads"])
    drawing.turn_round(*forward, *backward)
    room = 2 * len(seen["heads"])
    heads, kinds, costs = np.zeros(room, np.int32), np.zeros(room, np.int32), np.zeros(room, np.int64)
    first = np.zeros(count + 1, np.int64)
    drawing.join_both_ways(
        forward, backward, tiles.spots, table.geo, np.full(count, -1, np.int64), first, (heads, kinds, costs)
    )
    used = int(first[-1])
    every = Edges(first, heads[:used], costs[:used], kinds[:used])
    key = build_key("ch-detours", grid.fingerprint(), {}, VERSION)
    kept = sweep(DetourWork(every), replace(here, progress=None), key)["marks"] == 0
    begins = np.concatenate((np.zeros(1, np.int64), np.cumsum(kept)))[first]
    return Edges(begins, every.heads[kept], every.costs[kept], every.kinds[kept])
