"""Distances from one or several cells to all others, by the best-first loop without a goal."""

import numpy as np

from waygrid.algorithms.classic.best_first_query import advance
from waygrid.core import layout as at
from waygrid.core.jit import int64, jit
from waygrid.core.query import renew
from waygrid.core.queue import bucket_clear, bucket_push, heap_up

_SOME = 256  # expansions between two looks at how far a flood has come


@jit
def _put_sources(nodes, queue, bits, keys, ctl, sources, costs) -> None:
    """Begin a search at every source, at its cost or at 0."""
    renew(nodes, ctl)
    for k in range(at.BUDGET + 1, at.CTL_SIZE):
        ctl[k] = 0
    ctl[at.GOAL] = ctl[at.LIMIT] = -1
    for k in range(sources.size):
        cell, cost = sources[k], 0
        if costs is not None:  # in rising order
            cost = int64(costs[k])
        if nodes[cell]["state"] >> np.uint32(4) == np.uint32(ctl[at.SEARCH]):
            continue
        nodes[cell]["g"] = cost
        nodes[cell]["state"] = np.uint32(ctl[at.SEARCH] << 4)
        if keys is None:
            bucket_push(nodes, queue, bits, cost, cell)
        else:
            nodes[cell]["prev"] = ctl[at.OPEN]
            heap_up(nodes, queue, keys, ctl[at.OPEN], cost, cell)
        ctl[at.OPEN] += 1
    ctl[at.SEQUENCE] = ctl[at.OPEN]


@jit
def flood(moves, weights, geo, policy, nodes, queue, bits, keys, ctl, sources, costs) -> None:
    """Settle every cell that the sources reach (or, reversed, that reaches them); each begins at its cost, or at 0."""
    _put_sources(nodes, queue, bits, keys, ctl, sources, costs)
    ctl[at.BUDGET] = at.INFINITE
    advance(moves, weights, geo, policy, nodes, queue, bits, keys, ctl, None, None, None, None, None)


@jit
def flood_within(moves, weights, geo, policy, nodes, queue, bits, keys, ctl, sources, most: int) -> None:
    """Settle the cells within a cost of the sources; cells farther away may have a distance too, one above `most`.

    INFINITE settles every cell that they reach: a kernel of its own for that would be as long.
    """
    _put_sources(nodes, queue, bits, keys, ctl, sources, None)
    while True:
        ctl[at.BUDGET] = at.INFINITE if most == at.INFINITE else _SOME
        advance(moves, weights, geo, policy, nodes, queue, bits, keys, ctl, None, None, None, None, None)
        if ctl[at.STATUS] != at.RUNNING or ctl[at.KEY] > most:
            break
    if keys is None:
        bucket_clear(queue, bits)


@jit
def write_distances(nodes, ctl, dist) -> None:
    """Take the distances out of the records; -1 where there is no way."""
    search = np.uint32(ctl[at.SEARCH])
    for cell in range(nodes.size):
        dist[cell] = int64(nodes[cell]["g"]) if nodes[cell]["state"] >> np.uint32(4) == search else -1


@jit
def weigh_move(weights, geo, reverse: bool, near: int, far: int) -> int:
    """Return the factor of the move between two cells of a flood; `near` is closer to the source."""
    factor = int64(weights[near] if reverse else weights[far])
    if geo[at.RULE] == at.MEAN:
        factor = int64(weights[near]) + int64(weights[far])
    return factor


@jit
def read_flood(back, weights, geo, reverse: bool, dist, diagonal_cost: float, distance, flow) -> None:
    """Write distances as floats, summed along each path, and the direction that leads back towards the source.

    Of several such directions the first counts, so the field depends on the distances alone. `back` has the moves back.
    From every cell the path is followed to the first cell whose distance is known, and written on the way home.
    """
    stack = np.empty(dist.size, np.int32)
    for cell in range(dist.size):
        top, here = 0, cell
        while dist[here] >= 0 and distance[here] == np.inf:
            if dist[here] == 0:
                distance[here] = 0.0
                break
            row = 8 * ((here % geo[at.WIDTH]) & 1)
            for d in range(8):
                if (back[here] >> d) & 1:
                    there = here + geo[at.STEP + row + d]
                    price = geo[at.COST + d]
                    if weights is not None:
                        price *= weigh_move(weights, geo, reverse, there, here)
                    if dist[there] >= 0 and int64(dist[there]) + price == dist[here]:
                        flow[here] = d
                        break
            stack[top] = here
            top += 1
            here += geo[at.STEP + row + flow[here]]
        while top > 0:
            before = here
            top -= 1
            here = int64(stack[top])
            price = 1.0 if geo[at.COST + flow[here]] == geo[at.CARDINAL] else diagonal_cost
            if weights is not None:
                price *= weigh_move(weights, geo, reverse, before, here)
            distance[here] = distance[before] + price


@jit
def follow_flow(flow, dx, dy, cells, out) -> int:
    """Move every cell (x, y) one step along the flow; return the number of the first one outside the map, else -1."""
    height, width = flow.shape
    for k in range(len(cells)):
        x, y = cells[k, 0], cells[k, 1]
        if not (0 <= x < width and 0 <= y < height):
            return k
        d = int64(flow[y, x])
        if d >= 0:
            x, y = x + dx[d], y + dy[x & 1, d]
        out[k, 0], out[k, 1] = x, y
    return -1
