"""The plan of D* Lite (Koenig and Likhachev 2002, the optimized version): a search from the goal that is repaired.

A node has two costs to the goal: g, and rhs, the least price of a move + g behind it. Where they differ, the node is on
the open list. The search takes nodes off it, by the least of g and rhs + the distance to the agent, until the agent's
node costs no more than what is left. Then the agent follows g downwards. A cell that turns out to be a wall, or to be
none, changes rhs of the cells around it. They go on the open list, and the search resumes from there: what lies
elsewhere stays as it is.

The agent moves, so the distances in the keys of the open list are out of date, by at most as much as it moved. Instead
of correcting them all, new keys are raised by that much (RAISED), which leaves the old ones too small. A node that is
taken off by a key that is too small goes back by the right one.

Record k of a chunk is node k. It is also place k of the heap (`entry`, `key`) and of the hash table (`hash`). Of equal
keys that with the least of g and rhs comes first; its negative is in `prev`, by which `queue` compares them.
"""

from waygrid.algorithms.realtime.dstar_lite_belief import (
    HERE,
    LAST,
    LEAST,
    MOST_OPEN,
    NONE,
    OPEN,
    PLANNING,
    RAISED,
    STANDS,
    Beliefs,
    believed_moves,
    find_or_make,
    recall_moves,
)
from waygrid.core import agents as agent
from waygrid.core import layout as at
from waygrid.core.agents import go, price_move
from waygrid.core.events import record
from waygrid.core.heuristics import natural
from waygrid.core.jit import int64, jit
from waygrid.core.queue import heap_down, heap_up
from waygrid.core.sparse import make_place, node_place

FAR = 2**60  # an infinite cost, to which prices can be added
TEN = 10  # the most nodes that one expansion or one surprise makes, and one to spare


@jit
def read_g(nodes, k: int) -> int:
    """Return g of a node."""
    g = int64(nodes[k]["g"])
    return g if g >= 0 else FAR


@jit
def read_rhs(nodes, k: int) -> int:
    """Return rhs of a node."""
    rhs = int64(nodes[k]["rhs"])
    return rhs if rhs >= 0 else FAR


@jit
def estimate_way(geo, agents, i: int, cell: int, other: int) -> int:
    """Return at least how much it costs to go from one cell to another, whatever turns out to be a wall or none."""
    width = geo[at.WIDTH]
    return agents[i, LEAST] * natural(geo, cell % width, cell // width, other % width, other // width)


@jit
def make_key(geo, nodes, agents, i: int, k: int) -> int:
    """Return the key of a node that is or will be on the open list."""
    least = min(read_g(nodes, k), read_rhs(nodes, k))
    return least + estimate_way(geo, agents, i, agents[i, agent.CELL], int64(nodes[k]["cell"])) + agents[i, RAISED]


@jit
def _put(nodes, agents, i: int, k: int, place: int, key: int) -> None:
    """Put a node into a place of the heap and move it to where its key belongs."""
    heap, keys = nodes["entry"], nodes["key"]
    heap_up(nodes, heap, keys, place, key, k)
    heap_down(nodes, heap, keys, agents[i, OPEN], int64(nodes[k]["next"]), key, k)


@jit
def update_node(geo, nodes, agents, i: int, k: int) -> None:
    """Put a node on the open list, correct its place there or take it off, as its g and rhs want it."""
    place = int64(nodes[k]["next"])
    if nodes[k]["g"] != nodes[k]["rhs"]:
        nodes[k]["prev"] = -min(read_g(nodes, k), read_rhs(nodes, k))
        if place < 0:
            place = agents[i, OPEN]
            agents[i, OPEN] += 1
            agents[i, MOST_OPEN] = max(agents[i, MOST_OPEN], agents[i, OPEN])
        _put(nodes, agents, i, k, place, make_key(geo, nodes, agents, i, k))
    elif place >= 0:
        last = agents[i, OPEN] - 1
        nodes[k]["next"] = agent.EMPTY
        agents[i, OPEN] = last
        if place < last:
            _put(nodes, agents, i, int64(nodes[last]["entry"]), place, int64(nodes[last]["key"]))


@jit
def reckon_rhs(weights, geo, nodes, k: int) -> int:
    """Return the least price of a believed move + g behind it, NONE if there is none."""
    cell, least = int64(nodes[k]["cell"]), FAR
    legal, row = int64(nodes[k]["ways"]), at.STEP + 8 * (cell % geo[at.WIDTH] & 1)
    for d in range(8):
        if (legal >> d) & 1:
            n = cell + geo[row + d]
            there = int64(nodes[node_place(nodes, nodes.size, n)]["hash"])
            if there >= 0:
                least = min(least, price_move(weights, geo, n, d) + read_g(nodes, there))
    return least if least < FAR else NONE


@jit
def begin_plan(geo, policy, index: Beliefs, store, ctl, agents, i: int, events) -> None:
    """Make the nodes of the agent's cell and of the goal; there is room for them."""
    make_place(store, ctl, agents, i, TEN)
    base, room, goal = agents[i, agent.BASE], agents[i, agent.ROOM], agents[i, agent.TARGET]
    nodes = store[base : base + room]
    agents[i, HERE] = find_or_make(index.known_walk, index.known_moves, nodes, agents, i, agents[i, agent.CELL])
    agents[i, LAST], agents[i, LEAST], agents[i, PLANNING] = agents[i, agent.CELL], policy[at.LEAST_WEIGHT], 1
    k = find_or_make(index.known_walk, index.known_moves, nodes, agents, i, goal)
    nodes[k]["rhs"] = 0
    update_node(geo, nodes, agents, i, k)
    if events is not None:
        record(events, ctl, at.E_GENERATING, goal, -1, 0, make_key(geo, nodes, agents, i, k))


@jit
def is_settled(store, agents, i: int) -> bool:
    """Return whether the cheapest way from the agent's cell is known, or that there is none."""
    base, room, here = agents[i, agent.BASE], agents[i, agent.ROOM], agents[i, HERE]
    nodes = store[base : base + room]
    g, rhs, first = read_g(nodes, here), read_rhs(nodes, here), int64(nodes[0]["key"])
    least = min(g, rhs)
    second = -int64(nodes[max(int64(nodes[0]["entry"]), 0)]["prev"])
    key = least + agents[i, RAISED]
    cheaper = (first < key) | ((first == key) & (second < least))
    return bool((agents[i, OPEN] == 0) | (not (cheaper | (rhs > g))))


@jit
def _lower_around(weights, geo, index: Beliefs, nodes, ctl, agents, i: int, u: int, events) -> None:
    """Tell the neighbours of a node whose g has fallen."""
    cell, g = int64(nodes[u]["cell"]), int64(nodes[u]["g"])
    legal, row = int64(nodes[u]["ways"]), at.STEP + 8 * (cell % geo[at.WIDTH] & 1)
    for d in range(8):
        if (legal >> d) & 1 == 0:
            continue
        used, cost = agents[i, agent.USED], g + price_move(weights, geo, cell, d)  # its price is that of entering u
        k = find_or_make(index.known_walk, index.known_moves, nodes, agents, i, cell + geo[row + d])
        if cost < read_rhs(nodes, k):
            nodes[k]["rhs"] = cost
            update_node(geo, nodes, agents, i, k)
            if events is not None:
                n = int64(nodes[k]["cell"])
                h = estimate_way(geo, agents, i, agents[i, agent.CELL], n)
                record(events, ctl, at.E_GENERATING if k == used else at.E_UPDATING, n, cell, cost, h)


@jit
def _raise_around(weights, geo, nodes, ctl, agents, i: int, u: int, before: int, events) -> None:
    """Tell the neighbours of a node whose g, which was `before`, is no more."""
    cell, goal = int64(nodes[u]["cell"]), agents[i, agent.TARGET]
    legal, row = int64(nodes[u]["ways"]), at.STEP + 8 * (cell % geo[at.WIDTH] & 1)
    for d in range(8):
        if (legal >> d) & 1 == 0:
            continue
        n = cell + geo[row + d]
        k = int64(nodes[node_place(nodes, nodes.size, n)]["hash"])
        if k < 0 or n == goal:
            continue
        if read_rhs(nodes, k) == before + price_move(weights, geo, cell, d):
            nodes[k]["rhs"] = reckon_rhs(weights, geo, nodes, k)
            update_node(geo, nodes, agents, i, k)
            if events is not None:
                h = estimate_way(geo, agents, i, agents[i, agent.CELL], n)
                record(events, ctl, at.E_UPDATING, n, cell, int64(nodes[k]["rhs"]), h)


@jit
def expand_first(weights, geo, index: Beliefs, store, ctl, agents, i: int, events) -> None:
    """Take the first node off the open list, which is not empty; there is room for more nodes."""
    make_place(store, ctl, agents, i, TEN)
    base, room = agents[i, agent.BASE], agents[i, agent.ROOM]
    nodes = store[base : base + room]
    u, key = int64(nodes[0]["entry"]), int64(nodes[0]["key"])
    g, rhs, right = read_g(nodes, u), read_rhs(nodes, u), make_key(geo, nodes, agents, i, u)
    agents[i, agent.WORK] += 1
    if events is not None:
        cell = int64(nodes[u]["cell"])
        h = estimate_way(geo, agents, i, agents[i, agent.CELL], cell)
        record(events, ctl, at.E_EXPANDING, cell, -1, min(g, rhs), h)
    if key < right:
        _put(nodes, agents, i, u, 0, right)
    elif g > rhs:
        nodes[u]["g"] = rhs
        update_node(geo, nodes, agents, i, u)
        _lower_around(weights, geo, index, nodes, ctl, agents, i, u, events)
    else:
        nodes[u]["g"] = NONE
        update_node(geo, nodes, agents, i, u)
        _raise_around(weights, geo, nodes, ctl, agents, i, u, g, events)


@jit
def revise(weights, geo, index: Beliefs, store, ctl, agents, i: int, cell: int, events) -> None:
    """Let the agent believe the contrary of one cell; there is room for more nodes."""
    make_place(store, ctl, agents, i, TEN)
    base, room, width, known_walk = agents[i, agent.BASE], agents[i, agent.ROOM], geo[at.WIDTH], index.known_walk
    nodes, here = store[base : base + room], agents[i, agent.CELL]
    agents[i, RAISED] += estimate_way(geo, agents, i, agents[i, LAST], here)
    agents[i, LAST], agents[i, PLANNING] = here, 1
    k = find_or_make(known_walk, index.known_moves, nodes, agents, i, cell)
    nodes[k]["ways"] = int64(nodes[k]["ways"]) ^ STANDS
    if events is not None:
        record(events, ctl, at.E_UPDATING, cell, here, int64(nodes[k]["rhs"]), 0)
    for place in range(9):
        x, y = cell % width + place % 3 - 1, cell // width + place // 3 - 1
        if not (0 <= x < width and 0 <= y < geo[at.HEIGHT]):
            continue
        legal, n = believed_moves(known_walk, nodes, geo, x, y), y * width + x
        if legal == recall_moves(index.known_moves, nodes, n):
            continue
        k = find_or_make(known_walk, index.known_moves, nodes, agents, i, n)
        nodes[k]["ways"] = (int64(nodes[k]["ways"]) & STANDS) + legal
        if n != agents[i, agent.TARGET]:
            nodes[k]["rhs"] = reckon_rhs(weights, geo, nodes, k)
            update_node(geo, nodes, agents, i, k)


@jit
def follow_plan(weights, geo, store, agents, i: int) -> None:
    """Make the move that the plan wants, of equally good ones the dearest; or end, where it has none."""
    base, room, here = agents[i, agent.BASE], agents[i, agent.ROOM], agents[i, HERE]
    nodes, cell = store[base : base + room], agents[i, agent.CELL]
    legal, row = int64(nodes[here]["ways"]), at.STEP + 8 * (cell % geo[at.WIDTH] & 1)
    chosen, least, dearest, node = -1, FAR, int64(0), here
    for d in range(8):
        if (legal >> d) & 1 == 0:
            continue
        n = cell + geo[row + d]
        k = int64(nodes[node_place(nodes, nodes.size, n)]["hash"])
        if k >= 0:
            price = price_move(weights, geo, n, d)
            cost = price + read_g(nodes, k)
            if (cost < least) | ((cost == least) & (cost < FAR) & (price > dearest)):
                chosen, least, dearest, node = d, cost, price, k
    agents[i, PLANNING] = 0
    if chosen < 0:
        agents[i, agent.STATE] = at.UNREACHABLE
    else:
        agents[i, HERE] = node
        go(weights, geo, agents, i, chosen)
