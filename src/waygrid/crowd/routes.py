"""Routes of the agents whose goals have no field: found by a finder, kept as moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.make import make_finder
from waygrid.core.types import Array
from waygrid.crowd import layout as of
from waygrid.crowd.route_query import compact_routes, write_routes
from waygrid.errors import WaygridError
from waygrid.search.path import Status

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid
    from waygrid.search.finder import Finder

_FIRST = 1 << 12  # bytes


class Routes:
    """The stacks of moves of all agents in one array."""

    def __init__(self, grid: Grid, finder: Finder | None) -> None:
        self._grid = grid
        self._given = finder
        self._own: Finder | None = None
        self.moves: npt.NDArray[np.uint8] = np.zeros(_FIRST, np.uint8)
        self._used = 0

    @property
    def finder(self) -> Finder:
        """What finds the paths: the user's finder, or jps where it supports the map, else astar."""
        if self._given is not None:
            return self._given
        plain = self._grid.weights is None and not self._grid.has_one_way
        jumps = plain and self._grid.topology == "octile" and self._grid.corners in ("never", "always")
        name = "jps" if jumps else "astar"
        if self._own is None or self._own.info.name != name:
            self._own = make_finder(name, self._grid)
        return self._own

    def find(self, rows: Array, numbers: npt.NDArray[np.int64]) -> None:
        """Give agents routes from where they stand to their goals; those without a way wait."""
        rows[numbers, of.ASKS] = rows[numbers, of.TOP] = rows[numbers, of.ROOM] = rows[numbers, of.LONG] = 0
        labels = self._grid.table.labels
        own, goals = labels[rows[numbers, of.CELL]], labels[rows[numbers, of.GOAL]]
        linked = (own == goals) & (own >= 0)
        rows[numbers, of.FIELD] = np.where(linked, of.ROUTE, of.NOWHERE)
        numbers = numbers[linked]
        if not len(numbers):
            return
        batch = self.finder.find_many(self._pairs(rows[numbers, of.CELL]), self._pairs(rows[numbers, of.GOAL]))
        found = batch.statuses == Status.FOUND
        rows[numbers[~found], of.FIELD] = of.NOWHERE
        lengths, cells = batch.lengths, batch.cells
        assert cells is not None
        if not found.all():  # a path that does not arrive is no route
            cells, lengths = cells[np.repeat(found, lengths)], lengths[found]
        self._make_room(rows, int(lengths.sum()) + of.SLACK * len(lengths))
        geo = self._grid.table.geo
        self._used = write_routes(
            geo, numbers[found], np.ascontiguousarray(lengths), cells, self.moves, rows, self._used
        )

    def _pairs(self, cells: Array) -> Array:
        return np.column_stack((cells % self._grid.width, cells // self._grid.width))

    def _make_room(self, rows: Array, more: int) -> None:
        """Make room for more moves: close gaps, and take more memory if more than half is in use then."""
        if self._used + more <= len(self.moves):
            return
        live = int(rows[:, of.ROOM].sum(dtype=np.int64))
        packed = np.zeros(max(_FIRST, len(self.moves), 2 * (live + more)), np.uint8)
        if len(packed) >= 2**31:
            raise WaygridError(f"the routes of {len(rows)} agents need {len(packed)} bytes; allowed are {2**31 - 1}")
        self._used = compact_routes(rows, self.moves, packed)
        self.moves = packed

    @property
    def bytes(self) -> int:
        """Memory of the routes."""
        return self.moves.nbytes
