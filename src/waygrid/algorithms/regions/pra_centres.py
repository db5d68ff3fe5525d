"""Better centres for regions, found by trying (Sturtevant 2007): less search between the centres of neighbours."""

from __future__ import annotations

import numpy as np

from waygrid.algorithms.regions.sectors import Sectors
from waygrid.core.types import Array
from waygrid.grid.grid import Grid

_PASSES = 2
_TOLERATED = 1.5  # sides of a sector that a search may expand beyond its path


def optimised_centres(grid: Grid, cut: Sectors, threads: int) -> Array:
    """Return centres from and to which A* expands little more than the path itself.

    The error of a centre is the largest number, over all neighbours and both directions, of cells expanded beyond the
    path's own. Where that of the mean is too large, every cell of the region is tried. Two passes, since the neighbours
    move too.
    """
    from waygrid.algorithms.make import make_finder

    astar, width = make_finder("astar", grid), grid.width
    centres, tolerated = cut.centres.copy(), _TOLERATED * max(cut.plan[0], cut.plan[1])
    order = np.argsort(cut.region, kind="stable")
    begins = np.searchsorted(cut.region[order], np.arange(len(centres) + 1))

    def errors(cells: Array, others: Array) -> Array:
        """Return the error of every cell as a centre beside these neighbours."""
        one, other = np.repeat(cells, len(others)), np.tile(centres[others], len(cells))
        pairs = np.concatenate((one, other)), np.concatenate((other, one))
        starts, goals = (np.stack((each % width, each // width), axis=1) for each in pairs)
        batch = astar.find_many(starts, goals, threads, paths=False)
        beyond = batch.expanded - batch.lengths
        return np.asarray(beyond.reshape(2, len(cells), len(others)).max(axis=(0, 2)))

    for _ in range(_PASSES):
        for region in range(len(centres)):
            others = cut.neighbours[cut.offsets[region] : cut.offsets[region + 1]]
            mean = cut.centres[region : region + 1]
            centres[region] = mean[0]
            if len(others) and errors(mean, others)[0] > tolerated:
                cells = order[begins[region] : begins[region + 1]]
                centres[region] = cells[int(np.argmin(errors(cells, others)))]
    return centres
