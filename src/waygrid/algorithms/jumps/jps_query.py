"""Jump point search: A* whose successors are jump points, found by scanning the map."""

import numpy as np

from waygrid.algorithms.jumps.jump_points import scan_diagonal, scan_straight, worthwhile
from waygrid.core import layout as at
from waygrid.core.driver import make_query_loop
from waygrid.core.events import record
from waygrid.core.heuristics import natural
from waygrid.core.jit import int64, jit
from waygrid.core.query import may_expand
from waygrid.core.queue import bucket_clear, bucket_next, bucket_push, bucket_remove

REACHED = at.USER  # cost of the best way to the goal so far


@jit
def begin(policy, geo, nodes, queue, bits, ctl, events) -> None:
    """Put the start on the open list."""
    start, goal, width = ctl[at.START], ctl[at.GOAL], geo[at.WIDTH]
    h = natural(geo, start % width, start // width, goal % width, goal // width)
    ctl[at.ESTIMATE], ctl[at.KEY], ctl[REACHED] = h, h >> policy[at.BUCKET_SHIFT], at.INFINITE
    nodes[start]["g"] = 0
    nodes[start]["state"] = np.uint32(ctl[at.SEARCH] << 4)
    bucket_push(nodes, queue, bits, ctl[at.KEY], start)
    ctl[at.OPEN] = ctl[at.PEAK] = ctl[at.GENERATED] = ctl[at.TOUCHED] = 1
    if events is not None:
        record(events, ctl, at.E_GENERATING, start, -1, 0, h)


@jit
def advance(moves, geo, policy, nodes, queue, bits, ctl, events) -> None:
    """Expand jump points until the search ends or something stops it: PAUSE says what.

    A jump's length spans many keys, so a bucket holds a range of them and gives its cells in no order. That costs a few
    expansions; a cell reached more cheaply afterwards is opened again, and the search continues until no open cell can
    lead to a cheaper path than the one found.
    """
    width, goal, start = geo[at.WIDTH], ctl[at.GOAL], ctl[at.START]
    goal_x, goal_y = goal % width, goal // width
    search, track = np.uint32(ctl[at.SEARCH]), ctl[at.FLAGS] & at.TRACK_BEST
    size, key, shift, reached = ctl[at.OPEN], ctl[at.KEY], policy[at.BUCKET_SHIFT], ctl[REACHED]
    while True:
        if size > 0:
            key = bucket_next(queue, bits, key)
        if size == 0 or key << shift >= reached:
            ctl[at.STATUS] = at.UNREACHABLE
            if reached != at.INFINITE:
                ctl[at.STATUS], ctl[at.END] = at.FOUND, goal
                if events is not None:
                    record(events, ctl, at.E_END, goal, parent_of(geo, nodes, ctl, goal), reached, 0)
            break
        if not may_expand(ctl, 63, events):
            ctl[at.END] = ctl[at.BEST] if ctl[at.STATUS] == at.CUTOFF else -1
            break
        cell = int64(queue[key & (queue.size - 1)])
        bucket_remove(nodes, queue, bits, cell)
        size -= 1
        ctl[at.BUDGET] -= 1
        ctl[at.EXPANDED] += 1
        g = int64(nodes[cell]["g"])
        x, y = cell % width, cell // width
        nodes[cell]["state"] |= np.uint32(at.CLOSED)
        if track:
            left = natural(geo, x, y, goal_x, goal_y)
            if left < ctl[at.BEST_H] or (left == ctl[at.BEST_H] and g < ctl[at.BEST_G]):
                ctl[at.BEST], ctl[at.BEST_H], ctl[at.BEST_G] = cell, left, g
        if events is not None:
            own_h = natural(geo, x, y, goal_x, goal_y)
            record(events, ctl, at.E_EXPANDING, cell, parent_of(geo, nodes, ctl, cell), g, own_h)
        entered = int64(nodes[cell]["state"] & np.uint32(7))
        wanted = int64(moves[cell]) if cell == start else worthwhile(moves, geo, cell, entered)
        for d in range(8):
            if (wanted >> d) & 1 == 0:
                continue
            if d < 4:
                steps = scan_straight(moves, geo, cell, d, goal)
            else:
                steps = scan_diagonal(moves, geo, cell, d, goal)
            if steps <= 0:
                continue
            n, new_g = cell + steps * geo[at.STEP + d], g + steps * geo[at.COST + d]
            state = nodes[n]["state"]
            fresh = state >> np.uint32(4) != search
            if not fresh and int64(nodes[n]["g"]) <= new_g:
                continue
            dx, dy = abs(x + steps * geo[at.DX + d] - goal_x), abs(y + steps * geo[at.DY + d] - goal_y)
            h = geo[at.CARDINAL] * max(dx, dy) + (geo[at.DIAGONAL] - geo[at.CARDINAL]) * min(dx, dy)
            if new_g + h >= reached:
                continue
            if events is not None:
                record(events, ctl, at.E_GENERATING if fresh else at.E_UPDATING, n, cell, new_g, h)
            waiting = not fresh and n != goal and state & np.uint32(at.CLOSED) == 0
            if waiting:
                bucket_remove(nodes, queue, bits, n)
            nodes[n]["g"] = new_g
            nodes[n]["state"] = (search << np.uint32(4)) | np.uint32(d)
            ctl[at.TOUCHED] += fresh
            if n == goal:
                reached = new_g
                continue
            bucket_push(nodes, queue, bits, (new_g + h) >> shift, n)
            if not waiting:
                size += 1
                ctl[at.GENERATED] += 1
        ctl[at.PEAK] = max(ctl[at.PEAK], size)
        if events is not None:
            record(events, ctl, at.E_CLOSING, cell, parent_of(geo, nodes, ctl, cell), g, own_h)
    ctl[at.OPEN], ctl[at.KEY], ctl[REACHED] = size, key, reached


@jit
def parent_of(geo, nodes, ctl, cell: int) -> int:
    """Return the jump point before this one, -1 for the start: back along its direction to a node that is cheap enough.

    Not only to one whose g fits exactly: since the cell was reached, a cheaper way to its parent may have been found.
    """
    if cell == ctl[at.START]:
        return -1
    d = int64(nodes[cell]["state"] & np.uint32(7))
    g = int64(nodes[cell]["g"])
    search = np.uint32(ctl[at.SEARCH])
    while True:
        cell -= geo[at.STEP + d]
        g -= geo[at.COST + d]
        if nodes[cell]["state"] >> np.uint32(4) == search and int64(nodes[cell]["g"]) <= g:
            return cell


@jit
def list_way_so_far(geo, nodes, ctl, cell: int, way) -> int:
    """List the cells from the start to a node of a search that still runs, without touching it; return how many."""
    count = 0
    while cell >= 0:
        before = parent_of(geo, nodes, ctl, cell)
        d = int64(nodes[cell]["state"] & np.uint32(7))
        while cell != before:
            way[count] = cell
            count += 1
            if before < 0:
                break
            cell -= geo[at.STEP + d]
        cell = before
    for k in range(count // 2):
        way[k], way[count - 1 - k] = way[count - 1 - k], way[k]
    return count


@jit
def unwind(geo, nodes, ctl) -> None:
    """Write the direction of every cell between two nodes of the path, so that it can be followed cell by cell.

    Records hold no parent: the way back follows a node's direction to the next node that is cheap enough. If that is
    another node than the one it was reached from, the path is no dearer; g falls from node to node, so it ends.
    """
    cell, start, search = ctl[at.END], ctl[at.START], np.uint32(ctl[at.SEARCH])
    if cell < 0 or cell == start:
        return
    state = (search << np.uint32(4)) | (nodes[cell]["state"] & np.uint32(7))
    g = int64(nodes[cell]["g"])
    while cell != start:
        nodes[cell]["state"] = state
        d = int64(state & np.uint32(7))
        cell -= geo[at.STEP + d]
        g -= geo[at.COST + d]
        own = nodes[cell]["state"]
        if own >> np.uint32(4) == search and int64(nodes[cell]["g"]) <= g:
            state, g = own, int64(nodes[cell]["g"])


@jit
def finish(geo, nodes, queue, bits, ctl) -> None:
    """Empty the buckets and turn jumps into steps."""
    bucket_clear(queue, bits)
    unwind(geo, nodes, ctl)


run = make_query_loop(__name__, begin, advance, finish)
