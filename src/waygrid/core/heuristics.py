"""Estimates of the remaining cost, in the integers of the metric."""

import math

from waygrid.core import layout as at
from waygrid.core.jit import jit


@jit
def vancouver(x1: int, y1: int, x2: int, y2: int, printed: bool) -> int:
    """Return the number of moves between two cells of an empty hex or tex grid (Yap, section 6).

    The paper's formula presumes y upwards and subtracts the correction outside the maximum, which makes it one too
    small for some pairs; inside the maximum it is exact. Here y grows downwards and odd columns sit higher, so the
    roles of the two columns in the correction are swapped.
    """
    x, y = abs(x1 - x2), abs(y1 - y2)
    correction = 0
    if x & 1:
        if y1 < y2:
            correction = x2 & 1
        elif y1 > y2:
            correction = x1 & 1
    if printed:
        return max(0, y - x // 2) + x - correction
    return x + max(0, y - x // 2 - correction)


@jit
def natural(geo, x: int, y: int, goal_x: int, goal_y: int) -> int:
    """Return the distance on the empty map: what "closest" means, whatever heuristic steers the search."""
    dx, dy = abs(x - goal_x), abs(y - goal_y)
    if geo[at.TOPOLOGY] == at.TILE:
        return int(geo[at.CARDINAL] * (dx + dy))
    if geo[at.TOPOLOGY] == at.OCTILE:
        return int(geo[at.CARDINAL] * max(dx, dy) + (geo[at.DIAGONAL] - geo[at.CARDINAL]) * min(dx, dy))
    return int(geo[at.CARDINAL] * vancouver(x, y, goal_x, goal_y, False))


@jit
def estimate(policy, geo, x: int, y: int, goal_x: int, goal_y: int) -> int:
    """Return h of a cell under the policy's heuristic."""
    dx, dy = abs(x - goal_x), abs(y - goal_y)
    if policy[at.HEURISTIC] == at.LINEAR:
        return int((policy[at.H_MAX] * max(dx, dy) + policy[at.H_MIN] * min(dx, dy)) >> at.H_SHIFT)
    if policy[at.HEURISTIC] == at.EUCLIDEAN:
        # H_MIN is the square of a column's width; on hex and tex odd columns sit half a cell higher.
        rise = float(dy)
        if geo[at.TOPOLOGY] >= at.HEX:
            rise = (y - 0.5 * (x & 1)) - (goal_y - 0.5 * (goal_x & 1))
        squared = dx * dx * (policy[at.H_MIN] / (1 << at.H_SHIFT)) + rise * rise
        return math.floor(policy[at.H_MAX] / (1 << at.H_SHIFT) * math.sqrt(squared))
    moves = vancouver(x, y, goal_x, goal_y, policy[at.HEURISTIC] == at.VANCOUVER_PRINTED)
    return int((policy[at.H_MAX] * moves) >> at.H_SHIFT)


@jit
def towards(geo, x: int, y: int, goal_x: int, goal_y: int) -> int:
    """Return the direction that leads straight towards the goal, whether it is free or not.

    It is the one that shortens the distance on the empty map most; of equals the last, which prefers diagonals.
    """
    least, best = natural(geo, x, y, goal_x, goal_y), 0
    for d in range(8):
        nx, ny = x + geo[at.DX + d], y + geo[at.DY + 8 * (x & 1) + d]
        if geo[at.COST + d] > 0 and 0 <= nx < geo[at.WIDTH] and 0 <= ny < geo[at.HEIGHT]:
            left = natural(geo, nx, ny, goal_x, goal_y)
            if left <= least:
                least, best = left, d
    return best
