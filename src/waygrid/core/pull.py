"""String pulling: from the cells of a path to the few that straight legs need."""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit
from waygrid.core.leg_cost import add_costs, leg_cost, path_costs
from waygrid.core.lines import list_between
from waygrid.core.sight import sees

_DIRECTIONS = np.array((7, 0, 4, 3, -1, 1, 6, 2, 5))  # of octile moves, by 3 * dy + dx + 4
_SLACK = 1e-9  # relative: sums of lengths in floats differ by their order


@jit
def reverse_cells(cells, count: int) -> None:
    """Turn a list of cells round."""
    for k in range(count // 2):
        i, j = 2 * k, 2 * (count - 1 - k)
        cells[i], cells[i + 1], cells[j], cells[j + 1] = cells[j], cells[j + 1], cells[i], cells[i + 1]


@jit
def _joins(moves, walk, weights, geo, cells, sums, here: int, ahead: int, backward: bool) -> bool:
    """Return whether a leg may replace the cells from `here` to `ahead`: it is legal and costs no more than they do."""
    x0, y0 = int64(cells[2 * here]), int64(cells[2 * here + 1])
    x1, y1 = int64(cells[2 * ahead]), int64(cells[2 * ahead + 1])
    legal = sees(moves, walk, geo, x1, y1, x0, y0) if backward else sees(moves, walk, geo, x0, y0, x1, y1)
    if weights is not None:
        if legal:
            legal = leg_cost(weights, geo, x0, y0, x1, y1) <= (sums[ahead] - sums[here]) * (1 + _SLACK)
    return legal


@jit
def _lies_ahead(geo, cells, bends: int, x: int, y: int) -> bool:
    """Return whether a cell continues the last leg of a path straight on."""
    x0, y0 = int64(cells[2 * bends - 4]), int64(cells[2 * bends - 3])
    x1, y1 = int64(cells[2 * bends - 2]), int64(cells[2 * bends - 1])
    dx, dy, next_x, next_y = x1 - x0, 2 * (y1 - y0), x - x1, 2 * (y - y1)
    if geo[at.TOPOLOGY] >= at.HEX:
        dy -= (x1 & 1) - (x0 & 1)
        next_y -= (x & 1) - (x1 & 1)
    return dx * next_y == dy * next_x and dx * next_x + dy * next_y > 0


@jit
def _end_of_run(geo, cells, count: int, here: int) -> int:
    """Return the last of the cells that go straight on from one, all of which it sees; on shifted grids the next."""
    dx, dy, last = cells[2 * here + 2] - cells[2 * here], cells[2 * here + 3] - cells[2 * here + 1], here + 1
    if geo[at.TOPOLOGY] < at.HEX:
        while last < count - 1:
            if cells[2 * last + 2] - cells[2 * last] != dx or cells[2 * last + 3] - cells[2 * last + 1] != dy:
                break
            last += 1
    return last


@jit
def pull(moves, walk, weights, geo, cells, count: int, sums, out, backward: bool) -> int:
    """Write the cells at which a pulled path bends into `out`; return how many.

    From each bend the path goes on to the farthest cell that is found to be in sight: behind the cells that go straight
    on, steps along the path double while their end is in sight, then halve. So what is looked at are lines a few times
    as long as the path together.
    backward: the cells lead from the goal to the start, and the legs too.
    """
    out[0], out[1] = cells[0], cells[1]
    bends, here = 1, 0
    while here < count - 1:
        seen = _end_of_run(geo, cells, count, here)
        step, ahead = seen - here, here
        while seen < count - 1:
            ahead = min(seen + step, count - 1)
            if not _joins(moves, walk, weights, geo, cells, sums, here, ahead, backward):
                break
            seen = ahead
            step *= 2
        while step > 1:
            step >>= 1
            if seen + step < count and _joins(moves, walk, weights, geo, cells, sums, here, seen + step, backward):
                seen += step
        here = seen
        x, y = int64(cells[2 * here]), int64(cells[2 * here + 1])
        if bends > 1 and _lies_ahead(geo, out, bends, x, y):
            bends -= 1
        out[2 * bends], out[2 * bends + 1] = x, y
        bends += 1
    return bends


@jit
def first_illegal_move(moves, walk, geo, cells, count: int) -> int:
    """Return the number of the first move of a path that is not legal, -1 if all are."""
    width, octile = geo[at.WIDTH], geo[at.TOPOLOGY] == at.OCTILE
    for k in range(count):
        x, y = int64(cells[2 * k]), int64(cells[2 * k + 1])
        if not (0 <= x < width and 0 <= y < geo[at.HEIGHT]):
            return max(k - 1, 0)
        if k > 0:
            before_x, before_y = int64(cells[2 * k - 2]), int64(cells[2 * k - 1])
            near = abs(x - before_x) <= 1 and abs(y - before_y) <= 1
            bit = _DIRECTIONS[3 * (y - before_y) + x - before_x + 4] if near else -1
            if octile and bit >= 0 and (moves[before_y * width + before_x] >> bit) & 1:
                continue
            if not near or not sees(moves, walk, geo, before_x, before_y, x, y):
                return k - 1
    return -1


@jit
def straighten(moves, walk, weights, geo, cells, count: int, rounds: int, sums, best, other, line) -> int:
    """Write the bends of a straightened path into `best`; return how many.

    The first round pulls the path from its start. Each further one pulls what the round before left, cell by cell, from
    the other end, and is kept if that is cheaper. `other` and `line` are room for cells, `sums` for costs.
    """
    if weights is not None:
        path_costs(weights, geo, cells, count, sums)
    bends = pull(moves, walk, weights, geo, cells, count, sums, best, False)
    if rounds < 2:
        return bends
    cost, _ = add_costs(weights, geo, best, bends)
    for number in range(1, rounds):
        if bends < 3:
            break
        backward = number % 2 == 1
        listed = list_between(geo, best, bends, line)
        if backward:
            reverse_cells(line, listed)
        if weights is not None:
            path_costs(weights, geo, line, listed, sums)
        found = pull(moves, walk, weights, geo, line, listed, sums, other, backward)
        if backward:
            reverse_cells(other, found)
        new_cost, _ = add_costs(weights, geo, other, found)
        if new_cost < cost:
            bends, cost = found, new_cost
            for k in range(2 * found):
                best[k] = other[k]
    return bends


@jit
def straighten_all(tables, cells, offsets, rounds: int, room, counts, totals, out) -> int:
    """Straighten paths that lie one behind the other in `cells`; return the first with an illegal move, -1 if none has.

    offsets: where each begins and ends. counts: how many bends it has; totals: what its legs cost, and their length.
    `out` holds the bends, one path behind the other. room: (sums, best, other, line).
    """
    moves, walk, weights, geo = tables
    sums, best, other, line = room
    written = 0
    for i in range(len(counts)):
        first, count = offsets[i], offsets[i + 1] - offsets[i]
        counts[i] = 0
        if count == 0:
            continue
        path = cells[2 * first : 2 * (first + count)]
        if first_illegal_move(moves, walk, geo, path, count) >= 0:
            return i
        bends = straighten(moves, walk, weights, geo, path, count, rounds, sums, best, other, line)
        totals[i, 0], totals[i, 1] = add_costs(weights, geo, best, bends)
        for k in range(2 * bends):
            out[written + k] = best[k]
        written += 2 * bends
        counts[i] = bends
    return -1
