"""Terrains of Tiled: which tiles belong to a terrain, and what that terrain costs."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree.ElementTree import Element

from waygrid.formats.tiled_data import number

Properties = dict[str, str]


def read_properties(element: Element) -> Properties:
    """Return the custom properties of a tile or terrain as texts."""
    return {e.get("name", ""): e.get("value", e.text or "") for e in element.iterfind("properties/property")}


def read_terrain_weights(
    tileset: Element, where: str, weigh: Callable[[Properties, str], int], names: set[str]
) -> dict[int, int]:
    """Return the weight of each tile that belongs to a terrain with one: the largest of its corners and edges.

    weigh: reads the weight in the properties of a terrain, 0 if it has none. names: receives the properties' names.
    """
    found: dict[int, int] = {}
    for wanted in tileset.iterfind("wangsets/wangset"):
        colours = [
            _weigh(e, f"{where}, terrain {e.get('name', '')[:40]!r}", weigh, names) for e in wanted.iter("wangcolor")
        ]
        for tile in wanted.iter("wangtile"):
            _add(found, number(tile, "tileid", where, 0, 2**28), tile.get("wangid", ""), colours, first=1)
    old = [
        _weigh(e, f"{where}, terrain {e.get('name', '')[:40]!r}", weigh, names)
        for e in tileset.iterfind("terraintypes/terrain")
    ]
    for tile in tileset.iterfind("tile") if old else ():
        _add(found, number(tile, "id", where, 0, 2**28), tile.get("terrain", ""), old, first=0)
    return found


def _weigh(element: Element, place: str, weigh: Callable[[Properties, str], int], names: set[str]) -> int:
    own = read_properties(element)
    names.update(own)
    return weigh(own, place)


def _add(found: dict[int, int], tile: int, corners: str, weights: list[int], first: int) -> None:
    """Give a tile the largest weight of the terrains at its corners, numbers between commas from `first` on."""
    for corner in corners.split(",")[:8]:
        text = corner.strip()
        place = int(text) - first if text.isascii() and text.isdigit() and len(text) < 6 else -1
        if 0 <= place < len(weights) and weights[place]:
            found[tile] = max(found.get(tile, 0), weights[place])
