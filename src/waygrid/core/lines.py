"""The cells that straight legs pass, by exact integer arithmetic.

Points are given in halves of a cell, as X = 2 * x + 1: a cell's centre is odd, a corner of cells even, and column c
lies between X = 2 * c and X = 2 * c + 2. So a line crosses from one column to the next where X is even, and which of
two crossings comes first is a comparison of two products.
"""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit
from waygrid.core.query import fill_row, path_offset
from waygrid.core.sight import behind_side, next_shifted


@jit
def list_cell(out, count: int, x: int, y: int) -> int:
    """List a cell behind `count` others, unless it is the last of them; return how many there are."""
    if count > 0 and out[2 * count - 2] == x and out[2 * count - 1] == y:
        return count
    out[2 * count], out[2 * count + 1] = x, y
    return count + 1


@jit
def _is_free(walk, width: int, x: int, y: int) -> bool:
    """Return whether a cell can be entered; where nobody knows the map any more, `walk` is empty and all can."""
    if walk.size == 0:
        return x >= 0 and y >= 0
    return 0 <= x < width and 0 <= y < walk.size // width and walk[y * width + x] != 0


@jit
def _list_along_side(x: int, y: int, step_x: int, step_y: int, steps: int, walk, width: int, out, count: int) -> int:
    """List the cells at a line between two rows or columns: at each step the free one, the lower where both are."""
    side_x, side_y = int64(step_x == 0), int64(step_y == 0)  # from the higher cell to the lower
    for k in range(steps):
        cell_x, cell_y = x + k * step_x, y + k * step_y
        if _is_free(walk, width, cell_x, cell_y):
            count = list_cell(out, count, cell_x, cell_y)
        else:
            count = list_cell(out, count, cell_x - side_x, cell_y - side_y)
    return count


@jit
def _first_cell(at: int, step: int) -> int:
    """Return the column in which a line begins that starts at X = `at` and goes in the direction `step`."""
    return (at - 1) >> 1 if step < 0 else at >> 1


@jit
def list_leg(x0: int, y0: int, x1: int, y1: int, square: bool, walk, width: int, out, count: int) -> int:
    """List the cells whose inside a leg passes, behind `count` others; return how many there are then.

    square: where the leg passes from one cell to the diagonal one, list the one beside it too, so that neighbours in
    the list share a side. A leg along the side of cells has the free one of each two.
    """
    dx, dy = abs(x1 - x0), abs(y1 - y0)
    step_x, step_y = int64(x1 > x0) - int64(x1 < x0), int64(y1 > y0) - int64(y1 < y0)
    x, y = _first_cell(x0, step_x), _first_cell(y0, step_y)
    if dx == 0 and dy == 0:
        return count if (x0 & 1) * (y0 & 1) == 0 else list_cell(out, count, x, y)
    last_x, last_y = _first_cell(x1, -step_x), _first_cell(y1, -step_y)
    if (dx == 0 and x0 & 1 == 0) or (dy == 0 and y0 & 1 == 0):
        return _list_along_side(x, y, step_x, step_y, abs(last_x - x) + abs(last_y - y) + 1, walk, width, out, count)
    # How far it is to the next side between columns, and between rows, in halves of a cell times the other extent.
    to_x = (2 * x + 2 - x0 if step_x > 0 else x0 - 2 * x) * dy
    to_y = (2 * y + 2 - y0 if step_y > 0 else y0 - 2 * y) * dx
    count = list_cell(out, count, x, y)
    while x != last_x or y != last_y:
        across = (x != last_x) and (y == last_y or to_x <= to_y)
        down = (y != last_y) and (x == last_x or to_y <= to_x)
        if across:
            x += step_x
            to_x += 2 * dy
            if down and square:
                count = list_cell(out, count, x, y)
        if down:
            y += step_y
            to_y += 2 * dx
        count = list_cell(out, count, x, y)
    return count


@jit
def list_legs(points, square: bool, walk, width: int, out) -> int:
    """List the cells that a path passes whose points (X, Y) are given; return how many there are."""
    count = 0
    if len(points) == 1:
        return list_leg(points[0, 0], points[0, 1], points[0, 0], points[0, 1], square, walk, width, out, count)
    for k in range(len(points) - 1):
        x0, y0, x1, y1 = points[k, 0], points[k, 1], points[k + 1, 0], points[k + 1, 1]
        count = list_leg(x0, y0, x1, y1, square, walk, width, out, count)
    return count


@jit
def list_shifted_leg(geo, x0: int, y0: int, x1: int, y1: int, out, count: int) -> int:
    """List the cells of a leg between centres of cells of a hex or tex grid; along a side, one of the two beside it."""
    dx, dy = 6 * (x1 - x0), 6 * (y1 - y0) - 3 * ((x1 & 1) - (x0 & 1))
    x, y = x0, y0
    count = list_cell(out, count, x, y)
    while x != x1 or y != y1:
        ax, ay, bx, by = next_shifted(geo, x, y, x0, y0, dx, dy)
        count = list_cell(out, count, ax, ay)
        if ax != bx or ay != by:
            x, y = behind_side(geo, ax, ay, bx, by, x, y)
            count = list_cell(out, count, x, y)
        else:
            x, y = ax, ay
    return count


@jit
def list_between(geo, cells, count: int, out) -> int:
    """List the cells that legs between the centres of `count` cells pass, as legal moves if the legs are legal."""
    listed = list_cell(out, 0, cells[0], cells[1])
    for k in range(2, 2 * count, 2):
        x0, y0, x1, y1 = int64(cells[k - 2]), int64(cells[k - 1]), int64(cells[k]), int64(cells[k + 1])
        if geo[at.TOPOLOGY] >= at.HEX:
            listed = list_shifted_leg(geo, x0, y0, x1, y1, out, listed)
        else:
            square = geo[at.TOPOLOGY] == at.TILE
            listed = list_leg(2 * x0 + 1, 2 * y0 + 1, 2 * x1 + 1, 2 * y1 + 1, square, out[:0], 1, out, listed)
    return listed


@jit
def close_points(points, ctl, rows, i: int, sums, cells, request, unit: int, width: int) -> bool:
    """Write the path whose LISTED waypoints begin at LISTED_AT of `points`, and the row; as `query.close_query` does.

    points: x and y of each, in 1 / `unit` of a cell. sums: the rows as floats, for the length and, as there are no
    weights, what it costs.
    """
    offset, length = path_offset(rows, i, request), 0.0
    for _ in range(1 if ctl[at.END] >= 0 and ctl[at.LISTED] == 0 else 0):  # it ends where it starts
        points[0], points[1] = unit * (ctl[at.START] % width), unit * (ctl[at.START] // width)
        ctl[at.LISTED], ctl[at.LISTED_AT] = 1, 0
    first, count = ctl[at.LISTED_AT], ctl[at.LISTED]
    rows[i, at.ROW_LENGTH], rows[i, at.ROW_OFFSET] = count, offset
    if 2 * (offset + count) > cells.size:
        ctl[at.PAUSE] = at.PAUSE_CELLS
        return False
    for k in range(2 * count):
        cells[2 * offset + k] = points[first + k]
    for k in range(first + 2, first + 2 * count, 2):
        dx, dy = float(points[k] - points[k - 2]), float(points[k + 1] - points[k - 1])
        length += np.sqrt(dx * dx + dy * dy)
    sums[i, at.ROW_COST] = sums[i, at.ROW_DISTANCE] = length / unit
    fill_row(ctl, rows, i)
    return True


# What `close_points` wants of the driver, for paths that bend at cell centres.
POINTS = {"points": "spare", "sums": "rows.view(np.float64)", "unit": "1", "width": "geo[at.WIDTH]"}
