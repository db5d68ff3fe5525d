"""PRA* in real time: the search over regions and the legs from centre to centre, spread over the moves of an agent.

First the way from region to region is searched for, then the first leg, and only then the agent moves. While it walks
a leg the next one is searched for, so later it waits only where a leg takes more work than its moves allow. The
searches are those of `pra`, in the agent's own chunk (see `sparse`), and so is the path.

Record k of a chunk also has place k of three lists, each from the end back to the start: the regions that are left, the
leg that is walked, and the leg that comes next; those two change roles when one is walked. Ten cells or regions that
are listed count as one expansion, as in TBA*, and so do 50 nodes of the search before that are forgotten.
"""

from waygrid.algorithms.regions.pra_query import TENTH, Regions
from waygrid.algorithms.regions.sectors_build import COLUMNS, ROWS, find_region
from waygrid.core import agents as agent
from waygrid.core import sparse
from waygrid.core.agents import direction, go
from waygrid.core.driver import make_agent_loop
from waygrid.core.heuristics import natural
from waygrid.core.jit import int64, jit
from waygrid.core.layout import TRIM, WIDTH
from waygrid.core.queue import heap_up

# The agent's own fields.
STAGE = sparse.BEYOND
TO = sparse.BEYOND + 1  # the region or cell for which it searches
LEGS = sparse.BEYOND + 2  # centres that are left
LIST = sparse.BEYOND + 3  # which of the two lists is walked
AT = sparse.BEYOND + 4  # the place in it where the agent is
STOP = sparse.BEYOND + 5  # and where the leg ends
TRACED = sparse.BEYOND + 6  # the length of the current list
TIP = sparse.BEYOND + 7  # the node that was listed last

# Stages: what is done next, in this order; those from READY on need no work.
NEW, REGIONS, LISTING, NEXT, SEARCHING, TRACING, READY, LAST_LEG = 0, 1, 2, 3, 4, 5, 6, 7

FORGETS = 50  # nodes of the last search that are forgotten at the price of an expansion


@jit
def _leg_cell(nodes, which: int, k: int) -> int:
    return int64(nodes[k]["way1"]) if which else int64(nodes[k]["way0"])


@jit
def _nodes_to_come(regions: Regions, store, agents, i: int) -> int:
    """Return how many nodes the next piece of work may make."""
    most = 9
    if agents[i, STAGE] == REGIONS:
        region = int64(store[agents[i, agent.BASE] + int64(store[agents[i, agent.BASE]]["entry"])]["cell"])
        most = int64(regions.offsets[region + 1]) - int64(regions.offsets[region])
    elif (agents[i, STAGE] == NEXT) & (agents[i, agent.USED] > 0):  # it forgets some
        most = 0
    return most


@jit
def _set_out(moves, geo, regions: Regions, store, ctl, agents, i: int) -> None:
    """Find the regions of start and goal and begin the search from the one to the other."""
    sector, cell = regions.plan[ROWS] * regions.plan[COLUMNS], agents[i, agent.CELL]
    came, queue = ctl[agent.NOTES : agent.NOTES + sector], ctl[agent.NOTES + sector : agent.NOTES + 2 * sector]
    plan, first, centres = regions.plan, regions.first, regions.centres
    one = find_region(moves, geo, plan, first, centres, cell, came, queue, False)
    other = find_region(moves, geo, plan, first, centres, agents[i, agent.TARGET], came, queue, False)
    store[agents[i, agent.BASE]]["way0"] = cell  # where the first leg begins
    agents[i, STAGE], agents[i, TO] = NEXT, other
    if one != other:
        sparse.begin(store, agents, i, one, 0)
        agents[i, STAGE] = REGIONS


@jit
def _expand_region(geo, regions: Regions, store, agents, i: int) -> None:
    """Expand the best open region; prices are the distances of centres (as `pra.plan_regions`)."""
    base, room, goal = agents[i, agent.BASE], agents[i, agent.ROOM], agents[i, TO]
    offsets, neighbours, places = regions.offsets, regions.neighbours, regions.places
    nodes = store[base : base + room]
    number = sparse.pop(store, agents, i)
    size, used, sequence = agents[i, sparse.OPEN], agents[i, agent.USED], agents[i, sparse.SEQUENCE]
    here, g = int64(nodes[number]["cell"]), int64(nodes[number]["g"])
    x, y = int64(places[here, 0]), int64(places[here, 1])
    goal_x, goal_y = int64(places[goal, 0]), int64(places[goal, 1])
    end = int64(offsets[here + 1]) if here != goal else int64(offsets[here])
    for edge in range(int64(offsets[here]), end):
        n = int64(neighbours[edge])
        nx, ny = int64(places[n, 0]), int64(places[n, 1])
        cost = g + natural(geo, x, y, nx, ny)
        k, place = sparse.find_node(nodes, room, n, cost, used, size)
        if place < 0:
            continue
        if k == used:
            used += 1
            size += 1
        nodes[k]["g"], nodes[k]["parent"], nodes[k]["prev"] = cost, number, sequence
        sequence += 1
        heap_up(nodes, nodes["entry"], nodes["key"], place, cost + natural(geo, nx, ny, goal_x, goal_y), k)
    agents[i, agent.SEEN] += used - agents[i, agent.USED]
    agents[i, sparse.OPEN], agents[i, agent.USED], agents[i, sparse.SEQUENCE] = size, used, sequence
    agents[i, sparse.PEAK] = max(agents[i, sparse.PEAK], size)
    if here == goal:
        agents[i, STAGE], agents[i, TIP] = LISTING, number
    elif size == 0:  # as `pra` does where regions do not meet
        agents[i, STAGE] = NEXT


@jit
def _list_regions(store, agents, i: int) -> None:
    """List some of the regions on the way, the last but one first; the first of all is left out."""
    base, room = agents[i, agent.BASE], agents[i, agent.ROOM]
    nodes = store[base : base + room]
    tip, listed, left = int64(nodes[agents[i, TIP]]["parent"]), agents[i, LEGS], sparse.TRACES
    while tip > 0 and left > 0:
        nodes[listed]["region"] = nodes[tip]["cell"]
        agents[i, TIP] = tip
        tip = int64(nodes[tip]["parent"])
        listed += 1
        left -= 1
    agents[i, LEGS] = listed
    agents[i, agent.WORK] += 1
    if tip <= 0:
        agents[i, STAGE] = NEXT


@jit
def _begin_leg(geo, regions: Regions, store, agents, i: int) -> None:
    """Begin the search for the next centre, or the goal, where the leg before it ends."""
    base, room, width = agents[i, agent.BASE], agents[i, agent.ROOM], geo[WIDTH]
    nodes = store[base : base + room]
    start, to = _leg_cell(nodes, agents[i, LIST], agents[i, STOP]), agents[i, agent.TARGET]
    legs = agents[i, LEGS]
    if legs > 0:
        legs -= 1
        to = int64(regions.centres[int64(nodes[legs]["region"])])
    agents[i, LEGS], agents[i, TO], agents[i, STAGE] = legs, to, SEARCHING
    sparse.begin(store, agents, i, start, natural(geo, start % width, start // width, to % width, to // width))


@jit
def _trace(store, agents, i: int) -> None:
    """List some cells of the leg that was found, from its end."""
    base, room, which = agents[i, agent.BASE], agents[i, agent.ROOM], 1 - agents[i, LIST]
    nodes = store[base : base + room]
    tip, traced, left = agents[i, TIP], agents[i, TRACED], sparse.TRACES
    while tip >= 0 and left > 0:
        cell = int64(nodes[tip]["cell"])
        if which:
            nodes[traced]["way1"] = cell
        else:
            nodes[traced]["way0"] = cell
        tip = int64(nodes[tip]["parent"])
        traced += 1
        left -= 1
    agents[i, TIP], agents[i, TRACED] = tip, traced
    agents[i, agent.WORK] += 1
    if tip < 0:
        agents[i, STAGE] = READY


@jit
def work(moves, weights, geo, regions: Regions, store, ctl, agents, i: int) -> None:
    """Do one piece of work, an expansion at most; there is room for its nodes."""
    stage, before = agents[i, STAGE], agents[i, agent.WORK]
    if stage == NEW:
        _set_out(moves, geo, regions, store, ctl, agents, i)
    elif stage == REGIONS:
        _expand_region(geo, regions, store, agents, i)
    elif stage == LISTING:
        _list_regions(store, agents, i)
    elif (stage == NEXT) & (agents[i, agent.USED] > 0):
        sparse.forget(store, agents, i, FORGETS)
        agents[i, agent.WORK] += 1
    elif stage == NEXT:
        _begin_leg(geo, regions, store, agents, i)
    elif stage == SEARCHING:
        sparse.expand(moves, weights, geo, store, ctl, agents, i, agents[i, TO], None)
        if agents[i, sparse.REACHED] > 0:
            agents[i, STAGE], agents[i, TIP], agents[i, TRACED] = TRACING, agents[i, sparse.REACHED] - 1, 0
    else:
        _trace(store, agents, i)
    agents[i, sparse.LEFT] -= agents[i, agent.WORK] - before


@jit
def walk(weights, geo, policy, store, agents, i: int) -> None:
    """Make a move along the leg, or along the next one where that is known; else wait."""
    if (agents[i, AT] == agents[i, STOP]) & (agents[i, STAGE] == READY):
        last = agents[i, TO] == agents[i, agent.TARGET]
        moves = agents[i, TRACED] - 1
        agents[i, LIST], agents[i, AT] = 1 - agents[i, LIST], moves
        agents[i, STOP] = moves // TENTH if (policy[TRIM] != 0) & (not last) else 0
        agents[i, STAGE] = LAST_LEG if last else NEXT
    if agents[i, AT] > agents[i, STOP]:
        base, room = agents[i, agent.BASE], agents[i, agent.ROOM]
        nodes = store[base : base + room]
        agents[i, AT] -= 1
        there = _leg_cell(nodes, agents[i, LIST], agents[i, AT])
        go(weights, geo, agents, i, direction(geo, agents[i, agent.CELL], there))


@jit
def move(moves, weights, geo, policy, store, ctl, index: Regions, agents, i: int, allowed: int) -> int:
    """Plan as far as expansions allow, and make one move."""
    if agents[i, sparse.LEFT] == 0:
        agents[i, sparse.LEFT] = allowed + 1
    while (agents[i, sparse.LEFT] > 1) & (agents[i, STAGE] < READY):
        more = _nodes_to_come(index, store, agents, i)
        if not sparse.has_room(store, ctl, agents, i, more):
            return agent.NO_ROOM
        sparse.make_place(store, ctl, agents, i, more)
        work(moves, weights, geo, index, store, ctl, agents, i)
    agents[i, agent.MOST_WORK] = max(agents[i, agent.MOST_WORK], allowed + 1 - agents[i, sparse.LEFT])
    agents[i, sparse.LEFT] = 0
    walk(weights, geo, policy, store, agents, i)
    return agent.MOVED


step = make_agent_loop(__name__, move)
