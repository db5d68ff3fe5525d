"""The jump table and the graph of turns of a grid, as arrays that an index can hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from waygrid.algorithms.jumps import jump_points as jumps
from waygrid.algorithms.jumps import turns_build as turns
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.grid.table import MoveTable

_SHORT = 2**15  # longest side whose jumps fit 16 bits
_MOST_EDGES = 4  # per cell, where relays can help it; dao maps have 0.1, random ones with 25 % walls 1.8
_RELAYS = (0, 64, 16, 4, 2)

TurnTypes: TypeAlias = tuple[np.dtype[Any], np.dtype[Any], np.dtype[Any]]


def list_turns(
    table: MoveTable, relay: int = 0, distances: Array | None = None, types: TurnTypes | None = None
) -> tuple[Array, Array, Array]:
    """Return the distances of JPS+, the tags of cells, and the turns, without their edges.

    relay: columns from one relay of a diagonal to the next, see `turns_build.find_turns`; 0: none.
    types: of the arrays, where others than the map needs are wanted.
    """
    moves, geo, cells = table.moves, table.geo, table.moves.size
    of_jumps, of_tags, of_turns = types or turn_types(table)
    if distances is None:
        distances = np.zeros((cells, 8), of_jumps)
        jumps.fill_jumps(moves, geo, distances)
    tags = np.zeros(cells, of_tags)
    listed = np.zeros(turns.find_turns(moves, geo, distances, relay, tags) + 1, of_turns)
    turns.list_turns(moves, geo, tags, listed)
    return distances, tags, listed


def turn_types(table: MoveTable) -> TurnTypes:
    """Return the types of jumps, tags and turns that a map needs."""
    return jump_kind(table), tag_kind(table), _records(table)[0]


def turn_graph(table: MoveTable) -> dict[str, Array]:
    """Return the distances of JPS+ and the graph of turns: records as rows of 32-bit numbers.

    `points` are the cell and move, as 8 * cell + move, by which each edge leaves its turn and its diagonal.
    """
    kind = _records(table)[1]
    distances, tags, listed = list_turns(table)
    for relay in _RELAYS:
        if relay:
            distances, tags, listed = list_turns(table, relay, distances)
        known = (table.moves, table.geo, distances, tags, listed)
        count = turns.draw_edges(*known, np.zeros(0, kind), np.zeros((0, 2), np.int64))
        if count <= _MOST_EDGES * table.moves.size:
            break
    edges, points = np.zeros(count, kind), np.zeros((count, 2), np.int64)
    turns.draw_edges(*known, edges, points)
    turns.bound_edges(table.geo, edges, points, None)
    rows = {"turns": listed, "edges": edges}
    plain = {name: array.view(np.int32).reshape(array.size, array.itemsize // 4) for name, array in rows.items()}
    return {"jumps": distances, "tags": tags, **plain, "points": points}


def bound_turns(table: MoveTable, graph: dict[str, Array], boxes: Array) -> None:
    """Write the goal bounds of all cells and moves into the edges of a graph, and beside its jumps.

    Jumps and boxes then lie together, in `moves`: one place in memory for each cell that a query's start looks at.
    """
    moves = np.zeros(table.moves.size * 8, turns.move_record(*_sides(table.geo)))
    moves["jump"] = graph.pop("jumps").reshape(-1)
    for number, name in enumerate(("left", "top", "right", "bottom")):
        moves[name] = boxes.reshape(-1, 4)[:, number]
    turns.bound_edges(table.geo, turn_records(table, graph)[1], graph.pop("points"), moves)
    graph["moves"] = moves.view(np.int16).reshape(table.moves.size, move_width(table))


def move_tables(table: MoveTable, graph: Mapping[str, Array]) -> tuple[Array, Array | None]:
    """Return the jumps of every cell, and its moves with goal bounds where the graph has them."""
    if "jumps" in graph:
        return graph["jumps"], None
    moves = graph["moves"].reshape(-1).view(turns.move_record(*_sides(table.geo)))
    return moves["jump"].reshape(-1, 8), moves


def turn_records(table: MoveTable, graph: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return turns and edges of a graph as records."""
    return graph["turns"].reshape(-1).view(_records(table)[0]), edge_records(table, graph)


def edge_records(table: MoveTable, graph: Mapping[str, Array]) -> Array:
    """Return the edges of a graph as records."""
    return graph["edges"].reshape(-1).view(_records(table)[1])


def jump_kind(table: MoveTable) -> np.dtype[np.signedinteger]:
    """Return the type of jumps on a map."""
    return np.dtype(np.int32 if max(_sides(table.geo)) >= _SHORT else np.int16)


def tag_kind(table: MoveTable) -> np.dtype[np.signedinteger]:
    """Return the type of tags on a map: eight turns a cell at most, shifted by 8."""
    return np.dtype(np.int64 if table.moves.size >= 2**20 else np.int32)


def record_widths(table: MoveTable) -> tuple[int, int]:
    """Return how many 32-bit numbers a turn and an edge take in an index."""
    turn, edge = _records(table)
    return turn.itemsize // 4, edge.itemsize // 4


def move_width(table: MoveTable) -> int:
    """Return how many 16-bit numbers the eight moves of a cell take in an index, goal bounds and all."""
    return turns.move_record(*_sides(table.geo)).itemsize * 4


def _records(table: MoveTable) -> tuple[np.dtype[np.void], np.dtype[np.void]]:
    return turns.records(max(_sides(table.geo)) * int(table.geo[layout.DIAGONAL]))


def _sides(geo: Array) -> tuple[int, int]:
    return int(geo[layout.WIDTH]), int(geo[layout.HEIGHT])
