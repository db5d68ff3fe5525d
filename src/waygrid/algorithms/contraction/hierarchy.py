"""The parts of a contraction hierarchy over the spots of a grid, in the order in which they are built."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from waygrid.algorithms.contraction import hierarchy_build as contracting
from waygrid.algorithms.contraction import labels_build as labelling
from waygrid.algorithms.contraction import tiles_build as tiling
from waygrid.algorithms.contraction.ch_query import BOTH, FROM_SOURCE, FROM_TARGET
from waygrid.algorithms.jumps import spots_build
from waygrid.build.all_pairs import list_edges
from waygrid.core import elimination, layout
from waygrid.core.types import Array
from waygrid.grid.table import MoveTable

_ROOM = 32  # pairs of each spot, at first
_PAIRS = 4096  # of neighbours of a node, at first


class Tiles(NamedTuple):
    """The jumps of a grid, its spots, and their numbers."""

    places: Array
    masks: Array
    numbers: Array
    jumps: Array
    spots: Array


class Edges(NamedTuple):
    """The edges between spots, in both directions."""

    first: Array
    heads: Array
    costs: Array
    kinds: Array  # from which end an edge goes diagonally first


class Arcs(NamedTuple):
    """The hierarchy: upper neighbours of all nodes, and the order in which nodes were taken out."""

    first: Array
    arcs: Array
    prices: Array
    order: Array
    levels: Array


def map_tiles(table: MoveTable) -> Tiles:
    """Find the spots of a grid and fill its jumps."""
    moves, geo = table.moves, table.geo
    width, height = int(geo[layout.WIDTH]), int(geo[layout.HEIGHT])
    across, down = -(-width // 8), -(-height // 8)
    places, masks = np.zeros(across * down, np.int32), np.zeros(across * down, np.uint64)
    numbers = np.zeros(across * down + 1, np.int32)
    tiling.map_tiles(moves, geo, masks, places, 0, down)
    count, blocks = tiling.number_spots(masks, places, numbers)
    jumps = np.zeros((64 * blocks, 8), np.int8)
    ahead = np.zeros((2, width), np.int32)
    for d in range(4):
        tiling.fill_straight(moves, geo, places, jumps, d, ahead[0])
    for d in range(4, 8):
        tiling.fill_diagonal(moves, geo, places, jumps, d, ahead)
    spots = np.zeros((count, 2), np.uint16)
    tiling.list_spots(masks, numbers, across, spots)
    return Tiles(places, masks, numbers, jumps, spots)


def join_spots(table: MoveTable, spots: Array) -> Edges:
    """Return the graph of the spots, without edges that two others replace at no more cost."""
    count, width = len(spots), int(table.geo[layout.WIDTH])
    x, y = spots[:, 0].astype(np.int64), spots[:, 1].astype(np.int64)
    cells = y * width + x
    ids = np.full(table.moves.size, -1, np.int32)
    ids[cells] = np.arange(count)
    room = _ROOM * count
    while True:
        tails, heads = np.zeros(room, np.int32), np.zeros(room, np.int32)
        pairs = spots_build.list_neighbours(table.moves, table.geo, ids, cells, tails, heads)
        if pairs <= room:
            break
        room = pairs
    straight = np.unique(tails[:pairs].astype(np.int64) * count + heads[:pairs])  # diagonally first from the tail
    first, ends, others = list_edges(count, straight // max(count, 1), straight % max(count, 1))
    own = np.isin(ends * count + others, straight, assume_unique=True)
    its = np.isin(others * count + ends, straight, assume_unique=True)
    kinds = np.where(own & its, BOTH, np.where(own, FROM_SOURCE, FROM_TARGET)).astype(np.int32)
    dx, dy = np.abs(x[ends] - x[others]), np.abs(y[ends] - y[others])
    steep = table.geo[layout.DIAGONAL] - table.geo[layout.CARDINAL]
    costs = table.geo[layout.CARDINAL] * np.maximum(dx, dy) + steep * np.minimum(dx, dy)
    detours = np.zeros(len(ends), np.uint8)
    elimination.mark_detours(first, others, costs, detours)
    kept = detours == 0
    begins = np.concatenate((np.zeros(1, np.int64), np.cumsum(kept)))[first]
    return Edges(begins, others[kept].astype(np.int32), costs[kept], kinds[kept])


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
