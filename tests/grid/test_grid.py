"""Grids: construction, edits, the move table against the oracle's rules, components, errors."""

import numpy as np
import pytest
from cases import cases, grid_of
from edited import same_parts
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg

pytestmark = pytest.mark.quick


def legal_moves(grid):
    """The move table as a set of (from, to)."""
    found = set()
    moves = grid.moves
    steps = {name: number for number, name in enumerate(grid.directions)}
    for y in range(grid.height):
        for x in range(grid.width):
            up, down = (-1, 0) if x % 2 else (0, 1)
            shifted = grid.topology in ("hex", "tex")
            for name, bit in steps.items():
                dx = ("E" in name) - ("W" in name)
                dy = ("S" in name) - ("N" in name)
                if shifted and dx:
                    dy = up if "N" in name else down
                if moves[y, x] >> bit & 1:
                    found.add(((x, y), (x + dx, y + dy)))
    return found


@settings(max_examples=400)
@given(cases(largest=8))
def test_move_table_is_what_the_rules_say(case):
    expected = {((x, y), (a, b)) for x, y in case.cells() for a, b, _ in case.neighbours(x, y)}
    assert legal_moves(grid_of(case)) == expected


@settings(max_examples=300)
@given(cases(largest=9), st.data())
def test_edits_recompile_what_a_new_grid_would_have(case, data):
    grid = grid_of(case)
    assert grid.components.shape == case.passable.shape  # the table exists before the edits
    for version in range(1, 5):
        x = data.draw(st.integers(0, grid.width - 1))
        y = data.draw(st.integers(0, grid.height - 1))
        value = data.draw(st.booleans())
        form = data.draw(st.sampled_from(("cell", "slices", "mask")))
        if form == "cell":
            case.passable[y, x] = value
            grid.set_passable((x, y), value)
        elif form == "slices":
            case.passable[y:, : x + 1] = value
            grid.set_passable((slice(0, x + 1), slice(y, None)), value)
        else:
            mask = np.zeros(case.passable.shape, bool)
            mask[y, :] = mask[0, x] = True
            case.passable[mask] = value
            grid.set_passable(mask, value)
        assert grid.version == version + len(case.one_way)
        fresh = grid_of(case)
        assert (grid.moves == fresh.moves).all()
        assert same_parts(grid.components, fresh.components)
        assert grid == fresh


@settings(max_examples=200)
@given(cases(one_way=False))
def test_components_are_the_cells_that_reach_each_other(case):
    labels = grid_of(case).components
    cells = case.cells()
    assert (labels >= 0).sum() == len(cells)
    for start in cells[:3]:
        reach = set(case.moves_away(start))
        same = {cell for cell in cells if labels[cell[1], cell[0]] == labels[start[1], start[0]]}
        assert reach == same


@settings(max_examples=150)
@given(cases())
def test_reversed_moves_are_the_moves_backwards(case):
    grid = grid_of(case)
    table = grid.table
    forward = legal_moves(grid)
    table.moves[:] = table.reverse.copy()
    assert legal_moves(grid) == {(b, a) for a, b in forward}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: wg.Grid([[1, 1], [1]]), "row 1 of the map has 1 cells, row 0 has 2"),
        (lambda: wg.Grid([]), "at least 1 x 1"),
        (lambda: wg.Grid(np.ones((2, 2, 2))), "(2, 2, 2)"),
        (lambda: wg.Grid(np.array([["a"]])), "numbers"),
        (lambda: wg.Grid([[1]], topology="cube"), "'cube'; allowed are tile, octile, hex, tex"),
        (lambda: wg.Grid([[1]], corners="maybe"), "never, one, always"),
        (lambda: wg.Grid([[1]], metric="miles"), "'miles'; allowed are octile, dba, kumar, bg, unit"),
        (lambda: wg.Grid([[1]], metric=(3, 7)), "0 < cardinal <= diagonal <= 2 * cardinal"),
        (lambda: wg.Grid([[1]], metric=(1.5, 2)), "pair of integers"),
        (lambda: wg.Grid([[1, 1]], weights=[[1, 0]]), "weight 0 at (1, 0); allowed are 1 to 65535"),
        (lambda: wg.Grid([[1, 1]], weights=[[1], [1]]), "(2, 1)"),
        (lambda: wg.Grid([[1]], weights=[[0.5]]), "integers from 1"),
        (lambda: wg.Grid([[1]], clearance=0), "clearance is 0"),
        (lambda: wg.Grid([[1]], topology="hex", clearance=2), "square cells"),
        (lambda: wg.Grid([[1]]).set_passable((1, 0), True), "x = 1 is outside the map; allowed are 0 to 0"),
        (lambda: wg.Grid([[1]]).set_passable((0, -1), True), "y = -1"),
        (lambda: wg.Grid([[1]]).set_passable(np.ones((2, 2), bool), True), "(2, 2)"),
        (lambda: wg.Grid([[1]]).set_passable("here", True), "names no cells"),
        (lambda: wg.Grid([[1]]).set_weight((0, 0), 65536), "weight is 65536"),
        (lambda: wg.Grid([[1]], topology="tile").set_one_way((0, 0), ["NE"]), "'NE'; allowed are N, E, S, W"),
    ],
)
def test_bad_input_is_told_in_one_sentence(call, words):
    with pytest.raises(wg.WaygridError) as caught:
        call()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.sampled_from(("tile", "octile", "hex", "tex")))
def test_components_follow_many_small_edits(seed, topology):
    """On maps larger than the patched window, with walls that split and join parts."""
    rng = np.random.default_rng(seed)
    passable = rng.random((24, 30)) > rng.choice((0.1, 0.35, 0.5))
    grid = wg.Grid(passable, topology=topology, clearance=int(rng.integers(1, 3)) if topology == "octile" else 1)
    for _ in range(12):
        x, y = int(rng.integers(30)), int(rng.integers(24))
        grid.set_passable((slice(x, x + int(rng.integers(1, 4))), y), bool(rng.integers(2)))
        fresh = wg.Grid(grid.passable, topology=topology, clearance=grid.clearance)
        assert same_parts(grid.components, fresh.components)


def test_views_cannot_be_written():
    grid = wg.Grid([[1, 1]], weights=[[1, 2]])
    for array in (grid.passable, grid.weights, grid.moves, grid.components):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 0


def test_the_callers_arrays_are_not_kept():
    passable, weights = np.ones((2, 2), bool), np.ones((2, 2), np.uint16)
    grid = wg.Grid(passable, weights=weights)
    passable[0, 0] = False
    weights[0, 0] = 9
    assert grid.passable.all()
    assert grid.weights[0, 0] == 1


def test_weight_edits_keep_heuristics_admissible():
    """All weights 5: the estimate counts on 5. Lowering a corridor to 1 must lower the estimate too."""
    grid = wg.Grid(np.ones((9, 9), bool), weights=np.full((9, 9), 5))
    finder = wg.make_finder("astar", grid)
    assert finder.find((0, 0), (8, 0)).cost == 40
    for x in range(9):
        grid.set_weight((x, 8), 1)
    grid.set_weight((0, slice(0, 9)), 1)
    grid.set_weight((8, slice(0, 9)), 1)
    assert finder.find((0, 0), (8, 0)).cost == wg.make_finder("dijkstra", grid).find((0, 0), (8, 0)).cost


def test_clearance_in_words():
    """A 2 x 2 agent does not fit through a gap of one cell."""
    rows = ["....#....", "....#....", ".........", "....#....", "....#...."]
    passable = [[c == "." for c in row] for row in rows]
    small, big = wg.Grid(passable), wg.Grid(passable, clearance=2)
    assert wg.make_finder("astar", small).find((0, 0), (7, 0)).status == wg.Status.FOUND
    assert wg.make_finder("astar", big).find((0, 0), (7, 0)).status == wg.Status.UNREACHABLE
    big.set_passable((4, 1), True)
    assert wg.make_finder("astar", big).find((0, 0), (7, 0)).status == wg.Status.FOUND


def test_saving_one_way_tiles_is_refused(tmp_path):
    grid = wg.Grid([[1, 1]])
    grid.set_one_way((0, 0), ["E"])
    with pytest.raises(wg.WaygridError, match="one-way"):
        grid.save(tmp_path / "a.map")
    grid.set_one_way((0, 0), None)
    grid.save(tmp_path / "a.map")
    assert wg.Grid.from_file(tmp_path / "a.map") == grid
