"""The paths that a paper's searches found, put to the one check."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from waygrid.grid.grid import Grid
from waygrid.measure.check import check_paths
from waygrid.measure.timing import QueryTimes


def check_answers(
    grid: Grid,
    optima: npt.NDArray[np.float64],
    times: QueryTimes,
    *,
    optimal: bool,
    walled: dict[int, Grid] | None = None,
) -> tuple[int, str]:
    """Return how many answers are wrong, and what is wrong with the first of them.

    optima: of all queries, in their order. Obstacles of queries are walls to their paths; `walled` keeps the grids with
    these walls for the next finder.
    """
    walled = {} if walled is None else walled
    wrong, example, done = 0, "", 0
    for queries, batch in times.answers:
        there = grid
        if queries.blocked is not None:
            if id(queries.blocked) not in walled:
                walled[id(queries.blocked)] = _add_walls(grid, queries.blocked)
            there = walled[id(queries.blocked)]
        part = optima[done : done + len(batch)]
        checked = check_paths(there, queries.starts, queries.goals, batch, part, optimal=optimal)
        if checked.first is not None:
            ends = (tuple(cells[checked.first].tolist()) for cells in (queries.starts, queries.goals))
            example = example or f"{' to '.join(map(str, ends))}: {checked.fault}"
        wrong, done = wrong + checked.wrong, done + len(batch)
    return wrong, example


def _add_walls(grid: Grid, walls: npt.NDArray[np.bool_]) -> Grid:
    return Grid(grid.passable & ~walls, topology=grid.topology, corners=grid.corners, metric=grid.metric)
