"""benchmarks/peers.py runs, checks costs and paths, and names what is not installed."""

import json
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import waygrid as wg
from waygrid.formats.scenario import ScenarioData, write_scenario
from waygrid.measure.problems import random_problems

FOLDER = Path(__file__).parent.parent.parent / "benchmarks"


@pytest.fixture
def peers(monkeypatch, tmp_path):
    """Run the script on a small map; return its exit code and the rows of its JSON."""
    grid = wg.generate("caves", width=30, height=20, seed=2)
    (tmp_path / "set").mkdir()
    grid.save(tmp_path / "set" / "cave.map")
    made = random_problems(grid, 12, seed=1)
    sizes = np.full((12, 2), (30, 20))
    data = ScenarioData(np.zeros(12, int), ["cave.map"] * 12, sizes, made.starts, made.goals, made.costs)
    write_scenario(tmp_path / "set" / "cave.map.scen", data)
    monkeypatch.syspath_prepend(FOLDER)

    def run(*words, change=lambda packages: None):
        change(__import__("peer_packages").PACKAGES)
        told = tmp_path / "told.json"
        arguments = ["--maps", tmp_path, "--map", "set/cave", "--rows", "6", "--json", told, *words]
        monkeypatch.setattr(sys, "argv", ["peers.py", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(FOLDER / "peers.py"), run_name="__main__")
        return ended.value.code, json.loads(told.read_text()) if told.exists() else None

    yield run
    sys.modules.pop("peer_packages", None)


def test_costs_and_paths_agree(peers, capsys):
    code, facts = peers("--only", "networkx")
    assert code == 0
    assert [row["package"] for row in facts["rows"]] == ["networkx A*", "networkx bidirectional Dijkstra"]
    for row in facts["rows"]:
        assert row["same_cost"] == row["queries"] > 3
        assert (row["illegal"], row["map"]) == (0, "set/cave")
        assert row["ratio"] == pytest.approx(row["theirs_ms"] / row["waygrid_ms"])
    assert facts["versions"]["waygrid"] == wg.__version__
    assert "| networkx A* | never, octile | set/cave |" in capsys.readouterr().out


def test_what_is_not_installed_is_named(peers, capsys):
    def change(packages):
        packages["igraph Dijkstra"] = packages["igraph Dijkstra"].__class__(
            None, "not_there", "igraph", "never", "unit"
        )

    code, facts = peers("--only", "networkx A*,igraph Dijkstra", change=change)
    assert code == 0
    assert list(facts["missing"]) == ["igraph Dijkstra"]
    assert "not installed, left out: igraph Dijkstra" in capsys.readouterr().out


def test_a_wrong_package_is_found_out(peers):
    """One that jumps from start to goal: no legal path, and another cost."""

    def change(packages):
        from peer_packages import Package, Peer

        jumping = Peer(lambda start, goal: [start, goal], np.array)
        packages["jumping"] = Package(lambda grid: jumping, "json", "numpy", "never", "octile")

    code, facts = peers("--only", "jumping", change=change)
    assert code == 1
    assert facts["rows"][0]["illegal"] > 0


def test_an_unknown_package(peers, capsys):
    assert peers("--only", "chess")[0] == 2
    assert "--only 'chess'; allowed are" in capsys.readouterr().err
