"""Numbers per cell with their place in the world: what distances and corridors share."""

from __future__ import annotations

from os import PathLike
from typing import Any, Self

import numpy as np

from waygrid.errors import WaygridError
from waygrid.formats.georeference import Georeference
from waygrid.grid.topology import TOPOLOGIES, Topology
from waygrid.search.path import GridLink

_NO_GRID = GridLink()


class Surface(np.ndarray[Any, np.dtype[np.float64]]):
    """An array [y, x] of numbers for the cells of a grid. Parts of it have no place in the world."""

    _topology: Topology | None = None
    _link: GridLink
    _place: Georeference | None = None
    _whole: tuple[int, ...] = ()  # the shape of the map
    _shown_as = "surface"

    def __array_finalize__(self, other: Any) -> None:
        self._topology = getattr(other, "_topology", None)
        self._link = getattr(other, "_link", _NO_GRID)
        self._place = getattr(other, "_place", None)
        self._whole = getattr(other, "_whole", ())

    def _put_on(self, grid: Any) -> Self:
        """Take over what a grid knows of its cells, and return this surface."""
        self._topology, self._link = TOPOLOGIES[grid.topology], GridLink(grid)
        self._place, self._whole = grid.georeference, (grid.height, grid.width)
        return self

    def to_xarray(self) -> Any:
        """Return the whole map as an xarray.DataArray with the coordinates of the grid; inf becomes NaN.

        >>> import waygrid as wg
        >>> grid = wg.Grid([[1, 1, 0]], georeference=wg.Georeference.from_resolution(10, origin=(500, 200)))
        >>> field = wg.distances(grid, (0, 0)).to_xarray()
        >>> field.values.tolist(), field.x.values.tolist(), float(field.sel(x=515, y=205))
        ([[0.0, 1.0, nan]], [505.0, 515.0, 525.0], 1.0)
        """
        from waygrid.formats.xarrays import write_array

        return write_array(self._finite(np.float64), self._place, self._shown_as)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the whole map as a GeoTIFF of 32-bit floats; inf becomes nodata, which is NaN."""
        from waygrid.formats.geotiff import write_raster

        if not str(path).lower().endswith((".tif", ".tiff")):
            raise WaygridError(f"{path}: the name of a raster must end in .tif or .tiff")
        write_raster(path, self._finite(np.float32), self._place)

    def _finite(self, kind: type) -> Any:
        if self._whole and self.shape != self._whole:
            raise WaygridError(f"only the whole map has coordinates, not a part of shape {self.shape}")
        values: Any = np.array(self, kind)
        values[~np.isfinite(values)] = np.nan
        return values
