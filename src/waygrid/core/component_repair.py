"""Connected components after an edit that joins or splits them: only what is around the edit is looked at.

The map is cut into sectors of SIDE x SIDE cells. Cells that are connected within their sector are a *region*; `local`
tells the region of a cell among those of its sector. An edit touches some sectors. Their regions are found anew. What
lies outside is as connected as it was, but two regions beside the touched sectors may have been connected only through
them. So for each old component with several such regions, which the touched sectors do not connect either, a
breadth-first search over regions starts from each. All searches take turns. Two that meet are one. One that runs dry
has found a piece that came off. The last one need not be continued: its piece keeps the number of the component. So an
edit costs about as much as the smaller pieces have regions, not as the map has cells.
"""

from typing import NamedTuple

import numpy as np

from waygrid.core import layout as at
from waygrid.core.components import root_of
from waygrid.core.jit import Array, int64, jit

SIDE = 16
CELLS = SIDE * SIDE  # of a sector: the most regions that it can have


class LocalRegions(NamedTuple):
    """What is kept between edits. Region k of sector s has the number s * CELLS + k."""

    local: Array  # of each cell: which region of its sector it belongs to
    marks: Array  # of each region: 1 + the piece to which a search assigned it, 0 between edits
    behind: Array  # of each region in the queue of a search: the next one in it, -1 at the end
    visited: Array  # regions that searches met
    dirty: Array  # of each sector: 1 if its regions are to be found anew
    sizes: Array  # of each label: how many cells have it


class Pieces(NamedTuple):
    """Searches that run side by side from the regions around the touched sectors."""

    parent: Array  # union-find of pieces: two that meet are one
    head: Array  # of its queue, -1 if that is empty
    tail: Array
    label: Array  # which component it was part of
    dry: Array  # 1: nothing is left to search, so that the piece has come off
    joined: Array  # union-find of the regions in the touched sectors, and behind them of the pieces: what is connected
    counts: Array  # regions visited, searches that still run, regions in the touched sectors


VISITED, RUNNING, INNER = 0, 1, 2


@jit
def _neighbour(moves, geo, x: int, y: int, d: int) -> int:
    """Return the neighbour in a direction if a move leads there or back, else -1."""
    width, row = geo[at.WIDTH], 8 * (x & 1)
    nx, ny = x + geo[at.DX + d], y + geo[at.DY + row + d]
    if not (0 <= nx < width and 0 <= ny < geo[at.HEIGHT]) or (nx == x and ny == y):
        return -1
    cell, n = y * width + x, ny * width + nx
    if (int64(moves[cell]) >> d) & 1 or (int64(moves[n]) >> geo[at.OPPOSITE + d]) & 1:
        return int(n)
    return -1


@jit
def _bounds(geo, sector: int) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of a sector, in cells."""
    across = (geo[at.WIDTH] + SIDE - 1) // SIDE
    left, top = sector % across * SIDE, sector // across * SIDE
    return left, top, min(left + SIDE, geo[at.WIDTH]), min(top + SIDE, geo[at.HEIGHT])


@jit
def _label_sector(walk, moves, geo, local, sector: int, seen, stack) -> int:
    """Number the regions of a sector; return how many there are. seen: CELLS bytes."""
    width, count = geo[at.WIDTH], 0
    left, top, right, bottom = _bounds(geo, sector)
    seen[:] = 0
    for start_y in range(top, bottom):
        for start_x in range(left, right):
            place = (start_y - top) * SIDE + start_x - left
            if seen[place] or walk[start_y * width + start_x] == 0:
                continue
            seen[place], stack[0], size = 1, start_y * width + start_x, 1
            while size > 0:
                size -= 1
                cell = int64(stack[size])
                local[cell] = count
                for d in range(8):
                    n = _neighbour(moves, geo, cell % width, cell // width, d)
                    x, y = n % width, n // width
                    if n < 0 or not (left <= x < right and top <= y < bottom):
                        continue
                    if not seen[(y - top) * SIDE + x - left]:
                        seen[(y - top) * SIDE + x - left] = 1
                        stack[size] = n
                        size += 1
            count += 1
    return count


@jit
def begin_regions(labels, regions: LocalRegions) -> None:
    """Count the cells of each label, and let all regions be found when they are needed."""
    regions.dirty[:] = 1
    for cell in range(labels.size):
        if labels[cell] >= 0:
            regions.sizes[labels[cell]] += 1


@jit
def mark_dirty(geo, dirty, x0: int, y0: int, x1: int, y1: int) -> None:
    """Note that the regions of all sectors that a window touches are to be found anew."""
    across = (geo[at.WIDTH] + SIDE - 1) // SIDE
    for y in range(y0 // SIDE, (y1 + SIDE - 1) // SIDE):
        for x in range(x0 // SIDE, (x1 + SIDE - 1) // SIDE):
            dirty[y * across + x] = 1


@jit
def count_cells(geo, labels, sizes, x0: int, y0: int, x1: int, y1: int, by: int) -> None:
    """Add the cells of a window to the sizes of their labels (by 1), or take them away (by -1)."""
    for y in range(y0, y1):
        for x in range(x0, x1):
            label = labels[y * geo[at.WIDTH] + x]
            if label >= 0:
                sizes[label] += by


@jit
def _region_of(walk, moves, geo, regions: LocalRegions, cell: int, seen, stack) -> int:
    """Return the number of a cell's region, which is found now if an edit touched its sector."""
    width = geo[at.WIDTH]
    sector = cell // width // SIDE * ((width + SIDE - 1) // SIDE) + cell % width // SIDE
    if regions.dirty[sector]:
        regions.dirty[sector] = 0
        _label_sector(walk, moves, geo, regions.local, sector, seen, stack)
    return int(sector * CELLS + int64(regions.local[cell]))


@jit
def _unite(parent, one: int, other: int) -> bool:
    """Join two sets; return whether they were two."""
    a, b = root_of(parent, one), root_of(parent, other)
    parent[max(a, b)] = min(a, b)
    return bool(a != b)


@jit
def _meet(behind, pieces: Pieces, one: int, other: int) -> None:
    """Make one piece of two that met, if they are two, with one queue."""
    a, b = root_of(pieces.parent, one), root_of(pieces.parent, other)
    if a == b:
        return
    a, b = min(a, b), max(a, b)
    pieces.parent[b] = a
    _unite(pieces.joined, pieces.counts[INNER] + a, pieces.counts[INNER] + b)
    pieces.counts[RUNNING] -= 1
    if pieces.head[a] < 0:
        pieces.head[a], pieces.tail[a] = pieces.head[b], pieces.tail[b]
    elif pieces.head[b] >= 0:
        behind[pieces.tail[a]] = pieces.head[b]
        pieces.tail[a] = pieces.tail[b]


@jit
def _append(regions: LocalRegions, pieces: Pieces, piece: int, region: int) -> None:
    """Assign a region to a piece and put it into its queue."""
    regions.marks[region], regions.behind[region] = piece + 1, -1
    if pieces.head[piece] < 0:
        pieces.head[piece] = region
    else:
        regions.behind[pieces.tail[piece]] = region
    pieces.tail[piece] = region
    regions.visited[pieces.counts[VISITED]] = region
    pieces.counts[VISITED] += 1


@jit
def _list_around(walk, moves, geo, labels, regions: LocalRegions, pieces: Pieces, box, first, seen, stack) -> int:
    """Join the regions of the touched sectors, and begin a piece with each region around them; return how many.

    box: left, top, right and bottom of the touched sectors, in cells. first: of each of them, the number of its first
    region among those of all.
    """
    width, wide, count = geo[at.WIDTH], (box[2] - box[0] + SIDE - 1) // SIDE, 0
    for y in range(box[1], box[3]):
        edge = (y % SIDE == 0) | (y % SIDE == SIDE - 1)
        for x in range(box[0], box[2]):
            if not edge and 0 < x % SIDE < SIDE - 1:
                continue
            here = first[(y - box[1]) // SIDE * wide + (x - box[0]) // SIDE] + int64(regions.local[y * width + x])
            for d in range(8):
                n = _neighbour(moves, geo, x, y, d)
                nx, ny = n % width, n // width
                if n < 0:
                    continue
                if box[0] <= nx < box[2] and box[1] <= ny < box[3]:
                    other = first[(ny - box[1]) // SIDE * wide + (nx - box[0]) // SIDE] + int64(regions.local[n])
                else:
                    region = _region_of(walk, moves, geo, regions, n, seen, stack)
                    if regions.marks[region] == 0:
                        pieces.label[count] = labels[n]
                        _append(regions, pieces, count, region)
                        count += 1
                    other = pieces.counts[INNER] + int64(regions.marks[region]) - 1
                _unite(pieces.joined, int64(here), int64(other))
    return count


@jit
def _expand(walk, moves, geo, regions: LocalRegions, pieces: Pieces, box, piece: int, seen, stack) -> None:
    """Take a region off the queue of a piece and put its neighbours there; join the pieces that they belong to."""
    width, region = geo[at.WIDTH], int64(pieces.head[piece])
    pieces.head[piece] = regions.behind[region]
    left, top, right, bottom = _bounds(geo, region // CELLS)
    for y in range(top, bottom):
        edge = (y == top) | (y == bottom - 1)
        for x in range(left, right, 1 if edge else max(1, right - 1 - left)):
            cell = y * width + x
            if walk[cell] == 0 or int64(regions.local[cell]) != region % CELLS:
                continue
            for d in range(8):
                n = _neighbour(moves, geo, x, y, d)
                nx, ny = n % width, n // width
                if n < 0 or (left <= nx < right and top <= ny < bottom):
                    continue
                if box[0] <= nx < box[2] and box[1] <= ny < box[3]:
                    continue
                there = _region_of(walk, moves, geo, regions, n, seen, stack)
                mark = int64(regions.marks[there])
                if mark == 0:
                    _append(regions, pieces, root_of(pieces.parent, piece), there)
                else:
                    _meet(regions.behind, pieces, piece, mark - 1)


@jit
def _separate(walk, moves, geo, regions: LocalRegions, pieces: Pieces, box, members, seen, stack) -> None:
    """Let the searches of one old component take turns until all but one have met another or run dry."""
    while pieces.counts[RUNNING] > 1:
        for k in range(len(members)):
            piece = int64(members[k])
            if pieces.parent[piece] != piece or pieces.dry[piece] or pieces.counts[RUNNING] == 1:
                continue
            if pieces.head[piece] >= 0:
                _expand(walk, moves, geo, regions, pieces, box, piece, seen, stack)
            piece = root_of(pieces.parent, piece)
            if pieces.head[piece] < 0 and pieces.counts[RUNNING] > 1:
                pieces.dry[piece] = 1
                pieces.counts[RUNNING] -= 1


@jit
def _search_around(walk, moves, geo, regions: LocalRegions, pieces: Pieces, count: int, box, seen, stack) -> None:
    """Find out which of the regions around the touched sectors are still connected outside them."""
    done, members = np.zeros(count, np.uint8), np.empty(count, np.int32)
    first = np.full(pieces.joined.size, -1, np.int32)  # of each set of what is connected, a piece of this component
    for k in range(count):
        if done[k]:
            continue
        first[:] = -1
        many = 0
        for other in range(k, count):
            if pieces.label[other] == pieces.label[k]:
                done[other], members[many] = 1, other
                many += 1
        pieces.counts[RUNNING] = many
        for m in range(many):
            piece = int64(members[m])
            connected = root_of(pieces.joined, pieces.counts[INNER] + piece)
            if first[connected] >= 0:
                _meet(regions.behind, pieces, int64(first[connected]), piece)
            else:
                first[connected] = piece
        _separate(walk, moves, geo, regions, pieces, box, members[:many], seen, stack)


@jit
def _choose_labels(regions: LocalRegions, pieces: Pieces, pieces_count: int, inner: int, new_label: int, chosen) -> int:
    """Choose a label for each set of what is connected; return the number of labels used then.

    A set takes that of the largest component whose rest is in it, so that the fewest cells are written.
    """
    chosen[:] = -1
    for piece in range(pieces_count):
        if pieces.parent[piece] == piece and not pieces.dry[piece]:
            top, label = root_of(pieces.joined, inner + piece), int64(pieces.label[piece])
            if chosen[top] < 0 or regions.sizes[label] > regions.sizes[chosen[top]]:
                chosen[top] = label
    for node in range(inner + pieces_count):
        if pieces.joined[node] == node and chosen[node] < 0:
            chosen[node] = new_label
            new_label += 1
    return new_label


@jit
def _write_region(walk, geo, labels, regions: LocalRegions, region: int, label: int) -> None:
    """Give all cells of a region a label."""
    left, top, right, bottom = _bounds(geo, region // CELLS)
    for y in range(top, bottom):
        for cell in range(y * geo[at.WIDTH] + left, y * geo[at.WIDTH] + right):
            if walk[cell] and int64(regions.local[cell]) == region % CELLS:
                regions.sizes[labels[cell]] -= 1
                regions.sizes[label] += 1
                labels[cell] = label


@jit
def _write_labels(
    walk, moves, geo, labels, regions: LocalRegions, pieces: Pieces, count: int, box, chosen, seen, stack
):
    """Write the labels of pieces that have another one now."""
    inner = pieces.counts[INNER]
    for piece in range(count):
        if pieces.parent[piece] == piece and pieces.label[piece] != chosen[root_of(pieces.joined, inner + piece)]:
            while pieces.head[piece] >= 0:
                _expand(walk, moves, geo, regions, pieces, box, piece, seen, stack)
    for k in range(pieces.counts[VISITED]):
        region = int64(regions.visited[k])
        piece = root_of(pieces.parent, int64(regions.marks[region]) - 1)
        label = int64(chosen[root_of(pieces.joined, inner + piece)])
        if pieces.label[piece] != label:
            _write_region(walk, geo, labels, regions, region, label)
    for k in range(pieces.counts[VISITED]):
        regions.marks[regions.visited[k]] = 0


@jit
def _touched(geo, x0: int, y0: int, x1: int, y1: int) -> tuple[int, int, int, int]:
    """Return the sectors that a window touches as a box of cells."""
    right, bottom = (x1 + SIDE - 1) // SIDE * SIDE, (y1 + SIDE - 1) // SIDE * SIDE
    return x0 // SIDE * SIDE, y0 // SIDE * SIDE, min(right, geo[at.WIDTH]), min(bottom, geo[at.HEIGHT])


@jit
def repair_components(
    walk, moves, geo, labels, regions: LocalRegions, x0: int, y0: int, x1: int, y1: int, count: int
) -> int:
    """Bring the labels up to date after an edit; return the number of labels used.

    The window reaches one cell beyond every cell whose moves changed. `labels` are those before the edit; `sizes` has
    room for as many more labels as the touched sectors have cells, and those around them.
    """
    box = _touched(geo, x0, y0, x1, y1)
    width, across = geo[at.WIDTH], (geo[at.WIDTH] + SIDE - 1) // SIDE
    wide, high = (box[2] - box[0] + SIDE - 1) // SIDE, (box[3] - box[1] + SIDE - 1) // SIDE
    seen, stack, first = np.empty(CELLS, np.uint8), np.empty(CELLS, np.int64), np.zeros(wide * high + 1, np.int64)
    count_cells(geo, labels, regions.sizes, box[0], box[1], box[2], box[3], -1)
    for k in range(wide * high):
        sector = (box[1] // SIDE + k // wide) * across + box[0] // SIDE + k % wide
        regions.dirty[sector] = 0
        first[k + 1] = first[k] + _label_sector(walk, moves, geo, regions.local, sector, seen, stack)
    inner, around = int64(first[wide * high]), 2 * (box[2] - box[0] + box[3] - box[1]) + 8
    heads, tails, old = np.full(around, -1, np.int32), np.empty(around, np.int32), np.empty(around, np.int32)
    trees, joined = np.arange(around).astype(np.int32), np.arange(inner + around).astype(np.int32)
    counts = np.array((0, 0, inner), np.int64)
    pieces = Pieces(trees, heads, tails, old, np.zeros(around, np.uint8), joined, counts)
    pieces_count = _list_around(walk, moves, geo, labels, regions, pieces, box, first, seen, stack)
    _search_around(walk, moves, geo, regions, pieces, pieces_count, box, seen, stack)
    chosen = np.empty(inner + around, np.int64)
    count = _choose_labels(regions, pieces, pieces_count, inner, count, chosen)
    _write_labels(walk, moves, geo, labels, regions, pieces, pieces_count, box, chosen, seen, stack)
    for y in range(box[1], box[3]):
        for x in range(box[0], box[2]):
            cell = y * width + x
            labels[cell] = -1
            if walk[cell]:
                own = first[(y - box[1]) // SIDE * wide + (x - box[0]) // SIDE] + int64(regions.local[cell])
                labels[cell] = chosen[root_of(joined, int64(own))]
    count_cells(geo, labels, regions.sizes, box[0], box[1], box[2], box[3], 1)
    return count
