"""What a straight leg costs: its length, on weighted maps the sum over cells of the length in each times its weight."""

import math

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit
from waygrid.core.sight import behind_side, corner_of, next_shifted


@jit
def leg_length(geo, x0: int, y0: int, x1: int, y1: int) -> float:
    """Return how far the centres of two cells are apart, in cells."""
    dx, dy = float(x1 - x0), float(y1 - y0)
    if geo[at.TOPOLOGY] >= at.HEX:
        dy -= 0.5 * ((x1 & 1) - (x0 & 1))
        if geo[at.TOPOLOGY] == at.HEX:
            dx *= math.sqrt(0.75)
    return math.sqrt(dx * dx + dy * dy)


@jit
def _mean_weight_square(weights, geo, x0: int, y0: int, x1: int, y1: int) -> float:
    """Return the mean weight along a leg on square cells."""
    width, dx, dy = geo[at.WIDTH], abs(x1 - x0), abs(y1 - y0)
    step_x, step_y = int64(x1 > x0) - int64(x1 < x0), width * (int64(y1 > y0) - int64(y1 < y0))
    cell, last = y0 * width + x0, y1 * width + x1
    to_x, to_y = dy if dx > 0 else 1, dx if dy > 0 else 1  # as in `lines.list_leg`
    whole = 2.0 * max(dx, 1) * max(dy, 1)
    if dx == 0:
        to_x, to_y, whole = 2 * dy + 1, 1, 2.0 * dy
    if dy == 0:
        to_x, to_y, whole = 1, 2 * dx + 1, 2.0 * dx
    rise_x, rise_y = 2 * max(dy, 1), 2 * max(dx, 1)
    if dx == 0 or dy == 0:
        rise_x = rise_y = 2
    paid, before = 0.0, 0
    while cell != last:
        here = min(to_x, to_y)
        paid += float(here - before) * float(weights[cell])
        across, down = to_x <= to_y, to_y <= to_x
        cell += (step_x if across else 0) + (step_y if down else 0)
        to_x += rise_x if across else 0
        to_y += rise_y if down else 0
        before = here
    return (paid + (whole - before) * float(weights[last])) / whole


@jit
def _share(x0: int, y0: int, dx: int, dy: int, x: float, y: float) -> float:
    """Return how far along a leg (dx, dy) from (x0, y0) a point on it lies, as a share."""
    return (x - x0) / dx if abs(dx) >= abs(dy) else (y - y0) / dy


@jit
def _mean_weight_shifted(weights, geo, x0: int, y0: int, x1: int, y1: int) -> float:
    """Return the mean weight along a leg on a hex or tex grid; along a side, the larger weight of the two beside it."""
    width = geo[at.WIDTH]
    from_x, from_y = 6 * x0, 6 * y0 - 3 * (x0 & 1)
    dx, dy = 6 * x1 - from_x, 6 * y1 - 3 * (x1 & 1) - from_y
    # A side that a leg runs along is as long as the way there from a cell's centre; a brick's is twice as long.
    run = 1.0 if geo[at.TOPOLOGY] == at.HEX else 2.0
    x, y, paid, before = x0, y0, 0.0, 0.0
    while x != x1 or y != y1:
        corner_x, corner_y = corner_of(geo, x, y, x0, y0, dx, dy)
        here = _share(from_x, from_y, dx, dy, corner_x, corner_y)
        paid += (here - before) * float(weights[y * width + x])
        ax, ay, bx, by = next_shifted(geo, x, y, x0, y0, dx, dy)
        if ax != bx or ay != by:
            centre = _share(from_x, from_y, dx, dy, 6.0 * x, 6.0 * y - 3 * (x & 1))
            beside = max(float(weights[ay * width + ax]), float(weights[by * width + bx]))
            paid += run * (here - centre) * beside
            here += run * (here - centre)
            x, y = behind_side(geo, ax, ay, bx, by, x, y)
        else:
            x, y = ax, ay
        before = here
    return paid + (1.0 - before) * float(weights[y * width + x])


@jit
def leg_cost(weights, geo, x0: int, y0: int, x1: int, y1: int) -> float:
    """Return what a leg between the centres of two cells costs; weights=None: its length."""
    length = leg_length(geo, x0, y0, x1, y1)
    if weights is not None:
        if length > 0:
            if geo[at.TOPOLOGY] >= at.HEX:
                length *= _mean_weight_shifted(weights, geo, x0, y0, x1, y1)
            else:
                length *= _mean_weight_square(weights, geo, x0, y0, x1, y1)
    return length


@jit
def path_costs(weights, geo, cells, count: int, sums) -> None:
    """Write into `sums` what the legs from the first of some cells to each of them cost together."""
    sums[0] = 0.0
    for k in range(1, count):
        x0, y0 = int64(cells[2 * k - 2]), int64(cells[2 * k - 1])
        sums[k] = sums[k - 1] + leg_cost(weights, geo, x0, y0, int64(cells[2 * k]), int64(cells[2 * k + 1]))


@jit
def add_costs(weights, geo, cells, count: int) -> tuple[float, float]:
    """Return what the legs between some cells cost together, and their length."""
    cost = length = 0.0
    for k in range(2, 2 * count, 2):
        x0, y0, x1, y1 = int64(cells[k - 2]), int64(cells[k - 1]), int64(cells[k]), int64(cells[k + 1])
        length += leg_length(geo, x0, y0, x1, y1)
        if weights is not None:
            cost += leg_cost(weights, geo, x0, y0, x1, y1)
    return (length if weights is None else cost), length
