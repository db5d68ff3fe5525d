"""DBA* in real time: the first move is made before the whole path is known (Lee and Lawrence, sections 3 and 4.3).

An agent follows the stored paths as `kernels.follow` says. Where climbing fails, on the way to the first representative
and from the last, it goes one cell along a breadth-first search within the sector. So a step costs at most a few climbs
and one or two such searches, whatever the size of the map.
"""

from waygrid.kernels._jit import Array, int64, jit
from waygrid.kernels.agents import (
    ALLOWED,
    CAP,
    CELL,
    FIRST,
    LAST,
    MOST_WORK,
    NOTES,
    SEEN,
    STATE,
    TARGET,
    WORK,
    end_step,
    go,
)
from waygrid.kernels.clock import now
from waygrid.kernels.dba import Database
from waygrid.kernels.dba_run import PLAIN
from waygrid.kernels.follow import (
    AIM,
    HERE,
    LOOKED_AT,
    MORE,
    PATH,
    STAGE,
    THERE,
    can_climb,
    climb_step,
    follow,
    look_ahead,
)
from waygrid.kernels.layout import OPPOSITE, RUNNING, STEP, VARIANT, WIDTH
from waygrid.kernels.sectors import COLUMNS, ROWS, find_region, search_sector

NEW, LEAVING, FOLLOWING = 0, 1, 2  # not asked yet; on the way to the first representative; on the stored paths


def notes_size(sector_cells: int) -> int:
    """Return how much room a pool needs for a search within a sector and for points ahead."""
    return 2 * sector_cells + 4 * LOOKED_AT


@jit
def _sector_step(moves: Array, geo: Array, plan: Array, agents: Array, i: int, goal: int, notes: Array) -> int:
    """Return an agent's first move on a shortest way, by moves, to another cell of its region."""
    cell, sector = agents[i, CELL], plan[ROWS] * plan[COLUMNS]
    came = notes[:sector]
    search_sector(moves, geo, plan, goal, agents[i, CELL : CELL + 1], came, notes[sector : 2 * sector])
    x, y = cell % geo[WIDTH], cell // geo[WIDTH]
    return int(geo[OPPOSITE + came[y % plan[ROWS] * plan[COLUMNS] + x % plan[COLUMNS]] - 1])


@jit
def _find_regions(moves: Array, geo: Array, base: Database, agents: Array, i: int, notes: Array) -> None:
    """Find the regions of the agent's start and goal."""
    plan, first, centres = base.plan, base.first, base.centres
    sector = plan[ROWS] * plan[COLUMNS]
    came, queue = notes[:sector], notes[sector : 2 * sector]
    agents[i, HERE] = find_region(moves, geo, plan, first, centres, agents[i, CELL], came, queue, False)
    agents[i, THERE] = find_region(moves, geo, plan, first, centres, agents[i, TARGET], came, queue, False)
    agents[i, PATH], agents[i, STAGE] = -1, LEAVING


@jit
def choose(
    moves: Array, geo: Array, base: Database, agents: Array, i: int, trims: bool, until: int, notes: Array
) -> int:
    """Return the direction of an agent's next move."""
    cell, goal = agents[i, CELL], agents[i, TARGET]
    ahead = notes[notes.size - 4 * LOOKED_AT :].reshape(LOOKED_AT, 4)
    if agents[i, STAGE] == NEW:
        _find_regions(moves, geo, base, agents, i, notes)
    if agents[i, STAGE] == LEAVING:
        near = goal if agents[i, HERE] == agents[i, THERE] else int64(base.centres[agents[i, HERE]])
        found = trims and look_ahead(moves, geo, base, agents, i, until, ahead)
        if not found and can_climb(moves, geo, agents, i, near, until):
            agents[i, AIM], found = near, True
        if not found:
            return _sector_step(moves, geo, base.plan, agents, i, near, notes)
        agents[i, STAGE], agents[i, MORE] = FOLLOWING, 1
    elif not follow(moves, geo, base, agents, i, trims, until, ahead):  # beyond the last representative
        if not trims and can_climb(moves, geo, agents, i, goal, until):  # else it has been tried
            agents[i, AIM] = goal
        else:
            d = _sector_step(moves, geo, base.plan, agents, i, goal, notes)
            agents[i, AIM] = cell + geo[STEP + d]
            return d
    if agents[i, AIM] == cell:  # it set out from a representative
        follow(moves, geo, base, agents, i, False, until, ahead)
    return climb_step(moves, geo, agents, i)


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
    notes = ctl[NOTES : NOTES + 2 * extra.plan[ROWS] * extra.plan[COLUMNS] + 4 * LOOKED_AT]
    trims = policy[VARIANT] != PLAIN
    skipped = False
    began = now(ctl)
    for i in range(ask[FIRST], ask[LAST]):
        if agents[i, STATE] != RUNNING:
            skipped = True
            continue
        if skipped:  # passing by others is not this agent's time
            began, skipped = now(ctl), False
        worked = agents[i, WORK]
        d = choose(moves, geo, extra, agents, i, trims, worked + ask[ALLOWED], notes)
        agents[i, SEEN] += 1
        agents[i, MOST_WORK] = max(agents[i, MOST_WORK], agents[i, WORK] - worked)
        go(weights, geo, agents, i, d)
        began = end_step(geo, store, ctl, agents, positions, i, ask[CAP], began)
    return int(ask[LAST])
