"""HCDPS in real time: an agent climbs to the goal or to its seed at once, and finds the rest on its way.

No step searches. The regions are looked up once; from then on the agent follows the stored paths as `follow`
says. The optimisations at start and goal (Lawrence and Bulitko) fall out of that: on its way to a seed the agent tries,
every few moves, to turn off to what comes behind it.
"""

from collections.abc import Callable

from waygrid.algorithms.regions import follow as along
from waygrid.algorithms.regions.dba_agent import is_trimming as is_trimming
from waygrid.algorithms.regions.dba_agent import move
from waygrid.algorithms.regions.follow import HERE, LOOKED_AT, MORE, PATH, STAGE, THERE, can_climb, is_due
from waygrid.algorithms.regions.hcdps_query import Climbable, region_of
from waygrid.core import agents as agent
from waygrid.core.driver import make_agent_loop
from waygrid.core.jit import Array, int64, jit

NEW, FOLLOWING = 0, 1
NOTES_SIZE = 4 * LOOKED_AT  # points ahead
follow: Callable[..., bool] = along.follow  # it reads fields by their names, which are the same in `Climbable`


@jit
def _set_out(moves, geo, base: Climbable, agents, i: int, trims: bool, until: int) -> None:
    """Aim at the goal where that can be climbed to, else at the seed of the region, which always can."""
    cell, goal = agents[i, agent.CELL], agents[i, agent.TARGET]
    one, other = region_of(base.spans, base.bits, cell), region_of(base.spans, base.bits, goal)
    aim = int64(base.centres[one])
    if trims and can_climb(moves, geo, agents, i, goal, until):
        one, aim = other, goal
    agents[i, HERE], agents[i, THERE], agents[i, agent.AIM], agents[i, PATH] = one, other, aim, -1
    agents[i, STAGE], agents[i, MORE] = FOLLOWING, 1


@jit
def take_notes(ctl) -> Array:
    """Return the room for points ahead."""
    return ctl[agent.NOTES : agent.NOTES + 4 * LOOKED_AT].reshape(LOOKED_AT, 4)


@jit
def needs_plan(agents, i: int) -> bool:
    """Return whether the agent has not set out yet, or has come to its subgoal."""
    return bool((agents[i, STAGE] == NEW) | is_due(agents, i))


@jit
def plan(moves, geo, index: Climbable, agents, i: int, trims: bool, until: int, ahead) -> int:
    """Choose the next subgoal; climbing finds the move."""
    if agents[i, STAGE] == NEW:
        _set_out(moves, geo, index, agents, i, trims, until)
    if is_due(agents, i) and not follow(moves, geo, index, agents, i, trims, until, ahead):
        agents[i, agent.AIM] = agents[i, agent.TARGET]  # every cell can be climbed to from its seed
    return -1


step = make_agent_loop(__name__, move, plan, needs_plan, {"trims": "is_trimming(policy)", "ahead": "take_notes(ctl)"})
