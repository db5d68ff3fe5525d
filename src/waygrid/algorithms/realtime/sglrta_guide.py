"""sgLRTA* (Hernández and Baier 2011): the tree of the goal leads from subgoal to subgoal along a cheapest path.

A tree has nodes but not which of them is the subgoal of each cell: that would be a table of all pairs. It is found by
what it is: of all nodes to which the agent can climb along a path of the distance on the empty map, the one with the
least distance + cost from there. Nodes are looked at from the farthest to the goal itself, and a climb is tried where
this sum is below the best so far. A unit of work is UNIT nodes looked at and moves tried, both counted together. Then
the agent follows the parents of that node; each climb on the way was checked when the tree was made.
"""

from typing import NamedTuple

from waygrid.algorithms.realtime.guided_query import FOLLOWING, FREE, GUIDES, NEW, STAGE, UNIT, WALK, head_for, let_go
from waygrid.algorithms.regions.climb import climb_on
from waygrid.core.agents import CELL, TARGET
from waygrid.core.heuristics import natural
from waygrid.core.jit import Array, int64, jit
from waygrid.core.layout import INFINITE, WIDTH

SEEKING, TRYING = FREE + 1, FREE + 2  # stages: nodes are looked at; the climb to one is tried
CALL = 8  # what it takes to begin a climb, in moves

# The agent's own fields: the current node; the best so far, the node to follow in the end, and its sum; what the climb
# that is tried has cost.
AT, POINT, RANK, SPENT = range(GUIDES, GUIDES + 4)


class Trees(NamedTuple):
    """The index of sglrta. Cells where an agent can stand have numbers, one by one."""

    cells: Array  # by number
    ids: Array  # for each cell its number
    offsets: Array  # for each goal its first node, which is itself; one more at the end
    nodes: Array  # numbers of their cells, by rising cost
    parents: Array  # places in the same tree
    costs: Array  # to the goal


@jit
def _seek(geo, known: Trees, agents, i: int, first: int, room: int) -> int:
    """Look at nodes, until one is worth a climb, all were seen or the room is used up; return what is left of it."""
    cells, nodes, costs = known.cells, known.nodes, known.costs
    width, cell, rank, at = geo[WIDTH], agents[i, CELL], agents[i, RANK], agents[i, AT]
    x, y = cell % width, cell // width
    found = False
    while room > 0 and at > first and not found:
        at -= 1
        room -= 1
        if int64(costs[at]) < rank:
            v = int64(cells[nodes[at]])
            found = natural(geo, x, y, v % width, v // width) + int64(costs[at]) < rank
    agents[i, AT] = at
    if found:
        agents[i, STAGE], agents[i, WALK], agents[i, SPENT] = TRYING, cell, 0
        room -= CALL
    return room


@jit
def _try(moves, geo, agents, i: int, v: int, cost: int, room: int) -> int:
    """Go on with the climb to a node at cell v; return what is left of the room."""
    width, cell = geo[WIDTH], agents[i, CELL]
    most = max(room, 1)
    at, spent, left = climb_on(moves, geo, agents[i, WALK], v, most)
    agents[i, WALK] = at
    agents[i, SPENT] += spent
    if at == v:
        away = natural(geo, cell % width, cell // width, v % width, v // width)
        if agents[i, SPENT] == away:
            agents[i, RANK], agents[i, POINT] = away + cost, agents[i, AT]
    if (at == v) | (left > 0):
        agents[i, STAGE] = SEEKING
    return room - (most - left)


@jit
def _follow(store, ctl, agents, i: int, known: Trees) -> None:
    """Turn to the parent of the node at which the agent stands."""
    first = int64(known.offsets[known.ids[agents[i, TARGET]]])
    agents[i, POINT] = first + int64(known.parents[agents[i, POINT]])
    head_for(store, ctl, agents, i, int64(known.cells[known.nodes[agents[i, POINT]]]))


@jit
def ask_trees(moves, geo, policy, store, ctl, agents, i: int, known: Trees) -> bool:
    """Do a unit of work for an agent; return whether there was any to do (see `guided_query`)."""
    if agents[i, STAGE] == FOLLOWING:
        _follow(store, ctl, agents, i, known)
        return False
    goal = int64(known.ids[agents[i, TARGET]])
    first = int64(known.offsets[goal])
    if agents[i, STAGE] == NEW:
        agents[i, STAGE], agents[i, AT], agents[i, RANK] = SEEKING, known.offsets[goal + 1], INFINITE
        agents[i, POINT] = -1
    room = UNIT
    while room > 0 and (agents[i, STAGE] == TRYING or agents[i, AT] > first):
        if agents[i, STAGE] == SEEKING:
            room = _seek(geo, known, agents, i, first, room)
        else:
            at = agents[i, AT]
            room = _try(moves, geo, agents, i, int64(known.cells[known.nodes[at]]), int64(known.costs[at]), room)
    if agents[i, STAGE] == SEEKING and agents[i, AT] == first:
        if agents[i, POINT] < 0:  # no tree of this map has such a start
            let_go(store, ctl, agents, i)
        else:
            agents[i, STAGE] = FOLLOWING
            head_for(store, ctl, agents, i, int64(known.cells[known.nodes[agents[i, POINT]]]))
    return True
