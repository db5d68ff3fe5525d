"""How an edited map differs from the one that an index was built for, and which old paths that leaves optimal.

An old path is proved optimal on the edited map if it is still legal at the same price, and no path over what was opened
can be cheaper. *Opened* are cells that gained a move or became cheaper to enter. A path that uses one of them, c, costs
at least h(start, c) + h(c, goal). They are kept as one box for each sector of the map.
"""

from waygrid.core import layout as at
from waygrid.core.heuristics import natural
from waygrid.core.jit import int64, jit

SECTOR = 16  # cells on a side


@jit
def weight_of(weights, cell: int) -> int:
    """Return what entering a cell costs; a table of one entry stands for all ones."""
    return int64(weights[cell]) if weights.size > 1 else int64(weights[0])


@jit
def compare_sectors(geo, old, new, windows, counts, boxes) -> None:
    """Count the cells that differ in each sector that the windows touch, and box in those that were opened.

    old, new: moves and weights. An empty box has left > right.
    """
    width, height = geo[at.WIDTH], geo[at.HEIGHT]
    across = (width + SECTOR - 1) // SECTOR
    for k in range(len(windows)):
        for sy in range(windows[k, 1] // SECTOR, (windows[k, 3] + SECTOR - 1) // SECTOR):
            for sx in range(windows[k, 0] // SECTOR, (windows[k, 2] + SECTOR - 1) // SECTOR):
                _compare_sector(width, height, old, new, sx, sy, counts, boxes, sy * across + sx)


@jit
def _compare_sector(width: int, height: int, old, new, sx: int, sy: int, counts, boxes, sector: int) -> None:
    left, top, right, bottom, count = width, height, -1, -1, 0
    for y in range(sy * SECTOR, min(height, (sy + 1) * SECTOR)):
        for x in range(sx * SECTOR, min(width, (sx + 1) * SECTOR)):
            cell = y * width + x
            before, now = int64(old[0][cell]), int64(new[0][cell])
            price_before, price = weight_of(old[1], cell), weight_of(new[1], cell)
            opened = (now & ~before) != 0 or (price < price_before and now != 0)
            if before != now or (price_before != price and (before | now) != 0):
                count += 1
            if opened:
                left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
    counts[sector] = count
    boxes[sector, 0], boxes[sector, 1], boxes[sector, 2], boxes[sector, 3] = left, top, right, bottom


@jit
def list_boxes(boxes, found) -> int:
    """List the boxes that are not empty; return how many."""
    count = 0
    for k in range(len(boxes)):
        if boxes[k, 0] <= boxes[k, 2]:
            for j in range(4):
                found[count, j] = boxes[k, j]
            count += 1
    return count


@jit
def _move_between(geo, x: int, y: int, to_x: int, to_y: int) -> int:
    """Return the direction of a move, -1 where it is none."""
    row = 8 * (x & 1)
    for d in range(8):
        if geo[at.DX + d] == to_x - x and geo[at.DY + row + d] == to_y - y and geo[at.STEP + row + d] != 0:
            return d
    return -1


@jit
def same_price(geo, moves, weights, cells, begin: int, count: int, straight: int, diagonal: int) -> bool:
    """Return whether a path is legal and has these sums of straight and of diagonal moves."""
    x, y = int64(cells[begin, 0]), int64(cells[begin, 1])
    for k in range(begin + 1, begin + count):
        to_x, to_y = int64(cells[k, 0]), int64(cells[k, 1])
        d = _move_between(geo, x, y, to_x, to_y)
        if d < 0 or (moves[y * geo[at.WIDTH] + x] >> d) & 1 == 0:
            return False
        price = weight_of(weights, to_y * geo[at.WIDTH] + to_x)
        if geo[at.TOPOLOGY] == at.OCTILE and d >= 4:
            diagonal -= price
        else:
            straight -= price
        x, y = to_x, to_y
    return bool((straight == 0) & (diagonal == 0))


@jit
def may_pass(geo, boxes, k: int, x: int, y: int, goal_x: int, goal_y: int, cost: int) -> bool:
    """Return whether a path through a box may cost less than `cost`."""
    ax, ay = min(max(x, boxes[k, 0]), boxes[k, 2]), min(max(y, boxes[k, 1]), boxes[k, 3])
    bx, by = min(max(goal_x, boxes[k, 0]), boxes[k, 2]), min(max(goal_y, boxes[k, 1]), boxes[k, 3])
    least = natural(geo, x, y, ax, ay) + natural(geo, bx, by, goal_x, goal_y)
    return bool(least * geo[at.MIN_WEIGHT] < cost)


@jit
def prove(geo, moves, weights, queries, rows, cells, boxes, proved) -> None:
    """Say of each answer of an old index whether it is an optimal one on the map as it is.

    boxes: of what was opened. On hexagons a box says nothing about distances: there any opened cell leaves all
    unproved.
    """
    square = geo[at.TOPOLOGY] == at.TILE or geo[at.TOPOLOGY] == at.OCTILE
    offset = 0
    for i in range(len(rows)):
        length = rows[i, at.ROW_LENGTH]
        proved[i] = len(boxes) == 0 or square
        if rows[i, at.ROW_STATUS] != at.FOUND:
            proved[i] = rows[i, at.ROW_STATUS] == at.UNREACHABLE and len(boxes) == 0
        elif proved[i]:
            straight, diagonal = rows[i, at.ROW_STRAIGHT], rows[i, at.ROW_DIAGONAL]
            proved[i] = same_price(geo, moves, weights, cells, offset, length, straight, diagonal)
            cost = straight * geo[at.CARDINAL] + diagonal * geo[at.DIAGONAL]
            x, y, goal_x, goal_y = queries[i, 0], queries[i, 1], queries[i, 2], queries[i, 3]
            for k in range(len(boxes) if proved[i] else 0):
                if may_pass(geo, boxes, k, int64(x), int64(y), int64(goal_x), int64(goal_y), cost):
                    proved[i] = False
                    break
        offset += length
