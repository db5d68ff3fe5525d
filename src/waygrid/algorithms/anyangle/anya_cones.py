"""Cones: what a point of a path sees of the map, one row of cells after the other.

A cone has its point, the *root*, and the part of a line between two rows of cells through which it enters a run of free
cells. Its sides are rays from the root through lattice points, so they are pairs of whole numbers and nothing is ever
rounded. What a root sees on the far side of a run are further cones. Where a side of a cone touches the corner of a
wall, paths bend: the corner is a root itself, for what lies behind it.
"""

import numpy as np

from waygrid.algorithms.anyangle.anya_rows import find_gap, find_gap_end, is_bend, is_free, is_open
from waygrid.core import layout as at
from waygrid.core.jit import int64, jit

# f: the least length of a path through the cone; g: that of the way to its root (all lengths in halves of a cell).
# (x, y): the root; (column, row): a cell of the run that the cone enters; left, right: its sides, as steps from the
# root, where left has the smaller x. A cone whose left_y is 0 is a root at the line: it sees all of the run.
CONE = np.dtype(
    [("f", "<f8"), ("g", "<f8"), ("x", "<i4"), ("y", "<i4"), ("column", "<i4"), ("row", "<i4")]
    + [(name, "<i4") for name in ("left_x", "left_y", "right_x", "right_y", "bends", "unused")]
)
BENDS_LEFT, BENDS_RIGHT = 1, 2  # a side of the cone touches the corner of a wall

# The cone that is looked at lies in the state of the search; G and BOUND are floats there, in `real`.
ROOT_X, ROOT_Y, ROW, FIRST, LAST = (at.USER + k for k in range(5))  # the run's columns: FIRST to LAST - 1
LEFT_X, LEFT_Y, RIGHT_X, RIGHT_Y = (at.USER + 5 + k for k in range(4))  # y is 0 where nothing bounds that side
COUNT, GOAL_X, GOAL_Y, LAST_ROOT, BEST_ROOT = (at.USER + 9 + k for k in range(5))
G, BOUND = at.USER + 14, at.USER + 15
HELD = at.USER + 16  # a cone that is expanded next, whatever lies in the heap; -1: none
PRICE = 2.0**40  # g of a root in its record is a whole number: length * PRICE
SLACK = 2**10  # of which so much is rounding
UNIT = 1000  # of lengths in events and estimates: thousandths of a cell
NO_ROOT = -1  # the start, which is no corner


@jit
def measure(x: float, y: float) -> float:
    """Return the length of a leg."""
    return np.sqrt(x * x + y * y)


@jit
def root_number(free, x: int, y: int) -> int:
    """Return the number of a root's record: of a lattice point; the start has none."""
    return NO_ROOT if x & 1 else (y >> 1) * (64 * free.shape[1] + 1) + (x >> 1)


@jit
def reach_root(free, nodes, ctl, x: int, y: int, g: float) -> bool:
    """Note that the current root is followed by a bend at (x, y); False where a shorter way leads there.

    "Root history" of Polyanya (Cui, Harabor and Grastien 2017, section 4): a root that was reached on a shorter way
    has no need of this cone.
    """
    number, price = root_number(free, x, y), int64(g * PRICE)
    search = np.uint32(ctl[at.SEARCH] << 4)
    known = nodes[number]["state"] == search
    if known and nodes[number]["g"] + SLACK < price:
        return False
    if not known or price < nodes[number]["g"] - SLACK:
        nodes[number]["g"], nodes[number]["state"] = price, search
        nodes[number]["next"] = root_number(free, ctl[ROOT_X], ctl[ROOT_Y])
        ctl[at.TOUCHED] += 0 if known else 1
    return True


@jit
def price_cone(cones, ctl, number: int) -> float:
    """Return the least length of a path through a cone to the goal.

    A goal on the root's side of the line is mirrored by it (Harabor and others 2016, section 5.2).
    """
    cone = cones[number]
    x, y, goal_x, goal_y = int64(cone["x"]), int64(cone["y"]), ctl[GOAL_X], ctl[GOAL_Y]
    left_y = int64(cone["left_y"])
    if left_y == 0:
        return float(cone["g"]) + measure(float(goal_x - x), float(goal_y - y))
    line = 2 * int64(cone["row"]) + (0 if left_y > 0 else 2)
    far = float(line - y)
    if (goal_y > line) == (y > line):
        goal_y = 2 * line - goal_y
    cross = (goal_x - x) * far / (goal_y - y)
    cross = max(cross, cone["left_x"] * far / left_y)
    cross = min(cross, cone["right_x"] * far / cone["right_y"])
    return float(cone["g"]) + measure(cross, far) + measure(goal_x - x - cross, float(goal_y - line))


@jit
def push_cone(cones, ctl, real, column: int, row: int) -> int:
    """Store a cone of the current root, but for its sides and its f; return its number."""
    number = ctl[COUNT]
    cone = cones[number]
    cone["g"], cone["x"], cone["y"] = real[G], ctl[ROOT_X], ctl[ROOT_Y]
    cone["column"], cone["row"], cone["left_y"], cone["bends"] = column, row, 0, 0
    ctl[COUNT] = number + 1
    return number


@jit
def push_root(free, nodes, cones, ctl, real, i: int, j: int, column: int, row: int) -> None:
    """Store the corner (i, j) as a root that sees all of the run with this cell, if no shorter way leads to it."""
    x, y = 2 * i, 2 * j
    g = real[G] + measure(float(x - ctl[ROOT_X]), float(y - ctl[ROOT_Y]))
    f = g + measure(float(ctl[GOAL_X] - x), float(ctl[GOAL_Y] - y))
    if f >= real[BOUND] or not reach_root(free, nodes, ctl, x, y, g):
        return
    number = push_cone(cones, ctl, real, column, row)
    cones[number]["x"], cones[number]["y"], cones[number]["g"] = x, y, g


@jit
def push_squeezes(free, nodes, cones, ctl, real, side: int) -> None:
    """Store the ends of the current run where two walls touch, as far as the root sees them (corner rule "always")."""
    row, first, last = ctl[ROW], ctl[FIRST], ctl[LAST]
    other, line = row + side, 2 * row + 1 + side
    if is_free(free, other, first - 1) and not is_free(free, other, first) and is_seen(ctl, first, line):
        push_root(free, nodes, cones, ctl, real, first, line >> 1, first - 1, other)
    if is_free(free, other, last) and not is_free(free, other, last - 1) and is_seen(ctl, last, line):
        push_root(free, nodes, cones, ctl, real, last, line >> 1, last, other)


@jit
def is_seen(ctl, i: int, line: int) -> bool:
    """Return whether a lattice point lies between the sides of the current cone, or on one."""
    x, far = 2 * i - ctl[ROOT_X], abs(line - ctl[ROOT_Y])
    left, right = abs(ctl[LEFT_Y]), abs(ctl[RIGHT_Y])
    return bool((x * left >= ctl[LEFT_X] * far or left == 0) and (x * right <= ctl[RIGHT_X] * far or right == 0))


@jit
def push_gap(free, cones, ctl, real, line: int, gap: int, after: int, row: int) -> None:
    """Store a cone for a gap, columns gap to after - 1 of a line, as far as the root sees it. row: the one behind it.

    A cone of no width is left out: both its sides touch corners, and the way along them bends, by nothing, at one.
    """
    x, far, own = ctl[ROOT_X], abs(line - ctl[ROOT_Y]), ctl[ROW]
    left_x, left_y, right_x, right_y = ctl[LEFT_X], abs(ctl[LEFT_Y]), ctl[RIGHT_X], abs(ctl[RIGHT_Y])
    from_x, from_y, to_x, to_y, bends = 2 * gap - x, far, 2 * after - x, far, 0
    if left_y > 0 and from_x * left_y < left_x * far:
        from_x, from_y = left_x, left_y
    elif is_bend(free, own, row, gap - 1):
        bends = BENDS_LEFT
    if right_y > 0 and to_x * right_y > right_x * far:
        to_x, to_y = right_x, right_y
    elif is_bend(free, own, row, after):
        bends |= BENDS_RIGHT
    if from_x * to_y < to_x * from_y:
        cone, sign = cones[push_cone(cones, ctl, real, gap, row)], 1 if line > ctl[ROOT_Y] else -1
        cone["left_x"], cone["left_y"] = from_x, sign * from_y
        cone["right_x"], cone["right_y"], cone["bends"] = to_x, sign * to_y, bends


@jit
def push_gaps(free, cones, ctl, real, side: int) -> None:
    """Store a cone for each gap to the row at one side of the current run, as far as the root sees it."""
    row, x = ctl[ROW], ctl[ROOT_X]
    other, line = row + side, 2 * row + 1 + side
    far, begin, end = abs(line - ctl[ROOT_Y]), ctl[FIRST], ctl[LAST]
    if ctl[LEFT_Y] != 0:  # a column too many does not matter, exact products decide
        begin = max(begin, int64(np.floor((x + ctl[LEFT_X] * far / abs(ctl[LEFT_Y])) * 0.5 - 1e-6)))
    if ctl[RIGHT_Y] != 0:
        end = min(end, int64(np.floor((x + ctl[RIGHT_X] * far / abs(ctl[RIGHT_Y])) * 0.5 + 1e-6)) + 1)
    gap = find_gap(free, row, other, begin, end) if begin < end else end
    while gap < end:
        after = find_gap_end(free, row, other, gap)
        push_gap(free, cones, ctl, real, line, gap, after, other)
        gap = find_gap(free, row, other, after, end) if after < end else end


@jit
def push_along(free, nodes, cones, ctl, real, side: int, leftwards: bool, squeezes: bool) -> None:
    """Store the corners along the line at one side of the current run, on which the root lies, in one direction."""
    row, here = ctl[ROW], ctl[ROOT_X] >> 1
    other, j = row + side, (2 * row + 1 + side) >> 1
    first, last = ctl[FIRST], ctl[LAST]
    if leftwards:
        gap = find_gap(free, row, other, first, here) if first < here else here
        while gap < here:
            after = find_gap_end(free, row, other, gap)
            if after < here:
                push_root(free, nodes, cones, ctl, real, after, j, after - 1, other)
            gap = find_gap(free, row, other, after, here) if after < here else here
        if squeezes and first < here and is_free(free, other, first - 1) and not is_free(free, other, first):
            push_root(free, nodes, cones, ctl, real, first, j, first - 1, other)
        return
    gap = here
    while gap < last:
        gap = find_gap(free, row, other, gap, last)
        if gap >= last:
            break
        if gap > here:
            push_root(free, nodes, cones, ctl, real, gap, j, gap, other)
        gap = find_gap_end(free, row, other, gap)
    if squeezes and last > here and is_free(free, other, last) and not is_free(free, other, last - 1):
        push_root(free, nodes, cones, ctl, real, last, j, last, other)


@jit
def slide(free, cones, ctl, number: int) -> None:
    """Move a cone on over rows that are free all over its width.

    It stays between the same two rays there. Rows are left alone where the goal is, and those with a wall nearby.
    """
    cone = cones[number]
    x, y, row = int64(cone["x"]), int64(cone["y"]), int64(cone["row"])
    goal_row = ctl[GOAL_Y] >> 1
    side = 1 if cone["left_y"] > 0 else -1
    far = abs(2 * row + 1 - side - y)
    left, right = (
        cone["left_x"] / (2.0 * abs(int64(cone["left_y"]))),
        cone["right_x"] / (2.0 * abs(int64(cone["right_y"]))),
    )
    from_x, to_x = 0.5 * x + left * far, 0.5 * x + right * far
    while row != goal_row:
        next_from, next_to = from_x + 2.0 * left, to_x + 2.0 * right
        begin, end = int64(np.floor(next_from - 1e-6)), int64(np.floor(next_to + 1e-6)) + 1
        if begin < 0 or end > 64 * free.shape[1] or not is_open(free, row + side, begin, end):
            break
        low, high = min(begin, int64(np.floor(from_x - 1e-6))), max(end, int64(np.floor(to_x + 1e-6)) + 1)
        if not is_open(free, row, low, high):
            break
        from_x, to_x, row = next_from, next_to, row + side
    if row != cone["row"]:
        cone["row"], cone["column"] = row, int64(np.floor(0.5 * (from_x + to_x)))
