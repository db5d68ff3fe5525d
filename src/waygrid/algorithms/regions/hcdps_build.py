"""Growing the regions of HCDPS: cells that hill climbing leads to a seed, and from the seed back to them."""

import numpy as np

from waygrid.algorithms.regions.climb import blocked_step, climb, is_plain, straight_on
from waygrid.algorithms.regions.hcdps_query import region_of
from waygrid.core import layout as at
from waygrid.core.heuristics import natural
from waygrid.core.jit import int64, jit

NOWHERE = -1


@jit
def _moves_to_seed(moves, geo, cell: int, seed: int, number: int, known, lengths, stack) -> int:
    """Return how many moves the climb from a cell to the seed takes, -1 where it gets stuck.

    A climb remembers nothing, so it leads on from every cell that it meets as a climb from there would: `lengths` keeps
    the answer for each (where `known` has the region's number), and all climbs to one seed together make at most one
    step for every cell.
    """
    width, plain, top = geo[at.WIDTH], is_plain(geo), 0
    x, y, seed_x, seed_y = cell % width, cell // width, seed % width, seed // width
    d = 0
    while known[cell] != number and d >= 0:
        stack[top], known[cell], lengths[cell] = cell, number, -1
        top += 1
        d = straight_on(seed_x - x, seed_y - y)
        if not plain or (int64(moves[cell]) >> d) & 1 == 0:
            d = blocked_step(geo, int64(moves[cell]), x, y, seed_x, seed_y, plain)
        if d >= 0:
            cell += geo[at.STEP + d]
            x += geo[at.DX + d]
            y += geo[at.DY + d]
    far = int64(lengths[cell])
    for k in range(top - 1, -1, -1):
        far += 1 if far >= 0 else 0
        lengths[stack[k]] = far
    return far


@jit
def _grow(moves, geo, seed: int, number: int, cutoff: int, region, centres, met, known, lengths, queue, stack) -> None:
    """Grow a region from its seed, breadth first, over the cells it accepts.

    It takes a cell from another region only if the cell is strictly nearer to this seed, so no seed is ever taken.
    That is asked first: it does not need a climb.
    """
    width = geo[at.WIDTH]
    seed_x, seed_y = seed % width, seed // width
    region[seed], met[seed], known[seed], lengths[seed] = number, number, number, 0
    queue[0], head, tail = seed, 0, 1
    while head < tail:
        here = int64(queue[head])
        head += 1
        for d in range(8):
            n = here + geo[at.STEP + d]
            if (int64(moves[here]) >> d) & 1 == 0 or met[n] == number:
                continue
            met[n] = number
            if region[n] >= 0:
                owner, x, y = int64(centres[region[n]]), n % width, n // width
                if natural(geo, x, y, seed_x, seed_y) >= natural(geo, x, y, owner % width, owner // width):
                    continue
            far = _moves_to_seed(moves, geo, n, seed, number, known, lengths, stack)
            if 0 <= far <= cutoff and climb(moves, geo, seed, n, cutoff) >= 0:
                region[n] = number
                queue[tail] = n
                tail += 1


@jit
def grow_regions(walk, moves, geo, cutoff: int, region, centres) -> int:
    """Give every cell a region, write their seeds; return how many there are.

    Seeds lie on a lattice, as far apart as the cutoff, every other row of it shifted by half of that; then whatever is
    left gets seeds in the order of the scan.
    """
    width, height, cells = geo[at.WIDTH], geo[at.HEIGHT], region.size
    met, known = np.full(cells, NOWHERE, np.int32), np.full(cells, NOWHERE, np.int32)
    lengths, queue, stack = np.empty(cells, np.int32), np.empty(cells, np.int32), np.empty(cells, np.int32)
    region[:] = NOWHERE
    count = 0
    for row in range(0, (height + cutoff - 1) // cutoff):
        for x in range(row % 2 * (cutoff // 2), width, cutoff):
            cell = row * cutoff * width + x
            if walk[cell] and region[cell] < 0:
                centres[count] = cell
                _grow(moves, geo, cell, count, cutoff, region, centres, met, known, lengths, queue, stack)
                count += 1
    for cell in range(cells):
        if walk[cell] and region[cell] < 0:
            centres[count] = cell
            _grow(moves, geo, cell, count, cutoff, region, centres, met, known, lengths, queue, stack)
            count += 1
    return count


@jit
def first_stray(walk, moves, geo, cutoff: int, spans, bits, centres) -> int:
    """Return the first cell that does not climb to its seed and back within the cutoff, -1 if all do."""
    for cell in range(walk.size):
        if walk[cell]:
            region = region_of(spans, bits, cell)
            if region >= centres.size:
                return cell
            seed = int64(centres[region])
            if climb(moves, geo, cell, seed, cutoff) < 0 or climb(moves, geo, seed, cell, cutoff) < 0:
                return cell
    return -1
