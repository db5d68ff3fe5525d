"""Which spots see each other: the edges of the graph that is contracted.

Two spots are neighbours if one reaches the other diagonally and then straight with no spot in between, as in
`jumps.spots_build`. There every cell of every line is looked at. Here rows and columns are bits, set where a line ends,
at a spot or a wall, and 64 cells are passed at a time. With edges sorted by counting, and detours dropped before edges
are known from both ends, the graph of a StarCraft map of 640,000 open cells takes 0.19 s of processor time, was 1.75.
"""

import numpy as np

from waygrid.algorithms.contraction.tiles_build import is_spot, spot_number
from waygrid.core import layout as at
from waygrid.core.jit import int64, jit
from waygrid.core.queue import lowest_bit

BOTH, FROM_SOURCE, FROM_TARGET = -1, -2, -3  # from which end of an edge its leg goes diagonally first
_ONE = np.uint64(1)


@jit
def mark_stops(walk, geo, masks, rows, columns) -> None:
    """Set the bits of cells where straight lines end, by rows and by columns; all bits beyond the map are set."""
    width, height = geo[at.WIDTH], geo[at.HEIGHT]
    across = (width + 7) >> 3
    for y in range(height):
        for x in range(rows.shape[1] << 6):
            if x >= width or walk[y * width + x] == 0 or is_spot(masks, across, x, y):
                rows[y, x >> 6] |= _ONE << np.uint64(x & 63)
                if x < width:
                    columns[x, y >> 6] |= _ONE << np.uint64(y & 63)
    for y in range(height, columns.shape[1] << 6):
        for x in range(width):
            columns[x, y >> 6] |= _ONE << np.uint64(y & 63)


@jit
def next_stop(bits, place: int) -> int:
    """Return the first set bit behind a place, or a place behind all bits."""
    place += 1
    word = place >> 6
    if word >= bits.size:
        return place
    found = bits[word] >> np.uint64(place & 63)
    if found != 0:
        return place + lowest_bit(found)
    word += 1
    while word < bits.size and bits[word] == 0:
        word += 1
    return (word << 6) + (lowest_bit(bits[word]) if word < bits.size else 0)


@jit
def last_stop(bits, place: int) -> int:
    """Return the last set bit before a place, -1 where there is none."""
    place -= 1
    word = place >> 6
    if word < 0:
        return -1
    found = bits[word] << np.uint64(63 - (place & 63))
    if found == 0:
        word, place = word - 1, (word << 6) - 1
        while word >= 0 and bits[word] == 0:
            word, place = word - 1, place - 64
        if word < 0:
            return -1
        found = bits[word]
    for half in (32, 16, 8, 4, 2, 1):
        if found >> np.uint64(64 - half) == 0:
            found <<= np.uint64(half)
            place -= half
    return place


@jit
def look_along(geo, masks, numbers, rows, columns, x: int, y: int, d: int) -> int:
    """Return the number of the spot at which a straight line ends, -1 where it ends at a wall."""
    if d == 0:
        y = last_stop(columns[x], y)
    elif d == 1:
        x = next_stop(rows[y], x)
    elif d == 2:
        y = next_stop(columns[x], y)
    else:
        x = last_stop(rows[y], x)
    across = (geo[at.WIDTH] + 7) >> 3
    if not (0 <= x < geo[at.WIDTH] and 0 <= y < geo[at.HEIGHT]) or not is_spot(masks, across, x, y):
        return -1
    return spot_number(masks, numbers, across, x, y)


@jit
def list_seen(moves, geo, masks, numbers, rows, columns, x: int, y: int, seen, count: int) -> int:
    """List the neighbours of a spot from place `count` on, while there is room; return the place behind them."""
    across, width = (geo[at.WIDTH] + 7) >> 3, geo[at.WIDTH]
    for d in range(8):
        here_x, here_y = x, y
        while d < 4 or (moves[here_y * width + here_x] >> d) & 1:
            if d >= 4:
                here_x, here_y = here_x + geo[at.DX + d], here_y + geo[at.DY + d]
                if is_spot(masks, across, here_x, here_y):
                    if count < seen.size:
                        seen[count] = spot_number(masks, numbers, across, here_x, here_y)
                    count += 1
                    break
            for e in (d & 3, (d + 1) & 3):
                spot = look_along(geo, masks, numbers, rows, columns, here_x, here_y, e)
                if spot >= 0:
                    if count < seen.size:
                        seen[count] = spot
                    count += 1
                if d < 4:
                    break
            if d < 4:
                break
    return count


@jit
def list_neighbours(moves, geo, tiles, stops, spots, first: int, last: int, counts, seen, done: int) -> tuple[int, int]:
    """List the neighbours of spots; `counts`: how many each has. Returns how many spots are done and the room used.

    Fewer are done than asked for where `seen` is too short: call it again with a longer one.
    """
    masks, numbers = tiles
    rows, columns = stops
    used = 0
    for k in range(done):
        used += counts[k]
    for k in range(done, last - first):
        x, y = int64(spots[first + k, 0]), int64(spots[first + k, 1])
        end = list_seen(moves, geo, masks, numbers, rows, columns, x, y, seen, used)
        if end > seen.size:
            return k, used
        counts[k], used = end - used, end
    return last - first, used


@jit
def turn_round(first, heads, back_first, back) -> None:
    """Write all edges the other way round, by their heads; `back_first` is one longer than there are nodes, all 0."""
    nodes = first.size - 1
    for head in heads:
        back_first[head + 1] += 1
    for node in range(nodes):
        back_first[node + 1] += back_first[node]
    for node in range(nodes):
        for k in range(first[node], first[node + 1]):
            back[back_first[heads[k]]] = node
            back_first[heads[k]] += 1
    for node in range(nodes, 0, -1):
        back_first[node] = back_first[node - 1]
    back_first[0] = 0


@jit
def join_both_ways(forward, backward, place, first, heads, kinds) -> None:
    """Write each edge of a node once, with its kind."""
    count = 0
    for node in range(first.size - 1):
        first[node] = count
        for k in range(forward[0][node], forward[0][node + 1]):
            heads[count], kinds[count], place[forward[1][k]] = forward[1][k], FROM_SOURCE, count
            count += 1
        for k in range(backward[0][node], backward[0][node + 1]):
            other = backward[1][k]
            known = place[other]
            if first[node] <= known < count and heads[known] == other:
                kinds[known] = BOTH
            else:
                heads[count], kinds[count] = other, FROM_TARGET
                count += 1
    first[first.size - 1] = count


@jit
def measure_legs(geo, spots, first: int, counts, heads, costs) -> None:
    """Fill what the legs from spots to their neighbours cost."""
    unit, steep, k = geo[at.CARDINAL], geo[at.DIAGONAL] - geo[at.CARDINAL], 0
    for number in range(counts.size):
        x, y = int64(spots[first + number, 0]), int64(spots[first + number, 1])
        for _ in range(counts[number]):
            dx, dy = abs(x - int64(spots[heads[k], 0])), abs(y - int64(spots[heads[k], 1]))
            costs[k] = unit * max(dx, dy) + steep * min(dx, dy)
            k += 1


@jit
def mark_detours(first, heads, costs, begin: int, end: int, place, marks) -> None:
    """Mark the edges of some nodes that two others replace at no more cost (see `core.elimination.mark_detours`)."""
    base = first[begin]
    for node in range(begin, end):
        for k in range(first[node], first[node + 1]):
            place[heads[k]] = k
        for k in range(first[node], first[node + 1]):
            over, cost = heads[k], costs[k]
            for j in range(first[over], first[over + 1]):
                edge = place[heads[j]]
                if edge >= 0 and cost + costs[j] <= costs[edge]:
                    marks[edge - base] = 1
        for k in range(first[node], first[node + 1]):
            place[heads[k]] = -1
