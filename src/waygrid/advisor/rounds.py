"""All candidates on few problems, the promising ones on more, the best on many; all within the budget."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

import numpy as np

from waygrid.advisor import builds, measure
from waygrid.advisor.budget import Budget
from waygrid.advisor.candidate import Candidate
from waygrid.advisor.choose import miss, promise
from waygrid.advisor.limits import FRAME_S, Limits, size_words, time_words
from waygrid.advisor.problems import ProblemSource
from waygrid.advisor.ways import AGENT, Way
from waygrid.algorithms.make import make_finder
from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.measure.intervals import ratio_of_pairs
from waygrid.measure.problems import random_ends
from waygrid.measure.timing import Progress, time_in_turns
from waygrid.search.finder import Finder
from waygrid.search.registry import algorithms, refuse_unsupported

SIZES = (25, 100, 400)  # problems of the rounds
_SHARES = (0.6, 0.85, 1.0)  # of the budget that is gone when no further candidate of a round is begun
_BUILD_SHARE = 8  # one build may take this part of the budget
_QUERY_SHARE = 40  # and the problems of one candidate in the first round this one
_CHANCES = (3.0, 2.0)  # what takes so many times as long as one that meets the limits is not measured any further
_TURNS = 9  # of all candidates of a round, one after the other: a busy moment then hits all of them, not one
_COPY_PROBLEMS = 500  # on a small copy of the map
_LOOKED_AT = 4  # candidates whose index would have taken too long
_FEWEST = 5  # problems that tell anything
_TO_SPARE = 1.25  # as estimates are only that
_AT_ONCE_S = 1.0  # longer builds wait until all others have been measured
_TASTE = 1000  # expansions of a search that is only to be compiled
_LARGEST = 2**31  # bytes of an index that is not even tried


class Bench(Protocol):
    """What builds and measures; in tests something that only pretends to."""

    def compile(self, way: Way) -> None:
        """Have everything compiled that the candidate needs; refuses what the grid does not support."""

    def forecast(self, way: Way, enough_s: float) -> builds.Forecast | None:
        """Estimate what the index is likely to take."""

    def build(self, way: Way, allowed_s: float) -> tuple[Finder, float]:
        """Make the finder; raises `TooLong`."""

    def probe_s(self, finder: Finder, way: Way) -> float:
        """Return about how long one problem takes."""

    def measure_sample(self, finder: Finder, way: Way, count: int, each_s: float) -> measure.Sample:
        """Measure on the first so many problems, each of which takes about so long."""

    def time_again(self, finder: Finder, way: Way, count: int) -> measure.Times:
        """Time the same problems once more."""

    def gain_on_copy(self, way: Way, best: Way) -> float | None:
        """Return how many times as quick as another one a candidate is on a small copy of the map, None: unknown."""


class RealBench:
    """Builds and measures on a grid."""

    def __init__(self, grid: Grid, problems: ProblemSource) -> None:
        self._grid, self._problems = grid, problems
        self._parts = builds.Parts(grid)
        self._last: tuple[tuple[str, dict[str, Any]], Finder, float] | None = None

    def compile(self, way: Way) -> None:
        """Make and use a finder of a small part of the map."""
        refuse_unsupported(algorithms()[way.algorithm], self._grid)
        small = self._parts[0] or self._grid
        finder = make_finder(way.algorithm, small, **way.options)
        ends = random_ends(small, 2, seed=0)
        finder.find_many(*ends, threads=1, max_expansions=_TASTE)
        if way.use == AGENT:
            finder.agents(*ends, **way.agent_options).step()

    def forecast(self, way: Way, enough_s: float) -> builds.Forecast | None:
        """Build parts of the map."""
        if not algorithms()[way.algorithm].index or self._find_last(way) is not None:
            return None
        return builds.forecast(way, self._parts, enough_s)

    def build(self, way: Way, allowed_s: float) -> tuple[Finder, float]:
        """Build, or take what was built just before for the other use of the same algorithm and options."""
        made = self._find_last(way)
        if made is None:
            made = builds.build(self._grid, way, allowed_s)
            self._last = (_complete(way), *made)
        return made

    def _find_last(self, way: Way) -> tuple[Finder, float] | None:
        return self._last[1:] if self._last is not None and self._last[0] == _complete(way) else None

    def probe_s(self, finder: Finder, way: Way) -> float:
        """Ask three problems."""
        return measure.probe_s(finder, way, self._problems.first(SIZES[0]))

    def measure_sample(self, finder: Finder, way: Way, count: int, each_s: float) -> measure.Sample:
        """Ask them."""
        return measure.measure_sample(finder, way, self._problems.first(count), each_s)

    def time_again(self, finder: Finder, way: Way, count: int) -> measure.Times:
        """Ask them again."""
        return measure.time_again(finder, way, self._problems.first(count))

    def gain_on_copy(self, way: Way, best: Way) -> float | None:
        """Build both on a small copy and ask the same random problems in turns."""
        small = builds.shrink(self._grid)
        if small is None or AGENT in (way.use, best.use):
            return None
        ends = random_ends(small, _COPY_PROBLEMS, seed=0)
        asks = [partial(make_finder(one.algorithm, small, **one.options).find_many, *ends, 1) for one in (best, way)]
        times = time_in_turns(dict(enumerate(asks)), _TURNS)
        return ratio_of_pairs(times[0], times[1]).ratio


class Rounds:
    """Measures candidates until all is known or the budget is spent."""

    def __init__(
        self, candidates: list[Candidate], limits: Limits, bench: Bench, budget: Budget, report: Progress
    ) -> None:
        self._candidates, self._limits, self._bench, self._budget = candidates, limits, bench, budget
        self._report = report
        self._finders: dict[int, Finder] = {}
        self._seconds: dict[int, float] = {}  # of one problem

    def run(self) -> None:
        """Fill in the figures of all candidates, or why there are none."""
        self._first_round()
        for number in (1, 2):
            able = [one for one in self._candidates if one.measured and id(one) in self._finders]
            able = [one for one in able if not one.find_broken(self._limits, surely=True)]
            able = sorted(able, key=lambda one: promise(one, self._limits))
            quickest = min((one.effort_us for one in able if not one.find_broken(self._limits)), default=math.inf)
            able = [one for one in able if one.effort_us <= _CHANCES[number - 1] * quickest]
            measured = []
            for place, one in enumerate(able):
                self._say(number, place / len(able) / 2, f"{one.name}: {SIZES[number]} problems")
                if self._budget.spent > _SHARES[number] * self._budget.seconds:
                    break
                if 3 * SIZES[number] * self._seconds[id(one)] <= self._budget.left:
                    self._measure(one, SIZES[number])
                    measured.append(one)
            self._take_turns(number, [one for one in measured if one.measured])

    def _take_turns(self, number: int, able: list[Candidate]) -> None:
        """Time candidates again in turns, as often as the budget allows, and settle what each takes beside the others.

        All of them are in each turn that counts, so what a turn is slower than others is the machine's, and taken off.
        """
        turns: list[list[measure.Times]] = []
        for turn in range(_TURNS if len(able) > 1 else 0):
            self._say(number, 0.5 + turn / _TURNS / 2, f"turn {turn + 1} of {_TURNS}, {len(able)} candidates")
            if sum(SIZES[number] * self._seconds[id(one)] for one in able) > self._budget.left / 2:
                break
            turns.append([self._bench.time_again(self._finders[id(one)], one.way, SIZES[number]) for one in able])
        if len(turns) < 2:
            return
        logs = np.log([[max(times.total_us, 1e-6) for times in turn] for turn in turns])
        levels = logs.mean(axis=1)
        apart = np.median(logs - levels[:, None], axis=0)
        for place, one in enumerate(able):
            total_us = math.exp(float(apart[place] + levels.min()))
            one.settle(total_us, min(turn[place].response_us for turn in turns))

    def _say(self, number: int, share: float, what: str) -> None:
        before = (0.0, 0.6, 0.8, 1.0)
        self._report(before[number] + share * (before[number + 1] - before[number]), what)

    def _first_round(self) -> None:
        later: list[tuple[float, Candidate]] = []
        for place, one in enumerate(self._in_order()):
            self._say(0, place / len(self._candidates), one.name)
            if self._late(one):
                continue
            try:
                with self._budget.pause():
                    self._bench.compile(one.way)
                expected = self._bench.forecast(one.way, _AT_ONCE_S)
            except WaygridError as error:  # the grid is not supported, or too large
                one.out = str(error)
                continue
            if expected is None or expected.seconds <= _AT_ONCE_S:
                self._try(one)
            elif not self._hopeless(one, expected):
                later.append((expected.seconds, one))
        for _, one in sorted(later, key=lambda pair: (pair[0], pair[1].name)):
            self._say(0, 1.0, f"{one.name}: building")
            if not self._late(one):
                self._try(one)

    def _in_order(self) -> Iterator[Candidate]:
        """Return the first choice of every algorithm, then further options of those that came nearest to the limits."""
        first: dict[tuple[str, str], Candidate] = {}
        for one in self._candidates:
            first.setdefault((one.algorithm, one.use), one)
        yield from first.values()
        rest = [one for one in self._candidates if first[one.algorithm, one.use] is not one]
        # These have been measured by now, or else nothing is known of their algorithm.
        yield from sorted(rest, key=lambda one: self._apart(first[one.algorithm, one.use]))

    def _apart(self, one: Candidate) -> float:
        return miss(one, self._limits) if one.measured else math.inf

    def _late(self, one: Candidate) -> bool:
        if self._budget.spent <= _SHARES[0] * self._budget.seconds:
            return False
        one.late = True
        one.out = f"not measured: the budget of {time_words(self._budget.seconds)} was spent on others"
        return True

    def _allow_build_s(self) -> float:
        return min(self._budget.seconds / _BUILD_SHARE, self._budget.left / 2)

    def _hopeless(self, one: Candidate, expected: builds.Forecast) -> bool:
        """Rule out what need not even be built."""
        limits, size = self._limits, size_words(expected.size)
        if limits.memory is not None and expected.size > 3 * limits.memory:
            one.out = f"would need about {size}, the limit is {size_words(limits.memory)}"
        elif limits.updates:
            one.out = (
                f"the map changes, and rebuilding the index takes about {time_words(expected.seconds)}, "
                f"the limit is {time_words(FRAME_S)}"
            )
        elif expected.size > _LARGEST:
            one.out = f"the index would take about {size}"
        elif expected.seconds > self._allow_build_s():
            one.out = self._too_long(one, expected.seconds)
        return one.out is not None

    def _too_long(self, one: Candidate, seconds: float) -> str:
        allowed, whole = self._budget.seconds / _BUILD_SHARE, self._budget.seconds
        one.unbuilt_s, one.needs_budget = seconds, _TO_SPARE * seconds * _BUILD_SHARE
        return (
            f"the index would take about {time_words(seconds)} to build; "
            f"the budget of {time_words(whole)} has {time_words(allowed)} for one"
        )

    def _try(self, one: Candidate) -> None:
        try:
            finder, one.build_s = self._bench.build(one.way, self._allow_build_s())
        except builds.TooLong as stop:
            one.out = self._too_long(one, stop.seconds)
            return
        except WaygridError as error:
            one.out = str(error)
            return
        one.fixed_bytes = finder.memory.fixed_bytes
        each = self._bench.probe_s(finder, one.way)
        allowed = min(self._budget.seconds / _QUERY_SHARE, self._budget.left)
        count = min(SIZES[0], int(allowed / (3 * max(each, 1e-9))))
        if count < _FEWEST:
            one.out = f"a path takes about {time_words(each)}, too long to measure enough of them"
            one.needs_budget = _TO_SPARE * 3 * _FEWEST * each * _QUERY_SHARE
            return
        self._finders[id(one)], self._seconds[id(one)] = finder, each
        self._measure(one, count)
        if not one.measured or one.find_broken(self._limits, surely=True):
            del self._finders[id(one)]

    def _measure(self, one: Candidate, count: int) -> None:
        one.learn(self._bench.measure_sample(self._finders[id(one)], one.way, count, self._seconds[id(one)]))


def look_beyond(candidates: list[Candidate], best: Candidate, bench: Bench) -> None:
    """Compare what was skipped for want of time with the recommended one, on a small copy of the map."""
    unbuilt = [one for one in candidates if one.unbuilt_s is not None]
    for one in sorted(unbuilt, key=lambda one: one.unbuilt_s or 0.0)[:_LOOKED_AT]:
        with suppress(WaygridError):
            one.gain = bench.gain_on_copy(one.way, best.way)


def _complete(way: Way) -> tuple[str, dict[str, Any]]:
    """Return an algorithm with all its options, also those that stayed as they are."""
    defaults = {name: option.default for name, option in algorithms()[way.algorithm].options.items()}
    return way.algorithm, {**defaults, **way.options}
