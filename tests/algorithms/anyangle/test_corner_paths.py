"""The shortest paths of a point among walls: anya and taut against a brute-force visibility graph, and each other."""

import pickle
from itertools import pairwise

import bends_oracle as oracle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.anyangle import anya_rows, anya_sight, taut_build
from waygrid.algorithms.anyangle.taut_work import map_corners

BOTH = ("anya", "taut")
RULES = [("never", 1), ("one", 1), ("always", 1), ("always", 2), ("never", 3)]


def scatter(rng, most=12):
    """Return a random map."""
    width, height = rng.integers(2, most + 1, 2)
    passable = rng.random((height, width)) >= rng.choice((0.05, 0.15, 0.25, 0.4))
    passable[0, 0] = True
    return passable


def draw(passable):
    return "\n" + "\n".join("".join(".#"[not cell] for cell in row) for row in passable)


def ask_all(finder, cells):
    """Return a batch from every cell to every other."""
    count = len(cells)
    return finder.find_many(np.repeat(cells, count, axis=0), np.tile(cells, (count, 1)), 1)


@pytest.mark.quick
@pytest.mark.parametrize(("corners", "clearance"), RULES)
@pytest.mark.parametrize("name", BOTH)
def test_lengths_are_those_of_the_visibility_graph(name, corners, clearance):
    rng = np.random.default_rng(clearance + len(corners))
    for _ in range(12):
        passable = scatter(rng)
        cells, lengths = oracle.all_lengths(passable, corners, clearance)
        if len(cells) == 0:
            continue
        grid = wg.Grid(passable, corners=corners, clearance=clearance)
        batch = ask_all(wg.make_finder(name, grid), cells)
        np.testing.assert_allclose(
            batch.costs.reshape(lengths.shape), lengths, rtol=0, atol=1e-9, err_msg=draw(passable)
        )
        for number in rng.integers(0, len(batch), 25):
            path = batch[number]
            if path:
                assert path.is_valid(grid), draw(passable)
                legs = np.diff(path.points, axis=0)
                assert path.cost == pytest.approx(np.hypot(*legs.T).sum(), abs=1e-12)
                assert (legs[:-1, 0] * legs[1:, 1] != legs[:-1, 1] * legs[1:, 0]).all()  # it bends at every point


@pytest.mark.parametrize("name", BOTH)
def test_tile_grids_have_the_corners_of_never(name):
    rng = np.random.default_rng(8)
    for _ in range(10):
        passable = scatter(rng, 8)
        cells, lengths = oracle.all_lengths(passable)
        grid = wg.Grid(passable, topology="tile")
        np.testing.assert_allclose(
            ask_all(wg.make_finder(name, grid), cells).costs.reshape(lengths.shape), lengths, atol=1e-9
        )


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.sampled_from(("never", "always")))
def test_both_agree_on_larger_maps(seed, corners):
    rng = np.random.default_rng(seed)
    kind = ("caves", "rooms", "random", "indoor")[seed % 4]
    grid = wg.generate(kind, width=70, height=40 + seed % 40, seed=seed, corners=corners)
    ys, xs = np.nonzero(grid.passable)
    picks = rng.integers(0, len(xs), (2, 60))
    ends = [np.stack((xs[pick], ys[pick]), axis=1) for pick in picks]
    anya, taut = (wg.make_finder(name, grid).find_many(*ends, 1) for name in BOTH)
    np.testing.assert_allclose(anya.costs, taut.costs, rtol=0, atol=1e-9)
    for path in (*anya, *taut):
        assert not path or path.is_valid(grid)


@pytest.mark.quick
def test_between_walls_that_touch_a_path_passes_only_under_always():
    passable = np.array([[1, 0], [0, 1]])
    for name in BOTH:
        assert (
            wg.make_finder(name, wg.Grid(passable, corners="one")).find((0, 0), (1, 1)).status == wg.Status.UNREACHABLE
        )
        path = wg.make_finder(name, wg.Grid(passable, corners="always")).find((0, 0), (1, 1))
        assert path.cost == pytest.approx(2**0.5)


@pytest.mark.quick
@pytest.mark.parametrize("name", BOTH)
def test_a_path_bends_at_the_corner_of_a_wall(name):
    grid = wg.Grid(["...", ".#.", "..."])
    path = wg.make_finder(name, grid).find((0, 1), (2, 2))
    assert path.points.tolist() == [[0, 1], [0.5, 1.5], [2, 2]]
    assert path.cells.tolist() == [[0, 1], [1, 2], [2, 2]] or path.is_valid(grid)
    assert path.cost == pytest.approx(0.5**0.5 + 2.5**0.5)
    assert wg.make_finder(name, grid).find((0, 0), (0, 0)).points.tolist() == [[0, 0]]


@pytest.mark.parametrize("name", BOTH)
def test_batches_threads_copies_and_costs(name):
    grid = wg.generate("caves", width=50, height=40, seed=3)
    finder = wg.make_finder(name, grid)
    ys, xs = np.nonzero(grid.passable)
    picks = np.random.default_rng(1).integers(0, len(xs), (2, 80))
    starts, goals = (np.stack((xs[pick], ys[pick]), axis=1) for pick in picks)
    costs = finder.find_many(starts, goals, 1).costs
    assert (finder.find_many(starts, goals, 3).costs == costs).all()
    assert (finder.find_many(starts, goals, paths=False).costs == costs).all()
    assert (pickle.loads(pickle.dumps(finder)).find_many(starts, goals).costs == costs).all()
    assert (finder.costs(starts, goals, pairs=True) == costs).all()
    assert (np.diag(finder.costs(starts[:9], goals[:9])) == costs[:9]).all()
    assert finder.find_nearest(starts[0], goals).cost == np.min(finder.costs(starts[:1], goals))


@pytest.mark.parametrize("name", BOTH)
def test_partial_paths_end_at_the_nearest_reachable_cell(name):
    grid = wg.Grid(["....#.", ".##.#.", "....#."])
    path = wg.make_finder(name, grid).find((0, 1), (5, 1), partial=True)
    assert path.status == wg.Status.PARTIAL
    assert path.cells[-1].tolist() == [3, 1]
    assert path.is_valid(grid)


def test_limits_and_slices_of_anya_leave_a_legal_path():
    grid = wg.generate("rooms", width=60, height=60, seed=4)
    ys, xs = np.nonzero(grid.passable)
    finder = wg.make_finder("anya", grid)
    rng = np.random.default_rng(2)
    for limit in range(1, 40):
        start, goal = ((int(xs[k]), int(ys[k])) for k in rng.integers(0, len(xs), 2))
        whole, cut = finder.find(start, goal), finder.find(start, goal, max_expansions=limit)
        assert not cut or cut.is_valid(grid)
        assert cut.stats.expanded <= limit
        search = finder.start(start, goal)
        while not search.advance(7):
            assert search.path().is_valid(grid)
        assert search.path().cost == whole.cost
        assert search.path().stats == whole.stats


def test_a_blocked_start_can_be_left():
    grid = wg.Grid(["...", ".#.", "..."])
    finder = wg.make_finder("anya", grid)
    assert finder.find((0, 0), (2, 0), blocked=[(0, 0)]).cost == 2
    assert finder.find((0, 0), (2, 2), blocked=[(0, 0), (0, 1)]).cost == finder.find((0, 0), (2, 2)).cost
    assert finder.find((0, 0), (2, 0), blocked=[(1, 0)]).cost > 2
    closed = wg.Grid(["..", ".."])
    assert wg.make_finder("anya", closed).find((0, 0), (1, 1), blocked=[(0, 0)]).cost == pytest.approx(2**0.5)


# --- Edits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_answers_after_edits_are_those_of_a_fresh_finder(seed):
    rng = np.random.default_rng(seed)
    grid = wg.Grid(scatter(rng, 7), corners=("never", "always")[seed % 2])
    finders = [wg.make_finder(name, grid, **options) for name, options in (("anya", {}), ("taut", {"threads": 1}))]
    for _ in range(6):
        x, y = int(rng.integers(grid.width)), int(rng.integers(grid.height))
        grid.set_passable((x, y), bool(rng.integers(2)))
        grid.set_passable((0, 0), True)
        cells, lengths = oracle.all_lengths(grid.passable, grid.corners)
        for finder in finders:
            batch = ask_all(finder, cells)
            np.testing.assert_allclose(batch.costs.reshape(lengths.shape), lengths, rtol=0, atol=1e-9)
            assert all(batch[k].is_valid(grid) for k in rng.integers(0, len(batch), 12).tolist() if batch[k])
            start, goal = cells[rng.integers(0, len(cells), 2)].tolist()
            assert finder.find(tuple(start), tuple(goal)).cost == pytest.approx(
                lengths[cells.tolist().index(start), cells.tolist().index(goal)], abs=1e-9
            )
    assert finders[1].followed.kept > 0 or finders[1].stale == 0


# --- The index --------------------------------------------------------------------------------------------------------


def test_an_index_is_the_same_on_any_number_of_threads_and_survives_a_file(tmp_path):
    grid = wg.generate("caves", width=60, height=60, seed=5)
    finder = wg.make_finder("taut", grid, threads=1)
    other = wg.make_finder("taut", grid, threads=3)
    assert all((finder.index[name] == other.index[name]).all() for name in finder.index)
    finder.save(tmp_path / "caves.wgi")
    loaded = wg.load_finder(tmp_path / "caves.wgi", grid)
    ends = ([(1, 1), (5, 9)], [(50, 50), (30, 2)])
    free = [cell for pair in ends for cell in pair if grid.passable[cell[1], cell[0]]]
    for start, goal in pairwise(free):
        assert loaded.find(start, goal).cost == finder.find(start, goal).cost


def test_a_table_that_is_too_large_is_refused():
    grid = wg.generate("random", width=60, height=60, seed=1)
    with pytest.raises(wg.WaygridError, match=r"corners of walls where paths bend, .* take anya, or raise memory="):
        wg.make_finder("taut", grid, memory=1_000_000)


def test_distances_of_the_table_are_rounded_down_and_never_too_long():
    grid = wg.generate("caves", width=40, height=40, seed=6)
    index = wg.make_finder("taut", grid).index
    count, (bits, shift, scale) = len(index["corners"]), index["form"].tolist()
    unit = 2.0 ** (shift - scale)
    for low in range(0, count, 7):
        for high in range(low, count, 5):
            entry = int(index["table"][taut_build.row_begin(low, count) + high - low])
            if entry != taut_build.NO_WAY:
                far = np.hypot(*(index["corners"][low] - index["corners"][high]))
                assert (entry >> bits) * unit >= far - 2 * unit


# --- Parts ------------------------------------------------------------------------------------------------------------


@given(st.integers(1, 2**64 - 1))
def test_bits_of_words(word):
    value = np.uint64(word)
    assert anya_rows.highest_bit(value) == word.bit_length() - 1
    assert taut_build.count_bits(value) == word.bit_count()


@pytest.mark.quick
@settings(max_examples=200)
@given(st.integers(0, 2**32))
def test_rows_of_bits(seed):
    rng = np.random.default_rng(seed)
    width, height = rng.integers(1, 200), rng.integers(1, 4)
    walk = rng.random((height, width)) < rng.choice((0.1, 0.5, 0.9))
    free, padded = anya_rows.pack_rows(walk.astype(np.uint8).reshape(-1), width, height), np.pad(walk, 1)
    y, x = int(rng.integers(height)) + 1, int(rng.integers(width)) + 1
    assert anya_rows.is_free(free, y, x) == padded[y, x]
    assert anya_rows.find_wall(free, y, x) == next(k for k in range(x, width + 2) if not padded[y, k])
    assert anya_rows.find_wall_before(free, y, x) == next(k for k in range(x, -1, -1) if not padded[y, k])
    both, end = padded[y] & padded[y - 1], int(rng.integers(x, width + 2))
    assert min(anya_rows.find_gap(free, y, y - 1, x, end), end) == next((k for k in range(x, end) if both[k]), end)
    assert anya_rows.find_gap_end(free, y, y - 1, x) == next(k for k in range(x, width + 2) if not both[k])
    last = min(end, x + 40)
    assert anya_rows.is_open(free, y, x, last) == padded[y, x:last].all()


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.booleans())
def test_lines_of_sight(seed, squeezes):
    rng = np.random.default_rng(seed)
    passable = scatter(rng, 9)
    height, width = passable.shape
    boxes, (bends, pinches) = oracle.list_obstacles(passable), oracle.list_corners(passable)
    ys, xs = np.nonzero(passable)
    centres = 2 * np.stack((xs, ys), axis=1) + 1
    points = np.concatenate((centres, bends))
    seen = oracle.see(points, points, boxes, pinches[:0] if squeezes else pinches)
    free = anya_rows.pack_rows(passable.astype(np.uint8).reshape(-1), width, height)
    for i, (x, y) in enumerate((points + 2).tolist()):
        for j, (other_x, other_y) in enumerate((points + 2).tolist()):
            assert anya_sight.sees(free, x, y, other_x, other_y, squeezes) == seen[i, j], draw(passable)


def test_corners_are_those_of_the_oracle():
    rng = np.random.default_rng(3)
    for number in range(60):
        passable, rule = scatter(rng), ("never", "always")[number % 2]
        corners, pinches = oracle.list_corners(passable)
        if rule == "always":
            corners = np.concatenate((corners, pinches))
        found = map_corners(wg.Grid(passable, corners=rule)).corners
        assert sorted((2 * (found - 1)).tolist()) == sorted(corners.tolist())
