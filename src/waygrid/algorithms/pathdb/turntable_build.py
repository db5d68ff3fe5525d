"""What a turn table holds: the distances between all spots, the steps of their cheapest paths, and accesses of cells.

Distances are the same both ways, so one triangle of them is kept: row p holds those of spots 0 to p. A step is the
number of the access by which a cheapest path leaves a spot towards another one.
"""

import numpy as np

from waygrid.algorithms.jumps.spots_build import list_accesses
from waygrid.core import layout as at
from waygrid.core.jit import int64, jit

MOST_LINKS = 254  # of a spot, where steps are bytes


@jit
def no_step(steps) -> int:
    """Return the step where no access is needed: the goal is on a line from the spot."""
    return (1 << 8 * steps.itemsize) - 1


def access_record(wide: bool) -> np.dtype[np.void]:
    """Return the type of an access: its spot, what the leg to it costs, and what it costs more than another way.

    `excess` compares it with the cell's first access: the cost of the leg, less the distance between the two spots.
    """
    number = "<i8" if wide else "<i4"
    return np.dtype([("spot", "<u2"), ("cost", number), ("excess", number)])


SPOT = np.dtype([("x", "<u2"), ("y", "<u2"), ("link", "<i4")])  # a spot, and its first access among all links


@jit
def distance_place(one: int, other: int) -> int:
    """Return where the distance of two spots lies in the triangle."""
    low, high = min(one, other), max(one, other)
    return (high * (high + 1) >> 1) + low


@jit
def write_distances(dist, rank, first: int, places, rows) -> None:
    """Write rows of the triangle from `first` on, one for each of `places`, where each begins, by columns of `dist`."""
    for spot in range(first + places.size):
        source = rank[spot]
        for k in range(max(0, spot - first), places.size):
            rows[places[k] + spot] = dist[source, k]


@jit
def read_distances(triangle, first: int, columns: int, dist) -> None:
    """Fill dist[spot, k] with the distances of all spots from spot first + k."""
    for spot in range(len(dist)):
        for k in range(columns):
            dist[spot, k] = triangle[distance_place(first + k, spot)]


@jit
def write_steps(links, link_first, dist, steps) -> None:
    """Write the steps of all spots towards those whose distances are the columns of `dist`, one row for each."""
    columns, chosen, none = len(steps), np.zeros(len(steps), steps.dtype), no_step(steps)
    for spot in range(len(dist)):
        for k in range(columns):
            chosen[k] = none
        for link in range(link_first[spot + 1] - 1, link_first[spot] - 1, -1):
            over, cost, number = int64(links[link]["spot"]), links[link]["cost"], link - link_first[spot]
            for k in range(columns):
                chosen[k] = number if dist[over, k] + cost == dist[spot, k] else chosen[k]
        for k in range(columns):
            steps[k, spot] = chosen[k]


@jit
def choose_accesses(triangle, ends, costs, count: int) -> int:
    """Sort accesses by cost and drop those that a way over another one reaches at the same cost; return the count.

    What is left serves as well: every path over the ones that go leads over one that stays. On orz100d 15.4 accesses
    of a cell become 11.1.
    """
    kept = 0
    for k in range(count):
        end, cost, place = ends[k], costs[k], k
        while place > 0 and costs[place - 1] > cost:
            ends[place], costs[place] = ends[place - 1], costs[place - 1]
            place -= 1
        ends[place], costs[place] = end, cost
    for k in range(count):
        needed = True
        for j in range(kept):
            if costs[j] + triangle[distance_place(ends[j], ends[k])] <= costs[k]:
                needed = False
                break
        if needed:
            ends[kept], costs[kept] = ends[k], costs[k]
            kept += 1
    return kept


@jit
def write_accesses(moves, geo, jumps, tags, numbers, triangle, cells, counts, found, done: int) -> tuple[int, int]:
    """Write the accesses of cells; `counts` those of each. Returns how many cells are done and how many they have.

    Fewer cells are done than there are where `found` is too short: call again with `done` and a longer one.
    """
    most = 8 * (geo[at.WIDTH] + geo[at.HEIGHT]) + 16  # at every cell of four diagonals a line to each side
    ends, costs, used = np.empty(most, np.int64), np.empty(most, np.int64), 0
    for k in range(done):
        used += counts[k]
    for k in range(done, cells.size):
        count = list_accesses(moves, geo, jumps, tags, numbers, cells[k], ends, costs)
        count = choose_accesses(triangle, ends, costs, count)
        if used + count > found.size:
            return k, used
        for j in range(count):
            found[used + j]["spot"], found[used + j]["cost"] = ends[j], costs[j]
            found[used + j]["excess"] = costs[j] - triangle[distance_place(ends[0], ends[j])]
        counts[k] = count
        used += count
    return cells.size, used
