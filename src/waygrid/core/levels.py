"""The open list of searches on large maps: buckets of one or two levels, whose cells lie in chunks.

Dial's buckets (CACM 1969), and above 2**16 of them two levels as in Denardo and Fox (Operations Research 1979): the
fine level has a bucket for each key of the current coarse bucket. A cell whose key falls is put in again, and its old
entry is skipped when it comes up, because the cell is closed by then. So nothing is kept per cell of the map: an entry
takes 4 bytes, and 64 bytes hold 15 of them. Equal keys come out newest first, as in `queue`.

heads[first + place] is where the newest entry of a bucket lies in `chunks`, 0 where it is empty. The first number of a
chunk is where the entry below lies; a free chunk names the next free one. `bits` has one bit per bucket and, behind
those, one summary bit per word, for each level.
"""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit
from waygrid.core.queue import lowest_bit

CHUNK = 16  # numbers: a cache line of entries
FREE = at.USER  # a chunk that was given back; 0: there is none
UNUSED = at.USER + 1  # the first chunk that was never used
_ONE = np.uint64(1)


@jit
def level_bits(size: int) -> int:
    """Return the words of bits of a level of so many buckets."""
    return (size >> 6) + (((size >> 6) + 63) >> 6)


@jit
def put(heads, bits, chunks, ctl, first: int, base: int, size: int, place: int, cell: int) -> None:
    """Put a cell on top of a bucket of a level: its heads begin at `first`, its bits at `base`."""
    bucket = np.uint64(first + place)  # unsigned: nobody looks whether it counts from the end
    top = int64(heads[bucket])
    if top == 0:
        word = place >> 6
        bits[base + word] |= _ONE << np.uint64(place & 63)
        bits[base + (size >> 6) + (word >> 6)] |= _ONE << np.uint64(word & 63)
    if top == 0 or top & (CHUNK - 1) == CHUNK - 1:
        chunk = ctl[FREE]
        if chunk != 0:
            ctl[FREE] = chunks[np.uint64(chunk)]
        else:
            chunk = ctl[UNUSED]
            ctl[UNUSED] = chunk + CHUNK
        chunks[np.uint64(chunk)] = top
        top = chunk
    chunks[np.uint64(top + 1)] = cell
    heads[bucket] = top + 1


@jit
def take(heads, bits, chunks, ctl, first: int, base: int, size: int, place: int) -> int:
    """Take the newest cell out of a bucket that is not empty."""
    bucket = np.uint64(first + place)
    top = int64(heads[bucket])
    cell = int64(chunks[np.uint64(top)])
    top -= 1
    if top & (CHUNK - 1) == 0:
        older = int64(chunks[np.uint64(top)])
        chunks[np.uint64(top)] = ctl[FREE]
        ctl[FREE] = top
        top = older
    heads[bucket] = top
    if top == 0:
        word = place >> 6
        bits[base + word] &= ~(_ONE << np.uint64(place & 63))
        if bits[base + word] == 0:
            bits[base + (size >> 6) + (word >> 6)] &= ~(_ONE << np.uint64(word & 63))
    return cell


@jit
def next_place(bits, base: int, size: int, place: int) -> int:
    """Return the first bucket from `place` on that is not empty, round the end, on a level that is not empty."""
    words, word = size >> 6, place >> 6
    found = (bits[base + word] >> np.uint64(place & 63)) << np.uint64(place & 63)
    if found == 0:
        summaries = (words + 63) >> 6
        summary, shift = word >> 6, np.uint64(word & 63)
        mark = (((bits[base + words + summary] >> shift) >> _ONE) << _ONE) << shift
        while mark == 0:
            summary += 1
            if summary == summaries:
                summary = 0
            mark = bits[base + words + summary]
        word = (summary << 6) + lowest_bit(mark)
        found = bits[base + word]
    return (word << 6) + lowest_bit(found)


@jit
def clear_level(heads, bits, first: int, base: int, size: int) -> None:
    """Empty a level; the cost is that of its summary bits and of the buckets in use."""
    words = size >> 6
    for summary in range((words + 63) >> 6):
        mark = bits[base + words + summary]
        while mark != 0:
            word = (summary << 6) + lowest_bit(mark)
            mark &= mark - _ONE
            found = bits[base + word]
            while found != 0:
                heads[first + (word << 6) + lowest_bit(found)] = 0
                found &= found - _ONE
            bits[base + word] = 0
        bits[base + words + summary] = 0
