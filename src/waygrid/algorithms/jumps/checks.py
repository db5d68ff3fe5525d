"""Checks of the graph of turns in an index from a file (see `turns_build`): for jps+, jps+gb and cpd."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from waygrid.algorithms.jumps.turns import edge_records, jump_kind, move_width, record_widths, tag_kind, turn_records
from waygrid.build.checks import require, require_array, require_offsets, require_range
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.grid.table import MoveTable

_BLOCK = 2**18  # cells that are looked at together: indexes can be large, and the memory of the check is not


def blocks_of(count: int) -> Iterator[slice]:
    """Yield the slices of an array of so many cells.

    >>> [part.stop for part in blocks_of(300_000)]
    [262144, 300000]
    """
    for first in range(0, count, _BLOCK):
        yield slice(first, min(first + _BLOCK, count))


def require_turns(table: MoveTable, index: Mapping[str, Array]) -> tuple[Array, Array]:
    """Refuse tags that do not number the turns one by one; return the cells and directions of all turns."""
    tags = require_array(index, "tags", tag_kind(table), (table.moves.size,))
    cells, ways, count = [], [], 0
    for part in blocks_of(tags.size):
        marks = tags[part].astype(np.uint8)  # the lowest byte: the directions that make a cell a turn
        numbers = tags[part] >> 8
        some = np.flatnonzero(marks)  # few cells: all others only hand the number on
        bits = np.unpackbits(marks[some][:, None], axis=1, bitorder="little")
        before = count + np.concatenate((np.zeros(1, np.int64), np.cumsum(bits.sum(axis=1, dtype=np.int64))))
        stretches = np.diff(np.concatenate(([-1], some, [len(marks) - 1])))  # each turn cell ends one
        sound = np.array_equal(numbers, np.repeat(before, stretches))
        require(sound, "array 'tags' does not number the turns one by one")
        place, way = bits.nonzero()
        cells.append(some[place] + part.start)
        ways.append(way)
        count = int(before[-1])
    return np.concatenate(cells), np.concatenate(ways)


def require_edges(table: MoveTable, index: Mapping[str, Array], cells: Array) -> Array:
    """Refuse edges that lead to no turn, or to one that lies elsewhere; return them as records."""
    require_array(index, "edges", np.int32, (None, record_widths(table)[1]))
    edges, width = edge_records(table, index), int(table.geo[layout.WIDTH])
    require_range(edges["turn"], "array 'edges', turn,", 0, len(cells) - 1)
    there = cells[edges["turn"]]
    same = (edges["x"] == there % width) & (edges["y"] == there // width)
    require(bool(same.all()), "array 'edges' has places that are not those of its turns")
    return edges


def require_turn_graph(table: MoveTable, index: Mapping[str, Array]) -> None:
    """Refuse a graph of turns on which a search could leave its arrays or never end.

    Places and costs are compared with those of the map. So estimates are consistent, as the search needs them; whether
    an edge passes through a wall is not looked at.
    """
    cells, ways = require_turns(table, index)
    require_array(index, "turns", np.int32, (len(cells) + 1, record_widths(table)[0]))
    edges = require_edges(table, index, cells)
    turns, geo = turn_records(table, index)[0], table.geo
    width = int(geo[layout.WIDTH])
    own = turns[:-1]
    same = (own["x"] == cells % width) & (own["y"] == cells // width) & (own["d"] == ways)
    require(bool(same.all()), "array 'turns' has turns that are not those of 'tags'")
    require_offsets(turns["edge"], "array 'turns', edge,", len(edges))
    require(np.array_equal(own["last"], turns["edge"][1:]), "array 'turns' has edges that are not in order")
    source = np.repeat(cells, np.diff(turns["edge"]))
    dx = np.abs(source % width - edges["x"].astype(np.int64))
    dy = np.abs(source // width - edges["y"].astype(np.int64))
    cost = geo[layout.CARDINAL] * np.abs(dx - dy) + geo[layout.DIAGONAL] * np.minimum(dx, dy)
    require(bool((edges["cost"] == cost).all()), "array 'edges' has costs that are not those of its ways")


def require_jumps(table: MoveTable, index: Mapping[str, Array]) -> None:
    """Refuse jumps of another shape; where they lead, alone or with goal bounds, is looked at by every query."""
    if "jumps" in index:
        require_array(index, "jumps", jump_kind(table), (table.moves.size, 8))
    else:
        require_array(index, "moves", np.int16, (table.moves.size, move_width(table)))
