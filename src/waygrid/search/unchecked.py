"""Searches that run although no path can exist, to show their flood."""

from __future__ import annotations

import numpy as np

from waygrid.errors import WaygridError
from waygrid.search.declaration import AlgorithmInfo
from waygrid.search.finder import Finder
from waygrid.search.registry import remade


def can_search_unreachable(info: AlgorithmInfo) -> bool:
    """Return whether an algorithm can search for a goal in another connected component.

    An index has no entry for such a pair of cells, and an agent would wander until a limit stops it.

    >>> from waygrid.search.registry import algorithms
    >>> can_search_unreachable(algorithms()["astar"]), can_search_unreachable(algorithms()["jps+"])
    (True, False)
    """
    return not (info.index or info.real_time)


def make_unchecked(finder: Finder) -> Finder:
    """Return the same finder without the check of connected components.

    Finders compare the components of start and goal first and do not search if they differ. This one expands all cells
    that the start can reach. It works for the current grid; create another one after an edit.

    >>> import waygrid as wg
    >>> finder = wg.make_finder("astar", wg.Grid([[1, 1, 0, 1]]))
    >>> finder.find((0, 0), (3, 0)).stats.expanded, make_unchecked(finder).find((0, 0), (3, 0)).stats.expanded
    (0, 2)
    """
    if not can_search_unreachable(finder.info):
        raise WaygridError(f"{finder.info.name} cannot search for a goal in another connected component")
    unchecked = remade(finder.info.name, finder.grid, finder.options, None)
    unchecked._check_version()
    moves, weights, geo, labels = unchecked._tables
    # The kernels see one component for all passable cells, so their check always passes.
    unchecked._tables = (moves, weights, geo, np.where(labels < 0, labels, labels.dtype.type(0)))
    return unchecked
