"""Contraction hierarchies: the ends of a query meet in the labels of their accesses, and shortcuts unpack to waypoints.

As in a turn table (`pathdb.turntable_query`), a cheapest path from the goal reaches the start on a line, or leaves the
goal by one of its accesses q; from the start it reaches q on a line, or leaves by an access p. The distance between p
and q is the least sum over the hubs that their labels have in common (`labels_build`). Each hub keeps the cheapest way
from the start over any p, so all accesses of both ends are tried by reading each label once.

The path climbs from p to the hub, arc by arc, and descends to q. An arc that is a shortcut is replaced by the two arcs
of its middle node until none is left.
"""

from typing import NamedTuple

from waygrid.algorithms.contraction.accesses import list_accesses, see
from waygrid.algorithms.contraction.labels_build import find_hub
from waygrid.algorithms.pathdb.turntable_query import tell_moves_apart
from waygrid.core import layout as at
from waygrid.core.clock import now
from waygrid.core.driver import make_query_loop
from waygrid.core.events import record
from waygrid.core.heuristics import natural
from waygrid.core.jit import Array, int64, jit
from waygrid.core.legs import LEGS, close_legs, count_legs, sign
from waygrid.core.query import fill_row

START_X, START_Y, GOAL_X, GOAL_Y = at.USER, at.USER + 1, at.USER + 2, at.USER + 3
COST = at.USER + 4  # of the cheapest path
NEAR_SPOT = at.USER + 5  # the first spot of the path, -1 where there is none but the last
FAR_SPOT = at.USER + 6  # the last one, -1 where the goal is on a line to the start
HUB = at.USER + 7  # of both
G = at.USER + 8  # cost of the path so far, where events want it
BEST_COUNT = at.USER + 9  # waypoints of the path to the closest one
MET = at.USER + 10  # 1: both ends are known
HERE = at.USER + 11  # the last spot that is listed, -1: the start
STACKED = at.USER + 12  # numbers on the stack of arcs that are still to be unpacked
SHIFT = 20  # of a cost beside the number of an access
BIG = 2**62
BY_COST = -1  # in place of the number of waypoints: the cost says all that is wanted
BOTH, FROM_SOURCE, FROM_TARGET = -1, -2, -3  # of an edge between two spots: from which end it goes diagonally first


class Hierarchy(NamedTuple):
    """What a query reads."""

    places: Array  # of tiles: their block of jumps
    masks: Array  # of tiles: the cells that are spots
    numbers: Array  # of tiles: their first spot
    jumps: Array
    spots: Array
    first: Array  # of every spot: its first arc; those of the next end them
    arcs: Array  # the upper spot, and the middle one of a shortcut
    label_first: Array
    hubs: Array
    costs: Array
    steps: Array


@jit
def open_ends(geo, ctl, queries, i: int, waypoints, events) -> None:
    """Stand at the start."""
    for k in range(4):
        ctl[START_X + k] = queries[i, k]
    waypoints[0], waypoints[1], ctl[at.LISTED], ctl[BEST_COUNT] = queries[i, 0], queries[i, 1], 1, 1
    ctl[at.ESTIMATE] = natural(geo, ctl[START_X], ctl[START_Y], ctl[GOAL_X], ctl[GOAL_Y])
    ctl[at.PEAK] = 1
    if events is not None:
        record(events, ctl, at.E_GENERATING, ctl[at.START], -1, 0, ctl[at.ESTIMATE])


@jit
def cell_of(geo, spots, spot: int) -> int:
    """Return the cell of a spot."""
    return int64(spots[spot, 1]) * geo[at.WIDTH] + int64(spots[spot, 0])


@jit
def spread_labels(labels, ends, begin: int, end: int, best) -> None:
    """Let each hub of the start's accesses keep the cheapest way to it, and the access: the largest number is best."""
    label_first, hubs, costs = labels
    for a in range(begin, end, 2):
        base = BIG - (ends[a + 1] << SHIFT | (a >> 1))
        for k in range(label_first[ends[a]], label_first[ends[a] + 1]):
            best[hubs[k]] = max(best[hubs[k]], base - (int64(costs[k]) << SHIFT))


@jit
def clear_labels(labels, ends, begin: int, end: int, best) -> None:
    """Clear what was spread."""
    label_first, hubs, _ = labels
    for a in range(begin, end, 2):
        for k in range(label_first[ends[a]], label_first[ends[a] + 1]):
            best[hubs[k]] = 0


@jit
def meet_labels(ctl, labels, ends, begin: int, end: int, best) -> None:
    """Find the cheapest way over all accesses of both ends and their common hubs."""
    label_first, hubs, costs = labels
    least = at.INFINITE
    for b in range(begin, end, 2):
        own = at.INFINITE
        for k in range(label_first[ends[b]], label_first[ends[b] + 1]):
            own = min(own, (int64(costs[k]) << SHIFT) - best[hubs[k]])
        own += ends[b + 1] << SHIFT
        if own < least and own < 0:
            least, ctl[FAR_SPOT] = own, ends[b]
            ctl[G] = ends[b + 1]
    if least == at.INFINITE:
        return
    whole = least + BIG
    ctl[COST], ctl[NEAR_SPOT] = whole >> SHIFT, ends[2 * (whole & ((1 << SHIFT) - 1))]
    far, least = ctl[FAR_SPOT], least - (ctl[G] << SHIFT)
    for k in range(label_first[far], label_first[far + 1]):
        if (int64(costs[k]) << SHIFT) - best[hubs[k]] == least:
            ctl[HUB] = hubs[k]
            break
    ctl[G] = 0


@jit
def meet(geo, ctl, tiles, spots, labels, ends, best) -> int:
    """Find the cheapest path's first and last spot, their hub and COST; return how many accesses were looked at."""
    places, jumps = tiles[0], tiles[3]
    x, y, goal_x, goal_y = ctl[START_X], ctl[START_Y], ctl[GOAL_X], ctl[GOAL_Y]
    ctl[NEAR_SPOT] = ctl[FAR_SPOT] = ctl[HUB] = -1
    if see(geo, places, jumps, goal_x, goal_y, x - goal_x, y - goal_y):
        ctl[COST] = natural(geo, x, y, goal_x, goal_y)
        return 0
    ctl[COST] = at.INFINITE
    own = list_accesses(geo, tiles, x, y, ends, 0)
    all_ends = list_accesses(geo, tiles, goal_x, goal_y, ends, own)
    spread_labels(labels, ends, 0, own, best)
    meet_labels(ctl, labels, ends, own, all_ends, best)
    clear_labels(labels, ends, 0, own, best)
    for b in range(own, all_ends, 2):
        spot = ends[b]
        to_x, to_y = int64(spots[spot, 0]), int64(spots[spot, 1])
        whole = ends[b + 1] + natural(geo, x, y, to_x, to_y)
        if whole < ctl[COST] and see(geo, places, jumps, x, y, to_x - x, to_y - y):
            ctl[COST], ctl[NEAR_SPOT], ctl[FAR_SPOT], ctl[HUB] = whole, -1, spot, -1
    return all_ends >> 1


@jit
def record_accesses(geo, ctl, tiles, spots, ends, events) -> None:
    """Record the accesses of both ends: those of the goal are looked at from there."""
    record(events, ctl, at.E_GENERATING, ctl[at.GOAL], -1, 0, 0)
    for end in range(2):
        x, y = ctl[START_X + 2 * end], ctl[START_Y + 2 * end]
        for k in range(0, list_accesses(geo, tiles, x, y, ends, 0), 2):
            if ctl[at.EVENTS] + at.EVENT_ROOM > events.size:
                return
            spot_x, spot_y = int64(spots[ends[k], 0]), int64(spots[ends[k], 1])
            h = natural(geo, spot_x, spot_y, ctl[GOAL_X], ctl[GOAL_Y])
            cell = ctl[at.START] if end == 0 else ctl[at.GOAL]
            record(events, ctl, at.E_GENERATING, cell_of(geo, spots, ends[k]), cell, ends[k + 1], h)


@jit
def climb(first, arcs, label_first, hubs, steps, spot: int, hub: int, stack, used: int, back: int) -> int:
    """Put the arcs from a spot up to its hub on the stack, as pairs (arc, spot << 1 | back); return its height.

    -1: the labels lead nowhere.
    """
    while spot != hub:
        entry = find_hub(label_first, hubs, spot, hub)
        if entry < 0 or used + 2 > stack.size or steps[entry] >= first[spot + 1] - first[spot]:
            return -1
        arc = int64(first[spot]) + int64(steps[entry])
        stack[used], stack[used + 1] = arc, spot << 1 | back
        used += 2
        spot = int64(arcs[arc, 0])
    return used


@jit
def stack_arcs(ctl, first, arcs, label_first, hubs, steps, stack) -> bool:
    """Put all arcs of the path on the stack, the first one on top; return whether the labels lead to the hub."""
    if ctl[NEAR_SPOT] < 0:
        return True
    used = climb(first, arcs, label_first, hubs, steps, ctl[FAR_SPOT], ctl[HUB], stack, 0, 1)
    end = -1
    if used >= 0:
        end = climb(first, arcs, label_first, hubs, steps, ctl[NEAR_SPOT], ctl[HUB], stack, used, 0)
    if end < 0:
        return False
    low, high = used, end - 2
    while low < high:
        arc, spot = stack[low], stack[low + 1]
        stack[low], stack[low + 1] = stack[high], stack[high + 1]
        stack[high], stack[high + 1] = arc, spot
        low, high = low + 2, high - 2
    ctl[STACKED] = end
    return True


@jit
def find_arc(first, arcs, spot: int, above: int) -> int:
    """Return the arc from a spot to an upper one, -1 where there is none."""
    for arc in range(first[spot], first[spot + 1]):
        if arcs[arc, 0] == above:
            return arc
    return -1


@jit
def unpack(ctl, first, arcs, stack) -> int:
    """Replace shortcuts on top of the stack until there is an edge between two spots, and take it off.

    Returns arc << 1 | back; -1: the arcs lead nowhere.
    """
    used = ctl[STACKED]
    while True:
        arc, source, back = int64(stack[used - 2]), int64(stack[used - 1]) >> 1, int64(stack[used - 1]) & 1
        middle, target = int64(arcs[arc, 1]), int64(arcs[arc, 0])
        if middle < 0:
            ctl[STACKED] = used - 2
            return arc << 1 | back
        one, other = find_arc(first, arcs, middle, source), find_arc(first, arcs, middle, target)
        if one < 0 or other < 0 or used + 2 > stack.size:
            return -1
        if back:
            one, other = other, one
        stack[used - 2], stack[used - 1] = other, middle << 1
        stack[used], stack[used + 1] = one, middle << 1 | 1
        used += 2


@jit
def list_point(geo, ctl, waypoints, x: int, y: int, events) -> None:
    """List one more waypoint."""
    count = ctl[at.LISTED]
    waypoints[2 * count], waypoints[2 * count + 1] = x, y
    ctl[at.LISTED] = count + 1
    if ctl[at.FLAGS] & at.TRACK_BEST:
        h = natural(geo, x, y, ctl[GOAL_X], ctl[GOAL_Y])
        if h < ctl[at.BEST_H]:
            ctl[at.BEST], ctl[at.BEST_H], ctl[BEST_COUNT] = y * geo[at.WIDTH] + x, h, count + 1
    if events is not None:
        last_x, last_y = int64(waypoints[2 * count - 2]), int64(waypoints[2 * count - 1])
        ctl[G] += natural(geo, last_x, last_y, x, y)
        cell, before = y * geo[at.WIDTH] + x, last_y * geo[at.WIDTH] + last_x
        h = natural(geo, x, y, ctl[GOAL_X], ctl[GOAL_Y])
        for kind in (at.E_GENERATING, at.E_EXPANDING, at.E_CLOSING):
            record(events, ctl, kind, cell, before, ctl[G], h)


@jit
def list_elbow(ctl, waypoints, x: int, y: int) -> None:
    """List where a leg to (x, y) that goes straight first turns, if it turns."""
    count = ctl[at.LISTED]
    dx, dy = x - int64(waypoints[2 * count - 2]), y - int64(waypoints[2 * count - 1])
    steep = min(abs(dx), abs(dy))
    if steep > 0 and abs(dx) != abs(dy):
        waypoints[2 * count], waypoints[2 * count + 1] = x - steep * sign(dx), y - steep * sign(dy)
        ctl[at.LISTED] = count + 1


@jit
def next_spot(ctl, first, arcs, stack, waypoints, spots) -> int:
    """Return the next spot of the path, and list the elbow of the leg to it; -1: the index is damaged."""
    if ctl[HERE] < 0:
        return ctl[NEAR_SPOT] if ctl[NEAR_SPOT] >= 0 else ctl[FAR_SPOT]
    found = unpack(ctl, first, arcs, stack)
    if found < 0:
        return -1
    arc, back = found >> 1, found & 1
    spot = int64(arcs[arc, 0])
    if back:
        spot = int64(stack[ctl[STACKED] + 1]) >> 1
    if arcs[arc, 1] == (FROM_SOURCE if back else FROM_TARGET):
        list_elbow(ctl, waypoints, int64(spots[spot, 0]), int64(spots[spot, 1]))
    return spot


@jit
def follow(geo, ctl, spots, first, arcs, stack, waypoints, events) -> None:
    """List the spots of the path until something stops it: PAUSE says what."""
    room, far = waypoints.size // 2 - 4, ctl[FAR_SPOT]
    while ctl[at.STATUS] == at.RUNNING and far >= 0 and (ctl[HERE] < 0 or ctl[STACKED] > 0):
        if ctl[at.BUDGET] <= 0:
            ctl[at.PAUSE] = at.PAUSE_BUDGET
            return
        expanded = ctl[at.EXPANDED]
        if expanded == ctl[at.LIMIT] or (ctl[at.DEADLINE] > 0 and expanded & 63 == 63 and now(ctl) > ctl[at.DEADLINE]):
            ctl[at.STATUS] = at.CUTOFF
            return
        if events is not None:
            if ctl[at.EVENTS] + at.EVENT_ROOM > events.size:
                ctl[at.PAUSE] = at.PAUSE_EVENTS
                return
        spot = -1
        if ctl[at.LISTED] < room:
            spot = next_spot(ctl, first, arcs, stack, waypoints, spots)
        if spot < 0:
            ctl[at.PAUSE] = at.PAUSE_DAMAGED
            return
        ctl[at.BUDGET] -= 1
        ctl[at.EXPANDED] += 1
        list_point(geo, ctl, waypoints, int64(spots[spot, 0]), int64(spots[spot, 1]), events)
        ctl[HERE] = spot


@jit
def find_ends(geo, ctl, tiles, spots, labels, ends, best, events) -> None:
    """Find the ends of the path. That counts as an expansion, like each spot that it passes."""
    ctl[at.EXPANDED] += 1
    ctl[at.BUDGET] -= 1
    if events is not None:
        record(events, ctl, at.E_EXPANDING, ctl[at.START], -1, 0, ctl[at.ESTIMATE])
        record_accesses(geo, ctl, tiles, spots, ends, events)
    ctl[at.GENERATED] = ctl[at.TOUCHED] = meet(geo, ctl, tiles, spots, labels, ends, best)
    ctl[MET], ctl[HERE], ctl[STACKED] = 1, -1, 0
    if events is not None:
        if ctl[HUB] >= 0:
            record(events, ctl, at.E_SUBGOAL, cell_of(geo, spots, ctl[HUB]), -1, 0, 0)
        record(events, ctl, at.E_CLOSING, ctl[at.START], -1, 0, ctl[at.ESTIMATE])


@jit
def advance(geo, ctl, policy, tiles, spots, graph, hub_labels, steps, keys, stack, waypoints, events) -> None:
    """Find the ends of the path and unpack it, until it is listed or something stops it: PAUSE says what."""
    ctl[at.PAUSE] = 0
    first, arcs = graph
    if ctl[at.LIMIT] == 0:
        ctl[at.STATUS] = at.CUTOFF
    elif ctl[at.BUDGET] <= 0:
        ctl[at.PAUSE] = at.PAUSE_BUDGET
    elif ctl[MET] == 0:
        if events is not None:
            if ctl[at.EVENTS] + 2 * at.EVENT_ROOM > events.size:
                ctl[at.PAUSE] = at.PAUSE_EVENTS
                return
        count = spots.size >> 1
        find_ends(geo, ctl, tiles, spots, hub_labels, keys[count:], keys[:count], events)
        if ctl[COST] == at.INFINITE or not stack_arcs(ctl, first, arcs, hub_labels[0], hub_labels[1], steps, stack):
            ctl[at.PAUSE] = at.PAUSE_DAMAGED
            return
        if ctl[at.FLAGS] & at.FORGET_PATHS != 0 and ctl[COST] < policy[at.APART_BELOW]:
            ctl[at.STATUS], ctl[at.END], ctl[at.LISTED] = at.FOUND, ctl[at.GOAL], BY_COST
            return
    if ctl[MET] != 0 and ctl[at.STATUS] == at.RUNNING:
        follow(geo, ctl, spots, first, arcs, stack, waypoints, events)
        if ctl[at.STATUS] == at.RUNNING and ctl[at.PAUSE] == 0:
            list_elbow(ctl, waypoints, ctl[GOAL_X], ctl[GOAL_Y])  # drawn from the goal, diagonally first
            count = ctl[at.LISTED]
            waypoints[2 * count], waypoints[2 * count + 1] = ctl[GOAL_X], ctl[GOAL_Y]
            ctl[at.LISTED], ctl[at.STATUS], ctl[at.END] = count + 1, at.FOUND, ctl[at.GOAL]
            if events is not None:
                record(events, ctl, at.E_END, ctl[at.GOAL], -1, ctl[COST], 0)
    if ctl[at.STATUS] == at.CUTOFF:
        ctl[at.END], ctl[at.LISTED] = ctl[at.BEST], ctl[BEST_COUNT]


@jit
def close(geo, policy, waypoints, ctl, rows, i: int, whole, request, width: int, most: int) -> bool:
    """Write the path and the row of results; where no path is wanted, only the row.

    A path that does not cost what the labels say shows that the index is damaged.
    """
    by_cost = ctl[at.LISTED] == BY_COST
    if by_cost:
        straight, diagonal = tell_moves_apart(
            geo, policy, ctl[COST], ctl[START_X] - ctl[GOAL_X], ctl[START_Y] - ctl[GOAL_Y]
        )
    else:
        straight, diagonal = count_legs(waypoints, ctl[at.LISTED_AT], ctl[at.LISTED])
    price = straight * geo[at.CARDINAL] + diagonal * geo[at.DIAGONAL]
    sound = (straight >= 0) & (diagonal >= 0) & (straight + diagonal < most)
    sound &= (price == ctl[COST]) | (ctl[MET] == 0) | (ctl[at.STATUS] != at.FOUND)
    if not sound:
        ctl[at.PAUSE] = at.PAUSE_DAMAGED
        return False
    if not by_cost:
        return close_legs(waypoints, ctl, rows, i, whole, request, width, most)
    rows[i, at.ROW_STRAIGHT], rows[i, at.ROW_DIAGONAL] = straight, diagonal
    rows[i, at.ROW_LENGTH], rows[i, at.ROW_OFFSET] = straight + diagonal + 1, 0
    fill_row(ctl, rows, i)
    return True


# `spare` has room for the waypoints of a path through all spots; `bits` for a number per spot and the accesses of both
# ends; `queue` for the arcs that are being unpacked.
run = make_query_loop(
    __name__,
    open_ends,
    advance,
    None,
    close,
    {
        **LEGS,
        "tiles": "(index.places, index.masks, index.numbers, index.jumps)",
        "graph": "(index.first, index.arcs)",
        "hub_labels": "(index.label_first, index.hubs, index.costs)",
        "spots": "index.spots",
        "steps": "index.steps",
        "keys": "bits.view(np.int64)",
        "stack": "queue",
    },
)
