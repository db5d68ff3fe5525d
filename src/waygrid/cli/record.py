"""The trace of a search as a file, a film or a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from waygrid.errors import WaygridError

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid
    from waygrid.search.finder import Finder
    from waygrid.search.path import Path as FoundPath
    from waygrid.search.trace import Trace

Cell = tuple[int, int]

_PICTURE_EVENTS = 5_000_000  # a longer search would cover the whole picture


def record(finder: Finder, ends: tuple[Cell, Cell], limits: dict[str, Any], *, required: bool) -> Trace | None:
    """Search again and record it; None if the search is too long and the trace is not required."""
    if required:
        return finder.trace(*ends, **limits)
    try:
        return finder.trace(*ends, max_events=_PICTURE_EVENTS, **limits)
    except WaygridError:
        return None


def write(file: Path, trace: Trace) -> None:
    """Write the trace for Posthoc or as a film; the suffix of the file name selects the format."""
    from waygrid.draw.animate import SUFFIXES as FILMS
    from waygrid.formats.posthoc import SUFFIXES

    name = file.name.lower()
    if name.endswith(FILMS):
        trace.animate(file)
    elif name.endswith(SUFFIXES):
        trace.save(file)
    else:
        raise WaygridError(f"{file}: the name of a trace must end in {', '.join((*SUFFIXES, *FILMS))}")


def with_walls(grid: Grid, walls: list[Cell]) -> Grid:
    """Return a copy of a grid in which these cells are walls."""
    copy = grid.copy()
    copy.set_passable(walls, False)
    return copy


def draw(
    file: Path, grid: Grid, path: FoundPath, trace: Trace | None, ends: tuple[Cell, Cell], walls: list[Cell]
) -> None:
    """Write a picture of the map, the cells that the search opened and expanded, and the path."""
    from waygrid.draw.maps import draw_map, save_png

    marks: dict[str, Any] = {}
    if trace is not None:
        marks["expanded"], marks["opened"] = trace.expansion_order(), trace.generated()
    passable = with_walls(grid, walls).passable if walls else grid.passable
    picture = draw_map(
        passable,
        weights=grid.weights,
        topology=grid.topology,
        path=path if len(path) else None,
        start=ends[0],
        goal=ends[1],
        **marks,
    )
    save_png(file, picture)
