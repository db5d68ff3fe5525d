"""HCDPS: hill-climbable regions, and the database of paths between their seeds (Lawrence and Bulitko)."""

from __future__ import annotations

from typing import Any

import numpy as np

from waygrid.algorithms.regions import hcdps_agent
from waygrid.algorithms.regions import hcdps_query as hcdps
from waygrid.algorithms.regions.checks import (
    require_cells,
    require_homes,
    require_next_hops,
    require_own_centres,
    require_paths,
    require_spans,
)
from waygrid.algorithms.regions.dba import FEW, NOTHING, PathDatabase
from waygrid.algorithms.regions.hcdps_regions import climbable_database, verify_climbable
from waygrid.algorithms.regions.stored_paths import smallest_kind, verify_paths
from waygrid.build.checks import require_array
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.search.cells import count_threads
from waygrid.search.path import Batch
from waygrid.search.realtime import pool_shape
from waygrid.search.scratch import Shape

_SPARE = 2**13  # cells of a path beyond those of the map


class Hcdps(PathDatabase):
    """Climb to the goal, or to a region's seed and from seed to seed; no search at all."""

    _kernel = staticmethod(hcdps.run)
    _step_kernel = staticmethod(hcdps_agent.step)
    _ARRAYS = hcdps.Climbable._fields[:-1]

    def _build(self) -> dict[str, Array]:
        level, cutoff = self.options["level"], self.options["cutoff"]
        made = climbable_database(self.grid, cutoff, level, count_threads(self._plan.threads), self._plan.progress)
        verify_paths(self.grid, made)
        return made

    def _check_index(self) -> None:
        index, grid = self.index, self.grid
        centres = require_array(index, "centres", np.int32, (None,))
        region = require_spans(grid, index, len(centres))
        components = require_cells(grid, centres, "array 'centres'")
        require_own_centres(centres, region, len(centres))
        require_homes(grid, region, components)
        require_paths(grid, index, components)
        require_next_hops(index, smallest_kind(len(centres)), components)

    def verify(self) -> None:
        """Climb along every stored path, and from every cell to its seed and back; an error names the first that fails.

        >>> import waygrid as wg
        >>> wg.make_finder("hcdps", wg.generate("rooms", width=60, height=40, seed=1)).verify()
        """
        self._check_version()
        verify_climbable(self.grid, self.index, self.options["cutoff"])

    @property
    def _longest(self) -> int:
        # On a small map a path over the seeds may have more moves than there are cells.
        cells = int(np.count_nonzero(self.grid.table.walk))
        return cells + min(cells, _SPARE) + 2

    def _index_arrays_for(self, moves: Array) -> hcdps.Climbable:
        arrays = {name: self.index[name] for name in self._ARRAYS}
        return hcdps.Climbable(**arrays, room=np.array(self._room(), np.int64))

    def _agent_shape(self) -> Shape:
        """An agent keeps a few numbers."""
        return pool_shape(NOTHING, FEW, hcdps_agent.NOTES_SIZE)

    def fallbacks(self, batch: Batch) -> int:
        """Return how many answers of a batch were searched for by A*, because the path did not fit; none, as a rule."""
        return int(np.count_nonzero(batch.rows[:, layout.ROW_PEAK]))

    def subgoals(self) -> dict[str, Any]:
        """Return how large the database is, and how much of the map's size its index of regions takes."""
        share = self.index["spans"].nbytes / (self.grid.width * self.grid.height)  # the map: a byte per cell
        return super().subgoals() | {"spans": len(self.index["spans"]), "map_share": share}
