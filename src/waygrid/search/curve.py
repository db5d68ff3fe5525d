"""Paths without sharp bends: straight legs joined by arcs that touch free cells only."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show
from waygrid.grid.straight import COLUMN, place_centres
from waygrid.search.along import follow_line, measure_marks

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid

Points = npt.NDArray[np.float64]
_HALVINGS = 6  # of the length that an arc cuts off, until it is free; then the bend stays sharp
_SIDE = 1 / math.sqrt(3)  # of a hex whose neighbours are 1 away
_SHAPES = {  # the corners of a cell around its centre
    "hex": np.array(
        [(_SIDE, 0), (_SIDE / 2, 0.5), (-_SIDE / 2, 0.5), (-_SIDE, 0), (-_SIDE / 2, -0.5), (_SIDE / 2, -0.5)]
    ),
    "square": np.array([(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)]),
}


class Curve:
    """A line of many short pieces that an agent can follow smoothly.

    >>> import waygrid as wg
    >>> grid = wg.Grid(["...#", ".#..", "...."])
    >>> curve = wg.make_finder("lazy-theta", grid).find((0, 0), (3, 1)).curve()
    >>> curve.points[0].tolist(), curve.points[-1].tolist(), bool((curve.along([0.0, 1.0]) >= 0).all())
    ([0.0, 0.0], [3.0, 1.0], True)
    """

    def __init__(self, points: Points) -> None:
        self.points = points  #: (n, 2), as those of a straight path
        self._marks = measure_marks(points)

    @property
    def length(self) -> float:
        """How long it is, in cells."""
        return float(self._marks[-1]) if len(self.points) else math.inf

    def along(self, distance: npt.ArrayLike) -> Points:
        """Return the position so far along the curve; as `path.along`."""
        return follow_line(self.points, self._marks, distance)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        return f"Curve({len(self.points)} points, length {self.length:.4f})"


def round_bends(points: Points, grid: Grid, radius: float, pieces: int) -> Curve:
    """Return a curve along straight legs between cell centres, each bend rounded as far as cells beside it are free.

    An arc is a quadratic Bezier curve whose middle control point is the bend. So it lies in the triangle of its ends
    and the bend, and keeps to free cells where all that the triangle touches are free.
    """
    if not isinstance(radius, (int, float, np.integer, np.floating)) or not 0 < radius < math.inf:
        raise WaygridError(f"radius is {show(radius)}; allowed are numbers of cells above 0")
    if not isinstance(pieces, (int, np.integer)) or not 2 <= pieces <= 1000:
        raise WaygridError(f"pieces is {show(pieces)}; allowed are the integers from 2 to 1000")
    if grid.has_one_way:
        raise WaygridError("a curve leaves the legs of its path a little, and one-way tiles need these; use the path")
    made = [points[:1]]
    for before, bend, after in zip(points[:-2], points[1:-1], points[2:], strict=True):
        made.append(_round_bend(before, bend, after, grid, radius, pieces))
    made.append(points[1:][-1:])
    return Curve(np.concatenate(made))


def _round_bend(before: Points, bend: Points, after: Points, grid: Grid, radius: float, pieces: int) -> Points:
    to, on = before - bend, after - bend
    lengths = math.hypot(*to), math.hypot(*on)
    cut = min(radius, lengths[0] / 2, lengths[1] / 2)
    for _ in range(_HALVINGS):
        ends = bend + to * (cut / lengths[0]), bend + on * (cut / lengths[1])
        if _is_free(grid, np.array([ends[0], bend, ends[1]])):
            share = np.linspace(0, 1, pieces + 1)[:, None]
            arc: Points = (1 - share) ** 2 * ends[0] + 2 * share * (1 - share) * bend + share**2 * ends[1]
            return arc
        cut /= 2
    return bend[None]


def _is_free(grid: Grid, triangle: Points) -> bool:
    """Return whether an agent can stand in every cell that a triangle touches."""
    wide = COLUMN if grid.topology == "hex" else 1.0
    low, high = triangle.min(axis=0) - 1, triangle.max(axis=0) + 1
    columns = np.arange(math.floor(low[0] / wide), math.ceil(high[0] / wide) + 1)
    rows = np.arange(math.floor(low[1]), math.ceil(high[1]) + 2)
    cells = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)
    shape = _SHAPES["hex" if grid.topology == "hex" else "square"]
    corners = place_centres(cells, grid.topology)[:, None] + shape
    apart = np.zeros(len(cells), np.bool_)
    for outline in (triangle, shape):  # two convex shapes are apart if a line along a side of one lies between them
        for side in np.roll(outline, -1, axis=0) - outline:
            axis = np.array([-side[1], side[0]])
            mine, theirs = triangle @ axis, corners @ axis
            slack = 1e-9 * float(np.abs(axis).sum())
            apart |= (theirs.min(axis=1) > mine.max() + slack) | (theirs.max(axis=1) < mine.min() - slack)
    x, y = cells[~apart].T
    inside = (x >= 0) & (y >= 0) & (x < grid.width) & (y < grid.height)
    walk: npt.NDArray[Any] = grid.table.walk
    return bool(inside.all() and (walk[y * grid.width + x] != 0).all())
