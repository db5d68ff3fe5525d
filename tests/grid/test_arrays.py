"""What `Grid` accepts as a map: one rule for arrays, drawings, masked cells, weights and costs."""

import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import waygrid as wg
from waygrid.grid.legal import path_cost

pytestmark = pytest.mark.quick

MASKED = np.ma.masked_equal(np.array([[1, 1, -9999], [0, 1, 1]]), -9999)


# --- Walls -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "f4", "f8"])
def test_truth_values_and_0_1_are_walls(dtype):
    cells = np.array([[1, 0], [1, 1]])
    assert wg.Grid(cells.astype(dtype)).passable.tolist() == (cells != 0).tolist()


@pytest.mark.parametrize("hidden", [-9999, 1, 7, 255])
def test_masked_cells_are_walls(hidden):
    cells = np.ma.array([[1, hidden, 0]], mask=[[False, True, False]])
    assert wg.Grid(cells).passable.tolist() == [[True, False, False]]


def test_a_masked_boolean_and_an_array_without_mask():
    assert wg.Grid(np.ma.array([[True, True]], mask=[[0, 1]])).passable.tolist() == [[True, False]]
    assert wg.Grid(np.ma.array([[1, 0]])).passable.tolist() == [[True, False]]


@pytest.mark.parametrize("value", [-1, -9999, -0.5])
def test_negative_numbers_are_refused_with_what_reads_them(value):
    cells = np.array([[0, 1], [1, value]])
    with pytest.raises(wg.WaygridError) as caught:
        wg.Grid(cells)
    assert f"the map holds {cells[1, 1]} at (1, 1)" in str(caught.value)
    assert "wg.Grid(array == 0)" in str(caught.value)
    assert f"wg.Grid.from_costs(array, nodata={cells[1, 1]})" in str(caught.value)


@pytest.mark.parametrize("value", [2, 100, 255, 0.25, 1.5, math.nan, math.inf])
def test_other_numbers_are_refused_with_what_reads_them(value):
    with pytest.raises(wg.WaygridError) as caught:
        wg.Grid(np.array([[0, 1, value]]))
    assert "at (2, 0)" in str(caught.value)
    for hint in ("wg.Grid.from_costs(array)", "weights=", "wg.Grid(array > 0)"):
        assert hint in str(caught.value)


@settings(max_examples=60, deadline=None)
@given(npst.arrays(st.sampled_from([np.bool_, np.uint8, np.int16, np.float32]), (3, 2), elements=st.integers(0, 1)))
def test_arrays_and_npy_files_are_read_by_one_rule(tmp_path_factory, cells):
    file = tmp_path_factory.mktemp("npy") / "a.npy"
    np.save(file, cells)
    assert wg.Grid.from_file(file) == wg.Grid(cells)


@pytest.mark.parametrize("value", [-1, 2, 0.5, math.nan])
def test_npy_files_refuse_what_grids_refuse(tmp_path, value):
    np.save(tmp_path / "a.npy", np.array([[1, value]]))
    with pytest.raises(wg.WaygridError, match="from_costs"):
        wg.Grid.from_file(tmp_path / "a.npy")


# --- Drawings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "drawing", [["..#", "..."], ("..#\n", "...\n"), "..#\n...", "\n  ..#\n  ...\n", np.array(["..#", "..."])]
)
def test_rows_of_text_are_a_map(drawing):
    assert wg.Grid(drawing).passable.tolist() == [[True, True, False], [True, True, True]]


def test_digits_in_a_drawing_are_weights():
    assert wg.Grid([".3#"]).weights.tolist() == [[1, 3, 1]]
    assert wg.Grid(["..#"], weights=[[1, 3, 0]]).weights.tolist() == [[1, 3, 1]]
    with pytest.raises(wg.WaygridError, match="weights= is given too"):
        wg.Grid([".3#"], weights=[[1, 1, 1]])


@pytest.mark.parametrize(
    ("drawing", "words"), [(["..#", ".x."], "line 2, column 2: 'x'"), (["..", "..."], "line 2: a row of 3 cells")]
)
def test_bad_drawings_say_where(drawing, words):
    with pytest.raises(wg.WaygridError, match=words):
        wg.Grid(drawing)


def test_a_file_name_is_no_map(tmp_path):
    for name in ("map.png", tmp_path / "map.png"):
        with pytest.raises(wg.WaygridError, match=r"Grid\.from_file"):
            wg.Grid(name)


# --- Weights ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("under", [0, -5, 70000])
def test_the_weight_of_a_wall_means_nothing(under):
    grid = wg.Grid([[1, 0, 1]], weights=[[2, under, 3]])
    assert grid.weights.tolist() == [[2, 1, 3]]
    with pytest.raises(wg.WaygridError, match=rf"weight {under} at \(1, 0\)"):
        wg.Grid([[1, 1, 1]], weights=[[2, under, 3]])


def test_an_array_of_weights_with_0_in_walls():
    terrain = np.array([[1, 0, 4]])
    assert wg.Grid(terrain != 0, weights=terrain).weights.tolist() == [[1, 1, 4]]


def test_a_masked_weight_needs_a_wall():
    weights = np.ma.array([[1, 5]], mask=[[False, True]])
    assert wg.Grid([[1, 0]], weights=weights).weights.tolist() == [[1, 1]]
    with pytest.raises(wg.WaygridError, match=r"weight masked at \(1, 0\)"):
        wg.Grid([[1, 1]], weights=weights)


# --- Costs -----------------------------------------------------------------------------------------------------------


def test_integer_costs_are_weights():
    grid = wg.Grid.from_costs(np.array([[1, 300, 65535]]))
    assert grid.weights.tolist() == [[1, 300, 65535]]
    assert grid.scale == 1
    assert wg.make_finder("astar", grid).find((0, 0), (2, 0)).cost == 65835


def test_walls_among_costs():
    assert wg.Grid.from_costs(MASKED + 1).passable.tolist() == [[True, True, False], [True, True, True]]
    holes = np.array([[1.0, np.nan, np.inf, -9999]])
    assert wg.Grid.from_costs(holes, 1, nodata=-9999).passable.tolist() == [[True, False, False, False]]
    assert wg.Grid.from_costs(np.array([[0, 2]], np.uint8), nodata=0).passable.tolist() == [[False, True]]
    lowest = np.finfo(np.float32).min
    assert not wg.Grid.from_costs(np.array([[lowest]], np.float32), 1, nodata=float(lowest)).passable.any()


@pytest.mark.parametrize(
    ("costs", "options", "words"),
    [
        ([[1, 0]], {}, r"cost 0 at \(1, 0\); costs must be above 0.*nodata=0"),
        ([[1, -1]], {}, "nodata=-1"),
        ([[1.0, -np.inf]], {"scale": 1}, "cost -inf at"),
        (
            [[0.001, 10 / 3], [999.0, 0.5]],
            {},
            r"from 0.001 at \(0, 0\) to 999 at \(0, 1\); 65535 steps.*pass scale=0.02",
        ),
        ([[0.001, 2.0]], {"scale": 0.1}, r"cost 0.001 at \(0, 0\) is 0 steps of scale 0.1.*smaller scale"),
        ([[1, 65536]], {}, r"cost 65536 at \(1, 0\) is 65536 steps of scale 1.*larger scale"),
        ([[1e300]], {"scale": 1e-300}, "larger scale"),
        ([[True]], {}, "not bool"),
        ([1, 2], {}, "shape"),
        ([["a"]], {}, "not <U1"),
        ([[1], [1, 2]], {}, "row 1 of the map has 2 cells"),
        ([[1]], {"scale": 0}, "scale is 0"),
        ([[1]], {"scale": math.nan}, "scale is nan"),
        ([[1]], {"scale": "fine"}, "scale is 'fine'"),
        ([[1]], {"nodata": "none"}, "nodata is 'none'"),
        ([[1]], {"nodata": [0, "none"]}, "allowed are a number, several, and None"),
        (np.zeros((0, 3)), {}, "at least one cell"),
        (np.zeros((1, 65536)), {}, "at most 65535 per side"),
    ],
)
def test_bad_costs_are_refused(costs, options, words):
    with pytest.raises(wg.WaygridError, match=words):
        wg.Grid.from_costs(costs, **options)


def test_costs_come_out_in_the_callers_units():
    costs = np.random.default_rng(3).uniform(0.05, 4, (12, 15)).round(2)
    grid = wg.Grid.from_costs(costs, scale=0.01, topology="octile", corners="always")
    finder = wg.make_finder("astar", grid)
    path = finder.find((0, 0), (14, 11))
    by_hand = sum(
        costs[y, x] * (math.sqrt(2) if x != before_x and y != before_y else 1)
        for (before_x, before_y), (x, y) in pairwise(path)
    )
    assert path.cost == pytest.approx(by_hand)
    assert path_cost(grid, path.cells) == pytest.approx(by_hand)
    assert 0 < path.stats.estimate <= path.cost
    assert finder.find_many([(0, 0)], [(14, 11)]).costs[0] == path.cost
    assert finder.find_nearest((0, 0), {(14, 11)}).cost == path.cost
    assert finder.trace((0, 0), (14, 11)).path.cost == path.cost
    assert wg.distances(grid, (0, 0))[11, 14] == pytest.approx(by_hand)
    agent = wg.make_finder("lrta", grid).agent((0, 0), (1, 0))
    agent.step()
    assert agent.cost == pytest.approx(
        costs[agent.position[1], agent.position[0]] * (1 if agent.done else math.sqrt(2))
    )


def test_the_scale_stays_with_the_grid(tmp_path):
    grid = wg.Grid.from_costs([[0.5, 1.0]], scale=0.5)
    assert grid.copy().scale == pickle.loads(pickle.dumps(grid)).scale == 0.5
    assert grid.copy() == grid
    assert grid != wg.Grid([[1, 1]], weights=[[1, 2]])
    with pytest.raises(wg.WaygridError, match=r"cannot store the scale 0\.5"):
        grid.save(tmp_path / "a.npy")
    wg.Grid.from_costs([[5, 7]]).save(tmp_path / "b.npy")
    assert wg.Grid.from_file(tmp_path / "b.npy").weights.tolist() == [[5, 7]]
