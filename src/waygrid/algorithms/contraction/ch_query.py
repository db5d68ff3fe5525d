"""Contraction hierarchies: the ends of a query meet in the labels of their accesses, and shortcuts unpack to waypoints.

As in a turn table (`pathdb.turntable_query`), a cheapest path from the goal reaches the start on a line, or leaves the
goal by one of its accesses q; from the start it reaches q on a line, or leaves by an access p. The distance between p
and q is the least sum over the hubs that their labels have in common (`labels_build`). Each hub keeps the cheapest way
from the start over any p, so all accesses of both ends are tried by reading each label once.

The path climbs from p to the hub, arc by arc, and descends to q. An arc that is a shortcut is replaced by the two arcs
of its middle node until none is left.
"""

from typing import NamedTuple

from waygrid.algorithms.contraction.accesses import LARGE, list_accesses, load_labels, see
from waygrid.algorithms.contraction.labels_build import find_hub
from waygrid.algorithms.contraction.neighbours_build import FROM_TARGET
from waygrid.algorithms.pathdb.turntable_query import (
    BEST_COUNT,
    BY_COST,
    COST,
    FAR_SPOT,
    GOAL_X,
    GOAL_Y,
    MET,
    NEAR_SPOT,
    SHIFT,
    START_X,
    START_Y,
    G,
    compare_with_best,
    open_ends,
    tell_moves_apart,
)
from waygrid.core import layout as at
from waygrid.core.clock import now
from waygrid.core.driver import make_query_loop
from waygrid.core.events import record
from waygrid.core.heuristics import natural
from waygrid.core.jit import Array, int64, jit
from waygrid.core.legs import LEGS, close_legs, count_legs, sign
from waygrid.core.prefetch import prefetch
from waygrid.core.query import fill_row

HUB = at.USER + 7  # of both; the rest of the state is that of a turn table, but for the next two
HERE = at.USER + 11  # the cell of the last spot that is listed, where events want it; -1: the start
STACKED = at.USER + 12  # numbers on the stack of arcs that are still to be unpacked
BIG = 2**62
UPPER, MIDDLE, DOWN = 0, 1, 2  # of an arc: its upper spot, the middle one (or the kind), its two parts


class Hierarchy(NamedTuple):
    """What a query reads."""

    places: Array  # of tiles: their block of jumps
    masks: Array  # of tiles: the cells that are spots
    numbers: Array  # of tiles: their first spot
    jumps: Array
    ranks: Array  # of spots, in the order of tiles; everything below is by rank
    spots: Array
    first: Array  # of every spot: its first arc; those of the next end them
    arcs: Array  # see UPPER; the parts of a shortcut lead from its middle to both ends
    labels: Array  # of every spot: where its label begins and ends
    hubs: Array
    costs: Array
    steps: Array


@jit
def cell_of(geo, spots, spot: int) -> int:
    """Return the cell of a spot."""
    return int64(spots[spot, 1]) * geo[at.WIDTH] + int64(spots[spot, 0])


@jit
def load_arcs(arcs, stack, used: int) -> None:
    """Have the arcs loaded that those on the stack are unpacked to, many at the same time.

    `follow` reads them one by one, each only when the one before it is known. Here those of a level are asked for
    before the first of them is read; they are listed behind the stack.
    """
    count, done = used if arcs.size >= LARGE else 0, 0
    for k in range(0, count, 2):
        prefetch(arcs, 4 * int64(stack[k]))
    while done < count:
        arc = int64(stack[done])
        done += 2 if done < used else 1
        if arc >= 0 and arcs[arc, MIDDLE] >= 0 and count + 2 <= stack.size:
            stack[count], stack[count + 1] = arcs[arc, DOWN], arcs[arc, DOWN + 1]
            prefetch(arcs, 4 * int64(stack[count]))
            prefetch(arcs, 4 * int64(stack[count + 1]))
            count += 2


@jit
def spread_labels(labels, ends, begin: int, end: int, best) -> None:
    """Let each hub of the start's accesses keep the cheapest way to it, and the access: the largest number is best."""
    places, hubs, costs = labels
    for a in range(begin, end, 2):
        base = BIG - (ends[a + 1] << SHIFT | (a >> 1))
        for k in range(places[ends[a], 0], places[ends[a], 1]):
            best[hubs[k]] = max(best[hubs[k]], base - (int64(costs[k]) << SHIFT))


@jit
def clear_labels(labels, ends, begin: int, end: int, best) -> None:
    """Clear what was spread."""
    places, hubs, _ = labels
    for a in range(begin, end, 2):
        for k in range(places[ends[a], 0], places[ends[a], 1]):
            best[hubs[k]] = 0


@jit
def meet_labels(ctl, labels, ends, begin: int, end: int, best) -> None:
    """Find the cheapest way over all accesses of both ends and their common hubs."""
    places, hubs, costs = labels
    least = at.INFINITE
    for b in range(begin, end, 2):
        own = at.INFINITE
        for k in range(places[ends[b], 0], places[ends[b], 1]):
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
    for k in range(places[far, 0], places[far, 1]):
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
    load_labels(labels, spots, ends, 0, own)
    all_ends = list_accesses(geo, tiles, goal_x, goal_y, ends, own)
    load_labels(labels, spots, ends, own, all_ends)
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
def climb(first, arcs, places, hubs, steps, spot: int, hub: int, stack, used: int, back: int) -> int:
    """Put the arcs from a spot up to its hub on the stack, as pairs (arc, spot << 1 | back); return its height.

    -1: the labels lead nowhere.
    """
    while spot != hub:
        entry = find_hub(places, hubs, spot, hub)
        if entry < 0 or used + 4 > stack.size or steps[entry] >= first[spot + 1] - first[spot]:
            return -1
        arc = int64(first[spot]) + int64(steps[entry])
        stack[used], stack[used + 1] = arc, spot << 1 | back
        used += 2
        spot = int64(arcs[arc, UPPER])
    return used


@jit
def stack_path(ctl, first, arcs, places, hubs, steps, stack) -> bool:
    """Put the path on the stack, its first spot on top and then all arcs; return whether the labels lead to the hub."""
    used, top = 0, ctl[NEAR_SPOT]
    if top < 0:
        top = ctl[FAR_SPOT]
    elif ctl[HUB] >= 0:
        used = climb(first, arcs, places, hubs, steps, ctl[FAR_SPOT], ctl[HUB], stack, 0, 1)
        if used < 0:
            return False
        low = used
        used = climb(first, arcs, places, hubs, steps, ctl[NEAR_SPOT], ctl[HUB], stack, used, 0)
        if used < 0:
            return False
        high = used - 2
        while low < high:
            arc, spot = stack[low], stack[low + 1]
            stack[low], stack[low + 1] = stack[high], stack[high + 1]
            stack[high], stack[high + 1] = arc, spot
            low, high = low + 2, high - 2
    if top >= 0:
        stack[used], stack[used + 1] = -1, top << 1
        used += 2
    ctl[STACKED] = used
    return True


@jit
def record_waypoint(geo, ctl, waypoints, count: int, events) -> None:
    """Record that the path has come to the spot that is its last waypoint."""
    x, y = int64(waypoints[2 * count - 2]), int64(waypoints[2 * count - 1])
    h, before = natural(geo, x, y, ctl[GOAL_X], ctl[GOAL_Y]), ctl[at.START]
    if ctl[HERE] >= 0:
        before = ctl[HERE]
    ctl[G] += natural(geo, before % geo[at.WIDTH], before // geo[at.WIDTH], x, y)
    cell = y * geo[at.WIDTH] + x
    for kind in (at.E_GENERATING, at.E_EXPANDING, at.E_CLOSING):
        record(events, ctl, kind, cell, before, ctl[G], h)
    ctl[HERE] = cell


@jit
def list_elbow(waypoints, count: int, x: int, y: int) -> int:
    """List where a leg to (x, y) that goes straight first turns, if it turns; return the number of waypoints."""
    dx, dy = x - int64(waypoints[2 * count - 2]), y - int64(waypoints[2 * count - 1])
    steep = min(abs(dx), abs(dy))
    waypoints[2 * count], waypoints[2 * count + 1] = x - steep * sign(dx), y - steep * sign(dy)
    return count + int64((steep > 0) & (abs(dx) != abs(dy)))


@jit
def follow(geo, ctl, spots, arcs, stack, waypoints, events) -> None:
    """List the spots of the path until something stops it: PAUSE says what.

    A shortcut on top of the stack gives way to the arcs from its middle to both ends, the first of which is followed
    back. What changes in the loop is kept in local numbers, not in `ctl`.
    """
    room, used, count = waypoints.size // 2 - 4, ctl[STACKED], ctl[at.LISTED]
    limit, deadline, expanded, budget = ctl[at.LIMIT], ctl[at.DEADLINE], ctl[at.EXPANDED], ctl[at.BUDGET]
    watched = ctl[at.FLAGS] & at.TRACK_BEST
    while used > 0:
        if budget <= 0:
            ctl[at.PAUSE] = at.PAUSE_BUDGET
            break
        if expanded == limit or (deadline > 0 and expanded & 63 == 63 and now(ctl) > deadline):
            ctl[at.STATUS] = at.CUTOFF
            break
        if events is not None:
            if ctl[at.EVENTS] + at.EVENT_ROOM > events.size:
                ctl[at.PAUSE] = at.PAUSE_EVENTS
                break
        arc, back = int64(stack[used - 2]), int64(stack[used - 1]) & 1
        while arc >= 0 and arcs[arc, MIDDLE] >= 0 and used + 2 <= stack.size:
            middle = int64(arcs[arc, MIDDLE]) << 1
            stack[used - 2], stack[used - 1] = arcs[arc, DOWN + 1 - back], middle
            arc, back = int64(arcs[arc, DOWN + back]), 1
            stack[used], stack[used + 1] = arc, middle | 1
            used += 2
        if used + 2 > stack.size or count > room:
            ctl[at.PAUSE] = at.PAUSE_DAMAGED
            break
        used -= 2
        spot = int64(stack[used + 1]) >> 1
        if arc >= 0 and back == 0:
            spot = int64(arcs[arc, UPPER])
        x, y = int64(spots[spot, 0]), int64(spots[spot, 1])
        if arc >= 0 and arcs[arc, MIDDLE] == FROM_TARGET + back:
            count = list_elbow(waypoints, count, x, y)
        waypoints[2 * count], waypoints[2 * count + 1] = x, y
        count += 1
        budget -= 1
        expanded += 1
        if watched:
            compare_with_best(geo, ctl, waypoints, count)
        if events is not None:
            record_waypoint(geo, ctl, waypoints, count, events)
    ctl[STACKED], ctl[at.LISTED], ctl[at.EXPANDED], ctl[at.BUDGET] = used, count, expanded, budget


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
        if ctl[COST] == at.INFINITE or not stack_path(ctl, first, arcs, hub_labels[0], hub_labels[1], steps, stack):
            ctl[at.PAUSE] = at.PAUSE_DAMAGED
            return
        if ctl[at.FLAGS] & at.FORGET_PATHS != 0 and ctl[COST] < policy[at.APART_BELOW]:
            ctl[at.STATUS], ctl[at.END], ctl[at.LISTED] = at.FOUND, ctl[at.GOAL], BY_COST
            return
        load_arcs(arcs, stack, ctl[STACKED])
    if ctl[MET] != 0 and ctl[at.STATUS] == at.RUNNING:
        follow(geo, ctl, spots, arcs, stack, waypoints, events)
        if ctl[at.STATUS] == at.RUNNING and ctl[at.PAUSE] == 0:
            # The last leg was drawn from the goal, diagonally first.
            count = list_elbow(waypoints, ctl[at.LISTED], ctl[GOAL_X], ctl[GOAL_Y])
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
        "tiles": "(index.places, index.masks, index.numbers, index.jumps, index.ranks)",
        "graph": "(index.first, index.arcs)",
        "hub_labels": "(index.labels, index.hubs, index.costs)",
        "spots": "index.spots",
        "steps": "index.steps",
        "keys": "bits.view(np.int64)",
        "stack": "queue",
    },
)
