"""Trees that span a graph: what mazes, doors and tunnels are made of."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def spanning_forest(nodes: int, a: Ints, b: Ints) -> tuple[NDArray[np.bool_], Ints]:
    """Span a graph with trees, early edges first; returns which edges are used and the tree number of every node.

    Borůvka's algorithm: each round, every tree takes its first edge to another tree. All trees move at once, so a
    million edges take some twenty rounds of array operations instead of a Python loop.
    """
    kept = np.zeros(a.size, np.bool_)
    edge, tree = np.arange(a.size), np.arange(nodes)
    while True:
        between = a != b
        a, b, edge = a[between], b[between], edge[between]
        if not edge.size:
            return kept, tree
        names = np.arange(nodes)
        first = np.full(nodes, edge.size)
        np.minimum.at(first, a, np.arange(edge.size))
        np.minimum.at(first, b, np.arange(edge.size))
        moving = np.flatnonzero(first < edge.size)
        taken = first[moving]
        kept[edge[taken]] = True
        parent = names.copy()
        parent[moving] = a[taken] + b[taken] - moving
        parent = np.where((parent[parent] == names) & (names < parent), names, parent)  # two that chose each other
        while not np.array_equal(parent, parent[parent]):
            parent = parent[parent]
        number = np.cumsum(parent == names)[parent] - 1
        tree, a, b, nodes = number[tree], number[a], number[b], int(number.max()) + 1
