"""PRA* as it was shipped in Dragon Age (Sturtevant 2007): A* over regions of sectors, then A* from centre to centre.

The way starts straight for the second region's centre and ends straight at the goal. With trimming each leg but the
last loses its last tenth, and the next one starts there (Lee and Lawrence, section 4.4; the authors' code starts the
second leg at the centre all the same, which breaks the path).
"""

from typing import NamedTuple

import numpy as np

from waygrid.algorithms.classic.best_first_query import advance as advance_search
from waygrid.algorithms.classic.best_first_query import begin as begin_search
from waygrid.algorithms.regions.sectors_build import COLUMNS, ROWS, find_region
from waygrid.core import layout as at
from waygrid.core.driver import make_query_loop
from waygrid.core.heuristics import natural
from waygrid.core.jit import Array, int64, jit
from waygrid.core.query import close_listed, renew
from waygrid.core.queue import bucket_clear, heap_pop, heap_up

# The state of a query, behind USER.
NEXT, TARGETS, LENGTH = (
    at.USER,
    at.USER + 1,
    at.USER + 2,
)  # the target of this leg, how many there are, cells of the path so far
FROM, TO, H = at.USER + 3, at.USER + 4, at.USER + 5  # start, goal and estimate of the whole
SEEN, MET, MOST = at.USER + 6, at.USER + 7, at.USER + 8  # generated, touched and peak of the legs before
TENTH = 10


class Regions(NamedTuple):
    """The index of pra."""

    plan: Array  # of the sectors
    first: Array  # for each sector its first region
    centres: Array  # for each region its representative
    offsets: Array  # for each region its first neighbour; one more at the end
    neighbours: Array
    places: Array  # for each region x and y of its representative: dividing took half of the search over regions


def notes_size(sector_cells: int, regions: int) -> int:
    """Return how much room one query needs: for finding regions, their predecessors, and the targets of the legs."""
    return 2 * sector_cells + 2 * regions + 1


@jit
def plan_regions(regions: Regions, geo, nodes, ctl, room, before, one: int, other: int) -> bool:
    """Search from region to region, priced by the distance of their centres; `before` receives where each came from.

    `nodes` and `room` lend records and two rows of a heap; the search has a number of its own.
    """
    offsets, neighbours, places = regions.offsets, regions.neighbours, regions.places
    heap, keys = room[: len(places)], room[len(places) : 2 * len(places)]
    goal_x, goal_y = int64(places[other, 0]), int64(places[other, 1])
    number = np.uint32(ctl[at.SEARCH])
    nodes[one]["g"], nodes[one]["state"], nodes[one]["prev"] = 0, number << np.uint32(4), 0
    heap_up(nodes, heap, keys, 0, 0, one)
    size, sequence = 1, 1
    while size > 0:
        here = heap_pop(nodes, heap, keys, size)
        size -= 1
        if here == other:
            return True
        nodes[here]["state"] |= np.uint32(at.CLOSED)
        x, y, g = int64(places[here, 0]), int64(places[here, 1]), int64(nodes[here]["g"])
        for k in range(int64(offsets[here]), int64(offsets[here + 1])):
            n = int64(neighbours[k])
            nx, ny = int64(places[n, 0]), int64(places[n, 1])
            cost = g + natural(geo, x, y, nx, ny)
            fresh = nodes[n]["state"] >> np.uint32(4) != number
            if not fresh and int64(nodes[n]["g"]) <= cost:
                continue
            place = int64(nodes[n]["next"])
            if fresh:
                place = size
                size += 1
            nodes[n]["g"], nodes[n]["state"], nodes[n]["prev"] = cost, number << np.uint32(4), sequence
            sequence += 1
            before[n] = here
            heap_up(nodes, heap, keys, place, cost + natural(geo, nx, ny, goal_x, goal_y), n)
    return False


@jit
def list_targets(moves, geo, regions: Regions, nodes, ctl, room) -> int:
    """Write the ends of the legs: centres from the second region to the last but one, then the goal."""
    sector, count = regions.plan[ROWS] * regions.plan[COLUMNS], regions.centres.size
    came, queue = ctl[at.CTL_SIZE : at.CTL_SIZE + sector], ctl[at.CTL_SIZE + sector : at.CTL_SIZE + 2 * sector]
    position = at.CTL_SIZE + 2 * sector
    before, targets = ctl[position : position + count], ctl[position + count : position + 2 * count + 1]
    plan, first, centres = regions.plan, regions.first, regions.centres
    one = find_region(moves, geo, plan, first, centres, ctl[FROM], came, queue, False)
    other = find_region(moves, geo, plan, first, centres, ctl[TO], came, queue, False)
    legs = 0
    if one != other and plan_regions(regions, geo, nodes, ctl, room, before, one, other):
        region = before[other]
        while region != one:
            legs += 1
            region = before[region]
        region = before[other]
        for k in range(legs - 1, -1, -1):
            targets[k] = centres[region]
            region = before[region]
    targets[legs] = ctl[TO]
    return legs + 1


@jit
def begin_leg(policy, geo, regions: Regions, nodes, queue, bits, ctl, events) -> None:
    """Start the search for the next target from where the path ends."""
    position = at.CTL_SIZE + 2 * regions.plan[ROWS] * regions.plan[COLUMNS] + regions.centres.size
    renew(nodes, ctl)
    ctl[at.GOAL] = ctl[position + ctl[NEXT]]
    ctl[at.BEST], ctl[at.BEST_H], ctl[at.BEST_G] = ctl[at.START], at.INFINITE, at.INFINITE
    ctl[at.STATUS] = at.RUNNING
    begin_search(policy, geo, nodes, queue, bits, None, ctl, None, events)


@jit
def add_leg(geo, nodes, start: int, end: int, cells, length: int) -> int:
    """Write the way of a search behind the path, without its first cell; return the length then, -1 without room."""
    count, cell = 0, end
    while cell != start:  # squares have no odd columns: a step is the same everywhere
        cell -= geo[at.STEP + int64(nodes[cell]["state"] & np.uint32(7))]
        count += 1
    if length + count > cells.size:
        return -1
    cell = end
    for k in range(length + count - 1, length - 1, -1):
        cells[k] = cell
        cell -= geo[at.STEP + int64(nodes[cell]["state"] & np.uint32(7))]
    return length + count


@jit
def end_leg(geo, policy, nodes, ctl, cells, events) -> None:
    """Put the leg that was searched behind the path; the status is RUNNING if there is another."""
    length, status = ctl[LENGTH], ctl[at.STATUS]
    after = -1
    if status != at.UNREACHABLE:
        after = add_leg(geo, nodes, ctl[at.START], ctl[at.END], cells, length)
    ctl[SEEN] += ctl[at.GENERATED]
    ctl[MET] += ctl[at.TOUCHED]
    ctl[MOST] = max(ctl[MOST], ctl[at.PEAK])
    last = ctl[NEXT] == ctl[TARGETS] - 1 or status != at.FOUND
    if not last and after >= 0:
        if policy[at.TRIM]:
            after -= (after - length) // TENTH
        ctl[LENGTH], ctl[at.START] = after, cells[after - 1]
        ctl[NEXT] += 1
        ctl[at.STATUS] = at.RUNNING
        if events is not None:
            events[ctl[at.EVENTS] - 1]["kind"] = at.E_SUBGOAL  # it was the end of a leg only
        return
    ctl[at.START], ctl[at.GOAL], ctl[at.ESTIMATE] = ctl[FROM], ctl[TO], ctl[H]
    ctl[at.GENERATED], ctl[at.TOUCHED], ctl[at.PEAK] = ctl[SEEN], ctl[MET], ctl[MOST]
    ctl[at.LISTED], ctl[at.END] = max(after, 0), ctl[at.END] if after > 0 else -1
    if after < 0 and status == at.FOUND:
        ctl[at.STATUS] = at.CUTOFF


@jit
def begin(moves, geo, policy, nodes, queue, bits, spare, ctl, index: Regions, events) -> None:
    """Plan the way over regions and start the search for its first leg."""
    width = geo[at.WIDTH]
    ctl[FROM], ctl[TO] = ctl[at.START], ctl[at.GOAL]
    ctl[H] = natural(geo, ctl[FROM] % width, ctl[FROM] // width, ctl[TO] % width, ctl[TO] // width)
    ctl[TARGETS] = list_targets(moves, geo, index, nodes, ctl, spare)
    spare[0], ctl[LENGTH] = ctl[FROM], 1
    begin_leg(policy, geo, index, nodes, queue, bits, ctl, events)


@jit
def advance(moves, weights, geo, policy, nodes, queue, bits, spare, ctl, index: Regions, events) -> None:
    """Search leg after leg, until the goal is reached or something stops the search: PAUSE says what."""
    searching = True
    while searching:
        advance_search(moves, weights, geo, policy, nodes, queue, bits, None, ctl, None, None, None, None, events)
        searching = False
        if ctl[at.STATUS] != at.RUNNING:
            bucket_clear(queue, bits)
            end_leg(geo, policy, nodes, ctl, spare, events)
            if ctl[at.STATUS] == at.RUNNING:
                begin_leg(policy, geo, index, nodes, queue, bits, ctl, events)
                searching = True


# `spare` has room for the cells of a path.
run = make_query_loop(__name__, begin, advance, close=close_listed)
