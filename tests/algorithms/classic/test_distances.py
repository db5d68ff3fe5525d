"""Distances with blocked cells and limits, flow for many positions, pickles; ways of naming blocked cells."""

import copy
import pickle

import numpy as np
import pytest
from cases import cases, grid_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.classic.flood_query import flood_within
from waygrid.core import layout

quick = settings(max_examples=40, deadline=None)


def some_cells(case, seed, share=0.15):
    chance = np.random.default_rng(seed)
    return [cell for cell in case.cells() if chance.random() < share]


@pytest.mark.quick
@quick
@given(cases(), st.integers(0, 99), st.booleans())
def test_blocked_cells_are_walls_for_distances(case, seed, reverse):
    grid, cells, taken = grid_of(case), case.cells(), some_cells(case, seed)
    if not cells:
        return
    source = cells[seed % len(cells)]
    if reverse and source in taken:
        taken.remove(source)
    if case.clearance > 1:  # blocked squares overlap the source's own
        taken = []
    field = wg.distances(grid, source, blocked=set(taken), reverse=reverse)
    finder = wg.make_finder("dijkstra", grid)
    for cell in cells:
        start, goal = (cell, source) if reverse else (source, cell)
        if goal in taken and goal != start:
            assert field[cell[1], cell[0]] == np.inf
        else:
            cost = finder.find(start, goal, blocked=taken).cost
            assert field[cell[1], cell[0]] == pytest.approx(cost, rel=1e-12)
    for x, y in cells:
        if np.isfinite(field[y, x]):
            assert field.path_from((x, y))[-1].tolist() == list(source)


@quick
@given(cases(), st.integers(0, 99), st.booleans(), st.floats(0, 30))
def test_max_cost_cuts_off_what_costs_more(case, seed, reverse, most):
    grid, cells = grid_of(case), case.cells()
    if not cells:
        return
    source = cells[seed % len(cells)]
    whole = wg.distances(grid, source, reverse=reverse)
    near = wg.distances(grid, source, reverse=reverse, max_cost=most)
    np.testing.assert_array_equal(near, np.where(whole <= most, whole, np.inf))
    np.testing.assert_array_equal(near.flow, np.where(whole <= most, whole.flow, -1))


def test_max_cost_counts_diagonals_as_they_are():
    grid = wg.Grid(np.ones((9, 9)))
    near = wg.distances(grid, (0, 0), max_cost=3 * 2**0.5)
    assert np.isfinite(near[3, 3])
    assert near[3, 4] == np.inf
    assert np.isfinite(wg.distances(grid, (0, 0), max_cost=np.inf)).all()
    assert np.isfinite(wg.distances(grid, (0, 0), max_cost=0)).sum() == 1


def test_a_limited_search_leaves_its_memory_clean():
    grid = wg.generate("caves", width=80, height=60, seed=2)
    source = tuple(np.argwhere(grid.passable)[40][::-1].tolist())
    whole = wg.distances(grid, source)
    for most in (2, 5, 11, 23):
        wg.distances(grid, source, max_cost=most)
        fresh = wg.Grid(grid.passable)  # without the tables that a second call on one grid makes
        np.testing.assert_array_equal(wg.distances(fresh, source), whole)


def test_a_limited_search_ends_early():
    finder = wg.make_finder("dijkstra", wg.Grid(np.ones((300, 300))))
    finder._check_version()
    scratch, table = finder._pool.take(), finder.grid.table
    arrays = (table.moves, None, table.geo, finder._policy, *scratch.arrays, np.array([150 * 300 + 150]))
    flood_within(*arrays, 5 * finder.grid.cardinal_price)
    finder._pool.give(scratch)
    assert 70 < scratch.ctl[layout.EXPANDED] < 1000


@pytest.mark.parametrize("bad", [-1, "far", np.nan, [1], True])
def test_bad_limits(bad):
    with pytest.raises(wg.WaygridError, match="max_cost is "):
        wg.distances(wg.Grid([[1]]), (0, 0), max_cost=bad)


def test_a_blocked_source_can_be_left_not_entered():
    grid = wg.Grid([[1, 1, 1]])
    assert wg.distances(grid, (0, 0), blocked=[(0, 0)]).tolist() == [[0, 1, 2]]
    with pytest.raises(wg.WaygridError, match=r"source \(0, 0\) is among the cells that blocked="):
        wg.distances(grid, (0, 0), blocked=[(0, 0)], reverse=True)


def test_sources_may_be_a_set():
    grid = wg.Grid([[1, 1, 1, 1]])
    assert wg.distances(grid, {(0, 0), (3, 0)}).tolist() == [[0, 1, 1, 0]]
    with pytest.raises(wg.WaygridError, match="at least one source"):
        wg.distances(grid, set())


# --- The ways of naming blocked cells --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "blocked",
    [
        {(1, 0), (1, 1)},
        frozenset({(1, 0), (1, 1)}),
        {(1, 0): "guard", (1, 1): "guard"},
        {(1, 0): "guard", (1, 1): "guard"}.keys(),
        [(1, 0), (1, 1)],
        ((1, 0), (1, 1)),
        np.array([[1, 0], [1, 1]]),
        np.array([[0, 1, 0], [0, 1, 0], [0, 0, 0]], bool),
        [[False, True, False], [False, True, False], [False, False, False]],
    ],
    ids=lambda blocked: type(blocked).__name__,
)
def test_any_collection_of_cells_can_be_blocked(blocked):
    finder = wg.make_finder("astar", wg.Grid(np.ones((3, 3)), topology="tile"))
    assert finder.find((0, 0), (2, 0), blocked=blocked).cost == 6
    assert finder.find_many([(0, 0)], [(2, 0)], blocked=blocked).costs.tolist() == [6]
    assert finder.trace((0, 0), (2, 0), blocked=blocked).path.cost == 6
    assert wg.distances(finder.grid, (0, 0), blocked=blocked)[0, 2] == 6


def test_a_generator_and_a_path_can_be_blocked():
    finder = wg.make_finder("astar", wg.Grid(np.ones((3, 3)), topology="tile"))
    assert finder.find((0, 0), (2, 0), blocked=((1, y) for y in range(2))).cost == 6
    wall = finder.find((1, 0), (1, 1))
    assert finder.find((0, 0), (2, 0), blocked=wall).cost == 6


@pytest.mark.parametrize("nothing", [set(), [], (), {}, iter([]), np.zeros((0, 2)), np.zeros((3, 3), bool)])
def test_nothing_is_blocked(nothing):
    finder = wg.make_finder("astar", wg.Grid(np.ones((3, 3)), topology="tile"))
    assert finder.find((0, 0), (2, 0), blocked=nothing).cost == 2


@pytest.mark.parametrize("bad", [{1, 2}, {"a"}, "walls", 7, [(1, 2, 3)], {(0.5, 1)}, [(0, 0), (1,)]])
def test_what_names_no_cells_is_refused(bad):
    finder = wg.make_finder("astar", wg.Grid(np.ones((3, 3))))
    with pytest.raises(wg.WaygridError, match="blocked is a"):
        finder.find((0, 0), (2, 0), blocked=bad)


def test_goals_may_be_a_set():
    for name in ("astar", "bfs"):
        finder = wg.make_finder(name, wg.Grid([[1, 1, 1, 1, 1]]))
        assert finder.find_nearest((1, 0), {(4, 0), (0, 0)})[-1] == (0, 0)


# --- Flow ------------------------------------------------------------------------------------------------------------


@quick
@given(cases(), st.integers(0, 99))
def test_many_positions_step_as_each_of_them(case, seed):
    grid, cells = grid_of(case), case.cells()
    if not cells:
        return
    field = wg.distances(grid, cells[seed % len(cells)], reverse=True)
    everywhere = [(x, y) for y in range(grid.height) for x in range(grid.width)]
    moved = field.step(everywhere)
    assert moved.dtype == np.int32
    assert moved.tolist() == [list(field.next_cell(cell)) for cell in everywhere]


def test_positions_are_checked():
    field = wg.distances(wg.Grid([[1, 1, 1]]), (0, 0))
    assert field.step([]).shape == (0, 2)
    assert field.step(np.array([[2, 0]], np.uint8)).tolist() == [[1, 0]]
    with pytest.raises(wg.WaygridError, match=r"position 1, \(3, 0\), is outside the map of 3 x 1 cells"):
        field.step([(0, 0), (3, 0)])
    with pytest.raises(wg.WaygridError, match="positions has shape"):
        field.step([(0.5, 0)])
    with pytest.raises(wg.WaygridError, match="only the whole distance map"):
        field[:, :2].step([(0, 0)])


def test_thousands_walk_home():
    grid = wg.generate("caves", width=60, height=40, seed=1)
    cells = np.argwhere(grid.passable)[:, ::-1]
    field = wg.distances(grid, cells[0], reverse=True)
    crowd = cells[np.random.default_rng(0).integers(0, len(cells), 5000)]
    left = field[crowd[:, 1], crowd[:, 0]]
    for _ in range(int(left.max()) + 1):
        crowd = field.step(crowd)
    assert (crowd == cells[0]).all()


@pytest.mark.parametrize("travel", [lambda f: pickle.loads(pickle.dumps(f)), copy.copy, copy.deepcopy])
@pytest.mark.parametrize("topology", ["octile", "hex"])
def test_copies_and_pickles_keep_their_flow(travel, topology):
    grid = wg.Grid([[1, 1, 1, 1], [1, 0, 1, 1]], topology=topology)
    field = wg.distances(grid, (0, 0))
    other = travel(field)
    np.testing.assert_array_equal(other, field)
    np.testing.assert_array_equal(other.flow, field.flow)
    assert other.path_from((3, 1)).tolist() == field.path_from((3, 1)).tolist()
    assert other.step([(3, 1)]).tolist() == [list(field.next_cell((3, 1)))]


# --- Cells of a path -------------------------------------------------------------------------------------------------


def test_paths_are_indexed_like_lists():
    path = wg.make_finder("astar", wg.Grid([[1, 1, 1, 1]])).find((0, 0), (3, 0))
    assert path[0] == (0, 0)
    assert path[-1] == (3, 0)
    assert path[1:3] == [(1, 0), (2, 0)]
    assert list(path) == [path[number] for number in range(len(path))]
    assert type(path[0][0]) is int
    for number in (4, -5):
        with pytest.raises(IndexError):
            path[number]
    graph = wg.Graph([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)])
    nodes = wg.make_finder("astar", graph).find(0, 2)
    assert (nodes[0], nodes[-1], nodes[:2]) == (0, 2, [0, 1])
