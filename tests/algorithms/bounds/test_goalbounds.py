"""Goal bounding: optimal on every grid, boxes that hold what they must, and the traps of one label per cell."""

import numpy as np
import pytest
from cases import cases, check, grid_of, pairs_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.bounds.boxes import CanonicalBoxes, SearchedBoxes

BOUNDED = ("dijkstra-gb", "astar-gb")

# A tie whose two ends disagree when each cell keeps one label: `S` says "left", the next turn says "right".
TRAP = """
.#.......
....T....
#.#.#....
.......##
#.....#..
#..#S..##
...#.##..
...#.#..#
.#.#.....
"""


@pytest.mark.quick
@settings(max_examples=500)
@given(cases(largest=9), st.sampled_from(("one", "all")), st.integers(0, 99))
def test_goal_bounding_is_optimal_on_every_grid(case, ties, seed):
    for name in BOUNDED:
        check(case, wg.make_finder(name, grid_of(case), ties=ties, threads=1), seed=seed)


@settings(max_examples=200)
@given(cases(largest=8), st.booleans())
def test_boxes_hold_every_goal_of_every_optimal_first_move(case, canonical):
    """ties="all", section 22.2: by the oracle's distances alone."""
    grid = grid_of(case)
    assume(not canonical or (case.topology == "octile" and case.corners != "one" and not case.one_way))
    assume(not canonical or case.weights is None)
    work = CanonicalBoxes(grid, "all") if canonical else SearchedBoxes(grid, "all")
    boxes = work.run(work.scratch(), 0, work.total)["boxes"]
    directions = list(case.steps(0))
    truth = {cell: case.dijkstra(cell) for cell in case.cells()}
    for x, y in case.cells():
        wanted = {}
        for nx, ny, price in case.neighbours(x, y):
            step = next(d for d, name in enumerate(directions) if case.steps(x)[name] == (nx - x, ny - y))
            for goal, rest in truth[nx, ny].items():
                if goal != (x, y) and price + rest == pytest.approx(truth[x, y][goal], rel=1e-7):
                    wanted.setdefault(step, []).append(goal)
        for d in range(8):
            left, top, right, bottom = (int(side) for side in boxes[y * grid.width + x, d])
            if d not in wanted:
                assert left > right
                continue
            columns, rows = zip(*wanted[d], strict=True)
            assert (left, top, right, bottom) == (min(columns), min(rows), max(columns), max(rows))


def trap():
    rows = TRAP.split()
    start, goal = ((row.index(sign), y) for sign in "ST" for y, row in enumerate(rows) if sign in row)
    return wg.Grid([[sign != "#" for sign in row] for row in rows]), start, goal


def test_a_tie_whose_ends_disagree():
    grid, start, goal = trap()
    for name in ("astar", "jps", "jps+", "jps+gb", *BOUNDED):
        assert wg.make_finder(name, grid).find(start, goal).cost == pytest.approx(4 + 2**0.5)


def test_the_trap_is_one():
    """With the same search on boxes of one label the path is lost somewhere on the map: what all ties are for."""
    from waygrid.algorithms.jumps.turns import bound_turns, turn_graph

    lost = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        grid = trap()[0] if seed == 0 else wg.Grid(rng.random((9, 9)) > 0.3)
        finder, truth = wg.make_finder("jps+", grid), wg.make_finder("dijkstra", grid)
        work = CanonicalBoxes(grid, "one")
        graph = turn_graph(grid.table)
        bound_turns(grid.table, graph, work.run(work.scratch(), 0, work.total)["boxes"])
        finder.index = graph
        for array in graph.values():
            array.flags.writeable = False
        ys, xs = np.nonzero(grid.passable)
        cells = np.stack([xs, ys], axis=1)
        starts, goals = np.repeat(cells, len(cells), axis=0), np.tile(cells, (len(cells), 1))
        right, found = truth.find_many(starts, goals, paths=False), finder.find_many(starts, goals, paths=False)
        lost += int((right.costs != found.costs).sum())
    assert lost > 0


@settings(max_examples=100)
@given(cases(largest=10), st.sampled_from((1.5, 3.0)), st.integers(0, 99))
def test_an_overestimate_stays_within_its_bound(case, weight, seed):
    """The paper says that goal bounding combines with overestimating the heuristic (section 22.7)."""
    finder = wg.make_finder("astar-gb", grid_of(case), weight=weight, threads=1)
    assert not finder.optimal
    for start, goal in pairs_of(case, 10, seed):
        truth = case.dijkstra(start)
        path = finder.find(start, goal)
        assert (path.status == wg.Status.FOUND) == (goal in truth)
        if goal in truth:
            assert truth[goal] * (1 - 1e-7) <= case.path_cost(path.cells) <= weight * truth[goal] * (1 + 1e-7)


def test_fewer_expansions():
    grid = wg.generate("rooms", width=60, height=60, seed=3)
    ys, xs = np.nonzero(grid.passable)
    picks = np.random.default_rng(0).integers(0, len(xs), (2, 200))
    starts, goals = (np.stack([xs[p], ys[p]], axis=1) for p in picks)
    names = ("dijkstra", "dijkstra-gb", "astar", "astar-gb", "jps+", "jps+gb")
    expanded = {n: wg.make_finder(n, grid).find_many(starts, goals, paths=False).expanded.mean() for n in names}
    assert expanded["dijkstra-gb"] < expanded["dijkstra"] / 5
    assert expanded["astar-gb"] < expanded["astar"] / 3
    assert expanded["jps+gb"] < expanded["jps+"] / 1.5
    tight, loose = (wg.make_finder("astar-gb", grid, ties=ties) for ties in ("one", "all"))
    assert (
        tight.find_many(starts, goals, paths=False).expanded.mean()
        <= loose.find_many(starts, goals, paths=False).expanded.mean()
    )


def test_boxes_take_a_byte_on_small_maps_and_two_on_large_ones():
    small = wg.make_finder("astar-gb", wg.Grid(np.ones((4, 255), bool)))
    large = wg.make_finder("astar-gb", wg.Grid(np.ones((4, 256), bool)))
    assert small.memory.fixed_bytes == 32 * 4 * 255
    assert large.memory.fixed_bytes == 64 * 4 * 256
    assert large.find((0, 0), (255, 3)).cost == pytest.approx(252 + 3 * 2**0.5)


@pytest.mark.parametrize("name", ["dijkstra-gb", "astar-gb", "jps+gb"])
def test_threads_make_no_difference_and_saved_bytes_are_equal(name, tmp_path):
    grid = wg.generate("caves", width=50, height=40, seed=2)
    for threads in (1, 2):
        wg.make_finder(name, grid, threads=threads).save(tmp_path / f"{threads}.wgi")
    assert (tmp_path / "1.wgi").read_bytes() == (tmp_path / "2.wgi").read_bytes()
    loaded, built = wg.load_finder(tmp_path / "1.wgi", grid, verify=True), wg.make_finder("dijkstra", grid)
    ys, xs = np.nonzero(grid.passable)
    starts, goals = np.stack([xs, ys], axis=1)[::7], np.stack([xs, ys], axis=1)[::-7]
    assert np.allclose(loaded.find_many(starts, goals).costs, built.find_many(starts, goals).costs)


def test_refusals():
    grid = wg.Grid([[1, 1], [1, 1]])
    with pytest.raises(wg.WaygridError, match="ties is 'some'; allowed are one, all"):
        wg.make_finder("astar-gb", grid, ties="some")
    with pytest.raises(wg.WaygridError, match="jps\\+gb has no option 'ties'"):
        wg.make_finder("jps+gb", grid, ties="one")
    with pytest.raises(wg.WaygridError, match="terrain weights"):
        wg.make_finder("jps+gb", wg.Grid([[1, 1]], weights=[[1, 2]]))
    with pytest.raises(wg.WaygridError, match="builds on device 'gpu' with ties='one'"):
        wg.make_finder("astar-gb", grid, ties="all", device="gpu")


@pytest.mark.parametrize("name", ["dijkstra-gb", "astar-gb", "jps+gb", "jps+", "cpd"])
def test_every_call_refuses_a_stale_index_where_that_is_wanted(name):
    grid = wg.Grid(np.ones((5, 5), bool))
    finder = wg.make_finder(name, grid, edits="refuse")
    grid.set_passable((2, 2), False)
    for call in (finder.find, finder.trace, finder.start, lambda a, b: finder.find_nearest(a, [b])):
        with pytest.raises(wg.WaygridError, match="version 0"):
            call((0, 0), (4, 4))


def test_an_index_of_another_layout_is_refused(tmp_path, monkeypatch):
    from waygrid.algorithms.jumps.jps import JpsPlus

    grid = wg.Grid(np.ones((5, 5), bool))
    monkeypatch.setattr(JpsPlus, "_LAYOUT", "0")
    wg.make_finder("jps+", grid).save(tmp_path / "old.wgi")
    monkeypatch.undo()
    with pytest.raises(wg.WaygridError, match="not an index of jps\\+ as this version"):
        wg.load_finder(tmp_path / "old.wgi", grid)


@pytest.mark.parametrize("metric", [(2**20, 2**20), (2**20 - 1, 2**20)])
def test_edges_that_cost_more_than_32_bits_hold(metric):
    width = 2620
    passable = np.zeros((9, width), bool)
    passable[0, 20:] = passable[8, 20:] = passable[:, 20] = passable[:, width - 1] = passable[4, 12:20] = True
    passable[2:5, 12] = passable[2, 5:12] = passable[2:7, 5] = True
    grid = wg.Grid(passable, metric=metric)
    for goal in ((2000, 8), (1000, 0)):
        assert (
            wg.make_finder("jps+", grid).find((5, 6), goal).cost
            == wg.make_finder("astar", grid).find((5, 6), goal).cost
        )


@pytest.mark.parametrize("corners", ["never", "always"])
def test_a_hall_of_pillars_keeps_its_graph_small(corners):
    """Relays on the diagonals: without them edges grow with the cube of the side."""
    passable = np.ones((120, 120), bool)
    passable[2::4, 2::4] = False
    grid = wg.Grid(passable, corners=corners)
    finder = wg.make_finder("jps+", grid)
    assert len(finder.index["edges"]) <= 6 * passable.size  # 21 without
    ys, xs = np.nonzero(passable)
    picks = np.random.default_rng(0).integers(0, len(xs), (2, 300))
    starts, goals = (np.stack([xs[p], ys[p]], axis=1) for p in picks)
    truth = wg.make_finder("astar", grid).find_many(starts, goals).costs
    assert np.allclose(finder.find_many(starts, goals).costs, truth)


@settings(max_examples=300)
@given(cases(largest=14, topologies=("octile",), one_way=False, weighted=False), st.integers(0, 99))
def test_relays_change_no_cost(case, seed):
    assume(case.corners != "one")
    from waygrid.algorithms.jumps import turns

    before = turns._RELAYS
    turns._RELAYS = (2,)
    try:
        for name in ("jps+", "jps+gb", "cpd"):
            check(case, wg.make_finder(name, grid_of(case), threads=1), seed=seed)
    finally:
        turns._RELAYS = before
