"""JPS+ and JPS+ with goal bounding: A* on the graph of turns (see `turns`).

The start is one more node, the last record: its edges are drawn when the query comes, by the table of jumps. A node
that reaches the goal without another turn needs no edges. With goal bounds (`boxes` per cell and move for the start;
those of turns lie in their edges) an edge is followed only if its box holds the goal.

Records are kept per turn, not per cell: on orz100d records and graph take 1.1 MB, and a search reads them in order; the
same search on tables per cell took three times as long.
"""

from typing import NamedTuple

import numpy as np

from waygrid.algorithms.jumps.direct import bearing, direct, on_map
from waygrid.algorithms.jumps.turns_build import turn_number
from waygrid.core import layout as at
from waygrid.core.clock import now
from waygrid.core.driver import make_query_loop
from waygrid.core.events import record
from waygrid.core.goal_boxes import holds
from waygrid.core.heuristics import natural
from waygrid.core.jit import Array, int64, jit
from waygrid.core.legs import LEGS, close_legs
from waygrid.core.queue import bucket_clear, bucket_next, bucket_push, bucket_remove

REACHED = at.USER  # cost of the best way to the goal so far
LAST_TURN = at.USER + 1  # the turn from which that way reaches the goal
BEST_TURN = at.USER + 2  # the turn closest to the goal so far
START_X, START_Y, GOAL_X, GOAL_Y = (
    at.USER + 3,
    at.USER + 4,
    at.USER + 5,
    at.USER + 6,
)  # a division takes as long as a step


class Tables(NamedTuple):
    """What the search reads beside the move table."""

    jumps: Array
    tags: Array  # see `turns`, also for the next two
    turns: Array
    edges: Array
    boxes: Array | None  # goal bounds of every cell and move, for the start


@jit
def cell_of(turns, width: int, ctl, turn: int) -> int:
    """Return the cell of a node, -1 for none."""
    if turn < 0:
        return -1
    return int64(turns[turn]["y"]) * width + int64(turns[turn]["x"]) if turn < turns.size - 1 else ctl[at.START]


@jit
def open_start(geo, nodes, ctl, queries, i: int, events) -> None:
    """Set up a search whose only node is the start."""
    own = nodes.size - 1
    nodes[own]["g"], nodes[own]["parent"] = 0, -1
    for k in range(4):
        ctl[START_X + k] = queries[i, k]
    h = natural(geo, ctl[START_X], ctl[START_Y], ctl[GOAL_X], ctl[GOAL_Y])
    ctl[at.ESTIMATE], ctl[REACHED], ctl[BEST_TURN] = h, at.INFINITE, own
    ctl[at.BEST_H], ctl[at.BEST_G] = h, 0
    ctl[at.GENERATED] = ctl[at.TOUCHED] = ctl[at.PEAK] = 1
    if ctl[at.LIMIT] == 0:
        ctl[at.STATUS], ctl[at.END] = at.CUTOFF, ctl[at.START]
    if events is not None:
        record(events, ctl, at.E_GENERATING, ctl[at.START], -1, 0, h)


@jit
def expand_start(moves, geo, nodes, queue, bits, ctl, jumps, tags, boxes, shift: int, events) -> None:
    """Expand the start: draw its lines and put the turns where they end on the open list.

    A turn is met at most once, since a line of one direction crosses its row or column only once. Jumps are not
    checked when an index is loaded, for they are most of it: what leaves the map, or ends where no turn is, is found
    here.
    """
    start, own, width, height = ctl[at.START], nodes.size - 1, geo[at.WIDTH], geo[at.HEIGHT]
    x, y, goal_x, goal_y = ctl[START_X], ctl[START_Y], ctl[GOAL_X], ctl[GOAL_Y]
    ctl[at.KEY], ctl[at.OPEN] = at.INFINITE >> shift, 0
    cut = ctl[at.LIMIT] == 0  # then nothing is expanded; a return here would count references
    ctl[at.EXPANDED] += not cut
    ctl[at.BUDGET] -= 1
    if events is not None:
        record(events, ctl, at.E_EXPANDING, start, -1, 0, ctl[at.ESTIMATE])
    way = direct(geo, jumps, start, goal_x - x, goal_y - y)
    if way >= 0:
        ctl[REACHED], ctl[LAST_TURN] = way, own
    for d in range(8):
        if way >= 0 or cut or (moves[start] >> d) & 1 == 0:
            continue
        if boxes is not None:
            if not holds(boxes, 8 * start + d, goal_x, goal_y):
                continue
        here, g, hx, hy = start, 0, x, y
        while True:
            reach = int64(jumps[here, d])
            if reach <= 0:
                break
            here, g = here + reach * geo[at.STEP + d], g + reach * geo[at.COST + d]
            hx, hy = hx + reach * geo[at.DX + d], hy + reach * geo[at.DY + d]
            if not on_map(width, height, hx, hy) or (d < 4 and (tags[here] >> d) & 1 == 0):
                ctl[at.PAUSE] = at.PAUSE_DAMAGED
                break
            if d < 4 or (tags[here] >> d) & 1:
                offer(geo, nodes, queue, bits, ctl, tags, here, hx, hy, d, g, shift, events)
                break
            for e in (d & 3, (d + 1) & 3):
                along = int64(jumps[here, e])
                if along <= 0:
                    continue
                if boxes is not None:
                    if not holds(boxes, 8 * here + e, goal_x, goal_y):
                        continue
                there, far = here + along * geo[at.STEP + e], g + along * geo[at.CARDINAL]
                tx, ty = hx + along * geo[at.DX + e], hy + along * geo[at.DY + e]
                if not on_map(width, height, tx, ty) or (tags[there] >> e) & 1 == 0:
                    ctl[at.PAUSE] = at.PAUSE_DAMAGED
                    continue
                offer(geo, nodes, queue, bits, ctl, tags, there, tx, ty, e, far, shift, events)
            if boxes is not None:
                if not holds(boxes, 8 * here + d, goal_x, goal_y):
                    break
    if events is not None:
        record(events, ctl, at.E_CLOSING, start, -1, 0, ctl[at.ESTIMATE])


@jit
def offer(geo, nodes, queue, bits, ctl, tags, cell: int, x: int, y: int, d: int, g: int, shift: int, events) -> None:
    """Put a turn that the start leads to on the open list."""
    turn = turn_number(tags, cell, d)
    h = natural(geo, x, y, ctl[GOAL_X], ctl[GOAL_Y])
    nodes[turn]["g"], nodes[turn]["parent"] = g, nodes.size - 1
    nodes[turn]["state"] = np.uint32(ctl[at.SEARCH] << 4)
    bucket_push(nodes, queue, bits, (g + h) >> shift, turn)
    ctl[at.KEY] = min(ctl[at.KEY], (g + h) >> shift)
    for counter in (at.OPEN, at.GENERATED, at.TOUCHED):
        ctl[counter] += 1
    ctl[at.PEAK] = max(ctl[at.PEAK], ctl[at.OPEN])
    if events is not None:
        record(events, ctl, at.E_GENERATING, cell, ctl[at.START], g, h)


@jit
def advance(geo, nodes, queue, bits, ctl, jumps, turns, edges, shift: int, events) -> None:
    """Expand turns until the search ends or something stops it: PAUSE says what.

    As in `jps`, a bucket holds a range of keys and gives its turns in no order; a turn reached more cheaply afterwards
    is opened again, and the search continues until no open turn can lead to a cheaper path than the one found.
    """
    width, goal, unit, steep = geo[at.WIDTH], ctl[at.GOAL], geo[at.CARDINAL], geo[at.DIAGONAL] - geo[at.CARDINAL]
    goal_x, goal_y = ctl[GOAL_X], ctl[GOAL_Y]
    search, track = np.uint32(ctl[at.SEARCH] << 4), ctl[at.FLAGS] & at.TRACK_BEST
    size, peak, key, reached, budget = ctl[at.OPEN], ctl[at.PEAK], ctl[at.KEY], ctl[REACHED], ctl[at.BUDGET]
    limit, deadline, expanded = ctl[at.LIMIT], ctl[at.DEADLINE], ctl[at.EXPANDED]
    generated, touched = ctl[at.GENERATED], ctl[at.TOUCHED]
    hand, hand_key, pause = -1, int64(0), 0  # held back: the best of the last successors, which mostly comes next
    while True:
        if size > 0:
            key = bucket_next(queue, bits, key)
        if hand >= 0:
            if size > 0 and key < hand_key:  # not this time: it waits with the others
                bucket_push(nodes, queue, bits, hand_key, hand)
                size += 1
                hand = -1
            else:
                key = hand_key
        if (hand < 0 and size == 0) or key << shift >= reached:
            ctl[at.STATUS] = at.UNREACHABLE
            if reached != at.INFINITE:
                ctl[at.STATUS], ctl[at.END] = at.FOUND, goal
                if events is not None:
                    record(events, ctl, at.E_END, goal, cell_of(turns, width, ctl, ctl[LAST_TURN]), reached, 0)
            break
        if budget <= 0:
            pause = at.PAUSE_BUDGET
            break
        if expanded == limit or (deadline > 0 and expanded & 63 == 63 and now(ctl) > deadline):
            ctl[at.STATUS], ctl[at.END] = at.CUTOFF, ctl[at.BEST]
            break
        turn = hand if hand >= 0 else int64(queue[key & (queue.size - 1)])
        edge, last = int64(turns[turn]["edge"]), int64(turns[turn]["last"])
        if events is not None:
            if ctl[at.EVENTS] + 4 + last - edge > events.size:
                pause = at.PAUSE_EVENTS
                break
        if hand < 0:
            bucket_remove(nodes, queue, bits, turn)
            size -= 1
        hand = -1
        budget -= 1
        expanded += 1
        x, y, g = int64(turns[turn]["x"]), int64(turns[turn]["y"]), int64(nodes[turn]["g"])
        cell = y * width + x
        nodes[turn]["state"] |= np.uint32(at.CLOSED)
        dx, dy = abs(x - goal_x), abs(y - goal_y)
        left = unit * max(dx, dy) + steep * min(dx, dy)
        if track:
            if left < ctl[at.BEST_H] or (left == ctl[at.BEST_H] and g < ctl[at.BEST_G]):
                ctl[at.BEST], ctl[at.BEST_H], ctl[at.BEST_G], ctl[BEST_TURN] = cell, left, g, turn
        if events is not None:
            before = cell_of(turns, width, ctl, nodes[turn]["parent"])
            record(events, ctl, at.E_EXPANDING, cell, before, g, left)
        if max(dx, dy) <= turns[turn]["near"]:
            if (int64(turns[turn]["wanted"]) >> bearing(goal_x - x, goal_y - y)) & 1:
                way = direct(geo, jumps, cell, goal_x - x, goal_y - y)
                if way >= 0:
                    if g + way < reached:
                        reached, ctl[LAST_TURN] = g + way, turn
                    last = edge  # no turn leads to a cheaper way
        for own in range(edge, last):
            if not holds(edges, own, goal_x, goal_y):
                continue
            n, new_g = int64(edges[own]["turn"]), g + int64(edges[own]["cost"])
            state = nodes[n]["state"]
            fresh = (state ^ search) > np.uint32(15)
            if not fresh and int64(nodes[n]["g"]) <= new_g:
                continue
            dx, dy = abs(int64(edges[own]["x"]) - goal_x), abs(int64(edges[own]["y"]) - goal_y)
            h = unit * max(dx, dy) + steep * min(dx, dy)
            new = new_g + h
            if new >= reached:
                continue
            if events is not None:
                kind = at.E_GENERATING if fresh else at.E_UPDATING
                record(events, ctl, kind, cell_of(turns, width, ctl, n), cell, new_g, h)
            nodes[n]["g"] = new_g
            nodes[n]["parent"] = turn
            nodes[n]["state"] = search
            if not fresh and state & np.uint32(at.CLOSED) == 0:  # waiting already, or held back
                if n == hand:
                    hand_key = new >> shift
                    continue
                bucket_remove(nodes, queue, bits, n)
                size -= 1
            else:
                generated += 1
                touched += fresh
            other, other_key = n, new >> shift
            if hand < 0 or other_key < hand_key:
                other, other_key, hand, hand_key = hand, hand_key, n, other_key
            if other >= 0:
                bucket_push(nodes, queue, bits, other_key, other)
                size += 1
        peak = max(peak, size + (hand >= 0))
        if events is not None:
            record(events, ctl, at.E_CLOSING, cell, before, g, left)
    if hand >= 0:
        bucket_push(nodes, queue, bits, hand_key, hand)
        size += 1
    ctl[at.OPEN], ctl[at.PEAK], ctl[at.KEY], ctl[REACHED], ctl[at.BUDGET] = size, peak, key, reached, budget
    ctl[at.EXPANDED], ctl[at.GENERATED], ctl[at.TOUCHED], ctl[at.PAUSE] = expanded, generated, touched, pause


@jit
def list_waypoints(nodes, turns, ctl, waypoints) -> None:
    """List the waypoints (x, y) of the path, from the start to its end, at the end of the array.

    LISTED counts them: none where END says that there is no path.
    """
    place, turn = waypoints.size, ctl[BEST_TURN]
    if ctl[at.STATUS] == at.FOUND:
        turn = ctl[LAST_TURN]
        waypoints[place - 2], waypoints[place - 1] = ctl[GOAL_X], ctl[GOAL_Y]
        place -= 2
    while turn < turns.size - 1:
        waypoints[place - 2], waypoints[place - 1] = turns[turn]["x"], turns[turn]["y"]
        place -= 2
        turn = int64(nodes[turn]["parent"])
    waypoints[place - 2], waypoints[place - 1] = ctl[START_X], ctl[START_Y]
    ctl[at.LISTED_AT] = place - 2
    ctl[at.LISTED] = (waypoints.size - place) // 2 + 1 if ctl[at.END] >= 0 else 0


# `spare` has room for the waypoints of a path through all nodes.
run = make_query_loop(
    __name__,
    (open_start, expand_start),
    advance,
    (bucket_clear, list_waypoints),
    close_legs,
    {
        **LEGS,
        **{name: f"index.{name}" for name in Tables._fields},
        "heads": "queue",
        "shift": "policy[at.BUCKET_SHIFT]",
    },
)
