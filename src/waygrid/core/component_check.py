"""Small edits that leave the connected components as they are: most do, and these are told by a few cells.

Only moves inside the box around an edit have changed. So the components stay where every old one is still a single one
among the cells of the box, connected by moves inside it, and none of these is of two old ones. Then a label has to be
written only to cells that were opened.
"""

from waygrid.core import layout as at
from waygrid.core.component_repair import SIDE, links
from waygrid.core.components import root_of
from waygrid.core.jit import int64, jit

MOST_CELLS = 64  # of a box that is looked at
NO_LABEL = -1


@jit
def keep_components(
    walk, moves, geo, labels, sizes, dirty, one_way: bool, work, left: int, top: int, right: int, bottom: int
) -> bool:
    """Bring the labels up to date after an edit that leaves the components as they are; return False of others.

    The box reaches one cell beyond every cell whose moves changed. work: 2 * MOST_CELLS numbers. Its
    sectors are noted as dirty (see `component_repair`). Around a single cell this takes 0.3 us; finding the
    regions of a sector anew takes 3.
    """
    width, wide = geo[at.WIDTH], right - left
    count = wide * (bottom - top)
    for place in range(count):
        work[place], work[MOST_CELLS + place] = place, NO_LABEL
    for y in range(top, bottom):
        for x in range(left, right):
            place, bits, d = (y - top) * wide + x - left, links(moves, geo, x, y, one_way), 0
            while bits:
                if bits & 1:
                    nx, ny = x + geo[at.DX + d], y + geo[at.DY + 8 * (x & 1) + d]
                    if left <= nx < right and top <= ny < bottom:
                        a, b = root_of(work, place), root_of(work, (ny - top) * wide + nx - left)
                        work[max(a, b)] = min(a, b)
                bits, d = bits >> 1, d + 1
    for y in range(top, bottom):  # the label of each set
        for x in range(left, right):
            place, cell = (y - top) * wide + x - left, y * width + x
            if walk[cell] == 0 or labels[cell] < 0:
                continue
            root = root_of(work, place)
            if work[MOST_CELLS + root] == NO_LABEL:
                work[MOST_CELLS + root] = labels[cell]
            elif work[MOST_CELLS + root] != labels[cell]:
                return False
    for y in range(top, bottom):
        for x in range(left, right):
            place, cell = (y - top) * wide + x - left, y * width + x
            if walk[cell] == 0:
                continue
            root = root_of(work, place)
            if work[MOST_CELLS + root] == NO_LABEL:  # a new component
                return False
            for other in range(place if root == place else 0):  # two sets that were one component
                if work[other] == other and work[MOST_CELLS + other] == work[MOST_CELLS + root]:
                    return False
    _write_cells(walk, width, labels, sizes, (left, top, right, bottom), work)
    across = (width + SIDE - 1) // SIDE
    for sy in range(top // SIDE, (bottom + SIDE - 1) // SIDE):
        for sx in range(left // SIDE, (right + SIDE - 1) // SIDE):
            dirty[sy * across + sx] = 1
    return True


@jit
def _write_cells(walk, width: int, labels, sizes, box, work) -> None:
    """Write the labels of cells that were opened or closed."""
    left, top, right, bottom = box
    for y in range(top, bottom):
        for x in range(left, right):
            cell = y * width + x
            before = int64(labels[cell])
            if (walk[cell] != 0) == (before >= 0):
                continue
            now = NO_LABEL
            if walk[cell]:
                now = int64(work[MOST_CELLS + root_of(work, (y - top) * (right - left) + x - left)])
            labels[cell] = now
            sizes[max(before, now)] += 1 if now >= 0 else -1
