"""Maps of ROS (``.yaml`` with a PGM or PNG beside it), as map_server reads and writes them.

The rules are those of nav2's map_server. How occupied a pixel is follows from how dark it is (with ``negate``, how
bright). ``mode: trinary`` makes it occupied above ``occupied_thresh``, free below ``free_thresh``, otherwise unknown;
``scale`` makes 0 to 100 of what lies between, and pixels that are not opaque unknown; ``raw`` takes the numbers 0 to
100 of the image as they are, all others as unknown.

Then an occupancy from ``threshold`` on (default 100 in trinary and scale, where the file has decided; 65 in raw) is a
wall, those below are free, with the weight 1 + occupancy unless ``weighted`` is false. ``unknown`` says what unknown
cells are: wall, free or error.

Row 0 of the grid is the top of the image, as the picture shows it; the coordinates are those of ROS, y upwards.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show
from waygrid.formats.files import PathLike, decode, find_inside, read_bytes, write_atomically
from waygrid.formats.georeference import Georeference
from waygrid.formats.mapdata import MAX_CELLS, MapData, check_map
from waygrid.formats.occupancy import find_pose, read_occupancies, read_pose, write_steps
from waygrid.formats.ros_image import Brightness, read_image, write_pgm

MODES = ("trinary", "scale", "raw")
MAX_TEXT = 2**16  # bytes of the .yaml; real ones have a few hundred
MAX_BRACKETS = 100
_IMAGES = (".pgm", ".png")
_KEYS = ("image", "resolution", "origin", "negate", "occupied_thresh", "free_thresh")
_FREE, _WALL = 254, 0  # greys as map_saver writes them
_DEAREST = 99  # occupancy below 100 that the scale mode stores


class MapInfo(NamedTuple):
    """What the .yaml says."""

    image: str
    resolution: float
    origin: tuple[float, float, float]
    negate: bool
    occupied: float
    free: float
    mode: str


def _load_yaml(text: str, name: str) -> dict[str, Any]:
    """Return the keys and values of a small YAML text: only plain data, no aliases."""
    try:
        import yaml
    except ImportError as error:
        raise WaygridError(f"{name}: reading .yaml needs PyYAML: pip install 'waygrid[robots]'") from error
    brackets = text.count("[") + text.count("{")
    if brackets > MAX_BRACKETS:  # PyYAML's time grows with how deeply they are nested: 10 KB of them take seconds
        raise WaygridError(f"{name}: {brackets} brackets [ and {{; at most {MAX_BRACKETS} are allowed in a map")
    try:
        # A few aliases of aliases stand for more than any memory holds.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.SafeLoader)):
            raise WaygridError(f"{name}: aliases (*name) are not allowed in a map")
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f", line {mark.line + 1}"
        problem = " ".join(str(getattr(error, "problem", None) or "it cannot be read").split())[:100]
        raise WaygridError(f"{name}{line}: not valid YAML ({problem})") from error
    except (RecursionError, ValueError, OverflowError, TypeError, LookupError, AttributeError) as error:
        if isinstance(error, WaygridError):
            raise
        raise WaygridError(f"{name}: not YAML that can be read ({type(error).__name__})") from error
    if not isinstance(found, dict):
        raise WaygridError(f"{name}: not the description of a map; it needs the keys {', '.join(_KEYS)}")
    return found


def _read_number(keys: dict[str, Any], key: str, name: str) -> float:
    return _to_number(keys[key], key, name)


def _to_number(value: Any, key: str, name: str) -> float:
    """Return a number; YAML 1.1 takes 5e-2 for a text, ROS does not."""
    try:
        if isinstance(value, (int, float, str)) and not isinstance(value, bool):
            number = float(value)
            if math.isfinite(number):
                return number
    except (ValueError, OverflowError):
        pass
    raise WaygridError(f"{name}: {key} is {show(value)}; allowed are finite numbers")


def parse_info(text: str, name: str = "map.yaml") -> MapInfo:
    """Return what the text of a .yaml says.

    >>> keys = "image: a.pgm", "resolution: 0.05", "origin: [-3, -2, 0]", "negate: 0", "occupied_thresh: 0.65"
    >>> parse_info("\\n".join([*keys, "free_thresh: 0.2"])).origin
    (-3.0, -2.0, 0.0)
    """
    keys = _load_yaml(text, name)
    for key in _KEYS:
        if key not in keys:
            raise WaygridError(f"{name}: the key {key!r} is missing; a map needs {', '.join(_KEYS)}")
    image, mode, negate, origin = keys["image"], keys.get("mode", "trinary"), keys["negate"], keys["origin"]
    if not isinstance(image, str) or not image:
        raise WaygridError(f"{name}: image is {show(image)}; allowed is a file name")
    if mode not in MODES:
        raise WaygridError(f"{name}: mode is {show(mode)}; allowed are {', '.join(MODES)}")
    if not isinstance(negate, int):
        raise WaygridError(f"{name}: negate is {show(negate)}; allowed are 0 and 1, true and false")
    if not isinstance(origin, list) or len(origin) != 3:
        raise WaygridError(f"{name}: origin is {show(origin)}; allowed are three numbers [x, y, yaw]")
    x, y, yaw = (_to_number(part, "origin", name) for part in origin)
    resolution = _read_number(keys, "resolution", name)
    if resolution <= 0:
        raise WaygridError(f"{name}: resolution is {resolution:g}; allowed are numbers above 0, metres per cell")
    occupied, free = (_read_number(keys, key, name) for key in ("occupied_thresh", "free_thresh"))
    if not 0 <= free < occupied <= 1:
        raise WaygridError(
            f"{name}: free_thresh is {free:g} and occupied_thresh {occupied:g}; allowed are 0 <= free_thresh < "
            "occupied_thresh <= 1"
        )
    return MapInfo(image, resolution, (x, y, yaw), bool(negate), occupied, free, mode)


def judge_pixels(image: Brightness, info: MapInfo) -> npt.NDArray[np.int8]:
    """Return the occupancy of each pixel, -1 where it is unknown, in the rows of the image.

    >>> info = MapInfo("", 0.05, (0, 0, 0), False, 0.65, 0.196, "trinary")
    >>> judge_pixels(Brightness([np.array([[0, 205, 254]])], 255, None), info).tolist()
    [[100, -1, 0]]
    """
    shade = image.average(info.mode == "trinary")
    if info.mode == "raw":
        counts = np.floor(shade * 255 + 0.5)  # halves away from zero; NumPy's own rounding goes to even numbers
        return np.where(counts <= 100, counts, -1).astype(np.int8)
    dark = shade if info.negate else 1.0 - shade
    if info.mode == "trinary":
        between = np.full(shade.shape, -1, np.int8)
    else:
        share = (dark - info.free) / (info.occupied - info.free)
        between = np.rint(np.clip(share, 0, 1) * 100.0).astype(np.int8)
    cells = np.where(dark > info.occupied, 100, np.where(dark < info.free, 0, between)).astype(np.int8)
    if info.mode == "scale" and image.alpha is not None:
        cells[image.alpha != image.most] = -1
    return cells


def _find_image(image: str, folder: Path, name: str) -> Path:
    """Return the file of the image, in the folder of the map or below it."""
    path = find_inside(folder, image)
    if path is None:
        raise WaygridError(f"{name}: image {show(image)} is outside the folder of the map; copy it there")
    if path.suffix.lower() not in _IMAGES:
        raise WaygridError(f"{name}: image {show(image)}; allowed are {' '.join(_IMAGES)}")
    return path


def read(path: PathLike, *, unknown: Any = "wall", threshold: int | None = None, weighted: bool = True) -> MapData:
    """Read a ``.yaml`` and its image; see the module for what is a wall."""
    name = os.fspath(path)
    info = parse_info(decode(read_bytes(path, MAX_TEXT), name), name)
    file = _find_image(info.image, Path(path).parent, name)
    names = name, str(file)
    return judge_map(info, read_bytes(file), names, unknown=unknown, threshold=threshold, weighted=weighted)


def judge_map(
    info: MapInfo,
    image: bytes,
    names: tuple[str, str],
    *,
    unknown: Any = "wall",
    threshold: int | None = None,
    weighted: bool = True,
    max_cells: int = MAX_CELLS,
) -> MapData:
    """Return the map of a description and the bytes of its image; names: those of both, for errors."""
    cells = judge_pixels(read_image(image, names[1], max_cells=max_cells), info)
    place = read_pose(info.resolution, info.origin, len(cells))
    least = (65 if info.mode == "raw" else 100) if threshold is None else threshold
    return read_occupancies(
        cells, unknown=unknown, threshold=least, weighted=weighted, georeference=place, where=f"{names[0]}: "
    )


def write(path: PathLike, data: MapData) -> None:
    """Write a ``.yaml``, and the image beside it under the same name as ``.pgm``.

    A map with weights is written in the mode scale, which holds weights 1 to 100; any other in the mode trinary. A map
    without coordinates gets cells of 1 m and the origin (0, 0).
    """
    name = os.fspath(path)
    data = check_map(data, name)
    height = data.passable.shape[0]
    image = Path(path).with_suffix(".pgm")
    place = data.georeference or Georeference.from_resolution(1.0, image_height=height)
    try:
        resolution, origin, low = find_pose(place, height)
    except WaygridError as error:
        raise WaygridError(f"{name}: {error}") from error
    if data.weights is None:
        pixels = np.where(data.passable, _FREE, _WALL).astype(np.uint8)
        mode, occupied, free = "trinary", "0.65", "0.196"
    else:
        # A grey of 255 - k is k / 255 occupied, and the thresholds make the occupancy k of it, for k up to 100.
        pixels = (255 - write_steps(data, 255, _DEAREST, "a .yaml", f"{name}: ")).astype(np.uint8)
        mode, occupied, free = "scale", "0.392156862745098", "0.0"
    if low:
        pixels = pixels[::-1]
    pose = ", ".join(f"{number!r}" for number in origin)
    text = (
        f"image: {_quote(image.name)}\nmode: {mode}\nresolution: {resolution!r}\norigin: [{pose}]\nnegate: 0\n"
        f"occupied_thresh: {occupied}\nfree_thresh: {free}\n"
    )
    if not image.name.isprintable():
        raise WaygridError(f"{show(name)}: the name has characters that a .yaml cannot store")
    if Path(path).is_dir():
        raise WaygridError(f"cannot write {name}: it is a directory")
    write_atomically(image, write_pgm(pixels))
    write_atomically(path, text.encode())


def _quote(word: str) -> str:
    """Return a word as YAML: in quotes, which every name allows."""
    return "'" + word.replace("'", "''") + "'"
