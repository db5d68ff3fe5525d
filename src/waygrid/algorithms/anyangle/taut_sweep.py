"""What a corner of a wall sees: other corners at which a path goes on, and the cells whose centres it sees."""

import numpy as np

from waygrid.algorithms.anyangle import anya_cones as cone
from waygrid.algorithms.anyangle.anya_cones import BENDS_LEFT, BENDS_RIGHT, is_seen, push_gaps
from waygrid.algorithms.anyangle.anya_rows import find_wall, find_wall_before, is_free
from waygrid.core import layout as at
from waygrid.core.jit import int64, jit

FOUND, SPANS, FAR_X, FAR_Y = cone.GOAL_X, cone.GOAL_Y, cone.LAST_ROOT, cone.BEST_ROOT  # of a sweep, in the same places


@jit
def wall_side(free, i: int, j: int) -> tuple[int, int]:
    """Return on which side of a lattice point its only wall lies, as signs of x and y; (0, 0) if two walls touch there.

    (2, 2) where paths never bend: at no, three or four walls, or at two that share a side.
    """
    walls = x = y = 0
    for place in range(4):
        dx, dy = place & 1, place >> 1
        if not is_free(free, j - 1 + dy, i - 1 + dx):
            walls, x, y = walls + 1, x + 2 * dx - 1, y + 2 * dy - 1
    if walls == 1 or (walls == 2 and x == 0 and y == 0):
        return x, y
    return 2, 2


@jit
def find_corners(free, width: int, height: int, touching: bool, out) -> int:
    """List the lattice points where paths bend, row by row, and return how many; `out` may be too short for them.

    touching: those too where two walls touch.
    """
    count = 0
    for j in range(1, height + 2):
        for i in range(1, width + 2):
            x = wall_side(free, i, j)[0]
            if x == 2 or (x == 0 and not touching):
                continue
            if count < len(out):
                out[count, 0], out[count, 1] = i, j
            count += 1
    return count


@jit
def note_corner(free, ctl, numbers, found, i: int, j: int) -> None:
    """Note a corner that is seen, as its number, doubled, and one more if a path may bend at both ends of the leg.

    It does not bend where the leg comes from opposite to a corner's wall: a shorter way passes beside the corner.
    """
    number = numbers[j * (64 * free.shape[1] + 1) + i]
    if number >= 0:
        x, y = wall_side(free, i, j)
        own_x, own_y = wall_side(free, ctl[FAR_X], ctl[FAR_Y])
        dx, dy = ctl[FAR_X] - i, ctl[FAR_Y] - j
        taut = not (dx * x < 0 and dy * y < 0) and not (dx * own_x > 0 and dy * own_y > 0)
        found[ctl[FOUND]] = 2 * number + taut
        ctl[FOUND] += 1


@jit
def note_span(free, ctl, spans, side: int, low: int, high: int) -> None:
    """Note the cells of the current row whose centres lie at 2 * column + 1 from `low` to `high`.

    Away from the corner's wall (`side` is where the row lies), paths bend there only from the wall's side.
    """
    x, y = wall_side(free, ctl[FAR_X], ctl[FAR_Y])
    if y == -side and x > 0:
        low = max(low, 2 * ctl[FAR_X] + 1)
    if y == -side and x < 0:
        high = min(high, 2 * ctl[FAR_X] - 1)
    if low <= high:
        number = ctl[SPANS]
        spans[number, 0], spans[number, 1], spans[number, 2] = ctl[cone.ROW], low >> 1, high >> 1
        ctl[SPANS] = number + 1


@jit
def note_touching(free, ctl, numbers, found, side: int) -> None:
    """Note the ends of the current run where two walls touch, on its far line, as far as the root sees them."""
    row, first, last = ctl[cone.ROW], ctl[cone.FIRST], ctl[cone.LAST]
    other, line = row + side, 2 * row + 1 + side
    if is_free(free, other, first - 1) and not is_free(free, other, first) and is_seen(ctl, first, line):
        note_corner(free, ctl, numbers, found, first, line >> 1)
    if is_free(free, other, last) and not is_free(free, other, last - 1) and is_seen(ctl, last, line):
        note_corner(free, ctl, numbers, found, last, line >> 1)


@jit
def look_along(free, ctl, numbers, found, i: int, j: int, step: int) -> None:
    """Note the next corner on the root's own line, to the right (step 1) or left (-1)."""
    ahead = 0 if step > 0 else -1  # from a lattice point to the column beside it
    upper, lower = is_free(free, j - 1, i + ahead), is_free(free, j, i + ahead)
    if not (upper or lower):
        return
    k = i + step
    while is_free(free, j - 1, k + ahead) == upper and is_free(free, j, k + ahead) == lower:
        k += step
    note_corner(free, ctl, numbers, found, k, j)


@jit
def look_from(free, ctl, real, cones, numbers, found, spans, i: int, j: int, row: int) -> None:
    """Note what the corner (i, j) sees in the row of cells at one side, and store the cones that begin there."""
    column = i if is_free(free, row, i) else i - 1
    if not is_free(free, row, column):
        return
    side = 1 if row == j else -1
    ctl[cone.ROW], ctl[cone.FIRST], ctl[cone.LAST] = (
        row,
        find_wall_before(free, row, column) + 1,
        find_wall(free, row, column),
    )
    low, high = 2 * ctl[cone.FIRST] + 1, 2 * ctl[cone.LAST] - 1
    ctl[cone.LEFT_Y] = ctl[cone.RIGHT_Y] = 0
    note_span(free, ctl, spans, side, low, high)
    push_gaps(free, cones, ctl, real, side)
    note_touching(free, ctl, numbers, found, side)


@jit
def look_on(free, ctl, real, cones, numbers, found, spans) -> None:
    """Note what the root sees by the last cone, and store those that follow it."""
    ctl[cone.COUNT] -= 1
    own, x, y = cones[ctl[cone.COUNT]], ctl[cone.ROOT_X], ctl[cone.ROOT_Y]
    left_x, left_y, right_x, right_y = (
        int64(own["left_x"]),
        int64(own["left_y"]),
        int64(own["right_x"]),
        int64(own["right_y"]),
    )
    row, column, bends = int64(own["row"]), int64(own["column"]), int64(own["bends"])
    side = 1 if left_y > 0 else -1
    line = 2 * row + 1 - side
    if bends & BENDS_LEFT != 0:
        note_corner(free, ctl, numbers, found, (x + left_x * (line - y) // left_y) >> 1, line >> 1)
    if bends & BENDS_RIGHT != 0:
        note_corner(free, ctl, numbers, found, (x + right_x * (line - y) // right_y) >> 1, line >> 1)
    ctl[cone.ROW], ctl[cone.FIRST], ctl[cone.LAST] = (
        row,
        find_wall_before(free, row, column) + 1,
        find_wall(free, row, column),
    )
    ctl[cone.LEFT_X], ctl[cone.LEFT_Y], ctl[cone.RIGHT_X], ctl[cone.RIGHT_Y] = left_x, left_y, right_x, right_y
    low, high = seen_part(ctl)
    note_span(free, ctl, spans, side, low, high)
    push_gaps(free, cones, ctl, real, side)
    note_touching(free, ctl, numbers, found, side)


@jit
def seen_part(ctl) -> tuple[int, int]:
    """Return the first and the last centre of the current run that lies between the sides of the current cone."""
    x, far = ctl[cone.ROOT_X], abs(2 * ctl[cone.ROW] + 1 - ctl[cone.ROOT_Y])
    low, high = 2 * ctl[cone.FIRST] + 1, 2 * ctl[cone.LAST] - 1
    low = max(low, x - (-ctl[cone.LEFT_X] * far) // abs(ctl[cone.LEFT_Y]) | 1)
    high = min(high, (x + ctl[cone.RIGHT_X] * far // abs(ctl[cone.RIGHT_Y]) - 1) | 1)
    return low, high


@jit
def sweep_corner(free, ctl, real, cones, numbers, found, spans, i: int, j: int) -> bool:
    """Note all corners and cells that a corner sees; False where there may be no room for them."""
    most = 64 * free.shape[1] + 4
    ctl[cone.ROOT_X], ctl[cone.ROOT_Y], ctl[cone.COUNT] = 2 * i, 2 * j, 0
    ctl[FAR_X], ctl[FAR_Y] = i, j
    look_along(free, ctl, numbers, found, i, j, -1)
    look_along(free, ctl, numbers, found, i, j, 1)
    for row in range(j - 1, j + 1):
        look_from(free, ctl, real, cones, numbers, found, spans, i, j, row)
    while ctl[cone.COUNT] > 0:
        if ctl[cone.COUNT] + most > cones.size or ctl[FOUND] + 8 > found.size or ctl[SPANS] + 2 > len(spans):
            return False
        look_on(free, ctl, real, cones, numbers, found, spans)
    return True


@jit
def sweep_corners(free, cones, numbers, corners, done: int, counts, found, spans) -> tuple[int, int, int]:
    """Note what corners see from number `done` on: counts[k] of corners and spans for each.

    Returns how many corners are done, and how much of `found` and `spans` is used: where they are too short, or
    `cones` is, call again with longer ones.
    """
    ctl = np.zeros(at.CTL_SIZE, np.int64)
    real = ctl.view(np.float64)
    for k in range(done):
        ctl[FOUND] += counts[k, 0]
        ctl[SPANS] += counts[k, 1]
    for k in range(done, len(corners)):
        used, spanned = ctl[FOUND], ctl[SPANS]
        room = ctl[FOUND] + 16 <= found.size and ctl[SPANS] + 8 <= len(spans)
        if not room or not sweep_corner(free, ctl, real, cones, numbers, found, spans, corners[k, 0], corners[k, 1]):
            return k, used, spanned
        counts[k, 0], counts[k, 1] = ctl[FOUND] - used, ctl[SPANS] - spanned
    return len(corners), ctl[FOUND], ctl[SPANS]
