import numpy as np
import pytest

import waygrid as wg
from waygrid.bench.check import judge, same_cost

STARTS = np.array([[0, 0], [0, 0], [2, 0]], np.int32)
GOALS = np.array([[2, 2], [0, 2], [2, 0]], np.int32)


@pytest.fixture
def grid():
    return wg.Grid([[1, 1, 1], [1, 0, 1], [1, 1, 1]])


def verdict(grid, batches, optima, claims_optimal=True):
    return judge(grid, STARTS, GOALS, batches, np.array(optima), claims_optimal=claims_optimal)


def test_tolerance():
    assert same_cost([100.00009, 99.9999], [100, 100]).tolist() == [True, True]
    assert same_cost([100.001, 99.99], [100, 100]).tolist() == [False, False]
    assert same_cost([200000.9, 200001.1], [200000, 200000]).tolist() == [True, False]  # six significant digits
    assert same_cost([np.inf, 3.0, np.inf], [np.inf, np.inf, 3.0]).tolist() == [True, False, False]


def test_all_is_well(grid):
    finder = wg.make_finder("astar", grid)
    parts = [finder.find_many(STARTS[rows], GOALS[rows], threads=1) for rows in (slice(0, 1), slice(1, 3))]
    assert verdict(grid, parts, [4.0, 2.0, 0.0]) == (0, 0, 0, 0, 0.0, None)


def test_a_cost_that_differs_counts_for_those_that_claim(grid):
    batch = wg.make_finder("astar", grid).find_many(STARTS, GOALS, threads=1)
    told = verdict(grid, [batch], [4.0, 1.0, 0.0])
    assert (told.differ, told.illegal) == (1, 0)
    assert told.first == "row 1: cost 2.000000, optimum 1.000000"
    assert told.suboptimality == pytest.approx(1 / 3)
    told = verdict(grid, [batch], [4.0, 1.0, 0.0], claims_optimal=False)
    assert (told.differ, told.first) == (0, None)
    assert told.suboptimality == pytest.approx(1 / 3)


def test_a_path_through_a_wall_is_illegal_for_everyone(grid):
    batch = wg.make_finder("bfs", wg.Grid(np.ones((3, 3)))).find_many(STARTS, GOALS, threads=1)
    told = verdict(grid, [batch], [4.0, 2.0, 0.0], claims_optimal=False)
    assert told.illegal == 1
    assert told.first == "row 0: cell 1 at (1, 1) cannot be entered"


def test_wrong_ends_and_wrong_costs_are_illegal(grid):
    batch = wg.make_finder("astar", grid).find_many(STARTS, GOALS, threads=1)
    told = judge(grid, STARTS, GOALS[::-1], [batch], np.zeros(3), claims_optimal=True)
    assert (told.illegal, told.differ) == (2, 1)
    assert told.suboptimality == 0  # of the one row whose optimum can be 0
    assert told.first.startswith("row 0: the path leads from (0, 0) to (2, 2)")
    weighted = wg.Grid(grid.passable, weights=np.full((3, 3), 5))
    told = verdict(weighted, [batch], [20.0, 10.0, 0.0])
    assert told.illegal == 2
    assert told.first == "row 0: the path costs 20.000000, not 4.000000 as it says"


def test_cut_off_and_unsolved(grid):
    batch = wg.make_finder("dijkstra", grid).find_many(STARTS, GOALS, threads=1, max_expansions=1)
    told = verdict(grid, [batch], [4.0, 2.0, 0.0])
    assert (told.cut_off, told.unsolved, told.differ) == (2, 0, 0)
    split = wg.Grid([[1, 1, 1], [0, 0, 0], [1, 1, 1]])
    batch = wg.make_finder("astar", split).find_many(STARTS, GOALS, threads=1)
    assert verdict(split, [batch], [np.inf, np.inf, 0.0]) == (0, 0, 0, 0, 0.0, None)
    told = verdict(split, [batch], [4.0, np.inf, 0.0])
    assert (told.unsolved, told.differ) == (1, 1)
    nothing = verdict(split, [batch], [4.0, 2.0, np.inf])
    assert nothing.suboptimality is None
