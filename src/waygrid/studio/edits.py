"""Edits of the map while agents walk: doors and walls, each before a step of the walk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show
from waygrid.grid.grid import Grid
from waygrid.studio.limits import StudioLimits


class Edit(NamedTuple):
    """Cells that become passable or walls after so many steps."""

    step: int
    cells: npt.NDArray[np.int32]  # (n, 2)
    passable: bool


def read_edits(asked: Any, grid: Grid, steps: int, limits: StudioLimits) -> list[Edit]:
    """Return the edits of a request; anything else is refused.

    >>> grid, limits = Grid([[1, 1, 1]]), StudioLimits()
    >>> read_edits([{"step": 4, "cells": [[1, 0]], "passable": False}], grid, 100, limits)[0].passable
    False
    >>> read_edits([{"step": 4, "cells": [[3, 0]], "passable": False}], grid, 100, limits)
    Traceback (most recent call last):
    waygrid.errors.WaygridError: edit 1 names cell [3, 0], which is not inside the map of 3 x 1 cells
    """
    if not isinstance(asked, list) or len(asked) > limits.edits:
        raise WaygridError(f"edits: a list of at most {limits.edits} edits is needed")
    edits: list[Edit] = []
    for number, one in enumerate(asked, 1):
        edits.append(_read_edit(number, one, grid, steps))
        if sum(len(edit.cells) for edit in edits) > limits.edited_cells:
            raise WaygridError(f"the edits name more than {limits.edited_cells} cells, which is the most in a walk")
        if number > 1 and edits[-1].step < edits[-2].step:
            raise WaygridError(f"edit {number} is before edit {number - 1}; edits come in the order of their steps")
    return edits


def _read_edit(number: int, one: Any, grid: Grid, steps: int) -> Edit:
    if not isinstance(one, Mapping) or one.keys() != {"step", "cells", "passable"}:
        raise WaygridError(f"edit {number} is {show(one)}; an edit has step, cells and passable")
    step, cells, passable = one["step"], one["cells"], one["passable"]
    if type(step) is not int or not 0 <= step <= steps:
        raise WaygridError(f"edit {number} has step {show(step)}; allowed are the integers from 0 to {steps}")
    if type(passable) is not bool:
        raise WaygridError(f"edit {number} has passable {show(passable)}; allowed are true and false")
    if not isinstance(cells, list) or not cells:
        raise WaygridError(f"edit {number} has cells {show(cells)}; a list of cells is needed")
    for cell in cells:
        if not isinstance(cell, list) or len(cell) != 2 or not all(type(side) is int for side in cell):
            raise WaygridError(f"edit {number} names cell {show(cell)}; a cell is [x, y], two whole numbers")
        if not (0 <= cell[0] < grid.width and 0 <= cell[1] < grid.height):
            raise WaygridError(
                f"edit {number} names cell {show(cell)}, which is not inside the map of {grid.width} x {grid.height} "
                f"cells"
            )
    return Edit(step, np.array(cells, np.int32), passable)


def apply_edit(grid: Grid, edit: Edit) -> None:
    """Make the edit as one change of the grid, whose window is the smallest around its cells."""
    x0, y0 = edit.cells.min(axis=0).tolist()
    x1, y1 = edit.cells.max(axis=0).tolist()
    patch = grid.passable[y0 : y1 + 1, x0 : x1 + 1].copy()
    patch[edit.cells[:, 1] - y0, edit.cells[:, 0] - x0] = edit.passable
    grid.paste(patch, x0, y0)
