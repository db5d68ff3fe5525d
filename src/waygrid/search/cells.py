"""Input validation of cells and counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from waygrid.core.threads import count_threads as count_threads
from waygrid.core.types import Array
from waygrid.errors import WaygridError, show


def explain_bad_cell(start: Any, goal: Any) -> WaygridError:
    """Return the error for a start or goal that is not a cell."""
    for name, value in (("start", start), ("goal", goal)):
        try:
            pair_of(name, value)
        except WaygridError as error:
            return error
    return WaygridError(f"start {show(start)} or goal {show(goal)} is outside any map")


def pair_of(name: str, cell: Any) -> Array:
    """Check one cell (x, y) and return it as one row."""
    try:
        array = np.asarray(cell)
    except ValueError:
        array = np.zeros(0)
    if array.shape != (2,) or array.dtype.kind not in "iu":
        raise WaygridError(f"{name} is {show(cell)}; allowed is a cell (x, y) of two integers")
    return array.reshape(1, 2)


def pairs_of(name: str, cells: Any) -> Array:
    """Check cells and return them as rows (x, y)."""
    try:
        array = np.asarray(cells)
    except ValueError:
        array = np.zeros((0, 0))
    if array.size == 0 and array.ndim <= 2:
        return np.zeros((0, 2), np.int32)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise WaygridError(
            f"{name} has shape {array.shape} of {array.dtype}; allowed are (n, 2) integers, cells (x, y)"
        )
    return array
