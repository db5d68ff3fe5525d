"""Fields of distances to goals: shared by the agents with the same goal, within a limit of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.classic.distances import search_distances
from waygrid.core import layout
from waygrid.core.flood import flood_fields
from waygrid.core.types import Array
from waygrid.crowd import layout as of

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid

_COARSE = 8  # bits that prices lose where a distance would need more than 31


class Fields:
    """Distances to goals, one row each; rows that no agent uses are kept as long as there is room."""

    def __init__(self, grid: Grid, memory: int) -> None:
        self._grid = grid
        self.capacity = memory // (4 * grid.width * grid.height)  #: rows that fit into the memory
        self.values: npt.NDArray[np.int32] = np.empty((0, grid.width * grid.height), np.int32)
        self._places: dict[int, int] = {}  # of goals, those used last at the end
        self._users = np.zeros(0, np.int64)
        self._shift = 0

    def release(self, places: Array) -> None:
        """Take note that agents with these places have other goals now; negative places are none."""
        np.subtract.at(self._users, places[places >= 0], 1)

    def place_goals(self, goals: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        """Return the place of each goal's field, -1 where there is no room; goals that many share come first.

        A goal of one agent alone has a field only if all have: one path takes less time than a flood of the map.
        """
        different, inverse, counts = np.unique(goals, return_inverse=True, return_counts=True)
        taken = int(np.count_nonzero(self._users))
        alone = taken + len(different) <= self.capacity
        places = np.full(len(different), -1, np.int32)
        made: list[int] = []
        order = np.argsort(-counts, kind="stable").tolist()
        known = [k for k in order if int(different[k]) in self._places]  # first: others may take unused places
        for k in known + [k for k in order if int(different[k]) not in self._places]:
            goal = int(different[k])
            if goal in self._places:
                places[k] = self._places[goal] = self._places.pop(goal)  # now the one used last
            elif (alone or counts[k] > 1) and (place := self._take_place()) is not None:
                places[k] = self._places[goal] = place
                made.append(goal)
            if places[k] >= 0:
                self._users[places[k]] += counts[k]
        self._flood(made)
        return places[inverse]

    def _take_place(self) -> int | None:
        """Return a place for a new field: a free one, or that of the unused field that was used longest ago."""
        used = len(self._places)
        if used < len(self._users):
            return next(iter(set(range(len(self._users))) - set(self._places.values())))
        if used < self.capacity:
            self._grow()
            return used
        for goal, place in self._places.items():
            if self._users[place] == 0:
                del self._places[goal]
                return place
        return None

    def _grow(self) -> None:
        more = max(1, min(len(self.values), self.capacity - len(self.values)))
        self.values = np.concatenate((self.values, np.empty((more, self.values.shape[1]), np.int32)))
        self._users = np.concatenate((self._users, np.zeros(more, np.int64)))

    def follow(self) -> None:
        """Flood the fields in use again after an edit, and forget the others."""
        self._places = {goal: place for goal, place in self._places.items() if self._users[place]}
        self._flood(list(self._places))

    def _flood(self, goals: list[int]) -> None:
        if not goals:
            return
        table = self._grid.table
        if table.weights is not None:
            for goal in goals:
                self._search(goal)
            return
        places = np.array([self._places[goal] for goal in goals])
        prices = int(table.geo[layout.CARDINAL]), int(table.geo[layout.DIAGONAL])
        arrays = np.array(goals), places, self.values
        if not flood_fields(table.reverse, table.geo, *prices, *arrays):
            # Only mazes of many million cells have such distances. Two cells that differ by a hair rank alike then.
            coarse = max(1, prices[0] >> _COARSE)
            flood_fields(table.reverse, table.geo, coarse, round(prices[1] * coarse / prices[0]), *arrays)

    def _search(self, goal: int) -> None:
        """Write the field of a goal on ground of several weights, by the search that knows them."""
        field = self.values[self._places[goal]]
        distance = search_distances(self._grid, np.array([goal]), True)
        while distance.max() >= of.FAR:
            distance[distance > 0] >>= _COARSE
        field[:] = np.where(distance < 0, of.FAR, distance)

    @property
    def bytes(self) -> int:
        """Memory of the fields."""
        return self.values.nbytes
