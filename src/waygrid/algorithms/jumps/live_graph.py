"""The graph of turns of a grid that changes: repaired after every edit (see `repair`)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from waygrid.algorithms.jumps import jps_plus_query as jpsplus
from waygrid.algorithms.jumps import repair
from waygrid.algorithms.jumps.turns import turn_graph, turn_records
from waygrid.core.types import Array
from waygrid.grid.grid import Grid
from waygrid.grid.table import MoveTable

_LARGE_EDIT = 8  # where a part of the map this large (1/8) may have changed, building anew is quicker
_TURNS_AROUND = 72  # that a changed cell can make: eight in each of nine cells
_GARBAGE = 3  # times as many turns or edges as there were, until the gaps between them are closed
_HEADROOM = 1024
_MOST_TAGGED = 2**22  # turns; tags of 32 bits hold numbers up to twice that


class LiveGraph:
    """Jumps, tags, turns and edges as `jps+` reads them, kept up to date with a grid."""

    def __init__(self, grid: Grid, index: Mapping[str, Array] | None = None, home: Grid | None = None) -> None:
        """Begin with an index of `home`, which was the map at a version that `update` is to follow from."""
        self._grid = grid
        self._none = np.zeros((0, 2), np.int64)
        if index is None or home is None:
            self._begin(turn_graph(grid.table), grid.table)
        else:
            copies = {name: array.copy() for name, array in index.items() if name in ("jumps", "tags")}
            self._begin({**index, **copies}, home.table)
        self.version = grid.version

    def _begin(self, graph: Mapping[str, Array], table: MoveTable) -> None:
        self._jumps, self._tags = graph["jumps"], graph["tags"]
        self._tables: jpsplus.Tables | None = None
        turns, edges = turn_records(table, graph)
        self._counts = np.array((len(turns) - 1, len(edges), 0, 0), np.int64)
        self._most = _GARBAGE * self._counts[:2] + 16 * _HEADROOM
        if self._tags.dtype == np.int32:
            self._most[0] = min(self._most[0], max(_MOST_TAGGED, self._counts[0]))
        self._turns = _enlarge(turns[:-1], len(turns) // 4 + _HEADROOM)
        self._edges = _enlarge(edges, len(edges) // 4 + _HEADROOM)
        self._seen = table.moves.copy()
        cells = self._seen.size
        lists = (np.empty(cells, np.int32) for _ in range(3))  # their pages are used where something is listed
        self._work = repair.Marks(np.zeros(cells, np.uint8), np.empty(cells, np.uint8), *lists)

    @property
    def tables(self) -> jpsplus.Tables:
        """What the search reads, read-only as the arrays of an index are; the same until an array is another one."""
        if self._tables is None:
            jumps, tags, turns, edges = map(_lock, (self._jumps, self._tags, self._turns, self._edges))
            self._tables = jpsplus.Tables(jumps, tags, turns, edges, None)
        return self._tables

    @property
    def turns(self) -> int:
        """Places for turns; the last one is the start's."""
        return len(self._turns)

    def update(self) -> int:
        """Follow the edits since the last call; return how many cells were drawn again, -1 if all were."""
        grid = self._grid
        windows = grid._edits.boxes_since(self.version, grid._clearance, grid._width, grid._height)
        self.version = grid.version
        size = sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in windows.tolist())
        if _LARGE_EDIT * size > self._seen.size + 2048:
            self._begin(turn_graph(grid.table), grid.table)
            return -1
        if self._counts[repair.TURNS] > self._most[0] or self._counts[repair.EDGES] > self._most[1]:
            self._compact()
        if len(windows) == 0:
            return 0
        if self._counts[repair.TURNS] + _TURNS_AROUND * size >= len(self._turns) - 1:
            self._turns, self._tables = _enlarge(self._turns[:-1], len(self._turns) // 2 + _TURNS_AROUND * size), None
        return self._repair(windows)

    def _repair(self, windows: Array) -> int:
        table, counts = self._grid.table, self._counts
        graph = (self._jumps, self._tags, self._turns, self._edges)
        done = repair.repair(table.moves, table.geo, self._seen, windows, graph, self._work, self._none, counts)
        many = int(counts[repair.REDRAWN])
        while done < many:
            self._edges, self._tables = _enlarge(self._edges, len(self._edges) // 2 + _HEADROOM), None
            graph = (self._jumps, self._tags, self._turns, self._edges)
            lists = (self._work.stale, self._work.redrawn)
            done = repair.redraw(table.moves, table.geo, graph, self._none, counts, *lists, done, many)
        return many

    def _compact(self) -> None:
        graph = (self._jumps, self._tags, self._turns, self._edges)
        room = np.zeros_like(self._turns), np.zeros_like(self._edges)
        repair.compact(self._grid.table.geo, graph, room, self._counts, np.empty(len(self._turns), np.int32))
        self._turns, self._edges = room
        self._tables = None
        self._most = _GARBAGE * self._counts[:2] + 16 * _HEADROOM


def _enlarge(records: Array, more: int) -> Array:
    """Return a copy with room for more, and one place at the end for the start."""
    larger = np.zeros(len(records) + more + 1, records.dtype)
    larger[: len(records)] = records
    return larger


def _lock(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view
