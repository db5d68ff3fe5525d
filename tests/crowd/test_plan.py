"""Whole plans: free of collisions, complete, never worse than the first one, and never better than possible."""

import itertools

import numpy as np
import pytest
from crowd_rules import check_all
from oracle import Case

import waygrid as wg


def make(chance, topology, shape, count, walls=0.2):
    case = Case(chance.random(shape) > walls, topology=topology)
    grid = wg.Grid(case.passable, topology=topology)
    labels = grid.components
    free = np.argwhere(labels == np.bincount(labels[labels >= 0]).argmax())[:, ::-1]
    count = min(count, len(free) - 1)
    return case, grid, *(free[chance.permutation(len(free))[:count]] for _ in range(2))


def check_plan(case, grid, starts, goals, plan):
    assert plan.status == wg.Status.FOUND
    assert plan.positions[0].tolist() == starts.tolist()
    assert plan.positions[-1].tolist() == goals.tolist()
    check_all(case, plan.positions)
    assert plan.check(grid) is None
    least = [case.moves_away(tuple(a))[tuple(b)] for a, b in zip(starts.tolist(), goals.tolist(), strict=True)]
    assert plan.lower_bound == sum(least)
    assert (plan.costs >= least).all()
    assert plan.lower_bound <= plan.sum_of_costs <= plan.first_cost
    assert plan.makespan == plan.costs.max()


@pytest.mark.quick
@pytest.mark.parametrize("topology", ["tile", "octile", "hex", "tex"])
def test_plans(topology):
    for seed in range(6):
        chance = np.random.default_rng(seed)
        case, grid, starts, goals = make(chance, topology, (9, 10), 20)
        crowd = wg.Crowd(grid, starts, goals)
        plan = crowd.plan(max_time=0.2, seed=seed)
        if plan.status == wg.Status.FOUND:  # on some maps too many are in too little room
            check_plan(case, grid, starts, goals, plan)
        assert crowd.positions.tolist() == starts.tolist()


def fewest_steps(case, starts, goals):
    """Return whether there is a plan at all, by a search over all positions."""
    layer, seen = {tuple(starts)}, {tuple(starts)}
    while layer:
        if tuple(goals) in layer:
            return True
        following = set()
        for state in layer:
            ways = [[cell, *((x, y) for x, y, _ in case.neighbours(*cell))] for cell in state]
            for there in itertools.product(*ways):
                if len(set(there)) == len(there) and there not in seen:
                    moves = {(a, b) for a, b in zip(state, there, strict=True) if a != b}
                    crossed = any((b, a) in moves for a, b in moves)
                    if case.topology == "octile":
                        steep = [(a, b) for a, b in moves if a[0] != b[0] and a[1] != b[1]]
                        crossed |= any(((a[0], b[1]), (b[0], a[1])) in moves for a, b in steep)
                        crossed |= any(((b[0], a[1]), (a[0], b[1])) in moves for a, b in steep)
                    if not crossed:
                        seen.add(there)
                        following.add(there)
        layer = following
    return False


@pytest.mark.parametrize("topology", ["tile", "octile", "hex"])
def test_a_plan_is_found_whenever_there_is_one(topology):
    found = missing = 0
    for seed in range(60):
        chance = np.random.default_rng(seed)
        case, grid, starts, goals = make(chance, topology, (3, 3), 4, 0.3)
        if len(starts) < 2:
            continue
        plan = wg.Crowd(grid, starts, goals).plan(max_time=5.0, seed=seed)
        solvable = fewest_steps(case, [tuple(a) for a in starts.tolist()], [tuple(a) for a in goals.tolist()])
        assert plan.status == (wg.Status.FOUND if solvable else wg.Status.UNREACHABLE)
        if solvable:
            check_plan(case, grid, starts, goals, plan)
            found += 1
        else:
            missing += 1
    assert found > 5
    assert missing > 0 or topology != "tile"


@pytest.mark.quick
def test_two_in_a_corridor_change_places_in_the_niche():
    grid = wg.Grid([[1, 1, 1, 1, 1], [0, 0, 1, 0, 0]], topology="tile")
    starts, goals = np.array([(0, 0), (4, 0)]), np.array([(4, 0), (0, 0)])
    plan = wg.Crowd(grid, starts, goals).plan(max_time=0.5)
    check_plan(Case(grid.passable, topology="tile"), grid, starts, goals, plan)


@pytest.mark.quick
def test_stationary_agents_stay():
    grid = wg.Grid(np.ones((5, 5), bool))
    starts = [(0, 2), (2, 2), (4, 2)]
    plan = wg.Crowd(grid, starts, [(4, 2), (0, 0), (0, 2)], stationary=[False, True, False]).plan(max_time=0.2)
    assert plan.status == wg.Status.FOUND
    assert (plan.positions[:, 1] == (2, 2)).all()
    check_all(Case(grid.passable), plan.positions)


@pytest.mark.quick
def test_plans_that_cannot_be():
    grid = wg.Grid([[1, 1, 0, 1]])
    crowd = wg.Crowd(grid, [(0, 0)], [(3, 0)])
    assert crowd.plan(max_time=0.1).status == wg.Status.UNREACHABLE
    corridor = wg.Crowd(wg.Grid([[1, 1]]), [(0, 0), (1, 0)], [(1, 0), (0, 0)])
    assert corridor.plan(max_time=1.0).status == wg.Status.UNREACHABLE
    for call, words in [
        (lambda: wg.Crowd(grid, [(0, 0), (1, 0)], (3, 0)).plan(), r"agents 0 and 1 would both end in \(3, 0\)"),
        (lambda: crowd.plan(max_time=0), "max_time is 0"),
        (lambda: crowd.plan(seed=-1), "seed is -1"),
    ]:
        with pytest.raises(wg.WaygridError, match=words):
            call()
    assert wg.Crowd(grid, [], []).plan(max_time=0.1).sum_of_costs == 0


@pytest.mark.quick
def test_a_plan_is_improved():
    chance = np.random.default_rng(3)
    case, grid, starts, goals = make(chance, "tile", (16, 16), 60, 0.1)
    plan = wg.Crowd(grid, starts, goals).plan(max_time=2.0)
    check_plan(case, grid, starts, goals, plan)
    assert plan.sum_of_costs < plan.first_cost


@pytest.mark.quick
def test_scenarios_of_mapf_are_read(tmp_path):
    file = tmp_path / "random.scen"
    file.write_text("version 1\n0\trandom.map\t4\t2\t0\t0\t3\t1\t3.4\n1\trandom.map\t4\t2\t3\t0\t0\t1\t3.4\n")
    rows = wg.Scenario.from_file(file)
    crowd = wg.Crowd(wg.Grid(np.ones((2, 4), bool)), rows.starts, rows.goals)
    while not crowd.arrived.all():
        crowd.step()
    assert crowd.steps < 10
