import json

import pytest

import waygrid as wg

pytestmark = pytest.mark.quick


def test_table_names_every_algorithm_and_option(cli):
    answer = cli("algorithms")
    assert answer.code == 0
    first = [line.split()[0] for line in answer.out.splitlines() if line.strip()]
    for name, info in wg.algorithms().items():
        assert first.count(name) == 2  # properties, and what it does
        assert all(f" {option}=" in answer.out for option in info.options)
        assert info.paper in answer.out
    assert "\x1b" not in answer.out


def test_fits_80_columns(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    answer = cli("algorithms")
    assert max(map(len, answer.out.splitlines())) <= 80
    for name in wg.algorithms():
        assert f"{name} " in answer.out


def test_some(cli):
    answer = cli("algorithms", "bfs", "astar")
    assert "dijkstra" not in answer.out
    assert "weight=1.0" in answer.out


def test_json(cli):
    listed = json.loads(cli("algorithms", "--json").out)
    assert list(listed) == list(wg.algorithms())
    assert listed["astar"]["optimal"] is True
    assert listed["astar"]["options"]["weight"]["default"] == 1.0
    for name, info in wg.algorithms().items():
        assert listed[name]["follows"] == info.follows
        assert listed[name]["falls_back"] == list(info.falls_back)
        assert (listed[name]["one_way"], listed[name]["blocked"]) == (info.one_way, info.blocked)


def test_every_algorithm_says_how_it_follows_edits(cli):
    answer = cli("algorithms", "jps+", "turntable", "cpd")
    assert "after edits, jps+: the index is repaired around the edit." in answer.out
    assert "after edits, turntable, cpd: an answer of the index is kept" in answer.out
    assert answer.out.count("\nafter edits, ") == 2


def test_unknown(cli):
    answer = cli("algorithms", "quick-sort")
    assert answer.code == 2
    assert "there is no algorithm 'quick-sort'; allowed are bfs" in answer.err
