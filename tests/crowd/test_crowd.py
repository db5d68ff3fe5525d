"""Crowds: no collision, whatever happens; and agents arrive."""

import numpy as np
import pytest
from crowd_rules import check_all, check_step
from oracle import Case

import waygrid as wg
from waygrid.crowd import layout as of

WAYS = {"fields": 2**26, "routes": 0}


def make_case(chance, topology, share=0.2, shape=(12, 14)):
    corners = str(chance.choice(["never", "one", "always"]))
    return Case(chance.random(shape) > share, topology=topology, corners=corners)


def make_grid(case):
    return wg.Grid(case.passable, topology=case.topology, corners=case.corners)


def largest(grid):
    labels = grid.components
    return np.argwhere(labels == np.bincount(labels[labels >= 0]).argmax())[:, ::-1]


def pick(chance, free, count):
    return free[chance.permutation(len(free))[:count]]


@pytest.mark.quick
@pytest.mark.parametrize("topology", ["tile", "octile", "hex", "tex"])
@pytest.mark.parametrize("memory", WAYS.values(), ids=WAYS)
def test_no_collision_and_all_arrive(topology, memory):
    shares = []
    for seed in range(5):
        chance = np.random.default_rng(seed)
        case = make_case(chance, topology, 0.12)
        grid = make_grid(case)
        free = largest(grid)
        crowd = wg.Crowd(grid, pick(chance, free, 12), pick(chance, free, 12), memory=memory, history=True, seed=seed)
        for _ in range(400):
            crowd.step()
            if crowd.arrived.all():
                break
        check_all(case, crowd.history)
        assert wg.first_collision(grid, crowd.history) is None
        shares.append(crowd.arrived.mean())
    assert np.mean(shares) > 0.9  # in dead ends priority inheritance alone may not get all there


@pytest.mark.parametrize("topology", ["tile", "octile", "hex"])
@pytest.mark.parametrize("memory", WAYS.values(), ids=WAYS)
def test_everything_at_once(topology, memory):
    """Edits, other goals, agents that come and go, priorities, agents that stand: no collision ever."""
    for seed in range(4):
        chance = np.random.default_rng(100 + seed)
        case = make_case(chance, topology)
        grid = make_grid(case)
        free = np.argwhere(case.passable)[:, ::-1]
        crowd = wg.Crowd(grid, pick(chance, free, 30), pick(chance, free, 30), memory=memory, seed=seed)
        for step in range(120):
            free = np.argwhere(grid.passable)[:, ::-1]
            n = len(crowd)
            if step % 3 == 0:
                x, y = chance.integers((grid.width, grid.height)).tolist()
                grid.set_passable((x, y), bool(chance.integers(2)))
            if step % 5 == 1:
                some = chance.permutation(n)[:6]
                free = np.argwhere(grid.passable)[:, ::-1]
                crowd.set_goals(some, free[chance.integers(len(free), size=len(some))])
            if step % 11 == 2:
                crowd.set_goals(np.ones(n, bool), free[chance.integers(len(free))] if len(free) else (0, 0))
            if step % 7 == 3:
                crowd.remove(chance.permutation(n)[:2])
            if step % 6 == 4:
                here = set(map(tuple, crowd.positions.tolist()))
                empty = [cell for cell in map(tuple, np.argwhere(grid.passable)[:, ::-1].tolist()) if cell not in here]
                crowd.add(empty[:2], empty[-2:])
            if step % 9 == 5:
                crowd.set_priorities(range(len(crowd)), chance.integers(-2, 3, size=len(crowd)))
                crowd.set_stationary(range(len(crowd)), chance.random(len(crowd)) < 0.1)
            case.passable = grid.passable.copy()
            before, still = crowd.positions, crowd.stationary
            after = crowd.step()
            check_step(case, before, after)
            assert (before[still] == after[still]).all()
            assert (crowd._board[:, of.TAKEN] == -1).all()
            standing = crowd._board[:, of.NOW]
            assert np.count_nonzero(standing >= 0) == len(crowd)
            assert (standing[after[:, 1] * grid.width + after[:, 0]] == np.arange(len(crowd))).all()
            assert crowd._fields._users.sum() == np.count_nonzero(crowd._rows[:, of.FIELD] >= 0)


@pytest.mark.quick
def test_fields_are_distances():
    for topology in ("tile", "octile", "hex", "tex"):
        chance = np.random.default_rng(4)
        case = make_case(chance, topology, 0.3)
        case.weights = chance.integers(1, 5, size=case.passable.shape) if topology != "tile" else None
        grid = wg.Grid(case.passable, topology=topology, corners=case.corners, weights=case.weights)
        free = np.argwhere(case.passable)[:, ::-1]
        goals = pick(chance, free, 5)
        crowd = wg.Crowd(grid, pick(chance, free, 5), goals)
        for goal, row in zip(goals.tolist(), crowd._rows, strict=True):
            field = crowd._fields.values[row[of.FIELD]].reshape(grid.height, grid.width)
            for x, y in map(tuple, free.tolist()):
                cost = case.dijkstra((x, y)).get(tuple(goal))
                if cost is None:
                    assert field[y, x] == of.FAR
                else:
                    assert field[y, x] == pytest.approx(cost * grid.cardinal_price, rel=1e-6)


@pytest.mark.quick
@pytest.mark.parametrize("name", ["turntable", "cpd", "jps+", "astar"])
def test_routes_of_any_finder(name):
    grid = wg.generate("rooms", width=40, height=30, seed=2)
    free, chance = largest(grid), np.random.default_rng(1)
    crowd = wg.Crowd(
        grid, pick(chance, free, 40), pick(chance, free, 40), wg.make_finder(name, grid), memory=0, history=True
    )
    while not crowd.arrived.all() and crowd.steps < 500:
        crowd.step()
    assert crowd.arrived.all()
    check_all(Case(grid.passable), crowd.history)


@pytest.mark.quick
@pytest.mark.parametrize("memory", WAYS.values(), ids=WAYS)
def test_an_agent_alone_takes_a_cheapest_path(memory):
    for seed in range(10):
        chance = np.random.default_rng(seed)
        case = make_case(chance, "octile")
        case.weights = chance.integers(1, 5, size=case.passable.shape)
        grid = wg.Grid(case.passable, corners=case.corners, weights=case.weights)
        start, goal = pick(chance, largest(grid), 2)
        crowd = wg.Crowd(grid, [start], [goal], memory=memory, history=True)
        while not crowd.arrived.all():
            crowd.step()
        assert case.path_cost(crowd.history[:, 0]) == pytest.approx(case.dijkstra(tuple(start))[tuple(goal)])


@pytest.mark.quick
@pytest.mark.parametrize("memory", WAYS.values(), ids=WAYS)
def test_doors(memory):
    grid = wg.Grid(["...#...", "...#...", "...#..."])
    crowd = wg.Crowd(grid, [(0, 0), (0, 1)], [(6, 0), (6, 2)], memory=memory)
    assert not crowd.reachable.any()
    crowd.step()
    grid.set_passable((3, 1), True)
    assert crowd.reachable.all()
    while not crowd.arrived.all():
        crowd.step()
    assert crowd.steps < 14
    grid.set_passable((6, 0), False)  # a wall in the cell of an agent: it waits
    crowd.set_goals([0], [(0, 0)])
    for _ in range(3):
        crowd.step()
    assert crowd.positions[0].tolist() == [6, 0]
    assert not crowd.reachable[0]
    grid.set_passable((6, 0), True)
    while not crowd.arrived.all():
        crowd.step()


@pytest.mark.quick
def test_who_comes_first():
    """In a corridor for one, the agent of the higher priority gets through, whatever the order of their numbers."""
    for favourite in (0, 1):
        grid = wg.Grid(["#.#", "...", "#.#"], topology="tile")
        levels = [5, 0] if favourite == 0 else [0, 5]
        crowd = wg.Crowd(grid, [(0, 1), (2, 1)], [(2, 1), (0, 1)], priorities=levels)
        assert crowd.step()[favourite].tolist() == [1, 1]
        assert crowd.priorities.tolist() == levels


@pytest.mark.quick
@pytest.mark.parametrize("memory", WAYS.values(), ids=WAYS)
def test_goals_side_by_side_in_a_doorway(memory):
    """Agents that always gave way into the same free cell went in circles here."""
    level = wg.generate("rooms", width=48, height=32, seed=2)
    floor = np.argwhere(level.passable)[:, ::-1]
    for seed in range(3):
        crowd = wg.Crowd(level, floor[:60], floor[-60:], memory=memory, seed=seed)
        while not crowd.arrived.all() and crowd.steps < 2000:
            crowd.step()
        assert crowd.arrived.all()


@pytest.mark.quick
def test_many_with_one_goal():
    grid = wg.Grid(np.ones((9, 9), bool))
    free = np.argwhere(grid.passable)[:, ::-1]
    crowd = wg.Crowd(grid, free[:20], (4, 4), history=True)
    for _ in range(30):
        crowd.step()
    check_all(Case(grid.passable), crowd.history)
    assert len(crowd._fields.values) == 1
    assert np.abs(crowd.positions - 4).max(axis=1).mean() < 3


@pytest.mark.quick
def test_memory_is_bounded():
    grid = wg.Grid(np.ones((10, 10), bool))
    free = np.argwhere(grid.passable)[:, ::-1]
    crowd = wg.Crowd(grid, free[:10], free[50:60], memory=4 * 100 * 3)
    assert crowd._fields.capacity == 3
    for k in range(20):
        crowd.set_goals(range(10), free[k])
        crowd.step()
        assert len(crowd._fields.values) <= 3
    crowd.set_goals(range(10), free[60:70])
    assert (crowd._rows[:, of.FIELD] == of.ROUTE).sum() == 10
    bytes_before = crowd.bytes
    for k in range(60):
        crowd.set_goals(range(10), free[k : k + 10])
        crowd.step()
    assert crowd.bytes < 4 * bytes_before


@pytest.mark.quick
def test_an_old_field_is_not_given_away_to_another_new_goal():
    grid = wg.Grid(np.ones((2, 6), bool))
    crowd = wg.Crowd(grid, [(0, 0), (1, 0), (2, 0)], [(5, 0)] * 3, memory=4 * 12)  # room for one field
    crowd.set_goals([0, 1, 2], [(0, 1), (0, 1), (5, 0)])
    for _ in range(20):
        crowd.step()
    assert crowd.positions[2].tolist() == [5, 0]
    assert [0, 1] in crowd.positions[:2].tolist()


@pytest.mark.parametrize("memory", WAYS.values(), ids=WAYS)
def test_a_goal_in_a_wall_is_not_reachable(memory):
    grid = wg.Grid(np.ones((4, 9), bool))
    crowd = wg.Crowd(grid, [(0, 0), (1, 0)], [(8, 3), (7, 0)], memory=memory)
    crowd.step()
    grid.paste(np.zeros((1, 2), bool), 4, 0)  # the routes have to be found anew
    crowd.step()
    grid.set_passable((8, 3), False)
    assert crowd.reachable.tolist() == [False, True]
    crowd.step()
    assert crowd.reachable.tolist() == [False, True]
    grid.set_passable((8, 3), True)
    while not crowd.arrived.all():
        crowd.step()
        assert crowd.steps < 50


def test_same_seed_same_steps():
    grid = wg.generate("caves", width=30, height=30, seed=1)
    free = largest(grid)
    ways = []
    for seed in (1, 1, 2):
        crowd = wg.Crowd(grid, free[:60], free[-60:][::-1], history=True, seed=seed)
        for _ in range(40):
            crowd.step()
        ways.append(crowd.history)
    assert (ways[0] == ways[1]).all()
    assert (ways[0] != ways[2]).any()


@pytest.mark.quick
def test_bad_crowds():
    grid = wg.Grid([[1, 1, 0, 1]])
    crowd = wg.Crowd(grid, [(0, 0)], [(1, 0)])
    for call, words in [
        (lambda: wg.Crowd(grid, [(0, 0), (0, 0)], [(1, 0), (1, 0)]), r"agents 0 and 1 would both stand in \(0, 0\)"),
        (lambda: crowd.add([(0, 0)], [(1, 0)]), r"agents 0 and 1 would both stand in \(0, 0\)"),
        (lambda: wg.Crowd(grid, [(2, 0)], [(0, 0)]), r"agent 0: start \(2, 0\) is in a wall"),
        (lambda: wg.Crowd(grid, [(0, 0)], [(9, 0)]), r"agent 0: goal \(9, 0\) is outside"),
        (lambda: wg.Crowd(grid, [(0, 0), (1, 0)], [(0, 0), (1, 0), (3, 0)]), "3 goals for 2 agents"),
        (lambda: wg.Crowd(wg.Grid(np.ones((4, 4)), clearance=2), [(0, 0)], [(1, 1)]), "clearance is 2"),
        (lambda: wg.Crowd(3, [], []), "needs a Grid, not int"),
        (lambda: wg.Crowd(grid, [], [], wg.make_finder("astar", grid.copy())), "finder for its own grid"),
        (lambda: wg.Crowd(grid, [], [], memory=-1), "memory is -1"),
        (lambda: wg.Crowd(grid, [], [], memory="1 GX"), "bytes from 1, as a number or a text"),
        (lambda: wg.Crowd(grid, [(0, 0)], [(1, 0)], priorities=[0.5]), "priorities are"),
        (lambda: wg.Crowd(grid, [(0, 0)], [(1, 0)], stationary=[3]), "stationary is"),
        (lambda: crowd.history, "history=False"),
        (lambda: crowd.remove([1]), "indices have 1"),
        (lambda: wg.first_collision(grid, [[0, 0]]), "positions is .*; allowed are integers of the shape"),
        (lambda: wg.first_collision(grid, [[(0.9, 0)]]), "allowed are integers"),
        (lambda: wg.first_collision(grid, [[(0, 0)], []]), "allowed are integers of the shape"),
    ]:
        with pytest.raises(wg.WaygridError, match=words):
            call()
    assert len(wg.Crowd(grid, [], [], memory="1 MB").step()) == 0


@pytest.mark.quick
@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([[(0, 0), (0, 0)]], r"step 0: agents 0 and 1 both stand in \(0, 0\)"),
        ([[(0, 0), (3, 0)]], r"step 0: agent 1 is in \(3, 0\), outside the map of 3 x 2 cells"),
        (np.array([[(1, 0)], [(255, 0)]], np.uint8), r"step 1: agent 0 is in \(255, 0\), outside"),
        (np.array([[(2, 0)], [(0, 0)]], np.uint8), "is not a move of this grid"),
        ([[(0, 0), (1, 0)], [(1, 0), (0, 0)]], "swap their cells"),
        ([[(0, 0), (1, 0)], [(1, 1), (0, 1)]], "cross on two diagonals"),
        ([[(1, 0), (0, 0)], [(0, 1), (1, 1)]], "cross on two diagonals"),
        ([[(0, 0)], [(2, 0)]], "not a move of this grid"),
        ([[(1, 1)], [(2, 0)]], "cuts a corner"),
        ([[(2, 0)], [(2, 1)]], "ends where nobody can stand"),
        ([[(2, 1)], [(2, 0)]], "leaves where nobody can stand"),
    ],
)
def test_the_validator_sees(steps, words):
    import re

    fault = wg.first_collision(wg.Grid(["...", "..#"]), steps)
    assert fault
    assert re.search(words, fault)
