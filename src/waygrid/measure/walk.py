"""Checking many paths at once: is every move in the move table, are the ends right, and is the price?"""

from waygrid.core import layout as at
from waygrid.core.jit import Array, int64, jit

SOUND, BAD_CELL, BAD_MOVE, WRONG_ENDS, WRONG_PRICE, MISSING = 0, 1, 2, 3, 4, 5


@jit
def leads(moves: Array, geo: Array, x: int, y: int, nx: int, ny: int) -> bool:
    """Tell whether the move table has the move from one cell to another."""
    byte, row = int64(moves[y * geo[at.WIDTH] + x]), 8 * (x & 1)
    found = False
    for d in range(8):
        found = found | (((byte >> d) & 1 == 1) & (x + geo[at.DX + d] == nx) & (y + geo[at.DY + row + d] == ny))
    return found


@jit
def fault_of(moves: Array, walk: Array, weights: Array | None, geo: Array, query: Array, row: Array, way: Array) -> int:
    """Return what is wrong with one path: `way`, its x and y in turn, answers the query as its row says."""
    width, height, count = geo[at.WIDTH], geo[at.HEIGHT], row[at.ROW_LENGTH]
    if count == 0:
        return SOUND if row[at.ROW_STATUS] != at.FOUND else MISSING
    straight = diagonal = 0
    for k in range(count):
        x, y = int64(way[2 * k]), int64(way[2 * k + 1])
        if not (0 <= x < width and 0 <= y < height) or walk[y * width + x] == 0:
            return BAD_CELL
        if k > 0:
            before_x, before_y = int64(way[2 * k - 2]), int64(way[2 * k - 1])
            if not leads(moves, geo, before_x, before_y, x, y):
                return BAD_MOVE
            price = 1
            if weights is not None:
                price = int64(weights[y * width + x])
                if geo[at.RULE] == at.MEAN:
                    price += int64(weights[before_y * width + before_x])
            across = (geo[at.TOPOLOGY] == at.OCTILE) & (x != before_x) & (y != before_y)
            diagonal += price if across else 0
            straight += 0 if across else price
    end = 2 * count - 2
    bad = (way[0] != query[0]) | (way[1] != query[1]) | (row[at.ROW_STATUS] == at.UNREACHABLE)
    if row[at.ROW_STATUS] == at.FOUND:
        bad = bad | (way[end] != query[2]) | (way[end + 1] != query[3])
    if bad:
        return WRONG_ENDS
    return SOUND if (straight == row[at.ROW_STRAIGHT]) & (diagonal == row[at.ROW_DIAGONAL]) else WRONG_PRICE


@jit
def find_faults(
    moves: Array,
    walk: Array,
    weights: Array | None,
    geo: Array,
    queries: Array,
    rows: Array,
    cells: Array,
    faults: Array,
) -> None:
    """Write for every query what is wrong with its path."""
    for i in range(len(rows)):
        first = 2 * rows[i, at.ROW_OFFSET]
        way = cells[first : first + 2 * rows[i, at.ROW_LENGTH]]
        faults[i] = fault_of(moves, walk, weights, geo, queries[i], rows[i], way)
