import json

import numpy as np
import pytest

import waygrid as wg

WORDS = ("--size", "40x30", "--seed", 2, "-o", "town.scen", "--changes", "mixed", "--edits", 40, "--queries", 20)


@pytest.fixture
def town(cli):
    """The files of a dynamic scenario."""
    assert cli("generate", "rooms", *WORDS).code == 0
    return "town.scen"


def results(cli, *words):
    answer = cli("bench", *words, "--json", "-")
    assert answer.code == 0, answer.err
    return json.loads(answer.out)


def test_generate(cli, tmp_path):
    answer = cli("generate", "rooms", *WORDS, "--burst", 4)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("town.scen: mixed, 40 x 30, seed 2, 40 edits with ")
    assert answer.out.endswith(" patches, 20 queries; beside it town.map town.patch\n")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["town.map", "town.patch", "town.scen"]
    found = wg.DynamicScenario.from_file(tmp_path / "town.scen")
    grid = wg.generate("rooms", width=40, height=30, seed=2)
    assert (found.start_map == grid.passable).all()
    made = wg.generate_changes(grid, edits=40, queries=20, burst=4, seed=2)
    assert (found.edits == made.edits).all()
    assert (found.costs == made.costs).all()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-o", "a.map", "--changes", "doors"], "a.map: the name of a dynamic scenario ends in .scen"),
        (
            ["-o", "a.scen", "--changes", "floods"],
            "there are no changes 'floods'; allowed are doors, walls, bases, mixed",
        ),
        (["-o", "a.scen"], "'.scen'"),
        (["-o", "a.map", "--edits", "5"], "--edits 5 needs --changes KIND"),
        (["-o", "a.scen", "--changes", "doors", "--queries", "0"], "queries is 0"),
        (["-o", "no/a.scen", "--changes", "doors"], "cannot write no/a.map"),
    ],
)
def test_generate_refuses(cli, tmp_path, words, told):
    answer = cli("generate", "rooms", "--size", "30x20", *words)
    assert answer.code == 2
    assert told in answer.err
    assert answer.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_table(cli, town):
    answer = cli("bench", town, "-a", "astar,jps")
    assert (answer.code, answer.err) == (0, "")
    title, *rows = answer.out.partition("\n\n")[0].splitlines()
    assert "edits  edit us" in title
    assert [row.split()[:3] for row in rows] == [[town, "astar", "20"], [town, "jps", "20"]]
    assert all(row.split()[5] == "40" and row.split()[9] == "ok" for row in rows)
    assert "times: edits and queries of dynamic scenarios one by one, by the wall clock; 1 thread" in answer.out


def test_a_narrow_table(cli, town, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    answer = cli("bench", town, "-a", "astar")
    assert "town.scen, 20 queries" in answer.out
    assert max(map(len, answer.out.splitlines())) <= 80
    assert "…" not in answer.out


def test_maps_that_stay_have_no_columns_for_edits(cli, small):
    assert "edit" not in cli("bench", small, "--limit", 3).out


def test_start_maps(cli, town, tmp_path):
    (beside,) = results(cli, town)
    assert (beside["map"], beside["edits"], beside["queries"], beside["differ"]) == (town, 40, 20, 0)
    (tmp_path / "town.map").rename(tmp_path / "start.map")
    answer = cli("bench", town)  # now every cell is passable at first: other lengths
    assert (answer.code, "wrong: " in answer.err) == (4, True)
    (given,) = results(cli, "start.map", "--scen", town)
    assert (given["map"], given["edits"], given["differ"]) == ("start.map", 40, 0)
    (tmp_path / town).rename(tmp_path / "start.map.scen")
    (found,) = results(cli, "start.map", "--limit", 5)
    assert (found["queries"], found["differ"]) == (5, 0)
    (named,) = results(cli, "start.map.scen")
    assert (named["queries"], named["differ"]) == (20, 0)


def test_without_a_map(cli, tmp_path):
    wg.DynamicScenario(3, 1, [[[0]]], [[0, 2, 0]], [[0, 0]], [[1, 0]], [1.0], [1]).save(tmp_path / "a.scen")
    (tmp_path / "a.map").unlink()
    (found,) = results(cli, "a.scen")
    assert (found["edits"], found["differ"]) == (1, 0)
    assert "--read threshold=9 needs a map file" in cli("bench", "a.scen", "--read", "threshold=9").err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--threads", 2], "town.scen: threads is 2; a dynamic scenario is replayed on 1"),
        (["--rounds", 5], "town.scen: --rounds 5 has no effect on a dynamic scenario, which is replayed in order"),
        (["--rounds", 0], "town.scen: --rounds 0 has no effect"),
        (["--corners", "one"], "the lengths of dynamic scenarios hold for topology octile, corners never"),
        (["--scen", "town.scen"], "--scen town.scen needs a map, and town.scen is a scenario itself"),
    ],
)
def test_bench_refuses(cli, town, words, told):
    answer = cli("bench", town, *words)
    assert answer.code == 2
    assert told in answer.err


def test_scenarios_without_changes_are_named_with_their_map(cli, tmp_path):
    (tmp_path / "old.scen").write_text("version 1\n")
    answer = cli("bench", "old.scen")
    assert (answer.code, "old.scen is not a dynamic scenario (version 2)" in answer.err) == (2, True)
    answer = cli("bench", "missing.scen")
    assert (answer.code, "cannot read missing.scen" in answer.err) == (2, True)


def test_store_and_comparison(cli, town):
    pytest.importorskip("duckdb")
    assert cli("bench", town, "-a", "astar,jps", "--store", "runs.duckdb", "--name", "before").code == 0
    answer = cli(
        "bench", town, "-a", "astar,jps", "--store", "runs.duckdb", "--against", "before", "--threshold", "9900%"
    )
    assert answer.code == 0
    assert "edits before us" in answer.out
    assert "edits now us" in answer.out
    assert "2 of 2 lines have no rounds" in answer.err


def test_slower_edits_are_a_regression(cli, town, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    assert cli("bench", town, "--store", "runs.duckdb", "--name", "before").code == 0
    with duckdb.connect(str(tmp_path / "runs.duckdb")) as store:
        store.execute("UPDATE edits SET edit_us = edit_us / 1000")
        store.execute("UPDATE queries SET time_us = time_us * 1000")
    answer = cli("bench", town, "--store", "runs.duckdb", "--against", "before")
    assert answer.code == 3
    assert "town.scen, astar: slower edits than before" in answer.err


def test_maps_of_both_kinds(cli, town):
    wg.Grid(np.ones((9, 9))).save("open.map")
    still, changing = results(cli, "open.map", town, "--limit", 8)
    assert (still["edits"], still["edit_us"], changing["edits"] > 0) == (0, None, True)
