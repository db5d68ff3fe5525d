"""Grids from files, arrays of costs and xarray, and back."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError
from waygrid.formats.costs import CostMap, read_costs
from waygrid.formats.georeference import Georeference
from waygrid.formats.rules import CheckedMap

if TYPE_CHECKING:
    from waygrid.formats.mapdata import MapData


class ReadsMaps:
    """The part of a grid that reads and writes maps."""

    _passable: npt.NDArray[np.uint8]
    _weights: npt.NDArray[np.uint16] | None
    _exits: npt.NDArray[np.uint8] | None
    _topology: str
    _scale: float
    _rounding: float
    _georeference: Georeference | None

    @classmethod
    def from_file(
        cls,
        path: str | PathLike[str],
        *,
        topology: str | None = None,
        corners: str = "never",
        metric: str | tuple[int, int] = "octile",
        clearance: int = 1,
        rule: str = "enter",
        **options: Any,
    ) -> Self:
        """Read a map, whose suffix names the format. Other options are those of the format (see `docs/formats.md`).

        topology: default: that of the file (the type line of a .map), otherwise octile. rule: as for `from_costs`.
        """
        from waygrid.formats import read_map

        data = read_map(path, **options)
        topology = topology or data.topology or "octile"
        return cls._keep(data, rule, topology=topology, corners=corners, metric=metric, clearance=clearance)

    @classmethod
    def from_costs(
        cls,
        costs: npt.ArrayLike,
        scale: float | None = None,
        rule: str = "enter",
        *,
        nodata: float | list[float] | tuple[float, ...] | None = None,
        topology: str = "octile",
        corners: str = "never",
        metric: str | tuple[int, int] = "octile",
        clearance: int = 1,
        georeference: Georeference | None = None,
    ) -> Self:
        """Return a grid from the cost of entering each cell: a (height, width) array of numbers above 0.

        Cells that are masked, NaN, infinite or equal to nodata (a number, or several) are walls. scale: the step to
        which costs are rounded, 1 to 65535 steps each; `grid.scale` is that step and `grid.rounding` the most by which
        a cost changed. Integers from 1 to 65535 need no scale and are kept as they are. Without one, floats keep their
        decimals if they have few; otherwise the smallest cost gets about 1000 steps. Costs of paths are in your units.
        rule: a move costs its length times the cost of the cell that is entered, or ("mean") the mean of both cells.

        >>> import numpy as np, waygrid as wg
        >>> costs = [[0.5, 2.25, np.nan], [0.5, 0.5, 0.75]]
        >>> grid = wg.Grid.from_costs(costs, scale=0.25, topology="tile")
        >>> grid.weights.tolist(), grid.passable.sum()
        ([[2, 9, 1], [2, 2, 3]], np.int64(5))
        >>> wg.make_finder("astar", grid).find((0, 0), (2, 1)).cost
        1.75
        >>> grid = wg.Grid.from_costs(costs)
        >>> grid.scale, grid.rounding
        (0.01, 0.0)
        """
        rules: dict[str, Any] = {"topology": topology, "corners": corners, "metric": metric, "clearance": clearance}
        return cls._keep(read_costs(costs, scale, nodata), rule, georeference, **rules)

    @classmethod
    def from_xarray(
        cls,
        costs: Any,
        scale: float | None = None,
        rule: str = "enter",
        *,
        nodata: float | list[float] | tuple[float, ...] | None = None,
        distortion: str = "refuse",
        topology: str = "octile",
        corners: str = "never",
        metric: str | tuple[int, int] = "octile",
        clearance: int = 1,
    ) -> Self:
        """Return a grid from an xarray.DataArray of costs; its coordinates become those of the grid.

        Two dimensions, x and y by name or in the order (y, x), evenly spaced, ascending or descending. `_FillValue` and
        NaN are walls. scale, rule and nodata are those of `from_costs`. distortion: see `wg.Georeference`.

        >>> import numpy as np, waygrid as wg, xarray as xr
        >>> costs = xr.DataArray([[1.0, 2.0], [4.0, np.nan]], dims=("y", "x"), coords={"y": [30, 10], "x": [10, 30]})
        >>> grid = wg.Grid.from_xarray(costs)
        >>> grid.to_world((1, 0)).tolist(), grid.to_cell((15, 5)), grid.to_xarray().equals(costs)
        ([30.0, 30.0], (0, 1), True)
        """
        from waygrid.formats.xarrays import read_array

        rules: dict[str, Any] = {"topology": topology, "corners": corners, "metric": metric, "clearance": clearance}
        values, fill, place = read_array(costs, distortion)
        more = () if nodata is None else nodata if isinstance(nodata, (list, tuple)) else (nodata,)
        return cls._keep(read_costs(values, scale, (*fill, *more)), rule, place, **rules)

    @classmethod
    def _keep(cls, read: CostMap | MapData, rule: str, place: Georeference | None = None, **rules: Any) -> Self:
        """Return a grid that keeps arrays which nobody else holds."""
        walls = np.ascontiguousarray(read[0]).view(np.uint8)
        weights = None if read.weights is None else np.require(read.weights, np.uint16, ["C", "W"])
        place = place or getattr(read, "georeference", None)
        if weights is None and rule == "mean" and (place is not None or isinstance(read, CostMap)):
            weights = np.ones(walls.shape, np.uint16)  # a raster whose costs are all the same
        checked: Any = CheckedMap(np.require(walls, requirements=["C", "W"]), weights)
        made = cls(checked, georeference=place, rule=rule, **rules)  # type: ignore[call-arg]
        made._scale, made._rounding = read.scale, read.rounding
        return made

    def to_xarray(self) -> Any:
        """Return the cost of entering each cell as an xarray.DataArray, NaN for walls, with the grid's coordinates."""
        from waygrid.formats.xarrays import write_array

        # Weights fit 24 bits, so half the memory holds them exactly; multiples of another scale may need more.
        kind = np.float32 if self._scale == 1 else np.float64
        costs: Any = np.ones(self._passable.shape, kind) if self._weights is None else self._weights.astype(kind)
        costs *= kind(self._scale)
        costs[self._passable == 0] = np.nan
        return write_array(costs, self._georeference, "cost")

    def save(self, path: str | PathLike[str]) -> None:
        """Write the map (passable cells and weights); the suffix of the file name selects the format.

        .tif, .yaml and .json store coordinates, .tif also a scale of costs. A .yaml gets its image (.pgm) beside it.
        """
        from waygrid.formats import MapData, write_map

        if self._exits is not None:
            raise WaygridError(f"{path}: map files cannot store one-way tiles; remove them before saving")
        passable = self._passable.view(np.bool_)
        write_map(path, MapData(passable, self._weights, self._topology, self._georeference, self._scale))
