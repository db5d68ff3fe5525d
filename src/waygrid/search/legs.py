"""Paths that are kept as waypoints: their cells are written when somebody asks for them."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from waygrid.core.legs import expand, list_turning_points
from waygrid.core.types import Array


class Legs:
    """The waypoints of paths, one path after the other. From one to the next, a path goes diagonally first."""

    def __init__(self, counts: Array, waypoints: Array) -> None:
        self._counts, self._waypoints = counts, waypoints

    @cached_property
    def _first(self) -> Array:
        """Where the waypoints of each path begin."""
        return np.concatenate(([0], np.cumsum(self._counts)))

    def of(self, number: int) -> Legs:
        """Return those of one path."""
        part = slice(2 * int(self._first[number]), 2 * int(self._first[number + 1]))
        return Legs(self._counts[number : number + 1], self._waypoints[part])

    def write_cells(self, count: int) -> npt.NDArray[np.int32]:
        """Return every cell of all paths, which are so many."""
        cells = np.empty((count, 2), np.int32)
        expand(self._counts, self._waypoints, cells.reshape(-1))
        return cells

    def turning_points(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Return where the paths begin, turn and end, and how many such points each has."""
        turns, points = np.zeros(self._counts.size, np.int64), np.empty((self._waypoints.size, 2), np.int32)
        used = list_turning_points(self._counts, self._waypoints, turns, points)
        return points[:used].copy(), turns
