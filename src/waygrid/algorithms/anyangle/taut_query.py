"""Taut tables: the shortest path of a point among walls, from the corners that both its ends see."""

from typing import NamedTuple

import numpy as np

from waygrid.algorithms.anyangle.anya_cones import UNIT, measure
from waygrid.algorithms.anyangle.anya_sight import sees
from waygrid.algorithms.anyangle.taut_build import LINK_BITS, NO_WAY, SCALE, SHIFT, free_number, row_begin
from waygrid.core import layout as at
from waygrid.core.driver import make_query_loop
from waygrid.core.events import record
from waygrid.core.jit import Array, int64, jit
from waygrid.core.lines import close_points
from waygrid.core.query import may_expand


class TautTable(NamedTuple):
    """The arrays of an index, and the map as rows of bits."""

    free: Array
    ranks: Array  # free cells before each word of a row
    first: Array  # of each free cell: its first access; those of the next end them
    accesses: Array  # corners
    corners: Array  # x and y of each, as lattice points
    link_first: Array
    links: Array  # corners that a corner sees
    table: Array
    form: Array


START_X, START_Y, GOAL_X, GOAL_Y, OWN, OTHER, NEAR, FAR = (at.USER + k for k in range(8))
LOW, RIVAL = at.USER + 8, at.USER + 9  # floats: the least length by the table, and that of the next
DIRECT = -1  # in NEAR: the ends see each other


@jit
def list_ways(x: int, y: int, corners, accesses, begin: int, end: int, legs, ids, place: int) -> int:
    """List the corners that an end of the path sees, with the legs to them; return the place of the nearest."""
    least, nearest = np.inf, place
    for k in range(begin, end):
        corner = int64(accesses[k])
        dx, dy = 2 * int64(corners[corner, 0]) - x, 2 * int64(corners[corner, 1]) - y
        leg = measure(float(dx), float(dy))
        legs[place], ids[place] = leg, corner
        if leg < least:
            least, nearest = leg, place
        place += 1
    return nearest


@jit
def rounding_of(form) -> float:
    """Return by how much a distance of the table, in halves of a cell, may be too small."""
    return 2.0 * 2.0 ** (form[SHIFT] - form[SCALE])


@jit
def look_up(table, one: int, other: int, corners: int):
    """Return the entry of a pair."""
    low, high = min(one, other), max(one, other)
    return table[row_begin(low, corners) + high - low]


@jit
def keep_short(table, form, corners: int, hub: int, legs, ids, begin: int, end: int, sums, rest: float, known: float):
    """Drop the corners of one end over which no path is shortest; return where those that stay end, and a bound.

    hub: the corner that is nearest to the other end, `rest` away. No corner of that end is farther from the hub than
    the two legs through the end, so a path over a corner here is at most 2 * rest shorter than the one over the hub.
    known: a path has at most this length; the bound returned may be lower.
    """
    bits, unit, low = np.uint32(form[LINK_BITS]), rounding_of(form), np.inf
    for k in range(begin, end):
        entry = look_up(table, int64(ids[k]), hub, corners)
        sums[k] = np.inf if entry == NO_WAY else legs[k] + unit * int64(entry >> bits)
        low = min(low, sums[k])
    known = min(known, low + rest + unit)
    kept = begin
    for k in range(begin, end):
        if sums[k] <= known + rest + unit:
            legs[kept], ids[kept] = legs[k], ids[k]
            kept += 1
    return kept, known


@jit
def meet(ctl, real, corners, table, form, first, accesses, own: int, other: int, lengths, ids) -> None:
    """Choose the corners by which a shortest path leaves the start and reaches the goal, by the table's distances."""
    nodes, bits, unit, size = len(corners), np.uint32(form[LINK_BITS]), rounding_of(form), ids.size
    count = int64(first[own + 1] - first[own])
    most = count + int64(first[other + 1] - first[other])
    near = list_ways(ctl[START_X], ctl[START_Y], corners, accesses, first[own], first[own + 1], lengths, ids, 0)
    far = list_ways(ctl[GOAL_X], ctl[GOAL_Y], corners, accesses, first[other], first[other + 1], lengths, ids, count)
    ctl[NEAR], ctl[FAR], real[LOW], real[RIVAL] = -2, -2, np.inf, np.inf
    if count == 0 or most == count:
        return
    hub, other_hub, rest, other_rest = int64(ids[far]), int64(ids[near]), lengths[far], lengths[near]
    sums = lengths[size:]
    end, known = keep_short(table, form, nodes, hub, lengths, ids, 0, count, sums, rest, np.inf)
    last, known = keep_short(table, form, nodes, other_hub, lengths, ids, count, most, sums, other_rest, known)
    low = rival = np.inf
    near = far = -2
    for j in range(count, last):
        corner, leg = int64(ids[j]), lengths[j]
        for k in range(end):
            entry = look_up(table, int64(ids[k]), corner, nodes)
            length = lengths[k] + leg + unit * int64(entry >> bits)
            if length < rival and entry != NO_WAY:
                if length < low:
                    low, rival, near, far = length, low, k, j
                else:
                    rival = length
    ctl[NEAR], ctl[FAR], ctl[OWN], ctl[OTHER], real[LOW], real[RIVAL] = near, far, end, last, low, rival


@jit
def follow(corners, link_first, links, table, form, one: int, other: int, points) -> float:
    """Return the exact length of a shortest path between two corners, -1 where the table is damaged.

    points: None, or where its corners go: from the first on those at the front, from the end those at the back.
    """
    nodes, bits = len(corners), form[LINK_BITS]
    mask, length, front, back = (1 << bits) - 1, 0.0, 0, 0
    x, y = int64(corners[one, 0]), int64(corners[one, 1])
    far_x, far_y = int64(corners[other, 0]), int64(corners[other, 1])
    while one != other:
        entry = look_up(table, one, other, nodes)
        high = max(one, other)
        link = int64(link_first[high]) + (int64(entry) & mask)
        if entry == NO_WAY or link >= link_first[high + 1] or front + back >= nodes:
            return -1.0
        over = int64(links[link])
        over_x, over_y = int64(corners[over, 0]), int64(corners[over, 1])
        if one == high:
            length += measure(float(over_x - x), float(over_y - y))
            if points is not None:
                points[2 + 2 * front], points[3 + 2 * front] = 2 * x - 3, 2 * y - 3
            one, x, y, front = over, over_x, over_y, front + 1
        else:
            length += measure(float(over_x - far_x), float(over_y - far_y))
            if points is not None:
                place = points.size - 4 - 2 * back
                points[place], points[place + 1] = 2 * far_x - 3, 2 * far_y - 3
            other, far_x, far_y, back = over, over_x, over_y, back + 1
    if points is not None:
        points[2 + 2 * front], points[3 + 2 * front] = 2 * x - 3, 2 * y - 3
        front += 1
        for k in range(2 * back):
            points[2 + 2 * front + k] = points[points.size - 2 - 2 * back + k]
        points[0] = front + back
    return 2.0 * length


@jit
def settle(ctl, real, corners, link_first, links, table, form, lengths, ids, split: int) -> bool:
    """Choose among pairs that the table cannot tell apart, by the exact lengths of their paths; False: it is damaged.

    split: where the goal's corners begin in `ids`. Equal lengths are common, so what the first is by is remembered.
    """
    nodes, bits, unit = len(corners), np.uint32(form[LINK_BITS]), rounding_of(form)
    bound, least = real[LOW] + unit * 1.000001 + 1e-8, np.inf
    end, last = ctl[OWN], ctl[OTHER]
    for j in range(split, last):
        for k in range(end):
            entry = look_up(table, int64(ids[k]), int64(ids[j]), nodes)
            if entry == NO_WAY or lengths[k] + lengths[j] + unit * int64(entry >> bits) > bound:
                continue
            exact = follow(corners, link_first, links, table, form, int64(ids[k]), int64(ids[j]), None)
            if exact < 0.0:
                return False
            exact += lengths[k] + lengths[j]
            if exact < least:
                least, ctl[NEAR], ctl[FAR] = exact, k, j
    return True


@jit
def begin(geo, ctl, events) -> None:
    """Place the ends of the query."""
    width = geo[at.WIDTH]
    ctl[START_X], ctl[START_Y] = 2 * (ctl[at.START] % width) + 3, 2 * (ctl[at.START] // width) + 3
    ctl[GOAL_X], ctl[GOAL_Y] = 2 * (ctl[at.GOAL] % width) + 3, 2 * (ctl[at.GOAL] // width) + 3
    far = measure(float(ctl[GOAL_X] - ctl[START_X]), float(ctl[GOAL_Y] - ctl[START_Y]))
    ctl[at.ESTIMATE] = int64(0.5 * far * UNIT)
    if events is not None:
        record(events, ctl, at.E_GENERATING, ctl[at.START], -1, 0, ctl[at.ESTIMATE])


@jit
def find_way(
    geo, ctl, real, free, ranks, first, accesses, corners, link_first, links, table, form, lengths, ids
) -> int:
    """Find the two corners of the shortest path: in NEAR and FAR, DIRECT where none is needed.

    Returns where the goal's corners begin in `ids`, -1 where the index is damaged.
    """
    squeezes = geo[at.CORNERS] == at.ALWAYS and geo[at.TOPOLOGY] == at.OCTILE
    if sees(free, ctl[START_X], ctl[START_Y], ctl[GOAL_X], ctl[GOAL_Y], squeezes):
        ctl[NEAR] = ctl[FAR] = DIRECT
        return 0
    own = free_number(free, ranks, ctl[START_Y] >> 1, ctl[START_X] >> 1)
    other = free_number(free, ranks, ctl[GOAL_Y] >> 1, ctl[GOAL_X] >> 1)
    split = int64(first[own + 1] - first[own])
    meet(ctl, real, corners, table, form, first, accesses, own, other, lengths, ids)
    if ctl[NEAR] < 0:
        return -1
    if real[RIVAL] <= real[LOW] + rounding_of(form) * 1.000001 + 1e-8:
        if not settle(ctl, real, corners, link_first, links, table, form, lengths, ids, split):
            return -1
    return split


@jit
def advance(geo, ctl, real, index, points, lengths, queue, events) -> None:
    """Look up the path, or stop: PAUSE says why. A look-up counts as one expansion."""
    if not may_expand(ctl, 0, events):
        if ctl[at.STATUS] == at.CUTOFF:
            ctl[at.END], ctl[at.LISTED] = ctl[at.START], 0
        return
    ctl[at.BUDGET] -= 1
    ctl[at.EXPANDED] = ctl[at.GENERATED] = ctl[at.TOUCHED] = ctl[at.PEAK] = 1
    free, corners, links, table, form = index.free, index.corners, index.links, index.table, index.form
    first, accesses, link_first = index.first, index.accesses, index.link_first
    split = find_way(
        geo, ctl, real, free, index.ranks, first, accesses, corners, link_first, links, table, form, lengths, queue
    )
    if events is not None:
        record(events, ctl, at.E_EXPANDING, ctl[at.START], -1, 0, int64(0.5 * real[LOW] * UNIT) * (ctl[NEAR] >= 0))
    count = 0
    if split < 0:
        ctl[at.PAUSE] = at.PAUSE_DAMAGED
        return
    if ctl[NEAR] >= 0:
        near, far = int64(queue[ctl[NEAR]]), int64(queue[ctl[FAR]])
        if follow(corners, link_first, links, table, form, near, far, points) < 0.0:
            ctl[at.PAUSE] = at.PAUSE_DAMAGED
            return
        count = int64(points[0])
    ctl[at.GENERATED] += count
    points[0], points[1] = ctl[START_X] - 3, ctl[START_Y] - 3
    points[2 + 2 * count], points[3 + 2 * count] = ctl[GOAL_X] - 3, ctl[GOAL_Y] - 3
    ctl[at.STATUS], ctl[at.END], ctl[at.LISTED_AT] = at.FOUND, ctl[at.GOAL], 0
    ctl[at.LISTED] = keep_bends(points, count + 2)
    if events is not None:
        trace_points(geo, ctl, points, events)


@jit
def keep_bends(points, count: int) -> int:
    """Drop the points of a path at which it only touches a corner; return how many are left."""
    kept = 1
    for k in range(1, count):
        x, y = int64(points[2 * k]), int64(points[2 * k + 1])
        if k < count - 1:
            dx, dy = x - points[2 * kept - 2], y - points[2 * kept - 1]
            if dx * (points[2 * k + 3] - y) == dy * (points[2 * k + 2] - x):
                continue
        points[2 * kept], points[2 * kept + 1] = x, y
        kept += 1
    return kept


@jit
def trace_points(geo, ctl, points, events) -> None:
    """Record the corners of a path, each by the cell to its upper left, and the end."""
    before, length, width = ctl[at.START], 0.0, geo[at.WIDTH]
    for k in range(1, ctl[at.LISTED]):
        x, y = int64(points[2 * k]), int64(points[2 * k + 1])
        length += measure(float(x - points[2 * k - 2]), float(y - points[2 * k - 1]))
        cell = max(y >> 1, 0) * width + max(x >> 1, 0)
        if k < ctl[at.LISTED] - 1:
            record(events, ctl, at.E_SUBGOAL, cell, before, int64(0.5 * length * UNIT), 0)
        before = cell
    record(events, ctl, at.E_END, ctl[at.GOAL], -1, int64(0.5 * length * UNIT), 0)


run = make_query_loop(
    __name__,
    begin,
    advance,
    None,
    close_points,
    {
        "free": "index.free",
        "points": "spare",
        "lengths": "bits.view(np.float64)",
        "real": "ctl.view(np.float64)",
        "sums": "rows.view(np.float64)",
        "unit": "2",
        "width": "geo[at.WIDTH]",
    },
)
