"""The loop of TBA* for `find`: one agent, run to its end; expansions, moves and pauses may fall anywhere."""

from waygrid.algorithms.realtime.tba_agent import NINE, expand_next, split_work, trace_and_go, wants_expansion
from waygrid.core import agents as agent
from waygrid.core import layout as at
from waygrid.core.agents import list_move, may_continue, open_walk
from waygrid.core.driver import make_query_loop
from waygrid.core.jit import jit
from waygrid.core.sparse import LEFT, has_room
from waygrid.core.sparse import PEAK as MOST_OPEN


@jit
def advance(moves, weights, geo, policy, queue, store, ctl, events) -> None:
    """Expand cells and make moves until the walk ends or something stops it: PAUSE says what."""
    agents = ctl[agent.AGENT : agent.AGENT + agent.AGENT_SIZE].reshape(1, agent.AGENT_SIZE)
    cells, traces = split_work(policy, policy[at.STEP_WORK])
    while ctl[at.STATUS] == at.RUNNING:
        if agents[0, LEFT] == 0:
            agents[0, LEFT] = cells + 1
        expands = wants_expansion(agents, 0) | (agents[0, agent.USED] == 0)
        if not may_continue(policy, queue, ctl, expands, events):
            break
        if expands:
            if not has_room(store, ctl, agents, 0, NINE):
                ctl[at.PAUSE] = at.PAUSE_STORE
                break
            expand_next(moves, weights, geo, store, ctl, agents, 0, events)
            ctl[at.EXPANDED] += 1
            ctl[at.BUDGET] -= 1
            ctl[at.GENERATED], ctl[at.TOUCHED], ctl[at.PEAK] = (
                agents[0, agent.SEEN],
                agents[0, agent.USED],
                agents[0, MOST_OPEN],
            )
            continue
        cell = agents[0, agent.CELL]
        trace_and_go(weights, geo, store, agents, 0, traces)
        if agents[0, agent.STATE] == at.UNREACHABLE:
            ctl[at.STATUS], ctl[at.LISTED], ctl[at.END] = at.UNREACHABLE, 0, -1
        elif agents[0, agent.CELL] != cell:
            list_move(geo, queue, ctl, cell, events)


# The walk is written to `queue`, what the search finds to `spare`.
run = make_query_loop(__name__, open_walk, advance, names={"store": "spare"})
