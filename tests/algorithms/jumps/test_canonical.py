"""The canonical flood against an obvious walk over canonical states."""

from collections import defaultdict
from heapq import heappop, heappush

import numpy as np
import pytest
from cases import cases, grid_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.jumps.canonical import flood, largest_distance
from waygrid.algorithms.jumps.floods import CanonicalFlood
from waygrid.algorithms.jumps.jump_points import worthwhile
from waygrid.core.layout import COST, STEP


def walk(grid, source):
    """Return distances and first moves of canonical cheapest paths, by Dijkstra over (cell, direction entered)."""
    moves, geo = grid.table.moves, grid.table.geo
    best, firsts, queue = {}, defaultdict(int), []
    for d in range(8):
        if moves[source] >> d & 1:
            heappush(queue, (int(geo[COST + d]), int(source + geo[STEP + d]), d, 1 << d))
    seen, dist = {}, {source: 0}
    while queue:
        g, cell, d, first = heappop(queue)
        dist.setdefault(cell, g)
        if g > dist[cell] or seen.get((cell, d), (g, 0))[0] < g:
            continue
        known = seen.get((cell, d), (g, 0))[1]
        if known | first == known:
            continue
        seen[cell, d] = (g, known | first)
        best[cell, d] = g
        firsts[cell] |= first
        wanted = worthwhile(moves, geo, cell, d)
        for e in range(8):
            if wanted >> e & 1:
                heappush(queue, (g + int(geo[COST + e]), int(cell + geo[STEP + e]), e, first))
    return dist, firsts


@pytest.mark.quick
@settings(max_examples=400)
@given(cases(largest=10, topologies=("octile",), one_way=False, weighted=False), st.integers(0, 99))
def test_distances_and_first_moves(case, seed):
    assume(case.corners != "one")
    grid = grid_of(case)
    cells = case.cells()
    assume(cells)
    floods = CanonicalFlood(grid)
    water = floods.water()
    for x, y in (cells[seed % len(cells)], cells[-1]):
        source = y * grid.width + x
        flood(floods.ground, water, np.array([source]))
        dist, firsts = walk(grid, source)
        found = {cell: int(g) for cell, g in enumerate(water.dist) if g != largest_distance(water.dist)}
        assert found == dist
        assert {cell: int(bits) for cell, bits in enumerate(water.first) if bits} == dict(firsts)


@settings(max_examples=100)
@given(cases(largest=10, topologies=("octile",), one_way=False, weighted=False), st.integers(0, 99))
def test_distance_maps_are_the_same_at_the_second_call(case, seed):
    """From then on the canonical flood makes them."""
    assume(case.corners != "one")
    grid = grid_of(case)
    cells = case.cells()
    assume(cells)
    sources = [cells[seed % len(cells)], cells[(7 * seed) % len(cells)]]
    first, second = wg.distances(grid, sources), wg.distances(grid, sources)
    assert (first == second).all()
    assert (first.flow == second.flow).all()
    truth = [case.dijkstra(source) for source in sources]
    for x, y in cells:
        wanted = min(known.get((x, y), np.inf) for known in truth)
        assert second[y, x] == wanted or abs(second[y, x] - wanted) < 1e-6


def test_distances_notice_an_edit():
    grid = wg.Grid(np.ones((3, 5), bool))
    for _ in range(3):
        assert wg.distances(grid, (0, 1))[1, 4] == 4
    grid.set_passable((2, slice(0, 2)), False)
    for _ in range(3):
        assert wg.distances(grid, (0, 1))[1, 4] > 4
