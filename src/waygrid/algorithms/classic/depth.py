"""Depth-first search, once and with iterative deepening."""

from __future__ import annotations

from waygrid.algorithms.classic import depth_query as depth
from waygrid.core import layout
from waygrid.search.finder import Finder
from waygrid.search.scratch import Shape


class Dfs(Finder):
    """Follow one way to its end before trying another; directions in the order of the grid's moves."""

    _kernel = staticmethod(depth.run)
    _takes_one_weight = True

    def _shape(self) -> Shape:
        return Shape(self.grid.width * self.grid.height, False, 1, 0, False)


class Iddfs(Dfs):
    """Depth-first search with limits 0, 1, 2, ...; a cell is looked at again when reached by fewer moves."""

    def _configure(self) -> None:
        self._policy[layout.DEEPENING] = 1
