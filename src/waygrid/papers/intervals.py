"""How exactly something was measured: 95 % intervals over rounds, by Student's t."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from waygrid.measure.student import student
from waygrid.papers.report import Cell, show

INTERVALS_NOTE = (
    "[low, high]: the interval that holds the true figure with 95 %, by Student's t over the rounds. It covers the "
    "noise of the machine, not the choice of maps and problems."
)
_SHARE = 0.975  # of Student's t below the upper end; as much lies above the lower one


class Estimate(NamedTuple):
    """A mean and the interval that holds the true one with 95 %; without an interval where there was one round only.

    >>> str(Estimate(7.25, 7.1, 7.4)), str(Estimate(7.25, None, None))
    ('7.25 [7.1, 7.4]', '7.25')
    """

    mean: float
    low: float | None
    high: float | None

    @property
    def interval(self) -> str | None:
        """The interval as text; None where there is none."""
        return None if self.low is None or self.high is None else f"[{show(self.low)}, {show(self.high)}]"

    @property
    def cells(self) -> tuple[Cell, Cell]:
        """The mean and its interval, for two columns of a table."""
        return self.mean, self.interval

    def __str__(self) -> str:
        """Return the mean with its interval."""
        return " ".join(part for part in (show(self.mean), self.interval) if part)


def estimate_time(times: Sequence[float]) -> Estimate:
    """Estimate a time from several rounds: their geometric mean, so that the ratio of two times is that of the rounds.

    >>> str(estimate_time([10.0, 11.0, 12.0]))
    '10.97 [8.746, 13.76]'
    """
    logs = [math.log(time) for time in times]
    mean, half = math.fsum(logs) / len(logs), _half_width(logs)
    if half is None:
        return Estimate(math.exp(mean), None, None)
    return Estimate(math.exp(mean), math.exp(mean - half), math.exp(min(mean + half, 700.0)))


def estimate_ratio(over: Sequence[float], under: Sequence[float]) -> Estimate:
    """Estimate the ratio of two times from rounds in which both were measured.

    A slow spell of the machine lengthens both times of its round and leaves their ratio as it is.

    >>> str(estimate_ratio([20.0, 40.0, 21.0], [10.0, 20.0, 10.0]))
    '2.033 [1.895, 2.18]'
    """
    return estimate_time([a / b for a, b in zip(over, under, strict=True)])


def estimate_mean(values: Sequence[float]) -> Estimate:
    """Estimate the mean of what the values are a sample of, such as problems of a map.

    >>> str(estimate_mean([10.0, 11.0, 12.0]))
    '11 [8.516, 13.48]'
    """
    mean, half = math.fsum(values) / len(values), _half_width(values)
    return Estimate(mean, None, None) if half is None else Estimate(mean, mean - half, mean + half)


def estimate_from_spread(mean: float, spread: float, count: int) -> Estimate:
    """Estimate a mean of which only the standard deviation and the number of values are known.

    >>> str(estimate_from_spread(11.0, 0.816497, 3))  # of 10, 11 and 12
    '11 [8.516, 13.48]'
    """
    if count < 2 or math.isnan(spread):
        return Estimate(mean, None, None)
    half = student(count - 1, _SHARE) * spread / math.sqrt(count - 1)
    return Estimate(mean, mean - half, mean + half)


def estimate_share(over: Sequence[float], under: Sequence[float]) -> Estimate:
    """Estimate the ratio of two means from pairs, such as the nodes that two searches expand for the same problem.

    >>> str(estimate_share([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])), str(estimate_share([1.0, 3.0, 3.0], [2.0, 4.0, 6.0]))
    ('0.5 [0.5, 0.5]', '0.583 [0.21, 0.957]')
    """
    total = math.fsum(under)
    ratio = math.fsum(over) / total
    half = _half_width([a - ratio * b for a, b in zip(over, under, strict=True)])
    if half is None:
        return Estimate(ratio, None, None)
    half *= len(under) / total
    return Estimate(ratio, ratio - half, ratio + half)


def _half_width(values: Sequence[float]) -> float | None:
    """Return half the width of the interval of a mean; None for a single value."""
    count = len(values)
    if count < 2:
        return None
    mean = math.fsum(values) / count
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
    return student(count - 1, _SHARE) * spread / math.sqrt(count)
