"""theta and lazy-theta against the shortest path that bends at cell centres, found by brute force."""

import heapq
import math
from itertools import pairwise

import numpy as np
import pytest
import sight_oracle as oracle
from cases import cases, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.anyangle import theta_query, theta_sight
from waygrid.core import layout
from waygrid.core.sight import sees_square

NAMES = ("theta", "lazy-theta")
SQUARE = ("tile", "octile")


def shortest(case, start, lines):
    """Return the length of the shortest path from a cell to every other, over all legs between cells."""
    done, queue = {}, [(0.0, start)]
    while queue:
        length, here = heapq.heappop(queue)
        if here in done:
            continue
        done[here] = length
        for there in case.cells():
            if there in done:
                continue
            if (here, there) not in lines:
                lines[here, there] = oracle.is_legal(case, here, there)
            if lines[here, there]:
                heapq.heappush(queue, (length + math.dist(here, there), there))
    return done


@pytest.mark.quick
@settings(max_examples=60, deadline=None)
@given(cases(largest=6, topologies=SQUARE, weighted=False), st.integers(0, 99))
def test_paths_are_legal_and_not_shorter_than_the_shortest(case, seed):
    grid, lines = grid_of(case), {}
    for start, goal in pairs_of(case, 3, seed):
        truth, reach = shortest(case, start, lines), case.moves_away(start)
        for name in NAMES:
            path = wg.make_finder(name, grid).find(start, goal)
            assert (path.status == wg.Status.FOUND) == (goal in reach)
            if goal not in reach:
                continue
            assert path.is_valid(grid)
            bends = [tuple(cell) for cell in path.waypoints.tolist()]
            assert all(oracle.is_legal(case, a, b) for a, b in pairwise(bends))
            assert path.cost == pytest.approx(sum(math.dist(a, b) for a, b in pairwise(bends)))
            assert path.cost >= truth[goal] * (1 - 1e-12)


@pytest.mark.parametrize(
    "rules", [{}, {"corners": "one"}, {"corners": "always"}, {"topology": "tile"}, {"clearance": 2}]
)
def test_what_is_known_of_other_legs_changes_no_line_of_sight(rules):
    """Whichever of the cells that a parent sees were expanded with it, other cells see it or not as the map has it."""
    chance = np.random.default_rng(5)
    for share in (0.02, 0.1, 0.25):
        for _ in range(12):
            height, width = chance.integers(2, 24, 2).tolist()
            table = wg.Grid(chance.random((height, width)) >= share, **rules).table
            free = np.flatnonzero(table.walk)
            nodes = np.zeros(width * height, layout.TURN)
            search = np.uint32(7)
            mark = theta_sight.state_of_expanded(search)
            for parent in chance.choice(free, min(6, len(free)), replace=False).tolist():
                x, y = parent % width, parent // width
                seen = [
                    sees_square(table.moves, table.geo, x, y, cell % width, cell // width) for cell in free.tolist()
                ]
                known = np.asarray(seen) & (chance.random(len(free)) < chance.choice((0.2, 0.6, 1.0)))
                nodes["state"], nodes["parent"] = 0, parent
                nodes["state"][free[known]] = mark
                for cell, legal in zip(free.tolist(), seen, strict=True):
                    if cell != parent:
                        ends = x, y, cell % width, cell // width
                        assert theta_sight.sees_from(table.moves, table.geo, nodes, mark, parent, *ends) == legal


def test_rows_without_a_division():
    chance = np.random.default_rng(6)
    for bits in chance.integers(1, 31, 300).tolist():
        width = int(chance.integers(1, 2**bits + 1))
        height = int(chance.integers(1, (2**31 - 1) // width + 1))
        geo = np.zeros(layout.GEO_SIZE, np.int64)
        geo[layout.WIDTH], geo[layout.HEIGHT] = width, height
        inverse, shift = theta_query.invert_width(geo)
        for cell in (0, width - 1, width * height - 1, *chance.integers(0, width * height, 20).tolist()):
            assert cell * inverse < 2**63
            assert (cell * inverse) >> shift == cell // width


@pytest.mark.parametrize(("kind", "corners", "most"), [("rooms", "never", 1.01), ("rooms", "one", 1.005)])
def test_paths_are_close_to_the_shortest(kind, corners, most):
    grid = wg.generate(kind, width=16, height=16, seed=4, corners=corners)
    case_cells = [tuple(cell) for cell in np.argwhere(grid.table.walk.reshape(16, 16))[:, ::-1].tolist()]
    table = grid.table
    from waygrid.core.sight import sees

    legs = {
        here: [
            there for there in case_cells if there != here and sees(table.moves, table.walk, table.geo, *here, *there)
        ]
        for here in case_cells
    }
    above = {name: [] for name in NAMES}
    for start in case_cells[::17]:
        done, queue = {}, [(0.0, start)]
        while queue:
            length, here = heapq.heappop(queue)
            if here not in done:
                done[here] = length
                for there in legs[here]:
                    heapq.heappush(queue, (length + math.dist(here, there), there))
        goals = [cell for cell in done if cell != start][::5]
        for name in NAMES:
            costs = wg.make_finder(name, grid).find_many([start] * len(goals), goals).costs
            above[name] += [cost / done[goal] for cost, goal in zip(costs.tolist(), goals, strict=True)]
    assert all(np.mean(ratios) < most for ratios in above.values())


def test_limits_slices_threads_and_traces():
    grid = wg.generate("rooms", width=60, height=40, seed=2)
    cells = np.argwhere(grid.passable)[::67, ::-1]
    for name in NAMES:
        finder = wg.make_finder(name, grid)
        whole = finder.find_many(cells[:-1], cells[1:], threads=1)
        again = finder.find_many(cells[:-1], cells[1:], threads=3)
        assert (whole.costs == again.costs).all()
        assert (whole.points == again.points).all()
        assert (finder.find_many(cells[:-1], cells[1:], paths=False).costs == whole.costs).all()
        assert (whole.distances == whole.costs).all()
        far = int(np.argmax(np.where(np.isfinite(whole.costs), whole.costs, 0)))
        ends = tuple(cells[far].tolist()), tuple(cells[far + 1].tolist())
        cut = finder.find(*ends, max_expansions=50)
        assert cut.status == wg.Status.CUTOFF
        assert cut.is_valid(grid)
        search = finder.start(*ends)
        assert search.path().points.tolist() == [list(ends[0])]
        while not search.advance(30):
            assert search.path().is_valid(grid)
        assert search.path().points.tolist() == whole[far].points.tolist()
        trace = finder.trace(*ends)
        assert trace.path.points.tolist() == whole[far].points.tolist()
        assert len(trace.events) > trace.path.stats.expanded
        assert trace.path.stats.estimate == pytest.approx(math.dist(*ends), abs=1e-3)


def test_partial_paths_and_blocked_cells():
    grid = wg.Grid(["....#.", "....#.", "....#."])
    for name in NAMES:
        finder = wg.make_finder(name, grid)
        path = finder.find((0, 0), (5, 2), partial=True)
        assert (path.status, path.points[-1].tolist()) == (wg.Status.PARTIAL, [3, 2])
        assert path.is_valid(grid)
        assert path.length == pytest.approx(math.dist((0, 0), (3, 2)))
        around = finder.find((0, 1), (3, 1), blocked=[(2, 0), (2, 1)])
        assert not {(2, 0), (2, 1)} & set(around)
        batch = finder.find_many([(0, 0), (0, 1)], [(5, 2), (3, 1)], partial=True)
        assert batch.statuses.tolist() == [wg.Status.PARTIAL, wg.Status.FOUND]
        assert finder.find((1, 1), (1, 1)).cost == 0
        leaving = finder.find((1, 1), (3, 0), blocked=[(1, 1)])
        assert leaving.status == wg.Status.FOUND


def test_what_is_refused():
    with pytest.raises(wg.WaygridError, match="theta does not support topology 'hex'"):
        wg.make_finder("theta", wg.Grid([[1]], topology="hex"))
    with pytest.raises(wg.WaygridError, match="lazy-theta does not support terrain weights"):
        wg.make_finder("lazy-theta", wg.Grid([[1, 1]], weights=[[1, 2]]))


def test_a_position_for_every_moment():
    path = wg.make_finder("lazy-theta", wg.Grid(np.ones((5, 13)))).find((0, 0), (12, 4))
    assert path.along(path.length).tolist() == [12, 4]
    curve = path.curve()
    assert curve.points.tolist() == path.points.tolist()
    assert curve.along(curve.length / 2).tolist() == pytest.approx([6, 2])
