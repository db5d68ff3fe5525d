"""Images of robots' maps: how bright each pixel is, from PGM and PNG files."""

from __future__ import annotations

import io
import re
import struct
import warnings
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError
from waygrid.formats.mapdata import MAX_CELLS, check_size

MAX_PIXELS = 2**26  # of a PNG, which is unpacked into four bytes each; a PGM may be as large as a map
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_TOKEN = re.compile(rb"(?:[ \t\r\n\v\f]|#[^\r\n]*[\r\n])*([0-9]{1,9})")
_SPACE = b" \t\r\n\v\f"


class Brightness(NamedTuple):
    """The channels of an image: whole numbers 0 to `most`, (height, width) each, grey or red, green and blue."""

    channels: list[npt.NDArray[np.integer]]
    most: int
    alpha: npt.NDArray[np.integer] | None

    def average(self, with_alpha: bool) -> npt.NDArray[np.float64]:
        """Return how bright each pixel is, 0 to 1; with_alpha: opaqueness counts like a colour.

        A grey image counts as one of three equal colours.
        """
        colours = self.channels * (3 // len(self.channels))
        total = np.zeros(self.channels[0].shape, np.float64)
        for channel in colours:
            total += channel
        count = len(colours)
        if with_alpha and self.alpha is not None:
            total += self.alpha
            count += 1
        total /= count
        total /= self.most
        return total


def read_image(data: bytes, name: str, *, max_cells: int = MAX_CELLS) -> Brightness:
    """Return the brightness of a PGM or PNG file.

    >>> read_image(b"P2 # grey\\n2 1 255\\n0 204", "a.pgm").average(False).tolist()
    [[0.0, 0.8]]
    """
    if data.startswith((b"P5", b"P2")):
        return _read_pgm(data, name, max_cells)
    if data.startswith(_SIGNATURE):
        return _read_png(data, name, min(max_cells, MAX_PIXELS))
    raise WaygridError(f"{name}: not a PGM or PNG image; convert it, other kinds are not read")


def _read_pgm(data: bytes, name: str, max_cells: int) -> Brightness:
    numbers, place = [], 2
    for what in ("width", "height", "largest grey"):
        found = _TOKEN.match(data, place)
        if found is None or found.end(1) == len(data) or data[found.end(1)] not in _SPACE + b"#":
            raise WaygridError(f"{name}: a PGM image without a {what}")
        numbers.append(int(found[1]))
        place = found.end(1)
    width, height, most = numbers
    check_size(width, height, name, max_cells=max_cells)
    if not 1 <= most <= 65535:
        raise WaygridError(f"{name}: largest grey {most}; allowed are 1 to 65535")
    if data[1:2] == b"2":
        cells = _read_plain(data[place:], width * height, name)
    else:
        kind = np.dtype(np.uint8 if most < 256 else ">u2")
        body = memoryview(data)[place + 1 :]
        if len(body) < width * height * kind.itemsize:
            raise WaygridError(
                f"{name}: {len(body)} bytes of pixels; {width} x {height} need {width * height * kind.itemsize}"
            )
        cells = np.frombuffer(body, kind, width * height)
    if int(cells.max()) > most:
        raise WaygridError(f"{name}: grey {int(cells.max())} in an image whose largest grey is {most}")
    return Brightness([cells.reshape(height, width)], most, None)


def _read_plain(text: bytes, count: int, name: str) -> npt.NDArray[np.integer]:
    """Return the numbers of a PGM that is written in digits."""
    text = re.sub(rb"#[^\r\n]*", b"", text)
    if text.translate(None, b"0123456789" + _SPACE):
        raise WaygridError(f"{name}: the pixels of a P2 image must be whole numbers")
    words = text.split(maxsplit=count)
    if len(words) < count:
        raise WaygridError(f"{name}: {len(words)} pixels; the image needs {count}")
    if max(map(len, words[:count])) > 9:
        raise WaygridError(f"{name}: a pixel of more than 9 digits")
    return np.array([int(word) for word in words[:count]], np.int64)


def _read_png(data: bytes, name: str, max_cells: int) -> Brightness:
    from PIL import Image

    if len(data) < 33 or data[12:16] != b"IHDR":
        raise WaygridError(f"{name}: a damaged PNG image")
    # The size is checked before Pillow reads the file: its own guard only warns, and its limit can be changed.
    width, height, depth = struct.unpack(">IIB", data[16:25])
    check_size(width, height, name, max_cells=max_cells)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=["PNG"]) as picture:
                picture.load()
                if picture.size != (width, height):
                    raise WaygridError(f"{name}: a damaged PNG image: it has two sizes")
                clear = "transparency" in picture.info
                if depth == 16 and picture.mode in ("I", "I;16") and not clear:
                    return Brightness([np.asarray(picture).astype(np.uint16)], 65535, None)
                if picture.mode in ("1", "L") and not clear:
                    return Brightness([np.asarray(picture.convert("L"))], 255, None)
                bands = picture.mode.endswith("A") or clear
                pixels = np.asarray(picture.convert("RGBA" if bands else "RGB"))
    except WaygridError:
        raise
    except Exception as error:  # Pillow keeps no closed list of what a broken file can raise
        reason = (str(error).splitlines() or [type(error).__name__])[0][:100]
        raise WaygridError(f"{name}: a PNG image that cannot be read ({reason})") from error
    colours = [pixels[:, :, band] for band in range(3)]
    return Brightness(colours, 255, pixels[:, :, 3] if bands else None)


def write_pgm(pixels: npt.NDArray[np.uint8]) -> bytes:
    """Return the bytes of a PGM file of these greys.

    >>> write_pgm(np.array([[0, 254]], np.uint8))
    b'P5\\n2 1\\n255\\n\\x00\\xfe'
    """
    height, width = pixels.shape
    return f"P5\n{width} {height}\n255\n".encode() + np.ascontiguousarray(pixels).tobytes()
