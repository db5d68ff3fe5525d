"""Slices of a benchmark: whole batches by the wall clock, and inside them each query by the compiled code itself.

The mean is the wall time of `find_many` divided by its queries: what a program that asks in batches gets. The time of a
single query is taken inside the kernel (`find_many(..., timed=True)`): from the end of the query before to its own, by
the processor's counter where there is one, which costs about 10 ns. What is done for all queries of a batch at once,
writing and copying the paths, is shared out by their lengths.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.core import clock
from waygrid.measure.timing import spread_rows, time_best, time_call, wall_clock
from waygrid.search.finder import Finder
from waygrid.search.path import Batch

SLICE_S = 1.0  # what a slice of queries should take: so much is lost when a run is killed
MOST_QUERIES = 100_000  # of a slice
MOST_BYTES = 2**28  # of the paths of a slice, which are in memory
_ENOUGH_S = 0.2  # shorter measurements are repeated until they fill this
_FULL_S = 5e-3  # a batch so long hides the overhead of a call
_WARM_UP = 8  # queries
_TASTE = 64  # expansions that compile everything
_LONG_S = 1.0  # what takes longer is warm after once
_AGAIN = 50  # one query in so many warms up for a slice of many: checking and storing the one before took the caches

HOW = (
    "batches by the wall clock; each query inside compiled code, "
    + ("by the processor's counter" if clock.COUNTER else "by the system's clock")
    + f"; {_WARM_UP} queries to warm up; the quickest of all rounds"
)


class Pace(NamedTuple):
    """What queries take, by the few that warmed up."""

    each_s: float
    most: int  # queries whose paths may be in memory at once


class Timing(NamedTuple):
    """What was measured, and the answers."""

    batch: Batch
    seconds: float  # of the whole batch
    times_us: npt.NDArray[np.float64]  # of each query, on one thread
    rounds: int


def sample_rows(count: int) -> npt.NDArray[np.int64]:
    """Return the queries that warm up: a few, evenly spread."""
    return spread_rows(count, _WARM_UP)


def warm_up(
    finder: Finder, starts: npt.NDArray[np.int32], goals: npt.NDArray[np.int32], max_expansions: int | None
) -> Pace:
    """Ask a few queries, so that all is compiled and in memory; return what one of them takes."""
    sample = sample_rows(len(starts))
    finder.find_many(starts[:1], goals[:1], 1, timed=True, max_expansions=min(_TASTE, max_expansions or _TASTE))

    def ask() -> Batch:
        return finder.find_many(starts[sample], goals[sample], 1, timed=True, max_expansions=max_expansions)

    for _ in range(2):
        seconds, batch = time_call(ask, wall_clock)
        if seconds > _LONG_S:
            break
    return Pace(max(1e-7, seconds / len(sample)), max(1, int(MOST_BYTES / (8 * batch.lengths.mean() + 1))))


def cut_slices(
    gaps: list[tuple[int, int]], pace: Pace, threads: int, longest: int | None = None
) -> list[tuple[int, int]]:
    """Cut ranges of queries into slices that take about a second each, and have so many queries at most.

    >>> cut_slices([(0, 10), (20, 21)], Pace(0.25, 1000), 1)
    [(0, 3), (3, 6), (6, 10), (20, 21)]
    """
    most = max(1, min(longest or MOST_QUERIES, MOST_QUERIES, pace.most, int(SLICE_S * threads / pace.each_s)))
    cut = []
    for first, last in gaps:
        parts = -(-(last - first) // most)
        bounds = [first + (last - first) * k // parts for k in range(parts + 1)]
        cut += list(pairwise(bounds))
    return cut


def time_batch(
    finder: Finder,
    starts: npt.NDArray[np.int32],
    goals: npt.NDArray[np.int32],
    *,
    threads: int = 1,
    repeat: int = 1,
    max_expansions: int | None = None,
    share: float = 1.0,
) -> Timing:
    """Answer some queries and measure how long that takes; of several rounds the quickest counts.

    share: of all the queries that are measured, these are so many; short measurements are repeated in that proportion.
    """
    count = len(starts)

    def ask(rows: npt.NDArray[np.int64] | slice) -> Batch:
        return finder.find_many(starts[rows], goals[rows], threads, timed=True, max_expansions=max_expansions)

    if share < 1 and count >= _AGAIN:
        ask(slice(0, count, _AGAIN))
    seconds, batch = time_call(lambda: ask(slice(None)), wall_clock)
    singles = [batch.times_ns]
    # So few queries that the overhead of a call would show: the whole list is asked several times in one.
    needed = _FULL_S * threads / (1e-9 * max(float(batch.times_ns.sum()), 1.0))
    copies = math.ceil(min(needed, MOST_QUERIES / count)) if needed > 1 and share == 1.0 else 1
    rows = np.tile(np.arange(count), copies) if copies > 1 else slice(None)

    def ask_again() -> None:
        times = ask(rows).times_ns.reshape(copies, count).min(axis=0)
        singles.append(np.minimum(singles.pop(), times))
        done.append(1)

    done: list[int] = [1]
    left_s = _ENOUGH_S * share - seconds
    again_s = time_best(ask_again, fill_s=left_s, least=repeat - 1, most=10**9, clock=wall_clock) / copies
    seconds = again_s if copies > 1 and len(done) > 1 else min(seconds, again_s)
    return Timing(batch, seconds, singles[0] / 1e3, len(done))
