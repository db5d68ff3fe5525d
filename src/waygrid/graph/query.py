"""Searches on any graph with coordinates, and the goal boxes of its arcs.

A graph is a list of arcs (records, see `waygrid.graph.graph`) in the order of their sources: those that leave node n
are offsets[n] to offsets[n + 1] - 1. One loop serves A*, Dijkstra, both of them with goal bounding (`boxes`, or None)
and the flood from which the boxes are made.

A box holds, for each axis, the least and the greatest place of a goal; places are small integers in the order of the
coordinates. The least place of an empty box is above its greatest.
"""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit
from waygrid.core.query import fill_row, renew
from waygrid.core.queue import heap_pop, heap_up, lowest_bit

_ONE = np.uint64(1)
_NONE = np.uint64(0)


@jit
def _root(labels, node: int) -> int:
    while labels[node] != node:
        labels[node] = labels[labels[node]]
        node = int64(labels[node])
    return node


@jit
def components(arcs, labels) -> None:
    """Give every node the least number of a node to which it is joined, whichever way the arcs between them lead."""
    for node in range(labels.size):
        labels[node] = node
    for e in range(arcs.size):
        one, other = _root(labels, int64(arcs[e]["source"])), _root(labels, int64(arcs[e]["target"]))
        labels[max(one, other)] = min(one, other)
    for node in range(labels.size):
        labels[node] = _root(labels, node)


@jit
def distance(points, one: int, other: int) -> float:
    """Return the length of the straight line between two nodes; `points` has three columns, also on a plane."""
    dx, dy = points[one, 0] - points[other, 0], points[one, 1] - points[other, 1]
    dz = points[one, 2] - points[other, 2]
    return np.sqrt(dx * dx + dy * dy + dz * dz)


@jit
def within(boxes, places, arc: int, goal: int) -> bool:
    """Tell whether a goal lies in the box of an arc."""
    for axis in range(places.shape[1]):
        if not boxes[arc, 2 * axis] <= places[goal, axis] <= boxes[arc, 2 * axis + 1]:
            return False
    return True


@jit
def search(offsets, arcs, points, ratio: float, boxes, places, nodes, heap, keys, via, ctl, order) -> None:
    """Search from START until GOAL is settled, or, where that is -1, until all that can be reached is.

    ratio: what a unit of distance costs at least; 0 = Dijkstra. via: receives the arc by which each node was reached.
    order: receives the nodes as they are expanded, as many as it can hold. A closed node that is reached more cheaply
    is opened again: rounding can make the estimate inconsistent by a unit, weights by more.
    """
    start, goal = ctl[at.START], ctl[at.GOAL]
    number = np.uint32(ctl[at.SEARCH])
    key = int64(0)
    if ratio > 0.0:
        key = int64(ratio * distance(points, start, goal))
    ctl[at.ESTIMATE] = key
    nodes[start]["g"] = 0
    nodes[start]["state"] = number << np.uint32(4)
    nodes[start]["prev"] = 0
    via[start] = -1
    heap_up(nodes, heap, keys, 0, key, start)
    size = peak = generated = touched = sequence = 1
    expanded = 0
    status = at.UNREACHABLE
    while size > 0:
        node = heap_pop(nodes, heap, keys, size)
        size -= 1
        if order is not None:
            if expanded < order.size:
                order[expanded] = node
        expanded += 1
        if node == goal:
            status = at.FOUND
            break
        nodes[node]["state"] |= np.uint32(at.CLOSED)
        g = int64(nodes[node]["g"])
        for e in range(offsets[node], offsets[node + 1]):
            if boxes is not None:
                if not within(boxes, places, e, goal):
                    continue
            n = int64(arcs[e]["target"])
            new_g = g + int64(arcs[e]["cost"])
            state = nodes[n]["state"]
            fresh = True
            if state >> np.uint32(4) == number:
                if int64(nodes[n]["g"]) <= new_g:
                    continue
                fresh = state & np.uint32(at.CLOSED) != 0
            else:
                touched += 1
            nodes[n]["g"] = new_g
            nodes[n]["state"] = number << np.uint32(4)
            nodes[n]["prev"] = sequence
            sequence += 1
            via[n] = e
            key = new_g
            if ratio > 0.0:
                key += int64(ratio * distance(points, n, goal))
            heap_up(nodes, heap, keys, size if fresh else int64(nodes[n]["next"]), key, n)
            if fresh:
                size += 1
                generated += 1
        peak = max(peak, size)
    ctl[at.STATUS], ctl[at.END] = status, goal if status == at.FOUND else -1
    ctl[at.EXPANDED], ctl[at.GENERATED], ctl[at.PEAK], ctl[at.TOUCHED] = expanded, generated, peak, touched


@jit
def run(tables, bounds, memory, order, batch, first: int, budget: int) -> int:
    """Answer queries from `first` on; return the number of the next one, or how many there are when all are done.

    Comes back early when so many expansions were made, or when `path` might be too small for one more: it receives the
    nodes of this call's paths behind each other, and must have room for all nodes at least once.
    """
    offsets, arcs, labels, points, ratio = tables
    boxes, places = bounds
    nodes, heap, keys, via, ctl = memory
    queries, rows, totals, path = batch
    used = spent = 0
    for i in range(first, len(queries)):
        if path.size - used < nodes.size or spent > budget:
            return i
        renew(nodes, ctl)
        for k in range(at.BUDGET + 1, at.CTL_SIZE):
            ctl[k] = 0
        start, goal = int64(queries[i, 0]), int64(queries[i, 1])
        ctl[at.START], ctl[at.GOAL], ctl[at.END] = start, goal, -1
        if start == goal:
            ctl[at.STATUS], ctl[at.END] = at.FOUND, start
        elif labels[start] == labels[goal]:
            search(offsets, arcs, points, ratio, boxes, places, nodes, heap, keys, via, ctl, order)
        else:
            ctl[at.STATUS] = at.UNREACHABLE
        spent += ctl[at.EXPANDED]
        length, node = int64(0), ctl[at.END]
        if node >= 0:
            length = 1
            while node != start:
                node = int64(arcs[via[node]]["source"])
                length += 1
            node = ctl[at.END]
            for k in range(used + length - 1, used, -1):
                path[k] = node
                node = int64(arcs[via[node]]["source"])
            path[used] = start
        total = 0.0 if length > 0 else np.inf
        for k in range(used + 1, used + length):
            total += arcs[via[path[k]]]["price"]
        rows[i, at.ROW_LENGTH], totals[i] = length, total
        used += length
        fill_row(ctl, rows, i)
    return len(queries)


@jit
def widen(boxes, places, row: int, node: int) -> None:
    """Let a box contain a node."""
    for axis in range(places.shape[1]):
        place = places[node, axis]
        boxes[row, 2 * axis] = min(boxes[row, 2 * axis], place)
        boxes[row, 2 * axis + 1] = max(boxes[row, 2 * axis + 1], place)


@jit
def fill(tables, memory, order, marks, every: bool, first: int, last: int, boxes) -> None:
    """Write the boxes of all arcs that leave the nodes first to last - 1, beginning at row 0; they come empty.

    every: an arc's box holds each goal that some cheapest path through it reaches; otherwise only the goals that the
    flood reached through it, one arc for each goal.
    """
    offsets, arcs, points, places = tables
    nodes, heap, keys, via, ctl = memory
    for source in range(first, last):
        renew(nodes, ctl)
        ctl[at.START], ctl[at.GOAL] = source, -1
        search(offsets, arcs, points, 0.0, None, places, nodes, heap, keys, via, ctl, order)
        row, end = offsets[source] - offsets[first], offsets[source + 1]
        if every:
            for base in range(offsets[source], end, 64):
                _spread(
                    offsets, arcs, places, nodes, order, ctl[at.EXPANDED], marks, base, min(base + 64, end), boxes, row
                )
                row += 64
            continue
        for k in range(1, ctl[at.EXPANDED]):
            node = order[k]
            arc = via[node]
            parent = arcs[arc]["source"]
            mark = np.uint64(arc - offsets[first]) if parent == source else marks[parent]
            marks[node] = mark
            widen(boxes, places, int64(mark), node)


@jit
def _spread(offsets, arcs, places, nodes, order, count: int, marks, base: int, end: int, boxes, row: int) -> None:
    """Hand the arcs base to end - 1 of a flood's source down to every node that a cheapest path through them reaches.

    Costs are positive, so in the order of expansion a node comes after all those before it on its cheapest paths.
    """
    for k in range(count):
        marks[order[k]] = _NONE
    for e in range(base, end):
        n = arcs[e]["target"]
        if nodes[n]["g"] == arcs[e]["cost"]:
            marks[n] |= _ONE << np.uint64(e - base)
    for k in range(1, count):
        node = order[k]
        mark = marks[node]
        if mark == _NONE:
            continue
        g = int64(nodes[node]["g"])
        for e in range(offsets[node], offsets[node + 1]):
            n = arcs[e]["target"]
            if int64(nodes[n]["g"]) == g + int64(arcs[e]["cost"]):
                marks[n] |= mark
        while mark != _NONE:
            widen(boxes, places, row + lowest_bit(mark), node)
            mark &= mark - _ONE
