"""Which shortest straight paths of an old map are still shortest ones after edits."""

from __future__ import annotations

import numpy as np

from waygrid.algorithms.anyangle.anya_rows import is_free, pack_rows
from waygrid.algorithms.anyangle.anya_sight import sees
from waygrid.build.follow import StandIn
from waygrid.core import layout as at
from waygrid.core.jit import int64, jit
from waygrid.core.types import Array
from waygrid.search.path import Batch, Path


@jit
def is_clear(free, points, begin: int, count: int, squeezes: bool) -> bool:
    """Return whether all legs of a path are legal, and none of its bends is between two walls that touch there."""
    for k in range(begin, begin + count - 1):
        x, y = int64(points[k, 0]) + 3, int64(points[k, 1]) + 3
        if not sees(free, x, y, int64(points[k + 1, 0]) + 3, int64(points[k + 1, 1]) + 3, squeezes):
            return False
        i, j = x >> 1, y >> 1
        if k > begin and not squeezes:
            same = is_free(free, j - 1, i - 1) == is_free(free, j, i)
            if same and is_free(free, j - 1, i) == is_free(free, j, i - 1) != is_free(free, j, i):
                return False
    x, y = int64(points[begin, 0]) + 3, int64(points[begin, 1]) + 3
    return is_free(free, y >> 1, x >> 1)


@jit
def gap_to_box(x: float, y: float, boxes, k: int) -> float:
    """Return how far a point is from a box of cells."""
    dx = max(boxes[k, 0] - 0.5 - x, 0.0, x - boxes[k, 2] - 0.5)
    dy = max(boxes[k, 1] - 0.5 - y, 0.0, y - boxes[k, 3] - 0.5)
    return float(np.sqrt(dx * dx + dy * dy))


@jit
def prove_straight(free, rows, sums, points, boxes, squeezes: bool, proved) -> None:
    """Say of each answer of an old index whether it is legal and shortest on the map as it is.

    A path through a cell that was opened is at least as long as the ways from both its ends to the box of that cell.
    """
    begin = 0
    for i in range(len(rows)):
        count, status = rows[i, at.ROW_LENGTH], rows[i, at.ROW_STATUS]
        if status != at.FOUND:
            proved[i] = status == at.UNREACHABLE and len(boxes) == 0
            continue
        good, last = is_clear(free, points, begin, count, squeezes), begin + count - 1
        for k in range(len(boxes) if good else 0):
            least = gap_to_box(0.5 * points[begin, 0], 0.5 * points[begin, 1], boxes, k)
            least += gap_to_box(0.5 * points[last, 0], 0.5 * points[last, 1], boxes, k)
            good &= least >= sums[i, at.ROW_COST]
        proved[i] = good
        begin += count


class StraightStandIn(StandIn):
    """Answers instead of a finder of straight paths while the grid is not the one of its index."""

    _free: tuple[int, Array] = (-1, np.zeros((0, 0), np.uint64))  # the map as rows of bits, and its version

    def _rows_of_map(self) -> Array:
        grid = self._owner.grid
        if self._free[0] != grid.version:
            self._free = grid.version, pack_rows(grid.table.walk, grid.width, grid.height)
        return self._free[1]

    def _judge(self, path: Path, mends: bool) -> tuple[bool, bool]:
        rows, proved = np.array([path._row], np.int64), np.zeros(1, np.bool_)
        self._prove_rows(rows, path._stored, proved)
        return bool(proved[0]), False

    def _prove(self, batch: Batch) -> Array:
        proved = np.zeros(len(batch), np.bool_)
        self._prove_rows(batch.rows, batch._require_stored(), proved)
        return proved

    def _prove_rows(self, rows: Array, points: Array, proved: Array) -> None:
        grid, sums = self._owner.grid, rows.view(np.float64)
        squeezes = grid.topology == "octile" and grid.corners == "always"
        prove_straight(self._rows_of_map(), rows, sums, points, self._gap.boxes, squeezes, proved)
