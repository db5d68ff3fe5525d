"""Real-time agents: many at once, advanced by one compiled call, each with bounded work per move."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from waygrid.core import agents as at
from waygrid.core import clock, layout
from waygrid.core.types import Array
from waygrid.errors import WaygridError, damage_error, show
from waygrid.search.agent_changes import ChangesAgents
from waygrid.search.agent_edits import Follower
from waygrid.search.batch import check_queries
from waygrid.search.cells import pair_of, pairs_of
from waygrid.search.path import STATUSES, Status
from waygrid.search.request import PLAIN, Memory, make_room
from waygrid.search.scratch import Scratch

if TYPE_CHECKING:
    from waygrid.search.finder import Finder

RUNNING = layout.RUNNING  # in `statuses`, of agents that are not done
MOVES_PER_CELL = 100
OWNED = 8 * at.AGENT_SIZE + 8  # bytes of an agent's row and position
_MOST = 2**40  # more work or moves than any agent will see


class AgentPool(ChangesAgents):
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
        home = finder._at_home
        self._tables, self._index_arrays, self._policy = home._tables, home._agent_arrays(), home._policy
        self._snapshot_bytes = finder._snapshot_bytes()
        self._version = finder.grid.version
        self._step_request = np.zeros(at.ASK_SIZE, np.int64)
        self._step_request[at.LAST], self._step_request[at.ALLOWED], self._step_request[at.CAP] = (
            len(queries),
            work,
            most,
        )
        self._open_store()
        self._positions = np.ascontiguousarray(queries[:, :2])
        self._rows = self._first_rows(queries.astype(np.int64))
        self._history = [self._positions.copy()] if history else None
        self._lock = Lock()
        self._follower = Follower(self, finder)

    def _open_store(self) -> None:
        """Take memory for what agents remember: the pool's own, as it grows with its agents."""
        self._scratch = Scratch(self._finder._agent_shape())
        assert self._scratch.spare is not None
        at.open_store(self._scratch.spare, self._scratch.ctl)

    def _substitute(self, finder: Finder) -> AgentPool:
        """Return a pool without agents that may do as much as this one."""
        none = np.zeros((0, 2), np.int32)
        finder._check_version()
        work, most = self._step_request[at.ALLOWED], self._step_request[at.CAP]
        return AgentPool(finder, none, none, int(work), int(most), False)

    def _add(self, rows: npt.NDArray[np.int64]) -> None:
        """Add agents of another pool: they go on from where they stand, and go on counting."""
        width = self._finder.grid.width
        cells = rows[:, at.CELL]
        self._rows = np.concatenate((self._rows, rows))
        self._positions = np.concatenate(
            (self._positions, np.column_stack((cells % width, cells // width)).astype(np.int32))
        )
        self._step_request[at.LAST] = len(self._rows)
        self._follower.grow()

    def _first_rows(self, queries: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        width, labels = self._finder.grid.width, self._finder.grid.table.labels
        rows = np.zeros((len(queries), at.AGENT_SIZE), np.int64)
        start = rows[:, at.CELL] = queries[:, 1] * width + queries[:, 0]
        goal = rows[:, at.TARGET] = rows[:, at.AIM] = queries[:, 3] * width + queries[:, 2]
        apart = np.where(labels[start] == labels[goal], RUNNING, layout.UNREACHABLE)
        rows[:, at.STATE] = np.where(start == goal, layout.FOUND, apart)
        rows[:, at.ROOM] = 1
        return rows

    def step(self) -> npt.NDArray[np.int32]:
        """Let every agent that is not done make at most one move; return all positions, (n, 2).

        The grid may be edited between two steps. No agent ever moves onto a wall: one whose plan leads there waits for
        this step and plans anew. One without a way has the status UNREACHABLE, and goes on when an edit opens a way.
        """
        if self._finder._damage is not None:
            raise self._finder._damage
        with self._lock:
            if self._finder.grid.version != self._version:
                self._follower.follow()
            before = self._follower.remember()
            self._run_kernel()
            self._follower.check(before)
            positions = self._positions.copy()
        if self._history is not None:
            self._history.append(positions)
        return positions

    def _run_kernel(self) -> None:
        scratch, last, number = self._scratch, len(self._rows), 0
        kernel = type(self._finder)._step_kernel
        while number < last:
            self._step_request[at.FIRST] = number
            pool = (self._rows, self._positions, self._step_request)
            number = kernel(self._tables, self._policy, scratch.spare, scratch.ctl, self._index_arrays, pool)
            if number < 0:
                raise self._explain_astray(-1 - number)
            if number < last:
                make_room(scratch, 0, scratch.row)

    @property
    def _all_rows(self) -> npt.NDArray[np.int64]:
        return self._follower.merge()

    def _explain_astray(self, number: int) -> WaygridError:
        """Return the error for an agent that cannot follow its stored path; the agent is done."""
        cell = tuple(self._positions[number].tolist())
        return damage_error(f"agent {number} at {cell} cannot follow its stored path")

    @property
    def positions(self) -> npt.NDArray[np.int32]:
        """The current cells of the agents, (n, 2)."""
        return self._positions.copy()

    @property
    def goals(self) -> npt.NDArray[np.int32]:
        """The goals of the agents, (n, 2).

        >>> import waygrid as wg
        >>> pool = wg.make_finder("lrta", wg.Grid([[1, 1, 1]])).agents([(0, 0)], [(2, 0)])
        >>> pool.set_goals([0], [(1, 0)])
        >>> pool.goals.tolist()
        [[1, 0]]
        """
        cells, width = self._all_rows[:, at.TARGET], self._finder.grid.width
        return np.column_stack((cells % width, cells // width)).astype(np.int32)

    @property
    def done(self) -> npt.NDArray[np.bool_]:
        """Which agents are done: at the goal, with an unreachable goal, or after `max_moves`."""
        return np.not_equal(self._all_rows[:, at.STATE], RUNNING)

    @property
    def statuses(self) -> npt.NDArray[np.int64]:
        """`Status` of each agent, -1 while it is moving."""
        return self._all_rows[:, at.STATE].copy()

    @property
    def moves(self) -> npt.NDArray[np.int64]:
        """Moves that each agent has made."""
        return self._all_rows[:, at.MADE].copy()

    @property
    def costs(self) -> npt.NDArray[np.float64]:
        """Cost of each agent's path so far, inf if the goal is unreachable."""
        sizes, rows = self._finder._sizes, self._all_rows
        costs = (rows[:, at.STRAIGHT] + rows[:, at.ACROSS] * sizes.diagonal_cost) * sizes.scale
        return np.where(rows[:, at.STATE] == layout.UNREACHABLE, np.inf, costs)

    @property
    def expanded(self) -> npt.NDArray[np.int64]:
        """Expansions of each agent."""
        return self._all_rows[:, at.WORK].copy()

    @property
    def max_expanded(self) -> npt.NDArray[np.int64]:
        """The most expansions that each agent has made in one step."""
        return self._all_rows[:, at.MOST_WORK].copy()

    @property
    def first_step_ns(self) -> npt.NDArray[np.int64] | None:
        """Time of each agent's first step, 0 before it; None if compiled code cannot read a clock."""
        return self._all_rows[:, at.FIRST_NS].copy() if clock.AVAILABLE else None

    @property
    def max_step_ns(self) -> npt.NDArray[np.int64] | None:
        """Time of each agent's longest step."""
        return self._all_rows[:, at.MAX_NS].copy() if clock.AVAILABLE else None

    @property
    def mean_step_ns(self) -> npt.NDArray[np.float64] | None:
        """Mean time of each agent's steps, 0 before the first."""
        rows = self._all_rows
        return rows[:, at.TOTAL_NS] / np.maximum(rows[:, at.STEPS], 1) if clock.AVAILABLE else None

    @property
    def memory(self) -> Memory:
        """Bytes of the index, of an average agent (with free places in the pool's store), and of shared memory.

        All agents share `scratch_bytes`: room for a search within a sector, for instance.
        """
        scratch = self._scratch
        assert scratch.spare is not None
        owned = self._rows.nbytes + self._positions.nbytes + scratch.spare.nbytes
        shared = scratch.bytes - scratch.spare.nbytes + self._snapshot_bytes
        other = self._follower.other
        if other is not None:
            owned += other.memory.agent_bytes * len(other)
            shared += other.memory.scratch_bytes
        return Memory(self._finder.memory.fixed_bytes, -(-owned // max(len(self._rows), 1)), shared)

    @property
    def bytes(self) -> npt.NDArray[np.int64]:
        """Current bytes of each agent: its row and its records, which are freed when it is done."""
        assert self._scratch.spare is not None
        records = np.where(self._rows[:, at.BASE] > 0, self._rows[:, at.ROOM], 0) * self._scratch.spare.itemsize
        owned = np.asarray(OWNED + records, np.int64)
        if self._follower.other is not None:
            owned[self._follower.replaced] += self._follower.other.bytes
        return owned

    def records(self, number: int) -> Array:
        """Return a copy of what an agent has stored; for `lrta` the cells and values of h that it has learned."""
        assert self._scratch.spare is not None
        place = self._follower.place_of(number)
        if place is not None and self._follower.other is not None:
            return self._follower.other.records(place)
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
            f"{number} {name}" for name, status in counts.items() if (number := int((self.statuses == status).sum()))
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


class StartsAgents:
    """What a finder with real-time agents offers."""

    def agent(
        self, start: tuple[int, int], goal: tuple[int, int], expansions: int = 10, *, max_moves: int | None = None
    ) -> Agent:
        """Start a real-time agent with at most `expansions` expansions per move.

        >>> import waygrid as wg
        >>> agent = wg.make_finder("lrta", wg.Grid([[1, 1, 1]])).agent((0, 0), (2, 0))
        >>> agent.step(), agent.step(), agent.status.name
        ((1, 0), (2, 0), 'FOUND')
        """
        finder = cast("Finder", self)
        finder._check_version()
        return Agent(finder, pair_of("start", start), pair_of("goal", goal), expansions, max_moves)

    def agents(
        self,
        starts: npt.ArrayLike,
        goals: npt.ArrayLike,
        expansions: int = 10,
        *,
        max_moves: int | None = None,
        history: bool = False,
    ) -> AgentPool:
        """Start many real-time agents; one compiled call moves all of them.

        max_moves: give up after this many; default: the finder's option of that name, or 100 per passable cell.
        history: record all positions, for `pool.paths()`.

        >>> import waygrid as wg
        >>> pool = wg.make_finder("lrta", wg.Grid([[1, 1, 1]])).agents([(0, 0), (2, 0)], [(2, 0), (1, 0)])
        >>> pool.step().tolist(), pool.done.tolist()
        ([[1, 0], [1, 0]], [False, True])
        """
        finder = cast("Finder", self)
        finder._check_version()
        return AgentPool(finder, pairs_of("starts", starts), pairs_of("goals", goals), expansions, max_moves, history)
