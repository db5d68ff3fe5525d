"""The connected components of a grid that changes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from waygrid.core import component_repair as repair
from waygrid.core import components as kernels
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.grid.where import Window

_SMALL = 144  # cells around an edit up to which it is first tried whether the components can stay as they are
_LARGE = 8  # numbering the map anew is quicker where an edit touches a part of it this large (1/8)
_HEADROOM = 1024


class Components:
    """A number for each cell, the same for cells that moves connect; -1 for walls.

    They are numbered when they are first asked for, and then kept up to date around each edit: see
    `core.component_repair`.
    """

    def __init__(self, walk: Array, moves: Array, geo: Array) -> None:
        self._map = (walk, moves, geo)
        self._size = int(geo[layout.WIDTH]), int(geo[layout.HEIGHT])
        self._labels: npt.NDArray[np.int32] | None = None
        self._count = 0  # numbers used
        self._before: npt.NDArray[np.int64] | None = None
        self._regions: repair.LocalRegions | None = None  # made for the first edit that needs them

    @property
    def labels(self) -> npt.NDArray[np.int32]:
        """The number of each cell's component."""
        if self._labels is None:
            labels = np.empty(self._map[0].size, np.int32)
            self._count = kernels.components(*self._map, labels)
            self._labels = labels
        return self._labels

    def remember(self, ring: Window) -> None:
        """Prepare for an edit; the window reaches one cell beyond every cell whose moves it may change."""
        size = (ring.x1 - ring.x0) * (ring.y1 - ring.y0)
        self._before = None
        if self._labels is not None and 0 < size <= _SMALL:
            self._before = self._label_window(ring)

    def follow(self, ring: Window) -> None:
        """Bring the numbers up to date after an edit."""
        labels = self._labels
        if labels is None or ring.x0 >= ring.x1 or ring.y0 >= ring.y1:
            return
        if self._before is not None and self._relabel(labels, ring, self._before):
            return
        cells = (ring.x1 - ring.x0 + 2 * repair.SIDE) * (ring.y1 - ring.y0 + 2 * repair.SIDE)
        if _LARGE * cells > labels.size or self._count + cells > 2**31 - 1:
            self._labels = self._regions = None
            return
        regions = self._make_room(labels, self._count + 2 * cells)
        self._count = repair.repair_components(*self._map, labels, regions, *ring, self._count)

    def _label_window(self, ring: Window) -> npt.NDArray[np.int64]:
        local = np.empty((ring.x1 - ring.x0) * (ring.y1 - ring.y0), np.int64)
        kernels.label_window(*self._map, *ring, local)
        return local

    def _relabel(self, labels: npt.NDArray[np.int32], ring: Window, before: npt.NDArray[np.int64]) -> bool:
        """Follow a small edit that neither joins nor splits components; return False if it does."""
        geo, regions = self._map[2], self._regions
        if regions is not None:
            regions = self._make_room(labels, self._count + before.size)
            repair.count_cells(geo, labels, regions.sizes, *ring, -1)
        count = kernels.relabel(labels, geo, *ring, before, self._label_window(ring), self._count)
        if regions is not None:
            repair.count_cells(geo, labels, regions.sizes, *ring, 1)
            repair.mark_dirty(geo, regions.dirty, *ring)
        self._count = max(count, self._count)
        return count >= 0

    def _make_room(self, labels: npt.NDArray[np.int32], count: int) -> repair.LocalRegions:
        """Return what the repair keeps, with room for so many labels."""
        regions = self._regions
        if regions is None:
            across, down = (-(-side // repair.SIDE) for side in self._size)
            marks, behind, visited = (np.zeros(across * down * repair.CELLS, np.int32) for _ in range(3))
            local, dirty = np.zeros(labels.size, np.uint8), np.zeros(across * down, np.uint8)
            regions = repair.LocalRegions(local, marks, behind, visited, dirty, np.zeros(count + _HEADROOM, np.int32))
            repair.begin_regions(labels, regions)
        elif count > len(regions.sizes):
            sizes = np.zeros(2 * count, np.int32)
            sizes[: len(regions.sizes)] = regions.sizes
            regions = regions._replace(sizes=sizes)
        self._regions = regions
        return regions
