"""Priority inheritance with backtracking: one step of all agents, in one compiled call.

Okumura, Machida, Defago and Tamura, Artificial Intelligence 310 (2022), algorithm 1. The agents choose in the order of
their priorities. One that wants a cell where another stands makes that one choose first, with its own priority
inherited; if that one finds no cell, the first tries its next best. Recursion is a stack here: `tries` has a row for
each agent that waits for another's choice.
"""

from waygrid.core import layout as at
from waygrid.core.agents import price_move
from waygrid.core.heuristics import natural
from waygrid.core.jit import int64, jit
from waygrid.crowd import layout as of
from waygrid.crowd.route_query import ask, find_move, follow_route, look_ahead
from waygrid.crowd.swap_query import find_partner


@jit
def _draw(state) -> int:
    """Return a random number from 0 to 2047."""
    state[of.SEED] = (state[of.SEED] * 1103515245 + 12345) & 0x7FFFFFFF
    return int64(state[of.SEED] >> 16) & 2047


@jit
def _list_moves(moves, weights, geo, fields, rows, board, state, tries, depth: int, aim: int) -> None:
    """List all moves of an agent with keys: what is left to the goal after each; then free cells first; then by chance.

    The price of a move counts with what is left behind it, as in a search: on ground of several weights the cell that
    is closest to the goal may be a dear one. Waiting costs what a straight move does. Now and then a taken cell counts
    as a free one: agents that always give way into the same free cell may go in circles for ever.
    """
    a = tries[depth, of.WHO]
    cell, field, width, count = int64(rows[a, of.CELL]), int64(rows[a, of.FIELD]), geo[at.WIDTH], 0
    x, byte, careful = cell % width, int64(moves[cell]), _draw(state) & 7 != 0
    for d in range(9):
        if d != of.STAY and not (byte >> d) & 1:
            continue
        n, price = cell, geo[at.CARDINAL]
        if d != of.STAY:
            n = cell + geo[at.STEP + 8 * (x & 1) + d]
            price = price_move(weights, geo, n, d)
        if field >= 0:
            left = int64(fields[field, n])
            if d == of.STAY and left == of.FAR:
                price = 0  # without a way there is no reason to move
        elif field == of.NOWHERE:
            left, price = 0, 0 if d == of.STAY else 1
        else:
            left = natural(geo, n % width, n // width, aim % width, aim // width)
        crowded = 1 if careful and d != of.STAY and board[n, of.NOW] >= 0 else 0
        tries[depth, count] = (left + price) << 16 | crowded << 15 | _draw(state) << 4 | d
        count += 1
    tries[depth, of.COUNT], tries[depth, of.WHOLE] = count, 1


@jit
def _begin_choice(moves, weights, geo, fields, routes, rows, board, state, tries, depth: int, a: int) -> None:
    """Let an agent list what it would do: all its moves, or at first only the next one of its route.

    Most agents can make that one, and need not look at the others.
    """
    tries[depth, of.WHO] = a
    tries[depth, of.PARTNER], tries[depth, of.TRIED] = -1, 0
    top = int64(rows[a, of.TOP])
    if rows[a, of.FIELD] == of.ROUTE and top > 0:
        d = int64(routes[rows[a, of.BASE] + top - 1])
        if (moves[rows[a, of.CELL]] >> d) & 1:
            tries[depth, 0] = d
            tries[depth, of.COUNT], tries[depth, of.WHOLE] = 1, 0
            return
        ask(rows, state, a)  # an edit has closed the way
    _list_moves(moves, weights, geo, fields, rows, board, state, tries, depth, int64(rows[a, of.GOAL]))
    if rows[a, of.FIELD] >= 0:
        cell, best = int64(rows[a, of.CELL]), tries[depth, 0]
        for k in range(1, tries[depth, of.COUNT]):
            best = min(best, tries[depth, k])
        d = int64(best & 15)
        if d != of.STAY:
            wanted = cell + geo[at.STEP + 8 * (cell % geo[at.WIDTH] & 1) + d]
            tries[depth, of.PARTNER] = find_partner(moves, geo, fields, rows, board, a, wanted)


@jit
def _draw_along(moves, geo, rows, board, tries, depth: int) -> None:
    """Let those who stepped back at once draw their partners into the cells that they leave."""
    for k in range(depth, -1, -1):
        a, partner = tries[k, of.WHO], tries[k, of.PARTNER]
        if partner < 0 or tries[k, of.TRIED] != 1 or rows[partner, of.NEXT] >= 0:
            continue
        cell, n = int64(rows[partner, of.CELL]), int64(rows[a, of.CELL])
        d = find_move(moves, geo, cell, n)
        if d >= 0 and is_open(geo, rows, board, partner, cell, n, d):
            rows[partner, of.NEXT], board[n, of.TAKEN] = n, partner


@jit
def _take_best(tries, depth: int) -> int:
    """Take the best of the listed moves that are left and return its direction, -1 if there is none."""
    count = tries[depth, of.COUNT]
    if count == 0:
        return -1
    best, backwards = 0, tries[depth, of.PARTNER] >= 0
    for k in range(1, count):
        if (tries[depth, k] > tries[depth, best]) == backwards:
            best = k
    tries[depth, of.TRIED] += 1
    key = tries[depth, best]
    tries[depth, best] = tries[depth, count - 1]
    tries[depth, of.COUNT] = count - 1
    return int64(key & 15)


@jit
def _drop_route_move(routes, rows, tries, depth: int) -> None:
    """Take the move of the route off the list of all moves: it was tried before."""
    a = tries[depth, of.WHO]
    tried = int64(routes[rows[a, of.BASE] + rows[a, of.TOP] - 1])
    for k in range(tries[depth, of.COUNT]):
        if tries[depth, k] & 15 == tried:
            last = tries[depth, of.COUNT] - 1
            tries[depth, k] = tries[depth, last]
            tries[depth, of.COUNT] = last
            return


@jit
def is_open(geo, rows, board, a: int, cell: int, n: int, d: int) -> bool:
    """Return whether an agent may go to a cell: nobody will be there, it swaps with nobody, and crosses nobody's way.

    Two diagonal moves cross in the middle of four cells. The other diagonal leads between the two cells beside.
    """
    if board[n, of.TAKEN] >= 0:
        return False
    if d == of.STAY:
        return True
    other = board[n, of.NOW]
    if other >= 0 and rows[other, of.NEXT] == cell:
        return False
    if geo[at.TOPOLOGY] != at.OCTILE or d < 4:
        return True
    one, two = cell + geo[at.DX + d], n - geo[at.DX + d]
    first, second = board[one, of.NOW], board[two, of.NOW]
    if first >= 0 and rows[first, of.NEXT] == two:
        return False
    return not (second >= 0 and rows[second, of.NEXT] == one)


@jit
def choose(moves, weights, geo, fields, routes, rows, board, state, tries, first: int) -> bool:
    """Choose the next cell of an agent, and of all that it pushes; return whether it has one.

    It has none only if others were given their next cells beforehand, and one of them its cell.
    """
    depth = 0
    _begin_choice(moves, weights, geo, fields, routes, rows, board, state, tries, 0, first)
    while True:
        a = tries[depth, of.WHO]
        cell = int64(rows[a, of.CELL])
        d = _take_best(tries, depth)
        if d < 0:
            if not tries[depth, of.WHOLE]:
                aim = look_ahead(geo, routes, rows, a)
                _list_moves(moves, weights, geo, fields, rows, board, state, tries, depth, aim)
                _drop_route_move(routes, rows, tries, depth)
                continue
            if depth == 0:
                return False
            rows[a, of.NEXT], board[cell, of.TAKEN] = cell, a  # it stays; who pushed it wants another cell
            depth -= 1
            continue
        n = cell
        if d != of.STAY:
            n = cell + geo[at.STEP + 8 * (cell % geo[at.WIDTH] & 1) + d]
        if not is_open(geo, rows, board, a, cell, n, d):
            continue
        rows[a, of.NEXT], board[n, of.TAKEN] = n, a
        other = int64(board[n, of.NOW])
        if other < 0 or other == a or rows[other, of.NEXT] >= 0:
            _draw_along(moves, geo, rows, board, tries, depth)
            return True
        depth += 1
        _begin_choice(moves, weights, geo, fields, routes, rows, board, state, tries, depth, other)


@jit
def _sort_order(rows, order, spare) -> None:
    """Put those at their goals behind the others of their level; all else keeps its order.

    So who has been on the way for longest comes first: the priorities of the paper, which grow by one in every step and
    fall to the least at the goal, in a pass over the agents.
    """
    first = 0
    while first < order.size:
        level = rows[order[first], of.LEVEL]
        place, waiting, last = first, 0, first
        while last < order.size and rows[order[last], of.LEVEL] == level:
            a = order[last]
            if rows[a, of.CELL] == rows[a, of.GOAL]:
                spare[waiting] = a
                waiting += 1
            else:
                order[place] = a
                place += 1
            last += 1
        for k in range(waiting):
            order[place + k] = spare[k]
        first = last


@jit
def step_crowd(moves, weights, geo, fields, routes, rows, board, order, spare, state, tries, positions) -> None:
    """Let every agent make one move or wait."""
    _sort_order(rows, order, spare)
    for a in range(order.size):
        rows[a, of.NEXT] = -1
        if rows[a, of.STILL]:
            rows[a, of.NEXT] = rows[a, of.CELL]
            board[rows[a, of.CELL], of.TAKEN] = a
    # Who has arrived comes after all who are still on their way, whatever its level: it is in nobody's way then.
    for arrived in range(2):
        for k in range(order.size):
            a = int64(order[k])
            if rows[a, of.NEXT] < 0 and (rows[a, of.CELL] == rows[a, of.GOAL]) == (arrived == 1):
                choose(moves, weights, geo, fields, routes, rows, board, state, tries, a)
    for a in range(order.size):
        board[rows[a, of.CELL], of.NOW] = -1
    width = geo[at.WIDTH]
    for a in range(order.size):
        cell, n = int64(rows[a, of.CELL]), int64(rows[a, of.NEXT])
        board[n, of.NOW], board[n, of.TAKEN] = a, -1
        rows[a, of.CELL] = n
        positions[a, 0], positions[a, 1] = n % width, n // width
        if n != cell and rows[a, of.FIELD] == of.ROUTE:
            follow_route(moves, geo, routes, rows, state, a, cell, n)
    state[of.STEPS] += 1
