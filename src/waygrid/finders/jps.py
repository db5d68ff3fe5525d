"""Jump point search, by scanning the map (jps) and by a table made beforehand (jps+)."""

from __future__ import annotations

import numpy as np

from waygrid.finders.base import Finder
from waygrid.finders.indexed import IndexedFinder
from waygrid.finders.scratch import Shape
from waygrid.kernels import jps, jumps, layout
from waygrid.kernels._types import Array
from waygrid.kernels.heuristics import natural

_SHORT = 2**15  # longest side whose jumps fit 16 bits


class Jps(Finder):
    """A* over jump points that are found by scanning rows, columns and diagonals."""

    kernel = staticmethod(jps.run)

    def shape(self) -> Shape:
        cells = self.grid.width * self.grid.height
        far = (self.grid.width + self.grid.height) * int(self.grid.table.geo[layout.DIAGONAL])
        return Shape(cells, self.grid.table.longest + far >= 2**31, cells, 1, True)

    @property
    def event_unit(self) -> int:
        return self.grid.cardinal_price

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
