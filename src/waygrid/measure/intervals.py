"""How sure a ratio of times is: intervals over rounds, wide enough for what the machine does between two runs.

The logarithms of times are compared, so a ratio and its inverse count the same. Two algorithms that were measured in
turns share the state of the machine: their rounds are compared pair by pair, by Student's t over the trimmed mean.

Two runs do not share it. Other work can make a search half as slow again for seconds, and never makes it quicker. So
of the rounds of a run the quickest fifth counts: it shows the code, the others show the machine. The interval has

* a third of the gap between the quickest fifth and the next one: where that is wide, no moment of quiet was met;
* the yardstick: times are divided by its own quickest fifth, which takes out what slows all work alike, and a third of
  what it changed between the runs is uncertain, because searches and yardstick do not suffer alike;
* a scatter between runs, which rounds of one run cannot show: where memory lies, what else is in the caches. Its size
  is 3 % to begin with, and learnt from runs of the same code where the store has several.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.measure.rounds import Round
from waygrid.measure.student import student

Floats = npt.NDArray[np.float64]

SHARE = 0.975  # below the upper end of an interval; as much above the lower one
FEWEST = 4  # rounds that tell anything
_TRIM = 0.2
_QUICKEST = 5  # one round in so many counts between runs
_PARTLY = 1 / 3  # of the gap to the next rounds, and of the correction by the yardstick, is uncertain
_GAP_DEGREES = 5
_UNKNOWN = 0.25  # standard deviation of a run without rounds: its times are known to a factor of 2 only


class Ratio(NamedTuple):
    """A ratio of times and the 95 % interval around it."""

    ratio: float
    low: float
    high: float


class Mean(NamedTuple):
    """A trimmed mean, the variance of its error, and how many degrees of freedom that is known by."""

    value: float
    variance: float
    degrees: int


class Scatter(NamedTuple):
    """What runs of the same code differ by, as a standard deviation of logarithms."""

    deviation: float = 0.03
    degrees: float = 8.0

    def learn(self, squares: float, degrees: int) -> Scatter:
        """Return the scatter after so many squares of deviations were seen.

        >>> round(Scatter(0.03, 5).learn(5 * 0.05**2, 5).deviation, 3)
        0.041
        """
        whole = self.degrees + degrees
        return Scatter(math.sqrt((self.degrees * self.deviation**2 + squares) / whole), whole)


def trimmed_mean(values: Floats) -> Mean:
    """Return the mean without the lowest and the highest fifth, and its error by winsorized variance.

    >>> trimmed_mean(np.array([1.0, 2.0, 3.0, 4.0, 99.0])).value
    3.0
    """
    ordered = np.sort(values)
    count, cut = len(ordered), int(_TRIM * len(ordered))
    kept = ordered[cut : count - cut]
    pulled = np.clip(ordered, kept[0], kept[-1])
    variance = (count - 1) * float(pulled.var(ddof=1)) / (len(kept) * (len(kept) - 1))
    return Mean(float(kept.mean()), variance, len(kept) - 1)


def ratio_of_pairs(times: Sequence[float], others: Sequence[float]) -> Ratio:
    """Return times / others of two algorithms that were measured in turns, round by round.

    >>> found = ratio_of_pairs([2.0, 2.2, 2.1, 4.0], [1.0, 1.1, 1.05, 2.0])
    >>> [round(value, 6) for value in found]
    [2.0, 2.0, 2.0]
    """
    if len(times) < FEWEST:
        return Ratio(float(np.exp(np.mean(np.log(times) - np.log(others)))) if len(times) else math.nan, 0.0, math.inf)
    mean = trimmed_mean(np.log(times) - np.log(others))
    return _ratio(mean.value, [(mean.variance, mean.degrees)])


def quickest_mean(values: Floats) -> Mean:
    """Return the mean of the quickest fifth, and how unsure it is by the gap to the next fifth.

    >>> found = quickest_mean(np.array([1.0, 1.0, 1.3, 1.3, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]))
    >>> found.value, round(found.variance, 4)
    (1.0, 0.01)
    """
    ordered = np.sort(values)
    count = max(1, len(ordered) // _QUICKEST)
    value, after = float(ordered[:count].mean()), float(ordered[count : 2 * count].mean())
    return Mean(value, (_PARTLY * (after - value)) ** 2, _GAP_DEGREES)


def quickest_beside(rounds: Sequence[Round]) -> Mean:
    """Return the logarithm of a run's quickest times, divided by those of the yardstick."""
    times, yardstick = _times(rounds), _yardsticks(rounds)
    return Mean(times.value - yardstick.value, times.variance + yardstick.variance, _GAP_DEGREES)


def ratio_of_runs(new: Sequence[Round], old: Sequence[Round], scatter: Scatter | None = None) -> Ratio:
    """Return the ratio of new to old times of one algorithm in two runs, measured beside the yardstick."""
    scatter = scatter or Scatter()
    now, was = quickest_beside(new), quickest_beside(old)
    parts = [(now.variance, now.degrees), (was.variance, was.degrees), (2 * scatter.deviation**2, scatter.degrees)]
    parts.append(((_PARTLY * machine_change(new, old)) ** 2, math.inf))
    return _ratio(now.value - was.value, parts)


def _times(rounds: Sequence[Round]) -> Mean:
    return quickest_mean(np.log([each.seconds for each in rounds]))


def _yardsticks(rounds: Sequence[Round]) -> Mean:
    return quickest_mean(np.log([each.yardstick_s for each in rounds]))


def ratio_without_rounds(log_ratio: float) -> Ratio:
    """Return the ratio of two runs of which one has no rounds, or other ones: only a large one says something."""
    return _ratio(log_ratio, [(2 * _UNKNOWN**2, math.inf)])


def machine_change(new: Sequence[Round], old: Sequence[Round]) -> float:
    """Return the logarithm of how much slower the yardstick was in the new rounds."""
    return _yardsticks(new).value - _yardsticks(old).value


def learn_scatter(groups: Sequence[Sequence[Mean]]) -> Scatter:
    """Learn from runs of the same code: a group for each unit, with what each run took beside the yardstick.

    What the errors of these explain is taken off. Units of one run share its state, so however many there are, a group
    of runs counts once.
    """
    squares, degrees = [], 0
    for runs in groups:
        if len(runs) < 2:
            continue
        between = float(np.var([mean.value for mean in runs], ddof=1))
        within = float(np.mean([mean.variance for mean in runs]))
        squares.append((len(runs) - 1) * max(0.0, between - within))
        degrees = max(degrees, len(runs) - 1)
    return Scatter().learn(float(np.mean(squares)), degrees) if squares else Scatter()


def _ratio(log_ratio: float, parts: Sequence[tuple[float, float]]) -> Ratio:
    """Return a ratio from its logarithm and the variances of its errors; degrees of freedom by Welch."""
    variance = sum(part for part, _ in parts)
    if variance == 0:
        return Ratio(math.exp(log_ratio), math.exp(log_ratio), math.exp(log_ratio))
    slack = sum(part**2 / degrees for part, degrees in parts)
    degrees = int(min(1000.0, variance**2 / slack)) if slack else 1000
    half = student(max(1, degrees), SHARE) * math.sqrt(variance)
    return Ratio(math.exp(log_ratio), math.exp(log_ratio - half), _exp(log_ratio + half))


def _exp(value: float) -> float:
    return math.inf if value > 700 else math.exp(value)
