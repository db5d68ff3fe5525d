"""LRTA* (Korf 1990): look a little ahead, learn what was seen, make one move.

The rule for one cell of lookahead: of all neighbours n the one with the least price + h(n), of equals the one with the
dearest move, then the first in the order of directions; h(s) rises to that least value. Only values that rose are
remembered. They never exceed the true distance, and since a value only rises a bounded number of times, the agent
arrives wherever it can come back from every cell.
"""

from waygrid.algorithms.realtime import lookahead as ball
from waygrid.algorithms.realtime.guides import Guide, ask_guide
from waygrid.algorithms.realtime.learned import has_room, learn, recall
from waygrid.core import agents as agent
from waygrid.core import layout as at
from waygrid.core.agents import (
    count_cost,
    estimate_neighbour,
    go,
    list_move,
    may_continue,
    open_walk,
    place_of,
    price_move,
)
from waygrid.core.driver import make_agent_loop, make_query_loop
from waygrid.core.events import record
from waygrid.core.jit import int64, jit


@jit
def choose_next(moves, weights, geo, store, ctl, agents, i: int) -> int:
    """Choose by one cell of lookahead: return the direction, -1 where there is none, with the value in LEAST."""
    cell, width, goal, base, room = (
        agents[i, agent.CELL],
        geo[at.WIDTH],
        agents[i, agent.AIM],
        agents[i, agent.BASE],
        agents[i, agent.ROOM],
    )
    x, y, goal_x, goal_y = cell % width, cell // width, goal % width, goal // width
    legal, row = int64(moves[cell]), at.STEP + 8 * (x & 1)
    chosen, least, dearest = -1, at.INFINITE, int64(0)
    for d in range(8):
        if (legal >> d) & 1:
            n = cell + geo[row + d]
            price = price_move(weights, geo, n, d)
            place = place_of(store, base, room, n)
            h = estimate_neighbour(geo, x, y, d, goal_x, goal_y)
            h = int64(store[place]["h"]) if store[place]["cell"] == n else h
            if (price + h < least) | ((price + h == least) & (price > dearest)):
                chosen, least, dearest = d, price + h, price
            agents[i, agent.SEEN] += 1
    ctl[ball.LEAST] = least
    return chosen


@jit
def learn_and_go(weights, geo, policy, store, ctl, agents, i: int, d: int) -> bool:
    """Let h of the agent's cell rise to the value in LEAST and move in a direction; return whether it rose.

    No way costs more than LONGEST, so a value beyond it proves that there is none (blocked cells may close it).
    """
    cell, least = agents[i, agent.CELL], ctl[ball.LEAST]
    lost = (d < 0) | (least > policy[at.LONGEST])
    rises = bool(not lost and (least > recall(geo, store, agents, i, cell, agents[i, agent.AIM])))
    if rises:
        learn(store, ctl, agents, i, cell, least)
    if lost:
        agents[i, agent.STATE] = at.UNREACHABLE
    else:
        go(weights, geo, agents, i, d)
    return rises


@jit
def move(moves, weights, geo, policy, store, ctl, index: Guide | None, agents, i: int, allowed: int) -> int:
    """Make one move; an agent whose guide takes the whole step waits."""
    if not has_room(store, ctl, agents, i):
        return agent.NO_ROOM
    depth, work = policy[at.LOOKAHEAD], 0
    while work < allowed and ask_guide(moves, geo, policy, store, ctl, agents, i, index):
        work += 1
    if work < allowed:
        if depth == 1:
            d = choose_next(moves, weights, geo, store, ctl, agents, i)
            work += 1
        else:
            ball.open_ball(ctl, depth, agents[i, agent.CELL])
            while ball.is_open(ctl, depth, agents[i, agent.AIM], allowed - work):
                agents[i, agent.SEEN] += ball.widen(moves, geo, ctl, depth)
            work += ctl[ball.INSIDE]
            d = ball.choose_ahead(moves, weights, geo, store, ctl, depth, agents, i)
        learn_and_go(weights, geo, policy, store, ctl, agents, i, d)
    agents[i, agent.WORK] += work
    agents[i, agent.MOST_WORK] = max(agents[i, agent.MOST_WORK], work)
    return agent.MOVED


step = make_agent_loop(__name__, move)


# --- find: one agent, run to its end ---------------------------------------------------------------------------------


@jit
def expand(moves, geo, store, ctl, agents, depth: int, events) -> bool:
    """Expand one cell of the ball; return whether it is finished."""
    cell, seen = ctl[agent.NOTES + ball.CELLS * (2 * depth + 1) ** 2 + ctl[ball.HEAD]], ctl[ball.COUNT]
    ctl[at.GENERATED] += ball.widen(moves, geo, ctl, depth)
    ctl[at.EXPANDED] += 1
    ctl[at.BUDGET] -= 1
    if events is not None:
        target, g = agents[0, agent.AIM], count_cost(geo, ctl)
        parent = -1 if ctl[ball.INSIDE] == 1 else agents[0, agent.CELL]
        record(events, ctl, at.E_EXPANDING, cell, parent, g, recall(geo, store, agents, 0, cell, target))
        for k in range(seen, ctl[ball.COUNT]):
            n = ctl[agent.NOTES + ball.CELLS * (2 * depth + 1) ** 2 + k]
            record(events, ctl, at.E_GENERATING, n, cell, g, recall(geo, store, agents, 0, n, target))
    return not ball.is_open(ctl, depth, agents[0, agent.AIM], at.INFINITE)


@jit
def let_guide_work(moves, geo, policy, store, ctl, agents, index: Guide | None, events) -> bool:
    """Let the guide of the agent do a unit of work, if it wants to; return whether it did."""
    before = agents[0, agent.AIM]
    asked = ask_guide(moves, geo, policy, store, ctl, agents, 0, index)
    if asked:
        ctl[at.EXPANDED] += 1
        ctl[at.BUDGET] -= 1
    if events is not None:
        if agents[0, agent.AIM] != before:
            record(events, ctl, at.E_SUBGOAL, agents[0, agent.AIM], agents[0, agent.CELL], count_cost(geo, ctl), 0)
    return asked


@jit
def advance(moves, weights, geo, policy, queue, store, ctl, index: Guide | None, events) -> None:
    """Make moves until the walk ends or something stops it: PAUSE says what. A lookahead may be stopped halfway."""
    depth, agents = policy[at.LOOKAHEAD], ctl[agent.AGENT : agent.AGENT + agent.AGENT_SIZE].reshape(1, agent.AGENT_SIZE)
    while may_continue(policy, queue, ctl, True, events):
        cell = agents[0, agent.CELL]
        if ctl[ball.COUNT] == 0:
            if not has_room(store, ctl, agents, 0):
                ctl[at.PAUSE] = at.PAUSE_STORE
                break
            if let_guide_work(moves, geo, policy, store, ctl, agents, index, events):
                continue
            ball.open_ball(ctl, depth, cell)
        if not expand(moves, geo, store, ctl, agents, depth, events):
            continue
        if depth == 1:
            d = choose_next(moves, weights, geo, store, ctl, agents, 0)
        else:
            d = ball.choose_ahead(moves, weights, geo, store, ctl, depth, agents, 0)
        rises = learn_and_go(weights, geo, policy, store, ctl, agents, 0, d)
        ctl[ball.COUNT], ctl[at.TOUCHED] = 0, agents[0, agent.USED] + 1
        if events is not None:
            if rises:
                record(events, ctl, at.E_UPDATING, cell, -1, 0, ctl[ball.LEAST])
        if agents[0, agent.STATE] == at.UNREACHABLE:
            ctl[at.STATUS], ctl[at.LISTED], ctl[at.END] = at.UNREACHABLE, 0, -1
        else:
            list_move(geo, queue, ctl, cell, events)
        if ctl[at.STATUS] != at.RUNNING:
            break


# The walk is written to `queue`, what is learned to `spare`.
run = make_query_loop(__name__, open_walk, advance, names={"store": "spare"})
