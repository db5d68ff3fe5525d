"""Jump point search on weighted maps, which leaves maps whose terrain changes everywhere to A*."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.jumps import jpsw_query as query
from waygrid.algorithms.jumps.patterns import Patterns
from waygrid.core import layout
from waygrid.core.heuristics import natural
from waygrid.core.types import Array
from waygrid.search.costs import cost_matrix
from waygrid.search.finder import Finder
from waygrid.search.path import Batch, Path
from waygrid.search.registry import make_backup, refuse_unsupported
from waygrid.search.request import Memory
from waygrid.search.scratch import Shape

if TYPE_CHECKING:
    from waygrid.search.trace import Trace

_WINDOW = 2**14  # buckets
# A line waits after so many cells of mean weight, or where the estimate of a whole path has grown by so many.
_LINE, _SLACK = 32, 4
_EVEN = 1024  # and so many, where all weights are equal
# Share of steps along lines that end them, above which A* searches. Up to it, long queries had 1.09 or more of the
# speed of A*, and queries across 4 cells 0.93. Above it, blocks of 4 x 4 cells of nine weights (0.30) had 1.5 and 0.75,
# and random weights (0.4 to 1) 0.9.
_SHORT = 0.25


class Jpsw(Finder):
    """A* along lines through even terrain."""

    _kernel = staticmethod(query.run)
    _takes_one_weight = True
    _patterns: Patterns | None = None

    def _configure(self) -> None:
        self._lock = Lock()
        self._astar: PlainSearch | None = None

    @property
    def follows_lines(self) -> bool:
        """Whether the map is searched along lines; if not, A* searches, because most lines would be short.

        >>> import numpy as np, waygrid as wg
        >>> areas = np.repeat([[1, 5]], 20, axis=1) * np.ones((20, 1), int)
        >>> wg.make_finder("jpsw", wg.Grid(areas > 0, weights=areas)).follows_lines
        True
        >>> chance = np.random.default_rng(0).integers(1, 9, (20, 20))
        >>> wg.make_finder("jpsw", wg.Grid(chance > 0, weights=chance)).follows_lines
        False
        """
        self._check_version()
        return self._stand_in is None

    def _refresh(self) -> None:
        with self._lock:
            if self._version == self.grid.version:
                return  # another thread was first
            refuse_unsupported(self.info, self.grid)
            if self._patterns is None:
                self._patterns = Patterns(self.grid)
            self._patterns.update()
            self._policy = self._steer(self._patterns.mean_weight)
            self._stand_in = None
            if self.options["fallback"] == "auto" and self._patterns.short > _SHORT:
                self._astar = self._astar or PlainSearch(self)
                self._stand_in = self._astar
            super()._refresh()

    def _steer(self, mean_weight: float) -> Array:
        """Return the policy for the prices and weights of the map."""
        geo, policy = self.grid.table.geo, np.zeros(layout.POLICY_SIZE, np.int64)
        cardinal, diagonal, least = (int(geo[at]) for at in (layout.CARDINAL, layout.DIAGONAL, layout.MIN_WEIGHT))
        policy[layout.H_MAX], policy[layout.H_MIN] = least * cardinal, least * (diagonal - cardinal)
        even = self.grid.table.max_weight == least
        policy[layout.LINE_UNIT] = int(cardinal * (least if even else mean_weight))
        policy[layout.LINE_CELLS], policy[layout.LINE_SLACK] = (_EVEN, 4 * _EVEN) if even else (_LINE, _SLACK)
        policy[layout.BUCKET_SHIFT] = max(0, self._rise(policy).bit_length() - _WINDOW.bit_length() + 1)
        return policy

    def _rise(self, policy: Array) -> int:
        """Return more than a key can exceed that of the cell from which lines begin: a line, and its last move."""
        dearest = int(self.grid.table.geo[layout.DIAGONAL]) * self.grid.table.max_weight
        return 2 * (int(policy[layout.LINE_UNIT] * policy[layout.LINE_CELLS]) + dearest) + 2

    def _shape(self) -> Shape:
        wide = self.grid.table.longest + self._rise(self._policy) >= 2**31
        return Shape(self.grid.width * self.grid.height, wide, _WINDOW, _WINDOW // 64 + _WINDOW // 4096, False)

    def _index_arrays_for(self, moves: Array) -> Any:
        assert self._patterns is not None
        return self._patterns.numbers, self._patterns.successors

    def _arrays_for_blocked(self, walk: Array, moves: Array) -> Any:
        assert self._patterns is not None
        return self._patterns.without(walk), self._patterns.successors

    @property
    def _event_unit(self) -> int:
        return self.grid.cardinal_price

    def _estimate(self, start: Array, goal: Array) -> int:
        geo = self.grid.table.geo
        own = natural(geo, int(start[0]), int(start[1]), int(goal[0]), int(goal[1]))
        return own * int(geo[layout.MIN_WEIGHT])

    @property
    def memory(self) -> Memory:
        """Bytes of what is known of the terrain, and of the memory of one running search."""
        self._check_version()
        assert self._patterns is not None
        base = super().memory if self._astar is None or self._stand_in is None else self._astar.known.memory
        return base._replace(fixed_bytes=self._patterns.bytes)


class PlainSearch:
    """Lets A* answer in place of a finder whose lines would be short."""

    def __init__(self, owner: Jpsw) -> None:
        self.known: Finder = make_backup(owner, ("astar",))

    @property
    def backup(self) -> Finder:
        """The finder that searches."""
        return self.known

    def find(self, start: Any, goal: Any, *, waypoints: bool = False, **limits: Any) -> Path:
        """Answer as `Finder.find`."""
        return self.known.find(start, goal, waypoints=waypoints, **limits)

    def find_many(self, starts: Any, goals: Any, threads: int | None, **limits: Any) -> Batch:
        """Answer as `Finder.find_many`."""
        return self.known.find_many(starts, goals, threads, **limits)

    def cost_matrix(self, starts: Array, goals: Array, threads: int) -> npt.NDArray[np.float64]:
        """Answer as `Finder.costs`."""
        return cost_matrix(self.known, starts, goals, threads)

    def trace(self, start: Any, goal: Any, **limits: Any) -> Trace:
        """Answer as `Finder.trace`."""
        return self.known.trace(start, goal, **limits)
