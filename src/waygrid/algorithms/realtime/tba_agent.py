"""Time-Bounded A* (Björnsson, Bulitko and Sturtevant 2009): one A*, spread over the moves of an agent.

Every step expands some cells of the one search from the start and traces the best open cell back to the start, or to
the agent, a bounded way at a time. A finished trace is the path to follow. An agent that is not on it goes back the way
the search came, towards the start, until it is. With a consistent estimate no cell is expanded twice.

Record k of a chunk (see `sparse`) also has place k of two lists: the path that is followed and the trace in
hand, which change roles when it is done.
"""

from waygrid.core import agents as agent
from waygrid.core import layout as at
from waygrid.core.agents import direction, go
from waygrid.core.driver import make_agent_loop
from waygrid.core.heuristics import natural
from waygrid.core.jit import int64, jit
from waygrid.core.sparse import BEYOND, LEFT, OPEN, REACHED, TRACES, begin, expand, has_room, make_place

# The row of an agent, behind that of the search.
HERE = BEYOND  # the node at which the agent is
LIST = BEYOND + 1  # which of the two lists is followed
FOLLOWED = BEYOND + 2  # its length
TRACED = BEYOND + 3  # the length of the other one, 0: there is no current trace
FINAL = BEYOND + 4  # 1: the path that is followed leads to the goal

NINE = 9  # the most nodes that one expansion makes, and the start


@jit
def _read_list(nodes, which: int, k: int) -> int:
    return int64(nodes[k]["way1"]) if which else int64(nodes[k]["way0"])


@jit
def _append(nodes, which: int, k: int, number: int) -> None:
    """Write place k of a list, and in the node where it lies there."""
    if which:
        nodes[k]["way1"], nodes[number]["at1"] = number, k
    else:
        nodes[k]["way0"], nodes[number]["at0"] = number, k


@jit
def trace_back(store, agents, i: int, allowed: int) -> None:
    """Go on with the trace, so many steps at most; once it is done it is the path to follow."""
    base, room, here = agents[i, agent.BASE], agents[i, agent.ROOM], agents[i, HERE]
    nodes = store[base : base + room]
    which, length = 1 - agents[i, LIST], agents[i, TRACED]
    if length == 0:  # the goal, once it is reached, or the best open cell
        tip = agents[i, REACHED] - 1
        _append(nodes, which, 0, tip if tip >= 0 else int64(nodes[0]["entry"]))
        length = 1
    last = _read_list(nodes, which, length - 1)
    while (allowed > 0) & (last != here) & (last != 0):
        last = int64(nodes[last]["parent"])
        _append(nodes, which, length, last)
        length += 1
        allowed -= 1
    if (last == here) | (last == 0):
        agents[i, LIST], agents[i, FOLLOWED] = which, length
        agents[i, FINAL] = 1 if _read_list(nodes, which, 0) == agents[i, REACHED] - 1 else 0
        length = 0
    agents[i, TRACED] = length


@jit
def next_node(store, agents, i: int) -> int:
    """Return the node to which the agent goes: on along the path, else back towards the start, where it waits."""
    base, room, here, which = agents[i, agent.BASE], agents[i, agent.ROOM], agents[i, HERE], agents[i, LIST]
    nodes = store[base : base + room]
    position = int64(nodes[here]["at1"]) if which else int64(nodes[here]["at0"])
    on = position < agents[i, FOLLOWED]
    if on:  # a place that another node took since shows that this one is not listed
        on = _read_list(nodes, which, position) == here
    if on and position > 0:
        there = _read_list(nodes, which, position - 1)
    else:
        there = here if here == 0 else int64(nodes[here]["parent"])
    return there


@jit
def wants_expansion(agents, i: int) -> bool:
    """Return whether the current step has a cell to expand."""
    return bool((agents[i, LEFT] > 1) & (agents[i, REACHED] == 0) & (agents[i, OPEN] > 0))


@jit
def expand_next(moves, weights, geo, store, ctl, agents, i: int, events) -> None:
    """Expand the best open cell, the start at first; `has_room` was asked before."""
    make_place(store, ctl, agents, i, NINE)
    if agents[i, agent.USED] == 0:
        cell, goal, width = agents[i, agent.CELL], agents[i, agent.TARGET], geo[at.WIDTH]
        h = geo[at.MIN_WEIGHT] * natural(geo, cell % width, cell // width, goal % width, goal // width)
        begin(store, agents, i, cell, h)
    expand(moves, weights, geo, store, ctl, agents, i, agents[i, agent.TARGET], events)
    agents[i, LEFT] -= 1


@jit
def split_work(policy, allowed: int) -> tuple[int, int]:
    """Return how many cells a step expands and how many steps of a trace it makes."""
    cells = max(1, allowed * policy[at.SPLIT] // 1000)
    return cells, max(1, (allowed - cells) * TRACES)


@jit
def trace_and_go(weights, geo, store, agents, i: int, traces: int) -> None:
    """End a step: trace back and move, or wait."""
    agents[i, LEFT] = 0
    if (agents[i, REACHED] == 0) & (agents[i, OPEN] == 0):
        agents[i, agent.STATE] = at.UNREACHABLE
    else:
        if agents[i, FINAL] == 0:
            trace_back(store, agents, i, traces)
        there = next_node(store, agents, i)
        if there != agents[i, HERE]:
            cell = int64(store[agents[i, agent.BASE] + there]["cell"])
            agents[i, HERE] = there
            go(weights, geo, agents, i, direction(geo, agents[i, agent.CELL], cell))


@jit
def move(moves, weights, geo, store, ctl, agents, i: int, limits: tuple[int, int]) -> int:
    """Expand cells, trace back and make one move."""
    cells, traces = limits
    if agents[i, LEFT] == 0:
        agents[i, LEFT] = cells + 1
    while wants_expansion(agents, i) | (agents[i, agent.USED] == 0):
        if not has_room(store, ctl, agents, i, NINE):
            return agent.NO_ROOM
        expand_next(moves, weights, geo, store, ctl, agents, i, None)
    agents[i, agent.MOST_WORK] = max(agents[i, agent.MOST_WORK], cells + 1 - agents[i, LEFT])
    trace_and_go(weights, geo, store, agents, i, traces)
    return agent.MOVED


step = make_agent_loop(__name__, move, names={"limits": "split_work(policy, allowed)"})
