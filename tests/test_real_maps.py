"""MovingAI maps: costs equal the scenario's on every row, Dijkstra's on each tenth."""

import numpy as np
import pytest

import waygrid as wg
from waygrid.grid.legal import first_fault

WHOLE = ["dao/arena", "dao/arena2", "bgmaps/AR0205SR", "dao/brc202d", "cities/Berlin_0_512"]


@pytest.mark.parametrize("name", WHOLE)
def test_costs_equal_the_scenarios_on_every_row(maps, name):
    grid = wg.Grid.from_file(maps / f"{name}.map")
    scenario = wg.Scenario.from_file(maps / f"{name}.map.scen")
    scenario.check(grid)
    for algorithm, every in (("astar", 1), ("dijkstra", 10)):
        rows = slice(None, None, every)
        batch = wg.make_finder(algorithm, grid).find_many(scenario.starts[rows], scenario.goals[rows])
        assert (batch.statuses == wg.Status.FOUND).all()
        assert np.abs(batch.costs - scenario.costs[rows]).max() < 1e-4, algorithm
        for number in range(0, len(batch), 37):
            assert first_fault(grid, batch[number].cells) is None


@pytest.mark.parametrize("name", ["mazes/maze512-16-0", "rooms/16room_000", "random/random512-25-0", "sc1/Aftershock"])
def test_other_kinds_of_maps(maps, name):
    grid = wg.Grid.from_file(maps / f"{name}.map")
    scenario = wg.Scenario.from_file(maps / f"{name}.map.scen")
    rows = slice(None, None, 29)
    batch = wg.make_finder("astar", grid).find_many(scenario.starts[rows], scenario.goals[rows])
    digits = np.maximum(1e-4, 5e-6 * scenario.costs[rows])  # these files give six digits
    assert (np.abs(batch.costs - scenario.costs[rows]) < digits).all()


def test_mixed_costs(maps):
    grid = wg.Grid.from_file(maps / "mixedcost" / "bloodvenomfalls-mixed01.map")
    assert grid.weights is not None
    assert sorted(set(grid.weights[grid.passable].tolist())) == [1, 10, 20]
    ys, xs = np.nonzero(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())
    picks = np.random.default_rng(0).integers(0, len(xs), (2, 25))
    starts, goals = (np.stack([xs[p], ys[p]], axis=1) for p in picks)
    fast = wg.make_finder("astar", grid).find_many(starts, goals)
    slow = wg.make_finder("dijkstra", grid).find_many(starts, goals)
    assert fast.costs == pytest.approx(slow.costs, rel=1e-9)
    assert fast.expanded.sum() < slow.expanded.sum()
    assert all(first_fault(grid, path.cells) is None for path in fast)


def test_a_scenario_of_another_map_is_refused(maps):
    scenario = wg.Scenario.from_file(maps / "dao" / "arena.map.scen")
    with pytest.raises(wg.WaygridError, match="49 x 49"):
        scenario.check(wg.Grid.from_file(maps / "dao" / "arena2.map"))
