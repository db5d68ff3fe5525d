"""The hierarchy over the spots of a grid, and the labels that follow from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from waygrid.algorithms.contraction import hierarchy_build as contracting
from waygrid.algorithms.contraction import labels_build as labelling
from waygrid.algorithms.contraction.neighbours import Edges
from waygrid.core import layout
from waygrid.core.types import Array

_PAIRS = 4096  # of neighbours of a node, at first
_ROOM = 4096  # for shortcuts and labels, at least


class Arcs(NamedTuple):
    """The hierarchy. Nodes are numbered by their ranks, the one taken out last is 0."""

    ranks: Array  # of all nodes
    first: Array  # of each rank: its first arc
    arcs: Array  # to upper neighbours, see `ch_query.UPPER`
    prices: Array
    levels: Array


def contract(edges: Edges) -> Arcs:
    """Take all nodes out, one by one."""
    nodes, before = len(edges.first) - 1, -1
    lists = np.zeros((nodes, 5), np.int64)
    lists[:, contracting.BEGIN] = edges.first[:-1]
    lists[:, contracting.COUNT] = lists[:, contracting.ROOM] = np.diff(edges.first)
    graph: tuple[Array, ...] = (edges.heads, edges.costs, edges.kinds)
    used = len(edges.heads)
    memory = np.full(nodes, layout.INFINITE, np.int64), np.zeros(nodes + 1, np.int32)
    widest = int(lists[:, contracting.COUNT].max(initial=0))
    pairs = np.zeros((max(_PAIRS, widest * widest), 2), np.int32)
    queue = np.zeros(nodes, np.int32), np.zeros(nodes, np.int64), np.zeros(nodes, layout.NODE)
    contracting.line_up(lists, graph[0], graph[1], memory, pairs, queue)
    order, done, room = np.zeros(nodes, np.int64), 0, used // 2 + _ROOM
    while True:
        done, used = contracting.contract(lists, graph, used, memory, pairs, queue, order, done)
        if done == nodes:
            break
        degree = int(lists[queue[0][0], contracting.COUNT])
        if used < 0:
            graph = graph[0], graph[1].astype(np.int64), graph[2]
        elif degree * degree > len(pairs):
            pairs = np.zeros((2 * degree * degree, 2), np.int32)
            continue
        room, before = (2 * room if before == done else room), done
        graph, used = _compact(lists, graph, room)
    count = int(lists[:, contracting.COUNT].sum())
    first, arcs = np.zeros(nodes + 1, np.int32), np.zeros((count, 4), np.int32)
    prices = np.zeros(count, graph[1].dtype)
    ranks = np.zeros(nodes, np.int32)
    ranks[order[::-1]] = np.arange(nodes)
    labelling.gather_arcs(lists, graph, order, ranks, first, arcs, prices)
    labelling.link_shortcuts(first, arcs)
    return Arcs(ranks, first, arcs, prices, lists[order[::-1], contracting.LEVEL])


def _compact(lists: Array, graph: tuple[Array, ...], room: int) -> tuple[tuple[Array, ...], int]:
    """Return the lists without the gaps that moved ones left, and room for more behind them; and how much is used."""
    used = int(lists[:, contracting.COUNT].sum())
    copies = tuple(np.zeros(used + room, array.dtype) for array in graph)
    contracting.compact(lists, graph, copies)
    return copies, used


def write_labels(made: Arcs) -> tuple[Array, Array, Array, Array]:
    """Return the labels of all nodes: where each begins and ends, then hubs, costs and first steps.

    They lie in the order in which they are written, so that they need no copy.
    """
    nodes, used, done = len(made.ranks), 0, 0
    places, room = np.zeros((nodes, 2), np.int64), 32 * nodes + _ROOM
    hubs, costs, steps = np.zeros(room, np.int32), np.zeros(room, np.int32), np.zeros(room, np.uint16)
    memory = np.full(nodes, layout.INFINITE, np.int64), np.zeros(nodes, np.uint16), np.zeros(nodes + 1, np.int32)
    graph = made.first, made.arcs, made.prices
    while True:
        before = used
        done, used = labelling.write_labels(graph, (hubs, costs, steps), places, memory, done, used)
        if done == nodes:
            break
        if used < 0:
            costs, used = costs.astype(np.int64), int(places[:, 1].max(initial=before))
            continue
        for array in (hubs, costs, steps):  # the system moves pages, nothing is copied
            array.resize(len(array) + len(array) // 4 + 4 * nodes, refcheck=False)
    for array in (hubs, costs, steps):
        array.resize(used, refcheck=False)
    return places, hubs, costs, steps
