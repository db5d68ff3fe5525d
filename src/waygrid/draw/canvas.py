"""The colours of pictures, and which pixels of a picture belong to which cell on each of the four grids."""

import math
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waygrid.errors import WaygridError, show

Colour = tuple[int, int, int]
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

TOPOLOGIES = ("tile", "octile", "hex", "tex")
AUTO_SIDE = 1200  # pixels of the longer side when no scale is given, within a third
MAX_AUTO_SIDE = 4096  # maps with more cells than this are shrunk when no scale is given
MAX_PIXELS = 2**27
SMOOTH_PIXELS = 2**22  # up to here edges of hexes and lines are drawn finer and averaged
BACKGROUND = (255, 255, 255)
HEAT = ((255, 240, 160), (184, 226, 160), (66, 182, 196), (40, 112, 184), (72, 48, 144))  # from low to high, evenly


@dataclass(frozen=True)
class Palette:
    """The colours of one style of picture, as red, green, blue.

    >>> PALETTES["standard"].wall
    (64, 66, 72)
    """

    wall: Colour
    ground: Colour
    light: Colour  # the smallest weight above 1
    heavy: Colour  # the largest weight
    opened: Colour
    closed: Colour
    closed_last: Colour  # where the order of expansion is known, closed cells go from `closed` to this
    path: Colour
    outline: Colour
    start: Colour
    goal: Colour


PALETTES = {
    "standard": Palette(
        wall=(64, 66, 72),
        ground=(252, 252, 250),
        light=(253, 240, 210),
        heavy=(176, 108, 58),
        opened=(152, 240, 152),
        closed=(175, 222, 244),
        closed_last=(98, 160, 220),
        path=(255, 214, 0),
        outline=(52, 44, 0),
        start=(0, 190, 40),
        goal=(226, 32, 28),
    ),
    # After Okabe and Ito: blue against orange, and steps in brightness that remain when hues are lost.
    "safe": Palette(
        wall=(52, 52, 52),
        ground=(255, 255, 255),
        light=(244, 236, 226),
        heavy=(150, 122, 96),
        opened=(250, 184, 104),
        closed=(170, 214, 242),
        closed_last=(70, 140, 205),
        path=(240, 228, 66),
        outline=(0, 0, 0),
        start=(0, 80, 160),
        goal=(205, 80, 0),
    ),
}


@dataclass(frozen=True)
class Layout:
    r"""Which pixels belong to which cell; everything in pixels.

               _____
              /     \      scale  height of a cell
        _____/  1,0  \     pitch  from one column to the next
       /     \       /     drop   how much lower the even columns lie
      /  0,0  \_____/      point  how far the corner of a hex reaches into the next column, 0 for squares and bricks
      \       /     \
       \_____/  1,1  \
    """

    width: int
    height: int
    scale: int
    pitch: int
    point: int = 0
    drop: int = 0

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the whole picture."""
        return self.width * self.pitch + self.point, self.height * self.scale + self.drop

    def centres(self, cells: NDArray[Any]) -> Floats:
        """Return the middle of each of (n, 2) cells; on squares also where a point between cells lies."""
        x, y = cells[:, 0], cells[:, 1]
        middle = (self.pitch + self.point) / 2, self.scale / 2
        return np.stack([x * self.pitch + middle[0], y * self.scale + middle[1] + (x % 2 == 0) * self.drop], axis=1)

    def cells(self) -> NDArray[np.int32]:
        """Return the number of the cell under every pixel, y * width + x, or -1."""
        x, y = (np.arange(n, dtype=np.int32) for n in self.size)
        if not self.drop and not self.point:
            return y[:, None] // self.scale * self.width + x // self.pitch
        # Numbers with one more cell on every side, where corners and half cells stick out; these become -1 at the end.
        stride = self.width + 2
        pattern = self._pattern(stride)
        pixels = np.tile(pattern, [-(-n // m) for n, m in zip(self.size[::-1], pattern.shape, strict=True)])
        pixels = pixels[: y.size, : x.size]
        pixels += (y[:, None] // self.scale + 1) * stride + x // (2 * self.pitch) * 2 + 1
        numbers = np.arange(self.height * self.width, dtype=np.int32).reshape(self.height, self.width)
        cells: NDArray[np.int32] = np.pad(numbers, 1, constant_values=-1).ravel()[pixels]
        return cells

    def _pattern(self, stride: int) -> NDArray[np.int32]:
        """Return what repeats: two columns wide and one cell high, the number of the cell next to that of the block."""
        x, y = np.arange(2 * self.pitch), np.arange(self.scale)[:, None]
        column = x // self.pitch
        down = (y - (column % 2 == 0) * self.drop) % self.scale
        slope = self.point * np.abs((2 * down + 1) / self.scale - 1)
        column = column - (x % self.pitch + 0.5 < slope)  # left of the slope is the corner of the column before
        row = (y - (column % 2 == 0) * self.drop) // self.scale
        pattern: NDArray[np.int32] = (row * stride + column).astype(np.int32)
        return pattern


def choose_layout(topology: str, width: int, height: int, scale: int | None) -> tuple[Layout, int]:
    """Choose the layout and the factor by which its picture is shrunk, to smooth hexes or to limit its size."""
    longer = max(height, width * (math.sqrt(3) / 2 if topology == "hex" else 1))
    if scale is None:
        pixels = max(1, round(AUTO_SIDE / longer))
        if topology in ("hex", "tex") and pixels > 1:
            pixels -= pixels % 2  # half a cell in whole pixels
    else:
        pixels = check_scale(scale, width, height)
    layout = make_layout(topology, width, height, pixels)
    if layout.point and math.prod(layout.size) <= SMOOTH_PIXELS:
        return Layout(width, height, 2 * pixels, 2 * layout.pitch, 2 * layout.point, 2 * layout.drop), 2
    return layout, math.ceil(longer / MAX_AUTO_SIDE) if scale is None else 1


def make_layout(topology: str, width: int, height: int, pixels: int) -> Layout:
    """Return the layout of cells that are so many pixels high."""
    pitch = max(1, round(pixels * math.sqrt(3) / 2)) if topology == "hex" else pixels
    point = round(pitch / 3) if topology == "hex" and pixels > 3 else 0  # with fewer pixels a hex is a brick
    drop = pixels // 2 if topology in ("hex", "tex") else 0
    return Layout(width, height, pixels, pitch, point, drop)


def check_scale(scale: Any, width: int, height: int, max_pixels: int = MAX_PIXELS) -> int:
    """Return a number of pixels per cell that is a whole one and gives no larger picture than allowed."""
    try:
        pixels = operator.index(scale)
    except TypeError:
        pixels = 0
    most = max(1, math.isqrt(max_pixels // (width * height)))
    if not 1 <= pixels <= most:
        raise WaygridError(
            f"scale is {show(scale)}; 1 to {most} pixels per cell are allowed on {width} x {height} cells"
        )
    return pixels


def pixel_colours(layout: Layout, colours: Bytes, lines: bool) -> Bytes:
    """Spread the colours of the cells over their pixels, with a line around each cell where wanted."""
    cells = layout.cells()
    table = np.concatenate([colours.reshape(-1, 3), np.array([BACKGROUND], np.uint8)])  # -1 is the last
    pixels: Bytes = table[cells]
    if lines:
        line = find_lines(cells)
        pixels[line] = darken(pixels[line])
    return pixels


def find_lines(cells: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which pixels are the last ones of their cell, to the right or below."""
    line = np.zeros(cells.shape, np.bool_)
    line[:, :-1] = cells[:, :-1] != cells[:, 1:]
    line[:-1] |= cells[:-1] != cells[1:]
    return line


def darken(colours: Bytes) -> Bytes:
    """Return the colours of the lines between cells of these colours."""
    return colours // 8 * 7
