"""Problems: queries with the optimum of each; all or some of a scenario, or random ones where there is none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.make import make_finder
from waygrid.errors import WaygridError, show
from waygrid.grid.grid import Grid
from waygrid.measure.scenario import Scenario
from waygrid.measure.timing import Progress, spread_rows, time_call, wall_clock
from waygrid.search.registry import algorithms

_CHUNK_S = 0.5  # between two reports of progress
_CHUNK = 64  # queries between two reports of progress, until their speed is known


@dataclass(frozen=True)
class Problems:
    """Queries and the cheapest cost of each."""

    starts: npt.NDArray[np.int32]
    goals: npt.NDArray[np.int32]
    optima: npt.NDArray[np.float64]
    numbers: npt.NDArray[np.int64]  #: of each in its scenario
    source: str  #: where the optima come from: scenario, an algorithm, or for straight legs the air line

    def __len__(self) -> int:
        return len(self.starts)

    def spread(self, count: int) -> Problems:
        """Return so many of the problems, evenly spread."""
        return self.part(spread_rows(len(self), count))

    def part(self, rows: slice | npt.NDArray[Any]) -> Problems:
        """Return some of the problems."""
        return Problems(self.starts[rows], self.goals[rows], self.optima[rows], self.numbers[rows], self.source)


def pick(scenario: Scenario, limit: int | None) -> npt.NDArray[np.int64]:
    """Return the numbers of at most `limit` rows, evenly spread: scenarios are sorted by length of path.

    >>> rows = np.zeros((10, 2), np.int32)
    >>> pick(Scenario(rows, rows, np.zeros(10)), 4).tolist()
    [0, 3, 6, 9]
    """
    count = len(scenario)
    limit = check_limit(limit, count)
    if limit == count:
        return np.arange(count)
    return np.linspace(0, count - 1, limit).round().astype(np.int64)


def check_limit(limit: int | None, count: int) -> int:
    """Return how many of so many problems a limit leaves."""
    if limit is not None and (not isinstance(limit, int) or limit < 1):
        raise WaygridError(f"limit is {show(limit)}; allowed are the integers from 1, or None for every row")
    return count if limit is None else min(limit, count)


def check_cells(scenario: Scenario, grid: Grid) -> None:
    """Refuse a scenario of another map: one of another size, or with a start or goal where nobody can stand."""
    scenario.check(grid)
    labels = grid.components
    for what, cells in (("start", scenario.starts), ("goal", scenario.goals)):
        x, y = cells[:, 0], cells[:, 1]
        bad = (x < 0) | (x >= grid.width) | (y < 0) | (y >= grid.height)
        bad |= labels[np.where(bad, 0, y), np.where(bad, 0, x)] < 0
        if bad.any():
            row = int(np.argmax(bad))
            raise grid.cell_error(f"{scenario.name}: row {scenario.numbers[row]}: {what}", int(x[row]), int(y[row]))


def with_room(scenario: Scenario, grid: Grid) -> Scenario:
    """Leave out problems whose start or goal has no room for the agent: scenarios are made for single cells."""
    scenario.check(grid)
    room = np.ones(len(scenario), np.bool_)
    for cells in (scenario.starts, scenario.goals):
        x, y = np.clip(cells[:, 0], 0, grid.width - 1), np.clip(cells[:, 1], 0, grid.height - 1)
        room &= ~grid.passable[y, x] | (grid.components[y, x] >= 0)  # walls stay, to be refused
    return scenario.select(room)


def random_problems(grid: Grid, count: int, *, seed: int = 0, progress: Progress | None = None) -> Scenario:
    """Return problems between random cells of the largest connected component, with the optimum that dijkstra finds.

    >>> problems = random_problems(Grid([[1, 1, 0, 1]]), 3)
    >>> len(problems), set(problems.starts[:, 0].tolist()) <= {0, 1}
    (3, True)
    """
    starts, goals = random_ends(grid, count, seed)
    costs = dijkstra_costs(grid, starts, goals, progress)
    return Scenario(starts, goals, costs, name=f"{count} random problems, seed {seed}")


def random_ends(grid: Grid, count: int, seed: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return starts and goals, random cells of the largest connected component."""
    labels = grid.components
    if not (labels >= 0).any():
        raise WaygridError("the map has no passable cell, so there is nothing to search")
    sizes = np.bincount(labels[labels >= 0])
    rows, columns = np.nonzero(labels == sizes.argmax())
    # Only `random` is promised to give the same numbers for ever.
    chance = np.random.Generator(np.random.PCG64(seed)).random((2, count))
    starts, goals = (
        np.stack((columns[numbers], rows[numbers]), axis=1).astype(np.int32)
        for numbers in (chance * rows.size).astype(np.int64)
    )
    return starts, goals


def dijkstra_costs(
    grid: Grid, starts: npt.NDArray[np.int32], goals: npt.NDArray[np.int32], progress: Progress | None = None
) -> npt.NDArray[np.float64]:
    """Return the optimal costs, inf where there is no path."""
    finder = make_finder("dijkstra", grid)
    costs = np.zeros(len(starts))
    first, size = 0, _CHUNK
    while first < len(starts):
        part = slice(first, first + size)
        ask = partial(finder.find_many, starts[part], goals[part], paths=False)
        seconds, batch = time_call(ask, wall_clock)
        costs[part] = batch.costs
        first += size
        size = max(1, min(2 * size, int(size * 4 * _CHUNK_S / max(seconds, 1e-6))))
        if progress is not None:
            progress(min(1.0, first / len(starts)), "dijkstra")
    return costs


def euclidean_costs(
    grid: Grid, starts: npt.NDArray[np.int32], goals: npt.NDArray[np.int32], progress: Progress | None = None
) -> tuple[npt.NDArray[np.float64], str]:
    """Return the lengths that straight legs cannot go below, inf where there is no path, and where they come from.

    Of the exact algorithm for points that may touch walls, where there is one for the grid; else the air lines.

    >>> cells = np.array([[0, 0]], np.int32), np.array([[2, 0]], np.int32)
    >>> euclidean_costs(Grid([[1, 1, 1]]), *cells)[0].tolist()
    [2.0]
    """
    for name, info in algorithms().items():
        if info.model == "corners" and info.optimal and not info.index:
            try:
                finder = make_finder(name, grid)
            except WaygridError:
                continue
            return finder.find_many(starts, goals, paths=False).costs, name
    reached = np.isfinite(dijkstra_costs(grid, starts, goals, progress))
    return np.where(reached, np.hypot(*(goals - starts).astype(np.float64).T) * grid.scale, np.inf), "air line"
