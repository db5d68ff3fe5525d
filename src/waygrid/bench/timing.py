"""Measuring a finder: the mean from whole batches, the time of each query from calls of their own.

The mean is the wall time of `find_many` over all queries divided by their number: what a program that asks in batches
gets. The median needs every query's own time. A call with a single query carries tens of microseconds of checks in
Python, and repeating one query inside a call trains the processor on it (it then looks up to a third faster); so each
query gets a call of its own, and the overhead of a call is taken off. That overhead is measured on the shortest
queries: it is what they take one by one more than in one batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.finders.base import Finder
from waygrid.finders.path import Batch

Progress = Callable[[float, str], None]
"""Is told the share that is done, 0 to 1, and what is being done."""

CHUNK_S = 0.5  # a batch comes back about this often, so that progress can be shown and Ctrl-C is heard
_ENOUGH_S = 0.2  # shorter measurements are repeated until they fill this
_MOST_ROUNDS = 5
_FULL_S = 5e-3  # a batch so long hides the overhead of a call
_WARM_UP = 8  # queries
_SHORT_S = 0.05  # the overhead is measured on as many of the shortest queries as fill this


class Timing(NamedTuple):
    """What was measured, and the answers."""

    batches: list[Batch]  # the answers of all queries, in order
    mean_us: float
    times_us: npt.NDArray[np.float64]  # of each query, on one thread
    overhead_us: float  # of a call with one query; already taken off


class _Asker:
    """Asks a finder some of the queries and tells how long that took."""

    def __init__(
        self,
        finder: Finder,
        starts: npt.NDArray[np.int32],
        goals: npt.NDArray[np.int32],
        max_expansions: int | None,
    ) -> None:
        self._finder = finder
        self._starts, self._goals = np.ascontiguousarray(starts), np.ascontiguousarray(goals)
        self._limit = max_expansions

    def ask(self, rows: slice | npt.NDArray[np.int64], threads: int) -> tuple[float, Batch]:
        starts, goals = self._starts[rows], self._goals[rows]
        began = perf_counter()
        batch = self._finder.find_many(starts, goals, threads=threads, max_expansions=self._limit)
        return perf_counter() - began, batch


def measure(
    finder: Finder,
    starts: npt.NDArray[np.int32],
    goals: npt.NDArray[np.int32],
    *,
    threads: int = 1,
    repeat: int = 1,
    max_expansions: int | None = None,
    progress: Progress | None = None,
) -> Timing:
    """Answer all queries and measure how long that takes; of several rounds the quickest counts."""
    count = len(starts)
    tell = progress or (lambda _share, _what: None)
    asker = _Asker(finder, starts, goals, max_expansions)
    sample = np.unique(np.linspace(0, count - 1, min(count, _WARM_UP)).astype(np.int64))
    tell(0.0, "warming up")
    asker.ask(sample, threads)  # compiles, and touches the memory
    each = max(1e-9, asker.ask(sample, 1)[0] / len(sample))
    seconds, batches = _together(asker, count, each, threads, repeat, lambda share: tell(share / 2, "in batches"))
    single = _one_by_one(asker, count, repeat, lambda share: tell(0.5 + share / 2, "one by one"))
    overhead = _overhead(asker, single)
    return Timing(batches, 1e6 * seconds / count, 1e6 * np.maximum(single - overhead, 0), 1e6 * overhead)


def _together(
    asker: _Asker, count: int, each: float, threads: int, repeat: int, tell: Callable[[float], None]
) -> tuple[float, list[Batch]]:
    """Return the seconds that all queries take in batches, and the answers."""
    if each * count < _FULL_S:
        # So few queries that the overhead of a call would show: the whole list is asked several times in one.
        times = math.ceil(_FULL_S / (each * count))
        rows, batches = np.tile(np.arange(count), times), [asker.ask(slice(None), threads)[1]]
        rounds = max(repeat, math.ceil(_ENOUGH_S / _FULL_S))
        return min(asker.ask(rows, threads)[0] for _ in range(rounds)) / times, batches
    size = max(1, int(CHUNK_S * threads / each))
    best, batches, spent, rounds = math.inf, [], 0.0, 0
    while rounds < repeat or spent < _ENOUGH_S:
        seconds, answers = 0.0, []
        for first in range(0, count, size):
            took, batch = asker.ask(slice(first, first + size), threads)
            seconds += took
            answers.append(batch)
            tell((rounds + (first + len(batch)) / count) / max(repeat, rounds + 1))
        if seconds < best:
            best, batches = seconds, answers
        spent, rounds = spent + seconds, rounds + 1
    return best, batches


def _one_by_one(asker: _Asker, count: int, repeat: int, tell: Callable[[float], None]) -> npt.NDArray[np.float64]:
    """Return the seconds of each query in a call of its own."""
    single = np.full(count, np.inf)
    spent, told, rounds = 0.0, 0.0, 0
    while rounds < repeat or (spent < _ENOUGH_S and rounds < _MOST_ROUNDS):
        for row in range(count):
            took = asker.ask(slice(row, row + 1), 1)[0]
            single[row] = min(single[row], took)
            spent += took
            if spent - told >= CHUNK_S:
                told = spent
                tell((rounds + row / count) / max(repeat, rounds + 1))
        rounds += 1
    return single


def _overhead(asker: _Asker, single: npt.NDArray[np.float64]) -> float:
    """Return the seconds that a call with one query takes beyond the query."""
    order = np.argsort(single, kind="stable")
    count = max(1, int(np.searchsorted(np.cumsum(single[order]), _SHORT_S)))
    short = order[:count]
    if count == 1:
        # One long query: what a call costs beyond it is lost in the noise, and matters as little.
        return 0.0
    together = min(asker.ask(short, 1)[0] for _ in range(5))
    overhead = (float(single[short].sum()) - together) / (count - 1)
    return max(0.0, min(overhead, 0.9 * float(single.min())))  # no query takes less than nothing
