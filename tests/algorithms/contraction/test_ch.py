"""Contraction hierarchies: optimal, legal, the same when loaded; jumps in tiles, the hierarchy and its labels."""

from threading import enumerate as list_threads
from threading import get_ident

import numpy as np
import pytest
from cases import cases, check, grid_of, grid_with_a_block
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.contraction import labels_build, tiles_build
from waygrid.algorithms.contraction.accesses import list_accesses, read_far, see
from waygrid.algorithms.contraction.hierarchy import contract
from waygrid.algorithms.contraction.labels import write_labels
from waygrid.algorithms.contraction.neighbours import join_spots
from waygrid.algorithms.contraction.tiles import map_tiles
from waygrid.algorithms.jumps.direct import direct
from waygrid.algorithms.jumps.spots import map_spots
from waygrid.build import progress_bar
from waygrid.build import steps as build_steps
from waygrid.build.sweep import BuildInterrupted
from waygrid.core import layout

OCTILE = {"topologies": ("octile",), "one_way": False, "weighted": False}


def all_pairs(grid):
    ys, xs = np.nonzero(grid.table.walk.reshape(grid.height, grid.width))
    cells = np.stack([xs, ys], axis=1)
    return np.repeat(cells, len(cells), axis=0), np.tile(cells, (len(cells), 1))


def measure_all(edges):
    """Return the distances between all nodes, by Floyd and Warshall."""
    nodes = len(edges.first) - 1
    dist = np.full((nodes, nodes), 2**60, np.int64)
    np.fill_diagonal(dist, 0)
    tails = np.repeat(np.arange(nodes), np.diff(edges.first))
    dist[tails, edges.heads] = edges.costs
    for k in range(nodes):
        dist = np.minimum(dist, dist[:, k : k + 1] + dist[k : k + 1, :])
    return dist


@pytest.mark.quick
@settings(max_examples=600)
@given(cases(largest=13, **OCTILE), st.integers(0, 99))
def test_paths_are_optimal(case, seed):
    assume(case.corners != "one")
    check(case, wg.make_finder("ch", grid_of(case)), sources=4, goals=20, seed=seed)


@settings(max_examples=150)
@given(cases(largest=9, **OCTILE))
def test_all_pairs_and_all_ways_of_asking_agree(case):
    assume(case.corners != "one")
    grid = grid_of(case)
    starts, goals = all_pairs(grid)
    if not len(starts):
        return
    truth = wg.make_finder("dijkstra", grid).find_many(starts, goals, threads=1, paths=False).costs
    finder = wg.make_finder("ch", grid)
    batch = finder.find_many(starts, goals, threads=1)
    assert np.allclose(batch.costs, truth, rtol=1e-7)
    without = finder.find_many(starts, goals, threads=1, paths=False)
    assert (without.costs == batch.costs).all()
    assert (without.lengths == batch.lengths).all()
    count = int(np.sqrt(len(starts)))
    assert np.allclose(finder.costs(goals[:count], goals[:count]).ravel(), batch.costs, rtol=1e-12)
    listed = finder.find_many(starts, goals, threads=1, max_expansions=10**6)
    assert (listed.cells == batch.cells).all()


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.sampled_from(("never", "always")))
def test_around_symmetric_obstacles(seed, corners):
    grid = grid_with_a_block(seed, corners)
    starts, goals = all_pairs(grid)
    right, found = (
        wg.make_finder(name, grid).find_many(starts, goals, paths=False).costs for name in ("dijkstra", "ch")
    )
    assert np.allclose(right, found)


@pytest.mark.parametrize(
    "drawing",
    [
        [[1, 1, 1], [1, 1, 1]],  # no spot at all
        [[1, 0, 1], [0, 0, 0], [1, 0, 1]],  # cells without a neighbour
        [[1]],
        [[1, 1, 1, 0, 1, 1, 1], [1, 0, 1, 0, 1, 0, 1], [1, 1, 1, 0, 1, 1, 1]],  # spots in separate components
        np.pad(np.zeros((3, 3), int), 2, constant_values=1),
    ],
    ids=["empty", "alone", "one cell", "two components", "ring"],
)
@pytest.mark.parametrize("corners", ["never", "always"])
def test_odd_maps(drawing, corners):
    grid = wg.Grid(np.array(drawing, bool), corners=corners)
    starts, goals = all_pairs(grid)
    right, found = (wg.make_finder(name, grid).find_many(starts, goals) for name in ("dijkstra", "ch"))
    assert (right.statuses == found.statuses).all()
    assert np.allclose(right.costs, found.costs)
    assert all(path.is_valid(grid) for path in found if path.status)


@pytest.mark.parametrize("corners", ["never", "always"])
@pytest.mark.parametrize("kind", ["rooms", "random", "caves"])
def test_tiles_hold_the_jumps_and_spots_of_the_whole_table(kind, corners):
    made = wg.generate(kind, width=301, height=45, seed=3).passable.copy()
    made[:, 150:290] |= np.arange(45)[:, None] % 9 != 0  # long jumps
    grid = wg.Grid(made, corners=corners)
    table, whole, tiles = grid.table, map_spots(grid.table), map_tiles(grid.table)
    across = -(-grid.width // 8)
    assert sorted((tiles.spots[:, 1].astype(int) * grid.width + tiles.spots[:, 0]).tolist()) == sorted(whole.cells)
    longest = 0
    for cell in np.flatnonzero(table.moves).tolist():
        y, x = divmod(cell, grid.width)
        for d in range(8):
            steps = int(read_far(tiles.places, tiles.jumps, table.geo, x, y, d))
            assert steps == whole.jumps[cell, d], (x, y, d)
            longest = max(longest, abs(steps))
        if whole.numbers[cell] >= 0:
            number = tiles_build.spot_number(tiles.masks, tiles.numbers, across, x, y)
            assert tiles.spots[number].tolist() == [x, y]
    assert longest > tiles_build.REACH
    assert tiles_build.find_bad_jump(table.geo, tiles.places, tiles.masks, tiles.jumps) == -1
    cells = np.flatnonzero(table.moves)[::7].tolist()
    for one, other in zip(cells, cells[::-1], strict=True):
        (y, x), (goal_y, goal_x) = divmod(one, grid.width), divmod(other, grid.width)
        seen = direct(table.geo, whole.jumps, one, goal_x - x, goal_y - y) >= 0
        assert see(table.geo, tiles.places, tiles.jumps, x, y, goal_x - x, goal_y - y) == seen


def test_accesses_are_spots_on_legs_that_are_free():
    grid = wg.generate("rooms", width=60, height=50, seed=1)
    tiles = map_tiles(grid.table)
    ends = np.zeros(4000, np.int64)
    known = (tiles.places, tiles.masks, tiles.numbers, tiles.jumps, np.arange(len(tiles.spots), dtype=np.int32))
    for x, y in all_pairs(grid)[1][:400:3].tolist():
        used = list_accesses(grid.table.geo, known, x, y, ends, 0)
        for k in range(0, used, 2):
            to_x, to_y = tiles.spots[ends[k]].tolist()
            dx, dy = abs(to_x - x), abs(to_y - y)
            assert ends[k + 1] == 5741 * max(dx, dy) + (8119 - 5741) * min(dx, dy)
            steep, wx, wy = min(dx, dy), np.sign(to_x - x), np.sign(to_y - y)
            cells = [(x + wx * i, y + wy * i) for i in range(steep + 1)]
            cells += [
                (cells[-1][0] + wx * (dx > dy) * i, cells[-1][1] + wy * (dy > dx) * i)
                for i in range(1, max(dx, dy) - steep + 1)
            ]
            assert cells[-1] == (to_x, to_y)
            assert all(grid.passable[b, a] for a, b in cells)


@pytest.mark.parametrize(("strip", "threads"), [(10**6, 1), (30, 1), (30, 2)])
@pytest.mark.parametrize(("kind", "corners"), [("rooms", "never"), ("caves", "always"), ("random", "never")])
def test_labels_and_shortcuts_know_all_distances(kind, corners, strip, threads):
    grid = wg.Grid(wg.generate(kind, width=48, height=40, seed=5).passable, corners=corners)
    tiles = map_tiles(grid.table)
    spots, edges = tiles.spots, join_spots(grid, tiles)
    made = contract(edges, threads, strip)
    truth, nodes = measure_all(edges), len(spots)
    assert sorted(made.ranks.tolist()) == list(range(nodes))
    truth = truth[np.argsort(made.ranks)][:, np.argsort(made.ranks)]
    sources = np.repeat(np.arange(nodes), np.diff(made.first))
    assert (made.arcs[:, 0] < sources).all()
    assert (made.levels[made.arcs[:, 0]] > made.levels[sources]).all()
    short = made.arcs[:, 1] >= 0
    middle, down, up = made.arcs[short, 1], made.arcs[short, 2], made.arcs[short, 3]
    assert (middle > sources[short]).all()
    assert (made.prices[down] + made.prices[up] == made.prices[short]).all()
    assert (made.arcs[down, 0] == sources[short]).all()
    assert (made.arcs[up, 0] == made.arcs[short, 0]).all()
    places, hubs, costs, steps = write_labels(made, threads, chunk=20)
    assert labels_build.find_bad_label(made.first, places, hubs, steps) == -1
    empty = places.copy()
    empty[3] = 0
    assert labels_build.find_bad_label(made.first, empty, hubs, steps) == 3
    labels = [dict(zip(hubs[a:b].tolist(), costs[a:b].tolist(), strict=True)) for a, b in places.tolist()]
    assert all(list(label) == sorted(label) for label in labels)
    for one in range(0, nodes, 5):
        for other in range(nodes):
            common = labels[one].keys() & labels[other].keys()
            least = min((labels[one][hub] + labels[other][hub] for hub in common), default=2**60)
            assert least == min(truth[one, other], 2**60)
    assert labels_build.find_hub(places, hubs, 3, int(hubs[places[3, 0]])) == places[3, 0]
    assert labels_build.find_hub(places, hubs, 3, nodes) == -1


def test_the_same_when_built_again_and_when_loaded(tmp_path):
    grid = wg.generate("caves", width=90, height=70, seed=2)
    for threads in (1, 2):
        wg.make_finder("ch", grid, threads=threads).save(tmp_path / f"{threads}.wgi")
    assert (tmp_path / "1.wgi").read_bytes() == (tmp_path / "2.wgi").read_bytes()
    loaded = wg.load_finder(tmp_path / "1.wgi", grid, verify=True)
    starts, goals = (cells[:: len(cells) // 500] for cells in all_pairs(grid))
    one, two = (loaded.find_many(starts, goals, threads) for threads in (1, 2))
    assert (one.cells == two.cells).all()
    assert np.allclose(one.costs, wg.make_finder("jps", grid).find_many(starts, goals).costs)


@pytest.mark.parametrize("strip", [10**6, 300])
def test_threads_change_nothing(strip):
    grid = wg.generate("random", width=150, height=130, seed=2)
    edges = join_spots(grid, map_tiles(grid.table))
    made, again = (contract(edges, threads, strip) for threads in (1, 3))
    assert all((one == other).all() for one, other in zip(made, again, strict=True))
    labels, shared = write_labels(made, 1), write_labels(made, 3, chunk=50)
    assert all((one == other).all() for one, other in zip(labels, shared, strict=True))


@pytest.mark.parametrize("strip", [10**6, 300])
def test_progress_goes_on_after_the_graph_is_drawn(strip, monkeypatch):
    monkeypatch.setattr(progress_bar, "TELL_S", 0.0)
    grid, told = wg.generate("random", width=150, height=130, seed=2), []
    edges = join_spots(grid, map_tiles(grid.table))
    made = contract(edges, 2, strip, lambda *now: told.append((get_ident(), *now)))
    nodes, steps = len(made.ranks), len(told)
    assert told[-1] == (get_ident(), nodes, nodes, 0.0)
    assert steps > 10
    write_labels(made, 2, 50, lambda *now: told.append((get_ident(), *now)))
    assert told[-1] == (get_ident(), nodes, nodes, 0.0)
    assert len(told) > steps + 10
    assert {one[0] for one in told} == {get_ident()}
    for part in (told[:steps], told[steps:]):
        assert [one[1] for one in part] == sorted(one[1] for one in part)


@pytest.mark.parametrize("strip", [10**6, 300])
def test_an_error_in_progress_ends_every_thread(strip, monkeypatch):
    monkeypatch.setattr(progress_bar, "TELL_S", 0.0)
    monkeypatch.setattr(build_steps, "TELL_S", 0.0)
    grid = wg.generate("random", width=300, height=300, seed=2)
    edges, seen = join_spots(grid, map_tiles(grid.table)), []
    before = set(list_threads())

    def stop(done, total, left):
        seen.append(done)
        if done > 0:
            raise KeyboardInterrupt

    with pytest.raises(BuildInterrupted, match=r"interrupted with \d+ of \d+ sources done .*; nothing is kept"):
        contract(edges, 2, strip, stop)
    assert seen[-1] < len(edges.first) // 2
    assert set(list_threads()) <= before


@pytest.mark.parametrize("threads", [1, 2])
def test_labels_widen_where_costs_need_it(threads):
    grid = wg.generate("rooms", width=60, height=60, seed=1)
    made = contract(join_spots(grid, map_tiles(grid.table)), threads, 40)
    short = write_labels(made, 1)
    long = made._replace(prices=made.prices.astype(np.int64) * 2**20)
    wide = write_labels(long, threads, chunk=8)
    assert short.costs.dtype == np.int32
    assert wide.costs.dtype == np.int64
    assert (wide.costs == short.costs.astype(np.int64) * 2**20).all()


def test_long_distances_take_64_bits():
    passable = np.ones((101, 101), bool)
    passable[1:-1:2, :] = False
    for row in range(1, 100, 2):  # a snake
        passable[row, -1 if row % 4 == 1 else 0] = True
    grid = wg.Grid(passable, metric=(2**20, 2**20))
    finder = wg.make_finder("ch", grid)
    assert finder.index["costs"].dtype == np.int64
    starts, goals = (cells[::59_999] for cells in all_pairs(grid))
    right = wg.make_finder("dijkstra", grid).find_many(starts, goals)
    assert np.allclose(finder.find_many(starts, goals).costs, right.costs)


def test_limits_leave_the_path_to_the_closest_waypoint():
    grid = wg.generate("rooms", width=60, height=60, seed=3)
    finder = wg.make_finder("ch", grid)
    starts, goals = (cells[::1009] for cells in all_pairs(grid))
    costs = finder.find_many(starts, goals).costs
    far = int(np.argmax(np.where(np.isfinite(costs), costs, 0)))
    start, goal = tuple(starts[far].tolist()), tuple(goals[far].tolist())
    whole = finder.find(start, goal)
    assert finder.find(start, goal, max_expansions=0).cells.tolist() == [list(start)]
    lengths = []
    for limit in range(1, whole.stats.expanded):
        path = finder.find(start, goal, max_expansions=limit)
        assert path.status == wg.Status.CUTOFF
        assert path.stats.expanded == limit
        assert path.is_valid(grid)
        lengths.append(len(path))
    assert lengths == sorted(lengths)
    assert finder.find(start, goal, max_expansions=whole.stats.expanded).cells.tolist() == whole.cells.tolist()
    search = finder.start(start, goal)
    while not search.advance(1):
        assert search.path().is_valid(grid)
    assert search.path().cells.tolist() == whole.cells.tolist()
    assert search.path().stats == whole.stats


def test_traces_show_accesses_the_hub_and_the_way():
    grid = wg.generate("rooms", width=60, height=60, seed=3)
    finder = wg.make_finder("ch", grid)
    spots = set(map_spots(grid.table).cells.tolist())
    starts, goals = (cells[::4001] for cells in all_pairs(grid))
    for start, goal in zip(starts.tolist(), goals.tolist(), strict=True):
        trace, path = finder.trace(start, goal), finder.find(start, goal)
        assert trace.path.cells.tolist() == path.cells.tolist()
        if not path.status or start == goal:
            continue
        kinds = trace.events["kind"]
        assert (kinds == layout.E_EXPANDING).sum() == path.stats.expanded
        expanded = trace.events["node"][kinds == layout.E_EXPANDING].tolist()
        assert expanded[0] == start[1] * grid.width + start[0]
        assert set(expanded[1:]) <= spots
        assert set(expanded) <= {y * grid.width + x for x, y in path.cells.tolist()}
        hubs = set(trace.events["node"][kinds == layout.E_SUBGOAL].tolist())
        assert hubs <= set(expanded)


@pytest.mark.parametrize("metric", ["octile", "dba", "bg", "unit", (2, 3), (7, 14), (5, 7)])
def test_costs_alone(metric):
    grid = wg.generate("caves", width=40, height=40, seed=5)
    grid = wg.Grid(grid.passable, metric=metric)
    finder = wg.make_finder("ch", grid)
    starts, goals = (cells[::977] for cells in all_pairs(grid))
    paths, alone = finder.find_many(starts, goals), finder.find_many(starts, goals, paths=False)
    assert (alone.costs == paths.costs).all()
    assert (alone.lengths == paths.lengths).all()
    assert (finder.costs(starts, goals, pairs=True) == paths.costs).all()
    some = starts[:: len(starts) // 40], goals[:: len(goals) // 30]
    matrix = finder.costs(*some)
    assert np.allclose(matrix, wg.make_finder("jps", grid).costs(*some), rtol=1e-12)
    assert (matrix == finder.costs(*some, threads=2)).all()


@pytest.mark.parametrize("name", ["arena", "orz103d"])
def test_real_maps(maps, name):
    grid = wg.Grid.from_file(maps / "dao" / f"{name}.map")
    scenario = wg.Scenario.from_file(maps / "dao" / f"{name}.map.scen")
    batch = wg.make_finder("ch", grid).find_many(scenario.starts, scenario.goals)
    assert (np.abs(batch.costs - scenario.costs) < 1e-4).all()
    assert all(path.is_valid(grid) for path in batch)
