"""The spots of a grid, and the graph that they form (see `spots_build`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from waygrid.algorithms.jumps import spots_build as spots
from waygrid.algorithms.jumps.turns import list_turns
from waygrid.build.all_pairs import Upward, list_edges, take_out_nodes
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.grid.table import MoveTable

_ROOM = 64  # pairs of each spot, at first


class SpotMap(NamedTuple):
    """The spots of a grid, numbered along a Hilbert curve: those that lie together have numbers that do."""

    jumps: Array  # of JPS+
    tags: Array  # see `turns_build`
    cells: Array  # of all spots
    numbers: Array  # of every cell: the number of its spot, -1 where it is none


def map_spots(table: MoveTable) -> SpotMap:
    """Find the spots of a grid."""
    jumps, tags, _ = list_turns(table)
    cells = np.flatnonzero(tags & 255)
    width, height = int(table.geo[layout.WIDTH]), int(table.geo[layout.HEIGHT])
    places = np.zeros(cells.size, np.int64)
    spots.list_hilbert_places(cells, width, 1 << (max(width, height) - 1).bit_length(), places)
    cells = cells[np.argsort(places)]
    numbers = np.full(table.moves.size, -1, np.int32)
    numbers[cells] = np.arange(cells.size)
    return SpotMap(jumps, tags, cells, numbers)


def join_spots(table: MoveTable, found: SpotMap) -> Upward:
    """Return the graph of the spots, prepared for distances between all of them."""
    count, room = len(found.cells), _ROOM * len(found.cells)
    while True:
        tails, heads = np.zeros(room, np.int64), np.zeros(room, np.int64)
        pairs = spots.list_neighbours(table.moves, table.geo, found.numbers, found.cells, tails, heads)
        if pairs <= room:
            break
        room = pairs
    first, tails, heads = list_edges(count, tails[:pairs], heads[:pairs])
    x, y = found.cells % table.geo[layout.WIDTH], found.cells // table.geo[layout.WIDTH]
    dx, dy = np.abs(x[tails] - x[heads]), np.abs(y[tails] - y[heads])
    steep = table.geo[layout.DIAGONAL] - table.geo[layout.CARDINAL]
    return take_out_nodes(first, heads, table.geo[layout.CARDINAL] * np.maximum(dx, dy) + steep * np.minimum(dx, dy))
