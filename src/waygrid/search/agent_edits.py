"""How a pool of agents lives through edits of the map.

Agents without an index go on by the map as it is. Those with one go on by the index and the map that it was built for:
most of its paths still hold. In both cases a plan may lead over what is now a wall, so every move is checked before it
counts. An agent whose move would be illegal stays where it is for this step. Without an index it plans anew; with one
it is handed over to a pool of an algorithm that needs none (`agents_fall_back`). An agent without a way waits, and goes
on when an edit opens one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from waygrid.core import agent_edits as kernels
from waygrid.core import agents as at
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.search.registry import make_backup

if TYPE_CHECKING:
    from waygrid.search.agents import AgentPool
    from waygrid.search.finder import Finder

HANDED_OVER = -2  # in the STATE of an agent that another pool moves
Numbers = npt.NDArray[np.int64]


class Follower:
    """Keeps one pool on a map that changes.

    other: the pool that moves the agents which were handed over.
    """

    def __init__(self, pool: AgentPool, finder: Finder) -> None:
        self._pool, self._finder = pool, finder
        self._index = getattr(finder, "index", None)
        self._since = np.full(len(pool._rows), finder.grid.version)  # when each agent began its plan
        self._repriced = finder.grid._repriced
        self.other: AgentPool | None = None
        self._numbers: Numbers = np.zeros(0, np.int64)  # here, of the agents in the other pool
        self.doubtful = finder._stand_in is not None  # plans may be illegal: moves are checked
        self._take_tables()
        if self.doubtful:
            self._hand_over(self._strangers())

    # --- After an edit ------------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """Follow the edits since the last step."""
        pool, finder = self._pool, self._finder
        finder._check_version()
        self.doubtful = True
        self._reconsider()
        if self._index is not None and getattr(finder, "index", None) is not self._index:
            self._hand_over(self._running())  # the finder was rebuilt: plans are in terms of the old index
        else:
            self._take_tables()
            if self._index is not None:
                self._hand_over(self._strangers())
            elif self._repriced != finder.grid._repriced:
                self._forget(self._running())  # costs to the goal that were learned or planned may be too high now
        self._repriced = finder.grid._repriced
        pool._version = finder.grid.version

    def _take_tables(self) -> None:
        """Let the pool go on by the map that its plans are made for."""
        pool, finder = self._pool, self._finder
        home = finder._at_home
        moves, weights, geo, labels = home._tables
        assert pool._scratch.spare is not None
        if home is finder and finder._agent_shape().slot != pool._scratch.spare.dtype:
            self._start_over()
        now = finder.grid.table.weights
        if (weights is None) != (now is None) and home is not finder:  # its kernel does not know such ground
            self._hand_over(self._running())
        pool._tables = (moves, weights if home is finder or weights is None else now, geo, labels)
        pool._policy = home._policy

    def _start_over(self) -> None:
        """Forget all plans: their records cannot hold the costs of this map."""
        rows = self._pool._rows
        self._pool._open_store()
        rows[:, at.BASE], rows[:, at.ROOM] = 0, 1
        self._forget(np.arange(len(rows)))

    def _reconsider(self) -> None:
        """Stop the agents whose goal an edit has cut off; let others go on for which one opened a way."""
        rows = self._pool._rows
        state, apart = rows[:, at.STATE], self._apart(self._finder.grid.table.labels)
        waits = state == layout.UNREACHABLE
        state[(state == layout.RUNNING) & apart] = layout.UNREACHABLE
        opened = np.flatnonzero(waits & ~apart)
        state[opened] = layout.RUNNING
        if len(opened) and self._index is None and self._finder._snapshot_bytes():
            self._give_new_plans(opened)  # they cannot see from afar what was opened
        self._forget(opened[rows[opened, at.BASE] == 0])  # those that stopped by themselves kept nothing

    def _apart(self, labels: Array) -> npt.NDArray[np.bool_]:
        """Return which agents have no way to their goals, as far as connected components tell."""
        rows = self._pool._rows
        own, goals = labels[rows[:, at.CELL]], labels[rows[:, at.TARGET]]
        return np.asarray((own != goals) | (own < 0))

    def _running(self) -> Numbers:
        return np.flatnonzero(self._pool._rows[:, at.STATE] == layout.RUNNING)

    def _strangers(self) -> Numbers:
        """Return the agents that could not be where they are, or go where they go, on the map of the index."""
        running = self._running()
        return running[self._apart(self._pool._tables[3])[running]]

    # --- Around a step ------------------------------------------------------------------------------------------------

    def remember(self) -> Array | None:
        """Return what is needed to take moves of the next step back."""
        return self._pool._rows[:, : kernels.KEPT].copy() if self.doubtful else None

    def check(self, before: Array | None) -> None:
        """Take back illegal moves of a step; let other pools make theirs."""
        pool, table = self._pool, self._finder.grid.table
        if before is not None:
            numbers = np.empty(len(pool._rows), np.int64)
            count = kernels.take_back(table.geo, table.moves, pool._rows, before, pool._positions, numbers)
            gave_up = (before[:, at.STATE] == layout.RUNNING) & (pool._rows[:, at.STATE] == layout.UNREACHABLE)
            gave_up &= (self._since != pool._version) & ~self._apart(table.labels)
            again = np.union1d(numbers[:count], np.flatnonzero(gave_up))
            if len(again):
                pool._rows[again, at.STATE] = layout.RUNNING
                self._give_new_plans(again)
        if self.other is not None:
            self.other.step()
            pool._positions[self._numbers] = self.other._positions

    def _give_new_plans(self, numbers: Numbers) -> None:
        if self._index is not None:
            self._hand_over(numbers)
        elif self._finder._snapshot_bytes():  # all agents of the pool believe in one map, and it has led some astray
            self._pool._index_arrays = self._finder._agent_arrays()
            self._forget(self._running())
        else:
            self._forget(numbers)

    def _forget(self, numbers: Numbers) -> None:
        scratch = self._pool._scratch
        kernels.forget(scratch.spare, scratch.ctl, self._pool._rows, numbers)
        self._since[numbers] = self._finder.grid.version

    def _hand_over(self, numbers: Numbers) -> None:
        """Let other agents take the place of these, who begin where they stand and go on counting."""
        if not len(numbers):
            return
        pool = self._pool
        if self.other is None:
            self.other = pool._substitute(make_backup(self._finder, self._finder.info.agents_fall_back))
        self._forget(numbers)
        self.other._add(pool._rows[numbers])
        pool._rows[numbers, at.STATE] = HANDED_OVER
        self._numbers = np.concatenate((self._numbers, numbers))

    def grow(self) -> None:
        """Follow a pool that got more agents."""
        more = len(self._pool._rows) - len(self._since)
        self._since = np.concatenate((self._since, np.full(more, self._finder.grid.version)))

    def begin(self, numbers: Numbers) -> None:
        """Take note of agents that begin anew; those that are not where the index knows the map are handed over."""
        self._since[numbers] = self._finder.grid.version
        if self.doubtful and self._index is not None:
            self._hand_over(self._strangers())

    def drop(self, numbers: Numbers) -> None:
        """Follow a pool that has lost agents."""
        kept = np.delete(np.arange(len(self._since)), numbers)
        renumbered = np.full(len(self._since), -1)
        renumbered[kept] = np.arange(len(kept))
        self._since, self._numbers = self._since[kept], renumbered[self._numbers]
        self._numbers = self._numbers[self._numbers >= 0]

    def merge(self) -> Array:
        """Return the rows of all agents, whoever moves them."""
        if self.other is None:
            return self._pool._rows
        rows = self._pool._rows.copy()
        rows[self._numbers] = self.other._all_rows
        return rows

    def place_of(self, number: int) -> int | None:
        """Return the number that an agent has in the other pool, None if it was not handed over."""
        places = np.flatnonzero(self._numbers == number % len(self._pool._rows))
        return int(places[0]) if len(places) else None

    @property
    def replaced(self) -> Numbers:
        """The numbers of agents that were handed over."""
        return self._numbers
