"""Paths as GeoJSON: lines in the coordinates of their map."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show
from waygrid.formats.georeference import Georeference
from waygrid.formats.gis import load_package
from waygrid.grid.placed import require_place

if TYPE_CHECKING:
    from waygrid.search.path import Batch, Path


def make_feature(path: Path, place: Georeference | None, crs: str | None) -> dict[str, Any]:
    """Return a path as a Feature: a LineString through its waypoints, with status, cost and length."""
    made = _describe(path, require_place(place), crs)
    return {**made, **_name_crs(crs or require_place(place).crs)}


def make_collection(batch: Batch, place: Georeference | None, crs: str | None) -> dict[str, Any]:
    """Return all paths of a batch as a FeatureCollection; each Feature has the number of its query as id."""
    known = require_place(place)
    features = [{"id": number, **_describe(path, known, crs)} for number, path in enumerate(batch)]
    return {"type": "FeatureCollection", "features": features, **_name_crs(crs or known.crs)}


def _describe(path: Path, place: Georeference, crs: str | None) -> dict[str, Any]:
    points, geometry = place.to_world(path.waypoints.reshape(-1, 2)), None
    length = float(np.hypot(*np.diff(points, axis=0).T).sum()) if len(points) > 1 else 0.0
    if len(points):
        shown = (points if crs is None else reproject(points, place.crs, crs)).tolist()
        geometry = {"type": "LineString", "coordinates": shown} if len(shown) > 1 else _point(shown[0])
    cost = path.cost if math.isfinite(path.cost) else None
    properties = {"status": path.status.name, "cost": cost, "length": length}
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _point(coordinates: list[float]) -> dict[str, Any]:
    """Return a path of one cell; a line has two points."""
    return {"type": "Point", "coordinates": coordinates}


def _name_crs(crs: str | None) -> dict[str, Any]:
    """Return the member that names a CRS other than longitude and latitude, as GDAL and QGIS read it."""
    found = re.fullmatch(r"([A-Za-z]+):(\w+)", crs or "")
    if found is None or found[0].upper() in ("EPSG:4326", "OGC:CRS84"):
        return {}
    name = f"urn:ogc:def:crs:{found[1].upper()}::{found[2]}"
    return {"crs": {"type": "name", "properties": {"name": name}}}


def reproject(points: npt.NDArray[np.float64], source: str | None, target: Any) -> npt.NDArray[np.float64]:
    """Return points (x, y) in another CRS."""
    if not isinstance(target, str):
        raise WaygridError(f'crs is {show(target)}; allowed are a name such as "EPSG:4326", a text in WKT, and None')
    if source is None:
        raise WaygridError(f"crs is {show(target)}, but the grid does not know the CRS of its own coordinates")
    warp = load_package("rasterio.warp", "another CRS")
    try:
        x, y = warp.transform(source, target, points[:, 0], points[:, 1])[:2]
    except Exception as error:  # of several classes, from rasterio and from GDAL
        raise WaygridError(f"crs is {show(target)}, to which {show(source)} cannot be converted") from error
    return np.stack((x, y), axis=1)
