"""The jumps and spots of a grid, in tiles (see `tiles_build`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from waygrid.algorithms.contraction import tiles_build as tiling
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.grid.table import MoveTable


class Tiles(NamedTuple):
    """The jumps of a grid, its spots, and their numbers."""

    places: Array
    masks: Array
    numbers: Array
    jumps: Array
    spots: Array


def map_tiles(table: MoveTable) -> Tiles:
    """Find the spots of a grid and fill its jumps."""
    moves, geo = table.moves, table.geo
    width, height = int(geo[layout.WIDTH]), int(geo[layout.HEIGHT])
    across, down = -(-width // 8), -(-height // 8)
    places, masks = np.zeros(across * down, np.int32), np.zeros(across * down, np.uint64)
    numbers = np.zeros(across * down + 1, np.int32)
    tiling.map_tiles(moves, geo, masks, places, 0, down)
    count, blocks = tiling.number_spots(masks, places, numbers)
    jumps = np.zeros((64 * blocks, 8), np.int8)
    ahead = np.zeros((2, width), np.int32)
    for d in range(4):
        tiling.fill_straight(moves, geo, places, jumps, d, ahead[0])
    for d in range(4, 8):
        tiling.fill_diagonal(moves, geo, places, jumps, d, ahead)
    spots = np.zeros((count, 2), np.uint16)
    tiling.list_spots(masks, numbers, across, spots)
    return Tiles(places, masks, numbers, jumps, spots)
