"""Costs as weights: the scale that is chosen, what is lost, walls, blocks of rows, memory."""

import math
import tracemalloc

import numpy as np
import pytest
from formats.support import quick, refused
from hypothesis import given
from hypothesis import strategies as st

import waygrid as wg
from waygrid.formats import costs as module
from waygrid.formats import rules

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("costs", "scale", "rounding"),
    [
        ([[1.0, 65535.0]], 1, 0),
        ([[1.5, 2.0]], 0.1, 0),
        ([[0.25, 12.75]], 0.01, 0),
        ([[0.000001, 0.05]], 1e-6, 0),
        ([[0.1 + 0.2, 0.7]], 0.1, 0),  # what a float is off anyway
        ([[1 / 3, 2 / 3]], 2e-4, 1e-4),  # a thousand steps of the smallest
        ([[1 / 3, 200 / 3]], 0.002, 1e-3),  # fewer, so that the largest fits
        ([[np.nan, np.inf]], 1, 0),
        (np.array([[0.1, 0.7]], np.float32), 0.1, 0),
        (np.array([[0.5, 2]], np.float16), 0.1, 0),
    ],
)
def test_a_scale_is_chosen_and_what_it_loses_is_reported(costs, scale, rounding):
    grid = wg.Grid.from_costs(costs)
    array = np.asarray(costs, np.float64)
    assert grid.scale == scale
    assert grid.rounding <= rounding
    kept = np.ones(array.shape) if grid.weights is None else grid.weights
    off = np.abs(kept * grid.scale - array)[np.isfinite(array)]
    assert grid.rounding == pytest.approx(off.max(initial=0), abs=1e-7)
    assert grid.copy().rounding == grid.rounding


@quick
@given(st.floats(1e-9, 1e9), st.floats(1, 6000), st.integers(0, 2**32 - 1))
def test_a_chosen_scale_fits_and_changes_no_cost_by_more_than_5_percent(least, spread, seed):
    costs = least * np.random.Generator(np.random.PCG64(seed)).uniform(1, spread, (5, 7))
    grid = wg.Grid.from_costs(costs)
    weights = np.ones(costs.shape) if grid.weights is None else grid.weights
    assert (np.abs(weights * grid.scale - costs) <= costs / 20).all()
    assert np.abs(weights * grid.scale - costs).max() == pytest.approx(grid.rounding)


def test_integers_are_never_rounded_unasked():
    assert wg.Grid.from_costs(np.array([[10, 65530]])).scale == 1
    message = refused(lambda: wg.Grid.from_costs(np.array([[10, 5], [90000, 8]])))
    assert "cost 90000 at (0, 1) is 90000 steps of scale 1" in message
    grid = wg.Grid.from_costs(np.array([[10, 90000]]), scale=4)
    assert (grid.weights.tolist(), grid.rounding) == ([[2, 22500]], 2)


def test_costs_that_are_all_one_step_are_no_weights():
    grid = wg.Grid.from_costs([[0.5, np.nan, 0.5]])
    assert (grid.weights.tolist(), grid.scale) == ([[5, 1, 5]], 0.1)
    grid = wg.Grid.from_costs([[0.5, np.nan, 0.5]], scale=0.5)
    assert (grid.weights, grid.scale) == (None, 0.5)
    assert wg.make_finder("jps+", wg.Grid.from_costs([[0.5, 0.5]], 0.5)).find((0, 0), (1, 0)).cost == 0.5


@pytest.mark.parametrize("nodata", [-1, [-1], (-1, 0), {-1, 7}, np.float32(-1)])
def test_one_or_several_values_mark_walls(nodata):
    grid = wg.Grid.from_costs(np.array([[-1, 3, -1]], np.int16), nodata=nodata)
    assert grid.passable.tolist() == [[False, True, False]]


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "u4", "i8", "f2", "f4", "f8"])
def test_all_types_and_orders_of_memory(dtype):
    costs = np.random.default_rng(1).integers(1, 100, (6, 5)).astype(dtype)
    for array in (costs, np.asfortranarray(costs), costs[::-1], costs[:, ::2], costs.astype(f">{dtype}")):
        grid = wg.Grid.from_costs(array)
        assert grid.weights.tolist() == array.astype(int).tolist()
        assert grid.scale == 1


def test_blocks_of_rows_give_what_the_whole_gives(monkeypatch):
    rng = np.random.default_rng(2)
    costs = rng.uniform(0.5, 9, (37, 11)).round(3)
    costs[rng.random(costs.shape) < 0.2] = np.nan
    whole = wg.Grid.from_costs(costs)
    monkeypatch.setattr(rules, "BLOCK_CELLS", 25)
    assert wg.Grid.from_costs(costs) == whole
    assert wg.Grid.from_costs(np.ma.masked_invalid(costs)) == whole
    costs[31, 4] = -2
    assert "cost -2.0 at (4, 31)" in refused(lambda: wg.Grid.from_costs(costs))
    costs[31, 4], costs[30, 2] = 1e7, math.inf
    message = refused(lambda: wg.Grid.from_costs(costs))
    assert "to 1e+07 at (4, 31)" in message
    assert "cost 10000000.0 at (4, 31)" in refused(lambda: wg.Grid.from_costs(costs, scale=1))


def test_the_choice_of_a_scale_names_the_ends_of_the_range():
    message = refused(lambda: wg.Grid.from_costs([[5.0, 1 / 3e4], [math.pi, 90.0]]))
    assert "costs go from 3.33333e-05 at (1, 0) to 90 at (1, 1)" in message
    assert "pass scale=0.002" in message


@pytest.mark.parametrize("options", [{}, {"scale": 0.01}])
@pytest.mark.parametrize("dtype", [np.uint16, np.float32])
def test_large_arrays_are_not_copied(dtype, options):
    """Three bytes per cell are the grid itself; what is computed on the way is a few blocks of rows."""
    if dtype == np.uint16 and options:
        options = {"scale": 2}
    costs = np.full((3000, 4000), 7, dtype)
    costs[5, 6] = 8
    wg.Grid.from_costs(costs[:2], **options)
    tracemalloc.start()
    try:
        grid = wg.Grid.from_costs(costs, **options)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert grid.weights is not None
    assert peak < 3 * costs.size + 45 * rules.BLOCK_CELLS


def test_the_nice_numbers():
    for value in np.geomspace(1e-12, 1e12, 400):
        low, high = module._nice(value, up=False), module._nice(value, up=True)
        assert low <= value <= high
        assert high <= 2.5 * low * (1 + 1e-12)


def test_costs_at_the_ends_of_what_floats_hold():
    for ends in ([5e-324, 1e-323], [5e-324, 1.0], [1e-300, 1e306]):
        assert f"costs go from {ends[0]:g} at (0, 0) to" in refused(lambda ends=ends: wg.Grid.from_costs([ends]))
    grid = wg.Grid.from_costs([[1e305, 2e305]])
    assert (grid.weights * grid.scale)[0].tolist() == pytest.approx([1e305, 2e305])


def test_equal_costs_under_the_rule_mean():
    for cost in (0.25, 1, 7.0):
        grid = wg.Grid.from_costs([[cost, cost, np.nan]], rule="mean")
        assert grid.rule == "mean"
        assert wg.make_finder("astar", grid).find((0, 0), (1, 0)).cost == cost
