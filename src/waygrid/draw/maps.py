"""Pictures of maps, searches and paths; Pillow is imported when the first picture is drawn."""

import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from waygrid.draw.canvas import (
    BACKGROUND,
    HEAT,
    PALETTES,
    SMOOTH_PIXELS,
    TOPOLOGIES,
    Bytes,
    Colour,
    Floats,
    Ints,
    Palette,
    choose_layout,
    pixel_colours,
)
from waygrid.errors import WaygridError
from waygrid.formats.files import replacing
from waygrid.grid.drawing import read_map
from waygrid.grid.topology import choose

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

    from waygrid.grid.grid import Grid

_BAND = 2**20  # cells
GRID_LINES_FROM = 8  # pixels per cell
HEAT_LEVELS = 48  # so few that bands of equal distance can be seen


class HasCells(Protocol):
    """What is drawn of a `Path`."""

    @property
    def cells(self) -> NDArray[np.int32]:
        """Every cell that it passes."""


def draw_map(
    passable: "ArrayLike | Grid",
    *,
    weights: ArrayLike | None = None,
    topology: str | None = None,
    path: ArrayLike | HasCells | None = None,
    expanded: ArrayLike | None = None,
    opened: ArrayLike | None = None,
    start: ArrayLike | None = None,
    goal: ArrayLike | None = None,
    scale: int | None = None,
    zones: ArrayLike | None = None,
    heat: ArrayLike | None = None,
    colours: str = "standard",
    lines: bool = True,
) -> "Image":
    """Draw a map and, if given, what a search did on it.

    The map is a `Grid`, drawn with its weights and topology, or an array as for `Grid`, then octile unless `topology`
    names another. `path` is the result of a search, or (n, 2) cells; straight legs are drawn straight. `expanded` and
    `opened` are (height, width) masks or (n, 2) cells; `expanded` may also be the (height, width) order of expansion,
    -1 elsewhere. An array with the shape of the map is always a mask or an order. `zones` are numbers per cell,
    negative for none. `heat` are numbers per cell such as distances, drawn from pale (lowest) to dark blue (highest);
    infinite ones have no colour. `start` and `goal` are one cell or several; default: the ends of `path`. `scale` is in
    pixels per cell (the height of a hex); by default the longer side gets about 1200 pixels. `lines` between cells are
    drawn from 8 pixels per cell on.

    >>> import waygrid as wg
    >>> grid = wg.Grid([[1, 1, 0], [0, 1, 1]])
    >>> picture = draw_map(grid, path=wg.make_finder("astar", grid).find((0, 0), (2, 1)), scale=10)
    >>> picture.size, picture.getpixel((25, 5))
    ((30, 20), (64, 66, 72))
    """
    from PIL import Image

    given: Any = passable
    if hasattr(given, "passable"):  # a Grid; it draws itself with this function, so that it cannot be imported here
        weights = given.weights if weights is None else weights
        topology = given.topology if topology is None else topology
        given = given.passable
    topology = "octile" if topology is None else topology
    ground = _ground(given)
    palette = PALETTES[choose("colours", colours, tuple(PALETTES))]
    height, width = ground.shape
    layout, shrink = choose_layout(choose("topology", topology, TOPOLOGIES), width, height, scale)
    marks: dict[str, Any] = {"zones": zones, "heat": heat, "opened": opened, "expanded": expanded}
    bare = all(mark is None for mark in marks.values())
    shrunk = bare and shrink > 1 and layout.size == (width, height)  # a pixel for every cell, and no mark on any
    cells = None if shrunk else cell_colours(ground, palette, weights=weights, **marks)
    found: Any = path
    track = None if path is None else _cells("path", getattr(found, "cells", found), width, height)
    starts, goals = _dots("start", start, track, 0, ground.shape), _dots("goal", goal, track, -1, ground.shape)
    if cells is None:
        image = _draw_shrunk(ground, palette, weights, shrink)
    else:
        image = Image.fromarray(pixel_colours(layout, cells, lines and layout.scale // shrink >= GRID_LINES_FROM))
        image = image if shrink == 1 else image.reduce(shrink)
    pixels = layout.scale / shrink
    if track is not None and len(track):
        draw_path(image, layout.centres(_line_of(found, track)) / shrink, pixels, palette)
    for ends, colour in ((starts, palette.start), (goals, palette.goal)):
        for point in layout.centres(ends) / shrink:
            draw_dot(image, point, pixels, colour, palette.outline)
    return image


def _draw_shrunk(ground: NDArray[np.bool_], palette: Palette, weights: ArrayLike | None, shrink: int) -> "Image":
    """Draw a large map smaller, in bands of rows: its colours would take 20 bytes for every cell."""
    from PIL import Image

    height, width = ground.shape
    image = Image.new("RGB", (-(-width // shrink), -(-height // shrink)))
    priced = None if weights is None else np.asarray(weights)
    if priced is not None and priced.shape != ground.shape:
        priced = _numbers("weights", priced, ground.shape)  # which says what is wrong
    heaviest = None if priced is None else int(priced.max())
    rows = shrink * max(1, _BAND // (width * shrink))
    for top in range(0, height, rows):
        band = slice(top, top + rows)
        part = None if priced is None else priced[band]
        colours = cell_colours(ground[band], palette, weights=part, heaviest=heaviest)
        image.paste(Image.fromarray(colours).reduce(shrink), (0, top // shrink))
    return image


# ---- what is given


def _ground(passable: ArrayLike) -> NDArray[np.bool_]:
    if type(passable) is np.ndarray and passable.dtype == np.bool_ and passable.ndim == 2 and passable.size:
        return passable
    return read_map(passable)[0].view(np.bool_)


def _numbers(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Ints:
    array = np.asarray(value)
    if array.shape != shape or array.dtype.kind not in "biu":
        raise WaygridError(f"{name} has shape {array.shape} of {array.dtype}; {shape} whole numbers are needed")
    return array.astype(np.int64)


def _cells(name: str, value: ArrayLike, width: int, height: int) -> Ints:
    """Check cells given as (x, y) or as a list of them; returns (n, 2)."""
    array = np.asarray(value)
    if array.ndim == 1 and array.size in (0, 2):
        array = array.reshape(-1, 2)
    if array.ndim != 2 or array.shape[1] != 2 or (array.size and array.dtype.kind not in "iu"):
        raise WaygridError(f"{name} has shape {array.shape} of {array.dtype}; cells are pairs of whole numbers x, y")
    outside = (array < 0).any(axis=1) | (array >= (width, height)).any(axis=1)
    if outside.any():
        x, y = array[outside.argmax()].tolist()
        raise WaygridError(f"{name}: cell ({x}, {y}) is outside the map of {width} x {height} cells")
    return array.astype(np.int64)


def _line_of(path: Any, track: Ints) -> NDArray[Any]:
    """Return what a path's line is drawn through: the waypoints of straight legs, else its cells."""
    return np.asarray(path.waypoints) if hasattr(path, "points") else track


def _dots(name: str, value: ArrayLike | None, track: Ints | None, end: int, shape: tuple[int, ...]) -> Ints:
    """Read start or goal, which may be several cells; default: that end of the path."""
    if value is not None:
        return _cells(name, value, shape[1], shape[0])
    if track is None or not len(track):
        return np.zeros((0, 2), np.int64)
    return track[[end]]


def _depth(name: str, value: ArrayLike, shape: tuple[int, int]) -> Floats:
    """Read a mask, an order or a list of cells as a depth from 0 to 1 per cell, negative where not marked."""
    array = np.asarray(value)
    if array.shape == shape and array.dtype.kind == "b":
        return array - 1.0
    if array.shape == shape and array.dtype.kind in "iu":
        order = array.astype(np.float64)
        return np.where(order < 0, -1.0, order / max(1.0, order.max()))
    depth = np.full(shape, -1.0)
    cells = _cells(name, value, shape[1], shape[0])
    depth[cells[:, 1], cells[:, 0]] = 0
    return depth


# ---- the colour of every cell


def cell_colours(
    ground: NDArray[np.bool_],
    palette: Palette,
    *,
    weights: ArrayLike | None = None,
    zones: ArrayLike | None = None,
    heat: ArrayLike | None = None,
    opened: ArrayLike | None = None,
    expanded: ArrayLike | None = None,
    heaviest: int | None = None,
) -> Bytes:
    """Return the colour of every cell, (height, width, 3); heaviest: the greatest weight of the whole map."""
    height, width = ground.shape
    colours = np.empty((height, width, 3), np.float32)
    colours[:] = palette.ground
    if weights is not None:
        _shade_weights(colours, _numbers("weights", weights, (height, width)), palette, heaviest)
    if zones is not None:
        _shade_zones(colours, _numbers("zones", zones, (height, width)))
    if heat is not None:
        _shade_heat(colours, heat)
    # Over weights or zones the marks of a search are glazes, so that both can be read.
    strength = 1.0 if weights is None and zones is None and heat is None else 0.65
    if opened is not None:
        _glaze(colours, _depth("opened", opened, (height, width)), palette.opened, palette.opened, strength)
    if expanded is not None:
        _glaze(colours, _depth("expanded", expanded, (height, width)), palette.closed, palette.closed_last, strength)
    colours[~ground] = palette.wall
    return np.rint(colours).astype(np.uint8)


def _glaze(colours: NDArray[np.float32], depth: Floats, first: Colour, last: Colour, strength: float) -> None:
    marked = depth >= 0
    glaze = _between(first, last, depth[marked])
    colours[marked] = (1 - strength) * colours[marked] + strength * glaze


def _between(first: Colour, last: Colour, share: Floats) -> Floats:
    mixed: Floats = np.array(first) + share[:, None] * (np.array(last) - np.array(first))
    return mixed


def _shade_weights(colours: NDArray[np.float32], weights: Ints, palette: Palette, heaviest: int | None) -> None:
    dear = weights > 1
    if dear.any():
        # By ratio: 2 and 4 differ visibly even if water costs 1000.
        share = np.log(weights[dear]) / np.log(heaviest or weights.max())
        colours[dear] = _between(palette.light, palette.heavy, share)


def _shade_heat(colours: NDArray[np.float32], heat: ArrayLike) -> None:
    values = np.asarray(heat)
    if values.shape != colours.shape[:2] or values.dtype.kind not in "biuf":
        raise WaygridError(f"heat has shape {values.shape} of {values.dtype}; {colours.shape[:2]} numbers are needed")
    finite = np.isfinite(values)
    inside = values[finite].astype(np.float64)
    if inside.size:
        low, high = inside.min(), inside.max()
        level = np.rint((inside - low) / ((high - low) or 1) * (HEAT_LEVELS - 1)).astype(np.int64)
        colours[finite] = _heat_ramp()[level]


def _heat_ramp() -> Floats:
    steps = np.linspace(0, len(HEAT) - 1, HEAT_LEVELS)
    return np.stack([np.interp(steps, range(len(HEAT)), channel) for channel in np.transpose(HEAT)], axis=1)


def _shade_zones(colours: NDArray[np.float32], zones: Ints) -> None:
    """Neighbouring numbers get hues a golden section apart, and brightness changes for eyes that see fewer hues."""
    inside = zones >= 0
    numbers, which = np.unique(zones[inside], return_inverse=True)
    hue = 6 * (numbers * 0.6180339887498949 % 1)
    value, saturation = 1 - 0.07 * (numbers % 3), 0.26 + 0.1 * (numbers % 2)
    channels = []
    for shift in (5, 3, 1):  # red, green, blue of hue, saturation, value
        k = (shift + hue) % 6
        channels.append(value - value * saturation * np.clip(np.minimum(k, 4 - k), 0, 1))
    colours[inside] = 255 * np.stack(channels, axis=1)[which.ravel()]


# ---- lines and dots


def draw_path(image: "Image", points: Floats, scale: float, palette: Palette) -> None:
    """Draw a line that stays visible at any scale."""
    longer = max(image.size)
    broad = min(max(0.24 * scale, longer / 400, 3.0), longer / 8)
    points = _turns(points)
    for colour, extra in ((palette.outline, max(2.0, 0.5 * broad)), (palette.path, 0.0)):
        stamp(image, points, (broad + extra) / 2, colour, _line)


def draw_dot(image: "Image", point: Floats, scale: float, colour: Colour, outline: Colour) -> None:
    """Draw a dot that stays visible at any scale."""
    longer = max(image.size)
    radius = min(max(0.34 * scale, longer / 130, 4.0), longer / 8)
    room = np.array(image.size) - radius
    point = np.clip(point, np.minimum(radius, room), room)  # at the border the whole dot stays in the picture
    stamp(image, point[None], radius, outline, _disc)
    stamp(image, point[None], radius - min(max(1.0, 0.15 * radius), radius / 2), colour, _disc)


def _turns(points: Floats) -> Floats:
    """Keep the ends and the points where the line turns."""
    step = np.diff(points, axis=0)
    cross = step[:-1, 0] * step[1:, 1] - step[:-1, 1] * step[1:, 0]
    back = (step[:-1] * step[1:]).sum(axis=1) <= 0
    keep = np.ones(len(points), np.bool_)
    keep[1:-1] = (cross != 0) | back
    return points[keep]


def _line(draw: "ImageDraw", points: Floats, radius: float) -> None:
    draw.line(points.ravel().tolist(), fill=255, width=max(1, round(2 * radius)))
    _disc(draw, points, radius)  # round corners and ends


def _disc(draw: "ImageDraw", points: Floats, radius: float) -> None:
    for x, y in points.tolist():
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=255)


def stamp(
    image: "Image", points: Floats, radius: float, colour: Colour, shape: Callable[["ImageDraw", Floats, float], None]
) -> None:
    """Draw a shape on a finer mask of the area it touches, and paint the colour through it."""
    from PIL import Image, ImageDraw

    low = np.maximum(0, np.floor(points.min(axis=0) - radius - 2)).astype(int)
    high = np.minimum(image.size, np.ceil(points.max(axis=0) + radius + 2)).astype(int)
    width, height = (high - low).tolist()
    times = 4 if width * height <= SMOOTH_PIXELS else 2
    mask = Image.new("L", (width * times, height * times))
    shape(ImageDraw.Draw(mask), (points - low) * times - 0.5, radius * times)
    image.paste(colour, (*low.tolist(), *high.tolist()), mask.reduce(times))


# ---- several pictures, files


def side_by_side(images: Sequence["Image"], labels: Sequence[str]) -> "Image":
    """Put pictures next to each other, at most three in a row, with a caption under each.

    >>> one = draw_map([[1, 1]], scale=40)
    >>> both = side_by_side([one, one], ["astar", "jps"])
    >>> both.width > 2 * one.width
    True
    """
    from PIL import Image, ImageDraw

    if not images or len(images) != len(labels):
        raise WaygridError(
            f"{len(images)} pictures and {len(labels)} labels; one label for each of 1 or more is needed"
        )
    width = max(image.width for image in images)
    font, gap, columns = _font(min(48, max(14, width // 32))), max(8, width // 60), min(3, len(images))
    texts = [_wrap(label, font, width) for label in labels]
    ruler = ImageDraw.Draw(Image.new("L", (1, 1)))
    foot = max(math.ceil(ruler.multiline_textbbox((0, 0), text, font=font)[3]) for text in texts)
    floors: list[int] = []  # the lower edge of the pictures of each row
    for first in range(0, len(images), columns):
        above = floors[-1] + foot + 2 * gap if floors else gap
        floors.append(above + max(image.height for image in images[first : first + columns]))
    sheet = Image.new("RGB", (gap + columns * (width + gap), floors[-1] + foot + 2 * gap), BACKGROUND)
    draw = ImageDraw.Draw(sheet)
    for i, image in enumerate(images):
        x, floor = gap + i % columns * (width + gap), floors[i // columns]
        sheet.paste(image.convert("RGB"), (x + (width - image.width) // 2, floor - image.height))
        place = (x + width / 2, floor + gap / 2)
        draw.multiline_text(place, texts[i], fill=(40, 40, 40), font=font, anchor="ma", align="center")
    return sheet


def _font(size: int) -> "FreeTypeFont | ImageFont":
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _wrap(label: str, font: "FreeTypeFont | ImageFont", width: int) -> str:
    lines: list[str] = []
    for paragraph in label.split("\n"):
        lines.append("")
        for word in paragraph.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and font.getlength(longer) > width:
                lines.append(word)
            else:
                lines[-1] = longer
    return "\n".join(lines)


def save_png(path: str | os.PathLike[str], image: "Image") -> None:
    """Write a picture atomically: readers see the old file or the new one, never a partial file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_png(Path(folder) / "map.png", draw_map([[1, 0]], scale=4))
    ...     [file.name for file in Path(folder).iterdir()]
    ['map.png']
    """
    target = Path(path)
    if target.suffix.lower() != ".png":
        raise WaygridError(f"{target}: pictures are PNG files; the name must end in .png")
    with replacing(target) as temporary:
        image.save(temporary, format="PNG")
