"""Clique abstraction (Bulitko et al. 2008): disjoint cliques of a graph become the nodes of the next.

A graph is its lists of neighbours: those of node n lie from offsets[n] to offsets[n + 1] - 1, in rising order. Cliques
of four are merged first, then those of three, then pairs; a node with a single neighbour waits and joins that
neighbour's clique at the end. On open ground the cliques of four are blocks of 2 x 2 cells, then of 4 x 4, and so on.
"""

import numpy as np

from waygrid.core.jit import int64, jit
from waygrid.core.layout import STEP, WIDTH

ALONE = -1  # belongs to no clique yet


@jit
def link_cells(moves, geo, cells, number, offsets, neighbours) -> int:
    """Write the graph of legal moves between cells; `number` has the node of each cell. Returns how many edges it has.

    Called with no room, it counts only.
    """
    width, count = geo[WIDTH], 0
    for node in range(cells.size):
        offsets[node] = count
        cell = int64(cells[node])
        for d in range(8):
            if (int64(moves[cell]) >> d) & 1:
                if count < neighbours.size:
                    n = int64(number[cell + geo[STEP + 8 * (cell % width & 1) + d]])
                    place = count
                    while place > offsets[node] and neighbours[place - 1] > n:
                        neighbours[place] = neighbours[place - 1]
                        place -= 1
                    neighbours[place] = n
                count += 1
    offsets[cells.size] = count
    return count


@jit
def are_joined(offsets, neighbours, a: int, b: int) -> bool:
    """Return whether two nodes are neighbours, by bisection."""
    low, high = int64(offsets[a]), int64(offsets[a + 1])
    while high - low > 1:
        middle = (low + high) >> 1
        if neighbours[middle] <= b:
            low = middle
        else:
            high = middle
    return bool((low < high) & (neighbours[min(low, neighbours.size - 1)] == b))


@jit
def _find_clique(offsets, neighbours, group, node: int, size: int, near, clique) -> bool:
    """Find the first clique of a size among a node and the free nodes behind it; cliques before it were merged.

    `near` has room for the neighbours of a node, `clique` receives the members.
    """
    count = 0
    for k in range(int64(offsets[node]), int64(offsets[node + 1])):
        n = int64(neighbours[k])
        if n > node and group[n] == ALONE and offsets[n + 1] - offsets[n] > 1:
            near[count] = n
            count += 1
    clique[0] = node
    for i in range(count):
        clique[1] = near[i]
        if size == 2:
            return True
        for j in range(i + 1, count):
            if not are_joined(offsets, neighbours, near[i], near[j]):
                continue
            clique[2] = near[j]
            if size == 3:
                return True
            for k in range(j + 1, count):
                if are_joined(offsets, neighbours, near[i], near[k]) and are_joined(
                    offsets, neighbours, near[j], near[k]
                ):
                    clique[3] = near[k]
                    return True
    return False


@jit
def merge_cliques(offsets, neighbours, group) -> int:
    """Write which clique each node belongs to, numbered by their first nodes; return how many there are."""
    nodes, most = group.size, 1
    for node in range(nodes):
        group[node] = ALONE
        most = max(most, int64(offsets[node + 1] - offsets[node]))
    near, clique = np.empty(most, np.int64), np.empty(4, np.int64)
    for size in range(4, 1, -1):
        for node in range(nodes):
            if group[node] != ALONE or offsets[node + 1] - offsets[node] < size - 1:
                continue
            if offsets[node + 1] - offsets[node] > 1 and _find_clique(
                offsets, neighbours, group, node, size, near, clique
            ):
                for k in range(size):
                    group[clique[k]] = node  # the least of them, for now
    for node in range(nodes):
        if group[node] == ALONE and offsets[node + 1] - offsets[node] != 1:
            group[node] = node
    for node in range(nodes):
        if group[node] == ALONE:
            n = int64(neighbours[offsets[node]])
            if group[n] == ALONE:  # two nodes with no one else
                group[n] = node
            group[node] = group[n]
    return _number(group)


@jit
def _number(group) -> int:
    """Number cliques, each named by one of its nodes, in the order of their first nodes; return how many there are."""
    numbers = np.full(group.size, -1, np.int64)
    count = 0
    for node in range(group.size):
        name = group[node]
        if numbers[name] < 0:
            numbers[name] = count
            count += 1
        group[node] = numbers[name]
    return count


@jit
def link_cliques(offsets, neighbours, group, starts, found) -> int:
    """Write the graph of cliques: two are neighbours where nodes of theirs are. Returns how many edges it has.

    `found` has room for as many as the graph below.
    """
    cliques, nodes = starts.size - 1, group.size
    first, members = np.zeros(cliques + 2, np.int64), np.empty(nodes, np.int64)
    for node in range(nodes):
        first[group[node] + 2] += 1
    for clique in range(cliques):
        first[clique + 2] += first[clique + 1]
    for node in range(nodes):
        members[first[group[node] + 1]] = node
        first[group[node] + 1] += 1
    seen, count = np.full(cliques, -1, np.int64), 0
    for clique in range(cliques):
        starts[clique] = count
        seen[clique] = clique
        for k in range(first[clique], first[clique + 1]):
            for edge in range(int64(offsets[members[k]]), int64(offsets[members[k] + 1])):
                other = int64(group[neighbours[edge]])
                if seen[other] != clique:
                    seen[other] = clique
                    found[count] = other
                    count += 1
        found[starts[clique] : count].sort()
    starts[cliques] = count
    return count
