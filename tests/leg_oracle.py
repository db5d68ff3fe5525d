"""Straight legs on square cells, checked step by step in fractions: slow and obvious, for `waygrid.grid.straight`."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np

from waygrid.grid.legal import _fits, first_fault

_HALF = Fraction(1, 2)


def first_bad_leg(grid, points, model="centres"):
    """Return what is wrong with the first illegal leg, in the words of the function of this name."""
    if model == "corners":
        return _first_fault_at_walls(grid, [(Fraction(round(2 * x), 2), Fraction(round(2 * y), 2)) for x, y in points])
    cells = [(round(x), round(y)) for x, y in points]
    for k, (here, there) in enumerate(pairwise(cells)):
        fault = _fault_of_square(grid, here, there)
        if fault is not None:
            return f"leg {k} from {here} to {there}: {fault}"
    return None


def _split(here, there):
    """Return where a leg crosses from one row or column of cells to another: shares of it, with 0 and 1."""
    shares = {Fraction(0), Fraction(1)}
    for a, b in zip(here, there, strict=True):
        low, high = min(a, b), max(a, b)
        for k in range(math.floor(low - _HALF), math.ceil(high + _HALF) + 1):
            if low < k + _HALF < high:
                shares.add((k + _HALF - a) / (b - a))
    return sorted(shares)


def _at(here, there, share):
    return here[0] + share * (there[0] - here[0]), here[1] + share * (there[1] - here[1])


def _fault_of_square(grid, here, there):
    ends = (Fraction(here[0]), Fraction(here[1])), (Fraction(there[0]), Fraction(there[1]))
    cells = []
    for a, b in pairwise(_split(*ends)):
        middle = _at(*ends, (a + b) / 2)
        cells.append((math.floor(middle[0] + _HALF), math.floor(middle[1] + _HALF)))
    if grid.topology == "octile":
        return first_fault(grid, cells)
    ways = [[], []]  # both ways round every corner
    for k, (x, y) in enumerate(cells):
        for number, way in enumerate(ways):
            if k and cells[k - 1][0] != x and cells[k - 1][1] != y:
                way.append((x, cells[k - 1][1]) if number else (cells[k - 1][0], y))
            way.append((x, y))
    return first_fault(grid, ways[0]) or first_fault(grid, ways[1])


def _first_fault_at_walls(grid, points):
    before = None
    for k, (here, there) in enumerate(pairwise(points)):
        shares = _split(here, there)
        for a, b in pairwise(shares):
            free = _free_around(grid, _at(here, there, (a + b) / 2))
            start = _at(here, there, a)
            if not free or (before is not None and not _joined(grid, start, before, free)):
                ends = [f"({float(x):g}, {float(y):g})" for x, y in (here, there, start)]
                return f"leg {k} from {ends[0]} to {ends[1]} cannot pass behind {ends[2]}"
            before = free
    if len(points) == 1 and not _free_around(grid, points[0]):
        return "the path's only point is in a wall"
    return None


def _around(value):
    """Return the columns or rows that a coordinate touches."""
    low = math.floor(value + _HALF)
    return [low - 1, low] if value + _HALF == low else [low]


def _free_around(grid, point):
    """Return the free cells that a point touches."""
    cells = [(x, y) for x in _around(point[0]) for y in _around(point[1])]
    fits = _fits(grid, np.array([x for x, _ in cells]), np.array([y for _, y in cells]))
    return {cell for cell, fit in zip(cells, fits.tolist(), strict=True) if fit}


def _joined(grid, point, before, after):
    """Return whether one can get from some of the cells to others at a point, without leaving it."""
    if before & after:
        return True
    free, reached = _free_around(grid, point), set(before)
    if grid.topology == "octile" and grid.corners == "always":
        return bool(free & after)
    for _ in range(3):
        reached |= {(x, y) for x, y in free if any(abs(x - other) + abs(y - row) == 1 for other, row in reached)}
    return bool(reached & after)
