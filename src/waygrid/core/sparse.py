"""A* in an agent's chunk of the store (see `agents`): the memory is that of the cells it generates.

A chunk holds the nodes in the order of their making; record k also has place k of the heap and of the hash table, and
of whatever lists the algorithm keeps beside them. With a consistent estimate no cell is expanded twice. Ties are those
of `bestfirst`: of equal keys the newest comes first.
"""

from waygrid.core import agents as agent
from waygrid.core import layout as at
from waygrid.core.agents import estimate_neighbour, give_chunk, has_chunk, larger, price_move, take_chunk
from waygrid.core.events import record
from waygrid.core.jit import int64, jit
from waygrid.core.queue import heap_pop, heap_up

# The row of an agent, behind what all have. A step may pause for memory, and resumes where it was.
OPEN = agent.OWN  # cells on the open list
PEAK = agent.OWN + 1  # the most there were
SEQUENCE = agent.OWN + 2  # counts insertions: among equal keys the newest comes first
LEFT = agent.OWN + 3  # 1 + expansions left in this step, 0 between steps
REACHED = agent.OWN + 4  # 1 + the goal's node, once it was expanded
BEYOND = agent.OWN + 5  # the first that is free for the algorithm

TRACES = 10  # steps back along a path that count as one expansion [c in the paper on TBA*]


@jit
def home_of(cell: int) -> int:
    """Return where in the hash table the search for a cell's node begins (spread as in `agents.place_of`)."""
    return ((((cell >> 2) * 0x9E3779B1) >> 13) & ~3) + (cell & 3)


@jit
def node_place(nodes, room: int, cell: int) -> int:
    """Return the place of the hash table that holds a cell's node, or would."""
    mask = room - 1
    place = home_of(cell)
    number = int64(nodes[place & mask]["hash"])
    while (number >= 0) & (int64(nodes[max(number, 0)]["cell"]) != cell):
        place += 1
        number = int64(nodes[place & mask]["hash"])
    return place & mask


@jit
def has_room(store, ctl, agents, i: int, more: int) -> bool:
    """Return whether so many more nodes fit, if need be in a larger chunk."""
    room, needed = agents[i, agent.ROOM], agents[i, agent.USED] + more
    order = larger(room)
    while 4 * needed > 3 << order:
        order += 1
    return bool((4 * needed <= 3 * room) | has_chunk(store, ctl, order))


@jit
def make_place(store, ctl, agents, i: int, more: int) -> None:
    """Take a larger chunk where so many more nodes do not fit; nodes keep their numbers, only the hash table is new."""
    old, room, used = agents[i, agent.BASE], agents[i, agent.ROOM], agents[i, agent.USED]
    if 4 * (used + more) > 3 * room:
        order = larger(room)
        while 4 * (used + more) > 3 << order:
            order += 1
        base, wide = take_chunk(store, ctl, order), 1 << order
        nodes = store[base : base + wide]
        for k in range(room):  # lists may be longer than there are nodes
            nodes[k] = store[old + k]
        for k in range(wide):
            nodes[k]["hash"] = agent.EMPTY
        for k in range(used):
            nodes[node_place(nodes, wide, int64(nodes[k]["cell"]))]["hash"] = k
        give_chunk(store, ctl, old, room)
        agents[i, agent.BASE], agents[i, agent.ROOM] = base, wide


@jit
def forget(store, agents, i: int, most: int) -> None:
    """Forget so many nodes, the newest first, or all that are left; no node is made until all are forgotten.

    From each node's home the hash table is emptied up to the first empty place. Nothing is ever taken out of it singly,
    so a node lies behind its home without a gap, or has been met before.
    """
    base, mask, used = agents[i, agent.BASE], agents[i, agent.ROOM] - 1, agents[i, agent.USED]
    left = max(used - most, 0)
    for k in range(left, used):
        place = home_of(int64(store[base + k]["cell"]))
        while int64(store[base + (place & mask)]["hash"]) >= 0:
            store[base + (place & mask)]["hash"] = agent.EMPTY
            place += 1
    agents[i, agent.USED] = left


@jit
def begin(store, agents, i: int, start: int, h: int) -> None:
    """Put the start on the open list; `make_place` was called before."""
    base, room = agents[i, agent.BASE], agents[i, agent.ROOM]
    nodes = store[base : base + room]
    nodes[0]["cell"], nodes[0]["g"], nodes[0]["parent"], nodes[0]["prev"] = start, 0, agent.EMPTY, 0
    nodes[node_place(nodes, room, start)]["hash"] = 0
    heap_up(nodes, nodes["entry"], nodes["key"], 0, h, 0)
    agents[i, agent.USED] = agents[i, OPEN] = agents[i, SEQUENCE] = 1
    agents[i, PEAK] = max(agents[i, PEAK], 1)
    agents[i, REACHED] = 0
    agents[i, agent.SEEN] += 1


@jit
def pop(store, agents, i: int) -> int:
    """Take the best node off the open list; it is closed."""
    base, room = agents[i, agent.BASE], agents[i, agent.ROOM]
    nodes = store[base : base + room]
    number = heap_pop(nodes, nodes["entry"], nodes["key"], agents[i, OPEN])
    agents[i, OPEN] -= 1
    agents[i, agent.WORK] += 1
    nodes[number]["next"] = agent.EMPTY
    return number


@jit
def find_node(nodes, room: int, n: int, new_g: int, used: int, size: int) -> tuple[int, int]:
    """Return a cell's node, number `used` if it is new, and its place in the heap, -1 if this way is no better."""
    hashed = node_place(nodes, room, n)
    k = int64(nodes[hashed]["hash"])
    if k < 0:
        k, place = used, size
        nodes[hashed]["hash"] = k
        nodes[k]["cell"] = n
    else:
        place = int64(nodes[k]["next"])
        if int64(nodes[k]["g"]) <= new_g:
            place = -1
    return k, place


@jit
def expand(moves, weights, geo, store, ctl, agents, i: int, goal: int, events) -> None:
    """Expand the best open cell; there is room for eight more nodes."""
    base, room, width = agents[i, agent.BASE], agents[i, agent.ROOM], geo[at.WIDTH]
    nodes = store[base : base + room]
    heap, keys = nodes["entry"], nodes["key"]
    key = int64(keys[0])
    number = pop(store, agents, i)
    size, used, sequence = agents[i, OPEN], agents[i, agent.USED], agents[i, SEQUENCE]
    cell, g = int64(nodes[number]["cell"]), int64(nodes[number]["g"])
    if events is not None:
        parent = int64(nodes[number]["parent"])
        before = -1 if parent < 0 else int64(nodes[max(parent, 0)]["cell"])
        record(events, ctl, at.E_EXPANDING, cell, before, g, key - g)
    x, y, goal_x, goal_y = cell % width, cell // width, goal % width, goal // width
    legal, row = int64(moves[cell]), at.STEP + 8 * (x & 1)
    if cell == goal:
        agents[i, REACHED] = number + 1
        legal = 0
    for d in range(8):
        if (legal >> d) & 1 == 0:
            continue
        n = cell + geo[row + d]
        new_g = g + price_move(weights, geo, n, d)
        k, place = find_node(nodes, room, n, new_g, used, size)
        if place < 0:
            continue
        fresh = k == used
        if fresh:
            used += 1
            size += 1
        h = estimate_neighbour(geo, x, y, d, goal_x, goal_y)
        nodes[k]["g"], nodes[k]["parent"], nodes[k]["prev"] = new_g, number, sequence
        sequence += 1
        heap_up(nodes, heap, keys, place, new_g + h, k)
        if events is not None:
            record(events, ctl, at.E_GENERATING if fresh else at.E_UPDATING, n, cell, new_g, h)
    agents[i, agent.SEEN] += used - agents[i, agent.USED]
    agents[i, OPEN], agents[i, agent.USED], agents[i, SEQUENCE] = size, used, sequence
    agents[i, PEAK] = max(agents[i, PEAK], size)
