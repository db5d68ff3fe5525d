"""The real-time side of the DBA* paper: problems walked by agents, their response times and the memory they own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from waygrid.core import clock
from waygrid.measure.moves import walk_agents
from waygrid.measure.scenario import Scenario
from waygrid.search.finder import Finder
from waygrid.search.path import Status


class Walk(NamedTuple):
    """What agents did on the problems of a map, ten expansions a step; of times the median counts, else the mean."""

    above: float  # percent above the least cost
    arrived: int
    first_us: float | None  # first step; None where compiled code cannot read a clock
    longest_us: float | None  # longest step
    bytes: float  # the most that an agent owned at a time


def walk(finder: Finder, problems: Scenario) -> Walk:
    """Let an agent walk every problem, all at once."""
    pool = finder.agents(problems.starts, problems.goals)
    most = np.zeros(len(pool))
    times = walk_agents(pool, lambda pool: np.copyto(most, np.maximum(most, pool.bytes)))
    found = pool.statuses == Status.FOUND
    above = 100 * (pool.costs[found] / problems.costs[found] - 1)
    first, longest = (float(np.median(some)) / 1e3 for some in (times.first_ns, times.longest_ns))
    return Walk(
        above=float(above.mean()) if above.size else np.nan,
        arrived=int(found.sum()),
        first_us=first if clock.AVAILABLE else None,
        longest_us=longest if clock.AVAILABLE else None,
        bytes=float(most.mean()),
    )


def mean_walk(walks: Sequence[Walk]) -> Walk:
    """Return the mean over maps; all agents that arrived are counted.

    >>> mean_walk([Walk(1.0, 99, 2.0, 5.0, 264.0), Walk(3.0, 100, 4.0, 7.0, 264.0)])
    Walk(above=2.0, arrived=199, first_us=3.0, longest_us=6.0, bytes=264.0)
    """
    timed = all(walk.first_us is not None for walk in walks)
    times = [float(np.mean([walk[k] for walk in walks])) if timed else None for k in (2, 3)]
    above, size = (float(np.mean([walk[k] for walk in walks])) for k in (0, 4))
    return Walk(above, sum(walk.arrived for walk in walks), times[0], times[1], size)
