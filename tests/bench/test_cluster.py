"""Benchmarks and builds on a real cluster of separate processes, whose workers die now and then."""

import os
import pickle
import signal
import sys

import numpy as np
import pytest

import waygrid as wg
from waygrid.algorithms.bounds.boxes import box_work
from waygrid.algorithms.jumps.floods import CanonicalFlood
from waygrid.algorithms.jumps.turns import turn_graph, turn_records
from waygrid.algorithms.pathdb.cpd import RowWork, TurnWork, depth_first
from waygrid.algorithms.zones.gates import gate_work
from waygrid.algorithms.zones.zones import crossings_of, find_ports
from waygrid.bench import cluster as bench_cluster
from waygrid.bench.engine import measure_units
from waygrid.bench.runner import Kept, units_of
from waygrid.bench.store import Plan, open_store
from waygrid.build import cluster as build_cluster
from waygrid.build.dask import connected
from waygrid.build.sweep import plan_of, sweep
from waygrid.cli import main
from waygrid.measure import slices
from waygrid.measure.builds import Made
from waygrid.measure.machine import this_machine
from waygrid.measure.problems import random_problems
from waygrid.measure.rows import COLUMNS
from waygrid.measure.work import Settings

distributed = pytest.importorskip("distributed")
TIMES = {"time_us", "first_move_us", "longest_step_us", "first_20_us"}


@pytest.fixture(scope="module")
def cluster():
    """Two workers, each a process with one thread."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    ) as made:
        yield made.scheduler_address


@pytest.fixture(scope="module")
def grid():
    return wg.generate("rooms", width=60, height=40, seed=1)


def worker_ids(address):
    with connected(address) as client:
        return list(client.run(os.getpid).values())


def compared(ours, theirs):
    for name in COLUMNS:
        if name not in TIMES:
            assert np.array_equal(ours.rows[name], theirs.rows[name], equal_nan=name == "suboptimality"), name
    for name in ("map", "algorithm", "options", "queries", "fixed_bytes", "differ", "illegal", "suboptimality"):
        assert getattr(ours, name) == getattr(theirs, name)


def test_the_rows_are_those_of_one_machine(cluster, grid, tmp_path):
    units = units_of(grid, random_problems(grid, 60, seed=2), ["astar", "jps+", "tba"], name="rooms")
    results = []
    for engine, address in (("threads", None), ("cluster", cluster)):
        plan = Plan(units, Settings(), engine)
        with open_store(tmp_path / f"{engine}.duckdb") as store:
            recording = store.begin(plan)
            measure_units(units, plan.settings, recording, cluster=address)
            results.append(recording.finish())
    assert [result.algorithm for result in results[1]] == ["astar", "jps+", "tba"]
    for ours, theirs in zip(*results, strict=True):
        compared(ours, theirs)
        assert theirs.mean_us > 0


def test_dynamic_scenarios_are_replayed_on_workers(cluster, grid):
    changing = units_of(
        grid, wg.generate_changes(grid, edits=30, queries=20, seed=3), ["astar", "jps"], name="town.scen"
    )
    units = [*changing, *units_of(grid, random_problems(grid, 20, seed=2), ["astar"], name="rooms")]
    results = []
    for address in (None, cluster):
        kept = Kept(units)
        measure_units(units, Settings(rounds=0), kept, cluster=address)
        results.append(kept.results(Settings()))
    for ours, theirs in zip(*results, strict=True):
        compared(ours, theirs)
        assert ours.edits == theirs.edits
    assert [result.edits for result in results[1]] == [30, 30, 0]


def test_what_is_built_is_measured_before_the_next_build(grid, monkeypatch):
    class Client:
        def __init__(self):
            self.priorities = {}

        def submit(self, function, *known, pure, priority=0):
            self.priorities[function.__name__] = priority
            return object()

        def nthreads(self):
            return {"one": 1}

    monkeypatch.setattr(bench_cluster, "slots", lambda client: 1)
    monkeypatch.setattr(bench_cluster, "spread", lambda client, future, workers: None)
    units = units_of(grid, random_problems(grid, 20, seed=2), ["jps+", "astar"], name="rooms")
    client = Client()
    tasks = bench_cluster._Tasks(client, units, Settings(), Kept(units), "tcp://nowhere")
    assert len(tasks.begin()) == 2
    assert tasks.submit_slices(0, Made(0.1, 10, True), slices.Pace(1e-3, 1000))
    order = sorted(client.priorities, key=client.priorities.get, reverse=True)
    assert order[:3] == ["measure_there", "time_there", "look"]
    assert client.priorities["measure_there"] > client.priorities["look"] > client.priorities["build_there"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
def test_a_lost_worker_costs_its_tasks_only(cluster, grid, tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "MOST_QUERIES", 5)
    units = units_of(grid, random_problems(grid, 60, seed=3), ["dijkstra", "jps+"], name="rooms")
    victims = worker_ids(cluster)[:1]
    shares = []

    def progress(share, what):
        shares.append(share)
        if victims and len(shares) > 3:
            os.kill(victims.pop(), signal.SIGKILL)

    with open_store(tmp_path / "a.duckdb") as store:
        recording = store.begin(Plan(units, Settings(), "cluster"))
        measure_units(units, Settings(), recording, cluster=cluster, progress=progress)
        results = recording.finish()
        rows = store.connection.execute("SELECT measurement, number FROM queries ORDER BY ALL").fetchall()
    assert not victims
    assert shares[-1] == 1
    assert rows == [(unit, number) for unit in (1, 2) for number in range(60)]
    kept = Kept(units)
    measure_units(units, Settings(), kept)
    for ours, theirs in zip(results, kept.results(Settings()), strict=True):
        compared(ours, theirs)


@pytest.fixture
def tasks(monkeypatch):
    """Let small builds become tasks too, and short ones."""
    monkeypatch.setattr(build_cluster, "LOCAL_S", 0.0)
    monkeypatch.setattr(build_cluster, "_TRIED_S", 0.0)
    monkeypatch.setattr(build_cluster, "TASK_S", 0.002)
    made = []
    submitted = build_cluster.ClusterCrew._tasks

    def counted(self, client, tick_s):
        for piece in submitted(self, client, tick_s):
            made.append(piece)
            yield piece

    monkeypatch.setattr(build_cluster.ClusterCrew, "_tasks", counted)
    return made


@pytest.mark.parametrize("name", ["jps+gb", "cpd", "turntable", "astar-gb", "gateway"])
def test_an_index_built_there_is_the_same(cluster, grid, tasks, name):
    here, there = wg.make_finder(name, grid), wg.make_finder(name, grid, cluster=cluster)
    assert len(tasks) > 1
    assert here.index.keys() == there.index.keys()
    for key, array in here.index.items():
        assert np.array_equal(array, there.index[key]), key
        assert array.dtype == there.index[key].dtype


def test_the_command_line_builds_and_measures_there(cluster, grid, tasks, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    grid.save("rooms.map")
    assert main(["build", "rooms.map", "-a", "jps+gb", "-o", "here.wgi"]) == 0
    assert main(["build", "rooms.map", "-a", "jps+gb", "-o", "there.wgi", "--cluster", cluster]) == 0
    assert len(tasks) > 1
    assert (tmp_path / "here.wgi").read_bytes() == (tmp_path / "there.wgi").read_bytes()
    assert f"on the cluster at {cluster}" in capsys.readouterr().out
    words = ["bench", "rooms.map", "-a", "bfs", "--limit", "20", "--store", "a.duckdb"]
    assert main([*words, "--cluster", cluster]) == 0
    with open_store("a.duckdb") as store:
        (known,) = store.runs()
        assert (known["engine"], known["cpu"]) == ("cluster", this_machine().cpu)
        assert [result.queries for result in store.results(1)] == [20]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
def test_a_worker_lost_during_a_build(cluster, grid, tasks):
    victims = worker_ids(cluster)[1:]

    def progress(done, total, left):
        if victims and len(tasks) > 2:
            os.kill(victims.pop(), signal.SIGKILL)

    boxes = sweep(
        box_work(grid, "all", "cpu", None), plan_of({"cluster": cluster, "progress": progress}), "lost-worker"
    )
    assert not victims
    assert np.array_equal(boxes["boxes"], sweep(box_work(grid, "all", "cpu", None), plan_of({}), "no-one")["boxes"])


def works(grid):
    graph = turn_graph(grid.table)
    known = (grid, CanonicalFlood(grid, graph), depth_first(grid))
    crossings = crossings_of(grid, find_ports(grid))
    weighted = wg.Grid(grid.passable, weights=np.full(grid.passable.shape, 3))
    return [
        RowWork(*known),
        TurnWork(*known, turn_records(grid.table, graph)),
        box_work(grid, "canonical", "cpu", None),
        box_work(weighted, "one", "cpu", None),
        gate_work(grid, crossings),
    ]


def test_works_travel(grid):
    for work in works(grid):
        twin = pickle.loads(pickle.dumps(work))
        assert twin.total == work.total
        last = min(20, work.total)
        for name, array in work.run(work.scratch(), 3, last).items():
            assert np.array_equal(array, twin.run(twin.scratch(), 3, last)[name])


def test_grids_and_finders_travel(grid):
    changed = grid.copy()
    changed.set_one_way((5, 5), ["E"])
    changed.set_weight((6, 6), 9)
    twin = pickle.loads(pickle.dumps(changed))
    assert (twin == changed, twin.version) == (True, 2)
    twin.set_passable((7, 7), False)
    assert changed.fingerprint() != twin.fingerprint()
    problems = random_problems(grid, 9, seed=1)
    for name in ("astar", "jps+", "dba", "gateway", "tba"):
        finder = wg.make_finder(name, grid)
        batch = finder.find_many(problems.starts, problems.goals)
        again = pickle.loads(pickle.dumps(finder)).find_many(problems.starts, problems.goals)
        assert (batch.costs == again.costs).all()
        assert (batch.cells == again.cells).all()


def test_what_is_refused(cluster, grid, monkeypatch):
    unknown = "nonsense://here"
    with pytest.raises(wg.WaygridError, match=f"cannot reach a Dask scheduler at {unknown}"), connected(unknown):
        pass
    with pytest.raises(wg.WaygridError, match="a cluster builds on device 'cpu' only"):
        wg.make_finder("jps+gb", grid, device="gpu", cluster=cluster)
    with pytest.raises(wg.WaygridError, match="cluster is 7"):
        wg.make_finder("jps+gb", grid, cluster=7)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(wg.WaygridError, match=r"waygrid\[cluster\]"), connected(cluster):
        pass


def test_a_cluster_without_workers():
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50) as empty,
        pytest.raises(wg.WaygridError, match="has no workers"),
        connected(empty.scheduler_address),
    ):
        pass
