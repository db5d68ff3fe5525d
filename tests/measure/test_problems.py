import numpy as np
import pytest

import waygrid as wg
from waygrid.measure.problems import check_cells, pick, random_problems, with_room

pytestmark = pytest.mark.quick


def scenario(starts, goals, sizes=None):
    starts, goals = np.array(starts, np.int32), np.array(goals, np.int32)
    return wg.Scenario(starts, goals, np.zeros(len(starts)), sizes, "a.scen")


def test_pick():
    rows = np.zeros((100, 2), np.int32)
    some = wg.Scenario(rows, rows, np.zeros(100))
    assert pick(some, None).tolist() == pick(some, 100).tolist() == pick(some, 900).tolist() == list(range(100))
    assert pick(some, 3).tolist() == [0, 50, 99]
    assert pick(some, 1).tolist() == [0]
    assert len(set(pick(some, 99).tolist())) == 99
    with pytest.raises(wg.WaygridError, match="limit is 0"):
        pick(some, 0)


def test_random_problems_are_in_the_largest_part_and_repeatable():
    grid = wg.Grid([[1, 1, 0, 1, 1, 1], [1, 1, 0, 1, 1, 1]])
    told = []
    problems = random_problems(grid, 50, seed=3, progress=lambda share, what: told.append(share))
    assert (problems.starts[:, 0] >= 3).all()
    assert (problems.goals[:, 0] >= 3).all()
    assert len(np.unique(problems.starts, axis=0)) == 6
    assert told[-1] == 1
    again, other = random_problems(grid, 50, seed=3), random_problems(grid, 50, seed=4)
    assert (problems.starts == again.starts).all()
    assert (problems.goals == again.goals).all()
    assert (problems.starts != other.starts).any()
    pairs = zip(problems.starts, problems.goals, strict=True)
    costs = [wg.distances(grid, start)[goal[1], goal[0]] for start, goal in pairs]
    assert problems.costs == pytest.approx(costs)


def test_no_ground():
    with pytest.raises(wg.WaygridError, match="no passable cell"):
        random_problems(wg.Grid([[0, 0]]), 5)


def test_a_scenario_of_another_map_is_refused():
    grid = wg.Grid([[1, 1, 0]])
    check_cells(scenario([[0, 0]], [[1, 0]]), grid)
    with pytest.raises(wg.WaygridError, match=r"a.scen: row 1: goal \(2, 0\) is in a wall"):
        check_cells(scenario([[0, 0], [0, 0]], [[1, 0], [2, 0]]), grid)
    with pytest.raises(wg.WaygridError, match=r"a.scen: row 0: start \(0, 7\) is outside"):
        check_cells(scenario([[0, 7]], [[1, 0]]), grid)
    with pytest.raises(wg.WaygridError, match="row 0 is for a map of 4 x 4"):
        check_cells(scenario([[0, 0]], [[1, 0]], np.array([[4, 4]])), grid)


def test_with_room_leaves_out_what_is_too_narrow_but_not_walls():
    grid = wg.Grid([[1, 1, 1, 1], [1, 1, 0, 1]], clearance=2)
    problems = scenario([[0, 0], [1, 0], [2, 1]], [[0, 0], [0, 0], [0, 0]])
    assert with_room(problems, grid).starts.tolist() == [[0, 0], [2, 1]]
    assert with_room(problems, grid).numbers.tolist() == [0, 2]
