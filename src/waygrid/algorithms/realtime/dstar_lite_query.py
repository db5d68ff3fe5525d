"""The loops of D* Lite: a step of every agent of a pool, and for `find` one agent that is run to its end."""

from waygrid.algorithms.realtime.dstar_lite_belief import LEFT, LOOKED, MOST_OPEN, PLANNING, Beliefs, next_surprise
from waygrid.algorithms.realtime.dstar_lite_plan import TEN, begin_plan, expand_first, follow_plan, is_settled, revise
from waygrid.core import agents as agent
from waygrid.core import layout as at
from waygrid.core.agents import list_move, may_continue, open_walk
from waygrid.core.driver import make_agent_loop, make_query_loop
from waygrid.core.jit import jit
from waygrid.core.sparse import has_room


@jit
def wants_expansion(store, agents, i: int) -> bool:
    """Return whether the agent has to plan before it moves; it has looked around."""
    return bool((agents[i, PLANNING] != 0) and not is_settled(store, agents, i))


@jit
def prepare(moves, weights, geo, policy, store, ctl, index: Beliefs, agents, i: int, events) -> None:
    """Begin the plan, or look around up to the next surprise; there is room for nodes."""
    if agents[i, agent.USED] == 0:
        begin_plan(geo, policy, index, store, ctl, agents, i, events)
    else:
        cell = next_surprise(moves, index.walk, index.known_walk, geo, policy, store, agents, i)
        if cell >= 0:
            revise(weights, geo, index, store, ctl, agents, i, cell, events)


@jit
def move(moves, weights, geo, policy, store, ctl, index: Beliefs, agents, i: int, allowed: int) -> int:
    """Look around, plan and make a move; an agent whose plan takes longer than a step waits."""
    if agents[i, LEFT] == 0:
        agents[i, LEFT], agents[i, LOOKED] = allowed + 1, 0
    while agents[i, LOOKED] >= 0:
        if not has_room(store, ctl, agents, i, TEN):
            return agent.NO_ROOM
        prepare(moves, weights, geo, policy, store, ctl, index, agents, i, None)
    waits = wants_expansion(store, agents, i)
    while waits and agents[i, LEFT] > 1:
        if not has_room(store, ctl, agents, i, TEN):
            return agent.NO_ROOM
        expand_first(weights, geo, index, store, ctl, agents, i, None)
        agents[i, LEFT] -= 1
        waits = wants_expansion(store, agents, i)
    agents[i, agent.MOST_WORK] = max(agents[i, agent.MOST_WORK], allowed + 1 - agents[i, LEFT])
    agents[i, LEFT] = 0
    if not waits:
        follow_plan(weights, geo, store, agents, i)
    return agent.MOVED


@jit
def advance(moves, weights, geo, policy, queue, store, ctl, index: Beliefs, events) -> None:
    """Look, plan and move until the walk ends or something stops it: PAUSE says what."""
    agents = ctl[agent.AGENT : agent.AGENT + agent.AGENT_SIZE].reshape(1, agent.AGENT_SIZE)
    while ctl[at.STATUS] == at.RUNNING:
        looks = agents[0, LOOKED] >= 0
        expands = not looks and wants_expansion(store, agents, 0)
        if not may_continue(policy, queue, ctl, expands, events):
            break
        if not has_room(store, ctl, agents, 0, TEN):
            ctl[at.PAUSE] = at.PAUSE_STORE
            break
        if looks:
            prepare(moves, weights, geo, policy, store, ctl, index, agents, 0, events)
        elif expands:
            expand_first(weights, geo, index, store, ctl, agents, 0, events)
            ctl[at.EXPANDED] += 1
            ctl[at.BUDGET] -= 1
        else:
            cell = agents[0, agent.CELL]
            follow_plan(weights, geo, store, agents, 0)
            agents[0, LOOKED] = 0
            if agents[0, agent.STATE] == at.UNREACHABLE:
                ctl[at.STATUS], ctl[at.LISTED], ctl[at.END] = at.UNREACHABLE, 0, -1
            else:
                list_move(geo, queue, ctl, cell, events)
        ctl[at.GENERATED], ctl[at.TOUCHED], ctl[at.PEAK] = (
            agents[0, agent.SEEN],
            agents[0, agent.USED],
            agents[0, MOST_OPEN],
        )


step = make_agent_loop(__name__, move)
# The walk is written to `queue`, what the agent finds and believes to `spare`.
run = make_query_loop(__name__, open_walk, advance, names={"store": "spare"})
