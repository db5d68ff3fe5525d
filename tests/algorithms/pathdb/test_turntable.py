"""Turn tables: optimal, legal, the same however they are built; costs and waypoints without cells."""

import os
import subprocess
import sys

import numpy as np
import pytest
from cases import cases, check, grid_of, grid_with_a_block
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.jumps.spots import map_spots
from waygrid.algorithms.pathdb import turntable as _turntable
from waygrid.core import layout

OCTILE = {"topologies": ("octile",), "one_way": False, "weighted": False}


def all_pairs(grid):
    ys, xs = np.nonzero(grid.table.walk.reshape(grid.height, grid.width))
    cells = np.stack([xs, ys], axis=1)
    return np.repeat(cells, len(cells), axis=0), np.tile(cells, (len(cells), 1))


@pytest.mark.quick
@settings(max_examples=600)
@given(cases(largest=13, **OCTILE), st.integers(0, 99))
def test_paths_are_optimal(case, seed):
    assume(case.corners != "one")
    check(case, wg.make_finder("turntable", grid_of(case), threads=1), sources=4, goals=20, seed=seed)


@settings(max_examples=150)
@given(cases(largest=9, **OCTILE))
def test_all_pairs_and_all_ways_of_asking_agree(case):
    assume(case.corners != "one")
    grid = grid_of(case)
    starts, goals = all_pairs(grid)
    if not len(starts):
        return
    truth = wg.make_finder("dijkstra", grid).find_many(starts, goals, threads=1, paths=False).costs
    finder = wg.make_finder("turntable", grid, threads=1)
    batch = finder.find_many(starts, goals, threads=1)
    assert np.allclose(batch.costs, truth, rtol=1e-7)
    without = finder.find_many(starts, goals, threads=1, paths=False)
    assert (without.costs == batch.costs).all()
    assert (without.lengths == batch.lengths).all()
    count = int(np.sqrt(len(starts)))
    assert np.allclose(finder.costs(goals[:count], goals[:count]).ravel(), batch.costs, rtol=1e-12)
    # A limit that is never reached makes the kernel list waypoints itself.
    listed = finder.find_many(starts, goals, threads=1, max_expansions=10**6)
    assert (listed.cells == batch.cells).all()
    assert (listed.statuses == batch.statuses).all()


@settings(max_examples=150)
@given(st.integers(0, 2**32 - 1), st.sampled_from(("never", "always")))
def test_around_symmetric_obstacles(seed, corners):
    grid = grid_with_a_block(seed, corners)
    starts, goals = all_pairs(grid)
    right, found = (
        wg.make_finder(name, grid).find_many(starts, goals, paths=False).costs for name in ("dijkstra", "turntable")
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
    right, found = (wg.make_finder(name, grid).find_many(starts, goals) for name in ("dijkstra", "turntable"))
    assert (right.statuses == found.statuses).all()
    assert np.allclose(right.costs, found.costs)
    assert all(path.is_valid(grid) for path in found if path.status)


def test_starts_and_goals_on_spots():
    grid = wg.generate("rooms", width=40, height=30, seed=4)
    spots = map_spots(grid.table).cells
    cells = np.stack([spots % grid.width, spots // grid.width], axis=1)
    starts, goals = np.repeat(cells, len(cells), axis=0), np.tile(cells, (len(cells), 1))
    right, found = (wg.make_finder(name, grid).find_many(starts, goals) for name in ("jps", "turntable"))
    assert np.allclose(right.costs, found.costs)
    assert all(path.is_valid(grid) for path in found)


def test_the_same_for_any_number_of_threads_and_when_loaded(tmp_path):
    grid = wg.generate("caves", width=90, height=70, seed=2)
    for threads in (1, 2):
        wg.make_finder("turntable", grid, threads=threads).save(tmp_path / f"{threads}.wgi")
    assert (tmp_path / "1.wgi").read_bytes() == (tmp_path / "2.wgi").read_bytes()
    loaded = wg.load_finder(tmp_path / "1.wgi", grid, verify=True)
    starts, goals = (cells[:: len(cells) // 500] for cells in all_pairs(grid))
    one, two = (loaded.find_many(starts, goals, threads) for threads in (1, 2))
    assert (one.cells == two.cells).all()
    assert np.allclose(one.costs, wg.make_finder("jps", grid).find_many(starts, goals).costs)
    with pytest.raises(wg.WaygridError, match=r"made for a map with [0-9]+ other walls"):
        wg.load_finder(tmp_path / "1.wgi", wg.generate("caves", width=90, height=70, seed=3), edits="refuse")


def test_long_distances_take_64_bits():
    passable = np.ones((61, 61), bool)
    passable[1:-1:2, :] = False
    for row in range(1, 60, 2):  # a snake
        passable[row, -1 if row % 4 == 1 else 0] = True
    grid = wg.Grid(passable, metric=(2**19, 2**20))
    finder = wg.make_finder("turntable", grid)
    assert finder.index["distances"].dtype == np.int64
    starts, goals = (cells[::9973] for cells in all_pairs(grid))
    right = wg.make_finder("dijkstra", grid).find_many(starts, goals)
    assert np.allclose(finder.find_many(starts, goals).costs, right.costs)


def test_steps_take_16_bits_where_a_spot_has_many_links(monkeypatch):
    from waygrid.algorithms.pathdb import turntable_build

    grid = wg.generate("random", width=30, height=30, seed=3, walls=0.1)
    starts, goals = (cells[::97] for cells in all_pairs(grid))
    small = wg.make_finder("turntable", grid)
    assert small.index["steps"].dtype == np.uint8
    monkeypatch.setattr(turntable_build, "MOST_LINKS", 2)
    large = wg.make_finder("turntable", grid)
    assert large.index["steps"].dtype == np.uint16
    assert (small.find_many(starts, goals).cells == large.find_many(starts, goals).cells).all()


def test_a_table_that_is_too_large_is_refused(monkeypatch):
    grid = wg.generate("random", width=60, height=60, seed=1, walls=0.2)
    spots = len(map_spots(grid.table).cells)
    told = rf"{spots} cells where paths turn.* takes \d.* [KM]B; at most 200 KB .* take ch or jps\+, or raise memory=$"
    with pytest.raises(wg.WaygridError, match=told):
        wg.make_finder("turntable", grid, memory="200 KB")
    monkeypatch.setattr(_turntable, "_MOST_SPOTS", 100)
    with pytest.raises(wg.WaygridError, match=r"at most 2.1 GB and 100 such cells are allowed: take ch or jps\+$"):
        wg.make_finder("turntable", grid)
    for instead in ("ch", "jps+"):
        assert wg.make_finder(instead, grid, memory="200 KB").find((0, 0), (0, 0)).cost == 0


def test_limits_leave_the_path_to_the_closest_waypoint():
    grid = wg.generate("rooms", width=60, height=60, seed=3)
    finder = wg.make_finder("turntable", grid)
    starts, goals = all_pairs(grid)
    far = int(
        np.argmax(np.where(np.isfinite(costs := finder.find_many(starts[::1009], goals[::1009]).costs), costs, 0))
    )
    start, goal = tuple(starts[::1009][far].tolist()), tuple(goals[::1009][far].tolist())
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


def test_traces_show_accesses_pairs_and_the_way():
    grid = wg.generate("rooms", width=60, height=60, seed=3)
    finder = wg.make_finder("turntable", grid)
    starts, goals = (cells[::4001] for cells in all_pairs(grid))
    for start, goal in zip(starts.tolist(), goals.tolist(), strict=True):
        trace = finder.trace(start, goal)
        path = finder.find(start, goal)
        assert trace.path.cells.tolist() == path.cells.tolist()
        if not path.status or start == goal:
            continue
        kinds = trace.events["kind"]
        assert (kinds == layout.E_EXPANDING).sum() == path.stats.expanded
        spots = set(map_spots(grid.table).cells.tolist())
        expanded = trace.events["node"][kinds == layout.E_EXPANDING].tolist()
        assert expanded[0] == start[1] * grid.width + start[0]
        assert set(expanded[1:]) <= spots
        on_path = {y * grid.width + x for x, y in path.cells.tolist()}
        assert set(expanded) <= on_path


@pytest.mark.parametrize("metric", ["octile", "dba", "bg", "unit", (2, 3), (7, 14), (5, 7)])
def test_costs_alone(metric):
    grid = wg.generate("caves", width=40, height=40, seed=5)
    grid = wg.Grid(grid.passable, metric=metric)
    finder = wg.make_finder("turntable", grid)
    starts, goals = (cells[::977] for cells in all_pairs(grid))
    paths = finder.find_many(starts, goals)
    alone = finder.find_many(starts, goals, paths=False)
    assert (alone.costs == paths.costs).all()
    assert (alone.lengths == paths.lengths).all()
    assert (finder.costs(starts, goals, pairs=True) == paths.costs).all()
    some = starts[:: len(starts) // 40], goals[:: len(goals) // 30]
    matrix = finder.costs(*some)
    assert matrix.shape == (len(some[0]), len(some[1]))
    assert np.allclose(matrix, wg.make_finder("jps", grid).costs(*some), rtol=1e-12)
    assert (matrix == finder.costs(*some, threads=2)).all()


def test_costs_of_long_paths_are_right_too(monkeypatch):
    """Where a cost leaves more than two numbers of diagonal moves, the path itself is measured."""
    grid = wg.generate("maze", width=41, height=41, seed=2)
    finder = wg.make_finder("turntable", grid)
    starts, goals = (cells[::3001] for cells in all_pairs(grid))
    right = finder.find_many(starts, goals)
    finder._policy[layout.APART_BELOW] = 40 * 5741
    assert (finder.find_many(starts, goals, paths=False).costs == right.costs).all()
    assert (finder.find_many(starts, goals).cells == right.cells).all()
    assert np.allclose(np.diag(finder.costs(starts, goals)), right.costs, rtol=1e-12)


def test_bad_cells_of_costs_are_named():
    finder = wg.make_finder("turntable", wg.Grid([[1, 1, 0]]))
    with pytest.raises(wg.WaygridError, match=r"start 1 \(2, 0\) is in a wall"):
        finder.costs([(0, 0), (2, 0)], [(1, 0)])
    with pytest.raises(wg.WaygridError, match=r"goal 0 \(5, 0\) is outside"):
        finder.costs([(0, 0)], [(5, 0)])


def test_a_damaged_table_is_noticed(tmp_path):
    grid = wg.generate("rooms", width=60, height=60, seed=3)
    starts, goals = (cells[::997] for cells in all_pairs(grid))
    for value in (0, 1, 200):
        finder = wg.make_finder("turntable", grid)
        steps = finder.index["steps"].copy()
        steps[:] = value
        finder.index["steps"] = steps
        finder._version = -1
        with pytest.raises(wg.WaygridError, match="the index is damaged"):
            finder.find_many(starts, goals)
        with pytest.raises(wg.WaygridError, match="the index is damaged"):
            finder.find_many(starts, goals, max_expansions=10**6)


SIMULATED = """
import sys, numpy as np, waygrid as wg
from waygrid.algorithms.pathdb import turntable_gpu
turntable_gpu._THREADS, turntable_gpu._TILE = 4, (4, 2)  # threads of the simulator are real ones
for corners, seed in (("never", 1), ("always", 2)):
    rng = np.random.default_rng(seed)
    grid = wg.Grid(rng.random((7, 9)) > 0.25, corners=corners)
    for device in ("cpu", "gpu"):
        wg.make_finder("turntable", grid, device=device).save(f"{sys.argv[1]}/{device}.wgi")
    files = [open(f"{sys.argv[1]}/{device}.wgi", "rb").read() for device in ("cpu", "gpu")]
    assert files[0] == files[1], corners
print("equal")
"""


def test_indexes_of_cpu_and_simulated_gpu_are_equal_byte_for_byte(tmp_path):
    """The simulator must be chosen before numba.cuda is imported: a process of its own."""
    command = [sys.executable, "-c", SIMULATED, str(tmp_path)]
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=280)
    assert done.stdout.strip() == "equal", done.stderr[-2000:]


@pytest.mark.parametrize("name", ["arena", "orz103d"])
def test_real_maps(maps, name):
    grid = wg.Grid.from_file(maps / "dao" / f"{name}.map")
    scenario = wg.Scenario.from_file(maps / "dao" / f"{name}.map.scen")
    batch = wg.make_finder("turntable", grid).find_many(scenario.starts, scenario.goals)
    assert (np.abs(batch.costs - scenario.costs) < 1e-4).all()
    assert all(path.is_valid(grid) for path in batch)
