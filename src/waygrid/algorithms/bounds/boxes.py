"""Goal bounds of a grid, as a build over its cells (see `waygrid.build.sweep`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from waygrid.algorithms.bounds import boxes_build as boxes
from waygrid.algorithms.bounds.box_type import box_type
from waygrid.algorithms.classic.best_first import make_flooding
from waygrid.algorithms.jumps import canonical
from waygrid.algorithms.jumps.floods import CanonicalFlood, uniform
from waygrid.build.sweep import Work
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid

VERSION = 1  # of the boxes; a higher one when their meaning changes


class BoxWork:
    """Boxes of all cells: `boxes`, (cells, 8, 4)."""

    def __init__(self, grid: Grid) -> None:
        self._kind = box_type(grid.table.geo)
        self._none = int(np.iinfo(self._kind).max)
        self.total = grid.width * grid.height
        self.output_bytes = self.total * 32 * np.dtype(self._kind).itemsize


class CanonicalBoxes(BoxWork):
    """By canonical floods. ties: "canonical", all first moves of canonical paths; "all", of all paths; or "one"."""

    def __init__(self, grid: Grid, ties: str, graph: Mapping[str, Array] | None = None) -> None:
        super().__init__(grid)
        self._flood = CanonicalFlood(grid, graph)
        self._made_of = (grid, ties)
        self._every, self._one = ties == "all", ties == "one"
        self.scratch_bytes = self._flood.bytes + (4 * self.total if self._every else 0)

    def __reduce__(self) -> tuple[Any, ...]:
        return CanonicalBoxes, self._made_of  # on another machine: made anew from the map

    def scratch(self) -> canonical.Water:
        """Return the memory of one flood."""
        return self._flood.water()

    def run(self, scratch: canonical.Water, first: int, last: int) -> dict[str, Array]:
        """Return the boxes of cells first to last - 1."""
        found = np.empty((last - first, 8, 4), self._kind)
        boxes.canonical_boxes(self._flood.ground, scratch, self._every, self._one, first, last, found, self._none)
        return {"boxes": found}


class SearchedBoxes(BoxWork):
    """By the best-first loop: any grid, weights, one-way tiles. ties: "all" or "one"."""

    def __init__(self, grid: Grid, ties: str) -> None:

        super().__init__(grid)
        self._made_of = (grid, ties)
        self._one = ties == "one"
        self._finder: Any = make_flooding(grid)
        self._finder._refresh()
        table = grid.table
        self._tables = boxes.Searched(table.moves, table.reverse, table.weights, table.geo, self._finder._policy)
        self.scratch_bytes = self._finder.memory.scratch_bytes + 13 * self.total

    def __reduce__(self) -> tuple[Any, ...]:
        return SearchedBoxes, self._made_of

    def scratch(self) -> Any:
        """Return the memory of one search."""
        return self._finder._pool.take()

    def run(self, scratch: Any, first: int, last: int) -> dict[str, Array]:
        """Return the boxes of cells first to last - 1."""
        found = np.empty((last - first, 8, 4), self._kind)
        boxes.search_boxes(self._tables, boxes.FloodMemory(*scratch.arrays), self._one, first, last, found, self._none)
        return {"boxes": found}


def box_work(grid: Grid, ties: str, device: str, memory: int | None, graph: Mapping[str, Array] | None = None) -> Work:
    """Return the build of a grid's boxes. ties: "canonical", "all" or "one"; graph: of turns, where it is known."""
    if device == "gpu":
        from waygrid.algorithms.bounds import gpu

        if ties == "all":
            raise WaygridError("boxes of all first moves of all paths are built on the cpu only")
        return gpu.BoxWork(grid.table.moves, grid.table.geo, "all" if ties == "canonical" else "one", memory)
    return CanonicalBoxes(grid, ties, graph) if uniform(grid) else SearchedBoxes(grid, ties)
