"""Coordinates of cells: what a grid knows about its place in the world."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show
from waygrid.formats.georeference import Affine, Georeference


class Placed:
    """The part of a grid that knows where its cells lie."""

    _georeference: Georeference | None
    _width: int
    _height: int

    @property
    def georeference(self) -> Georeference | None:
        """Where the cells lie in the world; None if the grid does not know."""
        return self._georeference

    @property
    def transform(self) -> Affine | None:
        """The affine transform from columns and rows to coordinates, in the order of rasterio."""
        return None if self._georeference is None else self._georeference.transform

    @property
    def crs(self) -> str | None:
        """The coordinate reference system, such as "EPSG:32632"; None if there is none."""
        return None if self._georeference is None else self._georeference.crs

    def to_world(self, cells: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the coordinates of the centres of cells (x, y); (n, 2), or (2,) for one cell.

        Points between them, such as those of straight paths and curves, have fractions.

        >>> import waygrid as wg
        >>> grid = wg.Grid([[1, 1], [1, 1]], georeference=wg.Georeference.from_resolution(0.05, origin=(-3, -2)))
        >>> grid.to_world([(0, 0), (1, 1)]).round(3).tolist()
        [[-2.975, -1.975], [-2.925, -1.925]]
        >>> grid.to_world((0.5, 0.5)).round(3).tolist()
        [-2.95, -1.95]
        """
        array = _pairs("cells", cells, "iuf", "numbers")
        return require_place(self._georeference).to_world(array)

    def to_cell(self, points: npt.ArrayLike) -> Any:
        """Return the cell (x, y) in which a point lies; for an (n, 2) array of points an (n, 2) array of cells.

        >>> import waygrid as wg
        >>> grid = wg.Grid([[1, 1], [1, 1]], georeference=wg.Georeference.from_resolution(0.05, origin=(-3, -2)))
        >>> grid.to_cell((-2.93, -1.99)), grid.to_cell([(-2.93, -1.99), (-3, -2)]).tolist()
        ((1, 0), [[1, 0], [0, 0]])
        >>> grid.to_cell((0, 0))
        Traceback (most recent call last):
        waygrid.errors.WaygridError: point (0, 0) is outside the map, whose corners are (-3, -2) and (-2.9, -1.9)
        """
        array = _pairs("points", points, "iuf", "numbers")
        place = require_place(self._georeference)
        found = np.floor(place.to_grid(array))
        inside = ((found >= 0) & (found < (self._width, self._height))).all(axis=-1)
        if not np.all(inside):
            x, y = array if array.ndim == 1 else array[int(np.argmin(inside))]
            ends = place.to_world([(-0.5, -0.5), (self._width - 0.5, self._height - 0.5)])
            corners = " and ".join(f"({px:.10g}, {py:.10g})" for px, py in ends.tolist())
            raise WaygridError(f"point ({x:.10g}, {y:.10g}) is outside the map, whose corners are {corners}")
        cells = found.astype(np.int32)
        return (int(cells[0]), int(cells[1])) if cells.ndim == 1 else cells


def require_place(place: Georeference | None) -> Georeference:
    """Return a georeference that is there."""
    if place is None:
        raise WaygridError(
            "the grid has no coordinates; read it from a GeoTIFF or xarray, or pass georeference=wg.Georeference(...)"
        )
    return place


def _pairs(name: str, value: Any, kinds: str, numbers: str) -> npt.NDArray[Any]:
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.zeros(0)
    if array.ndim not in (1, 2) or array.shape[-1] != 2 or array.dtype.kind not in kinds:
        raise WaygridError(f"{name} is {show(value)}; allowed are two {numbers} (x, y), or an (n, 2) array of them")
    return array
