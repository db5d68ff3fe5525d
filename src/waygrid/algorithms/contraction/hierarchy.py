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


class Arcs(NamedTuple):
    """The hierarchy: upper neighbours of all nodes, and the order in which nodes were taken out."""

    first: Array
    arcs: Array
    prices: Array
    order: Array
    levels: Array


def contract(edges: Edges) -> Arcs:
    """Take all nodes out, one by one."""
    nodes = len(edges.first) - 1
    lists = np.zeros((nodes, 4), np.int64)
    lists[:, contracting.BEGIN] = edges.first[:-1]
    lists[:, contracting.COUNT] = lists[:, contracting.ROOM] = np.diff(edges.first)
    grown = _enlarge((edges.heads, edges.costs, edges.kinds), max(4 * nodes, len(edges.heads)))
    memory = np.full(nodes, layout.INFINITE, np.int64), np.zeros(2 * nodes + 1, np.int32)
    widest = int(lists[:, contracting.COUNT].max(initial=0))
    pairs = np.zeros((max(_PAIRS, widest * widest), 2), np.int32)
    queue = np.zeros(nodes, np.int32), np.zeros(nodes, np.int64), np.zeros(nodes, layout.NODE)
    contracting.line_up(lists, *grown[:2], memory, pairs, *queue)
    order, done, used = np.zeros(nodes, np.int64), 0, len(edges.heads)
    while True:
        done, used = contracting.contract(lists, *grown, used, memory, pairs, queue, order, done)
        if done == nodes:
            break
        degree = int(lists[queue[0][0], contracting.COUNT])
        if degree * degree > len(pairs):
            pairs = np.zeros((2 * degree * degree, 2), np.int32)
        else:
            grown = _enlarge(grown, grown[0].size)
    count = int(lists[:, contracting.COUNT].sum())
    first, arcs, prices = np.zeros(nodes + 1, np.int32), np.zeros((count, 4), np.int32), np.zeros(count, np.int64)
    labelling.gather_arcs(lists, *grown, first, arcs, prices)
    labelling.link_shortcuts(first, arcs)
    return Arcs(first, arcs, prices, order, lists[:, contracting.LEVEL])


def write_labels(made: Arcs) -> tuple[Array, Array, Array, Array]:
    """Return the labels of all nodes: where they begin, hubs, costs and first steps."""
    nodes = len(made.order)
    places, used, done, room = np.zeros((nodes, 2), np.int64), 0, 0, 64 * nodes
    labels = (np.zeros(room, np.int32), np.zeros(room, np.int64), np.zeros(room, np.uint16))
    memory = np.full(nodes, layout.INFINITE, np.int64), np.zeros(nodes, np.uint16), np.zeros(nodes + 1, np.int32)
    order, graph = np.ascontiguousarray(made.order[::-1]), (made.first, made.arcs, made.prices)
    while True:
        done, used = labelling.write_labels(order, done, graph, labels, places, memory, used)
        if done == nodes:
            break
        labels = _enlarge(labels, labels[0].size + 4 * nodes)
    first = np.concatenate((np.zeros(1, np.int64), np.cumsum(places[:, 1])))
    kind = np.int32 if labels[1][:used].max(initial=0) < 2**31 else np.int64
    copies = np.zeros(used, np.int32), np.zeros(used, kind), np.zeros(used, np.uint16)
    labelling.sort_labels(places, labels, first, copies)
    return first, *copies


def _enlarge(arrays: tuple[Array, ...], more: int) -> tuple[Array, ...]:
    return tuple(np.concatenate((array, np.zeros(more, array.dtype))) for array in arrays)
