"""Distances from one or several cells to all others, by the best-first loop without a goal."""

import numpy as np

from waygrid.kernels._jit import Array, int64, jit
from waygrid.kernels.bestfirst import advance
from waygrid.kernels.layout import (
    BUDGET,
    CARDINAL,
    COST,
    CTL_SIZE,
    GOAL,
    INFINITE,
    LIMIT,
    OPEN,
    OPPOSITE,
    REVERSE,
    SEARCH,
    SEQUENCE,
)
from waygrid.kernels.query import came_from, renew
from waygrid.kernels.queue import bucket_push, heap_up


@jit
def flood(
    moves: Array,
    weights: Array | None,
    geo: Array,
    policy: Array,
    nodes: Array,
    queue: Array,
    bits: Array,
    keys: Array | None,
    ctl: Array,
    sources: Array,
) -> None:
    """Settle every cell that the sources reach (or, reversed, that reaches them)."""
    renew(nodes, ctl)
    for k in range(BUDGET + 1, CTL_SIZE):
        ctl[k] = 0
    ctl[BUDGET] = INFINITE
    ctl[GOAL] = ctl[LIMIT] = -1
    for k in range(sources.size):
        cell = sources[k]
        if nodes[cell]["state"] >> np.uint32(4) == np.uint32(ctl[SEARCH]):
            continue
        nodes[cell]["g"] = 0
        nodes[cell]["state"] = np.uint32(ctl[SEARCH] << 4)
        if keys is None:
            bucket_push(nodes, queue, bits, 0, cell)
        else:
            nodes[cell]["prev"] = ctl[OPEN]
            heap_up(nodes, queue, keys, ctl[OPEN], 0, cell)
        ctl[OPEN] += 1
    ctl[SEQUENCE] = ctl[OPEN]
    advance(moves, weights, geo, policy, nodes, queue, bits, keys, ctl, None, None)


@jit
def read_flood(
    weights: Array | None,
    geo: Array,
    policy: Array,
    nodes: Array,
    ctl: Array,
    diagonal_cost: float,
    distance: Array,
    flow: Array,
) -> None:
    """Write distances as floats, summed along each path, and the direction that leads back towards the source.

    From every cell the path back is followed to the first cell whose distance is known, and written on the way home.
    """
    search, stack = np.uint32(ctl[SEARCH]), np.empty(nodes.size, np.int32)
    for cell in range(nodes.size):
        top, here = 0, cell
        while nodes[here]["state"] >> np.uint32(4) == search and distance[here] == np.inf:
            if nodes[here]["g"] == 0:
                distance[here] = 0.0
                break
            stack[top] = here
            top += 1
            here = came_from(nodes, geo, here)
        while top > 0:
            before = here
            top -= 1
            here = int64(stack[top])
            d = int64(nodes[here]["state"] & np.uint32(7))
            price = 1.0 if geo[COST + d] == geo[CARDINAL] else diagonal_cost
            if weights is not None:
                price *= weights[before] if policy[REVERSE] else weights[here]
            distance[here] = distance[before] + price
            flow[here] = geo[OPPOSITE + d]
