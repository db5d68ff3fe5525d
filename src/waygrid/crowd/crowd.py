"""Crowd: many agents on one grid that never collide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.core.types import Array
from waygrid.crowd import layout as of
from waygrid.crowd.fields import Fields
from waygrid.crowd.inputs import check_flags, check_levels, refuse_shared_cells
from waygrid.crowd.pibt_query import step_crowd
from waygrid.crowd.route_query import check_routes
from waygrid.crowd.routes import Routes
from waygrid.errors import WaygridError, show
from waygrid.grid.grid import Grid
from waygrid.options import Bytes
from waygrid.search.cells import check_cells, numbers_of, pairs_of
from waygrid.search.finder import Finder

if TYPE_CHECKING:
    from waygrid.crowd.plan import CrowdPlan

MEMORY = 2**26  # bytes of fields
_NEW_ROUTES = 32  # in one step
_AHEAD = 64  # moves of each route that are checked after an edit


class Crowd:
    """Agents that move together and never collide: no two in a cell, none swap, no two diagonal moves cross.

    starts, goals: cells (x, y), one of each for every agent; starts differ, goals may be shared.
    finder: finds the routes of agents whose goals have no field of distances, with whatever index it has; default: jps
    or astar.
    priorities: an integer for each agent; of those on their way the highest go first. Default: 0.
    stationary: which agents never move, though they are in the way of others.
    memory: bytes for fields of distances, or a text such as "1 GB"; goals that many agents share have theirs first.
    history: record all positions, for `crowd.history`. seed: of the choice between equally good moves.

    >>> import waygrid as wg
    >>> crowd = wg.Crowd(wg.Grid([[1, 1, 1, 1], [1, 1, 1, 1]]), [(0, 0), (3, 0)], [(3, 0), (0, 0)])
    >>> while not crowd.arrived.all():
    ...     positions = crowd.step()
    >>> positions.tolist(), crowd.steps
    ([[3, 0], [0, 0]], 3)
    """

    def __init__(
        self,
        grid: Grid,
        starts: npt.ArrayLike,
        goals: npt.ArrayLike,
        finder: Finder | None = None,
        *,
        priorities: npt.ArrayLike | None = None,
        stationary: npt.ArrayLike | None = None,
        memory: int | str = MEMORY,
        history: bool = False,
        seed: int = 0,
    ) -> None:
        _check_map(grid, finder)
        memory = Bytes(None, "").check("memory", memory) if isinstance(memory, str) else memory
        for name, value in (("memory", memory), ("seed", seed)):
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
                raise WaygridError(f"{name} is {show(value)}; allowed are the integers from 0")
        self.grid = grid  #: the map, which may be edited between two steps
        self._fields, self._routes = Fields(grid, int(memory)), Routes(grid, finder)
        self._board: npt.NDArray[np.int32] = np.full((grid.width * grid.height, 2), -1, np.int32)
        self._rows: npt.NDArray[np.int32] = np.zeros((0, of.AGENT_SIZE), np.int32)
        self._order: npt.NDArray[np.int32] = np.zeros(0, np.int32)
        self._state = np.zeros(of.STATE_SIZE, np.int64)
        self._state[of.SEED] = (int(seed) * 0x9E3779B1 + 0x7F4A7C15) & 0x7FFFFFFF
        self._history: list[npt.NDArray[np.int32]] | None = None
        self._version = grid.version
        self.add(starts, goals, priorities=priorities, stationary=stationary)
        self._history = [self._positions.copy()] if history else None

    # --- Steps --------------------------------------------------------------------------------------------------------

    def step(self) -> npt.NDArray[np.int32]:
        """Let every agent make one move or wait; return all positions, (n, 2).

        The grid may be edited between two steps. An agent in whose cell a wall was built stays there until it is
        removed; one whose goal is cut off waits, and makes room for others.
        """
        if self.grid.version != self._version:
            self._follow()
        if self._state[of.ASKED]:
            self._find_some_routes()
        table = self.grid.table
        step_crowd(
            table.moves,
            table.weights,
            table.geo,
            self._fields.values,
            self._routes.moves,
            self._rows,
            self._board,
            self._order,
            self._spare,
            self._state,
            self._tries,
            self._positions,
        )
        positions = self._positions.copy()
        if self._history is not None:
            self._history.append(positions)
        return positions

    def _follow(self) -> None:
        """Follow the edits since the last step."""
        self._version = self.grid.version
        _check_map(self.grid, None)
        rows, table = self._rows, self.grid.table
        self._fields.follow()
        check_routes(table.moves, table.geo, self._routes.moves, rows, self._state, _AHEAD)
        labels = table.labels
        cut_off = (labels[rows[:, of.CELL]] != labels[rows[:, of.GOAL]]) | (labels[rows[:, of.CELL]] < 0)
        rows[(rows[:, of.FIELD] == of.ROUTE) & cut_off, of.FIELD] = of.NOWHERE
        rows[cut_off, of.ASKS] = 0
        self._ask((rows[:, of.FIELD] == of.NOWHERE) & ~cut_off)

    def _ask(self, who: npt.NDArray[np.bool_]) -> None:
        """Let agents ask for new routes."""
        self._rows[who, of.ASKS], self._rows[who, of.TOP] = 1, 0
        self._state[of.ASKED] = int(self._rows[:, of.ASKS].sum())

    def _find_some_routes(self) -> None:
        """Find routes for some of those that ask: after an edit, or pushed far away; the others get theirs later."""
        asking = np.flatnonzero(self._rows[:, of.ASKS])[:_NEW_ROUTES].astype(np.int64)
        self._routes.find(self._rows, asking)
        self._state[of.ASKED] = int(self._rows[:, of.ASKS].sum())

    # --- Goals, agents that come and go -------------------------------------------------------------------------------

    def set_goals(self, indices: Any, goals: npt.ArrayLike) -> None:
        """Give agents other goals: cells (x, y), one for each of these agents, or one for all of them.

        >>> import waygrid as wg
        >>> crowd = wg.Crowd(wg.Grid([[1, 1, 1]]), [(0, 0)], [(2, 0)])
        >>> crowd.set_goals([0], [(1, 0)])
        >>> crowd.step().tolist(), crowd.arrived.tolist()
        ([[1, 0]], [True])
        """
        numbers = numbers_of(indices, len(self))
        cells = check_cells(self.grid, "goal", goals, len(numbers))
        self._fields.release(self._rows[numbers, of.FIELD])
        self._place_goals(numbers, cells)

    def _place_goals(self, numbers: npt.NDArray[np.int64], goals: npt.NDArray[np.int64]) -> None:
        if self.grid.version != self._version:
            self._follow()
        rows = self._rows
        rows[numbers, of.GOAL] = goals
        rows[numbers, of.ASKS] = rows[numbers, of.TOP] = rows[numbers, of.ROOM] = 0
        rows[numbers, of.FIELD] = places = self._fields.place_goals(goals)
        self._routes.find(rows, numbers[places < 0])
        self._state[of.ASKED] = int(rows[:, of.ASKS].sum())

    def add(
        self,
        starts: npt.ArrayLike,
        goals: npt.ArrayLike,
        *,
        priorities: npt.ArrayLike | None = None,
        stationary: npt.ArrayLike | None = None,
    ) -> npt.NDArray[np.int64]:
        """Add agents in free cells; return their numbers, which follow those of the others.

        >>> import waygrid as wg
        >>> crowd = wg.Crowd(wg.Grid([[1, 1, 1]]), [(0, 0)], [(0, 0)])
        >>> crowd.add([(2, 0)], [(1, 0)]).tolist(), len(crowd)
        ([1], 2)
        """
        first, pairs = len(self._rows), pairs_of("starts", starts)
        cells = check_cells(self.grid, "start", pairs, len(pairs))
        targets = check_cells(self.grid, "goal", goals, len(cells))
        refuse_shared_cells(self.grid, cells, self._board[:, of.NOW], first)
        rows = np.zeros((len(cells), of.AGENT_SIZE), np.int32)
        rows[:, of.CELL], rows[:, of.FIELD] = cells, of.NOWHERE
        rows[:, of.LEVEL] = check_levels(priorities, len(cells))
        rows[:, of.STILL] = check_flags(stationary, len(cells))
        numbers = np.arange(first, first + len(cells))
        self._board[cells, of.NOW] = numbers
        self._take_rows(np.concatenate((self._rows, rows)), np.concatenate((self._order, numbers)))
        self._place_goals(numbers, targets)
        return numbers

    def remove(self, indices: Any) -> None:
        """Remove agents; the others keep their order and are numbered anew, as with `numpy.delete`.

        >>> import waygrid as wg
        >>> crowd = wg.Crowd(wg.Grid([[1, 1, 1]]), [(0, 0), (1, 0)], [(2, 0), (1, 0)])
        >>> crowd.remove([0])
        >>> crowd.positions.tolist()
        [[1, 0]]
        """
        numbers = numbers_of(indices, len(self))
        self._fields.release(self._rows[numbers, of.FIELD])
        self._board[self._rows[:, of.CELL], of.NOW] = -1
        kept = np.delete(self._rows, numbers, axis=0)
        self._board[kept[:, of.CELL], of.NOW] = np.arange(len(kept))
        renumbered = np.full(len(self), -1, np.int32)
        renumbered[np.delete(np.arange(len(self)), numbers)] = np.arange(len(kept))
        order = renumbered[self._order]
        self._take_rows(kept, order[order >= 0])

    def _take_rows(self, rows: npt.NDArray[np.int32], order: Array) -> None:
        """Take these agents, in an order in which who has been on the way for longest comes first."""
        self._rows, count, width = np.ascontiguousarray(rows), len(rows), self.grid.width
        self._order = order.astype(np.int32)
        self._spare = np.empty(count, np.int32)
        self._tries = np.empty((count + 1, of.TRY_SIZE), np.int64)
        self._positions = np.column_stack((rows[:, of.CELL] % width, rows[:, of.CELL] // width)).astype(np.int32)
        self._sort_levels()
        self._state[of.ASKED] = int(self._rows[:, of.ASKS].sum())

    def _sort_levels(self) -> None:
        levels = self._rows[self._order, of.LEVEL]
        self._order = np.ascontiguousarray(self._order[np.argsort(-levels.astype(np.int64), kind="stable")])

    def set_priorities(self, indices: Any, values: npt.ArrayLike) -> None:
        """Give agents other priorities: of those on their way the highest go first.

        >>> import waygrid as wg
        >>> crowd = wg.Crowd(wg.Grid([[1, 1, 1]]), [(0, 0), (2, 0)], [(1, 0), (1, 0)])
        >>> crowd.set_priorities([1], [5])
        >>> crowd.step().tolist()
        [[0, 0], [1, 0]]
        """
        numbers = numbers_of(indices, len(self))
        self._rows[numbers, of.LEVEL] = check_levels(values, len(numbers))
        self._sort_levels()

    def set_stationary(self, indices: Any, value: bool | npt.ArrayLike = True) -> None:
        """Let agents stay where they are whatever happens (True), or move again (False)."""
        numbers = numbers_of(indices, len(self))
        self._rows[numbers, of.STILL] = check_flags(value, len(numbers))

    def plan(self, max_time: float = 1.0, *, seed: int = 0) -> CrowdPlan:
        """Return a whole plan without collisions from where the agents stand to their goals; the agents stay there.

        The first plan is found quickly and improved until max_time (seconds) is over; see `CrowdPlan`.

        >>> import waygrid as wg
        >>> crowd = wg.Crowd(wg.Grid([[1, 1, 1], [1, 1, 1]]), [(0, 0), (2, 0)], [(2, 0), (0, 0)])
        >>> plan = crowd.plan(max_time=0.1)
        >>> plan.status.name, plan.makespan, plan.check(crowd.grid) is None
        ('FOUND', 2, True)
        """
        from waygrid.crowd.planner import make_plan

        return make_plan(self, max_time, seed)

    # --- What the agents do -------------------------------------------------------------------------------------------

    @property
    def positions(self) -> npt.NDArray[np.int32]:
        """The current cells of the agents, (n, 2)."""
        return self._positions.copy()

    @property
    def goals(self) -> npt.NDArray[np.int32]:
        """The goals of the agents, (n, 2)."""
        cells, width = self._rows[:, of.GOAL], self.grid.width
        return np.column_stack((cells % width, cells // width)).astype(np.int32)

    @property
    def arrived(self) -> npt.NDArray[np.bool_]:
        """Which agents stand at their goals."""
        return np.equal(self._rows[:, of.CELL], self._rows[:, of.GOAL])

    @property
    def reachable(self) -> npt.NDArray[np.bool_]:
        """Which agents have a way to their goals by the map alone, or are there; true while one waits for a search."""
        if self.grid.version != self._version:
            self._follow()
        cells, places = self._rows[:, of.CELL], self._rows[:, of.FIELD]
        known = np.not_equal(places, of.NOWHERE) | (self._rows[:, of.ASKS] != 0)
        with_field = np.flatnonzero(places >= 0)
        known[with_field] = self._fields.values[places[with_field], cells[with_field]] != of.FAR
        return known | self.arrived

    @property
    def priorities(self) -> npt.NDArray[np.int32]:
        """The priorities that the user gave."""
        return self._rows[:, of.LEVEL].copy()

    @property
    def order(self) -> npt.NDArray[np.int32]:
        """The agents in the order in which they choose in the next step.

        Those on their way come first, of these the highest priorities, of these who has been on the way for longest.

        >>> import waygrid as wg
        >>> crowd = wg.Crowd(wg.Grid([[1, 1, 1, 1]]), [(0, 0), (1, 0), (2, 0)], [(0, 0), (0, 0), (3, 0)])
        >>> crowd.set_priorities([2], [5])
        >>> crowd.order.tolist()
        [2, 1, 0]
        """
        there = self.arrived[self._order]
        return np.concatenate((self._order[~there], self._order[there]))

    @property
    def stationary(self) -> npt.NDArray[np.bool_]:
        """Which agents never move."""
        return np.not_equal(self._rows[:, of.STILL], 0)

    @property
    def steps(self) -> int:
        """The number of steps so far."""
        return int(self._state[of.STEPS])

    @property
    def history(self) -> npt.NDArray[np.int32]:
        """All positions since the start, (steps + 1, n, 2); needs history=True and always the same agents."""
        if self._history is None:
            raise WaygridError("the crowd was made with history=False and has no history; use history=True")
        if len({len(positions) for positions in self._history}) > 1:
            raise WaygridError("agents were added or removed; a history of all steps needs always the same agents")
        return np.stack(self._history)

    @property
    def bytes(self) -> int:
        """Memory of the crowd: agents, board, fields and routes."""
        own: list[Array] = [self._rows, self._board, self._order, self._spare, self._tries, self._positions]
        return sum(array.nbytes for array in own) + self._fields.bytes + self._routes.bytes

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"Crowd({len(self)} agents, {int(self.arrived.sum())} at their goals, after {self.steps} steps)"


def _check_map(grid: Grid, finder: Finder | None) -> None:
    if not isinstance(grid, Grid):
        raise WaygridError(f"a crowd needs a Grid, not {type(grid).__name__}")
    if grid.clearance != 1:
        raise WaygridError(f"the grid's clearance is {grid.clearance}; the agents of a crowd take one cell each")
    if finder is not None and (not isinstance(finder, Finder) or finder.grid is not grid):
        raise WaygridError(f"finder is {show(finder)}; a crowd needs a finder for its own grid, or None")
