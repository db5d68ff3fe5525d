"""How an edited map differs from the one that an index was built for, and which old paths that leaves optimal.

An old path is proved optimal on the edited map if it is still legal at the same price, and no path over what was opened
can be cheaper. *Opened* are cells that gained a move or became cheaper to enter. A path that uses one of them, c, costs
at least h(start, c) + h(c, goal). They are kept as one box for each sector of the map.
"""

from typing import NamedTuple

from waygrid.core import layout as at
from waygrid.core.heuristics import natural
from waygrid.core.jit import Array, int64, jit

SECTOR = 16  # cells on a side
_DIRECTIONS = 0x5261F3407  # of the moves of squares to the cells around, row by row: four bits each, 15 for none


class Map(NamedTuple):
    """What is compared: where an agent can stand, its moves, and what entering costs (one entry stands for all)."""

    walk: Array
    moves: Array
    weights: Array


@jit
def weight_of(weights, cell: int) -> int:
    """Return what entering a cell costs; a table of one entry stands for all ones."""
    return int64(weights[cell]) if weights.size > 1 else int64(weights[0])


@jit
def compare_sectors(
    geo, old_walk, old_moves, old_weights, walk, moves, weights, windows, counts, boxes, listed, many: int
) -> tuple[int, int]:
    """Count the cells that differ in each sector that the windows touch, and box in those that were opened.

    Returns how many more cells differ than before, and how many boxes are not empty: those are listed. An empty box
    has left > right.
    many: the boxes listed so far; the list stays as it is where no box has changed.
    """
    old, new = Map(old_walk, old_moves, old_weights), Map(walk, moves, weights)
    width, height = geo[at.WIDTH], geo[at.HEIGHT]
    across, more, changed = (width + SECTOR - 1) // SECTOR, 0, False
    for k in range(len(windows)):
        for sy in range(windows[k, 1] // SECTOR, (windows[k, 3] + SECTOR - 1) // SECTOR):
            for sx in range(windows[k, 0] // SECTOR, (windows[k, 2] + SECTOR - 1) // SECTOR):
                sector = sy * across + sx
                before = int64(counts[sector])
                changed |= _compare_sector(width, height, old, new, sx, sy, counts, boxes, sector)
                more += int64(counts[sector]) - before
    return more, _list_boxes(boxes, listed) if changed else many


@jit
def _compare_sector(width: int, height: int, old, new, sx: int, sy: int, counts, boxes, sector: int) -> bool:
    """Compare the cells of a sector; return whether its box is another one now."""
    left, top, right, bottom, count = width, height, -1, -1, 0
    for y in range(sy * SECTOR, min(height, (sy + 1) * SECTOR)):
        for x in range(sx * SECTOR, min(width, (sx + 1) * SECTOR)):
            cell = y * width + x
            stood, stands = old.walk[cell], new.walk[cell]
            before, now = int64(old.moves[cell]), int64(new.moves[cell])
            price_before, price = weight_of(old.weights, cell), weight_of(new.weights, cell)
            if stood != stands or before != now or (price_before != price and stood):
                count += 1
            if (now & ~before) != 0 or stands > stood or (price < price_before and stands):
                left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
    counts[sector] = count
    box = boxes[sector]
    same = box[0] == left and box[1] == top and box[2] == right and box[3] == bottom
    box[0], box[1], box[2], box[3] = left, top, right, bottom
    return not same


@jit
def _list_boxes(boxes, found) -> int:
    """List the boxes that are not empty; return how many."""
    count = 0
    for k in range(len(boxes)):
        if boxes[k, 0] <= boxes[k, 2]:
            for j in range(4):
                found[count, j] = boxes[k, j]
            count += 1
    return count


@jit
def move_between(geo, x: int, y: int, to_x: int, to_y: int) -> int:
    """Return the direction of a move, -1 where it is none."""
    row = 8 * (x & 1)
    for d in range(8):
        if geo[at.DX + d] == to_x - x and geo[at.DY + row + d] == to_y - y and geo[at.STEP + row + d] != 0:
            return d
    return -1


@jit
def count_moves(width: int, walk, moves, cells, begin: int, count: int) -> tuple[int, int]:
    """Do what `sum_moves` does on squares without weights, in 1 ns for each cell instead of 4."""
    x, y, diagonal, legal = int64(cells[begin, 0]), int64(cells[begin, 1]), int64(0), True
    if not walk[y * width + x]:
        return int64(-1), int64(0)
    for k in range(begin + 1, begin + count):
        to_x, to_y = int64(cells[k, 0]), int64(cells[k, 1])
        dx, dy = to_x - x, to_y - y
        d = (_DIRECTIONS >> (12 * dy + 4 * dx + 16)) & 15 if abs(dx) <= 1 and abs(dy) <= 1 else 15
        legal &= bool((int64(moves[y * width + x]) >> d) & 1)
        diagonal += dx & dy & 1
        x, y = to_x, to_y
    return (count - 1 - diagonal, diagonal) if legal else (int64(-1), int64(0))


@jit
def sum_moves(geo, now, cells, begin: int, count: int) -> tuple[int, int]:
    """Return the sums of straight and of diagonal moves of a path, each times its weight; (-1, 0) of an illegal one."""
    x, y, straight, diagonal = int64(cells[begin, 0]), int64(cells[begin, 1]), int64(0), int64(0)
    if geo[at.TOPOLOGY] <= at.OCTILE and geo[at.RULE] != at.MEAN and now.weights.size == 1:
        return count_moves(geo[at.WIDTH], now.walk, now.moves, cells, begin, count)
    if not now.walk[y * geo[at.WIDTH] + x]:
        return int64(-1), int64(0)
    for k in range(begin + 1, begin + count):
        to_x, to_y = int64(cells[k, 0]), int64(cells[k, 1])
        d = move_between(geo, x, y, to_x, to_y)
        if d < 0 or (now.moves[y * geo[at.WIDTH] + x] >> d) & 1 == 0:
            return int64(-1), int64(0)
        price = weight_of(now.weights, to_y * geo[at.WIDTH] + to_x)
        if geo[at.RULE] == at.MEAN:
            price += weight_of(now.weights, y * geo[at.WIDTH] + x)
        if geo[at.TOPOLOGY] == at.OCTILE and d >= 4:
            diagonal += price
        else:
            straight += price
        x, y = to_x, to_y
    return straight, diagonal


@jit
def find_gap(geo, now, labels, cells, begin: int, ahead: int) -> tuple[int, int]:
    """Return the last cell before the first illegal move of a path, and one to which the path can be mended.

    That is a cell of the same component, some moves `ahead` of the first such one, so that the way there can be
    straighter. (-1, -1) if all moves from `begin` on are legal.
    """
    last = len(cells) - 1
    for k in range(begin, last):
        if _is_legal(geo, now, cells, k):
            continue
        here, end = int64(cells[k, 1]) * geo[at.WIDTH] + cells[k, 0], k + 1
        while end < last and labels[int64(cells[end, 1]) * geo[at.WIDTH] + cells[end, 0]] != labels[here]:
            end += 1
        first = end
        while end < last and end < first + ahead and _is_legal(geo, now, cells, end):
            end += 1
        return k, end
    return -1, -1


@jit
def _is_legal(geo, now, cells, k: int) -> bool:
    """Return whether the move behind a cell of a path is legal."""
    x, y = int64(cells[k, 0]), int64(cells[k, 1])
    d = move_between(geo, x, y, int64(cells[k + 1, 0]), int64(cells[k + 1, 1]))
    return bool(d >= 0 and (now.moves[y * geo[at.WIDTH] + x] >> d) & 1)


@jit
def may_pass(geo, boxes, k: int, x: int, y: int, goal_x: int, goal_y: int, cost: int) -> bool:
    """Return whether a path through a box may cost less than `cost`."""
    ax, ay = min(max(x, boxes[k, 0]), boxes[k, 2]), min(max(y, boxes[k, 1]), boxes[k, 3])
    bx, by = min(max(goal_x, boxes[k, 0]), boxes[k, 2]), min(max(goal_y, boxes[k, 1]), boxes[k, 3])
    least = natural(geo, x, y, ax, ay) + natural(geo, bx, by, goal_x, goal_y)
    return bool(least * geo[at.MIN_WEIGHT] < cost)


@jit
def list_gained(
    geo, old_walk, old_moves, moves, boxes, x: int, y: int, goal_x: int, goal_y: int, cost: int, cells
) -> int:
    """List the cells of the old map that gained a move by which a path may cost less than `cost`; return how many.

    Returns one more than there is room for at most.
    """
    count, width = 0, geo[at.WIDTH]
    for k in range(len(boxes)):
        if not may_pass(geo, boxes, k, x, y, goal_x, goal_y, cost):
            continue
        for cy in range(boxes[k, 1], boxes[k, 3] + 1):
            for cx in range(boxes[k, 0], boxes[k, 2] + 1):
                cell = cy * width + cx
                if old_walk[cell] == 0 or moves[cell] & ~old_moves[cell] == 0:
                    continue
                if natural(geo, x, y, cx, cy) + natural(geo, cx, cy, goal_x, goal_y) >= cost:
                    continue
                if count == len(cells):
                    return count + 1
                cells[count, 0], cells[count, 1] = cx, cy
                count += 1
    return count


@jit
def may_shorten(cells, costs, x: int, y: int, goal_x: int, goal_y: int, diagonal: float, cost: float) -> bool:
    """Return whether a path may cost less than `cost` whose first new move leaves a cell, and its last enters another.

    costs: of the old map, from the start to each cell and from there to the goal, in straight moves. diagonal: the
    price of a diagonal move.
    """
    for a in range(len(cells)):
        ax, ay = cells[a, 0], cells[a, 1]
        if costs[0, a] + _apart(ax, ay, goal_x, goal_y, diagonal) >= cost:
            continue
        for b in range(len(cells)):
            bx, by = cells[b, 0], cells[b, 1]
            if a != b and costs[0, a] + _apart(ax, ay, bx, by, diagonal) + costs[1, b] < cost:
                return True
    return False


@jit
def _apart(x: int, y: int, to_x: int, to_y: int, diagonal: float) -> float:
    """Return the distance of two cells on the empty map, in straight moves."""
    dx, dy = abs(x - to_x), abs(y - to_y)
    return max(dx, dy) + (diagonal - 1.0) * min(dx, dy)


@jit
def holds(geo, now, cells, begin: int, count: int, straight: int, diagonal: int, boxes, exact: bool) -> bool:
    """Return whether an old path is legal on the map as it is, and (exact) an optimal one."""
    if sum_moves(geo, now, cells, begin, count) != (straight, diagonal):
        return False
    return not (exact and may_boxes_shorten(geo, cells, begin, count, straight, diagonal, boxes))


@jit
def may_boxes_shorten(geo, cells, begin: int, count: int, straight: int, diagonal: int, boxes) -> bool:
    """Return whether a way through one of the boxes of what was opened may be cheaper than an old path.

    On hexagons a box says nothing about distances: there any box may.
    """
    if geo[at.TOPOLOGY] > at.OCTILE:
        return len(boxes) > 0
    cost, last = straight * geo[at.CARDINAL] + diagonal * geo[at.DIAGONAL], begin + count - 1
    x, y, goal_x, goal_y = cells[begin, 0], cells[begin, 1], cells[last, 0], cells[last, 1]
    for k in range(len(boxes)):
        if may_pass(geo, boxes, k, int64(x), int64(y), int64(goal_x), int64(goal_y), cost):
            return True
    return False


@jit
def prove(geo, now, rows, cells, boxes, exact: bool, proved) -> None:
    """Say of each answer of an old index whether it holds on the map as it is."""
    offset = 0
    for i in range(len(rows)):
        length, status = rows[i, at.ROW_LENGTH], rows[i, at.ROW_STATUS]
        sums = rows[i, at.ROW_STRAIGHT], rows[i, at.ROW_DIAGONAL]
        if status == at.FOUND:
            proved[i] = holds(geo, now, cells, offset, length, sums[0], sums[1], boxes, exact)
        else:
            proved[i] = status == at.UNREACHABLE and len(boxes) == 0
        offset += length
