"""Costs alone, between many starts and many goals."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from waygrid.core.query import join_queries
from waygrid.core.types import Array
from waygrid.search.batch import as_int32

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
    shares = 1 if threads == 1 else min(max(1, count), 4 * threads)
    bounds = np.linspace(0, count, shares + 1).astype(int).tolist()
    return [slice(first, last) for first, last in pairwise(bounds)]
