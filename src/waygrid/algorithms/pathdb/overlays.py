"""What the studio shows of turn tables."""

from __future__ import annotations

import numpy as np

from waygrid.algorithms.jumps.spots import map_spots
from waygrid.search.overlay import GREEN, VIOLET, Layer, OverlayRequest, link_cells, place_cells
from waygrid.search.registry import algorithms, refuse_unsupported


def show_spots(wanted: OverlayRequest) -> list[Layer]:
    """Return the cells whose pairs a turn table holds."""
    refuse_unsupported(algorithms()["turntable"], wanted.grid)
    cells = map_spots(wanted.grid.table).cells
    return [Layer("cells", cells.astype(np.int32), f"{len(cells)} spots, {len(cells) ** 2:,} pairs", VIOLET)]


def show_accesses(wanted: OverlayRequest) -> list[Layer]:
    """Return a line from a cell to each of its accesses."""
    grid, cell = wanted.grid, wanted.cell
    assert cell is not None
    finder = wanted.find_finder()
    table = finder._index_arrays_for(grid.table.moves)
    number = cell[1] * grid.width + cell[0]
    found = table.accesses[table.first[number] : table.first[number + 1]]["spot"].astype(np.int64)
    ends = table.spots["y"][found].astype(np.int64) * grid.width + table.spots["x"][found]
    if not len(ends):
        return []
    lines = link_cells(grid, np.full(len(ends), number), ends)
    text = f"{len(ends)} accesses" if len(ends) > 1 else "1 access"
    return [
        Layer("lines", lines, text, GREEN, 2.0),
        Layer("points", place_cells(grid, ends), "", VIOLET, 4.0),
        Layer("points", np.array([cell], np.float32), "", "#000000", 4.0),
    ]
