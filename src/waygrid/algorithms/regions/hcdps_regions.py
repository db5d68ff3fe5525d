"""Hill-climbable regions of a map, for hcdps: grown from seeds, each cell climbing to its seed and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from waygrid.algorithms.regions import dba_build, hcdps_build
from waygrid.algorithms.regions.sectors import neighbours_of
from waygrid.algorithms.regions.stored_paths import link_regions, refuse_many, verify_paths
from waygrid.build.progress_bar import Progress
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid


class Climbables(NamedTuple):
    """Regions, numbered in the order of their seeds, and which of them touch."""

    centres: Array  # for each region its seed
    offsets: Array  # for each region its first neighbour; one more at the end
    neighbours: Array  # regions that a legal move leads to
    region: Array  # of each cell, -1 for walls


def find_climbable(grid: Grid, cutoff: int) -> Climbables:
    """Cut a map into regions whose cells hill climbing joins to the seed, both ways, within `cutoff` moves.

    >>> import waygrid as wg
    >>> cut = find_climbable(wg.Grid([[1, 1, 0, 1], [1, 1, 0, 1], [1, 1, 1, 1]]), 250)
    >>> cut.region.reshape(3, 4).tolist(), cut.centres.tolist()
    ([[0, 0, -1, 1], [0, 0, -1, 1], [0, 0, 1, 1]], [0, 3])
    """
    table = grid.table
    region, centres = np.empty(table.walk.size, np.int32), np.empty(int(np.count_nonzero(table.walk)), np.int32)
    count = hcdps_build.grow_regions(table.walk, table.moves, table.geo, cutoff, region, centres)
    # Only now: a later seed may have taken the cells by which two regions touched. Any cell may be at a border, as if
    # each were a sector.
    plan = np.array([1, 1, grid.width], np.int64)
    return Climbables(centres[:count].copy(), *neighbours_of(grid, plan, region, count), region)


def climbable_database(
    grid: Grid, cutoff: int, level: int, threads: int, progress: bool | Progress | None = None
) -> dict[str, Array]:
    """Build what hcdps keeps: regions, their place on the map, and the paths between them."""
    cut = find_climbable(grid, cutoff)
    regions = len(cut.centres)
    refuse_many(f"cutoff {cutoff}", regions)
    made = link_regions(grid, cut, level, threads, progress)
    spans, bits = region_spans(cut.region, regions)
    return {"spans": spans, **made, "bits": np.array([made["bits"][0], bits], np.int64)}


def region_spans(region: Array, regions: int) -> tuple[Array, int]:
    """Return the regions of all cells as runs in the order of the scan, and the bits of a region's number.

    Walls belong to the span before them: no one asks for their region.
    """
    bits = max(1, (regions - 1).bit_length())
    count = dba_build.run_lengths(region, bits, np.zeros(0, np.int64), 0)
    spans = np.zeros(count, np.int64)
    dba_build.run_lengths(region, bits, spans, 0)
    return spans.astype(np.uint32 if region.size << bits <= 2**32 else np.uint64), bits


def verify_climbable(grid: Grid, made: Mapping[str, Array], cutoff: int) -> None:
    """Climb along every stored path, and between every cell and its seed; an error names the first that fails."""
    verify_paths(grid, made)
    table, width = grid.table, grid.width
    arrays = [made[name] for name in ("spans", "bits", "centres")]
    cell = hcdps_build.first_stray(table.walk, table.moves, table.geo, cutoff, *arrays)
    if cell >= 0:
        raise WaygridError(
            f"cell {(cell % width, cell // width)} and the seed of its region cannot be climbed between "
            f"in {cutoff} moves"
        )
