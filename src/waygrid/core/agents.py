"""Real-time agents: what their kernels share. A pool of agents is one array of rows, advanced by one compiled call.

How an algorithm takes part. It declares `real_time=True`, and its finder names two things:

* `_step_kernel`, made by `driver.make_agent_loop`: it lets every agent whose STATE is RUNNING make at most one
  move, by at most `allowed` expansions. The algorithm brings `move`, and `plan` if it plans at times only. `go` makes a
  move; WORK and MOST_WORK are the algorithm's to count. Where `store` has no room left, `move` returns NO_ROOM; it is
  called again for the same agent, and begins the step anew (`lrta`) or resumes it (`tba`). Where an agent cannot follow
  what a damaged index says, it returns ASTRAY.

* `_agent_shape()`, the memory of an agent: `slot` is the type of its records, with a field "cell", `slots` how many of
  them the store has at first, `notes` what the kernel needs behind ctl[NOTES], once for all agents.

An agent owns a row of `agents` (the fields below; those from OWN on are the algorithm's, and 0 at first) and a chunk of
`store`, 2 ** n records. It begins with the empty chunk of one record that all share, takes a larger one when it has
something to remember and gives it back when it is done, so memory is that of what agents touched, never that of the
map. `find` runs one agent to its end: its row lies in ctl[AGENT:], its store in the spare memory.
"""

from waygrid.core import layout as at
from waygrid.core.clock import now
from waygrid.core.events import record
from waygrid.core.heuristics import natural
from waygrid.core.jit import int64, jit

# --- The row of an agent: int64 --------------------------------------------------------------------------------------
CELL = 0
TARGET = 1
STATE = 2  # RUNNING, or how it ended
MADE = 3  # moves so far
STRAIGHT = 4  # sums of entered weights over straight and over diagonal moves
ACROSS = 5
WORK = 6  # expansions so far
MOST_WORK = 7  # and the most in one step
FIRST_NS = 8
MAX_NS = 9
TOTAL_NS = 10
STEPS = 11  # calls in which it was running; some algorithms wait at times
BASE = 12  # where its chunk begins
ROOM = 13  # records in it
USED = 14
SEEN = 15  # cells generated
AIM = 16  # the cell it heads for at present: TARGET, or one on the way there
SPENT_NS = 17  # on a step that paused for memory
OWN = 18
AGENT_SIZE = 32

# --- What is asked of a step: `ask`, int64 ---------------------------------------------------------------------------
FIRST, LAST = 0, 1
ALLOWED = 2  # expansions per move
CAP = 3  # moves after which an agent gives up
ASK_SIZE = 4

# --- Behind the state of a search ------------------------------------------------------------------------------------
TOP = at.CTL_SIZE  # records of the store in use
FREE = at.CTL_SIZE + 1  # the first free chunk of 2 ** n records, -1: none
ORDERS = 31
AGENT = FREE + ORDERS  # the row of the agent that `find` runs
NOTES = AGENT + AGENT_SIZE  # free for one algorithm

# How a step ends: see `driver.make_agent_loop`.
MOVED, NO_ROOM, ASTRAY = 0, 1, 2  # ASTRAY: it cannot follow what a damaged index says

EMPTY = -1
SMALLEST = 4  # a first chunk has 2 ** 4 records
RESERVED = 16  # records at the beginning; the first is the chunk of all that remember nothing


@jit
def open_store(store, ctl) -> None:
    """Forget all chunks."""
    store[0]["cell"] = EMPTY
    ctl[TOP] = RESERVED
    for order in range(ORDERS):
        ctl[FREE + order] = EMPTY


@jit
def order_of(room: int) -> int:
    """Return n for a chunk of 2 ** n records."""
    order = 0
    while (1 << order) < room:
        order += 1
    return order


@jit
def larger(room: int) -> int:
    """Return n for the chunk that follows one of `room` records."""
    return max(order_of(room) + 1, SMALLEST)


@jit
def has_chunk(store, ctl, order: int) -> bool:
    """Return whether a chunk of 2 ** order records can be taken."""
    size = 1 << order
    fits = ((ctl[TOP] + size - 1) & -size) + size <= store.size
    for larger_order in range(order, ORDERS):
        fits = fits | (ctl[FREE + larger_order] >= 0)
    return bool(fits)


@jit
def _link(store, ctl, base: int, order: int) -> None:
    """Put a chunk on the list of free ones: its first records name the next, the one before, and its size."""
    after = ctl[FREE + order]
    store[base]["cell"] = EMPTY - 2 - after  # less than EMPTY: this chunk is free
    store[base + 1]["cell"] = EMPTY
    store[base + 2]["cell"] = order
    if after >= 0:
        store[after + 1]["cell"] = base
    ctl[FREE + order] = base


@jit
def _unlink(store, ctl, base: int, order: int) -> None:
    after, before = EMPTY - 2 - int64(store[base]["cell"]), int64(store[base + 1]["cell"])
    if before >= 0:
        store[before]["cell"] = EMPTY - 2 - after
    else:
        ctl[FREE + order] = after
    if after >= 0:
        store[after + 1]["cell"] = before


@jit
def _release(store, ctl, base: int, order: int) -> None:
    """Free a chunk and join it with its other half, as long as that is free too.

    Agents grow at about the same time. Without joining, all the chunks they outgrow would be too small for anyone.
    """
    joins = True
    while joins:
        other = base ^ (1 << order)
        joins = other + (1 << order) <= ctl[TOP]
        if joins:
            joins = (store[other]["cell"] < EMPTY) & (store[other + 2]["cell"] == order)
        if joins:
            _unlink(store, ctl, other, order)
            base = min(base, other)
            order += 1
    _link(store, ctl, base, order)


@jit
def take_chunk(store, ctl, order: int) -> int:
    """Take a chunk of 2 ** order records, where `has_chunk` is true; their cells are EMPTY."""
    found, size = order, 1 << order
    while found < ORDERS and ctl[FREE + found] < 0:
        found += 1
    if found < ORDERS:
        base = ctl[FREE + found]
        _unlink(store, ctl, base, found)
        while found > order:
            found -= 1
            _link(store, ctl, base + (1 << found), found)
    else:
        while ctl[TOP] & (size - 1):  # a chunk begins at a multiple of its size
            gap = ctl[TOP] & -ctl[TOP]
            ctl[TOP] += gap
            _release(store, ctl, ctl[TOP] - gap, order_of(gap))
        base = ctl[TOP]
        ctl[TOP] += size
    for k in range(base, base + size):
        store[k]["cell"] = EMPTY
    return base


@jit
def give_chunk(store, ctl, base: int, room: int) -> None:
    """Give a chunk back; the shared empty one stays."""
    if base > 0:
        _release(store, ctl, base, order_of(room))


@jit
def place_of(store, base: int, room: int, cell: int) -> int:
    """Return where a chunk that is a hash table has this cell, or would put it.

    Four cells in a row begin beside each other, so the neighbours of a cell lie in few cache lines: of 10,000 agents
    hardly any finds its table in the cache.
    """
    mask = room - 1
    place = ((((cell >> 2) * 0x9E3779B1) >> 13) & ~3) + (cell & 3)
    found = store[base + (place & mask)]["cell"]
    while (found != cell) & (found != EMPTY):
        place += 1
        found = store[base + (place & mask)]["cell"]
    return base + (place & mask)


@jit
def go(weights, geo, agents, i: int, d: int) -> None:
    """Move an agent in a direction and count the price."""
    cell = agents[i, CELL]
    n = cell + geo[at.STEP + 8 * (cell % geo[at.WIDTH] & 1) + d]
    price = 1
    if weights is not None:
        price = int64(weights[n])
    column = ACROSS if (geo[at.TOPOLOGY] == at.OCTILE) & (d >= 4) else STRAIGHT
    agents[i, column] += price
    agents[i, CELL] = n
    agents[i, MADE] += 1
    if n == agents[i, TARGET]:
        agents[i, STATE] = at.FOUND


@jit
def direction(geo, cell: int, n: int) -> int:
    """Return the direction in which a neighbour lies; on narrow maps the offset alone does not tell it."""
    width = geo[at.WIDTH]
    dx, dy = n % width - cell % width, n // width - cell // width
    d, row = 0, 8 * (cell % width & 1)
    while (geo[at.DX + d] != dx) | (geo[at.DY + row + d] != dy):
        d += 1
    return d


@jit
def pause_step(ctl, agents, i: int, began: int) -> None:
    """Stop in an agent's step for lack of memory; its time so far is not lost."""
    ctl[at.PAUSE] = at.PAUSE_STORE
    agents[i, SPENT_NS] += now(ctl) - began


@jit
def give_up(agents, i: int) -> int:
    """End an agent that cannot follow what is stored, since the index is damaged; return what the kernel returns then.

    That is -1 - i, which the pool reports.
    """
    agents[i, STATE] = at.CUTOFF
    return -1 - i


@jit
def end_step(geo, store, ctl, agents, positions, i: int, cap: int, began: int) -> int:
    """Do the accounts of an agent's step; return the time, at which the next agent's begins."""
    cell, width = agents[i, CELL], geo[at.WIDTH]
    positions[i, 0], positions[i, 1] = cell % width, cell // width
    if (agents[i, STATE] == at.RUNNING) & (agents[i, MADE] >= cap):
        agents[i, STATE] = at.CUTOFF
    if agents[i, STATE] != at.RUNNING:
        give_chunk(store, ctl, agents[i, BASE], agents[i, ROOM])
        agents[i, BASE], agents[i, ROOM], agents[i, USED] = 0, 1, 0
    ended = now(ctl)
    took = ended - began + agents[i, SPENT_NS]
    agents[i, SPENT_NS] = 0
    if agents[i, STEPS] == 0:
        agents[i, FIRST_NS] = took
    agents[i, MAX_NS] = max(agents[i, MAX_NS], took)
    agents[i, TOTAL_NS] += took
    agents[i, STEPS] += 1
    return ended


# --- find: one agent, run to its end ---------------------------------------------------------------------------------


@jit
def open_walk(geo, store, queue, ctl, events) -> None:
    """Let the agent of a query, just opened, stand at its start; the walk is listed in `queue`."""
    open_store(store, ctl)
    for k in range(AGENT, AGENT + AGENT_SIZE):
        ctl[k] = 0
    start, goal, width = ctl[at.START], ctl[at.GOAL], geo[at.WIDTH]
    ctl[AGENT + CELL], ctl[AGENT + TARGET], ctl[AGENT + STATE] = start, goal, ctl[at.STATUS]
    ctl[AGENT + AIM] = goal
    ctl[AGENT + ROOM] = 1
    if ctl[at.STATUS] == at.FOUND or ctl[at.STATUS] == at.RUNNING:
        queue[0] = start
        ctl[at.LISTED] = 1
    if ctl[at.STATUS] == at.RUNNING:
        ctl[at.ESTIMATE] = geo[at.MIN_WEIGHT] * natural(geo, start % width, start // width, goal % width, goal // width)
        ctl[at.GENERATED] = ctl[at.TOUCHED] = 1
        if events is not None:
            record(events, ctl, at.E_GENERATING, start, -1, 0, ctl[at.ESTIMATE])


@jit
def may_continue(policy, queue, ctl, expands: bool, events) -> bool:
    """Return whether the walk continues; otherwise STATUS says how it ended or PAUSE why it stops for now.

    Budget and limit are asked where a cell is to be expanded next.
    """
    pause = 0
    late = False
    if (ctl[at.DEADLINE] > 0) & (ctl[at.EXPANDED] & 255 == 255):
        late = now(ctl) > ctl[at.DEADLINE]
    ended = (expands & (ctl[at.EXPANDED] == ctl[at.LIMIT])) | late | (ctl[AGENT + MADE] >= policy[at.LIMIT_STEPS])
    if ctl[at.LISTED] + 1 > queue.size:
        pause = at.PAUSE_STACK
    if events is not None:
        if ctl[at.EVENTS] + at.EVENT_ROOM > events.size:
            pause = at.PAUSE_EVENTS
    if expands & (ctl[at.BUDGET] <= 0):
        pause = at.PAUSE_BUDGET
    ctl[at.STATUS] = at.CUTOFF if ended & (pause == 0) else at.RUNNING
    ctl[at.PAUSE] = pause
    return bool((ctl[at.STATUS] == at.RUNNING) & (pause == 0))


@jit
def list_move(geo, queue, ctl, before: int, events) -> None:
    """List the cell to which the agent of `find` has moved."""
    cell = ctl[AGENT + CELL]
    queue[ctl[at.LISTED]] = cell
    ctl[at.LISTED] += 1
    ctl[at.END], ctl[at.STATUS] = cell, ctl[AGENT + STATE]
    if events is not None:
        g = count_cost(geo, ctl)
        record(events, ctl, at.E_MOVE, cell, before, g, 0)
        if ctl[at.STATUS] == at.FOUND:
            record(events, ctl, at.E_END, cell, before, g, 0)


@jit
def count_cost(geo, ctl) -> int:
    """Return the cost of the walk so far, in the metric's integers."""
    return ctl[AGENT + STRAIGHT] * geo[at.CARDINAL] + ctl[AGENT + ACROSS] * geo[at.DIAGONAL]


@jit
def price_move(weights, geo, n: int, d: int) -> int:
    """Return the price of entering a cell by a move in a direction."""
    price = geo[at.COST + d]
    if weights is not None:
        price *= int64(weights[n])
    return price


@jit
def estimate_neighbour(geo, x: int, y: int, d: int, goal_x: int, goal_y: int) -> int:
    """Return the estimate of a cell's neighbour: the distance on the empty map over the lightest ground."""
    nx, ny = x + geo[at.DX + d], y + geo[at.DY + 8 * (x & 1) + d]
    return geo[at.MIN_WEIGHT] * natural(geo, nx, ny, goal_x, goal_y)
