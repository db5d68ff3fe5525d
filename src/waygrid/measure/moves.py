"""How long single moves take: the measures of the Grid-Based Path Planning Competition and of the DBA* paper.

An agent of a real-time algorithm moves before its path is known: its first move, its longest step and its first 20
moves are taken from the clock that its kernel reads around every step. Any other algorithm has no move before it has
the whole path, and none to plan afterwards: all three measures are the time of the query.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.core import clock
from waygrid.measure.rows import Steps
from waygrid.measure.timing import time_call, wall_clock
from waygrid.search.agents import AgentPool
from waygrid.search.finder import Finder

FIRST_MOVES = 20
_POOL = 4096  # agents that walk together

Floats = npt.NDArray[np.float64]


class AgentTimes(NamedTuple):
    """Nanoseconds of each agent of a pool."""

    first_ns: Floats
    longest_ns: Floats
    first_20_ns: Floats
    total_ns: Floats


def walk_agents(pool: AgentPool, look: Callable[[AgentPool], None] | None = None) -> AgentTimes:
    """Let all agents of a pool walk to their end; where compiled code has no clock, the wall clock is shared out.

    look: is called with the pool before the first step and after each.
    """
    count = len(pool)
    steps, first_20, early = np.zeros(count, np.int64), np.zeros(count), np.ones(count, np.bool_)
    wall_ns: list[float] = []
    if look is not None:
        look(pool)
    while not (done := pool.done).all():
        steps += ~done
        wall_ns.append(1e9 * time_call(pool.step, wall_clock)[0])
        if look is not None:
            look(pool)
        if early.any() and (mean_ns := pool.mean_step_ns) is not None:
            first_20[early] = (mean_ns * steps)[early]
            early &= (pool.moves < FIRST_MOVES) & ~pool.done
    first, longest, mean = pool.first_step_ns, pool.max_step_ns, pool.mean_step_ns
    if first is None or longest is None or mean is None:
        once, total = np.full(count, sum(wall_ns[:1]) / max(1, count)), steps * (sum(wall_ns) / max(1, steps.sum()))
        return AgentTimes(once, once, np.minimum(total, FIRST_MOVES / np.maximum(steps, 1) * total), total)
    return AgentTimes(first.astype(np.float64), longest.astype(np.float64), first_20, mean * steps)


def has_steps(finder: Finder) -> bool:
    """Tell whether the moves of a finder's agents can be timed."""
    return finder.info.real_time and clock.AVAILABLE


def make_whole_steps(times_us: Floats) -> Steps:
    """Return the steps of queries whose path comes as a whole."""
    return Steps(times_us, times_us, times_us)


def time_steps(
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
        parts.append(walk_agents(pool)[:3])
        most = max(most, pool.memory.agent_bytes)
    return Steps(*(np.concatenate(times) / 1e3 for times in zip(*parts, strict=True))), most
