"""Canonical Dijkstra: from one cell to all others, on octile grids of uniform cost, with all first moves of all paths.

Of equally cheap paths only the canonical ones are followed, diagonals first (see `jumps`). Only *turns*, cells with
extra moves for the direction in which they are entered, wait in a queue; everything between them is written while
scanning. Each cell keeps its distance and the set of first moves by which canonical cheapest paths reach it (`first`,
one bit per direction). All ties are recorded: with one label per cell jps+gb loses paths (algorithm of section 22.4).

A bucket of the queue is as wide as the cheapest move, so turns of one bucket cannot improve each other, and when a turn
is taken out every path into it has been followed. On orz100d a flood queues 950 turns and takes 3 ns per cell; a queue
of cells takes 20.
"""

from typing import NamedTuple

import numpy as np

from waygrid.algorithms.jumps.turns_build import turn_number
from waygrid.core import layout as at
from waygrid.core.jit import Array, int64, jit
from waygrid.core.queue import bucket_next, bucket_push, bucket_remove

DIRECT = 1 << 31  # in place of a first edge: there is none


class Ground(NamedTuple):
    """What a flood reads."""

    moves: Array
    geo: Array
    jumps: Array  # of JPS+
    tags: Array  # see `turns`
    turns: Array
    turning: bool  # diagonals end in turns too, at corners that may be cut or at relays


class Water(NamedTuple):
    """What a flood writes."""

    dist: Array  # per cell; `largest_distance` where there is no way
    first: Array  # per cell, first moves as bits
    queue: Array  # per turn, as records of search memory
    heads: Array  # of the bucket queue
    bits: Array


@jit
def largest_distance(dist) -> int:
    """Return the distance of cells that were not reached."""
    return 2**31 - 1 if dist.itemsize == 4 else 2**62


@jit
def _wait(tags, queue, heads, bits, cell: int, d: int, g: int, first: int, unit: int, none: int) -> int:
    """Let a turn wait with its distance and first moves; return by how much the queue grew."""
    turn = turn_number(tags, cell, d)
    known = int64(queue[turn]["g"])
    if known == g:  # another path of the same cost
        queue[turn]["state"] |= np.uint32(first)
        return 0
    grown = 1
    if known != none:  # it waits with a larger distance: the line of a cheaper path came later
        bucket_remove(queue, heads, bits, turn)
        grown = 0
    queue[turn]["g"] = g
    queue[turn]["state"] = np.uint32(first)
    bucket_push(queue, heads, bits, g // unit, turn)
    return grown


@jit
def _straight(dist, firsts, reach: int, cell: int, step: int, price: int, g: int, first: int) -> int:
    """Write a straight line as far as the jump table reaches; return the steps to the turn there, 0 if none."""
    for _ in range(abs(reach)):
        cell += step
        g += price
        known = dist[cell]
        if known > g:
            dist[cell] = g
            firsts[cell] = first
        elif known == g:
            firsts[cell] |= first
        else:
            return 0
    return max(reach, 0)


@jit
def _arrival(edges, tags, begin: int, end: int, position: int, d: int, first: int, label: int) -> int:
    """Return the label of a line that comes to a turn: from the origin, which of its edges it is."""
    turn, number = turn_number(tags, position, d), begin
    while number < end - 1 and edges[number]["turn"] != turn:
        number += 1
    return label if first else 1 << (number - begin)


@jit
def flood(ground: Ground, water: Water, sources) -> None:
    """Fill distances and first moves from the nearest source (ties: from all of them)."""
    spread(ground, water, sources, None, None, -1)


@jit
def flood_turn(ground: Ground, water: Water, edges, turn: int) -> None:
    """Fill distances and first edges (bits) from a turn: DIRECT for cells that need none."""
    turns = ground.turns
    sources = np.empty(1, np.int64)
    sources[0] = int64(turns[turn]["y"]) * ground.geo[at.WIDTH] + int64(turns[turn]["x"])
    spread(ground, water, sources, None, edges, turn)


@jit
def spread(ground: Ground, water: Water, sources, costs, edges, origin: int) -> None:
    """Do either flood. Sources begin at their costs, cheapest first, or at 0.

    Several sources, each at its own cost, are as right as one: along a canonical path from the source that is best for
    a cell, that source is best for every cell before it.

    Arrays are taken out of the tuples once: calls that pass the tuples on made the whole four times as slow.
    """
    moves, geo, jumps, tags, turns = ground.moves, ground.geo, ground.jumps, ground.tags, ground.turns
    dist, firsts, queue, heads, bits = water.dist, water.first, water.queue, water.heads, water.bits
    unit, dear, turning, none = geo[at.CARDINAL], geo[at.DIAGONAL], ground.turning, largest_distance(dist)
    width = geo[at.WIDTH]
    dist[:] = none
    firsts[:] = 0
    for turn in range(queue.size):
        queue[turn]["g"] = none
    for k in range(sources.size - 1, -1, -1):
        dist[sources[k]] = 0
        if costs is not None:
            dist[sources[k]] = costs[k]
    begun, size, key, begin, end = 0, 0, 0, 0, 0
    if edges is not None:
        begin, end = int64(turns[origin]["edge"]), int64(turns[origin + 1]["edge"])
    while True:
        first = 0
        if begun < sources.size:
            cell = int64(sources[begun])
            g = int64(dist[cell])
            wanted = int64(moves[cell])
            if edges is not None:
                wanted = int64(turns[origin]["wanted"])
            begun += 1
        elif size == 0:
            return
        else:
            key = bucket_next(heads, bits, key)
            turn = int64(heads[key & (heads.size - 1)])
            bucket_remove(queue, heads, bits, turn)
            size -= 1
            cell = int64(turns[turn]["y"]) * width + int64(turns[turn]["x"])
            g, first = int64(queue[turn]["g"]), int64(queue[turn]["state"])
            if g != dist[cell]:  # a cheaper path enters the cell by another direction
                continue
            wanted = int64(turns[turn]["wanted"])
        for d in range(8):
            if (wanted >> d) & 1 == 0:
                continue
            label = first if first else 1 << d
            if edges is not None:
                label = first if first else DIRECT
            step = geo[at.STEP + d]
            if d < 4:
                steps = _straight(dist, firsts, int64(jumps[cell, d]), cell, step, unit, g, label)
                if steps > 0:
                    position = cell + steps * step
                    coming = label
                    if edges is not None:
                        coming = _arrival(edges, tags, begin, end, position, d, first, label)
                    size += _wait(tags, queue, heads, bits, position, d, g + steps * unit, coming, unit, none)
                continue
            here, far = cell, g
            while (moves[here] >> d) & 1:
                here += step
                far += dear
                known = dist[here]
                if known > far:
                    dist[here] = far
                    firsts[here] = label
                elif known == far:
                    firsts[here] |= label
                else:
                    break
                if turning:
                    if (tags[here] >> d) & 1:
                        coming = label
                        if edges is not None:
                            coming = _arrival(edges, tags, begin, end, here, d, first, label)
                        size += _wait(tags, queue, heads, bits, here, d, far, coming, unit, none)
                        break
                for e in (d & 3, (d + 1) & 3):
                    across = geo[at.STEP + e]
                    steps = _straight(dist, firsts, int64(jumps[here, e]), here, across, unit, far, label)
                    if steps > 0:
                        position = here + steps * across
                        coming = label
                        if edges is not None:
                            coming = _arrival(edges, tags, begin, end, position, e, first, label)
                        size += _wait(tags, queue, heads, bits, position, e, far + steps * unit, coming, unit, none)
