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
BACK = 4  # in `leaving`
CELLS = SIDE * SIDE  # of a sector: the most regions that it can have


class LocalRegions(NamedTuple):
    """What is kept between edits. Region k of sector s has the number s * CELLS + k."""

    local: Array  # of each cell: which region of its sector it belongs to
    marks: Array  # of each region: 1 + the piece to which a search assigned it, 0 between edits
    behind: Array  # of each region in the queue of a search: the next one in it, -1 at the end
    visited: Array  # regions that searches met
    dirty: Array  # of each sector: 1 if its regions are to be found anew
    leaving: Array  # for even and odd columns: the directions that lead left, up, right, down, and back, as bit sets
    sizes: Array  # of each label: how many cells have it


class Pieces(NamedTuple):
    """Searches that run side by side from the regions around the touched sectors."""

    parent: Array  # union-find of pieces: two that meet are one
    head: Array  # of its queue, -1 if that is empty
    tail: Array
    label: Array  # which component it was part of
    dry: Array  # 1: nothing is left to search, so that the piece has come off
    joined: Array  # union-find of the regions in the touched sectors, and behind them of the pieces: what is connected
    chosen: Array  # of each of those sets: the label that it gets
    first: Array  # of each touched sector: the number of its first region among those of all
    members: Array  # pieces of the component in question
    done: Array  # 1: a piece whose component was dealt with
    seen: Array  # of each set: a piece of the component in question that it holds, -1 for none
    cells: Array  # of a sector: union-find of its cells
    counts: Array  # regions visited, searches that still run, regions in the touched sectors


VISITED, RUNNING, INNER = 0, 1, 2


def make_pieces(sectors: int, around: int) -> Pieces:
    """Return working memory for edits of so many sectors, with so many regions around them."""
    sets = sectors * CELLS + around
    parent, head, tail, label = (np.zeros(around, np.int32) for _ in range(4))
    members, done, dry = np.zeros(around, np.int32), np.zeros(around, np.uint8), np.zeros(around, np.uint8)
    joined, chosen, seen = (np.zeros(sets, np.int32) for _ in range(3))
    first, cells = np.zeros(sectors + 1, np.int32), np.zeros(CELLS, np.int32)
    counts = np.zeros(3, np.int64)
    return Pieces(parent, head, tail, label, dry, joined, chosen, first, members, done, seen, cells, counts)


@jit
def _begin_pieces(pieces: Pieces, inner: int) -> None:
    pieces.counts[VISITED], pieces.counts[RUNNING], pieces.counts[INNER] = 0, 0, inner
    for k in range(pieces.parent.size):
        pieces.parent[k], pieces.head[k], pieces.dry[k], pieces.done[k] = k, -1, 0, 0
    for k in range(inner + pieces.parent.size):
        pieces.joined[k] = k


@jit
def links(moves, geo, x: int, y: int, one_way: bool) -> int:
    """Return the directions in which a cell is connected to its neighbours, as a bit set: enough of them.

    Under corners "never" a diagonal move is legal only where the straight moves beside it are.
    """
    cell, width = y * geo[at.WIDTH] + x, geo[at.WIDTH]
    bits = int64(moves[cell])
    if one_way:
        for d in range(8):
            nx, ny = x + geo[at.DX + d], y + geo[at.DY + 8 * (x & 1) + d]
            if 0 <= nx < width and 0 <= ny < geo[at.HEIGHT] and (nx != x or ny != y):
                bits |= ((int64(moves[ny * width + nx]) >> geo[at.OPPOSITE + d]) & 1) << d
    elif geo[at.TOPOLOGY] == at.OCTILE and geo[at.CORNERS] == at.NEVER:
        bits &= 15
    return bits


@jit
def _bounds(geo, sector: int) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of a sector, in cells."""
    across = (geo[at.WIDTH] + SIDE - 1) // SIDE
    left, top = sector % across * SIDE, sector // across * SIDE
    return left, top, min(left + SIDE, geo[at.WIDTH]), min(top + SIDE, geo[at.HEIGHT])


@jit
def _unite(parent, one: int, other: int) -> bool:
    """Join two sets; return whether they were two."""
    a, b = root_of(parent, one), root_of(parent, other)
    parent[max(a, b)] = min(a, b)
    return bool(a != b)


@jit
def _label_sector(walk, moves, geo, local, leaving, one_way: bool, sector: int, parent) -> int:
    """Number the regions of a sector; return how many there are. parent: CELLS numbers."""
    width, count = geo[at.WIDTH], 0
    left, top, right, bottom = _bounds(geo, sector)
    for y in range(top, bottom):
        for x in range(left, right):
            place = (y - top) * SIDE + x - left
            parent[place] = place
            bits, d = links(moves, geo, x, y, one_way) & leaving[x & 1, BACK], 0
            while bits:  # the other half of the directions joins from its own side
                if bits & 1:
                    nx, ny = x + geo[at.DX + d] - left, y + geo[at.DY + 8 * (x & 1) + d] - top
                    if 0 <= nx < SIDE and ny >= 0:
                        _unite(parent, place, ny * SIDE + nx)
                bits, d = bits >> 1, d + 1
    for y in range(top, bottom):
        for x in range(left, right):
            place, cell = (y - top) * SIDE + x - left, y * width + x
            root = root_of(parent, place)  # the smallest of its region, which comes first
            if root != place:
                local[cell] = local[(top + root // SIDE) * width + left + root % SIDE]
            elif walk[cell]:
                local[cell] = count
                count += 1
    return count


@jit
def begin_regions(geo, labels, regions: LocalRegions) -> None:
    """Count the cells of each label, and let all regions be found when they are needed."""
    regions.dirty[:] = 1
    for cell in range(labels.size):
        if labels[cell] >= 0:
            regions.sizes[labels[cell]] += 1
    for d in range(8):
        for parity in range(2):
            dx, dy = geo[at.DX + d], geo[at.DY + 8 * parity + d]
            for side, leaves in enumerate((dx < 0, dy < 0, dx > 0, dy > 0)):
                if leaves:
                    regions.leaving[parity, side] |= 1 << d
            if geo[at.STEP + 8 * parity + d] < 0:
                regions.leaving[parity, BACK] |= 1 << d


@jit
def _ways_out(regions: LocalRegions, x: int, y: int, left: int, top: int, right: int, bottom: int) -> int:
    """Return the directions that lead from a cell of a box out of it, as a bit set."""
    bits, leaving = int64(0), regions.leaving
    if x == left:
        bits |= leaving[x & 1, 0]
    if y == top:
        bits |= leaving[x & 1, 1]
    if x == right - 1:
        bits |= leaving[x & 1, 2]
    if y == bottom - 1:
        bits |= leaving[x & 1, 3]
    return bits


@jit
def _discount(geo, labels, sizes, box) -> None:
    """Take the cells of a box away from the sizes of their labels."""
    for y in range(box[1], box[3]):
        for x in range(box[0], box[2]):
            label = labels[y * geo[at.WIDTH] + x]
            if label >= 0:
                sizes[label] -= 1


@jit
def _region_at(walk, moves, geo, regions: LocalRegions, one_way: bool, x: int, y: int, cells) -> int:
    """Return the number of a cell's region, which is found now if an edit touched its sector."""
    sector = y // SIDE * ((geo[at.WIDTH] + SIDE - 1) // SIDE) + x // SIDE
    if regions.dirty[sector]:
        regions.dirty[sector] = 0
        _label_sector(walk, moves, geo, regions.local, regions.leaving, one_way, sector, cells)
    return int(sector * CELLS + int64(regions.local[y * geo[at.WIDTH] + x]))


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
def _list_around(walk, moves, geo, labels, regions: LocalRegions, pieces: Pieces, one_way: bool, box):
    """Join the regions of the touched sectors, and begin a piece with each region around them; return how many.

    box: left, top, right and bottom of the touched sectors, in cells.
    """
    first = pieces.first
    width, wide, count = geo[at.WIDTH], (box[2] - box[0] + SIDE - 1) // SIDE, 0
    for y in range(box[1], box[3]):
        edge = (y % SIDE == 0) | (y % SIDE == SIDE - 1) | (y == box[3] - 1)
        for x in range(box[0], box[2]):
            if not edge and 0 < x % SIDE < SIDE - 1 and x < box[2] - 1:
                continue
            left, top = x // SIDE * SIDE, y // SIDE * SIDE
            bits = links(moves, geo, x, y, one_way) & _ways_out(regions, x, y, left, top, left + SIDE, top + SIDE)
            here = first[(y - box[1]) // SIDE * wide + (x - box[0]) // SIDE] + int64(regions.local[y * width + x])
            for d in range(8):
                nx, ny = x + geo[at.DX + d], y + geo[at.DY + 8 * (x & 1) + d]
                if (bits >> d) & 1 == 0:
                    continue
                if box[0] <= nx < box[2] and box[1] <= ny < box[3]:
                    there = first[(ny - box[1]) // SIDE * wide + (nx - box[0]) // SIDE]
                    other = there + int64(regions.local[ny * width + nx])
                else:
                    region = _region_at(walk, moves, geo, regions, one_way, nx, ny, pieces.cells)
                    if regions.marks[region] == 0:
                        pieces.label[count] = labels[ny * width + nx]
                        _append(regions, pieces, count, region)
                        count += 1
                    other = pieces.counts[INNER] + int64(regions.marks[region]) - 1
                _unite(pieces.joined, int64(here), int64(other))
    return count


@jit
def _expand(walk, moves, geo, regions: LocalRegions, pieces: Pieces, one_way: bool, box, piece: int) -> None:
    """Take a region off the queue of a piece and put its neighbours there; join the pieces that they belong to."""
    width, region, last = geo[at.WIDTH], int64(pieces.head[piece]), -1
    pieces.head[piece] = regions.behind[region]
    left, top, right, bottom = _bounds(geo, region // CELLS)
    for y in range(top, bottom):
        edge = (y == top) | (y == bottom - 1)
        for x in range(left, right, 1 if edge else max(1, right - 1 - left)):
            cell = y * width + x
            if walk[cell] == 0 or int64(regions.local[cell]) != region % CELLS:
                continue
            bits = links(moves, geo, x, y, one_way) & _ways_out(regions, x, y, left, top, right, bottom)
            for d in range(8):
                nx, ny = x + geo[at.DX + d], y + geo[at.DY + 8 * (x & 1) + d]
                if (bits >> d) & 1 == 0 or (box[0] <= nx < box[2] and box[1] <= ny < box[3]):
                    continue
                there = _region_at(walk, moves, geo, regions, one_way, nx, ny, pieces.cells)
                if there == last:
                    continue
                mark, last = int64(regions.marks[there]), there
                if mark == 0:
                    _append(regions, pieces, root_of(pieces.parent, piece), there)
                else:
                    _meet(regions.behind, pieces, piece, mark - 1)


@jit
def _separate(walk, moves, geo, regions: LocalRegions, pieces: Pieces, one_way: bool, box, many: int) -> None:
    """Let the searches of one old component take turns until all but one have met another or run dry."""
    while pieces.counts[RUNNING] > 1:
        for k in range(many):
            piece = int64(pieces.members[k])
            if pieces.parent[piece] != piece or pieces.dry[piece] or pieces.counts[RUNNING] == 1:
                continue
            if pieces.head[piece] >= 0:
                _expand(walk, moves, geo, regions, pieces, one_way, box, piece)
            piece = root_of(pieces.parent, piece)
            if pieces.head[piece] < 0 and pieces.counts[RUNNING] > 1:
                pieces.dry[piece] = 1
                pieces.counts[RUNNING] -= 1


@jit
def _search_around(walk, moves, geo, regions: LocalRegions, pieces: Pieces, one_way: bool, count: int, box) -> None:
    """Find out which of the regions around the touched sectors are still connected outside them."""
    inner = pieces.counts[INNER]
    for k in range(count):
        if pieces.done[k]:
            continue
        many = 0
        for other in range(k, count):
            if pieces.label[other] == pieces.label[k]:
                pieces.done[other], pieces.members[many] = 1, other
                pieces.seen[root_of(pieces.joined, inner + other)] = -1
                many += 1
        pieces.counts[RUNNING] = many
        for m in range(many):
            piece = int64(pieces.members[m])
            connected = root_of(pieces.joined, inner + piece)
            if pieces.seen[connected] >= 0:
                _meet(regions.behind, pieces, int64(pieces.seen[connected]), piece)
            else:
                pieces.seen[connected] = piece
        _separate(walk, moves, geo, regions, pieces, one_way, box, many)


@jit
def _choose_labels(sizes, pieces: Pieces, count: int, new_label: int) -> int:
    """Choose a label for each set of what is connected; return the number of labels used then.

    A set takes that of the largest component whose rest is in it, so that the fewest cells are written.
    """
    inner, chosen = pieces.counts[INNER], pieces.chosen
    for node in range(inner + count):
        chosen[node] = -1
    for piece in range(count):
        if pieces.parent[piece] == piece and not pieces.dry[piece]:
            top, label = root_of(pieces.joined, inner + piece), int64(pieces.label[piece])
            if chosen[top] < 0 or sizes[label] > sizes[chosen[top]]:
                chosen[top] = label
    for node in range(inner + count):
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
    walk, moves, geo, labels, regions: LocalRegions, pieces: Pieces, one_way: bool, count: int, box
) -> None:
    """Write the labels of pieces that have another one now."""
    inner, chosen = pieces.counts[INNER], pieces.chosen
    for piece in range(count):
        if pieces.parent[piece] == piece and pieces.label[piece] != chosen[root_of(pieces.joined, inner + piece)]:
            while pieces.head[piece] >= 0:
                _expand(walk, moves, geo, regions, pieces, one_way, box, piece)
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
    grid: tuple[Array, ...], kept: tuple[Array, ...], working: tuple[Array, ...], one_way: bool, window, count: int
) -> int:
    """Bring the labels up to date after an edit; return the number of labels used.

    kept, working: `LocalRegions` and `Pieces`, as plain tuples, which cross from Python in a third of the time.
    The window reaches one cell beyond every cell whose moves changed. `labels` are those before the edit; `sizes` has
    room for as many more labels as the touched sectors have cells, and those around them.
    """
    walk, moves, geo, labels = grid
    regions, pieces = LocalRegions(*kept), Pieces(*working)
    box = _touched(geo, window[0], window[1], window[2], window[3])
    width, across = geo[at.WIDTH], (geo[at.WIDTH] + SIDE - 1) // SIDE
    wide, high = (box[2] - box[0] + SIDE - 1) // SIDE, (box[3] - box[1] + SIDE - 1) // SIDE
    first = pieces.first
    _discount(geo, labels, regions.sizes, box)
    for k in range(wide * high):
        sector = (box[1] // SIDE + k // wide) * across + box[0] // SIDE + k % wide
        regions.dirty[sector] = 0
        first[k + 1] = first[k] + _label_sector(
            walk, moves, geo, regions.local, regions.leaving, one_way, sector, pieces.cells
        )
    _begin_pieces(pieces, int64(first[wide * high]))
    many = _list_around(walk, moves, geo, labels, regions, pieces, one_way, box)
    _search_around(walk, moves, geo, regions, pieces, one_way, many, box)
    count = _choose_labels(regions.sizes, pieces, many, count)
    _write_labels(walk, moves, geo, labels, regions, pieces, one_way, many, box)
    for node in range(pieces.counts[INNER]):
        pieces.chosen[node] = pieces.chosen[root_of(pieces.joined, node)]
    for y in range(box[1], box[3]):
        for x in range(box[0], box[2]):
            cell = y * width + x
            label = -1
            if walk[cell]:
                own = first[(y - box[1]) // SIDE * wide + (x - box[0]) // SIDE] + int64(regions.local[cell])
                label = int64(pieces.chosen[own])
                regions.sizes[label] += 1
            labels[cell] = label
    return count
