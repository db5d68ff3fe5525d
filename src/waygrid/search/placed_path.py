"""The part of paths and batches that knows where the cells lie in the world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError
from waygrid.grid.placed import require_place
from waygrid.search.poses import make_poses

if TYPE_CHECKING:
    from waygrid.search.path import Batch, Path, Sizes


class PlacedPath:
    """A path in the coordinates of its grid."""

    __slots__ = ()
    _sizes: Sizes

    @property
    def coordinates(self) -> npt.NDArray[np.float64]:
        """The centres of all cells in the coordinates of the grid, (k, 2); see `Grid.to_world` for other cells."""
        return require_place(self._sizes.place).to_world(cast("Path", self).cells)

    @property
    def headings(self) -> npt.NDArray[np.float64]:
        """The direction in which each cell is left, (k,): radians against the clock from the x axis, -pi to pi.

        The last cell has the heading of the one before; a single one has 0. In the coordinates of the grid.
        """
        return make_poses(self.coordinates)[:, 2]

    @property
    def poses(self) -> npt.NDArray[np.float64]:
        """The waypoints as a robot drives to them, (k, 3): x, y and heading in the coordinates of the grid.

        >>> import waygrid as wg
        >>> grid = wg.Grid([[1, 1], [1, 1]], georeference=wg.Georeference.from_resolution(0.5, origin=(-3, -2)))
        >>> wg.make_finder("astar", grid).find((0, 0), (1, 1)).poses.round(3).tolist()
        [[-2.75, -1.75, 0.785], [-2.25, -1.25, 0.785]]
        """
        return make_poses(require_place(self._sizes.place).to_world(cast("Path", self).waypoints))

    def to_geojson(self, crs: str | None = None) -> dict[str, Any]:
        """Return the path as a GeoJSON Feature: a line through its waypoints, with status, cost and length.

        Coordinates and length are those of the grid. crs: coordinates in another CRS; web maps want "EPSG:4326".

        >>> import waygrid as wg
        >>> grid = wg.Grid([[1, 1, 1]], georeference=wg.Georeference.from_resolution(10, origin=(500, 200)))
        >>> path = wg.make_finder("astar", grid).find((0, 0), (2, 0))
        >>> path.to_geojson()["geometry"], path.to_geojson()["properties"]["length"]
        ({'type': 'LineString', 'coordinates': [[505.0, 205.0], [525.0, 205.0]]}, 20.0)
        """
        from waygrid.search.geojson import make_feature

        return make_feature(cast("Path", self), self._sizes.place, crs)


class PlacedBatch:
    """Paths of a batch in the coordinates of their grid."""

    _sizes: Sizes

    @property
    def coordinates(self) -> npt.NDArray[np.float64]:
        """The centres of the cells of all paths in the coordinates of the grid, (total, 2), as `cells`."""
        cells = cast("Batch", self).cells
        if cells is None:
            raise WaygridError("the batch was computed with paths=False and has no cells")
        return require_place(self._sizes.place).to_world(cells)

    def to_geojson(self, crs: str | None = None) -> dict[str, Any]:
        """Return all paths as a GeoJSON FeatureCollection, a Feature for each query, as `Path.to_geojson` makes it."""
        from waygrid.search.geojson import make_collection

        return make_collection(cast("Batch", self), self._sizes.place, crs)
