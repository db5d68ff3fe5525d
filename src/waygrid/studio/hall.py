"""The example of a robot's map: a floor of 16 m x 10 m, with doors, pillars and a passage that is too narrow."""

from __future__ import annotations

import numpy as np

from waygrid.formats.georeference import Georeference
from waygrid.studio.model import Terrain

RESOLUTION = 0.1  # metres per cell
_WIDE, _HIGH = 160, 100  # cells
_ORIGIN = (-8.0, -5.0)  # of the lower left corner, in metres
_WALL, _DOOR = 2, 10  # cells


def make_hall() -> Terrain:
    """Return the floor.

    >>> hall = make_hall()
    >>> hall.passable.shape, hall.place.to_world((0, 99)).round(2).tolist()
    ((100, 160), [-7.95, -4.95])
    """
    free = np.ones((_HIGH, _WIDE), np.bool_)
    free[:_WALL] = free[-_WALL:] = False
    free[:, :_WALL] = free[:, -_WALL:] = False
    for top, doors in ((38, (16, 58, 104, 146)), (58, (30, 86, 128))):  # both sides of the corridor
        free[top : top + _WALL] = False
        for x in doors:
            free[top : top + _WALL, x - _DOOR // 2 : x + _DOOR // 2] = True
    for x in (38, 80, 122):
        free[:38, x : x + _WALL] = False
    free[60:, 58 : 58 + _WALL] = free[60:, 106 : 106 + _WALL] = False
    free[18:23, 38 : 38 + _WALL] = True  # 0.5 m: too narrow for most robots
    free[76:87, 106 : 106 + _WALL] = True
    for y in range(66, 96, 9):  # shelves
        free[y : y + 2, 66:98] = False
    for y in (10, 26):  # pillars and tables
        for x in (92, 108):
            free[y : y + 4, x : x + 4] = False
    free[12:20, 54:68] = False
    free[70:86, 20:26] = False
    yy, xx = np.mgrid[:_HIGH, :_WIDE]
    for x in (28, 74, 118):
        free[np.hypot(xx - x, yy - 49) < 2.6] = False
    place = Georeference.from_resolution(RESOLUTION, _ORIGIN, image_height=_HIGH)
    return Terrain(free, None, place=place)
