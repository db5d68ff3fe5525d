"""Builds and overlays that cannot be ended midway: how long they will take, asked before they begin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.studio.limits import StudioLimits

# Of DBA* on maps of 512 x 512 cells and two cores; a slower machine takes a few times as long.
_HOPS_PER_S = 1.2e7  # pairs of regions in the table of next hops
_PATH_CELLS_PER_S = 2e6  # cells between the ends of stored paths


def refuse_long_build(algorithm: Any, grid: Grid, options: Mapping[str, Any], limits: StudioLimits) -> None:
    """Refuse a database of paths that would take longer than the studio allows; other builds are stopped when late.

    >>> import numpy as np
    >>> grid = Grid(np.ones((60, 60)))
    >>> refuse_long_build("dba", grid, {"sector": 1, "level": 16}, StudioLimits(build_s=0.5))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    waygrid.errors.WaygridError: dba with sector 1 and level 16 makes 3600 regions and takes about 32 s to build; ...
    """
    from waygrid.algorithms.regions.sectors import find_sectors, sector_size
    from waygrid.search.registry import algorithms

    if algorithm != "dba" or grid.topology not in algorithms()["dba"].topologies:
        return
    declared = algorithms()["dba"].options
    sector, level = (options.get(name, declared[name].default) for name in ("sector", "level"))
    rows, columns = sector_size(sector)
    if type(level) is not int:
        return  # the algorithm itself refuses it
    regions = len(find_sectors(grid, sector).centres)
    paths = regions * min((2 * level + 1) ** 2, regions)
    seconds = regions**2 / _HOPS_PER_S + paths * level * min(max(rows, columns), 64) / _PATH_CELLS_PER_S
    if seconds > limits.build_s:
        raise WaygridError(
            f"dba with sector {sector} and level {level} makes {regions} regions and takes about {seconds:.0f} s to "
            f"build; the studio allows {limits.build_s:g} s: take larger sectors, a lower level or a smaller map"
        )


def refuse_many_sectors(grid: Grid, sector: Any, limits: StudioLimits) -> None:
    """Refuse to show more sectors than anyone could tell apart.

    >>> import numpy as np
    >>> refuse_many_sectors(Grid(np.ones((400, 300))), 1, StudioLimits())
    Traceback (most recent call last):
    waygrid.errors.WaygridError: sector 1 makes 120000 sectors of this map; the studio shows at most 100000
    """
    from waygrid.algorithms.regions.sectors import sector_size

    rows, columns = sector_size(sector)
    count = -(-grid.height // rows) * -(-grid.width // columns)
    if count > limits.sectors:
        raise WaygridError(
            f"sector {sector} makes {count} sectors of this map; the studio shows at most {limits.sectors}"
        )
