"""Goals that are reached diagonally and then straight, without going round a corner: seen from the table of jumps."""

from waygrid.core.jit import int64, jit
from waygrid.core.layout import CARDINAL, COST, STEP


@jit
def on_map(width: int, height: int, x: int, y: int) -> bool:
    """Return whether there is a cell (x, y)."""
    return bool((x >= 0) & (x < width) & (y >= 0) & (y < height))


@jit
def bearing(vx: int, vy: int) -> int:
    """Return the direction in which a goal at (vx, vy) lies, diagonal unless it lies straight ahead."""
    if vx == 0:
        return 0 if vy < 0 else 2
    if vy == 0:
        return 1 if vx > 0 else 3
    if vx > 0:
        return 4 if vy < 0 else 5
    return 6 if vy > 0 else 7


@jit
def direct(geo, jumps, cell: int, vx: int, vy: int) -> int:
    """Return the cost of the way to a goal at (vx, vy) from here, diagonal and then straight, if it is free; else -1.

    The straight part may not pass a turn; on the diagonal the way goes from jump point to jump point. Whatever the
    jumps are, no cell beyond the goal is looked at: those of a damaged index cannot lead out of the map here.
    """
    d = bearing(vx, vy)
    ax, ay = abs(vx), abs(vy)
    near, rest = (min(ax, ay), abs(ax - ay)) if d >= 4 else (ax + ay, 0)
    left, reach = near, int64(jumps[cell, d])
    while d >= 4 and left > reach > 0:
        cell += reach * geo[STEP + d]
        left -= reach
        reach = int64(jumps[cell, d])
    free = left <= abs(reach)
    cell += left * geo[STEP + d] * free
    side = d & 3 if (d & 1 == 1) == (ax > ay) else (d + 1) & 3
    free &= rest <= abs(int64(jumps[cell, side]))
    return near * geo[COST + d] + rest * geo[CARDINAL] if free else -1
