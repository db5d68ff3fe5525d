"""Finders on a map that changes: every answer is one for the map as it is."""

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from cases import cases, check, grid_of, pairs_of
from edited import edit, rng, supporting
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Case

import waygrid as wg
from waygrid.build.indexed import Rebuild
from waygrid.build.mending import mend
from waygrid.errors import WaygridError
from waygrid.formats.index import write_index
from waygrid.search.path import Path

INFO = wg.algorithms()
INDEXED = [name for name, info in INFO.items() if info.index]
ASIDE = [name for name, info in INFO.items() if info.follows in ("proved", "checked")]  # answers are kept or searched
START, GOAL, WALL = (0, 0), (7, 7), (3, 3)
HONOURS_BLOCKED = {"dead-end", "gateway"}  # of those with an index
NEVER_SURE = {"ida", "dfs", "step"}  # may take too long for a test, or give up


def field():
    return wg.Grid(np.ones((8, 8), bool))


def compare(case, finder, seed):
    """Check answers of a finder on the map as it is: the cheapest, or legal and found whenever there is a way."""
    if not case.cells():
        return
    if finder.optimal and finder.info.metric == "grid":
        check(case, finder, sources=1, goals=6, seed=seed)
    for start, goal in pairs_of(case, 3, seed):
        truth = case.dijkstra(start)
        path = finder.find(start, goal)
        assert (path.status == wg.Status.FOUND) == (goal in truth), (finder, start, goal)
        if path.status == wg.Status.FOUND:
            if path.model == "cells":  # what straight legs cost and pass is judged by their own check
                assert path.cost == pytest.approx(case.path_cost(path.cells), rel=1e-12)
            assert path.is_valid(finder.grid)
            assert path[0] == start
            assert path[-1] == goal
            assert not finder.optimal or path.model != "cells" or path.cost == pytest.approx(truth[goal], rel=1e-7)


@settings(max_examples=60)
@given(cases(largest=9), st.integers(0, 10**6))
def test_every_finder_answers_for_the_map_as_it_is(case, seed):
    chance, grid = rng(seed), grid_of(case)
    finders = supporting(grid, set(INFO) - NEVER_SURE)
    for step in range(6):
        undo = edit(chance, case, grid)
        for finder in finders:
            compare(case, finder, seed + step)
        if step % 3 == 2:
            undo()
            for finder in finders:
                compare(case, finder, seed + step)


@settings(max_examples=40)
@given(cases(largest=14, topologies=("octile",), one_way=False, weighted=False), st.integers(0, 10**6))
def test_long_sequences_on_plain_octile_maps(case, seed):
    chance, grid = rng(seed), grid_of(case)
    finders = supporting(grid, ["jps+", "jps+gb", "turntable", "ch", "cpd", "pra", "dba", "dead-end", "gateway"])
    for step in range(25):
        edit(chance, case, grid)
        for finder in finders:
            if chance.random() < 0.5:  # several edits may come between two queries
                compare(case, finder, seed + step)


@pytest.mark.parametrize("name", INDEXED)
def test_the_option_keeps_the_refusal(name):
    grid = field()
    finder = wg.make_finder(name, grid, edits="refuse")
    finder.find(START, GOAL)
    grid.set_passable(WALL, False)
    with pytest.raises(WaygridError, match=r"the index of .* was built for version 0 .* version 1; create .* again"):
        finder.find(START, GOAL)
    finder.rebuild()
    assert finder.find(START, GOAL).is_valid(grid)


@pytest.mark.parametrize("name", ASIDE)
def test_an_edit_that_is_undone_leaves_the_index_fresh(name):
    grid = field()
    finder = wg.make_finder(name, grid)
    assert finder.stale == 0
    grid.set_passable(WALL, False)
    assert finder.stale == 9  # the wall, and its neighbours, which lost moves
    assert finder.find(START, GOAL).is_valid(grid)
    grid.set_passable(WALL, True)
    assert finder.stale == 0
    finder.find(START, GOAL)
    assert finder._stand_in is None


@pytest.mark.parametrize("name", INDEXED)
@pytest.mark.parametrize("background", [False, True])
def test_a_rebuilt_index_is_fresh(name, background):
    grid = field()
    finder = wg.make_finder(name, grid)
    grid.set_passable(WALL, False)
    before = finder.find(START, GOAL)
    finder.rebuild(background).wait()
    assert finder.stale == 0
    after = finder.find(START, GOAL)
    assert finder._stand_in is None
    assert after.is_valid(grid)
    if finder.optimal:
        assert after.cost == pytest.approx(before.cost)


def test_edits_during_a_rebuild_are_followed():
    grid = field()
    finder = wg.make_finder("turntable", grid)
    grid.set_passable(WALL, False)
    build = finder.rebuild(background=True)
    grid.set_passable((4, 4), False)
    build.wait()
    assert build.done
    assert repr(build) == "<rebuild of turntable for version 1 of the grid: done>"
    path = finder.find(START, GOAL)
    assert path.is_valid(grid)
    assert path.cost == pytest.approx(wg.make_finder("dijkstra", grid).find(START, GOAL).cost)
    assert 0 < finder.stale <= 9


@pytest.mark.parametrize("many", [False, True])
def test_an_index_that_helps_little_is_rebuilt_where_that_is_wanted(many):
    grid = field()
    finder = wg.make_finder("turntable", grid, edits="rebuild")
    grid.set_passable(WALL, False)
    cells = [(x, x) for x in (0, 1, 2, 5, 6, 7)]
    right = wg.make_finder("dijkstra", grid).find_many([START] * 40, [GOAL] * 40).costs
    for _ in range(1 if many else 40):
        batch = finder.find_many([START] * 40, [GOAL] * 40) if many else [finder.find(START, GOAL)]
        assert np.allclose([path.cost for path in batch], right[: len(batch)])
    assert finder._rebuilt is None or finder._rebuilt.wait() is None
    assert finder.find(START, GOAL).cost == pytest.approx(right[0])
    assert finder.stale == 0
    assert all(finder.find(a, b).is_valid(grid) for a in cells for b in cells)


def test_a_rebuild_that_fails_says_so():
    grid = wg.Grid(np.ones((4, 4), bool))
    finder = wg.make_finder("turntable", grid)
    grid.set_weight((1, 1), 3)
    with pytest.raises(WaygridError, match="does not support"):
        finder.find((0, 0), (3, 3))
    with pytest.raises(WaygridError, match="does not support"):
        finder.rebuild(background=True).wait()


def test_finders_without_an_index_are_never_stale():
    finder = wg.make_finder("astar", field())
    finder.grid.set_passable(WALL, False)
    assert finder.stale == 0
    assert finder.followed == (0, 0, 0)
    assert finder.rebuild() is None


@pytest.mark.parametrize("name", INDEXED)
def test_a_stale_finder_travels(name, tmp_path):
    """Pickled, or saved and loaded for the edited map, it follows the edit as the original does."""
    grid = field()
    finder = wg.make_finder(name, grid)
    finder.save(tmp_path / "before.wgi")
    grid.set_passable(WALL, False)
    finder.save(tmp_path / "after.wgi")
    twins = [
        pickle.loads(pickle.dumps(finder)),
        wg.load_finder(tmp_path / "before.wgi", grid),
        wg.load_finder(tmp_path / "after.wgi", grid),
    ]
    for twin in twins:
        path = twin.find(START, GOAL)
        assert path.is_valid(grid)
        assert not finder.optimal or path.cost == pytest.approx(finder.find(START, GOAL).cost)
        assert twin.stale == finder.stale or INFO[name].follows == "searched"


@pytest.mark.parametrize("name", INDEXED)
def test_an_index_is_refused_for_the_map_of_another_size(name, tmp_path):
    wg.make_finder(name, field()).save(tmp_path / "index.wgi")
    with pytest.raises(WaygridError, match="map"):
        wg.load_finder(tmp_path / "index.wgi", wg.Grid(np.ones((8, 9), bool)))


def test_an_index_of_an_unknown_algorithm_is_refused_by_the_name_of_its_file(tmp_path):
    grid = field()
    write_index(tmp_path / "new.wgi", {}, algorithm="teleport", options={}, map_hash=grid.fingerprint())
    with pytest.raises(WaygridError, match=r"new\.wgi: an index of 'teleport', which this version"):
        wg.load_finder(tmp_path / "new.wgi", grid)
    wg.make_finder("jps+", grid).save(tmp_path / "grid.wgi")
    with pytest.raises(WaygridError, match=r"grid\.wgi: an index of 'jps\+', which no Graph takes"):
        wg.load_finder(tmp_path / "grid.wgi", wg.Graph([(0, 0), (1, 0)], [(0, 1)]))


def test_kept_and_searched_answers_are_counted():
    grid = field()
    finder = wg.make_finder("cpd", grid)
    assert finder.followed == (0, 0, 0)
    grid.set_passable((7, 0), False)
    finder.find((0, 7), (3, 7))
    assert finder.followed == (1, 0, 0)
    grid.set_passable((1, 7), False)
    finder.find((0, 7), (3, 7))
    assert finder.followed == (1, 0, 1)
    finder.find_many([(0, 7), (0, 0)], [(3, 7), (0, 5)])
    assert finder.followed == (2, 0, 2)


@pytest.mark.parametrize("name", ["pra", "dba", "hcdps"])
def test_paths_that_were_cut_are_mended(name):
    grid = wg.generate("random", width=60, height=50, seed=3, walls=0.1)
    ends = (1, 1), (58, 48)
    for cell in ends:
        grid.set_passable(cell, True)
    finder = wg.make_finder(name, grid)
    before = finder.find(*ends)
    for k in (len(before) // 4, len(before) // 2):
        grid.set_passable(before[k], False)
    case = Case(grid.passable)
    batch = finder.find_many([ends[0], ends[0]], [ends[1], before[3]])
    assert finder.followed == (1, 1, 0)
    path = finder.find(*ends)
    assert finder.followed == (1, 2, 0)
    for one in (path, batch[0]):
        assert one.cost == pytest.approx(case.path_cost(one.cells.tolist()))
        assert (one[0], one[-1]) == ends
        assert set(map(tuple, one.cells.tolist())) & set(map(tuple, before.cells.tolist()))
    assert batch[1].cells.tolist() == before.cells[:4].tolist()
    grid.set_passable(ends[1], False)
    with pytest.raises(WaygridError, match="in a wall"):
        finder.find(*ends)


def test_a_walk_that_comes_back_to_a_cell_is_mended():
    grid = wg.Grid(np.ones((3, 6), bool))
    finder = wg.make_finder("astar", grid)
    there = finder.find((0, 1), (5, 1))
    row = list(there._row)
    walk = np.array([(0, 1), (1, 1), (2, 1), (3, 1), (2, 1), (3, 0), (4, 1), (5, 1)], np.int32)
    grid.set_passable((3, 1), False)
    made = mend(Path(row, walk, there._sizes), grid, finder)
    assert made.is_valid(grid)
    assert made.cost == pytest.approx(Case(grid.passable).path_cost(made.cells.tolist()))
    assert (made[0], made[-1]) == ((0, 1), (5, 1))


@pytest.mark.parametrize("name", INFO)
def test_who_takes_blocked_cells(name):
    finder = wg.make_finder(name, field())
    if INFO[name].index and name not in HONOURS_BLOCKED:
        with pytest.raises(WaygridError, match="does not support blocked="):
            finder.find(START, GOAL, blocked=[WALL])
        finder.grid.set_passable((5, 5), False)
        with pytest.raises(WaygridError, match="does not support blocked="):
            finder.find(START, GOAL, blocked=[WALL])
    else:
        assert WALL not in finder.find(START, GOAL, blocked=[WALL])


@pytest.mark.parametrize("name", ["pra", "dba", "hcdps", "cpd"])
def test_traces_after_edits_lead_round_the_wall(name):
    grid = wg.Grid(np.ones((20, 20), bool))
    finder = wg.make_finder(name, grid)
    path = finder.find((0, 10), (19, 10))
    grid.set_passable(path[8], False)
    assert finder.find((0, 10), (19, 10)).is_valid(grid)
    assert finder.trace((0, 10), (19, 10)).path.is_valid(grid)


@pytest.mark.parametrize("name", ASIDE)
def test_ends_in_new_walls_are_refused(name):
    grid = wg.Grid(["..#..", "..#..", "..#.."])
    finder = wg.make_finder(name, grid)
    grid.set_passable((0, 0), False)
    for ends in (((0, 0), (4, 0)), ((4, 0), (0, 0))):
        with pytest.raises(WaygridError, match=r"\(0, 0\) is in a wall"):
            finder.find(*ends)


@pytest.mark.parametrize("name", INDEXED)
def test_weights_that_are_undone_leave_no_trace(name):
    grid = field()
    finder = wg.make_finder(name, grid)
    grid.set_weight((3, 3), 5)
    grid.set_weight((3, 3), 1)
    assert grid.weights is None
    assert finder.find(START, GOAL).is_valid(grid)
    grid.paste(np.ones((2, 2), bool), 0, 0, weights=np.ones((2, 2), int))
    assert grid.weights is None


def test_a_rebuild_that_failed_is_tried_again():
    grid = wg.Grid(np.ones((30, 30), bool))
    finder = wg.make_finder("cpd", grid, edits="rebuild")
    grid.set_one_way((3, 3), ["N"])
    with pytest.raises(WaygridError, match="does not support"):
        finder.rebuild()
    grid.set_one_way((3, 3), None)
    grid.set_passable((slice(10, 12), slice(5, 25)), False)
    for _ in range(40):
        finder.find((5, 15), (25, 15))
    finder._rebuilt is None or finder._rebuilt.wait()
    assert finder.stale == 0


def test_a_build_that_ends_while_an_edit_is_followed_is_taken_over(monkeypatch):
    grid = wg.generate("rooms", width=40, height=30, seed=1)
    finder, ends = wg.make_finder("cpd", grid), ((1, 1), (38, 28))
    path, gate, build, follow = finder.find(*ends), threading.Event(), Rebuild._build, finder._follow
    monkeypatch.setattr(Rebuild, "_build", lambda self: (gate.wait(), build(self)))
    grid.set_passable(path[20], False)
    made = finder.rebuild(background=True)

    def follow_late(gap):
        follow(gap)
        gate.set()
        made._thread.join()

    monkeypatch.setattr(finder, "_follow", follow_late)
    grid.set_passable(path[10], False)
    right = wg.make_finder("astar", grid)
    for _ in range(3):
        found = finder.find(*ends)
        assert found.is_valid(grid)
        assert found.cost == pytest.approx(right.find(*ends).cost)
        assert finder.stale > 0 or finder._rebuilt is None
    monkeypatch.undo()
    made.wait()
    assert finder.find(*ends).cost == pytest.approx(right.find(*ends).cost)


@pytest.mark.parametrize("name", ["turntable", "ch", "cpd", "jps+", "astar-gb", "dead-end", "pra"])
def test_threads_that_ask_first_after_an_edit_get_the_same_answer(name):
    grid = wg.generate("rooms", width=50, height=40, seed=1)
    finder, right, ends = wg.make_finder(name, grid), wg.make_finder("astar", grid), ((1, 1), (48, 38))
    barrier = threading.Barrier(4)

    def ask(_):
        barrier.wait()
        return finder.find(*ends)

    with ThreadPoolExecutor(4) as pool:
        for _ in range(12):
            path = finder.find(*ends)
            middle = path[len(path) // 2]
            for value in (False, True):
                grid.set_passable(middle, value)
                least = right.find(*ends).cost
                for found in pool.map(ask, range(4)):
                    assert np.isinf(least) or found.is_valid(grid)
                    assert found.cost == pytest.approx(least) if finder.optimal else found.cost >= least - 1e-9


def test_finders_that_are_pickled_with_their_grid_stay_on_it():
    grid = field()
    twin_grid, twin = pickle.loads(pickle.dumps((grid, wg.make_finder("astar", grid))))
    assert twin.grid is twin_grid
    assert twin_grid == grid
    twin_grid.set_passable(WALL, False)
    assert grid.passable.all()


# --- The rest of a path ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["astar", "jps+", "turntable", "pra", "dstar-lite"])
def test_replan_keeps_what_holds_and_finds_the_rest(name):
    grid = wg.Grid(np.ones((6, 12), bool))
    finder = wg.make_finder(name, grid)
    path = finder.find((0, 2), (11, 2))
    assert finder.replan(path, path[4]).cells.tolist() == path.cells[4:].tolist()
    grid.set_passable((2, 2), False)  # behind
    assert finder.replan(path, path[4]).cells.tolist() == path.cells[4:].tolist()
    grid.set_passable(path[7], False)
    again = finder.replan(path, path[4])
    assert again.is_valid(grid)
    assert (again[0], again[-1]) == (path[4], path[-1])
    assert path[7] not in again


def test_replan_finds_a_shorter_way_that_was_opened():
    grid = wg.Grid(["......", ".####.", ".####.", "......"])
    finder = wg.make_finder("astar", grid)
    path = finder.find((0, 1), (5, 1))
    grid.paste(["...."], 1, 1)
    assert finder.replan(path, (0, 1)).cost == 5


def test_replan_of_a_finder_that_was_not_asked_before():
    grid = wg.Grid(["....", "....", "...."])
    path = wg.make_finder("astar", grid).find((0, 0), (3, 0))
    assert wg.make_finder("astar", grid).replan(path, (1, 0)).cells.tolist() == path.cells[1:].tolist()


def test_replan_refuses_a_path_of_a_larger_map():
    path = wg.make_finder("astar", wg.Grid(np.ones((5, 20)))).find((0, 2), (19, 2))
    with pytest.raises(WaygridError, match="outside the map of 10 x 12"):
        wg.make_finder("dfs", wg.Grid(np.ones((12, 10)))).replan(path, (12, 2))


def test_replan_keeps_no_path_that_was_not_the_cheapest():
    grid = field()
    finder = wg.make_finder("astar", grid)
    around = finder.find((0, 0), (7, 0), blocked=[(3, y) for y in range(7)])
    assert finder.replan(around, (0, 0)).cost == 7
    walk = wg.make_finder("dfs", grid).find((0, 0), (7, 0))
    assert finder.replan(walk, (0, 0)).cost == 7


def test_replan_refuses_what_is_no_path():
    finder = wg.make_finder("astar", wg.Grid(["..#.."]))
    with pytest.raises(WaygridError, match="needs a path"):
        finder.replan(finder.find((0, 0), (4, 0)), (0, 0))
    with pytest.raises(WaygridError, match="needs a path"):
        finder.replan([(0, 0)], (0, 0))


def test_cells_that_an_edit_has_separated_need_no_search():
    grid = wg.Grid(np.ones((5, 9), bool))
    for name in ("turntable", "cpd", "jps+gb", "dba"):
        finder = wg.make_finder(name, grid.copy())
        finder.grid.set_passable((4, slice(0, 5)), False)
        apart = finder.find((0, 0), (8, 4))
        assert apart.status is wg.Status.UNREACHABLE
        assert len(apart) == 0
        assert apart.cells.shape == (0, 2)
        assert finder.find((0, 0), (3, 4)).status is wg.Status.FOUND
        assert finder.followed.searched == 0
        with pytest.raises(wg.WaygridError, match="is outside"):
            finder.find((0, 0), (9, 4))
        with pytest.raises(wg.WaygridError, match=r"wall|passable"):
            finder.find((4, 0), (8, 4))
