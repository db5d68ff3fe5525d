"""Turns, and the graph that they form: what a search over jump points walks on, octile grids of uniform cost.

A *turn* is a cell together with a direction: entered by it, the cell has more moves worth trying than to go on
(`jumps.worthwhile`), because an obstacle ends beside it. From a turn a *line* leaves in each of these moves, and every
line passes or ends at other turns:

    straight      T > > > T'          one edge, to the next turn ahead
    diagonal      T                   from every jump point of the diagonal edges lead to both sides
                    \\ > > T'
                      \\
                        v
                        T''

Edges are kept side by side, so a search reads memory in order where a table per cell would send it across the map.
"""

import numpy as np

from waygrid.kernels._jit import Array, int64, jit
from waygrid.kernels.jumps import worthwhile
from waygrid.kernels.layout import CARDINAL, DIAGONAL, DX, DY, HEIGHT, OPPOSITE, STEP, WIDTH


def records(side: int) -> tuple[np.dtype[np.void], np.dtype[np.void], np.dtype[np.void]]:
    """Return the types of turns, lines and edges on a map whose longer side has so many cells.

    A turn: its place, the number of its first line (the next turn's ends them), its direction, the moves worth trying.
    A line: its first edge (the next line's ends them), its direction, the steps to the wall or on a straight line to
    the next turn, the box `near_*` around every goal that it reaches without another turn, and its goal bounds.
    An edge: the turn it leads to and that turn's place, what the way costs, and the goal bounds of its last part.
    """
    short = "<u2" if side < 2**16 else "<i4"
    bounds = [(name, short) for name in ("left", "top", "right", "bottom")]
    nearby = [(f"near_{name}", short) for name, _ in bounds]
    turn = [("x", "<i4"), ("y", "<i4"), ("line", "<i4"), ("d", "<i2"), ("wanted", "<i2")]
    line = [("edge", "<i4"), ("reach", short), ("d", short), *nearby, *bounds]
    edge = [("turn", "<i4"), ("cost", "<i4"), ("x", short), ("y", short), *bounds]
    return np.dtype(turn), np.dtype(line), np.dtype(edge)


def move_record(width: int, height: int) -> np.dtype[np.void]:
    """Return the type of a cell's move with goal bounds: its jump and its box, together, for they are read together."""
    side = max(width, height)
    box = "<u1" if side < 2**8 else "<u2" if side < 2**16 else "<i4"
    names = ("left", "top", "right", "bottom")
    return np.dtype([("jump", "<i2" if side < 2**15 else "<i4"), *((name, box) for name in names)])


@jit
def find_turns(moves: Array, geo: Array, tags: Array) -> int:
    """Tag each cell: the number of its first turn << 8 | the directions that make it one; return how many there are."""
    count = 0
    for cell in range(moves.size):
        found, before = 0, count
        for d in range(8):
            if (moves[cell] >> geo[OPPOSITE + d]) & 1 == 0:  # nobody enters by d: every move can be undone here
                continue
            plain = 1 << d
            if d >= 4:
                plain |= (1 << (d & 3)) | (1 << ((d + 1) & 3))
            if worthwhile(moves, geo, cell, d) & ~plain:
                found |= 1 << d
                count += 1
        tags[cell] = before << 8 | found
    return count


@jit
def list_turns(moves: Array, geo: Array, tags: Array, turns: Array) -> int:
    """List the turns, and one more that ends the last one's lines; return how many lines there are."""
    count, lines, width = 0, 0, geo[WIDTH]
    for cell in range(tags.size):
        for d in range(8):
            if (tags[cell] >> d) & 1:
                wanted = worthwhile(moves, geo, cell, d)
                turn = turns[count]
                turn["x"], turn["y"], turn["line"] = cell % width, cell // width, lines
                turn["d"], turn["wanted"] = d, wanted
                count += 1
                while wanted:
                    wanted &= wanted - 1
                    lines += 1
    turns[count]["line"] = lines
    return lines


@jit
def turn_number(tags: Array, cell: int, d: int) -> int:
    """Return the number of the turn at a cell entered by d."""
    tag = int64(tags[cell])
    number, below = tag >> 8, tag & ((1 << d) - 1)
    while below:
        below &= below - 1
        number += 1
    return number


@jit
def _widen(line: Array, x: int, y: int) -> None:
    line["near_left"], line["near_right"] = min(line["near_left"], x), max(line["near_right"], x)
    line["near_top"], line["near_bottom"] = min(line["near_top"], y), max(line["near_bottom"], y)


@jit
def _edge(geo: Array, tags: Array, edges: Array, points: Array, count: int, point: int, e: int, along: int) -> None:
    """Write an edge that leaves its line at a point and goes `along` steps in direction e."""
    cell, width = point + along * geo[STEP + e], geo[WIDTH]
    edges[count]["turn"] = turn_number(tags, cell, e)
    edges[count]["x"], edges[count]["y"] = cell % width, cell // width
    points[count] = 8 * point + e if along > 0 else -1  # a diagonal that ends in a turn: any of its moves may follow


@jit
def draw_lines(
    moves: Array, geo: Array, jumps: Array, tags: Array, turns: Array, lines: Array, edges: Array, points: Array
) -> int:
    """Fill lines and edges, and `points`: the cell and move (8 * cell + move) where each edge leaves its line, or -1.

    Returns the number of edges, more than there is room for when `edges` is too short; then call again with enough.
    """
    width, count = geo[WIDTH], 0
    for k in range(turns.size - 1):
        x, y, wanted = int64(turns[k]["x"]), int64(turns[k]["y"]), int64(turns[k]["wanted"])
        cell, number = y * width + x, int64(turns[k]["line"])
        for d in range(8):
            if (wanted >> d) & 1 == 0:
                continue
            line = lines[number]
            number += 1
            line["edge"], line["d"] = count, d
            line["near_left"], line["near_right"], line["near_top"], line["near_bottom"] = width, 0, geo[HEIGHT], 0
            here, far = cell, 0
            if d < 4:
                along = int64(jumps[cell, d])
                far = abs(along)
                for steps in (min(1, far), far):
                    _widen(line, x + steps * geo[DX + d], y + steps * geo[DY + d])
                if along > 0:
                    if count < edges.size:
                        _edge(geo, tags, edges, points, count, cell, d, along)
                        edges[count]["cost"] = along * geo[CARDINAL]
                    count += 1
            while d >= 4 and (moves[here] >> d) & 1:
                here += geo[STEP + d]
                far += 1
                _widen(line, here % width, here // width)
                turning = (tags[here] >> d) & 1  # an obstacle at the corner: the diagonal ends in a turn
                for e in (d, d) if turning else (d & 3, (d + 1) & 3):
                    along = 0 if turning else int64(jumps[here, e])
                    ahead = here + abs(along) * geo[STEP + e]
                    _widen(line, ahead % width, ahead // width)
                    if along > 0 or turning:
                        if count < edges.size:
                            _edge(geo, tags, edges, points, count, here, e, along)
                            edges[count]["cost"] = far * geo[DIAGONAL] + along * geo[CARDINAL]
                        count += 1
                    if turning:
                        break
                if turning:
                    break
            line["reach"] = far
    lines[lines.size - 1]["edge"] = count
    return count


@jit
def bound_lines(geo: Array, turns: Array, lines: Array, edges: Array, points: Array, boxes: Array | None) -> None:
    """Write goal bounds into lines and edges, from those of every cell and move; without them, the whole map."""
    for k in range(turns.size - 1):
        cell = int64(turns[k]["y"]) * geo[WIDTH] + int64(turns[k]["x"])
        for number in range(turns[k]["line"], turns[k + 1]["line"]):
            _bound(geo, lines[number], 8 * cell + int64(lines[number]["d"]), boxes)
    for k in range(edges.size):
        _bound(geo, edges[k], points[k], boxes)


@jit
def _bound(geo: Array, record: Array, place: int, boxes: Array | None) -> None:
    record["left"] = record["top"] = 0
    record["right"], record["bottom"] = geo[WIDTH], geo[HEIGHT]
    if boxes is not None:
        if place >= 0:
            record["left"], record["top"] = boxes[place]["left"], boxes[place]["top"]
            record["right"], record["bottom"] = boxes[place]["right"], boxes[place]["bottom"]
