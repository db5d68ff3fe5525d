"""Quadtrees: the passable cells of a grid as few large squares.

A square is a node if all its cells are passable and have the same weight; others are divided. The tree covers the map
from its top left corner with a square whose side is a power of two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from waygrid.core import layout
from waygrid.grid.grid import Grid

if TYPE_CHECKING:
    from waygrid.core.types import Array

_MIXED = -1


def decompose(values: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the squares of one value above 0, by rows and columns of their first cell, and the square of each cell."""
    height, width = values.shape
    level, found, side = values, [], 1
    while level.size:
        above = np.zeros((0, 0), np.int64)
        alone = level > 0
        if level.size > 1:
            level = np.pad(level, ((0, level.shape[0] % 2), (0, level.shape[1] % 2)))  # outside is wall
            quarter = [level[a::2, b::2] for a in (0, 1) for b in (0, 1)]
            same = (quarter[0] == quarter[1]) & (quarter[0] == quarter[2]) & (quarter[0] == quarter[3])
            above = np.where(same, quarter[0], _MIXED)
            alone = (level > 0) & (above.repeat(2, 0).repeat(2, 1) == _MIXED)
        y, x = np.nonzero(alone)
        found.append(np.stack([x * side, y * side, np.full(len(x), side)], axis=1))
        level, side = above, 2 * side
    squares = np.concatenate(found).astype(np.int32)
    squares = squares[np.lexsort((squares[:, 0], squares[:, 1]))]
    cells = np.full((height, width), -1, np.int32)
    for number, (x, y, side) in enumerate(squares.tolist()):
        cells[y : y + side, x : x + side] = number
    return squares, cells


def find_borders(grid: Grid, cells: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Return the pairs of squares that a move of the grid connects."""
    flat, geo = cells.reshape(-1), grid.table.geo
    moves: Array = grid.table.moves
    pairs = [np.zeros((0, 2), np.int64)]
    for d in range(len(grid.directions)):
        here = np.flatnonzero((moves >> d) & 1)
        there = here + geo[layout.STEP + d]
        across = flat[here] < flat[there]  # every move has an opposite, so each pair is met this way round
        pairs.append(np.stack([flat[here[across]], flat[there[across]]], axis=1).astype(np.int64))
    return np.unique(np.concatenate(pairs), axis=0)


def compute_costs(
    grid: Grid,
    middles: npt.NDArray[np.float64],
    sides: npt.NDArray[np.int32],
    ground: npt.NDArray[np.int64],
    edges: npt.NDArray[np.int64],
) -> npt.NDArray[np.float64]:
    """Return the cost between the centres of two squares."""
    one, other = edges[:, 0], edges[:, 1]
    apart = np.abs(middles[one] - middles[other])
    most, least = apart.max(axis=1), apart.min(axis=1)
    diagonal = grid.diagonal_cost if grid.topology == "octile" else 2.0
    length = most + (diagonal - 1.0) * least
    # The border cuts the line in the ratio of the sides.
    weight = (ground[one] * sides[one] + ground[other] * sides[other]) / (sides[one] + sides[other])
    costs: npt.NDArray[np.float64] = length * weight * grid.scale
    return costs
