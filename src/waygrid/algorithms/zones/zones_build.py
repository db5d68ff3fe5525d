"""Zones: the map cut into pieces whose rows and columns are single runs (Björnsson and Halldórsson, Algorithm 1)."""

from waygrid.core.jit import int64, jit

WALL, FREE = -1, -2  # in an array of zone numbers; anything outside the map counts as a wall


@jit
def _at(zone, width: int, x: int, y: int) -> int:
    inside = (x >= 0) & (x < width) & (y >= 0) & (y * width < zone.size)
    number = int64(zone[y * width + x if inside else 0])
    return number if inside else WALL


@jit
def _mark_line(zone, width: int, x: int, y: int, number: int) -> int:
    """Mark a line from x until it meets a wall or another zone, or opens upwards; return where it ends (lines 9-15)."""
    zone[y * width + x] = number
    while _at(zone, width, x + 1, y) == FREE and _at(zone, width, x + 1, y - 1) != FREE:
        x += 1
        zone[y * width + x] = number
    return x


@jit
def _fill(zone, width: int, x_left: int, y: int, number: int) -> None:
    """Fill one zone downwards from its first cell.

    Two steps are missing in the paper's listing: a line below which nothing is free ends the zone, and the next line
    begins where the left border was found. Without them walls are marked (design: errata 7).
    """
    shrunk_right = shrunk_left = False
    while True:
        x = _mark_line(zone, width, x_left, y, number)
        if _at(zone, width, x + 1, y - 1) == number:
            shrunk_right = True
        elif shrunk_right and _at(zone, width, x, y - 1) != number:  # the right border grows again: undo this line
            while x >= 0 and _at(zone, width, x, y) == number:
                zone[y * width + x] = FREE
                x -= 1
            break
        x, y = x_left, y + 1
        while _at(zone, width, x, y) != FREE and _at(zone, width, x, y - 1) == number:
            x += 1
        if _at(zone, width, x, y) != FREE or _at(zone, width, x, y - 1) != number:
            break
        while _at(zone, width, x - 1, y) == FREE and _at(zone, width, x - 1, y - 1) != FREE:
            x -= 1
        if _at(zone, width, x - 1, y - 1) == number:
            shrunk_left = True
        elif shrunk_left and _at(zone, width, x, y - 1) != number:
            break
        x_left = x


@jit
def _fill_printed(zone, width: int, x_left: int, y: int, number: int) -> None:
    """Fill one zone as the paper prints it, with the edge of the map as the only addition, where it would not end."""
    shrunk_right = shrunk_left = False
    height = zone.size // width
    while y < height:
        x = _mark_line(zone, width, x_left, y, number)
        if _at(zone, width, x + 1, y - 1) == number:
            shrunk_right = True
        elif shrunk_right and _at(zone, width, x, y - 1) != number:
            while x >= 0 and _at(zone, width, x, y) == number:
                zone[y * width + x] = FREE
                x -= 1
            break
        x, y = x_left, y + 1
        while _at(zone, width, x, y) != FREE and _at(zone, width, x, y - 1) == number:
            x += 1
        while _at(zone, width, x - 1, y) == FREE and _at(zone, width, x - 1, y - 1) != FREE:
            x -= 1
        if _at(zone, width, x - 1, y - 1) == number:
            shrunk_left = True
        elif shrunk_left and _at(zone, width, x, y - 1) != number:
            break


@jit
def decompose(zone, width: int, printed: bool) -> int:
    """Give every cell that is FREE the number of its zone; return how many there are.

    No cell before the one at which a zone begins is ever FREE again: an undone line lies below it.
    """
    count = 0
    for cell in range(zone.size):
        if zone[cell] == FREE:
            if printed:
                _fill_printed(zone, width, cell % width, cell // width, count)
            else:
                _fill(zone, width, cell % width, cell // width, count)
            count += 1
    return count
