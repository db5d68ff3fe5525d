import csv
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import waygrid as wg
from waygrid.bench import store as store_module
from waygrid.bench.engine import measure_units
from waygrid.bench.runner import run, units_of
from waygrid.bench.store import Plan, open_store
from waygrid.measure import slices
from waygrid.measure.machine import this_machine
from waygrid.measure.problems import random_problems
from waygrid.measure.rows import COLUMNS
from waygrid.measure.work import Settings

duckdb = pytest.importorskip("duckdb")
TIMES = {"time_us", "first_move_us", "longest_step_us", "first_20_us"}


def world():
    grid = wg.generate("rooms", width=40, height=30, seed=1)
    return grid, random_problems(grid, 40, seed=1)


def plan_of(names=("astar", "best-first"), **more):
    grid, problems = world()
    return Plan(units_of(grid, problems, names, name="rooms"), Settings(), **more)


def record(store, plan):
    recording = store.begin(plan)
    measure_units(plan.units, plan.settings, recording)
    return recording, recording.finish()


def numbers(store):
    """Return (measurement, number) of all rows."""
    return store.connection.execute("SELECT measurement, number FROM queries ORDER BY ALL").fetchall()


def test_results_are_those_of_a_run_without_store(tmp_path):
    grid, problems = world()
    with open_store(tmp_path / "a.duckdb") as store:
        recording, results = record(store, plan_of())
        assert (recording.run, recording.resumed, recording.done) == (1, False, 80)
        assert recording.store_s > 0
    plain = run(grid, problems, ["astar", "best-first"], name="rooms")
    for ours, theirs in zip(results, plain, strict=True):
        for name in COLUMNS:
            assert ours.rows[name].dtype == theirs.rows[name].dtype
            if name not in TIMES:
                assert np.array_equal(ours.rows[name], theirs.rows[name], equal_nan=name == "suboptimality")
        assert ours.as_json().keys() == theirs.as_json().keys()
        for name in ("map", "algorithm", "options", "expanded", "suboptimality", "fixed_bytes", "agent_bytes"):
            assert getattr(ours, name) == getattr(theirs, name)
        assert 0 < ours.mean_us < 1e6


def test_what_is_known_of_a_run(tmp_path):
    with open_store(tmp_path / "a.duckdb") as store:
        record(store, plan_of(name="first", seed=3))
        (known,) = store.runs()
        assert (known["run"], known["name"], known["seed"], known["engine"]) == (1, "first", 3, "threads")
        assert known["finished"] >= known["started"]
        assert known["cores"] == os.cpu_count()
        assert known["version"] == wg.__version__
        assert "compiled code" in known["timing"]
        assert store.find_run("first") == store.find_run("1") == store.last_run() == 1
        with pytest.raises(wg.WaygridError, match=r"there is no run '7'; the store has 1 \(first\)"):
            store.find_run("7")
        with pytest.raises(wg.WaygridError, match="take another name"):
            store.begin(plan_of(name="first", seed=3))
        rules = store.connection.execute("SELECT DISTINCT topology, corners, metric, clearance FROM measurements")
        assert rules.fetchall() == [("octile", "never", "octile", 1)]
    with open_store(tmp_path / "a.duckdb") as again:
        assert len(again.results(1)) == 2
        assert record(again, plan_of(name="second"))[0].run == 2


class StopError(Exception):
    pass


def test_a_run_that_failed_goes_on_where_it_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "MOST_QUERIES", 7)
    plan = plan_of()
    with open_store(tmp_path / "a.duckdb") as store:
        recording = store.begin(plan)
        whole, measured = recording.add, []

        def add(number, part):
            if len(measured) == 8:
                raise StopError
            measured.append((number, part.first))
            whole(number, part)

        recording.add = add
        with pytest.raises(StopError):
            measure_units(plan.units, plan.settings, recording)
    with open_store(tmp_path / "a.duckdb") as store:
        assert store.runs()[0]["finished"] is None
        with pytest.raises(wg.WaygridError, match="no finished run"):
            store.last_run()
        recording = store.begin(plan_of())
        assert (recording.run, recording.resumed, recording.gaps(0)) == (1, True, [])
        assert recording.done + sum(last - first for first, last in recording.gaps(1)) == 80
        measure_units(plan.units, plan.settings, recording)
        recording.finish()
        assert numbers(store) == [(unit, number) for unit in (1, 2) for number in range(40)]
        assert store.begin(plan_of()).run == 2  # a finished run is not gone on with
        assert store.begin(plan_of(["astar"])).run == 3  # nor one of other work


CHILD = """
    import sys, time
    from waygrid.measure import slices
    from waygrid.bench.engine import measure_units
    from waygrid.bench.store import Recording, Store, open_store
    sys.path.insert(0, {tests!r})
    from test_store import plan_of

    slices.MOST_QUERIES = 7
    done, insert = [0], Store.insert

    def slow(self, table, values):
        insert(self, table, values)
        if table == "slices":
            done[0] += 1
            if done[0] == {when}:
                print("now", flush=True)
                time.sleep(600)  # inside the transaction: this slice is not to be there

    Store.insert = slow
    plan = plan_of()
    with open_store({file!r}) as store:
        measure_units(plan.units, plan.settings, store.begin(plan))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
@pytest.mark.parametrize("when", [1, 3, 8])
def test_kill_9_loses_the_slice_in_hand_only(tmp_path, monkeypatch, when):
    file = str(tmp_path / "a.duckdb")
    script = textwrap.dedent(CHILD).format(tests=os.path.dirname(__file__), file=file, when=when)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "now\n"
        child.kill()
        assert child.wait() == -signal.SIGKILL
    monkeypatch.setattr(slices, "MOST_QUERIES", 7)
    plan = plan_of()
    with open_store(file) as store:
        before = store.connection.execute("SELECT count(*) FROM slices").fetchone()[0]
        assert before == when - 1
        rows = store.connection.execute("SELECT count(*) FROM queries").fetchone()[0]
        assert rows == store.connection.execute("SELECT coalesce(sum(last - first), 0) FROM slices").fetchone()[0]
        recording = store.begin(plan)
        assert (recording.run, recording.resumed, recording.done) == (1, True, rows)
        measure_units(plan.units, plan.settings, recording)
        results = recording.finish()
        assert numbers(store) == [(unit, number) for unit in (1, 2) for number in range(40)]
        assert [result.differ + result.illegal for result in results] == [0, 0]


def test_exports(tmp_path):
    with open_store(tmp_path / "a.duckdb") as store:
        record(store, plan_of())
        record(store, plan_of(["dijkstra"], name="it's"))
        assert store.export(tmp_path / "all.parquet") == 120
        assert store.export(tmp_path / "one.csv", 2) == 40
        found = store.connection.execute(f"SELECT count(*), sum(cost) FROM '{tmp_path}/all.parquet'").fetchone()
        assert found == store.connection.execute("SELECT count(*), sum(cost) FROM queries").fetchone()
        with pytest.raises(wg.WaygridError, match=r"cannot export to a\.xls; allowed are names that end in \.parquet"):
            store.export("a.xls")
    with open(tmp_path / "one.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["number"] for row in rows] == [str(number) for number in range(40)]
    assert {(row["name"], row["algorithm"], row["valid"]) for row in rows} == {("it's", "dijkstra", "true")}
    assert set(COLUMNS) <= set(rows[0])


def test_what_is_no_store(tmp_path):
    with pytest.raises(wg.WaygridError, match="there is no such store"):
        open_store(tmp_path / "none.duckdb", create=False)
    (tmp_path / "text.duckdb").write_text("not a store")
    with pytest.raises(wg.WaygridError, match=r"cannot use .*text\.duckdb as a benchmark store"):
        open_store(tmp_path / "text.duckdb")
    with open_store(tmp_path / "old.duckdb") as store:
        store.connection.execute("UPDATE about SET version = 99")
    with pytest.raises(wg.WaygridError, match="a store of version 99; allowed are 1 to 3"):
        open_store(tmp_path / "old.duckdb")


def test_the_tables_of_others_are_left_alone(tmp_path):
    file = str(tmp_path / "mine.duckdb")
    with duckdb.connect(file) as mine:
        mine.execute("CREATE TABLE songs (title VARCHAR)")
    with pytest.raises(wg.WaygridError, match=r"cannot use .*mine\.duckdb as a benchmark store: .* with songs"):
        open_store(file)
    with duckdb.connect(file) as mine:
        assert mine.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("songs",)]


def test_what_duckdb_refuses_is_one_sentence(tmp_path):
    with open_store(tmp_path / "a.duckdb") as store:
        store.connection.execute("DROP VIEW whole")
        with pytest.raises(wg.WaygridError, match=r"a\.duckdb: .*whole"):
            store.export(tmp_path / "a.csv")


def test_another_machine_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "MOST_QUERIES", 7)
    plan = plan_of(engine="cluster")
    first, second = (this_machine()._replace(cpu=name) for name in ("quick", "slow"))
    with open_store(tmp_path / "a.duckdb") as store:
        for machine in (second, first):  # nothing was measured by the one before
            recording = store.begin(plan)
            recording.ran_on([machine])
        assert store.runs()[0]["cpu"] == "quick"
        measure_units(plan.units[:1], plan.settings, recording)
        spent = recording.store_s
        assert 0 < store.runs()[0]["store_s"] <= spent  # known, though the run did not end
        recording = store.begin(plan)
        assert recording.resumed
        recording.ran_on([second, first])
        measure_units(plan.units, plan.settings, recording)
        recording.finish()
        (known,) = store.runs()
        assert (known["cpu"], known["python"]) == ("quick; slow", this_machine().python)
        assert known["store_s"] == recording.store_s > 0


def test_other_sources_are_other_work(monkeypatch):
    key = plan_of().key
    assert plan_of().key == key
    monkeypatch.setattr(store_module, "code", lambda: "other")
    assert plan_of().key != key


def test_without_duckdb_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(wg.WaygridError, match=r"waygrid\[bench\]"):
        open_store(":memory:")
