"""Parses the argument that names the cells of an edit."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from waygrid.errors import WaygridError, show


class Window(NamedTuple):
    """A rectangle of cells: x0 <= x < x1, y0 <= y < y1."""

    x0: int
    y0: int
    x1: int
    y1: int


class Place(NamedTuple):
    """An index into [y, x] arrays and the smallest window around it."""

    index: Any
    window: Window


def as_list(cells: Any) -> Any:
    """Return a set, a dictionary's keys, a generator or a path of cells as a list; anything else unchanged.

    >>> as_list({(2, 1)}), as_list((2, 1)), as_list(cell for cell in [(0, 1)])
    ([(2, 1)], (2, 1), [(0, 1)])
    """
    if isinstance(cells, (Sequence, np.ndarray, str, bytes)) or hasattr(cells, "__array__"):
        return cells
    if not isinstance(cells, Iterable):
        return cells
    listed = list(cells)
    # Two numbers from a set are not a cell: their order is arbitrary.
    return [(cell,) if isinstance(cell, (int, np.integer)) else cell for cell in listed]


def locate(where: Any, width: int, height: int) -> Place:
    """Parse (x, y), a list of such cells, (slice_x, slice_y) or a (height, width) mask.

    >>> locate((2, 1), 5, 4).window
    Window(x0=2, y0=1, x1=3, y1=2)
    """
    if type(where) is tuple and len(where) == 2:
        x, y = where
        if type(x) is int and type(y) is int and 0 <= x < width and 0 <= y < height:  # a cell: no more to look at
            return Place((y, x), Window(x, y, x + 1, y + 1))
        if isinstance(x, slice) and isinstance(y, slice):
            return _rectangle(x, y, width, height)
    if isinstance(where, np.ndarray) and where.ndim == 2 and where.dtype == np.bool_:
        if where.shape != (height, width):
            raise WaygridError(f"the mask has shape {where.shape}, the map has {(height, width)} (height, width)")
        ys, xs = np.flatnonzero(where.any(axis=1)), np.flatnonzero(where.any(axis=0))
        if ys.size == 0:
            return Place(where, Window(0, 0, 0, 0))
        return Place(where, Window(int(xs[0]), int(ys[0]), int(xs[-1]) + 1, int(ys[-1]) + 1))
    cells = _cells(where)
    if cells is not None:
        index = (_inside("y", cells[:, 1], height), _inside("x", cells[:, 0], width))
        (x0, y0), (x1, y1) = cells.min(axis=0).tolist(), cells.max(axis=0).tolist()
        return Place(index, Window(x0, y0, x1 + 1, y1 + 1))
    try:
        across, down = where
    except (TypeError, ValueError):
        raise WaygridError(
            f"{show(where)} names no cells; allowed are (x, y), a list of those, (slice_x, slice_y) and a mask of bools"
        ) from None
    return _rectangle(across, down, width, height)


def _rectangle(across: Any, down: Any, width: int, height: int) -> Place:
    """Return the cells of a span of columns and one of rows."""
    xs_range, ys_range = _span("x", across, width), _span("y", down, height)
    index = (slice(ys_range.start, ys_range.stop, ys_range.step), slice(xs_range.start, xs_range.stop, xs_range.step))
    if len(xs_range) == 0 or len(ys_range) == 0:
        return Place(index, Window(0, 0, 0, 0))
    return Place(index, Window(xs_range[0], ys_range[0], xs_range[-1] + 1, ys_range[-1] + 1))


def locate_patch(shape: tuple[int, ...], x: int, y: int, width: int, height: int) -> Place:
    """Return where a patch of a (height, width) lies whose top-left cell is (x, y).

    >>> locate_patch((2, 3), 1, 0, 5, 4).window
    Window(x0=1, y0=0, x1=4, y1=2)
    """
    for axis, first, size, most in (("x", x, shape[1], width), ("y", y, shape[0], height)):
        if not isinstance(first, (int, np.integer)) or isinstance(first, bool) or not 0 <= first <= most - size:
            allowed = f"allowed are 0 to {most - size}" if size <= most else f"it is larger than the map, {most}"
            raise WaygridError(f"{axis} = {show(first)} does not place {size} cells inside the map; {allowed}")
    return Place(
        (slice(y, y + shape[0]), slice(x, x + shape[1])), Window(int(x), int(y), int(x) + shape[1], int(y) + shape[0])
    )


def _cells(where: Any) -> Any:
    """Return an (n, 2) array of cells, or None if that is not what is meant."""
    try:
        array = np.asarray(where)
    except ValueError:
        return None
    return array if array.ndim == 2 and array.shape[1] == 2 and len(array) and array.dtype.kind in "iu" else None


def _inside(axis: str, values: Any, size: int) -> Any:
    bad = (values < 0) | (values >= size)
    if bad.any():
        raise WaygridError(f"{axis} = {values[np.argmax(bad)]} is outside the map; allowed are 0 to {size - 1}")
    return values


def _span(axis: str, value: Any, size: int) -> range:
    if isinstance(value, slice):
        for part in (value.start, value.stop, value.step):
            if part is not None and not isinstance(part, (int, np.integer)):
                raise WaygridError(f"the slice of {axis} has {show(part)}; allowed are integers")
        if value.step is not None and value.step < 1:
            raise WaygridError(f"the slice of {axis} has step {value.step}; allowed are steps of 1 and more")
        return range(*value.indices(size))
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        if not 0 <= value < size:
            raise WaygridError(f"{axis} = {value} is outside the map; allowed are 0 to {size - 1}")
        return range(int(value), int(value) + 1)
    raise WaygridError(f"{axis} is {show(value)}; allowed are an integer or a slice")
