"""Of all cheapest paths between two cells, one with the fewest turns.

A* finds the cost, and then expands what else has the same estimate: now it knows the cost of every cell on any cheapest
path. These cells and the moves between them that lie on cheapest paths form a graph without circles. From the goal
back, it is counted for each cell and each move out of it how many turns are left. Then the path is written from the
start: it turns only where that leaves fewer turns than going straight on.
"""

import numpy as np

from waygrid.algorithms.classic import best_first_query as best_first
from waygrid.core import layout as at
from waygrid.core.driver import make_query_loop
from waygrid.core.heuristics import estimate
from waygrid.core.jit import int64, jit
from waygrid.core.queue import bucket_clear, bucket_next, bucket_push, bucket_remove

# What `room` holds, in parts of as many numbers as there are cells.
TURNS = 0  # 8 of them: turns left after leaving a cell in direction d
PLACE = 8  # where a cell is listed
LEFT = 9  # moves out of it whose ends are not done
LIST = 10  # the cells of cheapest paths
ORDER = 11  # the same, each behind all that come after it on any path
PARTS = 12
_MANY = 2**30


@jit
def begin(policy, geo, nodes, queue, bits, ctl, events) -> None:
    """Put the start on the open list."""
    best_first.begin(policy, geo, nodes, queue, bits, None, ctl, None, events)


@jit
def advance(moves, weights, geo, policy, nodes, queue, bits, room, ctl, events) -> None:
    """Search as A*; at the goal, choose among the cheapest paths."""
    best_first.advance(moves, weights, geo, policy, nodes, queue, bits, None, ctl, None, None, None, None, events)
    if ctl[at.STATUS] == at.FOUND:
        expand_ties(moves, weights, geo, policy, nodes, queue, bits, ctl)
        choose_path(moves, weights, geo, nodes, ctl, room)


@jit
def expand_ties(moves, weights, geo, policy, nodes, queue, bits, ctl) -> None:
    """Expand all cells whose estimate is that of the goal."""
    width, goal, key, size = geo[at.WIDTH], ctl[at.GOAL], ctl[at.KEY], ctl[at.OPEN]
    goal_x, goal_y, search = goal % width, goal // width, np.uint32(ctl[at.SEARCH])
    while size > 0 and bucket_next(queue, bits, key) == key:
        cell = int64(queue[key & (queue.size - 1)])
        bucket_remove(nodes, queue, bits, cell)
        nodes[cell]["state"] |= np.uint32(at.CLOSED)
        size -= 1
        ctl[at.EXPANDED] += 1
        x, y, row = cell % width, cell // width, 8 * (cell % width & 1)
        for d in range(8):
            if (moves[cell] >> d) & 1 == 0:
                continue
            n = cell + geo[at.STEP + row + d]
            new_g = int64(nodes[cell]["g"]) + price_of(weights, geo, d, cell, n)
            known = nodes[n]["state"] >> np.uint32(4) == search
            if known and int64(nodes[n]["g"]) <= new_g:
                continue
            if known:
                bucket_remove(nodes, queue, bits, n)
            else:
                ctl[at.GENERATED] += 1
                ctl[at.TOUCHED] += 1
                size += 1
            h = estimate(policy, geo, x + geo[at.DX + d], y + geo[at.DY + row + d], goal_x, goal_y)
            nodes[n]["g"] = new_g
            nodes[n]["state"] = (search << np.uint32(4)) | np.uint32(d)
            bucket_push(nodes, queue, bits, max(new_g + h, key), n)


@jit
def price_of(weights, geo, d: int, left: int, entered: int) -> int:
    """Return what a move in direction d from a cell into another costs."""
    price = geo[at.COST + d]
    if weights is not None:
        own = int64(weights[left]) if geo[at.RULE] == at.MEAN else 0
        price *= own + int64(weights[entered])
    return price


@jit
def comes_cheaply(moves, weights, geo, nodes, search, before: int, d: int, cell: int) -> bool:
    """Return whether the move in direction d from one cell to another lies on a cheapest path to the latter."""
    state = nodes[before]["state"]
    expanded = state >> np.uint32(4) == search and state & np.uint32(at.CLOSED) != 0
    legal = expanded and (moves[before] >> d) & 1 == 1
    return legal and int64(nodes[before]["g"]) + price_of(weights, geo, d, before, cell) == int64(nodes[cell]["g"])


@jit
def cell_before(geo, cell: int, d: int) -> int:
    """Return the cell from which a move in direction d leads to a cell, -1 if it is outside of the map."""
    width = geo[at.WIDTH]
    x = cell % width - geo[at.DX + d]
    y = cell // width - geo[at.DY + 8 * (x & 1) + d]
    inside = geo[at.COST + d] > 0 and 0 <= x < width and 0 <= y < geo[at.HEIGHT]
    return y * width + x if inside else -1


@jit
def choose_path(moves, weights, geo, nodes, ctl, room) -> None:
    """Let the records lead back from the goal along the cheapest path with the fewest turns."""
    cells, start, goal, search = moves.size, ctl[at.START], ctl[at.GOAL], np.uint32(ctl[at.SEARCH])
    room[LIST * cells], room[PLACE * cells + goal], room[LEFT * cells + goal] = goal, 0, 0
    listed, number = 1, 0
    while number < listed:
        cell = int64(room[LIST * cells + number])
        number += 1
        for d in range(8):
            before = cell_before(geo, cell, d)
            if before < 0 or not comes_cheaply(moves, weights, geo, nodes, search, before, d, cell):
                continue
            place = int64(room[PLACE * cells + before])
            if not (0 <= place < listed and room[LIST * cells + place] == before):
                room[LIST * cells + listed], room[PLACE * cells + before] = before, listed
                room[LEFT * cells + before] = 0
                for k in range(8):
                    room[8 * before + k] = _MANY
                listed += 1
            room[LEFT * cells + before] += 1
    count_turns(moves, weights, geo, nodes, ctl, room)
    cell, heading = start, -1
    while cell != goal:
        best = 0
        for d in range(8):
            if room[8 * cell + d] < room[8 * cell + best]:
                best = d
        if heading >= 0 and room[8 * cell + heading] <= room[8 * cell + best] + 1:
            best = heading
        heading = best
        cell += geo[at.STEP + 8 * (cell % geo[at.WIDTH] & 1) + heading]
        nodes[cell]["state"] = (nodes[cell]["state"] & ~np.uint32(7)) | np.uint32(heading)


@jit
def count_turns(moves, weights, geo, nodes, ctl, room) -> None:
    """Count for each listed cell and each move out of it how many turns are left until the goal, at least."""
    cells, goal, search = moves.size, ctl[at.GOAL], np.uint32(ctl[at.SEARCH])
    for k in range(8):
        room[8 * goal + k] = 0
    room[ORDER * cells] = goal
    ready, number = 1, 0
    while number < ready:
        cell = int64(room[ORDER * cells + number])
        number += 1
        fewest = _MANY
        for k in range(8):
            fewest = min(fewest, int64(room[8 * cell + k]))
        for d in range(8):
            before = cell_before(geo, cell, d)
            if before < 0 or not comes_cheaply(moves, weights, geo, nodes, search, before, d, cell):
                continue
            room[8 * before + d] = min(int64(room[8 * cell + d]), fewest + 1)
            room[LEFT * cells + before] -= 1
            if room[LEFT * cells + before] == 0:
                room[ORDER * cells + ready] = before
                ready += 1


@jit
def finish(queue, bits) -> None:
    """Leave the buckets empty for the next search."""
    bucket_clear(queue, bits)


run = make_query_loop(__name__, begin, advance, finish, names={"room": "spare"})
