"""Building the table of D LRTA*: where the way from one node of the abstraction to another leaves the first.

One flood from the representative of a node gives the cheapest ways from all others to it, so k nodes need k floods and
not k * k searches.
"""

import numpy as np

from waygrid.algorithms.jumps import canonical
from waygrid.algorithms.jumps.canonical import Ground, Water
from waygrid.algorithms.regions.dba_build import run_lengths
from waygrid.core.jit import int64, jit
from waygrid.core.layout import COST, STEP

NOWHERE = -1  # no way, or there already
ORDER = (4, 5, 6, 7, 0, 1, 2, 3)  # diagonals first, as LRTA* takes the dearest of equally good moves


@jit
def walk_out(moves, geo, dist, none: int, region, centres, goal: int, exits) -> None:
    """Write for every node the first cell outside it on the cheapest way to a goal node, given all distances to that.

    A node that is not nearer to the goal than the one that is left does not count, so that following the subgoals
    comes ever nearer and never turns in a circle: the cell is looked for in the next node.
    """
    for node in range(centres.size):
        cell = int64(centres[node])
        far = int64(dist[cell])
        exits[node] = NOWHERE
        inside = (node != goal) & (far != none)
        while inside:
            left, legal = int64(dist[cell]), int64(moves[cell])
            for d in ORDER:
                if (legal >> d) & 1:
                    n = cell + geo[STEP + d]
                    if dist[n] + geo[COST + d] == left:
                        cell = n
                        break
            there = int64(region[cell])
            inside = (there == node) | (int64(dist[centres[there]]) >= far)
            exits[node] = cell


@jit
def flood_out(ground: Ground, water: Water, region, centres, begin: int, end: int, exits) -> None:
    """Write the subgoals of every node on the way to goal nodes begin to end - 1, by canonical floods."""
    none, source = canonical.largest_distance(water.dist), np.empty(1, np.int64)
    for goal in range(begin, end):
        source[0] = centres[goal]
        canonical.flood(ground, water, source)
        walk_out(ground.moves, ground.geo, water.dist, none, region, centres, goal, exits[goal - begin])


@jit
def number_exits(exits, begin: int, known, counts, slots) -> int:
    """Number the subgoals of each node in the order in which they come, from a goal node's row on.

    `known` receives the lists, `slots` the numbers + 1 by node and goal node. Returns the row where a list is too
    short, from which to continue when they are longer; else how many rows there are.
    """
    for row in range(begin, len(exits)):
        for node in range(counts.size):
            if exits[row, node] == NOWHERE:
                continue
            slot = int64(0)
            while slot < counts[node] and known[node, slot] != exits[row, node]:
                slot += 1
            if slot == known.shape[1]:
                return row
            if slot == counts[node]:
                known[node, slot] = exits[row, node]
                counts[node] += 1
            slots[node, row] = slot + 1
    return len(exits)


@jit
def pack_rows(slots, places, bits: int, first, runs) -> int:
    """Write the rows of the table as runs of equal subgoals, goals in the order of places; return how many there are.

    `first` receives the first run of each row. Called with no room, it counts only.
    """
    nodes, count = places.size, 0
    labels = np.empty(nodes, np.int64)
    for node in range(nodes):
        first[node] = count
        for goal in range(nodes):
            labels[places[goal]] = int64(slots[node, goal]) - 1
        count = run_lengths(labels, bits, runs, count)
    first[nodes] = count
    return count
