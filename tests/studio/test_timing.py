"""Times of searches: the best of several runs."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the studio's packages are not installed")

from waygrid.measure import timing
from waygrid.studio.jobs import CancelledJobError, Job
from waygrid.studio.timing import LEAST_RUNS, MOST_RUNS, REPEATED_S, measure_best


class Scripted:
    """A finder whose runs take what the test says, in nanoseconds by its own clock."""

    def __init__(self, times_ns):
        self.times_ns, self.runs = times_ns, 0

    def find_many(self, starts, goals, threads, timed):
        assert (threads, timed) == (1, True)
        took = self.times_ns[min(self.runs, len(self.times_ns) - 1)]
        self.runs += 1
        return SimpleNamespace(times_ns=np.array([took]))


def _measure(finder, first_s, **more):
    return measure_best(finder, (0, 0), (1, 0), first_s, Job("a", ("", "")), **more)


def test_best_run_counts_and_not_the_first():
    finder = Scripted([4_400_000.0, 16_000.0, 14_000.0, 90_000.0])
    assert _measure(finder, 0.0044).seconds == pytest.approx(14e-6)
    assert finder.runs > LEAST_RUNS


def test_runs_have_a_budget(monkeypatch):
    clock = iter(np.arange(1000) * 0.02)  # each look 20 ms after the one before
    monkeypatch.setattr(timing, "cpu_clock", lambda: next(clock))
    assert _measure(Scripted([20e6]), 0.02).runs == LEAST_RUNS
    monkeypatch.setattr(timing, "cpu_clock", lambda: 0.0)
    assert _measure(Scripted([10.0]), 1e-6).runs == MOST_RUNS


def test_long_searches_are_not_repeated():
    finder = Scripted([1.0])
    assert _measure(finder, 2 * REPEATED_S) == (2 * REPEATED_S, 1)
    assert finder.runs == 0


def test_wall_clock_serves_where_compiled_code_has_none(monkeypatch):
    clock = iter(np.arange(1000) * 0.001)
    monkeypatch.setattr(timing, "cpu_clock", lambda: next(clock))
    assert _measure(Scripted([0.0]), 0.05).seconds == pytest.approx(0.001)


def test_cancelled_job_is_not_measured_to_the_end():
    job = Job("a", ("", ""))
    job.cancel()
    with pytest.raises(CancelledJobError):
        measure_best(Scripted([1.0]), (0, 0), (1, 0), 1e-6, job)
