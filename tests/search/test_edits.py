"""What docs/grids.md says of finders after an edit: which ones follow, which ones refuse, and who takes blocked=."""

import pickle

import numpy as np
import pytest

import waygrid as wg
from waygrid.errors import WaygridError

pytestmark = pytest.mark.quick

INFO = wg.algorithms()
INDEXED = [name for name, info in INFO.items() if info.index]
START, GOAL, WALL = (0, 0), (7, 7), (3, 0)
HONOURS_BLOCKED = {"dead-end", "gateway"}  # of those with an index


def field():
    return wg.Grid(np.ones((8, 8), bool))


@pytest.mark.parametrize("name", INFO)
def test_a_finder_follows_an_edit_unless_it_has_an_index(name):
    grid = field()
    finder = wg.make_finder(name, grid)
    grid.set_passable(WALL, False)
    if INFO[name].index:
        with pytest.raises(WaygridError, match=r"the index of .* was built for version 0 .* now at version 1"):
            finder.find(START, GOAL)
    else:
        assert finder.find(START, GOAL).is_valid(grid)


@pytest.mark.parametrize("name", INDEXED)
def test_an_edit_that_is_undone_counts_too(name):
    grid = field()
    finder = wg.make_finder(name, grid)
    grid.set_passable(WALL, False)
    grid.set_passable(WALL, True)
    with pytest.raises(WaygridError, match="create the finder again"):
        finder.find(START, GOAL)
    assert wg.make_finder(name, grid).find(START, GOAL).is_valid(grid)


@pytest.mark.parametrize("name", INDEXED)
def test_a_stale_index_does_not_travel(name):
    """Unpickled, it would pass for one of the edited grid and lead through walls."""
    grid = field()
    finder = wg.make_finder(name, grid)
    twin = pickle.loads(pickle.dumps(finder))
    assert twin.find(START, GOAL).cost == finder.find(START, GOAL).cost
    grid.set_passable(WALL, False)
    with pytest.raises(WaygridError, match="create the finder again"):
        pickle.dumps(finder)


@pytest.mark.parametrize("name", INFO)
def test_who_takes_blocked_cells(name):
    finder = wg.make_finder(name, field())
    if INFO[name].index and name not in HONOURS_BLOCKED:
        with pytest.raises(WaygridError, match="does not support blocked="):
            finder.find(START, GOAL, blocked=[WALL])
    else:
        assert WALL not in finder.find(START, GOAL, blocked=[WALL])


def test_finders_that_are_pickled_with_their_grid_stay_on_it():
    grid = field()
    twin_grid, twin = pickle.loads(pickle.dumps((grid, wg.make_finder("astar", grid))))
    assert twin.grid is twin_grid
    assert twin_grid == grid
    twin_grid.set_passable(WALL, False)
    assert grid.passable.all()
