"""Anya: exact shortest straight paths among walls, without an index."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from waygrid.algorithms.anyangle import anya_query as query
from waygrid.algorithms.anyangle.anya_cones import BEST_ROOT, CONE, LAST_ROOT, UNIT
from waygrid.algorithms.anyangle.anya_rows import count_points, pack_rows
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.search.scratch import Scratch, Shape
from waygrid.search.straight_finder import StraightFinder

_QUEUE = 1024  # places of the open list to begin with


class PointFinder(StraightFinder):
    """What the finders share whose paths bend at corners of walls."""

    _point_unit: ClassVar[int] = 2
    _estimate_unit = UNIT

    @property
    def _event_unit(self) -> int:
        return UNIT

    def _estimate(self, start: Array, goal: Array) -> int:
        far = math.hypot(int(start[0]) - int(goal[0]), int(start[1]) - int(goal[1]))
        return int(far * UNIT)


class Anya(PointFinder):
    """A best-first search over cones that are divided by gaps between walls."""

    _kernel = staticmethod(query.run)

    def _shape(self) -> Shape:
        most = 8 * (self.grid.width + 4)  # that one expansion stores, see `anya_query.make_pause`
        places = max(_QUEUE, 2 * most)
        points = count_points(self.grid.width, self.grid.height)
        return Shape(points, True, places, places, False, slots=2 * places, slot=CONE)

    def _index_arrays_for(self, moves: Array) -> Array:
        return pack_rows(self.grid.table.walk, self.grid.width, self.grid.height)

    def _arrays_for_blocked(self, walk: Array, moves: Array) -> Array:
        return pack_rows(walk, self.grid.width, self.grid.height)

    def _record_bytes(self) -> tuple[int, int]:
        return layout.NODE_WIDE.itemsize, CONE.itemsize + 12

    def _close_so_far(self, scratch: Scratch, ctl: Array, request: Array) -> tuple[list[int], Array]:
        ctl[layout.END], ctl[LAST_ROOT] = ctl[layout.BEST], ctl[BEST_ROOT]
        row, cells = np.zeros_like(scratch.row), np.empty(2 * scratch.nodes.size + 4, np.int32)
        sums, geo = row.view(np.float64), self._tables[2]
        query.close(geo, self._index_arrays, scratch.nodes, ctl, row, sums, 0, cells, request)
        return row[0].tolist(), cells
