import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import waygrid as wg
from waygrid.core import layout
from waygrid.measure import path_check as check
from waygrid.measure.moves import make_whole_steps
from waygrid.measure.path_check import _check_moves, check_paths, explain_fault, judge, same_cost
from waygrid.measure.problems import Problems
from waygrid.measure.rows import make_rows
from waygrid.search.path import Batch

pytestmark = pytest.mark.quick

STARTS = np.array([[0, 0], [0, 0], [2, 0]], np.int32)
GOALS = np.array([[2, 2], [0, 2], [2, 0]], np.int32)


@pytest.fixture
def grid():
    return wg.Grid([[1, 1, 1], [1, 0, 1], [1, 1, 1]])


def rows(grid, batch, optima, goals=GOALS):
    problems = Problems(STARTS, goals, np.array(optima, np.float64), np.arange(3), "scenario")
    return make_rows(
        problems, batch, np.ones(3), make_whole_steps(np.ones(3)), check_paths(grid, STARTS, goals, batch).valid
    )


def mean(rows):
    return np.nanmean(rows["suboptimality"])


def test_tolerance():
    assert same_cost([100.00009, 99.9999], [100, 100]).tolist() == [True, True]
    assert same_cost([100.001, 99.99], [100, 100]).tolist() == [False, False]
    assert same_cost([200000.9, 200001.1], [200000, 200000]).tolist() == [True, False]  # six significant digits
    assert same_cost([200000.9, 10.5], [200000.0, 10.07106781]).tolist() == [False, False]  # eight decimals
    assert same_cost([np.inf, 3.0, np.inf], [np.inf, np.inf, 3.0]).tolist() == [True, False, False]


def test_all_is_well(grid):
    batch = wg.make_finder("astar", grid).find_many(STARTS, GOALS, threads=1)
    checked = rows(grid, batch, [4.0, 2.0, 0.0])
    assert judge(checked, claims_optimal=True) == (0, 0, 0, 0, 0, None)
    assert checked["suboptimality"].tolist() == [0, 0, 0]


def test_a_cost_that_differs_counts_for_those_that_claim(grid):
    batch = wg.make_finder("astar", grid).find_many(STARTS, GOALS, threads=1)
    checked = rows(grid, batch, [4.0, 1.0, 0.0])
    told = judge(checked, claims_optimal=True)
    assert (told.differ, told.illegal) == (1, 0)
    assert told.first == "row 1: cost 2.000000, optimum 1.000000"
    assert mean(checked) == pytest.approx(1 / 3)
    told = judge(checked, claims_optimal=False)
    assert (told.differ, told.first) == (0, None)


def test_a_legal_path_below_the_optimum_proves_it_wrong(grid):
    batch = wg.make_finder("astar", grid).find_many(STARTS, GOALS, threads=1)
    for optima, below in (([5.0, np.inf, 0.0], 2), ([4.00005, 1.0, 0.0], 0)):
        for claims in (True, False):
            assert judge(rows(grid, batch, optima), claims_optimal=claims).below == below
    through = wg.make_finder("astar", wg.Grid(np.ones((3, 3)))).find_many(STARTS, GOALS, threads=1)
    assert through.costs[0] < 4
    assert judge(rows(grid, through, [4.0, 2.0, 0.0]), claims_optimal=False).below == 0  # it is not legal


def test_a_path_through_a_wall_is_illegal_for_everyone(grid):
    batch = wg.make_finder("bfs", wg.Grid(np.ones((3, 3)))).find_many(STARTS, GOALS, threads=1)
    assert check_paths(grid, STARTS, GOALS, batch).valid.tolist() == [False, True, True]
    assert judge(rows(grid, batch, [4.0, 2.0, 0.0]), claims_optimal=False).illegal == 1
    assert explain_fault(grid, batch[0], STARTS[0], GOALS[0]) == "cell 1 at (1, 1) cannot be entered"


def test_wrong_ends_and_wrong_costs_are_illegal(grid):
    batch = wg.make_finder("astar", grid).find_many(STARTS, GOALS, threads=1)
    told = judge(rows(grid, batch, [0.0, 0.0, 0.0], GOALS[::-1]), claims_optimal=True)
    assert (told.illegal, told.differ) == (2, 1)
    assert explain_fault(grid, batch[0], STARTS[0], GOALS[2]).startswith("the path leads from (0, 0) to (2, 2)")
    weighted = wg.Grid(grid.passable, weights=np.full((3, 3), 5))
    assert check_paths(weighted, STARTS, GOALS, batch).valid.tolist() == [False, False, True]
    words = explain_fault(weighted, batch[0], STARTS[0], GOALS[0])
    assert words == "the path costs 20.000000, not 4.000000 as it says"


def test_cut_off_and_unsolved(grid):
    batch = wg.make_finder("dijkstra", grid).find_many(STARTS, GOALS, threads=1, max_expansions=1)
    told = judge(rows(grid, batch, [4.0, 2.0, 0.0]), claims_optimal=True)
    assert (told.cut_off, told.unsolved, told.differ) == (2, 0, 0)
    split = wg.Grid([[1, 1, 1], [0, 0, 0], [1, 1, 1]])
    batch = wg.make_finder("astar", split).find_many(STARTS, GOALS, threads=1)
    assert judge(rows(split, batch, [np.inf, np.inf, 0.0]), claims_optimal=True) == (0, 0, 0, 0, 0, None)
    told = judge(rows(split, batch, [4.0, np.inf, 0.0]), claims_optimal=True)
    assert (told.unsolved, told.differ) == (1, 1)
    assert np.isnan(rows(split, batch, [4.0, 2.0, np.inf])["suboptimality"]).all()


def test_a_path_that_is_said_and_not_there(grid):
    batch = wg.make_finder("astar", grid).find_many(STARTS[2:], GOALS[2:], threads=1)
    gone = batch.rows.copy()
    gone[:, layout.ROW_LENGTH] = 0
    empty = Batch(gone, batch.cells[:0], batch._sizes)
    assert check_paths(grid, STARTS[2:], GOALS[2:], empty).valid.tolist() == [False]
    assert explain_fault(grid, empty[0], STARTS[2], GOALS[2]) == "there is no path although it says so"
    with pytest.raises(wg.WaygridError, match="kept no cells to check"):
        check_paths(grid, STARTS, GOALS, Batch(gone, None, batch._sizes))


def test_optima_are_part_of_the_check(grid):
    batch = wg.make_finder("astar", grid).find_many(STARTS, GOALS, threads=1)

    def look(optima, **promise):
        found = check_paths(grid, STARTS, GOALS, batch, np.array(optima), **promise)
        return found.valid.tolist(), found.fault

    assert look([4.0, 2.0, 0.0], optimal=True) == ([True] * 3, None)
    below = "the path costs 2.000000, less than the optimum 3.000000"
    assert look([4.0, 3.0, 0.0]) == ([True, False, True], below)
    assert look([4.0, 1.0, 0.0]) == ([True] * 3, None)
    dear = "the path costs 2.000000, not the optimum 1.000000 as promised"
    assert look([4.0, 1.0, 0.0], optimal=True) == ([True, False, True], dear)
    split = wg.Grid([[1, 1, 1], [0, 0, 0], [1, 1, 1]])
    batch = wg.make_finder("astar", split).find_many(STARTS, GOALS, threads=1)
    assert look([4.0, np.inf, 0.0]) == ([False, True, True], "UNREACHABLE, but there is a path")
    assert look([np.inf, np.inf, 0.0]) == ([True] * 3, None)


def test_a_wrong_move_table_does_not_hide_a_wrong_path(grid, monkeypatch):
    batch = wg.make_finder("bfs", wg.Grid(np.ones((3, 3)))).find_many(STARTS, GOALS, threads=1)
    monkeypatch.setattr(check, "_check_moves", lambda grid, starts, goals, batch: np.ones(len(batch), bool))
    assert check_paths(grid, STARTS, GOALS, batch).valid.tolist() == [False, True, True]


WORLDS = (
    {"topology": "tile"},
    {"topology": "octile"},
    {"topology": "octile", "corners": "one", "clearance": 2},
    {"topology": "octile", "corners": "always", "metric": "dba"},
    {"topology": "hex"},
    {"topology": "tex", "weights": True},
    {"topology": "octile", "weights": True},
    {"topology": "octile", "one_way": True},
    {"topology": "hex", "one_way": True},
)


def world(rules, chance):
    rules = dict(rules)
    weights = chance.integers(1, 9, (9, 11)) if rules.pop("weights", False) else None
    one_way = rules.pop("one_way", False)
    grid = wg.Grid(chance.random((9, 11)) < 0.75, weights=weights, **rules)
    if one_way:
        for _ in range(12):
            some = [name for name in grid.directions if chance.random() < 0.6]
            grid.set_one_way((int(chance.integers(11)), int(chance.integers(9))), some)
    return grid


def damage(batch, chance):
    """Return the batch with some cells, numbers and ends changed."""
    rows, cells = batch.rows.copy(), batch.cells.copy()
    for _ in range(int(chance.integers(0, 6))):
        if len(cells):
            cells[chance.integers(len(cells))] += chance.integers(-1, 2, 2).astype(np.int32)
    if chance.random() < 0.5:
        column = [layout.ROW_STRAIGHT, layout.ROW_DIAGONAL, layout.ROW_STATUS][chance.integers(3)]
        rows[chance.integers(len(rows)), column] = chance.integers(0, 4)
    return Batch(rows, cells, batch._sizes)


@given(st.integers(0, 10**6), st.sampled_from(WORLDS))
def test_the_kernel_says_what_the_slow_check_says(seed, rules):
    chance = np.random.default_rng(seed)
    grid = world(rules, chance)
    ground = np.argwhere(grid.components >= 0)[:, ::-1].astype(np.int32)
    if len(ground) == 0:
        return
    starts, goals = (ground[chance.integers(0, len(ground), 12)] for _ in range(2))
    other = grid if chance.random() < 0.5 else world({**rules, "clearance": 1}, chance)
    batch = damage(wg.make_finder("astar", grid).find_many(starts, goals, threads=1), chance)
    slow = [explain_fault(other, path, *ends) is None for path, *ends in zip(batch, starts, goals, strict=True)]
    assert _check_moves(other, starts, goals, batch).tolist() == slow
    assert check_paths(other, starts, goals, batch).valid.tolist() == slow


def test_both_cells_weigh_a_move_where_the_rule_says_so():
    grid = wg.Grid(np.ones((4, 5)), weights=np.arange(1, 21).reshape(4, 5), rule="mean")
    starts, goals = np.array([[0, 0], [4, 0]], np.int32), np.array([[4, 3], [0, 3]], np.int32)
    assert check_paths(grid, starts, goals, wg.make_finder("astar", grid).find_many(starts, goals)).wrong == 0
