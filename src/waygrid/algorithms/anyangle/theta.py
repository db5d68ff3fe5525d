"""The finders of theta and lazy-theta."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from waygrid.algorithms.anyangle import theta_query as query
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.search.scratch import Scratch, Shape
from waygrid.search.straight_finder import StraightFinder

_WINDOW = 4096  # a key rises by at most two diagonal moves
_ROOM = 32  # cells of a path that is pulled straight, for each row and column of the map
_LONGEST_MOVE = 1.5 * query.UNIT


class Theta(StraightFinder):
    """Theta*: A* whose cells may have any cell as parent that they see."""

    _kernel: ClassVar[Callable[..., int]] = staticmethod(query.run)
    _lazy: ClassVar[bool] = False
    _estimate_unit = query.UNIT

    def _configure(self) -> None:
        self._policy[layout.LAZY] = self._lazy
        self._policy[layout.BUCKET_SHIFT] = query.BUCKET  # for the studio; a constant in the kernel

    def _refresh(self) -> None:
        policy = self._policy.copy()  # other threads may be searching by the present one
        policy[layout.ONE_WAY] = self.grid.has_one_way
        self._policy = policy
        super()._refresh()

    @property
    def _event_unit(self) -> int:
        return query.UNIT

    def _estimate(self, start: Array, goal: Array) -> int:
        return query.distance(int(start[0]), int(start[1]), int(goal[0]), int(goal[1]))

    def _shape(self) -> Shape:
        table = self.grid.table
        wide = np.count_nonzero(table.walk) * _LONGEST_MOVE >= 2**31
        room = _ROOM * (self.grid.width + self.grid.height + 8)
        return Shape(table.walk.size, bool(wide), _WINDOW, _WINDOW // 64 + 1, False, corners=room)

    def _close_so_far(self, scratch: Scratch, ctl: Array, request: Array) -> tuple[list[int], Array]:
        ctl[layout.END] = ctl[layout.BEST]
        rows, cells = np.zeros_like(scratch.row), np.empty(2 * scratch.nodes.size, np.int32)
        sums = rows.view(np.float64)
        query.close(self.grid.table.geo, scratch.nodes, ctl, rows, sums, 0, cells, request)
        return rows[0].tolist(), cells


class LazyTheta(Theta):
    """The same, where a leg is checked only when the cell at its end is expanded."""

    _lazy = True
