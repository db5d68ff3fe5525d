"""Paths given by their corners: a leg from one to the next goes diagonally first, then straight."""

import numpy as np

from waygrid.kernels._jit import Array, int64, jit
from waygrid.kernels.layout import (
    END,
    LISTED,
    PAUSE,
    PAUSE_CELLS,
    ROW_DIAGONAL,
    ROW_LENGTH,
    ROW_OFFSET,
    ROW_STRAIGHT,
)
from waygrid.kernels.query import fill_row, path_offset


@jit
def sign(value: int) -> int:
    """Return -1, 0 or 1."""
    return int64(value > 0) - int64(value < 0)


@jit
def write_legs(corners: Array, count: int, cells: Array, offset: int) -> None:
    """Write every cell of a path into `cells`, from place `offset` on.

    A cell's x and y are written as one 64-bit number, so a step is one addition and one store.
    """
    whole = cells.view(np.int64)
    x, y = int64(corners[0]), int64(corners[1])
    whole[offset] = (y << 32) + x
    for k in range(1, count):
        dx, dy = int64(corners[2 * k]) - x, int64(corners[2 * k + 1]) - y
        near, far = min(abs(dx), abs(dy)), max(abs(dx), abs(dy))
        here = (y << 32) + x
        step = (sign(dy) << 32) + sign(dx)
        for j in range(1, near + 1):
            whole[offset + j] = here + j * step
        here += near * step
        offset += near
        step = (sign(dy) << 32) if abs(dy) > abs(dx) else sign(dx)
        for j in range(1, far - near + 1):
            whole[offset + j] = here + j * step
        offset += far - near
        x, y = x + dx, y + dy


@jit
def list_cells(corners: Array, ctl: Array, width: int, way: Array) -> None:
    """List the numbers of every cell instead of the corners; LISTED says how many."""
    cells = np.empty(2 * way.size, np.int32)
    length = 1
    for k in range(1, ctl[LISTED]):
        dx, dy = abs(corners[2 * k] - corners[2 * k - 2]), abs(corners[2 * k + 1] - corners[2 * k - 1])
        length += max(dx, dy)
    write_legs(corners, ctl[LISTED], cells, 0)
    for k in range(length):
        way[k] = cells[2 * k + 1] * width + cells[2 * k]
    ctl[LISTED] = length


@jit
def close_legs(corners: Array, ctl: Array, queries: Array, rows: Array, i: int, cells: Array, ask: Array) -> bool:
    """Write the path whose LISTED corners (x, y) lie in `corners`, and the row; as `query.close_query` does."""
    count, offset = ctl[LISTED], path_offset(rows, i, ask)
    if count == 0 and ctl[END] >= 0:  # start and goal are the same cell
        corners[0], corners[1] = queries[i, 0], queries[i, 1]
        ctl[LISTED] = count = 1
    straight, diagonal = 0, 0
    for k in range(1, count):
        dx, dy = abs(corners[2 * k] - corners[2 * k - 2]), abs(corners[2 * k + 1] - corners[2 * k - 1])
        diagonal += min(dx, dy)
        straight += abs(dx - dy)
    length = straight + diagonal + (count > 0)
    rows[i, ROW_LENGTH], rows[i, ROW_OFFSET] = length, offset
    if (offset + length) * 2 > cells.size:
        ctl[PAUSE] = PAUSE_CELLS
        return False
    if count > 0:
        write_legs(corners, count, cells, offset)
    rows[i, ROW_STRAIGHT], rows[i, ROW_DIAGONAL] = straight, diagonal
    fill_row(ctl, rows, i)
    return True
