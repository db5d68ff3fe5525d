"""LaCAM*: a search over the positions of all agents, with priority inheritance as its generator of next positions.

Okumura, LaCAM: Search-Based Algorithm for Quick Multi-Agent Pathfinding (AAAI 2023), algorithm 1, and Improving LaCAM
for Scalable Eventually Optimal Multi-Agent Pathfinding (IJCAI 2023), algorithms 1 and 2. A node is where all agents
stand. Each visit of a node generates one successor; the first visit leaves everything to the generator, later ones
force moves upon more and more agents (a breadth-first tree of constraints), so that in the end every successor has been
tried. When nodes are met again, costs are corrected along the known edges.
"""

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit
from waygrid.crowd import layout as of
from waygrid.crowd.pibt_query import choose, is_open

# --- A node: int64 ---------------------------------------------------------------------------------------------------
PARENT, COST, LEFT = 0, 1, 2  # steps of agents that are not at rest so far, and at least left
FIRST, LAST = 3, 4  # the queue of its constraints; -1: empty
CHAIN = 5  # the next node with the same hash
EDGES = 6  # the first of its edges
FRESH = 7  # 1: never visited
NODE_SIZE = 8

# --- A constraint: int32 ---------------------------------------------------------------------------------------------
ABOVE, WHO, MOVE, AFTER, DEPTH = 0, 1, 2, 3, 4
LIMIT_SIZE = 5

# --- The state of the search: `plan`, int64 --------------------------------------------------------------------------
NODES, LIMITS, ARCS, OPEN = 0, 1, 2, 3  # how many there are
BEST = 4  # the node at which all have arrived, -1
UNIT = 5  # of distances: a step
PLAN_SIZE = 8
DONE, PAUSED, FULL = 0, 1, 2  # everything was tried; the budget is spent; an array is full
_HASHED = 1000003


@jit
def _hash(cells, size: int) -> int:
    value = 0
    for a in range(cells.size):
        value = ((value * _HASHED) ^ int64(cells[a])) & 0x7FFFFFFF
    return (value ^ (value >> 15)) & (size - 1)


@jit
def _find_node(configs, nodes, heads, cells) -> int:
    """Return the node of these positions, -1 if there is none yet."""
    node = int64(heads[_hash(cells, heads.size)])
    while node >= 0:
        same = True
        for a in range(cells.size):
            if configs[node, a] != cells[a]:
                same = False
                break
        if same:
            return node
        node = nodes[node, CHAIN]
    return -1


@jit
def _add_node(fields, rows, configs, orders, nodes, heads, plan, cells, parent: int) -> int:
    """Add a node; who has not arrived comes first in its order, as it was before."""
    node, left, place = plan[NODES], 0, 0
    for a in range(cells.size):
        configs[node, a] = cells[a]
        left += int64(fields[rows[a, of.FIELD], cells[a]]) // plan[UNIT]
    if parent < 0:
        for a in range(cells.size):
            orders[node, a] = orders[0, a]
    for arrived in range(2 if parent >= 0 else 0):
        for k in range(cells.size):
            a = int64(orders[parent, k])
            if (cells[a] == rows[a, of.GOAL]) == (arrived == 1):
                orders[node, place] = a
                place += 1
    nodes[node, PARENT], nodes[node, COST], nodes[node, LEFT] = parent, 0, left
    nodes[node, FIRST] = nodes[node, LAST] = nodes[node, EDGES] = -1
    nodes[node, FRESH] = 1
    bucket = _hash(cells, heads.size)
    nodes[node, CHAIN] = heads[bucket]
    heads[bucket] = node
    plan[NODES] += 1
    return node


@jit
def _price(rows, configs, node: int, other: int) -> int:
    """Return the cost of a step of all agents: how many of them are not at rest at their goals."""
    price = 0
    for a in range(configs.shape[1]):
        goal = rows[a, of.GOAL]
        if configs[node, a] != goal or configs[other, a] != goal:
            price += 1
    return price


@jit
def _add_edge(nodes, edges, plan, node: int, other: int, price: int) -> None:
    """Add an edge, once."""
    edge = nodes[node, EDGES]
    while edge >= 0:
        if edges[edge, 0] == other:
            return
        edge = int64(edges[edge, 1])
    edge = plan[ARCS]
    edges[edge, 0], edges[edge, 1], edges[edge, 2] = other, nodes[node, EDGES], price
    nodes[node, EDGES] = edge
    plan[ARCS] += 1


@jit
def _correct_costs(nodes, edges, opened, stack, plan, first: int) -> None:
    """Lower the costs of all that is reached more cheaply through a node; open what may lead to a better plan again.

    Where the stack or the list of open nodes is full, a correction is left out: costs then stay too high, never too
    low.
    """
    stack[0], top = first, 1
    while top > 0:
        top -= 1
        node = int64(stack[top])
        edge = nodes[node, EDGES]
        while edge >= 0:
            other, cost = int64(edges[edge, 0]), nodes[node, COST] + int64(edges[edge, 2])
            if cost < nodes[other, COST]:
                nodes[other, COST], nodes[other, PARENT] = cost, node
                best = plan[BEST]
                hopeful = best >= 0 and other != best and cost + nodes[other, LEFT] < nodes[best, COST]
                if hopeful and plan[OPEN] + 2 < opened.size:
                    opened[plan[OPEN]] = other
                    plan[OPEN] += 1
                if top < stack.size:
                    stack[top] = other
                    top += 1
            edge = int64(edges[edge, 1])


@jit
def _limit_further(moves, rows, configs, orders, nodes, limits, plan, node: int, limit: int) -> None:
    """Add what the next agent of the order may be forced to do, on top of a constraint."""
    depth = int64(limits[limit, DEPTH]) if limit >= 0 else 0
    if depth >= configs.shape[1]:
        return
    a = orders[node, depth]
    byte = int64(moves[configs[node, a]])
    for d in range(9):
        if d == of.STAY or ((byte >> d) & 1 and not rows[a, of.STILL]):
            new = plan[LIMITS]
            limits[new, ABOVE], limits[new, WHO], limits[new, MOVE] = limit, a, d
            limits[new, AFTER], limits[new, DEPTH] = -1, depth + 1
            if nodes[node, LAST] >= 0:
                limits[nodes[node, LAST], AFTER] = new
            else:
                nodes[node, FIRST] = new
            nodes[node, LAST] = new
            plan[LIMITS] += 1


@jit
def _force(geo, rows, board, limits, limit: int) -> bool:
    """Let agents make the moves of a constraint; return whether these are possible together."""
    while limit >= 0:
        a, d = int64(limits[limit, WHO]), int64(limits[limit, MOVE])
        cell = int64(rows[a, of.CELL])
        n = cell
        if d != of.STAY:
            n = cell + geo[at.STEP + 8 * (cell % geo[at.WIDTH] & 1) + d]
        if not is_open(geo, rows, board, a, cell, n, d):
            return False
        rows[a, of.NEXT], board[n, of.TAKEN] = n, a
        limit = int64(limits[limit, ABOVE])
    return True


@jit
def _generate(
    moves, geo, fields, rows, board, state, tries, configs, orders, limits, cells, node: int, limit: int
) -> bool:
    """Write next positions of all agents under a constraint; return whether there are any."""
    for a in range(cells.size):
        cell = configs[node, a]
        rows[a, of.CELL], rows[a, of.NEXT] = cell, -1
        board[cell, of.NOW] = a
    able = _force(geo, rows, board, limits, limit)
    for a in range(cells.size):
        if rows[a, of.STILL] and rows[a, of.NEXT] < 0:
            cell = int64(rows[a, of.CELL])
            able &= board[cell, of.TAKEN] < 0
            rows[a, of.NEXT], board[cell, of.TAKEN] = cell, a
    k = 0
    while able and k < cells.size:
        a = int64(orders[node, k])
        if rows[a, of.NEXT] < 0:
            able = choose(moves, None, geo, fields, cells, rows, board, state, tries, a)
        k += 1
    for a in range(cells.size):
        board[rows[a, of.CELL], of.NOW] = board[rows[a, of.CELL], of.TAKEN] = -1
        if rows[a, of.NEXT] >= 0:
            board[rows[a, of.NEXT], of.TAKEN] = -1
            cells[a] = rows[a, of.NEXT]
    return able


@jit
def _has_room(configs, limits, edges, opened, plan) -> bool:
    fits = plan[NODES] + 1 < len(configs) and plan[LIMITS] + 9 < len(limits)
    return fits and plan[ARCS] + 1 < len(edges) and plan[OPEN] + 4 < opened.size


@jit
def _meet(rows, configs, nodes, edges, opened, stack, plan, node: int, other: int) -> None:
    """Take note of a successor that is known already."""
    _add_edge(nodes, edges, plan, node, other, _price(rows, configs, node, other))
    _correct_costs(nodes, edges, opened, stack, plan, node)
    best = plan[BEST]
    if best < 0 or nodes[other, COST] + nodes[other, LEFT] < nodes[best, COST]:
        opened[plan[OPEN]] = other
        plan[OPEN] += 1


@jit
def search_plan(tables, crowd, tree, memory, plan, budget: int) -> int:
    """Make so many visits of nodes; return why the search stops."""
    moves, geo, fields = tables
    rows, board, state, tries = crowd
    configs, orders, nodes, heads = tree
    limits, edges, opened, stack, cells = memory
    while plan[OPEN] > 0:
        if budget <= 0:
            return PAUSED
        if not _has_room(configs, limits, edges, opened, plan):
            return FULL
        node, best = int64(opened[plan[OPEN] - 1]), plan[BEST]
        if best < 0 and nodes[node, LEFT] == 0:
            plan[BEST] = best = node
            return PAUSED
        worse = best >= 0 and nodes[node, COST] + nodes[node, LEFT] >= nodes[best, COST]
        if worse or (not nodes[node, FRESH] and nodes[node, FIRST] < 0):
            plan[OPEN] -= 1
            continue
        budget -= 1
        limit = -1
        if nodes[node, FRESH]:
            nodes[node, FRESH] = 0
        else:
            limit = nodes[node, FIRST]
            nodes[node, FIRST] = limits[limit, AFTER]
            if nodes[node, FIRST] < 0:
                nodes[node, LAST] = -1
        _limit_further(moves, rows, configs, orders, nodes, limits, plan, node, limit)
        if not _generate(moves, geo, fields, rows, board, state, tries, configs, orders, limits, cells, node, limit):
            continue
        other = _find_node(configs, nodes, heads, cells)
        if other >= 0:
            _meet(rows, configs, nodes, edges, opened, stack, plan, node, other)
            continue
        other = _add_node(fields, rows, configs, orders, nodes, heads, plan, cells, node)
        price = _price(rows, configs, node, other)
        nodes[other, COST] = nodes[node, COST] + price
        _add_edge(nodes, edges, plan, node, other, price)
        opened[plan[OPEN]] = other
        plan[OPEN] += 1
    return DONE


@jit
def open_plan(fields, rows, configs, orders, nodes, heads, opened, plan, cells) -> None:
    """Begin a search where the agents stand; the first row of `orders` says who comes first."""
    for bucket in range(heads.size):
        heads[bucket] = -1
    plan[BEST] = -1
    _add_node(fields, rows, configs, orders, nodes, heads, plan, cells, -1)
    opened[0] = 0
    plan[OPEN] = 1


@jit
def rehash(configs, nodes, heads, count: int) -> None:
    """Put all nodes into a larger table."""
    for bucket in range(heads.size):
        heads[bucket] = -1
    for node in range(count):
        bucket = _hash(configs[node], heads.size)
        nodes[node, CHAIN] = heads[bucket]
        heads[bucket] = node
