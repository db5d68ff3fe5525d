"""Estimates through gates (Björnsson and Halldórsson): to a gate, from gate to gate as reckoned before, to the goal.

A *port* is a gate seen from one of its two zones. Ports are numbered zone by zone, so those of a zone lie side by side.
What one query needs is kept behind the state of the search, in `ctl`:

    the zone of the goal
    for each zone    the number of the search that opened it, and where its ports in the next part begin and end
    for each port    the rest of the way once out (K), and the box of the gate's cells: x0, y0, x1, y1
    the rest         with a table of pairs: for each port of the goal's zone the cost from there to the goal;
                     with distances within zones: K of all ports, and a ring and marks of ports that wait
"""

from typing import NamedTuple

from waygrid.kernels._jit import Array, int64, jit
from waygrid.kernels.layout import CTL_SIZE, GOAL, H_MAX, H_MIN, H_SHIFT, SEARCH, WIDTH

AWAY = 2**61  # the cost of what cannot be reached
_ZONES = CTL_SIZE + 1
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
    return 1 + 3 * zones + _WORDS * ports + (most_ports if pairs else 3 * ports)


@jit
def zone_note(number: int) -> int:
    """Return where the notes on a zone begin."""
    return _ZONES + 3 * number


@jit
def _to_box(boxes: Array, port: int, x: int, y: int, most: int, least: int) -> int:
    dx = max(int64(boxes[port, 0]) - x, x - int64(boxes[port, 2]), 0)
    dy = max(int64(boxes[port, 1]) - y, y - int64(boxes[port, 3]), 0)
    return (most * max(dx, dy) + least * min(dx, dy)) >> H_SHIFT


@jit
def _to_note(ctl: Array, place: int, x: int, y: int, most: int, least: int) -> int:
    """Return the distance from a cell to the gate of a noted port."""
    dx = max(ctl[place + 1] - x, x - ctl[place + 3], 0)
    dy = max(ctl[place + 2] - y, y - ctl[place + 4], 0)
    return int((most * max(dx, dy) + least * min(dx, dy)) >> H_SHIFT)


@jit
def open_goal(gates: Gates, geo: Array, policy: Array, ctl: Array) -> None:
    """Note the goal's zone and the cost from each of its gates to the goal, once for a query."""
    first, goal = gates.first, ctl[GOAL]
    x, y = goal % geo[WIDTH], goal // geo[WIDTH]
    home = int64(gates.zone[goal])
    zones = first.size - 1
    if ctl[SEARCH] == 1:  # the numbers of searches began anew
        ctl[_ZONES : zone_note(zones)] = 0
    ctl[CTL_SIZE] = home
    rest = zone_note(zones) + _WORDS * first[zones]
    if gates.inner.size == 0:
        for port in range(first[home], first[home + 1]):
            ctl[rest + port - first[home]] = _to_box(gates.boxes, port, x, y, policy[H_MAX], policy[H_MIN])
        return
    ring, waits = rest + first[zones], rest + 2 * first[zones]
    for port in range(first[zones]):
        ctl[rest + port], ctl[waits + port] = AWAY, 0
    tail = 0
    for port in range(first[home], first[home + 1]):
        out = int64(gates.opposite[port])
        to_goal = _to_box(gates.boxes, port, x, y, policy[H_MAX], policy[H_MIN])
        ctl[rest + out] = int64(gates.prices[out]) + to_goal
        ctl[ring + tail], ctl[waits + out] = out, 1
        tail += 1
    _combine(gates, ctl, rest, ring, waits, tail)


@jit
def _combine(gates: Gates, ctl: Array, rest: int, ring: int, waits: int, tail: int) -> None:
    """Reckon K of every port from the distances within zones, backwards from the goal, until nothing changes.

    A port waits at most once at a time, in order of arrival.
    """
    first, opposite, inner, none = gates.first, gates.opposite, gates.inner, gates.scale[1]
    ports = first[first.size - 1]
    head = 0
    while head < tail:
        out = ctl[ring + head % ports]
        head += 1
        ctl[waits + out] = 0
        number = int64(gates.enters[opposite[out]])
        count = first[number + 1] - first[number]
        for port in range(first[number], first[number + 1]):
            way = int64(inner[gates.inner_first[number] + (port - first[number]) * count + out - first[number]])
            if way == none:
                continue
            into = int64(opposite[port])
            k = int64(gates.prices[into]) + way * gates.scale[0] + ctl[rest + out]
            if k < ctl[rest + into]:
                ctl[rest + into] = k
                if ctl[waits + into] == 0:
                    ctl[waits + into] = 1
                    ctl[ring + tail % ports] = into
                    tail += 1


@jit
def open_zone(first: Array, boxes: Array, costs: Array, scale: Array, policy: Array, ctl: Array, number: int) -> None:
    """Note the rest of the way behind each port of a zone (K), cheapest first, without ports that never win.

    A port i never wins if one with a smaller K costs no more even from the cell of i that is farthest from it.
    """
    most, least, unit, none, home = policy[H_MAX], policy[H_MIN], scale[0], scale[1], ctl[CTL_SIZE]
    begin, end = first[home], first[home + 1]
    base = zone_note(first.size - 1) + _WORDS * first[number]
    rest = zone_note(first.size - 1) + _WORDS * first[first.size - 1]
    count = 0
    for port in range(first[number], first[number + 1]):  # sort by K
        k = AWAY
        if costs.size == 0:  # combined from the distances within zones
            k = ctl[rest + port]
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
    ctl[note], ctl[note + 1], ctl[note + 2] = ctl[SEARCH], base, end


@jit
def through_gates(ctl: Array, note: int, x: int, y: int, most: int, least: int) -> int:
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
