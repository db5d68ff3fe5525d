"""Distances between all nodes of a small graph: take its nodes out one by one, then sweep over them in that order.

A node that is taken out leaves its neighbours joined by what a way through it costs. So a cheapest way from it leads
over one of the neighbours that it had then, its *upper* neighbours, all of which are taken out later. From a source,
two passes fill the distance of every node: upwards to all that can be reached so, then downwards from the last node
taken out to the first. Both do nothing but add and compare rows of numbers, one column for each source, which
processors do eight at a time. (Contraction hierarchies without witness searches; the passes are those of PHAST,
Delling et al. 2011.)

The node with the fewest neighbours goes first. On maps of games a node then has 8 to 17 upper neighbours, and all pairs
of 3,964 nodes (orz900d) take 0.05 s on one core; one flood over the map from each took 3 s.
"""

import numpy as np

from waygrid.core.jit import int64, jit
from waygrid.core.queue import bucket_next, bucket_push, bucket_remove

BEGIN, COUNT, ROOM = 0, 1, 2  # of a node's list of neighbours


@jit
def mark_detours(first, heads, costs, marks) -> None:
    """Mark the edges that two others replace at no more cost. Both are shorter, so all of them can go together.

    On orz100d they are two thirds of all.
    """
    place = np.full(first.size - 1, -1, np.int64)
    for node in range(first.size - 1):
        for k in range(first[node], first[node + 1]):
            place[heads[k]] = k
        for k in range(first[node], first[node + 1]):
            over = heads[k]
            for j in range(first[over], first[over + 1]):
                edge = place[heads[j]]
                if edge >= 0 and costs[k] + costs[j] <= costs[edge]:
                    marks[edge] = 1
        for k in range(first[node], first[node + 1]):
            place[heads[k]] = -1


@jit
def line_up(lists, queue, heads, bits) -> None:
    """Let all nodes wait, by the number of their neighbours."""
    for node in range(len(lists)):
        bucket_push(queue, heads, bits, lists[node, COUNT], node)


@jit
def eliminate(lists, ids, costs, used: int, queue, heads, bits, order, done: int) -> tuple[int, int]:
    """Take nodes out, from number `done` of the order on; return how many are out, and how much of the lists is used.

    The lists of neighbours (`ids` and what the ways to them `cost`) lie where `lists` says. Where there may be no room
    for the next node's, this comes back early: call it again with longer arrays.
    """
    place, key = np.full(len(lists), -1, np.int64), 0
    while done < len(lists):
        key = bucket_next(heads, bits, key)
        node = int64(heads[key & (heads.size - 1)])
        begin, count, needed = lists[node, BEGIN], lists[node, COUNT], 0
        for k in range(begin, begin + count):
            grown = lists[ids[k], COUNT] + count
            needed += 2 * grown if grown > lists[ids[k], ROOM] else 0
        if used + needed > ids.size:
            break
        bucket_remove(queue, heads, bits, node)
        for k in range(begin, begin + count):
            other = int64(ids[k])
            used = _make_room(lists, ids, costs, used, other, count)
            _join(lists, ids, costs, place, node, other, costs[k])
            bucket_remove(queue, heads, bits, other)
            bucket_push(queue, heads, bits, lists[other, COUNT], other)
            key = min(key, lists[other, COUNT])
        order[done] = node
        done += 1
    return done, used


@jit
def _make_room(lists, ids, costs, used: int, node: int, more: int) -> int:
    """Move a list to the end where it has no room for so many more."""
    begin, count = lists[node, BEGIN], lists[node, COUNT]
    if count + more <= lists[node, ROOM]:
        return used
    for k in range(count):
        ids[used + k], costs[used + k] = ids[begin + k], costs[begin + k]
    lists[node, BEGIN], lists[node, ROOM] = used, 2 * (count + more)
    return used + 2 * (count + more)


@jit
def _join(lists, ids, costs, place, node: int, other: int, cost: int) -> None:
    """Replace a node that goes, in the list of one of its neighbours, by its other neighbours."""
    begin, count = lists[other, BEGIN], lists[other, COUNT]
    for k in range(begin, begin + count):
        place[ids[k]] = k
    gone, last = place[node], begin + count - 1
    ids[gone], costs[gone] = ids[last], costs[last]
    place[ids[gone]], place[node] = gone, -1
    count -= 1
    for k in range(lists[node, BEGIN], lists[node, BEGIN] + lists[node, COUNT]):
        far, whole = int64(ids[k]), cost + costs[k]
        if far == other:
            continue
        known = place[far]
        if known < 0:
            known = begin + count
            ids[known], costs[known] = far, whole
            count += 1
        costs[known] = min(costs[known], whole)
    for k in range(begin, begin + count):
        place[ids[k]] = -1
    lists[other, COUNT] = count


@jit
def gather_upper(lists, ids, costs, order, rank, first, upper, prices) -> None:
    """Write the upper neighbours of all nodes, by rank: the node taken out last has rank 0."""
    count = 0
    for number in range(order.size):
        node = order[order.size - 1 - number]
        first[number] = count
        for k in range(lists[node, BEGIN], lists[node, BEGIN] + lists[node, COUNT]):
            upper[count], prices[count] = rank[ids[k]], costs[k]
            count += 1
    first[order.size] = count


@jit
def sweep_block(first, upper, prices, sources, far: int, dist, reached) -> None:
    """Fill dist[node, k], the distance of each node from source k, `far` where there is no way; nodes by rank."""
    nodes, columns, lowest = first.size - 1, dist.shape[1], 0
    for node in range(nodes):
        reached[node] = 0
        for k in range(columns):
            dist[node, k] = far
    for k in range(sources.size):
        dist[sources[k], k], reached[sources[k]] = 0, 1
        lowest = max(lowest, sources[k])
    for node in range(lowest, -1, -1):
        if reached[node]:
            for edge in range(first[node], first[node + 1]):
                above, price = upper[edge], prices[edge]
                reached[above] = 1
                for k in range(columns):
                    dist[above, k] = min(dist[above, k], dist.dtype.type(dist[node, k] + price))
    sweep_down(first, upper, prices, dist)


@jit
def sweep_down(first, upper, prices, dist) -> None:
    """Lower the distance of each node to what a way over one of its upper neighbours takes."""
    for node in range(first.size - 1):
        for edge in range(first[node], first[node + 1]):
            above, price = upper[edge], prices[edge]
            for k in range(dist.shape[1]):
                dist[node, k] = min(dist[node, k], dist.dtype.type(dist[above, k] + price))
