"""Changing places in narrow passages: the agents that must let others pass step back and draw them along.

Okumura, Improving LaCAM for Scalable Eventually Optimal Multi-Agent Pathfinding (IJCAI 2023), section 4. Two agents
that want past each other in a corridor can do so only where three ways meet. One of them goes backwards until there,
away from its goal, and the other follows at its heels.
"""

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit
from waygrid.crowd import layout as of

_NONE, _ROOM = -1, -2  # how a way goes on: not at all; in more than one direction


@jit
def _go_on(moves, geo, rows, board, before: int, cell: int) -> int:
    """Return the only cell to which a way leads on, _NONE or _ROOM.

    A dead end of one cell in which an agent stands at its goal does not count.
    """
    byte, row = int64(moves[cell]), at.STEP + 8 * (cell % geo[at.WIDTH] & 1)
    following = _NONE
    for d in range(8):
        if not (byte >> d) & 1:
            continue
        n = cell + geo[row + d]
        other = board[n, of.NOW]
        ways = int64(moves[n])
        settled = other >= 0 and (ways & (ways - 1)) == 0 and rows[other, of.GOAL] == n
        if n == before or settled:
            continue
        if following >= 0:
            return _ROOM
        following = n
    return following


@jit
def _must_swap(moves, geo, fields, rows, board, pusher: int, puller: int, behind: int, ahead: int) -> bool:
    """Return whether an agent that goes from `behind` to `ahead` cannot pass another without changing places."""
    own, others = rows[pusher, of.FIELD], rows[puller, of.FIELD]
    if own < 0 or others < 0:
        return False
    while fields[own, ahead] < fields[own, behind]:
        following = _go_on(moves, geo, rows, board, behind, ahead)
        if following == _ROOM:
            return False
        if following == _NONE:
            break
        behind, ahead = ahead, following
    wanted = fields[own, behind] == 0 or fields[own, ahead] < fields[own, behind]
    return bool(wanted and fields[others, behind] < fields[others, ahead])


@jit
def _can_swap(moves, geo, rows, board, behind: int, ahead: int) -> bool:
    """Return whether the way from `behind` to `ahead` comes to a place with room."""
    first = behind
    while ahead != first:
        following = _go_on(moves, geo, rows, board, behind, ahead)
        if following < 0:
            return following == _ROOM
        behind, ahead = ahead, following
    return False


@jit
def find_partner(moves, geo, fields, rows, board, a: int, wanted: int) -> int:
    """Return the agent with which one that wants into a cell should change places by stepping back, -1: nobody."""
    cell = int64(rows[a, of.CELL])
    if wanted == cell:
        return -1
    other = int64(board[wanted, of.NOW])
    if other >= 0 and rows[other, of.NEXT] < 0:
        required = _must_swap(moves, geo, fields, rows, board, a, other, cell, wanted)
        if required and _can_swap(moves, geo, rows, board, wanted, cell):
            return other
    byte, row = int64(moves[cell]), at.STEP + 8 * (cell % geo[at.WIDTH] & 1)
    for d in range(8):  # or one is in the way of a neighbour, and clears the passage
        if (byte >> d) & 1 and cell + geo[row + d] != wanted:
            other = int64(board[cell + geo[row + d], of.NOW])
            if other < 0:
                continue
            required = _must_swap(moves, geo, fields, rows, board, other, a, cell, wanted)
            if required and _can_swap(moves, geo, rows, board, wanted, cell):
                return other
    return -1
