"""The rows of a path database: first moves from every cell, first edges from every turn, compressed to runs.

A row holds one label for each goal, in an order of the cells that keeps neighbours together (`depth_first`). Where
several labels are optimal, the one that lengthens a run is taken; where the goal can be reached without a turn, none is
needed at all, since a query looks for that itself. Labels are those of canonical paths, so that a move can be kept as
far as the jump table says.
"""

import numpy as np

from waygrid.algorithms.jumps.canonical import DIRECT, Ground, Water, flood, flood_turn
from waygrid.core.jit import int64, jit
from waygrid.core.layout import STEP
from waygrid.core.queue import lowest_bit

MOVE_BITS, EDGE_BITS = 3, 5
MOST_EDGES = 30  # of a turn that gets a row: as many labels as bits; without one its cell's row serves
BLOCK = 16  # runs: a line of the cache
LOW, HIGH, BLOCKS, NEAR, JUMPS = 0, 1, 2, 3, 4  # of a cell; NEAR: how far a goal can be that needs no look-up
FIRST_EDGE = 2  # of a turn, in place of BLOCKS; NEAR is the same
_ORDER = np.array([1, 2, 3, 0], np.int64)  # east, south, west, north: 74 runs a row on orz100d; rows as they lie 351


@jit
def depth_first(moves, walk, geo, order) -> None:
    """List the cells in the order of a depth-first search by straight moves."""
    seen, stack, count = np.zeros(moves.size, np.uint8), np.empty(4 * moves.size + 1, np.int32), 0
    for root in range(moves.size):
        if walk[root] == 0 or seen[root]:
            continue
        stack[0] = root
        top = 1
        while top > 0:
            top -= 1
            cell = int64(stack[top])
            if seen[cell]:
                continue
            seen[cell] = 1
            order[count] = cell
            count += 1
            for k in range(3, -1, -1):
                d = _ORDER[k]
                if (moves[cell] >> d) & 1:
                    following = cell + geo[STEP + d]
                    if not seen[following]:
                        stack[top] = following
                        top += 1


@jit
def forget_direct(moves, geo, jumps, source: int, first) -> None:
    """Forget the first moves to goals that a query reaches from the source without a look-up (`direct`)."""
    for d in range(4):
        for k in range(1, abs(int64(jumps[source, d])) + 1):
            first[source + k * geo[STEP + d]] = 0
    for d in range(4, 8):
        here = source
        while (moves[here] >> d) & 1:
            here += geo[STEP + d]
            first[here] = 0
            for e in (d & 3, (d + 1) & 3):
                for k in range(1, abs(int64(jumps[here, e])) + 1):
                    first[here + k * geo[STEP + e]] = 0


@jit
def _move(kept: int, before: int) -> int:
    """Return the move of a run: that of the run before it where it may, so that both become one, else the lowest."""
    if before >= 0 and (kept >> before) & 1:
        return before
    return lowest_bit(np.uint64(kept))


@jit
def compress(first, order, bits: int, runs, count: int) -> int:
    """Append the runs of a row behind `count` others, as far as there is room; return how many there are then.

    A run is the id of its first goal << bits | its label.
    """
    kept, start, before = 2**31 - 1, 0, -1
    for i in range(order.size + 1):
        mask = 0
        if i < order.size:
            mask = int64(first[order[i]])
            if mask == 0 or mask & DIRECT:  # the source, what cannot be reached, what needs no look-up: any will do
                continue
        if kept & mask:
            kept &= mask
            continue
        move = _move(kept, before)
        if move != before:
            if count < runs.size:
                runs[count] = start << bits | move
            count += 1
        start, kept, before = i, mask, move
    return count


@jit
def fill_rows(
    ground: Ground, water: Water, edges, order, first: int, counts, done: int, runs, used: int
) -> tuple[int, int]:
    """Write rows from `first` on, one for each of `counts`, behind `done` rows of `used` runs: of ids, or of turns.

    Turns have `edges`; one with too many of them gets no row. Returns how many rows and runs there are then: fewer rows
    than counts where `runs` is too short.
    """
    source, turns = np.zeros(1, np.int64), ground.turns
    for row in range(first + done, first + counts.size):
        counts[row - first] = 0
        if edges is None:
            source[0] = order[row]
            flood(ground, water, source)
            forget_direct(ground.moves, ground.geo, ground.jumps, source[0], water.first)
            after = compress(water.first, order, MOVE_BITS, runs, used)
        if edges is not None:
            if turns[row + 1]["edge"] - turns[row]["edge"] > MOST_EDGES:
                continue
            flood_turn(ground, water, edges, row)
            after = compress(water.first, order, EDGE_BITS, runs, used)
        if after > runs.size:
            return row - first, used
        counts[row - first] = after - used
        used = after
    return counts.size, used


@jit
def pack_rows(counts, runs, places, heads, packed) -> None:
    """Fill each row up to whole blocks, and take out the first run of every block; `places`: first block, blocks."""
    used, block = 0, 0
    for row in range(counts.size):
        blocks = (counts[row] + BLOCK - 1) // BLOCK
        places[row, 0], places[row, 1] = block, blocks
        for k in range(BLOCK * blocks):
            packed[BLOCK * block + k] = runs[used + k] if k < counts[row] else 2**32 - 1
        for k in range(blocks):
            heads[block + k] = packed[BLOCK * (block + k)]
        used += counts[row]
        block += blocks


@jit
def place_rows(places, order, cells) -> None:
    """Tell each cell where its row is."""
    for row in range(order.size):
        cell = order[row]
        cells[cell, LOW], cells[cell, HIGH] = places[row, 0] & 0x7FFF, places[row, 0] >> 15
        cells[cell, BLOCKS] = places[row, 1]


@jit
def measure_near(moves, geo, jumps, cells) -> None:
    """Tell each cell how far away a goal can be that it reaches without a look-up: what `forget_direct` forgets."""
    for cell in range(moves.size):
        far = 0
        for d in range(4):
            far = max(far, abs(int64(jumps[cell, d])))
        for d in range(4, 8):
            here, steps = cell, 0
            while (moves[here] >> d) & 1:
                here += geo[STEP + d]
                steps += 1
                for e in (d & 3, (d + 1) & 3):
                    far = max(far, steps + abs(int64(jumps[here, e])))
        cells[cell, NEAR] = far
