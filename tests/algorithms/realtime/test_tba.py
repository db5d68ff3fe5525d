"""TBA*: a plain version beside it, arrival, optimal ways with much work per move, no cell expanded twice."""

import heapq
import itertools

import numpy as np
import pytest
from cases import cases, check, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.core import layout


def plain_walk(case, grid, start, goal, work, split):
    """Section 20 of the algorithm, line by line, with dictionaries and floats replaced by the metric's integers."""
    straight, diagonal = grid.cardinal_price, int(grid.table.geo[layout.DIAGONAL])
    cells, traces = max(1, int(work * round(1000 * split) // 1000)), 0
    traces = max(1, (work - cells) * 10)

    def estimate(cell):
        dx, dy = abs(cell[0] - goal[0]), abs(cell[1] - goal[1])
        return straight * max(dx, dy) + (diagonal - straight) * min(dx, dy)

    def best(open_list):
        while True:
            _, number, cell = open_list[0]
            if cell not in closed and entry[cell] == number:
                return cell
            heapq.heappop(open_list)

    order, parent, g = itertools.count(), {start: None}, {start: 0}
    closed, number = set(), -next(order)
    entry, queue = {start: number}, [(estimate(start), number, start)]
    here, found, final, trace, follow, walk = start, False, False, [], [], [start]
    while here != goal:
        for _ in range(cells):
            if found:
                break
            cell = best(queue)
            heapq.heappop(queue)
            closed.add(cell)
            found = cell == goal
            if found:
                break
            for x, y, _ in case.neighbours(*cell):
                cost = g[cell] + (diagonal if x != cell[0] and y != cell[1] else straight)
                if (x, y) not in closed and cost < g.get((x, y), 2**60):
                    g[x, y], parent[x, y], entry[x, y] = cost, cell, -next(order)
                    heapq.heappush(queue, (cost + estimate((x, y)), entry[x, y], (x, y)))
        if not final:
            trace = trace or [goal if found else best(queue)]
            for _ in range(traces):
                if trace[-1] in (here, start):
                    break
                trace.append(parent[trace[-1]])
            if trace[-1] in (here, start):
                follow, final, trace = trace[::-1], found and trace[0] == goal, []
        if here in follow[:-1]:
            here = follow[follow.index(here) + 1]
        elif here != start:
            here = parent[here]
        if here != walk[-1]:
            walk.append(here)
    return walk


@pytest.mark.quick
@settings(max_examples=150)
@given(
    cases(topologies=("octile",), one_way=False, weighted=False),
    st.sampled_from((1, 2, 5, 10, 30)),
    st.sampled_from((0.2, 0.5, 0.9, 1.0)),
    st.integers(0, 99),
)
def test_the_walk_is_that_of_the_plain_version(case, work, split, seed):
    grid = grid_of(case)
    finder = wg.make_finder("tba", grid, expansions=work, split=split)
    for start, goal in pairs_of(case, 3, seed):
        path = finder.find(start, goal)
        if goal in case.dijkstra(start):
            assert [tuple(cell) for cell in path.cells.tolist()] == plain_walk(case, grid, start, goal, work, split)
        else:
            assert path.status == wg.Status.UNREACHABLE


@settings(max_examples=150)
@given(cases(one_way=False), st.integers(0, 99))
def test_with_much_work_per_move_the_way_is_the_cheapest(case, seed):
    check(case, wg.make_finder("tba", grid_of(case), expansions=10**6), seed=seed)


@settings(max_examples=150)
@given(cases(one_way=False), st.sampled_from((1, 3, 10)), st.integers(0, 99))
def test_it_arrives_and_expands_no_cell_twice(case, work, seed):
    finder = wg.make_finder("tba", grid_of(case), expansions=work)
    for start, goal in pairs_of(case, 3, seed):
        trace = finder.trace(start, goal)
        if goal not in case.dijkstra(start):
            assert trace.path.status == wg.Status.UNREACHABLE
            continue
        assert trace.path.status == wg.Status.FOUND
        assert trace.path.cost == pytest.approx(case.path_cost(trace.path.cells))
        expanded = trace.events["node"][trace.events["kind"] == layout.E_EXPANDING]
        assert len(np.unique(expanded)) == len(expanded) == trace.path.stats.expanded
        moves = trace.events["node"][trace.events["kind"] == layout.E_MOVE]
        width = case.passable.shape[1]
        assert [[int(n % width), int(n // width)] for n in moves] == trace.path.cells[1:].tolist()


def test_more_work_per_move_makes_shorter_ways():
    grid = wg.generate("caves", width=60, height=40, seed=3)
    ys, xs = np.nonzero(grid.passable)
    start, goal = (int(xs[0]), int(ys[0])), (int(xs[-1]), int(ys[-1]))
    costs = [wg.make_finder("tba", grid, expansions=work).find(start, goal).cost for work in (1, 10, 100, 10**6)]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == wg.make_finder("astar", grid).find(start, goal).cost


def test_a_way_that_blocked_cells_close_is_unreachable():
    finder = wg.make_finder("tba", wg.Grid(np.ones((6, 6), bool)))
    assert finder.find((0, 0), (5, 5), blocked=[(x, 3) for x in range(6)]).status == wg.Status.UNREACHABLE
    assert finder.find((0, 0), (5, 5), blocked=[(1, 1), (2, 2)]).status == wg.Status.FOUND


def test_partial_limits_and_slices():
    finder = wg.make_finder("tba", wg.Grid([[1, 1, 1, 0, 1]]))
    path = finder.find((0, 0), (4, 0), partial=True)
    assert (path.status, path.cells.tolist()) == (wg.Status.PARTIAL, [[0, 0], [1, 0], [2, 0]])
    grid = wg.generate("rooms", width=40, height=30, seed=3)
    finder = wg.make_finder("tba", grid, expansions=7)
    whole = finder.find((1, 1), (38, 28))
    cut = finder.find((1, 1), (38, 28), max_expansions=20)
    assert (cut.status, cut.stats.expanded) == (wg.Status.CUTOFF, 20)
    assert cut.cells.tolist() == whole.cells[: len(cut)].tolist()
    search = finder.start((1, 1), (38, 28))
    while not search.advance(2):
        pass
    assert search.path().cells.tolist() == whole.cells.tolist()
    assert wg.make_finder("tba", grid, max_moves=3).find((1, 1), (38, 28)).status == wg.Status.CUTOFF


def test_the_memory_of_agents_grows_and_comes_back():
    grid = wg.Grid(np.ones((60, 60), bool))
    grid.set_passable((30, slice(0, 59)), False)
    pool = wg.make_finder("tba", grid).agents([(0, y) for y in range(40)], [(59, 0)] * 40)
    while not pool.done.all():
        pool.step()
        alive = ~pool.done
        assert (pool.bytes[alive] <= 48 * 8192 + 1000).all()
    assert (pool.bytes < 1000).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"expansions": 0}, "expansions is 0; allowed are the integers from 1"),
        ({"split": 0}, "split is 0; allowed are numbers above 0, up to 1"),
        ({"split": 1.5}, "split is 1.5"),
        ({"max_moves": "many"}, "max_moves is 'many'; allowed are the integers from 1"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(wg.WaygridError, match=message):
        wg.make_finder("tba", wg.Grid([[1, 1]]), **options)
