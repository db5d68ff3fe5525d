"""Maps from the page: files, generated maps, and drawn terrain."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from waygrid.errors import WaygridError, show
from waygrid.formats import SUFFIXES, MapData, geotiff, read_map, ros_map, scenario, tiled
from waygrid.formats.files import decode
from waygrid.formats.georeference import Georeference
from waygrid.grid.generate import generate_passable
from waygrid.studio.limits import StudioLimits
from waygrid.studio.model import Terrain, check_cells
from waygrid.studio.wire import pack, unpack


def open_file(name: str, data: bytes, limits: StudioLimits) -> tuple[Terrain, str | None]:
    """Read the bytes of a map file; return the terrain and the topology, if the file has one.

    The name only selects the format; it is never used as a path. The file is read from an otherwise empty folder.
    """
    shown = PurePosixPath(name.replace("\\", "/")).name[:100] or "map"
    suffix = PurePosixPath(shown).suffix.lower()
    if suffix not in SUFFIXES:
        raise WaygridError(f"{shown}: suffix {show(suffix)} is not a map format; allowed are {' '.join(SUFFIXES)}")
    _check_size(suffix, data, limits)
    with TemporaryDirectory(prefix="waygrid-studio-") as folder:
        path = Path(folder) / f"map{suffix}"
        try:
            if suffix == ".tmx":  # a few lines of it can be a map of any size, known only when they are read
                read = tiled.parse(data, shown, folder=folder, max_cells=limits.cells)
            else:
                path.write_bytes(data)
                if suffix in (".tif", ".tiff"):
                    check_cells(*geotiff.read_size(path), limits)
                read = read_map(path)
        except WaygridError as error:
            raise WaygridError(str(error).replace(str(path), shown).replace(folder, "")) from None
    height, width = read.passable.shape
    check_cells(width, height, limits)
    return make_terrain(read), read.topology


def make_terrain(data: MapData) -> Terrain:
    """Return a terrain; weights that are all 1 are dropped."""
    weights = data.weights
    if weights is not None and (weights[data.passable] == 1).all():
        weights = None
    return Terrain(np.ascontiguousarray(data.passable, np.bool_), weights, place=data.georeference)


def open_robot_map(name: str, message: bytes, limits: StudioLimits) -> Terrain:
    """Read a map of ROS: a message with its description, `text`, and its image; names are only shown."""
    header, arrays = unpack(message)
    shown = PurePosixPath(name.replace("\\", "/")).name[:100] or "map.yaml"
    text, image = arrays.get("text"), arrays.get("image")
    if text is None:
        raise WaygridError(f"{shown}: the description of the map is missing")
    if text.size > ros_map.MAX_TEXT:
        raise WaygridError(f"{shown}: {text.size} bytes; the description of a map has at most {ros_map.MAX_TEXT}")
    info = ros_map.parse_info(decode(text.tobytes(), shown), shown)
    if image is None:
        needed = PurePosixPath(info.image.replace("\\", "/")).name[:100]
        raise WaygridError(f"{shown}: its image {show(needed)} is missing; choose or drop both files together")
    read = ros_map.judge_map(
        info,
        image.tobytes(),
        (shown, str(header.get("image"))[:100]),
        unknown=header.get("unknown"),
        max_cells=limits.cells,
    )
    return make_terrain(read)


def _check_size(suffix: str, data: bytes, limits: StudioLimits) -> None:
    """Refuse small files that would become large maps, before anything is unpacked."""
    if suffix == ".png" and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        check_cells(width, height, limits)


def generate_terrain(asked: Mapping[str, Any], limits: StudioLimits) -> Terrain:
    """Generate the map that the page requests: kind, width, height, seed and the options of the kind."""
    options = {str(name): value for name, value in asked.items() if name not in ("kind", "width", "height", "seed")}
    sides = [asked.get(side) for side in ("width", "height")]
    for name, side in zip(("width", "height"), sides, strict=True):
        if isinstance(side, bool) or not isinstance(side, int) or not 1 <= side <= 65535:
            raise WaygridError(f"{name} is {show(side)}; allowed are the integers from 1 to 65535")
    width, height = (int(side) for side in sides if side is not None)
    check_cells(width, height, limits)
    return Terrain(generate_passable(str(asked.get("kind")), width, height, asked.get("seed", 0), **options), None)


def receive_terrain(message: bytes, limits: StudioLimits) -> Terrain:
    """Return the terrain in a message of the page."""
    header, arrays = unpack(message)
    width, height, walls = header.get("width"), header.get("height"), arrays.get("walls")
    if type(width) is not int or type(height) is not int or width < 1 or height < 1 or walls is None:
        raise WaygridError("a terrain needs width, height and an array of walls")
    check_cells(width, height, limits)
    weights = arrays.get("weights")
    for name, array in (("walls", walls), ("weights", weights)):
        if array is not None and (array.size != width * height or array.dtype.kind != "u"):
            raise WaygridError(f"{name} has {array.size} numbers of {array.dtype} for a map of {width} x {height}")
    shape = (height, width)
    passable = walls.reshape(shape) != 0
    priced = None if weights is None else weights.reshape(shape).astype(np.uint16)
    return make_terrain(MapData(passable, priced, georeference=_read_place(header.get("place"))))


def _read_place(place: Any) -> Georeference | None:
    """Return where the page says that the map lies; the coordinate system is of no use here."""
    if place is None:
        return None
    if not isinstance(place, Mapping) or not isinstance(place.get("transform"), list):
        raise WaygridError(f"place is {show(place)}; allowed is an object with a transform of six numbers")
    return Georeference(place["transform"])


def pack_terrain(key: str, terrain: Terrain, **more: Any) -> bytes:
    """Return a terrain as a message for the page."""
    height, width = terrain.passable.shape
    arrays: dict[str, Any] = {"walls": terrain.passable.astype(np.uint8).ravel()}
    if terrain.weights is not None:
        arrays["weights"] = terrain.weights.ravel()
    place = None
    if terrain.place is not None:
        place = {"transform": list(terrain.place.transform), "crs": terrain.place.crs}
    return pack({"id": key, "width": width, "height": height, "place": place, **more}, arrays)


def read_problems(data: bytes, width: int, height: int, limits: StudioLimits) -> dict[str, Any]:
    """Read a scenario file for a map; return the number of problems and the first of them."""
    read = scenario.parse(data, "scenario")
    if len(read.starts) and (read.sizes != (width, height)).any():
        named = " x ".join(str(side) for side in read.sizes[0].tolist())
        raise WaygridError(f"the scenario is for a map of {named} cells, not of {width} x {height}")
    starts, goals, costs = (array[: limits.problems].tolist() for array in (read.starts, read.goals, read.costs))
    rows = [[*start, *goal, cost] for start, goal, cost in zip(starts, goals, costs, strict=True)]
    return {"rows": len(read.starts), "problems": rows}
