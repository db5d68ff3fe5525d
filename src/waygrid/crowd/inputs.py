"""Input validation of crowds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.core.types import Array
from waygrid.errors import WaygridError, show
from waygrid.search.cells import pairs_of

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid

_MOST = 2**30


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


def refuse_shared_cells(grid: Grid, cells: npt.NDArray[np.int64], taken: Array, first: int) -> None:
    """Refuse agents that would stand in a cell with another."""
    order = np.argsort(cells, kind="stable")
    same = np.flatnonzero(cells[order][1:] == cells[order][:-1])
    if len(same):
        one, other = sorted((int(order[same[0]]), int(order[same[0] + 1])))
        raise _shared(grid, int(cells[one]), first + one, first + other)
    there = np.flatnonzero(taken[cells] >= 0)
    if len(there):
        k = int(there[0])
        raise _shared(grid, int(cells[k]), int(taken[cells[k]]), first + k)


def _shared(grid: Grid, cell: int, one: int, other: int) -> WaygridError:
    x, y = cell % grid.width, cell // grid.width
    return WaygridError(f"agents {one} and {other} would both stand in ({x}, {y}); each needs a cell of its own")


def check_levels(values: Any, count: int) -> npt.NDArray[np.int32]:
    """Check priorities: one for each agent, or one for all."""
    array = np.zeros(count, np.int64) if values is None else np.asarray(values)
    if array.dtype.kind not in "iu" or array.shape not in ((), (count,)) or (np.abs(array) > _MOST).any():
        raise WaygridError(f"priorities are {show(values)}; allowed is one integer up to {_MOST} for each agent")
    return np.broadcast_to(array, count).astype(np.int32)


def check_flags(values: Any, count: int) -> npt.NDArray[np.int32]:
    """Check which agents are stationary: a flag for each, or one for all."""
    array = np.zeros(count, np.bool_) if values is None else np.asarray(values)
    if array.dtype.kind != "b" or array.shape not in ((), (count,)):
        raise WaygridError(f"stationary is {show(values)}; allowed is True or False for each of {count} agents")
    return np.broadcast_to(array, count).astype(np.int32)
