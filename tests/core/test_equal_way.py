"""Old paths that are led around closed cells: legal, between the same ends, and of the same moves."""

import numpy as np
import pytest

import waygrid as wg
from waygrid.core.equal_way import mend_equally


def count_moves(cells):
    """Return how many moves are straight, how many diagonal, and whether all go to a cell beside."""
    steps = np.abs(np.diff(cells, axis=0))
    return (steps.sum(axis=1) == 1).sum(), (steps.sum(axis=1) == 2).sum(), (steps.max(axis=1) == 1).all()


@pytest.mark.parametrize("corners", ["never", "one", "always"])
def test_mended_paths_are_legal_and_cost_the_same(corners):
    chance, mended, failed = np.random.default_rng(1), 0, 0
    for seed in range(150):
        grid = wg.generate("random", width=40, height=30, seed=seed, walls=0.05, corners=corners)
        finder, cells = wg.make_finder("astar", grid), np.argwhere(grid.passable)[:, ::-1]
        path = finder.find(*cells[chance.integers(len(cells), size=2)].tolist())
        if len(path) < 6:
            continue
        for k in chance.integers(1, len(path) - 1, size=1 + seed % 3).tolist():
            grid.set_passable(path[k], False)
        new, before = path.cells.copy(), count_moves(path.cells)
        legal = mend_equally(grid.table.geo, grid.table.moves, new, True)
        assert count_moves(new) == before
        assert (new[[0, -1]] == path.cells[[0, -1]]).all()
        again = finder.find(path[0], path[-1])
        assert not legal or again.cost == pytest.approx(path.cost)
        walk = type(path)(path._row, new, path._sizes)
        assert walk.is_valid(grid) == legal
        mended, failed = mended + legal, failed + (not legal)
    assert mended > 30
    assert failed > 30


def test_what_can_be_mended_is():
    grid = wg.Grid(np.ones((9, 40), bool))
    cells = np.array([(x, min(x, 4)) for x in range(35)], np.int32)
    grid.set_passable((2, 2), False)  # on the diagonal, and a wall that no equal way passes
    grid.set_passable((20, slice(0, 8)), False)
    for whole in (False, True):
        new = cells.copy()
        assert not mend_equally(grid.table.geo, grid.table.moves, new, whole)
        assert (2, 2) not in set(map(tuple, new.tolist()))


@pytest.mark.parametrize("name", ["turntable", "cpd", "jps+gb", "ch"])
def test_an_answer_that_an_edit_has_cut_is_mended_where_that_costs_no_more(name):
    grid = wg.Grid(np.ones((20, 30), bool))
    finder = wg.make_finder(name, grid)
    before = finder.find((0, 0), (29, 12))
    grid.set_passable(before[10], False)
    for waypoints in (False, True):
        path = finder.find((0, 0), (29, 12), waypoints=waypoints)
        assert path.is_valid(grid)
        assert path.cost == pytest.approx(before.cost)
        corners = path.waypoints.tolist()
        assert all(list(cell) in path.cells.tolist() for cell in corners)
        assert list(before[10]) not in corners
    assert finder.followed == (0, 2, 0)


@pytest.mark.parametrize("name", ["turntable", "cpd", "jps+gb", "ch"])
def test_a_cell_opened_on_the_way_is_told_from_one_that_makes_it_shorter(name):
    passable = np.ones((21, 30), bool)
    passable[:20, 15] = False  # a wall with a way around its lower end
    passable[20, 4] = False
    grid = wg.Grid(passable)
    finder = wg.make_finder(name, grid)
    before = finder.find((0, 20), (29, 20))
    grid.set_passable((4, 20), True)  # below the path, which has to leave the row for nothing now
    assert finder.find((0, 20), (29, 20)).cost < before.cost
    assert finder.followed == (0, 0, 1)
    grid.set_passable((4, 20), False)
    grid.set_passable((15, 19), True)  # beside the path, which is no longer for it
    assert finder.find((0, 20), (29, 20)).cost == before.cost
    assert finder.followed == (1, 0, 1)
    grid.set_passable((15, 3), True)  # far away
    assert finder.find((0, 20), (29, 20)).cost == before.cost
    assert finder.find((10, 0), (20, 0)).cost < 40
    assert finder.followed == (2, 0, 2)
