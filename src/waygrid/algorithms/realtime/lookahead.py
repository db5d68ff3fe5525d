"""Looking several moves ahead: the cells around an agent, and the best of those at their edge.

The ball of depth d has the cells up to d moves away. Those less than d away, the goal apart, are expanded, in
breadth-first order; the others are its edge. Every way to the goal crosses the edge, so h of the agent's cell may rise
to the least g + h there, with g the cheapest way within the ball.

That value alone would not do: an agent may swing for ever between two cells, from each of which the edge looks best
through the other, since what was learned of cells within the ball is not asked. So for each first move the larger of
(price + h of the neighbour) and (the least g + h of the edge cells reached through it) counts. Both are lower bounds
along the cheapest way, so the least over all first moves still never exceeds the true distance, and once nothing more
is learned h falls with every move. For d = 1 this is Korf's rule.
"""

from waygrid.algorithms.realtime.learned import recall
from waygrid.core import layout as at
from waygrid.core.agents import AIM, CELL, NOTES, price_move
from waygrid.core.jit import int64, jit

HEAD, COUNT, INSIDE, LEAST = (
    at.USER,
    at.USER + 1,
    at.USER + 2,
    at.USER + 3,
)  # the next in the list; its length; cells expanded

# Tables of (2 d + 1) ** 2 numbers each, from NOTES on, and behind them the least values of the eight first moves.
SPOTS = 0  # by place in the window around the agent: number in the list + 1
CELLS, SPOT, DEPTH, EXPANDED, G, VIA = 1, 2, 3, 4, 5, 6  # by number in the list
TABLES = 7


def notes_size(depth: int) -> int:
    """Return the numbers that a lookahead needs."""
    return TABLES * (2 * depth + 1) ** 2 + 8


@jit
def _table(depth: int, table: int) -> int:
    return NOTES + table * (2 * depth + 1) ** 2


@jit
def _add(ctl, depth: int, cell: int, spot: int, away: int) -> None:
    number = ctl[COUNT]
    ctl[_table(depth, SPOTS) + spot] = number + 1
    ctl[_table(depth, CELLS) + number] = cell
    ctl[_table(depth, SPOT) + number] = spot
    ctl[_table(depth, DEPTH) + number] = away
    ctl[_table(depth, EXPANDED) + number] = 0
    ctl[COUNT] = number + 1


@jit
def open_ball(ctl, depth: int, cell: int) -> None:
    """Begin with the agent's cell alone."""
    first = _table(depth, SPOTS)
    for k in range(first, first + (2 * depth + 1) ** 2):
        ctl[k] = 0
    ctl[HEAD] = ctl[COUNT] = ctl[INSIDE] = 0
    _add(ctl, depth, cell, depth * (2 * depth + 1) + depth, 0)


@jit
def is_open(ctl, depth: int, target: int, allowed: int) -> bool:
    """Return whether there is a cell to expand; HEAD is its number then."""
    if (ctl[HEAD] < ctl[COUNT]) & (ctl[_table(depth, CELLS) + min(ctl[HEAD], ctl[COUNT] - 1)] == target):
        ctl[HEAD] += 1
    within = (ctl[HEAD] < ctl[COUNT]) & (ctl[INSIDE] < allowed)
    return bool(within & (ctl[_table(depth, DEPTH) + min(ctl[HEAD], ctl[COUNT] - 1)] < depth))


@jit
def widen(moves, geo, ctl, depth: int) -> int:
    """Expand the cell at HEAD and return how many cells that adds; they are the last of the list."""
    number, before, side = ctl[HEAD], ctl[COUNT], 2 * depth + 1
    cell = ctl[_table(depth, CELLS) + number]
    spot, away = ctl[_table(depth, SPOT) + number], ctl[_table(depth, DEPTH) + number]
    legal, row = int64(moves[cell]), 8 * (cell % geo[at.WIDTH] & 1)
    for d in range(8):
        if (legal >> d) & 1:
            near = spot + geo[at.DY + row + d] * side + geo[at.DX + d]
            if ctl[_table(depth, SPOTS) + near] == 0:
                _add(ctl, depth, cell + geo[at.STEP + row + d], near, away + 1)
    ctl[_table(depth, EXPANDED) + number] = 1
    ctl[HEAD] = number + 1
    ctl[INSIDE] += 1
    return ctl[COUNT] - before


@jit
def _reckon(moves, weights, geo, ctl, depth: int) -> None:
    """Find the cheapest way within the ball to each of its cells, and by which first move it leads."""
    side, count = 2 * depth + 1, ctl[COUNT]
    g, via = _table(depth, G), _table(depth, VIA)
    for k in range(count):
        ctl[g + k] = at.INFINITE
    ctl[g] = 0
    changed = True
    while changed:  # breadth-first order is nearly that of g, so two rounds are usual
        changed = False
        for number in range(ctl[HEAD]):
            if ctl[_table(depth, EXPANDED) + number] == 0:
                continue
            cell, spot = ctl[_table(depth, CELLS) + number], ctl[_table(depth, SPOT) + number]
            legal, row = int64(moves[cell]), 8 * (cell % geo[at.WIDTH] & 1)
            for d in range(8):
                if (legal >> d) & 1:
                    near = ctl[_table(depth, SPOTS) + spot + geo[at.DY + row + d] * side + geo[at.DX + d]] - 1
                    cost = ctl[g + number] + price_move(weights, geo, cell + geo[at.STEP + row + d], d)
                    if cost < ctl[g + near]:
                        ctl[g + near] = cost
                        ctl[via + near] = d if number == 0 else ctl[via + number]
                        changed = True


@jit
def choose_ahead(moves, weights, geo, store, ctl, depth: int, agents, i: int) -> int:
    """Return the direction of the next move, -1 where the ball has no edge, with the value of h in LEAST."""
    cell, target = agents[i, CELL], agents[i, AIM]
    _reckon(moves, weights, geo, ctl, depth)
    edge = _table(depth, TABLES)
    for d in range(8):
        ctl[edge + d] = at.INFINITE
    for number in range(ctl[COUNT]):
        if ctl[_table(depth, EXPANDED) + number] == 0:
            d = ctl[_table(depth, VIA) + number]
            h = recall(geo, store, agents, i, ctl[_table(depth, CELLS) + number], target)
            ctl[edge + d] = min(ctl[edge + d], ctl[_table(depth, G) + number] + h)
    chosen, least, dearest = -1, at.INFINITE, int64(0)
    row = 8 * (cell % geo[at.WIDTH] & 1)
    for d in range(8):
        if ctl[edge + d] < at.INFINITE:
            n = cell + geo[at.STEP + row + d]
            price = price_move(weights, geo, n, d)
            f = max(price + recall(geo, store, agents, i, n, target), ctl[edge + d])
            if (f < least) | ((f == least) & (price > dearest)):
                chosen, least, dearest = d, f, price
    ctl[LEAST] = least
    return chosen
