"""What every search does before its first and after its last step: check the query, trace the path, fill the row."""

import numpy as np

from waygrid.kernels._jit import Array, jit
from waygrid.kernels.layout import (
    BAD_GOAL,
    BAD_START,
    BEST,
    BEST_G,
    BEST_H,
    BOUND,
    CTL_SIZE,
    DEADLINE,
    DEPTH,
    DONE,
    DX,
    END,
    ESTIMATE,
    EVENTS,
    EXPANDED,
    FLAGS,
    FOUND,
    GENERATED,
    GOAL,
    HEIGHT,
    LAST_SEARCH,
    LATCH,
    LIMIT,
    LISTED,
    NEXT_BOUND,
    OCTILE,
    OPEN,
    PAUSE,
    PAUSE_CELLS,
    PEAK,
    ROW_DIAGONAL,
    ROW_ESTIMATE,
    ROW_EXPANDED,
    ROW_GENERATED,
    ROW_LENGTH,
    ROW_OFFSET,
    ROW_PEAK,
    ROW_STATUS,
    ROW_STRAIGHT,
    ROW_TOUCHED,
    RUNNING,
    SEARCH,
    SEQUENCE,
    START,
    STATUS,
    STEP,
    TOPOLOGY,
    TOUCHED,
    UNREACHABLE,
    USER,
    WALL_GOAL,
    WANT_PARTIAL,
    WIDTH,
)


@jit
def renew(nodes: Array, ctl: Array) -> None:
    """Number the next search; clear the stamps when the numbers run out, and only then."""
    if ctl[SEARCH] >= LAST_SEARCH:
        for cell in range(nodes.size):
            nodes[cell]["state"] = 0
        ctl[SEARCH] = 0
    ctl[SEARCH] += 1


@jit
def open_query(
    geo: Array, labels: Array, nodes: Array, ctl: Array, query: Array, flags: int, limit: int, deadline: int
) -> None:
    """Set up the state of a search; its status is RUNNING unless the answer is known without one."""
    width, height = geo[WIDTH], geo[HEIGHT]
    renew(nodes, ctl)
    for k in (
        EXPANDED,
        GENERATED,
        OPEN,
        PEAK,
        LATCH,
        EVENTS,
        SEQUENCE,
        ESTIMATE,
        BOUND,
        NEXT_BOUND,
        DEPTH,
        TOUCHED,
        LISTED,
    ):
        ctl[k] = 0
    for k in range(USER, CTL_SIZE):
        ctl[k] = 0
    ctl[BEST] = ctl[END] = -1
    ctl[BEST_H] = ctl[BEST_G] = np.iinfo(np.int64).max
    ctl[FLAGS], ctl[LIMIT], ctl[DEADLINE], ctl[PAUSE] = flags, limit, deadline, DONE
    x, y, goal_x, goal_y = query[0], query[1], query[2], query[3]
    start, goal = y * width + x, goal_y * width + goal_x
    ctl[START], ctl[GOAL] = start, goal
    if not (0 <= x < width and 0 <= y < height) or labels[start] < 0:
        ctl[STATUS] = BAD_START
    elif not (0 <= goal_x < width and 0 <= goal_y < height):
        ctl[STATUS] = BAD_GOAL
    elif start == goal:
        ctl[STATUS], ctl[END] = FOUND, start
    elif labels[goal] < 0 and not flags & WALL_GOAL:
        ctl[STATUS] = BAD_GOAL
    elif labels[start] != labels[goal] and not flags & WANT_PARTIAL:
        ctl[STATUS] = UNREACHABLE
    else:
        ctl[STATUS] = RUNNING


@jit
def came_from(nodes: Array, geo: Array, cell: int) -> int:
    """Return the cell from which `cell` was entered, by the direction in its record."""
    d = np.int64(nodes[cell]["state"] & np.uint32(7))
    before = cell % geo[WIDTH] - geo[DX + d]
    return cell - geo[STEP + 8 * (before & 1) + d]  # type: ignore[no-any-return]


@jit
def close_query(
    weights: Array | None, geo: Array, nodes: Array, queue: Array, ctl: Array, row: Array, cells: Array, offset: int
) -> bool:
    """Write the path that ends at END into `cells` (x, y pairs) from `offset` on, and the row of results.

    Returns False, with PAUSE set and the needed length in the row, when `cells` is too small; call again then.
    """
    start, end, width = ctl[START], ctl[END], geo[WIDTH]
    length = ctl[LISTED]
    if length == 0 and end >= 0:
        length = 1
        cell = end
        while cell != start:
            cell = came_from(nodes, geo, cell)
            length += 1
    row[ROW_LENGTH], row[ROW_OFFSET] = length, offset
    if (offset + length) * 2 > cells.size:
        ctl[PAUSE] = PAUSE_CELLS
        return False
    cell = end
    for k in range(length - 1, -1, -1):
        if ctl[LISTED] > 0:
            cell = np.int64(queue[k])
        cells[2 * (offset + k)] = cell % width
        cells[2 * (offset + k) + 1] = cell // width
        if k > 0 and ctl[LISTED] == 0:
            cell = came_from(nodes, geo, cell)
    straight = diagonal = 0
    for k in range(offset + 1, offset + length):
        x, y = np.int64(cells[2 * k]), np.int64(cells[2 * k + 1])
        price = 1
        if weights is not None:
            price = np.int64(weights[y * width + x])
        if geo[TOPOLOGY] == OCTILE and x != cells[2 * k - 2] and y != cells[2 * k - 1]:
            diagonal += price
        else:
            straight += price
    row[ROW_STRAIGHT], row[ROW_DIAGONAL] = straight, diagonal
    fill_row(ctl, row)
    return True


@jit
def fill_row(ctl: Array, row: Array) -> None:
    """Copy status and counters into the row of results."""
    row[ROW_STATUS] = ctl[STATUS]
    row[ROW_EXPANDED], row[ROW_GENERATED], row[ROW_PEAK] = ctl[EXPANDED], ctl[GENERATED], ctl[PEAK]
    row[ROW_ESTIMATE], row[ROW_TOUCHED] = ctl[ESTIMATE], ctl[TOUCHED]
    ctl[PAUSE] = DONE
