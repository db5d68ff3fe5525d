"""Input validation of crowds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.core.types import Array
from waygrid.errors import WaygridError, show

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid

_MOST = 2**30


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
