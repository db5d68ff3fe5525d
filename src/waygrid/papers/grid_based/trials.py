"""Random instances for Yap's Table 2: the same obstacles as a tile grid and as a tex grid, both searched with IDA*.

One call makes and solves many instances, so that a million small ones take seconds.
"""

import numpy as np

from waygrid.algorithms.classic import ida_query as ida
from waygrid.core import layout as at
from waygrid.core.clock import now
from waygrid.core.heuristics import natural
from waygrid.core.jit import jit
from waygrid.core.moves import move_byte

# --- A row of sums ---------------------------------------------------------------------------------------------------
DRAWN = 0
UNSOLVABLE = 1  # on the tile grid; left out
FINISHED = 2  # on both grids
CUT = 3  # 2: searches that reached the cap, on the tile and on the tex grid
WRONG = 5  # paths of another length than the shortest; stays 0
PATH = 6  # 2, as all below: moves of the shortest path, over all solvable instances
NODES = 8  # expansions, over the instances that both grids finished
GENERATED = 10
NANOSECONDS = 12
CAPPED = 14  # expansions over all solvable instances; a search that was cut counts with the cap
SUMS = 16

_ENDLESS = 2**62
_NO_MOVE = 8


@jit
def draw(state, below: int) -> int:
    """Return a random integer from 0 to below - 1: splitmix64, whose bias is negligible for small ranges."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return int(np.int64(z >> np.uint64(11)) % below)


@jit
def place(order, walk, labels, obstacles: int, seed: int, trial: int) -> None:
    """Put a fixed number of obstacles on random cells and draw start and goal from the rest.

    `order` is shuffled as far as it is needed: obstacles come first, then start and goal.
    """
    state = np.empty(1, np.uint64)
    state[0] = np.uint64(seed) * np.uint64(0xD1342543DE82EF95) + np.uint64(trial) * np.uint64(0x2545F4914F6CDD1D)
    for cell in range(order.size):
        order[cell], walk[cell], labels[cell] = cell, 1, 0
    for k in range(obstacles + 2):
        other = k + draw(state, order.size - k)
        order[k], order[other] = order[other], order[k]
    for k in range(obstacles):
        walk[order[k]], labels[order[k]] = 0, -1


@jit
def compile_fair(walk, moves, geo) -> None:
    """Fill the move table; on a tex grid without the moves that give it an unfair advantage (section 7).

    The paper does not define these. Here a move between cells that are not adjacent as tiles needs one of the two tiles
    that touch both (b or d for the move from e to a in its Figure 6). Those two are also the only cells over which the
    same step can be made in two moves, so pruning these two-move ways stays sound.
    """
    width, height = geo[at.WIDTH], geo[at.HEIGHT]
    all_exits = np.zeros(1, np.uint8)
    for y in range(height):
        for x in range(width):
            byte = move_byte(walk, all_exits, geo, x, y)
            if geo[at.TOPOLOGY] == at.TEX:
                for d in range(6):
                    dx, dy = geo[at.DX + d], geo[at.DY + 8 * (x & 1) + d]
                    if (byte >> d) & 1 and dx != 0 and dy != 0:
                        if walk[y * width + x + dx] == 0 and walk[(y + dy) * width + x] == 0:
                            byte &= ~(1 << d)
            moves[y * width + x] = byte


@jit
def distance(moves, geo, start: int, goal: int, seen, line) -> int:
    """Return the number of moves from start to goal, -1 where there is no way; breadth-first, to check IDA* by."""
    width = geo[at.WIDTH]
    for cell in range(seen.size):
        seen[cell] = -1
    seen[start], line[0] = 0, start
    first, last = 0, 1
    while first < last:
        cell = line[first]
        first += 1
        if cell == goal:
            return int(seen[cell])
        row = 8 * (cell % width & 1)
        for d in range(8):
            if (moves[cell] >> d) & 1:
                n = cell + geo[at.STEP + row + d]
                if seen[n] < 0:
                    seen[n], line[last] = seen[cell] + 1, n
                    last += 1
    return -1


@jit
def run(
    geos,
    policies,
    nodes,
    queue,
    bits,
    ctl,
    obstacles: int,
    seed: int,
    cap: int,
    first: int,
    last: int,
    until: int,
    sums,
) -> int:
    """Run trials first to last - 1, or until the clock says `until` (0: no limit); return the next trial's number.

    geos and policies hold one row for the tile grid and one for the tex grid. Every trial draws from its own seed, so
    the instances do not depend on how the work is sliced. Trial i adds to row i % len(sums) of `sums`. A search is cut
    after `cap` expansions.
    """
    width = geos[0, at.WIDTH]
    cells = width * geos[0, at.HEIGHT]
    order, walk, labels = np.empty(cells, np.int64), np.empty(cells, np.uint8), np.empty(cells, np.int32)
    moves, seen, line = np.empty((2, cells), np.uint8), np.empty(cells, np.int32), np.empty(cells, np.int32)
    weights = np.ones(1, np.uint16)  # stands for "no weights"
    query, row = np.empty((1, 4), np.int32), np.zeros((1, at.ROW_SIZE), np.int64)
    path = np.empty(2 * queue.size, np.int32)
    request = np.zeros(at.ASK_SIZE, np.int64)
    request[at.ASK_LAST], request[at.ASK_LIMIT], request[at.ASK_BUDGET] = 1, cap, _ENDLESS
    shortest, result, spent = np.empty(2, np.int64), np.empty((2, at.ROW_SIZE), np.int64), np.empty(2, np.int64)
    for trial in range(first, last):
        if until > 0 and now(ctl) > until:
            return trial
        place(order, walk, labels, obstacles, seed, trial)
        start, goal = order[obstacles], order[obstacles + 1]
        batch = trial % len(sums)
        sums[batch, DRAWN] += 1
        for grid in range(2):
            if obstacles > 0 or trial == first:
                compile_fair(walk, moves[grid], geos[grid])
            shortest[grid] = distance(moves[grid], geos[grid], start, goal, seen, line)
        if shortest[0] < 0:  # then the tex grid may still have a way: Figure 7
            sums[batch, UNSOLVABLE] += 1
            continue
        query[0, 0], query[0, 1], query[0, 2], query[0, 3] = start % width, start // width, goal % width, goal // width
        for grid in range(2):
            began = now(ctl)
            ida.run(
                (moves[grid], weights, geos[grid], labels),
                policies[grid],
                (nodes, queue, bits, None, ctl),
                None,
                None,
                (query, row, path, request),
            )
            spent[grid] = now(ctl) - began
            result[grid] = row[0]
            if row[0, at.ROW_STATUS] == at.CUTOFF:
                sums[batch, CUT + grid] += 1
            elif row[0, at.ROW_LENGTH] - 1 != shortest[grid]:
                sums[batch, WRONG] += 1
        finished = result[0, at.ROW_STATUS] != at.CUTOFF and result[1, at.ROW_STATUS] != at.CUTOFF
        sums[batch, FINISHED] += finished
        for grid in range(2):
            sums[batch, PATH + grid] += shortest[grid]
            sums[batch, CAPPED + grid] += result[grid, at.ROW_EXPANDED]
            if finished:
                sums[batch, NODES + grid] += result[grid, at.ROW_EXPANDED]
                sums[batch, GENERATED + grid] += result[grid, at.ROW_GENERATED]
                sums[batch, NANOSECONDS + grid] += spent[grid]
    return last


@jit
def whole_iterations(moves, geo, policy) -> float:
    """Return the mean nodes over all pairs of an empty grid if IDA* finishes the iteration that finds the goal.

    On an empty grid there is one iteration and every step of it comes closer. So the nodes below a cell depend on that
    cell and on the last move alone, and are counted outwards from each goal; there are too many to visit.
    """
    width, cells = geo[at.WIDTH], moves.size
    below = np.zeros((cells, _NO_MOVE + 1))
    far = np.empty(cells, np.int64)
    total = 0.0
    for goal in range(cells):
        longest = 0
        for cell in range(cells):
            far[cell] = natural(geo, cell % width, cell // width, goal % width, goal // width)
            longest = max(longest, far[cell])
        below[goal] = 1.0
        for level in range(1, longest + 1):
            for cell in range(cells):
                if far[cell] != level:
                    continue
                row = 8 * (cell % width & 1)
                for by in range(_NO_MOVE + 1):
                    left = np.int64(moves[cell])
                    if by < _NO_MOVE:
                        left &= ida.prune_moves(geo, policy[at.PRUNING], False, by, 255)
                    count = 1.0
                    for d in range(_NO_MOVE):
                        if (left >> d) & 1 and far[cell + geo[at.STEP + row + d]] == level - 1:
                            count += below[cell + geo[at.STEP + row + d], d]
                    below[cell, by] = count
                total += below[cell, _NO_MOVE]
    return total / (cells * (cells - 1))
