"""A*, Dijkstra, best-first and the switching heuristic: policies of the one best-first kernel."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.classic import best_first_query as bestfirst
from waygrid.algorithms.classic import compact_query as compact
from waygrid.core import layout
from waygrid.core.compact import BLOCK_SHIFT
from waygrid.core.levels import level_bits
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.grid.where import as_list
from waygrid.search.cells import pair_of, pairs_of
from waygrid.search.finder import Finder
from waygrid.search.heuristics import Heuristic, heuristic
from waygrid.search.path import Path
from waygrid.search.request import PLAIN, cells_of
from waygrid.search.scratch import Shape

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid

_SMALLEST_WINDOW = 4096  # of the bucket queue: one word of summary bits
# The wider the weights, the more buckets; the heap takes over where they would need more memory than the map allows.
# Buckets stay worth it: 62 ns per expansion against 133 at 2**18 (bloodvenomfalls-mixed01), 78 against 134 at 2**19.
_ALWAYS_ALLOWED = 2**18  # 1.1 MB, whatever the map
_LARGEST_WINDOW = 2**20
_ONE_LEVEL = 2**18  # buckets; more are two levels
# Of the finer one: at least, at most, and at most unless the coarse one would get too large. Wide coarse buckets hold
# many cells that need not be sorted and that the processor can fetch ahead: on terrain with weights to 1000 an
# expansion takes 50 ns with 2**18 keys in each, 57 with 2**14.
_FINE, _MIDDLE, _FINEST = 2**14, 2**18, 2**20
LARGE = 2**22  # cells from which searches take the memory of large maps
LABELLED = 2**24  # cells up to which connected components are numbered for queries
_NO_LABELS = np.zeros(1, np.int32)
_ONE_GOAL = np.zeros(1, np.uint8)  # a single entry stands for "no set of goals"


class BestFirstFinder(Finder):
    """What the best-first finders share: the queue that fits the keys, and the search for the nearest of many goals."""

    _kernel: ClassVar[Callable[..., int]] = staticmethod(bestfirst.run)
    _heuristic: Heuristic
    _is_large = False  # searches take the memory of large maps: see `core.compact`

    def _refresh(self) -> None:
        large = self.grid.width * self.grid.height >= LARGE if self._keeps_records is None else not self._keeps_records
        self._is_large = large and self._monotone and type(self)._kernel is bestfirst.run
        policy = self._policy.copy()  # other threads may be searching by the present one
        self._steer(policy)
        self._policy = policy
        super()._refresh()
        if self._is_large:
            policy[layout.BUCKET_SHIFT] = _split_levels(self._rise)[0].bit_length() - 1
            self._run = compact.run

    def _steer(self, policy: Array) -> None:
        """Write the heuristic, which depends on prices and weights, into a policy."""
        self._heuristic.write(policy, self.grid)
        policy[layout.KEY_G] = -1
        policy[layout.REOPEN] = self._heuristic.needs_reopening

    def _index_arrays_for(self, moves: Array) -> Any:
        return self._with_walk(_ONE_GOAL)

    def _with_walk(self, goals: Array) -> Any:
        """Return what the kernel takes as index: the set of goals; on large maps also where an agent can stand."""
        return (goals, self.grid.table.walk) if self._is_large else goals

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

    @property
    def _rise(self) -> int:
        """The most by which a key rises: by the dearest move and the change of the estimate along it."""
        table = self.grid.table
        diagonal = int(table.geo[layout.DIAGONAL])
        return diagonal * table.max_weight + 2 * diagonal * int(table.geo[layout.MIN_WEIGHT]) + 2

    def _labels_for_queries(self) -> Array:
        table = self.grid.table
        unknown = self._is_large and table.walk.size > LABELLED and not table.has_labels
        return _NO_LABELS if unknown else table.labels

    def _for_trace(self) -> Finder:
        if not self._is_large:
            return self
        twin = type(self)(self.info, self.grid, self.options)
        twin._keeps_records = True
        twin._refresh()
        return twin

    def _large_shape(self) -> Shape:
        cells, rise = self.grid.width * self.grid.height, self._rise
        fine, coarse = _split_levels(rise)
        bits = level_bits(fine) + level_bits(coarse)
        notes = (cells >> (BLOCK_SHIFT + 6)) + 1
        return Shape(cells, rise + fine >= 2**27, fine + coarse, bits, False, notes=notes, compact=True)

    def _shape(self) -> Shape:
        if self._is_large:
            return self._large_shape()
        grid, table = self.grid, self.grid.table
        cells, rise = grid.width * grid.height, self._rise
        window = max(_SMALLEST_WINDOW, 1 << rise.bit_length())
        far = (grid.width + grid.height) * int(table.geo[layout.DIAGONAL]) * int(table.geo[layout.MIN_WEIGHT])
        wide = table.longest + math.ceil(far * self._heuristic.scale) >= 2**31
        fits = window <= _ALWAYS_ALLOWED or (window <= _LARGEST_WINDOW and 33 * window <= 64 * cells)  # 8 bytes a cell
        if self._monotone and fits:
            return Shape(cells, wide, window, window // 64 + window // 4096, False)
        return Shape(cells, wide, cells, 1, True)

    def _bucket_shape(self) -> Shape:
        """Return the same for kernels that know no heap: prices of a million need many buckets."""
        shape = BestFirstFinder._shape(self)
        if not shape.heap:
            return shape
        window = 1 << self._rise.bit_length()
        return shape._replace(queue=window, bits=window // 64 + window // 4096, heap=False)


def _split_levels(rise: int) -> tuple[int, int]:
    """Return the buckets of the fine and of the coarse level of an open list whose keys span this much.

    >>> _split_levels(30_000), _split_levels(2**22), _split_levels(2**30)
    ((32768, 0), (131072, 128), (1048576, 4096))
    """
    window = max(_SMALLEST_WINDOW, 1 << rise.bit_length())
    if window <= _ONE_LEVEL:
        return window, 0
    fine = max(_FINE, min(_MIDDLE, window >> 6), min(_FINEST, window >> 10), window >> 16)
    return fine, 2 * window // fine


def make_flooding(grid: Grid) -> Dijkstra:
    """Return a finder whose tables and memory are those of floods: with a record per cell, however large the map."""
    from waygrid.algorithms.make import make_finder

    made = make_finder("dijkstra", grid)
    assert isinstance(made, Dijkstra)
    made._keeps_records = True
    return made


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
        width, labels, walk = self.grid.width, self._labels_for_queries(), self.grid.table.walk
        mask = np.zeros(walk.size, np.uint8)
        numbers = queries[:, 3].astype(np.int64) * width + queries[:, 2]
        mask[numbers] = 1
        here = int(start[0, 1]) * width + int(start[0, 0])
        # The query itself names a goal that decides the cases without a search: the start, or one in the same part.
        near = np.flatnonzero(numbers == here)
        if near.size == 0 and labels.size > 1:
            near = np.flatnonzero(labels[numbers] == labels[here])
        scratch = self._pool.take()
        scratch.query[:] = queries[near[0] if near.size else 0]
        row = self._one(scratch, self._with_walk(mask))
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
