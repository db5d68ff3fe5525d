"""Partial paths, limits, blocked cells, nearest goals, distances, sliced searches, batches, errors."""

import math
import threading

import numpy as np
import pytest
from cases import cases, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.core import layout

pytestmark = pytest.mark.quick

NAMES = [name for name in wg.algorithms() if name != "ida"]


def natural(case, a, b):
    """Distance on the empty map, by flooding it."""
    empty = type(case)(np.ones_like(case.passable), case.topology, case.corners, case.metric)
    return empty.dijkstra(a)[b]


def least_weight(case):
    """What heuristics may count on."""
    return 1 if case.weights is None else min(int(case.weights[y, x]) for x, y in case.cells())


@settings(max_examples=250)
@given(cases(largest=8, one_way=False), st.integers(0, 99))
def test_partial_goes_to_the_closest_reachable_cell_and_of_those_the_cheapest(case, seed):
    grid = grid_of(case)
    rng = np.random.default_rng(seed)
    for start, _ in pairs_of(case, 2, seed):
        goal = (int(rng.integers(grid.width)), int(rng.integers(grid.height)))
        truth = case.dijkstra(start)
        path = wg.make_finder("astar", grid).find(start, goal, partial=True)
        if goal in truth:
            assert path.status == wg.Status.FOUND
            continue
        assert path.status == wg.Status.PARTIAL
        assert path.stats.estimate == pytest.approx(natural(case, start, goal) * least_weight(case), rel=1e-3, abs=0.01)
        near = {cell: natural(case, cell, goal) for cell in truth}
        best = min(near.values())
        end = tuple(path.cells[-1].tolist())
        assert near[end] == pytest.approx(best)
        assert path.cost == pytest.approx(min(truth[cell] for cell in near if near[cell] <= best + 1e-9))
        for name in ("bfs", "bibfs", "dfs", "iddfs", "best-first", "step", "dijkstra"):
            other = wg.make_finder(name, grid).find(start, goal, partial=True)
            assert other.status == wg.Status.PARTIAL, name
            assert near[tuple(other.cells[-1].tolist())] == pytest.approx(best)
            case.path_cost(other.cells)


@settings(max_examples=300)
@given(cases(largest=8), st.integers(0, 99))
def test_blocked_cells_are_walls_for_one_query(case, seed):
    grid = grid_of(case)
    before = grid.moves.copy()
    rng = np.random.default_rng(seed)
    pairs = pairs_of(case, 4, seed)
    finder = wg.make_finder("astar", grid)
    tested = [finder, wg.make_finder("bibfs", grid)]
    for _ in range(2):
        cells = rng.integers(0, (grid.width, grid.height), (int(rng.integers(0, 6)), 2))
        case.blocked = {tuple(cell) for cell in cells.tolist()}
        free = [pair for pair in pairs if case.fits(*pair[1])]
        if not free:
            continue
        mask = np.zeros((grid.height, grid.width), bool)
        mask[cells[:, 1], cells[:, 0]] = True
        for one in tested:
            by_cells = one.find_many([a for a, _ in free], [b for _, b in free], blocked=cells, threads=2)
            by_mask = one.find_many([a for a, _ in free], [b for _, b in free], blocked=mask, threads=1)
            assert (by_cells.rows == by_mask.rows).all()
            for (start, goal), path in zip(free, by_cells, strict=True):
                truth = case.dijkstra(start)
                assert (path.status == wg.Status.FOUND) == (goal in truth)
                if goal in truth:
                    cost = case.path_cost(path.cells, blocked_start=True)
                    if one is finder:
                        assert cost == pytest.approx(truth[goal])
    case.blocked = set()
    assert (grid.moves == before).all()
    for start, goal in pairs[:2]:
        truth = case.dijkstra(start)
        assert finder.find(start, goal).cost == pytest.approx(truth.get(goal, math.inf))


def test_a_blocked_goal_is_refused_and_a_blocked_start_is_left():
    finder = wg.make_finder("astar", wg.Grid([[1, 1, 1]]))
    with pytest.raises(wg.WaygridError, match=r"goal \(2, 0\) is a blocked= cell"):
        finder.find((0, 0), (2, 0), blocked=[(2, 0)])
    assert finder.find((0, 0), (2, 0), blocked=[(0, 0)]).cost == 2
    crowd = [(0, 0), (1, 0)]
    batch = finder.find_many(crowd, [(2, 0), (2, 0)], blocked=crowd)  # everyone blocks everyone else, not themselves
    assert batch.statuses.tolist() == [wg.Status.UNREACHABLE, wg.Status.FOUND]
    assert finder.find((0, 0), (2, 0), blocked=[(2, 0)], partial=True).cells.tolist() == [[0, 0], [1, 0]]


@pytest.mark.parametrize("name", NAMES)
def test_limits_return_the_best_path_so_far(name):
    grid = wg.generate("caves", width=60, height=40, seed=3)
    ys, xs = np.nonzero(grid.passable)
    start, goal = (int(xs[0]), int(ys[0])), (int(xs[-1]), int(ys[-1]))
    finder = wg.make_finder(name, grid)
    few = min(25, finder.find(start, goal).stats.expanded - 1)
    path = finder.find(start, goal, max_expansions=few)
    assert path.status == wg.Status.CUTOFF
    assert path.stats.expanded == few
    assert path.is_valid(grid)
    assert path.cells[0].tolist() == list(start)
    assert finder.find(start, goal, max_expansions=10**9, max_time=100).status == wg.Status.FOUND
    assert finder.find(start, goal, max_expansions=0).status == wg.Status.CUTOFF


def test_time_limit_stops_a_long_search():
    grid = wg.Grid(np.ones((40, 40), bool))
    grid.set_passable((slice(5, 39), 20), False)
    path = wg.make_finder("ida", grid, heuristic="zero", pruning="none").find((0, 0), (39, 39), max_time=0.05)
    assert path.status == wg.Status.CUTOFF
    assert path.is_valid(grid)


@settings(max_examples=250)
@given(cases(), st.integers(0, 99))
def test_nearest_of_many_goals_is_the_cheapest(case, seed):
    grid = grid_of(case)
    for start, _ in pairs_of(case, 2, seed):
        goals = [goal for _, goal in pairs_of(case, 5, seed + 1)]
        truth = case.dijkstra(start)
        best = min(truth.get(goal, math.inf) for goal in goals)
        for name in ("astar", "dijkstra", "bfs", "astar-gb", "dijkstra-gb"):
            path = wg.make_finder(name, grid).find_nearest(start, goals)
            if best == math.inf:
                assert path.status == wg.Status.UNREACHABLE
                continue
            assert tuple(path.cells[-1].tolist()) in goals
            if name != "bfs":
                assert path.cost == pytest.approx(best)


@settings(max_examples=250)
@given(cases(), st.integers(0, 99), st.booleans())
def test_distances_and_flow(case, seed, reverse):
    grid = grid_of(case)
    for source, other in pairs_of(case, 1, seed):
        field = wg.distances(grid, source, reverse=reverse)
        both = wg.distances(grid, [source, other], reverse=reverse)
        for cell in case.cells():
            if reverse:
                truth = case.dijkstra(cell).get(source, math.inf)
                second = case.dijkstra(cell).get(other, math.inf)
            else:
                truth = case.dijkstra(source).get(cell, math.inf)
                second = case.dijkstra(other).get(cell, math.inf)
            assert field[cell[1], cell[0]] == pytest.approx(truth, rel=1e-7)
            assert both[cell[1], cell[0]] == pytest.approx(min(truth, second), rel=1e-7)
            if truth in (0, math.inf):
                assert field.flow[cell[1], cell[0]] == -1
                continue
            here, walked = cell, [cell]
            while here != source:
                name = grid.directions[field.flow[here[1], here[0]]]
                dx, dy = case.steps(here[0])[name]
                here = (here[0] + dx, here[1] + dy)
                walked.append(here)
                assert len(walked) <= grid.width * grid.height
            assert case.path_cost(walked if reverse else walked[::-1]) == pytest.approx(truth, rel=1e-7)
            assert field.path_from(cell).tolist() == [list(step) for step in walked]


@pytest.mark.parametrize("name", [*NAMES, "ida"])
def test_sliced_search_ends_like_find(name):
    grid = wg.generate("random", width=9, height=9, seed=5, walls=0.2)
    finder = wg.make_finder(name, grid)
    start, goal = (0, 0), (8, 8)
    whole = finder.find(start, goal)
    search = finder.start(start, goal)
    assert search.path().status == wg.Status.CUTOFF
    steps = 0
    while not search.advance(3):
        steps += 1
        assert search.expanded <= 3 * steps
        sofar = search.path()
        assert sofar.status == wg.Status.CUTOFF
        assert sofar.is_valid(grid)
        assert finder.find(start, goal).cells.tolist() == whole.cells.tolist()  # others may search meanwhile
    assert search.path().cells.tolist() == whole.cells.tolist()
    assert search.path().stats == whole.stats
    assert search.advance(1)


def test_cancelled_and_outdated_searches_say_so():
    grid = wg.Grid(np.ones((20, 20), bool))
    finder = wg.make_finder("astar", grid)
    search = finder.start((0, 0), (19, 19))
    search.advance(2)
    search.cancel()
    with pytest.raises(wg.WaygridError, match="cancelled"):
        search.advance(1)
    assert finder.find((0, 0), (19, 19)).cost == pytest.approx(19 * math.sqrt(2))
    search = finder.start((0, 0), (19, 19))
    search.advance(2)
    grid.set_passable((5, 5), False)
    with pytest.raises(wg.WaygridError, match="version 0 to 1"):
        search.advance(1)


@pytest.mark.parametrize("name", NAMES)
def test_batches_do_not_depend_on_threads(name):
    grid = wg.generate("indoor", width=50, height=40, seed=2)
    ys, xs = np.nonzero(grid.passable)
    rng = np.random.default_rng(1)
    picks = rng.integers(0, len(xs), (2, 60))
    starts, goals = (np.stack([xs[p], ys[p]], axis=1) for p in picks)
    finder = wg.make_finder(name, grid)
    batches = [finder.find_many(starts, goals, threads=threads) for threads in (1, 2, 5)]
    for batch in batches[1:]:
        assert (batch.cells == batches[0].cells).all()
        assert (batch.offsets == batches[0].offsets).all()
        assert (batch.statuses == batches[0].statuses).all()
        assert (batch.expanded == batches[0].expanded).all()
    for number in (0, 17, -1):
        alone = finder.find(tuple(starts[number]), tuple(goals[number]))
        assert alone.cells.tolist() == batches[0][number].cells.tolist()
        assert alone.stats == batches[0][number].stats
    assert len(batches[0]) == 60
    light = finder.find_many(starts, goals, paths=False)
    assert (light.costs == batches[0].costs).all()
    assert light.cells is None
    with pytest.raises(wg.WaygridError, match="paths=False"):
        light[0]


def test_empty_batch_and_start_equal_to_goal():
    finder = wg.make_finder("astar", wg.Grid([[1, 0, 1]]))
    assert len(finder.find_many([], [])) == 0
    path = finder.find((0, 0), (0, 0))
    assert (path.status, path.cells.tolist(), path.cost) == (wg.Status.FOUND, [[0, 0]], 0.0)
    path = finder.find((0, 0), (2, 0))
    assert (path.status, path.cells.shape, path.cost) == (wg.Status.UNREACHABLE, (0, 2), math.inf)
    assert path.stats.expanded == 0  # told by the parts of the map, without a search
    assert path.waypoints.shape == (0, 2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda f: f.find((9, 0), (0, 0)), "start (9, 0) is outside the map of 3 x 1 cells"),
        (lambda f: f.find((0, 0), (-1, 0)), "goal (-1, 0) is outside"),
        (lambda f: f.find((1, 0), (0, 0)), "start (1, 0) is in a wall"),
        (lambda f: f.find((0, 0), (1, 0)), "goal (1, 0) is in a wall"),
        (lambda f: f.find((0.5, 0), (0, 0)), "start is (0.5, 0)"),
        (lambda f: f.find((0, 0, 0), (0, 0)), "start is (0, 0, 0)"),
        (lambda f: f.find((0, 0), 7), "goal is 7"),
        (lambda f: f.find((2**40, 0), (0, 0)), "outside"),
        (lambda f: f.find_many([(0, 0), (1, 0)], [(0, 0), (0, 0)]), "query 1: start (1, 0) is in a wall"),
        (lambda f: f.find_many([(0, 0)], [(0, 0), (0, 0)]), "1 starts and 2 goals"),
        (lambda f: f.find_many([(0.5, 0)], [(0, 0)]), "starts has shape (1, 2) of float64"),
        (lambda f: f.find_many([0, 0], [(0, 0)]), "(n, 2)"),
        (lambda f: f.find_many([(0, 0)], [(0, 0)], threads=0), "threads is 0"),
        (lambda f: f.find((0, 0), (0, 0), max_expansions=-1), "max_expansions is -1"),
        (lambda f: f.find((0, 0), (0, 0), max_time=0), "max_time is 0"),
        (lambda f: f.find((0, 0), (0, 0), blocked=[(5, 5)]), "blocked cell (5, 5) is outside"),
        (lambda f: f.find((0, 0), (0, 0), blocked=np.ones((3, 3), bool)), "(3, 3)"),
        (lambda f: f.find_nearest((0, 0), []), "at least one goal"),
        (lambda f: wg.distances(f.grid, (1, 0)), "source (1, 0) is in a wall"),
        (lambda f: f.save("x.wgi"), "no index"),
        (lambda f: f.agent((0, 0), (0, 0)), "not a real-time"),
    ],
)
def test_bad_queries_are_told_in_one_sentence(call, words):
    with pytest.raises(wg.WaygridError) as caught:
        call(wg.make_finder("astar", wg.Grid([[1, 0, 1]])))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("name", "grid", "options", "words"),
    [
        ("astar", {}, {"speed": 9}, "astar has no option 'speed'; allowed are heuristic, weight"),
        ("bfs", {}, {"heuristic": "zero"}, "bfs has no option 'heuristic'; allowed are none"),
        ("astar", {}, {"heuristic": "vancouver"}, "allowed are manhattan, octile, chebyshev, euclidean, zero"),
        ("astar", {"topology": "hex"}, {"heuristic": "octile"}, "allowed are vancouver"),
        ("astar", {}, {"weight": -1}, "weight is -1"),
        ("step", {}, {"avoid": "luck"}, "'luck'; allowed are random, trace, robust"),
        ("step", {}, {"max_steps": 0}, "max_steps is 0"),
        ("astar-overestimate", {}, {"reading": "K9"}, "K1, K2, K3, K4"),
        ("astar-overestimate", {"topology": "hex"}, {}, "does not support topology 'hex'"),
        ("ida", {}, {"pruning": "wild"}, "sound"),
        ("jsp", {}, {}, "there is no algorithm 'jsp'; did you mean 'jps'?"),
    ],
)
def test_unsupported_combinations_are_refused(name, grid, options, words):
    with pytest.raises(wg.WaygridError) as caught:
        wg.make_finder(name, wg.Grid([[1, 1]], **grid), **options)
    assert words in str(caught.value)


def test_finders_follow_the_grid_and_paths_can_be_checked_again():
    grid = wg.Grid(np.ones((5, 5), bool))
    finder = wg.make_finder("astar", grid)
    path = finder.find((0, 2), (4, 2))
    assert path.cost == 4
    assert path.is_valid(grid)
    grid.set_passable((2, slice(0, 4)), False)
    assert not path.is_valid(grid)
    assert finder.find((0, 2), (4, 2)).cost > 4


def test_threads_may_share_one_finder():
    grid = wg.generate("rooms", width=60, height=60, seed=1)
    ys, xs = np.nonzero(grid.passable)
    finder = wg.make_finder("astar", grid)
    rng = np.random.default_rng(0)
    jobs = [tuple(map(int, rng.integers(0, len(xs), 2))) for _ in range(200)]
    ends = [((int(xs[a]), int(ys[a])), (int(xs[b]), int(ys[b]))) for a, b in jobs]
    expected = [finder.find(*pair).cost for pair in ends]
    wrong = []

    def work():
        for pair, cost in zip(ends, expected, strict=True):
            if finder.find(*pair).cost != cost:
                wrong.append(pair)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_stamps_are_cleared_when_they_run_out():
    grid = wg.Grid(np.ones((6, 6), bool))
    finder = wg.make_finder("astar", grid)
    finder.find((0, 0), (5, 5))
    scratch = finder._pool.take()
    scratch.ctl[layout.SEARCH] = layout.LAST_SEARCH - 2
    finder._pool.give(scratch)
    for _ in range(6):
        assert finder.find((0, 0), (5, 5)).cost == pytest.approx(5 * math.sqrt(2))
    assert scratch.ctl[layout.SEARCH] < 10


@pytest.mark.parametrize(("topology", "bytes_per_cell"), [("octile", 24), ("hex", 24)])
def test_search_memory_is_bounded_by_the_map(topology, bytes_per_cell):
    cells, small = 400 * 400, wg.Grid(np.ones((60, 60), bool), topology=topology)
    fixed = 300_000  # the bucket queue's heads, whatever the map's size
    grid = wg.Grid(np.ones((400, 400), bool), topology=topology)
    for name in wg.algorithms():
        info = wg.algorithms()[name]
        if topology in info.topologies:
            flooded = info.gpu or name == "sglrta"  # built by a flood from every cell
            size, tried = (60 * 60, small) if flooded else (cells, grid)
            allowed = {"anya": 28}.get(name, bytes_per_cell) * size + fixed  # roots and cones, not cells
            assert wg.make_finder(name, tried).memory.scratch_bytes <= allowed, name
    heavy = wg.Grid(np.ones((400, 400), bool), topology=topology, weights=np.full((400, 400), 65535))
    for name in ("astar", "dijkstra", "best-first"):
        assert wg.make_finder(name, heavy).memory.scratch_bytes <= 32 * cells + fixed, name


def test_wide_distances_on_a_long_expensive_path():
    """A snake of heavy cells: costs beyond 32 bits are still exact."""
    passable = np.zeros((101, 101), bool)
    passable[::2] = True
    passable[1::4, -1] = passable[3::4, 0] = True
    grid = wg.Grid(passable, weights=np.full(passable.shape, 65535))
    path = wg.make_finder("astar", grid).find((0, 0), (100, 100))
    assert path.cost == 65535.0 * (len(path.cells) - 1)
    assert path.cost * grid.cardinal_price > 2**31
    assert path.cost == wg.make_finder("dijkstra", grid).find((0, 0), (100, 100)).cost


def test_waypoints_are_turning_points_on_all_grids():
    for topology in ("tile", "octile", "hex", "tex"):
        grid = wg.Grid(np.ones((12, 12), bool), topology=topology)
        path = wg.make_finder("astar", grid).find((1, 9), (10, 4))
        points = {tuple(p) for p in path.waypoints.tolist()}
        assert {(1, 9), (10, 4)} <= points
        assert len(points) < len(path.cells)
    straight = wg.make_finder("astar", wg.Grid(np.ones((9, 1), bool), topology="hex")).find((0, 0), (0, 8))
    assert straight.waypoints.tolist() == [[0, 0], [0, 8]]


@pytest.mark.parametrize("name", ["astar", "jps+gb", "cpd"])
def test_many_paths_in_one_batch_and_again(name):
    """Large results are handed over, not copied: earlier batches must keep theirs."""
    grid = wg.generate("rooms", width=60, height=60, seed=5)
    ys, xs = np.nonzero(grid.passable)
    picks = np.random.default_rng(1).integers(0, len(xs), (2, 1501))
    starts, goals = (np.stack([xs[p], ys[p]], axis=1) for p in picks)
    finder = wg.make_finder(name, grid)
    batches = [finder.find_many(starts[k:], goals[k:], threads=1) for k in (0, 1, 2)]
    assert all(batch.cells.size > 2**15 for batch in batches)
    for k, batch in enumerate(batches):
        for i in range(0, 1400, 97):
            path = finder.find(starts[k + i], goals[k + i])
            assert (batch[i].cells == path.cells).all()
