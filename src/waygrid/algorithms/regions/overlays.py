"""What the studio shows of sectors, regions and stored paths."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from waygrid.algorithms.regions.hcdps_regions import find_climbable
from waygrid.algorithms.regions.sectors import find_sectors, sector_size
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.search.overlay import BLUE, ORANGE, RED, Layer, OverlayRequest, link_cells, place_cells, require_squares


def show_sectors(wanted: OverlayRequest) -> list[Layer]:
    """Return sectors, their regions, the cells that represent these, and which regions touch."""
    grid, sector = wanted.grid, wanted.options["sector"]
    require_squares(grid, "sectors")
    rows, columns = sector_size(sector)
    count = -(-grid.height // rows) * -(-grid.width // columns)
    if count > wanted.most_areas:
        raise WaygridError(
            f"sector {sector} makes {count} sectors of this map; the studio shows at most {wanted.most_areas}"
        )
    cut = find_sectors(grid, sector)
    wanted.check_time()
    sources = np.repeat(np.arange(len(cut.centres)), np.diff(cut.offsets))
    forth = sources < cut.neighbours
    links = link_cells(grid, cut.centres[sources[forth]], cut.centres[cut.neighbours[forth]])
    return [
        Layer("labels", cut.region, f"{len(cut.centres)} regions"),
        Layer("lines", _frame(grid, cut.plan), "sectors", "#57606a", 1.0),
        Layer("lines", links, "neighbours", BLUE, 1.0),
        Layer("points", place_cells(grid, cut.centres), "representatives", RED, 3.0),
    ]


def _frame(grid: Grid, plan: Array) -> Array:
    """Return the lines between sectors; cells reach half a unit around their centres."""
    rows, columns = int(plan[0]), int(plan[1])
    down = [(-0.5, y - 0.5, grid.width - 0.5, y - 0.5) for y in range(0, grid.height + rows, rows)]
    across = [(x - 0.5, -0.5, x - 0.5, grid.height - 0.5) for x in range(0, grid.width + columns, columns)]
    lines = np.array(down + across, np.float32)
    inside: Array = np.minimum(lines, np.array([grid.width, grid.height] * 2, np.float32) - 0.5)
    return inside


def show_stored_paths(wanted: OverlayRequest) -> list[Layer]:
    """Return the stored paths of a database as lines from subgoal to subgoal."""
    finder = wanted.find_finder()
    wanted.check_time()
    return _show_database(wanted.grid, finder.index)  # type: ignore[attr-defined]


def _show_database(grid: Grid, index: Mapping[str, Array]) -> list[Layer]:
    centres, targets, counts = (index[name].astype(np.int64) for name in ("centres", "targets", "counts"))
    subgoals = index["subgoals"].astype(np.int64)
    sizes: Array = np.diff(index["offsets"].astype(np.int64))
    sources = np.repeat(np.arange(len(centres)), sizes)
    # Each path is its source, its subgoals and its target, one after another in one list of cells.
    lengths = counts + 2
    ends = np.cumsum(lengths)
    points = np.empty(int(lengths.sum()), np.int64)
    inner = np.ones(len(points), np.bool_)
    points[ends - lengths], points[ends - 1] = centres[sources], centres[targets]
    inner[ends - lengths] = inner[ends - 1] = False
    points[inner] = subgoals
    last = np.zeros(len(points), np.bool_)
    last[ends - 1] = True
    legs = np.flatnonzero(~last)
    pairs = np.unique(np.sort(np.stack((points[legs], points[legs + 1]), axis=1), axis=1), axis=0)
    return [
        Layer("lines", link_cells(grid, pairs[:, 0], pairs[:, 1]), f"{len(targets)} stored paths", BLUE, 1.0),
        Layer("points", place_cells(grid, np.unique(subgoals)), f"{len(subgoals)} subgoals", ORANGE, 2.0),
        Layer("points", place_cells(grid, centres), f"{len(centres)} representatives", RED, 3.0),
    ]


def show_climbable(wanted: OverlayRequest) -> list[Layer]:
    """Return hill-climbable regions and their seeds."""
    grid = wanted.grid
    require_squares(grid, "hill-climbable regions")
    cut = find_climbable(grid, wanted.options["cutoff"])
    return [
        Layer("labels", cut.region, f"{len(cut.centres)} regions"),
        Layer("points", place_cells(grid, cut.centres), "seeds", RED, 3.0),
    ]
