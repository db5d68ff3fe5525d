"""Gates between zones: every legal move from one zone to another belongs to exactly one of them.

A gate is a straight run of facing cells with the diagonal moves at them; a diagonal that touches no run of its two
zones is a gate by itself. The paper takes straight borders only, which makes its estimate too high (design: errata 9).
"""

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit


@jit
def _cut_run(runs, first: int, length: int, step: int, longest: int, count: int) -> int:
    """Number a run of `length` cells from `first`, cut into even pieces of at most `longest` cells."""
    pieces = (length + longest - 1) // longest
    for k in range(length):
        runs[first + k * step] = count + k * pieces // length
    return count + pieces


@jit
def number_runs(zone, geo, longest: int, below, beside) -> int:
    """Number the runs of facing cells; `below` and `beside` hold, per upper or left cell, its run, else -1.

    Returns how many runs there are.
    """
    width, height = geo[at.WIDTH], geo[at.HEIGHT]
    count = 0
    for turned in range(2):
        lines, places = (width, height) if turned else (height, width)
        along, across = (width, 1) if turned else (1, width)
        for line in range(lines - 1):
            length = last_a = last_b = 0
            for place in range(places + 1):
                cell = line * across + place * along
                a = b = -1
                if place < places:
                    a, b = int64(zone[cell]), int64(zone[cell + across])
                if a < 0 or b < 0 or a == b:
                    a = b = -1
                if length > 0 and (a != last_a or b != last_b):
                    count = _cut_run(beside if turned else below, cell - length * along, length, along, longest, count)
                    length = 0
                if a >= 0:
                    length, last_a, last_b = length + 1, a, b
    return count


@jit
def _gate_of_diagonal(zone, below, beside, u: int, v: int, c1: int, c2: int) -> int:
    """Return the run that the diagonal pair u, v (below) belongs to, -1 for none; c1 lies beside u, c2 beside v.

    Only a run in the same two lines of cells will do, so that a gate's cells stay in line on both sides.
    """
    a, b = zone[u], zone[v]
    run = int64(-1)
    if zone[c2] == b:
        run = int64(below[u])
    elif zone[c1] == a:
        run = int64(below[c1])
    elif zone[c1] == b:
        run = int64(beside[min(u, c1)])
    elif zone[c2] == a:
        run = int64(beside[min(c2, v)])
    return run


@jit
def list_crossings(moves, geo, zone, below, beside, runs: int, crossings) -> tuple[int, int]:
    """Write (cell, direction, gate) of every legal move between zones; return how many moves and gates there are.

    Called with no room, it counts only.
    """
    width, height = geo[at.WIDTH], geo[at.HEIGHT]
    count, gates = 0, runs
    for u in range(zone.size):
        if zone[u] < 0:
            continue
        x, y = u % width, u // width
        for d in range(8):
            dx, dy = geo[at.DX + d], geo[at.DY + d]
            if geo[at.COST + d] == 0 or dy < 0 or (dy == 0 and dx < 0):
                continue
            if not (0 <= x + dx < width and y + dy < height):
                continue
            v = u + geo[at.STEP + d]
            forth, back = (moves[u] >> d) & 1, (moves[v] >> geo[at.OPPOSITE + d]) & 1
            if zone[v] == zone[u] or not forth | back:
                continue
            if dx == 0:
                gate = int64(below[u])
            elif dy == 0:
                gate = int64(beside[u])
            else:
                gate = _gate_of_diagonal(zone, below, beside, u, v, u + dx, v - dx)
                if gate < 0:
                    gate = gates
                    gates += 1
            if forth:
                if count < len(crossings):
                    crossings[count, 0], crossings[count, 1], crossings[count, 2] = u, d, gate
                count += 1
            if back:
                if count < len(crossings):
                    crossings[count, 0], crossings[count, 1], crossings[count, 2] = v, geo[at.OPPOSITE + d], gate
                count += 1
    return count, gates
