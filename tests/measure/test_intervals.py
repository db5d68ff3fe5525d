"""Intervals hold what they promise on a machine that is never quiet."""

import math

import numpy as np
import pytest
from measure.noisy import simulate_run

from waygrid.bench.compare import Allowed, Difference
from waygrid.measure.intervals import (
    Mean,
    Scatter,
    learn_scatter,
    quickest_mean,
    ratio_of_pairs,
    ratio_of_runs,
    ratio_without_rounds,
    trimmed_mean,
)
from waygrid.measure.rounds import Round, RoundPlan, choose_sample, time_turn

pytestmark = pytest.mark.quick

WORKS = {"astar": 0.02, "jps+": 0.0015}
PAIRS = 100


def says(ratio):
    return Difference("map", "astar", "{}", 1, 10, 1.0, 1.0, *ratio, 0.0, 0).time_says(Allowed())


def verdicts(factor, **noise):
    """Compare many pairs of runs, the second of which takes so many times as long."""
    said = []
    for pair in range(PAIRS):
        old = simulate_run(2 * pair, WORKS, **noise)
        new = simulate_run(2 * pair + 1, {name: factor * seconds for name, seconds in WORKS.items()}, **noise)
        said += [says(ratio_of_runs(new[name], old[name])) for name in WORKS]
    return said


@pytest.mark.parametrize(
    "noise",
    [
        {},
        {"offset": 0.3},
        {"bursts": 4.0},
        {"drift": 0.15},
        {"offset": 0.2, "unseen": 0.03, "drift": 0.1, "bursts": 2.0},
    ],
)
def test_the_same_code_is_rarely_called_different(noise):
    said = verdicts(1.0, **noise)
    assert sum(word != "same" for word in said) <= 0.05 * len(said)


@pytest.mark.parametrize(("factor", "word"), [(1.2, "slower"), (1 / 1.2, "faster"), (1.5, "slower")])
def test_a_true_change_is_found(factor, word):
    calm, noisy = verdicts(factor, offset=0.02, unseen=0.01, bursts=0.25), verdicts(factor)
    assert calm.count(word) >= 0.95 * len(calm)
    assert noisy.count(word) >= 0.75 * len(noisy)
    assert {*calm, *noisy} <= {word, "same"}


def test_algorithms_that_take_turns_are_compared_much_more_exactly():
    inside, width = 0, []
    for seed in range(PAIRS):
        run = simulate_run(seed, {"one": 0.03, "other": 0.025}, offset=0.3, unseen=0.0, drift=0.1)
        pairs = ([each.seconds for each in run[name]] for name in ("one", "other"))
        found = ratio_of_pairs(*pairs)
        inside += found.low <= 1.2 <= found.high
        width.append(found.high / found.low)
    assert inside >= 0.9 * PAIRS
    assert np.median(width) < 1.1


def test_units_take_turns():
    order = []
    units = [RoundPlan(n, "s", lambda n=n: order.append(n), 1, list(range(3 - n))) for n in (0, 1)]
    ticks = iter(range(1000))
    found = []
    while due := [unit for unit in units if unit.rounds]:
        found += time_turn(due, lambda: None, lambda: next(ticks))
    assert [(number, each.number) for number, each in found] == [(0, 0), (1, 0), (1, 1), (0, 1), (0, 2)]
    assert order == [0, 1, 1, 0, 0]
    assert {(each.seconds, each.yardstick_s) for _, each in found} == {(1, 1)}


def test_a_sample_is_the_same_for_as_many_queries():
    assert choose_sample(3).tolist() == [0, 1, 2]
    assert len(choose_sample(200)) == 8
    assert len(choose_sample(2000)) == 50
    assert len(choose_sample(10**6)) == 64
    assert choose_sample(10**6).max() < 10**6


def test_the_trimmed_mean_is_yuens():
    values = np.array([0.0, 1, 2, 3, 4, 5, 6, 7, 8, 90])
    mean = trimmed_mean(values)
    pulled = np.array([2.0, 2, 2, 3, 4, 5, 6, 7, 7, 7])
    assert mean.value == 4.5
    assert mean.variance == pytest.approx(9 * pulled.var(ddof=1) / (6 * 5))
    assert mean.degrees == 5


def test_the_quickest_fifth_counts_and_the_next_says_how_surely():
    quiet = quickest_mean(np.array([1.0] * 8 + [2.0] * 12))
    busy = quickest_mean(np.array([1.0] * 4 + [1.6] * 16))
    assert (quiet.value, quiet.variance) == (1, 0)
    assert (busy.value, busy.variance) == (1, pytest.approx(0.2**2))


def rounds(times, yardstick=1e-3):
    return [Round(number, "s", seconds, yardstick) for number, seconds in enumerate(times)]


def test_a_machine_that_slows_everything_changes_nothing_but_the_width():
    calm = ratio_of_runs(rounds([1.0] * 10), rounds([1.0] * 10))
    slow = ratio_of_runs(rounds([1.5] * 10, 1.5e-3), rounds([1.0] * 10))
    assert calm.ratio == pytest.approx(1)
    assert slow.ratio == pytest.approx(1)
    assert slow.high > calm.high > 1.05


def test_without_rounds_only_a_factor_of_two_shows():
    assert [says(ratio_without_rounds(math.log(factor))) for factor in (0.4, 1.9, 2.2)] == ["faster", "same", "slower"]


def test_scatter_is_learnt_from_runs_of_the_same_code():
    def runs(deviation, count=12):
        chance = np.random.default_rng(1)
        return [Mean(chance.normal(0, deviation), 0.001**2, 5) for _ in range(count)]

    wild, calm = learn_scatter([runs(0.10)]), learn_scatter([runs(0.005)])
    assert wild.deviation > 0.045
    assert calm.deviation < Scatter().deviation
    assert learn_scatter([runs(0.10)[:1]]) == Scatter()
    assert learn_scatter([runs(0.10)] * 5).degrees == wild.degrees  # units of a run share its state
