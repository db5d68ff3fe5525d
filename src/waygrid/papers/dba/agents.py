"""The real-time side of the DBA* paper: problems walked by agents, their response times and the memory they own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from waygrid.measure.scenario import Scenario
from waygrid.search.finder import Finder
from waygrid.search.path import Status

_MOST_STEPS = 10**6


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
    most = pool.bytes
    steps = 0
    while not pool.done.all() and steps < _MOST_STEPS:
        pool.step()
        most = np.maximum(most, pool.bytes)
        steps += 1
    found = pool.statuses == Status.FOUND
    above = 100 * (pool.costs[found] / problems.costs[found] - 1)
    first, longest = pool.first_step_ns, pool.max_step_ns
    return Walk(
        above=float(above.mean()) if above.size else np.nan,
        arrived=int(found.sum()),
        first_us=None if first is None else float(np.median(first)) / 1e3,
        longest_us=None if longest is None else float(np.median(longest)) / 1e3,
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
