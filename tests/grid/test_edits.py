"""Patches laid over a map, and the list of what edits changed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.grid import edits

pytestmark = pytest.mark.quick


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_a_patch_changes_its_cells_and_nothing_else(seed, weighted):
    rng = np.random.default_rng(seed)
    height, width = rng.integers(1, 20, 2).tolist()
    passable = rng.random((height, width)) < 0.7
    weights = rng.integers(1, 9, (height, width)) if weighted else None
    grid = wg.Grid(passable, weights=weights)
    _ = grid.components  # so that they are repaired
    for version in range(1, 6):
        x, y = int(rng.integers(width)), int(rng.integers(height))
        patch = rng.random((int(rng.integers(1, height - y + 1)), int(rng.integers(1, width - x + 1)))) < 0.6
        prices = rng.integers(1, 9, patch.shape) if weighted and version % 2 else None
        grid.paste(patch, x, y, weights=prices)
        part = slice(y, y + patch.shape[0]), slice(x, x + patch.shape[1])
        passable[part] = patch
        if prices is not None:
            weights[part] = prices
        fresh = wg.Grid(passable, weights=weights)
        assert (grid.passable == passable).all()
        assert (grid.moves == fresh.moves).all()
        assert grid == fresh
        assert grid.version == version


@pytest.mark.parametrize(
    ("patch", "place", "words"),
    [
        (["##"], (3, 0), "x = 3 does not place 2 cells inside the map; allowed are 0 to 2"),
        (["##"], (0, -1), "y = -1 does not place 1 cells inside the map; allowed are 0 to 2"),
        (["##"], (1.0, 0), "x = 1.0"),
        (["....."], (0, 0), "it is larger than the map, 4"),
        ([], (0, 0), "at least 1 x 1"),
        ([[2]], (0, 0), "the map holds 2 at (0, 0)"),
        (["##", "#"], (0, 0), "a row of 1 cells; the first row has 2"),
    ],
)
def test_patches_that_do_not_fit_are_refused_and_change_nothing(patch, place, words):
    grid = wg.Grid(["....", "....", "...."])
    with pytest.raises(wg.WaygridError) as caught:
        grid.paste(patch, *place)
    assert words in str(caught.value)
    assert grid.passable.all()
    assert grid.version == 0


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_the_boxes_of_edits_hold_all_that_changed(seed):
    """Also of edits so long ago that they are no longer listed one by one."""
    rng, kept = np.random.default_rng(seed), edits._KEPT
    edits._KEPT = 20
    try:
        grid = wg.Grid(np.ones((30, 40), bool))
        maps = [grid.passable.copy()]
        for _ in range(int(rng.integers(1, 150))):
            x, y = int(rng.integers(40)), int(rng.integers(30))
            grid.set_passable((slice(x, x + int(rng.integers(0, 4))), slice(y, y + 2)), bool(rng.integers(2)))
            maps.append(grid.passable.copy())
        for version in (0, grid.version // 2, grid.version):
            boxes = grid.edits_since(version)
            assert len(boxes) <= edits.MOST_BOXES
            inside = np.zeros((30, 40), bool)
            for x0, y0, x1, y1 in boxes:
                assert 0 <= x0 < x1 <= 40
                assert 0 <= y0 < y1 <= 30
                inside[y0:y1, x0:x1] = True
            for before in maps[version:]:
                assert inside[before != maps[version]].all()
        assert grid.edits_since(grid.version) == []
    finally:
        edits._KEPT = kept


@pytest.mark.parametrize("version", [-1, 2, 1.0, "1", True, None])
def test_versions_that_never_were_are_refused(version):
    grid = wg.Grid(["...."])
    grid.set_passable((1, 0), False)
    with pytest.raises(wg.WaygridError, match=r"version is .*; allowed are the integers 0 to 1"):
        grid.edits_since(version)


def test_a_grid_is_pasted_with_its_weights():
    town = wg.Grid(["....", "....", "...."])
    town.paste(wg.Grid(["#.", ".."], weights=[[1, 2], [3, 4]]), 1, 1)
    assert town.passable[1:, 1:3].tolist() == [[False, True], [True, True]]
    assert town.weights[1:, 1:].tolist() == [[1, 2, 1], [3, 4, 1]]
    town.paste(wg.Grid([".."]), 1, 1)
    assert town.weights[1].tolist() == [1, 1, 2, 1]  # a grid without weights leaves them
    with pytest.raises(wg.WaygridError, match=r"the grid has scale 0.1; allowed is that of this map, 1"):
        town.paste(wg.Grid.from_costs([[1.5, 2.0]]), 0, 0)
    with pytest.raises(wg.WaygridError, match="at least 1 x 1; this is None"):
        town.paste(None, 0, 0)
