"""Lines of sight of a point that may touch walls: between centres of cells and corners, in whole numbers.

Points are those of `anya_rows`: halves of a cell, lattice points even, centres odd.
"""

import numpy as np

from waygrid.algorithms.anyangle.anya_rows import find_wall, is_free
from waygrid.core.jit import int64, jit


@jit
def sees_along(free, fixed: int, begin: int, end: int, upright: bool, squeezes: bool) -> bool:
    """Return whether a point can go along a line between two rows, or (upright) two columns, of cells.

    It has one side free everywhere; from one side to the other it changes where both are, or squeezes between walls.
    """
    before = 3
    for k in range(begin, end):
        if upright:
            sides = is_free(free, k, fixed - 1) + 2 * is_free(free, k, fixed)
        else:
            sides = is_free(free, fixed - 1, k) + 2 * is_free(free, fixed, k)
        if sides == 0 or (sides & before == 0 and not squeezes):
            return False
        before = sides
    return True


@jit
def sees(free, x0: int, y0: int, x1: int, y1: int, squeezes: bool) -> bool:
    """Return whether two points see each other. squeezes: also between two walls that touch at a corner.

    Lines cross rows at fractions whose denominators are less than 2**17, so a margin of 1e-6 tells exact crossings of
    lattice points from all others.
    """
    if y0 > y1:
        x0, y0, x1, y1 = x1, y1, x0, y0
    if y0 == y1 and y0 & 1:
        return find_wall(free, y0 >> 1, min(x0, x1) >> 1) > (max(x0, x1) - 1) >> 1 or x0 == x1
    if y0 == y1:
        return sees_along(free, y0 >> 1, min(x0, x1) >> 1, (max(x0, x1) + 1) >> 1, False, squeezes)
    if x0 == x1 and x0 & 1 == 0:
        return sees_along(free, x0 >> 1, y0 >> 1, (y1 + 1) >> 1, True, squeezes)
    slope, row, last, before, here = (x1 - x0) / (y1 - y0), y0 >> 1, (y1 - 1) >> 1, -1, float(x0)
    while True:
        there = float(x1) if row == last else x0 + slope * (2 * row + 2 - y0)
        low = int64(np.floor(0.5 * min(here, there) + 1e-6))
        high = max(low, int64(np.ceil(0.5 * max(here, there) - 1e-6)) - 1)
        if find_wall(free, row, low) <= high:
            return False
        begins, ends = (low, high) if slope >= 0 else (high, low)
        if before >= 0 and before != begins and not squeezes:  # from a cell to the diagonal one
            if not is_free(free, row, before) and not is_free(free, row - 1, begins):
                return False
        if row == last:
            return True
        before, here, row = ends, there, row + 1
