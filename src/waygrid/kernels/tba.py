"""Time-Bounded A* (Björnsson, Bulitko and Sturtevant 2009): one A*, spread over the moves of an agent.

Every step expands some cells of the one search from the start and traces the best open cell back to the start, or to
the agent, a bounded way at a time. A finished trace is the path to follow. An agent that is not on it goes back the way
the search came, towards the start, until it is. With a consistent estimate no cell is expanded twice.

A chunk (see `kernels.agents`) holds the nodes in the order of their making; record k also has place k of the heap, of
the hash table and of two lists: the path that is followed and the trace in hand, which change roles when it is done.
"""

from waygrid.kernels._jit import Array, int64, jit
from waygrid.kernels.agents import (
    ALLOWED,
    BASE,
    CAP,
    CELL,
    EMPTY,
    FIRST,
    LAST,
    MOST_WORK,
    OWN,
    ROOM,
    SEEN,
    STATE,
    TARGET,
    USED,
    WORK,
    direction,
    end_step,
    estimated,
    give_chunk,
    go,
    has_chunk,
    larger,
    priced,
    take_chunk,
)
from waygrid.kernels.clock import now
from waygrid.kernels.events import record
from waygrid.kernels.heuristics import natural
from waygrid.kernels.layout import (
    E_EXPANDING,
    E_GENERATING,
    E_UPDATING,
    MIN_WEIGHT,
    PAUSE,
    PAUSE_STORE,
    RUNNING,
    SEED,
    STEP,
    UNREACHABLE,
    WIDTH,
)
from waygrid.kernels.queue import heap_pop, heap_up

# The row of an agent, behind what all have. A step may pause for memory and goes on where it was.
OPEN = OWN  # cells on the open list
PEAK = OWN + 1  # the most there were
SEQUENCE = OWN + 2  # counts insertions: among equal keys the newest comes first
LEFT = OWN + 3  # 1 + expansions left in this step, 0 between steps
REACHED = OWN + 4  # 1 + the goal's node, once it was expanded
HERE = OWN + 5  # the node at which the agent is
LIST = OWN + 6  # which of the two lists is followed
FOLLOWED = OWN + 7  # its length
TRACED = OWN + 8  # the length of the other one, 0: no trace is in hand
FINAL = OWN + 9  # 1: the path that is followed leads to the goal

SPLIT = SEED  # place in the policy: thousandths of the work that go into expanding
TRACES = 10  # steps of a trace that count as one expansion [the paper's c]


@jit
def node_place(nodes: Array, room: int, cell: int) -> int:
    """Return the place of the hash table that holds a cell's node, or would (spread as in `agents.place_of`)."""
    mask = room - 1
    place = ((((cell >> 2) * 0x9E3779B1) >> 13) & ~3) + (cell & 3)
    number = int64(nodes[place & mask]["hash"])
    while (number >= 0) & (int64(nodes[max(number, 0)]["cell"]) != cell):
        place += 1
        number = int64(nodes[place & mask]["hash"])
    return place & mask


@jit
def has_room(store: Array, ctl: Array, agents: Array, i: int) -> bool:
    """Tell whether eight more nodes fit, if need be in a larger chunk."""
    room = agents[i, ROOM]
    return bool((4 * (agents[i, USED] + 8) <= 3 * room) | has_chunk(store, ctl, larger(room)))


@jit
def make_place(store: Array, ctl: Array, agents: Array, i: int) -> None:
    """Take a larger chunk where eight more nodes do not fit; nodes keep their numbers, only the hash table is new."""
    old, room, used = agents[i, BASE], agents[i, ROOM], agents[i, USED]
    if 4 * (used + 8) > 3 * room:
        order = larger(room)
        base, wide = take_chunk(store, ctl, order), 1 << order
        nodes = store[base : base + wide]
        for k in range(used):
            nodes[k] = store[old + k]
        for k in range(wide):
            nodes[k]["hash"] = EMPTY
        for k in range(used):
            nodes[node_place(nodes, wide, int64(nodes[k]["cell"]))]["hash"] = k
        give_chunk(store, ctl, old, room)
        agents[i, BASE], agents[i, ROOM] = base, wide


@jit
def begin(geo: Array, store: Array, ctl: Array, agents: Array, i: int) -> None:
    """Put the start on the open list."""
    make_place(store, ctl, agents, i)
    base, room, cell, goal, width = agents[i, BASE], agents[i, ROOM], agents[i, CELL], agents[i, TARGET], geo[WIDTH]
    nodes = store[base : base + room]
    nodes[0]["cell"], nodes[0]["g"], nodes[0]["parent"], nodes[0]["prev"] = cell, 0, EMPTY, 0
    nodes[0]["at0"] = nodes[0]["at1"] = 0
    nodes[node_place(nodes, room, cell)]["hash"] = 0
    h = geo[MIN_WEIGHT] * natural(geo, cell % width, cell // width, goal % width, goal // width)
    heap_up(nodes, nodes["entry"], nodes["key"], 0, h, 0)
    agents[i, USED] = agents[i, OPEN] = agents[i, PEAK] = agents[i, SEQUENCE] = agents[i, SEEN] = 1


@jit
def expand(
    moves: Array,
    weights: Array | None,
    geo: Array,
    store: Array,
    ctl: Array,
    agents: Array,
    i: int,
    events: Array | None,
) -> None:
    """Expand the best open cell; `make_place` was called before."""
    base, room, goal, width = agents[i, BASE], agents[i, ROOM], agents[i, TARGET], geo[WIDTH]
    nodes = store[base : base + room]
    heap, keys = nodes["entry"], nodes["key"]
    size, used, sequence = agents[i, OPEN], agents[i, USED], agents[i, SEQUENCE]
    key = int64(keys[0])
    number = heap_pop(nodes, heap, keys, size)
    size -= 1
    nodes[number]["next"] = EMPTY  # closed
    cell, g = int64(nodes[number]["cell"]), int64(nodes[number]["g"])
    agents[i, WORK] += 1
    if events is not None:
        parent = int64(nodes[number]["parent"])
        before = -1 if parent < 0 else int64(nodes[max(parent, 0)]["cell"])
        record(events, ctl, E_EXPANDING, cell, before, g, key - g)
    x, y, goal_x, goal_y = cell % width, cell // width, goal % width, goal // width
    legal, row = int64(moves[cell]), STEP + 8 * (x & 1)
    if cell == goal:
        agents[i, REACHED] = number + 1
        legal = 0
    for d in range(8):
        if (legal >> d) & 1 == 0:
            continue
        n = cell + geo[row + d]
        new_g = g + priced(weights, geo, n, d)
        hashed = node_place(nodes, room, n)
        k = int64(nodes[hashed]["hash"])
        fresh = k < 0
        if fresh:
            k, place = used, size
            nodes[hashed]["hash"] = k
            nodes[k]["cell"] = n
            nodes[k]["at0"] = nodes[k]["at1"] = 0
            used += 1
            size += 1
        else:
            place = int64(nodes[k]["next"])
            if (place < 0) | (int64(nodes[k]["g"]) <= new_g):
                continue
        h = estimated(geo, x, y, d, goal_x, goal_y)
        nodes[k]["g"], nodes[k]["parent"], nodes[k]["prev"] = new_g, number, sequence
        sequence += 1
        heap_up(nodes, heap, keys, place, new_g + h, k)
        if events is not None:
            record(events, ctl, E_GENERATING if fresh else E_UPDATING, n, cell, new_g, h)
    agents[i, SEEN] += used - agents[i, USED]
    agents[i, OPEN], agents[i, USED], agents[i, SEQUENCE] = size, used, sequence
    agents[i, PEAK] = max(agents[i, PEAK], size)


@jit
def _listed(nodes: Array, which: int, k: int) -> int:
    return int64(nodes[k]["way1"]) if which else int64(nodes[k]["way0"])


@jit
def _append(nodes: Array, which: int, k: int, number: int) -> None:
    """Write place k of a list, and in the node where it lies there."""
    if which:
        nodes[k]["way1"], nodes[number]["at1"] = number, k
    else:
        nodes[k]["way0"], nodes[number]["at0"] = number, k


@jit
def trace_back(store: Array, agents: Array, i: int, allowed: int) -> None:
    """Go on with the trace, so many steps at most; once it is done it is the path to follow."""
    base, room, here = agents[i, BASE], agents[i, ROOM], agents[i, HERE]
    nodes = store[base : base + room]
    which, length = 1 - agents[i, LIST], agents[i, TRACED]
    if length == 0:  # the goal, once it is reached, or the best open cell
        tip = agents[i, REACHED] - 1
        _append(nodes, which, 0, tip if tip >= 0 else int64(nodes[0]["entry"]))
        length = 1
    last = _listed(nodes, which, length - 1)
    while (allowed > 0) & (last != here) & (last != 0):
        last = int64(nodes[last]["parent"])
        _append(nodes, which, length, last)
        length += 1
        allowed -= 1
    if (last == here) | (last == 0):
        agents[i, LIST], agents[i, FOLLOWED] = which, length
        agents[i, FINAL] = 1 if _listed(nodes, which, 0) == agents[i, REACHED] - 1 else 0
        length = 0
    agents[i, TRACED] = length


@jit
def next_node(store: Array, agents: Array, i: int) -> int:
    """Return the node to which the agent goes: on along the path, else back towards the start, where it waits."""
    base, room, here, which = agents[i, BASE], agents[i, ROOM], agents[i, HERE], agents[i, LIST]
    nodes = store[base : base + room]
    at = int64(nodes[here]["at1"]) if which else int64(nodes[here]["at0"])
    on = at < agents[i, FOLLOWED]
    if on:  # a place that another node took since tells that this one is not listed
        on = _listed(nodes, which, at) == here
    if on and at > 0:
        there = _listed(nodes, which, at - 1)
    else:
        there = here if here == 0 else int64(nodes[here]["parent"])
    return there


@jit
def wants_expansion(agents: Array, i: int) -> bool:
    """Tell whether the step in hand has a cell to expand."""
    return bool((agents[i, LEFT] > 1) & (agents[i, REACHED] == 0) & (agents[i, OPEN] > 0))


@jit
def shares(policy: Array, allowed: int) -> tuple[int, int]:
    """Return how many cells a step expands and how many steps of a trace it makes."""
    cells = max(1, allowed * policy[SPLIT] // 1000)
    return cells, max(1, (allowed - cells) * TRACES)


@jit
def trace_and_go(weights: Array | None, geo: Array, store: Array, agents: Array, i: int, traces: int) -> None:
    """End a step: trace back and move, or wait."""
    agents[i, LEFT] = 0
    if (agents[i, REACHED] == 0) & (agents[i, OPEN] == 0):
        agents[i, STATE] = UNREACHABLE
    else:
        if agents[i, FINAL] == 0:
            trace_back(store, agents, i, traces)
        there = next_node(store, agents, i)
        if there != agents[i, HERE]:
            cell = int64(store[agents[i, BASE] + there]["cell"])
            agents[i, HERE] = there
            go(weights, geo, agents, i, direction(geo, agents[i, CELL], cell))


@jit
def step(
    moves: Array,
    weights: Array | None,
    geo: Array,
    policy: Array,
    store: Array,
    ctl: Array,
    extra: None,
    agents: Array,
    positions: Array,
    ask: Array,
) -> int:
    """Advance every agent by one move (see `kernels.agents`)."""
    cells, traces = shares(policy, ask[ALLOWED])
    skipped = False
    began = now(ctl)
    for i in range(ask[FIRST], ask[LAST]):
        if agents[i, STATE] != RUNNING:
            skipped = True
            continue
        if skipped:  # passing by others is not this agent's time
            began, skipped = now(ctl), False
        if agents[i, LEFT] == 0:
            agents[i, LEFT] = cells + 1
        while wants_expansion(agents, i) | (agents[i, USED] == 0):
            if not has_room(store, ctl, agents, i):
                ctl[PAUSE] = PAUSE_STORE
                return i
            if agents[i, USED] == 0:
                begin(geo, store, ctl, agents, i)
            make_place(store, ctl, agents, i)
            expand(moves, weights, geo, store, ctl, agents, i, None)
            agents[i, LEFT] -= 1
        agents[i, MOST_WORK] = max(agents[i, MOST_WORK], cells + 1 - agents[i, LEFT])
        trace_and_go(weights, geo, store, agents, i, traces)
        began = end_step(geo, store, ctl, agents, positions, i, ask[CAP], began)
    return ask[LAST]
