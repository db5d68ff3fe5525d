"""Yap's Table 1, measured: branching factors, average depths, bases of IDA* and the growth of A*."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from waygrid.algorithms.classic import ida_query as ida
from waygrid.algorithms.classic.distances import distances
from waygrid.algorithms.make import make_finder
from waygrid.core.heuristics import natural
from waygrid.grid.generate import generate_passable
from waygrid.grid.grid import Grid
from waygrid.papers.grid_based.cells import GRIDS, Floats, Ints, nearest, ring

ADJACENT = {"hex": 6, "tex": 6, "octile": 8, "tile": 4}
# What the paper's numbers are exactly; see docs/paper-grid-based.md for the integrals.
BRANCHING = {"hex": 3.0, "tex": 3.0, "octile": 2 + math.sqrt(5), "tile": 3.0}
DEPTH = {
    "hex": math.sqrt(3) / 2 / math.sqrt(2 / math.sqrt(3)),
    "tex": (1 + math.sqrt(5)) / 4,
    "octile": math.sqrt(0.5),
    "tile": 1.0,
}
PAPER_BRANCHING = {"hex": 3.0, "tex": 3.0, "octile": 4.2, "tile": 3.0}
PAPER_DEPTH = {"hex": 0.805, "tex": 0.809, "octile": 0.71, "tile": 1.0}
PAPER_BASE = {"hex": 2.42, "tex": 2.43, "octile": 2.77, "tile": 3.0}
TILE_PER_UNIT = 4 / math.pi  # mean tile distance to a point at distance 1, over all directions


def empty(topology: str, side: int) -> Grid:
    """Return an empty grid under Yap's costs: every move costs the same, diagonals too (section 4)."""
    return Grid(np.ones((side, side), np.bool_), topology=topology, corners="always", metric="unit")


# --- Branching -------------------------------------------------------------------------------------------------------


def levels(topology: str, depth: int, variant: int = ida.PRUNE_PAPER) -> list[int]:
    """Return how many move sequences of 0, 1, ... depth moves are left after pruning, on an unbounded empty grid.

    What may follow depends on the last move alone, so sequences are counted by their last move, exactly.

    >>> levels("tile", 3), levels("hex", 3), levels("octile", 3)
    ([1, 4, 12, 36], [1, 6, 18, 54], [1, 8, 32, 136])
    """
    geo = empty(topology, 3).table.geo
    count = ADJACENT[topology]
    all_legal = (1 << count) - 1
    kept = [int(ida.prune_moves(geo, variant, False, d, all_legal)) & all_legal for d in range(count)]
    found, last = [1], [1] * count
    for _ in range(depth):
        found.append(sum(last))
        last = [sum(last[before] for before in range(count) if kept[before] >> d & 1) for d in range(count)]
    return found


def branching(topology: str, depth: int = 40, variant: int = ida.PRUNE_PAPER) -> float:
    """Return the ratio of the last two levels.

    >>> round(branching("octile"), 6)
    4.236068
    """
    found = levels(topology, depth, variant)
    return found[-1] / found[-2]


# --- Depth -----------------------------------------------------------------------------------------------------------


def mean_depth(topology: str, radius: float = 1000.0, directions: int = 4096) -> float:
    """Return the mean moves to the cells at a distance, over all directions, as a share of the tile grid's."""
    return _moves_away(topology, radius, directions) / _moves_away("tile", radius, directions)


def _moves_away(topology: str, radius: float, directions: int) -> float:
    geo = empty(topology, 1).table.geo
    cells = nearest(topology, ring(radius, directions)).tolist()
    return float(np.mean([natural(geo, 0, 0, x, y) for x, y in cells]))


def pair_depth(topology: str, side: int) -> float:
    """Return the mean distance over all pairs of an empty square grid as a share of the tile grid's."""
    return _pair_mean(topology, side) / _pair_mean("tile", side)


def _pair_mean(topology: str, side: int) -> float:
    grid = empty(topology, side)
    return float(np.mean([distances(grid, (x, y)).mean() for y in range(side) for x in range(side)]))


# --- IDA* ------------------------------------------------------------------------------------------------------------


class Bases(NamedTuple):
    """How IDA*'s nodes grow: per grid the mean logarithm at each distance, and the fitted base."""

    distances: Floats  # mean tile distance D of the goals
    log_nodes: dict[str, Floats]
    base: dict[str, float]


def ida_bases(nearest_radius: float, farthest_radius: float, rings: int = 41, directions: int = 720) -> Bases:
    """Search with IDA* and no heuristic for goals all around a start, and fit nodes = constant * base ** D.

    With the exact heuristic an empty grid is walked straight, and nothing grows; the paper's O(b ** (D - H)) shows with
    H = 0. Goals are the cells under points at many distances and directions, the same points for every grid. The mean
    is taken of logarithms: the paper raises b to the *average* depth, whereas a mean of nodes would be ruled by the
    few directions in which a grid is worst. D is the tile grid's mean distance at that radius, 4 / pi times it.
    """
    radii = np.linspace(nearest_radius, farthest_radius, rings)
    middle = 2 * math.ceil(0.8 * farthest_radius + 2)  # no search reaches the border; even, so that columns keep parity
    logs: dict[str, Floats] = {}
    for topology in GRIDS:
        finder = make_finder("ida", empty(topology, 2 * middle + 1), heuristic="zero", pruning="paper")
        targets = np.concatenate([nearest(topology, ring(radius, directions)) for radius in radii])
        cells, which = np.unique(targets, axis=0, return_inverse=True)
        batch = finder.find_many(np.full(cells.shape, middle), cells + middle, paths=False)
        logs[topology] = np.log(batch.expanded)[which.ravel()].reshape(rings, directions).mean(axis=1)
    away = TILE_PER_UNIT * radii
    base = {topology: math.exp(np.polyfit(away, log, 1)[0]) for topology, log in logs.items()}
    return Bases(away, logs, base)


# --- A* --------------------------------------------------------------------------------------------------------------


class Growth(NamedTuple):
    """Mean expansions at each distance, and the exponent of the power law through them."""

    name: str
    topology: str
    distances: tuple[int, ...]
    expanded: Floats
    exponent: float


def growth(
    name: str,
    topology: str,
    away: tuple[int, ...],
    algorithm: str,
    options: dict[str, Any],
    *,
    walls: float = 0.0,
    maps: int = 1,
    directions: int = 16,
) -> Growth:
    """Measure how expansions grow with the distance of the goal, and fit the exponent by log-log regression."""
    # Dijkstra floods a diamond that reaches sqrt 2 times as far as the goal, and hexes are narrower than 1.
    middle = 2 * math.ceil(0.8 * max(away) + 2)
    side = 2 * middle + 1
    sums, counts = np.zeros(len(away)), np.zeros(len(away))
    for seed in range(maps):
        grid = empty(topology, side)
        if walls:
            grid.set_passable(~generate_passable("random", side, side, seed, walls=walls), False)
            grid.set_passable((middle, middle), True)
        finder = make_finder(algorithm, grid, **options)
        part = grid.components
        for k, distance in enumerate(away):
            goals: Ints = nearest(topology, ring(distance, directions)) + middle
            goals = goals[part[goals[:, 1], goals[:, 0]] == part[middle, middle]]
            if len(goals):
                batch = finder.find_many(np.full(goals.shape, middle), goals, paths=False)
                sums[k] += batch.expanded.sum()
                counts[k] += len(goals)
    expanded = sums / np.maximum(counts, 1)
    exponent = float(np.polyfit(np.log(away), np.log(expanded), 1)[0])
    return Growth(name, topology, away, expanded, exponent)
