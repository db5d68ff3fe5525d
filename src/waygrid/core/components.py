"""Connected components of the map: numbered once; `component_repair` keeps them up to date."""

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
