"""Building the database of DBA*: who is a neighbour, which subgoals lie on the way, which neighbour is next."""

import numpy as np

from waygrid.algorithms.regions.climb import ENDLESS, climb, compress
from waygrid.core.jit import int64, jit
from waygrid.core.layout import CLOSED, NODE_WIDE, WIDTH
from waygrid.core.queue import heap_pop, heap_up


@jit
def level_sets(offsets, neighbours, level: int, starts, found) -> int:
    """Write for every region the regions at most `level` hops away, nearest first; return how many there are in all.

    `starts` receives the first of each region and one more. Called with no room, it counts only.
    """
    regions = offsets.size - 1
    seen, queue = np.full(regions, -1, np.int64), np.empty(regions, np.int64)
    count = 0
    for region in range(regions):
        starts[region] = count
        seen[region] = region
        queue[0], head, tail = region, 0, 1
        for _ in range(level):
            end = tail
            while head < end:
                for k in range(offsets[queue[head]], offsets[queue[head] + 1]):
                    n = neighbours[k]
                    if seen[n] != region:
                        seen[n] = region
                        queue[tail] = n
                        tail += 1
                head += 1
        for k in range(1, tail):
            if count < found.size:
                found[count] = queue[k]
            count += 1
    starts[regions] = count
    return count


@jit
def compress_paths(moves, geo, cells, begins, cutoff: int, counts, subgoals) -> int:
    """Write the subgoals of many paths, whose cells (x, y) lie behind each other; return how many there are in all."""
    width, total = geo[WIDTH], 0
    for path in range(begins.size - 1):
        length = begins[path + 1] - begins[path]
        numbers = np.empty(length, np.int64)
        for k in range(length):
            numbers[k] = int64(cells[begins[path] + k, 1]) * width + cells[begins[path] + k, 0]
        counts[path] = compress(moves, geo, numbers, cutoff, subgoals[total:])
        total += counts[path]
    return total


@jit
def depth_first(offsets, neighbours, places) -> None:
    """Give every region its place in a depth-first walk: neighbours get near places, and rows few runs."""
    regions = places.size
    following = offsets[:regions].copy()
    stack = np.empty(regions, np.int64)
    places[:] = -1
    count = 0
    for root in range(regions):
        if places[root] >= 0:
            continue
        stack[0], top = root, 0
        places[root] = count
        count += 1
        while top >= 0:
            region = stack[top]
            if following[region] == offsets[region + 1]:
                top -= 1
                continue
            n = neighbours[following[region]]
            following[region] += 1
            if places[n] < 0:
                places[n] = count
                count += 1
                top += 1
                stack[top] = n


@jit
def run_lengths(labels, bits: int, runs, count: int) -> int:
    """Append the runs of a row, whose labels lie in the order of places, -1 for any; return how many there are then."""
    last = -1
    for place in range(labels.size):
        if labels[place] >= 0 and labels[place] != last:
            begin = 0 if last < 0 else place
            if count < runs.size:
                runs[count] = begin << bits | labels[place]
            count += 1
            last = labels[place]
    return count


@jit
def next_hops(offsets, targets, costs, places, begin: int, end: int, bits: int, counts, runs) -> int:
    """Write the rows of regions begin to end - 1 as runs: which neighbour comes next on the way to every region.

    One Dijkstra search from each region over the stored paths: what the paper's dynamic programming ends with
    (Algorithm 1, whose `changed` is never reset). A stored path is the cheapest, so nothing ever replaces it. `counts`
    receives the runs of each row; returns how many there are in all.
    """
    regions = places.size
    nodes, heap, keys = np.zeros(regions, NODE_WIDE), np.empty(regions, np.int32), np.empty(regions, np.int64)
    slots, labels = np.empty(regions, np.int64), np.empty(regions, np.int64)
    used = 0
    for source in range(begin, end):
        number = np.uint32(source - begin + 1)
        labels[:] = -1
        nodes[source]["g"], nodes[source]["state"], nodes[source]["prev"] = 0, number << np.uint32(4), 0
        heap_up(nodes, heap, keys, 0, 0, source)
        size, sequence = 1, 1
        while size > 0:
            here = heap_pop(nodes, heap, keys, size)
            size -= 1
            nodes[here]["state"] |= np.uint32(CLOSED)
            if here != source:
                labels[places[here]] = slots[here]
            for k in range(int64(offsets[here]), int64(offsets[here + 1])):
                n = int64(targets[k])
                cost = nodes[here]["g"] + costs[k]
                fresh = nodes[n]["state"] >> np.uint32(4) != number
                if not fresh and nodes[n]["g"] <= cost:
                    continue
                nodes[n]["g"], nodes[n]["prev"] = cost, sequence
                sequence += 1
                slots[n] = k - int64(offsets[source]) if here == source else slots[here]
                place = int64(nodes[n]["next"])
                if fresh:
                    nodes[n]["state"] = number << np.uint32(4)
                    place = size
                    size += 1
                heap_up(nodes, heap, keys, place, cost, n)
        after = run_lengths(labels, bits, runs, used)
        counts[source - begin] = after - used
        used = after
    return used


@jit
def first_broken(moves, geo, centres, offsets, targets, counts, subgoals) -> int:
    """Climb along every stored path; return the first that cannot be followed, -1 if all can."""
    at = 0
    for region in range(centres.size):
        for path in range(int64(offsets[region]), int64(offsets[region + 1])):
            here = int64(centres[region])
            for k in range(int64(counts[path]) + 1):
                there = int64(centres[targets[path]]) if k == counts[path] else int64(subgoals[at + k])
                if climb(moves, geo, here, there, ENDLESS) < 0:
                    return path
                here = there
            at += int64(counts[path])
    return -1
