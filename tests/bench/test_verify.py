"""Every row of map sets: right answers pass, a wrong optimum is a fault, and a run resumes."""

import csv
import json

import numpy as np
import pytest

import waygrid as wg
from waygrid.bench import verify
from waygrid.bench.verify import FitLimits, Verification, find_rows, optimal_algorithms, read_verification
from waygrid.cli import main
from waygrid.formats.scenario import ScenarioData, write_scenario
from waygrid.measure.problems import random_problems

NAMES = ["astar", "jps", "dijkstra-gb", "taut", "anya"]


def write_map(folder, name, seed, wrong=0.0):
    """Write a map and a scenario whose first optimum is off by so much."""
    folder.mkdir(exist_ok=True)
    grid = wg.generate("rooms", width=30, height=24, seed=seed)
    grid.save(folder / f"{name}.map")
    problems = random_problems(grid, 12, seed=seed)
    costs = problems.costs.copy()
    costs[0] += wrong
    sizes = np.full((12, 2), (30, 24))
    data = ScenarioData(np.zeros(12, int), [f"{name}.map"] * 12, sizes, problems.starts, problems.goals, costs)
    write_scenario(folder / f"{name}.map.scen", data)


@pytest.fixture
def sets(tmp_path):
    """Two sets with two maps and one."""
    home = tmp_path / "sets"
    home.mkdir()
    for folder, name, seed in (("first", "a", 1), ("first", "b", 2), ("second", "c", 3)):
        write_map(home / folder, name, seed)
    return home


def run(home, limits=None, names=NAMES, known=(), known_limits=None, keep=lambda: None):
    done = Verification(limits or FitLimits(), known, known_limits)
    done.run(find_rows(home, []), names, threads=1, keep=keep)
    return done


def test_right_answers_have_no_faults(sets):
    done = run(sets)
    assert len(done.units) == 3 * len(NAMES)
    assert [unit.faults for unit in done.units] == [0] * len(done.units)
    assert all(unit.answered == unit.rows == 12 for unit in done.units)
    assert {unit.optimum for unit in done.units} == {"scenario", "anya"}


def test_a_wrong_optimum_is_a_fault_of_every_algorithm_that_is_measured_by_it(sets):
    write_map(sets / "first", "b", 2, wrong=0.5)
    found = {(unit.map, unit.algorithm): unit for unit in run(sets).units}
    wrong = {key for key, unit in found.items() if unit.faults}
    assert wrong == {("b.map", name) for name in ("astar", "jps", "dijkstra-gb")}
    assert found["b.map", "astar"].differ == 1
    assert found["b.map", "astar"].first_fault.startswith("row 0: cost ")


def test_lengths_below_the_air_line_or_above_the_moves_are_faults(sets, monkeypatch):
    unit = next(unit for unit in run(sets, names=["taut"]).units)
    assert unit.faults == 0
    monkeypatch.setattr(verify, "_out_of_bounds", lambda unit, scenario, costs: costs > 0)
    assert all(unit.differ > 0 for unit in run(sets, names=["taut"]).units)


def test_a_run_resumes_where_it_was_stopped(sets):
    left = [5]

    def stop():
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    stopped = Verification(FitLimits())
    with pytest.raises(KeyboardInterrupt):
        stopped.run(find_rows(sets, []), NAMES, threads=1, keep=stop)
    data = json.loads(json.dumps(stopped.as_json()))
    resumed = run(sets, None, NAMES, *read_verification(data, "a"))
    assert (resumed.resumed, len(resumed.units)) == (5, 3 * len(NAMES))
    again = Verification(FitLimits(), *read_verification(json.loads(json.dumps(resumed.as_json())), "a"))
    assert len(again.as_json()["units"]) == 3 * len(NAMES)  # also before anything is asked again
    write_map(sets / "second", "c", 4)
    again.run(find_rows(sets, []), NAMES, threads=1)
    assert again.resumed == 2 * len(NAMES)


def test_results_of_other_sources_do_not_count(sets, monkeypatch):
    data = run(sets, names=["astar"]).as_json()
    monkeypatch.setattr(verify, "code", lambda: "other")
    assert run(sets, None, ["astar"], *read_verification(data, "a")).resumed == 0


def test_what_does_not_fit_is_left_out_and_tried_again_under_other_limits(sets):
    tight = FitLimits(build_s=0.0)
    done = run(sets, tight)
    left = {unit.algorithm for unit in done.units if unit.left_out is not None}
    assert left == {"dijkstra-gb", "taut"}
    assert "its index would take about" in next(unit.left_out for unit in done.units if unit.left_out)
    data = done.as_json()
    assert run(sets, tight, NAMES, *read_verification(data, "a")).resumed == 15
    again = run(sets, FitLimits(), NAMES, *read_verification(data, "a"))
    assert again.resumed == 9
    assert all(unit.left_out is None for unit in again.units)
    assert all(unit.left_out for unit in run(sets, FitLimits(query_s=0.0), ["astar"]).units)


def test_the_command(sets, tmp_path, capsys):
    report, table = tmp_path / "r.json", tmp_path / "r.csv"
    words = ["maps", "verify", "--maps", str(sets), "-a", "astar,jps", "--report", str(report)]
    assert main([*words, "--csv", str(table), "--threads", "1"]) == 0
    out, err = capsys.readouterr()
    assert "3 maps, 72 answers, 0 faults" in out
    assert len(list(csv.DictReader(table.open()))) == 6
    assert main(words) == 0
    assert "6 results are from an earlier run" in capsys.readouterr().err
    write_map(sets / "first", "a", 1, wrong=-0.25)
    (sets / "second" / "c.map.scen").unlink()
    assert main(words) == 4
    out, err = capsys.readouterr()
    assert "FAULT first/a.map, astar: row 0: cost" in out
    assert "no scenario: second/c.map" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["quake"], "has no maps"),
        (["-a", "dfs"], "dfs does not promise the cheapest path"),
        (["-a", "a-star"], "there is no algorithm 'a-star'"),
        (["--memory", "much"], "--memory is 'much'"),
        (["--report", "bad.json"], "is not a file of results"),
    ],
)
def test_bad_words_get_a_sentence(sets, tmp_path, monkeypatch, capsys, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.json").write_text('{"format": 1}')
    assert main(["maps", "verify", "--dir", str(sets), *words]) == 2
    assert said in capsys.readouterr().err


def test_sets_are_found_by_their_names_at_movingai(tmp_path):
    write_map(tmp_path / "mazes", "a", 1)
    assert [rows.set for rows in find_rows(tmp_path, ["maze"])] == ["mazes"]


def test_all_that_promise_the_optimum_are_verified():
    known = wg.algorithms()
    assert set(optimal_algorithms()) == {name for name, info in known.items() if info.optimal} - {"ida"}
