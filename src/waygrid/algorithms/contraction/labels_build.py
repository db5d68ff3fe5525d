"""Hub labels: for every node the nodes that a search up the hierarchy would settle, less those that are never needed.

A cheapest path between two nodes of a contraction hierarchy climbs to its highest node and descends. So the two climbs
can be done beforehand: the label of a node holds the distances to its *hubs*, the highest nodes of its cheapest paths.
A node's candidates are the hubs of its upper neighbours, and one that another hub reaches as cheaply is dropped. So
labels are written from the top down, and those of a level need only those above. (Abraham, Delling, Goldberg and
Werneck, Hierarchical Hub Labelings, ESA 2012, section 3.)
"""

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit

OWN = 2**16 - 1  # in place of a step: the node itself


@jit
def gather_arcs(lists, graph, order, ranks, first, arcs, prices) -> None:
    """Write the upper neighbours of all nodes: each with the middle node of the way to it, and what it costs.

    Nodes are numbered by their ranks: the one taken out last is 0. So what all queries read lies together.
    """
    ids, costs, mids = graph
    count = 0
    for rank in range(order.size):
        node = order[order.size - 1 - rank]
        first[rank] = count
        for k in range(lists[node, 0], lists[node, 0] + lists[node, 1]):
            arcs[count, 0], arcs[count, 1], prices[count] = ranks[ids[k]], mids[k], costs[k]
            if mids[k] >= 0:
                arcs[count, 1] = ranks[mids[k]]
            count += 1
    first[order.size] = count


@jit
def find_arc(first, arcs, spot: int, above: int) -> int:
    """Return the arc from a spot to an upper one."""
    arc = int64(first[spot])
    while arcs[arc, 0] != above:
        arc += 1
    return arc


@jit
def link_shortcuts(first, arcs) -> None:
    """Write into each shortcut the arcs from its middle down and up, to its two ends."""
    for node in range(first.size - 1):
        for k in range(first[node], first[node + 1]):
            middle = int64(arcs[k, 1])
            if middle >= 0:
                arcs[k, 2] = find_arc(first, arcs, middle, node)
                arcs[k, 3] = find_arc(first, arcs, middle, int64(arcs[k, 0]))


@jit
def collect_hubs(first, arcs, prices, places, hubs, costs, node: int, dist, steps, found) -> int:
    """List the hubs of a node's upper neighbours, with distances and first steps; return how many there are."""
    count = 1
    found[0], dist[node], steps[node] = node, 0, OWN
    for k in range(first[node], first[node + 1]):
        above, price = int64(arcs[k, 0]), int64(prices[k])
        for j in range(places[above, 0], places[above, 1]):
            hub, reached = int64(hubs[j]), price + costs[j]
            if dist[hub] == at.INFINITE:
                found[count] = hub
                count += 1
            if reached < dist[hub]:
                dist[hub], steps[hub] = reached, k - first[node]
    return count


@jit
def is_needed(places, hubs, costs, hub: int, dist) -> bool:
    """Return whether no higher hub reaches a hub as cheaply."""
    reached, needed = dist[hub], True
    for j in range(places[hub, 0], places[hub, 1]):
        if hubs[j] != hub and dist[hubs[j]] <= reached - costs[j]:
            needed = False
            break
    return needed


@jit
def count_candidates(first, arcs, places, node: int) -> int:
    """Return an upper bound for the size of a label."""
    count = 1
    for k in range(first[node], first[node + 1]):
        count += places[arcs[k, 0], 1] - places[arcs[k, 0], 0]
    return count


@jit
def count_all_candidates(first, arcs, places, nodes) -> int:
    """Return an upper bound for the size of several labels."""
    count = 0
    for k in range(nodes.size):
        count += count_candidates(first, arcs, places, int64(nodes[k]))
    return count


@jit
def insert_hub(labels, begin: int, used: int, hub: int, cost: int, step: int) -> None:
    """Write a hub into the label that is the last, which is sorted by the ranks of its hubs."""
    hubs, costs, steps = labels
    place = used
    while place > begin and hubs[place - 1] > hub:
        hubs[place], costs[place], steps[place] = hubs[place - 1], costs[place - 1], steps[place - 1]
        place -= 1
    hubs[place], costs[place], steps[place] = hub, cost, step


@jit
def write_labels(graph, labels, places, memory, nodes, done: int, new, used: int) -> tuple[int, int]:
    """Write the labels of nodes, from number `done` of a list on; return how many are done and the room used.

    `labels` are those of the upper neighbours, `new` takes those that are written; both may be the same. Where there
    may be no room for the next label this comes back early: call it again with longer arrays. It also does, with -1 in
    place of the room, where 32 bits do not hold its costs.
    """
    first, arcs, prices = graph
    hubs, costs, _ = labels
    dist, ways, found = memory
    while done < nodes.size:
        node, most = int64(nodes[done]), 0
        if used + count_candidates(first, arcs, places, node) > new[0].size:
            break
        count = collect_hubs(first, arcs, prices, places, hubs, costs, node, dist, ways, found)
        for k in range(count):
            most = max(most, dist[found[k]])
        fits, begin = most < 2**31 or costs.itemsize > 4, used
        for k in range(count if fits else 0):
            hub = int64(found[k])
            if k == 0 or is_needed(places, hubs, costs, hub, dist):
                insert_hub(new, begin, used, hub, dist[hub], int64(ways[hub]))
                used += 1
        for k in range(count):
            dist[found[k]] = at.INFINITE
        if not fits:
            return done, -1
        places[node, 0], places[node, 1] = begin, used
        done += 1
    return done, used


@jit
def find_bad_label(first, places, hubs, steps) -> int:
    """Return the first node with a label that is empty or elsewhere, or whose steps lead along no arc; -1: none."""
    for node in range(first.size - 1):
        arcs = first[node + 1] - first[node]
        if not 0 <= places[node, 0] < places[node, 1] <= hubs.size:
            return node
        for k in range(places[node, 0], places[node, 1]):
            if steps[k] >= arcs and (steps[k] != OWN or hubs[k] != node):
                return node
    return -1


@jit
def find_hub(places, hubs, node: int, hub: int) -> int:
    """Return the place of a hub in the label of a node, -1 where it is none."""
    low, end = int64(places[node, 0]), int64(places[node, 1])
    high = end
    while low < high:
        middle = (low + high) >> 1
        if hubs[middle] < hub:
            low = middle + 1
        else:
            high = middle
    return low if low < end and hubs[low] == hub else -1
