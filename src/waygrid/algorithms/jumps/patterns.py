"""The patterns of terrain on a map: their numbers, which follow edits, and what they say about lines."""

from __future__ import annotations

import numpy as np

from waygrid.algorithms.jumps import terrain_patterns as kernels
from waygrid.core.types import Array
from waygrid.grid.grid import Grid
from waygrid.grid.where import Window

_LARGEST = 2**16 - 2  # numbers of patterns have 16 bits
_FEWEST = 1024  # patterns that any map may have; larger maps may have one for so many cells
_CELLS = 32
_AGAIN = 8  # all cells are numbered anew once edits changed one in so many


class Patterns:
    """The number of the pattern around each cell, and the moves worth trying for each pattern and direction."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._version = -1
        self._changed = 0  # cells that edits changed since all were numbered
        self.mean_weight = 1.0
        self.short = 0.0  # share of steps along lines, over all cells and directions, that end them
        self._number_all()
        self._version = grid.version

    @property
    def bytes(self) -> int:
        """Memory of the numbers and tables."""
        return self.numbers.nbytes + sum(array.nbytes for array in self._known)

    def update(self) -> None:
        """Follow the edits of the map."""
        for window in self._grid.edits_since(self._version):
            self._number(window)
        if _AGAIN * self._changed > self.numbers.size:
            self._number_all()
        self._version = self._grid.version

    def _number_all(self) -> None:
        """Number the patterns of all cells from 1, and forget those that the map has no longer."""
        grid, cells = self._grid, self._grid.width * self._grid.height
        most = min(_LARGEST, _FEWEST + cells // _CELLS)
        room = 1 << (2 * most).bit_length()
        self.numbers: Array = np.zeros(cells, np.uint16)
        self.successors: Array = np.full((most + 1, 8), kernels.EVERY, np.uint8)
        self._known = (
            np.zeros(2**16, np.uint8),  # the terrain of a weight
            np.zeros(2**7, np.int64),  # the weight of a terrain
            np.array([0, 0, most]),  # patterns, terrains, and patterns allowed
            np.zeros(room, np.int64),  # keys of patterns, hashed
            np.zeros(room, np.uint16),  # and their numbers
            self.successors,
            np.zeros(9, np.int64),  # room for the nine cells of a pattern
            np.zeros(9, np.int64),  # and for the costs of paths around
        )
        self._number(Window(0, 0, grid.width, grid.height))
        self._measure()
        self._changed = 0

    def _number(self, window: Window) -> None:
        """Number the patterns of all cells that a window may have changed."""
        grid, table = self._grid, self._grid.table
        left = top = grid.clearance  # an opened cell makes room to its left and above
        box = Window(
            max(0, window.x0 - left),
            max(0, window.y0 - top),
            min(grid.width, window.x1 + 1),
            min(grid.height, window.y1 + 1),
        )
        kernels.number_patterns(table.walk, table.weights_or_one, table.geo, self._known, self.numbers, *box)
        self._changed += (box.x1 - box.x0) * (box.y1 - box.y0)

    def _measure(self) -> None:
        """Measure what decides how far lines are followed, and whether they are."""
        table, counts = self._grid.table, np.zeros(2, np.int64)
        kernels.count_stops(self.numbers, self.successors, table.walk, counts)
        self.short = float(counts[1] / max(1, counts.sum()))
        standing = table.walk != 0
        self.mean_weight = 1.0
        if table.weights is not None and standing.any():
            self.mean_weight = float(table.weights[standing].mean())

    def without(self, walk: Array) -> Array:
        """Return numbers for a map some of whose cells are walls for one query: around these, nothing is known."""
        numbers = self.numbers.copy()
        kernels.forget_patterns(walk, self._grid.table.walk, self._grid.table.geo, numbers)
        return numbers
