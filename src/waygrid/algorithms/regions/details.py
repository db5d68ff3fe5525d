"""What the studio shows of stored paths where a search stands."""

from __future__ import annotations

from typing import Any

import numpy as np

from waygrid.algorithms.regions.dba_database import next_hop
from waygrid.algorithms.regions.hcdps_regions import find_climbable
from waygrid.algorithms.regions.sectors import find_sectors
from waygrid.core.types import Array
from waygrid.search.overlay import BLUE, ORANGE, RED, DetailRequest, Layer, link_cells, place_cells


def show_sector_records(wanted: DetailRequest) -> list[Layer]:
    """Return the stored paths that a query of DBA* joins."""
    finder = wanted.finder
    return _show_records(wanted, find_sectors(finder.grid, finder.options["sector"]).region)


def show_climbable_records(wanted: DetailRequest) -> list[Layer]:
    """Return the stored paths that a query of HCDPS joins."""
    finder = wanted.finder
    return _show_records(wanted, find_climbable(finder.grid, finder.options["cutoff"]).region)


def _show_records(wanted: DetailRequest, region: Array) -> list[Layer]:
    """Follow the table of next hops from the start's region to that of the goal."""
    finder: Any = wanted.finder
    grid, base = finder.grid, finder._index_arrays
    here, goal = (int(region[y * grid.width + x]) for x, y in (wanted.start, wanted.goal))
    if min(here, goal) < 0:
        return [Layer("points", np.zeros((0, 2), np.float32), "walls belong to no region", BLUE)]
    regions, points, subgoals = [here], [int(base.centres[here])], []
    while here != goal:
        path = next_hop(base, here, goal)
        if path < 0 or len(regions) > len(base.centres):
            break
        first = int(base.sub_first[here]) + int(base.counts[int(base.offsets[here]) : path].sum())
        own = base.subgoals[first : first + int(base.counts[path])].astype(np.int64).tolist()
        here = int(base.targets[path])
        regions.append(here)
        subgoals += own
        points += [*own, int(base.centres[here])]
    if len(regions) == 1:
        return [Layer("points", np.zeros((0, 2), np.float32), "start and goal are in one region", BLUE)]
    ways = np.array(points)
    centres = base.centres[np.array(regions)].astype(np.int64)
    return [
        Layer(
            "lines",
            link_cells(grid, ways[:-1], ways[1:]),
            f"stored paths that are joined: {len(regions) - 1}",
            BLUE,
            2.0,
        ),
        Layer(
            "points", place_cells(grid, np.array(subgoals, np.int64)), f"their subgoals: {len(subgoals)}", ORANGE, 3.0
        ),
        Layer("points", place_cells(grid, centres), f"representatives of the regions: {len(regions)}", RED, 4.0),
    ]
