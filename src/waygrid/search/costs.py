"""Costs alone, between many starts and many goals."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from waygrid.core.query import join_queries
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.grid.where import as_list
from waygrid.search.batch import as_int32
from waygrid.search.cells import count_threads, pair_of, pairs_of
from waygrid.search.path import Path, Status

if TYPE_CHECKING:
    from waygrid.search.finder import Finder

_ROWS = 2**16  # queries of a call: their results take 6 MB


def cost_matrix(finder: Finder, starts: Array, goals: Array, threads: int) -> npt.NDArray[np.float64]:
    """Return costs[i, j] from start i to goal j by asking for every pair, some starts at a time."""
    costs = np.empty((len(starts), len(goals)))
    share = max(1, _ROWS // max(1, len(goals)))
    for first in range(0, len(starts), share):
        some = starts[first : first + share]
        ends = np.repeat(some, len(goals), axis=0), np.tile(goals, (len(some), 1))
        costs[first : first + share] = finder.find_many(*ends, threads, paths=False).costs.reshape(len(some), -1)
    return costs


def check_ends(finder: Finder, name: str, cells: Array) -> Array:
    """Check starts or goals, and return them as the one type that kernels take; `name` is for the error."""
    table, ends, queries = finder.grid.table, as_int32(cells), np.empty((len(cells), 4), np.int32)
    bad = join_queries(table.geo, table.walk, ends, ends, False, queries)
    if bad >= 0:
        raise finder.grid.cell_error(f"{name} {bad}", int(cells[bad, 0]), int(cells[bad, 1]))
    return ends


def share_rows(count: int, threads: int) -> list[slice]:
    """Return rows of a matrix in shares, some for each thread.

    >>> share_rows(10, 1)
    [slice(0, 10, None)]
    """
    if threads == 1:
        return [slice(0, count)]
    bounds = np.linspace(0, count, min(max(1, count), 4 * threads) + 1).astype(int).tolist()
    return [slice(first, last) for first, last in pairwise(bounds)]


class AsksForCosts:
    """What every finder offers that is made of other queries."""

    def costs(
        self, starts: npt.ArrayLike, goals: npt.ArrayLike, threads: int | None = None, *, pairs: bool = False
    ) -> npt.NDArray[np.float64]:
        """Return what the path from each start to each goal costs, (starts, goals); inf where there is none.

        pairs=True: from the first start to the first goal, from the second to the second, and so on, (n,). No path is
        written. With `turntable` a cost takes a fraction of a microsecond; other algorithms search for every pair.

        >>> import waygrid as wg
        >>> finder = wg.make_finder("turntable", wg.Grid([[1, 1, 1, 0, 1]]))
        >>> finder.costs([(0, 0), (1, 0)], [(2, 0), (4, 0)]).tolist()
        [[2.0, inf], [1.0, inf]]
        """
        finder = cast("Finder", self)
        finder._check_version()
        own, other = pairs_of("starts", starts), pairs_of("goals", goals)
        if pairs:
            return finder.find_many(own, other, threads, paths=False).costs
        if finder._stand_in is not None:
            return finder._stand_in.cost_matrix(own, other, count_threads(threads))
        return finder._cost_matrix(own, other, count_threads(threads))

    def _cost_matrix(self, starts: Array, goals: Array, threads: int) -> npt.NDArray[np.float64]:
        return cost_matrix(cast("Finder", self), starts, goals, threads)

    def find_nearest(self, start: tuple[int, int], goals: npt.ArrayLike) -> Path:
        """Find the cheapest path to one of many goals; ties are always broken the same way.

        >>> import waygrid as wg
        >>> finder = wg.make_finder("astar", wg.Grid([[1, 1, 1, 1, 1]]))
        >>> finder.find_nearest((1, 0), [(4, 0), (0, 0)]).cells.tolist()
        [[1, 0], [0, 0]]
        """
        targets = pairs_of("goals", as_list(goals))
        if len(targets) == 0:
            raise WaygridError("find_nearest needs at least one goal")
        batch = cast("Finder", self).find_many(np.broadcast_to(pair_of("start", start), targets.shape), targets)
        reached = batch.statuses == Status.FOUND
        return batch[int(np.argmin(np.where(reached, batch.costs, np.inf)))]
