"""Paths that are kept as waypoints are the same paths."""

import pickle

import numpy as np
import pytest

import waygrid as wg
from waygrid.search.path import waypoints

NAMES = ("astar", "jps", "jps+", "jps+gb", "cpd", "turntable", "ch", "dba")
KNOWN = {"jps+", "jps+gb", "cpd", "turntable", "ch"}


def some_pairs(grid, count=300):
    ys, xs = np.nonzero(grid.passable)
    picks = np.random.default_rng(1).integers(0, len(xs), (2, count))
    picks[1, :5] = picks[0, :5]  # a start that is its goal
    return (np.stack([xs[p], ys[p]], axis=1) for p in picks)


@pytest.fixture(scope="module")
def grid():
    passable = wg.generate("caves", width=50, height=40, seed=7).passable.copy()
    passable[:, 25] = False  # some goals cannot be reached
    return wg.Grid(passable)


@pytest.mark.parametrize("name", NAMES)
def test_batches(name, grid):
    finder = wg.make_finder(name, grid)
    assert finder._knows_waypoints == (name in KNOWN)
    starts, goals = some_pairs(grid)
    whole = finder.find_many(starts, goals)
    for threads in (1, 2):
        batch = finder.find_many(starts, goals, threads, waypoints=True)
        assert (batch.costs == whole.costs).all()
        assert (batch.lengths == whole.lengths).all()
        points = batch.waypoints
        assert [len(path) for path in batch] == whole.lengths.tolist()
        for number, path in enumerate(whole):
            right = waypoints(path.cells, "octile")
            assert points[number].tolist() == right.tolist()
            assert batch[number].waypoints.tolist() == right.tolist()
            assert batch[number].cells.tolist() == path.cells.tolist()
        assert (batch.cells == whole.cells).all()
        assert [some.tolist() for some in batch.waypoints] == [some.tolist() for some in points]
    assert [some.tolist() for some in whole.waypoints] == [some.tolist() for some in points]


@pytest.mark.parametrize("name", NAMES)
def test_one_path(name, grid):
    finder = wg.make_finder(name, grid)
    for start, goal in zip(*(cells.tolist() for cells in some_pairs(grid, 40)), strict=True):
        whole, kept = finder.find(start, goal), finder.find(start, goal, waypoints=True)
        assert (kept.status, kept.cost, len(kept)) == (whole.status, whole.cost, len(whole))
        assert kept.waypoints.tolist() == whole.waypoints.tolist()
        copy = pickle.loads(pickle.dumps(kept))
        assert copy.cells.tolist() == kept.cells.tolist() == whole.cells.tolist()
        assert kept.waypoints.tolist() == whole.waypoints.tolist()
        assert (repr(kept), kept.stats) == (repr(whole), whole.stats)


@pytest.mark.parametrize("name", ["turntable", "astar"])
def test_with_other_options(name, grid):
    finder = wg.make_finder(name, grid)
    starts, goals = some_pairs(grid)
    options = {"partial": True}
    whole, kept = (finder.find_many(starts, goals, waypoints=way, **options) for way in (False, True))
    assert (whole.cells == kept.cells).all()
    assert {wg.Status.PARTIAL, wg.Status.FOUND} <= set(kept.statuses.tolist())
    whole, kept = (finder.find_many(starts, goals, waypoints=way, max_expansions=2) for way in (False, True))
    assert (whole.cells == kept.cells).all()
    assert [some.tolist() for some in kept.waypoints] == [some.tolist() for some in whole.waypoints]
    with pytest.raises(wg.WaygridError, match="paths=False"):
        finder.find_many(starts, goals, paths=False).waypoints  # noqa: B018


def test_no_queries():
    finder = wg.make_finder("turntable", wg.Grid([[1, 1]]))
    assert finder.find_many([], [], waypoints=True).waypoints == []
