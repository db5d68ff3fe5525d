"""Random small maps under all rules, as hypothesis strategies, and the grids of the package for them."""

import numpy as np
import pytest
from hypothesis import strategies as st
from oracle import Case

import waygrid as wg

TOPOLOGIES = ("tile", "octile", "hex", "tex")
CORNERS = ("never", "one", "always")
METRICS = ("octile", "dba", "bg", "unit", (2, 3), (7, 14))


@st.composite
def cases(draw, largest=10, topologies=TOPOLOGIES, one_way=True, weighted=True, rules=("enter",)):
    """Draw the rules one by one and the map from a seed: hypothesis shrinks sizes and rules, not every cell."""
    width, height = draw(st.integers(1, largest)), draw(st.integers(1, largest))
    chance = np.random.Generator(np.random.PCG64(draw(st.integers(0, 2**32 - 1))))
    passable = chance.random((height, width)) >= draw(st.sampled_from((0.0, 0.1, 0.25, 0.4)))
    if not passable.any():
        passable[0, 0] = True
    topology = draw(st.sampled_from(topologies))
    weights = None
    if weighted:
        most = draw(st.sampled_from((0, 0, 3, 9, 65535)))
        weights = chance.integers(1, most, (height, width), endpoint=True) if most else None
    clearance = draw(st.sampled_from((1, 1, 1, 2))) if topology in ("tile", "octile") else 1
    case = Case(passable, topology, draw(st.sampled_from(CORNERS)), draw(st.sampled_from(METRICS)), weights, clearance)
    case.rule = draw(st.sampled_from(rules)) if weights is not None else "enter"
    if one_way and draw(st.booleans()) and draw(st.booleans()):
        names = list(case.steps(0))
        for x, y in case.cells():
            if chance.random() < 0.2:
                case.one_way[x, y] = {name for name in names if chance.random() < 0.5}
    return case


def grid_of(case):
    grid = wg.Grid(
        case.passable,
        topology=case.topology,
        corners=case.corners,
        metric=case.metric,
        weights=case.weights,
        clearance=case.clearance,
        rule=case.rule,
    )
    for cell, names in case.one_way.items():
        grid.set_one_way(cell, allowed=names)
    return grid


def grid_with_a_block(seed, corners):
    """Return a grid with a single block in the middle: many ties."""
    rng = np.random.default_rng(seed)
    passable = np.ones((13, 13), bool)
    half = int(rng.integers(0, 5))
    passable[6 - half : 7 + half, int(rng.integers(4, 6)) : int(rng.integers(7, 9))] = False
    return wg.Grid(passable, corners=corners)


def pairs_of(case, count, seed=0):
    """Return some pairs of cells where the agent can stand, unreachable ones and equal ones among them."""
    cells = case.cells()
    if not cells:
        return []
    chance = np.random.Generator(np.random.PCG64(seed))
    picks = chance.integers(0, len(cells), (count, 2))
    return [(cells[a], cells[b]) for a, b in picks]


def check(case, finder, sources=2, goals=12, seed=0):
    """Compare costs with the oracle's and walk every path by the oracle's rules."""
    picked = pairs_of(case, sources + goals, seed)
    assert picked or not case.cells(), "a map with room has pairs to ask for"
    for start, _ in picked[:sources]:
        truth = case.dijkstra(start)
        ends = [goal for _, goal in picked[sources:]]
        batch = finder.find_many([start] * len(ends), ends, threads=1)
        for goal, path in zip(ends, batch, strict=True):
            if goal not in truth:
                assert path.status == wg.Status.UNREACHABLE
                assert path.cost == float("inf")
                assert len(path.cells) == 0
                continue
            assert path.status == wg.Status.FOUND
            assert tuple(path.cells[0]) == start
            assert tuple(path.cells[-1]) == goal
            assert path.cost == pytest.approx(case.path_cost(path.cells), rel=1e-12)
            assert path.cost == pytest.approx(truth[goal], rel=1e-7), (start, goal)
