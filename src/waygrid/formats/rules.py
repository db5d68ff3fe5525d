"""What callers hand over as a map: walls, weights and costs, read by one rule.

An array of booleans, or of 0 (wall) and 1, is a map. Masked cells are walls. All other numbers are refused, and the
error names the way to read them: as weights or as costs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show

LARGEST_WEIGHT = 65535
LARGEST_SIDE = 65535
_BAND = 2**20  # cells
LARGEST_MAP = 2**28  # cells; numbers of cells must fit 32 bits in search memory with room to spare

Walls = npt.NDArray[np.uint8]
Weights = npt.NDArray[np.uint16]


def read_walls(passable: Any, *, where: str = "", source: str = "array") -> Walls:
    """Return a copy with 1 for passable cells and 0 for walls; `where` and `source` name a file in errors.

    >>> read_walls(np.ma.masked_equal([[1, 0, -9999]], -9999)).tolist()
    [[1, 0, 0]]
    """
    _refuse_ragged(passable, where)
    array, masked = _split_mask(passable)
    if array.ndim != 2 or array.size == 0:
        raise WaygridError(
            f"{where}a map is an array of (height, width), at least 1 x 1; this one has shape {array.shape}"
        )
    if array.size > LARGEST_MAP or max(array.shape) > LARGEST_SIDE:
        raise WaygridError(
            f"{where}a map has at most {LARGEST_SIDE} cells per side and {LARGEST_MAP} in all, not {array.shape}"
        )
    if array.dtype.kind not in "biuf":
        raise WaygridError(f"{where}a map contains booleans or numbers, not {array.dtype}")
    walls = np.empty(array.shape, np.uint8)
    for rows in bands(array.shape):
        part, ground = array[rows], np.not_equal(array[rows], 0)
        ground &= ~_rows_of(masked, rows)
        if array.dtype.kind != "b" and (ground & (part != 1)).any():
            _refuse_numbers(array, (array != 0) & (array != 1) & ~masked, where, source)
        walls[rows] = ground
    return walls


def bands(shape: tuple[int, ...]) -> list[slice]:
    """Return the rows of a map in bands of about a million cells: what is worked out of one takes little memory.

    >>> bands((4, 300_000))
    [slice(0, 3, None), slice(3, 4, None)]
    """
    rows = max(1, _BAND // max(1, shape[1]))
    return [slice(top, min(top + rows, shape[0])) for top in range(0, shape[0], rows)]


def _rows_of(mask: npt.NDArray[np.bool_] | np.bool_, rows: slice) -> npt.NDArray[np.bool_] | np.bool_:
    """Return the rows of a mask; of none, none."""
    return np.asarray(mask)[rows] if np.ndim(mask) else np.bool_(mask)


def _refuse_ragged(rows: Any, where: str) -> None:
    if isinstance(rows, Sequence) and rows and any(isinstance(row, (Sequence, np.ndarray)) for row in rows):
        lengths = [len(row) if isinstance(row, (Sequence, np.ndarray)) else 0 for row in rows]
        for number, length in enumerate(lengths):
            if length != lengths[0]:
                raise WaygridError(f"{where}row {number} of the map has {length} cells, row 0 has {lengths[0]}")


def _split_mask(values: Any) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_] | np.bool_]:
    """Return an array and its mask; values under the mask are never used."""
    if isinstance(values, np.ma.MaskedArray):
        return np.asarray(values.data), np.ma.getmask(values)
    return np.asarray(values), np.False_


def _first_cell(bad: npt.NDArray[np.bool_]) -> tuple[int, int]:
    """Return the first cell (x, y) of a mask."""
    y, x = np.unravel_index(int(bad.argmax()), bad.shape)
    return int(x), int(y)


def _refuse_numbers(array: npt.NDArray[Any], bad: npt.NDArray[np.bool_], where: str, source: str) -> None:
    """Refuse numbers other than 0 and 1, and suggest what to use instead."""
    if not bad.any():
        return
    negative = bad & (array < 0)
    x, y = _first_cell(negative if negative.any() else bad)
    holds = f"{where}the map holds {array[y, x]} at ({x}, {y})"
    if negative.any():
        raise WaygridError(
            f"{holds}, and a negative number is neither wall nor ground; for an occupancy grid use "
            f"wg.Grid({source} == 0), for costs with a nodata value wg.Grid.from_costs({source}, nodata={array[y, x]})"
        )
    raise WaygridError(
        f"{holds}; a map is an array of booleans or of 0 (wall) and 1; for costs use "
        f"wg.Grid.from_costs({source}) or weights=, for other numbers a comparison such as wg.Grid({source} > 0)"
    )


def read_weights(weights: Any, walls: Walls, *, where: str = "") -> Weights:
    """Return weights that are valid in passable cells; weights of walls are ignored and may be 0.

    >>> read_weights([[0, 3]], np.array([[0, 1]], np.uint8)).tolist()
    [[1, 3]]
    """
    shape = walls.shape
    try:
        array, masked = _split_mask(weights)
    except ValueError:
        raise WaygridError(
            f"{where}the rows of weights differ in length; the map has shape {shape} (height, width)"
        ) from None
    if array.shape != shape:
        raise WaygridError(f"{where}weights have shape {array.shape}, the map has {shape} (height, width)")
    if array.dtype.kind not in "iu":
        raise WaygridError(f"{where}weights are integers from 1 to {LARGEST_WEIGHT}, not {array.dtype}")
    read = np.empty(shape, np.uint16)
    for rows in bands(shape):
        part = array[rows]
        odd = (part < 1) | (part > LARGEST_WEIGHT) | _rows_of(masked, rows)
        bad = odd & (walls[rows] != 0)
        if bad.any():
            x, y = _first_cell(bad)
            y += rows.start
            value = "masked" if np.broadcast_to(masked, shape)[y, x] else array[y, x]
            raise WaygridError(
                f"{where}weight {value} at ({x}, {y}); allowed are 1 to {LARGEST_WEIGHT}, and any weight in walls"
            )
        read[rows] = part
        read[rows][odd] = 1
    return read


def read_costs(costs: Any, scale: Any = None, nodata: Any = None) -> tuple[Walls, Weights, float]:
    """Return walls, weights and the cost of a weight of 1, from an array of costs (see `Grid.from_costs`).

    >>> walls, weights, scale = read_costs([[0.5, np.nan, 2.0]], scale=0.1)
    >>> walls.tolist(), weights.tolist(), scale
    ([[1, 0, 1]], [[5, 1, 20]], 0.1)
    """
    _refuse_ragged(costs, "")
    array, masked = _split_mask(costs)
    if array.ndim != 2 or array.dtype.kind not in "iuf":
        raise WaygridError(
            f"costs are an array of (height, width) of integers or floats, not {array.dtype} of shape {array.shape}"
        )
    unit = _check_scale(scale, array.dtype)
    wall = np.broadcast_to(masked, array.shape) | (array == _check_nodata(nodata))
    if array.dtype.kind == "f":
        wall = wall | np.isnan(array) | np.isposinf(array)
    if (bad := ~wall & (array <= 0)).any():
        x, y = _first_cell(bad)
        raise WaygridError(
            f"cost {array[y, x]} at ({x}, {y}); costs must be above 0; if this value marks walls, pass "
            f"nodata={array[y, x]}"
        )
    walls = read_walls(~wall)
    if unit == 1 and array.dtype.kind != "f":
        rounded = np.where(wall, 1, array)
    else:
        with np.errstate(over="ignore"):
            rounded = np.rint(np.where(wall, unit, array) / unit)
    if (bad := (rounded < 1) | (rounded > LARGEST_WEIGHT)).any():
        _refuse_scale(array, rounded, bad, unit)
    return walls, rounded.astype(np.uint16), unit


def _check_scale(scale: Any, dtype: np.dtype[Any]) -> float:
    if scale is None and dtype.kind == "f":
        raise WaygridError(
            f"costs of {dtype} need scale=, the step to which they are rounded: 0.01 keeps two decimals of a cost"
        )
    if scale is None:
        return 1.0
    number = isinstance(scale, (int, float, np.integer, np.floating)) and not isinstance(scale, bool)
    if not number or not 0 < scale < math.inf:
        raise WaygridError(f"scale is {show(scale)}; allowed are finite numbers above 0")
    return float(scale)


def _check_nodata(nodata: Any) -> float:
    if nodata is None:
        return math.nan  # NaN equals nothing; NaN cells are walls anyway
    if not isinstance(nodata, (int, float, np.integer, np.floating)) or isinstance(nodata, bool):
        raise WaygridError(f"nodata is {show(nodata)}; allowed is one number, or None")
    return nodata.item() if isinstance(nodata, np.generic) else nodata


def _refuse_scale(array: npt.NDArray[Any], rounded: npt.NDArray[Any], bad: npt.NDArray[Any], unit: float) -> NoReturn:
    x, y = _first_cell(bad)
    raise WaygridError(
        f"cost {array[y, x]} at ({x}, {y}) is {rounded[y, x]:.0f} steps of scale {unit:g}; "
        f"allowed are 1 to {LARGEST_WEIGHT} steps, so choose a {'smaller' if rounded[y, x] < 1 else 'larger'} scale"
    )
