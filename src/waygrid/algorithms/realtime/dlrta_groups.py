"""Cliques of a map, for dlrta: level by level, cells are merged with those that all reach each other by one move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from waygrid.algorithms.realtime.dlrta_cliques import link_cells, link_cliques, merge_cliques
from waygrid.algorithms.regions.sectors_build import find_centres
from waygrid.core.types import Array
from waygrid.grid.grid import Grid

MOST_LEVELS = 64  # each has fewer nodes than the one below, usually less than half as many


class Graph(NamedTuple):
    """Nodes and their neighbours, in rising order."""

    offsets: Array  # for each node its first neighbour; one more at the end
    neighbours: Array

    @property
    def nodes(self) -> int:
        """How many there are."""
        return len(self.offsets) - 1


class Cliques(NamedTuple):
    """The nodes of one level, numbered in the order of their first cells, and which of them touch."""

    level: int
    centres: Array  # for each node the cell that represents it: that nearest the mean of all
    offsets: Array  # for each node its first neighbour; one more at the end
    neighbours: Array  # nodes that a legal move leads to
    region: Array  # the node of each cell, -1 for walls


def cell_graph(grid: Grid) -> tuple[Array, Graph]:
    """Return the cells where an agent can stand, and the graph of legal moves between them."""
    table = grid.table
    cells = np.flatnonzero(table.walk).astype(np.int32)
    number = np.full(table.walk.size, -1, np.int32)
    number[cells] = np.arange(len(cells), dtype=np.int32)
    arrays, offsets = (table.moves, table.geo, cells, number), np.zeros(len(cells) + 1, np.int32)
    neighbours = np.zeros(link_cells(*arrays, offsets, np.zeros(0, np.int32)), np.int32)
    link_cells(*arrays, offsets, neighbours)
    return cells, Graph(offsets, neighbours)


def merge_groups(graph: Graph) -> tuple[Array, Graph]:
    """Merge the cliques of a graph: return the clique of every node, and the graph of cliques."""
    group = np.empty(graph.nodes, np.int32)
    offsets = np.zeros(merge_cliques(*graph, group) + 1, np.int32)
    found = np.zeros(len(graph.neighbours), np.int32)
    count = link_cliques(*graph, group, offsets, found)
    return group, Graph(offsets, found[:count].copy())


def find_cliques(grid: Grid, level: int | None, most: int) -> Cliques:
    """Merge the cells of a map `level` times, or (None) at least once and until at most `most` nodes are left.

    It ends earlier where nothing is left to merge: each connected part of the map is one node then.

    >>> import waygrid as wg
    >>> cut = find_cliques(wg.Grid([[1, 1, 0, 1], [1, 1, 0, 1], [1, 1, 1, 1]]), 1, 1)
    >>> cut.region.reshape(3, 4).tolist(), cut.centres.tolist()
    ([[0, 0, -1, 1], [0, 0, -1, 1], [2, 2, 3, 1]], [0, 7, 8, 10])
    """
    cells, graph = cell_graph(grid)
    node, reached = np.arange(len(cells), dtype=np.int32), 0
    while len(graph.neighbours) and reached < (MOST_LEVELS if level is None else level):
        if level is None and reached and graph.nodes <= most:
            break
        group, graph = merge_groups(graph)
        node = group[node]
        reached += 1
    region, centres = np.full(grid.table.walk.size, -1, np.int32), np.zeros(graph.nodes, np.int32)
    region[cells] = node
    find_centres(grid.table.geo, region, centres)
    return Cliques(reached, centres, *graph, region)
