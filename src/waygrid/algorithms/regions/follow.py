"""Following stored paths in real time, for DBA* and HCDPS: where an agent is in the database, and what it climbs to.

An agent keeps no path, only a few numbers: the region it comes from, the stored path it follows, the next point on it,
and its aim, the cell it climbs to. From one point of a stored path the next can always be climbed to. Beyond that it
looks a few points ahead and takes the farthest it can climb to, which is trimming (Lee and Lawrence, section 4.4) as
far as an agent may plan.

Looking is work: a climb of up to 32 moves counts as one expansion, one of up to 64 as two, and so on. What a step may
not spend is not looked at.
"""

from waygrid.algorithms.regions.climb import blocked_step, climb, is_plain, straight_on
from waygrid.algorithms.regions.dba_database import Database, next_hop
from waygrid.core import agents as agent
from waygrid.core.heuristics import natural
from waygrid.core.jit import int64, jit
from waygrid.core.layout import CARDINAL, WIDTH

# The agent's own fields.
STAGE, HERE, THERE, PATH, POINT, MORE = (
    agent.OWN,
    agent.OWN + 1,
    agent.OWN + 2,
    agent.OWN + 3,
    agent.OWN + 4,
    agent.OWN + 5,
)

CLIMBED = 32  # moves of a climb that count as one expansion
LOOKED_AT = 2  # points ahead in one step
RARELY = 4  # moves between two looks on the way to an aim, where the last found nothing


@jit
def list_ahead(base: Database, agents, i: int, ahead) -> int:
    """List the next points of the agent's way, each with the fields of its row there; return how many there are.

    The goal comes last. All points in one call: Numba counts references to the database's arrays once then, which takes
    10,000 agents 0.7 ms instead of 2.0.
    """
    here, there, path, point = agents[i, HERE], agents[i, THERE], agents[i, PATH], agents[i, POINT]
    listed, ended = 0, False
    while listed < LOOKED_AT and not ended:
        ended = here == there
        cell = agents[i, agent.TARGET]
        if not ended:
            if path < 0:
                path, point = next_hop(base, here, there), 0
            if point < int64(base.counts[path]):
                at = int64(base.sub_first[here]) + point
                for k in range(int64(base.offsets[here]), path):
                    at += int64(base.counts[k])
                cell = int64(base.subgoals[at])
                point += 1
            else:
                here, path = int64(base.targets[path]), -1
                cell = int64(base.centres[here])
        ahead[listed, 0], ahead[listed, 1], ahead[listed, 2], ahead[listed, 3] = cell, here, path, point
        listed += 1
    return listed


@jit
def can_climb(moves, geo, agents, i: int, point: int, until: int) -> bool:
    """Return whether an agent can climb to a point; not where WORK would exceed `until`."""
    cell, width = agents[i, agent.CELL], geo[WIDTH]
    far = natural(geo, cell % width, cell // width, point % width, point // width)
    work = 1 + far // (CLIMBED * geo[CARDINAL])
    can = False
    if agents[i, agent.WORK] + work <= until:
        agents[i, agent.WORK] += work
        can = climb(moves, geo, cell, point, CLIMBED * work) >= 0
    return can


@jit
def aim_at(agents, i: int, ahead, k: int) -> None:
    """Let the agent climb to one of the listed points."""
    agents[i, agent.AIM], agents[i, HERE], agents[i, PATH], agents[i, POINT] = (
        ahead[k, 0],
        ahead[k, 1],
        ahead[k, 2],
        ahead[k, 3],
    )


@jit
def look_ahead(moves, geo, agents, i: int, until: int, ahead, listed: int) -> bool:
    """Aim at the farthest of the listed points that can be climbed to, if any can; the farthest is tried first."""
    found = listed - 1
    while found >= 0 and not can_climb(moves, geo, agents, i, ahead[found, 0], until):
        found -= 1
    if found >= 0:
        aim_at(agents, i, ahead, found)
    return found >= 0


@jit
def is_due(agents, i: int) -> bool:
    """Return whether an agent on its way looks ahead: at its aim, after a look that found something, every few moves.

    Asked before anything else is: Numba counts references to all arrays of a call. That halves the time of a step.
    """
    arrived = agents[i, agent.CELL] == agents[i, agent.AIM]
    rarely = (agents[i, agent.MADE] + agents[i, agent.TARGET]) % RARELY == 0  # not all agents in the same step
    return bool((arrived | rarely | (agents[i, MORE] != 0)) & (agents[i, agent.AIM] != agents[i, agent.TARGET]))


@jit
def follow(moves, geo, base: Database, agents, i: int, trims: bool, until: int, ahead) -> bool:
    """Choose the agent's aim where one is due; False where it has arrived at the last one before the goal.

    The way may lead back through the cell where the agent is: it has arrived at such a point too, and looks on from it.
    """
    arrived, looks = False, True
    while looks:
        listed = list_ahead(base, agents, i, ahead)
        arrived = agents[i, agent.CELL] == agents[i, agent.AIM]
        if trims:
            found = look_ahead(moves, geo, agents, i, until, ahead, listed)
            agents[i, MORE] = found
            arrived = arrived & (not found)
        if arrived & (agents[i, HERE] != agents[i, THERE]):
            aim_at(agents, i, ahead, 0)
            agents[i, MORE], arrived = 1, False
        looks = (not arrived) & (agents[i, agent.CELL] == agents[i, agent.AIM])
    return not arrived


@jit
def climb_step(moves, geo, agents, i: int) -> int:
    """Return the direction of the next move of a climb to the agent's aim, -1 where none leads closer.

    Between points of a sound index one always does.
    """
    cell, aim, width = agents[i, agent.CELL], agents[i, agent.AIM], geo[WIDTH]
    x, y, goal_x, goal_y = cell % width, cell // width, aim % width, aim // width
    legal, plain = int64(moves[cell]), is_plain(geo)
    d = straight_on(goal_x - x, goal_y - y)
    if not plain or (legal >> d) & 1 == 0:
        d = blocked_step(geo, legal, x, y, goal_x, goal_y, plain)
    return d
