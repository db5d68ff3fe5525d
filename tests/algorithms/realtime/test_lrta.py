"""LRTA*: Korf's rule against a plain version, admissible learning, lookahead, arrival."""

import math

import numpy as np
import pytest
from cases import cases, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.core import layout

FAR = 10_000_000  # moves


def small_cases(**more):
    """Maps without one-way tiles; the heaviest weights make LRTA* walk for millions of moves and are left out."""
    return cases(one_way=False, **more).filter(lambda case: case.weights is None or case.weights.max() <= 9)


def plain_walk(case, grid, start, goal):
    """LRTA* with one cell of lookahead, in the metric's integers."""
    straight, price = grid.cardinal_price, {}
    empty = type(case)(np.ones_like(case.passable), case.topology, case.corners, case.metric)
    least = 1 if case.weights is None else min(int(case.weights[y, x]) for x, y in case.cells())
    away = empty.dijkstra(goal)
    diagonal = int(grid.table.geo[layout.DIAGONAL])

    def whole(cells):  # the oracle's prices are floats: straights and diagonals are told apart by counting moves
        return round(cells * straight)

    def estimate(cell):
        dx, dy = abs(cell[0] - goal[0]), abs(cell[1] - goal[1])
        if case.topology == "octile":
            return least * (straight * max(dx, dy) + (diagonal - straight) * min(dx, dy))
        return least * whole(away[cell])

    walk, here = [start], start
    names = list(case.steps(0))
    while here != goal:
        options = []
        for x, y, _ in case.neighbours(*here):
            by = next(k for k, name in enumerate(names) if case.steps(here[0])[name] == (x - here[0], y - here[1]))
            across = case.topology == "octile" and x != here[0] and y != here[1]
            cost = (diagonal if across else straight) * (1 if case.weights is None else int(case.weights[y, x]))
            options.append((cost + price.get((x, y), estimate((x, y))), -cost, by, (x, y)))
        best = min(options)
        price[here] = max(price.get(here, estimate(here)), best[0])
        here = best[3]
        walk.append(here)
    return walk


@pytest.mark.quick
@settings(max_examples=200)
@given(small_cases(largest=8), st.integers(0, 99))
def test_the_walk_is_that_of_korfs_rule(case, seed):
    grid = grid_of(case)
    finder = wg.make_finder("lrta", grid, max_moves=FAR)
    for start, goal in pairs_of(case, 3, seed):
        path = finder.find(start, goal)
        if goal not in case.dijkstra(start):
            assert path.status == wg.Status.UNREACHABLE
            continue
        assert path.status == wg.Status.FOUND
        assert [tuple(cell) for cell in path.cells.tolist()] == plain_walk(case, grid, start, goal)
        assert path.cost == pytest.approx(case.path_cost(path.cells))
        assert path.stats.expanded == len(path) - 1


@settings(max_examples=200)
@given(small_cases(), st.integers(2, 5), st.integers(1, 40), st.integers(0, 99))
def test_agents_with_lookahead_arrive_and_hold_to_their_bound(case, lookahead, expansions, seed):
    grid = grid_of(case)
    finder = wg.make_finder("lrta", grid, lookahead=lookahead, max_moves=FAR)
    for start, goal in pairs_of(case, 2, seed):
        pool = finder.agents([start], [goal], expansions, history=True)
        while not pool.done.all():
            pool.step()
        reachable = goal in case.dijkstra(start)
        assert pool.statuses[0] == (wg.Status.FOUND if reachable else wg.Status.UNREACHABLE)
        assert pool.max_expanded[0] <= min(expansions, (2 * lookahead - 1) ** 2)
        if reachable:
            way = pool.paths()[0]
            assert tuple(way[-1]) == goal
            assert case.path_cost(way) == pytest.approx(pool.costs[0])
            path = finder.find(start, goal)
            assert (path.status, tuple(path.cells[-1])) == (wg.Status.FOUND, goal)
            case.path_cost(path.cells)


@settings(max_examples=150)
@given(small_cases(largest=8), st.integers(1, 4), st.integers(1, 30), st.integers(0, 99))
def test_learned_values_never_exceed_the_true_distance(case, lookahead, expansions, seed):
    grid = grid_of(case)
    finder = wg.make_finder("lrta", grid, lookahead=lookahead, max_moves=FAR)
    for start, goal in pairs_of(case, 1, seed):
        truth = wg.distances(grid, goal, reverse=True)
        pool = finder.agents([start], [goal], expansions)
        before = {}
        for _ in range(2000):
            pool.step()
            if pool.done[0]:
                break
            learned = {int(one["cell"]): int(one["h"]) for one in pool.records(0)}
            assert learned.keys() >= before.keys()
            for cell, h in learned.items():
                exact = truth[cell // grid.width, cell % grid.width] * grid.cardinal_price
                assert h <= exact * (1 + 1e-6) + 1e-6  # the octile price is a fraction near sqrt 2
                assert h >= before.get(cell, 0)
            before = learned


def test_deeper_lookahead_makes_shorter_ways():
    grid = wg.generate("caves", width=60, height=40, seed=3)
    ys, xs = np.nonzero(grid.passable)
    start, goal = (int(xs[0]), int(ys[0])), (int(xs[-1]), int(ys[-1]))
    costs = [wg.make_finder("lrta", grid, lookahead=depth).find(start, goal).cost for depth in (1, 3, 6)]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0] / 2


def test_a_way_that_blocked_cells_close_ends():
    grid = wg.Grid(np.ones((6, 6), bool))
    finder = wg.make_finder("lrta", grid)
    path = finder.find((0, 0), (5, 5), blocked=[(x, 3) for x in range(6)], max_expansions=10**7)
    assert path.status in (wg.Status.UNREACHABLE, wg.Status.CUTOFF)
    assert finder.find((0, 0), (5, 5), blocked=[(0, 1), (1, 0), (1, 1)]).status == wg.Status.UNREACHABLE
    patient = wg.make_finder("lrta", grid, max_moves=10**6)
    assert patient.find((0, 0), (5, 5), blocked=[(x, 3) for x in range(6)]).status == wg.Status.UNREACHABLE
    assert finder.find((0, 0), (5, 5), blocked=[(1, 1), (2, 2)]).status == wg.Status.FOUND


def test_wide_values_on_heavy_ground():
    """A corridor whose cost needs more than 32 bits."""
    passable = np.zeros((41, 41), bool)
    passable[::2] = True
    passable[1::4, -1] = passable[3::4, 0] = True
    grid = wg.Grid(passable, weights=np.full(passable.shape, 65535))
    finder = wg.make_finder("lrta", grid, max_moves=FAR)
    path = finder.find((0, 0), (40, 40))
    assert path.status == wg.Status.FOUND
    assert finder._wide
    assert path.cost == 65535.0 * (len(path) - 1)


def test_partial_and_limits():
    grid = wg.Grid([[1, 1, 1, 0, 1]])
    finder = wg.make_finder("lrta", grid)
    path = finder.find((0, 0), (4, 0), partial=True)
    assert (path.status, path.cells.tolist()) == (wg.Status.PARTIAL, [[0, 0], [1, 0], [2, 0]])
    wide = wg.make_finder("lrta", wg.Grid(np.ones((9, 9), bool)), lookahead=3)
    assert wide.find((0, 0), (8, 8), max_expansions=10).stats.expanded == 10
    path = wg.make_finder("lrta", wg.Grid(np.ones((9, 9), bool)), max_moves=3).find((0, 0), (8, 8))
    assert (path.status, len(path)) == (wg.Status.CUTOFF, 4)
    search = wide.start((0, 0), (8, 8))
    while not search.advance(2):
        pass
    assert search.path().cells.tolist() == wide.find((0, 0), (8, 8)).cells.tolist()


def test_traces_show_what_is_learned():
    grid = wg.generate("rooms", width=30, height=20, seed=2)
    for lookahead in (1, 3):
        finder = wg.make_finder("lrta", grid, lookahead=lookahead)
        trace = finder.trace((1, 1), (28, 18))
        kinds = trace.events["kind"]
        moves = trace.events[kinds == layout.E_MOVE]
        assert [[int(n % 30), int(n // 30)] for n in moves["node"]] == trace.path.cells[1:].tolist()
        assert (kinds == layout.E_EXPANDING).sum() == trace.path.stats.expanded
        assert (kinds == layout.E_UPDATING).any()
        assert trace.events["g"][-1] == pytest.approx(trace.path.cost * grid.cardinal_price, rel=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lookahead": 0}, "lookahead is 0; allowed are the integers from 1 to 16"),
        ({"lookahead": True}, "lookahead is True; allowed are the integers from 1 to 16"),
        ({"max_moves": 0}, "max_moves is 0; allowed are the integers from 1"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(wg.WaygridError, match=message):
        wg.make_finder("lrta", wg.Grid([[1, 1]]), **options)


@pytest.mark.parametrize("most", [2**63, 10**30, np.int64(9)])
def test_any_number_of_moves_may_be_allowed(most):
    finder = wg.make_finder("lrta", wg.Grid([[1, 1, 1]]), max_moves=most)
    assert finder.find((0, 0), (2, 0)).status == wg.Status.FOUND
    agent = finder.agent((0, 0), (2, 0))
    assert (agent.step(), agent.step(), agent.done) == ((1, 0), (2, 0), True)


def test_one_way_tiles_are_refused():
    grid = wg.Grid(np.ones((3, 3), bool))
    grid.set_one_way((1, 1), ["E"])
    with pytest.raises(wg.WaygridError, match="lrta does not support one-way tiles"):
        wg.make_finder("lrta", grid)
    assert math.isinf(wg.make_finder("lrta", wg.Grid([[1, 0, 1]])).find((0, 0), (2, 0)).cost)


def test_agents_that_take_weights_are_named():
    with pytest.raises(wg.WaygridError, match="dlrta does not support terrain weights; take one of lrta, tba, dstar-l"):
        wg.make_finder("dlrta", wg.Grid([[1, 1]], weights=[[1, 2]]))
