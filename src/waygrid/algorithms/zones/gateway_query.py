"""Estimates through gates (Björnsson and Halldórsson): to a gate, from gate to gate as reckoned before, to the goal.

A *port* is a gate seen from one of its two zones. Ports are numbered zone by zone, so those of a zone lie side by side.
What one query needs is kept behind the state of the search, in `ctl`:

    HOME, OPENED, FLOOR
    for each zone    the query that opened it, and where its ports in the next part begin and end
    for each port    the rest of the way once out (K), and the box of the gate's cells: x0, y0, x1, y1
    the rest         with a table of pairs: for each port of the goal's zone the cost from there to the goal;
                     with distances within zones: for all ports K, a heap, its keys, and the query that settled K
"""

from typing import NamedTuple

import numpy as np

from waygrid.core import layout as at
from waygrid.core.jit import Array, int64, jit
from waygrid.core.query import renew
from waygrid.core.queue import heap_pop, heap_up

AWAY = 2**61  # the cost of what cannot be reached
HOME = at.CTL_SIZE  # the zone of the goal
OPENED = at.CTL_SIZE + 1  # queries so far: never begins anew, unlike the numbers of searches
FLOOR = at.CTL_SIZE + 2  # with distances within zones: what K of a port that was not settled is at least
_ZONES = at.CTL_SIZE + 3
_WORDS = 5  # of a port


class Gates(NamedTuple):
    """The gateway tables. Either `costs` or `inner` is empty."""

    zone: Array  # of each cell
    first: Array  # for each zone, its first port; one more at the end
    boxes: Array  # for each port, the box x0, y0, x1, y1 of the gate's cells in the port's zone
    scale: Array  # two numbers: what a cost of 1 stands for, and the cost that stands for no way
    costs: Array  # [r, c]: a way whose first move leads out through r and whose last move leads in through c
    opposite: Array  # for each port, the same gate seen from the other side
    enters: Array  # for each port, the zone behind it
    prices: Array  # for each port, the cheapest move out
    inner: Array  # flat, zone by zone: [c, r] a way within the zone, from in through c to out through r, without moves
    inner_first: Array  # for each zone, where its distances begin


def gate_notes(zones: int, ports: int, most_ports: int, pairs: bool) -> int:
    """Return how much room one query needs behind the state of the search."""
    return 3 + 3 * zones + _WORDS * ports + (most_ports if pairs else 4 * ports)


@jit
def zone_note(number: int) -> int:
    """Return where the notes on a zone begin."""
    return _ZONES + 3 * number


@jit
def _to_box(boxes, port: int, x: int, y: int, most: int, least: int) -> int:
    dx = max(int64(boxes[port, 0]) - x, x - int64(boxes[port, 2]), 0)
    dy = max(int64(boxes[port, 1]) - y, y - int64(boxes[port, 3]), 0)
    return (most * max(dx, dy) + least * min(dx, dy)) >> at.H_SHIFT


@jit
def _to_note(ctl, place: int, x: int, y: int, most: int, least: int) -> int:
    """Return the distance from a cell to the gate of a noted port."""
    dx = max(ctl[place + 1] - x, x - ctl[place + 3], 0)
    dy = max(ctl[place + 2] - y, y - ctl[place + 4], 0)
    return int((most * max(dx, dy) + least * min(dx, dy)) >> at.H_SHIFT)


@jit
def _open_goal(gates: Gates, geo, policy, nodes, ctl) -> None:
    """Note the goal's zone and the cost from each of its gates to the goal, once for a query."""
    first, goal = gates.first, ctl[at.GOAL]
    x, y = goal % geo[at.WIDTH], goal // geo[at.WIDTH]
    home = int64(gates.zone[goal])
    ctl[HOME] = home
    ctl[OPENED] += 1
    rest = zone_note(first.size - 1) + _WORDS * first[first.size - 1]
    if gates.inner.size > 0:
        _combine(gates, ctl, nodes, rest, x, y, policy[at.H_MAX], policy[at.H_MIN])
    else:
        for port in range(first[home], first[home + 1]):
            ctl[rest + port - first[home]] = _to_box(gates.boxes, port, x, y, policy[at.H_MAX], policy[at.H_MIN])


@jit
def _combine(gates: Gates, ctl, nodes, rest: int, x: int, y: int, most: int, least: int) -> None:
    """Reckon K from the distances within zones: a Dijkstra search over ports, backwards from the goal (x, y).

    It ends when all ports of the start's zone are settled; none of the others can cost less than the last of them
    (FLOOR). `nodes` lends its records; the search that follows gets a number of its own.
    """
    first, opposite, inner, none, unit = gates.first, gates.opposite, gates.inner, gates.scale[1], gates.scale[0]
    ports, home, begun = first[first.size - 1], ctl[HOME], int64(gates.zone[ctl[at.START]])
    heap, keys = ctl[rest + ports : rest + 2 * ports], ctl[rest + 2 * ports : rest + 3 * ports]
    number, size, sequence = np.uint32(ctl[at.SEARCH]), 0, 0
    left = first[begun + 1] - first[begun] if begun != home else 0
    ctl[FLOOR] = 0
    for port in range(first[home], first[home + 1]):
        out = int64(opposite[port])
        if int64(gates.prices[out]) < AWAY:
            k = int64(gates.prices[out]) + _to_box(gates.boxes, port, x, y, most, least)
            nodes[out]["g"], nodes[out]["state"], nodes[out]["prev"] = k, number << np.uint32(4), sequence
            heap_up(nodes, heap, keys, size, k, out)
            size += 1
            sequence += 1
    while size > 0 and left > 0:
        ctl[FLOOR] = keys[0]
        out = heap_pop(nodes, heap, keys, size)
        size -= 1
        nodes[out]["state"] |= np.uint32(at.CLOSED)
        ctl[rest + out], ctl[rest + 3 * ports + out] = ctl[FLOOR], ctl[OPENED]
        zone = int64(gates.enters[opposite[out]])
        left -= zone == begun
        count = first[zone + 1] - first[zone]
        for port in range(first[zone], first[zone + 1]):
            way = int64(inner[gates.inner_first[zone] + (port - first[zone]) * count + out - first[zone]])
            into = int64(opposite[port])
            if way == none or int64(gates.prices[into]) == AWAY:
                continue
            k = int64(gates.prices[into]) + way * unit + ctl[FLOOR]
            fresh = nodes[into]["state"] >> np.uint32(4) != number
            if not fresh and int64(nodes[into]["g"]) <= k:
                continue
            place = int64(nodes[into]["next"])
            if fresh:
                place = size
                size += 1
            nodes[into]["g"], nodes[into]["state"], nodes[into]["prev"] = k, number << np.uint32(4), sequence
            sequence += 1
            heap_up(nodes, heap, keys, place, k, into)
    if size == 0 and left > 0:  # all that leads to the goal is settled
        ctl[FLOOR] = AWAY
    renew(nodes, ctl)


@jit
def start_estimate(gates: Gates, geo, policy, nodes, ctl) -> int:
    """Prepare a query and return the estimate of its start through gates: 0 within one zone, AWAY without a way."""
    _open_goal(gates, geo, policy, nodes, ctl)
    start, h = ctl[at.START], int64(0)
    zone = int64(gates.zone[start])
    if zone != ctl[HOME]:
        open_zone(gates.first, gates.boxes, gates.costs, gates.scale, policy, ctl, zone)
        x, y = start % geo[at.WIDTH], start // geo[at.WIDTH]
        h = through_gates(ctl, zone_note(zone), x, y, policy[at.H_MAX], policy[at.H_MIN])
    return h


@jit
def open_zone(first, boxes, costs, scale, policy, ctl, number: int) -> None:
    """Note the rest of the way behind each port of a zone (K), cheapest first, without ports that never win.

    A port i never wins if one with a smaller K costs no more even from the cell of i that is farthest from it.
    """
    most, least, unit, none, home = policy[at.H_MAX], policy[at.H_MIN], scale[0], scale[1], ctl[HOME]
    begin, end = first[home], first[home + 1]
    base = zone_note(first.size - 1) + _WORDS * first[number]
    rest = zone_note(first.size - 1) + _WORDS * first[first.size - 1]
    count = 0
    for port in range(first[number], first[number + 1]):  # sort by K
        k = AWAY
        if costs.size == 0:  # combined from the distances within zones
            settled = ctl[rest + 3 * first[first.size - 1] + port] == ctl[OPENED]
            k = ctl[rest + port] if settled else ctl[FLOOR]
        else:
            for c in range(begin, end):
                if int64(costs[port, c]) != none:
                    k = min(k, int64(costs[port, c]) * unit + ctl[rest + c - begin])
        if k < AWAY:
            place = base + _WORDS * count
            while place > base and ctl[place - _WORDS] > k:
                ctl[place], ctl[place + 1] = ctl[place - _WORDS], ctl[place - _WORDS + 1]
                place -= _WORDS
            ctl[place], ctl[place + 1] = k, port
            count += 1
    end = base
    for i in range(count):
        k, port = ctl[base + _WORDS * i], ctl[base + _WORDS * i + 1]
        x0, y0, x1, y1 = int64(boxes[port, 0]), int64(boxes[port, 1]), int64(boxes[port, 2]), int64(boxes[port, 3])
        place = base
        while place < end:
            far = max(_to_note(ctl, place, x0, y0, most, least), _to_note(ctl, place, x1, y1, most, least))
            if k >= ctl[place] + far:
                break
            place += _WORDS
        if place == end:
            ctl[end], ctl[end + 1], ctl[end + 2], ctl[end + 3], ctl[end + 4] = k, x0, y0, x1, y1
            end += _WORDS
    note = zone_note(number)
    ctl[note], ctl[note + 1], ctl[note + 2] = ctl[OPENED], base, end


@jit
def through_gates(ctl, note: int, x: int, y: int, most: int, least: int) -> int:
    """Return the estimate of a cell in an opened zone that is not the goal's; `note` is that zone's.

    It takes one array: with the tables among its arguments and the opening of zones inside, references were counted in
    every call, and an expansion took 105 ns instead of 70.
    """
    place, end = ctl[note + 1], ctl[note + 2]
    h = AWAY
    while place < end and ctl[place] < h:
        h = min(h, ctl[place] + _to_note(ctl, place, x, y, most, least))
        place += _WORDS
    return h
