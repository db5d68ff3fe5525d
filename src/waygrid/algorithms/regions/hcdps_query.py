"""HCDPS (Lawrence and Bulitko): regions that hill climbing crosses from any cell to the seed and back.

So a query needs no search at all. It climbs to the goal if it can; else it reads the way from seed to seed out of the
same table as DBA*, and joins start and goal to it by climbing.
"""

from collections.abc import Callable
from typing import NamedTuple

from waygrid.algorithms.regions import dba_database as dba
from waygrid.algorithms.regions.climb import ENDLESS, climb, list_climb
from waygrid.algorithms.regions.dba_database import trim
from waygrid.algorithms.regions.dba_query import PAPER, PLAIN, SMOOTH, advance, lay_out, rooms, set_off, smooth_points
from waygrid.core import layout as at
from waygrid.core.driver import make_query_loop
from waygrid.core.jit import Array, int64, jit
from waygrid.core.query import close_listed

HOPS, MAP = 0, 1  # in `bits`
read_hops: Callable[..., int] = dba.read_hops  # it reads fields by their names, which are the same in the tuple below


class Climbable(NamedTuple):
    """The index of hcdps."""

    spans: Array  # first cell << bits | region, for this cell and those behind it, in the order of the scan
    centres: Array  # for each region its seed; from here on as in `dba.Database`
    offsets: Array
    targets: Array
    counts: Array
    sub_first: Array
    subgoals: Array
    places: Array
    row_first: Array
    runs: Array
    bits: Array  # of a label in the runs, and of a region in the spans
    room: Array  # in a query's notes: for a way, for points, for stops; no part of the index


@jit
def region_of(spans, bits, cell: int) -> int:
    """Return the region of a cell, by the last span that begins at or before it."""
    shift = bits[MAP]
    low, high = int64(0), int64(spans.size)
    while high - low > 1:
        middle = (low + high) >> 1
        if int64(spans[middle]) >> shift <= cell:
            low = middle
        else:
            high = middle
    return int(int64(spans[low]) & ((1 << shift) - 1))


@jit
def join_start(moves, geo, points, count: int, way) -> int:
    """Leave out the seed behind the start, or go to a cell that lies farther on than it; return how many are left.

    The second point is the seed, which can be climbed to. If the third can, the seed is left out; else a binary search
    along the climb from the one to the other finds a cell that can, the seed itself at worst.
    """
    start, third = points[0], points[2]
    if climb(moves, geo, start, third, ENDLESS) >= 0:
        for k in range(2, count):
            points[k - 1] = points[k]
        count -= 1
    else:
        low, high = -1, list_climb(moves, geo, points[1], third, way, 0) - 1  # of cells in the way; -1 is the seed
        while high - low > 1:
            middle = (low + high) >> 1
            if climb(moves, geo, start, way[middle], ENDLESS) >= 0:
                low = middle
            else:
                high = middle
        if low >= 0:
            points[1] = way[low]
    return count


@jit
def join_goal(moves, geo, points, count: int, way) -> int:
    """Leave out the seed before the goal, or turn off before it is reached; return how many points are left."""
    goal, last = points[count - 1], points[count - 3]
    if climb(moves, geo, last, goal, ENDLESS) >= 0:
        points[count - 2] = goal
        count -= 1
    else:
        length = list_climb(moves, geo, last, points[count - 2], way, 0)
        low, high = -1, length - 1  # the goal can be climbed to from way[high], the seed
        while high - low > 1:
            middle = (low + high) >> 1
            if climb(moves, geo, way[middle], goal, ENDLESS) >= 0:
                high = middle
            else:
                low = middle
        if length > 0:
            points[count - 2] = way[high]
    return count


@jit
def list_points(base: Climbable, one: int, other: int, start: int, goal: int, points) -> int:
    """List start, seed, the points from seed to seed, the last seed and goal, none of them twice; return how many.

    `one` and `other` are the regions of start and goal.
    """
    points[0], count = start, 1
    if base.centres[one] != start:
        points[1], count = base.centres[one], 2
    count = read_hops(base, one, other, points[: points.size - 1], count)  # the last is for the goal
    if count > 0 and base.centres[other] != goal:
        points[count] = goal
        count += 1
    return count


@jit
def plan_path(moves, geo, variant: int, base: Climbable, ctl, cells, traced: bool) -> int:
    """Write the cells of a path; return how many, -1 if it does not fit."""
    start, goal = ctl[at.START], ctl[at.GOAL]
    way, points, stops, costs = rooms(ctl, at.CTL_SIZE, base.room)
    if variant != PLAIN and climb(moves, geo, start, goal, ENDLESS) >= 0:
        points[0], points[1], count = start, goal, 2
    else:
        one, other = region_of(base.spans, base.bits, start), region_of(base.spans, base.bits, goal)
        count = list_points(base, one, other, start, goal, points)
        if variant >= PAPER:
            if count > 2 and base.centres[one] != start:
                count = join_start(moves, geo, points, count, way)
            if count > 2 and base.centres[other] != goal:
                count = join_goal(moves, geo, points, count, way)
            if count > 2 and variant == SMOOTH:
                count = trim(moves, geo, points, count)
    if count > 0 and variant == SMOOTH:
        count = smooth_points(moves, geo, points, count, way, stops, costs)
    return lay_out(moves, geo, points, count, cells, traced)


@jit
def begin(moves, geo, policy, nodes, queue, bits, spare, ctl, index: Climbable, events) -> None:
    """Plan a path from seed to seed, and set off."""
    length = plan_path(moves, geo, policy[at.TRIM], index, ctl, spare, events is not None)
    set_off(geo, policy, nodes, queue, bits, ctl, length, events)


# `spare` has room for the cells of a path.
run = make_query_loop(__name__, begin, advance, close=close_listed)
