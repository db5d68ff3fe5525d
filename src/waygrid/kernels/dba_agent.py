"""DBA* in real time: the first move is made before the whole path is known (Lee and Lawrence, sections 3 and 4.3).

An agent keeps where it is in the database, not a path: the region it comes from, the stored path it follows, the next
point on it, and the cell it climbs to. At each point that it reaches it looks a few points ahead and climbs to the
farthest that it can, which is trimming (section 4.4) as far as an agent may plan. Where climbing fails, on the way to
the first representative and from the last, it goes one cell along a breadth-first search within the sector. So a step
costs at most a few climbs and one or two such searches, whatever the size of the map.
"""

from waygrid.kernels._jit import Array, int64, jit
from waygrid.kernels.agents import (
    AIM,
    CAP,
    CELL,
    FIRST,
    LAST,
    MOST_WORK,
    NOTES,
    OWN,
    SEEN,
    STATE,
    TARGET,
    WORK,
    end_step,
    go,
)
from waygrid.kernels.climb import ENDLESS, blocked_step, climb, is_plain, straight_on
from waygrid.kernels.clock import now
from waygrid.kernels.dba import Database, next_hop
from waygrid.kernels.layout import OPPOSITE, RUNNING, STEP, WIDTH
from waygrid.kernels.sectors import COLUMNS, ROWS, find_region, search_sector

# The agent's own fields.
STAGE, HERE, THERE, PATH, POINT = OWN, OWN + 1, OWN + 2, OWN + 3, OWN + 4
NEW, LEAVING, FOLLOWING = 0, 1, 2  # not asked yet; on the way to the first representative; on the stored paths
LOOKED_AT = 6  # points ahead


@jit
def _sector_step(
    moves: Array, geo: Array, plan: Array, agents: Array, i: int, goal: int, came: Array, queue: Array
) -> int:
    """Return an agent's first move on a shortest way, by moves, to another cell of its region."""
    cell = agents[i, CELL]
    search_sector(moves, geo, plan, goal, agents[i, CELL : CELL + 1], came, queue)
    x, y = cell % geo[WIDTH], cell // geo[WIDTH]
    return int(geo[OPPOSITE + came[y % plan[ROWS] * plan[COLUMNS] + x % plan[COLUMNS]] - 1])


@jit
def _next_point(base: Database, agents: Array, i: int) -> int:
    """Step to the next point of the way in the agent's row and return its cell; the goal itself comes last."""
    if agents[i, HERE] == agents[i, THERE]:
        return int(agents[i, TARGET])
    if agents[i, PATH] < 0:
        agents[i, PATH], agents[i, POINT] = next_hop(base, agents[i, HERE], agents[i, THERE]), 0
    path, point = agents[i, PATH], agents[i, POINT]
    if point < int64(base.counts[path]):
        at = int64(base.sub_first[agents[i, HERE]])
        for k in range(int64(base.offsets[agents[i, HERE]]), path):
            at += int64(base.counts[k])
        agents[i, POINT] = point + 1
        return int(base.subgoals[at + point])
    agents[i, HERE], agents[i, PATH] = base.targets[path], -1
    return int(base.centres[agents[i, HERE]])


@jit
def _look_ahead(moves: Array, geo: Array, base: Database, agents: Array, i: int, first: int) -> bool:
    """Aim at the farthest of the next points that can be climbed to; `first` may come before them, -1: none.

    The row is left as it is where none can.
    """
    cell = agents[i, CELL]
    here, path, point = agents[i, HERE], agents[i, PATH], agents[i, POINT]
    kept_here, kept_path, kept_point, aim = here, path, point, -1
    if first >= 0 and climb(moves, geo, cell, first, ENDLESS) >= 0:
        aim = first
    looked, ended = 0, False
    while looked < LOOKED_AT and not ended:
        ended = agents[i, HERE] == agents[i, THERE]
        ahead = _next_point(base, agents, i)
        looked += 1
        if climb(moves, geo, cell, ahead, ENDLESS) >= 0:
            aim = ahead
            kept_here, kept_path, kept_point = agents[i, HERE], agents[i, PATH], agents[i, POINT]
    agents[i, HERE], agents[i, PATH], agents[i, POINT] = kept_here, kept_path, kept_point
    if aim >= 0:
        agents[i, AIM] = aim
    return aim >= 0


@jit
def choose(moves: Array, geo: Array, base: Database, agents: Array, i: int, came: Array, queue: Array) -> int:
    """Return the direction of an agent's next move."""
    cell, goal, width = agents[i, CELL], agents[i, TARGET], geo[WIDTH]
    if agents[i, STAGE] == NEW:
        places = (base.plan, base.first, base.centres)
        agents[i, HERE] = find_region(moves, geo, *places, cell, came, queue, False)
        agents[i, THERE] = find_region(moves, geo, *places, goal, came, queue, False)
        agents[i, PATH], agents[i, STAGE] = -1, LEAVING
    if agents[i, STAGE] == LEAVING:
        centre = int64(base.centres[agents[i, HERE]])
        if _look_ahead(moves, geo, base, agents, i, centre if agents[i, HERE] != agents[i, THERE] else -1):
            agents[i, STAGE] = FOLLOWING
        else:
            near = goal if agents[i, HERE] == agents[i, THERE] else centre
            return _sector_step(moves, geo, base.plan, agents, i, near, came, queue)
    elif cell == agents[i, AIM] and not _look_ahead(moves, geo, base, agents, i, -1):
        d = _sector_step(moves, geo, base.plan, agents, i, goal, came, queue)  # beyond the last representative
        agents[i, AIM] = cell + geo[STEP + d]
        return d
    aim = agents[i, AIM]
    x, y, goal_x, goal_y = cell % width, cell // width, aim % width, aim // width
    legal, plain = int64(moves[cell]), is_plain(geo)
    d = straight_on(goal_x - x, goal_y - y)
    if not plain or (legal >> d) & 1 == 0:
        d = blocked_step(geo, legal, x, y, goal_x, goal_y, plain)
    return d


@jit
def step(
    moves: Array,
    weights: Array | None,
    geo: Array,
    policy: Array,
    store: Array,
    ctl: Array,
    extra: Database,
    agents: Array,
    positions: Array,
    ask: Array,
) -> int:
    """Advance every agent by one move (see `kernels.agents`)."""
    sector = extra.plan[ROWS] * extra.plan[COLUMNS]
    came, queue = ctl[NOTES : NOTES + sector], ctl[NOTES + sector : NOTES + 2 * sector]
    skipped = False
    began = now(ctl)
    for i in range(ask[FIRST], ask[LAST]):
        if agents[i, STATE] != RUNNING:
            skipped = True
            continue
        if skipped:  # passing by others is not this agent's time
            began, skipped = now(ctl), False
        d = choose(moves, geo, extra, agents, i, came, queue)
        agents[i, WORK] += 1
        agents[i, SEEN] += 1
        agents[i, MOST_WORK] = 1
        go(weights, geo, agents, i, d)
        began = end_step(geo, store, ctl, agents, positions, i, ask[CAP], began)
    return int(ask[LAST])
