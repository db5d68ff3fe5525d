"""The problems that candidates are measured on, in a random order, their optima found when they are needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.measure.problems import Problems, check_cells, dijkstra_costs, pick, random_ends, with_room
from waygrid.measure.scenario import Scenario


class ProblemSource:
    """A sample of a scenario's rows, or of random pairs in the largest connected component of the map.

    Problems without a path, and those that start at their goal, are left out: they say nothing about quality.

    >>> import waygrid as wg
    >>> problems = ProblemSource(wg.Grid([[1, 1, 1, 0, 1]]), None, 50, seed=1)
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

    def first(self, count: int) -> Problems:
        """Return the first so many, or all there are."""
        count = min(count, len(self))
        known = len(self._costs)
        if count > known:
            more = dijkstra_costs(self._grid, self._starts[known:count], self._goals[known:count])
            self._costs = np.concatenate((self._costs, more))
        good = np.isfinite(self._costs[:count])  # a goal may be out of reach behind one-way tiles
        rows = np.flatnonzero(good)
        return Problems(self._starts[rows], self._goals[rows], self._costs[rows], rows, "dijkstra")
