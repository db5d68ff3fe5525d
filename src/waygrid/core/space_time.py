"""Space-time A*: a search over cells and time steps that keeps clear of reserved ones.

Silver, Cooperative Pathfinding (AIIDE 2005). A state is a cell at a time; a move or a wait leads to the next time.
Reservations lie in a hash table, `table`: int64, time * cells + cell in the upper bits, the owner in the lowest 20.
`rest` says of every cell from when on it is somebody's for good: int32, (cells, 2), the time and the owner, -1: nobody.
"""

from waygrid.core import layout as at
from waygrid.core.flood import FAR
from waygrid.core.jit import int64, jit

OWNER_BITS = 20
_OWNER = (1 << OWNER_BITS) - 1
EMPTY = -1
STAY = 8  # in the place of a direction

# --- What is asked: `ask`, int64 -------------------------------------------------------------------------------------
START, GOAL, BEGIN, LAST, MOST = 0, 1, 2, 3, 4  # LAST: of the times that are reserved; MOST: no later arrival counts
SEARCH, COUNT = 5, 6  # the number of the search, which stamps `seen`; states that it made
ASK_SIZE = 8
NO_WAY, NO_ROOM = -1, -2

# --- A state: int32 --------------------------------------------------------------------------------------------------
CELL, TIME, PARENT, BELOW = 0, 1, 2, 3  # BELOW: the next one of its bucket


@jit
def _home(key: int) -> int:
    return ((key ^ (key >> 21)) & 0x7FFFFFFF) * 0x9E3779B1 >> 20


@jit
def _place(table, key: int) -> int:
    """Return where a reservation lies, or would be put."""
    mask = table.size - 1
    place = _home(key) & mask
    while table[place] != EMPTY and table[place] >> OWNER_BITS != key:
        place = (place + 1) & mask
    return place


@jit
def put_in(table, key: int, owner: int) -> None:
    """Reserve a cell at a time."""
    table[_place(table, key)] = key << OWNER_BITS | owner


@jit
def take_out(table, key: int) -> None:
    """Remove a reservation; those behind it in the table move up."""
    mask, hole = table.size - 1, _place(table, key)
    if table[hole] == EMPTY:
        return
    place = (hole + 1) & mask
    while table[place] != EMPTY:
        home = _home(table[place] >> OWNER_BITS) & mask
        if ((place - home) & mask) >= ((place - hole) & mask):
            table[hole] = table[place]
            hole = place
        place = (place + 1) & mask
    table[hole] = EMPTY


@jit
def holder(table, rest, time: int, cell: int) -> int:
    """Return who has reserved a cell at a time, -1: nobody."""
    if rest[cell, 1] >= 0 and time >= rest[cell, 0]:
        return int64(rest[cell, 1])
    found = table[_place(table, time * len(rest) + cell)]
    return int64(found & _OWNER) if found != EMPTY else EMPTY


@jit
def blocks(geo, table, rest, time: int, cell: int, n: int, d: int) -> int:
    """Return whose reservation forbids a move that begins at a time, -1 if it is free.

    That is who will be there, who swaps cells with it, or whose diagonal move it would cross.
    """
    other = holder(table, rest, time + 1, n)
    if other >= 0 or d == STAY:
        return other
    other = holder(table, rest, time, n)
    if other >= 0 and holder(table, rest, time + 1, cell) == other:
        return other
    if geo[at.TOPOLOGY] != at.OCTILE or d < 4:
        return EMPTY
    one, two = cell + geo[at.DX + d], n - geo[at.DX + d]
    other = holder(table, rest, time, one)
    if other >= 0 and holder(table, rest, time + 1, two) == other:
        return other
    other = holder(table, rest, time, two)
    if other >= 0 and holder(table, rest, time + 1, one) == other:
        return other
    return EMPTY


@jit
def _free_from(table, rest, goal: int, begin: int, last: int) -> int:
    """Return from when on nobody else has reserved the goal, -1: never."""
    if rest[goal, 1] >= 0:
        return -1
    time = last
    while time >= begin and holder(table, rest, time, goal) < 0:
        time -= 1
    return time + 1


@jit
def _mark(seen, key: int, stamp: int) -> bool:
    """Mark a state as seen by a search; return whether it was already."""
    mask = seen.size - 1
    place = _home(key) & mask
    while seen[place] & _OWNER == stamp:
        if seen[place] >> OWNER_BITS == key:
            return True
        place = (place + 1) & mask
    seen[place] = key << OWNER_BITS | stamp
    return False


@jit
def _renew(seen, ask) -> None:
    """Number the search; an entry of an older one counts as free, so nothing is cleared between searches."""
    ask[SEARCH] += 1
    if ask[SEARCH] >= _OWNER:
        ask[SEARCH] = 1
        for place in range(seen.size):
            seen[place] = 0


@jit
def search_time(moves, geo, left, table, rest, ask, nodes, heads, seen) -> int:
    """Return the state in which the goal is reached first and may be kept, NO_WAY, or NO_ROOM in the memory.

    left: the steps from each cell to the goal on the map without others, by which the search is guided. Open states lie
    in buckets by the earliest arrival that they allow; the newest of a bucket comes first, which goes on where the
    search was. After the last reservation nothing changes any more: states of one cell are one from then on.
    """
    start, goal, last = ask[START], ask[GOAL], ask[LAST]
    ask[COUNT] = 0
    if left[start] == FAR:
        return NO_WAY
    keep = _free_from(table, rest, goal, ask[BEGIN], last)
    if keep < 0:
        return NO_WAY
    _renew(seen, ask)
    base = max(ask[BEGIN] + int64(left[start]), keep)
    nodes[0, CELL], nodes[0, TIME], nodes[0, PARENT], nodes[0, BELOW] = start, ask[BEGIN], -1, -1
    heads[0], count, bucket, highest, end = 0, 1, 0, 0, NO_WAY
    while bucket <= highest and end == NO_WAY:
        node = int64(heads[bucket])
        if node < 0:
            bucket += 1
            continue
        heads[bucket] = nodes[node, BELOW]
        cell, time = int64(nodes[node, CELL]), int64(nodes[node, TIME])
        if time > last and _mark(seen, (last + 1) * len(rest) + cell, ask[SEARCH]):
            continue
        if cell == goal and time >= keep:
            end = node
            break
        byte, row = int64(moves[cell]), at.STEP + 8 * (cell % geo[at.WIDTH] & 1)
        for d in range(STAY, -1, -1):  # of moves that lead equally far the straight ones come first
            if d != STAY and not (byte >> d) & 1:
                continue
            n = cell if d == STAY else cell + geo[row + d]
            if left[n] == FAR:
                continue
            arrival = max(time + 1 + int64(left[n]), keep)
            if arrival > ask[MOST] or blocks(geo, table, rest, time, cell, n, d) >= 0:
                continue
            if time < last and _mark(seen, (time + 1) * len(rest) + n, ask[SEARCH]):
                continue
            if count == len(nodes) or arrival - base >= heads.size:
                end = NO_ROOM
                break
            place = arrival - base
            nodes[count, CELL], nodes[count, TIME], nodes[count, PARENT] = n, time + 1, node
            nodes[count, BELOW] = heads[place]
            heads[place] = count
            highest = max(highest, place)
            count += 1
    for place in range(highest + 1):
        heads[place] = -1
    ask[COUNT] = count
    return end


@jit
def first_block(geo, table, rest, cells, begin: int, stays: bool, last: int) -> int:
    """Return the number of the first step of a path that a reservation forbids, the number of cells if all are free.

    -1: somebody has reserved its last cell later, though it is to stay there.
    """
    for k in range(cells.size):
        if k == 0:
            if holder(table, rest, begin, cells[0]) >= 0:
                return 0
            continue
        cell, n, d = cells[k - 1], cells[k], STAY
        if cell != n:
            width = geo[at.WIDTH]
            row, dx = at.STEP + 8 * (cell % width & 1), n % width - cell % width  # on narrow maps steps are equal
            for one in range(8):
                if geo[at.COST + one] > 0 and cell + geo[row + one] == n and geo[at.DX + one] == dx:
                    d = one
        if blocks(geo, table, rest, begin + k - 1, cell, n, d) >= 0:
            return k
    if stays and cells.size:
        end = begin + cells.size - 1
        keep = _free_from(table, rest, cells[cells.size - 1], end, last)
        if keep < 0 or keep > end:
            return -1
    return int(cells.size)


@jit
def reserve_cells(table, rest, cells, begin: int, owner: int, stays: bool) -> None:
    """Reserve the cells of a path, one for each time; the last from then on if the owner stays."""
    for k in range(cells.size):
        put_in(table, (begin + k) * len(rest) + cells[k], owner)
    if stays and cells.size:
        goal = cells[cells.size - 1]
        rest[goal, 0], rest[goal, 1] = begin + cells.size - 1, owner


@jit
def follow_back(nodes, node: int, cells) -> None:
    """Write the cells of a way, one for each time, from its last state back."""
    place = cells.size
    while node >= 0:
        place -= 1
        cells[place] = nodes[node, CELL]
        node = int64(nodes[node, PARENT])
