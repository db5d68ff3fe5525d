"""DBA* (Lee and Lawrence): paths between neighbouring regions, kept as subgoals, joined by a table of next hops.

A query finds the regions of start and goal, reads the subgoals from hop to hop, shortens the list by climbing past what
it can (path trimming, section 4.4), and climbs from subgoal to subgoal. Within one region it is a plain A*.
"""

from typing import NamedTuple

from waygrid.algorithms.regions.climb import ENDLESS, climb, compress, list_climb
from waygrid.algorithms.regions.sectors_build import find_region, way_back
from waygrid.core.jit import Array, int64, jit


class Database(NamedTuple):
    """The index of dba."""

    plan: Array  # of the sectors
    first: Array  # for each sector its first region
    centres: Array  # for each region its representative
    offsets: Array  # for each region its first neighbour, up to L hops away; one more at the end
    targets: Array  # the neighbours
    counts: Array  # for each of those, the subgoals on the path there
    sub_first: Array  # for each region, the first subgoal of its paths
    subgoals: Array
    places: Array  # for each region its place in the rows below
    row_first: Array  # for each region its first run; one more at the end
    runs: Array  # place << bits | which of the neighbours is next, for this place and those behind it
    bits: Array  # one number
    room: Array  # in a query's notes: for a way, for points, for stops; no part of the index


def notes_size(sector_cells: int, way: int, points: int, stops: int) -> int:
    """Return how much room one query needs behind the state of the search."""
    return 2 * sector_cells + way + points + 3 * stops


@jit
def next_hop(base: Database, here: int, goal: int) -> int:
    """Return which of a region's paths leads towards another region, by the last run that begins at or before it."""
    bits = base.bits[0]
    low, high = int64(base.row_first[here]), int64(base.row_first[here + 1])
    if low == high:
        return -1
    place = int64(base.places[goal])
    while high - low > 1:
        middle = (low + high) >> 1
        if int64(base.runs[middle]) >> bits <= place:
            low = middle
        else:
            high = middle
    return int(int64(base.offsets[here]) + (int64(base.runs[low]) & ((1 << bits) - 1)))


@jit
def read_hops(base: Database, here: int, goal: int, points, count: int) -> int:
    """Write the subgoals and representatives from one region's to another's; return how many points there are then.

    Returns -1 where no path leads on, or where there is no room: a damaged table may lead round in a circle.
    """
    while here != goal:
        path = next_hop(base, here, goal)
        if path < 0 or count + int64(base.counts[path]) >= points.size:
            return -1
        at = int64(base.sub_first[here])
        for k in range(base.offsets[here], path):
            at += base.counts[k]
        for k in range(int64(base.counts[path])):
            points[count] = base.subgoals[at + k]
            count += 1
        here = int64(base.targets[path])
        points[count] = base.centres[here]
        count += 1
    return count


@jit
def _add_way(moves, geo, way, points, count: int) -> int:
    """Add the subgoals of a way and its end to the points; its first cell is there already."""
    count += compress(moves, geo, way, ENDLESS, points[count:])
    points[count] = way[way.size - 1]
    return count + 1


@jit
def list_points(moves, geo, base: Database, start: int, goal: int, came, queue, way, points) -> int:
    """List the points of a path, each to be climbed to from the one before; return how many, -1 within one region.

    From the start to its region's representative, by climbing or along the search that found the region; from
    representative to representative as the table says; to the goal as from the start (section 4.3).
    """
    plan, first, centres = base.plan, base.first, base.centres
    one = find_region(moves, geo, plan, first, centres, start, came, queue, False)
    points[0], count = start, 1
    centre = int64(centres[one])
    if climb(moves, geo, start, centre, ENDLESS) < 0:
        find_region(moves, geo, plan, first, centres, start, came, queue, True)
        way[0] = centre
        length = way_back(geo, plan, came, centre, way, 1)
        for k in range(length // 2):
            way[k], way[length - 1 - k] = way[length - 1 - k], way[k]
        count = _add_way(moves, geo, way[:length], points, count)
    elif centre != start:
        points[count] = centre
        count += 1
    other = find_region(moves, geo, plan, first, centres, goal, came, queue, False)
    if one == other:
        return -1
    count = read_hops(base, one, other, points[: points.size - came.size], count)  # the rest: from there to the goal
    centre = int64(centres[other])
    if count > 0 and climb(moves, geo, centre, goal, ENDLESS) < 0:
        find_region(moves, geo, plan, first, centres, goal, came, queue, True)
        way[0] = centre
        count = _add_way(moves, geo, way[: way_back(geo, plan, came, centre, way, 1)], points, count)
    elif count > 0 and centre != goal:
        points[count] = goal
        count += 1
    return count


@jit
def trim(moves, geo, points, count: int) -> int:
    """Leave out the points that can be climbed past, from the start on; return how many are left (section 4.4).

    From each point the end is tried, then the farthest that a binary search finds, as the authors' code does.
    """
    kept, at = 1, 0
    while at < count - 1:
        low, high = at + 1, count - 1
        if climb(moves, geo, points[kept - 1], points[high], ENDLESS) >= 0:
            low = high
        while high - low > 1:
            middle = (low + high) >> 1
            if climb(moves, geo, points[kept - 1], points[middle], ENDLESS) >= 0:
                low = middle
            else:
                high = middle
        points[kept] = points[low]
        kept += 1
        at = low
    return kept


@jit
def add_stops(moves, geo, points, count: int, every: int, way, stops) -> int:
    """List the points and, between them, every so-manieth cell of the climbs, if it can be climbed to.

    Returns how many stops there are, -1 where there is no room for them.
    """
    stops[0], listed = points[0], 1
    for k in range(1, count):
        length = max(list_climb(moves, geo, points[k - 1], points[k], way, 0), 0)
        if listed + length // every + 1 > stops.size:
            return -1
        for at in range(every - 1, length - every // 2, every):
            if climb(moves, geo, stops[listed - 1], way[at], ENDLESS) >= 0:
                stops[listed] = way[at]
                listed += 1
        if stops[listed - 1] != points[k]:
            stops[listed] = points[k]
            listed += 1
    return listed


@jit
def smooth(moves, geo, stops, count: int, ahead: int, costs, points) -> int:
    """Write the cheapest way over the stops, each climbing to one of the next `ahead`; return how many it visits.

    Returns -1 where the last cannot be climbed to, which only a damaged index brings about. `costs` has two rows: the
    least cost of getting to a stop, and the stop before it.
    """
    for k in range(count):
        costs[0, k] = ENDLESS
    costs[0, 0] = 0
    for k in range(count - 1):
        for n in range(k + 1, min(count, k + 1 + ahead)):
            cost = climb(moves, geo, stops[k], stops[n], ENDLESS)
            if cost >= 0 and costs[0, k] + cost < costs[0, n]:
                costs[0, n], costs[1, n] = costs[0, k] + cost, k
    if costs[0, count - 1] == ENDLESS:
        return -1
    kept, at = 0, count - 1
    while at > 0:
        kept += 1
        at = costs[1, at]
    at = count - 1
    for k in range(kept, -1, -1):
        points[k] = stops[at]
        at = costs[1, at]
    return kept + 1
