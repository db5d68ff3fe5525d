"""The problems that candidates are measured on, in a random order, their optima found when they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.measure.problems import check_cells, dijkstra_costs, pick, random_ends, with_room
from waygrid.measure.scenario import Scenario


@dataclass(frozen=True)
class Asked:
    """Some problems and their optimal costs."""

    starts: npt.NDArray[np.int32]
    goals: npt.NDArray[np.int32]
    optima: npt.NDArray[np.float64]

    def part(self, first: int, last: int) -> Asked:
        """Return the problems first to last - 1."""
        return Asked(self.starts[first:last], self.goals[first:last], self.optima[first:last])

    def __len__(self) -> int:
        return len(self.starts)


class Problems:
    """A sample of a scenario's rows, or of random pairs in the largest part of the map.

    Problems without a path, and those that start at their goal, are left out: they tell nothing about quality.

    >>> import waygrid as wg
    >>> problems = Problems(wg.Grid([[1, 1, 1, 0, 1]]), None, 50, seed=1)
    >>> float(problems.first(33).optima.max()), problems.words
    (2.0, '33 random problems, seed 1')
    """

    def __init__(self, grid: Grid, scenario: Scenario | None, count: int, seed: int) -> None:
        self._grid = grid
        if scenario is None:
            starts, goals = random_ends(grid, count, seed)
        else:
            fitting = with_room(scenario, grid)
            check_cells(fitting, grid)
            spread = pick(fitting, count)  # over all lengths, then shuffled: any first few are a fair sample
            chance = np.random.Generator(np.random.PCG64(seed)).random(len(spread))
            chosen = spread[np.argsort(chance, kind="stable")]
            starts, goals = fitting.starts[chosen], fitting.goals[chosen]
        labels = grid.components
        joined = labels[starts[:, 1], starts[:, 0]] == labels[goals[:, 1], goals[:, 0]]
        kept = joined & (starts != goals).any(axis=1)
        if not kept.any():
            raise WaygridError("there is no problem to measure: no two cells of the map are joined")
        self._starts, self._goals = starts[kept], goals[kept]
        self._costs = np.zeros(0)
        self.words = (
            f"{len(self._starts)} random problems, seed {seed}"
            if scenario is None
            else f"{len(self._starts)} problems of {Path(scenario.name).name}"
        )

    def __len__(self) -> int:
        return len(self._starts)

    def first(self, count: int) -> Asked:
        """Return the first so many, or all there are."""
        count = min(count, len(self))
        known = len(self._costs)
        if count > known:
            more = dijkstra_costs(self._grid, self._starts[known:count], self._goals[known:count])
            self._costs = np.concatenate((self._costs, more))
        good = np.isfinite(self._costs[:count])  # a goal may be out of reach behind one-way tiles
        return Asked(self._starts[:count][good], self._goals[:count][good], self._costs[:count][good])
