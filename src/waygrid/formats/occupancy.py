"""Occupancies (-1 unknown, 0 free to 100 occupied) and costs of cost maps (0 to 255) as walls and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show
from waygrid.formats.georeference import Georeference
from waygrid.formats.mapdata import MapData

UNKNOWN_RULES = ("wall", "free", "error")
FREE, OCCUPIED, UNKNOWN = 0, 100, -1
INSCRIBED, LETHAL, NO_INFORMATION = 253, 254, 255  # of cost maps


def read_occupancies(
    cells: npt.NDArray[Any],
    *,
    unknown: Any = "wall",
    threshold: Any = 65,
    weighted: bool = False,
    georeference: Georeference | None = None,
    where: str = "",
) -> MapData:
    """Return the map of occupancies (height, width): cells from the threshold on are walls, those below are free.

    weighted: occupancies below the threshold become weights, 1 + occupancy.

    >>> read_occupancies(np.array([[0, 30, 100, -1]])).passable.tolist()
    [[True, True, False, False]]
    >>> read_occupancies(np.array([[0, 30, 100, -1]]), unknown="free", weighted=True).weights.tolist()
    [[1, 31, 1, 1]]
    """
    if isinstance(threshold, bool) or not isinstance(threshold, (int, np.integer)) or not 1 <= threshold <= 100:
        raise WaygridError(f"{where}threshold is {show(threshold)}; allowed are the integers 1 to 100")
    if not isinstance(weighted, (bool, np.bool_)):
        raise WaygridError(f"{where}weighted is {show(weighted)}; allowed are true and false")
    odd = (cells < UNKNOWN) | (cells > OCCUPIED)
    if odd.any():
        y, x = np.unravel_index(int(odd.argmax()), odd.shape)
        raise WaygridError(f"{where}occupancy {cells[y, x]} at ({x}, {y}); allowed are -1 (unknown) and 0 to 100")
    walls = cells >= threshold
    _add_unknown(walls, cells == UNKNOWN, unknown, where)
    weights = None
    if weighted:
        weights = np.where(walls | (cells == UNKNOWN), 1, cells.astype(np.int16) + 1).astype(np.uint16)
    return MapData(~walls, _drop_plain(weights), None, georeference)


def read_cost_cells(
    cells: npt.NDArray[Any], *, unknown: Any = "wall", georeference: Georeference | None = None, where: str = ""
) -> MapData:
    """Return the map of a cost map: 253 (inscribed) and 254 (lethal) are walls, other costs become weights, 1 + cost.

    >>> read_cost_cells(np.array([[0, 99, 253, 254, 255]]), unknown="free").weights.tolist()
    [[1, 100, 1, 1, 1]]
    """
    odd = (cells < 0) | (cells > NO_INFORMATION)
    if odd.any():
        y, x = np.unravel_index(int(odd.argmax()), odd.shape)
        raise WaygridError(f"{where}cost {cells[y, x]} at ({x}, {y}); allowed are 0 to 255")
    walls = (cells == INSCRIBED) | (cells == LETHAL)
    _add_unknown(walls, cells == NO_INFORMATION, unknown, where)
    weights = np.where(walls | (cells == NO_INFORMATION), 1, cells.astype(np.int16) + 1).astype(np.uint16)
    return MapData(~walls, _drop_plain(weights), None, georeference)


def _add_unknown(walls: npt.NDArray[np.bool_], hidden: npt.NDArray[np.bool_], unknown: Any, where: str) -> None:
    """Make walls of unknown cells, or refuse them, as the caller says."""
    if unknown not in UNKNOWN_RULES:
        raise WaygridError(f"{where}unknown is {show(unknown)}; allowed are {', '.join(UNKNOWN_RULES)}")
    if unknown == "wall":
        walls |= hidden
    elif unknown == "error" and hidden.any():
        y, x = np.unravel_index(int(hidden.argmax()), hidden.shape)
        raise WaygridError(
            f"{where}{int(hidden.sum())} cells are unknown, the first at ({x}, {y}); pass unknown='wall' or 'free'"
        )


def _drop_plain(weights: npt.NDArray[np.uint16] | None) -> npt.NDArray[np.uint16] | None:
    return weights if weights is not None and (weights != 1).any() else None


def write_steps(data: MapData, wall: int, most: int, what: str, where: str = "") -> npt.NDArray[np.int16]:
    """Return a number for each cell: `wall`, or weight - 1, at most `most`."""
    if data.scale != 1:
        raise WaygridError(f"{where}{what} cannot store the scale {data.scale:g} of costs")
    if data.weights is None:
        return np.where(data.passable, 0, wall).astype(np.int16)
    dear = data.passable & (data.weights > most + 1)
    if dear.any():
        y, x = np.unravel_index(int(dear.argmax()), dear.shape)
        raise WaygridError(
            f"{where}weight {data.weights[y, x]} at ({x}, {y}); {what} can store weights of 1 to {most + 1}"
        )
    return np.where(data.passable, data.weights.astype(np.int32) - 1, wall).astype(np.int16)


def arrange(data: Any, width: Any, height: Any, name: str) -> npt.NDArray[Any]:
    """Return the flat data of a message as an array (height, width)."""
    for side, value in (("width", width), ("height", height)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise WaygridError(f"{side} is {show(value)}; allowed are the integers from 1")
    # The data of a message is an array.array of bytes or a list: both are read at once.
    array = np.asarray(data)
    if array.dtype.kind not in "iu" or array.ndim not in (1, 2) or array.size != int(width) * int(height):
        raise WaygridError(
            f"{name} has shape {array.shape} of {array.dtype}; {show(width)} x {show(height)} cells need "
            f"{show(int(width) * int(height))} integers, row by row"
        )
    return array.reshape(int(height), int(width))


def read_pose(resolution: Any, origin: Any, image_height: int | None = None) -> Georeference:
    """Return the place of a robot's map: its origin is (x, y) or (x, y, yaw) of the lower left corner.

    >>> read_pose(0.05, (-3, -2)).to_world((0, 0)).round(3).tolist()
    [-2.975, -1.975]
    """
    try:
        numbers = [float(part) for part in origin]
    except (TypeError, ValueError, OverflowError):
        numbers = []
    if len(numbers) not in (2, 3):
        raise WaygridError(f"origin is {show(origin)}; allowed are (x, y) and (x, y, yaw), in metres and radians")
    yaw = numbers[2] if len(numbers) == 3 else 0.0
    return Georeference.from_resolution(resolution, numbers[:2], yaw, image_height=image_height)


def find_pose(place: Georeference, height: int) -> tuple[float, tuple[float, float, float], bool]:
    """Return resolution, origin (x, y, yaw) of the lower left corner, and whether row 0 is the lowest.

    >>> find_pose(Georeference.from_resolution(0.5, (-3, -2), image_height=10), 10)
    (0.5, (-3.0, -2.0, 0.0), False)
    """
    a, b, c, d, e, f = place.transform
    if place.distortion != "refuse" or place.crs is not None:
        raise WaygridError("a robot's map has square cells and no coordinate system; only its transform can be stored")
    low = a * e - b * d > 0
    x, y = (c, f) if low else (c + b * height, f + e * height)
    return place.cell_size, (x, y, float(np.arctan2(d, a))), low
