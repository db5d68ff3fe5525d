"""Whether opened cells make a cheaper way than an old path: told by the old costs to and from them.

A cheaper path has to use something that was opened. It walks the old map up to a first cell of a box, where it takes
a new move, and again from a last cell of a box on. So it costs at least cost(start, first) + distance(first box, last
box) + cost(last, goal), where the costs are those of the old map. The estimate of distances alone says so for boxes far
from the path. For boxes near it the costs are asked of the old index, which pays where it has them in a fraction of a
microsecond.
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

_MOST_BOXES = 12  # beyond them a search is as quick
_SURE = 1e-7  # costs are sums of few different numbers: two that differ do so by far more


def is_cheapest(known: Finder, grid: Grid, path: Path, gap: Difference, ask: bool) -> bool:
    """Return whether nothing that was opened makes a cheaper way than an old path, which is still legal.

    ask: whether the old index may be asked for costs.
    """
    numbers = np.empty(_MOST_BOXES, np.int64)
    (x, y), (goal_x, goal_y) = path[0], path[-1]
    straight, diagonal = path._row[layout.ROW_STRAIGHT], path._row[layout.ROW_DIAGONAL]
    geo = grid.table.geo
    cost = straight * int(geo[layout.CARDINAL]) + diagonal * int(geo[layout.DIAGONAL])
    count = kernels.list_passed(geo, gap.boxes, x, y, goal_x, goal_y, cost, numbers)
    if count == 0:
        return True
    if count > _MOST_BOXES or not ask:
        return False
    boxes = gap.boxes[numbers[:count]]
    cells, owners = _list_cells(gap.home, boxes)
    if len(cells) > known._askable:
        return False
    if len(cells) == 0:
        return True  # nothing leads there
    costs = known._cost_matrix(np.array([(x, y), (goal_x, goal_y)]), cells, 1)
    to_box, from_box = np.full(count, np.inf), np.full(count, np.inf)
    np.minimum.at(to_box, owners, costs[0])
    np.minimum.at(from_box, owners, costs[1])
    between = _distances(boxes, grid.diagonal_cost) * grid.scale
    least = (to_box[:, None] + between + from_box[None, :]).min()
    return bool(least >= path.cost - _SURE * grid.scale)


def _list_cells(home: Grid, boxes: Array) -> tuple[Array, Array]:
    """Return the cells of boxes in which an agent could stand on the old map, and the number of each one's box."""
    walk = home.table.walk.reshape(home.height, home.width)
    found, owners = [np.zeros((0, 2), np.int64)], [np.zeros(0, np.int64)]
    for k, (left, top, right, bottom) in enumerate(boxes.tolist()):
        ys, xs = np.nonzero(walk[top : bottom + 1, left : right + 1])
        found.append(np.stack((xs + left, ys + top), axis=1))
        owners.append(np.full(len(xs), k))
    return np.concatenate(found), np.concatenate(owners)


def _distances(boxes: Array, diagonal: float) -> Array:
    """Return how far any two boxes lie apart, in straight moves, without walls."""
    gaps = []
    for low, high in ((0, 2), (1, 3)):
        ahead = boxes[None, :, low] - boxes[:, None, high]
        gaps.append(np.maximum(0, np.maximum(ahead, ahead.T)))
    distances: Array = np.maximum(*gaps) + (diagonal - 1) * np.minimum(*gaps)
    return distances
