"""Two formulas of Yap's paper put to the test: the Vancouver distance and the pruning of octile moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from waygrid.algorithms.classic.distances import distances
from waygrid.algorithms.make import make_finder
from waygrid.core.heuristics import vancouver
from waygrid.grid.generate import generate_passable
from waygrid.grid.grid import Grid
from waygrid.grid.topology import TOPOLOGIES
from waygrid.search.path import Status


class VancouverCheck(NamedTuple):
    """How often a form of the formula is wrong on all pairs of a square hex grid."""

    pairs: int
    wrong: int
    too_large: int  # then the estimate would not be admissible
    falls: int  # moves along which the estimate falls by more than the move costs: inconsistent


def check_vancouver(printed: bool, side: int = 13) -> VancouverCheck:
    """Compare a form of the Vancouver distance with a flood from every cell."""
    grid = Grid(np.ones((side, side), np.bool_), topology="hex", metric="unit")
    shape = TOPOLOGIES["hex"]
    pairs = wrong = too_large = falls = 0
    for goal_y in range(side):
        for goal_x in range(side):
            true = distances(grid, (goal_x, goal_y))
            estimate = np.array(
                [[vancouver(x, y, goal_x, goal_y, printed) for x in range(side)] for y in range(side)], np.int64
            )
            pairs += true.size
            wrong += int((estimate != true).sum())
            too_large += int((estimate > true).sum())
            for x in range(side):
                for dx, dy in zip(shape.dx, shape.dy[x & 1], strict=True):
                    if 0 <= x + dx < side:
                        here = estimate[max(0, -dy) : side - max(0, dy), x]
                        there = estimate[max(0, dy) : side - max(0, -dy), x + dx]
                        falls += int((here > there + 1).sum())
    return VancouverCheck(pairs, wrong, too_large, falls)


def counter_example() -> tuple[int, int, int]:
    """Return the distance from (0, 1) to (3, 0), y upwards, as printed, as corrected, and as it is.

    >>> counter_example()
    (2, 3, 3)
    """
    top = 2  # y upwards becomes y downwards
    start, goal = (0, top - 1), (3, top - 0)
    grid = Grid(np.ones((top + 1, 4), np.bool_), topology="hex", metric="unit")
    true = distances(grid, start)[goal[1], goal[0]]
    return vancouver(*start, *goal, True), vancouver(*start, *goal, False), int(true)


class PruningCheck(NamedTuple):
    """How often IDA* with a form of octile pruning misses the cheapest path."""

    maps: int
    wrong_maps: int  # with at least one wrong answer
    queries: int
    dearer: int
    lost: int  # no path within the limit of expansions, though there is one


def check_pruning(
    pruning: str, corners: str, metric: str, *, maps: int = 300, side: int = 8, walls: float = 0.2, queries: int = 20
) -> PruningCheck:
    """Compare IDA* with Dijkstra on random maps; where pruning loses the goal IDA* may never end, so it is cut."""
    wrong_maps = asked = dearer = lost = 0
    for seed in range(maps):
        grid = Grid(generate_passable("random", side, side, seed, walls=walls), corners=corners, metric=metric)
        chance = np.random.Generator(np.random.PCG64(seed))
        free = np.argwhere(grid.passable)[:, ::-1]
        starts, goals = (free[(chance.random(queries) * len(free)).astype(np.int64)] for _ in range(2))
        part = grid.components
        joined = part[starts[:, 1], starts[:, 0]] == part[goals[:, 1], goals[:, 0]]
        starts, goals = starts[joined], goals[joined]
        right = make_finder("dijkstra", grid).find_many(starts, goals, threads=1, paths=False)
        found = make_finder("ida", grid, pruning=pruning).find_many(starts, goals, threads=1, max_expansions=200_000)
        missing = found.statuses != Status.FOUND
        worse = ~missing & (found.costs > right.costs + 1e-6)
        asked += len(starts)
        dearer += int(worse.sum())
        lost += int(missing.sum())
        wrong_maps += bool((worse | missing).any())
    return PruningCheck(maps, wrong_maps, asked, dearer, lost)
