"""Maps as a small JSON object (``.json``) that any game engine can write; see the page on files for one of Godot.

``width`` and ``height``, and ``cells``: for each cell, row by row from the top, what it costs to enter it, 1 to 65535,
or 0 for a wall. Optional: ``topology``; ``transform``, six numbers from columns and rows to coordinates; ``crs``. Other
keys are ignored.
"""

from __future__ import annotations

import json
import os

import numpy as np

from waygrid.errors import WaygridError, show
from waygrid.formats.files import PathLike, write_atomically
from waygrid.formats.georeference import Georeference
from waygrid.formats.json_data import load_object, parse_object, read_cells, read_whole
from waygrid.formats.mapdata import MAX_SIDE, MAX_WEIGHT, MapData, check_map, check_size

MAX_JSON_CELLS = 2**24  # parsed, a number takes many times the memory of a cell
_TOPOLOGIES = ("tile", "octile", "hex", "tex")


def parse(text: str, name: str = "map.json") -> MapData:
    """Return the map in a JSON text.

    >>> parse('{"width": 3, "height": 1, "cells": [1, 0, 5]}').weights
    array([[1, 1, 5]], dtype=uint16)
    """
    return _read(parse_object(text, name), name)


def _read(keys: dict[str, object], name: str) -> MapData:
    width, height = (read_whole(keys, key, name, 1, MAX_SIDE) for key in ("width", "height"))
    check_size(width, height, name, max_cells=MAX_JSON_CELLS)
    cells = read_cells(keys, "cells", name, (width, height), MAX_WEIGHT)
    topology, crs, place = keys.get("topology"), keys.get("crs"), None
    if topology is not None and topology not in _TOPOLOGIES:
        raise WaygridError(f"{name}: topology is {show(topology)}; allowed are {', '.join(_TOPOLOGIES)}")
    if keys.get("transform") is not None:
        try:
            place = Georeference(keys["transform"], crs)  # type: ignore[arg-type]
        except WaygridError as error:
            raise WaygridError(f"{name}: {error}") from error
    weights = np.maximum(cells, 1).astype(np.uint16) if cells.max() > 1 else None
    return MapData(cells > 0, weights, None if topology is None else str(topology), place)


def read(path: PathLike) -> MapData:
    """Read a ``.json`` map."""
    name = os.fspath(path)
    return _read(load_object(path, name), name)


def write(path: PathLike, data: MapData) -> None:
    """Write a ``.json`` map."""
    name = os.fspath(path)
    data = check_map(data, name)
    height, width = data.passable.shape
    check_size(width, height, name, max_cells=MAX_JSON_CELLS)
    keys: dict[str, object] = {"width": width, "height": height}
    if data.topology is not None:
        keys["topology"] = data.topology
    if data.georeference is not None:
        if data.georeference.distortion != "refuse":
            raise WaygridError(f"{name}: a .json stores coordinates of square cells only; use .tif")
        keys["transform"] = list(data.georeference.transform)
        if data.georeference.crs is not None:
            keys["crs"] = data.georeference.crs
    cells = data.passable.astype(np.uint16) if data.weights is None else np.where(data.passable, data.weights, 0)
    rows = ",\n".join(",".join(map(str, row)) for row in cells.tolist())
    text = json.dumps(keys)
    write_atomically(path, f'{text[:-1]}, "cells": [\n{rows}\n]}}\n'.encode())
