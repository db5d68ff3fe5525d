"""Hill climbing against the rule written out again, and what compression keeps of a path."""

from itertools import pairwise

import numpy as np
import pytest
from cases import cases, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.regions.climb import climb, compress, list_climb

SQUARE = ("tile", "octile")
ENDLESS = 2**62


def price(case, a, b):
    return case.diagonal if a[0] != b[0] and a[1] != b[1] else 1.0


def distance(case, a, b):
    dx, dy = abs(a[0] - b[0]), abs(a[1] - b[1])
    return dx + dy if case.topology == "tile" else max(dx, dy) + (case.diagonal - 1) * min(dx, dy)


def climb_slowly(case, start, goal):
    """The least price + h, then the dearest, then the order of directions; None where h does not fall."""
    way = [start]
    while way[-1] != goal:
        here, best = way[-1], None
        for number, (x, y, _) in enumerate(case.neighbours(*here)):
            cost = price(case, here, (x, y))
            key = (round(cost + distance(case, (x, y), goal), 9), -cost, number)
            if best is None or key < best[0]:
                best = key, (x, y)
        if best is None or distance(case, best[1], goal) >= distance(case, here, goal) - 1e-9:
            return None
        way.append(best[1])
    return way


@settings(max_examples=500)
@given(cases(topologies=SQUARE, weighted=False, one_way=False, largest=12), st.integers(0, 99))
def test_climbs_follow_the_rule(case, seed):
    grid = grid_of(case)
    table, room = grid.table, np.zeros(grid.width * grid.height, np.int64)
    for start, goal in pairs_of(case, 12, seed):
        way = climb_slowly(case, start, goal)
        one, other = (y * grid.width + x for x, y in (start, goal))
        cost = climb(table.moves, table.geo, one, other, ENDLESS)
        length = list_climb(table.moves, table.geo, one, other, room, 0)
        if way is None:
            assert cost == length == -1
            continue
        assert [(int(cell % grid.width), int(cell // grid.width)) for cell in room[:length]] == way[1:]
        assert cost / grid.cardinal_price == pytest.approx(case.path_cost(way), rel=1e-7)
        assert climb(table.moves, table.geo, one, other, len(way) - 1) == cost
        if len(way) > 1:
            assert climb(table.moves, table.geo, one, other, len(way) - 2) == -1
            assert list_climb(table.moves, table.geo, one, other, room[: len(way) - 2], 0) == -1


@settings(max_examples=300)
@given(cases(topologies=SQUARE, weighted=False, one_way=False, largest=14), st.integers(0, 99))
def test_what_compression_keeps_can_be_climbed(case, seed):
    grid = grid_of(case)
    finder = wg.make_finder("astar", grid)
    for start, goal in pairs_of(case, 6, seed):
        path = finder.find(start, goal)
        if path.status != wg.Status.FOUND:
            continue
        numbers = path.cells[:, 1].astype(np.int64) * grid.width + path.cells[:, 0]
        subgoals = np.zeros(len(numbers), np.int64)
        count = compress(grid.table.moves, grid.table.geo, numbers, ENDLESS, subgoals)
        kept = [int(numbers[0]), *subgoals[:count].tolist(), int(numbers[-1])]
        assert set(kept) <= set(numbers.tolist())
        for one, other in pairwise(kept):
            cells = ((cell % grid.width, cell // grid.width) for cell in (one, other))
            assert climb_slowly(case, *cells) is not None
