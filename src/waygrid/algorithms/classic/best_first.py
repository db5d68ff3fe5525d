"""A*, Dijkstra, best-first and the switching heuristic: policies of the one best-first kernel."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.classic import best_first_query as bestfirst
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.grid.where import as_list
from waygrid.search.cells import pair_of, pairs_of
from waygrid.search.finder import Finder
from waygrid.search.heuristics import Heuristic, heuristic
from waygrid.search.path import Path
from waygrid.search.request import PLAIN, cells_of
from waygrid.search.scratch import Shape

_SMALLEST_WINDOW = 4096  # of the bucket queue: one word of summary bits
# The wider the weights, the more buckets; the heap takes over where they would need more memory than the map allows.
# Buckets stay worth it: 62 ns per expansion against 133 at 2**18 (bloodvenomfalls-mixed01), 78 against 134 at 2**19.
_ALWAYS_ALLOWED = 2**18  # 1.1 MB, whatever the map
_LARGEST_WINDOW = 2**20
_ONE_GOAL = np.zeros(1, np.uint8)  # a single entry stands for "no set of goals"


class BestFirstFinder(Finder):
    """What the best-first finders share: the queue that fits the keys, and the search for the nearest of many goals."""

    _kernel: ClassVar[Callable[..., int]] = staticmethod(bestfirst.run)
    _heuristic: Heuristic

    def _refresh(self) -> None:
        policy = self._policy.copy()  # other threads may be searching by the present one
        self._steer(policy)
        self._policy = policy
        super()._refresh()

    def _steer(self, policy: Array) -> None:
        """Write the heuristic, which depends on prices and weights, into a policy."""
        self._heuristic.write(policy, self.grid)
        policy[layout.KEY_G] = -1
        policy[layout.REOPEN] = self._heuristic.needs_reopening

    def _index_arrays_for(self, moves: Array) -> Any:
        return _ONE_GOAL

    @property
    def _event_unit(self) -> int:
        return self.grid.cardinal_price * (2 if self.grid.rule == "mean" else 1)

    def _estimate(self, start: Array, goal: Array) -> int:
        return self._heuristic.of(self._policy, self.grid, start, goal)

    @property
    def _monotone(self) -> bool:
        """Whether keys never fall, so that buckets can hold the open list."""
        return self._heuristic.consistent

    def find_nearest(self, start: tuple[int, int], goals: npt.ArrayLike) -> Path:
        """Find the cheapest path to one of many goals, by one search from the start where paths are the cheapest."""
        self._check_version()
        if not self.optimal:
            return super().find_nearest(start, goals)
        plain = self if type(self) is Dijkstra else Dijkstra._of(self)  # goal bounds know of one goal only
        return plain._nearest(pair_of("start", start), pairs_of("goals", as_list(goals)))

    def _shape(self) -> Shape:
        grid, table = self.grid, self.grid.table
        cells = grid.width * grid.height
        dearest = int(table.geo[layout.DIAGONAL]) * table.max_weight
        # A key rises by at most the dearest move and the change of the estimate along it.
        rise = dearest + 2 * int(table.geo[layout.DIAGONAL]) * int(table.geo[layout.MIN_WEIGHT]) + 2
        window = max(_SMALLEST_WINDOW, 1 << rise.bit_length())
        far = (grid.width + grid.height) * int(table.geo[layout.DIAGONAL]) * int(table.geo[layout.MIN_WEIGHT])
        wide = table.longest + math.ceil(far * self._heuristic.scale) >= 2**31
        fits = window <= _ALWAYS_ALLOWED or (window <= _LARGEST_WINDOW and 33 * window <= 64 * cells)  # 8 bytes a cell
        if self._monotone and fits:
            return Shape(cells, wide, window, window // 64 + window // 4096, False)
        return Shape(cells, wide, cells, 1, True)


class AStar(BestFirstFinder):
    """A*: cost so far plus estimate."""

    def _configure(self) -> None:
        self._heuristic = heuristic(self.options["heuristic"], self.grid, self.options["weight"])

    @property
    def optimal(self) -> bool:
        return self._heuristic.admissible


class Dijkstra(BestFirstFinder):
    """A* whose estimate is zero."""

    def _configure(self) -> None:
        self._heuristic = heuristic("zero", self.grid, 1.0)

    @classmethod
    def _of(cls, finder: Finder) -> Dijkstra:
        """Return a Dijkstra finder on the grid of another finder."""
        from waygrid.algorithms.make import make_finder

        made = make_finder("dijkstra", finder.grid)
        assert isinstance(made, Dijkstra)
        return made

    def _nearest(self, start: Array, goals: Array) -> Path:
        """Search until the first of the goals is settled."""
        from waygrid.search.batch import check_queries

        if len(goals) == 0:
            raise WaygridError("find_nearest needs at least one goal")
        self._check_version()
        queries = check_queries(self, np.repeat(start, len(goals), axis=0), goals, PLAIN)
        width, labels = self.grid.width, self.grid.table.labels
        mask = np.zeros(labels.size, np.uint8)
        numbers = queries[:, 3].astype(np.int64) * width + queries[:, 2]
        mask[numbers] = 1
        here = int(start[0, 1]) * width + int(start[0, 0])
        # The query itself names a goal that decides the cases without a search: the start, or one in the same part.
        near = np.flatnonzero(numbers == here)
        if near.size == 0:
            near = np.flatnonzero(labels[numbers] == labels[here])
        scratch = self._pool.take()
        scratch.query[:] = queries[near[0] if near.size else 0]
        row = self._one(scratch, mask)
        path = Path(row, cells_of(scratch, row), self._sizes)
        self._pool.give(scratch)
        return path


class BestFirst(BestFirstFinder):
    """Greedy best-first search: the estimate alone."""

    _monotone = False

    def _configure(self) -> None:
        self._heuristic = heuristic(self.options["heuristic"], self.grid, 1.0)

    def _steer(self, policy: Array) -> None:
        super()._steer(policy)
        policy[layout.KEY_G] = 0
        policy[layout.REOPEN] = 0


class AStarOverestimate(BestFirstFinder):
    """Kumar et al.: Manhattan distance until an obstacle is met, then 1.5 times the larger of dx and dy.

    Closed cells stay closed, as the paper's closed flag suggests; the result then depends on the order of ties, which
    is newest first.
    """

    _READINGS: ClassVar = {"K1": 1, "K2": 2, "K3": 3, "K4": 4}
    _monotone = False

    def _configure(self) -> None:
        self._heuristic = heuristic("manhattan", self.grid, 1.0)

    def _steer(self, policy: Array) -> None:
        super()._steer(policy)
        price = int(self.grid.table.geo[layout.CARDINAL] * self.grid.table.geo[layout.MIN_WEIGHT])
        policy[layout.READING] = self._READINGS[self.options["reading"]]
        policy[layout.OVER_MAX] = (3 * price << layout.H_SHIFT) // 2
        policy[layout.OVER_MIN] = 0
        policy[layout.REOPEN] = 0
