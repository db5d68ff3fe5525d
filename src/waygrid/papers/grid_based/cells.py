"""Where the cells of the four grids lie in the plane, all of area 1, so that one goal can be asked of each grid."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

GRIDS = ("hex", "tex", "octile", "tile")  # in the order of Yap's Table 1

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_HEX_HEIGHT = math.sqrt(2 / math.sqrt(3))  # a hexagon of area 1, from flat side to flat side
# Width of a column, height of a cell, and how much higher odd columns sit, in cells.
_SHAPES = {
    "tile": (1.0, 1.0, 0.0),
    "octile": (1.0, 1.0, 0.0),
    "tex": (1.0, 1.0, 0.5),
    "hex": (_HEX_HEIGHT * math.sqrt(3) / 2, _HEX_HEIGHT, 0.5),
}


def ring(radius: float, directions: int) -> Floats:
    """Return points (x, y) at this distance from the origin, evenly spread over all directions.

    >>> ring(2.0, 2).round(3).tolist()
    [[0.0, 2.0], [-0.0, -2.0]]
    """
    angle = (np.arange(directions) + 0.5) * (2 * np.pi / directions)
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def nearest(topology: str, points: Floats) -> Ints:
    """Return the cell (x, y) whose centre is nearest to each point; cell (0, 0) has its centre at the origin.

    >>> nearest("tex", np.array([[1.1, -0.4], [2.2, 3.1]])).tolist()
    [[1, 0], [2, 3]]
    """
    pitch, height, lift = _SHAPES[topology]
    best = np.zeros(points.shape, np.int64)
    least = np.full(len(points), np.inf)
    for aside in (-1, 0, 1):  # with shifted columns the nearest centre may lie in the column next to the point's own
        x = np.rint(points[:, 0] / pitch).astype(np.int64) + aside
        up = lift * (x & 1)
        y = np.rint(points[:, 1] / height + up).astype(np.int64)
        squared = (x * pitch - points[:, 0]) ** 2 + ((y - up) * height - points[:, 1]) ** 2
        closer = squared < least
        best[closer] = np.stack([x, y], axis=1)[closer]
        least[closer] = squared[closer]
    return best
