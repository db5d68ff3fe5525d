"""How long single moves take: the measures of the Grid-Based Path Planning Competition and of the DBA* paper.

An agent of a real-time algorithm moves before its path is known: its first move, its longest step and its first 20
moves are taken from the clock that its kernel reads around every step. Any other algorithm has no move before it has
the whole path, and none to plan afterwards: all three measures are the time of the query.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from waygrid.core import agents as at
from waygrid.core import clock
from waygrid.measure.rows import Steps
from waygrid.search.agents import AgentPool
from waygrid.search.finder import Finder

FIRST_MOVES = 20
_POOL = 4096  # agents that walk together


def has_steps(finder: Finder) -> bool:
    """Tell whether the moves of a finder's agents can be timed."""
    return finder.info.real_time and clock.AVAILABLE


def whole_paths(times_us: npt.NDArray[np.float64]) -> Steps:
    """Return the steps of queries whose path comes as a whole."""
    return Steps(times_us, times_us, times_us)


def timed_steps(
    finder: Finder,
    starts: npt.NDArray[np.int32],
    goals: npt.NDArray[np.int32],
    expansions: int,
    max_moves: int | None,
) -> tuple[Steps, int]:
    """Let agents walk all queries; return the times of their steps and the bytes of an agent."""
    parts, most = [], 0
    for first in range(0, len(starts), _POOL):
        rows = slice(first, first + _POOL)
        pool = finder.agents(starts[rows], goals[rows], expansions, max_moves=max_moves)
        parts.append(_walk(pool))
        most = max(most, pool.memory.agent_bytes)
    return Steps(*(np.concatenate(times) / 1e3 for times in zip(*parts, strict=True))), most


def _walk(pool: AgentPool) -> Steps:
    """Let all agents of a pool walk to their end; times in nanoseconds."""
    rows = pool._rows
    first_20, early = np.zeros(len(pool)), np.ones(len(pool), np.bool_)
    while not pool.done.all():
        pool.step()
        if early.any():
            first_20[early] = rows[early, at.TOTAL_NS]
            early &= (rows[:, at.MADE] < FIRST_MOVES) & ~pool.done
    assert pool.first_step_ns is not None
    assert pool.max_step_ns is not None
    return Steps(pool.first_step_ns.astype(np.float64), pool.max_step_ns.astype(np.float64), first_20)
