"""Contraction: the nodes of a graph are taken out one by one, and shortcuts keep all distances between the others.

A node that goes leaves a shortcut between two of its neighbours where the way over it is the only cheapest one. Whether
there is another is asked of a *witness search*, Dijkstra's algorithm from one neighbour to the others that may settle
only few nodes: what it does not find costs a shortcut too many and nothing else. (Geisberger, Sanders, Schultes and
Delling, Contraction Hierarchies, WEA 2008, sections 2 and 3.)

The order decides how few shortcuts there are. The next node is one that adds few shortcuts for the edges that go with
it, and that stands above few others ("edge difference" and "level", section 2.1). Keys are brought up to date when a
node comes to the front ("lazy updates").
"""

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit
from waygrid.core.queue import heap_down, heap_pop, heap_up

# Of a node: its list of neighbours, the longest chain of nodes below it, and 1 if one went since the node was rated.
BEGIN, COUNT, ROOM, LEVEL, STALE = 0, 1, 2, 3, 4
_SCALE = 64  # of a key


@jit
def spread(lists, ids, costs, source: int, without: int, memory) -> int:
    """Fill the distances from `source` over one edge in a graph without one node; return how many nodes are touched.

    Distances are INFINITE before and must be so after.
    """
    dist, touched = memory
    begin, count = lists[source, BEGIN], lists[source, COUNT]
    dist[source], touched[0] = 0, source
    for k in range(count):
        touched[k + 1], dist[ids[begin + k]] = ids[begin + k], costs[begin + k]
    dist[without] = at.INFINITE
    return count + 1


@jit
def spread_on(lists, ids, costs, without: int, bound: int, memory, count: int) -> int:
    """Lower the distances of all nodes that are one edge further, as far as `bound`; return how many are touched."""
    dist, touched = memory
    near = count
    for place in range(1, near):
        over, reached = int64(touched[place]), dist[touched[place]]
        if reached >= bound:  # that of the node that is left out, too
            continue
        for k in range(lists[over, BEGIN], lists[over, BEGIN] + lists[over, COUNT]):
            far, whole = int64(ids[k]), reached + costs[k]
            if whole < dist[far] and whole <= bound and far != without:
                if dist[far] == at.INFINITE:
                    touched[count] = far
                    count += 1
                dist[far] = whole
    return count


@jit
def is_reached(lists, ids, costs, node: int, bound: int, dist) -> bool:
    """Return whether a node is reached at no more than `bound`, by at most one edge more than is spread."""
    if dist[node] <= bound:
        return True
    for k in range(lists[node, BEGIN], lists[node, BEGIN] + lists[node, COUNT]):
        if costs[k] <= bound and dist[ids[k]] <= bound - costs[k]:
            return True
    return False


@jit
def list_shortcuts(lists, ids, costs, node: int, thorough: bool, memory, pairs) -> int:
    """List the pairs of a node's neighbours, by their numbers in its list, that need a shortcut; return their count.

    Most pairs have an edge or a way over two edges. Only a `thorough` search looks at three for the others: half of
    them have one. It is worth its time for a node that goes, not for a rating.
    """
    dist, touched = memory
    begin, end, count = lists[node, BEGIN], lists[node, BEGIN] + lists[node, COUNT], 0
    for i in range(begin, end - 1):
        reached = spread(lists, ids, costs, int64(ids[i]), node, memory)
        left, farthest = count, 0
        for j in range(i + 1, end):
            if not is_reached(lists, ids, costs, int64(ids[j]), int64(costs[i]) + costs[j], dist):
                pairs[left, 0], pairs[left, 1] = i - begin, j - begin
                left, farthest = left + 1, max(farthest, costs[j])
        if not thorough:
            count = left
        if left > count:
            reached = spread_on(lists, ids, costs, node, int64(costs[i]) + farthest, memory, reached)
            for k in range(count, left):
                j = begin + pairs[k, 1]
                if not is_reached(lists, ids, costs, int64(ids[j]), int64(costs[i]) + costs[j], dist):
                    pairs[count, 0], pairs[count, 1] = pairs[k, 0], pairs[k, 1]
                    count += 1
        for k in range(reached):
            dist[touched[k]] = at.INFINITE
    return count


@jit
def rate(lists, node: int, added: int) -> int:
    """Return the key of a node: the lowest goes first."""
    removed = lists[node, COUNT]
    return _SCALE * lists[node, LEVEL] + (_SCALE * added) // max(removed, 1)


@jit
def needs_room(lists, ids, node: int) -> int:
    """Return how much of the lists the contraction of a node can take."""
    count, needed = lists[node, COUNT], 0
    for k in range(lists[node, BEGIN], lists[node, BEGIN] + count):
        grown = lists[ids[k], COUNT] + count
        needed += 2 * grown if grown > lists[ids[k], ROOM] else 0
    return needed


@jit
def make_room(lists, ids, costs, mids, used: int, node: int, more: int) -> int:
    """Move a list to the end where it has no room for so many more."""
    begin, count = lists[node, BEGIN], lists[node, COUNT]
    if count + more <= lists[node, ROOM]:
        return used
    for k in range(count):
        ids[used + k], costs[used + k], mids[used + k] = ids[begin + k], costs[begin + k], mids[begin + k]
    lists[node, BEGIN], lists[node, ROOM] = used, 2 * (count + more)
    return used + 2 * (count + more)


@jit
def drop_edge(lists, ids, costs, mids, node: int, gone: int) -> None:
    """Take one node out of the list of another."""
    begin, last = lists[node, BEGIN], lists[node, BEGIN] + lists[node, COUNT] - 1
    for k in range(begin, last + 1):
        if ids[k] == gone:
            ids[k], costs[k], mids[k] = ids[last], costs[last], mids[last]
            lists[node, COUNT] -= 1
            break


@jit
def add_edge(lists, ids, costs, mids, node: int, other: int, cost: int, mid: int) -> None:
    """Write an edge into the list of a node, or lower the cost of the one that is there."""
    begin, count = lists[node, BEGIN], lists[node, COUNT]
    for k in range(begin, begin + count):
        if ids[k] == other:
            if cost < costs[k]:
                costs[k], mids[k] = cost, mid
            return
    ids[begin + count], costs[begin + count], mids[begin + count] = other, cost, mid
    lists[node, COUNT] = count + 1


@jit
def take_out(lists, ids, costs, mids, used: int, node: int, pairs, count: int) -> int:
    """Take a node out, with its shortcuts; return how much of the lists is used then. Its own list stays."""
    begin, degree = lists[node, BEGIN], lists[node, COUNT]
    for k in range(begin, begin + degree):
        drop_edge(lists, ids, costs, mids, int64(ids[k]), node)
        used = make_room(lists, ids, costs, mids, used, int64(ids[k]), degree)
        lists[ids[k], LEVEL], lists[ids[k], STALE] = max(lists[ids[k], LEVEL], lists[node, LEVEL] + 1), 1
    for k in range(count):
        i, j = begin + pairs[k, 0], begin + pairs[k, 1]
        one, other, cost = int64(ids[i]), int64(ids[j]), int64(costs[i]) + costs[j]
        add_edge(lists, ids, costs, mids, one, other, cost, node)
        add_edge(lists, ids, costs, mids, other, one, cost, node)
    return used


@jit
def line_up(lists, ids, costs, memory, pairs, waiting, queue) -> None:
    """Rate the nodes that wait, and put them into the queue."""
    line, keys, nodes = queue
    for size in range(waiting.size):
        node = int64(waiting[size])
        added = list_shortcuts(lists, ids, costs, node, False, memory, pairs)
        heap_up(nodes, line, keys, size, rate(lists, node, added), node)


@jit
def copy_lists(lists, graph, base: int, new_lists, new) -> None:
    """Append lists to those of other arrays, where `base` is the number of their first node; levels are copied."""
    ids, costs, mids = graph
    new_ids, new_costs, new_mids = new
    for node in range(len(lists)):
        to = base + node
        place = new_lists[to, BEGIN] + new_lists[to, COUNT]
        for k in range(lists[node, BEGIN], lists[node, BEGIN] + lists[node, COUNT]):
            new_ids[place], new_costs[place] = ids[k] + base, costs[k]
            new_mids[place] = mids[k] + base if mids[k] >= 0 else mids[k]
            place += 1
        new_lists[to, COUNT] += lists[node, COUNT]
        new_lists[to, LEVEL] = max(new_lists[to, LEVEL], lists[node, LEVEL])


@jit
def costs_fit(lists, costs, node: int, pairs, count: int) -> bool:
    """Return whether 32 bits hold the costs of shortcuts, where costs are kept in so many."""
    begin, most = lists[node, BEGIN], 0
    for k in range(count):
        most = max(most, int64(costs[begin + pairs[k, 0]]) + costs[begin + pairs[k, 1]])
    return costs.itemsize > 4 or most < 2**31


@jit
def contract(lists, graph, used: int, memory, pairs, queue, order, done: int) -> tuple[int, int]:
    """Take nodes out until the order is full; return how many are out, and how much of the lists is used.

    Where there may be no room for the next node's lists or pairs, this comes back early: call it again with longer
    arrays. It also does, with -1 in place of the room, where costs do not fit any longer.
    """
    ids, costs, mids = graph
    line, keys, nodes = queue
    while done < order.size:
        size = line.size - done
        node = int64(line[0])
        degree = lists[node, COUNT]
        if used + needs_room(lists, ids, node) > ids.size or degree * degree > len(pairs):
            break
        if lists[node, STALE]:
            count = list_shortcuts(lists, ids, costs, node, False, memory, pairs)
            key, lists[node, STALE] = rate(lists, node, count), 0
            if key > keys[0]:
                heap_down(nodes, line, keys, size, 0, key, node)
                continue
        count = list_shortcuts(lists, ids, costs, node, True, memory, pairs)
        if not costs_fit(lists, costs, node, pairs, count):
            return done, -1
        heap_pop(nodes, line, keys, size)
        used = take_out(lists, ids, costs, mids, used, node, pairs, count)
        order[done] = node
        done += 1
    return done, used
