"""Sectors and regions (Sturtevant 2007; Lee and Lawrence, sections 3 and 4.1).

The map is cut into rectangles, sectors, of `rows` x `columns` cells; the cells of a sector that reach each other
without leaving it are a region. Regions are numbered sector by sector. Which region a cell belongs to is not kept: a
sector with one region needs no search, in any other a breadth-first search within the sector meets the region's own
representative. `plan` has the sector's rows and columns, and how many sectors lie side by side.
"""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.heuristics import natural
from waygrid.core.jit import int64, jit

ROWS, COLUMNS, ACROSS = 0, 1, 2
NOWHERE = -1


@jit
def sector_of(plan, x: int, y: int) -> int:
    """Return the number of a cell's sector (equation 1)."""
    return int(y // plan[ROWS] * plan[ACROSS] + x // plan[COLUMNS])


@jit
def _flood(moves, geo, left: int, top: int, right: int, bottom: int, region, number: int, stack) -> None:
    """Number the region of the cell on the stack, within its sector."""
    width, size = geo[at.WIDTH], 1
    region[stack[0]] = number
    while size > 0:
        size -= 1
        cell = int64(stack[size])
        for d in range(8):
            if (int64(moves[cell]) >> d) & 1:
                nx, ny = cell % width + geo[at.DX + d], cell // width + geo[at.DY + d]
                n = cell + geo[at.STEP + d]
                if left <= nx < right and top <= ny < bottom and region[n] < 0:
                    region[n] = number
                    stack[size] = n
                    size += 1


@jit
def label_regions(walk, moves, geo, plan, region, first) -> int:
    """Number the regions of all cells; `first` receives the first one of every sector. Returns how many there are."""
    width, rows, columns = geo[at.WIDTH], plan[ROWS], plan[COLUMNS]
    stack = np.empty(rows * columns, np.int32)
    region[:] = NOWHERE
    count = 0
    for sector in range(first.size - 1):
        first[sector] = count
        left, top = sector % plan[ACROSS] * columns, sector // plan[ACROSS] * rows
        right, bottom = min(left + columns, width), min(top + rows, geo[at.HEIGHT])
        for y in range(top, bottom):
            for cell in range(y * width + left, y * width + right):
                if walk[cell] and region[cell] < 0:
                    stack[0] = cell
                    _flood(moves, geo, left, top, right, bottom, region, count, stack)
                    count += 1
    first[first.size - 1] = count
    return count


@jit
def find_centres(geo, region, centres) -> None:
    """Find the representative of every region: the mean of its cells, or the cell of the region that is nearest to it.

    The mean may be a wall or lie in another region (design: errata 17); of equally near cells the first counts.
    """
    width = geo[at.WIDTH]
    sums = np.zeros((centres.size, 3), np.int64)
    for cell in range(region.size):
        if region[cell] >= 0:
            sums[region[cell], 0] += cell % width
            sums[region[cell], 1] += cell // width
            sums[region[cell], 2] += 1
    nearest = np.full(centres.size, 2**62, np.int64)
    for cell in range(region.size):
        number = region[cell]
        if number >= 0:
            x, y = sums[number, 0] // sums[number, 2], sums[number, 1] // sums[number, 2]
            far = natural(geo, cell % width, cell // width, x, y)
            if far < nearest[number]:
                nearest[number] = far
                centres[number] = cell


@jit
def list_borders(moves, geo, plan, region, pairs) -> int:
    """Write (region, region) for legal moves from one to another, where they change from cell to cell; return how many.

    Called with no room, it counts only.
    """
    count, width = 0, geo[at.WIDTH]
    last_a, last_b = NOWHERE, NOWHERE
    for d in range(8):
        for y in range(geo[at.HEIGHT]):
            # Only a move across the border of a sector leads to another region.
            whole = (y % plan[ROWS] == 0) | (y % plan[ROWS] == plan[ROWS] - 1)
            step = 1 if whole else max(plan[COLUMNS] - 1, 1)
            x = 0
            while x < width:
                cell = y * width + x
                if (int64(moves[cell]) >> d) & 1:
                    a, b = int64(region[cell]), int64(region[cell + geo[at.STEP + d]])
                    if a != b and (a != last_a or b != last_b):
                        if count < len(pairs):
                            pairs[count, 0], pairs[count, 1] = a, b
                        count += 1
                        last_a, last_b = a, b
                x += 1 if whole or x % plan[COLUMNS] == plan[COLUMNS] - 1 else step
    return count


@jit
def search_sector(moves, geo, plan, source: int, wanted, came, queue) -> int:
    """Search breadth-first within a cell's sector until one of the wanted cells is met; return which, or NOWHERE.

    `came` receives, for each cell of the sector that was met, 1 + the direction by which it was entered (0: not met),
    and 9 for the source.
    """
    width, columns = geo[at.WIDTH], plan[COLUMNS]
    x, y = source % width, source // width
    left, top = x // columns * columns, y // plan[ROWS] * plan[ROWS]
    right, bottom = min(left + columns, width), min(top + plan[ROWS], geo[at.HEIGHT])
    came[:] = 0
    came[(y - top) * columns + x - left] = 9
    queue[0] = source
    head, tail = 0, 1
    while head < tail:
        here = int64(queue[head])
        head += 1
        for number in range(wanted.size):
            if wanted[number] == here:
                return number
        x, y = here % width, here // width
        for d in range(8):
            if (int64(moves[here]) >> d) & 1:
                nx, ny = x + geo[at.DX + d], y + geo[at.DY + d]
                if left <= nx < right and top <= ny < bottom and came[(ny - top) * columns + nx - left] == 0:
                    came[(ny - top) * columns + nx - left] = 1 + d
                    queue[tail] = here + geo[at.STEP + d]
                    tail += 1
    return NOWHERE


@jit
def find_region(moves, geo, plan, first, centres, cell: int, came, queue, always: bool) -> int:
    """Return the region of a cell.

    Where the sector has several, or `always`, it is searched until one of their representatives is met. Otherwise
    came[0] is 255: there was no search.
    """
    sector = sector_of(plan, cell % geo[at.WIDTH], cell // geo[at.WIDTH])
    begin, end = int64(first[sector]), int64(first[sector + 1])
    if end - begin == 1 and not always:
        came[0] = 255
        return begin
    return begin + search_sector(moves, geo, plan, cell, centres[begin:end], came, queue)


@jit
def way_back(geo, plan, came, cell: int, cells, length: int) -> int:
    """Write the way that a search within a sector took, from `cell` back to where it began, without `cell` itself.

    Returns how many cells there are then.
    """
    width, columns, rows = geo[at.WIDTH], plan[COLUMNS], plan[ROWS]
    step = 0
    while step != 9:
        x, y = cell % width, cell // width
        step = int64(came[y % rows * columns + x % columns])
        if step != 9:
            cell += geo[at.STEP + geo[at.OPPOSITE + step - 1]]
            cells[length] = cell
            length += 1
    return length
