"""What every search does before its first and after its last step: check the query, trace the path, fill the row."""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.clock import now, ticks
from waygrid.core.events import record
from waygrid.core.jit import int64, jit


@jit
def renew(nodes, ctl) -> None:
    """Number the next search; clear the stamps when the numbers run out, and only then.

    Here and below, an array that is used in one branch only would have its references counted in every call.
    """
    over = ctl[at.SEARCH] >= at.LAST_SEARCH
    for cell in range(nodes.size if over else 0):
        nodes[cell]["state"] = 0
    ctl[at.SEARCH] = 1 if over else ctl[at.SEARCH] + 1


@jit
def join_queries(geo, walk, starts, goals, wall_goals: bool, queries) -> int:
    """Write queries as rows of start x, start y, goal x, goal y; return the first with a bad end, -1 if there is none.

    Goals in walls are allowed where they are out of reach and no error.
    """
    width, height, bad = geo[at.WIDTH], geo[at.HEIGHT], -1
    for i in range(len(queries)):
        x, y, goal_x, goal_y = int64(starts[i, 0]), int64(starts[i, 1]), int64(goals[i, 0]), int64(goals[i, 1])
        queries[i, 0], queries[i, 1], queries[i, 2], queries[i, 3] = x, y, goal_x, goal_y
        inside = (0 <= x < width) & (0 <= y < height) & (0 <= goal_x < width) & (0 <= goal_y < height)
        if not inside:
            if bad < 0:
                bad = i
            continue
        if walk[y * width + x] == 0 or (walk[goal_y * width + goal_x] == 0 and not wall_goals):
            if bad < 0:
                bad = i
    return bad


@jit
def open_query(geo, labels, nodes, ctl, queries, i: int, request, events) -> None:
    """Set up the state of a search; its status is RUNNING unless the answer is known without one."""
    width, height, flags = geo[at.WIDTH], geo[at.HEIGHT], request[at.ASK_FLAGS]
    renew(nodes, ctl)
    reset_state(geo, ctl, queries, i, request)
    start, goal = ctl[at.START], ctl[at.GOAL]
    if not is_inside(width, height, queries[i, 0], queries[i, 1]) or labels[start] < 0:
        ctl[at.STATUS] = at.BAD_START
    elif not is_inside(width, height, queries[i, 2], queries[i, 3]):
        ctl[at.STATUS] = at.BAD_GOAL
    elif start == goal:
        ctl[at.STATUS], ctl[at.END] = at.FOUND, start
    elif labels[goal] < 0 and not flags & at.WALL_GOAL:
        ctl[at.STATUS] = at.BAD_GOAL
    elif labels[start] != labels[goal] and not flags & at.WANT_PARTIAL:
        ctl[at.STATUS] = at.UNREACHABLE
    else:
        ctl[at.STATUS], ctl[at.BEST] = at.RUNNING, start
    if events is not None:
        record(events, ctl, at.E_SOURCE, start, -1, 0, 0)
        record(events, ctl, at.E_DESTINATION, goal, -1, 0, 0)


@jit
def is_inside(width: int, height: int, x: int, y: int) -> bool:
    """Return whether a cell is one of the map."""
    return bool(0 <= x < width and 0 <= y < height)


@jit
def reset_state(geo, ctl, queries, i: int, request) -> None:
    """Write the ends and limits of a query into the state, and zeros for what is counted."""
    flags, width = request[at.ASK_FLAGS], geo[at.WIDTH]
    for k in range(at.BUDGET + 1, at.BEGAN):
        ctl[k] = 0
    if i == request[at.ASK_FIRST]:  # later ones begin where the one before ended: one look at the clock for each
        ctl[at.BEGAN] = ticks(ctl) if flags & at.TIMED else 0
    ctl[at.BEST] = ctl[at.END] = -1
    ctl[at.BEST_H] = ctl[at.BEST_G] = at.INFINITE
    ctl[at.FLAGS], ctl[at.LIMIT] = flags, request[at.ASK_LIMIT]
    if request[at.ASK_NS] > 0:
        ctl[at.DEADLINE] = now(ctl) + request[at.ASK_NS]
    ctl[at.START] = int64(queries[i, 1]) * width + int64(queries[i, 0])
    ctl[at.GOAL] = int64(queries[i, 3]) * width + int64(queries[i, 2])


@jit
def is_resumed(request, i: int) -> bool:
    """Return whether query i was begun by an earlier call."""
    return bool((request[at.ASK_RESUME] != 0) & (i == request[at.ASK_FIRST]))


@jit
def may_expand(ctl, clock_mask: int, events) -> bool:
    """Return whether one more cell may be expanded; otherwise STATUS is CUTOFF, or PAUSE says why the search stops.

    clock_mask: the clock is read after every so many expansions, one less than a power of two.
    """
    expanded, pause = ctl[at.EXPANDED], 0
    late = ctl[at.DEADLINE] > 0 and expanded & clock_mask == clock_mask and now(ctl) > ctl[at.DEADLINE]
    cut = ctl[at.BUDGET] > 0 and (late or expanded == ctl[at.LIMIT])
    if events is not None:
        if ctl[at.EVENTS] + at.EVENT_ROOM > events.size:
            pause = at.PAUSE_EVENTS
    if ctl[at.BUDGET] <= 0:
        pause = at.PAUSE_BUDGET
    ctl[at.PAUSE] = 0 if cut else pause
    if cut:
        ctl[at.STATUS] = at.CUTOFF
    return not cut and pause == 0


@jit
def path_offset(rows, i: int, request) -> int:
    """Return where the cells of path i begin: behind those of the one before, or always at 0 if paths are forgotten."""
    last = max(i - 1, 0)
    end = rows[last, at.ROW_OFFSET] + rows[last, at.ROW_LENGTH]
    return 0 if (i == 0) | (request[at.ASK_FLAGS] & at.FORGET_PATHS != 0) else end


@jit
def came_from(nodes, geo, cell: int) -> int:
    """Return the cell from which `cell` was entered, by the direction in its record."""
    d = int64(nodes[cell]["state"] & np.uint32(7))
    before = cell % geo[at.WIDTH] - geo[at.DX + d]
    return cell - geo[at.STEP + 8 * (before & 1) + d]


@jit
def close_query(weights, geo, nodes, queue, ctl, rows, i: int, cells, request) -> bool:
    """Write the path that ends at END into `cells` (x, y pairs) behind those before it, and the row of results.

    Returns False, with PAUSE set and the needed length in the row, when `cells` is too small; call again then.
    """
    start, end, width, offset = ctl[at.START], ctl[at.END], geo[at.WIDTH], path_offset(rows, i, request)
    length = ctl[at.LISTED]
    end_x, end_y = end % width, end // width
    if length == 0 and end >= 0:
        length = 1
        cell, x = end, end_x
        while cell != start:  # as `came_from`, without a division for every step
            d = int64(nodes[cell]["state"] & np.uint32(7))
            x -= geo[at.DX + d]
            cell -= geo[at.STEP + 8 * (x & 1) + d]
            length += 1
    rows[i, at.ROW_LENGTH], rows[i, at.ROW_OFFSET] = length, offset
    if (offset + length) * 2 > cells.size:
        ctl[at.PAUSE] = at.PAUSE_CELLS
        return False
    if ctl[at.LISTED] > 0:
        for k in range(length):
            cells[2 * (offset + k)] = queue[k] % width
            cells[2 * (offset + k) + 1] = queue[k] // width
    else:
        cell, x, y = end, end_x, end_y
        for k in range(offset + length - 1, offset, -1):
            cells[2 * k], cells[2 * k + 1] = x, y
            d = int64(nodes[cell]["state"] & np.uint32(7))
            x -= geo[at.DX + d]
            y -= geo[at.DY + 8 * (x & 1) + d]
            cell = y * width + x
        if length > 0:  # the start: agents, which list their walks, have no record of it
            cells[2 * offset], cells[2 * offset + 1] = x, y
    sum_path(weights, geo, cells, rows, i)
    fill_row(ctl, rows, i)
    return True


@jit
def sum_path(weights, geo, cells, rows, i: int) -> None:
    """Write into the row what the moves of a path are worth."""
    width, offset, length = geo[at.WIDTH], rows[i, at.ROW_OFFSET], rows[i, at.ROW_LENGTH]
    straight = diagonal = 0
    for k in range(offset + 1, offset + length):
        x, y = int64(cells[2 * k]), int64(cells[2 * k + 1])
        price = 1
        if weights is not None:
            if weights.size > 1:
                price = int64(weights[y * width + x])
                if geo[at.RULE] == at.MEAN:
                    price += int64(weights[int64(cells[2 * k - 1]) * width + cells[2 * k - 2]])
        if geo[at.TOPOLOGY] == at.OCTILE and x != cells[2 * k - 2] and y != cells[2 * k - 1]:
            diagonal += price
        else:
            straight += price
    rows[i, at.ROW_STRAIGHT], rows[i, at.ROW_DIAGONAL] = straight, diagonal


@jit
def fill_row(ctl, rows, i: int) -> None:
    """Copy status and counters into the row of results."""
    rows[i, at.ROW_STATUS] = ctl[at.STATUS]
    rows[i, at.ROW_EXPANDED], rows[i, at.ROW_GENERATED], rows[i, at.ROW_PEAK] = (
        ctl[at.EXPANDED],
        ctl[at.GENERATED],
        ctl[at.PEAK],
    )
    rows[i, at.ROW_ESTIMATE], rows[i, at.ROW_TOUCHED] = ctl[at.ESTIMATE], ctl[at.TOUCHED]
    ctl[at.PAUSE] = at.DONE
    if ctl[at.BEGAN] != 0:
        ended = ticks(ctl)
        rows[i, at.ROW_TICKS] = ended - ctl[at.BEGAN]
        ctl[at.BEGAN] = ended


@jit
def close_listed(weights, geo, nodes, spare, ctl, rows, i: int, cells, request) -> bool:
    """Close a query whose path is listed in `spare` instead of `queue`."""
    return close_query(weights, geo, nodes, spare, ctl, rows, i, cells, request)
