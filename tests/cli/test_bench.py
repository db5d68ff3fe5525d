import json

import numpy as np
import pytest

import waygrid as wg
from waygrid.formats.scenario import ScenarioData, write_scenario

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
    return [line.split() for line in answer.out.splitlines()[1:]]


def test_table_and_json(cli, rooms, tmp_path):
    name, rows = rooms
    answer = cli("bench", name, "-a", "astar,bfs", "-a", "dijkstra", "--json", "out.json")
    assert (answer.code, answer.err) == (0, "")
    shown = table(answer)
    assert [row[1] for row in shown] == ["astar", "bfs", "dijkstra"]
    assert [row[7] for row in shown] == ["ok", "-", "ok"]
    assert "\x1b" not in answer.out
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
    assert answer.code == 0
    assert [row[7] for row in table(answer)] == ["1", "-"]
    assert "rooms.map, astar: wrong: 1 of" in answer.err
    assert "row 3" in answer.err


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
        (["rooms.map", "small.txt", "--scen", "rooms.map.scen"], "--scen goes with one map, not with 2"),
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
