"""Compressed path database: the first move from every cell to every other, in runs, and paths read off it.

A row holds the first moves from one cell to all goals, in an order of the cells that keeps neighbours together
(`depth_first`). Where several moves are optimal, the one that lengthens a run is taken; where the goal can be reached
without a turn, no move is needed at all, since a query looks for that itself. A run is written as id of its first
goal << 3 | move. Moves are those of canonical paths, so each can be kept as far as the jump table says (Topping): one
look-up for each turning point, not for each step.
"""

from typing import NamedTuple

import numpy as np

from waygrid.kernels._jit import Array, int64, jit
from waygrid.kernels.canonical import Ground, Water, flood
from waygrid.kernels.clock import now
from waygrid.kernels.events import record
from waygrid.kernels.heuristics import natural
from waygrid.kernels.jpsplus import direct
from waygrid.kernels.layout import (
    ASK_BUDGET,
    ASK_FIRST,
    ASK_LAST,
    BEST,
    BEST_G,
    BEST_H,
    BUDGET,
    COST,
    CUTOFF,
    DEADLINE,
    DX,
    DY,
    E_CLOSING,
    E_END,
    E_EXPANDING,
    E_GENERATING,
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
    START,
    STATUS,
    STEP,
    TOUCHED,
    TRACK_BEST,
    USER,
    WIDTH,
)
from waygrid.kernels.legs import close_legs
from waygrid.kernels.query import in_hand, open_query
from waygrid.kernels.queue import lowest_bit

HERE = USER  # the corner in hand
G = USER + 1  # its distance from the start
LAST_MOVE = USER + 2
BEST_COUNT = USER + 3  # corners of the way to the closest one
BLOCK = 16  # runs: a line of the cache
_ORDER = np.array([1, 2, 3, 0], np.int64)  # east, south, west, north: 74 runs a row on orz100d; rows as they lie 351


class Database(NamedTuple):
    """What a query reads."""

    cells: Array  # of every cell: where its row begins (two halves), its blocks, NEAR, and its jumps: one place to read
    jumps: Array  # the jumps among them
    ids: Array  # of every cell: its place in the order, -1 for walls
    heads: Array  # the first run of every block
    runs: Array  # in blocks, filled up behind the last run of a row with what is greater than any


LOW, HIGH, BLOCKS, NEAR, JUMPS = 0, 1, 2, 3, 4  # NEAR: how far away a goal can be that is reached without a look-up


# --- Building --------------------------------------------------------------------------------------------------------


@jit
def depth_first(moves: Array, walk: Array, geo: Array, order: Array) -> None:
    """List the cells in the order of a depth-first search by straight moves."""
    seen, stack, count = np.zeros(moves.size, np.uint8), np.empty(4 * moves.size + 1, np.int32), 0
    for root in range(moves.size):
        if walk[root] == 0 or seen[root]:
            continue
        stack[0] = root
        top = 1
        while top > 0:
            top -= 1
            cell = int64(stack[top])
            if seen[cell]:
                continue
            seen[cell] = 1
            order[count] = cell
            count += 1
            for k in range(3, -1, -1):
                d = _ORDER[k]
                if (moves[cell] >> d) & 1:
                    following = cell + geo[STEP + d]
                    if not seen[following]:
                        stack[top] = following
                        top += 1


@jit
def forget_direct(moves: Array, geo: Array, jumps: Array, source: int, first: Array) -> None:
    """Forget the first moves to goals that a query reaches from the source without a look-up (`jpsplus.direct`)."""
    for d in range(4):
        for k in range(1, abs(int64(jumps[source, d])) + 1):
            first[source + k * geo[STEP + d]] = 0
    for d in range(4, 8):
        here = source
        while (moves[here] >> d) & 1:
            here += geo[STEP + d]
            first[here] = 0
            for e in (d & 3, (d + 1) & 3):
                for k in range(1, abs(int64(jumps[here, e])) + 1):
                    first[here + k * geo[STEP + e]] = 0


@jit
def _move(kept: int, before: int) -> int:
    """Return the move of a run: that of the run before it where it may, so that both become one, else the lowest."""
    if before >= 0 and (kept >> before) & 1:
        return before
    return lowest_bit(np.uint64(kept))


@jit
def compress(first: Array, order: Array, runs: Array, count: int) -> int:
    """Append the runs of a row behind `count` others, as far as there is room; return how many there are then."""
    kept, start, before = 255, 0, -1
    for i in range(order.size + 1):
        mask = 0
        if i < order.size:
            mask = int64(first[order[i]])
            if mask == 0:  # the source itself, what cannot be reached, or what needs no look-up: any move will do
                continue
        if kept & mask:
            kept &= mask
            continue
        move = _move(kept, before)
        if move != before:
            if count < runs.size:
                runs[count] = start << 3 | move
            count += 1
        start, kept, before = i, mask, move
    return count


@jit
def fill_rows(
    ground: Ground, water: Water, order: Array, first: int, counts: Array, done: int, runs: Array, used: int
) -> tuple[int, int]:
    """Write the rows of the ids from `first` on, one for each of `counts`, behind `done` rows of `used` runs.

    Returns how many rows and runs there are then: fewer rows than counts where `runs` is too short.
    """
    source = np.zeros(1, np.int64)
    for row in range(first + done, first + counts.size):
        source[0] = order[row]
        flood(ground, water, source)
        forget_direct(ground.moves, ground.geo, ground.jumps, source[0], water.first)
        after = compress(water.first, order, runs, used)
        if after > runs.size:
            return row - first, used
        counts[row - first] = after - used
        used = after
    return counts.size, used


@jit
def pack_rows(counts: Array, runs: Array, order: Array, cells: Array, heads: Array, packed: Array) -> None:
    """Fill each row up to whole blocks, take out the first run of every block, and tell each cell where its row is."""
    used, block = 0, 0
    for row in range(counts.size):
        blocks = (counts[row] + BLOCK - 1) // BLOCK
        cells[order[row], LOW], cells[order[row], HIGH] = block & 0x7FFF, block >> 15
        cells[order[row], BLOCKS] = blocks
        for k in range(BLOCK * blocks):
            packed[BLOCK * block + k] = runs[used + k] if k < counts[row] else 2**32 - 1
        for k in range(blocks):
            heads[block + k] = packed[BLOCK * (block + k)]
        used += counts[row]
        block += blocks


@jit
def measure_near(moves: Array, geo: Array, jumps: Array, cells: Array) -> None:
    """Tell each cell how far away a goal can be that it reaches without a look-up: what `forget_direct` forgets."""
    for cell in range(moves.size):
        far = 0
        for d in range(4):
            far = max(far, abs(int64(jumps[cell, d])))
        for d in range(4, 8):
            here, steps = cell, 0
            while (moves[here] >> d) & 1:
                here += geo[STEP + d]
                steps += 1
                for e in (d & 3, (d + 1) & 3):
                    far = max(far, steps + abs(int64(jumps[here, e])))
        cells[cell, NEAR] = far


# --- Queries ---------------------------------------------------------------------------------------------------------


@jit
def look_up(cells: Array, heads: Array, runs: Array, cell: int, goal_id: int) -> int:
    """Return the first move of a row towards a goal: that of the last run which begins at or before it.

    First the block, by the heads of all blocks of the row, then, by halving, the run in it. Halving the whole row looks
    at more places in memory: 37 ns instead of 61 on orz100d, rows and goals at random.
    """
    begin, wanted = int64(cells[cell, HIGH]) << 15 | int64(cells[cell, LOW]), np.uint32(goal_id << 3 | 7)
    later = np.uint32(0)
    for k in range(begin + 1, begin + int64(cells[cell, BLOCKS])):
        later += np.uint32(heads[k] <= wanted)
    found = BLOCK * (begin + int64(later))
    for half in (8, 4, 2, 1):
        found += half * (runs[found + half] <= wanted)
    return int64(runs[found]) & 7


@jit
def advance(
    geo: Array,
    ctl: Array,
    cells: Array,
    jumps: Array,
    ids: Array,
    heads: Array,
    runs: Array,
    corners: Array,
    events: Array | None,
) -> None:
    """Go from corner to corner until the goal is reached or something stops it: PAUSE says what."""
    width, goal, cell, g, count = geo[WIDTH], ctl[GOAL], ctl[HERE], ctl[G], ctl[LISTED]
    goal_x, goal_y, last_move, track = goal % width, goal // width, ctl[LAST_MOVE], ctl[FLAGS] & TRACK_BEST
    goal_id, pause = int64(ids[goal]), 0
    x, y = int64(corners[2 * count - 2]), int64(corners[2 * count - 1])
    while True:
        if ctl[BUDGET] <= 0:
            pause = PAUSE_BUDGET
            break
        if ctl[EXPANDED] == ctl[LIMIT] or (ctl[DEADLINE] > 0 and ctl[EXPANDED] & 63 == 63 and now(ctl) > ctl[DEADLINE]):
            ctl[STATUS], ctl[END] = CUTOFF, ctl[BEST]
            break
        if events is not None:
            if ctl[EVENTS] + EVENT_ROOM > events.size:
                pause = PAUSE_EVENTS
                break
        ctl[BUDGET] -= 1
        ctl[EXPANDED] += 1
        if track:
            h = natural(geo, x, y, goal_x, goal_y)
            if h < ctl[BEST_H] or (h == ctl[BEST_H] and g < ctl[BEST_G]):
                ctl[BEST], ctl[BEST_H], ctl[BEST_G], ctl[BEST_COUNT] = cell, h, g, count
        if events is not None:
            here, own_h, own_g = cell, natural(geo, x, y, goal_x, goal_y), g
            record(events, ctl, E_EXPANDING, here, -1, own_g, own_h)
        way = -1
        if max(abs(goal_x - x), abs(goal_y - y)) <= cells[cell, NEAR]:
            way = direct(geo, jumps, cell, goal_x - x, goal_y - y)
        if way >= 0:
            ctl[STATUS], ctl[END] = FOUND, goal
            corners[2 * count], corners[2 * count + 1] = goal_x, goal_y
            count += 1
            if events is not None:
                record(events, ctl, E_END, goal, here, g + way, 0)
            break
        d = look_up(cells, heads, runs, cell, goal_id)
        steps = int64(cells[cell, JUMPS + d])
        cell, g = cell + steps * geo[STEP + d], g + steps * geo[COST + d]
        x, y = x + steps * geo[DX + d], y + steps * geo[DY + d]
        count += track != 0 or d != last_move  # straight on: the corner moves along, unless a path may end there
        last_move = d
        corners[2 * count - 2], corners[2 * count - 1] = x, y
        if events is not None:
            record(events, ctl, E_GENERATING, cell, here, g, natural(geo, x, y, goal_x, goal_y))
            record(events, ctl, E_CLOSING, here, -1, own_g, own_h)
    ctl[HERE], ctl[G], ctl[LISTED], ctl[LAST_MOVE], ctl[PAUSE] = cell, g, count, last_move, pause
    ctl[GENERATED] = ctl[EXPANDED]


@jit
def begin(geo: Array, ctl: Array, queries: Array, i: int, corners: Array, events: Array | None) -> None:
    """Stand at the start."""
    corners[0], corners[1] = queries[i, 0], queries[i, 1]
    ctl[HERE], ctl[LISTED], ctl[LAST_MOVE], ctl[BEST_COUNT] = ctl[START], 1, -1, 1
    ctl[ESTIMATE] = natural(geo, queries[i, 0], queries[i, 1], queries[i, 2], queries[i, 3])
    ctl[OPEN] = ctl[PEAK] = ctl[TOUCHED] = 1
    if events is not None:
        record(events, ctl, E_GENERATING, ctl[START], -1, 0, ctl[ESTIMATE])


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
    extra: Database,
    events: Array | None,
    queries: Array,
    rows: Array,
    cells: Array,
    ask: Array,
) -> int:
    """Answer queries, as `bestfirst.run` does; `keys` has room for the corners of a path through all cells."""
    table, jumps, ids, heads, runs = extra[0], extra[1], extra[2], extra[3], extra[4]
    whole = cells.view(np.int64)
    ctl[BUDGET] = ask[ASK_BUDGET]
    for i in range(ask[ASK_FIRST], ask[ASK_LAST]):
        if not in_hand(ask, i):
            open_query(geo, labels, nodes, ctl, queries, i, ask, events)
            if ctl[STATUS] == RUNNING:
                begin(geo, ctl, queries, i, keys, events)
        if ctl[STATUS] == RUNNING:
            advance(geo, ctl, table, jumps, ids, heads, runs, keys, events)
            if ctl[STATUS] == RUNNING:
                return i
            if ctl[STATUS] == CUTOFF:
                ctl[LISTED] = ctl[BEST_COUNT]
        elif ctl[END] >= 0 and ctl[LISTED] == 0:  # it ends where it starts
            keys[0], keys[1], ctl[LISTED] = queries[i, 0], queries[i, 1], 1
        if not close_legs(keys, 0, ctl, rows, i, whole, ask):
            return i
    return int(ask[ASK_LAST])
