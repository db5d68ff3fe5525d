"""Kumar et al.: the switch halves the work head-on and does not on random maps."""

import itertools

import numpy as np
import pytest

import waygrid as wg
from waygrid.papers.path_finder_tool import one_obstacle
from waygrid.papers.path_finder_tool import reproduce as path_finder_tool


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    told = []
    made = path_finder_tool.reproduce(
        tmp_path_factory.mktemp("tool"), quick=True, progress=lambda done, text: told.append(done)
    )
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0.0, 1.0)
    return made


def test_the_sample_test_gives_the_papers_cycles_and_equally_good_paths(report):
    row = report.tables["sample-test"].row("waygrid")
    assert (row["Manhattan"], row["then overestimate"]) == (120, 60)
    assert row["cost"] == pytest.approx(row["cost, overestimate"])


@pytest.mark.parametrize("case", ["rectangle", "bar"])
def test_three_of_four_readings_halve_the_head_on_case(report, case):
    table = report.tables["head-on"]
    for reading in ("K1", "K2", "K4"):
        assert 0.4 <= table.row(case, reading)["/ Manhattan"] <= 0.65
    assert table.row(case, "K3")["/ Manhattan"] >= 0.95


def test_the_halving_is_typical_of_head_on_cases(report):
    assert 0.45 <= report.tables["sweep"].row("one")["median"] <= 0.65


@pytest.mark.parametrize("family", one_obstacle.FAMILIES, ids=lambda family: family.name)
def test_on_random_maps_the_switch_does_not_pay(report, family):
    table = report.tables["random-maps"]
    plain, switched = table.row(family.name, "Manhattan"), table.row(family.name, "K1")
    assert switched["mean cycles"] > plain["mean cycles"]
    assert table.row(family.name, "octile")["excess"] == "0.00 %"


def test_manhattan_is_no_underestimate():
    excess = one_obstacle.averages(one_obstacle.FAMILIES[1], 50).excess
    assert 0 < excess["Manhattan"] < 0.02
    assert min(excess.values()) == excess["octile"] == pytest.approx(0)


def test_random_maps_join_their_ends_and_depend_on_the_seed_alone():
    for family in one_obstacle.FAMILIES:
        grid, start, goal = one_obstacle.random_case(family, 3)
        again = one_obstacle.random_case(family, 3)
        assert again == (grid, start, goal)
        assert wg.make_finder("bfs", grid).find(start, goal).status == wg.Status.FOUND


def test_the_algorithms_compare_as_the_paper_says(report):
    table = report.tables["algorithms"]
    assert table.column("status") == ["FOUND"] * len(path_finder_tool.CLASSIC)
    cycles, cost = (
        dict(zip(table.column("algorithm"), table.column(name), strict=True)) for name in ("cycles", "cost")
    )
    optimum = cost["dijkstra"]
    assert cost["astar, octile"] == pytest.approx(optimum)
    assert min(cost.values()) == pytest.approx(optimum)
    assert cycles["best-first, Manhattan"] < cycles["astar, Manhattan"] < cycles["dijkstra"] < cycles["iddfs"]
    assert cost["best-first, Manhattan"] > optimum


def test_memory_is_counted_from_the_same_searches(report):
    table = report.tables["memory"]
    small = [dict(zip(table.columns, row, strict=True)) for row in table.rows if row[0] == "30 x 25"]
    paper = [row for row in small if row["scheme"].startswith("paper")]
    assert all(row["flags"] == 750 and row["node bytes"] >= row["nodes"] * 24 for row in paper)
    ours = [row for row in small if row["scheme"] == "waygrid"]
    assert all(row["used or bought"] < row["reserved"] for row in ours)


def test_files_are_written(report):
    names = {path.name for path in report.files}
    assert {"figures-9-and-10.png", "algorithms.png", "cycles.png", "sample-test.csv", "summary.md"} <= names
    assert all(path.stat().st_size > 100 for path in report.files)


def test_the_obstacle_lies_between_start_and_goal():
    for case in itertools.islice(one_obstacle.head_on_cases("one"), 0, None, 97):
        passable = case.grid().passable
        row = passable[case.start[1]]
        assert row[case.start[0]]
        assert row[case.goal[0]]
        assert not row[case.start[0] : case.goal[0]].all()
        assert np.count_nonzero(~passable) == case.area
