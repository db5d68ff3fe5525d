"""Jump point search, by scanning the map (jps) and by a table made beforehand (jps+)."""

from __future__ import annotations

import os
from functools import cached_property

import numpy as np

from waygrid.algorithms.jumps import jps_plus_query as jpsplus
from waygrid.algorithms.jumps import jps_query as jps
from waygrid.algorithms.jumps.checks import require_jumps, require_turn_graph
from waygrid.algorithms.jumps.live_graph import LiveGraph
from waygrid.algorithms.jumps.turns import move_tables, turn_graph, turn_records
from waygrid.build.indexed import IndexedFinder
from waygrid.core import layout
from waygrid.core.heuristics import natural
from waygrid.core.legs import list_cells
from waygrid.core.types import Array
from waygrid.search.finder import Finder
from waygrid.search.scratch import Scratch, Shape

_WINDOW = 2**14  # buckets


class JumpFinder(Finder):
    """What the finders over jump points share."""

    @property
    def _event_unit(self) -> int:
        return self.grid.cardinal_price

    def _made_from(self) -> tuple[object, ...] | None:
        grid, table = self.grid, self.grid.table
        return table, grid._weights, grid._exits, table.labels, self._is_wide

    @cached_property
    def _farthest(self) -> int:
        """More than any jump costs."""
        return 2 * max(self.grid.width, self.grid.height) * int(self.grid.table.geo[layout.DIAGONAL])

    @property
    def _is_wide(self) -> bool:
        """Whether distances take 64 bits."""
        return self.grid.table.longest + self._farthest >= 2**31

    def _estimate(self, start: Array, goal: Array) -> int:
        return natural(self.grid.table.geo, int(start[0]), int(start[1]), int(goal[0]), int(goal[1]))

    def _list_so_far(self, scratch: Scratch, ctl: Array, count: int) -> Array:
        """Let `ctl` end at the closest waypoint so far, after so many of them; return the cells of the path there."""
        assert scratch.spare is not None
        way = np.zeros(self.grid.width * self.grid.height, np.int32)
        ctl[layout.END], ctl[layout.LISTED] = ctl[layout.BEST], count
        list_cells(scratch.spare, 0, ctl, self.grid.width, way)
        return way

    def _buckets(self) -> tuple[bool, int, int]:
        """Choose the width of a bucket; return whether distances are wide, the places of the queue and its bits."""
        self._policy[layout.BUCKET_SHIFT] = max(0, self._farthest.bit_length() - _WINDOW.bit_length() + 1)
        return self._is_wide, _WINDOW, _WINDOW // 64 + _WINDOW // 4096


class Jps(JumpFinder):
    """A* over jump points that are found by scanning rows, columns and diagonals."""

    _kernel = staticmethod(jps.run)

    def _shape(self) -> Shape:
        return Shape(self.grid.width * self.grid.height, *self._buckets(), False)

    def _so_far(self, scratch: Scratch, ctl: Array) -> Array:
        way = np.zeros(scratch.nodes.size, np.int32)
        ctl[layout.END] = ctl[layout.BEST]
        ctl[layout.LISTED] = jps.list_way_so_far(self.grid.table.geo, scratch.nodes, ctl, int(ctl[layout.BEST]), way)
        return way


class JpsPlus(IndexedFinder, JumpFinder):
    """A* on the graph of turns, with a table of eight distances per cell to get onto it."""

    _kernel = staticmethod(jpsplus.run)
    _ARRAYS = ("jumps", "tags", "turns", "edges")
    _LAYOUT = "2"
    _knows_waypoints = True
    _live: LiveGraph | None = None  # the index after edits, in place of `index`

    def _build(self) -> dict[str, Array]:
        graph = turn_graph(self.grid.table)
        del graph["points"]
        return graph

    def _check_index(self) -> None:
        require_jumps(self.grid.table, self.index)
        require_turn_graph(self.grid.table, self.index)

    def _repair(self) -> None:
        if self._live is None and self._fits < 0:  # an index of another map
            self._live = LiveGraph(self.grid)
        elif self._live is None:
            self._live = LiveGraph(self.grid, self.index, self._home.restore(self.grid))
            self._live.version = self._fits
        self._live.update()
        self._refresh_tables()

    def _made_from(self) -> tuple[object, ...] | None:
        base = super()._made_from()
        return None if base is None else (*base, None if self._live is None else self._live.tables)

    def _install(self) -> bool:
        if not super()._install():
            return False
        self._live = None
        return True

    def save(self, path: str | os.PathLike[str]) -> None:
        if self._live is not None:
            self.rebuild()
        super().save(path)

    def _shape(self) -> Shape:
        # The last row ends the lines; here the start takes that place.
        nodes = len(self.index["turns"]) if self._live is None else self._live.turns
        return Shape(nodes, *self._buckets(), False, nodes + 1)

    def _so_far(self, scratch: Scratch, ctl: Array) -> Array:
        corners = np.zeros(2 * scratch.nodes.size + 2, np.int32)
        ctl[layout.END] = ctl[layout.BEST]
        jpsplus.list_waypoints(scratch.nodes, self._index_arrays.turns, ctl, corners)
        way = np.zeros(self.grid.width * self.grid.height, np.int32)
        list_cells(corners, corners.size - 2 * int(ctl[layout.LISTED]), ctl, self.grid.width, way)
        return way

    def _index_arrays_for(self, moves: Array) -> jpsplus.Tables:
        if self._live is not None:
            return self._live.tables
        jumps, bounds = move_tables(self.grid.table, self.index)
        return jpsplus.Tables(jumps, self.index["tags"], *turn_records(self.grid.table, self.index), bounds)
