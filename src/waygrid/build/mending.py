"""Paths of algorithms that promise no cheapest ones: where an edit has cut them, a short search mends them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from waygrid.build.difference import map_of
from waygrid.core import difference as kernels
from waygrid.core import layout
from waygrid.search.path import Path, Status

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid
    from waygrid.search.finder import Finder

_AHEAD = 40  # cells of the path that are left out behind a gap, so that the way around it can be straighter


def mend(path: Path, grid: Grid, searcher: Finder) -> Path | None:
    """Return the path with ways around its illegal moves; None if its ends are not connected any more, or are walls."""
    table, cells, width = grid.table, path.cells, grid.width
    now, labels = map_of(grid), table.labels
    start, goal = (int(y) * width + int(x) for x, y in (cells[0], cells[-1]))
    if labels[start] < 0 or labels[start] != labels[goal]:
        return None
    row = list(path._row)
    parts, done, skipped = [], 0, 0
    while True:
        gap, end = kernels.find_gap(table.geo, now, labels, cells, done, _AHEAD)
        parts.append(cells[done + skipped : gap + 1] if gap >= 0 else cells[done + skipped :])
        if gap < 0:
            break
        around = searcher.find(tuple(cells[gap].tolist()), tuple(cells[end].tolist()))
        if around.status is not Status.FOUND:  # behind one-way tiles
            return None
        parts.append(around.cells[1:-1])
        for counter in (layout.ROW_EXPANDED, layout.ROW_GENERATED):
            row[counter] += around._row[counter]
        done, skipped = end, len(around) == 1  # a walk may come back to the cell
    made = np.concatenate(parts)
    straight, diagonal = kernels.sum_moves(table.geo, now, made, 0, len(made))
    row[layout.ROW_LENGTH], row[layout.ROW_STRAIGHT], row[layout.ROW_DIAGONAL] = len(made), int(straight), int(diagonal)
    return Path(row, made, path._sizes)
