"""What a taut table holds: between all corners the distance and the first leg, and for every cell the corners it sees.

Distances are the same both ways, so each pair has one entry: that of corners `low` and `high` lies in the row of `low`,
which begins with its entry to itself. An entry has 32 bits: the distance, rounded down, and the number of the link by
which a shortest path leaves `high` towards `low`. The way on from there is another entry, perhaps read from its other
end, until both ends meet. So the exact length of a path is the sum of its legs, and the rounded one finds it.
"""

import numpy as np

from waygrid.core.elimination import sweep_down
from waygrid.core.jit import Array, int64, jit

# In `form`: how many bits of an entry number a link, what a distance is shifted by, and what a cell is multiplied by
# before, as powers of two: while a table is built lengths are whole numbers, whose sums do not depend on the order.
LINK_BITS, SHIFT, SCALE = 0, 1, 2
FORM_SIZE = 3
MOST_SCALE = 40
NO_WAY = np.uint32(2**32 - 1)

_FIVES, _THREES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_NIBBLES, _BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


@jit
def count_bits(word) -> int:
    """Return how many bits of a word are set."""
    word -= (word >> np.uint64(1)) & _FIVES
    word = (word & _THREES) + ((word >> np.uint64(2)) & _THREES)
    word = (word + (word >> np.uint64(4))) & _NIBBLES
    return int64((word * _BYTES) >> np.uint64(56))


@jit
def rank_words(free, ranks) -> None:
    """Write how many cells are free before each word of the map's rows."""
    count = 0
    for y in range(len(free)):
        for word in range(free.shape[1]):
            ranks[y, word] = count
            count += count_bits(free[y, word])


@jit
def free_number(free, ranks, y: int, x: int) -> int:
    """Return the number of a free cell among all free cells, row by row."""
    below = free[y, x >> 6] & ((np.uint64(1) << np.uint64(x & 63)) - np.uint64(1))
    return int64(ranks[y, x >> 6]) + count_bits(below)


@jit
def row_begin(low: int, corners: int) -> int:
    """Return where the entries of the pairs of a corner with itself and later ones begin.

    >>> [row_begin(low, 3) for low in range(4)]
    [0, 3, 5, 6]
    """
    return low * corners - (low * (low - 1) >> 1)


@jit
def count_accesses(free, ranks, spans, first) -> None:
    """Count the corners that each free cell sees, one place further on in `first`."""
    for k in range(len(spans)):
        for x in range(spans[k, 1], spans[k, 2] + 1):
            first[free_number(free, ranks, spans[k, 0], x) + 1] += 1


@jit
def fill_accesses(free, ranks, counts, spans, places, accesses) -> None:
    """Write the corners that each free cell sees; `places` says where those of a cell go on."""
    k = 0
    for corner in range(len(counts)):
        for _ in range(counts[corner, 1]):
            for x in range(spans[k, 1], spans[k, 2] + 1):
                cell = free_number(free, ranks, spans[k, 0], x)
                accesses[places[cell]] = corner
                places[cell] += 1
            k += 1


@jit
def sweep_block(first, upper, prices, rank, legs, heads, lengths, begin: int, columns: int, far: int, dist, reached):
    """Fill dist[rank[node], k] with the distance of each node from corner begin + k, if the path bends at the node.

    As `elimination.sweep_block`, but the first leg is any that the corner sees (legs, heads, lengths), not only one at
    whose beginning a path may bend.
    """
    nodes = first.size - 1
    for node in range(nodes):
        reached[node] = 0
        for k in range(dist.shape[1]):
            dist[node, k] = far
    for k in range(columns):
        own = begin + k
        dist[rank[own], k], reached[rank[own]] = 0, 1
        for leg in range(legs[own], legs[own + 1]):
            node = rank[heads[leg]]
            dist[node, k], reached[node] = min(dist[node, k], dist.dtype.type(lengths[leg])), 1
    for node in range(nodes - 1, -1, -1):
        if reached[node]:
            for edge in range(first[node], first[node + 1]):
                above, price = upper[edge], prices[edge]
                reached[above] = 1
                for k in range(dist.shape[1]):
                    dist[above, k] = min(dist[above, k], dist.dtype.type(dist[node, k] + price))
    sweep_down(first, upper, prices, dist)


@jit
def write_pairs(legs, heads, lengths, rank, dist, far: int, first: int, columns: int, form, table) -> None:
    """Write the rows of corners first to first + columns - 1, one behind the other, by what `sweep_block` filled.

    The last leg, too, is any that a corner sees. So these are the lengths of the shortest ways between corners, also
    where no path bends at them: the bounds of queries need that.
    """
    nodes, bits, shift = legs.size - 1, form[LINK_BITS], form[SHIFT]
    chosen, least, begin = np.zeros(dist.shape[1], np.int64), np.zeros(dist.shape[1], np.int64), row_begin(first, nodes)
    for node in range(first, nodes):
        for k in range(dist.shape[1]):
            chosen[k], least[k] = 0, far
        for leg in range(legs[node], legs[node + 1]):
            over, length, number = rank[heads[leg]], lengths[leg], leg - legs[node]
            for k in range(dist.shape[1]):
                whole = int64(dist[over, k]) + length
                chosen[k] = number if whole < least[k] else chosen[k]
                least[k] = min(least[k], whole)
        if node < first + columns:
            least[node - first] = chosen[node - first] = 0
        for k in range(min(columns, node - first + 1)):
            entry = NO_WAY
            if least[k] < far:
                entry = np.uint32(((least[k] >> shift) << bits) | chosen[k])
            table[row_begin(first + k, nodes) - begin + node - first - k] = entry


def choose_scale(cells: int) -> int:
    """Return the bits of lengths behind the point: as many as leave room for a path through all free cells.

    >>> choose_scale(100_000), choose_scale(2**24)
    (40, 34)
    """
    return min(MOST_SCALE, 59 - cells.bit_length())


def choose_form(scale: int, longest: int, most_links: int) -> Array:
    """Return how the bits of an entry are divided: as many as numbers of links need, the rest for the distance.

    >>> choose_form(40, 2000 << 40, 40).tolist()
    [6, 25, 40]
    """
    bits = max(1, most_links - 1).bit_length()
    shift = 0
    while (longest >> shift) + 1 >= 2 ** (32 - bits):
        shift += 1
    return np.array((bits, shift, scale), np.int64)
