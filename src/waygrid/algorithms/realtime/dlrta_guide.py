"""D LRTA* (Bulitko et al. 2008): LRTA* towards subgoals from a table for every two nodes of a clique abstraction.

The agent looks up the subgoal for its own node and that of its target, heads for it, and looks up the next one when it
comes into the subgoal's node. Within the node of the target it heads for the target. Each subgoal's node is nearer to
the target's than the one before (see `dlrta_build.walk_out`). Only a damaged table leads in a circle, back to a node
that was marked (Brent), or names the cell where the agent is; the agent is on its own then. Nodes that it strays into
on the way to a subgoal are not asked: to a fixed cell LRTA* always arrives.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from waygrid.algorithms.realtime.guided_query import FREE, GUIDES, NEW, STAGE, head_for, let_go
from waygrid.algorithms.regions import dba_database as dba
from waygrid.algorithms.regions.hcdps_query import region_of
from waygrid.core.agents import CELL, TARGET
from waygrid.core.jit import Array, int64, jit

WATCHING = FREE + 1  # stage of an agent: it is asked in each step where it is
GOAL_NODE, AIM_NODE = GUIDES, GUIDES + 1  # its own fields
LOOKED_UP, MARKED = GUIDES + 2, GUIDES + 3  # subgoals so far; the node of the 1st, 2nd, 4th, 8th ... of them
next_exit: Callable[..., int] = dba.next_hop  # it reads fields by their names, which are the same in the tuple below


class Subgoals(NamedTuple):
    """The index of dlrta."""

    spans: Array  # first cell << bits | node, for this cell and those behind it, in the order of the scan
    offsets: Array  # for each node its first exit; one more at the end
    exits: Array  # cells outside the node that are its subgoals
    places: Array  # for each node its place in the rows below
    row_first: Array  # for each node its first run; one more at the end
    runs: Array  # place << bits | which of the exits is next, for this place and those behind it
    bits: Array  # of an exit in the runs, and of a node in the spans


@jit
def ask_subgoals(store, ctl, agents, i: int, known: Subgoals) -> bool:
    """Look up the next subgoal if it is time; that is no work worth counting, so the agent may always move."""
    spans, bits = known.spans, known.bits
    node = region_of(spans, bits, agents[i, CELL])
    if agents[i, STAGE] == NEW:
        agents[i, STAGE], agents[i, AIM_NODE] = WATCHING, node
        agents[i, GOAL_NODE] = region_of(spans, bits, agents[i, TARGET])
    if node == agents[i, AIM_NODE]:
        number, aim, looked = -1, agents[i, CELL], agents[i, LOOKED_UP] + 1
        circle = (looked > 1) & (node == agents[i, MARKED])
        agents[i, LOOKED_UP] = looked
        agents[i, MARKED] = node if looked & (looked - 1) == 0 else agents[i, MARKED]
        if (node != agents[i, GOAL_NODE]) & (not circle):
            number = next_exit(known, node, agents[i, GOAL_NODE])
        if number >= 0:
            aim = int64(known.exits[number])
        if aim != agents[i, CELL]:
            agents[i, AIM_NODE] = region_of(spans, bits, aim)
            head_for(store, ctl, agents, i, aim)
        else:
            let_go(store, ctl, agents, i)
    return False


@jit
def first_astray(labels, known: Subgoals, pair) -> bool:
    """Follow the subgoals between any two nodes of a part of the map; write the first pair where they do not arrive."""
    spans, bits, nodes = known.spans, known.bits, known.places.size
    part = np.full(nodes, -1, np.int64)
    for cell in range(labels.size):
        if labels[cell] >= 0:
            part[region_of(spans, bits, cell)] = labels[cell]
    lead, arrives = np.empty(known.exits.size, np.int64), np.empty(nodes, np.int64)
    for number in range(lead.size):
        lead[number] = region_of(spans, bits, int64(known.exits[number]))
    for goal in range(nodes):
        arrives[:] = -1
        arrives[goal] = goal
        for start in range(nodes):
            node = start
            while part[node] == part[goal] and arrives[node] != goal:
                number = next_exit(known, node, goal)
                if number < 0 or arrives[node] == nodes + start:
                    pair[0], pair[1] = start, goal
                    return True
                arrives[node] = nodes + start  # a second visit on one way is a circle
                node = lead[number]
            if part[start] == part[goal]:
                if part[node] != part[goal]:
                    pair[0], pair[1] = start, goal
                    return True
                here = start
                while arrives[here] != goal:
                    arrives[here] = goal
                    here = lead[next_exit(known, here, goal)]
    return False
