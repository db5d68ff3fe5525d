"""Agents on a map that changes: no move into a wall, and the goal is reached whenever there is a way."""

import numpy as np
import pytest
from edited import rng
from oracle import Case

import waygrid as wg
from waygrid.core import agent_edits, agents, layout

NAMES = [name for name, info in wg.algorithms().items() if info.real_time]
INDEXED = [name for name in NAMES if wg.algorithms()[name].index]


def check_moves(case, before, after):
    """Walk every move by the oracle's rules."""
    for here, there in zip(before.tolist(), after.tolist(), strict=True):
        if here != there:
            case.path_cost([here, there])


def edit_near(chance, grid, cell):
    x, y = (np.asarray(cell) + chance.integers(-2, 3, 2)).tolist()
    if 0 <= x < grid.width and 0 <= y < grid.height:
        grid.set_passable((x, y), bool(chance.integers(2)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_illegal_move_and_the_goal_is_reached(name, seed):
    chance, grid = rng(seed), wg.generate("rooms", width=40, height=32, seed=seed)
    finder = wg.make_finder(name, grid)
    if seed == 2:
        grid.set_passable(
            tuple(np.argwhere(grid.passable)[9, ::-1].tolist()), False
        )  # the pool begins on a stale index
    free = np.argwhere(grid.passable)[:, ::-1]
    starts, goals = free[chance.integers(len(free), size=(2, 20))]
    pool = finder.agents(starts, goals, max_moves=20_000)
    before, step = pool.positions, 0
    while step < 200 or not pool.done.all():
        if step < 200 and step % 3 == 0:
            edit_near(chance, grid, pool.positions[chance.integers(20)])
        if step == 100 and seed == 3:
            finder.rebuild()
        after = pool.step()
        check_moves(Case(grid.passable), before, after)
        before, step = after, step + 1
    case = Case(grid.passable)
    for cell, goal, status in zip(before.tolist(), goals.tolist(), pool.statuses, strict=True):
        if status == wg.Status.FOUND:
            assert cell == goal
        else:
            assert status == wg.Status.UNREACHABLE
            assert not case.fits(*cell) or tuple(goal) not in case.dijkstra(tuple(cell))
    assert pool.moves.sum() > 0
    assert pool.memory.agent_bytes > 0
    assert len(pool.bytes) == len(pool) == 20


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_without_a_way_waits_until_one_opens(name):
    grid = wg.Grid(["....", "....", "....", "...."])
    agent = wg.make_finder(name, grid).agent((0, 0), (3, 3))
    grid.paste(["####"], 0, 2)
    for _ in range(3):
        agent.step()
    assert agent.status == wg.Status.UNREACHABLE
    assert agent.cost == float("inf")
    grid.set_passable((3, 2), True)
    for _ in range(40):
        agent.step()
    assert (agent.status, agent.position) == (wg.Status.FOUND, (3, 3))


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_without_a_way_on_the_map_of_the_index_goes_when_one_opens(name):
    grid = wg.Grid(["..#..", "..#.."])
    finder = wg.make_finder(name, grid)
    pool = finder.agents([(0, 0), (0, 1)], [(4, 0), (1, 0)])
    pool.step()
    assert pool.statuses[0] == wg.Status.UNREACHABLE
    grid.set_passable((2, 1), True)
    before = pool.positions
    for _ in range(40):
        after = pool.step()
        check_moves(Case(grid.passable), before, after)
        before = after
    assert (pool.statuses == wg.Status.FOUND).all()


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_goes_on_when_a_door_far_away_opens(name):
    grid = wg.Grid(["." * 10 + "#" + "." * 9] * 2)
    agent = wg.make_finder(name, grid).agent((0, 0), (19, 0))
    agent.step()
    for door in ((10, 0), (10, 1)):
        grid.set_passable(door, True)
        for _ in range(100):
            agent.step()
    assert (agent.status, agent.position) == (wg.Status.FOUND, (19, 0))


@pytest.mark.parametrize("name", INDEXED)
def test_agents_of_a_finder_that_was_stale_from_the_first(name):
    grid = wg.Grid(np.ones((9, 9), bool))
    finder = wg.make_finder(name, grid)
    grid.set_passable((4, 4), False)
    agent = finder.agent((0, 0), (8, 8))
    while not agent.done:
        agent.step()
    assert agent.cost > 0


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_that_is_walled_in_stays(name):
    grid = wg.Grid(np.ones((4, 4), bool))
    agent = wg.make_finder(name, grid).agent((0, 0), (3, 3))
    grid.set_passable((0, 0), False)
    assert agent.step() == (0, 0)
    assert agent.status == wg.Status.UNREACHABLE
    grid.set_passable((0, 0), True)
    for _ in range(20):
        agent.step()
    assert agent.position == (3, 3)


@pytest.mark.parametrize("name", INDEXED)
def test_agents_that_are_handed_over_go_on_counting(name):
    grid = wg.Grid(np.ones((3, 12), bool))
    finder = wg.make_finder(name, grid)
    ends = [(0, 1), (0, 1)], [(11, 1), (0, 2)]
    scout = finder.agents(*ends, history=True)
    while not scout.done.all():
        scout.step()
    pool = finder.agents(*ends, history=True)
    for _ in range(4):
        pool.step()
    moved = int(pool.moves[0])
    grid.set_passable(tuple(scout.paths()[0][8].tolist()), False)
    while not pool.done.all():
        pool.step()
    assert pool.moves[0] > moved
    assert pool._follower.replaced.tolist() == [0]
    way = pool.paths()[0]
    assert pool.moves[0] == len(way) - 1
    assert pool.costs[0] == pytest.approx(Case(grid.passable).path_cost(way))
    assert "2 FOUND" in repr(pool)
    assert len(pool.records(0)) >= 0


@pytest.mark.parametrize("name", ["tba", "dstar-lite"])
def test_terrain_that_appears_is_paid_for(name):
    grid = wg.Grid(np.ones((1, 6), bool))
    agent = wg.make_finder(name, grid).agent((0, 0), (5, 0))
    agent.step()
    grid.set_weight((5, 0), 40)
    while not agent.done:
        agent.step()
    assert agent.cost == 4 + 40


@pytest.mark.parametrize("name", ["lrta", "tba", "dstar-lite"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_agents_arrive_while_terrain_changes(name, seed):
    chance, grid = rng(seed), wg.generate("caves", width=24, height=20, seed=seed)
    case = Case(grid.passable, weights=np.ones(grid.passable.shape, np.uint16))
    free = np.argwhere(grid.passable & (grid.components == np.bincount(grid.components[grid.passable]).argmax()))[
        :, ::-1
    ]
    starts, goals = free[chance.integers(len(free), size=(2, 12))]
    pool, step = wg.make_finder(name, grid).agents(starts, goals, 50), 0
    paid, before = np.zeros(12), starts
    while not pool.done.all():
        if step < 60 and step % 4 == 0:
            x, y = free[chance.integers(len(free))].tolist()
            case.weights[y, x] = weight = int(chance.integers(1, 60))
            grid.set_weight((x, y), weight)
        after = pool.step()
        for k in range(12):
            if tuple(before[k]) != tuple(after[k]):
                paid[k] += case.path_cost([before[k].tolist(), after[k].tolist()])
        before, step = after, step + 1
    assert (pool.statuses == wg.Status.FOUND).all()
    assert pool.costs == pytest.approx(paid)


def test_take_back_restores_what_a_move_changed():
    grid = wg.Grid(["..", ".."])
    rows = np.zeros((2, agents.AGENT_SIZE), np.int64)
    rows[:, agents.STATE] = layout.RUNNING
    before = rows[:, : agent_edits.KEPT].copy()
    rows[0, agents.CELL], rows[0, agents.MADE], rows[0, agents.STATE] = 1, 1, layout.FOUND
    rows[1, agents.CELL], rows[1, agents.MADE] = 2, 1
    positions = np.array([(1, 0), (0, 1)], np.int32)
    numbers = np.empty(2, np.int64)
    grid.set_passable((1, 0), False)
    table = grid.table
    assert agent_edits.take_back(table.geo, table.moves, rows, before, positions, numbers) == 1
    assert numbers[0] == 0
    assert rows[:, agents.CELL].tolist() == [0, 2]
    assert rows[:, agents.MADE].tolist() == [0, 1]
    assert rows[0, agents.STATE] == layout.RUNNING
    assert positions.tolist() == [[0, 0], [0, 1]]
