"""How far a grid has moved from the map of an index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from waygrid.core import difference as kernels

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid

_NO_BOXES = np.zeros((0, 4), np.int32)


class Difference:
    """Compares a grid with the one of an index, `home`, after every edit, and only where edits were.

    >>> import waygrid as wg
    >>> grid = wg.Grid([[1, 1, 0]])
    >>> gap = Difference(grid.copy(), grid)
    >>> grid.set_passable((2, 0), True)
    >>> gap.update(), gap.boxes.tolist()
    (2, [[1, 0, 2, 0]])
    """

    def __init__(self, home: Grid, grid: Grid) -> None:
        self.home, self._grid = home, grid
        across, down = -(-grid.width // kernels.SECTOR), -(-grid.height // kernels.SECTOR)
        self._counts = np.zeros(across * down, np.int32)
        self._opened = np.full((across * down, 4), (1, 1, 0, 0), np.int32)
        self._listed = np.empty_like(self._opened)
        self._version = -1
        self._old: kernels.Map | None = None  # what is compared of `home`
        self.cells = 0  #: that differ, in moves or in what entering them costs
        self.boxes = _NO_BOXES  #: left, top, right, bottom around cells that gained moves or became cheaper

    def update(self) -> int:
        """Compare what edits touched since the last call; return how many cells differ now."""
        grid = self._grid
        if self._version == grid.version:
            return self.cells
        if self._version < 0:
            windows = np.array([(0, 0, grid.width, grid.height)], np.int64)
        else:
            windows = grid._edits.boxes_since(self._version, grid._clearance, grid._width, grid._height)
        self._version = grid.version
        self._old = self._old or map_of(self.home)
        table, listed = grid.table, len(self.boxes)
        now = (table.walk, table.moves, table.weights_or_one, windows, self._counts, self._opened, self._listed)
        more, boxes = kernels.compare_sectors(table.geo, *self._old, *now, listed)
        self.cells += more
        self.boxes = self._listed[:boxes]
        return self.cells

    @property
    def only_closed(self) -> bool:
        """Whether the grid is the old one with walls added, and nothing else."""
        return len(self.boxes) == 0 and np.array_equal(self.home.table.weights_or_one, self._grid.table.weights_or_one)


def map_of(grid: Grid) -> kernels.Map:
    """Return what is compared of a grid."""
    table = grid.table
    return kernels.Map(table.walk, table.moves, table.weights_or_one)
