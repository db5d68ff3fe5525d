"""Layers over a map, which show what preprocessing made of it; families draw them, the studio shows them.

A layer is of type labels (a number per cell), cells, points, lines or boxes. Three types are not drawn: values, a
number per cell that the inspector shows under the name `text`, and walls and weights, which the page can make the map.
The page draws layers by their type and knows nothing else of overlays, so that a new one needs no change there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from waygrid.core.types import Array
from waygrid.errors import WaygridError, show
from waygrid.grid.grid import Grid
from waygrid.search.finder import Finder

BLUE, RED, GREEN, ORANGE, VIOLET = "#1f6feb", "#d1242f", "#1a7f37", "#bf6a02", "#8250df"


class Layer(NamedTuple):
    """One array and how it is drawn."""

    type: str
    array: Array
    text: str  # in the legend, empty: not there
    colour: str = ""
    size: float = 1.0


class OverlayRequest(NamedTuple):
    """What an overlay is drawn from: a grid, values of its options and, if it follows the cursor, a cell."""

    grid: Grid
    options: dict[str, Any]
    cell: tuple[int, int] | None
    most_areas: int  # that can be shown
    find_finder: Callable[[], Finder]  # returns the algorithm's finder with these options
    check_time: Callable[[], None]  # raises an error when nobody waits any longer; called between steps


class DetailRequest(NamedTuple):
    """What a detail is drawn from: the finder with its index, the query, and the last expansion or move."""

    finder: Finder
    start: tuple[int, int]
    goal: tuple[int, int]
    cell: tuple[int, int]  # that was expanded, or moved to
    parent: tuple[int, int] | None

    @property
    def number(self) -> int:
        """The number of the cell."""
        return self.cell[1] * self.finder.grid.width + self.cell[0]


def place_cells(grid: Grid, cells: Array) -> Array:
    """Return cells as points (x, y)."""
    points: Array = np.stack((cells % grid.width, cells // grid.width), axis=1).astype(np.float32)
    return points


def link_cells(grid: Grid, one: Array, other: Array) -> Array:
    """Return lines between cells."""
    lines: Array = np.concatenate((place_cells(grid, one), place_cells(grid, other)), axis=1)
    return lines


def require_squares(grid: Grid, what: str) -> None:
    """Refuse a grid without rows and columns."""
    if grid.topology not in ("tile", "octile"):
        raise WaygridError(f"{what} are made of rows and columns; topology {show(grid.topology)} has none")
