"""Caves: noise that is smoothed, and tunnels between what is left.

Everything is worked out in bands of rows, and cells have numbers of 32 bits: caves of 16,384 x 16,384 cells take 18
bytes a cell while they are made.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waygrid.formats.rules import row_spans
from waygrid.grid._spanning import spanning_forest

SMALL_CAVE = 12  # cells; smaller holes are filled
RIDGE = 16  # cells between high and low points of the rock's density, fewer on small maps
RIDGE_HEIGHT = 0.6

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int32]


def caves(rng: np.random.Generator, width: int, height: int, walls: float, rounds: int) -> Mask:
    """Return the passable cells of caves that all hang together."""
    if min(width, height) < 3:
        return np.ones((height, width), np.bool_)
    wall = _scatter_rock(rng, width, height, walls)
    for _ in range(rounds):
        wall = _smooth(wall)
    wall[[0, -1]] = True
    wall[:, [0, -1]] = True
    if wall.all():
        wall[height // 2, width // 2] = False
    np.logical_not(wall, out=wall)
    return _join_caves(wall)


def _scatter_rock(rng: np.random.Generator, width: int, height: int, walls: float) -> Mask:
    """Return rock at random, denser in some places; a large map of even noise has neither halls nor massifs."""
    unevenness = 4 * walls * (1 - walls)  # none at either end: 0 is no rock and 1 is rock only
    apart = max(2, min(RIDGE, min(width, height) // 4))
    later = np.random.PCG64()
    state: Any = rng.bit_generator.state
    later.state = state
    later.advance(width * height)  # the cells come first, and each takes one draw
    points = np.random.Generator(later).random((height // apart + 2, width // apart + 2))
    points -= math.fsum(points.ravel().tolist()) / points.size  # fsum: no rounding that differs between processors
    y, x = np.arange(height) / apart, np.arange(width) / apart
    row, column = y.astype(np.int64), x.astype(np.int64)
    down, right = (y - row)[:, None], x - column
    wall = np.empty((height, width), np.bool_)
    for band in row_spans(wall.shape):
        rows = points[row[band]] * (1 - down[band]) + points[row[band] + 1] * down[band]
        ridges = RIDGE_HEIGHT * (rows[:, column] * (1 - right) + rows[:, column + 1] * right)
        wall[band] = rng.random(ridges.shape) < walls + unevenness * ridges
    return wall


def _smooth(wall: Mask) -> Mask:
    """Return rock where five of a cell and its eight neighbours are rock; all is rock outside the map."""
    height, width = wall.shape
    smooth = np.empty_like(wall)
    for band in row_spans(wall.shape):
        part = np.ones((band.stop - band.start + 2, width + 2), np.uint8)
        top, bottom = max(0, band.start - 1), min(height, band.stop + 1)
        part[top - band.start + 1 : bottom - band.start + 1, 1:-1] = wall[top:bottom]
        count = part[:-2] + part[1:-1] + part[2:]
        smooth[band] = count[:, :-2] + count[:, 1:-1] + count[:, 2:] >= 5
    return smooth


def _number_caves(passable: Mask) -> Numbers:
    """Give every cell the number of its 4-connected cave, -1 in rock; the border has to be rock.

    The nodes of the graph are horizontal runs, which the border keeps apart when the map is read as one long row.
    """
    flat, width = passable.ravel(), passable.shape[1]
    run = np.cumsum(_starts(flat), dtype=np.int32)
    run -= 1
    touch = np.flatnonzero(_starts(flat[:-width] & flat[width:]))
    _, cave = spanning_forest(int(run[-1]) + 1, run[touch].astype(np.int64), run[touch + width].astype(np.int64))
    of_run = cave.astype(np.int32)
    rows = run.reshape(passable.shape)
    for band in row_spans(passable.shape):
        rows[band] = np.where(passable[band], of_run[rows[band]], -1)
    return run


def _starts(row: Mask) -> Mask:
    """Return where a run begins."""
    starts = row.copy()
    starts[1:] &= ~row[:-1]
    return starts


def _join_caves(passable: Mask) -> Mask:
    """Fill small caves and dig tunnels between the others, along the shortest paths through the rock."""
    shape = passable.shape
    owner = _number_caves(passable)
    rows = owner.reshape(shape)
    size = np.zeros(int(owner.max()) + 1, np.int64)
    for band in row_spans(shape):
        size += np.bincount(rows[band][passable[band]], minlength=size.size)
    small = (size < SMALL_CAVE) & (np.arange(size.size) != size.argmax())
    small = np.append(small, False)  # rock, whose number is -1
    for band in row_spans(shape):
        rows[band][small[rows[band]]] = -1
    if np.count_nonzero(~small) > 2:
        owner[_tunnels(owner, shape)] = size.size
    return rows >= 0


def _tunnels(owner: Numbers, shape: tuple[int, ...]) -> Mask:
    """Grow all caves at once until they meet; a spanning tree of the nearest meetings shows where to dig."""
    width = shape[1]
    free = owner >= 0
    inside = np.zeros(shape, np.bool_)  # rock, without the border
    np.logical_not(free.reshape(shape)[1:-1, 1:-1], out=inside[1:-1, 1:-1])
    rock = inside.ravel()
    beside = free.copy()  # the cells of caves that have rock beside them
    beside[width:-width] &= (
        rock[2 * width :] | rock[: -2 * width] | rock[width + 1 : 1 - width] | rock[width - 1 : -width - 1]
    )
    frontier, level = np.flatnonzero(beside).astype(np.int32), 0
    del free, beside
    reach, parent = owner.copy(), np.full(owner.size, -1, np.int32)
    distance = np.zeros(owner.size, np.int32)
    while frontier.size:
        level, grown = level + 1, []
        for step in (1, width, -1, -width):
            source = frontier[rock[frontier + step]]
            rock[source + step] = False
            reach[source + step], parent[source + step], distance[source + step] = reach[source], source, level
            grown.append(source + step)
        frontier = np.concatenate(grown)
    ends = [(cell, cell + step) for step in (1, width) for cell in [np.flatnonzero(reach[:-step] != reach[step:])]]
    a, b = (np.concatenate(side) for side in zip(*ends, strict=True))
    inner = (reach[a] >= 0) & (reach[b] >= 0)
    a, b = a[inner], b[inner]
    order = np.argsort(distance[a] + distance[b], kind="stable")
    del distance
    a, b = a[order], b[order]
    kept, _ = spanning_forest(int(reach.max()) + 1, reach[a].astype(np.int64), reach[b].astype(np.int64))
    dug = np.zeros(owner.size, np.bool_)
    cell = np.concatenate([a[kept], b[kept]])
    while cell.size:
        dug[cell] = True
        cell = parent[cell]
        cell = cell[cell >= 0]
    return _widen(dug.reshape(shape)).ravel()


def _widen(mask: Mask) -> Mask:
    wide = mask.copy()
    for part in (mask[:-2, 1:-1], mask[2:, 1:-1], mask[1:-1, :-2], mask[1:-1, 2:]):
        wide[1:-1, 1:-1] |= part
    return wide
