"""Compressed path database: paths are looked up, not searched."""

from __future__ import annotations

import numpy as np

from waygrid.finders.building import Work, build_key, sweep
from waygrid.finders.indexed import IndexedFinder
from waygrid.finders.jps import JumpFinder
from waygrid.finders.scratch import Scratch, Shape
from waygrid.kernels import canonical, cpd, layout
from waygrid.kernels._types import Array
from waygrid.kernels.legs import list_cells
from waygrid.structures.floods import CanonicalFlood

VERSION = 1  # of the rows; a higher one when their meaning changes
_ROOM = 128  # runs of a row, at first


class Cpd(IndexedFinder, JumpFinder):
    """The first move of every cell towards every other, in runs along a depth-first order of the cells."""

    kernel = staticmethod(cpd.run)

    def build(self) -> dict[str, Array]:
        grid, plan, table = self.grid, self.plan, self.grid.table
        order = np.zeros(int(np.count_nonzero(table.walk)), np.int32)
        cpd.depth_first(table.moves, table.walk, table.geo, order)
        flood = CanonicalFlood(grid)
        key = build_key("first-moves", grid.fingerprint(), {}, VERSION)
        rows = sweep(row_work(flood, order, plan.device, plan.memory), plan, key)
        blocks = int((-(-rows["counts"].astype(np.int64) // cpd.BLOCK)).sum())
        jumps = flood.ground.jumps
        small = jumps.dtype == np.int16 and blocks < 2**30 and rows["counts"].max(initial=0) < 2**15
        cells = np.zeros((len(jumps), cpd.JUMPS + 8), np.int16 if small else np.int64)
        cells[:, cpd.JUMPS :] = jumps
        cpd.measure_near(table.moves, table.geo, jumps, cells)
        heads, runs = np.zeros(blocks, np.uint32), np.zeros(blocks * cpd.BLOCK, np.uint32)
        cpd.pack_rows(rows["counts"], rows["runs"], order, cells, heads, runs)
        ids = np.full(grid.width * grid.height, -1, np.int32)
        ids[order] = np.arange(order.size)
        return {"cells": cells, "ids": ids, "heads": heads, "runs": runs}

    def shape(self) -> Shape:
        return Shape(1, False, 1, 1, False, self.grid.width * self.grid.height + 1)

    def so_far(self, scratch: Scratch, ctl: Array) -> Array:
        assert scratch.keys is not None
        way = np.zeros(self.grid.width * self.grid.height, np.int32)
        ctl[layout.END], ctl[layout.LISTED] = ctl[layout.BEST], ctl[cpd.BEST_COUNT]
        list_cells(scratch.keys, 0, ctl, self.grid.width, way)
        return way

    def extra(self, moves: Array) -> cpd.Database:
        cells, ids, heads, runs = (self.index[name] for name in ("cells", "ids", "heads", "runs"))
        return cpd.Database(cells, cells[:, cpd.JUMPS :], ids, heads, runs)


class RowWork:
    """The rows of all cells, in their order: `counts`, the runs of each, and `runs`, one row after the other."""

    def __init__(self, flood: CanonicalFlood, order: Array) -> None:
        self._flood, self._order = flood, order
        self.total = int(order.size)
        self.scratch_bytes = flood.bytes
        self.output_bytes = self.total * 4 * (1 + _ROOM)

    def scratch(self) -> canonical.Water:
        """Return the memory of one flood."""
        return self._flood.water()

    def run(self, scratch: canonical.Water, first: int, last: int) -> dict[str, Array]:
        """Return the rows of ids first to last - 1."""
        counts, runs = np.zeros(last - first, np.int32), np.zeros((last - first) * _ROOM, np.uint32)
        done = used = 0
        while True:
            done, used = cpd.fill_rows(self._flood.ground, scratch, self._order, first, counts, done, runs, used)
            if done == last - first:
                return {"counts": counts, "runs": runs[:used].copy()}
            runs = np.concatenate((runs, np.zeros(max(runs.size, self.total), np.uint32)))


def row_work(flood: CanonicalFlood, order: Array, device: str, memory: int | None) -> Work:
    """Return the build of a path database's rows."""
    if device == "gpu":
        from waygrid.finders import gpu

        ground = flood.ground
        return gpu.RunWork(ground.moves, ground.geo, order, jumps=ground.jumps, memory=memory)
    return RowWork(flood, order)
