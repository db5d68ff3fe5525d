"""The one best-first loop: A*, Dijkstra, best-first and the switching heuristic are policies of it, on all four grids.

Keys are g + h; among equal keys the newest cell comes first (it usually lies deepest). Where keys never fall, buckets
hold the open list; `keys=None` says so, and Numba drops the heap from that variant, as it drops tracing with
`events=None`, weights with `weights=None`, sets of goals with `goals=None`, goal bounds with `boxes=None`, dead ends
with `ends=None` and gates with `gates=None`.
"""

import numpy as np

from waygrid.algorithms.zones import gateway_query as gateway
from waygrid.algorithms.zones.dead_end_query import Ends, through_doors
from waygrid.core import layout as at
from waygrid.core.clock import now
from waygrid.core.driver import make_query_loop
from waygrid.core.events import record
from waygrid.core.goal_boxes import open_moves
from waygrid.core.heuristics import estimate, natural, towards
from waygrid.core.jit import int64, jit
from waygrid.core.query import came_from
from waygrid.core.queue import bucket_clear, bucket_next, bucket_push, bucket_remove, heap_down, heap_pop, heap_up

FALLEN = at.USER  # with gates: 1 while cells wait whose keys fell below the current one
FALLEN_BASE = at.USER + 1  # the least g that the second half of the buckets can tell from others
_CLOCK_EVERY = 255  # expansions between two looks at the clock (24 ns each)


@jit
def begin(policy, geo, nodes, queue, bits, keys, ctl, gates: gateway.Gates | None, events) -> None:
    """Put the start on the open list."""
    start, goal, width = ctl[at.START], ctl[at.GOAL], geo[at.WIDTH]
    key = 0
    if goal >= 0:
        key = estimate(policy, geo, start % width, start // width, goal % width, goal // width)
    if gates is not None:
        key = max(key, gateway.start_estimate(gates, geo, policy, nodes, ctl))
        if key == gateway.AWAY:  # no gate leads to the goal; with nothing open the search ends at once
            return
    ctl[at.ESTIMATE] = key
    nodes[start]["g"] = 0
    nodes[start]["state"] = np.uint32(ctl[at.SEARCH] << 4)
    if keys is None:
        bucket_push(nodes, queue, bits, key if gates is None else key & ((queue.size >> 1) - 1), start)
    else:
        nodes[start]["prev"] = 0
        heap_up(nodes, queue, keys, 0, key, start)
    ctl[at.KEY] = key
    ctl[at.OPEN] = ctl[at.PEAK] = ctl[at.GENERATED] = ctl[at.TOUCHED] = ctl[at.SEQUENCE] = 1
    if events is not None:
        record(events, ctl, at.E_GENERATING, start, -1, 0, key)


@jit
def meets_obstacle(policy, geo, legal: int, x: int, y: int, goal_x: int, goal_y: int) -> bool:
    """Return whether an expanded cell "encounters an obstacle" (Kumar et al., Costs and Heuristics).

    K1 to K3: some neighbour inside the map cannot be entered. K4: the step straight towards the goal cannot be taken.
    """
    if policy[at.READING] == 4:
        return (legal >> towards(geo, x, y, goal_x, goal_y)) & 1 == 0
    row = 8 * (x & 1)
    for d in range(8):
        nx, ny = x + geo[at.DX + d], y + geo[at.DY + row + d]
        inside = geo[at.COST + d] > 0 and 0 <= nx < geo[at.WIDTH] and 0 <= ny < geo[at.HEIGHT]
        if inside and (legal >> d) & 1 == 0:
            return True
    return False


@jit
def rekey(nodes, queue, keys, geo, size: int, goal: int, most: int, least: int) -> None:
    """Give every open cell its key under another heuristic and restore the heap (reading K2)."""
    width = geo[at.WIDTH]
    for place in range(size):
        cell = queue[place]
        dx, dy = abs(cell % width - goal % width), abs(cell // width - goal // width)
        keys[place] = nodes[cell]["g"] + ((most * max(dx, dy) + least * min(dx, dy)) >> at.H_SHIFT)
    for place in range(size // 2 - 1, -1, -1):
        heap_down(nodes, queue, keys, size, place, keys[place], queue[place])


@jit
def advance(
    moves,
    weights,
    geo,
    policy,
    nodes,
    queue,
    bits,
    keys,
    ctl,
    goals,
    boxes,
    ends: Ends | None,
    gates: gateway.Gates | None,
    events,
) -> None:
    """Expand cells until the search ends or something stops it: PAUSE says what."""
    width, goal = geo[at.WIDTH], ctl[at.GOAL]
    goal_x, goal_y = goal % width, goal // width
    search = np.uint32(ctl[at.SEARCH])
    linear = policy[at.HEURISTIC] == at.LINEAR
    most, least = policy[at.H_MAX], policy[at.H_MIN]
    if ctl[at.LATCH]:
        most, least = policy[at.OVER_MAX], policy[at.OVER_MIN]
    counts_g, reopen, reading, reverse = policy[at.KEY_G], policy[at.REOPEN], policy[at.READING], policy[at.REVERSE]
    mean = geo[at.RULE] == at.MEAN
    ahead = 0 if reverse and not mean else -1  # whether the weight of the cell behind a move counts, as a mask
    track = ctl[at.FLAGS] & at.TRACK_BEST
    limit, deadline = ctl[at.LIMIT], ctl[at.DEADLINE]
    size, peak, key, sequence, budget = ctl[at.OPEN], ctl[at.PEAK], ctl[at.KEY], ctl[at.SEQUENCE], ctl[at.BUDGET]
    expanded, generated, touched = ctl[at.EXPANDED], ctl[at.GENERATED], ctl[at.TOUCHED]
    status = at.RUNNING
    pause = 0
    if goals is not None:
        several = goals.size > 1
    if ends is not None:
        doors, ends_zone, block, last = ends.doors, ends.zone, ends.block, ends.last
    if gates is not None:
        zone, first, gate_boxes, costs, scale = gates.zone, gates.first, gates.boxes, gates.costs, gates.scale
        home, half, shift = ctl[gateway.HOME], queue.size >> 1, policy[at.BUCKET_SHIFT]
        fallen, base = ctl[FALLEN] != 0, ctl[FALLEN_BASE]
    while True:
        if size == 0:
            status = at.PARTIAL if ctl[at.FLAGS] & at.WANT_PARTIAL else at.UNREACHABLE
            break
        if budget <= 0:
            pause = at.PAUSE_BUDGET
            break
        if expanded == limit or (deadline > 0 and expanded & _CLOCK_EVERY == _CLOCK_EVERY and now(ctl) > deadline):
            status = at.CUTOFF
            break
        if events is not None:
            if ctl[at.EVENTS] + at.EVENT_ROOM > events.size:
                pause = at.PAUSE_EVENTS
                break
        if keys is None:
            if gates is not None:
                place = 0
                if fallen:
                    place = bucket_next(queue, bits, half) & (queue.size - 1)
                    fallen = place >= half
                if not fallen:
                    place = bucket_next(queue, bits, key & (half - 1)) & (half - 1)
                    key += (place - key) & (half - 1)
                cell = int64(queue[place])
            else:
                key = bucket_next(queue, bits, key)
                cell = int64(queue[key & (queue.size - 1)])
            bucket_remove(nodes, queue, bits, cell)
        else:
            key = int64(keys[0])
            cell = heap_pop(nodes, queue, keys, size)
        size -= 1
        budget -= 1
        expanded += 1
        g = int64(nodes[cell]["g"])
        x, y = cell % width, cell // width
        if track:
            left = natural(geo, x, y, goal_x, goal_y)
            if left < ctl[at.BEST_H] or (left == ctl[at.BEST_H] and g < ctl[at.BEST_G]):
                ctl[at.BEST], ctl[at.BEST_H], ctl[at.BEST_G] = cell, left, g
        nodes[cell]["state"] |= np.uint32(at.CLOSED)
        if events is not None:
            own_h = key - (g & counts_g)  # the estimate under which it was queued
            if gates is not None:  # its key may have been raised or lowered
                own_h = estimate(policy, geo, x, y, goal_x, goal_y)
                if int64(zone[cell]) != home:
                    own_h = max(
                        own_h, gateway.through_gates(ctl, gateway.zone_note(int64(zone[cell])), x, y, most, least)
                    )
            parent = -1 if cell == ctl[at.START] else came_from(nodes, geo, cell)
            record(events, ctl, at.E_EXPANDING, cell, parent, g, own_h)
        reached = cell == goal
        if goals is not None:
            if several:
                reached = goals[cell] != 0
        if reached:
            status = at.FOUND
            ctl[at.END] = cell
            if events is not None:
                record(events, ctl, at.E_END, cell, parent, g, 0)
            break
        legal = int64(moves[cell])
        if boxes is not None:
            legal &= open_moves(boxes, cell, goal_x, goal_y)
        if ends is not None:
            if doors[cell] & legal:
                legal = through_doors(ends_zone, block, last, geo, ctl, cell, legal, int64(doors[cell]), g, events)
        if keys is not None:
            if reading:
                if not ctl[at.LATCH] and meets_obstacle(policy, geo, legal, x, y, goal_x, goal_y):
                    most, least = policy[at.OVER_MAX], policy[at.OVER_MIN]
                    ctl[at.LATCH] = 1
                    if reading == 2:
                        rekey(nodes, queue, keys, geo, size, goal, most, least)
                if reading == 3:  # K3 looks at every cell anew
                    ctl[at.LATCH] = 0
        row = 8 * (x & 1)
        own = 0  # what the cell itself adds to the factor of every move
        if weights is not None:
            own = int64(weights[cell]) if mean or reverse else 0
        for d in range(8):
            if (legal >> d) & 1 == 0:
                continue
            n = cell + geo[at.STEP + row + d]
            state = nodes[n]["state"]
            price = geo[at.COST + d]
            if weights is not None:
                price *= own + (int64(weights[n]) & ahead)
            new_g = g + price
            fresh = True
            if state >> np.uint32(4) == search:
                if int64(nodes[n]["g"]) <= new_g:
                    continue
                if gates is None and keys is None:  # a closed cell cannot be reached more cheaply
                    fresh = False
                    bucket_remove(nodes, queue, bits, n)
                elif state & np.uint32(at.CLOSED):
                    if not reopen:
                        continue
                    generated += 1
                else:
                    fresh = False
                    if keys is None:
                        bucket_remove(nodes, queue, bits, n)
            else:
                generated += 1
                touched += 1
            if linear:
                dx, dy = abs(x + geo[at.DX + d] - goal_x), abs(y + geo[at.DY + row + d] - goal_y)
                h = (most * max(dx, dy) + least * min(dx, dy)) >> at.H_SHIFT
            else:
                h = estimate(policy, geo, x + geo[at.DX + d], y + geo[at.DY + row + d], goal_x, goal_y)
            if gates is not None:
                number = int64(zone[n])
                if number != home:
                    nx, ny = x + geo[at.DX + d], y + geo[at.DY + row + d]
                    note = gateway.zone_note(number)
                    if ctl[note] != ctl[gateway.OPENED]:
                        gateway.open_zone(first, gate_boxes, costs, scale, policy, ctl, number)
                    h = max(h, gateway.through_gates(ctl, note, nx, ny, most, least))
                    if h == gateway.AWAY:
                        generated -= 1
                        touched -= 1
                        continue
            nodes[n]["g"] = new_g
            nodes[n]["state"] = (search << np.uint32(4)) | np.uint32(d)
            if events is not None:
                record(events, ctl, at.E_GENERATING if fresh else at.E_UPDATING, n, cell, new_g, h)
            if keys is None:
                # Rounding of a floating-point heuristic can lower a key by one; the buckets must never see that.
                f = max(new_g + h, key)
                if gates is not None:  # keys fall and leap: an estimate may always be lowered to what the buckets hold
                    f = min(f, key + half - 1) & (half - 1)
                    if new_g + h < key:
                        if not fallen:
                            base = new_g - (half << shift) // 4
                        fallen = True
                        f = half + min(max((new_g - base) >> shift, 0), half - 1)
                bucket_push(nodes, queue, bits, f, n)
            else:
                nodes[n]["prev"] = sequence
                sequence += 1
                place = size if fresh else int64(nodes[n]["next"])
                heap_up(nodes, queue, keys, place, (new_g & counts_g) + h, n)
            if fresh:
                size += 1
        if keys is not None:
            if reading == 3:
                most, least = policy[at.H_MAX], policy[at.H_MIN]
        if size > peak:
            peak = size
        if events is not None:
            record(events, ctl, at.E_CLOSING, cell, parent, g, own_h)
    ctl[at.STATUS], ctl[at.PAUSE], ctl[at.BUDGET] = status, pause, budget
    ctl[at.OPEN], ctl[at.PEAK], ctl[at.KEY], ctl[at.SEQUENCE] = size, peak, key, sequence
    ctl[at.EXPANDED], ctl[at.GENERATED], ctl[at.TOUCHED] = expanded, generated, touched
    if gates is not None:
        ctl[FALLEN], ctl[FALLEN_BASE] = fallen, base
    if status == at.PARTIAL or status == at.CUTOFF:
        ctl[at.END] = ctl[at.BEST]


@jit
def clear_open(queue, bits, keys) -> None:
    """Leave the buckets empty for the next search; a heap needs nothing."""
    if keys is None:
        bucket_clear(queue, bits)


# What `advance` may do without; keys of a heap, where it has one, lie in the spare memory.
NO_INDEX = {"keys": "spare", "goals": "None", "boxes": "None", "ends": "None", "gates": "None"}
# `index` marks the cells of a set of goals; a single entry stands for "none", so that both have the same kernel.
run = make_query_loop(__name__, begin, advance, clear_open, names=NO_INDEX | {"goals": "index"})
