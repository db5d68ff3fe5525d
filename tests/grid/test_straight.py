"""The check of straight legs against the same rules step by step in fractions, and paths that must pass or fail it."""

import leg_oracle
import numpy as np
import pytest
from cases import cases, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.grid.straight import first_bad_leg

pytestmark = pytest.mark.quick

SQUARES = ("tile", "octile")


@settings(max_examples=300)
@given(
    cases(topologies=SQUARES, weighted=False), st.lists(st.tuples(*2 * [st.integers(-1, 20)]), min_size=1, max_size=5)
)
def test_legs_that_may_touch_walls_as_in_fractions(case, halves):
    grid = grid_of(case)
    points = [(x / 2, y / 2) for x, y in halves if x % 2 == y % 2 and x <= 2 * grid.width and y <= 2 * grid.height]
    if points:
        assert first_bad_leg(grid, points, "corners") == leg_oracle.first_bad_leg(grid, points, "corners")


@settings(max_examples=100)
@given(cases(topologies=SQUARES, one_way=False, weighted=False), st.integers(0, 99))
def test_shortest_paths_as_in_fractions(case, seed):
    grid = grid_of(case)
    finder = wg.make_finder("anya", grid)
    for start, goal in pairs_of(case, 4, seed):
        path = finder.find(start, goal)
        if path.status.name != "FOUND":
            continue
        assert first_bad_leg(grid, path.points, "corners") is None
        assert leg_oracle.first_bad_leg(grid, path.points, "corners") is None
        for moved in (np.array([0, 1.0]), np.array([-0.5, 0.5])):
            bent = path.points.copy()
            bent[len(bent) // 2] += moved
            assert first_bad_leg(grid, bent, "corners") == leg_oracle.first_bad_leg(grid, bent, "corners")


@settings(max_examples=200)
@given(cases(topologies=SQUARES, weighted=False), st.integers(0, 99))
def test_legs_between_centres_as_in_fractions(case, seed):
    grid = grid_of(case)
    for leg in pairs_of(case, 6, seed):
        assert first_bad_leg(grid, leg) == leg_oracle.first_bad_leg(grid, leg)
