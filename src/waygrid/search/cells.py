"""Input validation of cells and counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.core.threads import count_threads as count_threads
from waygrid.core.types import Array
from waygrid.errors import WaygridError, show

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid


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


def numbers_of(indices: Any, count: int) -> npt.NDArray[np.int64]:
    """Check numbers of agents, or one flag for each agent, and return the numbers, each once."""
    try:
        array = np.asarray(indices)
    except ValueError:
        array = np.zeros((0, 0))
    if array.dtype.kind == "b" and array.shape == (count,):
        return np.flatnonzero(array)
    if array.size == 0 and array.ndim <= 1:
        return np.zeros(0, np.int64)
    if array.ndim == 0:
        array = array.reshape(1)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise WaygridError(f"indices are {show(indices)}; allowed are numbers of agents, or a flag for each of {count}")
    outside = (array < 0) | (array >= count)
    if outside.any():
        raise WaygridError(f"indices have {array[outside][0]}; allowed are 0 to {count - 1}, one for each agent")
    numbers = array.astype(np.int64)
    if len(np.unique(numbers)) != len(numbers):
        raise WaygridError("indices name an agent twice; each may be named once")
    return numbers


def check_cells(grid: Grid, name: str, cells: Any, count: int) -> npt.NDArray[np.int64]:
    """Check cells where agents can stand and return their numbers; a single cell counts for all agents."""
    pairs = pairs_of(f"{name}s", [cells] if np.ndim(cells) == 1 and np.size(cells) == 2 else cells)
    if len(pairs) == 1 and count != 1:
        pairs = np.repeat(pairs, count, axis=0)
    if len(pairs) != count:
        raise WaygridError(f"there are {len(pairs)} {name}s for {count} agents; each agent needs one")
    x, y = pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)
    inside = (x >= 0) & (x < grid.width) & (y >= 0) & (y < grid.height)
    numbers = np.where(inside, y * grid.width + x, 0)
    bad = ~inside | (grid.table.walk[numbers] == 0)
    if bad.any():
        k = int(np.argmax(bad))
        raise grid.cell_error(f"agent {k}: {name}", int(x[k]), int(y[k]))
    return numbers
