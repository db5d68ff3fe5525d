"""The compiled move table against the rules, written down one cell at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.core import moves

RULES = [("octile", "never"), ("octile", "one"), ("octile", "always"), ("tile", "never"), ("hex", "never")]


def assert_each_byte_is_right(grid):
    """Compare every byte with the one that is found for its cell alone."""
    table = grid.table
    for y in range(grid.height):
        for x in range(grid.width):
            assert grid.moves[y, x] == moves.move_byte(table.walk, table.exits, table.geo, x, y), (x, y)


@pytest.mark.parametrize(("topology", "corners"), RULES)
@settings(max_examples=15, deadline=None)
@given(data=st.data(), width=st.integers(1, 90), height=st.integers(1, 40), seed=st.integers(0, 2**32 - 1))
def test_whole_rows_are_compiled_as_cells_are(topology, corners, data, width, height, seed):
    chance = np.random.default_rng(seed)
    grid = wg.Grid(chance.random((height, width)) > 0.3, topology=topology, corners=corners)
    assert_each_byte_is_right(grid)
    grid.set_one_way((data.draw(st.integers(0, width - 1)), 0), grid.directions[:2])
    x, y = data.draw(st.integers(0, width)), data.draw(st.integers(0, height))
    for value in (True, False):  # edits of less than the whole map, some of many cells
        grid.set_passable((slice(0, x), slice(0, y)), value)
        grid.set_passable((slice(x, width), slice(y, height)), value)
        assert_each_byte_is_right(grid)


@settings(max_examples=60, deadline=None)
@given(width=st.integers(1, 70), height=st.integers(1, 5), seed=st.integers(0, 2**32 - 1), share=st.floats(0, 1))
def test_bounds_of_weights_leave_walls_out(width, height, seed, share):
    chance = np.random.default_rng(seed)
    passable = chance.random((height, width)) < share
    weights = chance.integers(1, 65536, (height, width))
    for grid, prices in ((wg.Grid(passable), passable * 1), (wg.Grid(passable, weights=weights), weights)):
        counted = prices[passable] if passable.any() else np.array([1])
        total = int(counted.sum()) if passable.any() else 0
        assert grid.table.max_weight == counted.max()
        assert grid.table.geo[moves.at.MIN_WEIGHT] == counted.min()
        assert grid.table.longest == total * grid.table.geo[moves.at.DIAGONAL]
