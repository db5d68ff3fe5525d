"""Routes: the paths of agents whose goals nobody shares, as stacks of moves that end at the goal.

An agent that others push aside puts the move back on its stack, or a move to a cell farther along the route. So it
always knows a way to its goal, and needs a new path only when it was pushed far away or an edit closed the way.
"""

from waygrid.core import layout as at
from waygrid.core.agents import direction
from waygrid.core.jit import int64, jit
from waygrid.crowd import layout as of

_AHEAD = 5  # moves of the route that are looked at


@jit
def _after(geo, cell: int, d: int) -> int:
    return cell + geo[at.STEP + 8 * (cell % geo[at.WIDTH] & 1) + d]


@jit
def look_ahead(geo, routes, rows, a: int) -> int:
    """Return a cell of the route a few moves ahead: what an agent makes for whose next move is taken."""
    cell, top = int64(rows[a, of.CELL]), int64(rows[a, of.TOP])
    for k in range(1, min(top, _AHEAD) + 1):
        cell = _after(geo, cell, int64(routes[rows[a, of.BASE] + top - k]))
    return cell


@jit
def find_move(moves, geo, cell: int, n: int) -> int:
    """Return the legal move between two cells, -1 if there is none."""
    byte = int64(moves[cell])
    for d in range(8):
        if (byte >> d) & 1 and _after(geo, cell, d) == n:
            return d
    return -1


@jit
def ask(rows, state, a: int) -> None:
    """Give an agent's route up: it needs another one."""
    rows[a, of.TOP] = 0
    state[of.ASKED] += 1 - rows[a, of.ASKS]
    rows[a, of.ASKS] = 1


@jit
def follow_route(moves, geo, routes, rows, state, a: int, cell: int, n: int) -> None:
    """Bring the route of an agent up to date that went from one cell to the next."""
    base, top = int64(rows[a, of.BASE]), int64(rows[a, of.TOP])
    if top > 0:
        ahead = _after(geo, cell, int64(routes[base + top - 1]))
        if ahead == n:
            rows[a, of.TOP] = top - 1
            return
    elif rows[a, of.ASKS]:  # it has no route
        return
    joined, move, ahead = 0, -1, cell
    for k in range(1, min(top, _AHEAD) + 1):  # where can it join the route again? The farther along, the better
        ahead = _after(geo, ahead, int64(routes[base + top - k]))
        d = find_move(moves, geo, n, ahead)
        if ahead == n:
            joined, move = k, -1
        elif d >= 0:
            joined, move = k, d
    top -= joined
    if joined == 0:
        move = find_move(moves, geo, n, cell)
        if move < 0 or top >= rows[a, of.ROOM]:  # against a one-way tile, or too far from the route
            ask(rows, state, a)
            return
    if move >= 0:
        routes[base + top] = move
        top += 1
    rows[a, of.TOP] = top


@jit
def write_routes(geo, numbers, lengths, cells, routes, rows, used: int) -> int:
    """Write paths as routes behind what is used of `routes`; return how much is used then."""
    first = 0
    for k in range(numbers.size):
        a, length = numbers[k], lengths[k]
        count = max(length - 1, 0)
        rows[a, of.BASE], rows[a, of.TOP], rows[a, of.LONG] = used, count, count
        rows[a, of.ROOM] = count + of.SLACK
        for i in range(count):
            here = int64(cells[first + i, 1]) * geo[at.WIDTH] + int64(cells[first + i, 0])
            there = int64(cells[first + i + 1, 1]) * geo[at.WIDTH] + int64(cells[first + i + 1, 0])
            routes[used + count - 1 - i] = direction(geo, here, there)
        used += count + of.SLACK
        first += length
    return used


@jit
def compact_routes(rows, routes, packed) -> int:
    """Copy all routes, without the gaps between them; return how much is used."""
    used = 0
    for a in range(len(rows)):
        base, room = int64(rows[a, of.BASE]), int64(rows[a, of.ROOM])
        for k in range(int64(rows[a, of.TOP])):
            packed[used + k] = routes[base + k]
        rows[a, of.BASE] = used
        used += room
    return used


@jit
def check_routes(moves, geo, routes, rows, state, ahead: int) -> None:
    """Let those agents ask for another route whose next moves an edit has made illegal."""
    for a in range(len(rows)):
        if rows[a, of.FIELD] != of.ROUTE:
            continue
        cell, top, base = int64(rows[a, of.CELL]), int64(rows[a, of.TOP]), int64(rows[a, of.BASE])
        for k in range(1, min(top, ahead) + 1):
            d = int64(routes[base + top - k])
            if not (moves[cell] >> d) & 1:
                ask(rows, state, a)
                break
            cell = _after(geo, cell, d)
