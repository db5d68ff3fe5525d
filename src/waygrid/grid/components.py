"""The connected components of a grid that changes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from waygrid.core import component_check as check
from waygrid.core import component_repair as repair
from waygrid.core import components as kernels
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.grid.where import Window

_LARGE = 2  # numbering the map anew is as quick where an edit touches half of it
_HEADROOM = 1024


class Components:
    """A number for each cell, the same for cells that moves connect; -1 for walls.

    They are numbered when they are first asked for, and then kept up to date around each edit: see
    `core.component_repair`.
    """

    def __init__(self, walk: Array, moves: Array, geo: Array, one_way: Callable[[], bool]) -> None:
        self._map, self._has_one_way = (walk, moves, geo), one_way
        self._size = int(geo[layout.WIDTH]), int(geo[layout.HEIGHT])
        self._labels: npt.NDArray[np.int32] | None = None
        self._count = 0  # numbers used
        self._regions: repair.LocalRegions | None = None  # made for the first edit
        self._pieces: repair.Pieces | None = None  # working memory
        self._sets = np.zeros(2 * check.MOST_CELLS, np.int32)  # and that of small edits

    @property
    def known(self) -> bool:
        """Whether the components are numbered."""
        return self._labels is not None

    @property
    def labels(self) -> npt.NDArray[np.int32]:
        """The number of each cell's component."""
        if self._labels is None:
            labels = np.empty(self._map[0].size, np.int32)
            self._count = kernels.components(*self._map, self._has_one_way(), labels)
            self._labels = labels
        return self._labels

    def follow(self, ring: Window, one_way: bool) -> None:
        """Bring the numbers up to date after an edit; the ring reaches a cell beyond every cell whose moves changed."""
        labels = self._labels
        if labels is None or ring.x0 >= ring.x1 or ring.y0 >= ring.y1:
            return
        first = self._regions is None
        if not first and self._is_kept(labels, ring, one_way):
            return
        sectors = (ring.x1 - ring.x0) // repair.SIDE + 2, (ring.y1 - ring.y0) // repair.SIDE + 2  # that it may touch
        cells = sectors[0] * sectors[1] * repair.CELLS
        if self._is_large(cells) or self._count > 4 * labels.size + _HEADROOM:  # most numbers are of no use any more
            self._labels = self._regions = None
            return
        regions, pieces = self._make_room(labels, sectors, self._count + 2 * cells)
        if first:  # so that no later edit compiles anything
            self._is_kept(labels, Window(0, 0, 0, 0), one_way)
        tables = (*self._map, labels)
        self._count = repair.repair_components(tables, tuple(regions), tuple(pieces), one_way, tuple(ring), self._count)

    def _is_kept(self, labels: npt.NDArray[np.int32], ring: Window, one_way: bool) -> bool:
        """Return whether the edit is small and leaves the components as they are; then the numbers are up to date."""
        x0, y0, x1, y1 = ring
        regions = self._regions
        if regions is None or (x1 - x0) * (y1 - y0) > check.MOST_CELLS:
            return False
        kept = (*self._map, labels, regions.sizes, regions.dirty, one_way, self._sets, x0, y0, x1, y1)
        return bool(check.keep_components(*kept))

    def _is_large(self, cells: int) -> bool:
        """Return whether numbering the map anew is as quick."""
        return _LARGE * cells > self._map[0].size + 9 * repair.CELLS

    def _make_room(
        self, labels: npt.NDArray[np.int32], sectors: tuple[int, int], count: int
    ) -> tuple[repair.LocalRegions, repair.Pieces]:
        """Return what the repair keeps, with room for so many labels, and its working memory for so many sectors."""
        regions, pieces = self._regions, self._pieces
        if regions is None:
            across, down = (-(-side // repair.SIDE) for side in self._size)
            marks, behind, visited = (np.zeros(across * down * repair.CELLS, np.int32) for _ in range(3))
            local, dirty = np.zeros(labels.size, np.uint8), np.zeros(across * down, np.uint8)
            leaving, sizes = np.zeros((2, 5), np.uint8), np.zeros(count + _HEADROOM, np.int32)
            regions = repair.LocalRegions(local, marks, behind, visited, dirty, leaving, sizes)
            repair.begin_regions(self._map[2], labels, regions)
        elif count > len(regions.sizes):
            sizes = np.zeros(2 * count, np.int32)
            sizes[: len(regions.sizes)] = regions.sizes
            regions = regions._replace(sizes=sizes)
        around = 2 * repair.SIDE * sum(sectors) + 8
        if pieces is None or len(pieces.first) <= sectors[0] * sectors[1] or len(pieces.parent) < around:
            pieces = repair.make_pieces(sectors[0] * sectors[1], around)
        self._regions, self._pieces = regions, pieces
        return regions, pieces
