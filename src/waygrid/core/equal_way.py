"""Ways around what an edit has closed that cost no more: with them an old cheapest path still is one.

A stretch of a path that uses one straight direction and one diagonal beside it can take these moves in any order, at
the same cost: all ways lie in a parallelogram. So the stretch around an illegal move is made as long as it
uses two such directions, and a legal way through its parallelogram is looked for.
"""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.difference import Map, may_boxes_shorten, move_between, sum_moves
from waygrid.core.jit import int64, jit

SIDE = 64  # most moves by each direction


@jit
def _direction(geo, cells, k: int) -> int:
    """Return the direction of the move behind a cell of a path, -1 where it is none."""
    x, y = int64(cells[k, 0]), int64(cells[k, 1])
    return move_between(geo, x, y, int64(cells[k + 1, 0]), int64(cells[k + 1, 1]))


@jit
def _fits(d: int, straight: int, diagonal: int) -> bool:
    """Return whether a stretch that uses two directions (-1: none yet) may use another one."""
    if d < 4:
        beside = diagonal < 0 or (diagonal & 3) == d or ((diagonal + 1) & 3) == d
        return (straight < 0 or straight == d) and beside
    beside = straight < 0 or (d & 3) == straight or ((d + 1) & 3) == straight
    return (diagonal < 0 or diagonal == d) and beside


@jit
def _stretch(geo, cells, gap: int, ahead_first: bool) -> tuple[int, int, int, int]:
    """Return first and last cell of the stretch around the move behind `gap`, and its two directions.

    It grows to one side as far as it can, then to the other: two stretches, of which either may have a way.
    """
    d = int64(_direction(geo, cells, gap))
    straight, straights = (d, 1) if d < 4 else (int64(-1), 0)
    diagonal, diagonals = (d, 1) if d >= 4 else (int64(-1), 0)
    first, last = gap, gap + 1
    for turn in range(2):
        ahead = ahead_first == (turn == 0)
        while (last < len(cells) - 1) if ahead else (first > 0):
            d = _direction(geo, cells, last if ahead else first - 1)
            if d < 0 or not _fits(d, straight, diagonal) or max(straights, diagonals) == SIDE - 1:
                break
            if d < 4:
                straight, straights = d, straights + 1
            else:
                diagonal, diagonals = d, diagonals + 1
            if ahead:
                last += 1
            else:
                first -= 1
    return first, last, straight, diagonal


@jit
def _cross(geo, moves, cells, first: int, gap: int, last: int, straight: int, diagonal: int, work) -> int:
    """Write a legal way through the parallelogram of a stretch over it, to the next of its cells that can be reached.

    Returns that cell, -1 where there is none.
    work: of each place, the number of straight moves * SIDE + that of diagonal ones: the last move there, 0 for none.
    """
    if straight < 0 or diagonal < 0:
        return -1
    rows = columns = 0
    for k in range(first, last):
        if _direction(geo, cells, k) < 4:
            rows += 1
        else:
            columns += 1
    start = int64(cells[first, 1]) * geo[at.WIDTH] + cells[first, 0]
    one, other = geo[at.STEP + straight], geo[at.STEP + diagonal]
    for row in range(rows + 1):
        for column in range(columns + 1):
            place, cell = row * SIDE + column, start + row * one + column * other
            work[place] = 0
            if row + column == 0:
                work[place] = 3
            elif row > 0 and work[place - SIDE] and (moves[cell - one] >> straight) & 1:
                work[place] = 1
            elif column > 0 and work[place - 1] and (moves[cell - other] >> diagonal) & 1:
                work[place] = 2
    place, end = 0, first
    while end <= gap or (work[place] == 0 and end < last):
        place += SIDE if _direction(geo, cells, end) < 4 else 1
        end += 1
    if work[place] == 0:
        return -1
    x, y = int64(cells[end, 0]), int64(cells[end, 1])
    for k in range(end - 1, first, -1):
        d = straight if work[place] == 1 else diagonal
        place -= SIDE if d == straight else 1
        x, y = x - geo[at.DX + d], y - geo[at.DY + d]
        cells[k, 0], cells[k, 1] = x, y
    return end


@jit
def mend_equally(geo, moves, cells, whole: bool) -> bool:
    """Lead a path around its illegal moves by ways that cost the same; return whether it is legal then.

    For octile grids without weights. whole: stop at the first move that no such way replaces.
    """
    work = np.empty(SIDE * SIDE, np.uint8)
    k, last, legal = 0, len(cells) - 1, True
    while k < last:
        d = _direction(geo, cells, k)
        if d < 0:
            return False
        if (moves[int64(cells[k, 1]) * geo[at.WIDTH] + cells[k, 0]] >> d) & 1:
            k += 1
            continue
        end = -1
        for ahead_first in (True, False):
            begin, last_one, straight, diagonal = _stretch(geo, cells, k, ahead_first)
            end = _cross(geo, moves, cells, begin, k, last_one, straight, diagonal, work)
            if end >= 0:
                break
        if end < 0:
            legal = False
            if whole:
                break
        k = max(k + 1, end)
    return legal


@jit
def judge(
    geo, walk, moves, weights, cells, straight: int, diagonal: int, boxes, exact: bool, mends: bool
) -> tuple[bool, bool, bool]:
    """Return whether an old path is legal at its old price, whether it had to be mended, and if a box may shorten it.

    straight, diagonal: the sums of its moves. exact: the path is to be a cheapest one, otherwise boxes do not matter.
    mends: the path may be led around illegal moves, in place; also some of them, where it is not to be exact.
    """
    now, sums, mended = Map(walk, moves, weights), (straight, diagonal), False
    if sum_moves(geo, now, cells, 0, len(cells)) != sums:
        if not mends or geo[at.TOPOLOGY] != at.OCTILE or weights.size > 1 or not mend_equally(geo, moves, cells, exact):
            return False, False, False
        mended = True
        if sum_moves(geo, now, cells, 0, len(cells)) != sums:  # the price of a cell has changed
            return False, False, False
    return True, mended, exact and may_boxes_shorten(geo, cells, 0, len(cells), straight, diagonal, boxes)
