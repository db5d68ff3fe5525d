"""Jump point search by scanning and by table: optimal, legal, and refused where it would be wrong."""

from itertools import pairwise

import numpy as np
import pytest
from cases import cases, check, grid_of, grid_with_a_block, pairs_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.jumps.turns import turn_graph, turn_records
from waygrid.core.layout import DIAGONAL

NAMES = ("jps", "jps+", "jps+gb")


@pytest.mark.quick
@settings(max_examples=1500)
@given(cases(largest=14, topologies=("octile",), one_way=False, weighted=False), st.integers(0, 99))
def test_jump_point_search_is_optimal(case, seed):
    assume(case.corners != "one")
    for name in NAMES:
        check(case, wg.make_finder(name, grid_of(case)), seed=seed)


@settings(max_examples=150)
@given(st.integers(0, 2**32 - 1), st.sampled_from(("never", "always")))
def test_around_symmetric_obstacles(seed, corners):
    grid = grid_with_a_block(seed, corners)
    truth = wg.make_finder("dijkstra", grid)
    for name in NAMES:
        finder = wg.make_finder(name, grid)
        for start, goal in (((0, 6), (12, 6)), ((1, 6), (11, 6)), ((0, 5), (12, 7)), ((6, 0), (6, 12))):
            assert finder.find(start, goal).cost == pytest.approx(truth.find(start, goal).cost)


@settings(max_examples=200)
@given(cases(largest=9, topologies=("octile",), one_way=False, weighted=False), st.integers(0, 99))
def test_jps_honours_blocked_cells(case, seed):
    assume(case.corners != "one")
    grid = grid_of(case)
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, (grid.width, grid.height), (4, 2))
    case.blocked = {tuple(cell) for cell in cells.tolist()}
    for start, goal in pairs_of(case, 4, seed):
        truth = case.dijkstra(start)
        path = wg.make_finder("jps", grid).find(start, goal, blocked=cells)
        assert (path.status == wg.Status.FOUND) == (goal in truth)
        if goal in truth:
            assert case.path_cost(path.cells) == pytest.approx(truth[goal])


@settings(max_examples=150)
@given(cases(largest=12, topologies=("octile",), one_way=False, weighted=False))
def test_the_table_says_what_scanning_finds(case):
    assume(case.corners != "one")
    from waygrid.algorithms.jumps.jump_points import scan_diagonal, scan_straight

    grid = grid_of(case)
    jumps = wg.make_finder("jps+", grid).index["jumps"]
    table = grid.table
    for cell in range(grid.width * grid.height):
        for d in range(8):
            scan = scan_straight if d < 4 else scan_diagonal
            assert jumps[cell, d] == scan(table.moves, table.geo, cell, d, -1)


@settings(max_examples=300)
@given(cases(largest=12, topologies=("octile",), one_way=False, weighted=False))
def test_edges_of_the_turn_graph_are_ways(case):
    """Every edge leads to the turn it names, diagonal first and then straight, at the cost that it says."""
    assume(case.corners != "one")
    grid = grid_of(case)
    turns, edges = turn_records(grid.table, turn_graph(grid.table))
    for turn, following in pairwise(turns):
        for edge in edges[turn["edge"] : following["edge"]]:
            x, y = int(turn["x"]), int(turn["y"])
            dx, dy = int(edge["x"]) - x, int(edge["y"]) - y
            near, far = sorted((abs(dx), abs(dy)))
            assert edge["cost"] == near * grid.table.geo[DIAGONAL] + (far - near) * grid.cardinal_price
            assert (turns[edge["turn"]]["x"], turns[edge["turn"]]["y"]) == (edge["x"], edge["y"])
            steps = [(np.sign(dx), np.sign(dy))] * near
            steps += [(np.sign(dx) * (abs(dx) > abs(dy)), np.sign(dy) * (abs(dy) > abs(dx)))] * (far - near)
            cells = np.cumsum([(x, y), *steps], axis=0)
            case.path_cost(cells)


def test_fewer_expansions_than_astar():
    grid = wg.generate("rooms", width=80, height=80, seed=3)
    start, goal = (1, 1), (77, 77)
    expanded = {name: wg.make_finder(name, grid).find(start, goal).stats.expanded for name in ("astar", *NAMES)}
    assert expanded["jps"] < expanded["astar"] / 3
    assert expanded["jps+"] < expanded["astar"] / 3


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"topology": "tile"}, "topology 'tile'; allowed are octile"),
        ({"topology": "hex"}, "topology 'hex'"),
        ({"corners": "one"}, "corners 'one'; allowed are never, always"),
        ({"weights": [[1, 2]]}, "terrain weights; take one of"),
    ],
)
def test_unsupported_rules_are_refused(name, rules, words):
    with pytest.raises(wg.WaygridError) as caught:
        wg.make_finder(name, wg.Grid([[1, 1]], **rules))
    assert f"{name} does not support {words}" in str(caught.value)


def test_one_way_tiles_and_later_weights_are_refused():
    grid = wg.Grid(np.ones((4, 4), bool))
    finder = wg.make_finder("jps", grid)
    grid.set_one_way((1, 1), ["E"])
    with pytest.raises(wg.WaygridError, match="one-way"):
        finder.find((0, 0), (3, 3))
    grid.set_one_way((1, 1), None)
    assert finder.find((0, 0), (3, 3)).status == wg.Status.FOUND
    grid.set_weight((1, 1), 3)
    with pytest.raises(wg.WaygridError, match="weights"):
        finder.find((0, 0), (3, 3))


def test_jps_follows_the_grid_and_a_stale_index_is_refused_where_that_is_wanted():
    grid = wg.Grid(np.ones((5, 5), bool))
    table, scan = wg.make_finder("jps+", grid, edits="refuse"), wg.make_finder("jps", grid)
    assert table.find((0, 2), (4, 2)).cost == scan.find((0, 2), (4, 2)).cost == 4
    grid.set_passable((2, slice(1, 5)), False)
    assert scan.find((0, 2), (4, 2)).cost > 4
    for call in (table.find, lambda a, b: table.find_many([a], [b]), table.trace, table.start):
        with pytest.raises(wg.WaygridError, match=r"version 0 of the grid, which is now at version 1"):
            call((0, 2), (4, 2))


def test_blocked_cells_are_refused_by_an_index():
    with pytest.raises(wg.WaygridError, match="does not support blocked="):
        wg.make_finder("jps+", wg.Grid(np.ones((3, 3), bool))).find((0, 0), (2, 2), blocked=[(1, 1)])


def test_saved_and_loaded(tmp_path):
    grid = wg.generate("caves", width=70, height=50, seed=4)
    ys, xs = np.nonzero(grid.passable)
    picks = np.random.default_rng(0).integers(0, len(xs), (2, 40))
    starts, goals = (np.stack([xs[p], ys[p]], axis=1) for p in picks)
    built = wg.make_finder("jps+", grid)
    built.save(tmp_path / "a.wgi")
    loaded = wg.load_finder(tmp_path / "a.wgi", grid, verify=True)
    one, two = built.find_many(starts, goals), loaded.find_many(starts, goals)
    assert (one.rows == two.rows).all()
    assert (one.cells == two.cells).all()
    assert loaded.memory == built.memory
    assert built.memory.fixed_bytes == sum(array.nbytes for array in built.index.values())
    assert built.memory.fixed_bytes > 20 * 70 * 50  # eight distances and a tag for each cell
    with pytest.raises(wg.WaygridError, match="made for corners 'never'; this grid has 'always'"):
        wg.load_finder(tmp_path / "a.wgi", wg.Grid(grid.passable, corners="always"))
    with pytest.raises(wg.WaygridError, match="made for metric 'octile'; this grid has 'unit'"):
        wg.load_finder(tmp_path / "a.wgi", wg.Grid(grid.passable, metric="unit"))
    with pytest.raises(wg.WaygridError, match="made for clearance 1; this grid has 2"):
        wg.load_finder(tmp_path / "a.wgi", wg.Grid(grid.passable, clearance=2))
    with pytest.raises(wg.WaygridError, match=r"made for another map or other rules .*this grid of 70 x 49 has"):
        wg.load_finder(tmp_path / "a.wgi", wg.Grid(grid.passable[:-1]))
    with pytest.raises(wg.WaygridError, match=r"a map with 3500 other walls or passable cells.* none may differ"):
        wg.load_finder(tmp_path / "a.wgi", wg.Grid(~grid.passable), edits="refuse")
    with pytest.raises(wg.WaygridError):
        wg.load_finder(tmp_path / "missing.wgi", grid)
    damaged = bytearray((tmp_path / "a.wgi").read_bytes())
    damaged[-5] ^= 1
    (tmp_path / "a.wgi").write_bytes(damaged)
    with pytest.raises(wg.WaygridError):
        wg.load_finder(tmp_path / "a.wgi", grid, verify=True)


def test_real_maps(maps):
    for name, rows in (("dao/arena2", 1), ("dao/orz900d", 40), ("random/random512-25-0", 60)):
        grid = wg.Grid.from_file(maps / f"{name}.map")
        scenario = wg.Scenario.from_file(maps / f"{name}.map.scen")
        claims = scenario.costs[::rows]
        for algorithm in NAMES:
            if algorithm == "jps+gb" and name != "dao/arena2":  # minutes to build: benchmarks have them
                continue
            batch = wg.make_finder(algorithm, grid).find_many(scenario.starts[::rows], scenario.goals[::rows])
            assert (np.abs(batch.costs - claims) < np.maximum(1e-4, 5e-6 * claims)).all()
    grid = wg.Grid.from_file(maps / "dao" / "orz900d.map")
    for start, goal in (((829, 177), (721, 90)), ((887, 74), (718, 90))):  # where another program finds no path
        costs = {
            round(wg.make_finder(algorithm, grid).find(start, goal).cost, 6) for algorithm in ("astar", "jps", "jps+")
        }
        assert len(costs) == 1
