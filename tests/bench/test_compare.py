import pytest

import waygrid as wg
from waygrid.bench.compare import Allowed, compare
from waygrid.bench.engine import measure_units
from waygrid.bench.runner import units_of
from waygrid.bench.schema import VERSION
from waygrid.bench.store import Plan, open_store
from waygrid.grid.make import generate
from waygrid.measure.problems import random_problems
from waygrid.measure.student import student
from waygrid.measure.work import Settings

pytest.importorskip("duckdb")


def record(store, names=("astar", "best-first"), **more):
    grid = generate("rooms", width=40, height=30, seed=1)
    plan = Plan(units_of(grid, random_problems(grid, 60, seed=1), names, name="rooms"), Settings(), **more)
    recording = store.begin(plan)
    measure_units(plan.units, plan.settings, recording)
    recording.finish()
    return recording.run


@pytest.fixture
def store():
    """A store with two runs of exactly the same times, on a machine of the same speed."""
    with open_store(":memory:") as made:
        record(made)
        record(made)
        made.connection.execute(
            "UPDATE queries SET time_us = (SELECT time_us FROM queries o WHERE o.measurement = queries.measurement - 2 "
            "AND o.number = queries.number) WHERE measurement > 2"
        )
        made.connection.execute("UPDATE rounds SET seconds = 2e-3 + 1e-5 * (round % 3), yardstick_s = 1e-3")
        yield made


def change(store, what, measurement, table="queries"):
    store.connection.execute(f"UPDATE {table} SET {what} WHERE measurement = {measurement}")


def slow_down(store, factor, measurement):
    change(store, f"seconds = seconds * {factor}", measurement, "rounds")


def test_nothing_changed(store):
    found = compare(store, 2, 1)
    assert [each.algorithm for each in found.differences] == ["astar", "best-first"]
    for each in found.differences:
        assert (each.pairs, each.rounds, each.ratio, each.worse, each.lost) == (60, 20, pytest.approx(1), 0, 0)
        assert each.low < 1 < each.high == pytest.approx(1 / each.low)
        assert (each.time_says(Allowed()), each.quality_says(Allowed())) == ("same", "same")
        assert not each.is_regression(Allowed())
    assert found.only_new == found.only_old == []


def test_slower_and_faster(store):
    slow_down(store, 1.3, 3)
    slow_down(store, 1 / 1.3, 4)
    slower, faster = compare(store, 2, 1).differences
    assert slower.ratio == pytest.approx(1.3, rel=1e-5)
    assert faster.ratio == pytest.approx(1 / 1.3, rel=1e-5)
    assert slower.low < slower.ratio < slower.high
    assert [each.time_says(Allowed(time=0.1)) for each in (slower, faster)] == ["slower", "faster"]
    assert [each.time_says(Allowed(time=0.4)) for each in (slower, faster)] == ["same", "same"]
    assert [each.is_regression(Allowed(time=0.1)) for each in (slower, faster)] == [True, False]


def test_a_machine_that_was_busy_in_one_run_is_no_change(store):
    store.connection.execute("UPDATE queries SET time_us = time_us * 1.3 WHERE measurement > 2")
    store.connection.execute("UPDATE rounds SET seconds = seconds * 1.3, yardstick_s = 1.3e-3 WHERE measurement > 2")
    found = compare(store, 2, 1)
    assert [each.time_says(Allowed()) for each in found.differences] == ["same", "same"]
    assert found.differences[0].ratio == pytest.approx(1)
    assert found.notes == ["by the yardstick the machine was 30% slower than then; ratios allow for that"]


def test_runs_of_the_same_code_tell_how_much_runs_scatter(store):
    slow_down(store, 1.25, 3)
    calm = compare(store, 2, 1).differences[0]
    for run, factor in enumerate((1.2, 0.8, 1.1, 0.9), 3):
        for table, new in (
            ("runs", f"{run} AS run, started - to_seconds({run}) AS started"),
            ("measurements", f"{run} AS run, {10 * run} + measurement AS measurement"),
            ("rounds", f"{10 * run} + measurement AS measurement, {factor} * seconds AS seconds"),
        ):
            of_the_first = "measurement < 3" if table == "rounds" else "run = 1"
            store.connection.execute(f"INSERT INTO {table} SELECT * REPLACE ({new}) FROM {table} WHERE {of_the_first}")
    wild = compare(store, 2, 1).differences[0]
    assert wild.ratio == pytest.approx(calm.ratio)
    assert wild.high / wild.low > 1.2 * calm.high / calm.low
    assert (calm.time_says(Allowed()), wild.time_says(Allowed())) == ("slower", "same")


@pytest.mark.parametrize(
    ("share", "degrees", "table"),
    [
        *((0.975, *pair) for pair in ((1, 12.7062), (2, 4.3027), (3, 3.1824), (10, 2.2281), (120, 1.9799))),
        *(
            (0.99, *pair)
            for pair in ((1, 31.8205), (2, 6.9646), (4, 3.7469), (19, 2.5395), (24, 2.4922), (399, 2.3357))
        ),
    ],
)
def test_student(share, degrees, table):
    assert student(degrees, share) == pytest.approx(table, rel=3e-3 if share == 0.975 else 5e-3)


def test_noise_is_no_regression(store):
    change(store, "seconds = seconds * CASE WHEN round % 4 = 0 THEN 1 ELSE 3 END", 3, "rounds")
    each = compare(store, 2, 1).differences[0]
    assert each.low < 1 < each.high
    assert each.time_says(Allowed()) == "same"


def test_quality(store):
    change(store, "suboptimality = suboptimality + 0.01", 3)
    store.connection.execute("UPDATE queries SET status = 0, suboptimality = NULL WHERE measurement = 4 AND number = 3")
    worse, lost = compare(store, 2, 1).differences
    assert worse.worse == pytest.approx(0.01)
    assert (worse.quality_says(Allowed()), worse.is_regression(Allowed())) == ("worse", True)
    assert worse.quality_says(Allowed(suboptimality=0.02)) == "same"
    assert (lost.lost, lost.quality_says(Allowed()), lost.is_regression(Allowed())) == (1, "worse", True)
    assert compare(store, 1, 2).differences[0].quality_says(Allowed()) == "better"


def test_a_path_that_is_legal_no_more_is_lost(store):
    store.connection.execute("UPDATE queries SET valid = false, suboptimality = 9 WHERE measurement = 4 AND number = 3")
    each = compare(store, 2, 1).differences[1]
    assert (each.lost, each.quality_says(Allowed()), each.is_regression(Allowed())) == (1, "worse", True)
    assert each.worse == 0  # what an illegal path costs says nothing
    assert compare(store, 1, 2).differences[1].lost == 0


def test_how_the_runs_were_made(store):
    assert compare(store, 2, 1).notes == []
    store.connection.execute("UPDATE runs SET threads = 2, cpu = 'another', engine = 'cluster' WHERE run = 2")
    told = compare(store, 2, 1).notes
    assert [note.split()[0] for note in told] == ["engine", "threads", "cpu"]
    assert told[1] == "threads was 1 and is 2: times differ by that, too"
    for name in ("max_expansions", "expansions"):
        store.connection.execute(f"UPDATE runs SET {name} = 77 WHERE run = 2")
        with pytest.raises(wg.WaygridError, match=f"run 1 was made with {name} .* cannot be compared"):
            compare(store, 2, 1)
        store.connection.execute(f"UPDATE runs SET {name} = (SELECT {name} FROM runs WHERE run = 1) WHERE run = 2")


def test_what_only_one_run_has(store):
    run = record(store, ["dijkstra", "astar"])
    found = compare(store, run, 1)
    assert [each.algorithm for each in found.differences] == ["astar"]
    assert (found.only_new, found.only_old) == (["rooms, dijkstra"], ["rooms, best-first"])


def test_another_store(tmp_path):
    file = str(tmp_path / "it's old.duckdb")
    with open_store(file) as old:
        record(old)
    with open_store(":memory:") as store:
        run = record(store)
        assert [each.pairs for each in compare(store, run, 1, file).differences] == [60, 60]
        assert [each.pairs for each in compare(store, run, 1, file).differences] == [60, 60]  # it was let go
        with pytest.raises(wg.WaygridError, match=r":memory:: .*no\.duckdb"):
            compare(store, run, 1, str(tmp_path / "no.duckdb"))


@pytest.mark.parametrize(
    "spoil", ["DELETE FROM rounds WHERE measurement = 3 AND round > 2", "UPDATE rounds SET sample = 'other'"]
)
def test_without_rounds_of_the_same_queries_only_a_factor_of_two_shows(store, spoil):
    store.connection.execute(spoil if "WHERE" in spoil else f"{spoil} WHERE measurement = 3")
    slow_down(store, 10, 3)
    for factor, says in ((1.9, "same"), (2.5, "slower")):
        change(store, f"time_us = time_us * {factor}", 3)
        found = compare(store, 2, 1)
        assert (found.differences[0].rounds, found.differences[0].time_says(Allowed())) == (0, says)
        assert found.differences[0].ratio == pytest.approx(factor, rel=1e-4)
        assert found.notes[-1].startswith("1 of 2 lines have no rounds of the same queries in both runs")
        change(store, f"time_us = time_us / {factor}", 3)


def test_a_store_without_rounds_is_read_and_gets_them(tmp_path):
    file = str(tmp_path / "old.duckdb")
    with open_store(file) as old:
        record(old)
        old.connection.execute("DROP TABLE rounds")
        old.connection.execute("UPDATE about SET version = 1")
    with open_store(file, create=False) as old:
        assert [len(result.round_us) for result in old.results(1)] == [0, 0]
    with open_store(":memory:") as store:
        found = compare(store, record(store), 1, file)
        assert [(each.pairs, each.rounds) for each in found.differences] == [(60, 0), (60, 0)]
    with open_store(file) as old:
        run = record(old)
        assert [len(result.round_us) for result in old.results(run)] == [20, 20]
        assert old.connection.execute("SELECT version FROM about").fetchall() == [(VERSION,)]
