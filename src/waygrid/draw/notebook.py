"""How results show themselves in a notebook: facts in text, and a picture inside the HTML."""

import base64
import io
import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from waygrid.draw.maps import draw_map

if TYPE_CHECKING:
    from PIL.Image import Image

    from waygrid.grid.grid import Grid

SIDE = 720  # pixels of the longer side that small maps are enlarged to at most
MOST_SIDE = 1024  # pixels: maps up to here are drawn with a pixel per cell, larger ones are reduced
LARGEST_CELL = 48  # pixels
LARGEST_PNG = 300_000  # bytes
COUNTED_CELLS = 2**22  # connected components of larger maps are counted only where a search has done that
# Text and lines take their colours from the page, which may be dark.
_CELL = "padding:2px 10px;text-align:right;border-bottom:1px solid rgba(128,128,128,.35)"


def draw_small(passable: NDArray[Any], *, topology: str, path: Any = None, **layers: Any) -> "Image":
    """Draw a map as `draw_map` does, in a size for a notebook: small maps enlarged, huge ones reduced.

    `layers` are arrays in the shape of the map, and `start` and `goal` as lists of cells.

    >>> draw_small(np.ones((3, 4)), topology="tile").size, draw_small(np.ones((10, 5000)), topology="tile").size
    ((192, 144), (834, 2))
    """
    longer = max(passable.shape)
    every = math.ceil(longer / (2 * MOST_SIDE))
    if every > 1:  # of a huge map every few cells, so that it is never slow
        topology = "tile"
        layers = {name: _thin(value, every) for name, value in layers.items()}
        path = None if path is None else np.asarray(getattr(path, "cells", path)) // every
        passable = passable[::every, ::every]
        longer = max(passable.shape)
    scale = choose_scale(topology, *passable.shape)
    image = draw_map(passable, topology=topology, path=path, scale=scale, **layers)
    return image if longer <= MOST_SIDE else image.reduce(2)


def choose_scale(topology: str, width: int, height: int) -> int:
    """Return how many pixels a cell gets in a notebook, 1 or more."""
    scale = max(1, min(LARGEST_CELL, SIDE // max(width, height)))
    half = topology in ("hex", "tex") and scale > 1
    return scale - scale % 2 if half else scale  # half a cell in whole pixels


def _thin(value: Any, every: int) -> Any:
    if value is None or isinstance(value, list):
        return None if value is None else np.asarray(value, np.int64).reshape(-1, 2) // every
    return value[::every, ::every]


def card(title: str, facts: Iterable[str], picture: "Image | None" = None, alt: str = "", more: str = "") -> str:
    """Return HTML: a line of facts, a picture, and more HTML below it.

    >>> card("Path", ["3 < 4 cells", "cost 2"])
    '<div><div><b>Path</b> · 3 &lt; 4 cells · cost 2</div></div>'
    """
    line = " · ".join([f"<b>{escape(title)}</b>", *(escape(fact) for fact in facts)])
    image = "" if picture is None else image_html(png_bytes(picture), "image/png", alt)
    return f"<div><div>{line}</div>{image}{more}</div>"


def image_html(data: bytes, mime: str, alt: str) -> str:
    """Return an image whose bytes are part of the page."""
    source = f"data:{mime};base64,{base64.b64encode(data).decode()}"
    return f'<img alt="{escape(alt)}" style="max-width:100%;height:auto;margin-top:6px" src="{source}">'


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table with columns aligned to the right."""

    def line(tag: str, cells: Sequence[str]) -> str:
        return "<tr>" + "".join(f'<{tag} style="{_CELL}">{escape(cell)}</{tag}>' for cell in cells) + "</tr>"

    body = "".join(line("td", row) for row in rows)
    return f'<table style="border-collapse:collapse;margin-top:6px">{line("th", titles)}{body}</table>'


def png_bytes(image: "Image") -> bytes:
    """Return a picture as PNG of at most 256 colours, with fewer pixels where it would be too large."""
    from PIL.Image import Dither

    while True:
        few = image.getcolors(256)
        file = io.BytesIO()
        image.quantize(256 if few is None else len(few), dither=Dither.NONE).save(file, "PNG")
        if file.tell() <= LARGEST_PNG:
            return file.getvalue()
        image = image.reduce(2)


def grid_html(grid: "Grid") -> str:
    """Return a map's facts and its picture."""
    open_cells = np.count_nonzero(grid.passable)
    facts = [f"{grid.width:,} x {grid.height:,} cells", f"{open_cells:,} passable", grid.topology]
    if grid.topology == "octile":
        facts.append(f"corners {grid.corners}")
    if grid.metric != "octile":
        facts.append(f"metric {grid.metric}")
    if grid.weights is not None and open_cells:
        weights = grid.weights[grid.passable] * grid.scale
        facts.append(f"cost {weights.min():g} to {weights.max():g}")
    if grid.clearance > 1:
        facts.append(f"clearance {grid.clearance}")
    if grid.has_one_way:
        facts.append("one-way tiles")
    if grid.width * grid.height <= COUNTED_CELLS or grid._table is not None:
        facts.append(_component_fact(grid.components))
    picture = draw_small(grid.passable, topology=grid.topology, weights=grid.weights)
    return card("Grid", facts, picture, f"a map of {grid.width} x {grid.height} cells")


def _component_fact(components: NDArray[np.int32]) -> str:
    sizes = np.bincount(components[components >= 0])
    count = int(np.count_nonzero(sizes))
    if count < 2:
        return f"{count} connected component{'s' * (count != 1)}"
    return f"{count:,} connected components, the largest has {sizes.max() / sizes.sum():.1%} of the passable cells"
