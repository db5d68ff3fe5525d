import json
from xml.etree import ElementTree

import pytest

import waygrid as wg

FEW = ("-a", "astar,best-first,pra", "--budget", "15")


@pytest.fixture
def floor(cli, tmp_path):
    wg.generate("indoor", width=40, height=30, seed=4).save(tmp_path / "floor.map")
    return "floor.map"


def test_advice_in_words_json_and_html(cli, floor, tmp_path):
    pytest.importorskip("matplotlib")
    files = ("--json", "out.json", "--html", "out.html")
    answer = cli("advise", floor, "--memory", "200KB", "--suboptimality", "0%", "--response", "1s", *FEW, *files)
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0].startswith("astar: optimal, first move after ")
    assert "recommended: the only one that meets the limits" in lines[1]
    assert "finder = wg.make_finder('astar', grid)" in lines
    assert "its paths are" in answer.out
    assert "random problems, seed 0" in answer.out
    assert answer.err == "written: out.json\nwritten: out.html\n"
    data = json.loads((tmp_path / "out.json").read_text())
    assert data["recommendation"]["algorithm"] == "astar"
    assert (data["recommendation"]["suboptimality"], data["recommendation"]["fixed_bytes"]) == (0, 0)
    assert data["limits"] == {"memory": 200_000, "suboptimality": 0, "response_us": 1e6, "updates": False}
    assert {one["algorithm"] for one in data["candidates"]} == {"astar", "best-first", "pra"}
    page = (tmp_path / "out.html").read_text()
    ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>\n"))
    assert "An algorithm for floor.map" in page


def test_nothing_feasible_is_exit_code_1(cli, floor, tmp_path):
    answer = cli("advise", floor, "--response", "1ns", *FEW, "--json", "out.json")
    assert answer.code == 5
    assert answer.out.startswith("nothing meets the limits; the hard one is response. Nearest:")
    assert json.loads((tmp_path / "out.json").read_text())["recommendation"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--memory", "many"), "memory is 'many'"),
        (("--suboptimality", "3 per cent"), "suboptimality is '3 per cent'"),
        (("--response", "50"), "response is '50'"),
        (("--budget", "0"), "budget is 0.0"),
        (("-a", "astral"), "no algorithm 'astral'"),
        (("--scen", "none.scen"), "cannot read none.scen"),
    ],
)
def test_bad_input(cli, floor, words, said):
    answer = cli("advise", floor, *words)
    assert answer.code == 2
    assert said in answer.err
    assert len(answer.err.splitlines()) == 1


def test_bad_limits_are_told_before_the_map_is_read(cli):
    assert "response is" in cli("advise", "missing.map", "--response", "soon").err


def test_the_scenario_beside_the_map_is_used(cli, floor, tmp_path):
    grid = wg.Grid.from_file(tmp_path / floor)
    ys, xs = (grid.components == 0).nonzero()
    costs = wg.distances(grid, (int(xs[0]), int(ys[0])))
    head = f"0\t{floor}\t40\t30\t{xs[0]}\t{ys[0]}"
    rows = [f"{head}\t{x}\t{y}\t{costs[y, x]}" for x, y in zip(xs[1:31], ys[1:31], strict=True)]
    (tmp_path / "floor.map.scen").write_text("version 1\n" + "\n".join(rows) + "\n")
    answer = cli("advise", floor, "-a", "astar", "--budget", "10")
    assert answer.code == 0
    assert "on 30 problems of floor.map.scen" in answer.out


def test_advice_is_readable_at_80_columns(cli, floor, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    answer = cli("advise", floor, "--suboptimality", "0%", *FEW)
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert max(map(len, lines)) <= 80
    table = lines[lines.index("path = finder.find(start, goal)") + 1 :]
    assert len(table) < 40
    assert not any("\u2026" in line for line in lines)  # nothing is cut
    assert any(line.startswith("  recommended: the only one") for line in table)


def test_json_to_standard_output_and_nothing_else(cli, floor):
    answer = cli("advise", floor, *FEW, "--json", "-")
    assert answer.code == 0
    assert json.loads(answer.out)["recommendation"]["algorithm"]
    assert answer.err == ""
