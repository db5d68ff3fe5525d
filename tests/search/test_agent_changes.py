"""Pools of real-time agents whose goals change, and that gain and lose agents."""

import numpy as np
import pytest
from edited import rng
from oracle import Case

import waygrid as wg

NAMES = [name for name, info in wg.algorithms().items() if info.real_time]


def run(pool, most=20_000):
    while not pool.done.all() and most:
        pool.step()
        most -= 1


@pytest.mark.parametrize("name", NAMES)
def test_a_new_goal_is_as_a_new_agent(name):
    """Agents with a new goal walk as agents do that start there."""
    grid = wg.generate("rooms", width=24, height=20, seed=2)
    finder, chance = wg.make_finder(name, grid), rng(1)
    free = np.argwhere(grid.passable)[:, ::-1]
    starts, goals, others = free[chance.integers(len(free), size=(3, 8))]
    pool = finder.agents(starts, goals, history=True)
    for _ in range(6):
        pool.step()
    here = pool.positions
    pool.set_goals(range(0, 8, 2), others[::2])
    fresh = finder.agents(here[::2], others[::2], history=True)
    run(pool)
    run(fresh)
    assert pool.statuses[::2].tolist() == fresh.statuses.tolist()
    assert pool.moves[::2].tolist() == fresh.moves.tolist()
    assert pool.costs[::2].tolist() == fresh.costs.tolist()
    there = pool.statuses == wg.Status.FOUND
    assert there.any()
    assert (pool.positions[::2][there[::2]] == others[::2][there[::2]]).all()
    assert (pool.positions[1::2][there[1::2]] == goals[1::2][there[1::2]]).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_agents_come_and_go_while_the_map_changes(name, seed):
    chance, grid = rng(seed), wg.generate("rooms", width=24, height=20, seed=seed)
    finder, case = wg.make_finder(name, grid), None
    free = np.argwhere(grid.passable)[:, ::-1]
    pool = finder.agents(*free[chance.integers(len(free), size=(2, 6))], max_moves=5000)
    goals = None
    for step in range(60):
        open_cells = np.argwhere(grid.passable)[:, ::-1]
        if step % 7 == 3:
            pool.remove(chance.integers(len(pool), size=1))
        if step % 5 == 2:
            ends = open_cells[chance.integers(len(open_cells), size=(2, 2))]
            assert pool.add(*ends).tolist() == [len(pool) - 2, len(pool) - 1]
        if step % 4 == 1:
            pool.set_goals(range(len(pool)), open_cells[chance.integers(len(open_cells))])
        if step % 6 == 5:
            x, y = free[chance.integers(len(free))].tolist()
            grid.set_passable((x, y), not grid.passable[y, x])
        case, before = Case(grid.passable), pool.positions
        after = pool.step()
        assert len(before) == len(after) == len(pool) == len(pool.statuses) == len(pool.bytes)
        for here, there in zip(before.tolist(), after.tolist(), strict=True):
            if here != there:
                case.path_cost([here, there])
    open_cells = np.argwhere(grid.passable)[:, ::-1]
    goals = open_cells[chance.integers(len(open_cells), size=len(pool))]
    pool.set_goals(np.ones(len(pool), bool), goals)
    run(pool)
    for cell, goal, status in zip(pool.positions.tolist(), goals.tolist(), pool.statuses, strict=True):
        if status == wg.Status.FOUND:
            assert cell == goal
        else:
            assert status == wg.Status.UNREACHABLE
            assert not case.fits(*cell) or tuple(goal) not in Case(grid.passable).dijkstra(tuple(cell))


@pytest.mark.quick
def test_bad_changes():
    pool = wg.make_finder("lrta", wg.Grid([[1, 1, 0]])).agents([(0, 0)], [(1, 0)])
    for call, words in [
        (lambda: pool.set_goals([1], [(0, 0)]), "indices have 1; allowed are 0 to 0"),
        (lambda: pool.set_goals([0, 0], [(0, 0)]), "name an agent twice"),
        (lambda: pool.set_goals("x", [(0, 0)]), "indices are 'x'"),
        (lambda: pool.set_goals([0], [(2, 0)]), r"agent 0: goal \(2, 0\) is in a wall"),
        (lambda: pool.set_goals([0], [(0, 0), (1, 0)]), "2 goals for 1 agents"),
        (lambda: pool.add([(2, 0)], [(0, 0)]), "is in a wall"),
        (lambda: pool.remove([3]), "indices have 3"),
    ]:
        with pytest.raises(wg.WaygridError, match=words):
            call()
    pool.remove([])
    pool.remove([0])
    assert len(pool) == len(pool.step()) == 0


def test_histories_of_agents_that_came_later():
    pool = wg.make_finder("lrta", wg.Grid([[1, 1, 1, 1]])).agents([(0, 0)], [(3, 0)], history=True)
    pool.step()
    pool.add([(3, 0)], [(2, 0)])
    pool.step()
    assert [path.tolist() for path in pool.paths()] == [[[0, 0], [1, 0], [2, 0]], [[3, 0], [2, 0]]]
    pool.remove([0])
    assert [path.tolist() for path in pool.paths()] == [[[3, 0], [2, 0]]]
