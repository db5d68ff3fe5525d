"""kNN LRTA* (Bulitko, Björnsson and Lawrence 2010): the way of a similar problem that was solved before.

A record is a random problem: its start, its goal, and the subgoals between them, each climbed to from the one before.
Records are ranked by the larger of two distances on the empty map, from start to start and from goal to goal. The agent
takes the nearest whose start it can climb to and from whose goal the climb to its own arrives, among the first few
(`nearest`), and visits start, subgoals and goal of that record. It needs none where it can climb to its goal itself.

Where none of them serves, the paper's agent is on its own. Ours takes the first that it can climb to, or the nearest,
if that is nearer than the goal, walks to its start by LRTA*, which learns its way round what is between, and asks again
at its end, ROUNDS times at most.

Records lie in the order of a kd-tree's leaves, in blocks of BLOCK, each with the box of its starts and the box of its
goals, so most blocks are passed by. A unit of work looks at UNIT boxes, or at the records of one block, or tries UNIT
moves of a climb. The next record is found by a new pass over the blocks for the least rank above the last one: an
agent has no room for a list.
"""

from typing import NamedTuple

from waygrid.algorithms.realtime import guided_query as guide
from waygrid.algorithms.regions.climb import ENDLESS, climb
from waygrid.core import layout as at
from waygrid.core.agents import AIM, CELL, TARGET
from waygrid.core.heuristics import natural
from waygrid.core.jit import Array, int64, jit

BLOCK = 64
ROUNDS = 8

# Stages of an agent: it climbs to its goal; looks for the next record; climbs to the start of that; from its goal to
# the agent's; past its start to the first subgoal; past its goal, from the last subgoal.
DIRECT, SEEKING, TO_START, FROM_END, TO_FIRST, TO_GOAL = (
    guide.FREE + 1,
    guide.FREE + 2,
    guide.FREE + 3,
    guide.FREE + 4,
    guide.FREE + 5,
    guide.FREE + 6,
)

# The agent's own fields: the current block; the best record there and its rank; the last one tried and its rank; how
# many were tried; the one to fall back on, 1 if it can be climbed to, and its rank; the next subgoal of the one that is
# followed; how often a record was fallen back on.
AT, BEST, RANK, LAST, LAST_RANK, TRIED, KEPT, CLIMBED, KEPT_RANK, POINT, ROUND = range(guide.GUIDES, guide.GUIDES + 11)


class Records(NamedTuple):
    """The index of knn-lrta."""

    boxes: Array  # (blocks, 8): left, top, right, bottom of the starts, and of the goals
    ends: Array  # (records, 4): x and y of start and goal
    first: Array  # for each record its first subgoal; one more at the end
    subgoals: Array
    labels: Array  # of the cells: connected components of the map; not saved with the index


@jit
def rank_of(geo, ends, record: int, x: int, y: int, goal_x: int, goal_y: int) -> int:
    """Return the larger of the distances from start to start and from goal to goal."""
    one = natural(geo, x, y, int64(ends[record, 0]), int64(ends[record, 1]))
    return max(one, natural(geo, goal_x, goal_y, int64(ends[record, 2]), int64(ends[record, 3])))


@jit
def _to_box(geo, boxes, block: int, side: int, x: int, y: int) -> int:
    """Return the distance of a cell to a box."""
    dx = max(boxes[block, side] - x, x - boxes[block, side + 2], 0)
    dy = max(boxes[block, side + 1] - y, y - boxes[block, side + 3], 0)
    return natural(geo, 0, 0, dx, dy)


@jit
def _seek(geo, boxes, ends, labels, agents, i: int) -> bool:
    """Pass through more blocks; return whether all were passed. Records of other components are left out."""
    width, cell, goal = geo[at.WIDTH], agents[i, CELL], agents[i, TARGET]
    x, y, goal_x, goal_y = cell % width, cell // width, goal % width, goal // width
    position, best, rank = agents[i, AT], agents[i, BEST], agents[i, RANK]
    last, last_rank = agents[i, LAST], agents[i, LAST_RANK]
    end, near = min(boxes.shape[0], position + guide.UNIT), False
    while position < end and not near:
        near = max(_to_box(geo, boxes, position, 0, x, y), _to_box(geo, boxes, position, 4, goal_x, goal_y)) <= rank
        position += 1
    if near:
        for record in range((position - 1) * BLOCK, min(position * BLOCK, ends.shape[0])):
            found = rank_of(geo, ends, record, x, y, goal_x, goal_y)
            behind = (found > last_rank) | ((found == last_rank) & (record > last))
            if behind & (found < rank):
                if labels[int64(ends[record, 1]) * width + int64(ends[record, 0])] == labels[cell]:
                    best, rank = record, found
    agents[i, AT], agents[i, BEST], agents[i, RANK] = position, best, rank
    return position == boxes.shape[0]


@jit
def _next_record(store, ctl, policy, geo, ends, agents, i: int) -> None:
    """Begin the pass that finds the next record; when enough were tried, fall back on one, or on LRTA* alone."""
    agents[i, guide.STAGE], agents[i, AT], agents[i, BEST], agents[i, RANK] = SEEKING, 0, -1, at.INFINITE
    if agents[i, TRIED] == policy[at.NEAREST]:
        _fall_back(store, ctl, policy, geo, ends, agents, i)


@jit
def _fall_back(store, ctl, policy, geo, ends, agents, i: int) -> None:
    """Follow the record that was kept, if it is nearer than the goal."""
    width, cell, goal, record = geo[at.WIDTH], agents[i, CELL], agents[i, TARGET], agents[i, KEPT]
    away = natural(geo, cell % width, cell // width, goal % width, goal // width)
    serves = (policy[at.FALLBACK] == 1) & (record >= 0) & (agents[i, ROUND] < ROUNDS) & (agents[i, KEPT_RANK] < away)
    if serves:
        agents[i, ROUND] += 1
        agents[i, LAST], agents[i, guide.STAGE] = record, TO_FIRST
        agents[i, guide.WALK] = cell
    else:
        guide.let_go(store, ctl, agents, i)


@jit
def _try_climb(moves, geo, ends, first, subgoals, agents, i: int) -> int:
    """Try the climb of the agent's stage a unit further."""
    stage, record, width = agents[i, guide.STAGE], agents[i, LAST], geo[at.WIDTH]
    goal = agents[i, TARGET]
    if stage == TO_START:
        goal = int64(ends[record, 1]) * width + int64(ends[record, 0])
    elif stage == TO_FIRST:
        goal = int64(subgoals[first[record]])
    return guide.climb_unit(moves, geo, agents, i, goal)


@jit
def _climb_towards(moves, geo, policy, store, ctl, agents, i: int, known: Records) -> None:
    """Do a unit of one of the stages that climb, and say what comes next when it is decided."""
    ends, first, subgoals = known.ends, known.first, known.subgoals
    stage, width, record = agents[i, guide.STAGE], geo[at.WIDTH], agents[i, LAST]
    how = _try_climb(moves, geo, ends, first, subgoals, agents, i)
    if how == guide.CLIMBING:
        return
    arrived = how == guide.ARRIVED
    agents[i, guide.WALK] = agents[i, CELL]
    if (stage == DIRECT) | (stage == TO_GOAL):
        if arrived:
            guide.let_go(store, ctl, agents, i)
        elif stage == DIRECT:
            agents[i, LAST], agents[i, LAST_RANK], agents[i, TRIED] = -1, -1, 0
            agents[i, KEPT], agents[i, CLIMBED] = -1, 0
            _next_record(store, ctl, policy, geo, ends, agents, i)
        else:
            agents[i, guide.STAGE] = guide.FOLLOWING
            agents[i, POINT] += 1
            guide.head_for(store, ctl, agents, i, int64(ends[record, 3]) * width + int64(ends[record, 2]))
    elif stage == TO_FIRST:
        agents[i, guide.STAGE], agents[i, POINT] = guide.FOLLOWING, 1 if arrived else 0
        start = int64(ends[record, 1]) * width + int64(ends[record, 0])
        guide.head_for(store, ctl, agents, i, int64(subgoals[first[record]]) if arrived else start)
    elif not arrived:
        if (agents[i, KEPT] < 0) | ((stage == FROM_END) & (agents[i, CLIMBED] == 0)):
            agents[i, KEPT], agents[i, KEPT_RANK] = record, agents[i, LAST_RANK]
            agents[i, CLIMBED] = 1 if stage == FROM_END else 0
        _next_record(store, ctl, policy, geo, ends, agents, i)
    elif stage == TO_START:
        agents[i, guide.STAGE], agents[i, guide.WALK] = (
            FROM_END,
            int64(ends[record, 3]) * width + int64(ends[record, 2]),
        )
    else:
        agents[i, guide.STAGE] = TO_FIRST


@jit
def _follow(store, ctl, agents, i: int, first, subgoals) -> None:
    """Turn to the next subgoal; behind the last, the goal is tried before that of the record."""
    record, point = agents[i, LAST], agents[i, POINT]
    count = int64(first[record + 1]) - int64(first[record])
    if point < count:
        agents[i, POINT] = point + 1
        guide.head_for(store, ctl, agents, i, int64(subgoals[int64(first[record]) + point]))
    elif point == count:
        agents[i, guide.STAGE], agents[i, guide.WALK] = TO_GOAL, agents[i, CELL]
    elif agents[i, CELL] == agents[i, TARGET]:
        guide.let_go(store, ctl, agents, i)
    else:  # at the goal of the record: the climb from here arrives, or another record is asked for
        agents[i, guide.STAGE], agents[i, guide.WALK] = DIRECT, agents[i, CELL]


@jit
def _take_up(store, ctl, policy, geo, ends, agents, i: int) -> None:
    """Try the record that a pass has found, if it has found one."""
    if agents[i, BEST] < 0:
        _fall_back(store, ctl, policy, geo, ends, agents, i)
    else:
        agents[i, LAST], agents[i, LAST_RANK] = agents[i, BEST], agents[i, RANK]
        agents[i, TRIED] += 1
        agents[i, guide.STAGE], agents[i, guide.WALK] = TO_START, agents[i, CELL]


@jit
def ask_records(moves, geo, policy, store, ctl, agents, i: int, known: Records) -> bool:
    """Do a unit of work for an agent; return whether there was any to do (see `guided_query`)."""
    while (agents[i, guide.STAGE] == guide.FOLLOWING) & (agents[i, CELL] == agents[i, AIM]):
        _follow(store, ctl, agents, i, known.first, known.subgoals)
    if (agents[i, guide.STAGE] == guide.FOLLOWING) | (agents[i, guide.STAGE] == guide.FREE):
        return False
    if agents[i, guide.STAGE] == guide.NEW:
        agents[i, guide.STAGE], agents[i, guide.WALK] = DIRECT, agents[i, CELL]
    if agents[i, guide.STAGE] != SEEKING:
        _climb_towards(moves, geo, policy, store, ctl, agents, i, known)
    elif _seek(geo, known.boxes, known.ends, known.labels, agents, i):
        _take_up(store, ctl, policy, geo, known.ends, agents, i)
    return True


@jit
def first_broken(moves, geo, ends, first, subgoals) -> int:
    """Climb along every record; return the first that cannot be followed, -1 if all can."""
    width = geo[at.WIDTH]
    for record in range(ends.shape[0]):
        here = int64(ends[record, 1]) * width + int64(ends[record, 0])
        end = int64(ends[record, 3]) * width + int64(ends[record, 2])
        begin, behind = int64(first[record]), int64(first[record + 1])
        for k in range(begin, behind + 1):
            there = end if k == behind else int64(subgoals[k])
            if climb(moves, geo, here, there, ENDLESS) < 0:
                return record
            here = there
    return -1
