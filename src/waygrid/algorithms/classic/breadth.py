"""Breadth-first search from one end and from both."""

from __future__ import annotations

from waygrid.algorithms.classic import breadth_query as breadth
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.search.finder import Finder
from waygrid.search.scratch import Shape


class Bfs(Finder):
    """Layer by layer from the start; the goal is tested when generated."""

    _kernel = staticmethod(breadth.run)
    _takes_one_weight = True

    def _index_arrays_for(self, moves: Array) -> Array:
        return moves  # of a search from the goal, which there is none of

    def _shape(self) -> Shape:
        cells = self.grid.width * self.grid.height
        return Shape(cells, False, cells, 0, False)

    def _record_bytes(self) -> tuple[int, int]:
        return layout.NODE.itemsize + 4, 0  # every cell has a place in the queue, for good


class BiBfs(Bfs):
    """From both ends, the smaller layer first; a contact counts when its layer is done, else it may be one too long."""

    def _configure(self) -> None:
        self._policy[layout.BOTH_ENDS] = 1

    def _index_arrays_for(self, moves: Array) -> Array:
        return self.grid.table.reversed(moves) if self.grid.has_one_way else moves
