"""Quadtrees: the passable cells of a grid as few large squares.

A square whose cells are all passable and of one weight is a node; any other is cut into four. The tree covers the map
from its top left corner with a square whose side is a power of two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.core import layout
from waygrid.errors import WaygridError, show
from waygrid.graph.graph import Graph
from waygrid.grid.grid import Grid

if TYPE_CHECKING:
    from waygrid.core.types import Array

_MIXED = -1


class QuadtreeGraph(Graph):
    """The graph of a quadtree; made by `Graph.quadtree`.

    Nodes are squares, their points the middles: that of a single cell is the cell itself, that of a square of two lies
    half a cell further right and down. An edge joins two squares when the grid allows a move from a cell of one to a
    cell of the other, across a side or, where corners and topology let it, across a corner.

    An edge costs what the grid's own moves would ask for the way from middle to middle: the straight part once, the
    diagonal part at the diagonal price, each part times the weight of the square in which it lies (the line crosses no
    third square). A path is a chain of such ways, from the middle of the first square to that of the last: a good
    route, as a rule somewhat dearer than the cheapest path cell by cell.

    >>> import waygrid as wg
    >>> graph = wg.Graph.quadtree(wg.generate("indoor", width=60, height=40, seed=1))
    >>> len(graph), int((graph.cells >= 0).sum())
    (695, 1604)
    """

    def __init__(self, grid: Grid) -> None:
        if not isinstance(grid, Grid):
            raise WaygridError(f"a quadtree needs a Grid, not {type(grid).__name__}")
        if grid.topology not in ("tile", "octile"):
            raise WaygridError(f"a quadtree does not support topology {show(grid.topology)}; allowed are tile, octile")
        if grid.has_one_way:
            raise WaygridError("a quadtree does not support one-way tiles: within a square all cells must be open")
        standing = grid.components >= 0  # where the agent has room
        weights = np.ones(standing.shape, np.int64) if grid.weights is None else grid.weights.astype(np.int64)
        squares, cells = _decompose(np.where(standing, weights, 0))
        middles = squares[:, :2] + (squares[:, 2:] - 1) / 2
        edges = _borders(grid, cells)
        ground = weights[squares[:, 1], squares[:, 0]]
        super().__init__(middles, edges, _costs(grid, middles, squares[:, 2], ground, edges))
        self.squares = squares
        self.cells = cells
        for array in (squares, cells):
            array.flags.writeable = False

    squares: npt.NDArray[np.int32]
    """(n, 3): left column, top row and side of every square, in cells."""
    cells: npt.NDArray[np.int32]
    """(height, width): the node of each cell, -1 for walls."""

    def node_at(self, point: npt.ArrayLike) -> Any:
        """Return the square in which a cell (x, y) lies, or those of each of (k, 2) cells."""
        given = self._asked(point)
        if given.dtype.kind not in "iu":
            raise WaygridError(f"point is {show(point)}; allowed are cells (x, y) of two integers, or rows of them")
        rows = given.reshape(-1, 2)
        height, width = self.cells.shape
        outside = ((rows < 0) | (rows >= (width, height))).any(axis=1)
        if outside.any():
            x, y = rows[int(np.argmax(outside))]
            raise WaygridError(f"cell ({x}, {y}) is outside the map of {width} x {height} cells")
        found = self.cells[rows[:, 1], rows[:, 0]]
        if (found < 0).any():
            x, y = rows[int(np.argmax(found < 0))]
            raise WaygridError(f"cell ({x}, {y}) is in a wall or leaves no room; it lies in no square")
        return int(found[0]) if given.ndim == 1 else found


def _decompose(values: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
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


def _borders(grid: Grid, cells: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Return the pairs of squares between which a move of the grid leads."""
    flat, geo = cells.reshape(-1), grid.table.geo
    moves: Array = grid.table.moves
    pairs = [np.zeros((0, 2), np.int64)]
    for d in range(len(grid.directions)):
        here = np.flatnonzero((moves >> d) & 1)
        there = here + geo[layout.STEP + d]
        across = flat[here] < flat[there]  # every move has an opposite, so each pair is met this way round
        pairs.append(np.stack([flat[here[across]], flat[there[across]]], axis=1).astype(np.int64))
    return np.unique(np.concatenate(pairs), axis=0)


def _costs(
    grid: Grid,
    middles: npt.NDArray[np.float64],
    sides: npt.NDArray[np.int32],
    ground: npt.NDArray[np.int64],
    edges: npt.NDArray[np.int64],
) -> npt.NDArray[np.float64]:
    """Return what the way between the middles of two squares costs."""
    one, other = edges[:, 0], edges[:, 1]
    apart = np.abs(middles[one] - middles[other])
    most, least = apart.max(axis=1), apart.min(axis=1)
    diagonal = grid.diagonal_cost if grid.topology == "octile" else 2.0
    length = most + (diagonal - 1.0) * least
    # The border cuts the line in the ratio of the sides.
    weight = (ground[one] * sides[one] + ground[other] * sides[other]) / (sides[one] + sides[other])
    costs: npt.NDArray[np.float64] = length * weight * grid.scale
    return costs
