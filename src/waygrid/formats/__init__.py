"""Maps, scenarios, indexes and traces as files.

A map file becomes a :class:`MapData`, two arrays and nothing else, so a format can be used without the rest of the
package. Each format lives in a module of its own, imported when it is first needed; `FORMATS` lists them.
"""

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any, NamedTuple, cast

from waygrid.errors import WaygridError, show
from waygrid.formats.files import PathLike
from waygrid.formats.mapdata import MapData

__all__ = ["FORMATS", "SUFFIXES", "Format", "MapData", "read_map", "stores_coordinates", "write_map"]


class Format(NamedTuple):
    """A format of maps: its module, its name, the weights it can hold, and the options of reading and writing."""

    module: str
    name: str
    weights: str
    reading: Mapping[str, Any] = {}  # defaults
    writing: Mapping[str, Any] = {}
    scaled: bool = False  # whether it stores what a weight of 1 costs
    placed: bool = False  # whether it stores coordinates


_RASTER = {"band": 1, "scale": None, "nodata": None, "distortion": "refuse"}
_ROBOT = {"unknown": "wall", "threshold": None, "weighted": True}
_LDTK = {"level": None, "layer": None, "walls": None, "weights": None}
FORMATS = {
    ".map": Format("movingai", "MovingAI", "up to 4 different ones", writing={"topology": "octile"}),
    ".png": Format("image", "image, a pixel per cell", "up to 255 different ones", reading={"threshold": 128}),
    ".npy": Format("array", "NumPy array", "any"),
    ".txt": Format("text", "a drawing in plain text", "1 to 9"),
    ".tmx": Format("tiled", "Tiled editor", "any", reading={"layer": None, "property": None, "weight": None}),
    ".tif": Format("geotiff", "GeoTIFF, costs with coordinates", "any", reading=_RASTER, scaled=True, placed=True),
    ".tiff": Format("geotiff", "the same", "any", reading=_RASTER, scaled=True, placed=True),
    ".yaml": Format("ros_map", "ROS map_server, with a .pgm or .png", "1 to 100", reading=_ROBOT, placed=True),
    ".yml": Format("ros_map", "the same", "1 to 100", reading=_ROBOT, placed=True),
    ".ldtk": Format("ldtk", "LDtk editor, an IntGrid layer", "any", reading=_LDTK),
    ".json": Format("plain_json", "a list of costs, from Godot and others", "any", placed=True),
}

SUFFIXES = tuple(FORMATS)


def _find(path: PathLike) -> tuple[str, Format]:
    if not isinstance(path, (str, PurePath)) and not hasattr(path, "__fspath__"):
        raise WaygridError(f"{show(path)} is not a file name")
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        shown = f"suffix {show(suffix)}" if suffix else "a name without a suffix"
        raise WaygridError(f"{os.fspath(path)}: {shown} is not a map format; allowed are {' '.join(SUFFIXES)}")
    return suffix, FORMATS[suffix]


def _check_options(path: PathLike, options: dict[str, Any], allowed: Mapping[str, Any], doing: str) -> None:
    for option in options:
        if option not in allowed:
            names = f"allowed are {', '.join(allowed)}" if allowed else "it has none"
            raise WaygridError(f"{os.fspath(path)}: {doing} this format has no option {show(option)}; {names}")


def stores_coordinates(path: PathLike) -> bool:
    """Return whether the format of a file name stores where the cells of a map lie.

    >>> stores_coordinates("hall.yaml"), stores_coordinates("hall.png")
    (True, False)
    """
    return _find(path)[1].placed


def read_map(path: PathLike, **options: Any) -> MapData:
    """Read a map; its suffix, in upper or lower case, names the format.

    >>> read_map("a.x")
    Traceback (most recent call last):
    waygrid.errors.WaygridError: a.x: suffix '.x' is not a map format; allowed are .map .png .npy .txt .tmx .tif \
.tiff .yaml .yml .ldtk .json
    """
    _, chosen = _find(path)
    _check_options(path, options, chosen.reading, "reading")
    read = cast(Callable[..., MapData], import_module(f"waygrid.formats.{chosen.module}").read)
    return read(path, **options)


def write_map(path: PathLike, data: MapData, **options: Any) -> None:
    """Write a map atomically, in the format of its suffix; raises an error if the format cannot store it.

    >>> import tempfile
    >>> from waygrid.formats.text import parse
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_map(f"{folder}/a.map", parse("..#\\n#.."))
    ...     read_map(f"{folder}/a.map").passable.astype(int)
    array([[1, 1, 0],
           [0, 1, 1]])
    """
    _, chosen = _find(path)
    _check_options(path, options, chosen.writing, "writing")
    if data.scale != 1 and not chosen.scaled:
        suffixes = " ".join(suffix for suffix, one in FORMATS.items() if one.scaled)
        raise WaygridError(
            f"{os.fspath(path)}: this format cannot store the scale {data.scale:g} of costs; {suffixes} can"
        )
    write = cast(Callable[..., None], import_module(f"waygrid.formats.{chosen.module}").write)
    write(path, data, **options)
