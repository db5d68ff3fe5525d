"""Occupancy grids and cost maps: messages of robots as grids, and back."""

import array

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import waygrid as wg

pytestmark = pytest.mark.quick

SHAPES = st.tuples(st.integers(1, 9), st.integers(1, 9))


@settings(max_examples=60, deadline=None)
@given(npst.arrays(np.int8, SHAPES, elements=st.integers(-1, 100)), st.integers(1, 100), st.booleans(), st.booleans())
def test_every_cell_of_an_occupancy_grid(cells, threshold, free, weighted):
    height, width = cells.shape
    unknown = "free" if free else "wall"
    grid = wg.Grid.from_occupancy(
        array.array("b", cells.tobytes()),
        width,
        height,
        0.1,
        (1, 2),
        unknown=unknown,
        threshold=threshold,
        weighted=weighted,
    )
    for (y, x), value in np.ndenumerate(cells):
        assert grid.passable[y, x] == (free if value == -1 else value < threshold)
        if grid.passable[y, x]:
            weight = 1 if grid.weights is None else grid.weights[y, x]
            assert weight == (value + 1 if weighted and value >= 0 else 1)
    np.testing.assert_allclose(grid.to_world((0, 0)), (1.05, 2.05))
    back = grid.to_occupancy()
    assert back.dtype == np.int8
    again = wg.Grid.from_occupancy(back, width, height, *grid.to_pose(), threshold=100, weighted=True)
    np.testing.assert_array_equal(again.passable, grid.passable)
    np.testing.assert_array_equal(again.to_occupancy(), back)


@settings(max_examples=60, deadline=None)
@given(npst.arrays(np.uint8, SHAPES), st.booleans())
def test_every_cell_of_a_cost_map(cells, free):
    height, width = cells.shape
    grid = wg.Grid.from_costmap(cells.ravel(), width, height, 0.1, unknown="free" if free else "wall")
    for (y, x), value in np.ndenumerate(cells):
        assert grid.passable[y, x] == (free if value == 255 else value < 253)
        if grid.passable[y, x]:
            assert (1 if grid.weights is None else grid.weights[y, x]) == (1 if value == 255 else int(value) + 1)
    again = wg.Grid.from_costmap(grid.to_costmap(), width, height, 0.1)
    assert again == grid


def test_messages_of_maps_whose_row_0_is_the_top(tmp_path):
    grid = wg.Grid(["5..", "##."], georeference=wg.Georeference.from_resolution(0.5, (-3, -2), 0.25, image_height=2))
    data, (resolution, origin) = grid.to_occupancy(), grid.to_pose()
    assert data.tolist() == [100, 100, 0, 4, 0, 0]
    assert (resolution, origin) == (pytest.approx(0.5), pytest.approx((-3, -2, 0.25)))
    read = wg.Grid.from_occupancy(data, 3, 2, resolution, origin, weighted=True)
    for x in range(3):
        for y in range(2):
            there = read.to_cell(grid.to_world((x, y)))
            assert there == (x, 1 - y)
            assert read.passable[there[1], there[0]] == grid.passable[y, x]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: wg.Grid.from_occupancy([0, 0], 3, 1, 0.1),
            "data has shape (2,) of int64; 3 x 1 cells need 3 integers",
        ),
        (lambda: wg.Grid.from_occupancy([0.5], 1, 1, 0.1), "data has shape (1,) of float64"),
        (lambda: wg.Grid.from_occupancy([0, 101], 2, 1, 0.1), "occupancy 101 at (1, 0); allowed are -1 (unknown)"),
        (lambda: wg.Grid.from_occupancy([0, -2], 2, 1, 0.1), "occupancy -2 at (1, 0)"),
        (lambda: wg.Grid.from_occupancy([0], 0, 1, 0.1), "width is 0"),
        (lambda: wg.Grid.from_occupancy([0], 1, 1, 0), "resolution is 0"),
        (lambda: wg.Grid.from_occupancy([0], 1, 1, 0.1, (1,)), "origin is (1,); allowed are (x, y) and (x, y, yaw)"),
        (lambda: wg.Grid.from_occupancy([-1, 0], 2, 1, 0.1, unknown="error"), "1 cells are unknown"),
        (
            lambda: wg.Grid.from_occupancy([0], 1, 1, 0.1, unknown=None),
            "unknown is None; allowed are wall, free, error",
        ),
        (lambda: wg.Grid.from_costmap([256], 1, 1, 0.1), "cost 256 at (0, 0); allowed are 0 to 255"),
        (lambda: wg.Grid(["."]).to_pose(), "the grid has no coordinates"),
        (lambda: wg.Grid([[1]], weights=[[102]]).to_occupancy(), "an occupancy grid can store weights of 1 to 100"),
        (lambda: wg.Grid([[1]], weights=[[254]]).to_costmap(), "a cost map can store weights of 1 to 253"),
        (lambda: wg.Grid.from_costs([[0.5]], scale=0.5).to_costmap(), "cannot store the scale 0.5"),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises(wg.WaygridError) as error:
        call()
    assert words in str(error.value)


def test_one_way_tiles_are_no_part_of_messages():
    grid = wg.Grid([".."])
    grid.set_one_way((0, 0), ["E"])
    with pytest.raises(wg.WaygridError, match="one-way tiles"):
        grid.to_occupancy()
