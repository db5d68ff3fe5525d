"""Lines of sight against brute force in fractions, on all grids and under all rules."""

import pytest
import sight_oracle as oracle
from cases import cases, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.core import sight
from waygrid.grid.straight import first_bad_leg, place_centres

pytestmark = pytest.mark.quick


def sees(grid, here, there):
    table = grid.table
    return bool(sight.sees(table.moves, table.walk, table.geo, *here, *there))


@settings(max_examples=300)
@given(cases(), st.integers(0, 99))
def test_a_leg_is_legal_where_brute_force_says_so(case, seed):
    grid = grid_of(case)
    for here, there in pairs_of(case, 12, seed):
        legal = oracle.is_legal(case, here, there)
        assert sees(grid, here, there) == legal, (here, there)
        fault = first_bad_leg(grid, place_centres([here, there], grid.topology))
        assert (fault is None) == legal, fault


@settings(max_examples=200)
@given(cases(largest=7, weighted=False), st.integers(0, 99))
def test_a_leg_of_one_move_is_legal_exactly_where_the_move_is(case, seed):
    grid = grid_of(case)
    for here, _ in pairs_of(case, 6, seed):
        allowed = {(x, y) for x, y, _ in case.neighbours(*here)}
        for dx, dy in case.steps(here[0]).values():
            there = here[0] + dx, here[1] + dy
            if 0 <= there[0] < grid.width and 0 <= there[1] < grid.height:
                assert sees(grid, here, there) == (there in allowed), (here, there)


@pytest.mark.parametrize(
    ("corners", "one", "two"), [("never", False, False), ("one", True, False), ("always", True, True)]
)
def test_corner_rules_decide_what_passes_a_corner(corners, one, two):
    """The leg from (0, 0) to (3, 1) crosses sides and, in its middle, the corner between (1, 0) and (2, 1)."""
    beside_one = wg.Grid(["....", "...."], corners=corners)
    beside_one.set_passable((2, 0), False)
    assert sees(beside_one, (0, 0), (3, 1)) == one
    beside_one.set_passable((1, 1), False)
    assert sees(beside_one, (0, 0), (3, 1)) == two


def test_a_large_agent_needs_room_all_the_way():
    grid = wg.Grid([".....", ".....", ".....", "..#.."], clearance=2)
    assert sees(grid, (0, 1), (3, 1))
    assert not sees(grid, (0, 2), (3, 1))


def test_what_is_no_point_of_the_model_is_refused():
    grid = wg.Grid(["..", ".."])
    assert "no centre" in first_bad_leg(grid, [(0, 0), (0.5, 1)])
    assert "no centre or corner" in first_bad_leg(grid, [(0, 0), (0.25, 1)], "corners")
