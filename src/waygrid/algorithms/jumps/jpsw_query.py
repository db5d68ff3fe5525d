"""Jump point search on weighted maps: A* that follows lines through even terrain instead of queueing every cell.

A line ends where more than the moves of jump point search are worth trying (`terrain_patterns`): where terrain changes,
and behind walls. Every cell that a line passes keeps its cost, and no line goes on where another was as cheap before
("prospective g" in the paper). So the path can be followed back cell by cell.
"""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.driver import make_query_loop
from waygrid.core.events import record
from waygrid.core.jit import int64, jit
from waygrid.core.query import may_expand
from waygrid.core.queue import bucket_clear, bucket_next, bucket_push, bucket_remove

REACHED = at.USER  # cost of the best way to the goal so far
MOST = at.USER + 1  # lines end at this cost: what comes later fits the buckets
LEAST = at.USER + 2  # and where a path along them costs at least this: cells that promise more come first
ORIGIN = at.USER + 3  # the cell from which lines begin
H_MAX, H_MIN, GOAL_X, GOAL_Y, SHIFT = at.USER + 4, at.USER + 5, at.USER + 6, at.USER + 7, at.USER + 8
BEFORE_GOAL = at.USER + 9  # the cell from which the line to the goal began
_LOOK = 7  # a straight line looks after every eighth step whether it should wait, a diagonal after every other: looking
_LOOK_ACROSS = 1  # at each step cost a twentieth of the time


@jit
def estimate_left(geo, ctl, cell: int) -> int:
    """Return the cost of the empty map to the goal, all of the cheapest terrain."""
    y = cell // geo[at.WIDTH]
    dx, dy = abs(cell - y * geo[at.WIDTH] - ctl[GOAL_X]), abs(y - ctl[GOAL_Y])
    return int(ctl[H_MAX] * max(dx, dy) + ctl[H_MIN] * min(dx, dy))


@jit
def begin(policy, geo, nodes, queue, bits, ctl, events) -> None:
    """Put the start on the open list."""
    start, goal = ctl[at.START], ctl[at.GOAL]
    ctl[GOAL_X], ctl[GOAL_Y] = goal % geo[at.WIDTH], goal // geo[at.WIDTH]
    ctl[H_MAX], ctl[H_MIN], ctl[SHIFT] = policy[at.H_MAX], policy[at.H_MIN], policy[at.BUCKET_SHIFT]
    h = estimate_left(geo, ctl, start)
    ctl[at.ESTIMATE], ctl[at.KEY], ctl[REACHED] = h, h >> policy[at.BUCKET_SHIFT], at.INFINITE
    nodes[start]["g"] = 0
    nodes[start]["state"] = np.uint32(ctl[at.SEARCH] << 4)
    bucket_push(nodes, queue, bits, ctl[at.KEY], start)
    ctl[at.OPEN] = ctl[at.PEAK] = ctl[at.GENERATED] = ctl[at.TOUCHED] = 1
    if events is not None:
        record(events, ctl, at.E_GENERATING, start, -1, 0, h)


@jit
def open_cell(geo, nodes, queue, bits, ctl, cell: int, d: int, g: int, events) -> None:
    """End a line: let its last cell wait, if a path through it can be the cheapest."""
    search = np.uint32(ctl[at.SEARCH])
    fresh = nodes[cell]["state"] >> np.uint32(4) != search
    h = estimate_left(geo, ctl, cell)
    nodes[cell]["g"] = g
    nodes[cell]["state"] = (search << np.uint32(4)) | np.uint32(at.CLOSED | d)
    if g + h >= ctl[REACHED]:
        return
    if events is not None:
        record(events, ctl, at.E_GENERATING if fresh else at.E_UPDATING, cell, ctl[ORIGIN], g, h)
    ctl[at.GENERATED] += 1
    if cell == ctl[at.GOAL]:
        ctl[REACHED], ctl[BEFORE_GOAL] = g, ctl[ORIGIN]
        return
    nodes[cell]["state"] = (search << np.uint32(4)) | np.uint32(d)
    bucket_push(nodes, queue, bits, (g + h) >> ctl[SHIFT], cell)
    ctl[at.OPEN] += 1


@jit
def follow_line(weights, geo, nodes, queue, bits, numbers, successors, ctl, cell: int, d: int, g: int, events) -> None:
    """Follow a straight line from a cell of cost g until it ends or another line was as cheap before."""
    search, step, price = np.uint32(ctl[at.SEARCH]), geo[at.STEP + d], geo[at.COST + d]
    most, least, goal, several, only = ctl[MOST], ctl[LEAST], ctl[at.GOAL], int(weights.size > 1), 1 << d
    passed = (search << np.uint32(4)) | np.uint32(at.CLOSED | d)
    moves, steps, touched = only, 0, 0
    while moves != 0:
        cell += step
        steps += 1
        place = np.uint64(cell)  # without a sign, so that nothing is counted from the end of an array
        g += price * int64(weights[np.uint64(cell * several)])
        state = nodes[place]["state"]
        if state >> np.uint32(4) != search:
            touched += 1
        elif int64(nodes[place]["g"]) <= g:
            break
        elif state & np.uint32(at.CLOSED) == 0:
            bucket_remove(nodes, queue, bits, cell)
            ctl[at.OPEN] -= 1
        moves = int64(successors[np.uint64(numbers[place]), np.uint64(d)])
        over = g >= most or (steps & _LOOK == 0 and g + estimate_left(geo, ctl, cell) >= least)
        if moves | only != only or over or cell == goal:
            open_cell(geo, nodes, queue, bits, ctl, cell, d, g, events)
            break
        nodes[place]["g"] = g
        nodes[place]["state"] = passed
    ctl[at.TOUCHED] += touched


@jit
def follow_diagonal(
    weights, geo, nodes, queue, bits, numbers, successors, ctl, cell: int, d: int, g: int, events
) -> None:
    """The same along a diagonal, with the straight lines that leave it."""
    search, step, price = np.uint32(ctl[at.SEARCH]), geo[at.STEP + d], geo[at.COST + d]
    most, least, goal, several = ctl[MOST], ctl[LEAST], ctl[at.GOAL], int(weights.size > 1)
    one, two = d & 3, (d + 1) & 3
    natural = 1 << d | 1 << one | 1 << two
    passed = (search << np.uint32(4)) | np.uint32(at.CLOSED | d)
    moves, steps = 1 << d, 0
    while (moves >> d) & 1:
        cell += step
        steps += 1
        place = np.uint64(cell)
        g += price * int64(weights[np.uint64(cell * several)])
        state = nodes[place]["state"]
        if state >> np.uint32(4) != search:
            ctl[at.TOUCHED] += 1
        elif int64(nodes[place]["g"]) <= g:
            return
        elif state & np.uint32(at.CLOSED) == 0:
            bucket_remove(nodes, queue, bits, cell)
            ctl[at.OPEN] -= 1
        moves = int64(successors[np.uint64(numbers[place]), np.uint64(d)])
        over = g >= most or (steps & _LOOK_ACROSS == 0 and g + estimate_left(geo, ctl, cell) >= least)
        if moves | natural != natural or over or cell == goal:
            open_cell(geo, nodes, queue, bits, ctl, cell, d, g, events)
            return
        nodes[place]["g"] = g
        nodes[place]["state"] = passed
        if (moves >> one) & 1:
            follow_line(weights, geo, nodes, queue, bits, numbers, successors, ctl, cell, one, g, events)
        if (moves >> two) & 1:
            follow_line(weights, geo, nodes, queue, bits, numbers, successors, ctl, cell, two, g, events)


@jit
def limit_lines(policy, ctl, g: int, h: int) -> None:
    """Decide how far lines are followed from a cell: not far at first, since the goal may be near.

    With lines of full length from the start, queries across 3 cells had 0.54 to 0.79 of the speed of A* on weighted
    maps and took 1.1 ms on an open one of 512 x 512; now 1.01 or more, and 0.5 us.
    """
    expanded = ctl[at.EXPANDED]
    ctl[MOST] = g + policy[at.LINE_UNIT] * min(policy[at.LINE_CELLS], 1 + (expanded * expanded >> 6))
    ctl[LEAST] = g + h + policy[at.LINE_UNIT] * min(policy[at.LINE_SLACK], expanded >> 3)


@jit
def next_cell(queue, bits, ctl) -> int:
    """Return the first cell of the open list, -1 where none can lead to a cheaper path than the one found."""
    if ctl[at.OPEN] > 0:
        ctl[at.KEY] = bucket_next(queue, bits, ctl[at.KEY])
    if ctl[at.OPEN] == 0 or ctl[at.KEY] << ctl[SHIFT] >= ctl[REACHED]:
        return -1
    return int64(queue[ctl[at.KEY] & (queue.size - 1)])


@jit
def may_follow(geo, ctl, events) -> bool:
    """Return whether one more cell may be expanded, as `may_expand` does, with room for the events of its lines.

    Four diagonals open at most two cells at each step and one at their end.
    """
    if events is not None:
        if ctl[at.EVENTS] + 8 * min(geo[at.WIDTH], geo[at.HEIGHT]) + at.EVENT_ROOM > events.size:
            ctl[at.PAUSE] = at.PAUSE_EVENTS
            return False
    return may_expand(ctl, 63, events)


@jit
def advance(moves, weights, geo, policy, nodes, queue, bits, numbers, successors, ctl, events) -> None:
    """Expand cells where lines ended until the search ends or something stops it: PAUSE says what.

    A bucket holds a range of keys and gives its cells in no order; and a line may pass a cell before a cheaper one
    does. Cells that are reached more cheaply afterwards are passed or opened again.
    """
    start, goal = ctl[at.START], ctl[at.GOAL]
    while True:
        cell = next_cell(queue, bits, ctl)
        if cell < 0:
            found = ctl[REACHED] != at.INFINITE
            ctl[at.STATUS], ctl[at.END] = at.FOUND if found else at.UNREACHABLE, goal if found else -1
            if events is not None:
                if found:
                    record(events, ctl, at.E_END, goal, ctl[BEFORE_GOAL], ctl[REACHED], 0)
            return
        if not may_follow(geo, ctl, events):
            ctl[at.END] = ctl[at.BEST] if ctl[at.STATUS] == at.CUTOFF else -1
            return
        bucket_remove(nodes, queue, bits, cell)
        ctl[at.OPEN] -= 1
        g = int64(nodes[cell]["g"])
        h = estimate_left(geo, ctl, cell)
        nodes[cell]["state"] |= np.uint32(at.CLOSED)
        if g + h >= ctl[REACHED]:
            continue
        ctl[at.BUDGET] -= 1
        ctl[at.EXPANDED] += 1
        if h < ctl[at.BEST_H] or (h == ctl[at.BEST_H] and g < ctl[at.BEST_G]):
            ctl[at.BEST], ctl[at.BEST_H], ctl[at.BEST_G] = cell, h, g
        if events is not None:
            record(events, ctl, at.E_EXPANDING, cell, -1, g, h)
        limit_lines(policy, ctl, g, h)
        ctl[ORIGIN] = cell
        wanted = int64(moves[cell])
        if cell != start:
            wanted &= int64(successors[numbers[cell], int64(nodes[cell]["state"] & np.uint32(7))])
        for d in range(8):
            if (wanted >> d) & 1 == 0:
                continue
            if d < 4:
                follow_line(weights, geo, nodes, queue, bits, numbers, successors, ctl, cell, d, g, events)
            else:
                follow_diagonal(weights, geo, nodes, queue, bits, numbers, successors, ctl, cell, d, g, events)
        ctl[at.PEAK] = max(ctl[at.PEAK], ctl[at.OPEN])
        if events is not None:
            record(events, ctl, at.E_CLOSING, cell, -1, g, h)


@jit
def finish(queue, bits) -> None:
    """Empty the buckets."""
    bucket_clear(queue, bits)


run = make_query_loop(__name__, begin, advance, finish, names={"numbers": "index[0]", "successors": "index[1]"})
