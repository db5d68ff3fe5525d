"""Maps of the Tiled editor (``.tmx``).

Walls are defined in one of two ways:

* by a layer: the one named with ``layer=``, or else every layer called walls, collision, blocked or obstacles (in upper
  or lower case). Any tile there is a wall, and nothing else is. Weights come from tile properties, as below; external
  tilesets that cannot be read are then ignored.
* by tile properties: a tile with the bool property ``blocks`` (another name with ``property=``) is a wall, and the int
  property ``weight`` or ``cost`` (``weight=``) gives the weight of its ground. A tile that has none gets the largest
  weight of the terrains at its corners and edges, if these have the property. All tile layers count, hidden ones and
  those in groups too: a cell is a wall if any of its tiles blocks, its weight is the largest of its tiles.

The property named with ``property=`` or ``weight=`` must exist on some tile. If ``property=`` is given, it counts in
addition to a wall layer.

Tilesets may be embedded or ``.tsx`` files in the map's folder or below it. In orthogonal and isometric maps cell (x, y)
is the tile in column x of row y. Hexagonal maps become hex grids with the same neighbours, see
:mod:`waygrid.formats.tiled_stagger`; staggered ones are refused. In an infinite map the smallest rectangle that holds
all chunks becomes the map. Image layers are ignored, and so are object layers, unless one is called like a wall layer:
then the map is refused, since its walls would be missing.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from waygrid.errors import WaygridError, show
from waygrid.formats.files import PathLike, find_inside, read_bytes, write_atomically
from waygrid.formats.mapdata import MAX_SIDE, MAX_WEIGHT, MapData, check_map, check_size, distinct_weights
from waygrid.formats.tiled_data import number, parse_xml, tiles
from waygrid.formats.tiled_stagger import read_layout
from waygrid.formats.tiled_terrain import Properties, read_properties, read_terrain_weights

WALL_LAYERS = ("walls", "collision", "blocked", "obstacles")
MAX_TILES = 2**26  # of the map; all layers together may have four times as many

_LAYERS = 16  # so many layers of the largest map are read, or more of a smaller one
_BLOCKS, _WEIGHTS = "blocks", ("weight", "cost")  # the properties that are looked for where no others are named


class _Area(NamedTuple):
    """The rectangle of tile coordinates that the map covers; x and y are 0 unless it is infinite."""

    x: int
    y: int
    width: int
    height: int


class _Rules(NamedTuple):
    """What tile numbers mean: for each of the ascending ``gids``, whether it blocks and its weight (0 = not given)."""

    gids: NDArray[np.int64]
    blocks: NDArray[np.bool_]
    weights: NDArray[np.int64]
    names: set[str]  # of all properties of tiles


def _chunks(layer: Element, name: str) -> Iterator[tuple[Element, _Area]]:
    data = layer.find("data")
    for chunk in data.iter("chunk") if data is not None else ():
        x, y = (number(chunk, key, name, -(2**31), 2**31 - 1) for key in ("x", "y"))
        width, height = (number(chunk, key, name, 1, MAX_SIDE) for key in ("width", "height"))
        yield chunk, _Area(x, y, width, height)


def _area(root: Element, layers: list[Element], name: str, max_cells: int) -> _Area:
    if root.get("infinite", "0") == "0":
        width, height = (number(root, key, name, 1, MAX_SIDE) for key in ("width", "height"))
        area = _Area(0, 0, width, height)
    else:
        places = [place for layer in layers for _, place in _chunks(layer, name)]
        if not places:
            raise WaygridError(f"{name}: the infinite map has no tiles")
        x, y = min(p.x for p in places), min(p.y for p in places)
        area = _Area(x, y, max(p.x + p.width for p in places) - x, max(p.y + p.height for p in places) - y)
    check_size(area.width, area.height, name, max_cells=max_cells)
    if area.width * area.height * len(layers) > min(_LAYERS * max_cells, 4 * MAX_TILES):
        raise WaygridError(f"{name}: {len(layers)} layers of {area.width} x {area.height} tiles are too many")
    return area


def _layer_tiles(layer: Element, area: _Area, infinite: bool, name: str, most: int) -> NDArray[np.int64]:
    where = f"{name}, layer {layer.get('name', '')!r}"
    data = layer.find("data")
    if data is None:
        raise WaygridError(f"{where}: there is no <data>")
    encoding, compression = data.get("encoding", ""), data.get("compression", "")
    if not infinite:
        for key, expected in (("width", area.width), ("height", area.height)):
            if key in layer.attrib and number(layer, key, where, 1, MAX_SIDE) != expected:
                raise WaygridError(f"{where}: {key} {layer.get(key)}; the map has {expected}")
        return tiles(data, encoding, compression, area.width, area.height, where)
    whole = np.zeros((area.height, area.width), np.int64)
    total = 0
    for chunk, (x, y, width, height) in _chunks(layer, where):
        total += width * height
        if total > most:
            raise WaygridError(f"{where}: chunks of more than {most} tiles in all")
        left, top = x - area.x, y - area.y
        whole[top : top + height, left : left + width] = tiles(chunk, encoding, compression, width, height, where)
    return whole


def _tileset(element: Element, folder: Path, name: str) -> tuple[Element, str]:
    """Return the tileset and the file that contains it."""
    source = element.get("source")
    if source is None:
        return element, name
    path = find_inside(folder, source)
    if path is None:
        raise WaygridError(f"{name}: tileset {source[:200]!r} is outside the folder of the map")
    if path.suffix.lower() != ".tsx":
        raise WaygridError(f"{name}: tileset {source[:200]!r}; only .tsx files are read")
    return parse_xml(read_bytes(path, 2**26), str(path), "tileset"), str(path)


def _rules(root: Element, folder: Path, blocks: str, weights: tuple[str, ...], name: str, *, optional: bool) -> _Rules:
    """Return the rules of all tilesets; those that cannot be read are skipped if they are ``optional``."""
    sets = sorted((number(e, "firstgid", name, 1, 2**28), i, e) for i, e in enumerate(root.findall("tileset")))
    found: dict[int, tuple[bool, int]] = {}
    names: set[str] = set()
    for i, (first, _, element) in enumerate(sets):
        end = sets[i + 1][0] if i + 1 < len(sets) else 2**28
        try:
            tileset, where = _tileset(element, folder, name)
        except WaygridError:
            if optional and "source" in element.attrib:
                continue
            raise
        terrains = read_terrain_weights(tileset, where, lambda own, place: _read_weight(own, weights, place), names)
        rules = {first + tile: (False, value) for tile, value in terrains.items()}
        for tile in tileset.findall("tile"):
            gid = first + number(tile, "id", where, 0, 2**28)
            own = read_properties(tile)
            names.update(own)
            blocked, value = _tile_rule(own, blocks, weights, f"{where}, tile {gid - first}")
            rules[gid] = (blocked, value or rules.get(gid, (False, 0))[1])
        found |= {gid: rule for gid, rule in rules.items() if gid < end and any(rule)}
    gids = sorted(found)
    return _Rules(
        np.array(gids, np.int64),
        np.array([found[gid][0] for gid in gids], np.bool_),
        np.array([found[gid][1] for gid in gids], np.int64),
        names,
    )


def _tile_rule(own: Properties, blocks: str, weights: tuple[str, ...], place: str) -> tuple[bool, int]:
    """Return whether a tile with these properties blocks, and its weight, 0 if it has none."""
    block_text = own.get(blocks)
    if block_text not in (None, "true", "false"):
        raise WaygridError(f"{place}: {blocks} {block_text[:40]!r}; allowed are true and false")
    return block_text == "true", _read_weight(own, weights, place)


def _read_weight(own: Properties, weights: tuple[str, ...], place: str) -> int:
    """Return the weight in these properties, the first that there is; 0 if there is none."""
    for weight in weights:
        text = own.get(weight)
        if text is not None:
            if not (text.isascii() and text.isdigit() and len(text) <= 5 and 1 <= int(text) <= MAX_WEIGHT):
                raise WaygridError(f"{place}: {weight} {text[:40]!r}; allowed are 1 to {MAX_WEIGHT}")
            return int(text)
    return 0


def _refuse_misspelt(rules: _Rules, given: dict[str, str | None], name: str) -> None:
    """Refuse the name of a property that no tile has."""
    for option, wanted in given.items():
        if wanted is not None and wanted not in rules.names:
            known = ", ".join(sorted(rules.names)[:20]) or "none"
            raise WaygridError(f"{name}: no tile has the property {show(wanted)} of {option}=; the tiles have {known}")


def _wall_layers(layers: list[Element], wanted: str | None, name: str) -> list[Element]:
    if wanted is None:
        return [layer for layer in layers if layer.get("name", "").lower() in WALL_LAYERS]
    chosen = [layer for layer in layers if layer.get("name", "") == wanted]
    if not chosen:
        raise WaygridError(f"{name}: no layer {show(wanted)}; there are {_names(layers)}")
    return chosen


def _refuse_object_walls(root: Element, name: str) -> None:
    for group in root.iter("objectgroup"):
        if group.get("name", "").lower() in WALL_LAYERS:
            raise WaygridError(
                f"{name}: {group.get('name')!r} is an object layer, whose shapes are not read; draw the walls as tiles"
            )


def _names(layers: list[Element]) -> str:
    return ", ".join(repr(layer.get("name", "")) for layer in layers)


def parse(
    data: bytes,
    name: str = "map.tmx",
    *,
    folder: PathLike = ".",
    layer: str | None = None,
    property: str | None = None,
    weight: str | None = None,
    max_cells: int | None = None,
) -> MapData:
    """Return the map in the bytes of a ``.tmx`` file; external tilesets are read from ``folder``.

    A map of more than ``max_cells`` is refused before memory is allocated for it.

    >>> text = '<map width="2" height="1"><layer name="Walls"><data encoding="csv">0,7</data></layer></map>'
    >>> parse(text.encode()).passable
    array([[ True, False]])
    """
    root = parse_xml(data, name, "map")
    layers = list(root.iter("layer"))
    if not layers:
        raise WaygridError(f"{name}: there are no tile layers")
    walls = _wall_layers(layers, layer, name)
    most = MAX_TILES if max_cells is None else min(max_cells, MAX_TILES)
    area = _area(root, layers, name, most)
    layout = read_layout(root, area.x, area.y, name)
    check_size(*layout.size(area.width, area.height), name, max_cells=most)
    infinite = root.get("infinite", "0") != "0"
    blocked = np.zeros((area.height, area.width), np.bool_)
    for one in walls:
        blocked |= _layer_tiles(one, area, infinite, name, most) != 0
    if not walls:
        _refuse_object_walls(root, name)
    blocks = _BLOCKS if property is None else property
    optional = bool(walls) and property is None and weight is None
    prices = _WEIGHTS if weight is None else (weight,)
    rules = _rules(root, Path(folder), blocks, prices, name, optional=optional)
    if blocks not in rules.names and not walls:
        wanted = f"no layer is called {', '.join(WALL_LAYERS)} and no tile has the property {show(blocks)}"
        raise WaygridError(f"{name}: the map does not define walls: {wanted}; the layers are {_names(layers)}")
    _refuse_misspelt(rules, {"property": property, "weight": weight}, name)
    weights = np.ones((area.height, area.width), np.int64)
    for one in (one for one in layers if one not in walls):
        found = _layer_tiles(one, area, infinite, name, most)
        if len(rules.gids):
            at = np.searchsorted(rules.gids, found).clip(max=len(rules.gids) - 1)
            known = rules.gids[at] == found
            if not walls or property is not None:
                blocked |= known & rules.blocks[at]
            np.maximum(weights, np.where(known, rules.weights[at], 1), out=weights)
    priced = None
    if not rules.names.isdisjoint(prices):
        priced = layout.arrange(np.where(blocked, 1, weights).astype(np.uint16), 1)
    return MapData(layout.arrange(~blocked, 0), priced, layout.topology)


def read(
    path: PathLike,
    *,
    layer: str | None = None,
    property: str | None = None,
    weight: str | None = None,
    max_cells: int | None = None,
) -> MapData:
    """Read a ``.tmx`` map; see the module for what is a wall."""
    data = read_bytes(path, 2**28)
    named = {"property": property, "weight": weight}
    return parse(data, os.fspath(path), folder=Path(path).parent, layer=layer, max_cells=max_cells, **named)


def write(path: PathLike, data: MapData) -> None:
    """Write a ``.tmx`` map: one layer, and a tileset whose tiles have properties for walls and weights.

    Hex and tex grids become hexagonal maps whose even columns are shifted, all others orthogonal ones.
    The tiles have no pictures; the file is meant for tools that read the properties, or to be given a tileset image.
    """
    name = os.fspath(path)
    data = check_map(data, name)
    height, width = data.passable.shape
    check_size(width, height, name, max_cells=MAX_TILES)
    found = [] if data.weights is None else distinct_weights(data).tolist()
    entries = ['<property name="blocks" type="bool" value="true"/>']
    entries += [f'<property name="weight" type="int" value="{value}"/>' for value in found]
    described = [f'  <tile id="{i}"><properties>{entry}</properties></tile>\n' for i, entry in enumerate(entries)]
    if data.weights is None:
        cells = np.where(data.passable, 2, 1)
    else:
        cells = np.where(data.passable, np.searchsorted(found, data.weights) + 2, 1)
    rows = ",\n".join(",".join(map(str, row)) for row in cells.tolist())
    orientation = 'orientation="orthogonal"'
    if data.topology in ("hex", "tex"):
        orientation = 'orientation="hexagonal" hexsidelength="8" staggeraxis="x" staggerindex="even"'
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<map version="1.10" {orientation} renderorder="right-down" width="{width}" height="{height}" '
        'tilewidth="16" tileheight="16" infinite="0" nextlayerid="2" nextobjectid="1">\n'
        ' <tileset firstgid="1" name="waygrid" tilewidth="16" tileheight="16" '
        f'tilecount="{max(len(entries), 2)}" columns="0">\n{"".join(described)} </tileset>\n'
        f' <layer id="1" name="Terrain" width="{width}" height="{height}">\n'
        f'  <data encoding="csv">\n{rows}\n</data>\n </layer>\n</map>\n'
    )
    write_atomically(path, text.encode())
