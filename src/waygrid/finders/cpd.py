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
        offsets = np.zeros(order.size + 1, np.int64)
        np.cumsum(rows["counts"], out=offsets[1:])
        ids = np.full(grid.width * grid.height, -1, np.int32)
        ids[order] = np.arange(order.size)
        if offsets[-1] < 2**32:
            offsets = offsets.astype(np.uint32)
        return {"jumps": flood.ground.jumps, "ids": ids, "offsets": offsets, "runs": rows["runs"]}

    def shape(self) -> Shape:
        return Shape(1, False, 1, 1, False, self.grid.width * self.grid.height + 1)

    def so_far(self, scratch: Scratch, ctl: Array) -> Array:
        assert scratch.keys is not None
        way = np.zeros(self.grid.width * self.grid.height, np.int32)
        ctl[layout.END], ctl[layout.LISTED] = ctl[layout.BEST], ctl[cpd.BEST_COUNT]
        list_cells(scratch.keys, 0, ctl, self.grid.width, way)
        return way

    def extra(self, moves: Array) -> cpd.Database:
        return cpd.Database(*(self.index[name] for name in ("jumps", "ids", "offsets", "runs")))


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
