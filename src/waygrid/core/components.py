"""Connected components of the map: numbered once, kept up to date around an edit where that is enough."""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.jit import jit


@jit
def components(walk, moves, geo, labels) -> int:
    """Number the connected components of the map in row-major order, -1 for walls; return how many there are.

    One-way moves join too: cells of different components can never reach each other, those of one usually can.
    Union-find whose roots are the smallest cell of each part.
    """
    width, height = geo[at.WIDTH], geo[at.HEIGHT]
    parent = np.empty(walk.size, np.int32)
    for y in range(height):
        for x in range(width):
            cell = y * width + x
            parent[cell] = cell
            if walk[cell] == 0:
                continue
            row = 8 * (x & 1)
            for d in range(8):
                step = geo[at.STEP + row + d]
                nx, ny = x + geo[at.DX + d], y + geo[at.DY + row + d]
                if step >= 0 or nx < 0 or nx >= width or ny < 0:  # the other half is joined from its own side
                    continue
                other = cell + step
                if ((moves[cell] >> d) & 1) == 0 and ((moves[other] >> geo[at.OPPOSITE + d]) & 1) == 0:
                    continue
                a, b = root_of(parent, cell), root_of(parent, other)
                if a < b:
                    parent[b] = a
                elif b < a:
                    parent[a] = b
    count = 0
    for cell in range(walk.size):
        if walk[cell] == 0:
            labels[cell] = -1
        elif parent[cell] == cell:
            labels[cell] = count
            count += 1
        else:
            labels[cell] = labels[root_of(parent, cell)]
    return count


@jit
def root_of(parent, cell: int) -> int:
    """Return the root of a cell in a union-find, and shorten the way there."""
    while parent[cell] != cell:
        parent[cell] = parent[parent[cell]]
        cell = parent[cell]
    return cell


@jit
def label_window(walk, moves, geo, x0: int, y0: int, x1: int, y1: int, parts) -> None:
    """Write the smallest place of each part that moves inside the window connect, -1 for walls."""
    width, across = geo[at.WIDTH], x1 - x0
    for place in range(parts.size):
        parts[place] = place
    for y in range(y0, y1):
        for x in range(x0, x1):
            cell, row = y * width + x, 8 * (x & 1)
            for d in range(8):
                nx, ny = x + geo[at.DX + d], y + geo[at.DY + row + d]
                if (moves[cell] >> d) & 1 and x0 <= nx < x1 and y0 <= ny < y1:
                    a = root_of(parts, (y - y0) * across + x - x0)
                    b = root_of(parts, (ny - y0) * across + nx - x0)
                    parts[max(a, b)] = min(a, b)
    for place in range(parts.size):
        if walk[(y0 + place // across) * width + x0 + place % across] == 0:
            parts[place] = -1
        else:
            parts[place] = root_of(parts, place)


@jit
def relabel(labels, geo, x0: int, y0: int, x1: int, y1: int, before, after, count: int) -> int:
    """Bring the labels of a window up to date; return the number of labels used, -1 if all must be numbered anew.

    `before` and `after` are the window's components on either side of the edit; the window reaches one cell beyond
    every move that changed. Cells that were connected inside it and still are keep any path through it whole, so
    nothing can have come apart elsewhere. Where cells came apart here, or two labels met, only the whole map can tell.
    """
    width, across = geo[at.WIDTH], x1 - x0
    for place in range(after.size):  # every old local part must lie within one new one
        first = before[place]
        if first < 0 or after[place] < 0:
            continue
        for other in range(place + 1, after.size):
            if before[other] == first and after[other] >= 0 and after[other] != after[place]:
                return -1
    label = np.full(after.size, -1, np.int64)
    for place in range(after.size):
        part, cell = after[place], (y0 + place // across) * width + x0 + place % across
        if part >= 0 and before[place] >= 0:
            if label[part] >= 0 and label[part] != labels[cell]:
                return -1
            label[part] = labels[cell]
    for place in range(after.size):
        part, cell = after[place], (y0 + place // across) * width + x0 + place % across
        if part < 0:
            labels[cell] = -1
            continue
        if label[part] < 0:
            label[part] = count
            count += 1
        labels[cell] = label[part]
    return count
