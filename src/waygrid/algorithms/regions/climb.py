"""Hill climbing towards a cell, the primitive behind path databases, and paths compressed to what it can follow.

The rule is that of the DBA* authors' code: of all legal moves the one with the least price + h, of equals the dearest
(a diagonal), then the first in the order of directions. It fails where h would not fall: on plateaus and in local
minima. Reachability by climbing is neither symmetric nor monotone along a path.
"""

from waygrid.core import layout as at
from waygrid.core.heuristics import natural
from waygrid.core.jit import int64, jit

FAILED = -1
ENDLESS = 2**62  # as many moves as it takes


@jit
def is_plain(geo) -> bool:
    """Return whether a free diagonal towards the goal, then a free straight move, is always the one to make."""
    octile = geo[at.TOPOLOGY] == at.OCTILE
    return bool(octile & (geo[at.CARDINAL] < geo[at.DIAGONAL]) & (geo[at.DIAGONAL] < 2 * geo[at.CARDINAL]))


@jit
def choose_step(geo, legal: int, x: int, y: int, goal_x: int, goal_y: int) -> int:
    """Return the direction of the next move by the rule, FAILED where none leads closer."""
    best, least, dearest = -1, int64(0), int64(0)
    for d in range(8):
        if (legal >> d) & 1:
            price = geo[at.COST + d]
            f = price + natural(geo, x + geo[at.DX + d], y + geo[at.DY + d], goal_x, goal_y)
            if best < 0 or f < least or (f == least and price > dearest):
                best, least, dearest = d, f, price
    stuck = (best >= 0) & (least - dearest >= natural(geo, x, y, goal_x, goal_y))
    return -1 if stuck else best


@jit
def straight_on(dx: int, dy: int) -> int:
    """Return the direction that leaves price + h as it is: the diagonal towards the goal while it is off both lines."""
    along = (1 if dx > 0 else 3) if abs(dx) > abs(dy) else (2 if dy > 0 else 0)
    across = (5 if dy > 0 else 4) if dx > 0 else (6 if dy > 0 else 7)
    return across if (dx != 0) & (dy != 0) else along


@jit
def blocked_step(geo, legal: int, x: int, y: int, goal_x: int, goal_y: int, plain: bool) -> int:
    """Return the direction of the next move where `straight_on` is not free, FAILED where none leads closer.

    A straight move along the longer side also leaves price + h as it is, and nothing else does.
    """
    dx, dy = goal_x - x, goal_y - y
    along = (1 if dx > 0 else 3) if abs(dx) > abs(dy) else (2 if dy > 0 else 0)
    if plain and abs(dx) != abs(dy) and (legal >> along) & 1:
        d = along
    else:
        d = choose_step(geo, legal, x, y, goal_x, goal_y)
    return d


@jit
def climb_on(moves, geo, start: int, goal: int, most: int) -> tuple[int, int, int]:
    """Climb at most so many moves towards a cell; return where that ends, what it costs, and the moves not made.

    Where some are left short of the goal, the climb is stuck. Free moves straight on are made in a loop of their own:
    between random cells of ost100d a climb takes 230 ns instead of 460.
    """
    width, plain = geo[at.WIDTH], is_plain(geo)
    x, y, goal_x, goal_y = start % width, start // width, goal % width, goal // width
    cell, cost = start, int64(0)
    while cell != goal and most > 0:
        dx, dy = goal_x - x, goal_y - y
        d = straight_on(dx, dy)
        far = min(abs(dx), abs(dy)) if d >= 4 else abs(dx) + abs(dy)
        far = min(far, most) if plain else 0
        step, left = geo[at.STEP + d], far
        while left > 0 and (int64(moves[cell]) >> d) & 1:
            cell += step
            left -= 1
        if far == 0 or left > 0:  # not free
            made = far - left
            x += made * geo[at.DX + d]
            y += made * geo[at.DY + d]
            cost += made * geo[at.COST + d]
            most -= made
            d = blocked_step(geo, int64(moves[cell]), x, y, goal_x, goal_y, plain)
            if d < 0 or most == 0:
                break
            cell += geo[at.STEP + d]
            far, left = 1, 0
        x += (far - left) * geo[at.DX + d]
        y += (far - left) * geo[at.DY + d]
        cost += (far - left) * geo[at.COST + d]
        most -= far - left
    return cell, cost, most


@jit
def climb(moves, geo, start: int, goal: int, cutoff: int) -> int:
    """Return the cost of a climb from one cell to another, FAILED if it gets stuck or takes more moves than allowed."""
    cell, cost, _ = climb_on(moves, geo, start, goal, cutoff)
    return cost if cell == goal else FAILED


@jit
def list_climb(moves, geo, start: int, goal: int, cells, length: int) -> int:
    """Write the cells of a climb behind the `length` there are, without the start; return how many there are then.

    Returns FAILED where the climb gets stuck or there is no room.
    """
    width, plain = geo[at.WIDTH], is_plain(geo)
    x, y, goal_x, goal_y = start % width, start // width, goal % width, goal // width
    cell = start
    while cell != goal:
        d = straight_on(goal_x - x, goal_y - y)
        if not plain or (int64(moves[cell]) >> d) & 1 == 0:
            d = blocked_step(geo, int64(moves[cell]), x, y, goal_x, goal_y, plain)
        if d < 0 or length == cells.size:
            return FAILED
        cell += geo[at.STEP + d]
        x += geo[at.DX + d]
        y += geo[at.DY + d]
        cells[length] = cell
        length += 1
    return length


@jit
def compress(moves, geo, path, cutoff: int, subgoals) -> int:
    """Write the subgoals between the ends of a path, each to be climbed to from the one before; return how many.

    From each the end is tried, then the farthest cell that a binary search finds. Since reachability is not monotone
    that need not be the farthest of all. The next cell of the path can always be climbed to.
    """
    position, last, count = 0, path.size - 1, 0
    while position < last and climb(moves, geo, path[position], path[last], cutoff) < 0:
        low, high = position + 1, last
        while high - low > 1:
            middle = (low + high) >> 1
            if climb(moves, geo, path[position], path[middle], cutoff) >= 0:
                low = middle
            else:
                high = middle
        subgoals[count] = path[low]
        count += 1
        position = low
    return count
