import math

import numpy as np
import pytest

import waygrid as wg
from waygrid.bench.compare import Allowed, compare
from waygrid.bench.engine import measure_units
from waygrid.bench.problems import random_problems
from waygrid.bench.runner import units_of
from waygrid.bench.store import Plan, open_store
from waygrid.bench.student import student
from waygrid.bench.work import Settings
from waygrid.grid.make import generate

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
    """A store with two runs of exactly the same times."""
    with open_store(":memory:") as made:
        record(made)
        record(made)
        made.connection.execute(
            "UPDATE queries SET time_us = (SELECT time_us FROM queries o WHERE o.measurement = queries.measurement - 2 "
            "AND o.number = queries.number) WHERE measurement > 2"
        )
        yield made


def change(store, what, measurement):
    store.connection.execute(f"UPDATE queries SET {what} WHERE measurement = {measurement}")


def test_nothing_changed(store):
    found = compare(store, 2, 1)
    assert [each.algorithm for each in found.differences] == ["astar", "best-first"]
    for each in found.differences:
        assert (each.pairs, each.ratio, each.low, each.high, each.worse, each.lost) == (60, 1, 1, 1, 0, 0)
        assert (each.time_says(Allowed()), each.quality_says(Allowed())) == ("same", "same")
        assert not each.regressed(Allowed())
    assert found.only_new == found.only_old == []


def test_slower_and_faster(store):
    change(store, "time_us = time_us * 1.2", 3)
    change(store, "time_us = time_us / 1.2", 4)
    slower, faster = compare(store, 2, 1).differences
    assert slower.ratio == pytest.approx(1.2, rel=1e-5)
    assert faster.ratio == pytest.approx(1 / 1.2, rel=1e-5)
    assert slower.low <= slower.ratio <= slower.high
    assert [each.time_says(Allowed(time=0.1)) for each in (slower, faster)] == ["slower", "faster"]
    assert [each.time_says(Allowed(time=0.3)) for each in (slower, faster)] == ["same", "same"]
    assert [each.regressed(Allowed(time=0.1)) for each in (slower, faster)] == [True, False]


def test_the_interval_is_students(store):
    change(store, "time_us = time_us * exp((number % 7) / 10.0)", 3)
    each = compare(store, 2, 1).differences[0]
    logs = (np.arange(60) % 7) / 10
    half = 2.000995 * logs.std(ddof=1) / math.sqrt(60)  # t of 59 degrees of freedom, from a table
    assert each.ratio == pytest.approx(math.exp(logs.mean()), rel=1e-4)
    assert each.low == pytest.approx(math.exp(logs.mean() - half), rel=1e-4)
    assert each.high == pytest.approx(math.exp(logs.mean() + half), rel=1e-4)


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
    change(store, "time_us = time_us * CASE WHEN number % 2 = 0 THEN 3 ELSE 0.37 END", 3)
    each = compare(store, 2, 1).differences[0]
    assert each.ratio > 1.05
    assert each.low < 1 < each.high
    assert each.time_says(Allowed()) == "same"


def test_quality(store):
    change(store, "suboptimality = suboptimality + 0.01", 3)
    store.connection.execute("UPDATE queries SET status = 0, suboptimality = NULL WHERE measurement = 4 AND number = 3")
    worse, lost = compare(store, 2, 1).differences
    assert worse.worse == pytest.approx(0.01)
    assert (worse.quality_says(Allowed()), worse.regressed(Allowed())) == ("worse", True)
    assert worse.quality_says(Allowed(suboptimality=0.02)) == "same"
    assert (lost.lost, lost.quality_says(Allowed()), lost.regressed(Allowed())) == (1, "worse", True)
    assert compare(store, 1, 2).differences[0].quality_says(Allowed()) == "better"


def test_a_path_that_is_legal_no_more_is_lost(store):
    store.connection.execute("UPDATE queries SET valid = false, suboptimality = 9 WHERE measurement = 4 AND number = 3")
    each = compare(store, 2, 1).differences[1]
    assert (each.lost, each.quality_says(Allowed()), each.regressed(Allowed())) == (1, "worse", True)
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


def test_one_pair_says_nothing(store):
    store.connection.execute("DELETE FROM queries WHERE measurement = 3 AND number > 0")
    change(store, "time_us = time_us * 100", 3)
    each = compare(store, 2, 1).differences[0]
    assert (each.pairs, each.low, each.high) == (1, 0, math.inf)
    assert each.time_says(Allowed()) == "same"
