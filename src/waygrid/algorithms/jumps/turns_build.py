"""Turns, and the graph that they form: what a search over jump points walks on, octile grids of uniform cost.

A *turn* is a cell together with a direction: entered by it, the cell has more moves worth trying than to continue
(`jumps.worthwhile`), because an obstacle ends beside it. In each of these moves a line leaves the turn, and every line
passes or ends at other turns:

    straight      T > > > T'          one edge, to the next turn ahead
    diagonal      T                   from every jump point of the diagonal edges lead to both sides
                    \\ > > T'
                      \\
                        v
                        T''

Edges are kept side by side, so a search reads memory in order where a table per cell would send it across the map.
"""

import numpy as np

from waygrid.algorithms.jumps.jump_points import worthwhile
from waygrid.core import layout as at
from waygrid.core.jit import int64, jit


def records(longest: int) -> tuple[np.dtype[np.void], np.dtype[np.void]]:
    """Return the types of turns and edges on a map where no edge costs more than `longest`.

    A turn: its place, the number of its first edge and of the one behind its last, its direction, the moves worth
    trying, and how far away a goal can be that it reaches without another turn. An edge: the turn it leads to and that
    turn's place, what the way costs, and the goal bounds.
    """
    bounds = [(name, "<u2") for name in ("left", "top", "right", "bottom")]
    places = [(name, "<i4") for name in ("x", "y", "edge", "last", "near")]
    turn = [*places, ("d", "<i2"), ("wanted", "<i2")]
    cost = "<i4" if longest < 2**31 else "<i8"
    edge = [("turn", "<i4"), ("cost", cost), ("x", "<u2"), ("y", "<u2"), *bounds]
    return np.dtype(turn), np.dtype(edge)


def move_record(width: int, height: int) -> np.dtype[np.void]:
    """Return the type of a cell's move with goal bounds: its jump and its box, together, for they are read together."""
    side = max(width, height)
    box = "<u1" if side < 2**8 else "<u2"
    names = ("left", "top", "right", "bottom")
    return np.dtype([("jump", "<i2" if side < 2**15 else "<i4"), *((name, box) for name in names)])


@jit
def turn_directions(moves, geo, cell: int) -> int:
    """Return the directions, as bits, by which a cell is entered as a turn."""
    found = 0
    for d in range(8):
        if (moves[cell] >> geo[at.OPPOSITE + d]) & 1 == 0:  # nobody enters by d: every move can be undone here
            continue
        plain = 1 << d
        if d >= 4:
            plain |= (1 << (d & 3)) | (1 << ((d + 1) & 3))
        if worthwhile(moves, geo, cell, d) & ~plain:
            found |= 1 << d
    return found


@jit
def find_turns(moves, geo, jumps, relay: int, tags) -> int:
    """Tag each cell: the number of its first turn << 8 | the directions that make it one; return how many there are.

    On maps full of pillars a long diagonal has so many edges, and so many turns lead onto it, that the graph would
    outgrow the map. With `relay` above 0, jump points of diagonals in two of every so many columns (two, for maps whose
    jump points all lie in odd ones) are turns too: they hand on, and turns before them share their edges.
    """
    count = 0
    for cell in range(moves.size):
        found = turn_directions(moves, geo, cell)
        if relay > 0 and (cell % geo[at.WIDTH]) % relay < 2:
            for d in range(4, 8):
                entered = (moves[cell] >> geo[at.OPPOSITE + d]) & 1
                if entered and (jumps[cell, d & 3] > 0 or jumps[cell, (d + 1) & 3] > 0):
                    found |= 1 << d
        tags[cell] = count << 8 | found
        for d in range(8):
            count += (found >> d) & 1
    return count


@jit
def list_turns(moves, geo, tags, turns) -> None:
    """List the turns, without their edges."""
    count = 0
    for cell in range(tags.size):
        count = write_turns(moves, geo, tags, turns, cell, count)


@jit
def write_turns(moves, geo, tags, turns, cell: int, count: int) -> int:
    """Write the turns of a cell, without their edges, from number `count` on; return the number behind them."""
    for d in range(8):
        if (tags[cell] >> d) & 1:
            turn = turns[count]
            turn["x"], turn["y"], turn["d"] = cell % geo[at.WIDTH], cell // geo[at.WIDTH], d
            turn["wanted"] = worthwhile(moves, geo, cell, d)
            count += 1
    return count


@jit
def turn_number(tags, cell: int, d: int) -> int:
    """Return the number of the turn at a cell entered by d."""
    tag = int64(tags[cell])
    number, below = tag >> 8, tag & ((1 << d) - 1)
    while below:
        below &= below - 1
        number += 1
    return number


@jit
def _edge(geo, tags, edges, points, count: int, line: int, point: int, e: int, along: int, g: int) -> int:
    """Write an edge that leaves its line at a point and goes `along` steps in direction e; return the count with it."""
    cell, width = point + along * geo[at.STEP + e], geo[at.WIDTH]
    if count < edges.size:
        edges[count]["turn"] = turn_number(tags, cell, e)
        edges[count]["cost"] = g + along * geo[at.CARDINAL]
        edges[count]["x"], edges[count]["y"] = cell % width, cell // width
    if count < len(points):
        points[count, 0], points[count, 1] = line, 8 * point + e if along > 0 else line
    return count + 1


@jit
def draw_turn(moves, geo, jumps, tags, turn, edges, points, count: int) -> int:
    """Fill the edges of one turn, from number `count` on; return the number behind them."""
    cell, far = int64(turn["y"]) * geo[at.WIDTH] + int64(turn["x"]), 0
    turn["edge"] = count
    for d in range(8):
        if (int64(turn["wanted"]) >> d) & 1 == 0:
            continue
        along, line = int64(jumps[cell, d]), 8 * cell + d
        if d < 4:
            far = max(far, abs(along))
            if along > 0:
                count = _edge(geo, tags, edges, points, count, line, cell, d, along, 0)
            continue
        here, steps = cell, 0
        while (moves[here] >> d) & 1:
            here += geo[at.STEP + d]
            steps += 1
            far = max(far, steps)
            if (tags[here] >> d) & 1:  # an obstacle at the corner: the diagonal ends in a turn
                count = _edge(geo, tags, edges, points, count, line, here, d, 0, steps * geo[at.DIAGONAL])
            for e in (d & 3, (d + 1) & 3):
                along = int64(jumps[here, e])
                far = max(far, steps + abs(along))
                if along > 0 and (tags[here] >> d) & 1 == 0:
                    count = _edge(geo, tags, edges, points, count, line, here, e, along, steps * geo[at.DIAGONAL])
            if (tags[here] >> d) & 1:
                break
    turn["near"], turn["last"] = far, count
    return count


@jit
def draw_edges(moves, geo, jumps, tags, turns, edges, points) -> int:
    """Fill the edges, and `points`: the cell and move (8 * cell + move) where each leaves its turn and its diagonal.

    Returns the number of edges, more than there is room for when `edges` is too short; then call again with enough.
    """
    count = 0
    for k in range(turns.size - 1):
        count = draw_turn(moves, geo, jumps, tags, turns[k], edges, points, count)
    turns[turns.size - 1]["edge"] = count
    return count


@jit
def bound_edges(geo, edges, points, boxes) -> None:
    """Write the goal bounds of edges, from those of every cell and move; without them, the whole map.

    An edge is worth following if its first move is, and if the move by which it leaves its diagonal is.
    """
    for k in range(edges.size):
        edge = edges[k]
        edge["left"] = edge["top"] = 0
        edge["right"], edge["bottom"] = geo[at.WIDTH], geo[at.HEIGHT]
        if boxes is not None:
            for j in range(2):
                box = boxes[points[k, j]]
                edge["left"], edge["top"] = max(edge["left"], box["left"]), max(edge["top"], box["top"])
                edge["right"], edge["bottom"] = min(edge["right"], box["right"]), min(edge["bottom"], box["bottom"])
