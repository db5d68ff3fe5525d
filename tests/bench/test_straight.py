"""Benchmarks of straight paths: by Euclidean length, against the optimum of their own metric."""

import numpy as np
import pytest

import waygrid as wg
from waygrid.bench.runner import run
from waygrid.measure.path_check import check_paths


def make_problems():
    grid = wg.generate("rooms", width=40, height=30, seed=3)
    cells = np.argwhere(grid.components == 0)[::53, ::-1].astype(np.int32)
    return grid, cells[:-1], cells[1:]


def test_each_algorithm_is_held_against_the_optimum_of_its_metric():
    grid, starts, goals = make_problems()
    costs = wg.make_finder("dijkstra", grid).find_many(starts, goals).costs
    moves, lazy = run(grid, wg.Scenario(starts, goals, costs), ["astar", "lazy-theta"], rounds=0)
    assert (moves.optimum, moves.differ, moves.illegal, moves.suboptimality) == ("scenario", 0, 0, 0.0)
    assert lazy.optimum != "scenario"
    assert (lazy.illegal, lazy.below, lazy.unsolved) == (0, 0, 0)
    assert lazy.suboptimality > 0
    assert (lazy.costs <= moves.costs + 1e-9).all()


def test_costs_of_an_any_angle_scenario_are_lengths():
    grid, starts, goals = make_problems()
    lengths = wg.make_finder("theta", grid).find_many(starts, goals).costs
    scenario = wg.Scenario(starts, goals, lengths, metric="euclidean").select(slice(None))
    assert scenario.metric == "euclidean"
    moves, theta = run(grid, scenario, ["astar", "theta"], rounds=0)
    assert (moves.optimum, moves.differ) == ("dijkstra", 0)
    assert (theta.optimum, theta.illegal, theta.below, theta.suboptimality) == ("scenario", 0, 0, 0.0)


def test_wrong_paths_are_found():
    grid, starts, goals = make_problems()
    batch = wg.make_finder("lazy-theta", grid).find_many(starts, goals)
    assert check_paths(grid, starts, goals, batch).first is None
    walled = grid.copy()
    x, y = batch[0].cells[len(batch[0]) // 2].tolist()
    walled.set_passable((x, y), False)
    assert check_paths(walled, starts, goals, batch).first == 0
    batch.rows[0, 2] += 1 << 40  # another cost
    assert "as it says" in check_paths(grid, starts, goals, batch).fault


def test_dynamic_scenarios_state_costs_of_moves():
    grid = wg.generate("rooms", width=40, height=30, seed=1)
    scenario = wg.generate_changes(grid, "doors", edits=2, queries=4, seed=1)
    with pytest.raises(wg.WaygridError, match="states costs of moves, and paths of lazy-theta"):
        run(grid, scenario, ["astar", "lazy-theta"])
