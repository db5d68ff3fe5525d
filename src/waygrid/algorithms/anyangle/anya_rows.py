"""Rows of the map as bit strings: runs of free cells, and the gaps by which rows join.

Bit x + 1 of row y + 1 is set where the agent can stand at cell (x, y); the border around the map is wall. So a run of
free cells is found 64 cells at a time, and packing a map takes 0.3 ns a cell: it is done anew after every edit.

Points are lattice points of this wider map, doubled: the corner where four cells meet is even in both coordinates, the
centre of a cell odd. So all comparisons are of whole numbers.
"""

import numpy as np

from waygrid.core.jit import Array, int64, jit
from waygrid.core.queue import lowest_bit

_DEBRUIJN = np.uint64(0x03F79D71B4CB0A89)
_TOP = np.zeros(64, np.uint8)  # place of the highest set bit, by the product with all bits below it set
for _place in range(64):
    _TOP[(((2 << _place) - 1) * 0x03F79D71B4CB0A89 & (2**64 - 1)) >> 58] = _place


def pack_rows(walk: Array, width: int, height: int) -> Array:
    """Return the rows of a map, with walls around it, as 64-bit words.

    >>> [f"{row[0]:b}" for row in pack_rows(np.array([1, 0, 1, 1], np.uint8), 4, 1)]
    ['0', '11010', '0']
    """
    words = (width + 2 + 63) // 64
    padded = np.zeros((height + 2, 64 * words), np.uint8)
    padded[1:-1, 1 : width + 1] = walk.reshape(height, width)
    packed = np.packbits(padded, axis=1, bitorder="little")
    return np.ascontiguousarray(packed.view("<u8").astype(np.uint64))


def count_points(width: int, height: int) -> int:
    """Return how many numbers lattice points have: a row of them has one more than its words have bits."""
    return (64 * ((width + 2 + 63) // 64) + 1) * (height + 3)


@jit
def highest_bit(word) -> int:
    """Return the place of the highest set bit of a non-zero 64-bit word."""
    word |= word >> np.uint64(1)
    word |= word >> np.uint64(2)
    word |= word >> np.uint64(4)
    word |= word >> np.uint64(8)
    word |= word >> np.uint64(16)
    word |= word >> np.uint64(32)
    return int64(_TOP[(word * _DEBRUIJN) >> np.uint64(58)])


@jit
def is_free(free, y: int, x: int) -> bool:
    """Return whether a cell is free."""
    return bool((free[y, x >> 6] >> np.uint64(x & 63)) & np.uint64(1))


@jit
def find_wall(free, y: int, x: int) -> int:
    """Return the first wall of a row at or after x."""
    word, place = x >> 6, np.uint64(x & 63)
    found = (~free[y, word] >> place) << place
    while found == 0:
        word += 1
        found = ~free[y, word]
    return (word << 6) + lowest_bit(found)


@jit
def find_wall_before(free, y: int, x: int) -> int:
    """Return the last wall of a row at or before x."""
    word, place = x >> 6, np.uint64(63 - (x & 63))
    found = (~free[y, word] << place) >> place
    while found == 0:
        word -= 1
        found = ~free[y, word]
    return (word << 6) + highest_bit(found)


@jit
def find_gap(free, y: int, other: int, x: int, end: int) -> int:
    """Return the first column from x on that is free in two rows; `end` or more where there is none before."""
    word, place = x >> 6, np.uint64(x & 63)
    found = ((free[y, word] & free[other, word]) >> place) << place
    while found == 0:
        word += 1
        if word << 6 >= end:
            return end
        found = free[y, word] & free[other, word]
    return (word << 6) + lowest_bit(found)


@jit
def find_gap_end(free, y: int, other: int, x: int) -> int:
    """Return the first column from x on that is a wall in one of two rows."""
    word, place = x >> 6, np.uint64(x & 63)
    found = (~(free[y, word] & free[other, word]) >> place) << place
    while found == 0:
        word += 1
        found = ~(free[y, word] & free[other, word])
    return (word << 6) + lowest_bit(found)


@jit
def is_bend(free, y: int, other: int, x: int) -> bool:
    """Return whether one of two cells of a column is a wall and the other free.

    At the end of a gap between two rows, a path may bend there: the two cells on the gap's side are free.
    """
    return bool(((free[y, x >> 6] ^ free[other, x >> 6]) >> np.uint64(x & 63)) & np.uint64(1))


@jit
def is_open(free, y: int, begin: int, end: int) -> bool:
    """Return whether all cells of a row from column begin to end - 1 are free; of more than 64 it may say no."""
    word, place = begin >> 6, np.uint64(begin & 63)
    wide = end - begin
    shut = ~free[y, word] >> place
    if wide <= 64 - (begin & 63):
        return bool(shut << np.uint64(64 - wide) == 0) if wide > 0 else True
    if shut != 0 or wide > 64:
        return False
    return bool(~free[y, word + 1] << np.uint64(64 - ((end - 1) & 63) - 1) == 0)
