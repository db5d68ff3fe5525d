"""DBA* in real time: the first move is made before the whole path is known (Lee and Lawrence, sections 3 and 4.3).

An agent follows the stored paths as `follow` says. Where climbing fails, on the way to the first representative
and from the last, it goes one cell along a breadth-first search within the sector. So a step costs at most a few climbs
and one or two such searches, whatever the size of the map.
"""

from waygrid.algorithms.regions import follow as along
from waygrid.algorithms.regions.dba_database import Database
from waygrid.algorithms.regions.dba_query import PLAIN
from waygrid.algorithms.regions.sectors_build import COLUMNS, ROWS, find_region, search_sector
from waygrid.core import agents as agent
from waygrid.core import layout as at
from waygrid.core.agents import go
from waygrid.core.driver import make_agent_loop
from waygrid.core.jit import Array, int64, jit

NEW, LEAVING, FOLLOWING = 0, 1, 2  # not asked yet; on the way to the first representative; on the stored paths


def notes_size(sector_cells: int) -> int:
    """Return how much room a pool needs for a search within a sector and for points ahead."""
    return 2 * sector_cells + 4 * along.LOOKED_AT


@jit
def _sector_step(moves, geo, plan, agents, i: int, goal: int, came, queue) -> int:
    """Return an agent's first move on a shortest way, by moves, to another cell of its region."""
    cell = agents[i, agent.CELL]
    search_sector(moves, geo, plan, goal, agents[i, agent.CELL : agent.CELL + 1], came, queue)
    x, y = cell % geo[at.WIDTH], cell // geo[at.WIDTH]
    return int(geo[at.OPPOSITE + came[y % plan[ROWS] * plan[COLUMNS] + x % plan[COLUMNS]] - 1])


@jit
def _find_regions(moves, geo, base: Database, agents, i: int, came, queue) -> None:
    """Find the regions of the agent's start and goal."""
    plan, first, centres = base.plan, base.first, base.centres
    agents[i, along.HERE] = find_region(moves, geo, plan, first, centres, agents[i, agent.CELL], came, queue, False)
    agents[i, along.THERE] = find_region(moves, geo, plan, first, centres, agents[i, agent.TARGET], came, queue, False)
    agents[i, along.PATH], agents[i, along.STAGE] = -1, LEAVING


@jit
def _leave(moves, geo, base: Database, agents, i: int, trims: bool, until: int, came, queue, ahead) -> int:
    """Choose the first aim; where the agent sees none, return the direction of a move within the sector, else -1."""
    goal, d = agents[i, agent.TARGET], -1
    near = goal if agents[i, along.HERE] == agents[i, along.THERE] else int64(base.centres[agents[i, along.HERE]])
    listed = along.list_ahead(base, agents, i, ahead)
    found = trims and along.look_ahead(moves, geo, agents, i, until, ahead, listed)
    if not found and near == agents[i, agent.CELL]:  # from a representative the next point can be climbed to
        along.aim_at(agents, i, ahead, 0)
        found = True
    if not found and along.can_climb(moves, geo, agents, i, near, until):
        agents[i, agent.AIM], found = near, True
    if found:
        agents[i, along.STAGE], agents[i, along.MORE] = FOLLOWING, 1
    else:
        d = _sector_step(moves, geo, base.plan, agents, i, near, came, queue)
    return d


@jit
def plan(moves, geo, index: Database, agents, i: int, trims: bool, until: int, came, queue, ahead) -> int:
    """Choose the next subgoal; where the agent sees none, return the direction of a move within the sector, else -1."""
    goal, d = agents[i, agent.TARGET], -1
    if agents[i, along.STAGE] == NEW:
        _find_regions(moves, geo, index, agents, i, came, queue)
    follows = agents[i, along.STAGE] == FOLLOWING
    if not follows:
        d = _leave(moves, geo, index, agents, i, trims, until, came, queue, ahead)
        follows = (d < 0) & (agents[i, agent.CELL] == agents[i, agent.AIM])  # a stored path leads through the start
    if follows and not along.follow(
        moves, geo, index, agents, i, trims, until, ahead
    ):  # beyond the last representative
        if not trims and along.can_climb(moves, geo, agents, i, goal, until):  # else it has been tried
            agents[i, agent.AIM] = goal
        else:
            d = _sector_step(moves, geo, index.plan, agents, i, goal, came, queue)
            agents[i, agent.AIM] = agents[i, agent.CELL] + geo[at.STEP + d]
    return d


@jit
def is_trimming(policy) -> bool:
    """Return whether paths are to be trimmed."""
    return bool(policy[at.TRIM] != PLAIN)


@jit
def take_notes(ctl, base: Database) -> tuple[Array, Array, Array]:
    """Return the room for a search within a sector, and for points ahead."""
    sector = base.plan[ROWS] * base.plan[COLUMNS]
    ahead = agent.NOTES + 2 * sector
    return (
        ctl[agent.NOTES : agent.NOTES + sector],
        ctl[agent.NOTES + sector : ahead],
        ctl[ahead : ahead + 4 * along.LOOKED_AT].reshape(along.LOOKED_AT, 4),
    )


@jit
def needs_plan(agents, i: int) -> bool:
    """Return whether the agent has no subgoal, or has come to it."""
    return bool(along.is_due(agents, i) | (agents[i, along.STAGE] != FOLLOWING))


@jit
def move(moves, weights, geo, agents, i: int, worked: int, planned: int) -> int:
    """Make the planned move, or climb towards the subgoal."""
    d, outcome = planned, agent.ASTRAY
    if d < 0:
        d = along.climb_step(moves, geo, agents, i)
    agents[i, agent.SEEN] += 1
    agents[i, agent.MOST_WORK] = max(agents[i, agent.MOST_WORK], agents[i, agent.WORK] - worked)
    if d >= 0:
        go(weights, geo, agents, i, d)
        outcome = agent.MOVED
    return outcome


step = make_agent_loop(
    __name__,
    move,
    plan,
    needs_plan,
    {
        "trims": "is_trimming(policy)",
        "notes": "take_notes(ctl, index)",
        "came": "notes[0]",
        "queue": "notes[1]",
        "ahead": "notes[2]",
    },
)
