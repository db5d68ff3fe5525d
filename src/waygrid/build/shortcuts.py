"""Whether opened cells make a cheaper way than an old path: told by the old costs to and from them.

A cheaper path takes moves that the old map did not have. It walks the old map up to a first cell `a` that gained a
move, and again from a last one `b` on, to which a new move leads. Moves go both ways here, so `b` has gained one, too,
and it is another cell: no cheapest path comes to a cell twice. So the path costs at least cost(start, a) +
distance(a, b) + cost(b, goal), where the costs are those of the old map. The estimate of distances alone says so for
cells far from the path. For those near it the costs are asked of the old index, which pays where it has them in a
fraction of a microsecond.

Pairs of cells tell more than boxes: a path that passes an opened cell has a box on it, so that cost(start, box) +
cost(box, goal) is no more than what it costs. On orz900d a cell that was opened near it left 290
paths the cheapest: pairs prove all of them, boxes 231.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from waygrid.build.difference import Difference
from waygrid.core import difference as kernels
from waygrid.core import layout
from waygrid.core.types import Array

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid
    from waygrid.search.finder import Finder
    from waygrid.search.path import Path

_SURE = 1e-7  # costs are sums of few different numbers: two that differ do so by far more


def is_cheapest(known: Finder, grid: Grid, path: Path, gap: Difference, ask: bool) -> bool:
    """Return whether nothing that was opened makes a cheaper way than an old path, which is still legal.

    ask: whether the old index may be asked for costs.
    """
    if grid._weights is not None or grid._exits is not None:
        return False
    cells: Array = np.empty((known._askable, 2), np.int32)
    ends = path.cells[[0, -1]]
    x, y, goal_x, goal_y = ends.ravel().tolist()
    straight, diagonal = path._row[layout.ROW_STRAIGHT], path._row[layout.ROW_DIAGONAL]
    geo, old, now = grid.table.geo, gap.home.table, grid.table
    cost = straight * int(geo[layout.CARDINAL]) + diagonal * int(geo[layout.DIAGONAL])
    known_moves = (geo, old.walk, old.moves, now.moves)
    count = kernels.list_gained(*known_moves, gap.boxes, x, y, goal_x, goal_y, cost, cells)
    if count == 0 or count > len(cells) or not ask:
        return count == 0
    cells = cells[:count]
    costs = known._cost_matrix(ends, cells, 1)
    least = path.cost / grid.scale - _SURE
    return not kernels.may_shorten(cells, costs / grid.scale, x, y, goal_x, goal_y, grid.diagonal_cost, least)
