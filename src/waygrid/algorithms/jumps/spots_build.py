"""Spots, the cells where paths turn, and how cells get to them; octile grids of uniform cost.

A *spot* is a cell that is a turn for at least one direction (see `turns_build`). A cheapest path that follows the
canonical order leaves a cell by one of its *accesses*, the spots where the lines drawn from the cell end:

    . . . . A        s > > > A      straight, to the next turn ahead
    . . / . #        from every jump point of a diagonal, to both sides
    s > > A .
    # # # # .

unless it reaches its goal on such a line.
"""

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit


@jit
def hilbert_place(side: int, x: int, y: int) -> int:
    """Return how far along the Hilbert curve of a square a cell lies; side: a power of two."""
    place, half = 0, side >> 1
    while half > 0:
        right, low = int64((x & half) > 0), int64((y & half) > 0)
        place += half * half * ((3 * right) ^ low)
        if low == 0:
            if right == 1:
                x, y = half - 1 - (x & (half - 1)), half - 1 - (y & (half - 1))
            x, y = y, x
        half >>= 1
    return place


@jit
def list_hilbert_places(spots, width: int, side: int, places) -> None:
    """Return where spots lie along the Hilbert curve."""
    for k in range(spots.size):
        places[k] = hilbert_place(side, spots[k] % width, spots[k] // width)


@jit
def list_neighbours(moves, geo, numbers, spots, tails, heads) -> int:
    """List pairs of spots with a leg from the first to the second, diagonal and then straight, and none in between.

    All other legs between spots are made of these. Returns the number of pairs, more than there is room for when the
    arrays are too short; then call again with enough.
    """
    count = 0
    for number in range(spots.size):
        for d in range(8):
            here = spots[number]
            while (moves[here] >> d) & 1:
                here += geo[at.STEP + d]
                if numbers[here] >= 0:
                    count = _add_pair(tails, heads, count, number, numbers[here])
                    break
                for e in (d & 3, (d + 1) & 3):
                    there = here
                    while d >= 4 and (moves[there] >> e) & 1:
                        there += geo[at.STEP + e]
                        if numbers[there] >= 0:
                            count = _add_pair(tails, heads, count, number, numbers[there])
                            break
    return count


@jit
def _add_pair(tails, heads, count: int, tail: int, head: int) -> int:
    if count < tails.size:
        tails[count], heads[count] = tail, head
    return count + 1


@jit
def list_accesses(moves, geo, jumps, tags, numbers, cell: int, ends, costs) -> int:
    """List the accesses of a cell and what the legs to them cost; return how many there are.

    A spot is met at most once, since a line of one direction crosses its row or column only once.
    """
    count = 0
    for d in range(8):
        here, g = cell, 0
        while True:
            reach = int64(jumps[here, d])
            if reach <= 0:
                break
            here, g = here + reach * geo[at.STEP + d], g + reach * geo[at.COST + d]
            if d < 4 or (tags[here] >> d) & 1:
                ends[count], costs[count] = numbers[here], g
                count += 1
                break
            for e in (d & 3, (d + 1) & 3):
                along = int64(jumps[here, e])
                if along > 0:
                    ends[count], costs[count] = numbers[here + along * geo[at.STEP + e]], g + along * geo[at.CARDINAL]
                    count += 1
    return count
