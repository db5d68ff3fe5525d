"""Paths given by waypoints: a leg from one to the next goes diagonally first, then straight."""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit
from waygrid.core.query import fill_row, path_offset


@jit
def sign(value: int) -> int:
    """Return -1, 0 or 1."""
    return int64(value > 0) - int64(value < 0)


@jit
def write_leg(whole, offset: int, x: int, y: int, next_x: int, next_y: int) -> int:
    """Write the cells of a leg behind the one at `offset`; return where its last one is.

    `whole` holds a cell's x and y as one 64-bit number, so a step is one addition and one store. Runs of eight cells
    that overshoot the leg and are overwritten, which would spare the processor wrong guesses, took as long.
    """
    dx, dy = next_x - x, next_y - y
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
    return offset + far - near


@jit
def write_legs(waypoints, first: int, count: int, whole, offset: int) -> None:
    """Write every cell of a path into `whole`, from place `offset` on; its waypoints (x, y) begin at `first`."""
    position = min(first, waypoints.size - 2)  # without waypoints nothing is written
    x, y = int64(waypoints[position]), int64(waypoints[position + 1])
    for _ in range(min(count, 1)):
        whole[offset] = (y << 32) + x
    for k in range(first + 2, first + 2 * count, 2):
        next_x, next_y = int64(waypoints[k]), int64(waypoints[k + 1])
        offset = write_leg(whole, offset, x, y, next_x, next_y)
        x, y = next_x, next_y


@jit
def count_legs(waypoints, first: int, count: int) -> tuple[int, int]:
    """Return the straight and the diagonal moves of a path."""
    straight, diagonal = 0, 0
    for k in range(first + 2, first + 2 * count, 2):
        dx, dy = abs(int64(waypoints[k]) - waypoints[k - 2]), abs(int64(waypoints[k + 1]) - waypoints[k - 1])
        diagonal += min(dx, dy)
        straight += abs(dx - dy)
    return straight, diagonal


@jit
def list_cells(waypoints, first: int, ctl, width: int, way) -> None:
    """List the numbers of every cell instead of the waypoints; LISTED says how many."""
    straight, diagonal = count_legs(waypoints, first, ctl[at.LISTED])
    whole = np.empty(straight + diagonal + 1, np.int64)
    write_legs(waypoints, first, ctl[at.LISTED], whole, 0)
    for k in range(whole.size):
        way[k] = (whole[k] >> 32) * width + (whole[k] & (2**32 - 1))
    ctl[at.LISTED] = whole.size


@jit
def close_legs(waypoints, ctl, rows, i: int, whole, request, width: int, most: int) -> bool:
    """Write the path whose LISTED waypoints begin at LISTED_AT, and the row; as `query.close_query` does.

    No cheapest path has more than `most` cells, those of the map: a longer one shows that the index is damaged.
    """
    offset = path_offset(rows, i, request)
    for _ in range(1 if ctl[at.END] >= 0 and ctl[at.LISTED] == 0 else 0):  # it ends where it starts
        waypoints[0], waypoints[1], ctl[at.LISTED] = ctl[at.START] % width, ctl[at.START] // width, 1
    first, count = ctl[at.LISTED_AT], ctl[at.LISTED]
    straight, diagonal = count_legs(waypoints, first, count)
    waypoints_only = request[at.ASK_FLAGS] & at.KEEP_WAYPOINTS != 0
    length = count if waypoints_only else straight + diagonal + (count > 0)
    rows[i, at.ROW_LENGTH], rows[i, at.ROW_OFFSET] = length, offset
    sound = straight + diagonal < most
    fits = sound and offset + length <= whole.size
    for k in range(count if fits and waypoints_only else 0):
        whole[offset + k] = (int64(waypoints[first + 2 * k + 1]) << 32) + waypoints[first + 2 * k]
    write_legs(waypoints, first, count if fits and not waypoints_only else 0, whole, offset)
    rows[i, at.ROW_STRAIGHT], rows[i, at.ROW_DIAGONAL] = straight, diagonal
    fill_row(ctl, rows, i)
    ctl[at.PAUSE] = at.DONE if fits else at.PAUSE_CELLS if sound else at.PAUSE_DAMAGED
    return fits


@jit
def count_cells(rows) -> int:
    """Return how many cells all paths have together."""
    count = 0
    for i in range(len(rows)):
        if rows[i, at.ROW_LENGTH] > 0:
            count += rows[i, at.ROW_STRAIGHT] + rows[i, at.ROW_DIAGONAL] + 1
    return count


@jit
def expand(rows, waypoints, cells) -> None:
    """Write the cells of paths that were kept as waypoints, and their lengths into the rows."""
    whole, first, offset = cells.view(np.int64), 0, 0
    for i in range(len(rows)):
        count = rows[i, at.ROW_LENGTH]
        write_legs(waypoints, 2 * first, count, whole, offset)
        first += count
        rows[i, at.ROW_LENGTH] = rows[i, at.ROW_STRAIGHT] + rows[i, at.ROW_DIAGONAL] + 1 if count > 0 else 0
        rows[i, at.ROW_OFFSET] = offset
        offset += rows[i, at.ROW_LENGTH]


# What `close_legs` wants of the driver.
LEGS = {
    "waypoints": "spare",
    "whole": "cells.view(np.int64)",
    "width": "geo[at.WIDTH]",
    "most": "moves.size",
}
