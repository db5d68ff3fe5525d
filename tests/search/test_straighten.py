"""String pulling: every leg legal, none dearer than what it replaces, on all grids and under all rules."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
import sight_oracle as oracle
from cases import cases, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.core.leg_cost import add_costs, leg_cost

pytestmark = pytest.mark.quick


def paid_for_moves(case, cells):
    return sum(oracle.leg_cost(case, tuple(a), tuple(b)) for a, b in pairwise(cells.tolist()))


@settings(max_examples=150)
@given(cases(), st.integers(0, 99), st.sampled_from(("astar", "bfs", "dfs", "best-first")), st.integers(1, 4))
def test_every_leg_is_legal_and_none_is_dearer(case, seed, name, rounds):
    grid = grid_of(case)
    pairs = pairs_of(case, 8, seed)
    if not pairs:
        return
    batch = wg.make_finder(name, grid).find_many(*zip(*pairs, strict=True), threads=1)
    straight = batch.straighten(rounds=rounds)
    for path, made in zip(batch, straight, strict=True):
        assert made.status == path.status
        if path.status != wg.Status.FOUND:
            assert (len(made), made.points.size, made.cost) == (0, 0, float("inf"))
            continue
        bends = [tuple(cell) for cell in made.waypoints.tolist()]
        assert (bends[0], bends[-1]) == (path[0], path[-1])
        assert all(oracle.is_legal(case, a, b) for a, b in pairwise(bends))
        assert made.is_valid(grid)
        case.path_cost(made.cells)  # the cells it passes are legal moves
        assert made.cost == pytest.approx(sum(oracle.leg_cost(case, a, b) for a, b in pairwise(bends)), rel=1e-9)
        assert made.cost <= paid_for_moves(case, path.cells) * (1 + 1e-9)
        assert path.straighten(rounds=rounds).points.tolist() == made.points.tolist()


@settings(max_examples=150)
@given(cases(), st.integers(0, 99))
def test_a_leg_costs_what_is_paid_in_its_cells(case, seed):
    grid = grid_of(case)
    for here, there in pairs_of(case, 10, seed):
        if oracle.is_legal(case, here, there):
            paid = leg_cost(grid.table.weights, grid.table.geo, *here, *there)
            assert paid == pytest.approx(oracle.leg_cost(case, here, there), rel=1e-9)


def test_length_points_and_positions():
    path = wg.make_finder("astar", wg.Grid(np.ones((5, 9)))).find((0, 0), (8, 4)).straighten()
    assert path.points.tolist() == [[0, 0], [8, 4]]
    assert path.length == path.cost == pytest.approx(80**0.5)
    assert path.along(path.length / 4).tolist() == pytest.approx([2, 1])
    assert path.along([[0, 1e9]]).shape == (1, 2, 2)
    assert path.along(-1).tolist() == [0, 0]
    assert "2 points" in repr(path)
    assert "8.9443" in path._repr_html_()


def test_hexes_lie_where_they_are_drawn():
    path = wg.make_finder("astar", wg.Grid(np.ones((5, 5)), topology="hex")).find((0, 0), (2, 0)).straighten()
    assert path.points[-1].tolist() == [pytest.approx(3**0.5), 0]
    assert path.length == pytest.approx(3**0.5)


def test_it_is_the_grid_as_it_is_that_counts():
    grid = wg.Grid(["....", "....", "...."])
    path = wg.make_finder("astar", grid).find((0, 0), (3, 1))
    grid.set_passable((1, 0), False)
    with pytest.raises(wg.WaygridError, match="is not legal on the grid as it is"):
        path.straighten()
    with pytest.raises(wg.WaygridError, match="is not legal on the grid as it is"):
        wg.make_finder("astar", wg.Grid(["...."])).find((0, 0), (3, 0)).straighten(blocked=[(2, 0)])


def test_cells_blocked_for_the_search_stay_blocked():
    grid = wg.Grid(np.ones((7, 7)))
    wall = [(3, y) for y in range(6)]
    path = wg.make_finder("astar", grid).find((0, 0), (6, 0), blocked=wall)
    assert path.straighten().points.tolist() == [[0, 0], [6, 0]]
    around = path.straighten(blocked=wall)
    assert len(around.points) > 2
    assert not {(x, y) for x, y in around} & set(wall)


def test_what_is_refused():
    grid = wg.Grid([[1, 1, 1]])
    path = wg.make_finder("astar", grid).find((0, 0), (2, 0))
    with pytest.raises(wg.WaygridError, match="rounds is 0; allowed are the integers from 1 to 100"):
        path.straighten(rounds=0)
    with pytest.raises(wg.WaygridError, match="the path is one of a octile grid"):
        path.straighten(wg.Grid([[1, 1, 1]], topology="tile"))
    with pytest.raises(wg.WaygridError, match="grid is 'here'; allowed is"):
        path.straighten("here")
    with pytest.raises(wg.WaygridError, match="paths=False"):
        wg.make_finder("astar", grid).find_many([(0, 0)], [(2, 0)], paths=False).straighten()
    orphan = pickle.loads(pickle.dumps(path))  # a path does not take its grid along
    with pytest.raises(wg.WaygridError, match="name one"):
        orphan.straighten()
    assert orphan.straighten(wg.Grid([[1, 1, 1]])).length == 2
    with pytest.raises(wg.WaygridError, match="distance is"):
        orphan.straighten(wg.Grid([[1, 1, 1]])).along("far")


def test_more_rounds_never_make_it_longer():
    grid = wg.generate("rooms", width=80, height=60, seed=3)
    cells = np.argwhere(grid.passable)[::37, ::-1]
    batch = wg.make_finder("jps", grid).find_many(cells[:-1], cells[1:])
    before = np.inf
    for rounds in (1, 2, 3, 6):
        costs = batch.straighten(rounds=rounds).costs
        assert (costs <= before + 1e-9).all() or np.isinf(before).all()
        before = costs
    assert add_costs(None, grid.table.geo, batch[0].cells.reshape(-1), len(batch[0]))[1] >= before[0]
