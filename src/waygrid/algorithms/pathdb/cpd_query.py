"""Compressed path database: paths are read off a table of first moves, from corner to corner.

Every cell has a row with its first moves towards all goals, and every turn (see `turns`) one with its first edges; how
rows are made is in `rows`. A path begins by the rows of cells: a move is kept as far as the jump table says, and looked
up again there (Topping). Once it comes to a turn, each look-up gives an edge and leads to the next turn.
"""

from typing import NamedTuple

import numpy as np

from waygrid.algorithms.jumps.direct import direct, on_map
from waygrid.algorithms.jumps.turns_build import turn_number
from waygrid.algorithms.pathdb.cpd_build import BLOCK, BLOCKS, EDGE_BITS, FIRST_EDGE, HIGH, JUMPS, LOW, MOVE_BITS, NEAR
from waygrid.core import layout as at
from waygrid.core.clock import now
from waygrid.core.driver import make_query_loop
from waygrid.core.events import record
from waygrid.core.heuristics import natural
from waygrid.core.jit import Array, int64, jit
from waygrid.core.legs import LEGS, close_legs

HERE = at.USER  # the current waypoint
AT = at.USER + 1  # its turn, -1 where it is none
G = at.USER + 2  # its distance from the start
GOAL_ID = at.USER + 3
BEST_COUNT = at.USER + 4  # waypoints of the way to the closest one


class PathRows(NamedTuple):
    """What a query reads."""

    cells: Array  # of every cell: where its row begins (two halves), its blocks, NEAR, and its jumps: one place to read
    jumps: Array  # the jumps among them
    ids: Array  # of every cell: its place in the order, -1 for walls
    heads: Array  # the first run of every block
    runs: Array  # in blocks, filled up behind the last run of a row with what is greater than any
    tags: Array  # see `turns`, also for the next
    edges: Array
    stops: Array  # of every turn: where its row begins, its blocks, NEAR, and its first edge: one place to read
    turn_heads: Array
    turn_runs: Array


@jit
def look_up(heads, runs, begin: int, blocks: int, wanted: int) -> int:
    """Return the last run of a row that is not greater than `wanted`.

    First the block, by the heads of all blocks of the row, then, by halving, the run in it. Halving the whole row looks
    at more places in memory: 37 ns instead of 61 on orz100d, rows and goals at random.
    """
    later, most = np.uint32(0), np.uint32(wanted)
    for k in range(begin + 1, begin + blocks):
        later += np.uint32(heads[k] <= most)
    found = BLOCK * (begin + int64(later))
    for half in (8, 4, 2, 1):
        found += half * (runs[found + half] <= most)
    return int64(runs[found])


@jit
def advance(geo, ctl, data: PathRows, waypoints, events) -> None:
    """Go from corner to corner until the goal is reached or something stops it: PAUSE says what.

    Arrays are taken out of the tuple once; passed on in it, they made each look-up three times as slow. Runs and jumps
    are not checked when an index is loaded, for they are most of it: what leads nowhere, or round in a circle until
    there is no room for another corner, is found here.
    """
    cells, jumps, heads, runs, tags = data.cells, data.jumps, data.heads, data.runs, data.tags
    edges, stops, turn_heads, turn_runs = data.edges, data.stops, data.turn_heads, data.turn_runs
    width, goal, count, track, pause = geo[at.WIDTH], ctl[at.GOAL], ctl[at.LISTED], ctl[at.FLAGS] & at.TRACK_BEST, 0
    goal_x, goal_y, goal_id = goal % width, goal // width, ctl[GOAL_ID]
    cell, turn, g, expanded, budget = ctl[HERE], ctl[AT], ctl[G], ctl[at.EXPANDED], ctl[at.BUDGET]
    x, y, limit, deadline = (
        int64(waypoints[2 * count - 2]),
        int64(waypoints[2 * count - 1]),
        ctl[at.LIMIT],
        ctl[at.DEADLINE],
    )
    height, room = geo[at.HEIGHT], waypoints.size // 2 - 1
    while True:
        if budget <= 0:
            pause = at.PAUSE_BUDGET
            break
        if count > room:
            pause = at.PAUSE_DAMAGED
            break
        if expanded == limit or (deadline > 0 and expanded & 63 == 63 and now(ctl) > deadline):
            ctl[at.STATUS], ctl[at.END] = at.CUTOFF, ctl[at.BEST]
            break
        if events is not None:
            if ctl[at.EVENTS] + at.EVENT_ROOM > events.size:
                pause = at.PAUSE_EVENTS
                break
        budget -= 1
        expanded += 1
        if track:
            h = natural(geo, x, y, goal_x, goal_y)
            if h < ctl[at.BEST_H] or (h == ctl[at.BEST_H] and g < ctl[at.BEST_G]):
                ctl[at.BEST], ctl[at.BEST_H], ctl[at.BEST_G], ctl[BEST_COUNT] = cell, h, g, count
        if events is not None:
            here, own_h, own_g = cell, natural(geo, x, y, goal_x, goal_y), g
            record(events, ctl, at.E_EXPANDING, here, -1, own_g, own_h)
        near = int64(stops[turn, NEAR]) if turn >= 0 else int64(cells[cell, NEAR])
        if max(abs(goal_x - x), abs(goal_y - y)) <= near:
            way = direct(geo, jumps, cell, goal_x - x, goal_y - y)
            if way >= 0:
                ctl[at.STATUS], ctl[at.END] = at.FOUND, goal
                waypoints[2 * count], waypoints[2 * count + 1] = goal_x, goal_y
                count += 1
                if events is not None:
                    record(events, ctl, at.E_END, goal, here, g + way, 0)
                break
        blocks = int64(stops[turn, 1]) if turn >= 0 else 0
        if blocks > 0:
            run = look_up(turn_heads, turn_runs, int64(stops[turn, 0]), blocks, (goal_id + 1 << EDGE_BITS) - 1)
            edge = int64(stops[turn, FIRST_EDGE]) + (run & (1 << EDGE_BITS) - 1)
            if edge >= edges.size:
                pause = at.PAUSE_DAMAGED
                break
            turn, g = int64(edges[edge]["turn"]), g + int64(edges[edge]["cost"])
            x, y = int64(edges[edge]["x"]), int64(edges[edge]["y"])
            cell = y * width + x
        else:
            first = int64(cells[cell, HIGH]) << 15 | int64(cells[cell, LOW])
            blocks = int64(cells[cell, BLOCKS])
            if blocks <= 0:
                pause = at.PAUSE_DAMAGED
                break
            run = look_up(heads, runs, first, blocks, (goal_id + 1 << MOVE_BITS) - 1)
            d = run & (1 << MOVE_BITS) - 1
            steps = int64(cells[cell, JUMPS + d])
            cell, g = cell + steps * geo[at.STEP + d], g + steps * geo[at.COST + d]
            x, y = x + steps * geo[at.DX + d], y + steps * geo[at.DY + d]
            if not on_map(width, height, x, y):
                pause = at.PAUSE_DAMAGED
                break
            turn = turn_number(tags, cell, d) if (tags[cell] >> d) & 1 else -1
        waypoints[2 * count], waypoints[2 * count + 1] = x, y
        count += 1
        if events is not None:
            record(events, ctl, at.E_GENERATING, cell, here, g, natural(geo, x, y, goal_x, goal_y))
            record(events, ctl, at.E_CLOSING, here, -1, own_g, own_h)
    ctl[HERE], ctl[AT], ctl[G], ctl[at.LISTED], ctl[at.PAUSE] = cell, turn, g, count, pause
    ctl[at.EXPANDED], ctl[at.GENERATED], ctl[at.BUDGET] = expanded, expanded, budget


@jit
def begin(geo, ctl, ids, queries, i: int, waypoints, events) -> None:
    """Stand at the start."""
    waypoints[0], waypoints[1] = queries[i, 0], queries[i, 1]
    ctl[HERE], ctl[AT], ctl[GOAL_ID], ctl[at.LISTED], ctl[BEST_COUNT] = ctl[at.START], -1, ids[ctl[at.GOAL]], 1, 1
    ctl[at.ESTIMATE] = natural(geo, queries[i, 0], queries[i, 1], queries[i, 2], queries[i, 3])
    ctl[at.OPEN] = ctl[at.PEAK] = ctl[at.TOUCHED] = 1
    if events is not None:
        record(events, ctl, at.E_GENERATING, ctl[at.START], -1, 0, ctl[at.ESTIMATE])


@jit
def finish(ctl) -> None:
    """Let a path that a limit cuts off end at the closest waypoint."""
    if ctl[at.STATUS] == at.CUTOFF:
        ctl[at.LISTED] = ctl[BEST_COUNT]


# `spare` has room for the waypoints of a path through all cells.
run = make_query_loop(__name__, begin, advance, finish, close_legs, {**LEGS, "data": "index", "ids": "index.ids"})
