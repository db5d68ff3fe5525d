"""Breadth-first search from one end and from both: fewest moves, whatever they cost."""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.driver import make_query_loop
from waygrid.core.events import record
from waygrid.core.heuristics import natural
from waygrid.core.jit import int64, jit
from waygrid.core.query import came_from, may_expand

# Places in ctl. The forward queue grows from the front of `queue`, the backward one from its end: together they hold
# each cell once. A backward record carries the CLOSED bit, and its direction leads towards the goal.
HEAD, TAIL = at.USER, at.USER + 1  # 2 + 2: the next cell to take, the next free place, forward; then backward
LAYER = at.USER + 4  # 2: cells of the present layer still to take, forward and backward
MEET, MEET_FROM, MEET_BY = at.USER + 6, at.USER + 7, at.USER + 8  # the best contact so far
SIDE = at.USER + 9  # the side whose layer is being expanded


@jit
def begin(policy, nodes, queue, ctl, events) -> None:
    """Put the start, and for the search from both ends the goal, in their queues."""
    stamp = np.uint32(ctl[at.SEARCH] << 4)
    nodes[ctl[at.START]]["g"], nodes[ctl[at.START]]["state"] = 0, stamp
    queue[0] = ctl[at.START]
    ctl[HEAD], ctl[TAIL], ctl[LAYER] = 0, 1, 1
    ctl[at.OPEN] = ctl[at.PEAK] = ctl[at.GENERATED] = ctl[at.TOUCHED] = 1
    ctl[at.BOUND] = at.INFINITE
    if events is not None:
        record(events, ctl, at.E_GENERATING, ctl[at.START], -1, 0, 0)
    if policy[at.BOTH_ENDS] == 1:
        nodes[ctl[at.GOAL]]["g"], nodes[ctl[at.GOAL]]["state"] = 0, stamp | np.uint32(at.CLOSED)
        queue[queue.size - 1] = ctl[at.GOAL]
        ctl[HEAD + 2], ctl[TAIL + 2], ctl[LAYER + 1] = 0, 1, 1
        ctl[at.OPEN] = ctl[at.PEAK] = ctl[at.GENERATED] = ctl[at.TOUCHED] = 2
        if events is not None:
            record(events, ctl, at.E_GENERATING, ctl[at.GOAL], -1, 0, 0)


@jit
def _enter(nodes, ctl, cell: int, from_cell: int, d: int, side: int) -> None:
    """Note a contact of the two searches if it gives fewer moves than the best so far."""
    moves = nodes[cell]["g"] + nodes[from_cell]["g"] + 1
    if moves < ctl[at.BOUND]:
        ctl[at.BOUND] = moves
        ctl[MEET_FROM], ctl[MEET], ctl[MEET_BY] = (from_cell, cell, d) if side == 0 else (cell, from_cell, d)


@jit
def _join(geo, nodes, ctl) -> None:
    """Turn the backward half of the path into forward records, so that it can be traced from the goal."""
    stamp = np.uint32(ctl[at.SEARCH] << 4)
    cell, d = ctl[MEET], ctl[MEET_BY]
    while True:
        onward = int64(nodes[cell]["state"] & np.uint32(7))
        nodes[cell]["state"] = stamp | np.uint32(d)
        if cell == ctl[at.GOAL]:
            break
        d = onward
        cell += geo[at.STEP + 8 * (cell % geo[at.WIDTH] & 1) + d]
    ctl[at.STATUS], ctl[at.END] = at.FOUND, ctl[at.GOAL]


@jit
def advance(moves, geo, policy, nodes, queue, ctl, reverse, events) -> None:
    """Expand cells until the search ends or something stops it: PAUSE says what."""
    width, goal = geo[at.WIDTH], ctl[at.GOAL]
    goal_x, goal_y = goal % width, goal // width
    both = policy[at.BOTH_ENDS] == 1
    search = np.uint32(ctl[at.SEARCH])
    track = ctl[at.FLAGS] & at.TRACK_BEST
    while True:
        side = ctl[SIDE]
        if ctl[LAYER + side] == 0:  # a layer is done: a contact is now the best there is; else take the smaller side
            if ctl[at.BOUND] != at.INFINITE:
                _join(geo, nodes, ctl)
                break
            ctl[LAYER + side] = ctl[TAIL + 2 * side] - ctl[HEAD + 2 * side]
            if ctl[LAYER + side] == 0:
                ctl[at.STATUS] = at.UNREACHABLE
                break
            if both:
                ctl[SIDE] = 1 if ctl[LAYER + 1] < ctl[LAYER] else 0
                continue
        if not may_expand(ctl, 255, events):
            break
        place = ctl[HEAD + 2 * side]
        cell = int64(queue[place if side == 0 else queue.size - 1 - place])
        ctl[HEAD + 2 * side] += 1
        ctl[LAYER + side] -= 1
        ctl[at.OPEN] -= 1
        ctl[at.EXPANDED] += 1
        ctl[at.BUDGET] -= 1
        g = int64(nodes[cell]["g"])
        if track and side == 0:
            left = natural(geo, cell % width, cell // width, goal_x, goal_y)
            if left < ctl[at.BEST_H]:  # cells come in order of their moves, so the first of equals is the cheapest
                ctl[at.BEST], ctl[at.BEST_H], ctl[at.BEST_G] = cell, left, g
        parent = -1
        if events is not None:
            if side == 0 and cell != ctl[at.START]:
                parent = came_from(nodes, geo, cell)
            record(events, ctl, at.E_EXPANDING, cell, parent, g, 0)
        legal = moves[cell] if side == 0 else reverse[cell]
        row = 8 * (cell % width & 1)
        for d in range(8):
            if (legal >> d) & 1 == 0:
                continue
            n = cell + geo[at.STEP + row + d]
            state = nodes[n]["state"]
            by = d if side == 0 else geo[at.OPPOSITE + d]
            if state >> np.uint32(4) == search:
                if both and int64(state & np.uint32(at.CLOSED) != 0) != side:
                    _enter(nodes, ctl, n, cell, by, side)
                continue
            nodes[n]["g"] = g + 1
            nodes[n]["state"] = (search << np.uint32(4)) | np.uint32(by | at.CLOSED if side == 1 else by)
            place = ctl[TAIL + 2 * side]
            queue[place if side == 0 else queue.size - 1 - place] = n
            ctl[TAIL + 2 * side] += 1
            ctl[at.OPEN] += 1
            ctl[at.GENERATED] += 1
            ctl[at.TOUCHED] += 1
            if events is not None:
                record(events, ctl, at.E_GENERATING, n, cell, g + 1, 0)
            if n == goal:  # one side: the goal is tested when generated, since no shorter way can follow
                ctl[at.STATUS], ctl[at.END] = at.FOUND, goal
                break
        ctl[at.PEAK] = max(ctl[at.PEAK], ctl[at.OPEN])
        if events is not None:
            record(events, ctl, at.E_CLOSING, cell, parent, g, 0)
        if ctl[at.STATUS] == at.FOUND:
            break
    if ctl[at.STATUS] == at.CUTOFF:
        ctl[at.END] = ctl[at.BEST]
    if events is not None:
        if ctl[at.STATUS] == at.FOUND:
            record(events, ctl, at.E_END, goal, came_from(nodes, geo, goal), int64(nodes[goal]["g"]), 0)


run = make_query_loop(__name__, begin, advance, names={"reverse": "index"})
