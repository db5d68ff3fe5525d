"""The tables behind gateway estimates: from every port to every port, or within each zone only.

One flood for each port: it begins behind the gate, with the price of the move that led there. Passing back through the
gate is not forbidden, as it is in the paper: it makes the least cost a little smaller at most, which an estimate may
be (0.9745 of the true cost instead of 0.9752 over AR0406SR), and lets the canonical flood serve, ten times as fast.
"""

from typing import NamedTuple

import numpy as np

from waygrid.algorithms.bounds.boxes_build import FloodMemory
from waygrid.algorithms.classic.flood_query import flood as search
from waygrid.algorithms.classic.flood_query import write_distances
from waygrid.algorithms.jumps.canonical import Ground, Water, largest_distance, spread
from waygrid.core.jit import Array, int64, jit
from waygrid.core.layout import SEARCH


class Crossings(NamedTuple):
    """The moves out through each port: cells they leave and cells they enter, each once, with its cheapest move.

    Those of port p are first[p] to first[p + 1] - 1, the cheapest first.
    """

    tail_first: Array
    tail: Array
    tail_price: Array
    head_first: Array
    head: Array
    head_price: Array
    opposite: Array  # for each port, the same gate seen from the other side


class GateSearch(NamedTuple):
    """What floods by the best-first loop read."""

    moves: Array
    weights: Array | None
    geo: Array
    policy: Array


@jit
def _read(crossings: Crossings, dist, none: int, port: int, row, absent: int) -> None:
    """Write the least cost from `port` to every port, from the distances behind it."""
    first, tail, price, opposite = crossings.tail_first, crossings.tail, crossings.tail_price, crossings.opposite
    for c in range(opposite.size):
        into = opposite[c]
        best = int64(absent)
        for k in range(first[into], first[into + 1]):
            known = int64(dist[tail[k]])
            if known != none:
                best = min(best, known + price[k])
        row[c] = best
    if first[port] < first[port + 1]:
        row[opposite[port]] = price[first[port]]  # a single move leads out through a port and in through its opposite
    row[port] = absent


@jit
def canonical_costs(
    ground: Ground, water: Water, crossings: Crossings, begin: int, end: int, rows, absent: int
) -> None:
    """Write the rows of ports begin to end - 1, on octile grids of uniform cost."""
    for port in range(begin, end):
        a, b = crossings.head_first[port], crossings.head_first[port + 1]
        spread(ground, water, crossings.head[a:b], crossings.head_price[a:b], None, -1)
        _read(crossings, water.dist, largest_distance(water.dist), port, rows[port - begin], absent)


@jit
def _search(searched: GateSearch, memory: FloodMemory, sources, costs) -> None:
    tables = (searched.moves, searched.weights, searched.geo, searched.policy)
    search(*tables, memory.nodes, memory.queue, memory.bits, memory.keys, memory.ctl, sources, costs)


@jit
def search_costs(
    searched: GateSearch, memory: FloodMemory, crossings: Crossings, begin: int, end: int, dist, rows, absent: int
) -> None:
    """Write the rows of ports begin to end - 1, on any grid."""
    for port in range(begin, end):
        a, b = crossings.head_first[port], crossings.head_first[port + 1]
        _search(searched, memory, crossings.head[a:b], crossings.head_price[a:b])
        write_distances(memory.nodes, memory.ctl, dist)
        _read(crossings, dist, -1, port, rows[port - begin], absent)


@jit
def inner_costs(
    searched: GateSearch, memory: FloodMemory, crossings: Crossings, ports, begins, costs, absent: int
) -> None:
    """Write the distances within every zone, from in through each of its ports to out through each.

    `ports` has the first port of every zone, `begins` the place of its distances; the moves searched are those that
    stay within zones.
    """
    nodes, ctl = memory.nodes, memory.ctl
    head_first, tail_first, tail = crossings.head_first, crossings.tail_first, crossings.tail
    for zone in range(ports.size - 1):
        place = begins[zone]
        for port in range(ports[zone], ports[zone + 1]):
            into = crossings.opposite[port]
            _search(searched, memory, crossings.head[head_first[into] : head_first[into + 1]], None)
            for out in range(ports[zone], ports[zone + 1]):
                best = int64(absent)
                for k in range(tail_first[out], tail_first[out + 1]):
                    if int64(nodes[tail[k]]["state"] >> np.uint32(4)) == ctl[SEARCH]:
                        best = min(best, int64(nodes[tail[k]]["g"]))
                costs[place] = best
                place += 1
