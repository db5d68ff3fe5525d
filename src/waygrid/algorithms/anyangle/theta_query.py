"""The compiled loop of theta and lazy-theta.

Nash, Daniel, Koenig, Felner: Theta*: Any-Angle Path Planning on Grids, AAAI 2007, section "Basic Theta*"; Nash, Koenig,
Tovey: Lazy Theta*, AAAI 2010. A* whose cells have as parent not the neighbour that generated them but that neighbour's
own parent, where a straight leg from there is legal. Lazy: that a leg is legal is taken for granted until the cell is
expanded; where it is not, the best of the expanded neighbours becomes the parent.

Both differ from the papers. A cell whose leg turns out to be illegal is queued again with its true cost, instead of
being expanded too early. Beside walls, a cell that is expanded also looks at the parents of its parent: where moves cut
no corners, a leg may pass a stair of cells although no leg to the cells before its end does. And the path that is found
is pulled straight. On small maps with a quarter of random walls the second takes paths from 1.8 to 1.0 % above the
shortest, on average over all corner rules; benchmarks/straight.py has the figures of today.
"""

import math

import numpy as np

from waygrid.algorithms.anyangle.theta_sight import SEEN, is_left_only, sees_from, state_of_expanded
from waygrid.core import layout as at
from waygrid.core.clock import now
from waygrid.core.driver import make_query_loop
from waygrid.core.events import record
from waygrid.core.jit import int64, jit
from waygrid.core.leg_cost import add_costs
from waygrid.core.lines import list_between
from waygrid.core.prefetch import prefetch
from waygrid.core.pull import straighten
from waygrid.core.query import fill_row, path_offset
from waygrid.core.queue import bucket_clear, bucket_next, bucket_push, bucket_remove
from waygrid.core.sight import sees_square

UNIT = 1024  # of costs, per cell
_DIAGONAL = int(UNIT * math.sqrt(2) + 0.5)
_CLOCK_EVERY = 255
# The keys of an eighth of a cell share a bucket, 2 ** 7 of them, the newest first: so the next cell often lies beside
# the last one, and the processor guesses better. Ordered fully, lazy-theta took 1.09 times as long on three game maps.
BUCKET = 7
_LOOKS_BACK = 2  # parents of parents
_SHORT = 8  # cells: stairs turn often, so behind a longer leg nothing is looked for


@jit
def distance(x0: int, y0: int, x1: int, y1: int) -> int:
    """Return how far two cells are apart."""
    dx, dy = float(x1 - x0), float(y1 - y0)
    return int64(UNIT * math.sqrt(dx * dx + dy * dy) + 0.5)


@jit
def invert_width(geo) -> tuple[int, int]:
    """Return numbers by which (cell * inverse) >> shift is the row of a cell, exactly and without a division.

    The inverse is less than 1 too large, so the product less than the number of cells: less than what one cell more
    adds to it, which is 2 ** shift / width. The product stays below 2 ** 63 where cells have 31 bits.
    """
    width, shift = geo[at.WIDTH], 0
    while (int64(1) << shift) < width * width * geo[at.HEIGHT]:
        shift += 1
    return (int64(1) << shift) // width + 1, shift


@jit
def begin(geo, nodes, queue, bits, ctl, events) -> None:
    """Put the start on the open list."""
    start, goal, width = ctl[at.START], ctl[at.GOAL], geo[at.WIDTH]
    key = distance(start % width, start // width, goal % width, goal // width)
    ctl[at.ESTIMATE] = key
    nodes[start]["g"] = 0
    nodes[start]["state"] = np.uint32(ctl[at.SEARCH] << 4 | SEEN)
    nodes[start]["parent"] = start
    bucket_push(nodes, queue, bits, key >> BUCKET, start)
    ctl[at.KEY] = key >> BUCKET
    ctl[at.OPEN] = ctl[at.PEAK] = ctl[at.GENERATED] = ctl[at.TOUCHED] = 1
    if events is not None:
        record(events, ctl, at.E_GENERATING, start, -1, 0, key)


@jit
def choose_neighbour(moves, geo, nodes, mark, two_way: bool, cell: int) -> None:
    """Make the best of the expanded neighbours the parent of a cell, because its leg is not legal.

    two_way: which moves lead to the cell is known from those that lead away from it.
    """
    best, least, out = -1, at.INFINITE, int64(moves[cell]) if two_way else moves_to(moves, geo, cell)
    for d in range(8):
        n = cell - geo[at.STEP + d]
        if geo[at.COST + d] > 0 and (out >> geo[at.OPPOSITE + d]) & 1 and nodes[n]["state"] == mark:
            g = int64(nodes[n]["g"]) + (UNIT if d < 4 else _DIAGONAL)
            if g < least:
                best, least = n, g
    nodes[cell]["g"] = least
    nodes[cell]["parent"] = best
    nodes[cell]["state"] |= np.uint32(SEEN)


@jit
def moves_to(moves, geo, cell: int) -> int:
    """Return the directions from a cell to the neighbours from which a move leads to it."""
    width, found = geo[at.WIDTH], 0
    x, y = cell % width, cell // width
    for d in range(8):
        from_x, from_y = x + geo[at.DX + d], y + geo[at.DY + d]
        if geo[at.COST + d] > 0 and 0 <= from_x < width and 0 <= from_y < geo[at.HEIGHT]:
            found |= ((int64(moves[from_y * width + from_x]) >> geo[at.OPPOSITE + d]) & 1) << d
    return found


@jit
def look_back(moves, geo, nodes, start: int, cell: int, x: int, y: int) -> None:
    """Give a cell that is about to be expanded an earlier parent, where a leg from there is legal."""
    width, before = geo[at.WIDTH], int64(nodes[cell]["parent"])
    for _ in range(_LOOKS_BACK):
        if before == start:
            break
        before = int64(nodes[before]["parent"])
        before_x, before_y = before % width, before // width
        g = int64(nodes[before]["g"]) + distance(before_x, before_y, x, y)
        if g < nodes[cell]["g"] and sees_square(moves, geo, before_x, before_y, x, y):
            nodes[cell]["g"] = g
            nodes[cell]["parent"] = before


@jit
def advance(moves, geo, policy, nodes, queue, bits, ctl, events) -> None:
    """Expand cells until the search ends or something stops it: PAUSE says what."""
    width, goal = geo[at.WIDTH], ctl[at.GOAL]
    goal_x, goal_y = goal % width, goal // width
    search, lazy = np.uint32(ctl[at.SEARCH]), policy[at.LAZY] != 0
    mark = state_of_expanded(search)
    everywhere = 255 if geo[at.TOPOLOGY] == at.OCTILE else 15
    two_way = policy[at.ONE_WAY] == 0
    hidden = ctl[at.START] if is_left_only(moves, geo, ctl[at.START]) else -1  # no line of sight can be followed to it
    track, limit, deadline = ctl[at.FLAGS] & at.TRACK_BEST, ctl[at.LIMIT], ctl[at.DEADLINE]
    size, peak, key, budget = ctl[at.OPEN], ctl[at.PEAK], ctl[at.KEY], ctl[at.BUDGET]
    expanded, generated = ctl[at.EXPANDED], ctl[at.GENERATED]
    status, pause, (inverse, shift) = at.RUNNING, 0, invert_width(geo)
    while True:
        if size == 0:
            status = at.UNREACHABLE
            break
        if budget <= 0:
            pause = at.PAUSE_BUDGET
            break
        if expanded == limit or (deadline > 0 and expanded & _CLOCK_EVERY == _CLOCK_EVERY and now(ctl) > deadline):
            status = at.CUTOFF
            break
        if events is not None:
            if ctl[at.EVENTS] + at.EVENT_ROOM > events.size:
                pause = at.PAUSE_EVENTS
                break
        key = bucket_next(queue, bits, key)
        cell = int64(queue[key & (queue.size - 1)])
        later = int64(nodes[cell]["next"])  # what comes next, most of the time
        prefetch(nodes, later - width)
        prefetch(nodes, later)
        prefetch(nodes, later + width)
        bucket_remove(nodes, queue, bits, cell)
        parent = int64(nodes[cell]["parent"])
        y, parent_y = (cell * inverse) >> shift, (parent * inverse) >> shift
        x, parent_x = cell - y * width, parent - parent_y * width
        if nodes[cell]["state"] & np.uint32(SEEN) == 0:
            if two_way and parent != hidden:
                legal = sees_from(moves, geo, nodes, mark, parent, parent_x, parent_y, x, y)
            else:
                legal = sees_square(moves, geo, parent_x, parent_y, x, y)
            if legal:
                nodes[cell]["state"] |= np.uint32(SEEN)
            else:
                choose_neighbour(moves, geo, nodes, mark, two_way and hidden < 0, cell)
                f = (int64(nodes[cell]["g"]) + distance(x, y, goal_x, goal_y)) >> BUCKET
                if f > key:
                    bucket_push(nodes, queue, bits, f, cell)
                    continue
                parent = int64(nodes[cell]["parent"])
                parent_y = (parent * inverse) >> shift
                parent_x = parent - parent_y * width
        out = int64(moves[cell])
        near = abs(x - parent_x) < _SHORT and abs(y - parent_y) < _SHORT
        if near and out != everywhere and parent != ctl[at.START]:
            look_back(moves, geo, nodes, ctl[at.START], cell, x, y)
            parent = int64(nodes[cell]["parent"])
            parent_y = (parent * inverse) >> shift
            parent_x = parent - parent_y * width
        size -= 1
        budget -= 1
        expanded += 1
        g = int64(nodes[cell]["g"])
        nodes[cell]["state"] |= np.uint32(at.CLOSED)
        if track:
            left = distance(x, y, goal_x, goal_y)
            if left < ctl[at.BEST_H] or (left == ctl[at.BEST_H] and g < ctl[at.BEST_G]):
                ctl[at.BEST], ctl[at.BEST_H], ctl[at.BEST_G] = cell, left, g
        if events is not None:
            own_h = distance(x, y, goal_x, goal_y)
            shown = -1 if cell == ctl[at.START] else parent
            record(events, ctl, at.E_EXPANDING, cell, shown, g, own_h)
        if cell == goal:
            status = at.FOUND
            ctl[at.END] = cell
            if events is not None:
                record(events, ctl, at.E_END, cell, shown, g, 0)
            break
        parent_g = int64(nodes[parent]["g"])
        for d in range(8):
            if (out >> d) & 1 == 0:
                continue
            n = cell + geo[at.STEP + d]
            state = nodes[np.uint64(n)]["state"]
            if state == mark:
                continue
            known = state >> np.uint32(4) == search
            if known and nodes[n]["parent"] == parent:
                continue
            nx, ny = x + geo[at.DX + d], y + geo[at.DY + d]
            new_g, above, seen = parent_g + distance(parent_x, parent_y, nx, ny), parent, 0
            if not lazy:
                seen = SEEN
                if known and int64(nodes[n]["g"]) <= new_g:
                    continue
                if two_way and parent != hidden:
                    legal = sees_from(moves, geo, nodes, mark, parent, parent_x, parent_y, nx, ny)
                else:
                    legal = sees_square(moves, geo, parent_x, parent_y, nx, ny)
                if not legal:
                    new_g, above = g + distance(x, y, nx, ny), cell
            if known:
                if int64(nodes[n]["g"]) <= new_g:
                    continue
                bucket_remove(nodes, queue, bits, n)
            else:
                generated += 1
                size += 1
            h = distance(nx, ny, goal_x, goal_y)
            nodes[n]["g"] = new_g
            nodes[n]["parent"] = above
            nodes[n]["state"] = (search << np.uint32(4)) | np.uint32(seen)
            # A leg past the neighbour can make a cell cheaper than the one that is expanded: it is next then.
            bucket_push(nodes, queue, bits, max((new_g + h) >> BUCKET, key), n)
            if events is not None:
                record(events, ctl, at.E_UPDATING if known else at.E_GENERATING, n, above, new_g, h)
        if size > peak:
            peak = size
        if events is not None:
            record(events, ctl, at.E_CLOSING, cell, shown, g, own_h)
    ctl[at.STATUS], ctl[at.PAUSE], ctl[at.BUDGET], ctl[at.KEY] = status, pause, budget, key
    ctl[at.OPEN], ctl[at.PEAK], ctl[at.EXPANDED] = size, peak, expanded
    ctl[at.GENERATED] = ctl[at.TOUCHED] = generated
    if status == at.CUTOFF:
        ctl[at.END] = ctl[at.BEST]


@jit
def finish(moves, geo, nodes, queue, bits, ctl, room) -> None:
    """Leave the buckets empty for the next search, and pull a path that was found straight."""
    bucket_clear(queue, bits)
    if ctl[at.STATUS] == at.FOUND:
        pull_straight(moves, geo, nodes, ctl, room)


@jit
def pull_straight(moves, geo, nodes, ctl, room) -> None:
    """Pull the path, and let the records lead back along the outcome if that is shorter.

    Parents are among cells that were expanded; the cells that legs pass are better places for bends now and then. It
    takes microseconds, and on small maps under corners "never" it saves a third of what is too long.
    """
    width, start, cell, count, long = geo[at.WIDTH], ctl[at.START], ctl[at.END], 1, 0
    while cell != start:
        before = int64(nodes[cell]["parent"])
        long += abs(before % width - cell % width) + abs(before // width - cell // width)
        cell = before
        count += 1
    part = room.size // 4 & ~1
    if count < 3 or 2 * (2 * long + count + 4) > part:  # a path so long that there is no room is left as it is
        return
    bends, line, best, other = room[:part], room[part : 2 * part], room[2 * part : 3 * part], room[3 * part : 4 * part]
    cell = ctl[at.END]
    for k in range(count - 1, -1, -1):
        bends[2 * k], bends[2 * k + 1] = cell % width, cell // width
        cell = int64(nodes[cell]["parent"])
    listed = list_between(geo, bends, count, line)
    for k in range(2 * listed):  # `straighten` uses `line` itself
        bends[k], line[k] = line[k], bends[k]
    before_length, _ = add_costs(None, geo, line, count)
    found = straighten(moves, moves, None, geo, bends, listed, 2, bends, best, other, line)
    length, _ = add_costs(None, geo, best, found)
    if length < before_length * (1 - 1e-12):
        for k in range(found - 1, 0, -1):  # from the end: a cell that is passed twice leads back from the first time
            bend = best[2 * k + 1] * width + best[2 * k]
            nodes[bend]["parent"] = best[2 * k - 1] * width + best[2 * k - 2]


@jit
def close(geo, nodes, ctl, rows, sums, i: int, cells, request) -> bool:
    """Write the waypoints of the path that ends at END into `cells`, and the row; as `query.close_query` does."""
    start, end, width, offset = ctl[at.START], ctl[at.END], geo[at.WIDTH], path_offset(rows, i, request)
    count, cell, length = 0, end, 0.0
    while cell >= 0:
        count += 1
        cell = -1 if cell == start else int64(nodes[cell]["parent"])
    rows[i, at.ROW_LENGTH], rows[i, at.ROW_OFFSET] = count, offset
    if 2 * (offset + count) > cells.size:
        ctl[at.PAUSE] = at.PAUSE_CELLS
        return False
    cell = end
    for k in range(offset + count - 1, offset - 1, -1):
        cells[2 * k], cells[2 * k + 1] = cell % width, cell // width
        if k < offset + count - 1:
            dx, dy = float(cells[2 * k + 2] - cells[2 * k]), float(cells[2 * k + 3] - cells[2 * k + 1])
            length += math.sqrt(dx * dx + dy * dy)
        if cell != start:
            cell = int64(nodes[cell]["parent"])
    sums[i, at.ROW_COST] = sums[i, at.ROW_DISTANCE] = length
    fill_row(ctl, rows, i)
    return True


run = make_query_loop(__name__, begin, advance, finish, close, names={"sums": "rows.view(np.float64)", "room": "spare"})
