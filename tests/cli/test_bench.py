import json
import os

import numpy as np
import pytest

import waygrid as wg
from waygrid.formats.scenario import ScenarioData, write_scenario
from waygrid.measure.machine import this_machine

FIELDS = {
    "map",
    "algorithm",
    "options",
    "queries",
    "mean_us",
    "median_us",
    "expanded",
    "suboptimality",
    "build_s",
    "fixed_bytes",
}


@pytest.fixture
def rooms(cli, tmp_path):
    """A map with a scenario beside it."""
    grid = wg.generate("rooms", width=24, height=16, seed=2)
    grid.save(tmp_path / "rooms.map")
    cells = np.argwhere(grid.passable)[:, ::-1].astype(np.int32)
    starts, goals = cells[::40], cells[::-40][: len(cells[::40])]
    costs = wg.make_finder("dijkstra", grid).find_many(starts, goals, threads=1).costs
    count = len(starts)
    sizes = np.tile(np.array([[24, 16]], np.int32), (count, 1))
    rows = ScenarioData(np.zeros(count, np.int32), ["rooms.map"] * count, sizes, starts, goals, costs)
    write_scenario(tmp_path / "rooms.map.scen", rows)
    return "rooms.map", rows


def table(answer):
    """Return the cells of each row of the table."""
    rows = answer.out.partition("\n\n")[0]
    return [line.split() for line in rows.splitlines()[1:]]


def test_table_and_json(cli, rooms, tmp_path):
    name, rows = rooms
    answer = cli("bench", name, "-a", "astar,bfs", "-a", "dijkstra", "--json", "out.json")
    assert (answer.code, answer.err) == (0, "")
    shown = table(answer)
    assert [row[1] for row in shown] == ["astar", "bfs", "dijkstra"]
    assert [row[7] for row in shown] == ["ok", "-", "ok"]
    assert "\x1b" not in answer.out
    told = answer.out.splitlines()[-1]
    assert told.startswith("times: batches by the wall clock; ")
    assert told.endswith(f"; 1 thread, repeat 1; on {this_machine().cpu}")
    results = json.loads((tmp_path / "out.json").read_text())
    assert [result["algorithm"] for result in results] == ["astar", "bfs", "dijkstra"]
    for result in results:
        assert set(result) >= FIELDS
        assert (result["map"], result["queries"], result["options"]) == (name, len(rows.maps), {})
        assert 0 < result["median_us"] < 1e5
    assert results[0]["suboptimality"] == results[2]["suboptimality"] == 0 <= results[1]["suboptimality"]


def test_narrow_page_has_a_table_for_each_map(cli, rooms, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    answer = cli("bench", rooms[0], rooms[0], "-a", "astar", "--limit", 3)
    assert max(map(len, answer.out.splitlines())) <= 80
    assert "rooms.map, 3 queries" in answer.out


def test_a_wrong_optimum_is_counted(cli, rooms, tmp_path):
    name, rows = rooms
    rows.costs[3] += 1
    write_scenario(tmp_path / "wrong.scen", rows)
    answer = cli("bench", name, "--scen", "wrong.scen", "-a", "astar,bfs")
    assert answer.code == 4
    assert [row[7] for row in table(answer)] == ["1", "-"]
    assert "rooms.map, astar: wrong: 1 of" in answer.err
    assert "row 3" in answer.err


def test_a_path_below_the_optimum_is_the_fault_of_the_optimum(cli, rooms, tmp_path):
    name, rows = rooms
    rows.costs[3] *= 3
    write_scenario(tmp_path / "wrong.scen", rows)
    answer = cli("bench", name, "--scen", "wrong.scen", "-a", "best-first", "--json", "out.json")
    assert answer.code == 0  # best-first promises nothing, and its path is legal
    assert f"the optimum (scenario) is wrong: 1 of {len(rows.maps)} queries have a legal path" in answer.err
    assert "row 3: cost" in answer.err
    assert json.loads((tmp_path / "out.json").read_text())[0]["below"] == 1


def test_an_illegal_path_ends_with_code_4(cli, rooms, monkeypatch):
    from waygrid.measure import work
    from waygrid.measure.path_check import Checked

    def check(grid, starts, goals, batch):
        return Checked(np.arange(len(batch)) != 1, 1, "it is too short")

    monkeypatch.setattr(work, "check_paths", check)
    answer = cli("bench", rooms[0], "-a", "bfs")
    assert answer.code == 4
    assert "1 illegal" in answer.out


def test_random_problems_without_scenario(cli, small):
    first, again, other = (
        cli("bench", small, "-a", "astar", "--limit", 5, "--seed", seed, "--json", "out.json") for seed in (1, 1, 2)
    )
    assert first.code == again.code == other.code == 0
    assert "no scenario; 5 random problems, seed 1" in first.err
    assert table(first)[0][5] == table(again)[0][5]  # the same problems: as many expansions


def test_options_go_to_those_that_have_them(cli, rooms, tmp_path):
    answer = cli("bench", rooms[0], "-a", "bfs,astar", "--set", "weight=3", "--limit", 4, "--json", "out.json")
    assert answer.code == 0
    results = json.loads((tmp_path / "out.json").read_text())
    assert [result["options"] for result in results] == [{}, {"weight": 3}]
    assert [row[7] for row in table(answer)] == ["-", "-"]  # a weight above 1 claims nothing


def test_other_rules_are_compared_with_dijkstra(cli, rooms, tmp_path):
    for rules in (["--grid", "hex"], ["--corners", "always", "--metric", "5,7"], ["--clearance", 2]):
        answer = cli("bench", rooms[0], "--limit", 5, "--json", "out.json", *rules)
        assert answer.code == 0
        result = json.loads((tmp_path / "out.json").read_text())[0]
        assert (result["optimum"], result["differ"]) == ("dijkstra", 0)


def test_cut_off_queries_are_told(cli, rooms):
    answer = cli("bench", rooms[0], "-a", "ida", "--max-expansions", 5, "--limit", 4)
    assert answer.code == 0
    assert "rooms.map, ida: cut off: " in answer.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere.map"], "nowhere.map: no such file"),
        (["rooms.map", "--scen", "nowhere.scen"], "nowhere.scen: no such file"),
        (["small.txt", "--scen", "rooms.map.scen"], "is for a map of 24 x 16, this one has 5 x 5"),
        (["rooms.map", "small.txt", "--scen", "rooms.map.scen"], "--scen works with one map, not with 2"),
        (["rooms.map", "-a", "astar,quick-sort"], "there is no algorithm 'quick-sort'"),
        (["rooms.map", "-a", ","], "no algorithm is named"),
        (["rooms.map", "-a", "bfs,astar", "--set", "speed=9"], "has no option 'speed'"),
        (["rooms.map", "-a", "astar-overestimate", "--grid", "hex"], "does not support topology 'hex'"),
        (["rooms.map", "--json", "no/out.json", "--limit", "2"], "cannot write no/out.json"),
    ],
)
def test_bad_input(cli, rooms, small, words, told):
    answer = cli("bench", *words)
    assert answer.code == 2
    assert told in answer.err
    assert answer.err.count("\n") == 1


def test_a_store_keeps_runs_and_compares_them(cli, rooms, tmp_path):
    pytest.importorskip("duckdb")
    first = cli("bench", rooms[0], "-a", "astar,bfs", "--store", "a.duckdb", "--name", "old", "--export", "rows.csv")
    assert first.code == 0
    assert "run 1 is in a.duckdb" in first.err
    assert "not in the measured time: checking" in first.err
    assert (tmp_path / "rows.csv").read_text().count("\n") == 2 * len(rooms[1].maps) + 1
    for against, missing in (("old", True), ("1", True), ("a.duckdb", False)):  # the file: its last run, of bfs alone
        words = ("--store", "a.duckdb", "--against", against, "--threshold", "100000%")
        answer = cli("bench", rooms[0], "-a", "bfs", *words)
        assert answer.code == 0
        assert "95 % interval" in answer.out
        assert answer.out.splitlines()[-1].split()[-1] == "same"
        assert ("only before: rooms.map, astar" in answer.err) == missing
    answer = cli("bench", "--store", "a.duckdb", "--export", "all.parquet")
    assert answer.out == f"all.parquet: {5 * len(rooms[1].maps)} rows of a.duckdb\n"


def test_a_regression_ends_with_code_3(cli, rooms):
    duckdb = pytest.importorskip("duckdb")
    assert cli("bench", rooms[0], "-a", "bfs", "--store", "a.duckdb").code == 0
    with duckdb.connect("a.duckdb") as store:
        store.execute("UPDATE rounds SET seconds = seconds / 1000")
    answer = cli("bench", rooms[0], "-a", "bfs", "--against", "a.duckdb", "--threshold", "0.5")
    assert answer.code == 3
    assert "rooms.map, bfs: slower than a.duckdb" in answer.err
    with duckdb.connect("a.duckdb") as store:
        store.execute("UPDATE rounds SET seconds = 1e3")
        store.execute("UPDATE queries SET suboptimality = suboptimality - 0.05")
    answer = cli("bench", rooms[0], "-a", "bfs", "--against", "a.duckdb")
    assert answer.code == 3
    assert "rooms.map, bfs: worse than a.duckdb" in answer.err
    assert " faster " in answer.out
    assert cli("bench", rooms[0], "-a", "bfs", "--against", "a.duckdb", "--quality", "6%").code == 0


def test_runs_that_were_made_differently(cli, rooms):
    pytest.importorskip("duckdb")
    words = ("bench", rooms[0], "-a", "bfs", "--store", "old_store.duckdb")
    assert cli(*words, "--name", "old").code == 0
    answer = cli(*words[:-1], "b.duckdb", "--against", "old_store.duckdb", "--repeat", 2, "--threshold", "100000%")
    assert answer.code == 0
    assert "repeat was 1 and is 2: times differ by that, too" in answer.err
    answer = cli(*words, "--against", "b.duckdb", "--threshold", "100000%")
    assert answer.code == 0
    answer = cli(*words, "--against", "old", "--max-expansions", 1000)
    assert (answer.code, answer.out) == (2, "")  # before anything is measured
    assert "run 1 was made with max_expansions unlimited, this one has 1000" in answer.err
    answer = cli("bench", rooms[0], "-a", "astar", "--against", "b.duckdb")
    assert answer.code == 2
    assert "this run has no unit in common with b.duckdb: there is nothing to compare" in answer.err


def test_ctrl_c_keeps_what_is_there(cli, rooms, monkeypatch):
    pytest.importorskip("duckdb")
    from waygrid.bench import engine
    from waygrid.measure import slices

    monkeypatch.setattr(slices, "MOST_QUERIES", 2)
    measured, calls = engine.measure_slice, []

    def interrupted(*known):
        calls.append(known)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return measured(*known)

    monkeypatch.setattr(engine, "measure_slice", interrupted)
    answer = cli("bench", rooms[0], "-a", "bfs", "--store", "a.duckdb", "--limit", 6)
    assert answer.code == 130
    assert "run 1 was interrupted with 4 of 6 queries stored; run the same command again to resume" in answer.err
    answer = cli("bench", rooms[0], "-a", "bfs", "--store", "a.duckdb", "--limit", 6)
    assert (answer.code, len(calls)) == (0, 4)
    assert "run 1 resumes: 4 of 6 queries were already stored" in answer.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "no MAP is given"),
        (["rooms.map", "--name", "old"], "--name old needs --store FILE"),
        (["rooms.map", "--export", "a.csv"], "--export a.csv needs --store FILE"),
        (["rooms.map", "--store", "a.duckdb", "--export", "a.xls"], "allowed are names that end in .parquet, .csv"),
        (["rooms.map", "--against", "7"], "--against 7 is no store file"),
        (["rooms.map", "--store", "a.duckdb", "--against", "7"], "there is no run '7'; the store has none yet"),
        (["rooms.map", "--threshold", "5%"], "--threshold 5% needs --against RUN"),
        (["rooms.map", "--quality", "5%"], "--quality 5% needs --against RUN"),
        (["--store", "a", "--export", "a.csv", "--name", "old"], "--name old needs a map"),
        (["--store", "a", "--export", "a.csv", "--against", "rooms.map"], "--against rooms.map needs a map"),
        (["rooms.map", "--threshold", "much"], "--threshold is 'much'; allowed is a share such as 5% or 0.05"),
        (["rooms.map", "--store", "rooms.map"], "cannot use rooms.map as a benchmark store"),
        (["--store", "b.duckdb", "--export", "a.csv"], "cannot read b.duckdb: there is no such store"),
        (["rooms.map", "--cluster", "nonsense://x"], "cannot reach a Dask scheduler at nonsense://x"),
    ],
)
def test_bad_input_about_keeping(cli, rooms, words, told):
    answer = cli("bench", *words)
    assert answer.code == 2
    assert told in answer.err
    assert answer.err.count("\n") == 1


def test_json_to_standard_output_and_nothing_else(cli, rooms):
    pytest.importorskip("duckdb")
    words = ("bench", rooms[0], "-a", "bfs,astar", "--limit", 4, "--json", "-")
    results = json.loads(cli(*words).out)
    assert [result["algorithm"] for result in results] == ["bfs", "astar"]
    assert [len(result["round_us"]) for result in results] == [20, 20]
    assert cli(*words, "--store", "a.duckdb", "--rounds", 4).code == 0
    answer = cli(*words, "--against", "a.duckdb", "--threshold", "100000%")
    assert answer.code == 0
    assert len(json.loads(answer.out)) == 2


def test_the_same_code_on_a_busier_machine_is_no_regression(cli, rooms):
    duckdb = pytest.importorskip("duckdb")
    assert cli("bench", rooms[0], "-a", "bfs", "--store", "a.duckdb").code == 0
    with duckdb.connect("a.duckdb") as store:  # as if the machine had been three times as quick then
        store.execute("UPDATE queries SET time_us = time_us / 3")
        store.execute("UPDATE rounds SET seconds = seconds / 3, yardstick_s = yardstick_s / 3")
    answer = cli("bench", rooms[0], "-a", "bfs", "--against", "a.duckdb")
    assert answer.code == 0
    assert "by the yardstick the machine was " in answer.err


@pytest.mark.parametrize(
    ("break_it", "told"),
    [
        ("pass", "it is not a DuckDB file"),
        ("os.mkdir('b.duckdb')", "it is a folder"),
        ("duckdb.connect('b.duckdb').execute('CREATE TABLE songs (a INT)')", "it is a DuckDB file with songs"),
    ],
)
def test_what_duckdb_refuses_is_said_in_our_words(cli, rooms, tmp_path, break_it, told):
    duckdb = pytest.importorskip("duckdb")
    if break_it == "pass":
        (tmp_path / "b.duckdb").write_text("some text, not a store")
    else:
        exec(break_it, {"os": os, "duckdb": duckdb})
    answer = cli("bench", rooms[0], "--store", "b.duckdb", "--limit", 2)
    assert answer.code == 2
    assert f"cannot use b.duckdb as a benchmark store: {told}" in answer.err
    assert answer.err.count("\n") == 1
