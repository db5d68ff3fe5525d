"""What is known of one candidate: the figures, how sure they are, and why it was taken or ruled out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from waygrid.advisor.limits import FRAME_S, Limits, share_words, size_words, time_words
from waygrid.advisor.measure import Sample
from waygrid.advisor.ways import Way
from waygrid.measure.student import student

_UNPROMISED = 1e-6  # by which an algorithm that does not promise the optimum may miss it, though it never did
SURE = 0.99  # of the one-sided confidence intervals
ENOUGH = 20  # problems: what was measured on fewer is not recommended, whatever its figures are


@dataclass
class Candidate:
    """An algorithm with options, measured or not; figures that are not known are None.

    Suboptimality and response are means over the problems; `suboptimality_bound` and `response_bound_us` are the upper
    ends of their one-sided 99 % confidence intervals (Student's t).
    """

    way: Way
    fixed_bytes: int | None = None
    agent_bytes: int | None = None
    build_s: float | None = None
    problems: int = 0
    unsolved: int = 0
    suboptimality: float | None = None
    suboptimality_bound: float | None = None
    suboptimality_p95: float | None = None
    suboptimality_worst: float | None = None
    response_us: float | None = None
    response_bound_us: float | None = None
    response_p99_us: float | None = None
    total_us: float | None = None  # of a whole path
    move_us: float | None = None
    reason: str = ""
    feasible: bool = False
    late: bool = False  # its turn did not come within the budget
    unbuilt_s: float | None = None  # that its index would have taken, where that was too long for the budget
    needs_budget: float | None = None  # seconds: with that much it would have been measured
    gain: float | None = None  # how many times as quick as the recommended one it was on a small copy of the map
    out: str | None = None  # why it is out whatever the limits are

    @property
    def algorithm(self) -> str:
        """Name of the algorithm."""
        return self.way.algorithm

    @property
    def options(self) -> dict[str, Any]:
        """Options that differ from the defaults or were chosen."""
        return dict(self.way.options)

    @property
    def use(self) -> str:
        """`find` for whole paths, `agent` for agents that move before they know one."""
        return self.way.use

    @property
    def name(self) -> str:
        """Algorithm and options in words."""
        return self.way.name

    @property
    def measured(self) -> bool:
        """Whether all figures are known and every problem was solved."""
        return self.suboptimality is not None and self.out is None

    @property
    def few(self) -> bool:
        """Whether it was measured on too few problems to be recommended."""
        return self.problems < ENOUGH

    @property
    def effort_us(self) -> float:
        """What candidates are compared by: the time of a whole path, times how long that is beside the optimum."""
        return (self.total_us or 0.0) * (1 + (self.suboptimality or 0.0))

    def learn(self, sample: Sample) -> None:
        """Take over what was measured."""
        self.problems, self.unsolved, self.agent_bytes = sample.problems, sample.unsolved, sample.agent_bytes
        self.response_us, self.total_us, self.move_us = sample.response_mean_us, sample.total_us, sample.move_us
        self.response_bound_us = sample.response_mean_us + _error(sample.response_us)
        self.response_p99_us = float(np.quantile(sample.response_us, 0.99))
        if sample.above.size:
            self.suboptimality = float(sample.above.mean())
            self.suboptimality_bound = self.suboptimality + (
                0.0 if sample.optimal else max(_UNPROMISED, _error(sample.above))
            )
            self.suboptimality_p95 = float(np.quantile(sample.above, 0.95))
            self.suboptimality_worst = float(sample.above.max())
        if sample.fault is not None:
            self.out = f"gave a wrong path, which is a bug: {sample.fault}"
        elif sample.unsolved:
            self.out = f"found no path in {sample.unsolved} of {sample.problems} problems, within the work allowed"

    def settle(self, total_us: float, response_us: float) -> None:
        """Take over times that were measured in turns with other candidates."""
        scale = total_us / self.total_us if self.total_us else 1.0
        if self.move_us is not None:
            self.move_us *= scale
        if self.response_us is not None and self.response_bound_us is not None:
            self.response_bound_us = response_us + (self.response_bound_us - self.response_us)
        self.total_us, self.response_us = total_us, response_us

    def find_broken(self, limits: Limits, *, surely: bool = False) -> dict[str, str]:
        """Return the limits that it breaks and how; surely: even the favourable end of its figures does."""
        said: dict[str, str] = {}
        if limits.memory is not None and self.fixed_bytes is not None and self.fixed_bytes > limits.memory:
            said["memory"] = f"needs {size_words(self.fixed_bytes)}, the limit is {size_words(limits.memory)}"
        if limits.updates and self.build_s is not None and self.build_s > FRAME_S:
            said["updates"] = (
                f"the map changes, and rebuilding the index takes {time_words(self.build_s)}, "
                f"the limit is {time_words(FRAME_S)}"
            )
        if limits.suboptimality is not None and self.suboptimality is not None:
            figures = _Figure(self.suboptimality, self.suboptimality_bound or 0.0, limits.suboptimality)
            text = figures.over(share_words, surely)
            if text:
                said["suboptimality"] = f"its paths are {text} longer than optimal, {figures.limit_words(share_words)}"
        if limits.response is not None and self.response_us is not None:
            figures = _Figure(self.response_us / 1e6, (self.response_bound_us or 0.0) / 1e6, limits.response)
            text = figures.over(time_words, surely)
            if text:
                said["response"] = f"its first move takes {text}, {figures.limit_words(time_words)}"
        return said

    def figures(self) -> str:
        """Say the figures in a line."""
        assert self.suboptimality is not None
        assert self.response_us is not None
        assert self.fixed_bytes is not None
        quality = (
            "optimal" if self.suboptimality_bound == 0 else f"{share_words(self.suboptimality)} longer than optimal"
        )
        memory = f"{size_words(self.fixed_bytes)}" if self.fixed_bytes else "no index"
        return f"{quality}, first move after {time_words(self.response_us / 1e6)}, {memory}"

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for `json.dumps`; times in microseconds, suboptimality as a fraction."""
        return {
            "algorithm": self.algorithm,
            "options": self.options,
            "fixed_bytes": self.fixed_bytes,
            "suboptimality": self.suboptimality,
            "response_us": self.response_us,
            "move_us": self.move_us,
            "reason": self.reason,
            "use": self.use,
            "feasible": self.feasible,
            "agent_bytes": self.agent_bytes,
            "build_s": self.build_s,
            "problems": self.problems,
            "unsolved": self.unsolved,
            "suboptimality_bound": _finite(self.suboptimality_bound),
            "suboptimality_p95": self.suboptimality_p95,
            "suboptimality_worst": self.suboptimality_worst,
            "response_bound_us": _finite(self.response_bound_us),
            "response_p99_us": self.response_p99_us,
            "total_us": self.total_us,
        }


def _finite(value: float | None) -> float | None:
    """Return a number that JSON can hold: a single problem bounds nothing."""
    return value if value is not None and math.isfinite(value) else None


def _error(values: Any) -> float:
    """Return how far the true mean may lie above that of the values."""
    if len(values) < 2:
        return math.inf
    return float(student(len(values) - 1, SURE) * values.std(ddof=1) / math.sqrt(len(values)))


class _Figure(NamedTuple):
    """A mean, how high it may truly be, and its limit."""

    mean: float
    bound: float
    limit: float

    def over(self, words: Callable[[float], str], surely: bool) -> str:
        """Return the value in words where it is over the limit, else nothing."""
        if surely:
            return words(self.mean) if 2 * self.mean - self.bound > self.limit else ""
        if self.mean > self.limit:
            return words(self.mean)
        return f"{words(self.mean)} (perhaps {words(self.bound)})" if self.bound > self.limit else ""

    def limit_words(self, words: Callable[[float], str]) -> str:
        near = "the limit is" if self.mean > self.limit else "too near to the limit of"
        return f"{near} {words(self.limit)}"
