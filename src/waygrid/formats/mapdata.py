"""The data that every map format reads and writes: two arrays, with their validation."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waygrid.errors import WaygridError
from waygrid.formats.georeference import Georeference
from waygrid.formats.rules import LARGEST_MAP as MAX_CELLS
from waygrid.formats.rules import LARGEST_SIDE as MAX_SIDE
from waygrid.formats.rules import LARGEST_WEIGHT as MAX_WEIGHT
from waygrid.formats.rules import read_walls, read_weights, row_spans

__all__ = ["MAX_CELLS", "MAX_SIDE", "MAX_WEIGHT", "MapData", "check_map", "check_size", "distinct_weights"]


class MapData(NamedTuple):
    """A map as arrays of shape (height, width): passable cells, and the cost of entering each cell.

    ``weights`` is None for a map without terrain costs. The weight of a wall has no meaning and is 1. ``topology`` is
    that of the file, None if the format does not store it; so is ``georeference``, where the cells lie in the world.
    ``scale`` is the cost of a weight of 1, and ``rounding`` the most by which rounding to it changed a cost.

    >>> data = MapData(np.array([[True, False]]), None)
    >>> data.passable.shape
    (1, 2)
    """

    passable: NDArray[np.bool_]
    weights: NDArray[np.uint16] | None = None
    topology: str | None = None
    georeference: Georeference | None = None
    scale: float = 1.0
    rounding: float = 0.0


def check_size(width: int, height: int, where: str, *, max_cells: int = MAX_CELLS) -> None:
    """Refuse an empty map and one that is too large, before memory is allocated for it.

    >>> check_size(0, 4, "a.map")
    Traceback (most recent call last):
    waygrid.errors.WaygridError: a.map: a map of 0 x 4 cells; each side must be 1 to 65535
    """
    if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
        raise WaygridError(f"{where}: a map of {width} x {height} cells; each side must be 1 to {MAX_SIDE}")
    if width * height > max_cells:
        raise WaygridError(f"{where}: a map of {width} x {height} cells; at most {max_cells} cells are allowed")


def check_map(data: MapData, where: str) -> MapData:
    """Return the map with a boolean array, and weights as uint16 that are 1 in walls; refuse invalid arrays.

    >>> check_map(MapData(np.array([[1, 0]]), np.array([[7, 9]])), "a.map").weights
    array([[7, 1]], dtype=uint16)
    """
    if np.ndim(data.passable) == 2:
        height, width = np.shape(data.passable)
        check_size(width, height, where)
    if _has_types(data) and (checked := _check_rows(data)) is not None:
        return checked
    walls = read_walls(data.passable, where=f"{where}: ")
    passable = walls.view(np.bool_)
    if data.weights is None:
        return data._replace(passable=passable)
    weights = read_weights(data.weights, walls, where=f"{where}: ")
    return data._replace(passable=passable, weights=np.where(passable, weights, 1).astype(np.uint16))


def _has_types(data: MapData) -> bool:
    """Return whether the arrays have the types and the order in memory that `check_map` returns."""
    arrays = [(data.passable, np.bool_)] + ([] if data.weights is None else [(data.weights, np.uint16)])
    return all(
        type(array) is np.ndarray and array.dtype == kind and array.ndim == 2 and array.flags.c_contiguous
        for array, kind in arrays
    )


def _check_rows(data: MapData) -> MapData | None:
    """Check a map of the right types some rows at a time; a large one is copied only to have weights of 1 in walls.

    None if something is wrong with it.
    """
    passable, weights = data.passable, data.weights
    if weights is None:
        return data
    if weights.shape != passable.shape:
        return None
    equal = True
    for rows in row_spans(passable.shape):
        if (passable[rows] & (weights[rows] == 0)).any():
            return None
        equal = equal and not (~passable[rows] & (weights[rows] != 1)).any()
    return data if equal else data._replace(weights=np.where(passable, weights, np.uint16(1)))


def distinct_weights(data: MapData) -> NDArray[np.uint16]:
    """Return the different weights of the passable cells, ascending.

    >>> distinct_weights(MapData(np.array([[True, True, False]]), np.array([[5, 2, 9]], np.uint16)))
    array([2, 5], dtype=uint16)
    """
    if data.weights is None:
        return np.ones(1, np.uint16)
    # Counting beats sorting here: there are only 65536 possible values, and maps have millions of cells.
    counts = np.zeros(MAX_WEIGHT + 1, np.int64)
    for rows in row_spans(data.passable.shape):
        counts += np.bincount(data.weights[rows][data.passable[rows]], minlength=counts.size)
    return np.flatnonzero(counts).astype(np.uint16)
