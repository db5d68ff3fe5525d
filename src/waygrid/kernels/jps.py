"""Jump point search: A* whose successors are jump points, found by scanning (jps) or read from a table (jps+)."""

import numpy as np

from waygrid.kernels._jit import Array, int64, jit
from waygrid.kernels.clock import now
from waygrid.kernels.events import record
from waygrid.kernels.heuristics import natural
from waygrid.kernels.jumps import scan_diagonal, scan_straight, worthwhile
from waygrid.kernels.layout import (
    ASK_BUDGET,
    ASK_FIRST,
    ASK_LAST,
    BEST,
    BEST_G,
    BEST_H,
    BUDGET,
    CLOSED,
    COST,
    CUTOFF,
    DEADLINE,
    DX,
    DY,
    E_CLOSING,
    E_END,
    E_EXPANDING,
    E_GENERATING,
    E_UPDATING,
    END,
    ESTIMATE,
    EVENT_ROOM,
    EVENTS,
    EXPANDED,
    FLAGS,
    FOUND,
    GENERATED,
    GOAL,
    LIMIT,
    LISTED,
    OPEN,
    PAUSE,
    PAUSE_BUDGET,
    PAUSE_EVENTS,
    PEAK,
    RUNNING,
    SEARCH,
    SEQUENCE,
    START,
    STATUS,
    STEP,
    TOUCHED,
    TRACK_BEST,
    UNREACHABLE,
    WIDTH,
)
from waygrid.kernels.query import close_query, in_hand, open_query
from waygrid.kernels.queue import heap_pop, heap_up


@jit
def begin(geo: Array, nodes: Array, heap: Array, keys: Array, ctl: Array, events: Array | None) -> None:
    """Put the start on the open list."""
    start, goal, width = ctl[START], ctl[GOAL], geo[WIDTH]
    h = natural(geo, start % width, start // width, goal % width, goal // width)
    ctl[ESTIMATE] = h
    nodes[start]["g"], nodes[start]["prev"] = 0, 0
    nodes[start]["state"] = np.uint32(ctl[SEARCH] << 4)
    heap_up(nodes, heap, keys, 0, h, start)
    ctl[OPEN] = ctl[PEAK] = ctl[GENERATED] = ctl[TOUCHED] = ctl[SEQUENCE] = 1
    if events is not None:
        record(events, ctl, E_GENERATING, start, -1, 0, h)


@jit
def look_up(geo: Array, jumps: Array, cell: int, d: int, vx: int, vy: int) -> int:
    """Return the steps along d to a jump point, or to where the goal at (vx, vy) from here comes in reach; else 0.

    A straight direction that leads exactly to the goal ends there. A diagonal ends in the goal's row or column (the
    paper's target jump point), from where a straight move leads on.
    """
    reach = int64(jumps[cell, d])
    far = abs(reach)
    dx, dy = geo[DX + d], geo[DY + d]
    if d < 4:
        along = vx * dx + vy * dy
        if 0 < along <= far and vx * dy == 0 and vy * dx == 0:
            return along
    elif vx * dx > 0 and vy * dy > 0:
        near = min(abs(vx), abs(vy))
        if near <= far:
            return near
    return max(reach, 0)


@jit
def advance(
    moves: Array,
    geo: Array,
    nodes: Array,
    heap: Array,
    keys: Array,
    ctl: Array,
    jumps: Array | None,
    events: Array | None,
) -> None:
    """Expand jump points until the search ends or something stops it: PAUSE says what."""
    width, goal, start = geo[WIDTH], ctl[GOAL], ctl[START]
    goal_x, goal_y = goal % width, goal // width
    search, track = np.uint32(ctl[SEARCH]), ctl[FLAGS] & TRACK_BEST
    size, sequence, pause = ctl[OPEN], ctl[SEQUENCE], 0
    while True:
        if size == 0:
            ctl[STATUS] = UNREACHABLE
            break
        if ctl[BUDGET] <= 0:
            pause = PAUSE_BUDGET
            break
        late = ctl[DEADLINE] > 0 and ctl[EXPANDED] & 63 == 63 and now(ctl) > ctl[DEADLINE]
        if ctl[EXPANDED] == ctl[LIMIT] or late:
            ctl[STATUS], ctl[END] = CUTOFF, ctl[BEST]
            break
        if events is not None:
            if ctl[EVENTS] + EVENT_ROOM > events.size:
                pause = PAUSE_EVENTS
                break
        key = int64(keys[0])
        cell = heap_pop(nodes, heap, keys, size)
        size -= 1
        ctl[BUDGET] -= 1
        ctl[EXPANDED] += 1
        g = int64(nodes[cell]["g"])
        x, y = cell % width, cell // width
        if track:
            left = natural(geo, x, y, goal_x, goal_y)
            if left < ctl[BEST_H] or (left == ctl[BEST_H] and g < ctl[BEST_G]):
                ctl[BEST], ctl[BEST_H], ctl[BEST_G] = cell, left, g
        nodes[cell]["state"] |= np.uint32(CLOSED)
        if events is not None:
            record(events, ctl, E_EXPANDING, cell, parent_of(geo, nodes, ctl, cell), g, key - g)
        if cell == goal:
            ctl[STATUS], ctl[END] = FOUND, goal
            if events is not None:
                record(events, ctl, E_END, cell, parent_of(geo, nodes, ctl, cell), g, 0)
            break
        entered = int64(nodes[cell]["state"] & np.uint32(7))
        wanted = int64(moves[cell]) if cell == start else worthwhile(moves, geo, cell, entered)
        for d in range(8):
            if (wanted >> d) & 1 == 0:
                continue
            if jumps is not None:
                steps = look_up(geo, jumps, cell, d, goal_x - x, goal_y - y)
            elif d < 4:
                steps = scan_straight(moves, geo, cell, d, goal)
            else:
                steps = scan_diagonal(moves, geo, cell, d, goal)
            if steps <= 0:
                continue
            n, new_g = cell + steps * geo[STEP + d], g + steps * geo[COST + d]
            fresh = nodes[n]["state"] >> np.uint32(4) != search
            if not fresh and int64(nodes[n]["g"]) <= new_g:
                continue
            nodes[n]["g"], nodes[n]["prev"] = new_g, sequence
            nodes[n]["state"] = (search << np.uint32(4)) | np.uint32(d)
            sequence += 1
            h = natural(geo, x + steps * geo[DX + d], y + steps * geo[DY + d], goal_x, goal_y)
            heap_up(nodes, heap, keys, size if fresh else int64(nodes[n]["next"]), new_g + h, n)
            if events is not None:
                record(events, ctl, E_GENERATING if fresh else E_UPDATING, n, cell, new_g, h)
            if fresh:
                size += 1
                ctl[GENERATED] += 1
                ctl[TOUCHED] += 1
        ctl[PEAK] = max(ctl[PEAK], size)
        if events is not None:
            record(events, ctl, E_CLOSING, cell, parent_of(geo, nodes, ctl, cell), g, key - g)
    ctl[OPEN], ctl[SEQUENCE], ctl[PAUSE] = size, sequence, pause


@jit
def parent_of(geo: Array, nodes: Array, ctl: Array, cell: int) -> int:
    """Return the jump point before this one, -1 for the start: back along its direction to a node with a fitting g."""
    if cell == ctl[START]:
        return -1
    d = int64(nodes[cell]["state"] & np.uint32(7))
    g = int64(nodes[cell]["g"])
    search = np.uint32(ctl[SEARCH])
    while True:
        cell -= geo[STEP + d]
        g -= geo[COST + d]
        if nodes[cell]["state"] >> np.uint32(4) == search and int64(nodes[cell]["g"]) == g:
            return cell


@jit
def unwind(geo: Array, nodes: Array, heap: Array, ctl: Array) -> None:
    """List the cells from start to END in `heap`, which the search no longer needs.

    Records hold no parent: the way back follows a node's direction to the next node whose g fits. If that is another
    node than the one it was reached from, it is as cheap.
    """
    cell, start, search = ctl[END], ctl[START], np.uint32(ctl[SEARCH])
    if cell < 0:
        return
    count = 0
    d, g = int64(nodes[cell]["state"] & np.uint32(7)), int64(nodes[cell]["g"])
    while True:
        heap[count] = cell
        count += 1
        if cell == start:
            break
        cell -= geo[STEP + d]
        g -= geo[COST + d]
        if nodes[cell]["state"] >> np.uint32(4) == search and int64(nodes[cell]["g"]) == g:
            d = int64(nodes[cell]["state"] & np.uint32(7))
    for k in range(count // 2):
        heap[k], heap[count - 1 - k] = heap[count - 1 - k], heap[k]
    ctl[LISTED] = count


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
    keys: Array,
    ctl: Array,
    extra: Array | None,
    events: Array | None,
    queries: Array,
    rows: Array,
    cells: Array,
    ask: Array,
) -> int:
    """Answer queries, as `bestfirst.run` does; `extra` is the table of jumps, None for scanning."""
    ctl[BUDGET] = ask[ASK_BUDGET]
    for i in range(ask[ASK_FIRST], ask[ASK_LAST]):
        if not in_hand(ask, i):
            open_query(geo, labels, nodes, ctl, queries, i, ask, events)
            if ctl[STATUS] == RUNNING:
                begin(geo, nodes, queue, keys, ctl, events)
        if ctl[STATUS] == RUNNING:
            advance(moves, geo, nodes, queue, keys, ctl, extra, events)
            if ctl[STATUS] == RUNNING:
                return i
            unwind(geo, nodes, queue, ctl)
        if not close_query(weights, geo, nodes, queue, ctl, rows, i, cells, ask):
            return i
    return int(ask[ASK_LAST])
