"""Depth-first search, once and with iterative deepening."""

from __future__ import annotations

from waygrid.finders.base import Finder
from waygrid.finders.scratch import Shape
from waygrid.kernels import depth, layout


class Dfs(Finder):
    """Follow one way to its end before trying another; directions in the order of the grid's moves."""

    _kernel = staticmethod(depth.run)

    def _shape(self) -> Shape:
        return Shape(self.grid.width * self.grid.height, False, 1, 0, False)


class Iddfs(Dfs):
    """Depth-first search with limits 0, 1, 2, ...; a cell is looked at again when reached by fewer moves."""

    def _configure(self) -> None:
        self._policy[layout.VARIANT] = 1
