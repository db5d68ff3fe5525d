"""Anya: the shortest path of a point among walls, by a best-first search over cones.

Harabor, Grastien, Oz and Aksakalli 2016 ("Optimal any-angle pathfinding in practice") search over intervals of rows
with exact ends. Here an interval is entered, as in Polyanya (Cui, Harabor and Grastien 2017), as the door to a convex
part of the map: the run of free cells behind it. So cones are divided by gaps between walls only.
"""

import numpy as np

from waygrid.algorithms.anyangle import anya_cones as cone
from waygrid.algorithms.anyangle.anya_cones import (
    BENDS_LEFT,
    BENDS_RIGHT,
    measure,
    push_along,
    push_gap,
    push_gaps,
    push_squeezes,
    reach_root,
    root_number,
    slide,
)
from waygrid.algorithms.anyangle.anya_rows import find_wall, find_wall_before, is_free
from waygrid.core import layout as at
from waygrid.core.driver import make_query_loop
from waygrid.core.events import record
from waygrid.core.jit import int64, jit
from waygrid.core.query import fill_row, may_expand, path_offset


@jit
def begin(geo, free, cones, keys, queue, ctl, real, events) -> None:
    """Put the start on the open list: a root that sees all of its run."""
    width, start, goal = geo[at.WIDTH], ctl[at.START], ctl[at.GOAL]
    column, row = start % width + 1, start // width + 1
    x, y = 2 * column + 1, 2 * row + 1
    ctl[cone.GOAL_X], ctl[cone.GOAL_Y] = 2 * (goal % width) + 3, 2 * (goal // width) + 3
    far = measure(float(ctl[cone.GOAL_X] - x), float(ctl[cone.GOAL_Y] - y))
    real[cone.G], real[cone.BOUND] = 0.0, np.inf
    ctl[cone.ROOT_X], ctl[cone.ROOT_Y], ctl[cone.COUNT] = x, y, 0
    ctl[cone.LAST_ROOT] = ctl[cone.BEST_ROOT] = cone.NO_ROOT
    ctl[cone.HELD] = -1
    cone.push_cone(cones, ctl, real, column, row)
    cones[0]["f"] = far
    keys[0], queue[0] = far, 0
    ctl[at.ESTIMATE], ctl[at.BEST_H] = int64(0.5 * far * cone.UNIT), int64(far * far + 0.5)
    ctl[at.OPEN] = ctl[at.PEAK] = ctl[at.GENERATED] = ctl[at.TOUCHED] = 1
    if events is not None:
        record(events, ctl, at.E_GENERATING, start, -1, 0, int64(far * (cone.UNIT // 2)))


# --- The open list: a heap of the numbers of cones, by f --------------------------------------------------------------


@jit
def heap_push(keys, heap, size: int, key: float, number: int) -> None:
    """Put a cone on the open list of `size` cones."""
    place = size
    while place > 0:
        above = (place - 1) >> 1
        if keys[above] <= key:
            break
        keys[place], heap[place] = keys[above], heap[above]
        place = above
    keys[place], heap[place] = key, number


@jit
def heap_pop(keys, heap, size: int) -> int:
    """Take the cone of least f from an open list of `size` cones."""
    first, key, number = int64(heap[0]), keys[size - 1], heap[size - 1]
    place, size = 0, size - 1
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[place], heap[place] = keys[child], heap[child]
        place = child
    keys[place], heap[place] = key, number
    return first


# --- Expansion --------------------------------------------------------------------------------------------------------


@jit
def arrive(free, ctl, real) -> None:
    """Note the way to the goal by the current root, if it is the shortest so far."""
    dx, dy = ctl[cone.GOAL_X] - ctl[cone.ROOT_X], ctl[cone.GOAL_Y] - ctl[cone.ROOT_Y]
    length = real[cone.G] + measure(float(dx), float(dy))
    if length < real[cone.BOUND]:
        real[cone.BOUND] = length
        ctl[cone.LAST_ROOT] = root_number(free, ctl[cone.ROOT_X], ctl[cone.ROOT_Y])


@jit
def expand_root(geo, free, nodes, cones, ctl, real, here: bool) -> None:
    """Store what a root at a line of the current run, or the start in it, sees beyond. here: the goal is in the run."""
    squeezes = geo[at.CORNERS] == at.ALWAYS and geo[at.TOPOLOGY] == at.OCTILE
    line, y = 2 * ctl[cone.ROW], ctl[cone.ROOT_Y]
    ctl[cone.LEFT_Y] = ctl[cone.RIGHT_Y] = 0
    if here:
        arrive(free, ctl, real)
    for side in range(-1, 2, 2):
        if y != line + 1 + side:
            push_gaps(free, cones, ctl, real, side)
            column = ctl[cone.ROOT_X] >> 1
            if (
                y == line + 1
                and not is_free(free, ctl[cone.ROW], column)
                and is_free(free, ctl[cone.ROW] + side, column)
            ):
                push_gap(free, cones, ctl, real, line + 1 + side, column, column + 1, ctl[cone.ROW] + side)
            if squeezes:
                push_squeezes(free, nodes, cones, ctl, real, side)
        else:
            push_along(free, nodes, cones, ctl, real, side, True, squeezes)
            push_along(free, nodes, cones, ctl, real, side, False, squeezes)


@jit
def bend(free, nodes, cones, ctl, real, x: int, y: int, dx: int, dy: int, squeezes: bool, left: bool) -> None:
    """Store what the corner sees that one side of a cone touches, the ray (dx, dy): what lies beyond that ray."""
    side, line = (1 if dy > 0 else -1), 2 * ctl[cone.ROW] + (0 if dy > 0 else 2)
    corner_x = x + dx * (line - y) // dy
    beside = corner_x - 2 * (ctl[cone.FIRST] if left else ctl[cone.LAST])
    if beside == 0 and (dx <= 0 if left else dx >= 0):  # the wall at the corner leaves nothing beyond the ray
        return
    g = real[cone.G] + measure(float(corner_x - x), float(line - y))
    far = measure(float(ctl[cone.GOAL_X] - corner_x), float(ctl[cone.GOAL_Y] - line))
    if g + far >= real[cone.BOUND] or not reach_root(free, nodes, ctl, corner_x, line, g):
        return
    before = real[cone.G]
    ctl[cone.ROOT_X], ctl[cone.ROOT_Y], real[cone.G] = corner_x, line, g
    ctl[cone.LEFT_X], ctl[cone.LEFT_Y], ctl[cone.RIGHT_X], ctl[cone.RIGHT_Y] = dx, 0 if left else dy, dx, dy * left
    goal_x, goal_y = ctl[cone.GOAL_X] - corner_x, ctl[cone.GOAL_Y] - line
    inside = ctl[cone.GOAL_Y] == 2 * ctl[cone.ROW] + 1
    inside &= 2 * ctl[cone.FIRST] < ctl[cone.GOAL_X] < 2 * ctl[cone.LAST]
    beyond = goal_x * abs(dy) - dx * abs(goal_y)
    if inside and (beyond < 0 if left else beyond > 0):
        arrive(free, ctl, real)
    push_gaps(free, cones, ctl, real, side)
    if beside != 0:
        push_along(free, nodes, cones, ctl, real, -side, left, squeezes)
    if squeezes:
        push_squeezes(free, nodes, cones, ctl, real, side)
    ctl[cone.ROOT_X], ctl[cone.ROOT_Y], real[cone.G] = x, y, before


@jit
def expand_cone(geo, free, nodes, cones, ctl, real, bends: int, here: bool) -> None:
    """Store what the current cone leads to. here: the goal is in the run that it enters."""
    squeezes = geo[at.CORNERS] == at.ALWAYS and geo[at.TOPOLOGY] == at.OCTILE
    x, y = ctl[cone.ROOT_X], ctl[cone.ROOT_Y]
    left_x, left_y, right_x, right_y = ctl[cone.LEFT_X], ctl[cone.LEFT_Y], ctl[cone.RIGHT_X], ctl[cone.RIGHT_Y]
    side = 1 if left_y > 0 else -1
    if here:
        goal_x, far = ctl[cone.GOAL_X] - x, abs(ctl[cone.GOAL_Y] - y)
        if goal_x * abs(left_y) >= left_x * far and goal_x * abs(right_y) <= right_x * far:
            arrive(free, ctl, real)
    push_gaps(free, cones, ctl, real, side)
    if squeezes:
        push_squeezes(free, nodes, cones, ctl, real, side)
    if bends & BENDS_LEFT != 0:
        bend(free, nodes, cones, ctl, real, x, y, left_x, left_y, squeezes, True)
    if bends & BENDS_RIGHT != 0:
        bend(free, nodes, cones, ctl, real, x, y, right_x, right_y, squeezes, False)


@jit
def take_cone(free, cones, ctl, real, number: int) -> int:
    """Make a cone the current one, and find the run that it enters; return where its sides touch corners."""
    own = cones[number]
    ctl[cone.ROOT_X], ctl[cone.ROOT_Y], real[cone.G] = int64(own["x"]), int64(own["y"]), own["g"]
    ctl[cone.LEFT_X], ctl[cone.LEFT_Y] = int64(own["left_x"]), int64(own["left_y"])
    ctl[cone.RIGHT_X], ctl[cone.RIGHT_Y] = int64(own["right_x"]), int64(own["right_y"])
    column, row = int64(own["column"]), int64(own["row"])
    ctl[cone.ROW] = row
    ctl[cone.FIRST], ctl[cone.LAST] = column, column + 1  # a start may be blocked for this query: it can be left
    if is_free(free, row, column):
        ctl[cone.FIRST], ctl[cone.LAST] = find_wall_before(free, row, column) + 1, find_wall(free, row, column)
    else:
        if is_free(free, row, column - 1):
            ctl[cone.FIRST] = find_wall_before(free, row, column - 1) + 1
        if is_free(free, row, column + 1):
            ctl[cone.LAST] = find_wall(free, row, column + 1)
    return int64(own["bends"])


@jit
def is_outdated(free, nodes, cones, number: int) -> bool:
    """Return whether a shorter way to the root of a cone was found since."""
    own = cones[number]
    root = root_number(free, int64(own["x"]), int64(own["y"]))
    return bool(root >= 0 and nodes[max(root, 0)]["g"] + cone.SLACK < int64(own["g"] * cone.PRICE))


@jit
def note_closest(geo, free, ctl) -> None:
    """Remember the cell of the current run that the root sees closest to the goal, if it is closer than all before."""
    x, y, row = ctl[cone.ROOT_X], ctl[cone.ROOT_Y], ctl[cone.ROW]
    far = abs(2 * row + 1 - y)
    low, high = 2 * ctl[cone.FIRST] + 1, 2 * ctl[cone.LAST] - 1
    if ctl[cone.LEFT_Y] != 0:
        low = max(low, x - (-ctl[cone.LEFT_X] * far) // abs(ctl[cone.LEFT_Y]) | 1)
        high = min(high, (x + ctl[cone.RIGHT_X] * far // abs(ctl[cone.RIGHT_Y]) - 1) | 1)
    if low > high:
        return
    column = min(max(ctl[cone.GOAL_X], low), high)
    left = (column - ctl[cone.GOAL_X]) ** 2 + (2 * row + 1 - ctl[cone.GOAL_Y]) ** 2
    if left < ctl[at.BEST_H]:
        ctl[at.BEST], ctl[at.BEST_H] = (row - 1) * geo[at.WIDTH] + (column >> 1) - 1, left
        ctl[cone.BEST_ROOT] = root_number(free, x, y)


@jit
def make_pause(geo, cones, keys, ctl) -> int:
    """Return the reason to stop where there may be no room for what one expansion stores, 0 where there is."""
    most = 8 * (geo[at.WIDTH] + 4)
    if ctl[cone.COUNT] + most > cones.size:
        return at.PAUSE_STORE
    return at.PAUSE_STACK if ctl[at.OPEN] + most > keys.size else 0


@jit
def trace_cone(geo, ctl, cones, number: int, kind: int, events) -> None:
    """Record a cone by a cell of the run that it enters, and where it comes from by the last cell at its root."""
    own, width = cones[number], geo[at.WIDTH]
    cell = (int64(own["row"]) - 1) * width + int64(own["column"]) - 1
    g, h = int64(own["g"] * (cone.UNIT // 2)), int64((own["f"] - own["g"]) * (cone.UNIT // 2))
    record(events, ctl, kind, cell, ctl[at.START] if cell != ctl[at.START] else -1, g, h)


@jit
def advance(geo, free, nodes, cones, keys, queue, ctl, real, events) -> None:
    """Expand cones until the search ends or something stops it: PAUSE says what.

    An expansion that stores one cone goes on with it at once, so a way along a wall takes no turns in the heap.
    """
    track, held = ctl[at.FLAGS] & at.TRACK_BEST, ctl[cone.HELD]
    while True:
        if held < 0 and (ctl[at.OPEN] == 0 or keys[0] >= real[cone.BOUND]):
            ctl[at.STATUS] = at.UNREACHABLE
            if real[cone.BOUND] != np.inf:
                ctl[at.STATUS], ctl[at.END] = at.FOUND, ctl[at.GOAL]
                if events is not None:
                    record(events, ctl, at.E_END, ctl[at.GOAL], -1, int64(real[cone.BOUND] * (cone.UNIT // 2)), 0)
            return
        if not may_expand(ctl, 63, events):
            break
        ctl[at.PAUSE] = make_pause(geo, cones, keys, ctl)
        if ctl[at.PAUSE] != 0:
            break
        if held < 0:
            held = heap_pop(keys, queue, ctl[at.OPEN])
            ctl[at.OPEN] -= 1
        if is_outdated(free, nodes, cones, held):
            held = -1
            continue
        if events is not None:
            trace_cone(geo, ctl, cones, held, at.E_EXPANDING, events)
        bends, before = take_cone(free, cones, ctl, real, held), ctl[cone.COUNT]
        ctl[at.BUDGET] -= 1
        ctl[at.EXPANDED] += 1
        if track:
            note_closest(geo, free, ctl)
        row, goal_x = ctl[cone.ROW], ctl[cone.GOAL_X] >> 1
        here = ctl[cone.GOAL_Y] == 2 * row + 1 and ctl[cone.FIRST] <= goal_x < ctl[cone.LAST]
        if ctl[cone.LEFT_Y] == 0:
            expand_root(geo, free, nodes, cones, ctl, real, here)
        else:
            expand_cone(geo, free, nodes, cones, ctl, real, bends, here)
        made = ctl[cone.COUNT] - before
        ctl[at.GENERATED] += made
        if events is not None:
            for number in range(before, ctl[cone.COUNT]):
                cones[number]["f"] = cone.price_cone(cones, ctl, number)
                trace_cone(geo, ctl, cones, number, at.E_GENERATING, events)
        if made == 1:
            cones[held] = cones[before]
            ctl[cone.COUNT] = before
            if cones[held]["left_y"] != 0 and cones[held]["bends"] == 0:
                slide(free, cones, ctl, held)
            continue
        for number in range(before, ctl[cone.COUNT]):
            f = cone.price_cone(cones, ctl, number)
            if f < real[cone.BOUND]:
                cones[number]["f"] = f
                heap_push(keys, queue, ctl[at.OPEN], f, number)
                ctl[at.OPEN] += 1
        ctl[at.PEAK] = max(ctl[at.PEAK], ctl[at.OPEN])
        held = -1
    ctl[cone.HELD] = held
    if ctl[at.STATUS] == at.CUTOFF:
        ctl[at.END], ctl[cone.LAST_ROOT] = ctl[at.BEST], ctl[cone.BEST_ROOT]


@jit
def close(geo, free, nodes, ctl, rows, sums, i: int, cells, request) -> bool:
    """Write the path, in halves of a cell, and the row of results; as `lines.close_points` does."""
    width, offset, count = geo[at.WIDTH], path_offset(rows, i, request), 0
    stride = 64 * free.shape[1] + 1
    start, end = ctl[at.START], ctl[at.END]
    if end >= 0:
        count, root = 1 if end == start else 2, ctl[cone.LAST_ROOT] if end != start else cone.NO_ROOT
        while root >= 0:
            count, root = count + 1, int64(nodes[root]["next"])
    rows[i, at.ROW_LENGTH], rows[i, at.ROW_OFFSET] = count, offset
    if 2 * (offset + count) > cells.size:
        ctl[at.PAUSE] = at.PAUSE_CELLS
        return False
    length, kept = 0.0, 0
    if count > 0:
        x, y, last = 2 * (end % width), 2 * (end // width), 2 * (offset + count - 1)
        cells[last], cells[last + 1], kept = x, y, 1
        root, dx, dy = ctl[cone.LAST_ROOT], int64(0), int64(0)
        for k in range(count - 1):
            next_x, next_y = 2 * (start % width), 2 * (start // width)
            if k < count - 2:  # lattice points count from the corner of the wall around the map
                next_x, next_y = 2 * (root % stride) - 3, 2 * (root // stride) - 3
                root = int64(nodes[root]["next"])
            if k == 0 or dx * (next_y - y) != dy * (next_x - x):  # the path bends here
                kept += 1
            dx, dy = next_x - x, next_y - y
            length += measure(float(dx), float(dy))
            x, y = next_x, next_y
            place = last - 2 * (kept - 1)
            cells[place], cells[place + 1] = x, y
        for k in range(2 * kept):
            cells[2 * offset + k] = cells[last - 2 * (kept - 1) + k]
    rows[i, at.ROW_LENGTH] = kept
    sums[i, at.ROW_COST] = sums[i, at.ROW_DISTANCE] = 0.5 * length
    fill_row(ctl, rows, i)
    return True


run = make_query_loop(
    __name__,
    begin,
    advance,
    None,
    close,
    {
        "free": "index",
        "cones": "spare",
        "keys": "bits.view(np.float64)",
        "real": "ctl.view(np.float64)",
        "sums": "rows.view(np.float64)",
    },
)
