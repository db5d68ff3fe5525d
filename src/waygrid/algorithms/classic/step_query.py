"""Step taking (Stout 1996, as Kumar et al. describe it): walk towards the goal and avoid obstacles when met.

Three ways of avoiding: a random step, tracing the wall until the wanted heading is free again, and robust tracing,
which leaves the wall only where it meets the line from the start to the goal again, nearer the goal. The line is the
one that the walk itself would take on the empty map, so being back on it means walking on as if nothing had been there.
"""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.clock import now
from waygrid.core.driver import make_query_loop
from waygrid.core.events import record
from waygrid.core.heuristics import towards
from waygrid.core.jit import int64, jit

AVOID_RANDOM, AVOID_TRACE, AVOID_ROBUST = 0, 1, 2

HERE, HEADING, WANTED, MODE = at.USER, at.USER + 1, at.USER + 2, at.USER + 3
HIT_CELL, HIT_HEADING, HIT_INDEX, RANDOM = at.USER + 4, at.USER + 5, at.USER + 6, at.USER + 7

_CLOCKWISE = np.array([0, 4, 1, 5, 2, 6, 3, 7], np.int64)  # octile: N NE E SE S SW W NW
_PLACE = np.array([0, 2, 4, 6, 1, 3, 5, 7], np.int64)  # and back


@jit
def _turn(geo, d: int, turns: int) -> int:
    """Return the direction `turns` places clockwise of d."""
    if geo[at.TOPOLOGY] == at.OCTILE:
        return _CLOCKWISE[(_PLACE[d] + turns) % 8]
    return (d + turns) % (4 if geo[at.TOPOLOGY] == at.TILE else 6)


@jit
def _count_directions(geo) -> int:
    return 4 if geo[at.TOPOLOGY] == at.TILE else (8 if geo[at.TOPOLOGY] == at.OCTILE else 6)


@jit
def _along_wall(geo, legal: int, heading: int) -> int:
    """Return the first legal direction clockwise of the wall on the left hand, -1 if there is none.

    After a move the wall cell last seen lies two places back (three after a diagonal one, one on tiles).
    """
    back = 2
    if geo[at.TOPOLOGY] == at.TILE:
        back = 1
    elif geo[at.TOPOLOGY] == at.OCTILE and heading >= 4:
        back = 3
    for turn in range(_count_directions(geo)):
        d = _turn(geo, heading, _count_directions(geo) - back + turn)
        if (legal >> d) & 1:
            return d
    return -1


@jit
def _line(geo, nodes, ctl) -> None:
    """Mark the walk from start to goal on the empty map with its numbers 0, 1, 2, ... in the records."""
    width, cell, goal = geo[at.WIDTH], ctl[at.START], ctl[at.GOAL]
    stamp, number = np.uint32(ctl[at.SEARCH] << 4), 0
    while True:
        nodes[cell]["state"], nodes[cell]["g"] = stamp, number
        if cell == goal:
            break
        x, y = cell % width, cell // width
        d = towards(geo, x, y, goal % width, goal // width)
        cell = (y + geo[at.DY + 8 * (x & 1) + d]) * width + x + geo[at.DX + d]
        number += 1


@jit
def _number(nodes, ctl, cell: int) -> int:
    """Return the cell's number on the line, -1 if it does not lie there."""
    if nodes[cell]["state"] >> np.uint32(4) == np.uint32(ctl[at.SEARCH]):
        return int64(nodes[cell]["g"])
    return -1


@jit
def _random(ctl, below: int) -> int:
    """Return the next number of a 64-bit multiplicative generator, below a small bound."""
    ctl[RANDOM] = ctl[RANDOM] * 6364136223846793005 + 1442695040888963407
    return int(((ctl[RANDOM] >> 33) & 0x7FFFFFFF) % below)


@jit
def begin(policy, geo, nodes, queue, ctl) -> None:
    """Stand at the start."""
    ctl[HERE], ctl[MODE], ctl[at.LISTED] = ctl[at.START], 0, 1
    ctl[RANDOM] = policy[at.SEED] * 2 + 1
    queue[0] = ctl[at.START]
    ctl[at.PEAK] = ctl[at.GENERATED] = ctl[at.TOUCHED] = 1
    if policy[at.AVOID] == AVOID_ROBUST:
        _line(geo, nodes, ctl)


@jit
def _begin_trace(geo, ctl, legal: int, cell: int, wall: int) -> int:
    """Turn clockwise from the wall to the first legal direction, and note where and how the tracing began."""
    d = wall
    while (legal >> d) & 1 == 0:
        d = _turn(geo, d, 1)
    ctl[MODE], ctl[WANTED], ctl[HIT_CELL], ctl[HIT_HEADING] = 1, wall, cell, d
    return d


@jit
def _robust(moves, geo, nodes, ctl, cell: int) -> int:
    """Return the direction that leads back to the line, nearer the goal than where the wall was hit; -1 if none."""
    best, by = ctl[HIT_INDEX], -1
    row = 8 * (cell % geo[at.WIDTH] & 1)
    for d in range(8):
        if (moves[cell] >> d) & 1:
            number = _number(nodes, ctl, cell + geo[at.STEP + row + d])
            if number > best:
                best, by = number, d
    return by


@jit
def _find_crossing(geo, nodes, ctl, cell: int) -> int:
    """Return the direction of the wall behind which the line continues, if the last move crossed it between two walls.

    Only a diagonal move past two walls can do that: line and move then share no cell. The line has left one obstacle
    for the next, so the next one is to be traced. -1: nothing was crossed.
    """
    d = ctl[HEADING]
    if geo[at.TOPOLOGY] != at.OCTILE or geo[at.CORNERS] != at.ALWAYS or d < 4:
        return -1
    one, two = (d + 2) & 3, (d + 3) & 3  # the straight ways back
    first = _number(nodes, ctl, cell + geo[at.STEP + one])
    second = _number(nodes, ctl, cell + geo[at.STEP + two])
    if first < 0 or second < 0 or abs(first - second) != 1 or max(first, second) <= ctl[HIT_INDEX]:
        return -1
    ctl[HIT_INDEX] = max(first, second)
    return one if first > second else two


@jit
def choose(moves, geo, policy, nodes, ctl) -> int:
    """Return the direction of the next step, -1 when the goal cannot be reached."""
    cell, width, goal = ctl[HERE], geo[at.WIDTH], ctl[at.GOAL]
    legal = int64(moves[cell])
    robust = policy[at.AVOID] == AVOID_ROBUST
    want = towards(geo, cell % width, cell // width, goal % width, goal // width)
    if ctl[MODE] == 1:
        if robust:
            if _number(nodes, ctl, cell) > ctl[HIT_INDEX]:
                ctl[MODE] = 0
            else:
                back = _robust(moves, geo, nodes, ctl, cell)
                if back >= 0:
                    ctl[MODE] = 0
                    return back
                wall = _find_crossing(geo, nodes, ctl, cell)
                if wall >= 0:
                    return _begin_trace(geo, ctl, legal, cell, wall)
        elif ctl[HEADING] == ctl[WANTED]:
            ctl[MODE] = 0
    if ctl[MODE] == 0:
        if (legal >> want) & 1:
            return want
        if legal == 0:
            return -1
        if policy[at.AVOID] == AVOID_RANDOM:
            while True:
                d = _random(ctl, 8)
                if (legal >> d) & 1:
                    return d
        ctl[HIT_INDEX] = _number(nodes, ctl, cell)
        return _begin_trace(geo, ctl, legal, cell, want)
    d = _along_wall(geo, legal, ctl[HEADING])
    if robust and cell == ctl[HIT_CELL] and d == ctl[HIT_HEADING]:
        return -1  # once around the obstacle without meeting the line: it closes the goal off
    return d


@jit
def advance(moves, geo, policy, nodes, queue, ctl, events) -> None:
    """Take steps until the walk ends or something stops it: PAUSE says what."""
    goal, pause = ctl[at.GOAL], 0
    while True:
        if ctl[HERE] == goal:
            ctl[at.STATUS] = at.FOUND
            break
        if ctl[at.BUDGET] <= 0:
            pause = at.PAUSE_BUDGET
            break
        if ctl[at.LISTED] + 1 > queue.size:
            pause = at.PAUSE_STACK
            break
        late = ctl[at.DEADLINE] > 0 and ctl[at.EXPANDED] & 255 == 255 and now(ctl) > ctl[at.DEADLINE]
        if ctl[at.EXPANDED] == ctl[at.LIMIT] or ctl[at.EXPANDED] >= policy[at.LIMIT_STEPS] or late:
            ctl[at.STATUS] = at.CUTOFF
            break
        if events is not None:
            if ctl[at.EVENTS] + at.EVENT_ROOM > events.size:
                pause = at.PAUSE_EVENTS
                break
        cell = ctl[HERE]
        d = choose(moves, geo, policy, nodes, ctl)
        if d < 0 and policy[at.ONE_WAY]:
            ctl[at.STATUS] = at.CUTOFF
            break
        if d < 0:
            ctl[at.STATUS], ctl[at.LISTED] = at.UNREACHABLE, 0
            break
        n = cell + geo[at.STEP + 8 * (cell % geo[at.WIDTH] & 1) + d]
        ctl[HERE], ctl[HEADING] = n, d
        queue[ctl[at.LISTED]] = n
        ctl[at.LISTED] += 1
        ctl[at.EXPANDED] += 1
        ctl[at.GENERATED] += 1
        ctl[at.BUDGET] -= 1
        if events is not None:
            record(events, ctl, at.E_GENERATING, n, cell, ctl[at.EXPANDED], 0)
            record(events, ctl, at.E_EXPANDING, n, cell, ctl[at.EXPANDED], 0)
            record(events, ctl, at.E_MOVE, n, cell, ctl[at.EXPANDED], 0)
    if events is not None:
        if ctl[at.STATUS] == at.FOUND:
            record(events, ctl, at.E_END, goal, int64(queue[ctl[at.LISTED] - 2]), ctl[at.EXPANDED], 0)
    ctl[at.END], ctl[at.PAUSE], ctl[at.TOUCHED] = ctl[HERE], pause, ctl[at.EXPANDED] + 1
    if ctl[at.STATUS] == at.UNREACHABLE:
        ctl[at.END] = -1


run = make_query_loop(__name__, begin, advance)
