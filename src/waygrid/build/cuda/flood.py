"""The flood: distances and first moves of all canonical shortest paths from a cell, one thread block per source.

A bucket is as wide as the cheapest move, so cells of one bucket cannot improve each other: they settle together, and
every optimal way into them comes from an earlier bucket. Three rotating lists hold the bucket in hand and the two that
its moves can reach.

Only canonical moves are followed: on orz100d 1.02 for each cell, where the legal ones are 7.6. A state (cell, direction
entered) has a single cell to come from, so its first moves are one byte, written once, without a lock. A cell is

    words   distance modulo 2**23 << 8 | directions by which it is entered at that distance; negative: unseen
    marks   eight bytes, one per direction entered: the first moves; only bytes named in `words` mean anything

and only `words` needs clearing between sources. Distances modulo 2**23 serve maps of any size, since what is compared
is never more than three moves apart and no price is above 2**20.
"""

from waygrid.build.cuda._device import cuda, device, int32, kernel, types, uint64
from waygrid.core.types import Array

ALL, ONE, MASKS = 0, 1, 2  # boxes of all first moves, boxes of the lowest one, or the first moves themselves
UNSEEN = -1
LAST = 2**23 - 1
HALF = 2**22
DX1 = 0b00_00_10_10_00_01_10_01  # two bits per direction, from the right: dx + 1
DY1 = 0b00_10_10_00_01_10_01_00
LOW_BITS = uint64(0x0101010101010101)
LADDER = uint64(0x8040201008040201)
ROUND_UP = uint64(0x7F7F7F7F7F7F7F7F)
BYTE, ONE_BYTE, TWO_BYTES, FOUR_BYTES, SEVEN = (uint64(n) for n in (255, 8, 16, 32, 7))


@device
def _spread(bits: int) -> int:
    """Return eight bytes, each all ones or all zeros as the bit of its number is."""
    ladder = (uint64(bits) * LOW_BITS) & LADDER
    return (((ladder + ROUND_UP) >> SEVEN) & LOW_BITS) * BYTE


@device
def _union(eight: int) -> int:
    """Return the union of eight bytes."""
    eight |= eight >> FOUR_BYTES
    eight |= eight >> TWO_BYTES
    eight |= eight >> ONE_BYTE
    return int32(eight & BYTE)


@device
def _push(
    words: Array,
    marks: Array,
    lists: Array,
    count: Array,
    state: Array,
    at: int,
    here: int,
    bucket: int,
    f: int,
    mask: int,
    width: int,
    cardinal: int,
    diagonal: int,
    bottom: int,
) -> None:
    """Reach the neighbour in direction f of the cell `at`, which settled at distance `here`, with these first moves."""
    to = int32(at + (((DX1 >> (2 * f)) & 3) - 1) + ((((DY1 >> (2 * f)) & 3) - 1) << 16))
    cell = int32(((to >> 16) & 0xFFFF) * width + (to & 0xFFFF))
    new = int32((here + (cardinal if f < 4 else diagonal)) & LAST)
    fresh = int32((new << 8) | (1 << f))
    old = int32(words[cell])
    while True:
        lower = int32(HALF - 1)
        if old < 0:
            wanted = fresh
        else:
            lower = int32(((old >> 8) - new) & LAST)
            if lower == 0:
                wanted = int32(old | (1 << f))
            elif lower < HALF:
                wanted = fresh
            else:
                return
        seen = int32(cuda.atomic.cas(words, cell, old, wanted))
        if seen == old:
            break
        old = seen
    marks[cell, f] = mask
    if lower == 0:
        return
    reach = int32((new - bottom) & LAST)
    ahead = int32(1 if reach < 2 * cardinal else 2)
    if old >= 0 and ahead == (1 if reach + lower < 2 * cardinal else 2):  # it waits in that list already
        return
    slot = cuda.atomic.add(count, (bucket + ahead) & 3, 1)
    if slot < lists.shape[1]:
        lists[(bucket + ahead) % 3, slot] = to
    else:
        state[1] = 1


@device
def _band(bands: Array, place: int, first: int, mask: int) -> None:
    """Add first moves to those of a row or column; four of them share a word."""
    shift = 8 * (place & 3)
    missing = mask & ~int32((bands[first + (place >> 2)] >> shift) & 255)
    if missing:
        cuda.atomic.or_(bands, first + (place >> 2), missing << shift)


@device
def _draw(bands: Array, box: Array, place: int, first: int, side: int) -> None:
    """Widen the boxes by a row or column."""
    mask = int32((bands[first + (place >> 2)] >> (8 * (place & 3))) & 255)
    for e in range(8):
        if (mask >> e) & 1:
            if place < box[4 * e + side]:
                cuda.atomic.min(box, 4 * e + side, place)
            if place > box[4 * e + side + 2]:
                cuda.atomic.max(box, 4 * e + side + 2, place)


@kernel
def flood(
    moves: Array,
    classes: Array,
    table: Array,
    sizes: Array,
    all_words: Array,
    all_marks: Array,
    all_wide: Array,
    all_lists: Array,
    counter: Array,
    sources: Array,
    mode: int,
    boxes: Array,
    position: Array,
    masks: Array,
    failed: Array,
) -> None:
    """Flood from every source; write its boxes, or its first moves to every cell that has a position.

    sources: (n, 2), the cell and the row where its results go. failed: 1 where a list was too short for a bucket; such
    a row holds nothing of use.
    """
    thread, threads, block = cuda.threadIdx.x, cuda.blockDim.x, cuda.blockIdx.x
    width, height, cardinal, diagonal = int32(sizes[0]), int32(sizes[1]), int32(sizes[2]), int32(sizes[3])
    none = int32(sizes[4])
    successors = cuda.shared.array(256, types.uint64)
    count = cuda.shared.array(4, types.int32)
    state = cuda.shared.array(2, types.int32)  # the source in hand; whether a list ran over
    box = cuda.shared.array(32, types.int32)
    bands = cuda.shared.array(0, types.uint32)  # first moves seen in each row and in each column
    columns = (height + 3) >> 2
    words, marks, wide, lists = all_words[block], all_marks[block], all_wide[block], all_lists[block]
    for i in range(thread, 256, threads):
        successors[i] = table[i]
    while True:
        if thread == 0:
            state[0] = cuda.atomic.add(counter, 0, 1)
            state[1] = 0
        cuda.syncthreads()
        turn = state[0]
        if turn >= sources.shape[0]:
            return
        source, row = int32(sources[turn, 0]), int32(sources[turn, 1])
        legal = int32(moves[source])
        if legal:
            for i in range(thread, words.shape[0], threads):
                words[i] = UNSEEN
        for i in range(thread, columns + ((width + 3) >> 2), threads):
            bands[i] = 0
        if mode == MASKS:
            for i in range(thread, masks.shape[1], threads):
                masks[row, i] = 0
        for i in range(thread, 4, threads):
            count[i] = 0
        for i in range(thread, 32, threads):
            box[i] = none if (i & 3) < 2 else 0
        cuda.syncthreads()
        if thread == 0:
            words[source] = 0
        at = int32(((source // width) << 16) | (source % width))
        for f in range(thread, 8, threads):
            if (legal >> f) & 1:
                _push(words, marks, lists, count, state, at, 0, 0, f, 1 << f, width, cardinal, diagonal, 0)
        cuda.syncthreads()
        bucket = int32(1)
        bottom = int32(cardinal)
        while True:
            filled = count[bucket & 3]
            if filled == 0 and count[(bucket + 1) & 3] == 0:
                break
            filled = min(filled, lists.shape[1])
            if thread == 0:
                count[(bucket + 3) & 3] = 0
            ring = bucket % 3
            for i in range(thread, filled, threads):
                at = int32(lists[ring, i])
                x, y = int32(at & 0xFFFF), int32((at >> 16) & 0xFFFF)
                cell = int32(y * width + x)
                word, marked, kind = int32(words[cell]), wide[cell, 0], classes[cell]  # three loads under way at once
                here = int32(word >> 8)
                if int32((here - bottom) & LAST) >= cardinal:  # settled in an earlier bucket
                    continue
                entered = _spread(word & 255)
                found = marked & entered
                tries = successors[kind] & entered
                mask, push = _union(found), _union(tries)
                if mode == MASKS:
                    if position[cell] >= 0:
                        masks[row, position[cell]] = mask
                else:
                    if mode == ONE:
                        mask = int32(mask & -mask)
                    _band(bands, y, 0, mask)
                    _band(bands, x, columns, mask)
                while push:
                    f = int32(cuda.ffs(push)) - 1
                    push &= push - 1
                    chosen = ((tries >> uint64(f)) & LOW_BITS) * BYTE
                    _push(
                        words,
                        marks,
                        lists,
                        count,
                        state,
                        at,
                        here,
                        bucket,
                        f,
                        _union(found & chosen),
                        width,
                        cardinal,
                        diagonal,
                        bottom,
                    )
            cuda.syncthreads()
            bucket += 1
            bottom = int32((bottom + cardinal) & LAST)
        cuda.syncthreads()
        if mode != MASKS:
            for i in range(thread, height, threads):
                _draw(bands, box, i, 0, 1)
            for i in range(thread, width, threads):
                _draw(bands, box, i, columns, 0)
            cuda.syncthreads()
            for i in range(thread, 32, threads):
                boxes[row, i] = box[i]
        if thread == 0:
            failed[turn] = state[1]
        cuda.syncthreads()
