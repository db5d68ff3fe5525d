"""Things that were wrong once."""

import numpy as np
import pytest

import waygrid as wg
from waygrid.core import layout as at


def walled():
    grid = wg.Grid(np.ones((50, 50), bool))
    grid.set_passable((30, slice(0, 50)), False)
    return grid


@pytest.mark.parametrize("name", ["astar", "bfs", "dijkstra", "best-first"])
def test_partial_respects_limits(name):
    path = wg.make_finder(name, walled()).find((0, 0), (49, 49), partial=True, max_expansions=5)
    assert path.status == wg.Status.CUTOFF
    assert path.stats.expanded <= 10
    assert path.is_valid(walled())


def test_no_expansions_leave_the_agent_at_the_start():
    for name in wg.algorithms():
        path = wg.make_finder(name, wg.Grid(np.ones((5, 5), bool))).find((1, 2), (4, 4), max_expansions=0)
        assert (path.status, path.cells.tolist(), path.cost) == (wg.Status.CUTOFF, [[1, 2]], 0.0), name


def test_toggling_a_cell_does_not_widen_searches():
    grid = wg.Grid(np.ones((400, 400), bool))
    finder = wg.make_finder("astar", grid)
    finder.find((0, 0), (9, 9))
    before = finder.memory
    exact = grid.table.longest
    grid.table.longest = 2**31 - 1  # as if cells had been edited many times
    grid.set_passable((5, 5), False)
    grid.set_passable((5, 5), True)
    assert grid.table.longest <= exact + grid.table.geo[at.DIAGONAL]
    assert finder.memory == before


def test_only_truth_values_open_cells():
    grid = wg.Grid([[1, 0]])
    with pytest.raises(wg.WaygridError, match="takes True or False"):
        grid.set_passable((1, 0), "no")
    with pytest.raises(wg.WaygridError, match="takes True or False"):
        grid.set_passable((1, 0), [True])
    assert not grid.passable[0, 1]


@pytest.mark.parametrize("topology", ["tile", "octile", "hex", "tex"])
def test_map_files_remember_the_topology(tmp_path, topology):
    grid = wg.Grid([[1, 0, 1], [1, 1, 1]], topology=topology)
    grid.save(tmp_path / "a.map")
    assert wg.Grid.from_file(tmp_path / "a.map") == grid
    assert wg.Grid.from_file(tmp_path / "a.map", topology="tile").topology == "tile"


def test_parts_of_a_distance_map_carry_no_flow():
    field = wg.distances(wg.Grid(np.ones((4, 4), bool)), (0, 0))
    assert field.flow.shape == (4, 4)
    assert field[1:].flow.size == 0
    assert field.copy().flow.shape == (4, 4)


@pytest.mark.parametrize("reading", ["K1", "K2", "K3", "K4"])
def test_traced_estimates_are_those_that_steered_the_search(reading):
    grid = wg.generate("random", width=14, height=12, seed=6, walls=0.25)
    ys, xs = np.nonzero(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())
    ends = (int(xs[0]), int(ys[0])), (int(xs[-1]), int(ys[-1]))
    events = wg.make_finder("astar-overestimate", grid, reading=reading).trace(*ends).events
    queued = {}
    for event in events:
        if event["kind"] in (at.E_GENERATING, at.E_UPDATING):
            queued[int(event["node"])] = int(event["h"])
        elif event["kind"] == at.E_EXPANDING and reading != "K2":  # K2 gives waiting cells new estimates
            assert event["h"] == queued[int(event["node"])]
    assert len(queued) > 20


def test_traces_of_searches_that_count_moves_are_exported_as_moves(tmp_path):
    trace = wg.make_finder("bfs", wg.Grid([[1, 1, 1]])).trace((0, 0), (2, 0))
    assert trace.unit == 1
    trace.save(tmp_path / "a.trace.yaml")
    assert "g: 2" in (tmp_path / "a.trace.yaml").read_text()


def test_ida_on_cut_off_goals_ends():
    """Behind one-way tiles or blocked cells the goal may be out of reach within one part of the map."""
    grid = wg.Grid([[1, 1, 1]], topology="tile")
    finder = wg.make_finder("ida", grid)
    assert finder.find((0, 0), (2, 0), blocked=[(1, 0)]).status == wg.Status.UNREACHABLE
    grid.set_one_way((1, 0), ["W"])
    assert finder.find((0, 0), (2, 0)).status == wg.Status.UNREACHABLE
    assert finder.find((2, 0), (0, 0)).status == wg.Status.FOUND


def test_opening_a_cell_for_a_big_agent_counts_the_weights_beside_it():
    passable = np.ones((3, 5), bool)
    passable[1, 2] = False
    weights = np.full((3, 5), 50)
    weights[0, 1] = weights[0, 2] = weights[1, 1] = 1
    grid = wg.Grid(passable, weights=weights, clearance=2, topology="tile", metric="unit")
    finder = wg.make_finder("astar", grid)
    assert grid.table.max_weight == 50
    grid.set_passable((2, 1), True)
    assert finder.find((0, 1), (3, 0)).cost == 53


@pytest.mark.parametrize("seed", range(40))
def test_long_lived_finders_follow_edits_of_weighted_maps_for_big_agents(seed):
    rng = np.random.default_rng(seed)
    passable = rng.random((8, 9)) > 0.3
    weights = rng.choice((1, 7, 60000), passable.shape)
    grid = wg.Grid(passable, weights=weights, clearance=2, topology=str(rng.choice(("tile", "octile"))))
    finders = [wg.make_finder(name, grid) for name in ("astar", "dijkstra")]
    for _ in range(6):
        grid.set_passable((int(rng.integers(9)), int(rng.integers(8))), bool(rng.random() < 0.8))
        grid.set_weight((int(rng.integers(9)), int(rng.integers(8))), int(rng.choice((1, 7, 60000))))
        fresh = wg.make_finder(
            "dijkstra", wg.Grid(grid.passable, weights=grid.weights, clearance=2, topology=grid.topology)
        )
        ys, xs = np.nonzero(grid.table.walk.reshape(8, 9))
        if not len(xs):
            continue
        picks = rng.integers(0, len(xs), (2, 12))
        starts, goals = (np.stack([xs[p], ys[p]], axis=1) for p in picks)
        truth = fresh.find_many(starts, goals, threads=1).costs
        for finder in finders:
            assert finder.find_many(starts, goals, threads=1).costs == pytest.approx(truth)


def test_a_cancelled_search_gives_its_memory_back_where_it_came_from():
    grid = wg.Grid(np.ones((30, 30), bool))
    finder = wg.make_finder("astar", grid)
    search = finder.start((0, 0), (29, 29))
    search.advance(5)
    weights = np.random.default_rng(0).integers(1, 60000, (30, 30))
    for y in range(30):
        for x in range(30):
            grid.set_weight((x, y), int(weights[y, x]))
    finder.find((0, 0), (1, 0))
    search.cancel()
    assert finder.find((0, 0), (29, 29)).cost == wg.make_finder("dijkstra", grid.copy()).find((0, 0), (29, 29)).cost
    plain = wg.make_finder("dijkstra", wg.Grid(np.ones((30, 30), bool)))
    assert plain.find((0, 0), (29, 0)).cost == 29


def test_a_search_that_has_not_begun_stands_at_its_start():
    grid = wg.Grid(np.ones((6, 6), bool))
    for name in wg.algorithms():
        finder = wg.make_finder(name, grid)
        finder.find((0, 0), (5, 4))
        path = finder.start((3, 3), (1, 5)).path()
        assert (path.status, path.cells.tolist(), path.cost) == (wg.Status.CUTOFF, [[3, 3]], 0.0), name
        assert path.stats.expanded == 0


def _in_child(queue):
    finder = wg.make_finder("astar", wg.Grid(np.ones((9, 9), bool)))
    queue.put(finder.find_many([(0, 0)] * 20, [(8, 8)] * 20, threads=2).costs.tolist())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_batches_work_in_a_forked_child():
    import multiprocessing

    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this platform cannot fork")
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    _in_child(queue)
    expected = queue.get(timeout=30)
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    try:
        assert queue.get(timeout=30) == expected
    finally:
        child.terminate()


def test_interrupted_batches_let_the_process_end():
    """Threads that search on would keep the interpreter from leaving."""
    import subprocess
    import sys

    code = """
import os, signal, threading, numpy as np, waygrid as wg
grid = wg.Grid(np.ones((60, 60), bool))
grid.set_passable((30, slice(1, 60)), False)
finder = wg.make_finder("ida", grid, heuristic="zero", pruning="none")
finder.find((0, 0), (1, 1))
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    finder.find_many([(0, 59)] * 4, [(59, 59)] * 4, threads=2)
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=90)
    assert done.stdout.strip() == "interrupted"


def test_raised_weights_raise_the_estimate():
    grid = wg.Grid(np.ones((30, 30), bool))
    finder = wg.make_finder("astar", grid)
    grid.set_weight((slice(None), slice(None)), 50)
    assert finder.find((0, 0), (29, 20)).stats.expanded < 60


def test_rows_of_a_partial_batch_do_not_depend_on_each_other():
    grid = walled()
    finder = wg.make_finder("dfs", grid)
    starts, goals = [(0, 0), (29, 49), (25, 3)], [(49, 49), (49, 49), (40, 3)]
    together = finder.find_many(starts, goals, partial=True, max_expansions=1400)
    for number in range(3):
        alone = finder.find(starts[number], goals[number], partial=True, max_expansions=1400)
        assert alone.cells.tolist() == together[number].cells.tolist()


def test_step_does_not_call_a_goal_unreachable_behind_one_way_tiles():
    rng = np.random.default_rng(3)
    doubtful = 0
    for _ in range(150):
        grid = wg.Grid(rng.random((6, 7)) > 0.2)
        for y in range(6):
            for x in range(7):
                if rng.random() < 0.25:
                    grid.set_one_way((x, y), [n for n in grid.directions if rng.random() < 0.5])
        ys, xs = np.nonzero(grid.passable)
        picks = rng.integers(0, len(xs), (2, 6))
        starts, goals = (np.stack([xs[p], ys[p]], axis=1) for p in picks)
        truth = wg.make_finder("bfs", grid).find_many(starts, goals, threads=1).statuses
        walked = wg.make_finder("step", grid).find_many(starts, goals, threads=1).statuses
        assert not ((truth == wg.Status.FOUND) & (walked == wg.Status.UNREACHABLE)).any()
        doubtful += int(((truth == wg.Status.FOUND) & (walked == wg.Status.CUTOFF)).sum())
    assert doubtful > 0


def test_the_same_map_is_the_same_map(tmp_path):
    weights = np.array([[5, 9, 1]])
    grid = wg.Grid([[1, 0, 1]], weights=weights)
    grid.save(tmp_path / "a.npy")
    assert wg.Grid.from_file(tmp_path / "a.npy") == grid
    assert wg.Grid([[1, 1]], weights=[[1, 1]]) == wg.Grid([[1, 1]])
    grid = wg.Grid([[1, 1]], topology="tile")
    grid.set_one_way((0, 0), grid.directions)
    assert not grid.has_one_way


@pytest.mark.parametrize(
    "call",
    [
        lambda: wg.Grid([[1, 1]], weights=[[1], [1, 2]]),
        lambda: wg.Grid([1, [2]]),
        lambda: wg.Grid([[1], 2]),
        lambda: wg.Grid([[1, float("nan")]]),
        lambda: wg.Grid([[1]], metric=(float("inf"), 1)),
        lambda: wg.Grid([[1]]).set_one_way((0, 0), 5),
        lambda: wg.make_finder("astar", [[1]]),
        lambda: wg.make_finder(wg.Grid([[1]]), "astar"),
        lambda: wg.Grid.from_file(True),
        lambda: wg.make_finder("astar", wg.Grid([[1]])).find({}, (0, 0)),
        lambda: wg.make_finder("astar", wg.Grid([[1]])).find((0, 0), (0, [1])),
        lambda: wg.make_finder("astar", wg.Grid([[1]])).find((0, 0), (0, 0), blocked=[(0, 0), 1]),
        lambda: wg.make_finder("astar", wg.Grid([[1]])).start((0, 0), (0, 0)).advance("ab"),
        lambda: wg.distances(wg.Grid([[1]]), [(0, 0), 1]),
    ],
)
def test_nonsense_is_a_waygrid_error(call):
    with pytest.raises(wg.WaygridError):
        call()
