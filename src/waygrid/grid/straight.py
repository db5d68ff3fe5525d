"""Checks straight legs by the map and its rules alone, in whole numbers; shares no code with the searches.

Between cell centres a leg is legal if the moves from cell to cell along it are: into the next cell where it crosses a
side, into the diagonal one where it crosses the very corner of four cells. So the corner rule of the grid decides what
passes a corner, one-way tiles count, and a leg as long as one move is legal if and only if the move is. On tile grids,
which have no diagonal moves, both ways round the corner have to be legal. On hex and tex grids three cells meet at a
corner, and all that a leg touches have to be free.

A leg that may touch walls is legal if it enters the inside of none. It may run along a wall, not between two, and does
not pass between two walls that touch at a corner, unless the grid's rule is "always".
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.grid.legal import _fits, first_fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from waygrid.grid.grid import Grid

COLUMN = math.sqrt(3) / 2  # the width of a column of hexes whose centres are 1 apart
Cell = tuple[int, int]
Point = tuple[Fraction, Fraction]
Numbers = npt.NDArray[np.int64]
Shape = tuple[tuple[int, int], ...]
_HALF = Fraction(1, 2)
# Corners of a cell around its centre, in sixths of a column's and a row's width.
_HEXAGON = ((4, 0), (2, 3), (-2, 3), (-4, 0), (-2, -3), (2, -3))
_BRICK = ((3, 3), (-3, 3), (-3, -3), (3, -3))


def place_centres(cells: npt.ArrayLike, topology: str) -> npt.NDArray[np.float64]:
    """Return the centres of cells as points: hexes are 1 apart, and odd columns of hex and tex sit half a cell higher.

    >>> place_centres([(1, 1)], "octile").tolist(), place_centres([(1, 1)], "tex").tolist()
    ([[1.0, 1.0]], [[1.0, 0.5]])
    """
    places = np.asarray(cells, np.float64).reshape(-1, 2).copy()
    if topology in ("hex", "tex"):
        places[:, 1] -= 0.5 * (places[:, 0] % 2)
        places[:, 0] *= COLUMN if topology == "hex" else 1.0
    return places


def first_bad_leg(grid: Grid, points: npt.ArrayLike, model: str = "centres") -> str | None:
    """Return what is wrong with the first illegal leg of a path of straight legs, None if all are legal.

    model: "centres", legs between cell centres, or "corners", legs that may touch walls and bend at their corners.

    >>> from waygrid import Grid
    >>> grid = Grid([[1, 1, 1], [1, 0, 1]])
    >>> first_bad_leg(grid, [(0, 0), (2, 0)]) is None
    True
    >>> first_bad_leg(grid, [(0, 0), (2, 1)])
    'leg 0 from (0, 0) to (2, 1): cell 2 at (1, 1) cannot be entered'
    >>> first_bad_leg(grid, [(0, 0), (1.5, 0.5), (2, 1)], "corners") is None
    True
    """
    places = np.asarray(points, np.float64).reshape(-1, 2).copy()
    shifted = grid.topology in ("hex", "tex")
    if grid.topology == "hex":
        places[:, 0] /= COLUMN
    halves = np.rint(2 * places)
    exact = np.abs(halves - 2 * places).max(axis=1, initial=0) < 1e-9
    if model == "centres":
        columns = halves[:, 0].astype(np.int64) // 2
        rows = halves[:, 1] + (columns % 2 if shifted else 0)
        exact &= (halves[:, 0] % 2 == 0) & (rows % 2 == 0)
    if not exact.all():
        k = int(np.argmin(exact))
        x, y = (float(value) for value in np.asarray(points, np.float64).reshape(-1, 2)[k])
        return f"point {k} at ({x:g}, {y:g}) is no {'centre' if model == 'centres' else 'centre or corner'} of a cell"
    if model == "corners":
        return _first_fault_at_walls(grid, halves.astype(np.int64))
    cells = [(int(x), int(y) // 2) for x, y in zip(columns, rows, strict=True)]
    if len(cells) == 1:
        return first_fault(grid, cells)
    for k, (here, there) in enumerate(pairwise(cells)):
        fault = _fault_of_shifted(grid, here, there) if shifted else _fault_of_square(grid, here, there)
        if fault is not None:
            return f"leg {k} from {here} to {there}: {fault}"
    return None


# --- Square cells ----------------------------------------------------------------------------------------------------


class Stretches(NamedTuple):
    """What lies of legs between two crossings from a row or column of cells to another.

    Crossings are shares of a leg: `begin / whole` and `end / whole`.
    """

    leg: Numbers
    begin: Numbers
    end: Numbers
    whole: Numbers


def _cross(points: Numbers) -> Stretches:
    """Return the stretches of all legs between points, which are in halves of a cell."""
    here, there = points[:-1], points[1:]
    length = np.maximum(np.abs(there - here), 1)
    whole, legs = length.prod(axis=1), np.arange(len(here))
    leg, share = [legs, legs], [np.zeros_like(legs), whole]
    for i in (0, 1):
        low, high = np.minimum(here, there)[:, i], np.maximum(here, there)[:, i]
        first = low + 1 + low % 2  # sides of cells are odd numbers
        count = np.maximum(high - first + 1, 0) // 2
        of = np.repeat(legs, count)
        sides = first[of] + 2 * (np.arange(len(of)) - np.repeat(count.cumsum() - count, count))
        leg.append(of)
        share.append(np.abs(sides - here[of, i]) * (whole // length[:, i])[of])
    found = np.unique(np.stack((np.concatenate(leg), np.concatenate(share)), axis=1), axis=0)
    one = found[:-1, 0] == found[1:, 0]  # leg
    of = found[:-1, 0][one]
    return Stretches(of, found[:-1, 1][one], found[1:, 1][one], whole[of])


def _find_middles(points: Numbers, i: int, found: Stretches) -> tuple[Numbers, npt.NDArray[np.bool_]]:
    """Return the column (0) or row (1) of the middle of each stretch, and whether that lies on the side before it."""
    begin, end = points[found.leg, i], points[found.leg + 1, i]
    places = 2 * found.whole * (begin + 1) + (found.begin + found.end) * (end - begin)  # 1 / (4 * whole) of a cell
    return places // (4 * found.whole), places % (4 * found.whole) == 0


def _fault_of_square(grid: Grid, here: Cell, there: Cell) -> str | None:
    ends = 2 * np.array((here, there))
    found = _cross(ends)
    columns, rows = (_find_middles(ends, i, found)[0].tolist() for i in (0, 1))
    cells: list[Cell] = list(zip(columns, rows, strict=True))
    if grid.topology == "octile":
        return first_fault(grid, cells)
    ways: list[list[Cell]] = [[], []]  # both ways round every corner
    for k, (x, y) in enumerate(cells):
        for number, way in enumerate(ways):
            if k and cells[k - 1][0] != x and cells[k - 1][1] != y:
                way.append((x, cells[k - 1][1]) if number else (cells[k - 1][0], y))
            way.append((x, y))
    return first_fault(grid, ways[0]) or first_fault(grid, ways[1])


# --- Shifted columns -------------------------------------------------------------------------------------------------


def _fault_of_shifted(grid: Grid, here: Cell, there: Cell) -> str | None:
    """Return what is wrong with a leg on a hex or tex grid."""
    touched = sorted(_touched(grid, here, there))
    for _, _, (x, y) in touched:
        if not _fits(grid, np.array([x]), np.array([y]))[0]:
            return f"cell ({x}, {y}) cannot be entered"
    inside = [one for one in touched if one[0] < one[1]]
    for first, last, cell in inside:
        for other_first, _, other in inside:
            if other_first == last and (fault := first_fault(grid, [cell, other])) is not None:
                return f"{fault} (at {float(first):.3f} of the leg)"
    return None


def _touched(grid: Grid, here: Cell, there: Cell) -> Iterator[tuple[Fraction, Fraction, Cell]]:
    """Yield every cell that a leg touches, and from which share of it to which."""
    shape = _HEXAGON if grid.topology == "hex" else _BRICK
    (ax, ay), (bx, by) = _sixths(here), _sixths(there)
    for x in range(min(here[0], there[0]) - 1, max(here[0], there[0]) + 2):
        shares = [Fraction(0), Fraction(1)]
        if ax != bx:
            shares = [min(max(Fraction(6 * (x + side) - ax, bx - ax), Fraction(0)), Fraction(1)) for side in (-1, 1)]
        rows = [(ay + share * (by - ay)) / 6 for share in shares]
        for y in range(math.floor(min(rows)) - 1, math.ceil(max(rows)) + 3):
            cx, cy = _sixths((x, y))
            between = _clip((ax - cx, ay - cy), (bx - cx, by - cy), shape)
            if between is not None:
                yield (*between, (x, y))


def _sixths(cell: Cell) -> tuple[int, int]:
    return 6 * cell[0], 6 * cell[1] - 3 * (cell[0] % 2)


def _clip(
    a: tuple[int, int], b: tuple[int, int], shape: tuple[tuple[int, int], ...]
) -> tuple[Fraction, Fraction] | None:
    """Return between which shares of itself a segment touches a convex shape whose corners go round clockwise."""
    first, last = Fraction(0), Fraction(1)
    for k, (x, y) in enumerate(shape):
        next_x, next_y = shape[(k + 1) % len(shape)]
        along_x, along_y = next_x - x, next_y - y
        at_a = along_x * (a[1] - y) - along_y * (a[0] - x)  # at least 0 inside
        at_b = along_x * (b[1] - y) - along_y * (b[0] - x)
        if at_a < 0 and at_b < 0:
            return None
        if at_a < 0:
            first = max(first, Fraction(at_a, at_a - at_b))
        elif at_b < 0:
            last = min(last, Fraction(at_a, at_a - at_b))
    return (first, last) if first <= last else None


# --- Legs that may touch walls ---------------------------------------------------------------------------------------


def _first_fault_at_walls(grid: Grid, points: Numbers) -> str | None:
    """Return what is wrong with legs between points, which are in halves of a cell.

    From stretch to stretch the cells change that a leg touches. Most changes are seen to be legal at once, the other
    places are looked at one by one.
    """
    if len(points) == 1:
        return None if _free_around(grid, _halved(points[0])) else "the path's only point is in a wall"
    found = _cross(points)
    (columns, on_column), (rows, on_row) = (_find_middles(points, i, found) for i in (0, 1))
    xs = np.stack((columns, columns - on_column) * 2)  # a stretch touches a cell, or two along a side, a point four
    ys = np.stack((rows, rows, rows - on_row, rows - on_row))
    free = _fits(grid, xs.ravel(), ys.ravel()).reshape(xs.shape)

    def cells(k: int) -> set[Cell]:
        listed = (part[:, k].tolist() for part in (xs, ys, free))
        return {(x, y) for x, y, fits in zip(*listed, strict=True) if fits}

    for k in np.flatnonzero(~_pass_easily(grid, xs, ys, free)).tolist():
        leg = int(found.leg[k])
        here, there = _halved(points[leg]), _halved(points[leg + 1])
        start = _at(here, there, Fraction(int(found.begin[k]), int(found.whole[k])))
        if not cells(k) or (k and not _joined(grid, start, cells(k - 1), cells(k))):
            ends = [f"({float(x):g}, {float(y):g})" for x, y in (here, there, start)]
            return f"leg {leg} from {ends[0]} to {ends[1]} cannot pass behind {ends[2]}"
    return None


def _pass_easily(grid: Grid, xs: Numbers, ys: Numbers, free: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return of each stretch whether it begins in a free cell of the one before it, or beside one.

    It also passes the corner of a free cell to the diagonal one where one of the two others at that corner is free.
    """
    passing: npt.NDArray[np.bool_] = np.asarray(free.any(axis=0))
    apart = np.abs(xs[:, None, :-1] - xs[None, :, 1:]) + np.abs(ys[:, None, :-1] - ys[None, :, 1:])
    passing[1:] = ((apart <= 1) & free[:, None, :-1] & free[None, :, 1:]).any(axis=(0, 1))
    x, y, next_x, next_y = xs[0, :-1], ys[0, :-1], xs[0, 1:], ys[0, 1:]
    diagonal = (np.abs(x - next_x) == 1) & (np.abs(y - next_y) == 1) & free[0, :-1] & free[0, 1:]
    passing[1:] |= diagonal & (_fits(grid, x, next_y) | _fits(grid, next_x, y))
    return passing


def _halved(point: Numbers) -> Point:
    return Fraction(int(point[0]), 2), Fraction(int(point[1]), 2)


def _at(here: Point, there: Point, share: Fraction) -> Point:
    return here[0] + share * (there[0] - here[0]), here[1] + share * (there[1] - here[1])


def _around(value: Fraction) -> list[int]:
    """Return the columns or rows that a coordinate touches."""
    low = math.floor(value + _HALF)
    return [low - 1, low] if value + _HALF == low else [low]


def _free_around(grid: Grid, point: Point) -> set[Cell]:
    """Return the free cells that a point touches."""
    cells = [(x, y) for x in _around(point[0]) for y in _around(point[1])]
    fits = _fits(grid, np.array([x for x, _ in cells]), np.array([y for _, y in cells]))
    return {cell for cell, fit in zip(cells, fits.tolist(), strict=True) if fit}


def _joined(grid: Grid, point: Point, before: set[Cell], after: set[Cell]) -> bool:
    """Return whether one can get from some of the cells to others at a point, without leaving it."""
    if before & after:
        return True
    free, reached = _free_around(grid, point), set(before)
    if grid.topology == "octile" and grid.corners == "always":
        return bool(free & after)
    for _ in range(3):
        reached |= {(x, y) for x, y in free if any(abs(x - other) + abs(y - row) == 1 for other, row in reached)}
    return bool(reached & after)
