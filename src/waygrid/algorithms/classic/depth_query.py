"""Depth-first search, once or with a growing limit (iterative deepening).

The stack is the path itself: each record holds the direction that led there and, in `next`, the direction to try next,
so memory stays one record per cell however deep the search goes.
"""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.driver import make_query_loop
from waygrid.core.events import record
from waygrid.core.heuristics import natural
from waygrid.core.jit import int64, jit
from waygrid.core.query import came_from, may_expand, renew

HERE = at.USER  # the cell on top of the stack


@jit
def begin(policy, nodes, ctl, events) -> None:
    """Start an iteration: the start alone is on the stack."""
    start = ctl[at.START]
    nodes[start]["g"], nodes[start]["next"] = 0, 0
    nodes[start]["state"] = np.uint32(ctl[at.SEARCH] << 4)
    ctl[HERE], ctl[at.DEPTH] = start, 0
    if events is not None:
        record(events, ctl, at.E_GENERATING, start, -1, 0, 0)
    ctl[at.GENERATED] += 1
    ctl[at.TOUCHED] = 1  # of the last iteration, which is the largest
    if ctl[at.PEAK] == 0:
        ctl[at.PEAK] = 1
        ctl[at.BOUND] = 0 if policy[at.DEEPENING] == 1 else at.INFINITE


@jit
def _note_best(geo, ctl, cell: int, depth: int) -> None:
    """Remember the cell closest to the goal; the directions in the records still lead back from it."""
    width, goal = geo[at.WIDTH], ctl[at.GOAL]
    left = natural(geo, cell % width, cell // width, goal % width, goal // width)
    if left < ctl[at.BEST_H] or (left == ctl[at.BEST_H] and depth < ctl[at.BEST_G]):
        ctl[at.BEST], ctl[at.BEST_H], ctl[at.BEST_G] = cell, left, depth


@jit
def advance(moves, geo, policy, nodes, ctl, events) -> None:
    """Walk the tree until the search ends or something stops it: PAUSE says what."""
    width, goal, start = geo[at.WIDTH], ctl[at.GOAL], ctl[at.START]
    track = ctl[at.FLAGS] & at.TRACK_BEST
    cell, depth, bound = ctl[HERE], ctl[at.DEPTH], ctl[at.BOUND]
    while True:
        if nodes[cell]["next"] == 0:  # entered just now
            if not may_expand(ctl, 255, events):
                break
            if events is not None:
                record(
                    events, ctl, at.E_EXPANDING, cell, -1 if cell == start else came_from(nodes, geo, cell), depth, 0
                )
            ctl[at.EXPANDED] += 1
            ctl[at.BUDGET] -= 1
            if track:
                _note_best(geo, ctl, cell, depth)
            if cell == goal:
                ctl[at.STATUS], ctl[at.END] = at.FOUND, goal
                if events is not None:
                    record(events, ctl, at.E_END, cell, came_from(nodes, geo, cell), depth, 0)
                break
        row = 8 * (cell % width & 1)
        legal, d = moves[cell], int64(nodes[cell]["next"])
        entered = False
        while d < 8:
            n = cell + geo[at.STEP + row + d]
            if (legal >> d) & 1:
                # Deepening must look at a cell again when it is reached by fewer moves, or it would miss paths.
                seen = nodes[n]["state"] >> np.uint32(4) == np.uint32(ctl[at.SEARCH])
                if not seen or nodes[n]["g"] > depth + 1:
                    if depth >= bound:
                        ctl[at.NEXT_BOUND] = 1
                    elif policy[at.DEEPENING] == 1 or not seen:
                        entered = True
                        break
            d += 1
        if entered:
            nodes[cell]["next"] = d + 1
            if not seen:
                ctl[at.TOUCHED] += 1
            depth += 1
            nodes[n]["g"], nodes[n]["next"] = depth, 0
            nodes[n]["state"] = np.uint32(ctl[at.SEARCH] << 4) | np.uint32(d)
            ctl[at.GENERATED] += 1
            ctl[at.PEAK] = max(ctl[at.PEAK], depth + 1)
            if events is not None:
                record(events, ctl, at.E_GENERATING, n, cell, depth, 0)
            cell = n
            continue
        nodes[cell]["next"] = 8
        if events is not None:
            if ctl[at.EVENTS] + at.EVENT_ROOM > events.size:
                ctl[at.PAUSE] = at.PAUSE_EVENTS
                break
            record(events, ctl, at.E_CLOSING, cell, -1 if cell == start else came_from(nodes, geo, cell), depth, 0)
        if cell != start:
            cell = came_from(nodes, geo, cell)
            depth -= 1
            continue
        if ctl[at.NEXT_BOUND] == 0:  # nothing was cut off: all that can be reached has been seen
            ctl[at.STATUS] = at.UNREACHABLE
            break
        bound += 1
        ctl[at.BOUND], ctl[at.NEXT_BOUND] = bound, 0
        renew(nodes, ctl)
        if events is not None:
            record(events, ctl, at.E_BOUND, start, -1, bound, 0)
        begin(policy, nodes, ctl, events)
        cell, depth = start, 0
    if ctl[at.STATUS] == at.CUTOFF:
        ctl[at.END] = ctl[at.BEST]
    ctl[HERE], ctl[at.DEPTH] = cell, depth


run = make_query_loop(__name__, begin, advance)
