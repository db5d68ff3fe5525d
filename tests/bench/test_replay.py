"""Dynamic scenarios in benchmarks: measured, stored, resumed, compared."""

import numpy as np
import pytest

import waygrid as wg
from waygrid.bench import engine
from waygrid.bench.compare import Allowed, compare
from waygrid.bench.engine import measure_units
from waygrid.bench.runner import run, units_of
from waygrid.bench.schema import SINCE
from waygrid.bench.store import Plan, open_store
from waygrid.measure.problems import random_problems
from waygrid.measure.replay import HOW
from waygrid.measure.rows import COLUMNS, EDIT_COLUMNS
from waygrid.measure.work import Settings

duckdb = pytest.importorskip("duckdb")
TIMES = {"time_us", "first_move_us", "longest_step_us", "first_20_us", "edit_us"}


def world(seed=1):
    grid = wg.generate("rooms", width=40, height=30, seed=1)
    return grid, wg.generate_changes(grid, edits=50, queries=30, seed=seed)


def plan_of(names=("astar", "jps"), seed=1, **more):
    return Plan(units_of(*world(seed), names, name="town.scen"), Settings(), **more)


def record(store, plan):
    recording = store.begin(plan)
    measure_units(plan.units, plan.settings, recording)
    return recording, recording.finish()


def test_results():
    grid, scenario = world()
    results = run(grid, scenario, ["astar", "jps", "best-first"])
    for result in results:
        assert (result.queries, result.edits, result.differ, result.illegal, result.below) == (30, 50, 0, 0, 0)
        assert (result.optimum, result.cut_off, result.unsolved, result.round_us) == ("scenario", 0, 0, [])
        assert 0 < result.edit_us < 1e6
        assert result.mean_us == pytest.approx(result.times_us.mean(), rel=1e-4)
        assert result.rows["number"].tolist() == list(range(30))
        assert len(result.edit_rows["edit_us"]) == 50
        known = result.as_json()
        assert (known["edits"], known["edit_us"]) == (50, result.edit_us)
        assert not {"rows", "edit_rows"} & set(known)
    assert results[0].suboptimality == results[1].suboptimality == 0
    assert results[2].suboptimality > 0
    assert grid.version == 0


def test_the_other_scenarios_have_no_edits():
    grid, _ = world()
    (result,) = run(grid, random_problems(grid, 5), ["astar"], rounds=0)
    assert (result.edits, result.edit_us, len(result.edit_rows["edit"])) == (0, None, 0)


def test_wrong_lengths_are_found():
    grid, scenario = world()
    scenario.costs[3] += 1
    scenario.costs[7] -= 1
    (result,) = run(grid, scenario, ["astar"])
    assert (result.differ, result.below, result.illegal) == (2, 1, 0)
    assert result.first_fault.startswith("row 3: cost ")


def test_a_limit_takes_the_first_queries():
    grid, scenario = world()
    (result,) = run(grid, scenario, ["astar"], limit=12)
    assert (result.queries, result.edits) == (12, scenario.before[11])
    assert result.differ == 0
    with pytest.raises(wg.WaygridError, match="limit is 0"):
        run(grid, scenario, ["astar"], limit=0)


def test_what_cannot_be_replayed():
    grid, scenario = world()
    with pytest.raises(wg.WaygridError, match="threads is 2; a dynamic scenario is replayed on 1"):
        run(grid, scenario, ["astar"], threads=2)
    with pytest.raises(wg.WaygridError, match="hold for topology octile, corners never"):
        run(wg.Grid(grid.passable, corners="one"), scenario, ["astar"])
    with pytest.raises(wg.WaygridError, match="is for a map of 40 x 30"):
        run(wg.Grid(np.ones((3, 3))), scenario, ["astar"])
    empty = wg.DynamicScenario(3, 3, [], [], [], [], [], [])
    with pytest.raises(wg.WaygridError, match="there are no problems to run"):
        run(empty.start_grid(), empty, ["astar"])


def test_changes_are_part_of_the_work():
    one, other = plan_of(["astar"]).units[0], plan_of(["astar"], seed=2).units[0]
    assert one.map_hash != other.map_hash
    assert one.key != other.key
    assert one.key == plan_of(["astar"]).units[0].key
    assert plan_of().key != plan_of(seed=2).key


def test_the_store_keeps_edits_beside_queries(tmp_path):
    grid, scenario = world()
    with open_store(tmp_path / "a.duckdb") as store:
        recording, results = record(store, plan_of())
        assert recording.done == 60
        assert store.runs()[0]["timing"] == HOW
        for table, rows in (("queries", 60), ("edits", 100), ("slices", 2), ("rounds", 0)):
            assert store.connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (rows,)
    for ours, theirs in zip(results, run(grid, scenario, ["astar", "jps"], name="town.scen"), strict=True):
        for columns, rows, others in (
            (COLUMNS, ours.rows, theirs.rows),
            (EDIT_COLUMNS, ours.edit_rows, theirs.edit_rows),
        ):
            for name in columns:
                assert rows[name].dtype == others[name].dtype
                if name not in TIMES:
                    np.testing.assert_array_equal(rows[name], others[name])
        assert ours.as_json().keys() == theirs.as_json().keys()
        assert (ours.edits, ours.map) == (50, "town.scen")
    with open_store(tmp_path / "a.duckdb", create=False) as store:
        assert [result.edits for result in store.results(1)] == [50, 50]
        assert store.export(tmp_path / "a.csv") == 60


def test_a_scenario_is_there_as_a_whole_or_not_at_all(tmp_path, monkeypatch):
    plan, replay, measured = plan_of(), engine.measure_replay, []

    def measure(unit, *known):
        if measured:
            raise KeyboardInterrupt
        measured.append(unit.algorithm)
        return replay(unit, *known)

    with open_store(tmp_path / "a.duckdb") as store:
        recording = store.begin(plan)
        monkeypatch.setattr(engine, "measure_replay", measure)
        with pytest.raises(KeyboardInterrupt):
            measure_units(plan.units, plan.settings, recording)
    monkeypatch.undo()
    with open_store(tmp_path / "a.duckdb") as store:
        recording = store.begin(plan_of())
        assert (recording.resumed, recording.done) == (True, 30)
        assert [recording.gaps(number) for number in (0, 1)] == [[], [(0, 30)]]
        measure_units(plan.units, plan.settings, recording)
        assert [(result.algorithm, result.queries, result.edits) for result in recording.finish()] == [
            ("astar", 30, 50),
            ("jps", 30, 50),
        ]


def make_old(file, version):
    """Take the tables away that a store of an older version does not have."""
    with duckdb.connect(str(file)) as connection:
        for table, since in SINCE.items():
            if since > version:
                connection.execute(f"DROP TABLE {table}")
        connection.execute("UPDATE about SET version = ?", [version])


@pytest.mark.parametrize("version", [1, 2])
def test_older_stores_can_be_read_and_written(tmp_path, version):
    grid, _ = world()
    still = Plan(units_of(grid, random_problems(grid, 20, seed=1), ["astar"], name="rooms"), Settings(rounds=4))
    file = tmp_path / "old.duckdb"
    with open_store(file) as store:
        record(store, still)
    make_old(file, version)
    with open_store(file, create=False) as store:
        assert [result.edits for result in store.results(1)] == [0]
        assert store.connection.execute("SELECT version FROM about").fetchone() == (version,)
    with open_store(tmp_path / "new.duckdb") as store:
        record(store, still)
        (found,) = compare(store, 1, 1, str(file)).differences
        assert (found.old_edit_us, found.new_edit_us, found.edits_say(Allowed())) == (None, None, "same")
    with open_store(file) as store:
        record(store, plan_of())
        assert [result.edits for result in store.results(2)] == [50, 50]
        assert store.connection.execute("SELECT version FROM about").fetchone() == (3,)


def test_comparisons_show_edits():
    with open_store(":memory:") as store:
        record(store, plan_of(["astar"]))
        record(store, plan_of(["astar"]))
        store.connection.execute("UPDATE edits SET edit_us = 10")
        store.connection.execute("UPDATE queries SET time_us = 10")
        (same,) = compare(store, 2, 1).differences
        assert (same.old_edit_us, same.new_edit_us, same.edits_say(Allowed())) == (10, 10, "same")
        assert not same.is_regression(Allowed())
        store.connection.execute("UPDATE edits SET edit_us = 50 WHERE measurement = 2")
        (slower,) = compare(store, 2, 1).differences
        assert (slower.new_edit_us, slower.edits_say(Allowed()), slower.time_says(Allowed())) == (50, "slower", "same")
        assert slower.is_regression(Allowed())
        store.connection.execute("UPDATE edits SET edit_us = 2 WHERE measurement = 2")
        (faster,) = compare(store, 2, 1).differences
        assert (faster.edits_say(Allowed()), faster.is_regression(Allowed())) == ("faster", False)


def test_other_changes_are_not_compared():
    with open_store(":memory:") as store:
        record(store, plan_of(["astar"]))
        record(store, plan_of(["astar"], seed=2))
        found = compare(store, 2, 1)
        assert (found.differences, found.only_new, found.only_old) == ([], ["town.scen, astar"], ["town.scen, astar"])
