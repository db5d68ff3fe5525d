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
    if count == 0:
        return
    x, y = int64(waypoints[first]), int64(waypoints[first + 1])
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
def settle_lengths(rows, counts) -> int:
    """Take the numbers of waypoints out of the rows of results and put those of cells there; return their sum."""
    offset = 0
    for i in range(len(rows)):
        counts[i] = rows[i, at.ROW_LENGTH]
        rows[i, at.ROW_LENGTH] = rows[i, at.ROW_STRAIGHT] + rows[i, at.ROW_DIAGONAL] + 1 if counts[i] > 0 else 0
        rows[i, at.ROW_OFFSET] = offset
        offset += rows[i, at.ROW_LENGTH]
    return offset


@jit
def expand(counts, waypoints, cells) -> None:
    """Write the cells of paths that were kept as waypoints, so many of each."""
    whole, first, offset = cells.view(np.int64), 0, 0
    for i in range(counts.size):
        straight, diagonal = count_legs(waypoints, 2 * first, counts[i])
        write_legs(waypoints, 2 * first, counts[i], whole, offset)
        offset += straight + diagonal + (counts[i] > 0)
        first += counts[i]


@jit
def _add_turn(points, first: int, count: int, x: int, y: int) -> int:
    """List a point of a path whose points begin at `first`; one that lies straight ahead replaces the last."""
    if count > first and points[count - 1, 0] == x and points[count - 1, 1] == y:
        return count
    if count > first + 1:
        ahead_x, ahead_y = sign(x - points[count - 1, 0]), sign(y - points[count - 1, 1])
        last_x, last_y = points[count - 1, 0] - points[count - 2, 0], points[count - 1, 1] - points[count - 2, 1]
        if ahead_x == sign(last_x) and ahead_y == sign(last_y):
            count -= 1
    points[count, 0], points[count, 1] = x, y
    return count + 1


@jit
def list_turning_points(counts, waypoints, turns, points) -> int:
    """List where paths begin, turn and end, `turns` of each; return how many points there are.

    Legs turn where their diagonal ends; waypoints that a path passes straight are no turns. There are at most twice as
    many points as waypoints.
    """
    first, count = 0, 0
    for i in range(counts.size):
        begin = count
        for k in range(2 * first, 2 * (first + counts[i]), 2):
            x, y = int64(waypoints[k]), int64(waypoints[k + 1])
            if k > 2 * first:
                dx, dy = x - int64(waypoints[k - 2]), y - int64(waypoints[k - 1])
                steep = min(abs(dx), abs(dy))
                bend_x, bend_y = x - dx + steep * sign(dx), y - dy + steep * sign(dy)
                count = _add_turn(points, begin, count, bend_x, bend_y)
            count = _add_turn(points, begin, count, x, y)
        turns[i] = count - begin
        first += counts[i]
    return count


# What `close_legs` wants of the driver.
LEGS = {
    "waypoints": "spare",
    "whole": "cells.view(np.int64)",
    "width": "geo[at.WIDTH]",
    "most": "moves.size",
}
