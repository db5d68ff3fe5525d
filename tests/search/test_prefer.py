"""Of all cheapest paths the one with the fewest turns, against a search over cells and directions."""

import heapq

import numpy as np
import pytest
from cases import cases, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg

pytestmark = pytest.mark.quick


def cheapest_with_fewest_turns(case, grid, start, goal):
    """Return the cost and the turns, by Dijkstra over cells and directions, in the integers of the metric."""
    price = (grid._metric.cardinal, grid._metric.diagonal)
    queue, done = [(0, 0, start, "")], set()
    while queue:
        cost, turns, cell, heading = heapq.heappop(queue)
        if cell == goal:
            return cost, turns
        if (cell, heading) in done:
            continue
        done.add((cell, heading))
        for name, (dx, dy) in case.steps(cell[0]).items():
            there = cell[0] + dx, cell[1] + dy
            if there not in {(x, y) for x, y, _ in case.neighbours(*cell)} or name not in case.one_way.get(cell, name):
                continue
            weight = 1 if case.weights is None else int(case.weights[there[1], there[0]])
            if case.rule == "mean":
                weight += int(case.weights[cell[1], cell[0]])
            step = price[case.topology == "octile" and dx != 0 and dy != 0] * weight
            heapq.heappush(queue, (cost + step, turns + (heading not in ("", name)), there, name))
    return None


@settings(max_examples=150, deadline=None)
@given(cases(largest=8, rules=("enter", "mean")), st.integers(0, 99))
def test_no_cheapest_path_turns_less(case, seed):
    if case.weights is not None:
        case.weights = (case.weights - 1) % 40 + 1
    grid = grid_of(case)
    finder = wg.make_finder("dijkstra", grid)
    for start, goal in pairs_of(case, 5, seed):
        path, any_path = finder.find(start, goal, prefer="straight"), finder.find(start, goal)
        assert path.status == any_path.status
        if path.status != wg.Status.FOUND:
            continue
        assert path.cost == pytest.approx(any_path.cost, rel=1e-12)
        case.path_cost(path.cells)
        _, turns = cheapest_with_fewest_turns(case, grid, start, goal)
        assert max(len(path.waypoints) - 2, 0) == turns


def test_it_is_an_option_of_all_that_find_cheapest_paths():
    grid = wg.generate("rooms", width=60, height=40, seed=2)
    cells = np.argwhere(grid.passable)[::101, ::-1]
    turns = {}
    for name in ("astar", "jps", "jps+", "turntable", "cpd"):
        batch = wg.make_finder(name, grid).find_many(cells[:-1], cells[1:], 2, prefer="straight")
        turns[name] = [len(points) for points in batch.waypoints]
        assert batch.costs.tolist() == wg.make_finder("astar", grid).find_many(cells[:-1], cells[1:]).costs.tolist()
    assert all(counts == turns["astar"] for counts in turns.values())
    plain = wg.make_finder("astar", grid).find_many(cells[:-1], cells[1:])
    assert sum(turns["astar"]) < sum(len(points) for points in plain.waypoints)


def test_limits_edits_and_what_is_refused():
    grid = wg.Grid(np.ones((20, 20)))
    finder = wg.make_finder("jps+", grid)
    assert len(finder.find((0, 0), (19, 7), prefer="straight").waypoints) == 3
    assert finder.find((0, 0), (19, 7), prefer="straight", max_expansions=3).status == wg.Status.CUTOFF
    grid.set_passable((slice(9, 10), slice(0, 19)), False)
    assert finder.find((0, 0), (19, 7), prefer="straight").is_valid(grid)
    assert finder.find((0, 0), (19, 7), prefer="straight").cost == finder.find((0, 0), (19, 7)).cost
    for name in ("best-first", "lazy-theta"):
        with pytest.raises(wg.WaygridError, match=f"{name} does not promise"):
            wg.make_finder(name, grid).find((0, 0), (1, 1), prefer="straight")
    with pytest.raises(wg.WaygridError, match="prefer is 'long'"):
        finder.find((0, 0), (1, 1), prefer="long")
    heavy = wg.Grid(np.ones((3, 3)), weights=np.full((3, 3), 60000))
    with pytest.raises(wg.WaygridError, match="takes weights up to"):
        wg.make_finder("astar", heavy).find((0, 0), (1, 1), prefer="straight")
