"""Queries with the walls of their teams: as one query after the other with these walls."""

import numpy as np
import pytest
from edited import rng

import waygrid as wg


@pytest.mark.quick
@pytest.mark.parametrize("name", ["astar", "jps", "dijkstra", "lrta", "theta", "anya"])
@pytest.mark.parametrize("form", ["masks", "lists"])
def test_every_query_has_the_walls_of_its_team(name, form):
    chance, grid = rng(3), wg.generate("random", width=20, height=16, walls=0.15, seed=3)
    finder = wg.make_finder(name, grid)
    walls = chance.random((3, 16, 20)) < 0.15
    open_cells = np.argwhere(grid.passable & ~walls.any(axis=0))[:, ::-1]
    starts, goals = open_cells[chance.integers(len(open_cells), size=(2, 40))]
    teams = chance.integers(-1, 3, size=40)
    blocked = walls if form == "masks" else [set(map(tuple, np.argwhere(one)[:, ::-1].tolist())) for one in walls]
    batch = finder.find_many(starts, goals, blocked=blocked, teams=teams)
    bare = finder.find_many(starts, goals, blocked=blocked, teams=teams, paths=False)
    assert bare.cells is None
    for k, (start, goal, team) in enumerate(zip(starts.tolist(), goals.tolist(), teams.tolist(), strict=True)):
        alone = finder.find(tuple(start), tuple(goal), blocked=None if team < 0 else walls[team])
        assert batch[k].status == alone.status
        assert batch[k].cells.tolist() == alone.cells.tolist()
        assert batch.waypoints[k].tolist() == alone.waypoints.tolist()
        assert batch.costs[k] == alone.cost == bare.costs[k]


@pytest.mark.quick
def test_a_wall_for_each_query_and_none_at_all():
    grid = wg.Grid(np.ones((3, 3), bool), topology="tile")
    finder = wg.make_finder("astar", grid)
    batch = finder.find_many([(0, 0)] * 3, [(2, 0)] * 3, blocked=[{(1, 0)}, set(), {(1, 0), (1, 1)}], teams=range(3))
    assert batch.costs.tolist() == [4.0, 2.0, 6.0]
    assert len(finder.find_many([], [], blocked=[], teams=[])) == 0
    sets = [{(1, 0)}, set(), frozenset({(1, 0), (1, 1)})]
    assert finder.find_many([(0, 0)] * 3, [(2, 0)] * 3, blocked=sets).costs.tolist() == [4.0, 2.0, 6.0]
    cells = [(1, 0), (1, 1)]  # a list of cells is for all queries
    assert finder.find_many([(0, 0)] * 2, [(2, 0)] * 2, blocked=cells).costs.tolist() == [6.0, 6.0]


@pytest.mark.quick
def test_bad_teams():
    finder = wg.make_finder("astar", wg.Grid([[1, 1]]))
    ends = [(0, 0)], [(1, 0)]
    for options, words in [
        ({"teams": [0]}, "teams= needs blocked="),
        ({"teams": [0, 0], "blocked": [set()]}, "one integer for each of 1 queries"),
        ({"teams": [1], "blocked": [set()]}, "query 0: team 1; allowed are 0 to 0"),
        ({"blocked": [set(), set()]}, "blocked has 2 sets of cells for 1 queries"),
        ({"blocked": [{(5, 5)}]}, "outside the map"),
        ({"teams": [0.5], "blocked": [set()]}, "one integer for each"),
    ]:
        with pytest.raises(wg.WaygridError, match=words):
            finder.find_many(*ends, **options)
    with pytest.raises(wg.WaygridError, match="each query needs one of each"):
        finder.find_many([(0, 0)], [(0, 0), (1, 0)], blocked=[], teams=[0])


@pytest.mark.quick
@pytest.mark.parametrize("name", ["astar", "bfs", "jpsw", "lazy-theta", "anya", "dstar-lite"])
def test_walls_of_every_query_on_any_number_of_threads(name):
    chance, grid = rng(5), wg.generate("random", width=24, height=18, walls=0.15, seed=5)
    finder = wg.make_finder(name, grid)
    cells = np.argwhere(grid.passable)[:, ::-1]
    starts, goals = cells[chance.integers(len(cells), size=(2, 90))]
    walls = [set(map(tuple, cells[chance.integers(len(cells), size=chance.integers(9))].tolist())) for _ in starts]
    walls = [own - {tuple(goal)} for own, goal in zip(walls, goals.tolist(), strict=True)]
    one = finder.find_many(starts, goals, 1, blocked=walls)
    alone = [finder.find(tuple(a), tuple(b), blocked=own) for a, b, own in zip(starts, goals, walls, strict=True)]
    assert [path.cells.tolist() for path in one] == [path.cells.tolist() for path in alone]
    assert one.costs.tolist() == [path.cost for path in alone]
    assert [path.stats.expanded for path in one] == [path.stats.expanded for path in alone]
    for threads in (2, 5):
        assert finder.find_many(starts, goals, threads, blocked=walls).rows.tolist() == one.rows.tolist()
    plain = finder.find_many(starts, goals).costs  # and the walls are gone
    assert plain.tolist() == [finder.find(tuple(a), tuple(b)).cost for a, b in zip(starts, goals, strict=True)]
    assert (finder.find_many(starts, goals, blocked=walls, timed=True).times_ns > 0).all()
    limited = finder.find_many(starts, goals, blocked=walls, max_expansions=3)
    assert max(path.stats.expanded for path in limited) <= 3
    partial = finder.find_many(starts, goals, blocked=walls, partial=True)
    assert [len(path) > 0 for path in partial] == [True] * len(starts)


@pytest.mark.quick
def test_errors_name_the_query_as_it_was_asked():
    finder = wg.make_finder("astar", wg.Grid(np.ones((3, 5), bool)))
    starts, goals = [(0, 0)] * 3, [(4, 0), (4, 1), (4, 2)]
    with pytest.raises(wg.WaygridError, match=r"query 1: goal \(4, 1\) is a blocked= cell"):
        finder.find_many(starts, goals, blocked=[{(2, 2)}, {(4, 1)}, set()])
    with pytest.raises(wg.WaygridError, match=r"query 0: goal \(4, 0\) is a blocked= cell"):
        finder.find_many(starts, goals, blocked=[[(2, 2)], [(4, 0)]], teams=[1, 0, -1])
    with pytest.raises(wg.WaygridError, match=r"query 2: blocked cell \(9, 9\) is outside"):
        finder.find_many(starts, goals, blocked=[{(2, 2)}, set(), {(9, 9)}])
    with pytest.raises(wg.WaygridError, match=r"query 2: goal \(4, 9\) is outside"):
        finder.find_many(starts, [(4, 0), (4, 1), (4, 9)], blocked=[{(2, 2)}, set(), {(1, 1)}])
    with pytest.raises(wg.WaygridError, match="prefer is ''"):
        finder.find_many(starts, goals, blocked=[{(2, 2)}, set(), set()], prefer="")
