"""Lines of sight of theta and lazy-theta, followed only until they run between cells that are known to be seen."""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit
from waygrid.core.sight import passes_corner

SEEN = 1  # in a record's state: the leg from the parent is known to be legal
_LOOK_EVERY = 8  # steps back along a leg, between two looks whether the rest is known


@jit
def state_of_expanded(search) -> int:
    """Return the state of all cells that a search has expanded."""
    return search << np.uint32(4) | np.uint32(at.CLOSED | SEEN)


@jit
def is_left_only(moves, geo, cell: int) -> bool:
    """Return whether a cell can be left and not be entered: a start that is blocked."""
    width, x, y = geo[at.WIDTH], cell % geo[at.WIDTH], cell // geo[at.WIDTH]
    for d in range(8):
        if (moves[cell] >> d) & 1:
            n = (y + geo[at.DY + d]) * width + x + geo[at.DX + d]
            return (moves[n] >> geo[at.OPPOSITE + d]) & 1 == 0
    return False


@jit
def _is_seen_from(nodes, mark, parent: int, n: int) -> bool:
    """Return whether a cell was expanded with this parent, so that the leg between them is legal.

    mark: the state of the cells that this search has expanded, see above.
    """
    place = np.uint64(n)
    return bool((nodes[place]["state"] == mark) & (int64(nodes[place]["parent"]) == parent))


@jit
def runs_between_seen(nodes, mark, width: int, parent: int, cell: int, vx: int, vy: int) -> bool:
    """Return whether the leg to a cell runs, just before it, between two cells that are seen; (vx, vy): back along it.

    A leg that is not a diagonal comes to its end through a side, and before that it crosses the line between the
    centres of the cell behind this side and the one beside that. The straight moves between the three are legal, since
    they are free. So no move is looked at.
    """
    step_x, step_y = int64(vx > 0) - int64(vx < 0), width * (int64(vy > 0) - int64(vy < 0))
    last = cell + step_x + step_y
    other = cell + (step_x if abs(vx) > abs(vy) else step_y)
    if abs(vx) == abs(vy):
        return False
    return _is_seen_from(nodes, mark, parent, other) and _is_seen_from(nodes, mark, parent, last)


@jit
def _follow_back(moves, geo, nodes, mark, parent: int, x0: int, y0: int, x1: int, y1: int) -> bool:
    """Return the same as `sees_from`, by following the leg back from its end, as in `sight.sees_square`."""
    width, dx, dy = geo[at.WIDTH], abs(x1 - x0), abs(y1 - y0)
    bit_x, step_x = (1, 1) if x0 > x1 else (3, -1)
    bit_y, step_y = (2, width) if y0 > y1 else (0, -width)
    ahead = dy - dx if dx * dy > 0 else -1 if dy == 0 else 1
    rise, fall = (2 * (dx + dy), 2 * dx) if dx * dy > 0 else (0, 0)
    near, far = (step_y if dx > dy else -step_x), step_y - step_x
    both, turn, sum_of_both = step_x - step_y, bit_x - bit_y, dx + dy
    cell, steps = y1 * width + x1, 0
    beside = 0  # above 0 where the cell lies too far in x, below 0 where in y
    while True:
        legal = int64(moves[np.uint64(cell)])
        if ahead == 0:
            if not passes_corner(moves, geo, cell, legal, bit_x, bit_y, step_x, step_y):
                return False
            cell += step_x + step_y
            ahead += rise - 2 * fall
            beside += dy - dx
        else:
            across = ahead >> 63
            if (legal >> (bit_y + (across & turn))) & 1 == 0:
                return False
            cell += step_y + (across & both)
            ahead += (across & rise) - fall
            beside += (across & sum_of_both) - dx
        if cell == parent:
            return True
        steps += 1
        if steps & (_LOOK_EVERY - 1) == 0:
            side = int64(beside > 0) - int64(beside < 0)
            here = _is_seen_from(nodes, mark, parent, cell)
            beside_here = _is_seen_from(nodes, mark, parent, cell + side * near)
            if here & (beside_here | _is_seen_from(nodes, mark, parent, cell + side * far)):
                return True


@jit
def sees_from(moves, geo, nodes, mark, parent: int, x0: int, y0: int, x1: int, y1: int) -> bool:
    """Return whether the leg from a parent at (x0, y0) to a cell at (x1, y1) is legal; no tile is one-way.

    The leg is followed back from its end only until the rest is known to be legal. That is so at a cell whose centre
    lies on the leg and that was expanded with this parent. And it is so at a cell beside the leg if one on its other
    side, next to it or diagonally, was expanded with this parent, too: a wall on the rest of the leg would touch
    neither of the legs to these two cells, so it would lie in the triangle of the parent and the two. One of its sides
    or diagonals would then be a chord of the triangle, parallel to the side between the two cells. But that side is
    exactly as long, and every other chord is shorter. (The cells that the side itself crosses are those two.)

    On game maps, where legs cross 25 to 64 cells, 44 to 62 % of them are settled without a step. A look at what is
    known costs as much as several steps, for the processor cannot guess how it ends: so there is one in eight steps.
    """
    if runs_between_seen(nodes, mark, geo[at.WIDTH], parent, y1 * geo[at.WIDTH] + x1, x0 - x1, y0 - y1):
        return True
    return _follow_back(moves, geo, nodes, mark, parent, x0, y0, x1, y1)
