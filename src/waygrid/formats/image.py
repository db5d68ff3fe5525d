"""Maps as PNG images, one pixel per cell.

A pixel is a wall if it is dark (luma below ``threshold``, 0 black to 255 white) or fully transparent; all others are
passable. A map with weights is written as a palette image: walls are nearly black, weight 1 is white, heavier ground
goes from yellow to red, all light enough for other programs to read as passable. A text chunk ``waygrid:weights`` holds
the weight of each palette entry as a JSON list (0 = wall). With it the map is read exactly, whatever the threshold.
"""

import io
import json
import os
import struct
import warnings

import numpy as np
from numpy.typing import NDArray
from PIL import Image, PngImagePlugin

from waygrid.errors import WaygridError, show
from waygrid.formats.files import PathLike, read_bytes, write_atomically
from waygrid.formats.mapdata import MAX_WEIGHT, MapData, check_map, check_size, distinct_weights

MAX_PIXELS = 2**26
WEIGHTS_KEY = "waygrid:weights"

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_WALL = (32, 32, 32)
# White, yellow, orange, red: each stop is darker than the one before, the last still has luma 142. Blue changes by 90
# or more from stop to stop, so that even 255 weights (85 steps between stops) get 255 different colours.
_STOPS = ((255, 255, 255), (255, 240, 110), (255, 170, 0), (235, 105, 90))


def _palette(weights: list[int]) -> list[tuple[int, int, int]]:
    """A colour for each ascending weight, by rank; whole numbers only, so that it is the same everywhere."""
    # Without a weight of 1 the ramp starts one step later: white is kept for plain ground.
    first = 0 if weights and weights[0] == 1 else 1
    steps = max(len(weights) - 1 + first, 1)
    colours = []
    for rank in range(len(weights)):
        along = (rank + first) * (len(_STOPS) - 1)
        stop, part = divmod(along, steps)
        low, high = _STOPS[stop], _STOPS[min(stop + 1, len(_STOPS) - 1)]
        red, green, blue = ((a * (steps - part) + b * part) // steps for a, b in zip(low, high, strict=True))
        colours.append((red, green, blue))
    return colours


def _read_weights(picture: Image.Image, text: str, name: str) -> MapData:
    """The weights that the text chunk gives to the palette entries."""
    try:
        weights = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WaygridError(f"{name}: the text {WEIGHTS_KEY!r} is not JSON") from error
    if not (
        isinstance(weights, list)
        and 1 <= len(weights) <= 256
        and all(type(weight) is int and 0 < weight <= MAX_WEIGHT for weight in weights[1:])
        and type(weights[0]) is int
        and weights[0] == 0
    ):
        raise WaygridError(
            f"{name}: the text {WEIGHTS_KEY!r} must be a list of 0 and up to 255 weights of 1 to {MAX_WEIGHT}"
        )
    colours = [part for colour in (_WALL, *_palette(weights[1:])) for part in colour]
    # An editor that sorts or converts colours would silently change every weight, so this is an error.
    if picture.mode != "P" or (picture.getpalette("RGB") or [])[: len(colours)] != colours:
        raise WaygridError(
            f"{name}: its colours were changed and no longer match the text {WEIGHTS_KEY!r}; remove that text"
        )
    entries = np.asarray(picture)
    if entries.max() >= len(weights):
        raise WaygridError(f"{name}: palette entry {entries.max()} has no weight; {len(weights)} are given")
    cells = np.array(weights, np.uint16)[entries]
    return MapData(cells != 0, np.maximum(cells, 1))


def _shades(picture: Image.Image, depth: int) -> tuple[NDArray[np.integer], NDArray[np.bool_] | None]:
    """Luma 0 to 255 and, where the image knows transparency, which pixels are fully transparent."""
    key = picture.info.get("transparency")
    if picture.mode in ("1", "L", "I;16", "I"):
        # Pillow clips 16-bit greys instead of scaling them, and keeps the transparent grey in file units.
        if picture.mode == "1":
            picture, key = picture.convert("L"), key and 255  # 1 or 255, by the version of Pillow
        grey = np.asarray(picture)
        if depth in (2, 4) and key is not None:
            key = key * 255 // (2**depth - 1)
        clear = None if key is None else grey == key
        return (grey >> 8 if depth == 16 else grey), clear
    colour = picture.convert("RGBA")
    return np.asarray(colour.convert("L")), np.asarray(colour.getchannel("A")) == 0


def parse(data: bytes, name: str = "image", *, threshold: int = 128) -> MapData:
    """Return the map in the bytes of a PNG file; error messages begin with ``name``.

    >>> stream = io.BytesIO()
    >>> Image.fromarray(np.array([[0, 90, 200]], np.uint8)).save(stream, "PNG")
    >>> parse(stream.getvalue()).passable
    array([[False, False,  True]])
    >>> parse(stream.getvalue(), threshold=60).passable
    array([[False,  True,  True]])
    """
    if isinstance(threshold, bool) or not isinstance(threshold, int) or not 1 <= threshold <= 255:
        raise WaygridError(f"{name}: threshold {show(threshold)}; allowed are 1 to 255")
    if len(data) < 33 or not data.startswith(_SIGNATURE) or data[12:16] != b"IHDR":
        raise WaygridError(f"{name}: not a PNG image")
    # The size is checked before Pillow reads the file: its own guard only warns, and its limit can be changed.
    width, height, depth = struct.unpack(">IIB", data[16:25])
    check_size(width, height, name, max_cells=MAX_PIXELS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=["PNG"]) as picture:
                picture.load()
                if picture.size != (width, height):
                    raise WaygridError(f"{name}: a damaged PNG image: it has two sizes")
                text = picture.info.get(WEIGHTS_KEY)
                if isinstance(text, str):
                    return _read_weights(picture, text, name)
                shades, clear = _shades(picture, depth)
    except WaygridError:
        raise
    except Exception as error:  # Pillow keeps no closed list of what a broken file can raise
        raise WaygridError(f"{name}: a PNG image that cannot be read ({_first_line(error)})") from error
    passable = shades >= threshold
    if clear is not None:
        passable &= ~clear
    return MapData(np.ascontiguousarray(passable), None)


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return lines[0][:100] if lines else type(error).__name__


def read(path: PathLike, *, threshold: int = 128) -> MapData:
    """Read a PNG map; see the module for what is a wall."""
    return parse(read_bytes(path, 2**29), os.fspath(path), threshold=threshold)


def write(path: PathLike, data: MapData) -> None:
    """Write a PNG map: black and white, or a palette with up to 255 different weights."""
    name = os.fspath(path)
    data = check_map(data, name)
    height, width = data.passable.shape
    check_size(width, height, name, max_cells=MAX_PIXELS)
    stream = io.BytesIO()
    if data.weights is None:
        Image.fromarray(np.where(data.passable, 255, 0).astype(np.uint8)).save(stream, "PNG")
    else:
        found = distinct_weights(data)
        if len(found) > 255:
            raise WaygridError(f"{name}: a .png can store 255 different weights, not {len(found)}; use .npy or .tmx")
        entries = np.where(data.passable, np.searchsorted(found, data.weights) + 1, 0).astype(np.uint8)
        weights = found.tolist()
        picture = Image.fromarray(entries)
        picture.putpalette([part for colour in (_WALL, *_palette(weights)) for part in colour])
        notes = PngImagePlugin.PngInfo()
        notes.add_text(WEIGHTS_KEY, json.dumps([0, *weights]))
        picture.save(stream, "PNG", pnginfo=notes, bits=8)
    write_atomically(path, stream.getvalue())
