"""Which of several cheapest paths: the one with the fewest turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from waygrid.algorithms.classic import straightest_query as query
from waygrid.algorithms.classic.best_first import AStar
from waygrid.core import layout
from waygrid.errors import WaygridError
from waygrid.search.scratch import Shape

_LARGEST_WINDOW = 2**22  # buckets


class Straightest(AStar):
    """A* that returns the cheapest path with the fewest turns; what `find(prefer="straight")` asks."""

    _kernel: ClassVar[Callable[..., int]] = staticmethod(query.run)

    @property
    def optimal(self) -> bool:
        return False  # so that a partial path, too, is its own and not that of the flood that found its end

    def _shape(self) -> Shape:
        grid, table = self.grid, self.grid.table
        cells, dearest = grid.width * grid.height, int(table.geo[layout.DIAGONAL]) * table.max_weight
        rise = dearest + 2 * int(table.geo[layout.DIAGONAL]) * int(table.geo[layout.MIN_WEIGHT]) + 2
        window = max(4096, 1 << rise.bit_length())
        if window > _LARGEST_WINDOW:
            both = 2 if grid.rule == "mean" else 1  # weights of a move, by which `max_weight` counts
            most = _LARGEST_WINDOW // (2 * int(table.geo[layout.DIAGONAL]) * both)
            found = f"under metric {grid.metric}; this map has {table.max_weight // both}"
            raise WaygridError(f'prefer="straight" takes weights up to {most} {found}')
        wide = super()._shape().wide
        return Shape(cells, wide, window, window // 64 + window // 4096, False, listed=query.PARTS * cells)
