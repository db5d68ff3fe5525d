"""Jump points on octile grids of uniform cost: which moves matter, and how far a direction leads to the next choice.

Among equally cheap paths only the one that takes its diagonals first is followed ("canonical order"). Entered by a
direction, a cell then has few moves worth trying; where an obstacle breaks the order there are more, and the cell is a
jump point. Everything is read off the move table: under `never` the cell beside the last one is a wall exactly when the
last cell has no move to that side.

    never, entered by E:   # .        the last cell p could not go N, c can:
                           p c ->     N and NE are worth trying at c
"""

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit

# Of a straight direction d (0 to 3) the sides are d + 1 and d + 3 (mod 4); between d and d + 1 lies the diagonal 4 + d.


@jit
def forced_sides(moves, geo, before: int, cell: int, d: int) -> int:
    """Return the extra moves, as bits, of a cell entered from `before` by the straight direction d."""
    right, left = (d + 1) & 3, (d + 3) & 3
    legal, index = int64(moves[cell]), 0
    if geo[at.CORNERS] == at.NEVER:
        opened = legal & ~int64(moves[before])
        if (opened >> right) & 1:
            index |= (1 << right) | (1 << (4 + d))
        if (opened >> left) & 1:
            index |= (1 << left) | (1 << (4 + left))
    else:
        if (legal >> right) & 1 == 0:
            index |= 1 << (4 + d)
        if (legal >> left) & 1 == 0:
            index |= 1 << (4 + left)
    return index & legal


@jit
def forced_corners(moves, geo, cell: int, d: int) -> int:
    """Return the extra moves of a cell entered by the diagonal d; only cutting corners makes any."""
    if geo[at.CORNERS] == at.NEVER:
        return 0
    one, two = d & 3, (d + 1) & 3  # the straight parts of d
    legal, index = int64(moves[cell]), 0
    if (legal >> ((one + 2) & 3)) & 1 == 0:
        index |= 1 << (4 + two)
    if (legal >> ((two + 2) & 3)) & 1 == 0:
        index |= 1 << (4 + ((one + 3) & 3))
    return index & legal


@jit
def worthwhile(moves, geo, cell: int, d: int) -> int:
    """Return the moves worth trying, as bits, at a cell entered by direction d."""
    if d >= 4:
        natural = (1 << d) | (1 << (d & 3)) | (1 << ((d + 1) & 3))
        return (natural & int64(moves[cell])) | forced_corners(moves, geo, cell, d)
    return ((1 << d) & int64(moves[cell])) | forced_sides(moves, geo, cell - geo[at.STEP + d], cell, d)


@jit
def scan_straight(moves, geo, cell: int, d: int, goal: int) -> int:
    """Return the steps along the straight direction d to the goal or a jump point; else minus the steps to the wall."""
    steps = 0
    while (moves[cell] >> d) & 1:
        before = cell
        cell += geo[at.STEP + d]
        steps += 1
        if cell == goal or forced_sides(moves, geo, before, cell, d):
            return steps
    return -steps


@jit
def scan_diagonal(moves, geo, cell: int, d: int, goal: int) -> int:
    """The same along a diagonal, which also ends where a straight scan from it would succeed."""
    steps = 0
    while (moves[cell] >> d) & 1:
        cell += geo[at.STEP + d]
        steps += 1
        if cell == goal or forced_corners(moves, geo, cell, d):
            return steps
        if scan_straight(moves, geo, cell, d & 3, goal) > 0 or scan_straight(moves, geo, cell, (d + 1) & 3, goal) > 0:
            return steps
    return -steps


@jit
def fill_jumps(moves, geo, jumps) -> None:
    """Fill the table of JPS+: per cell and direction the steps to the next jump point, else minus those to the wall.

    Each direction is swept so that the next cell along it is done first; diagonals look at the straight entries.
    """
    width, height = geo[at.WIDTH], geo[at.HEIGHT]
    for d in (0, 1, 2, 3, 4, 5, 6, 7):
        downwards = d in (0, 4, 7)  # the next cell lies above: begin at the top
        rightwards = d in (3, 6, 7)  # the next cell lies to the left: begin there
        for row in range(height):
            y = row if downwards else height - 1 - row
            for column in range(width):
                x = column if rightwards else width - 1 - column
                cell = y * width + x
                jumps[cell, d] = jump_entry(moves, geo, jumps, cell, d)


@jit
def jump_entry(moves, geo, jumps, cell: int, d: int) -> int:
    """Return a cell's jump, from that of the next cell."""
    if (moves[cell] >> d) & 1 == 0:
        return 0
    following = cell + geo[at.STEP + d]
    if d < 4:
        stop = forced_sides(moves, geo, cell, following, d) != 0
    else:
        straight = jumps[following, d & 3] > 0 or jumps[following, (d + 1) & 3] > 0
        stop = straight or forced_corners(moves, geo, following, d) != 0
    if stop:
        return 1
    ahead = int64(jumps[following, d])
    return ahead + 1 if ahead > 0 else ahead - 1
