"""What callers hand over as a map: walls, weights and costs, read by one rule.

An array of booleans, or of 0 (wall) and 1, is a map. Masked cells are walls. All other numbers are refused, and the
error names the way to read them: as weights or as costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show

LARGEST_WEIGHT = 65535
LARGEST_SIDE = 65535
LARGEST_MAP = 2**28  # cells; numbers of cells must fit 32 bits in search memory with room to spare

Walls = npt.NDArray[np.uint8]
Weights = npt.NDArray[np.uint16]


BLOCK_CELLS = 2**20  # cells of a large map that are worked on at a time


class CheckedMap(NamedTuple):
    """Walls and weights that are valid, and that nobody else holds: a grid keeps them without a copy."""

    walls: Walls
    weights: Weights | None


def read_walls(passable: Any, *, where: str = "", source: str = "array", corner: tuple[int, int] = (0, 0)) -> Walls:
    """Return a copy with 1 for passable cells and 0 for walls; `where` and `source` name a file in errors.

    corner: the cell (x, y) of a larger map at which this part of it begins.

    >>> read_walls(np.ma.masked_equal([[1, 0, -9999]], -9999)).tolist()
    [[1, 0, 0]]
    """
    refuse_ragged(passable, where)
    array, masked = split_mask(passable)
    if array.ndim != 2 or array.size == 0:
        what = f"this one has shape {array.shape}" if array.ndim else f"this is {show(passable)}"
        raise WaygridError(f"{where}a map is an array of (height, width), at least 1 x 1; {what}")
    if array.size > LARGEST_MAP or max(array.shape) > LARGEST_SIDE:
        raise WaygridError(
            f"{where}a map has at most {LARGEST_SIDE} cells per side and {LARGEST_MAP} in all, not {array.shape}"
        )
    if array.dtype.kind not in "biuf":
        raise WaygridError(f"{where}a map contains booleans or numbers, not {array.dtype}")
    walls = np.empty(array.shape, np.uint8)
    for rows in row_spans(array.shape):
        if array.dtype.kind == "b" and not np.ndim(masked) and not masked:
            np.not_equal(array[rows], 0, out=walls[rows].view(np.bool_))
            continue
        part, ground = array[rows], np.not_equal(array[rows], 0)
        ground &= ~_rows_of(masked, rows)
        if array.dtype.kind != "b" and (ground & (part != 1)).any():
            _refuse_numbers(array, (array != 0) & (array != 1) & ~masked, where, source, corner)
        walls[rows] = ground
    return walls


def _rows_of(mask: npt.NDArray[np.bool_] | np.bool_, rows: slice) -> npt.NDArray[np.bool_] | np.bool_:
    """Return the rows of a mask; of none, none."""
    return np.asarray(mask)[rows] if np.ndim(mask) else np.bool_(mask)


def row_spans(shape: tuple[int, ...], multiple: int = 1) -> Iterator[slice]:
    """Yield the rows of a large map in blocks, so that what is computed on the way stays small.

    >>> [(rows.start, rows.stop) for rows in row_spans((3, 2**19))]
    [(0, 2), (2, 3)]
    """
    height, width = shape
    step = multiple * max(1, BLOCK_CELLS // (width * multiple))
    return (slice(first, min(first + step, height)) for first in range(0, height, step))


def refuse_ragged(rows: Any, where: str) -> None:
    """Refuse lists of rows of different lengths."""
    if isinstance(rows, Sequence) and rows and any(isinstance(row, (Sequence, np.ndarray)) for row in rows):
        lengths = [len(row) if isinstance(row, (Sequence, np.ndarray)) else 0 for row in rows]
        for number, length in enumerate(lengths):
            if length != lengths[0]:
                raise WaygridError(f"{where}row {number} of the map has {length} cells, row 0 has {lengths[0]}")


def split_mask(values: Any) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_] | np.bool_]:
    """Return an array and its mask; values under the mask are never used."""
    if isinstance(values, np.ma.MaskedArray):
        return np.asarray(values.data), np.ma.getmask(values)
    return np.asarray(values), np.False_


def _first_cell(bad: npt.NDArray[np.bool_]) -> tuple[int, int]:
    """Return the first cell (x, y) of a mask."""
    y, x = np.unravel_index(int(bad.argmax()), bad.shape)
    return int(x), int(y)


def _refuse_numbers(
    array: npt.NDArray[Any], bad: npt.NDArray[np.bool_], where: str, source: str, corner: tuple[int, int]
) -> None:
    """Refuse numbers other than 0 and 1, and suggest what to use instead."""
    if not bad.any():
        return
    negative = bad & (array < 0)
    x, y = _first_cell(negative if negative.any() else bad)
    holds = f"{where}the map holds {array[y, x]} at ({corner[0] + x}, {corner[1] + y})"
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
        array, masked = split_mask(weights)
    except ValueError:
        raise WaygridError(
            f"{where}the rows of weights differ in length; the map has shape {shape} (height, width)"
        ) from None
    if array.shape != shape:
        raise WaygridError(f"{where}weights have shape {array.shape}, the map has {shape} (height, width)")
    if array.dtype.kind not in "iu":
        raise WaygridError(f"{where}weights are integers from 1 to {LARGEST_WEIGHT}, not {array.dtype}")
    read = np.empty(shape, np.uint16)
    for rows in row_spans(shape):
        part = array[rows]
        if not np.ndim(masked) and not masked and part.min() >= 1 and part.max() <= LARGEST_WEIGHT:
            read[rows] = part
            continue
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
