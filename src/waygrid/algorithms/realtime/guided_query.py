"""Guided LRTA*: agents that head for subgoals on their way (kNN LRTA*, sgLRTA*, D LRTA*; algorithms in section 2.3 of
Lee and Lawrence).

The loops are those of `lrta_query`. A plain agent's AIM is its TARGET; a guided one's is the cell that its guide
named last, and h, what it learns, and where a lookahead ends are all about that cell. So a new aim (`head_for`) is a
new table: values towards one cell say nothing about another.

How a guide takes part. What it knows is a NamedTuple of arrays, a field of `guides.Guide`, None for all other
algorithms (the compiler then leaves out what is about it), and `guides.ask_guide` asks it by a function

    ask_it(moves, geo, policy, store, ctl, agents, i, known) -> bool

which does at most one unit of work for agent i and returns True, or returns False without any: the agent may move. A
unit is about what LRTA* does for one cell (some 0.3 us), is counted as an expansion (WORK, MOST_WORK, the counters of
`find`), and at most ask[ALLOWED] of them, with those of LRTA*, are done in a step. An agent whose guide is not done by
then waits. Whatever a guide must remember between two units lies in the agent's row, from GUIDES on.

STAGE says when a guide is asked: in each step, unless it is FOLLOWING (only when the agent stands on its AIM) or FREE
(never again: the agent is on its own, and its AIM the TARGET). A guide may only name cells in the agent's part of the
map. To each of these LRTA* arrives, so an agent arrives if its guide names a bounded number of them and then lets go.
"""

from waygrid.algorithms.regions.climb import climb_on
from waygrid.core import agents as agent
from waygrid.core.agents import give_chunk
from waygrid.core.jit import jit

STAGE, WALK, GUIDES = (
    agent.OWN,
    agent.OWN + 1,
    agent.OWN + 2,
)  # WALK: how far a climb is tried; from GUIDES on, fields of one guide
NEW, FOLLOWING, FREE = 0, 1, 2  # a guide's own stages come behind these
UNIT = 128  # moves of a climb, or stored things that are looked at, in one unit of work
ARRIVED, CLIMBING, STUCK = 0, 1, 2


@jit
def head_for(store, ctl, agents, i: int, aim: int) -> None:
    """Let an agent head for another cell, and forget what it learned on the way to the one before."""
    if aim != agents[i, agent.AIM]:
        give_chunk(store, ctl, agents[i, agent.BASE], agents[i, agent.ROOM])
        agents[i, agent.BASE], agents[i, agent.ROOM], agents[i, agent.USED] = 0, 1, 0
        agents[i, agent.AIM] = aim


@jit
def let_go(store, ctl, agents, i: int) -> None:
    """Leave an agent on its own: it heads for its target from now on."""
    head_for(store, ctl, agents, i, agents[i, agent.TARGET])
    agents[i, STAGE] = FREE


@jit
def climb_unit(moves, geo, agents, i: int, goal: int) -> int:
    """Try a climb to a cell a unit further, from WALK on; return whether it ARRIVED, is CLIMBING still or is STUCK."""
    cell, _, left = climb_on(moves, geo, agents[i, WALK], goal, UNIT)
    agents[i, WALK] = cell
    short = STUCK if left > 0 else CLIMBING
    return ARRIVED if cell == goal else short
