"""DBA*: a database of paths between neighbouring regions (Lee and Lawrence)."""

from __future__ import annotations

from typing import Any

import numpy as np

from waygrid.errors import WaygridError
from waygrid.finders.base import _thread_count
from waygrid.finders.bestfirst import AStar
from waygrid.finders.heuristics import heuristic
from waygrid.finders.indexed import IndexedFinder
from waygrid.finders.scratch import Scratch, Shape
from waygrid.kernels import agents, dba, dba_agent, dba_run, layout
from waygrid.kernels._types import Array
from waygrid.structures.paths import path_database, verify_paths
from waygrid.structures.sectors import sector_size

_NOTHING = np.dtype([("cell", "<i4")])  # what an agent remembers of cells
TRIMS = {False: dba_run.PLAIN, "paper": dba_run.PAPER, True: dba_run.SMOOTH}


class Dba(IndexedFinder, AStar):
    """Climb from subgoal to subgoal, from region to region; A* within one."""

    kernel = staticmethod(dba_run.run)
    step_kernel = staticmethod(dba_agent.step)
    ARRAYS = dba.Database._fields[:-1]
    optimal = False

    def configure(self) -> None:
        self._heuristic = heuristic(None, self.grid, 1.0)
        sector_size(self.options["sector"])
        level, trim = self.options["level"], self.options["trim"]
        if isinstance(level, bool) or not isinstance(level, (int, np.integer)) or not 1 <= level <= 16:
            raise WaygridError(f"level is {level!r}; allowed are the integers from 1 to 16")
        if not isinstance(trim, (bool, str)) or trim not in TRIMS:
            raise WaygridError(f"trim is {trim!r}; allowed are True, False and 'paper'")
        self._policy[layout.VARIANT] = TRIMS[trim]

    def build(self) -> dict[str, Array]:
        level, threads = int(self.options["level"]), _thread_count(self.plan.threads)
        made = path_database(self.grid, self.options["sector"], level, threads)
        verify_paths(self.grid, made)
        return made

    def verify(self) -> None:
        """Climb along every stored path once more; an error names the first that cannot be followed.

        >>> import waygrid as wg
        >>> wg.make_finder("dba", wg.generate("rooms", width=60, height=40, seed=1)).verify()
        """
        self._check_version()
        verify_paths(self.grid, self.index)

    def room(self) -> tuple[int, int, int, int]:
        """Return the room for the cells of a path, and in a query's notes for a way, points and stops."""
        index, grid = self.index, self.grid
        sector = int(index["plan"][0] * index["plan"][1])
        longest = int(np.count_nonzero(grid.table.walk)) + 2  # a longer walk is given up for a search
        most = np.zeros(len(index["centres"]), np.int64)  # subgoals of a region's longest path
        sources = np.repeat(np.arange(len(most)), np.diff(index["offsets"]))
        np.maximum.at(most, sources, index["counts"])
        points = int(most.sum()) + len(most) + 2 * sector + 4
        stops = points + longest // dba_run.EVERY + 1
        return longest, max(sector, 4 * (grid.width + grid.height)) + 2, max(points, stops), stops

    def shape(self) -> Shape:
        longest, *parts = self.room()
        sector = int(self.index["plan"][0] * self.index["plan"][1])
        return super().shape()._replace(listed=longest, notes=dba.notes_size(sector, *parts))

    def extra(self, moves: Array) -> dba.Database:
        arrays = {name: self.index[name] for name in self.ARRAYS}
        return dba.Database(**arrays, room=np.array(self.room()[1:], np.int64))

    def agent_shape(self) -> Shape:
        """An agent keeps a few numbers; the pool has room for one search within a sector."""
        sector = int(self.index["plan"][0] * self.index["plan"][1])
        notes = agents.NOTES - layout.CTL_SIZE + 2 * sector
        return Shape(1, False, 4096, 1, False, notes=notes, slots=64, slot=_NOTHING)

    def so_far(self, scratch: Scratch, ctl: Array) -> Array:
        if ctl[dba_run.STAGE] != dba_run.WALKING:
            return super().so_far(scratch, ctl)
        assert scratch.keys is not None
        ctl[layout.LISTED] = ctl[layout.EXPANDED] + 1
        way: Array = scratch.keys.copy()
        return way

    def record_bytes(self) -> tuple[int, int]:
        return super().record_bytes()[0], 0

    def estimate(self, start: Array, goal: Array) -> int:
        return self._heuristic.of(self._policy, self.grid, start, goal)

    def subgoals(self) -> dict[str, Any]:
        """Return how large the database is: regions, paths, subgoals and runs of the table of next hops."""
        index = self.index
        return {
            "regions": len(index["centres"]),
            "paths": len(index["targets"]),
            "subgoals": len(index["subgoals"]),
            "runs": len(index["runs"]),
        }
