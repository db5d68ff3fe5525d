"""Depth-first search, once or with a growing limit (iterative deepening).

The stack is the path itself: each record holds the direction that led there and, in `next`, the direction to try next,
so memory stays one record per cell however deep the search goes.
"""

import numpy as np

from waygrid.core.clock import now
from waygrid.core.events import record
from waygrid.core.heuristics import natural
from waygrid.core.jit import Array, int64, jit
from waygrid.core.layout import (
    ASK_BUDGET,
    ASK_FIRST,
    ASK_LAST,
    BEST,
    BEST_G,
    BEST_H,
    BOUND,
    BUDGET,
    CUTOFF,
    DEADLINE,
    DEPTH,
    E_BOUND,
    E_CLOSING,
    E_END,
    E_EXPANDING,
    E_GENERATING,
    END,
    EVENT_ROOM,
    EVENTS,
    EXPANDED,
    FLAGS,
    FOUND,
    GENERATED,
    GOAL,
    INFINITE,
    LIMIT,
    NEXT_BOUND,
    PAUSE,
    PAUSE_BUDGET,
    PAUSE_EVENTS,
    PEAK,
    RUNNING,
    SEARCH,
    START,
    STATUS,
    STEP,
    TOUCHED,
    TRACK_BEST,
    UNREACHABLE,
    USER,
    VARIANT,
    WIDTH,
)
from waygrid.core.query import came_from, close_query, in_hand, open_query, renew

HERE = USER  # the cell on top of the stack


@jit
def begin(policy: Array, nodes: Array, ctl: Array, events: Array | None) -> None:
    """Start an iteration: the start alone is on the stack."""
    start = ctl[START]
    nodes[start]["g"], nodes[start]["next"] = 0, 0
    nodes[start]["state"] = np.uint32(ctl[SEARCH] << 4)
    ctl[HERE], ctl[DEPTH] = start, 0
    if events is not None:
        record(events, ctl, E_GENERATING, start, -1, 0, 0)
    ctl[GENERATED] += 1
    ctl[TOUCHED] = 1  # of the last iteration, which is the largest
    if ctl[PEAK] == 0:
        ctl[PEAK] = 1
        ctl[BOUND] = 0 if policy[VARIANT] == 1 else INFINITE


@jit
def _note_best(geo: Array, ctl: Array, cell: int, depth: int) -> None:
    """Remember the cell closest to the goal; the directions in the records still lead back from it."""
    width, goal = geo[WIDTH], ctl[GOAL]
    left = natural(geo, cell % width, cell // width, goal % width, goal // width)
    if left < ctl[BEST_H] or (left == ctl[BEST_H] and depth < ctl[BEST_G]):
        ctl[BEST], ctl[BEST_H], ctl[BEST_G] = cell, left, depth


@jit
def advance(
    moves: Array,
    geo: Array,
    policy: Array,
    nodes: Array,
    ctl: Array,
    events: Array | None,
) -> None:
    """Walk the tree until the search ends or something stops it: PAUSE says what."""
    width, goal, start = geo[WIDTH], ctl[GOAL], ctl[START]
    track = ctl[FLAGS] & TRACK_BEST
    cell, depth, bound = ctl[HERE], ctl[DEPTH], ctl[BOUND]
    pause = 0
    while True:
        if nodes[cell]["next"] == 0:  # entered just now
            if ctl[BUDGET] <= 0:
                pause = PAUSE_BUDGET
                break
            late = ctl[DEADLINE] > 0 and ctl[EXPANDED] & 255 == 255 and now(ctl) > ctl[DEADLINE]
            if ctl[EXPANDED] == ctl[LIMIT] or late:
                ctl[STATUS] = CUTOFF
                break
            if events is not None:
                if ctl[EVENTS] + EVENT_ROOM > events.size:
                    pause = PAUSE_EVENTS
                    break
                record(events, ctl, E_EXPANDING, cell, -1 if cell == start else came_from(nodes, geo, cell), depth, 0)
            ctl[EXPANDED] += 1
            ctl[BUDGET] -= 1
            if track:
                _note_best(geo, ctl, cell, depth)
            if cell == goal:
                ctl[STATUS], ctl[END] = FOUND, goal
                if events is not None:
                    record(events, ctl, E_END, cell, came_from(nodes, geo, cell), depth, 0)
                break
        row = 8 * (cell % width & 1)
        legal, d = moves[cell], int64(nodes[cell]["next"])
        entered = False
        while d < 8:
            n = cell + geo[STEP + row + d]
            if (legal >> d) & 1:
                # Deepening must look at a cell again when it is reached by fewer moves, or it would miss paths.
                seen = nodes[n]["state"] >> np.uint32(4) == np.uint32(ctl[SEARCH])
                if not seen or nodes[n]["g"] > depth + 1:
                    if depth >= bound:
                        ctl[NEXT_BOUND] = 1
                    elif policy[VARIANT] == 1 or not seen:
                        entered = True
                        break
            d += 1
        if entered:
            nodes[cell]["next"] = d + 1
            if not seen:
                ctl[TOUCHED] += 1
            depth += 1
            nodes[n]["g"], nodes[n]["next"] = depth, 0
            nodes[n]["state"] = np.uint32(ctl[SEARCH] << 4) | np.uint32(d)
            ctl[GENERATED] += 1
            ctl[PEAK] = max(ctl[PEAK], depth + 1)
            if events is not None:
                record(events, ctl, E_GENERATING, n, cell, depth, 0)
            cell = n
            continue
        nodes[cell]["next"] = 8
        if events is not None:
            if ctl[EVENTS] + EVENT_ROOM > events.size:
                pause = PAUSE_EVENTS
                break
            record(events, ctl, E_CLOSING, cell, -1 if cell == start else came_from(nodes, geo, cell), depth, 0)
        if cell != start:
            cell = came_from(nodes, geo, cell)
            depth -= 1
            continue
        if ctl[NEXT_BOUND] == 0:  # nothing was cut off: all that can be reached has been seen
            ctl[STATUS] = UNREACHABLE
            break
        bound += 1
        ctl[BOUND], ctl[NEXT_BOUND] = bound, 0
        renew(nodes, ctl)
        if events is not None:
            record(events, ctl, E_BOUND, start, -1, bound, 0)
        begin(policy, nodes, ctl, events)
        cell, depth = start, 0
    if ctl[STATUS] == CUTOFF:
        ctl[END] = ctl[BEST]
    ctl[HERE], ctl[DEPTH], ctl[PAUSE] = cell, depth, pause


@jit
def run(
    moves: Array,
    weights: Array | None,
    geo: Array,
    labels: Array,
    policy: Array,
    nodes: Array,
    queue: Array,
    bits: Array,
    keys: Array | None,
    ctl: Array,
    extra: Array | None,
    events: Array | None,
    queries: Array,
    rows: Array,
    cells: Array,
    ask: Array,
) -> int:
    """Answer queries, as `bestfirst.run` does."""
    ctl[BUDGET] = ask[ASK_BUDGET]
    for i in range(ask[ASK_FIRST], ask[ASK_LAST]):
        if not in_hand(ask, i):
            open_query(geo, labels, nodes, ctl, queries, i, ask, events)
            if ctl[STATUS] == RUNNING:
                begin(policy, nodes, ctl, events)
        if ctl[STATUS] == RUNNING:
            advance(moves, geo, policy, nodes, ctl, events)
            if ctl[STATUS] == RUNNING:
                return i
        if not close_query(weights, geo, nodes, queue, ctl, rows, i, cells, ask):
            return i
    return int(ask[ASK_LAST])
