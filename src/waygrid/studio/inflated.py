"""The overlay of robots' maps: cells that are too close to walls for a robot, and those that cost more near them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.grid.inflation import FALLOFFS
from waygrid.options import Choice, Number, Option
from waygrid.search.declaration import Overlay
from waygrid.search.overlay import Layer, OverlayRequest, require_squares

INFLATION = Overlay("Inflation", "walls grown by the radius of a robot, and costs that fall with distance", "")
INFLATION_OPTIONS: dict[str, Option] = {
    "radius": Number(
        None, "of the robot; in metres where the map has coordinates, else in cells; automatic: 3 cells", least=0
    ),
    "falloff": Choice(
        "exponential", "how costs fall beyond the radius; none: only walls", choices=(*FALLOFFS[::-1], "none")
    ),
    "reach": Number(None, "distance from walls where costs end; automatic: three times the radius", least=0),
    "cost": Number(10.0, "what a cell next to the radius costs more", least=0, greatest=60_000),
}
_GROWN = "#d1242f"
_SHADES = ("#bf3d0c", "#dd6a10", "#ee9426", "#f6bb5a", "#fadb9c")
_CELLS = 3  # the automatic radius
_TIMES = 3  # the automatic reach


def show_inflation(wanted: OverlayRequest) -> list[Layer]:
    """Return the layers: cells that become walls, cells that cost more in bands, and figures of each cell."""
    grid, options = wanted.grid, wanted.options
    require_squares(grid, "inflated walls")
    place = grid.georeference
    size, unit = (1.0, "cells") if place is None else (place.cell_size, "" if place.crs else "m")
    radius = _CELLS * size if options["radius"] is None else options["radius"]
    kind = None if options["falloff"] == "none" else options["falloff"]
    more = {}
    if kind is not None:
        reach = max(_TIMES * radius, _CELLS * size) if options["reach"] is None else options["reach"]
        if reach <= radius:
            raise WaygridError(f"reach is {reach:g}, and the radius {radius:g}; allowed is a reach above the radius")
        more = {"reach": reach, "cost": options["cost"]}
    inflated = grid.inflate(radius, falloff=kind, **more)
    wanted.check_time()
    grown = grid.passable & ~inflated.passable
    added = _weights(inflated) - _weights(grid)
    added[~inflated.passable] = 0
    layers = [Layer("cells", _cells(grown), f"within {_write(radius, unit)} of a wall", _GROWN)]
    layers += _bands(added)
    distances = grid.clearance_map().astype(np.float32)
    named = f"nearest wall ({unit})" if unit else "nearest wall"
    return [
        *layers,
        Layer("walls", inflated.passable.astype(np.uint8).ravel(), ""),
        Layer("weights", _weights(inflated).astype(np.uint16).ravel(), ""),
        Layer("values", np.where(np.isfinite(distances), distances, -1).ravel(), named),
        Layer("values", added.astype(np.float32).ravel(), "costs more"),
    ]


def _write(length: float, unit: str) -> str:
    return f"{length:.4g} {unit}".strip()


def _weights(grid: Grid) -> Array:
    weights = grid.weights
    found: Array = np.ones(grid.passable.shape, np.int64) if weights is None else weights.astype(np.int64)
    return found


def _cells(chosen: Array) -> Array:
    found: Array = np.flatnonzero(chosen).astype(np.int32)
    return found


def _bands(added: Array) -> list[Layer]:
    """Return cells by what they cost more, the dearest first, in as many bands as there are shades."""
    most = int(added.max(initial=0))
    if most == 0:
        return []
    ends = np.unique(np.rint(np.geomspace(1, most + 1, len(_SHADES) + 1)).astype(np.int64))[::-1]
    layers = []
    for k, (end, first) in enumerate(pairwise(ends.tolist())):
        text = f"costs {first} more" if end - first == 1 else f"costs {first} to {end - 1} more"
        layers.append(Layer("cells", _cells((added >= first) & (added < end)), text, _SHADES[k]))
    return layers
