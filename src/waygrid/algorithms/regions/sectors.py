"""Sectors and regions of a map, for pra and dba: found once, in time proportional to the map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from waygrid.algorithms.regions.sectors_build import find_centres, label_regions, list_borders
from waygrid.core.types import Array

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid


class Sectors(NamedTuple):
    """Regions, numbered sector by sector, and which of them touch."""

    plan: Array  # rows and columns of a sector, and how many sectors lie side by side
    first: Array  # for each sector its first region; one more at the end
    centres: Array  # for each region the cell that represents it
    offsets: Array  # for each region its first neighbour; one more at the end
    neighbours: Array  # regions that a legal move leads to
    region: Array  # of each cell, -1 for walls: used while building, not kept

    @property
    def compact_bytes(self) -> int:
        """Memory in Sturtevant's layout: 4 bytes for a sector, 2 for a region, 1 for an edge."""
        return 4 * (len(self.first) - 1) + 2 * len(self.centres) + len(self.neighbours)


def sector_size(sector: int | tuple[int, int]) -> tuple[int, int]:
    """Return rows and columns of a sector, which may be given as one number.

    >>> sector_size(16), sector_size((8, 24))
    ((16, 16), (8, 24))
    """
    return sector if isinstance(sector, tuple) else (sector, sector)


class Labels(NamedTuple):
    """Which region each cell of a map belongs to; fields as in `Sectors`."""

    plan: Array
    first: Array
    region: Array


def label_sectors(grid: Grid, sector: Any) -> Labels:
    """Number the regions of sectors of a map.

    >>> import waygrid as wg
    >>> label_sectors(wg.Grid([[1, 1, 0, 1]]), 4).region.tolist()
    [0, 0, -1, 1]
    """
    rows, columns = sector_size(sector)
    rows, columns = min(rows, grid.height), min(columns, grid.width)
    table = grid.table
    down, across = -(-grid.height // rows), -(-grid.width // columns)
    plan = np.array([rows, columns, across], np.int64)
    region, first = np.empty(table.walk.size, np.int32), np.zeros(down * across + 1, np.int32)
    label_regions(table.walk, table.moves, table.geo, plan, region, first)
    return Labels(plan, first, region)


def find_sectors(grid: Grid, sector: Any) -> Sectors:
    """Cut a map into sectors and regions.

    >>> import waygrid as wg
    >>> cut = find_sectors(wg.Grid([[1, 1, 0, 1], [1, 1, 0, 1], [1, 1, 1, 1]]), 4)
    >>> cut.region.reshape(3, 4).tolist(), cut.centres.tolist()
    ([[0, 0, -1, 0], [0, 0, -1, 0], [0, 0, 0, 0]], [5])
    """
    plan, first, region = label_sectors(grid, sector)
    centres = np.zeros(int(first[-1]), np.int32)
    find_centres(grid.table.geo, region, centres)
    return Sectors(plan, first, centres, *neighbours_of(grid, plan, region, len(centres)), region)


def neighbours_of(grid: Grid, plan: Array, region: Array, count: int) -> tuple[Array, Array]:
    """Return which regions a legal move leads to: for each region its first neighbour, and all neighbours."""
    arrays = (grid.table.moves, grid.table.geo, plan, region)
    pairs = np.zeros((list_borders(*arrays, np.zeros((0, 2), np.int32)), 2), np.int32)
    list_borders(*arrays, pairs)
    joined = np.unique(pairs[:, 0].astype(np.int64) * count + pairs[:, 1])
    offsets = np.searchsorted(joined, np.arange(count + 1) * max(count, 1))
    return offsets.astype(np.int32), (joined % max(count, 1)).astype(np.int32)
