"""The records of searches on large maps: one number per cell, in memory that is committed where a search goes.

A record is 0 for an unseen cell. That of an open cell holds g, a bit that says so, and the direction by which the cell
was entered; that of a closed one the direction, below bits that are all set. Of 32 bits, 28 are for g, which is kept
modulo 2**28: the keys of open cells lie close together, so an open cell's g follows from its estimate and the current
key, and a closed one's is not needed, since a consistent estimate never leads to a closed cell more cheaply. Where
keys may lie too far apart for that, records have 64 bits.

Nothing is stamped. A search marks each block of 256 cells that it touches, and zeroes these blocks when it is done.
"""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit
from waygrid.core.query import fill_row, is_inside, path_offset, reset_state, sum_path
from waygrid.core.queue import lowest_bit

OPEN, CLOSED = 8, -16
G_SHIFT = 4
BLOCK_SHIFT = 8  # cells of a block, as a power of two: zeroing 1 KB takes 20 ns
NOTES = at.CTL_SIZE  # one bit per block, behind the state of the search
_ONE = np.uint64(1)


@jit
def mark_block(ctl, cell: int) -> None:
    """Note that the block of a cell has been touched."""
    ctl[np.uint64(NOTES + (cell >> (BLOCK_SHIFT + 6)))] |= 1 << ((cell >> BLOCK_SHIFT) & 63)


@jit
def clear_blocks(words, ctl) -> None:
    """Zero the records of all blocks that were touched."""
    for place in range(NOTES, ctl.size):
        if ctl[place] != 0:
            mark = np.uint64(ctl[place])
            while mark != 0:
                first = (((place - NOTES) << 6) + lowest_bit(mark)) << BLOCK_SHIFT
                mark &= mark - _ONE
                for cell in range(first, min(first + (1 << BLOCK_SHIFT), words.size)):
                    words[cell] = 0
            ctl[place] = 0


@jit
def read_g(word: int, near: int, bits: int) -> int:
    """Return g of an open record, of which `bits` are kept; it lies within half of what they hold around `near`."""
    off = ((word >> G_SHIFT) - near) & ((1 << bits) - 1)
    return near + off - ((off >> (bits - 1)) << bits)


@jit
def is_dearer(nodes, word: int, g: int) -> bool:
    """Return whether g of an open record is more than another: `read_g(word, g, bits) > g`, in three instructions."""
    return bool(nodes.dtype.type(word - (g << G_SHIFT)) >= 1 << G_SHIFT)


@jit
def open_compact(geo, labels, walk, nodes, ctl, queries, i: int, request) -> None:
    """Set up the state of a search; its status is RUNNING unless the answer is known without one.

    labels: one entry stands for "not known": then a search finds out whether the goal can be reached.
    """
    width, height, flags = geo[at.WIDTH], geo[at.HEIGHT], request[at.ASK_FLAGS]
    clear_blocks(nodes, ctl)  # of a search that was given up
    reset_state(geo, ctl, queries, i, request)
    start, goal = ctl[at.START], ctl[at.GOAL]
    if not is_inside(width, height, queries[i, 0], queries[i, 1]) or walk[start] == 0:
        ctl[at.STATUS] = at.BAD_START
    elif not is_inside(width, height, queries[i, 2], queries[i, 3]):
        ctl[at.STATUS] = at.BAD_GOAL
    elif start == goal:
        ctl[at.STATUS], ctl[at.END] = at.FOUND, start
    elif walk[goal] == 0 and not flags & at.WALL_GOAL:
        ctl[at.STATUS] = at.BAD_GOAL
    else:
        ctl[at.STATUS], ctl[at.BEST] = at.RUNNING, start
        if not flags & at.WANT_PARTIAL:
            apart = walk[goal] == 0
            if labels.size > 1:
                apart = labels[start] != labels[goal]
            if apart:
                ctl[at.STATUS], ctl[at.BEST] = at.UNREACHABLE, -1


@jit
def write_way(weights, geo, nodes, ctl, rows, i: int, cells, request) -> bool:
    """Write the path that ends at END, and the row of results; return False where `cells` is too small for it."""
    start, end, width, offset = ctl[at.START], ctl[at.END], geo[at.WIDTH], path_offset(rows, i, request)
    length = 0
    if end >= 0:
        length = 1
        cell, x = end, end % width
        while cell != start:
            d = int64(nodes[cell]) & 7
            x -= geo[at.DX + d]
            cell -= geo[at.STEP + 8 * (x & 1) + d]
            length += 1
    rows[i, at.ROW_LENGTH], rows[i, at.ROW_OFFSET] = length, offset
    if (offset + length) * 2 > cells.size:
        ctl[at.PAUSE] = at.PAUSE_CELLS
        return False
    cell, x, y = end, end % width, end // width
    for k in range(offset + length - 1, offset - 1, -1):
        cells[2 * k], cells[2 * k + 1] = x, y
        if k > offset:
            d = int64(nodes[cell]) & 7
            x -= geo[at.DX + d]
            y -= geo[at.DY + 8 * (x & 1) + d]
            cell = y * width + x
    sum_path(weights, geo, cells, rows, i)
    fill_row(ctl, rows, i)
    return True


@jit
def close_compact(weights, geo, nodes, ctl, rows, i: int, cells, request) -> bool:
    """Write the path and the row of results, and clear what the search left behind."""
    if not write_way(weights, geo, nodes, ctl, rows, i, cells, request):
        return False
    clear_blocks(nodes, ctl)
    return True
