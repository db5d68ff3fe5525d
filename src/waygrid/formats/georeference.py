"""Where the cells of a map lie in the world: an affine transform and a coordinate system.

One mechanism for rasters (a transform and a CRS from a GeoTIFF) and for robots (a resolution and an origin).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show
from waygrid.formats.gis import load_package

REFUSE, IGNORE = "refuse", "ignore"
_ROUNDING = 1e-4  # sides that differ by less are equal: coordinates are often stored as 32-bit floats
_DEGREES = re.compile(r"\s*(GEOGCS|GEOGCRS|GEODCRS|GEOGRAPHICCRS|GEODETICCRS)\s*[\[(]", re.IGNORECASE)
_PLANE = re.compile(r"\s*(PROJCS|PROJCRS|PROJECTEDCRS|LOCAL_CS|ENGCRS|ENGINEERINGCRS)\s*[\[(]", re.IGNORECASE)


class Affine(NamedTuple):
    """x = a * column + b * row + c, y = d * column + e * row + f; (0, 0) is the outer corner of the first cell.

    The order is that of rasterio, so `rasterio.Affine(*transform)` and `Affine(*dataset.transform[:6])` are the same.
    """

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float


@dataclass(frozen=True)
class Georeference:
    """Where cells lie in the world: the transform from columns and rows to coordinates, and the CRS of these.

    transform: six numbers (a, b, c, d, e, f), or what rasterio calls `dataset.transform`. crs: a name such as
    "EPSG:32632" or a text in WKT, or an object of rasterio or pyproj; None if there is none. Cells must be squares of
    one size, however rotated or mirrored: else a step east would cost the same as a longer one north. Cells in degrees
    are no squares. distortion="ignore" takes such cells all the same, and every cell as a square.

    >>> place = Georeference((30.0, 0.0, 500000.0, 0.0, -30.0, 4600000.0))
    >>> place.cell_size, place.to_world([(0, 0), (2, 1)]).tolist()
    (30.0, [[500015.0, 4599985.0], [500075.0, 4599955.0]])
    >>> Georeference((30.0, 0.0, 0.0, 0.0, -20.0, 0.0))
    Traceback (most recent call last):
    waygrid.errors.WaygridError: cells are 30 x 20 (width x height); allowed are squares: resample the raster, or pass \
distortion='ignore' to take every cell as a square
    """

    transform: Affine  #: from columns and rows to coordinates
    crs: str | None = None  #: the coordinate system, None if there is none
    distortion: str = REFUSE  #: refuse, or ignore that cells are no squares

    def __post_init__(self) -> None:
        object.__setattr__(self, "transform", _read_transform(self.transform))
        object.__setattr__(self, "crs", _read_crs(self.crs))
        if not isinstance(self.distortion, str) or self.distortion not in (REFUSE, IGNORE):
            raise WaygridError(f"distortion is {show(self.distortion)}; allowed are {REFUSE}, {IGNORE}")
        if self.distortion == REFUSE:
            _refuse_distortion(self.transform, self.crs)

    @classmethod
    def from_resolution(
        cls,
        resolution: float,
        origin: Iterable[float] = (0.0, 0.0),
        yaw: float = 0.0,
        *,
        image_height: int | None = None,
        crs: str | None = None,
    ) -> Georeference:
        """Return the place of a robot's map: metres per cell, and its lower left corner, (x, y).

        yaw: by how much the map is turned, in radians, against the clock. Row 0 of an array is the lowest; in an image
        it is the topmost: pass its height in cells as image_height.

        >>> Georeference.from_resolution(0.5, origin=(-3, -2)).to_world((0, 0))
        array([-2.75, -1.75])
        >>> Georeference.from_resolution(0.5, origin=(-3, -2), image_height=10).to_world((0, 9))
        array([-2.75, -1.75])
        """
        try:
            x, y = (float(part) for part in origin)
            size, angle = float(resolution), float(yaw)
        except (TypeError, ValueError, OverflowError):
            raise WaygridError(
                f"resolution, origin and yaw are {show(resolution)}, {show(origin)} and {show(yaw)}; "
                "allowed are a number, two numbers and a number"
            ) from None
        if not 0 < size < math.inf:
            raise WaygridError(f"resolution is {show(resolution)}; allowed are finite numbers above 0")
        east, north = size * math.cos(angle), size * math.sin(angle)
        if image_height is None:
            return cls(Affine(east, -north, x, north, east, y), crs)
        top = x - north * image_height, y + east * image_height
        return cls(Affine(east, north, top[0], north, -east, top[1]), crs)

    @property
    def cell_size(self) -> float:
        """The side of a cell, in the units of the coordinates."""
        return math.hypot(self.transform.a, self.transform.d)

    def to_world(self, cells: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the coordinates of the centres of cells (x, y); (n, 2), or (2,) for one cell."""
        array = np.asarray(cells, np.float64) + 0.5
        a, b, c, d, e, f = self.transform
        x, y = array[..., 0], array[..., 1]
        return np.stack((a * x + b * y + c, d * x + e * y + f), axis=-1)

    def to_grid(self, points: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return columns and rows of points (x, y), counted from the corner of the map and not rounded."""
        array = np.asarray(points, np.float64)
        a, b, c, d, e, f = self.transform
        # Coordinates of maps are large numbers: without the offset first, a centimetre is lost in the products.
        x, y = array[..., 0] - c, array[..., 1] - f
        if not b and not d:  # points between two cells, such as 0.5 m at 0.05 m a cell, are hit exactly
            return np.stack((x / a, y / e), axis=-1)
        area = a * e - b * d
        return np.stack(((e * x - b * y) / area, (a * y - d * x) / area), axis=-1)


def _read_transform(value: Any) -> Affine:
    try:
        numbers = [float(part) for part in tuple(value)]
    except (TypeError, ValueError, OverflowError):
        numbers = []
    if len(numbers) == 9 and numbers[6:] == [0.0, 0.0, 1.0]:  # the whole matrix, as rasterio iterates over it
        numbers = numbers[:6]
    if len(numbers) != 6 or not all(map(math.isfinite, numbers)):
        raise WaygridError(f"transform is {show(value)}; allowed are six finite numbers (a, b, c, d, e, f)")
    read = Affine(*numbers)
    if read.a * read.e == read.b * read.d:
        raise WaygridError(f"transform is {show(tuple(read))}; its cells have no area")
    return read


def _read_crs(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return f"EPSG:{value}"
    text = value if isinstance(value, str) else value.to_string() if hasattr(value, "to_string") else None
    if not isinstance(text, str):
        raise WaygridError(f'crs is {show(value)}; allowed are a name such as "EPSG:32632", a text in WKT, and None')
    return text.strip() or None


def is_in_degrees(crs: str) -> bool:
    """Return whether coordinates are longitudes and latitudes. Names of other systems are looked up by rasterio.

    >>> is_in_degrees("OGC:CRS84"), is_in_degrees('PROJCS["somewhere", ...]')
    (True, False)
    """
    if crs.upper() in ("EPSG:4326", "OGC:CRS84") or _DEGREES.match(crs):
        return True
    if _PLANE.match(crs):
        return False
    what = f"the coordinate system {show(crs)}"
    known, quiet = load_package("rasterio.crs", what).CRS, load_package("rasterio", what).Env()
    try:
        with quiet:  # the error below says what is wrong, not PROJ on standard error
            return bool(known.from_user_input(crs).is_geographic)
    except Exception as error:  # of several classes, from rasterio and from GDAL
        raise WaygridError(
            f'crs is {show(crs)}, which is not known; allowed are a name such as "EPSG:32632" and a text in WKT'
        ) from error


def _refuse_distortion(transform: Affine, crs: str | None) -> None:
    """Refuse cells that are no squares on the ground."""
    a, b, _, d, e, _ = transform
    wide, high = math.hypot(a, d), math.hypot(b, e)
    hint = f"pass distortion='{IGNORE}' to take every cell as a square"
    if abs(wide - high) > _ROUNDING * max(wide, high):
        raise WaygridError(
            f"cells are {wide:.10g} x {high:.10g} (width x height); allowed are squares: resample the raster, or {hint}"
        )
    if abs(a * b + d * e) > _ROUNDING * wide * high:
        raise WaygridError(
            f"the transform {show(tuple(transform))} shears cells; allowed are squares, also rotated ones: resample "
            f"the raster, or {hint}"
        )
    if crs is not None and is_in_degrees(crs):
        name = crs if len(crs) < 20 else "longitude and latitude"
        raise WaygridError(
            f"coordinates are degrees ({name}), so cells are narrower the farther they lie from the equator; reproject "
            f"the raster to a system in metres, such as UTM, or {hint}"
        )


def require_georeference(value: Any) -> Georeference | None:
    """Check the argument `georeference` of a grid."""
    if value is not None and not isinstance(value, Georeference):
        raise WaygridError(f"georeference is {show(value)}; allowed are a wg.Georeference and None")
    return value
