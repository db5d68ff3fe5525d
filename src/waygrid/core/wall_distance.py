"""Exact Euclidean distances from all cells to the nearest wall, squared: whole numbers.

A. Meijster, J. Roerdink, W. Hesselink, "A general algorithm for computing distance transforms in linear time" (2000):
one pass along the columns counts cells to the nearest wall above or below, one along each row takes the lower envelope
of the parabolas that stand on these counts.
"""

import numpy as np

from waygrid.core.jit import jit

NO_WALL = 65535  # steps along a column without a wall; no side is longer
FAR = -1  # the squared distance where no wall is near enough


@jit
def count_steps(passable, steps, first: int, last: int) -> None:
    """Count the steps from each cell of columns first to last - 1 to the nearest wall above or below.

    Row by row, so that the inner loops run along memory and are vectorized.
    """
    height = passable.shape[0]
    for y in range(height):
        for x in range(first, last):
            above = np.int64(steps[y - 1, x]) if y else NO_WALL
            steps[y, x] = 0 if passable[y, x] == 0 else min(above + 1, NO_WALL)
    for y in range(height - 2, -1, -1):
        for x in range(first, last):
            steps[y, x] = min(np.int64(steps[y + 1, x]) + 1, np.int64(steps[y, x]))


@jit
def measure_row(steps, columns, ends, squared, limit: int) -> bool:
    """Write the squared distances of one row, FAR beyond the limit; return whether any cell is near a wall.

    columns, ends: working memory of a row. Parabola i stands on columns[i] and is the lowest from ends[i] on.
    """
    width, count = steps.size, 0
    for x in range(width):
        down = np.int64(steps[x])
        if down == NO_WALL or down > limit:
            continue
        begin = np.int64(0)
        while count:
            before, high = columns[count - 1], np.int64(steps[columns[count - 1]])
            left = ends[count - 1]
            if (left - x) * (left - x) + down * down > (left - before) * (left - before) + high * high:
                # It is as low first in this cell, right of `left`: the quotient is positive.
                wide = 2 * (x - before)
                begin = (x * x - before * before + down * down - high * high + wide - 1) // wide
                break
            count -= 1
        if begin < width:
            columns[count], ends[count] = x, begin
            count += 1
    if count == 0:
        for x in range(width):
            squared[x] = FAR
        return False
    at, most = 0, limit * limit
    for x in range(width):
        while at + 1 < count and ends[at + 1] <= x:
            at += 1
        along, down = x - columns[at], np.int64(steps[columns[at]])
        found = along * along + down * down
        squared[x] = found if found <= most else FAR
    return True


@jit
def write_distances(steps, distances, unit: float, first: int, last: int) -> None:
    """Write the distances of rows first to last - 1, in multiples of a unit; infinite without a wall."""
    width = steps.shape[1]
    columns, ends, squared = np.empty(width, np.int64), np.empty(width, np.int64), np.empty(width, np.int64)
    for y in range(first, last):
        measure_row(steps[y], columns, ends, squared, 2 * NO_WALL)
        for x in range(width):
            distances[y, x] = np.inf if squared[x] == FAR else np.sqrt(np.float64(squared[x])) * unit


@jit
def inflate_walls(steps, walls, spans, first: int, last: int) -> None:
    """Make walls of all cells of rows first to last - 1 that lie within a radius of a wall.

    walls: 1 where a cell can be entered, as in a grid; only walls are written. spans: how many cells to either side a
    wall reaches that lies so many steps above or below. Two sweeps along the row replace the envelope of parabolas.
    """
    width = steps.shape[1]
    for y in range(first, last):
        end = -1
        for x in range(width):
            down = np.int64(steps[y, x])
            if down < spans.size:
                end = max(end, x + spans[down])
            if x <= end:
                walls[y, x] = 0
        end = width
        for x in range(width - 1, -1, -1):
            down = np.int64(steps[y, x])
            if down < spans.size:
                end = min(end, x - spans[down])
            if x >= end:
                walls[y, x] = 0


@jit
def raise_weights(steps, walls, weights, surcharges, radius: int, reach: int, first: int, last: int) -> None:
    """Inflate walls as `inflate_walls`, and add a surcharge by squared distance to the weights of near cells.

    surcharges: by squared distance, from radius + 1 to reach, counted from 0. A weight stays at most 65535.
    """
    width, limit = steps.shape[1], int(np.sqrt(reach)) + 1
    columns, ends, squared = np.empty(width, np.int64), np.empty(width, np.int64), np.empty(width, np.int64)
    for y in range(first, last):
        if not measure_row(steps[y], columns, ends, squared, limit):
            continue
        for x in range(width):
            found = squared[x]
            if 0 <= found <= radius:
                walls[y, x] = 0
                weights[y, x] = 1
            elif radius < found <= reach:
                weights[y, x] = min(np.int64(weights[y, x]) + surcharges[found - radius - 1], 65535)
