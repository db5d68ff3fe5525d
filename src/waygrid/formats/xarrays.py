"""Arrays of xarray: their coordinates as a georeference, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show
from waygrid.formats.georeference import Affine, Georeference
from waygrid.formats.gis import load_package

_ACROSS = ("x", "lon", "longitude", "easting", "eastings", "projection_x_coordinate", "col", "column")
_DOWN = ("y", "lat", "latitude", "northing", "northings", "projection_y_coordinate", "row")
_DEGREES = ("lon", "longitude")  # names of dimensions that count degrees
_UNEVEN = 1e-3  # of a cell: coordinates are often stored as 32-bit floats
_CRS = "spatial_ref"  # the coordinate that holds the CRS, by the conventions of CF and of rioxarray


def read_array(given: Any, distortion: str = "refuse") -> tuple[Any, tuple[float, ...], Georeference | None]:
    """Return the values [y, x] of a DataArray, its fill values, and where its cells lie."""
    xarray = load_package("xarray", "from_xarray")
    if not isinstance(given, xarray.DataArray):
        raise WaygridError(f"{show(given)} is not an xarray.DataArray; pass arrays of NumPy to from_costs")
    array = given.squeeze(drop=True) if given.ndim > 2 else given
    if array.ndim != 2:
        raise WaygridError(
            f"a raster has the dimensions y and x, not {', '.join(map(str, array.dims))}; choose one layer, such as "
            "array.sel(band=1)"
        )
    across, down = _name_axes(array)
    array = array.transpose(down, across)
    # After decoding, _FillValue stands in the encoding and the values are NaN; here it is a value of the array.
    fill = tuple(value for name in ("_FillValue", "missing_value", "nodata") for value in _read_fill(given, name))
    return array.data, fill, _read_place(given, array, across, down, distortion)


def _read_fill(array: Any, name: str) -> list[float]:
    """Return the numbers of an attribute that mark cells without data, but NaN."""
    try:
        values = [float(value) for value in np.ravel(array.attrs.get(name, ()))]
    except (TypeError, ValueError):
        raise WaygridError(f"the attribute {name!r} is {show(array.attrs[name])}; allowed are numbers") from None
    return [value for value in values if not np.isnan(value)]


def _name_axes(array: Any) -> tuple[Any, Any]:
    """Return the dimensions that run across and down: by their names, otherwise the last one runs across."""
    first, last = array.dims
    if _is_axis(array, first, "X", _ACROSS) or _is_axis(array, last, "Y", _DOWN):
        return first, last
    return last, first


def _is_axis(array: Any, name: Any, axis: str, names: tuple[str, ...]) -> bool:
    facts = array[name].attrs if name in array.coords else {}
    return str(name).lower() in names or facts.get("axis") == axis or facts.get("standard_name") in names


def _read_place(given: Any, array: Any, across: Any, down: Any, distortion: str) -> Georeference | None:
    crs = _find_crs(given)
    known = [name in array.coords for name in (across, down)]
    if not all(known):
        if any(known):
            missing = down if known[0] else across
            raise WaygridError(f"the array has no coordinates for {show(str(missing))}; give both or none")
        return None
    x, width = _read_axis(array, across)
    y, height = _read_axis(array, down)
    width, height = width or abs(height) or 1.0, height or abs(width) or 1.0  # a single row is as high as wide
    if crs is None and _counts_degrees(array, across):
        crs = "OGC:CRS84"
    return Georeference(Affine(width, 0.0, x - width / 2, 0.0, height, y - height / 2), crs, distortion)


def _counts_degrees(array: Any, name: Any) -> bool:
    """Tell whether coordinates are longitudes: by their unit, else by their names."""
    facts = array[name].attrs
    if unit := str(facts.get("units", "")).lower():
        return unit.startswith("degree")
    return str(name).lower() in _DEGREES or facts.get("standard_name") in _DEGREES


def _read_axis(array: Any, name: Any) -> tuple[float, float]:
    """Return the first coordinate of a dimension and the step from one to the next, 0 if there is only one."""
    values = np.asarray(array[name].values)
    if values.dtype.kind not in "iuf":
        raise WaygridError(f"the coordinates of {show(str(name))} are {values.dtype}; allowed are numbers")
    values = values.astype(np.float64)
    if len(values) < 2:
        return float(values[0]), 0.0
    step = (values[-1] - values[0]) / (len(values) - 1)
    even = values[0] + step * np.arange(len(values))
    off = ~(np.abs(values - even) <= _UNEVEN * abs(step))  # also where one is NaN
    if off.any() or step == 0:
        k = int(np.argmax(off))
        raise WaygridError(
            f"the coordinates of {show(str(name))} are not evenly spaced: number {k} is {values[k]:.10g}, not "
            f"{even[k]:.10g}; resample the array, or pass its values to from_costs"
        )
    return float(values[0]), float(step)


def _find_crs(array: Any) -> str | None:
    """Return the CRS that a coordinate describes (CF, rioxarray), or an attribute."""
    named = array.encoding.get("grid_mapping") or array.attrs.get("grid_mapping") or _CRS
    facts = array.coords[named].attrs if named in array.coords else {}
    for text in (facts.get("crs_wkt"), facts.get("spatial_ref"), array.attrs.get("crs")):
        if text:
            return _name_crs(str(text))
    return None


def _name_crs(text: str) -> str:
    """Return the short name of a CRS, such as EPSG:32632, where rasterio knows one: GeoJSON has no room for others."""
    try:
        from rasterio import Env
        from rasterio.crs import CRS

        with Env():
            return str(CRS.from_user_input(text).to_string())
    except Exception:  # not installed, or an unknown system, which Georeference refuses where that matters
        return text


def write_array(values: npt.NDArray[Any], place: Georeference | None, name: str) -> Any:
    """Return values [y, x] as a DataArray with the coordinates of the centres of cells."""
    xarray = load_package("xarray", "to_xarray")
    if place is None:
        return xarray.DataArray(values, dims=("y", "x"), name=name)
    a, b, c, d, e, f = place.transform
    if b or d:
        raise WaygridError(
            "the map is rotated, so its cells have no common x and y for xarray; use np.asarray(...) and grid.transform"
        )
    height, width = values.shape
    coords: dict[str, Any] = {"y": f + (np.arange(height) + 0.5) * e, "x": c + (np.arange(width) + 0.5) * a}
    array = xarray.DataArray(values, dims=("y", "x"), coords=coords, name=name)
    if place.crs is not None:
        facts = {"crs_wkt": _as_wkt(place.crs), "GeoTransform": f"{c!r} {a!r} 0.0 {f!r} 0.0 {e!r}"}
        array = array.assign_coords({_CRS: xarray.DataArray(0, attrs=facts)})
        array.encoding["grid_mapping"] = _CRS
    return array


def _as_wkt(crs: str) -> str:
    return str(load_package("rasterio.crs", "to_xarray with a CRS").CRS.from_user_input(crs).to_wkt())
