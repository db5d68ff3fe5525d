"""Overlays: what the preprocessing made of the map, drawn by the families and kept here for the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from waygrid.errors import WaygridError, show
from waygrid.grid.grid import Grid
from waygrid.options import Option, check_options
from waygrid.search.declaration import Overlay
from waygrid.search.finder import Finder
from waygrid.search.overlay import Layer, OverlayRequest
from waygrid.search.registry import algorithms, import_place
from waygrid.studio.inflated import INFLATION, INFLATION_OPTIONS, show_inflation
from waygrid.studio.jobs import Job
from waygrid.studio.model import Model
from waygrid.studio.wire import pack


class Shown(NamedTuple):
    """An overlay with its options and the algorithm that declares it."""

    overlay: Overlay
    options: Mapping[str, Option]
    algorithm: str = ""  # none: an overlay of the map itself
    draw: Callable[[OverlayRequest], list[Layer]] | None = None  # of such overlays


def _show_components(wanted: OverlayRequest) -> list[Layer]:
    return [Layer("labels", wanted.grid.components.astype(np.int32).ravel(), "connected components")]


_COMPONENTS = Overlay("Connected components", "no path leads from one to another", "")


@cache
def list_overlays() -> dict[str, Shown]:
    """Return the overlays that algorithms declare, and those of the map itself."""
    found = {
        name: Shown(overlay, {option: info.options[option] for option in overlay.options}, info.name)
        for info in algorithms().values()
        for name, overlay in info.overlays.items()
    }
    inflation = Shown(INFLATION, INFLATION_OPTIONS, draw=show_inflation)
    return {**found, "inflation": inflation, "parts": Shown(_COMPONENTS, {}, draw=_show_components)}


def overlay(model: Model, asked: Mapping[str, Any], job: Job) -> bytes:
    """Return the layers of an overlay that the page asks for."""
    from waygrid.studio.searches import cell_of

    name = asked.get("overlay")
    known = list_overlays()
    if not isinstance(name, str) or name not in known:
        raise WaygridError(f"there is no overlay {show(name)}; allowed are {', '.join(known)}")
    chosen, rules, given = known[name], asked.get("grid", {}), asked.get("options") or {}
    if not isinstance(given, Mapping):
        raise WaygridError(f"options is {show(given)}; allowed is an object of names and values")
    grid = model.grid(asked.get("map"), rules)
    options = check_options(f"overlay {show(name)}", chosen.options, given)
    cell = cell_of(asked, "cell") if chosen.overlay.cursor else None
    check_inside(grid, cell)
    job.begin("building", model.limits.build_s)
    key = (asked.get("map"), repr(rules), name, repr(sorted(options.items())), cell)
    check_time = partial(job.check_time, "this overlay")

    def find_finder() -> Finder:
        return model.finder(asked.get("map"), rules, chosen.algorithm, options, job).finder

    wanted = OverlayRequest(grid, options, cell, model.limits.sectors, find_finder, check_time)
    layers = model.structure(key, lambda: _draw(chosen, wanted), job)
    return pack_layers(chosen.overlay.title, layers)


def check_inside(grid: Grid, cell: tuple[int, int] | None) -> None:
    """Refuse a cell that is not one of the map."""
    if cell is not None and not (0 <= cell[0] < grid.width and 0 <= cell[1] < grid.height):
        raise WaygridError(f"cell {cell} is outside the map of {grid.width} x {grid.height} cells")


def pack_layers(title: str, layers: Sequence[Layer]) -> bytes:
    """Return a message of layers and their legend."""
    header = {
        "title": title,
        "legend": [
            {"text": layer.text, "colour": layer.colour} for layer in layers if layer.text and layer.type != "values"
        ],
        "layers": [
            {
                "type": layer.type,
                "array": str(k),
                "name": layer.text,
                "colour": layer.colour,
                "size": layer.size,
                "width": layer.size,
            }
            for k, layer in enumerate(layers)
        ],
    }
    return pack(header, {str(k): layer.array for k, layer in enumerate(layers)})


def _draw(chosen: Shown, wanted: OverlayRequest) -> tuple[list[Layer], int]:
    """Return the layers of an overlay and their bytes."""
    layers = (chosen.draw or import_place(chosen.overlay.place))(wanted)
    wanted.check_time()
    return layers, 1000 + sum(layer.array.nbytes for layer in layers)
