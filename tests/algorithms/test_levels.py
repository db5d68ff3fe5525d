"""Several levels with portals, against a search over all cells of all levels that shares nothing with them."""

import heapq
import math

import numpy as np
import pytest
from cases import grid_of
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Case

import waygrid as wg

pytestmark = pytest.mark.quick


def cost_by_hand(cases, portals, start, goal):
    """Dijkstra's search over the cells of all levels; portals: (start, end, cost), in one direction each."""
    done, queue = {}, [(0.0, start)]
    while queue:
        cost, cell = heapq.heappop(queue)
        if cell in done:
            continue
        done[cell] = cost
        level, *place = cell
        found = [(price, (level, x, y)) for x, y, price in cases[level].neighbours(*place)]
        found += [(price, there) for here, there, price in portals if here == cell]
        for price, there in found:
            if there not in done:
                heapq.heappush(queue, (cost + price, there))
    return done.get(goal, math.inf)


def check(path, grids, portals, start, goal):
    """Check a path by its rules: moves of its grids, and portals of the list."""
    cells = [tuple(cell) for cell in path.cells.tolist()]
    assert (cells[0], cells[-1]) == (start, goal)
    cost = 0.0
    ends = []
    for level, leg in path.legs:
        assert leg.is_valid(grids[level])
        cost += leg.cost
        ends.append([(level, *leg[0]), (level, *leg[-1])])
    assert len(path.portals) == len(path.legs) - 1
    for one, (_, here), (there, _) in zip(path.portals, ends, ends[1:], strict=False):
        assert (one.start, one.end) == (here, there)
        assert tuple(one) in portals
        cost += one.cost
    assert path.cost == pytest.approx(cost)
    assert len(path) == len(cells)


@st.composite
def worlds(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    cases = []
    for _ in range(draw(st.integers(1, 3))):
        shape = draw(st.tuples(st.integers(2, 6), st.integers(2, 6)))
        passable = rng.random(shape) > draw(st.sampled_from([0.1, 0.4]))
        passable.flat[0] = True
        weights = rng.integers(1, 5, shape) if draw(st.booleans()) else None
        topology = draw(st.sampled_from(["tile", "octile", "hex"]))
        cases.append(Case(passable, topology=topology, weights=weights))
    cells = [(level, x, y) for level, case in enumerate(cases) for x, y in case.cells()]
    portals = [
        (*(cells[rng.integers(len(cells))] for _ in range(2)), float(rng.choice([0, 0.5, 1, 3, 20])))
        for _ in range(draw(st.integers(0, 6)))
    ]
    pairs = [tuple(cells[rng.integers(len(cells))] for _ in range(2)) for _ in range(4)]
    return cases, portals, pairs


@settings(max_examples=60, deadline=None)
@given(worlds(), st.booleans())
def test_paths_are_the_cheapest_of_the_whole_world(world, directed):
    cases, portals, pairs = world
    grids = [grid_of(case) for case in cases]
    levels = wg.Levels(grids, portals, directed=directed)
    both = portals if directed else portals + [(there, here, cost) for here, there, cost in portals]
    for start, goal in pairs:
        path, wanted = levels.find(start, goal), cost_by_hand(cases, both, start, goal)
        assert path.cost == pytest.approx(wanted)
        assert path.status == (wg.Status.FOUND if math.isfinite(wanted) else wg.Status.UNREACHABLE)
        if path.legs:
            check(path, grids, both, start, goal)
        else:
            assert path.cells.shape == (0, 3)


@pytest.mark.parametrize("algorithm", ["dijkstra", "jps", "turntable", "cpd", "astar-gb"])
def test_other_algorithms(algorithm):
    rng = np.random.default_rng(6)
    cases = [Case(rng.random((9, 12)) > 0.2) for _ in range(3)]
    grids = [grid_of(case) for case in cases]
    cells = [(level, x, y) for level, case in enumerate(cases) for x, y in case.cells()]
    picked = [cells[i] for i in rng.integers(0, len(cells), 30)]
    portals = [(picked[i], picked[i + 1], 1.5) for i in range(0, 16, 2)]
    levels = wg.Levels(grids, portals, algorithm=algorithm)
    both = portals + [(there, here, cost) for here, there, cost in portals]
    for start, goal in zip(picked[16:23], picked[23:], strict=True):
        assert levels.find(start, goal).cost == pytest.approx(cost_by_hand(cases, both, start, goal))


def test_edits_count_and_a_wall_on_a_portal_closes_it():
    grids = [wg.Grid([".....", "....."]), wg.Grid([".....", "....."])]
    levels = wg.Levels(grids, [((0, 0, 0), (1, 0, 0), 1), ((0, 4, 0), (1, 4, 0), 1)])
    assert levels.find((0, 1, 0), (1, 1, 0)).cost == 3
    grids[1].set_passable((0, 0), False)
    assert levels.find((0, 1, 0), (1, 1, 0)).cost == 7
    grids[0].set_passable((slice(2, 3), slice(0, 2)), False)
    assert levels.find((0, 1, 0), (1, 1, 0)).status == wg.Status.UNREACHABLE
    grids[1].set_passable((0, 0), True)
    assert levels.find((0, 1, 0), (1, 1, 0)).cost == 3
    grids[1].set_weight((0, 0), 9)
    assert levels.find((1, 1, 0), (0, 1, 0)).cost == 11


def test_start_and_goal_in_one_cell_and_no_portals():
    levels = wg.Levels([wg.Grid([".."]), wg.Grid(["."])])
    assert levels.find((0, 1, 0), (0, 1, 0)).cells.tolist() == [[0, 1, 0]]
    assert levels.find((0, 1, 0), (1, 0, 0)).cost == math.inf
    assert repr(levels.find((0, 1, 0), (0, 0, 0))) == "LevelPath(FOUND, 2 cells, 0 portals, cost 1.0000)"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([],), "grids is []; allowed is a list of wg.Grid"),
        (([1],), "grids is [1]"),
        ((wg.Grid(["."]),), "allowed is a list of wg.Grid"),
        (([wg.Grid([".#"])], [((0, 0, 0), (1, 0, 0), 1)]), "portal 0, end (1, 0, 0) is on level 1; allowed are 0 to 0"),
        (([wg.Grid([".#"])], [((0, 0, 0), (0, 1, 0), 1)]), "level 0: portal 0, end (1, 0) is in a wall"),
        (([wg.Grid([".#"])], [((0, 0, 0), (0, 0, 0), -1)]), "portal 0: cost is -1; allowed are finite numbers from 0"),
        (([wg.Grid([".#"])], [((0, 0, 0), (0, 0, 0))]), "allowed is (start, end, cost)"),
        (([wg.Grid([".#"])], [((0, 0), (0, 0, 0), 1)]), "portal 0, start is (0, 0); allowed is a cell (level, x, y)"),
    ],
)
def test_what_is_refused(arguments, words):
    with pytest.raises(wg.WaygridError) as error:
        wg.Levels(*arguments)
    assert words in str(error.value)


def test_cells_of_queries():
    levels = wg.Levels([wg.Grid([".#"])])
    for cell, words in (((0, 1, 0), "is in a wall"), ((0, 5, 0), "outside the map"), ((2, 0, 0), "is on level 2")):
        with pytest.raises(wg.WaygridError, match=words):
            levels.find((0, 0, 0), cell)
    with pytest.raises(wg.WaygridError, match="do not plan ahead"):
        wg.Levels([wg.Grid(["."])], algorithm="lrta")
