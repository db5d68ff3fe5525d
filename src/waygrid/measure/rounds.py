"""Rounds: the same few queries timed again and again, in turns with other algorithms and beside a yardstick.

One measurement says nothing about the machine: a process that was busy meanwhile slows all queries alike. So every
unit of a benchmark is timed in rounds, as `waygrid.measure.timing` says. A round asks a fixed sample of its queries.
Right before and after each the yardstick runs, work that never changes: it shows how fast the machine was just then.
`waygrid.measure.intervals` turns rounds into intervals.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.measure import yardstick
from waygrid.measure.timing import Clock, Work, rotate, time_best
from waygrid.search.finder import Finder

if TYPE_CHECKING:
    from waygrid.measure.problems import Problems

ROUNDS = 20
YARDSTICK = "floods-1"  # another name when its work changes: times beside another yardstick are not comparable
_SIDE = 256  # of the yardstick's map: 0.6 MB with all arrays
_FLOODS = 4  # as long as a call of queries: of shorter work the quickest of several calls finds a moment of quiet
_LEAST_SAMPLE, _MOST_SAMPLE, _SAMPLE_SHARE = 8, 64, 40  # queries of a round: one in so many
_FILL_S = 0.01  # shorter work is repeated within a round; the quickest counts
_YARDSTICK_S = 0.004  # that is its share, before and after
_CALL_S = 3e-3  # of one call, by as many queries as that takes: its overhead of some 30 us must not show
_MOST_QUERIES = 4096  # of one call
_CHEAP_S = 0.5  # rounds of a unit may take so long,
_DEAR_SHARE = 0.5  # or this share of its measurement; otherwise there are fewer
_FEWEST = 4  # rounds that tell anything


class Round(NamedTuple):
    """One round of a unit."""

    number: int
    sample: str  # names the queries that were asked and the yardstick
    seconds: float  # of asking them all once
    yardstick_s: float  # of the yardstick, right before and after


class Yardstick:
    """Work that never changes; calling it does it once."""

    def __init__(self) -> None:
        size = _SIDE * _SIDE
        self._passable = np.zeros(size, np.uint8)
        self._depth, self._waiting = np.zeros(size, np.int32), np.zeros(size, np.int32)
        yardstick.lay_out(self._passable, _SIDE)
        self()  # compiles

    def __call__(self) -> int:
        """Do the work; return how many cells it visited."""
        visited = 0
        for _ in range(_FLOODS):
            visited += int(yardstick.flood(self._passable, _SIDE, self._depth, self._waiting))
        return visited


def choose_sample(count: int) -> npt.NDArray[np.int64]:
    """Return the queries of a round: evenly spread, and always the same for so many queries.

    >>> choose_sample(100).tolist()
    [6, 18, 31, 43, 56, 68, 81, 93]
    """
    size = min(count, max(_LEAST_SAMPLE, min(_MOST_SAMPLE, count // _SAMPLE_SHARE)))
    return ((np.arange(size) + 0.5) * count / size).astype(np.int64)


def name_sample(problems: Problems, sample: npt.NDArray[np.int64]) -> str:
    """Return a name for the queries of a round and its yardstick: only times of the same are comparable."""
    digest = hashlib.sha256(YARDSTICK.encode())
    for array in (problems.starts[sample], problems.goals[sample]):
        digest.update(np.ascontiguousarray(array, np.int32).tobytes())
    return digest.hexdigest()[:16]


class RoundPlan(NamedTuple):
    """The rounds of a unit that are to be measured."""

    number: int  # of the unit
    sample: str
    ask: Work
    tiles: int  # so often one call asks the whole sample
    rounds: list[int]  # that are to be measured


def plan_rounds(
    number: int, finder: Finder, problems: Problems, max_expansions: int | None, rounds: Iterable[int], each_s: float
) -> RoundPlan:
    """Prepare the rounds of a unit; each_s: about what a query takes. Where queries are too long there are fewer."""
    sample = choose_sample(len(problems))
    starts, goals = problems.starts[sample], problems.goals[sample]
    allowed = max(_CHEAP_S, _DEAR_SHARE * each_s * len(problems)) / max(each_s * len(sample), _FILL_S)
    due = [each for each in rounds if each < int(allowed)] if allowed >= _FEWEST else []

    def ask() -> None:
        finder.find_many(starts, goals, 1, max_expansions=max_expansions)

    tiles = 1
    if due:  # the quickest of many calls: the first ones, cold or on a busy machine, would make too few queries do
        call_s = max(1e-6, time_best(ask, fill_s=_FILL_S))
        tiles = max(1, min(_MOST_QUERIES // len(sample), int(_CALL_S / call_s)))
        starts, goals = (np.tile(cells, (tiles, 1)) for cells in (starts, goals))
    return RoundPlan(number, name_sample(problems, sample), ask, tiles, due)


def time_round(unit: RoundPlan, number: int, measure: Work, clock: Clock | None = None) -> Round:
    """Time one round of a unit between two runs of the yardstick."""
    before = time_best(measure, fill_s=_YARDSTICK_S, clock=clock)
    seconds = time_best(unit.ask, fill_s=_FILL_S, clock=clock) / unit.tiles
    after = time_best(measure, fill_s=_YARDSTICK_S, clock=clock)
    return Round(number, unit.sample, max(seconds, 1e-9), max((before * after) ** 0.5, 1e-9))


def time_turn(units: list[RoundPlan], measure: Work, clock: Clock | None = None) -> Iterator[tuple[int, Round]]:
    """Measure the next round of some units, one after the other; give each with the number of its unit."""
    for unit in rotate(units, min(unit.rounds[0] for unit in units)):
        yield unit.number, time_round(unit, unit.rounds.pop(0), measure, clock)
