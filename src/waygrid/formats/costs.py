"""Costs of cells as weights: integers from 1 to 65535, a few rows at a time.

A raster may have hundreds of millions of cells. So costs are read in blocks of rows, from an array or from a file, and
nothing of the size of the raster is allocated but the result: one byte and two per cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np
import numpy.typing as npt

from waygrid.errors import LARGEST_FLOAT, WaygridError, show
from waygrid.formats.rules import (
    LARGEST_MAP,
    LARGEST_SIDE,
    LARGEST_WEIGHT,
    Walls,
    Weights,
    refuse_ragged,
    row_spans,
    split_mask,
)

_DECIMALS = 6  # of costs that are kept exactly without a declared scale
_FINE = 1000  # steps of the smallest cost, where costs are rounded: none changes by more than 0.05 %
_LEAST_STEP = 1e-300  # below it, floats lose digits
_COARSE = 10  # the fewest: none changes by more than 5 %

Mask = npt.NDArray[np.bool_]


class Rows(NamedTuple):
    """Some rows of a raster: costs, and which cells are walls whatever their cost."""

    values: npt.NDArray[Any]
    walls: Mask | None


class CostSource(Protocol):
    """A raster that is read a few rows at a time: an array, or a band of a file."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    block_rows: int  # rows that are best read together

    def rows(self, first: int, last: int) -> Rows:
        """Return rows first to last - 1."""


class ArraySource:
    """The rows of an array, masked or not."""

    def __init__(self, costs: Any) -> None:
        refuse_ragged(costs, "")
        self._array, self._masked = split_mask(costs)
        self.shape, self.dtype, self.block_rows = self._array.shape, self._array.dtype, 1

    def rows(self, first: int, last: int) -> Rows:
        """Return rows first to last - 1, as a view."""
        hidden = np.ndim(self._masked) > 0
        return Rows(self._array[first:last], np.asarray(self._masked)[first:last] if hidden else None)


class CostMap(NamedTuple):
    """Walls and weights, None if all are 1; the cost of a weight of 1, and the most that rounding changed a cost."""

    walls: Walls
    weights: Weights | None
    scale: float
    rounding: float


class _Reader:
    """Reads a source with its walls, and checks every cost."""

    def __init__(self, source: CostSource, nodata: tuple[float, ...], where: str) -> None:
        self.source, self.nodata, self.where = source, nodata, where

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yield the first row of each block and the one behind it."""
        return ((rows.start, rows.stop) for rows in row_spans(self.source.shape, self.source.block_rows))

    def read(self, first: int, last: int) -> tuple[npt.NDArray[Any], Mask]:
        """Return costs and walls of some rows; refuse costs that are not above 0."""
        return self.find_walls(self.source.rows(first, last), first)

    def find_walls(self, rows: Rows, first: int) -> tuple[npt.NDArray[Any], Mask]:
        """Return the same for rows that are read already."""
        values, hidden = rows
        wall = np.zeros(values.shape, np.bool_) if hidden is None else hidden.copy()
        with np.errstate(over="ignore"):
            for number in self.nodata:
                wall |= values == number
        if values.dtype.kind == "f":
            wall |= np.isnan(values) | np.isposinf(values)
        if (bad := ~wall & (values <= 0)).any():
            x, y = _first(bad)
            raise WaygridError(
                f"{self.where}cost {values[y, x]} at ({x}, {first + y}); costs must be above 0; if this value marks "
                f"walls, pass nodata={values[y, x]}"
            )
        return values, wall

    def copy_plain(self, rows: Rows, walls: Walls, weights: Weights) -> int:
        """Copy rows if they are integers that are weights as they are, without a wall.

        Returns the largest, 0 where rows are not like that. A raster of 6,000 x 4,000 such costs takes 6 ms, and 20 by
        `find_walls`.
        """
        values, hidden = rows
        if values.dtype.kind not in "iu" or (hidden is not None and hidden.any()):
            return 0
        least, most = int(values.min()), int(values.max())
        if least < 1 or most > LARGEST_WEIGHT or any(least <= number <= most for number in self.nodata):
            return 0
        walls[:], weights[:] = 1, values
        return most


def read_costs(costs: Any, scale: Any = None, nodata: Any = None) -> CostMap:
    """Return walls and weights from an array of costs (see `Grid.from_costs`).

    >>> read = read_costs([[0.5, np.nan, 2.0]], scale=0.1)
    >>> read.walls.tolist(), read.weights.tolist(), read.scale
    ([[1, 0, 1]], [[5, 1, 20]], 0.1)
    """
    return read_cost_source(ArraySource(costs), scale, nodata)


def read_cost_source(source: CostSource, scale: Any = None, nodata: Any = None, where: str = "") -> CostMap:
    """Return walls and weights from a raster that is read a few rows at a time; errors begin with `where`."""
    if len(source.shape) != 2 or source.dtype.kind not in "iuf":
        raise WaygridError(
            f"{where}costs are an array of (height, width) of integers or floats, not {source.dtype} of shape "
            f"{source.shape}"
        )
    if not (0 < math.prod(source.shape) <= LARGEST_MAP and max(source.shape) <= LARGEST_SIDE):
        raise WaygridError(
            f"{where}costs have at least one cell, at most {LARGEST_SIDE} per side and {LARGEST_MAP} in all, not "
            f"{source.shape}"
        )
    declared, reader = check_scale(scale), _Reader(source, check_nodata(nodata), where)
    if declared is None:
        declared = 1.0 if source.dtype.kind in "iu" else _choose_scale(reader)
    walls, weights = np.empty(source.shape, np.uint8), np.empty(source.shape, np.uint16)
    rounding, equal = 0.0, True
    for first, last in reader.spans():
        rows = source.rows(first, last)
        most = reader.copy_plain(rows, walls[first:last], weights[first:last]) if declared == 1 else 0
        if most > 0:
            equal = equal and most == 1
            continue
        values, wall = reader.find_walls(rows, first)
        steps = values
        if declared != 1 or source.dtype.kind == "f":
            with np.errstate(over="ignore", invalid="ignore"):
                steps = np.rint(values.astype(np.float64) / declared)
        if (bad := ~wall & ((steps < 1) | (steps > LARGEST_WEIGHT))).any():
            _refuse_steps(reader, values, steps, bad, declared, first)
        weights[first:last] = np.where(wall, 1, steps)
        equal = equal and bool((weights[first:last] == 1).all())
        np.logical_not(wall, out=walls[first:last].view(np.bool_))
        if steps is not values and not wall.all():
            rounding = max(rounding, _find_rounding(values[~wall], steps[~wall] * declared))
    return CostMap(walls, None if equal else weights, declared, rounding)


def _find_rounding(costs: npt.NDArray[Any], kept: npt.NDArray[Any]) -> float:
    """Return the largest difference of two costs, without those that are no larger than the costs are exact."""
    off = np.abs(costs - kept)
    return float(np.where(off <= _precision(costs) * kept, 0, off).max())


def _precision(costs: npt.NDArray[Any]) -> float:
    """Return by what share of a number a few roundings of it may be off."""
    eps = float(np.finfo(np.float64).eps)
    return 8 * (max(eps, float(np.finfo(costs.dtype).eps)) if costs.dtype.kind == "f" else eps)


def check_scale(scale: Any) -> float | None:
    """Check the step to which costs are rounded."""
    if scale is None:
        return None
    number = isinstance(scale, (int, float, np.integer, np.floating)) and not isinstance(scale, bool)
    if not number or not 0 < scale <= LARGEST_FLOAT:
        raise WaygridError(f"scale is {show(scale)}; allowed are finite numbers above 0")
    return float(scale)


def check_nodata(nodata: Any) -> tuple[float, ...]:
    """Check the costs that mark walls: one number or several. NaN equals nothing; NaN cells are walls anyway."""
    numbers = () if nodata is None else tuple(nodata) if isinstance(nodata, (list, tuple, set)) else (nodata,)
    for number in numbers:
        if not isinstance(number, (int, float, np.integer, np.floating)) or isinstance(number, bool):
            raise WaygridError(f"nodata is {show(nodata)}; allowed are a number, several, and None")
    return tuple(number.item() if isinstance(number, np.generic) else number for number in numbers)


# --- A scale for floats without one -----------------------------------------------------------------------------------


class _Range:
    """The smallest and the largest cost with their places, and the coarsest power of ten that all are multiples of."""

    def __init__(self) -> None:
        self.least, self.most = math.inf, 0.0
        self.least_at = self.most_at = (0, 0)
        self.decimals = 0

    def widen(self, values: npt.NDArray[Any], wall: Mask, first: int) -> None:
        """Take in the costs of some rows."""
        if wall.all():
            return
        for take, fill in ((np.argmin, np.inf), (np.argmax, 0)):
            y, x = divmod(int(take(np.where(wall, fill, values))), values.shape[1])
            cost = float(values[y, x])
            if cost < self.least:
                self.least, self.least_at = cost, (x, first + y)
            if cost > self.most:
                self.most, self.most_at = cost, (x, first + y)
        costs, close = values[~wall].astype(np.float64), _precision(values)
        while self.decimals <= _DECIMALS:
            with np.errstate(over="ignore", invalid="ignore"):
                steps = costs * 10.0**self.decimals
                if (np.abs(steps - np.rint(steps)) <= close * steps).all():
                    break
            self.decimals += 1


def _choose_scale(reader: _Reader) -> float:
    """Return a step for costs that are floats.

    The decimals that all costs have, where that is exact. Otherwise 1, 2 or 5 times a power of ten: the smallest cost
    has at least 1000 steps if 65535 reach for the largest then, and as many as possible if not.
    """
    found = _Range()
    for first, last in reader.spans():
        found.widen(*reader.read(first, last), first)
    if not found.most:  # walls only
        return 1.0
    if found.decimals <= _DECIMALS and found.most * 10.0**found.decimals <= LARGEST_WEIGHT + 0.5:
        return float(f"1e-{found.decimals}")
    step = _nice(max(found.least / _FINE, _LEAST_STEP), up=False)
    if found.most / step > LARGEST_WEIGHT:
        step = _nice(found.most / LARGEST_WEIGHT, up=True)
    if found.least / step < _COARSE:
        raise WaygridError(
            f"{reader.where}costs go from {found.least:g} at {found.least_at} to {found.most:g} at {found.most_at}; "
            f"{LARGEST_WEIGHT} steps of one size cannot tell the small ones apart; pass scale={step:g} to round them "
            "to that, or limit the range"
        )
    return step


def _nice(value: float, *, up: bool) -> float:
    """Return the next number of the form 1, 2 or 5 times a power of ten, upwards or downwards.

    >>> _nice(0.0137, up=True), _nice(0.0137, up=False)
    (0.02, 0.01)
    """
    power = math.floor(math.log10(value))
    ladder = [float(f"{digit}e{power + more}") for more in (-1, 0, 1) for digit in (1, 2, 5)]
    return min(n for n in ladder if n >= value) if up else max(n for n in ladder if n <= value)


def _first(bad: Mask) -> tuple[int, int]:
    y, x = divmod(int(bad.argmax()), bad.shape[1])
    return x, y


def _refuse_steps(
    reader: _Reader, values: npt.NDArray[Any], steps: npt.NDArray[Any], bad: Mask, unit: float, first: int
) -> NoReturn:
    x, y = _first(bad)
    raise WaygridError(
        f"{reader.where}cost {values[y, x]} at ({x}, {first + y}) is {steps[y, x]:.0f} steps of scale {unit:g}; "
        f"allowed are 1 to {LARGEST_WEIGHT} steps, so choose a {'smaller' if steps[y, x] < 1 else 'larger'} scale"
    )
