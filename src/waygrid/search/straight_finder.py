"""What finders share whose paths are straight legs."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.search.finder import Finder
from waygrid.search.path import Batch, Path
from waygrid.search.straight_path import StraightBatch, StraightPath, measure_legs, pack_lengths


class StraightFinder(Finder):
    """A finder whose kernel stores the waypoints of straight legs (see `core.lines.close_points`)."""

    _path_type: ClassVar[type[Path]] = StraightPath
    _batch_type: ClassVar[type[Batch]] = StraightBatch

    _estimate_unit: ClassVar[int]  # what a cell's width is in the estimates of its rows

    def _refresh(self) -> None:
        super()._refresh()
        self._sizes = self._sizes._replace(cardinal=self._estimate_unit)

    def _adopt(self, batch: Batch) -> Batch:
        """Return paths from cell to cell of another finder with a leg for every move."""
        stored: Array = batch._require_stored() * np.int32(self._point_unit)
        legs = measure_legs(stored / self._point_unit, batch.offsets)
        rows = batch.rows.copy()
        pack_lengths(rows, slice(None), legs)
        rows[batch.lengths == 0, layout.ROW_COST : layout.ROW_DISTANCE + 1] = 0
        return StraightBatch(rows, stored, self._sizes)
