"""IDA*: A* without an open list, after Yap, with his pruning of moves and its sound form.

The stack holds one cell per depth in `queue` and, in `bits`, its g, the direction that led there and the moves still to
be tried. The search itself keeps nothing per map cell; records are set aside for the way to the closest cell so far
and for the look ahead that shows whether the goal can be reached at all.
"""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.clock import now
from waygrid.core.driver import make_query_loop
from waygrid.core.events import record
from waygrid.core.heuristics import estimate, natural
from waygrid.core.jit import int64, jit

PRUNE_NONE, PRUNE_REVERSE, PRUNE_PAPER, PRUNE_SOUND = 0, 1, 2, 3
_G, _MOVES, _BY = np.uint64(16), np.uint64(0xFF), np.uint64(8)  # bits: g << 16 | direction << 8 | moves left
_NO_DIRECTION = 255
BEST_DEPTH = at.USER


@jit
def prune_moves(geo, variant: int, weighted: bool, d: int, before: int) -> int:
    """Return the moves worth trying after a move in direction d from a cell whose legal moves are `before`.

    Tile: all but the way back (3 of 4). Hex and tex: straight on and one to each side (3 of 6). Octile: after a
    diagonal all but the way back and the two straight moves to neighbours of the last cell (5), after a straight move
    that one and its two diagonals (3); section 4 of the paper. Straight-then-sideways is left out because one diagonal
    does the same, which fails where that diagonal is illegal and where terrain makes it dearer: the sound form keeps
    the turn there.
    """
    if variant == PRUNE_NONE or d == _NO_DIRECTION:
        return 255
    back = geo[at.OPPOSITE + d]
    if variant == PRUNE_REVERSE or geo[at.TOPOLOGY] == at.TILE:
        return 255 & ~(1 << back)
    if geo[at.TOPOLOGY] != at.OCTILE:
        return (1 << d) | (1 << (d + 1) % 6) | (1 << (d + 5) % 6)
    if d >= 4:  # NE = N + E, SE = E + S, SW = S + W, NW = W + N
        one, two = d & 3, (d + 1) & 3
        return 255 & ~(1 << back) & ~(1 << geo[at.OPPOSITE + one]) & ~(1 << geo[at.OPPOSITE + two])
    right, left = 4 + d, 4 + (d + 3) % 4  # N: NE and NW; E: SE and NE; S: SW and SE; W: NW and SW
    keep = (1 << d) | (1 << right) | (1 << left)
    if variant == PRUNE_SOUND:
        dearer = weighted and geo[at.DIAGONAL] > geo[at.CARDINAL]
        if dearer or (before >> right) & 1 == 0:
            keep |= 1 << (d + 1) % 4
        if dearer or (before >> left) & 1 == 0:
            keep |= 1 << (d + 3) % 4
    return keep


@jit
def reaches(moves, geo, nodes, ctl) -> bool:
    """Return whether the goal can be reached at all; where it cannot, IDA* would never end.

    A flood whose queue is linked through the records.
    """
    width, stamp = geo[at.WIDTH], np.uint32(ctl[at.SEARCH])
    cell = last = ctl[at.START]
    nodes[cell]["state"], nodes[cell]["prev"] = stamp << np.uint32(4), -1
    while cell >= 0:
        if cell == ctl[at.GOAL]:
            return True
        row = 8 * (cell % width & 1)
        for d in range(8):
            if (moves[cell] >> d) & 1:
                n = cell + geo[at.STEP + row + d]
                if nodes[n]["state"] >> np.uint32(4) != stamp:
                    nodes[n]["state"], nodes[n]["prev"] = stamp << np.uint32(4), -1
                    nodes[last]["prev"] = n
                    last = n
        cell = int64(nodes[cell]["prev"])
    return False


@jit
def begin(moves, geo, policy, nodes, ctl, request, events) -> None:
    """Put the start on the stack; the first bound is its estimate."""
    if request[at.ASK_FLAGS] & at.CHECK_REACH and not reaches(moves, geo, nodes, ctl):
        ctl[at.STATUS] = at.UNREACHABLE
        return
    width, start, goal = geo[at.WIDTH], ctl[at.START], ctl[at.GOAL]
    h = estimate(policy, geo, start % width, start // width, goal % width, goal // width)
    ctl[at.ESTIMATE] = ctl[at.BOUND] = h
    ctl[at.NEXT_BOUND] = at.INFINITE
    ctl[at.DEPTH] = -1  # an iteration is about to begin
    ctl[at.GENERATED] = ctl[at.TOUCHED] = ctl[at.PEAK] = 1
    nodes[0]["next"], ctl[at.BEST], ctl[BEST_DEPTH] = start, start, 0
    if events is not None:
        record(events, ctl, at.E_GENERATING, start, -1, 0, h)


@jit
def _keep(nodes, queue, ctl, depth: int) -> None:
    """Copy the way to the cell closest to the goal: the stack will not keep it."""
    if depth < nodes.size:
        ctl[BEST_DEPTH] = depth
        for k in range(depth + 1):
            nodes[k]["next"] = queue[k]


@jit
def advance(moves, weights, geo, policy, nodes, queue, bits, ctl, events) -> None:
    """Walk the tree until the search ends or something stops it: PAUSE says what."""
    width, goal = geo[at.WIDTH], ctl[at.GOAL]
    goal_x, goal_y = goal % width, goal // width
    variant = policy[at.PRUNING]
    weighted = weights.size > 1
    track = ctl[at.FLAGS] & at.TRACK_BEST
    depth, bound, next_bound = ctl[at.DEPTH], ctl[at.BOUND], ctl[at.NEXT_BOUND]
    expanded, generated, peak = ctl[at.EXPANDED], ctl[at.GENERATED], ctl[at.PEAK]
    pause = 0
    while True:
        if events is not None:
            if ctl[at.EVENTS] + at.EVENT_ROOM > events.size:
                pause = at.PAUSE_EVENTS
                break
        left = np.uint64(0) if depth < 0 else bits[depth] & _MOVES
        if depth < 0 or left != 0:  # about to expand a cell: is that still wanted?
            if ctl[at.BUDGET] <= 0:
                pause = at.PAUSE_BUDGET
                break
            if depth + 2 > queue.size or depth + 2 > bits.size:
                pause = at.PAUSE_STACK
                break
            late = ctl[at.DEADLINE] > 0 and generated & 1023 == 0 and now(ctl) > ctl[at.DEADLINE]
            if (ctl[at.LIMIT] >= 0 and expanded >= ctl[at.LIMIT]) or late:
                ctl[at.STATUS], ctl[at.END] = at.CUTOFF, ctl[at.BEST]
                for k in range(ctl[BEST_DEPTH] + 1):
                    queue[k] = nodes[k]["next"]
                ctl[at.LISTED] = ctl[BEST_DEPTH] + 1
                break
        if depth < 0:
            cell = ctl[at.START]
            queue[0] = cell
            bits[0] = np.uint64(moves[cell]) | (np.uint64(_NO_DIRECTION) << _BY)
            depth = 0
            expanded += 1
            ctl[at.BUDGET] -= 1
            if events is not None:
                record(events, ctl, at.E_BOUND, cell, -1, bound, 0)
                record(events, ctl, at.E_EXPANDING, cell, -1, 0, ctl[at.ESTIMATE])
            continue
        entry = bits[depth]
        cell = int64(queue[depth])
        if left == 0:
            if events is not None:
                parent = -1 if depth == 0 else int64(queue[depth - 1])
                record(events, ctl, at.E_CLOSING, cell, parent, int64(entry >> _G), 0)
            depth -= 1
            if depth >= 0:
                continue
            if next_bound == at.INFINITE:
                ctl[at.STATUS] = at.UNREACHABLE
                break
            bound, next_bound = next_bound, at.INFINITE
            generated += 1
            continue
        d = 0
        while (left >> np.uint64(d)) & np.uint64(1) == 0:
            d += 1
        bits[depth] = entry & ~(np.uint64(1) << np.uint64(d))
        x, y = cell % width, cell // width
        row = 8 * (x & 1)
        n = cell + geo[at.STEP + row + d]
        price = geo[at.COST + d]
        if weighted:
            price *= int64(weights[n])
        g = int64(entry >> _G) + price
        nx, ny = x + geo[at.DX + d], y + geo[at.DY + row + d]
        h = estimate(policy, geo, nx, ny, goal_x, goal_y)
        generated += 1
        if g + h > bound:
            next_bound = min(next_bound, g + h)
            continue
        if events is not None:
            record(events, ctl, at.E_GENERATING, n, cell, g, h)
            record(events, ctl, at.E_EXPANDING, n, cell, g, h)
        depth += 1
        expanded += 1
        ctl[at.BUDGET] -= 1
        queue[depth] = n
        keep = prune_moves(geo, variant, weighted, d, int64(moves[cell]))
        bits[depth] = (np.uint64(g) << _G) | (np.uint64(d) << _BY) | np.uint64(int64(moves[n]) & keep)
        peak = max(peak, depth + 1)
        if track:
            near = natural(geo, nx, ny, goal_x, goal_y)
            if near < ctl[at.BEST_H] or (near == ctl[at.BEST_H] and g < ctl[at.BEST_G]):
                ctl[at.BEST], ctl[at.BEST_H], ctl[at.BEST_G] = n, near, g
                _keep(nodes, queue, ctl, depth)
        if n == goal:
            ctl[at.STATUS], ctl[at.END], ctl[at.LISTED] = at.FOUND, goal, depth + 1
            if events is not None:
                record(events, ctl, at.E_END, n, cell, g, 0)
            break
    ctl[at.PAUSE], ctl[at.DEPTH], ctl[at.BOUND], ctl[at.NEXT_BOUND] = pause, depth, bound, next_bound
    ctl[at.EXPANDED], ctl[at.GENERATED], ctl[at.PEAK], ctl[at.TOUCHED] = expanded, generated, peak, peak


run = make_query_loop(__name__, begin, advance)
