"""Jump point search, by scanning the map (jps) and by a table made beforehand (jps+)."""

from __future__ import annotations

import numpy as np

from waygrid.finders.base import Finder
from waygrid.finders.indexed import IndexedFinder
from waygrid.finders.scratch import Scratch, Shape
from waygrid.kernels import jps, jumps, layout
from waygrid.kernels._types import Array
from waygrid.kernels.heuristics import natural

_SHORT = 2**15  # longest side whose jumps fit 16 bits
_WINDOW = 2**14  # buckets


class Jps(Finder):
    """A* over jump points that are found by scanning rows, columns and diagonals."""

    kernel = staticmethod(jps.run)

    def shape(self) -> Shape:
        grid = self.grid
        farthest = 2 * max(grid.width, grid.height) * int(grid.table.geo[layout.DIAGONAL])  # a key's rise by one jump
        self._policy[layout.BUCKET_SHIFT] = max(0, farthest.bit_length() - _WINDOW.bit_length() + 1)
        wide = grid.table.longest + farthest >= 2**31
        return Shape(grid.width * grid.height, wide, _WINDOW, _WINDOW // 64 + _WINDOW // 4096, False)

    @property
    def event_unit(self) -> int:
        return self.grid.cardinal_price

    def so_far(self, scratch: Scratch, ctl: Array) -> Array:
        way = np.zeros(scratch.nodes.size, np.int32)
        ctl[layout.END] = ctl[layout.BEST]
        ctl[layout.LISTED] = jps.way_so_far(self.grid.table.geo, scratch.nodes, ctl, int(ctl[layout.BEST]), way)
        return way

    def estimate(self, start: Array, goal: Array) -> int:
        return natural(self.grid.table.geo, int(start[0]), int(start[1]), int(goal[0]), int(goal[1]))


class JpsPlus(IndexedFinder, Jps):
    """A* over jump points that are read from a table: eight distances per cell."""

    def build(self) -> dict[str, Array]:
        table = self.grid.table
        long = max(self.grid.width, self.grid.height) >= _SHORT
        distances = np.zeros((self.grid.width * self.grid.height, 8), np.int32 if long else np.int16)
        jumps.fill_jumps(table.moves, table.geo, distances)
        return {"jumps": distances}

    def extra(self, moves: Array) -> Array | None:
        return self.index["jumps"]
