"""HCDPS: hill-climbable regions, and the database of paths between their seeds (Lawrence and Bulitko)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from waygrid.errors import WaygridError
from waygrid.finders.base import _thread_count
from waygrid.finders.dba import TRIMS, Dba
from waygrid.finders.heuristics import heuristic
from waygrid.finders.path import Batch
from waygrid.finders.scratch import Shape
from waygrid.kernels import dba, dba_run, hcdps, layout
from waygrid.kernels._types import Array
from waygrid.structures.climbable import climbable_database, verify_climbable
from waygrid.structures.paths import verify_paths

_SPARE = 2**13  # cells of a path beyond those of the map


class Hcdps(Dba):
    """Climb to the goal, or to a region's seed and from seed to seed; no search at all."""

    kernel: ClassVar[Any] = staticmethod(hcdps.run)
    ARRAYS: ClassVar[Any] = hcdps.Climbable._fields[:-1]

    def configure(self) -> None:
        self._heuristic = heuristic(None, self.grid, 1.0)  # of the A* that would step in if a path did not fit
        for name, least, most in (("level", 1, 4), ("cutoff", 1, 2**31 - 1)):
            value = self.options[name]
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
                raise WaygridError(f"{name} is {value!r}; allowed are the integers from {least} to {most}")
        trim = self.options["trim"]
        if not isinstance(trim, (bool, str)) or trim not in TRIMS:
            raise WaygridError(f"trim is {trim!r}; allowed are True, False and 'paper'")
        self._policy[layout.VARIANT] = TRIMS[trim]

    def build(self) -> dict[str, Array]:
        level, cutoff = int(self.options["level"]), int(self.options["cutoff"])
        made = climbable_database(self.grid, cutoff, level, _thread_count(self.plan.threads))
        verify_paths(self.grid, made)
        return made

    def verify(self) -> None:
        """Climb along every stored path, and from every cell to its seed and back; an error names the first that fails.

        >>> import waygrid as wg
        >>> wg.make_finder("hcdps", wg.generate("rooms", width=60, height=40, seed=1)).verify()
        """
        self._check_version()
        verify_climbable(self.grid, self.index, int(self.options["cutoff"]))

    def room(self) -> tuple[int, int, int, int]:
        """Return the room for the cells of a path, and in a query's notes for a way, points and stops."""
        index, grid = self.index, self.grid
        cells = int(np.count_nonzero(grid.table.walk))
        # On a small map a path over the seeds may have more moves than there are cells.
        longest = cells + min(cells, _SPARE) + 2
        most = np.zeros(len(index["centres"]), np.int64)  # subgoals of a region's longest path
        sources = np.repeat(np.arange(len(most)), np.diff(index["offsets"]))
        np.maximum.at(most, sources, index["counts"])
        points = int(most.sum()) + len(most) + 4
        stops = points + longest // dba_run.EVERY + 1
        return longest, 4 * (grid.width + grid.height) + 2, stops, stops

    def shape(self) -> Shape:
        longest, *parts = self.room()
        return super(Dba, self).shape()._replace(listed=longest, notes=dba.notes_size(0, *parts))

    def extra(self, moves: Array) -> Any:
        arrays = {name: self.index[name] for name in self.ARRAYS}
        return hcdps.Climbable(**arrays, room=np.array(self.room()[1:], np.int64))

    def fallbacks(self, batch: Batch) -> int:
        """Return how many answers of a batch were searched for by A*, because the path did not fit; none, as a rule."""
        return int(np.count_nonzero(batch.rows[:, layout.ROW_PEAK]))

    def subgoals(self) -> dict[str, Any]:
        """Return how large the database is, and how much of the map's size its index of regions takes."""
        share = self.index["spans"].nbytes / (self.grid.width * self.grid.height)  # the map: a byte per cell
        return super().subgoals() | {"spans": len(self.index["spans"]), "map_share": share}
