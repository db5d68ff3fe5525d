"""Changes of a pool of real-time agents between two steps: other goals, agents that come and go."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.core import agents as at
from waygrid.core.agent_edits import forget
from waygrid.core.types import Array
from waygrid.search.batch import check_queries
from waygrid.search.cells import check_cells, numbers_of, pairs_of
from waygrid.search.request import PLAIN

if TYPE_CHECKING:
    from waygrid.search.agent_edits import Follower
    from waygrid.search.finder import Finder
    from waygrid.search.scratch import Scratch


class ChangesAgents:
    """What a pool offers between two steps."""

    _finder: Finder
    _follower: Follower
    _scratch: Scratch
    _lock: Lock
    _rows: npt.NDArray[np.int64]
    _positions: npt.NDArray[np.int32]
    _history: list[npt.NDArray[np.int32]] | None
    _step_request: npt.NDArray[np.int64]
    _version: int

    def _first_rows(self, queries: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        raise NotImplementedError

    def _add(self, rows: npt.NDArray[np.int64]) -> None:
        raise NotImplementedError

    def set_goals(self, indices: Any, goals: npt.ArrayLike) -> None:
        """Give agents other goals: cells (x, y), one for each of these agents, or one for all of them.

        They begin anew where they stand: with nothing learned, and with moves, costs and times counted from 0.

        >>> import waygrid as wg
        >>> pool = wg.make_finder("lrta", wg.Grid([[1, 1, 1]])).agents([(0, 0)], [(1, 0)])
        >>> pool.step().tolist(), pool.set_goals([0], [(2, 0)]), pool.step().tolist(), pool.moves.tolist()
        ([[1, 0]], None, [[2, 0]], [1])
        """
        numbers = numbers_of(indices, len(self._rows))
        cells = check_cells(self._finder.grid, "goal", goals, len(numbers))
        with self._lock:
            self._catch_up()
            other, places = self._places_elsewhere(numbers)
            if other is not None and (places >= 0).any():
                moved = places >= 0
                other.set_goals(places[moved], self._pairs(cells[moved]))
                numbers, cells = numbers[~moved], cells[~moved]
            forget(self._scratch.spare, self._scratch.ctl, self._rows, numbers)
            queries = np.column_stack((self._positions[numbers].astype(np.int64), self._pairs(cells)))
            self._rows[numbers] = self._first_rows(queries)
            self._follower.begin(numbers)

    def add(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Add agents and return their numbers, which follow those of the others.

        >>> import waygrid as wg
        >>> pool = wg.make_finder("lrta", wg.Grid([[1, 1, 1]])).agents([(0, 0)], [(2, 0)])
        >>> pool.add([(2, 0)], [(0, 0)]).tolist(), pool.step().tolist()
        ([1], [[1, 0], [1, 0]])
        """
        ends = pairs_of("starts", starts), pairs_of("goals", goals)
        with self._lock:
            self._catch_up()
            queries = check_queries(self._finder, *ends, PLAIN, "agent")
            first = len(self._rows)
            self._add(self._first_rows(queries.astype(np.int64)))
            numbers = np.arange(first, len(self._rows))
            if self._history is not None:  # they were nowhere before: their paths begin here
                added = self._positions[first:]
                self._history = [np.concatenate((positions, added)) for positions in self._history]
            self._follower.begin(numbers)
        return numbers

    def remove(self, indices: Any) -> None:
        """Remove agents; the others keep their order and are numbered anew, as with `numpy.delete`.

        >>> import waygrid as wg
        >>> pool = wg.make_finder("lrta", wg.Grid([[1, 1, 1]])).agents([(0, 0), (1, 0)], [(2, 0), (2, 0)])
        >>> pool.remove([0]), len(pool), pool.step().tolist()
        (None, 1, [[2, 0]])
        """
        numbers = numbers_of(indices, len(self._rows))
        with self._lock:
            self._catch_up()
            other, places = self._places_elsewhere(numbers)
            if other is not None:
                other.remove(places[places >= 0])
            forget(self._scratch.spare, self._scratch.ctl, self._rows, numbers)
            self._rows = np.delete(self._rows, numbers, axis=0)
            self._positions = np.delete(self._positions, numbers, axis=0)
            self._step_request[at.LAST] = len(self._rows)
            if self._history is not None:
                self._history = [np.delete(positions, numbers, axis=0) for positions in self._history]
            self._follower.drop(numbers)

    def _catch_up(self) -> None:
        if self._finder.grid.version != self._version:
            self._follower.follow()

    def _places_elsewhere(self, numbers: npt.NDArray[np.int64]) -> tuple[Any, npt.NDArray[np.int64]]:
        """Return the pool that moves agents which were handed over, and their numbers there, -1 for others."""
        places = np.full(len(self._rows), -1, np.int64)
        handed = self._follower.replaced
        places[handed] = np.arange(len(handed))
        return self._follower.other, places[numbers]

    def _pairs(self, cells: Array) -> npt.NDArray[np.int64]:
        width = self._finder.grid.width
        return np.column_stack((cells % width, cells // width))
