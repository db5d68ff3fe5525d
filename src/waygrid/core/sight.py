"""Line of sight between cell centres, in exact integers.

A leg is legal if the moves from cell to cell along it are, read from the same table of moves that searches follow: a
straight move where the leg crosses a side, a diagonal one where it crosses the very corner of four cells. So corner
rule, clearance, map border and one-way tiles need no rules of their own here, and a leg of one move is legal if and
only if the move is. Tile grids have no diagonal moves: there both ways round the corner have to be legal, which is
corner rule "never".

On hex and tex grids every cell has six corners, and three cells meet at each (a brick's long sides count as two, as the
columns beside it are shifted by half a cell). A leg through a corner needs both cells beyond it free, and one along a
side both cells beside it.
"""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit

# Corners of hexes and bricks around their centre, in sixths of a column's and a row's width. The side in direction d
# lies between corners d and d + 1.
_HEX_X, _HEX_Y = np.array((-2, 2, 4, 2, -2, -4)), np.array((-3, -3, 0, 3, 3, 0))
_TEX_X, _TEX_Y = np.array((-3, 3, 3, 3, -3, -3)), np.array((-3, -3, 0, 3, 3, 0))


@jit
def sees(moves, walk, geo, x0: int, y0: int, x1: int, y1: int) -> bool:
    """Return whether the leg from the centre of one cell to that of another is legal; the first cell can be entered."""
    if geo[at.TOPOLOGY] >= at.HEX:
        return sees_shifted(moves, walk, geo, x0, y0, x1, y1)
    return sees_square(moves, geo, x0, y0, x1, y1)


@jit
def sees_square(moves, geo, x0: int, y0: int, x1: int, y1: int) -> bool:
    """Return the same on square cells.

    `ahead` is how much farther it is to the next side between columns than to the one between rows, in halves of a cell
    times the other extent: below 0 the leg crosses to the next column first, at 0 it passes a corner. Which it is
    changes from cell to cell as the leg's slope has it, and a processor guesses it badly: so it is a mask, not a
    branch. With branches lazy-theta took 1.2 times as long.
    """
    width, dx, dy = geo[at.WIDTH], abs(x1 - x0), abs(y1 - y0)
    # Bits of the moves: N E S W NE SE SW NW.
    bit_x, step_x = (1, 1) if x1 > x0 else (3, -1)
    bit_y, step_y = (2, width) if y1 > y0 else (0, -width)
    cell, last = y0 * width + x0, y1 * width + x1
    if dx == dy:
        return sees_diagonally(moves, geo, cell, last, bit_x, bit_y, step_x, step_y)
    ahead = dy - dx if dx * dy > 0 else -1 if dy == 0 else 1
    rise, fall, both, turn = 2 * (dx + dy), 2 * dx, step_x - step_y, bit_x - bit_y
    if dx * dy == 0:
        rise = fall = 0
    while cell != last:
        legal = int64(moves[cell])
        if ahead == 0:
            if not passes_corner(moves, geo, cell, legal, bit_x, bit_y, step_x, step_y):
                return False
            cell += step_x + step_y
            ahead += rise - 2 * fall
            continue
        across = ahead >> 63
        if (legal >> (bit_y + (across & turn))) & 1 == 0:
            return False
        cell += step_y + (across & both)
        ahead += (across & rise) - fall
    return True


@jit
def sees_diagonally(moves, geo, cell: int, last: int, bit_x: int, bit_y: int, step_x: int, step_y: int) -> bool:
    """Return whether a leg that passes only corners is legal."""
    while cell != last:
        if not passes_corner(moves, geo, cell, int64(moves[cell]), bit_x, bit_y, step_x, step_y):
            return False
        cell += step_x + step_y
    return True


@jit
def passes_corner(moves, geo, cell: int, legal: int, bit_x: int, bit_y: int, step_x: int, step_y: int) -> bool:
    """Return whether a leg may pass from a cell to the diagonal one; `legal` is the cell's byte of moves."""
    if geo[at.TOPOLOGY] == at.OCTILE:
        # NE is 4, SE 5, SW 6, NW 7.
        bit = (4 if bit_y == 0 else 5) if bit_x == 1 else (7 if bit_y == 0 else 6)
        return bool((legal >> bit) & 1)
    if (legal >> bit_x) & (legal >> bit_y) & 1 == 0:
        return False
    return bool((int64(moves[cell + step_x]) >> bit_y) & (int64(moves[cell + step_y]) >> bit_x) & 1)


@jit
def _side_of(shape_x, shape_y, k: int, dx: int, dy: int, base: int) -> int:
    """Return on which side of a leg a cell's corner lies: below 0, on it 0, or above; `base` is that of its centre."""
    return int64(base + dx * shape_y[k] - dy * shape_x[k])


@jit
def _passes_inside(shape_x, shape_y, dx: int, dy: int, base: int) -> bool:
    """Return whether a leg's line passes the inside of a cell."""
    below = above = False
    for k in range(6):
        side = _side_of(shape_x, shape_y, k, dx, dy, base)
        below |= side < 0
        above |= side > 0
    return below and above


@jit
def _base_of(x: int, y: int, x0: int, y0: int, dx: int, dy: int) -> int:
    """Return on which side of a leg the centre of a cell lies, as a product; (x0, y0) is where the leg begins."""
    across, down = 6 * (x - x0), 6 * (y - y0) - 3 * ((x & 1) - (x0 & 1))
    return dx * down - dy * across


@jit
def leave_cell(shape_x, shape_y, dx: int, dy: int, base: int) -> tuple[int, bool]:
    """Return through which side a leg leaves a cell, and whether it does so at the corner where that side begins."""
    d, at_corner = -1, False
    behind = _side_of(shape_x, shape_y, 5, dx, dy, base)
    here = _side_of(shape_x, shape_y, 0, dx, dy, base)
    for k in range(6):
        ahead = _side_of(shape_x, shape_y, (k + 1) % 6, dx, dy, base)
        if here < 0 and ahead > 0:
            d, at_corner = k, False
        if behind < 0 and here == 0 and ahead > 0:
            d, at_corner = k, True
        behind, here = here, ahead
    return d, at_corner


@jit
def sees_shifted(moves, walk, geo, x0: int, y0: int, x1: int, y1: int) -> bool:
    """Return the same on hex and tex grids."""
    width, height = geo[at.WIDTH], geo[at.HEIGHT]
    shape_x, shape_y = (_HEX_X, _HEX_Y) if geo[at.TOPOLOGY] == at.HEX else (_TEX_X, _TEX_Y)
    dx, dy = 6 * (x1 - x0), 6 * (y1 - y0) - 3 * ((x1 & 1) - (x0 & 1))
    x, y = x0, y0
    while x != x1 or y != y1:
        base, cell, row = _base_of(x, y, x0, y0, dx, dy), y * width + x, 8 * (x & 1)
        legal = int64(moves[cell])
        d, at_corner = leave_cell(shape_x, shape_y, dx, dy, base)
        ax, ay = x + geo[at.DX + d], y + geo[at.DY + row + d]
        if not at_corner:
            if (legal >> d) & 1 == 0:
                return False
            x, y = ax, ay
            continue
        other = (d + 5) % 6
        bx, by = x + geo[at.DX + other], y + geo[at.DY + row + other]
        if not (0 <= ax < width and 0 <= ay < height and 0 <= bx < width and 0 <= by < height):
            return False
        a, b = ay * width + ax, by * width + bx
        if walk[a] == 0 or walk[b] == 0:
            return False
        to_a, to_b = (legal >> d) & 1, (legal >> other) & 1
        if _passes_inside(shape_x, shape_y, dx, dy, _base_of(ax, ay, x0, y0, dx, dy)):
            if to_a == 0:
                return False
            x, y = ax, ay
        elif _passes_inside(shape_x, shape_y, dx, dy, _base_of(bx, by, x0, y0, dx, dy)):
            if to_b == 0:
                return False
            x, y = bx, by
        else:  # along the side between both, to the cell behind it
            if to_a & to_b & (int64(moves[a]) >> other) & (int64(moves[b]) >> d) & 1 == 0:
                return False
            row = 8 * (ax & 1)
            x, y = ax + geo[at.DX + other], ay + geo[at.DY + row + other]
    return True


@jit
def next_shifted(geo, x: int, y: int, x0: int, y0: int, dx: int, dy: int) -> tuple[int, int, int, int]:
    """Return the next cell of a leg on a hex or tex grid, and the other cell beside it.

    (x0, y0) is where the leg begins, (dx, dy) the leg in sixths. Both cells are the same where the leg passes the
    inside of one; where it runs along the side between two they differ.
    """
    shape_x, shape_y = (_HEX_X, _HEX_Y) if geo[at.TOPOLOGY] == at.HEX else (_TEX_X, _TEX_Y)
    row = 8 * (x & 1)
    d, at_corner = leave_cell(shape_x, shape_y, dx, dy, _base_of(x, y, x0, y0, dx, dy))
    ax, ay = x + geo[at.DX + d], y + geo[at.DY + row + d]
    other = (d + 5) % 6
    bx, by = x + geo[at.DX + other], y + geo[at.DY + row + other]
    if not at_corner or _passes_inside(shape_x, shape_y, dx, dy, _base_of(ax, ay, x0, y0, dx, dy)):
        return ax, ay, ax, ay
    if _passes_inside(shape_x, shape_y, dx, dy, _base_of(bx, by, x0, y0, dx, dy)):
        return bx, by, bx, by
    return ax, ay, bx, by


@jit
def behind_side(geo, ax: int, ay: int, bx: int, by: int, x: int, y: int) -> tuple[int, int]:
    """Return the cell into which a leg passes from the side between two cells, to which it came from cell (x, y)."""
    row_a, row_b = 8 * (ax & 1), 8 * (bx & 1)
    for d in range(6):
        cx, cy = ax + geo[at.DX + d], ay + geo[at.DY + row_a + d]
        for e in range(6):
            same = cx == bx + geo[at.DX + e] and cy == by + geo[at.DY + row_b + e]
            if same and (cx != x or cy != y):
                return cx, cy
    return ax, ay


@jit
def corner_of(geo, x: int, y: int, x0: int, y0: int, dx: int, dy: int) -> tuple[float, float]:
    """Return the point, in sixths, at which a leg leaves a cell of a hex or tex grid."""
    shape_x, shape_y = (_HEX_X, _HEX_Y) if geo[at.TOPOLOGY] == at.HEX else (_TEX_X, _TEX_Y)
    base = _base_of(x, y, x0, y0, dx, dy)
    d, at_corner = leave_cell(shape_x, shape_y, dx, dy, base)
    centre_x, centre_y, after = float(6 * x), float(6 * y - 3 * (x & 1)), (d + 1) % 6
    first = float(_side_of(shape_x, shape_y, d, dx, dy, base))
    second = float(_side_of(shape_x, shape_y, after, dx, dy, base))
    share = 0.0 if at_corner else first / (first - second)
    return (
        centre_x + shape_x[d] + share * (shape_x[after] - shape_x[d]),
        centre_y + shape_y[d] + share * (shape_y[after] - shape_y[d]),
    )
