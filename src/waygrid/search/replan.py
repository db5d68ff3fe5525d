"""The rest of a path after edits of the map: kept where it still holds, else found anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from waygrid.core import difference as kernels
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.errors import WaygridError, show
from waygrid.search.cells import pair_of
from waygrid.search.path import Path, Status

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid
    from waygrid.search.finder import Finder


def replan(finder: Finder, path: Path, from_cell: tuple[int, int]) -> Path:
    """Return the way on from a cell of a path."""
    if not isinstance(path, Path) or len(path) == 0:
        raise WaygridError(f"replan needs a path with cells, not {show(path)}")
    here = pair_of("from_cell", from_cell)[0]
    goal = path[-1]
    finder._check_version()
    _refuse_outside(finder.grid, path)
    places = np.flatnonzero((path.cells == here).all(axis=1))
    ended = path.status in (Status.FOUND, Status.PARTIAL)
    if places.size and path.status is Status.FOUND and finder.info.model == "cells":
        rest = path.cells[places[-1] :]
        boxes = _edited_since(finder.grid, path) if finder.optimal else np.zeros((0, 4), np.int32)
        kept = _keep(finder, path, rest, boxes)
        if kept is not None:
            return kept
    if not ended:
        raise WaygridError(f"replan needs a path that was found; this one is {path.status.name}")
    return finder.find((int(here[0]), int(here[1])), goal, partial=path.status is Status.PARTIAL)


def _refuse_outside(grid: Grid, path: Path) -> None:
    """Refuse a path that leads out of the map: it is one of another."""
    cells = path.cells
    outside = ((cells < 0) | (cells >= (grid.width, grid.height))).any(axis=1)
    if outside.any():
        x, y = cells[int(np.argmax(outside))].tolist()
        raise grid.cell_error("the path's cell", x, y)


def _edited_since(grid: Grid, path: Path) -> Array:
    """Return boxes around all that edits may have opened since a path was found; all of the map if that is unknown."""
    link = path._sizes.link
    if link.grid() is not grid or link.version > grid.version or not path._sizes.exact:
        return np.array([(0, 0, grid.width - 1, grid.height - 1)], np.int32)
    rings = [grid.table._ring(window) for window in grid._edits.since(link.version)]
    return np.array([(x0, y0, x1 - 1, y1 - 1) for x0, y0, x1, y1 in rings], np.int32).reshape(-1, 4)


def _keep(finder: Finder, path: Path, rest: Array, boxes: Array) -> Path | None:
    """Return the rest of a path if it holds: the end of an optimal path is optimal itself."""
    table = finder.grid.table
    now = kernels.Map(table.walk, table.moves, table.weights_or_one)
    sums = kernels.sum_moves(table.geo, now, rest, 0, len(rest))
    if sums[0] < 0:
        return None
    if not kernels.holds(table.geo, now, rest, 0, len(rest), sums[0], sums[1], boxes, finder.optimal):
        return None
    row = list(path._row)
    row[layout.ROW_LENGTH], row[layout.ROW_STRAIGHT], row[layout.ROW_DIAGONAL] = len(rest), int(sums[0]), int(sums[1])
    row[layout.ROW_EXPANDED] = row[layout.ROW_GENERATED] = 0
    return Path(row, rest.copy(), finder._sizes)
