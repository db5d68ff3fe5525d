"""The loop of DBA*: plan a path over subgoals, then walk it; a plain A* within one region."""

from waygrid.algorithms.classic.best_first_query import advance as advance_search
from waygrid.algorithms.classic.best_first_query import begin as begin_search
from waygrid.algorithms.regions.climb import list_climb
from waygrid.algorithms.regions.dba_database import Database, add_stops, list_points, smooth, trim
from waygrid.algorithms.regions.sectors_build import COLUMNS, ROWS
from waygrid.core import layout as at
from waygrid.core.driver import make_query_loop
from waygrid.core.events import record
from waygrid.core.heuristics import natural
from waygrid.core.jit import Array, jit
from waygrid.core.query import close_listed
from waygrid.core.queue import bucket_clear

STAGE, MOVES = at.USER, at.USER + 1  # SEARCHING or WALKING, and the moves of the path that is walked
SEARCHING, WALKING = 1, 2
PLAIN, PAPER, SMOOTH = 0, 1, 2  # ways of trimming
EVERY, AHEAD = 8, 4  # cells between two stops, and stops looked ahead: see docs/dba.md for other choices


@jit
def rooms(ctl, position: int, room) -> tuple[Array, Array, Array, Array]:
    """Return a query's notes from `at` on: a way, points, stops, and the costs of getting to them."""
    points, stops = position + room[0], position + room[0] + room[1]
    costs = ctl[stops + room[2] : stops + 3 * room[2]].reshape(2, room[2])
    return ctl[position:points], ctl[points:stops], ctl[stops : stops + room[2]], costs


@jit
def smooth_points(moves, geo, points, count: int, way, stops, costs) -> int:
    """Smooth a list of points, where there is room for its stops; return how many points there are then, -1: none."""
    listed = add_stops(moves, geo, points, count, EVERY, way, stops)
    if 0 < listed <= points.size:
        count = smooth(moves, geo, stops, listed, AHEAD, costs, points)
    return count


@jit
def lay_out(moves, geo, points, count: int, cells, traced: bool) -> int:
    """Write the cells of the climbs from point to point; return how many, -1 if there are no points, or no room."""
    length = -1
    if count > 0:
        cells[0], length = points[0], 1
        for k in range(1, count):
            before = length
            length = list_climb(moves, geo, points[k - 1], points[k], cells, length)
            if length < 0:
                break
            if traced and length > before:  # two points may be the same
                cells[length - 1] = -1 - cells[length - 1]  # a subgoal
    return length


@jit
def plan_path(moves, geo, policy, base: Database, ctl, cells, traced: bool) -> int:
    """Write the cells of a path; return how many, -1 where the regions are the same, or it does not fit."""
    sector, position = base.plan[ROWS] * base.plan[COLUMNS], at.CTL_SIZE
    came, queue = ctl[position : position + sector], ctl[position + sector : position + 2 * sector]
    way, points, stops, costs = rooms(ctl, position + 2 * sector, base.room)
    count = list_points(moves, geo, base, ctl[at.START], ctl[at.GOAL], came, queue, way, points)
    if count > 0 and policy[at.TRIM] >= PAPER:
        count = trim(moves, geo, points, count)
    if count > 0 and policy[at.TRIM] == SMOOTH:
        count = smooth_points(moves, geo, points, count, way, stops, costs)
    return lay_out(moves, geo, points, count, cells, traced)


@jit
def walk(ctl, cells, events) -> None:
    """Continue along the planned path, as far as budget and limit allow."""
    expanded, moves, limit = ctl[at.EXPANDED], ctl[MOVES], ctl[at.LIMIT]
    end = moves if limit < 0 else min(moves, limit)
    ctl[at.PAUSE] = at.PAUSE_BUDGET
    if events is None:
        made = min(end - expanded, ctl[at.BUDGET])
        expanded += made
        ctl[at.BUDGET] -= made
    if events is not None:
        while expanded < end and ctl[at.BUDGET] > 0:
            if ctl[at.EVENTS] + at.EVENT_ROOM > events.size:
                ctl[at.PAUSE] = at.PAUSE_EVENTS
                break
            before, here = cells[expanded], cells[expanded + 1]
            if here < 0:
                here = -1 - here
                cells[expanded + 1] = here
                record(events, ctl, at.E_SUBGOAL, here, before, 0, 0)
            record(events, ctl, at.E_MOVE, here, before, 0, 0)
            expanded += 1
            ctl[at.BUDGET] -= 1
    ctl[at.EXPANDED] = expanded
    if expanded == end:
        ctl[at.STATUS] = at.FOUND if end == moves else at.CUTOFF
        ctl[at.LISTED], ctl[at.END] = end + 1, cells[end]
        if events is not None:
            record(events, ctl, at.E_END, cells[end], cells[max(end - 1, 0)], 0, 0)


@jit
def set_off(geo, policy, nodes, queue, bits, ctl, length: int, events) -> None:
    """Begin to walk a planned path of so many cells, or a search where there is none."""
    width, start, goal = geo[at.WIDTH], ctl[at.START], ctl[at.GOAL]
    ctl[at.ESTIMATE] = natural(geo, start % width, start // width, goal % width, goal // width)
    ctl[STAGE], ctl[MOVES] = WALKING, length - 1
    ctl[at.GENERATED] = ctl[at.TOUCHED] = max(length, 0)
    if length < 0:
        ctl[STAGE] = SEARCHING
        begin_search(policy, geo, nodes, queue, bits, None, ctl, None, events)


@jit
def begin(moves, geo, policy, nodes, queue, bits, spare, ctl, index: Database, events) -> None:
    """Plan a path over subgoals, and set off."""
    length = plan_path(moves, geo, policy, index, ctl, spare, events is not None)
    set_off(geo, policy, nodes, queue, bits, ctl, length, events)


@jit
def advance(moves, weights, geo, policy, nodes, queue, bits, spare, ctl, events) -> None:
    """Continue to walk or to search."""
    if ctl[STAGE] == SEARCHING:
        advance_search(moves, weights, geo, policy, nodes, queue, bits, None, ctl, None, None, None, None, events)
        if ctl[at.STATUS] != at.RUNNING:
            bucket_clear(queue, bits)
    else:
        walk(ctl, spare, events)


# `spare` has room for the cells of a path.
run = make_query_loop(__name__, begin, advance, close=close_listed)
