"""Real-time agents: many at once, advanced by one compiled call, each with bounded work per move."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.core import agents as at
from waygrid.core import clock, layout
from waygrid.core.types import Array
from waygrid.errors import WaygridError, damage_error, show
from waygrid.search.batch import check_queries
from waygrid.search.path import STATUSES, Status
from waygrid.search.request import PLAIN, Memory, make_room
from waygrid.search.scratch import Scratch

if TYPE_CHECKING:
    from waygrid.search.finder import Finder

RUNNING = layout.RUNNING  # in `statuses`, of agents that are not done
MOVES_PER_CELL = 100
OWNED = 8 * at.AGENT_SIZE + 8  # bytes of an agent's row and position
_MOST = 2**40  # more work or moves than any agent will see


class AgentPool:
    """Agents that advance together; created by `finder.agents`.

    >>> import waygrid as wg
    >>> finder = wg.make_finder("lrta", wg.generate("rooms", width=40, height=30, seed=1))
    >>> pool = finder.agents([(1, 1), (38, 28)], [(38, 28), (1, 1)])
    >>> while not pool.done.all():
    ...     positions = pool.step()
    >>> positions.tolist(), [wg.Status(status).name for status in pool.statuses]
    ([[38, 28], [1, 1]], ['FOUND', 'FOUND'])
    """

    def __init__(
        self,
        finder: Finder,
        starts: Array,
        goals: Array,
        expansions: int,
        max_moves: int | None,
        history: bool,
    ) -> None:
        if not finder.info.real_time:
            raise WaygridError(f"{finder.info.name} is not a real-time algorithm and has no agents")
        work = check_count("expansions", expansions)
        most = move_limit(finder) if max_moves is None else check_count("max_moves", max_moves)
        queries = check_queries(finder, starts, goals, PLAIN, "agent")
        self._finder = finder
        self._tables, self._index_arrays, self._policy = finder._tables, finder._index_arrays, finder._policy
        self._version = finder.grid.version
        self._step_request = np.zeros(at.ASK_SIZE, np.int64)
        self._step_request[at.LAST], self._step_request[at.ALLOWED], self._step_request[at.CAP] = (
            len(queries),
            work,
            most,
        )
        self._scratch = Scratch(finder._agent_shape())  # the pool's own, as its store grows with its agents
        self._positions = np.ascontiguousarray(queries[:, :2])
        self._rows = self._first_rows(queries.astype(np.int64))
        self._history = [self._positions.copy()] if history else None
        self._lock = Lock()
        assert self._scratch.spare is not None
        at.open_store(self._scratch.spare, self._scratch.ctl)

    def _first_rows(self, queries: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        width, labels = self._finder.grid.width, self._tables[3]
        rows = np.zeros((len(queries), at.AGENT_SIZE), np.int64)
        start = rows[:, at.CELL] = queries[:, 1] * width + queries[:, 0]
        goal = rows[:, at.TARGET] = rows[:, at.AIM] = queries[:, 3] * width + queries[:, 2]
        apart = np.where(labels[start] == labels[goal], RUNNING, layout.UNREACHABLE)
        rows[:, at.STATE] = np.where(start == goal, layout.FOUND, apart)
        rows[:, at.ROOM] = 1
        return rows

    def step(self) -> npt.NDArray[np.int32]:
        """Let every agent that is not done make at most one move; return all positions, (n, 2)."""
        if self._finder._damage is not None:
            raise self._finder._damage
        if self._finder.grid.version != self._version:
            raise WaygridError(
                f"the agents were started on version {self._version} of the grid, "
                f"which is now at version {self._finder.grid.version}; start them again"
            )
        scratch, last = self._scratch, len(self._rows)
        kernel = type(self._finder)._step_kernel
        with self._lock:
            number = 0
            while number < last:
                self._step_request[at.FIRST] = number
                pool = (self._rows, self._positions, self._step_request)
                number = kernel(self._tables, self._policy, scratch.spare, scratch.ctl, self._index_arrays, pool)
                if number < 0:
                    raise self._explain_astray(-1 - number)
                if number < last:
                    make_room(scratch, 0, scratch.row)
            positions = self._positions.copy()
        if self._history is not None:
            self._history.append(positions)
        return positions

    def _explain_astray(self, number: int) -> WaygridError:
        """Return the error for an agent that cannot follow its stored path; the agent is done."""
        cell = tuple(self._positions[number].tolist())
        return damage_error(f"agent {number} at {cell} cannot follow its stored path")

    @property
    def positions(self) -> npt.NDArray[np.int32]:
        """The current cells of the agents, (n, 2)."""
        return self._positions.copy()

    @property
    def done(self) -> npt.NDArray[np.bool_]:
        """Which agents are done: at the goal, with an unreachable goal, or after `max_moves`."""
        return np.not_equal(self._rows[:, at.STATE], RUNNING)

    @property
    def statuses(self) -> npt.NDArray[np.int64]:
        """`Status` of each agent, -1 while it is moving."""
        return self._rows[:, at.STATE].copy()

    @property
    def moves(self) -> npt.NDArray[np.int64]:
        """Moves that each agent has made."""
        return self._rows[:, at.MADE].copy()

    @property
    def costs(self) -> npt.NDArray[np.float64]:
        """Cost of each agent's path so far, inf if the goal is unreachable."""
        sizes = self._finder._sizes
        costs = (self._rows[:, at.STRAIGHT] + self._rows[:, at.ACROSS] * sizes.diagonal_cost) * sizes.scale
        return np.where(self._rows[:, at.STATE] == layout.UNREACHABLE, np.inf, costs)

    @property
    def expanded(self) -> npt.NDArray[np.int64]:
        """Expansions of each agent."""
        return self._rows[:, at.WORK].copy()

    @property
    def max_expanded(self) -> npt.NDArray[np.int64]:
        """The most expansions that each agent has made in one step."""
        return self._rows[:, at.MOST_WORK].copy()

    @property
    def first_step_ns(self) -> npt.NDArray[np.int64] | None:
        """Time of each agent's first step, 0 before it; None if compiled code cannot read a clock."""
        return self._rows[:, at.FIRST_NS].copy() if clock.AVAILABLE else None

    @property
    def max_step_ns(self) -> npt.NDArray[np.int64] | None:
        """Time of each agent's longest step."""
        return self._rows[:, at.MAX_NS].copy() if clock.AVAILABLE else None

    @property
    def mean_step_ns(self) -> npt.NDArray[np.float64] | None:
        """Mean time of each agent's steps, 0 before the first."""
        steps = np.maximum(self._rows[:, at.STEPS], 1)
        return self._rows[:, at.TOTAL_NS] / steps if clock.AVAILABLE else None

    @property
    def memory(self) -> Memory:
        """Bytes of the index, of an average agent (with free places in the pool's store), and of shared memory.

        All agents share `scratch_bytes`: room for a search within a sector, for instance.
        """
        scratch = self._scratch
        assert scratch.spare is not None
        owned = self._rows.nbytes + self._positions.nbytes + scratch.spare.nbytes
        shared = scratch.bytes - scratch.spare.nbytes
        return Memory(self._finder.memory.fixed_bytes, -(-owned // max(len(self._rows), 1)), shared)

    @property
    def bytes(self) -> npt.NDArray[np.int64]:
        """Current bytes of each agent: its row and its records, which are freed when it is done."""
        assert self._scratch.spare is not None
        records = np.where(self._rows[:, at.BASE] > 0, self._rows[:, at.ROOM], 0) * self._scratch.spare.itemsize
        return np.asarray(OWNED + records, np.int64)

    def records(self, number: int) -> Array:
        """Return a copy of what an agent has stored; for `lrta` the cells and values of h that it has learned."""
        assert self._scratch.spare is not None
        with self._lock:  # the store may be moved to where there is more room
            base, room = self._rows[number, at.BASE], self._rows[number, at.ROOM]
            records = self._scratch.spare[base : base + room]
            return records[records["cell"] >= 0].copy()

    def paths(self) -> list[npt.NDArray[np.int32]]:
        """Return the cells that each agent has visited, in order; needs history=True."""
        if self._history is None:
            raise WaygridError("the agents were started with history=False and have no paths; use history=True")
        ways = np.stack(self._history, axis=1)
        moved = np.ones(ways.shape[:2], np.bool_)
        moved[:, 1:] = (ways[:, 1:] != ways[:, :-1]).any(axis=2)
        return [way[kept] for way, kept in zip(ways, moved, strict=True)]

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        counts = {"on their way": RUNNING} | {status.name: int(status) for status in Status}
        summary = ", ".join(
            f"{number} {name}"
            for name, status in counts.items()
            if (number := int((self._rows[:, at.STATE] == status).sum()))
        )
        return f"AgentPool({len(self)} agents of {self._finder.info.name}: {summary or 'none'})"


class Agent:
    """One real-time agent, a pool of one; created by `finder.agent`.

    >>> import waygrid as wg
    >>> agent = wg.make_finder("lrta", wg.Grid([[1, 1], [1, 1]])).agent((0, 0), (1, 1))
    >>> agent.step(), agent.done, agent.moves, round(agent.cost, 3)
    ((1, 1), True, 1, 1.414)
    """

    def __init__(self, finder: Finder, start: Array, goal: Array, expansions: int, max_moves: int | None) -> None:
        self._pool = AgentPool(finder, start, goal, expansions, max_moves, False)

    def step(self) -> tuple[int, int]:
        """Make at most one move and return the current cell."""
        x, y = self._pool.step()[0].tolist()
        return x, y

    @property
    def position(self) -> tuple[int, int]:
        """The current cell."""
        x, y = self._pool._positions[0].tolist()
        return x, y

    @property
    def done(self) -> bool:
        """Whether the agent is done: at the goal, with an unreachable goal, or after `max_moves`."""
        return bool(self._pool.done[0])

    @property
    def status(self) -> Status | None:
        """How it ended, None while it is moving."""
        return STATUSES[int(self._pool.statuses[0])] if self.done else None

    @property
    def moves(self) -> int:
        """Moves made."""
        return int(self._pool.moves[0])

    @property
    def cost(self) -> float:
        """Cost of the path so far, inf if the goal is unreachable."""
        return float(self._pool.costs[0])

    @property
    def expanded(self) -> int:
        """Expansions so far."""
        return int(self._pool.expanded[0])

    @property
    def max_step_ns(self) -> int | None:
        """Time of the longest step; None if compiled code cannot read a clock."""
        times = self._pool.max_step_ns
        return None if times is None else int(times[0])

    @property
    def first_step_ns(self) -> int | None:
        """Time of the first step, 0 before it."""
        times = self._pool.first_step_ns
        return None if times is None else int(times[0])

    def __repr__(self) -> str:
        how = "on its way" if self.status is None else self.status.name
        return f"Agent({how} at {self.position}, {self.moves} moves, cost {self.cost:.4f})"


def move_limit(finder: Finder) -> int:
    """Return the moves after which an agent gives up: the option `max_moves`, or 100 per cell where it can stand."""
    chosen = finder.options.get("max_moves")
    if chosen is not None:
        return check_count("max_moves", chosen)
    return MOVES_PER_CELL * int(np.count_nonzero(finder.grid.table.walk))


def most_bytes(finder: Finder) -> int:
    """Return the most bytes that an agent can need: its row, its position and the largest chunk of records."""
    slot, records, room = finder._agent_shape().slot, finder._agent_records(), 0
    assert slot is not None
    while records and 3 * room < 4 * (records + 9):  # chunks are kept at most three quarters full
        room = max(2 * room, 1 << at.SMALLEST)
    return OWNED + room * slot.itemsize


def check_count(name: str, value: Any) -> int:
    """Check and return an integer from 1 on, capped so that sums of it fit."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise WaygridError(f"{name} is {show(value)}; allowed are the integers from 1")
    return min(int(value), _MOST)
