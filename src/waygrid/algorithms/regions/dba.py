"""DBA*: a database of paths between neighbouring regions (Lee and Lawrence)."""

from __future__ import annotations

from typing import Any

import numpy as np

from waygrid.algorithms.classic.best_first import AStar
from waygrid.algorithms.regions import dba_agent
from waygrid.algorithms.regions import dba_database as dba
from waygrid.algorithms.regions import dba_query as dba_run
from waygrid.algorithms.regions.checks import require_next_hops, require_paths, require_sectors
from waygrid.algorithms.regions.stored_paths import path_database, smallest_kind, verify_paths
from waygrid.build.checks import require_array
from waygrid.build.indexed import IndexedFinder
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.search.cells import count_threads
from waygrid.search.heuristics import heuristic
from waygrid.search.realtime import pool_shape
from waygrid.search.scratch import Scratch, Shape

NOTHING = np.dtype([("cell", "<i4")])  # what an agent remembers of cells
FEW = 64  # records of a store that nobody uses
TRIMS = {False: dba_run.PLAIN, "paper": dba_run.PAPER, True: dba_run.SMOOTH}


class PathDatabase(IndexedFinder, AStar):
    """What dba and hcdps share: stored paths between regions, trimmed as asked, walked by climbing; else A*."""

    optimal = False

    def _configure(self) -> None:
        self._heuristic = heuristic(None, self.grid, 1.0)
        self._policy[layout.TRIM] = TRIMS[self.options["trim"]]

    @property
    def _sector_cells(self) -> int:
        """Cells that a search for the region of a cell may meet."""
        return 0

    @property
    def _longest(self) -> int:
        """Cells of the longest path there is room for; a longer walk is given up for a search."""
        return int(np.count_nonzero(self.grid.table.walk)) + 2

    def _room(self) -> tuple[int, int, int]:
        """Return the room in a query's notes for a way, points and stops."""
        index, grid = self.index, self.grid
        most = np.zeros(len(index["centres"]), np.int64)  # subgoals of a region's longest path
        sources = np.repeat(np.arange(len(most)), np.diff(index["offsets"]))
        np.maximum.at(most, sources, index["counts"])
        points = int(most.sum()) + len(most) + 2 * self._sector_cells + 4
        stops = points + self._longest // dba_run.EVERY + 1
        return max(self._sector_cells, 4 * (grid.width + grid.height)) + 2, stops, stops

    def _shape(self) -> Shape:
        notes = dba.notes_size(self._sector_cells, *self._room())
        return self._bucket_shape()._replace(listed=self._longest, notes=notes)

    def _agent_records(self) -> int:
        return 0

    def _so_far(self, scratch: Scratch, ctl: Array) -> Array:
        if ctl[dba_run.STAGE] != dba_run.WALKING:
            return super()._so_far(scratch, ctl)
        assert scratch.spare is not None
        ctl[layout.LISTED] = ctl[layout.EXPANDED] + 1
        way: Array = scratch.spare.copy()
        return way

    def _record_bytes(self) -> tuple[int, int]:
        return super()._record_bytes()[0], 0

    def subgoals(self) -> dict[str, Any]:
        """Return how large the database is: regions, paths, subgoals and runs of the table of next hops."""
        names = {"regions": "centres", "paths": "targets", "subgoals": "subgoals", "runs": "runs"}
        return {name: len(self.index[array]) for name, array in names.items()}


class Dba(PathDatabase):
    """Climb from subgoal to subgoal, from region to region; A* within one."""

    _kernel = staticmethod(dba_run.run)
    _step_kernel = staticmethod(dba_agent.step)
    _ARRAYS = dba.Database._fields[:-1]

    def _build(self) -> dict[str, Array]:
        level, threads = self.options["level"], count_threads(self._plan.threads)
        made = path_database(self.grid, self.options["sector"], level, threads, self._plan.progress)
        verify_paths(self.grid, made)
        return made

    def _check_index(self) -> None:
        index = self.index
        components = require_sectors(self.grid, index, self.options["sector"])
        require_array(index, "bits", np.int64, (1,))
        require_paths(self.grid, index, components)
        require_next_hops(index, smallest_kind(len(components)), components)

    def verify(self) -> None:
        """Climb along every stored path once more; an error names the first that cannot be followed.

        >>> import waygrid as wg
        >>> wg.make_finder("dba", wg.generate("rooms", width=60, height=40, seed=1)).verify()
        """
        self._check_version()
        verify_paths(self.grid, self.index)

    @property
    def _sector_cells(self) -> int:
        return int(self.index["plan"][0] * self.index["plan"][1])

    def _index_arrays_for(self, moves: Array) -> dba.Database:
        arrays = {name: self.index[name] for name in self._ARRAYS}
        return dba.Database(**arrays, room=np.array(self._room(), np.int64))

    def _agent_shape(self) -> Shape:
        """An agent keeps a few numbers; the pool has room for one search within a sector."""
        return pool_shape(NOTHING, FEW, dba_agent.notes_size(self._sector_cells))
