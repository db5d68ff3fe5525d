"""Goal bounds: per cell and direction the box of all goals to which that first move leads optimally (section 22.2).

A box is (left, top, right, bottom), all included. The empty box has left > right: the largest value of its type and 0.
"""

from typing import NamedTuple

import numpy as np

from waygrid.algorithms.classic.flood_query import flood as search
from waygrid.algorithms.classic.flood_query import write_distances
from waygrid.algorithms.jumps.canonical import Ground, Water, flood, largest_distance
from waygrid.core import layout as at
from waygrid.core.jit import Array, int64, jit


class Searched(NamedTuple):
    """What floods by the best-first loop read."""

    moves: Array
    backward: Array
    weights: Array | None
    geo: Array
    policy: Array


class FloodMemory(NamedTuple):
    """What they write: the arrays of a scratch."""

    nodes: Array
    queue: Array
    bits: Array
    keys: Array | None
    ctl: Array


@jit
def clear_boxes(boxes, row: int, none: int) -> None:
    """Make all boxes of a cell empty."""
    for d in range(8):
        boxes[row, d, 0] = boxes[row, d, 1] = none
        boxes[row, d, 2] = boxes[row, d, 3] = 0


@jit
def keep_one(first) -> None:
    """Of every cell's first moves keep the one with the lowest number."""
    for cell in range(first.size):
        first[cell] &= np.uint8(0) - first[cell]


@jit
def draw_boxes(first, width: int, height: int, columns, boxes, row: int, none: int) -> None:
    """Box in the cells of each first move.

    Moves are gathered by OR over every row and every column, 32 cells at a time: 8 us for the 160,000 cells of orz100d.
    """
    clear_boxes(boxes, row, none)
    columns[:] = 0
    for y in range(height):
        seen = np.uint8(0)
        for x in range(width):
            seen |= first[y * width + x]
        for x in range(width):
            columns[x] |= first[y * width + x]
        for d in range(8):
            if (seen >> d) & 1:
                boxes[row, d, 1] = min(int64(boxes[row, d, 1]), y)
                boxes[row, d, 3] = y
    for x in range(width):
        for d in range(8):
            if (columns[x] >> d) & 1:
                boxes[row, d, 0] = min(int64(boxes[row, d, 0]), x)
                boxes[row, d, 2] = x


@jit
def canonical_boxes(
    ground: Ground, water: Water, every: bool, one: bool, begin: int, end: int, boxes, none: int
) -> None:
    """Fill the boxes of cells begin to end - 1 by one canonical flood from each.

    With `every`, by all first moves of all cheapest paths, not of the canonical ones alone.
    """
    moves, geo, dist, first = ground.moves, ground.geo, water.dist, water.first
    columns, source = np.zeros(geo[at.WIDTH], np.uint8), np.zeros(1, np.int64)
    for cell in range(begin, end):
        if moves[cell] == 0:
            clear_boxes(boxes, cell - begin, none)
            continue
        source[0] = cell
        flood(ground, water, source)
        if every:
            pull_first_moves(moves, None, geo, dist, largest_distance(dist), cell, first)
        if one:
            keep_one(first)
        draw_boxes(first, geo[at.WIDTH], geo[at.HEIGHT], columns, boxes, cell - begin, none)


@jit
def pull_first_moves(backward, weights, geo, dist, none: int, source: int, first) -> None:
    """Give every cell the first moves of all cheapest paths to it, from the distances alone.

    A cell has the first moves of all cells before it on a cheapest path; where those are not known yet, they are found
    first, on a stack. `backward` says from which neighbours a cell can be entered.
    """
    first[:] = 0
    stack = np.empty(dist.size, np.int32)
    for cell in range(dist.size):
        if dist[cell] == none or cell == source or first[cell]:
            continue
        stack[0] = cell
        top = 1
        while top > 0:
            here = int64(stack[top - 1])
            row, found, top_before = 8 * ((here % geo[at.WIDTH]) & 1), 0, top
            for d in range(8):
                if (backward[here] >> d) & 1 == 0:
                    continue
                before = here + geo[at.STEP + row + d]
                price = geo[at.COST + d]
                if weights is not None:
                    price *= int64(weights[here])
                if dist[before] == none or int64(dist[before]) + price != dist[here]:
                    continue
                if before == source:
                    found |= 1 << geo[at.OPPOSITE + d]
                elif first[before]:
                    found |= int64(first[before])
                else:
                    stack[top] = before
                    top += 1
                    break
            if top == top_before:
                first[here] = found
                top -= 1


@jit
def search_boxes(tables: Searched, scratch: FloodMemory, one: bool, begin: int, end: int, boxes, none: int) -> None:
    """Fill the boxes of cells begin to end - 1 by one Dijkstra search from each, on any grid."""
    moves, backward, weights, geo, policy = tables
    nodes, queue, bits, keys, ctl = scratch
    columns, source = np.zeros(geo[at.WIDTH], np.uint8), np.zeros(1, np.int64)
    first, dist = np.zeros(moves.size, np.uint8), np.zeros(moves.size, np.int64)
    for cell in range(begin, end):
        if moves[cell] == 0:
            clear_boxes(boxes, cell - begin, none)
            continue
        source[0] = cell
        search(moves, weights, geo, policy, nodes, queue, bits, keys, ctl, source, None)
        write_distances(nodes, ctl, dist)
        pull_first_moves(backward, weights, geo, dist, -1, cell, first)
        if one:
            keep_one(first)
        draw_boxes(first, geo[at.WIDTH], geo[at.HEIGHT], columns, boxes, cell - begin, none)
