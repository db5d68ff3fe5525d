"""Scenarios: lists of problems with the optimum that the file claims."""

from __future__ import annotations

import math
from os import PathLike, fspath
from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.grid.topology import choose


class Scenario:
    """Starts, goals and claimed costs of a `.scen` file."""

    def __init__(
        self,
        starts: npt.NDArray[np.int32],
        goals: npt.NDArray[np.int32],
        costs: npt.NDArray[np.float64],
        sizes: npt.NDArray[np.int32] | None = None,
        name: str = "scenario",
        buckets: npt.NDArray[np.int32] | None = None,
        numbers: npt.NDArray[np.int64] | None = None,
        metric: str | None = None,
    ) -> None:
        self._metric = None if metric is None else choose("metric", metric, ("grid", "euclidean"))
        self.buckets = buckets  #: the bucket of each problem, if the file has them
        self.numbers = np.arange(len(starts)) if numbers is None else numbers  #: rows of the file
        self.starts = starts  #: (n, 2) cells
        self.goals = goals  #: (n, 2) cells
        self.costs = costs  #: the optima that the file claims
        self.sizes = sizes  #: width and height of the map, for each problem
        self.name = name

    @property
    def metric(self) -> str:
        """What its optima are: "grid", costs of moves, or "euclidean", lengths of straight legs.

        Files do not say so, but `metric=` may. A cost below that of the moves on an empty map can only be a length:
        some problem of every any-angle file of the competition has one.

        >>> ends = np.array([[0, 0]], np.int32), np.array([[3, 4]], np.int32)
        >>> Scenario(*ends, np.array([5.24264069])).metric, Scenario(*ends, np.array([5.0])).metric
        ('grid', 'euclidean')
        """
        if self._metric is not None:
            return self._metric
        apart = np.abs(self.starts.astype(np.float64) - self.goals)
        moves = apart.max(axis=1, initial=0) + (math.sqrt(2) - 1) * apart.min(axis=1, initial=np.inf)
        return "euclidean" if bool((self.costs < moves * (1 - 1e-5) - 1e-4).any()) else "grid"

    @classmethod
    def from_file(cls, path: str | PathLike[str], metric: str | None = None) -> Scenario:
        """Read a MovingAI scenario. metric: what its optima are, where the costs do not show it."""
        from waygrid.formats.movingai import read_scenario

        data = read_scenario(path)
        return cls(data.starts, data.goals, data.costs, data.sizes, fspath(path), data.buckets, metric=metric)

    def __repr__(self) -> str:
        return f"Scenario({self.name!r}, {len(self)} problems)"

    def __len__(self) -> int:
        return len(self.starts)

    def select(self, rows: slice | npt.NDArray[Any], costs: npt.NDArray[np.float64] | None = None) -> Scenario:
        """Return some of the problems; costs: of all problems, instead of those that the file states."""
        every = self.costs if costs is None else costs
        sizes, buckets = (None if some is None else some[rows] for some in (self.sizes, self.buckets))
        ends = self.starts[rows], self.goals[rows]
        return Scenario(
            *ends, every[rows], sizes, self.name, buckets, self.numbers[rows], self.metric if costs is None else None
        )

    def check(self, grid: Grid) -> None:
        """Refuse a scenario that was made for a map of another size."""
        if self.sizes is None or len(self) == 0:
            return
        other = (self.sizes != (grid.width, grid.height)).any(axis=1)
        if other.any():
            row = int(np.argmax(other))
            width, height = self.sizes[row]
            raise WaygridError(
                f"{self.name}: row {self.numbers[row]} is for a map of {width} x {height}, this one has "
                f"{grid.width} x {grid.height}"
            )


def has_scenario_rules(grid: Grid) -> bool:
    """Tell whether the grid has the rules under which scenario files state their optimum.

    >>> has_scenario_rules(Grid([[1]])), has_scenario_rules(Grid([[1]], corners="one"))
    (True, False)
    """
    rules = (grid.topology, grid.corners, grid.metric, grid.clearance)
    return rules == ("octile", "never", "octile", 1) and grid.weights is None and not grid.has_one_way
