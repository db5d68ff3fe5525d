"""Input validation of cells and counts."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

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


def count_threads(threads: int | None = None) -> int:
    """Return how many threads to use: as many as asked for, or one for each core that this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not isinstance(threads, (int, np.integer)) or threads < 1:
        raise WaygridError(f"threads is {show(threads)}; allowed are the integers from 1, or None for all cores")
    return int(threads)


def plain(value: Any) -> Any:
    """Return an option as a plain Python value that a file can store; lists become tuples.

    >>> plain(np.int32(8)), plain([8, np.int64(24)]), plain("mean")
    (8, (8, 24), 'mean')
    """
    if isinstance(value, (list, tuple)):
        return tuple(plain(one) for one in value)
    return value.item() if isinstance(value, np.generic) else value
