"""The loop of TBA* for `find`: one agent, run to its end; expansions, moves and pauses may fall anywhere."""

from waygrid.algorithms.realtime.tba_agent import NINE, expand_next, shares, trace_and_go, wants_expansion
from waygrid.core import agents as agent
from waygrid.core import layout as at
from waygrid.core.agents import list_move, may_go_on, open_walk
from waygrid.core.jit import Array, jit
from waygrid.core.query import close_query, in_hand, open_query
from waygrid.core.sparse import LEFT, has_room
from waygrid.core.sparse import PEAK as MOST_OPEN


@jit
def advance(
    moves: Array,
    weights: Array | None,
    geo: Array,
    policy: Array,
    queue: Array,
    store: Array,
    ctl: Array,
    events: Array | None,
) -> None:
    """Expand cells and make moves until the walk ends or something stops it: PAUSE says what."""
    agents = ctl[agent.AGENT : agent.AGENT + agent.AGENT_SIZE].reshape(1, agent.AGENT_SIZE)
    cells, traces = shares(policy, policy[at.VARIANT])
    while ctl[at.STATUS] == at.RUNNING:
        if agents[0, LEFT] == 0:
            agents[0, LEFT] = cells + 1
        expands = wants_expansion(agents, 0) | (agents[0, agent.USED] == 0)
        if not may_go_on(policy, queue, ctl, expands, events):
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


@jit
def run(
    moves: Array,
    weights: Array | None,
    geo: Array,
    labels: Array,
    policy: Array,
    nodes: Array,
    queue: Array,
    bits: Array,
    keys: Array,
    ctl: Array,
    extra: None,
    events: Array | None,
    queries: Array,
    rows: Array,
    cells: Array,
    ask: Array,
) -> int:
    """Answer queries, as `bestfirst.run` does; the walk is written to `queue`, the search to `keys`."""
    ctl[at.BUDGET] = ask[at.ASK_BUDGET]
    for i in range(ask[at.ASK_FIRST], ask[at.ASK_LAST]):
        if not in_hand(ask, i):
            open_query(geo, labels, nodes, ctl, queries, i, ask, events)
            open_walk(geo, keys, queue, ctl, events)
        if ctl[at.STATUS] == at.RUNNING:
            advance(moves, weights, geo, policy, queue, keys, ctl, events)
            if ctl[at.STATUS] == at.RUNNING:
                return i
        if not close_query(weights, geo, nodes, queue, ctl, rows, i, cells, ask):
            return i
    return int(ask[at.ASK_LAST])
