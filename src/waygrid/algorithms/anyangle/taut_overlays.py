"""What the studio shows of taut tables."""

from __future__ import annotations

import numpy as np

from waygrid.algorithms.anyangle.taut_work import map_corners
from waygrid.core.types import Array
from waygrid.search.overlay import GREEN, VIOLET, Layer, OverlayRequest
from waygrid.search.registry import algorithms, refuse_unsupported


def place_corners(corners: Array) -> Array:
    """Return corners as points in the coordinates of cell centres."""
    return corners.astype(np.float32) - 1.5


def show_corners(wanted: OverlayRequest) -> list[Layer]:
    """Return the corners of walls whose pairs a taut table holds."""
    refuse_unsupported(algorithms()["taut"], wanted.grid)
    corners = map_corners(wanted.grid).corners
    text = f"{len(corners)} corners, {len(corners) ** 2:,} pairs"
    return [Layer("points", place_corners(corners), text, VIOLET, 4.0)]


def show_visible(wanted: OverlayRequest) -> list[Layer]:
    """Return a line from a cell to each corner that it sees and at which a path may bend."""
    grid, cell = wanted.grid, wanted.cell
    assert cell is not None
    finder = wanted.find_finder()
    number = int(np.count_nonzero(grid.table.walk[: cell[1] * grid.width + cell[0]]))
    first, accesses = finder.index["first"], finder.index["accesses"]  # type: ignore[attr-defined]
    seen = accesses[first[number] : first[number + 1]].astype(np.int64)
    if not grid.table.walk[cell[1] * grid.width + cell[0]] or not len(seen):
        return []
    ends = place_corners(finder.index["corners"][seen])  # type: ignore[attr-defined]
    lines = np.concatenate((np.tile(np.array([cell], np.float32), (len(ends), 1)), ends), axis=1)
    return [
        Layer("lines", lines, f"{len(ends)} corners seen" if len(ends) > 1 else "1 corner seen", GREEN, 2.0),
        Layer("points", ends, "", VIOLET, 4.0),
        Layer("points", np.array([cell], np.float32), "", "#000000", 4.0),
    ]
