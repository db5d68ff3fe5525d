"""A* and Dijkstra on large maps: the best-first loop with compact records and an open list in chunks.

It expands the same cells in the same order as `best_first_query`, so paths and counters are the same. Estimates must be
consistent: a closed cell is never reached more cheaply. No trace, no index.

On maps with weights whose open list has two levels, many cells need not wait until theirs is the least key (Goldberg,
"A Simple Shortest Path Algorithm with Linear Average Time", ESA 2001). Every move into a cell raises the key by some
amount, its caliber; so a cell whose key lies less far above the least one is reached as cheaply as can be. Such cells
are expanded as they lie in the coarse bucket, and only the others are sorted by the fine level. So the order differs
within a bucket, and of equally cheap paths another may be found.
"""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.clock import now
from waygrid.core.compact import CLOSED, G_SHIFT, OPEN, close_compact, is_dearer, mark_block, open_compact, read_g
from waygrid.core.driver import make_query_loop
from waygrid.core.heuristics import estimate, natural
from waygrid.core.jit import int64, jit
from waygrid.core.levels import CHUNK, UNUSED, clear_level, level_bits, next_place, put, take
from waygrid.core.prefetch import prefetch

NEAR = at.USER + 2  # entries on the fine level
FAR = at.USER + 3  # and on the coarse one
FENCE = at.USER + 4  # the first key that the fine level does not take
_CLOCK_EVERY = 255  # expansions between two looks at the clock
_ROOM = 32  # chunks that one expansion and the loading of a bucket may need besides one for each entry
_AHEAD = 3


@jit
def clear_open(policy, queue, bits) -> None:
    """Leave both levels empty for the next search."""
    fine = 1 << policy[at.BUCKET_SHIFT]
    clear_level(queue, bits, 0, 0, fine)
    if queue.size > fine:
        clear_level(queue, bits, fine, level_bits(fine), queue.size - fine)


@jit
def begin(policy, geo, nodes, queue, bits, spare, ctl) -> None:
    """Put the start on the open list."""
    start, goal, width = ctl[at.START], ctl[at.GOAL], geo[at.WIDTH]
    fine = 1 << policy[at.BUCKET_SHIFT]
    clear_open(policy, queue, bits)  # of a search that was given up
    key = 0
    if goal >= 0:
        key = estimate(policy, geo, start % width, start // width, goal % width, goal // width)
    ctl[at.ESTIMATE] = ctl[at.KEY] = key
    ctl[UNUSED] = CHUNK
    nodes[start] = OPEN
    mark_block(ctl, start)
    put(queue, bits, spare, ctl, 0, 0, fine, key & (fine - 1), start)
    ctl[NEAR] = 1
    ctl[FENCE] = at.INFINITE if queue.size == fine else (key & ~(fine - 1)) + fine
    ctl[at.OPEN] = ctl[at.PEAK] = ctl[at.GENERATED] = ctl[at.TOUCHED] = 1


@jit
def next_bucket(bits, base: int, coarse: int, number: int) -> int:
    """Return the number of the first coarse bucket behind one that is not empty."""
    after = (number + 1) & (coarse - 1)
    place = next_place(bits, base, coarse, after)
    return int64(number + 1 + ((place - after) & (coarse - 1)))


@jit
def least_gain(geo, policy) -> int:
    """Return the least by which a move raises the key, as a factor of a straight move, besides the weight of its end.

    With the rule "mean" that is at least the weight of its beginning. The estimate falls by no more than the cheapest
    move of its length costs.
    """
    begins = geo[at.MIN_WEIGHT] >> 1 if geo[at.RULE] == at.MEAN else 0
    estimates = policy[at.HEURISTIC] != at.LINEAR or policy[at.H_MAX] > 0
    return int64(begins - (geo[at.MIN_WEIGHT] if estimates else 0))


@jit
def caliber(weights, geo, cell: int, gain: int) -> int:
    """Return the least by which any move into a cell raises the key; estimates that are rounded may be off by one."""
    return int64(geo[at.CARDINAL] * (int64(weights[np.uint64(cell)]) + gain) - 2)


@jit
def fetch_around(moves, weights, nodes, width: int, cell: int) -> None:
    """Begin to load what the expansion of a cell reads."""
    prefetch(moves, cell)
    prefetch(nodes, cell - width)  # no loop: the number of its rounds would be a division
    prefetch(nodes, cell)
    prefetch(nodes, cell + width)
    prefetch(weights, cell - width)
    prefetch(weights, cell)
    prefetch(weights, cell + width)


@jit
def load_bucket(policy, geo, nodes, queue, bits, spare, ctl, number: int, g_bits: int) -> int:
    """Spread the next coarse bucket over the fine level, the oldest entries first; return its number.

    Entries of closed cells are dropped. `number` is that of the bucket which was current.
    """
    shift, width = policy[at.BUCKET_SHIFT], geo[at.WIDTH]
    fine = 1 << shift
    coarse, base = queue.size - fine, level_bits(fine)
    goal_x, goal_y = ctl[at.GOAL] % width, ctl[at.GOAL] // width
    number = next_bucket(bits, base, coarse, number)
    place = number & (coarse - 1)
    kept = last = spare.size
    while queue[fine + place] != 0:
        cell = take(queue, bits, spare, ctl, fine, base, coarse, place)
        ctl[FAR] -= 1
        if int64(nodes[cell]) & OPEN:
            kept -= 1
            spare[kept] = cell
    for k in range(kept, last):
        cell = int64(spare[k])
        h = estimate(policy, geo, cell % width, cell // width, goal_x, goal_y)
        key = h + read_g(int64(nodes[cell]), (number << shift) - h, g_bits)
        put(queue, bits, spare, ctl, 0, 0, fine, key & (fine - 1), cell)
    ctl[NEAR] += last - kept
    return int64(number)


@jit
def advance(moves, weights, geo, policy, nodes, queue, bits, spare, ctl, goals) -> None:
    """Expand cells until the search ends or something stops it: PAUSE says what."""
    width, goal = geo[at.WIDTH], ctl[at.GOAL]
    goal_x, goal_y = goal % width, goal // width
    linear = policy[at.HEURISTIC] == at.LINEAR
    most, least, shift = policy[at.H_MAX], policy[at.H_MIN], policy[at.BUCKET_SHIFT]
    fine = 1 << shift
    coarse, base = queue.size - fine, level_bits(fine)
    mean = geo[at.RULE] == at.MEAN
    track = ctl[at.FLAGS] & at.TRACK_BEST
    limit, deadline = ctl[at.LIMIT], ctl[at.DEADLINE]
    size, peak, key, budget = ctl[at.OPEN], ctl[at.PEAK], ctl[at.KEY], ctl[at.BUDGET]
    expanded, generated, fence = ctl[at.EXPANDED], ctl[at.GENERATED], ctl[FENCE]
    g_bits = 8 * nodes.itemsize - G_SHIFT
    several = goals.size > 1
    # `first` is where the coarse bucket begins that is expanded as it lies.
    early, gain = weights is not None and coarse > 0 and not several, least_gain(geo, policy)
    first = fine + (((fence >> shift) - 1) & (coarse - 1)) if early else 0
    status, pause = at.RUNNING, 0
    while True:
        if size == 0:
            status = at.PARTIAL if ctl[at.FLAGS] & at.WANT_PARTIAL else at.UNREACHABLE
            break
        if budget <= 0:
            pause = at.PAUSE_BUDGET
            break
        if expanded == limit or (deadline > 0 and expanded & _CLOCK_EVERY == _CLOCK_EVERY and now(ctl) > deadline):
            status = at.CUTOFF
            break
        if (CHUNK + 1) * (ctl[NEAR] + ctl[FAR] + _ROOM) > spare.size:
            pause = at.PAUSE_STACK
            break
        if early and ctl[NEAR] == 0 and queue[first] == 0:
            number = next_bucket(bits, base, coarse, (fence >> shift) - 1)
            fence, first = (number + 1) << shift, fine + (number & (coarse - 1))
        unsorted = early and queue[np.uint64(first)] != 0
        if unsorted:
            key = fence - fine
            cell = take(queue, bits, spare, ctl, fine, base, coarse, first - fine)
            ctl[FAR] -= 1
            top = int64(queue[np.uint64(first)])
            if weights is not None and top & (CHUNK - 1) > _AHEAD:
                fetch_around(moves, weights, nodes, width, int64(spare[np.uint64(top - _AHEAD)]))
        else:
            while ctl[NEAR] == 0:
                number = load_bucket(policy, geo, nodes, queue, bits, spare, ctl, (fence >> shift) - 1, g_bits)
                key, fence = number << shift, (number + 1) << shift
            place = next_place(bits, 0, fine, key & (fine - 1))
            key += (place - key) & (fine - 1)
            cell = take(queue, bits, spare, ctl, 0, 0, fine, place)
            ctl[NEAR] -= 1
        here = np.uint64(cell)  # unsigned: nobody looks whether it counts from the end, which took 7 of 53 ns
        word = int64(nodes[here])
        if word & OPEN == 0:  # it was put in again with a lower key
            continue
        y = int64(here // np.uint64(width))  # a signed division would look for what to round down
        x = cell - y * width
        if linear:
            dx, dy = abs(x - goal_x), abs(y - goal_y)
            h = (most * max(dx, dy) + least * min(dx, dy)) >> at.H_SHIFT
        else:
            h = estimate(policy, geo, x, y, goal_x, goal_y)
        g = read_g(word, key - h, g_bits)
        if weights is not None and unsorted and g + h - key > caliber(weights, geo, cell, gain):
            put(queue, bits, spare, ctl, 0, 0, fine, (g + h) & (fine - 1), cell)
            ctl[NEAR] += 1
            continue
        size -= 1
        budget -= 1
        expanded += 1
        if track:
            left = natural(geo, x, y, goal_x, goal_y)
            if left < ctl[at.BEST_H] or (left == ctl[at.BEST_H] and g < ctl[at.BEST_G]):
                ctl[at.BEST], ctl[at.BEST_H], ctl[at.BEST_G] = cell, left, g
        nodes[here] = CLOSED | (word & 7)
        reached = cell == goal
        if several:
            reached = goals[cell] != 0
        if reached:
            status = at.FOUND
            ctl[at.END] = cell
            break
        legal = int64(moves[here])
        row = 8 * (x & 1)
        own = 0
        if weights is not None:
            own = int64(weights[here]) if mean else 0
        for d in range(8):
            if (legal >> d) & 1 == 0:
                continue
            n = cell + geo[at.STEP + row + d]
            there = np.uint64(n)
            word = int64(nodes[there])
            if word < 0 and word & OPEN == 0:
                continue
            price = geo[at.COST + d]
            if weights is not None:
                price *= own + int64(weights[there])
            new_g = g + price
            if word == 0:
                generated += 1
                size += 1
                mark_block(ctl, n)
            elif not is_dearer(nodes, word, new_g):
                continue
            nodes[there] = ((new_g << G_SHIFT) | OPEN) | d
            if linear:
                dx, dy = abs(x + geo[at.DX + d] - goal_x), abs(y + geo[at.DY + row + d] - goal_y)
                h = (most * max(dx, dy) + least * min(dx, dy)) >> at.H_SHIFT
            else:
                h = estimate(policy, geo, x + geo[at.DX + d], y + geo[at.DY + row + d], goal_x, goal_y)
            f = max(new_g + h, key)  # rounding of a floating-point heuristic can lower a key by one
            sorted_in = f < fence
            if weights is not None and early and sorted_in:
                sorted_in = f - (fence - fine) > caliber(weights, geo, n, gain)
            if sorted_in:
                put(queue, bits, spare, ctl, 0, 0, fine, f & (fine - 1), n)
                ctl[NEAR] += 1
            else:
                put(queue, bits, spare, ctl, fine, base, coarse, (f >> shift) & (coarse - 1), n)
                ctl[FAR] += 1
        if size > peak:
            peak = size
    ctl[at.STATUS], ctl[at.PAUSE], ctl[at.BUDGET] = status, pause, budget
    ctl[at.OPEN], ctl[at.PEAK], ctl[at.KEY], ctl[FENCE] = size, peak, key, fence
    ctl[at.EXPANDED], ctl[at.GENERATED], ctl[at.TOUCHED] = expanded, generated, generated
    if status == at.PARTIAL or status == at.CUTOFF:
        ctl[at.END] = ctl[at.BEST]


# `index`: the cells of a set of goals, of which a single entry stands for "none", and where an agent can stand.
_NAMES = {"goals": "index[0]", "walk": "index[1]"}
run = make_query_loop(__name__, begin, advance, clear_open, close_compact, _NAMES, open_compact)
