"""The trace of a search as a file or a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from waygrid.errors import WaygridError

if TYPE_CHECKING:
    from waygrid.finders.base import Finder
    from waygrid.finders.path import Path as FoundPath
    from waygrid.finders.trace import Trace
    from waygrid.grid.grid import Grid

Cell = tuple[int, int]

_PICTURE_EVENTS = 5_000_000  # a longer search covers the picture anyway


def record(finder: Finder, ends: tuple[Cell, Cell], walls: list[Cell], *, required: bool) -> Trace | None:
    """Search once more and record it; None where that is not required and the search is too long or the goal a wall."""
    from waygrid.finders.registry import make_finder

    traced = finder
    if walls:
        # Traces know no per-query walls: the same search runs on a map that has them.
        traced = make_finder(finder.info.name, with_walls(finder.grid, walls), **finder.options)
    if required:
        return traced.trace(*ends)
    try:
        return traced.trace(*ends, max_events=_PICTURE_EVENTS)
    except WaygridError:
        return None


def with_walls(grid: Grid, walls: list[Cell]) -> Grid:
    """Return a copy of a grid in which these cells are walls."""
    from waygrid.grid.grid import Grid

    copy = Grid(
        grid.passable,
        topology=grid.topology,
        corners=grid.corners,
        metric=grid.metric,
        weights=grid.weights,
        clearance=grid.clearance,
    )
    for wall in walls:
        copy.set_passable(wall, False)
    return copy


def draw(
    file: Path, grid: Grid, path: FoundPath, trace: Trace | None, ends: tuple[Cell, Cell], walls: list[Cell]
) -> None:
    """Write a picture of the map, the cells that the search opened and expanded, and the path."""
    from waygrid.draw import draw_map, save_png

    marks: dict[str, Any] = {}
    if trace is not None:
        order = trace.expansion_order()
        # A search that was stopped did only the first part of what the trace shows.
        marks["expanded"] = np.where(order < path.stats.expanded, order, -1)
        if len(trace.path) and path.stats.expanded >= trace.path.stats.expanded:
            marks["opened"] = trace.generated()
    passable = with_walls(grid, walls).passable if walls else grid.passable
    picture = draw_map(
        passable,
        weights=grid.weights,
        topology=grid.topology,
        path=path.cells if len(path) else None,
        start=ends[0],
        goal=ends[1],
        **marks,
    )
    save_png(file, picture)
