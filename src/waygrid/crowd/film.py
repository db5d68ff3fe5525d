"""Pictures and films of crowds."""

from __future__ import annotations

import colorsys
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.draw.canvas import make_layout
from waygrid.draw.maps import draw_map
from waygrid.draw.notebook import choose_scale
from waygrid.errors import WaygridError
from waygrid.formats.files import replacing

if TYPE_CHECKING:
    from PIL.Image import Image

    from waygrid.grid.grid import Grid

_FINER = 3  # dots are drawn so much larger and made smaller, for smooth edges
_SMALL = 400  # pixels: pictures up to this side are drawn finer
_ARRIVED = (120, 124, 130)
_OUTLINE = (40, 42, 48)
_MOST_FRAMES = 600


def draw_crowd(
    grid: Grid, positions: npt.ArrayLike, goals: npt.ArrayLike | None = None, *, scale: int | None = None
) -> Image:
    """Draw a map and its agents; those at their goals are grey.

    positions, goals: cells (x, y) of all agents, (n, 2). scale: pixels of a cell; default: what suits the map.

    >>> import waygrid as wg
    >>> draw_crowd(wg.Grid([[1, 1], [1, 0]]), [(0, 0), (1, 0)], scale=10).size
    (20, 20)
    """
    pixels = choose_scale(grid.topology, grid.width, grid.height) if scale is None else scale
    ground = draw_map(grid, scale=pixels, lines=False)
    return _draw_agents(ground, grid, np.asarray(positions), None if goals is None else np.asarray(goals), pixels)


def _draw_agents(ground: Image, grid: Grid, positions: Any, goals: Any, pixels: int) -> Image:
    from PIL import ImageDraw

    finer = _FINER if max(ground.size) <= _SMALL else 1
    image = ground.resize((ground.width * finer, ground.height * finer), 0)
    centres = make_layout(grid.topology, grid.width, grid.height, pixels).centres(positions.astype(np.int64)) * finer
    radius, pen = max(1.0, 0.42 * pixels * finer), ImageDraw.Draw(image)
    there = np.zeros(len(positions), bool) if goals is None else (positions == goals).all(axis=1)
    for k, (x, y) in enumerate(centres.tolist()):
        colour = _ARRIVED if there[k] else _colour_of(k)
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), colour, _OUTLINE if pixels >= 6 else None)
    return image.resize(ground.size, 1) if finer > 1 else image


def _colour_of(number: int) -> tuple[int, int, int]:
    red, green, blue = colorsys.hls_to_rgb(number * 0.618 % 1.0, 0.5, 0.75)
    return round(255 * red), round(255 * green), round(255 * blue)


def check_name(path: str | os.PathLike[str]) -> None:
    """Refuse a name that is none of a film."""
    if Path(path).suffix.lower() != ".gif":
        raise WaygridError(f"{path}: the name of a film of a crowd must end in .gif")


def save_film(
    path: str | os.PathLike[str],
    grid: Grid,
    positions: npt.ArrayLike,
    goals: npt.ArrayLike | None = None,
    *,
    fps: int = 10,
    scale: int | None = None,
) -> int:
    """Write a film of a crowd as a GIF, a frame for every step, and return the number of frames.

    positions: the cells of all agents after each step, (steps, n, 2): `crowd.history` or `plan.positions`.
    """
    whole = np.asarray(positions)
    if whole.ndim != 3 or whole.shape[2] != 2 or not len(whole):
        raise WaygridError(f"positions have shape {whole.shape}; allowed are (steps, agents, 2)")
    check_name(path)
    shown = whole[:: -(-len(whole) // _MOST_FRAMES)]
    pixels = choose_scale(grid.topology, grid.width, grid.height) if scale is None else scale
    ground = draw_map(grid, scale=pixels, lines=False)
    ends = None if goals is None else np.asarray(goals)
    frames = [_draw_agents(ground, grid, one, ends, pixels).quantize(128) for one in shown]
    with replacing(Path(path)) as temporary:
        frames[0].save(
            temporary,
            "GIF",
            save_all=True,
            append_images=frames[1:],
            duration=round(1000 / fps),
            loop=0,
            optimize=False,
        )
    return len(frames)
