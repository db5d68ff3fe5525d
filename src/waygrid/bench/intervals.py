"""How sure a ratio of times is: intervals over rounds, wide enough for what the machine does between two runs.

The logarithms of times are compared, so a ratio and its inverse count the same. Of the rounds of a run the trimmed mean
counts, and its error is that of Yuen's version of Student's t: a fifth of the rounds at either end, which a burst of
other work may have hit, moves neither. Two algorithms that were measured in turns share the state of the machine, so
their rounds are compared pair by pair. Two runs do not share it. For these

* every round is divided by its yardstick, which takes out what slows all work alike;
* a third of the difference between the yardsticks is added as uncertainty, because searches and yardstick do not suffer
  alike from a busy machine;
* a scatter between runs is added, which rounds of one run cannot show: where memory lies, what else is in the caches.
  Its size is 2 % to begin with, and learnt from runs of the same code where the store has several.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.bench.rounds import Round
from waygrid.bench.student import student

Floats = npt.NDArray[np.float64]

SHARE = 0.975  # below the upper end of an interval; as much above the lower one
FEWEST = 4  # rounds that tell anything
_TRIM = 0.2
_PARTLY = 1 / 3  # of the correction by the yardstick is uncertain
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

    deviation: float = 0.02
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


def ratio_of_runs(new: Sequence[Round], old: Sequence[Round], scatter: Scatter | None = None) -> Ratio:
    """Return the ratio of new to old times of one algorithm in two runs, measured beside the yardstick."""
    scatter = scatter or Scatter()
    now, was = (trimmed_mean(logs_beside(rounds)) for rounds in (new, old))
    parts = [(now.variance, now.degrees), (was.variance, was.degrees), (2 * scatter.deviation**2, scatter.degrees)]
    parts.append(((_PARTLY * machine_change(new, old)) ** 2, math.inf))
    return _ratio(now.value - was.value, parts)


def ratio_without_rounds(log_ratio: float) -> Ratio:
    """Return the ratio of two runs of which one has no rounds, or other ones: only a large one says something."""
    return _ratio(log_ratio, [(2 * _UNKNOWN**2, math.inf)])


def logs_beside(rounds: Sequence[Round]) -> Floats:
    """Return the logarithms of times divided by those of the yardstick."""
    return np.log([each.seconds for each in rounds]) - np.log([each.yardstick_s for each in rounds])


def machine_change(new: Sequence[Round], old: Sequence[Round]) -> float:
    """Return the logarithm of how much slower the yardstick was in the new rounds."""
    now, was = (trimmed_mean(np.log([each.yardstick_s for each in rounds])).value for rounds in (new, old))
    return now - was


def learn_scatter(groups: Sequence[Sequence[Floats]]) -> Scatter:
    """Learn from runs of the same code: a group for each unit, with the logarithms of each run's rounds.

    What the error of the means themselves explains is taken off. Units of one run share its state, so however many
    there are, a group of runs counts once.
    """
    squares, degrees = [], 0
    for runs in groups:
        if len(runs) < 2:
            continue
        means = [trimmed_mean(rounds) for rounds in runs]
        between = float(np.var([mean.value for mean in means], ddof=1))
        within = float(np.mean([mean.variance for mean in means]))
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
