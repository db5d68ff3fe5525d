"""The spots by which paths leave a cell, and goals on a line from it: read from the tiles of jumps (see `tiles_build`).

These are the accesses of `jumps.spots_build`, with one difference: a diagonal ends at any spot at one of its jump
points, since all paths beyond lead over it.
"""

from waygrid.algorithms.contraction.tiles_build import FAR_POINT, FAR_WALL, REACH, is_spot, slot_of, spot_number
from waygrid.algorithms.jumps.direct import bearing
from waygrid.core import layout as at
from waygrid.core.jit import int64, jit
from waygrid.core.prefetch import prefetch

LARGE = 2**22  # numbers of an array that no cache holds: what is read of it is asked for beforehand
_LINE = 16  # numbers that are loaded together


@jit
def read_far(places, jumps, geo, x: int, y: int, d: int) -> int:
    """Return a jump, however long."""
    across, ahead = (geo[at.WIDTH] + 7) >> 3, 0
    steps = int64(jumps[slot_of(places, across, x, y), d])
    while steps == FAR_POINT or steps == FAR_WALL:
        ahead += REACH
        steps = int64(jumps[slot_of(places, across, x + ahead * geo[at.DX + d], y + ahead * geo[at.DY + d]), d])
    return ahead + steps if steps > 0 else steps - ahead


@jit
def list_accesses(geo, tiles, x: int, y: int, ends, place: int) -> int:
    """Write the ranks of the spots where lines from a cell end, and what the legs there cost, in turns from `place` on.

    Returns the place behind them.
    """
    places, masks, numbers, jumps, ranks = tiles
    across = (geo[at.WIDTH] + 7) >> 3
    for d in range(8):
        here_x, here_y, g = x, y, 0
        while True:
            reach = read_far(places, jumps, geo, here_x, here_y, d)
            if reach <= 0:
                break
            here_x, here_y = here_x + reach * geo[at.DX + d], here_y + reach * geo[at.DY + d]
            g += reach * geo[at.COST + d]
            if d < 4 or is_spot(masks, across, here_x, here_y):
                ends[place], ends[place + 1] = ranks[spot_number(masks, numbers, across, here_x, here_y)], g
                place += 2
                break
            for e in (d & 3, (d + 1) & 3):
                along = read_far(places, jumps, geo, here_x, here_y, e)
                if along > 0:
                    end_x, end_y = here_x + along * geo[at.DX + e], here_y + along * geo[at.DY + e]
                    ends[place] = ranks[spot_number(masks, numbers, across, end_x, end_y)]
                    ends[place + 1] = g + along * geo[at.CARDINAL]
                    place += 2
    return place


@jit
def load_labels(labels, spots, ends, begin: int, end: int) -> None:
    """Have the labels of accesses loaded, all at the same time: they are read soon. Small ones are in a cache anyway.

    With this and `ch_query.load_arcs`, queries on a mosaic of 8,192 x 8,192 cells take two thirds of the time.
    """
    places, hubs, costs = labels
    last = end if hubs.size >= LARGE else begin
    for a in range(begin, last, 2):
        prefetch(places, 2 * ends[a])
        prefetch(spots, 2 * ends[a])
    for a in range(begin, last, 2):
        for k in range(places[ends[a], 0], places[ends[a], 1], _LINE):
            prefetch(hubs, k)
            prefetch(costs, k)


@jit
def see(geo, places, jumps, x: int, y: int, vx: int, vy: int) -> bool:
    """Return whether a goal at (vx, vy) from a cell is reached diagonally and then straight, passing no turn.

    The same question as `jumps.direct`, to tiles.
    """
    d = bearing(vx, vy)
    across, ax, ay = (geo[at.WIDTH] + 7) >> 3, abs(vx), abs(vy)
    left = min(ax, ay) if d >= 4 else ax + ay
    rest = max(ax, ay) - left
    while True:
        reach = int64(jumps[slot_of(places, across, x, y), d])
        far = min(abs(reach), REACH)
        if left <= far:
            break
        if (reach <= 0 and reach != FAR_WALL) or (d < 4 and reach != FAR_POINT and reach != FAR_WALL):
            return False
        x, y, left = x + far * geo[at.DX + d], y + far * geo[at.DY + d], left - far
    if rest == 0:
        return True
    x, y = x + left * geo[at.DX + d], y + left * geo[at.DY + d]
    side = d & 3 if (d & 1 == 1) == (ax > ay) else (d + 1) & 3
    while True:
        reach = int64(jumps[slot_of(places, across, x, y), side])
        far = min(abs(reach), REACH)
        if rest <= far:
            return True
        if reach != FAR_POINT and reach != FAR_WALL:
            return False
        x, y, rest = x + far * geo[at.DX + side], y + far * geo[at.DY + side], rest - far
