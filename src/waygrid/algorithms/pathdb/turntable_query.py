"""Turn tables: the cheapest way over all spots is found at the two ends of a query, and read off one row of steps.

The search for it begins at the goal. From there a canonical cheapest path reaches the start on a line, or leaves by one
of the goal's accesses q (see `spots_build`); from the start it likewise reaches q on a line, or leaves by an access p:

    d(start, goal) = min over q of  c(q, goal) + ( octile(start, q)  if q is on a line from the start
                                                   else  min over p of c(start, p) + D[p, q] )

Then the row of q leads from p to q, access by access. Legs are drawn from their near end, diagonal first, but for the
last one, which was drawn from the goal: its elbow is one more waypoint.
"""

from typing import NamedTuple

import numpy as np

from waygrid.algorithms.jumps.direct import direct
from waygrid.algorithms.pathdb.turntable_build import distance_place, no_step
from waygrid.core import layout as at
from waygrid.core.clock import now
from waygrid.core.driver import make_query_loop
from waygrid.core.events import record
from waygrid.core.heuristics import natural
from waygrid.core.jit import Array, int64, jit
from waygrid.core.legs import LEGS, close_legs, count_legs, sign, write_leg
from waygrid.core.query import fill_row

START_X, START_Y, GOAL_X, GOAL_Y = at.USER, at.USER + 1, at.USER + 2, at.USER + 3
COST = at.USER + 4  # of the cheapest path
NEAR_SPOT = at.USER + 5  # the first spot of the path, -1 where there is none but the last
FAR_SPOT = at.USER + 6  # the last one, -1 where the goal is on a line to the start
HERE = at.USER + 7  # the spot that comes next
G = at.USER + 8  # cost of the path so far, where events or limits want it
BEST_COUNT = at.USER + 9  # waypoints of the path to the closest one
MET = at.USER + 10  # 1: both ends are known
SHIFT = 20  # of a cost beside the number of an access
BY_COST = -1  # in place of the number of waypoints: the cost says all that is wanted


class TurnTable(NamedTuple):
    """What a query reads."""

    jumps: Array
    first: Array  # of every cell: its first access; those of the next end them
    accesses: Array
    spots: Array
    links: Array  # the spots of all accesses of spots
    distances: Array
    steps: Array  # in the row of a spot: of every spot, which of its links leads there


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
    return int64(spots[spot]["y"]) * geo[at.WIDTH] + int64(spots[spot]["x"])


@jit
def record_accesses(geo, ctl, first, accesses, spots, events) -> None:
    """Record the accesses of both ends: those of the goal are looked at from there."""
    record(events, ctl, at.E_GENERATING, ctl[at.GOAL], -1, 0, 0)
    for end in (at.START, at.GOAL):
        cell = ctl[end]
        for k in range(first[cell], first[cell + 1]):
            spot = int64(accesses[k]["spot"])
            h = natural(geo, int64(spots[spot]["x"]), int64(spots[spot]["y"]), ctl[GOAL_X], ctl[GOAL_Y])
            record(events, ctl, at.E_GENERATING, cell_of(geo, spots, spot), cell, int64(accesses[k]["cost"]), h)


@jit
def meet(geo, ctl, jumps, first, accesses, spots, distances, keys, events) -> None:
    """Find the cheapest way over the ends' accesses: COST and its first and last spot.

    The rows of the nearest accesses p0 and q0 decide nearly everything. By the triangle inequality the pair (p, q)
    costs at least D[p0, q] + c(q) + excess(p), and as much the other way round; q can be on a line from the start only
    if that is no shorter than D[p0, q] - c(p0). One or two pairs are left to look up.
    """
    start, goal = ctl[at.START], ctl[at.GOAL]
    x, y, goal_x, goal_y = ctl[START_X], ctl[START_Y], ctl[GOAL_X], ctl[GOAL_Y]
    ctl[NEAR_SPOT] = ctl[FAR_SPOT] = -1
    best = direct(geo, jumps, goal, x - goal_x, y - goal_y)
    if best >= 0:
        ctl[COST] = best
        return
    unit, steep = geo[at.CARDINAL], geo[at.DIAGONAL] - geo[at.CARDINAL]
    own, own_end = int64(first[start]), int64(first[start + 1])
    its, its_end = int64(first[goal]), int64(first[goal + 1])
    best, near, far, own_cost = at.INFINITE, -1, -1, at.INFINITE
    if own < own_end and its < its_end:
        own_cost, its_cost = int64(accesses[own]["cost"]), int64(accesses[its]["cost"])
        own_spot, its_spot = int64(accesses[own]["spot"]), int64(accesses[its]["spot"])
        least = at.INFINITE  # the cost and the number of its access, as one number: no branch to guess wrongly
        for a in range(own_end - own):
            place = distance_place(its_spot, int64(accesses[own + a]["spot"]))
            keys[a] = int64(distances[place]) + accesses[own + a]["cost"]
            least = min(least, (keys[a] + its_cost) << SHIFT | a)
        for b in range(own_end - own, own_end - own + its_end - its):
            place = distance_place(own_spot, int64(accesses[its - (own_end - own) + b]["spot"]))
            keys[b] = int64(distances[place]) + accesses[its - (own_end - own) + b]["cost"]
            least = min(least, (keys[b] + own_cost) << SHIFT | b)
        best, number = least >> SHIFT, least & ((1 << SHIFT) - 1)
        from_start = number < own_end - own
        near = int64(accesses[own + number]["spot"]) if from_start else own_spot
        far = its_spot if from_start else int64(accesses[its + number - (own_end - own)]["spot"])
    looked = 0
    for b in range(its, its_end):
        least = -1
        if own_cost != at.INFINITE:
            least = keys[own_end - own + b - its] - own_cost
        if least >= best:
            continue
        q, cost = int64(accesses[b]["spot"]), int64(accesses[b]["cost"])
        dx, dy = int64(spots[q]["x"]) - x, int64(spots[q]["y"]) - y
        whole = cost + unit * max(abs(dx), abs(dy)) + steep * min(abs(dx), abs(dy))
        if least <= whole < best:
            if direct(geo, jumps, start, dx, dy) >= 0:
                best, near, far = whole, -1, q
                continue
        excess, row = int64(accesses[b]["excess"]), least + own_cost
        for a in range(own, own_end):
            if keys[a - own] + excess < best and row + accesses[a]["excess"] < best:
                p = int64(accesses[a]["spot"])
                looked += 1
                whole = int64(distances[distance_place(p, q)]) + accesses[a]["cost"] + cost
                if events is not None:
                    cells = cell_of(geo, spots, q), cell_of(geo, spots, p)
                    record(events, ctl, at.E_UPDATING, cells[0], cells[1], whole - cost, cost)
                if whole < best:
                    best, near, far = whole, p, q
    ctl[COST], ctl[NEAR_SPOT], ctl[FAR_SPOT] = best, near, far
    ctl[at.GENERATED] = ctl[at.TOUCHED] = own_end - own + its_end - its + looked


@jit
def find_ends(geo, ctl, jumps, first, accesses, spots, distances, keys, events) -> None:
    """Find the first and the last spot of the path. That counts as an expansion, like each spot that it passes."""
    ctl[at.EXPANDED] += 1
    ctl[at.BUDGET] -= 1
    if events is not None:
        record(events, ctl, at.E_EXPANDING, ctl[at.START], -1, 0, ctl[at.ESTIMATE])
        record_accesses(geo, ctl, first, accesses, spots, events)
    meet(geo, ctl, jumps, first, accesses, spots, distances, keys, events)
    ctl[MET], ctl[HERE] = 1, ctl[NEAR_SPOT] if ctl[NEAR_SPOT] >= 0 else ctl[FAR_SPOT]
    if events is not None:
        record(events, ctl, at.E_CLOSING, ctl[at.START], -1, 0, ctl[at.ESTIMATE])


@jit
def count_events(ctl, first) -> int:
    """Return how many events the ends of a path may need."""
    own, its = (first[ctl[at.START] + 1] - first[ctl[at.START]]), (first[ctl[at.GOAL] + 1] - first[ctl[at.GOAL]])
    return (own + 1) * (its + 1) + at.EVENT_ROOM


@jit
def follow(geo, ctl, spots, links, steps, waypoints, events) -> None:
    """List the spots of the path, by the row of the last one, until something stops it: PAUSE says what.

    Steps are not checked when an index is loaded, for they are a third of it: what leads nowhere, or round in a circle
    until there is no room for another waypoint, is found here.
    """
    far, here, count, room = ctl[FAR_SPOT], ctl[HERE], ctl[at.LISTED], waypoints.size // 2 - 2
    row, none, watched = max(far, 0), no_step(steps), ctl[at.FLAGS] & at.TRACK_BEST
    limit, deadline, expanded, budget = ctl[at.LIMIT], ctl[at.DEADLINE], ctl[at.EXPANDED], ctl[at.BUDGET]
    while here >= 0:
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
        step, link = int64(steps[row, here]), int64(spots[here]["link"])
        if count > room or (step != none and link + step >= spots[here + 1]["link"]):
            ctl[at.PAUSE] = at.PAUSE_DAMAGED
            break
        budget -= 1
        expanded += 1
        waypoints[2 * count], waypoints[2 * count + 1] = spots[here]["x"], spots[here]["y"]
        count += 1
        if watched:
            compare_with_best(geo, ctl, waypoints, count)
        if events is not None:
            record_waypoint(geo, ctl, waypoints, count, events)
        onward = far if step == none else int64(links[link + step])
        here = -1 if here == far else onward
    ctl[HERE], ctl[at.LISTED], ctl[at.EXPANDED], ctl[at.BUDGET] = here, count, expanded, budget


@jit
def compare_with_best(geo, ctl, waypoints, count: int) -> None:
    """Remember the last waypoint where it is closer to the goal than all before it."""
    x, y = int64(waypoints[2 * count - 2]), int64(waypoints[2 * count - 1])
    h = natural(geo, x, y, ctl[GOAL_X], ctl[GOAL_Y])
    if h < ctl[at.BEST_H]:
        ctl[at.BEST], ctl[at.BEST_H], ctl[BEST_COUNT] = y * geo[at.WIDTH] + x, h, count


@jit
def record_waypoint(geo, ctl, waypoints, count: int, events) -> None:
    """Record that the path has come to its last waypoint."""
    x, y = int64(waypoints[2 * count - 2]), int64(waypoints[2 * count - 1])
    last_x, last_y = int64(waypoints[2 * count - 4]), int64(waypoints[2 * count - 3])
    ctl[G] += natural(geo, last_x, last_y, x, y)
    cell, before, h = (
        y * geo[at.WIDTH] + x,
        last_y * geo[at.WIDTH] + last_x,
        natural(geo, x, y, ctl[GOAL_X], ctl[GOAL_Y]),
    )
    for kind in (at.E_GENERATING, at.E_EXPANDING, at.E_CLOSING):
        record(events, ctl, kind, cell, before, ctl[G], h)


@jit
def list_last_leg(ctl, waypoints, events) -> None:
    """List the goal. The leg to it was drawn from there: from here it goes straight first, so its elbow is listed."""
    count, goal_x, goal_y = ctl[at.LISTED], ctl[GOAL_X], ctl[GOAL_Y]
    dx, dy = goal_x - int64(waypoints[2 * count - 2]), goal_y - int64(waypoints[2 * count - 1])
    steep = min(abs(dx), abs(dy))
    bent = int64((steep > 0) & (abs(dx) != abs(dy)))
    waypoints[2 * count], waypoints[2 * count + 1] = goal_x - steep * sign(dx), goal_y - steep * sign(dy)
    count += bent
    waypoints[2 * count], waypoints[2 * count + 1] = goal_x, goal_y
    ctl[at.LISTED], ctl[at.STATUS], ctl[at.END] = count + 1, at.FOUND, ctl[at.GOAL]


@jit
def advance(geo, ctl, policy, jumps, first, accesses, spots, links, distances, steps, keys, waypoints, events) -> None:
    """Find the ends of the path and follow it, until it is listed or something stops it: PAUSE says what."""
    ctl[at.PAUSE] = 0
    if ctl[at.LIMIT] == 0:
        ctl[at.STATUS] = at.CUTOFF
    elif ctl[at.BUDGET] <= 0:
        ctl[at.PAUSE] = at.PAUSE_BUDGET
    elif ctl[MET] == 0:
        if events is not None:
            if ctl[at.EVENTS] + count_events(ctl, first) > events.size:
                ctl[at.PAUSE] = at.PAUSE_EVENTS
                return
        find_ends(geo, ctl, jumps, first, accesses, spots, distances, keys, events)
        if ctl[COST] == at.INFINITE:
            ctl[at.PAUSE] = at.PAUSE_DAMAGED
            return
        if ctl[at.FLAGS] & (at.FORGET_PATHS | at.KEEP_ENDS) != 0 and ctl[COST] < policy[at.APART_BELOW]:
            ctl[at.STATUS], ctl[at.END], ctl[at.LISTED] = at.FOUND, ctl[at.GOAL], BY_COST
            return
    if ctl[MET] != 0:
        follow(geo, ctl, spots, links, steps, waypoints, events)
        if ctl[HERE] < 0:
            list_last_leg(ctl, waypoints, events)
            if events is not None:
                record(events, ctl, at.E_END, ctl[at.GOAL], -1, ctl[COST], 0)
    if ctl[at.STATUS] == at.CUTOFF:
        ctl[at.END], ctl[at.LISTED] = ctl[at.BEST], ctl[BEST_COUNT]


@jit
def tell_moves_apart(geo, policy, cost: int, dx: int, dy: int) -> tuple[int, int]:
    """Return how many straight and how many diagonal moves a path has, by what it costs and where it leads.

    The prices have no common divisor. So the cost decides the number of diagonal moves but for multiples of the
    straight price, and costs below APART_BELOW leave two of them, of which one has the right number of straight moves:
    odd, if the sides of the way add up to an odd number.
    """
    diagonal = cost * policy[at.INVERSE] % geo[at.CARDINAL]
    straight = (cost - diagonal * geo[at.DIAGONAL]) // geo[at.CARDINAL]
    other = (straight ^ dx ^ dy) & 1
    return straight - other * geo[at.DIAGONAL], diagonal + other * geo[at.CARDINAL]


@jit
def close(geo, policy, waypoints, ctl, rows, i: int, whole, request, width: int, most: int) -> bool:
    """Write the path and the row of results; where no path is wanted yet, only the row.

    A path that does not cost what the table says shows that the index is damaged.
    """
    keep_ends, by_cost = request[at.ASK_FLAGS] & at.KEEP_ENDS != 0, ctl[at.LISTED] == BY_COST
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
    if not by_cost and not keep_ends:
        return close_legs(waypoints, ctl, rows, i, whole, request, width, most)
    rows[i, at.ROW_STRAIGHT], rows[i, at.ROW_DIAGONAL] = straight, diagonal
    rows[i, at.ROW_LENGTH] = straight + diagonal + 1 if ctl[at.END] >= 0 else 0
    rows[i, at.ROW_OFFSET] = ctl[MET] * keep_ends * ((ctl[NEAR_SPOT] + 1) << 32 | (ctl[FAR_SPOT] + 1))
    fill_row(ctl, rows, i)
    return True


# `spare` has room for the waypoints of a path through all spots, `bits` for one number per access of both ends.
run = make_query_loop(
    __name__,
    open_ends,
    advance,
    None,
    close,
    {**LEGS, **{name: f"index.{name}" for name in TurnTable._fields}, "keys": "bits.view(np.int64)"},
)


@jit
def write_paths(queries, rows, spots, links, steps, cells) -> int:
    """Write the cells of paths that were left as their ends, and count their spots as expanded.

    Returns the number of a path that the index cannot lead, -1 where there is none.
    A row of results says how many cells a path has, so a damaged index cannot lead beyond them.
    """
    whole, offset, none = cells.view(np.int64), 0, no_step(steps)
    for i in range(len(rows)):
        length = rows[i, at.ROW_LENGTH]
        if length == 0:
            continue
        near, far = (rows[i, at.ROW_OFFSET] >> 32) - 1, (rows[i, at.ROW_OFFSET] & (2**32 - 1)) - 1
        here, row, end = near if near >= 0 else far, max(far, 0), offset + length - 1
        x, y, goal_x, goal_y = int64(queries[i, 0]), int64(queries[i, 1]), int64(queries[i, 2]), int64(queries[i, 3])
        whole[offset] = (y << 32) + x
        while here >= 0:
            spot = spots[here]
            to_x, to_y, link = int64(spot["x"]), int64(spot["y"]), int64(spot["link"])
            if max(abs(to_x - x), abs(to_y - y)) > end - offset:
                return i
            offset = write_leg(whole, offset, x, y, to_x, to_y)
            x, y = to_x, to_y
            rows[i, at.ROW_EXPANDED] += 1
            if here == far:
                break
            step = int64(steps[row, here])
            if step != none and link + step >= spots[here + 1]["link"]:
                return i
            here = far if step == none else int64(links[link + step])
        dx, dy = goal_x - x, goal_y - y
        steep = min(abs(dx), abs(dy))
        if max(abs(dx), abs(dy)) != end - offset:
            return i
        x_elbow, y_elbow = goal_x - steep * sign(dx), goal_y - steep * sign(dy)
        offset = write_leg(whole, offset, x, y, x_elbow, y_elbow)
        offset = write_leg(whole, offset, x_elbow, y_elbow, goal_x, goal_y) + 1
    return -1


@jit
def fill_costs(geo, labels, policy, table: TurnTable, room: int, starts, goals, diagonal: float, costs) -> None:
    """Fill costs[i, j] from start i to goal j, in straight moves: inf where there is no way, nan where it is not known.

    diagonal: what a diagonal move costs, 0 where that is what the integers say. room: for the accesses of two cells.
    """
    jumps, first, accesses, spots, distances = table.jumps, table.first, table.accesses, table.spots, table.distances
    ctl, keys, width = np.zeros(at.CTL_SIZE, np.int64), np.empty(room, np.int64), geo[at.WIDTH]
    for i in range(len(starts)):
        ctl[START_X], ctl[START_Y] = starts[i, 0], starts[i, 1]
        ctl[at.START] = ctl[START_Y] * width + ctl[START_X]
        for j in range(len(goals)):
            ctl[GOAL_X], ctl[GOAL_Y] = goals[j, 0], goals[j, 1]
            ctl[at.GOAL] = ctl[GOAL_Y] * width + ctl[GOAL_X]
            costs[i, j] = np.inf
            if labels[ctl[at.START]] == labels[ctl[at.GOAL]]:
                meet(geo, ctl, jumps, first, accesses, spots, distances, keys, None)
                dx, dy = ctl[GOAL_X] - ctl[START_X], ctl[GOAL_Y] - ctl[START_Y]
                costs[i, j] = np.nan
                if diagonal == 0.0:
                    costs[i, j] = ctl[COST] / geo[at.CARDINAL]
                elif ctl[COST] < policy[at.APART_BELOW]:
                    straight, steep = tell_moves_apart(geo, policy, ctl[COST], dx, dy)
                    costs[i, j] = straight + steep * diagonal
