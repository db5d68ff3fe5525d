"""Jump point search on weighted maps, which leaves maps whose terrain changes everywhere to A*."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np

from waygrid.algorithms.jumps import jpsw_query as query
from waygrid.algorithms.jumps import terrain_patterns as terrain
from waygrid.core import layout
from waygrid.core.heuristics import natural
from waygrid.core.types import Array
from waygrid.grid.grid import Grid
from waygrid.grid.where import Window
from waygrid.search.finder import Finder
from waygrid.search.registry import make_backup
from waygrid.search.scratch import Shape

_WINDOW = 2**14  # buckets
_LINE = 64  # cells of the dearest terrain after which a line waits


class Patterns:
    """The patterns of a map's terrain, and the number of the one around each cell."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        cells = grid.width * grid.height
        most = min(2**16 - 2, 1024 + cells // 32)
        room = 1 << (2 * most).bit_length()
        self._known = (
            np.zeros(2**16, np.uint8),
            np.zeros(128, np.int64),
            np.array([0, 0, most]),
            np.zeros(room, np.int64),
            np.zeros(room, np.uint16),
            np.full((most + 1, 8), 255, np.uint8),
        )
        self.numbers: Array = np.zeros(cells, np.uint16)
        self.version = -1
        self.update()

    @property
    def successors(self) -> Array:
        """Moves worth trying, by pattern and direction."""
        return self._known[-1]

    def update(self) -> None:
        """Follow the edits of the map."""
        grid = self._grid
        whole = [Window(0, 0, grid.width, grid.height)]
        for window in whole if self.version < 0 else grid.edits_since(self.version):
            self._number(window)
        self.version = grid.version

    def _number(self, window: Window) -> None:
        """Number the patterns of all cells that a window may have changed."""
        table, wide = self._grid.table, self._grid.clearance
        x0, y0, x1, y1 = window
        box = max(0, x0 - wide), max(0, y0 - wide), min(self._grid.width, x1 + 1), min(self._grid.height, y1 + 1)
        terrain.number_patterns(table.walk, table.weights_or_one, table.geo, self._known, self.numbers, *box)

    def count_stops(self) -> tuple[int, int]:
        counts = np.zeros(2, np.int64)
        terrain.count_stops(self.numbers, self.successors, self._grid.table.walk, counts)
        return int(counts[0]), int(counts[1])


class Jpsw(Finder):
    """A* along lines through even terrain."""

    _kernel = staticmethod(query.run)
    _takes_one_weight = True

    def _configure(self) -> None:
        self._patterns: Patterns | None = None
        self._lock = Lock()

    def _refresh(self) -> None:
        with self._lock:
            if self._patterns is None:
                self._patterns = Patterns(self.grid)
            self._patterns.update()
            self._steer()
            super()._refresh()

    def _steer(self) -> None:
        """Write what depends on prices and weights into the policy."""
        table = self.grid.table
        cardinal, diagonal = int(table.geo[layout.CARDINAL]), int(table.geo[layout.DIAGONAL])
        least = int(table.geo[layout.MIN_WEIGHT])
        policy = self._policy.copy()
        policy[layout.H_MAX], policy[layout.H_MIN] = least * cardinal, least * (diagonal - cardinal)
        policy[layout.LIMIT_STEPS] = _LINE * cardinal * table.max_weight
        policy[layout.BUCKET_SHIFT] = max(0, self._rise(policy).bit_length() - _WINDOW.bit_length() + 1)
        self._policy = policy

    def _rise(self, policy: Array) -> int:
        """Return the most by which a key can exceed that of the cell from which lines begin."""
        dearest = int(self.grid.table.geo[layout.DIAGONAL]) * self.grid.table.max_weight
        return 2 * (int(policy[layout.LIMIT_STEPS]) + dearest) + 2

    def _shape(self) -> Shape:
        wide = self.grid.table.longest + self._rise(self._policy) >= 2**31
        return Shape(self.grid.width * self.grid.height, wide, _WINDOW, _WINDOW // 64 + _WINDOW // 4096, False)

    def _index_arrays_for(self, moves: Array) -> Any:
        assert self._patterns is not None
        return self._patterns.numbers, self._patterns.successors

    def _arrays_for_blocked(self, walk: Array, moves: Array) -> Any:
        assert self._patterns is not None
        numbers = self._patterns.numbers.copy()
        terrain.forget_patterns(walk, self.grid.table.walk, self.grid.table.geo, numbers)
        return numbers, self._patterns.successors

    @property
    def _event_unit(self) -> int:
        return self.grid.cardinal_price

    def _estimate(self, start: Array, goal: Array) -> int:
        geo = self.grid.table.geo
        own = natural(geo, int(start[0]), int(start[1]), int(goal[0]), int(goal[1]))
        return own * int(geo[layout.MIN_WEIGHT])
