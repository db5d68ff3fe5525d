"""Levels of the LDtk editor (``.ldtk``): an IntGrid layer becomes the map.

``level`` is the name of a level or its number, by default the first. ``layer`` is the name of an IntGrid layer, by
default the only one, or the one called like walls (walls, collision, collisions, blocked, obstacles, solid).

Each cell of the layer has a value; 0 is empty and always open ground. ``walls`` names the values that are walls, by
number or by name, and ``weights`` the weights of others: ``{"mud": 3, 4: 8}``, in text ``mud:3,4:8``. Without them the
names of the values decide: those called like walls are walls, ``cost_5`` and ``weight_5`` have the weight 5. If no
value is called like a wall, all that have no weight are walls.

Levels saved in files of their own (``.ldtkl``) are read from the folder of the project or below it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show
from waygrid.formats.files import PathLike, find_inside, write_atomically
from waygrid.formats.json_data import load_object, parse_object, read_cells, read_objects, read_whole
from waygrid.formats.mapdata import MAX_SIDE, MAX_WEIGHT, MapData, check_map, check_size, distinct_weights

MAX_LEVEL_CELLS = 2**24
_WALLS = ("wall", "walls", "collision", "collisions", "blocked", "obstacle", "obstacles", "solid")
_WEIGHT = re.compile(r"(?:cost|weight)_?([1-9][0-9]{0,4})", re.IGNORECASE)
_LARGEST_VALUE = 2**31 - 1


def _levels(project: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the levels of a project, of all its worlds."""
    levels = read_objects(project, "levels", name)
    for world in read_objects(project, "worlds", name):
        levels = levels + read_objects(world, "levels", f"{name}, world {show(world.get('identifier'))}")
    if not levels:
        raise WaygridError(f"{name}: there are no levels")
    return levels


def _choose_level(levels: list[dict[str, Any]], wanted: Any, name: str) -> dict[str, Any]:
    names = [level.get("identifier") for level in levels]
    if wanted is None:
        return levels[0]
    if isinstance(wanted, int) and not isinstance(wanted, bool) and 0 <= wanted < len(levels):
        return levels[wanted]
    if wanted not in names:
        known = ", ".join(map(str, names[:20]))[:300]
        raise WaygridError(f"{name}: no level {show(wanted)}; allowed are 0 to {len(levels) - 1}, or the names {known}")
    return levels[names.index(wanted)]


def _load_external(level: dict[str, Any], folder: Path, name: str) -> tuple[dict[str, Any], str]:
    """Return a level with its layers and the file they are in, which may be one of its own."""
    source = level.get("externalRelPath")
    if level.get("layerInstances") is not None or source is None:
        return level, name
    path = find_inside(folder, str(source))
    if path is None or path.suffix.lower() != ".ldtkl":
        raise WaygridError(f"{name}: level file {show(source)}; allowed are .ldtkl files in the folder of the project")
    return load_object(path, str(path)), str(path)


def _choose_layer(level: dict[str, Any], wanted: Any, where: str) -> dict[str, Any]:
    layers = [one for one in read_objects(level, "layerInstances", where) if one.get("__type") == "IntGrid"]
    names = [str(one.get("__identifier")) for one in layers]
    listed = ", ".join(names[:20])[:300] or "none"
    if wanted is not None:
        if wanted not in names:
            raise WaygridError(f"{where}: no IntGrid layer {show(wanted)}; there are {listed}")
        return layers[names.index(wanted)]
    named = [one for one, called in zip(layers, names, strict=True) if called.lower() in _WALLS]
    chosen = layers if len(layers) == 1 else named
    if len(chosen) != 1:
        raise WaygridError(f"{where}: which IntGrid layer is the map? pass layer=; there are {listed}")
    return chosen[0]


def _value_names(project: dict[str, Any], layer: str, name: str) -> dict[int, str]:
    """Return the names that the project gives to the values of a layer, "" where it gives none."""
    definitions = project.get("defs")
    if not isinstance(definitions, dict):
        return {}
    for one in read_objects(definitions, "layers", name):
        if one.get("identifier") == layer:
            where = f"{name}, layer {show(layer)}"
            return {
                read_whole(value, "value", where, 0, _LARGEST_VALUE): str(value.get("identifier") or "")
                for value in read_objects(one, "intGridValues", where)
            }
    return {}


def _find_value(wanted: Any, names: dict[int, str], option: str, where: str) -> int:
    """Return the value that a number or name stands for."""
    if isinstance(wanted, str) and wanted.strip().isascii() and wanted.strip().isdigit() and len(wanted) < 10:
        wanted = int(wanted)
    if isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool) and 1 <= wanted <= _LARGEST_VALUE:
        return int(wanted)
    for value, called in names.items():
        if called and isinstance(wanted, str) and called == wanted.strip():
            return value
    known = ", ".join(called for called in names.values() if called)[:300] or "none"
    raise WaygridError(f"{where}: {option} names {show(wanted)}; allowed are values from 1, and the names {known}")


def _read_walls(walls: Any, names: dict[int, str], where: str) -> set[int]:
    parts: Iterable[Any] = walls.split(",") if isinstance(walls, str) else walls if _is_many(walls) else (walls,)
    return {_find_value(part, names, "walls", where) for part in parts}


def _is_many(value: Any) -> bool:
    return isinstance(value, (list, tuple, set, frozenset, range, np.ndarray))


def _read_weights(weights: Any, names: dict[int, str], where: str) -> dict[int, int]:
    pairs: Iterable[tuple[Any, Any]]
    if isinstance(weights, str):
        pairs = [(key, value) for key, _, value in (part.partition(":") for part in weights.split(","))]
    elif isinstance(weights, Mapping):
        pairs = weights.items()
    else:
        raise WaygridError(
            f"{where}: weights is {show(weights)}; allowed is a dict such as {{'mud': 3}}, or 'mud:3,4:8'"
        )
    found: dict[int, int] = {}
    for key, value in pairs:
        text = str(value).strip()
        if not (text.isascii() and text.isdigit() and len(text) <= 5 and 1 <= int(text) <= MAX_WEIGHT):
            raise WaygridError(f"{where}: weight {show(value)} of {show(key)}; allowed are 1 to {MAX_WEIGHT}")
        found[_find_value(key, names, "weights", where)] = int(text)
    return found


def _judge(
    values: npt.NDArray[np.int64], names: dict[int, str], walls: Any, weights: Any, where: str
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.uint16] | None]:
    """Return passable cells and weights of the values of cells."""
    prices = {value: int(found[1]) for value, called in names.items() if (found := _WEIGHT.fullmatch(called))}
    if weights is not None:
        prices = _read_weights(weights, names, where)
    known, numbers = np.unique(values, return_inverse=True)
    if walls is not None:
        closed = _read_walls(walls, names, where)
    else:
        closed = {value for value, called in names.items() if called.lower() in _WALLS}
        closed = closed or {value for value in known.tolist() if value} - set(prices)
    for value, price in prices.items():
        if not 1 <= price <= MAX_WEIGHT:
            raise WaygridError(f"{where}: weight {price} of value {value}; allowed are 1 to {MAX_WEIGHT}")
    open_values = np.array([value == 0 or value not in closed for value in known.tolist()], np.bool_)
    costs = np.array([prices.get(value, 1) if value else 1 for value in known.tolist()], np.uint16)
    costs[~open_values] = 1
    numbers = numbers.reshape(values.shape)
    priced = costs[numbers] if (costs > 1).any() else None
    return open_values[numbers], priced


def parse(
    text: str,
    name: str = "map.ldtk",
    *,
    folder: PathLike = ".",
    level: str | int | None = None,
    layer: str | None = None,
    walls: Any = None,
    weights: Any = None,
) -> MapData:
    """Return the map in the text of a project; levels in files of their own are read from ``folder``.

    >>> layer = '{"__type": "IntGrid", "__identifier": "Walls", "__cWid": 3, "__cHei": 1, "intGridCsv": [0, 1, 0]}'
    >>> parse('{"levels": [{"identifier": "Hall", "layerInstances": [' + layer + ']}]}').passable
    array([[ True, False,  True]])
    """
    project = parse_object(text, name)
    return _read_project(project, name, Path(folder), level, layer, walls, weights)


def _read_project(
    project: dict[str, Any], name: str, folder: Path, level: Any, layer: Any, walls: Any, weights: Any
) -> MapData:
    found, file = _load_external(_choose_level(_levels(project, name), level, name), folder, name)
    where = f"{file}, level {show(found.get('identifier'))}"
    chosen = _choose_layer(found, layer, where)
    where += f", layer {show(chosen.get('__identifier'))}"
    width, height = (read_whole(chosen, key, where, 1, MAX_SIDE) for key in ("__cWid", "__cHei"))
    check_size(width, height, where, max_cells=MAX_LEVEL_CELLS)
    values = read_cells(chosen, "intGridCsv", where, (width, height), _LARGEST_VALUE)
    names = _value_names(project, str(chosen.get("__identifier")), name)
    return MapData(*_judge(values, names, walls, weights, where))


def read(
    path: PathLike, *, level: str | int | None = None, layer: str | None = None, walls: Any = None, weights: Any = None
) -> MapData:
    """Read a level of a ``.ldtk`` project; see the module for what is a wall."""
    name = os.fspath(path)
    return _read_project(load_object(path, name), name, Path(path).parent, level, layer, walls, weights)


def write(path: PathLike, data: MapData) -> None:
    """Write a ``.ldtk`` project: one level with one IntGrid layer, whose values are named wall and weight_2 and so on.

    It has what programs read that load levels; the editor itself may ask for more.
    """
    name = os.fspath(path)
    data = check_map(data, name)
    height, width = data.passable.shape
    check_size(width, height, name, max_cells=MAX_LEVEL_CELLS)
    dear = [] if data.weights is None else [weight for weight in distinct_weights(data).tolist() if weight > 1]
    values = np.where(data.passable, 0, 1).astype(np.int64)
    if data.weights is not None and dear:
        heavy = data.passable & (data.weights > 1)
        values[heavy] = np.searchsorted(dear, data.weights[heavy]) + 2
    named = [("wall", 1), *((f"weight_{weight}", 2 + i) for i, weight in enumerate(dear))]
    definition = {
        "__type": "IntGrid",
        "identifier": "Walls",
        "type": "IntGrid",
        "uid": 1,
        "gridSize": 16,
        "intGridValues": [{"value": value, "identifier": called, "color": "#202020"} for called, value in named],
    }
    layer = {"__identifier": "Walls", "__type": "IntGrid", "__cWid": width, "__cHei": height, "__gridSize": 16}
    layer |= {"layerDefUid": 1, "levelId": 0, "gridTiles": [], "autoLayerTiles": [], "entityInstances": []}
    level = {"identifier": "Level_0", "uid": 0, "worldX": 0, "worldY": 0, "pxWid": 16 * width, "pxHei": 16 * height}
    level["layerInstances"] = [layer | {"intGridCsv": values.ravel().tolist()}]
    definitions = {"layers": [definition], "entities": [], "tilesets": [], "enums": [], "levelFields": []}
    project = {"jsonVersion": "1.5.3", "worldLayout": "Free", "defaultGridSize": 16, "externalLevels": False}
    text = json.dumps(project | {"defs": definitions, "levels": [level], "worlds": []}, separators=(",", ":"))
    write_atomically(path, text.encode())
