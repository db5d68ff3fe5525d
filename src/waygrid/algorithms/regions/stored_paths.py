"""A database of paths between regions: subgoals that hill climbing can follow, and which region comes next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from waygrid.algorithms.regions import dba_build
from waygrid.algorithms.regions.climb import ENDLESS
from waygrid.algorithms.regions.sectors import find_sectors, sector_size
from waygrid.build.progress_bar import Progress
from waygrid.build.steps import Steps
from waygrid.core import layout as at
from waygrid.core.types import Array
from waygrid.errors import WaygridError, show
from waygrid.grid.grid import Grid

_ROWS = 64  # of the table of next hops that a thread makes at a time
# Of DBA* on maps of 512 x 512 cells and two cores; a slower machine takes a few times as long.
_HOPS_PER_S = 1.2e7  # pairs of regions in the table of next hops
_PATH_CELLS_PER_S = 2e6  # cells between the ends of stored paths
_MOST_REGIONS = 2**15  # a table of next hops takes time and, at worst, memory by their square


class Regions(Protocol):
    """What paths are stored between: regions with a cell that represents each, and which of them touch."""

    @property
    def centres(self) -> Array:
        """For each region the cell that represents it."""

    @property
    def offsets(self) -> Array:
        """For each region its first neighbour; one more at the end."""

    @property
    def neighbours(self) -> Array:
        """Regions that a legal move leads to."""


def path_database(
    grid: Grid, sector: Any, level: int, threads: int, progress: bool | Progress | None = None
) -> dict[str, Array]:
    """Build what dba keeps (section 4.2): the regions of sectors, and the paths between them."""
    cut = find_sectors(grid, sector)
    refuse_many(f"sector {show(sector)}", len(cut.centres))
    first = cut.first.astype(smallest_kind(len(cut.centres)))
    return {"plan": cut.plan, "first": first, **link_regions(grid, cut, level, threads, progress)}


def estimate_build(grid: Grid, options: Mapping[str, Any]) -> tuple[float, str, str]:
    """Return the seconds that a database of DBA* takes to build, what takes so long, and what would take less.

    >>> import numpy as np
    >>> seconds, why, _ = estimate_build(Grid(np.ones((60, 60))), {"sector": 1, "level": 16})
    >>> round(seconds), why
    (32, 'dba with sector 1 and level 16 makes 3600 regions')
    """
    sector, level = options["sector"], options["level"]
    regions = len(find_sectors(grid, sector).centres)
    paths = regions * min((2 * level + 1) ** 2, regions)
    seconds = regions**2 / _HOPS_PER_S + paths * level * min(max(sector_size(sector)), 64) / _PATH_CELLS_PER_S
    why = f"dba with sector {sector} and level {level} makes {regions} regions"
    return seconds, why, "larger sectors, a lower level or a smaller map"


def refuse_many(what: str, regions: int) -> None:
    """Raise an error where a map has more regions than a table of next hops can be made for."""
    if regions > _MOST_REGIONS:
        raise WaygridError(f"{what} makes {regions} regions of this map, at most {_MOST_REGIONS} are allowed")


def link_regions(
    grid: Grid, cut: Regions, level: int, threads: int, progress: bool | Progress | None = None
) -> dict[str, Array]:
    """Store the paths to all regions at most `level` hops away, and which comes next on the way to every other.

    Progress is that of the last part, which takes nearly all of the time where there are many regions.
    """
    from waygrid.algorithms.make import make_finder

    regions, table = len(cut.centres), grid.table
    starts = np.zeros(regions + 1, np.int64)
    count = dba_build.level_sets(cut.offsets, cut.neighbours, level, starts, np.zeros(0, np.int32))
    targets = np.zeros(count, np.int32)
    dba_build.level_sets(cut.offsets, cut.neighbours, level, starts, targets)
    sources = np.repeat(np.arange(regions), np.diff(starts))
    places = np.stack((cut.centres % grid.width, cut.centres // grid.width), axis=1)
    paths = make_finder("astar", grid).find_many(places[sources], places[targets], threads)
    assert paths.cells is not None
    counts, subgoals = np.zeros(count, np.int64), np.zeros(len(paths.cells) + 1, np.int64)
    total = dba_build.compress_paths(table.moves, table.geo, paths.cells, paths.offsets, ENDLESS, counts, subgoals)
    if count and counts.max() > 255:
        raise WaygridError(f"a path between regions has {counts.max()} subgoals; 255 is the most that is kept")
    first = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    order, rows, runs, bits = _next_hops(cut, starts, targets, _costs(grid, paths.rows), threads, progress)
    return {
        "centres": cut.centres,
        "offsets": starts.astype(np.uint32),
        "targets": targets.astype(smallest_kind(regions)),
        "counts": counts.astype(np.uint8),
        "sub_first": first[starts[:-1]].astype(np.uint32),
        "subgoals": subgoals[:total].astype(np.int32),
        "places": order.astype(smallest_kind(regions)),
        "row_first": rows.astype(np.uint32),
        "runs": runs.astype(np.uint16 if regions << bits <= 2**16 else np.uint32),
        "bits": np.array([bits], np.int64),
    }


def smallest_kind(regions: int) -> type[np.unsignedinteger[Any]]:
    """Return the type that holds the number of a region."""
    return np.uint16 if regions < 2**16 else np.uint32


def verify_paths(grid: Grid, made: Mapping[str, Array]) -> None:
    """Climb along every stored path; an error names the first that cannot be followed."""
    table = grid.table
    arrays = [made[name] for name in ("centres", "offsets", "targets", "counts", "subgoals")]
    path = dba_build.first_broken(table.moves, table.geo, *arrays)
    if path >= 0:
        source = int(np.searchsorted(made["offsets"], path, side="right")) - 1
        raise WaygridError(f"the stored path from region {source} to {made['targets'][path]} cannot be climbed")


def _costs(grid: Grid, rows: Array) -> Array:
    """Return the costs of paths in the metric's integers."""
    geo = grid.table.geo
    return np.asarray(rows[:, at.ROW_STRAIGHT] * geo[at.CARDINAL] + rows[:, at.ROW_DIAGONAL] * geo[at.DIAGONAL])


def _next_hops(
    cut: Regions, starts: Array, targets: Array, costs: Array, threads: int, progress: bool | Progress | None
) -> tuple[Array, Array, Array, int]:
    """Return the regions' places in the rows, where each row begins, the runs of all rows, and the bits of a label."""
    regions = len(cut.centres)
    places = np.zeros(regions, np.int64)
    dba_build.depth_first(cut.offsets, cut.neighbours, places)
    bits = int(np.diff(starts).max(initial=1)).bit_length()

    def part(begin: int) -> tuple[Array, Array]:
        end = min(begin + _ROWS, regions)
        counts, runs = np.zeros(end - begin, np.int64), np.empty((end - begin) * regions, np.int32)
        used = dba_build.next_hops(starts, targets, costs, places, begin, end, bits, counts, runs)
        steps.add(end - begin)
        return counts, runs[:used].copy()

    with Steps(progress, regions) as steps:
        parts = steps.share(part, ((begin,) for begin in range(0, regions, _ROWS)), threads)
    counts = np.concatenate([np.zeros(1, np.int64), *(part[0] for part in parts)])
    return places, np.cumsum(counts), np.concatenate([np.zeros(0, np.int32), *(part[1] for part in parts)]), bits
