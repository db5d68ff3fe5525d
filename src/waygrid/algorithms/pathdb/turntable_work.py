"""The three parts of building a turn table, each a `Work` that threads, a GPU or a cluster can share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from waygrid.algorithms.jumps.spots import SpotMap, join_spots, map_spots
from waygrid.algorithms.pathdb import turntable_build as made
from waygrid.build.all_pairs import COLUMNS, Upward
from waygrid.core.types import Array
from waygrid.grid.grid import Grid
from waygrid.grid.table import MoveTable

_ACCESSES = 12  # of a cell, roughly
_CELLS = 4096  # of a call


class Links(NamedTuple):
    """The accesses of all spots."""

    first: Array  # of every spot; those of the next end them
    links: Array


def row_begins(first: int, last: int) -> tuple[Array, int]:
    """Return where rows first to last - 1 of the triangle begin, if the first begins at 0, and the length of all.

    >>> row_begins(2, 4)
    (array([0, 3]), 7)
    """
    lengths = np.arange(first, last) + 1
    return np.cumsum(lengths) - lengths, int(lengths.sum())


def step_type(links: Links) -> np.dtype[Any]:
    """Return the type of steps: what holds the number of every link of a spot, and one more."""
    most = int(np.diff(links.first).max(initial=0))
    return np.dtype(np.uint8 if most <= made.MOST_LINKS else np.uint16)


class DistanceWork:
    """The triangle of distances between all spots: `distances`, row by row."""

    batch = COLUMNS

    def __init__(self, grid: Grid, upward: Upward) -> None:
        self._grid, self._upward = grid, upward
        self.total = upward.rank.size
        self.scratch_bytes = self.total * (COLUMNS * upward.prices.itemsize + 1)
        self.output_bytes = self.total * (self.total + 1) // 2 * upward.prices.itemsize

    def __reduce__(self) -> tuple[Any, ...]:
        return _make_distances_again, (self._grid,)

    def scratch(self) -> tuple[Array, Array]:
        """Return memory for a block of sources."""
        return self._upward.columns()

    def run(self, scratch: tuple[Array, Array], first: int, last: int) -> dict[str, Array]:
        """Return the rows of spots first to last - 1."""
        begins, size = row_begins(first, last)
        rows = np.empty(size, self._upward.prices.dtype)
        for begin in range(first, last, COLUMNS):
            end = min(last, begin + COLUMNS)
            dist = self._upward.measure(np.arange(begin, end), scratch)
            made.write_distances(dist, self._upward.rank, begin, begins[begin - first : end - first], rows)
        return {"distances": rows}


class AccessWork:
    """The accesses of cells: `counts`, how many each has, and `accesses`, one cell's after the other's."""

    batch = _CELLS

    def __init__(self, table: MoveTable, found: SpotMap, distances: Array, cells: Array) -> None:
        self._table, self._found, self._distances, self._cells = table, found, distances, cells
        self._kind = made.access_record(distances.dtype.itemsize == 8)
        self.total = len(cells)
        self.scratch_bytes = 1
        self.output_bytes = self.total * (4 + _ACCESSES * self._kind.itemsize)

    def scratch(self) -> None:
        """Return nothing: it takes next to no memory."""

    def run(self, scratch: None, first: int, last: int) -> dict[str, Array]:
        """Return the accesses of the cells with numbers first to last - 1."""
        table, found, cells = self._table, self._found, self._cells[first:last]
        known = (table.moves, table.geo, found.jumps, found.tags, found.numbers, self._distances, cells)
        counts = np.zeros(len(cells), np.int32)
        accesses = np.zeros(_ACCESSES * len(cells), self._kind)
        done = 0
        while True:
            done, used = made.write_accesses(*known, counts, accesses, done)
            if done == len(cells):
                return {"counts": counts, "accesses": accesses[:used].copy()}
            accesses = np.concatenate((accesses, np.zeros(accesses.size + len(found.cells), self._kind)))


class StepWork:
    """The steps of all spots towards all others: `steps`, one row for each goal."""

    batch = COLUMNS

    def __init__(self, distances: Array, links: Links) -> None:
        self._distances, self._links = distances, links
        self.total = len(links.first) - 1
        self._kind = step_type(links)
        self.scratch_bytes = self.total * COLUMNS * distances.itemsize
        self.output_bytes = self.total * self.total * self._kind.itemsize

    def scratch(self) -> Array:
        """Return memory for the distances of a block of goals."""
        return np.zeros((self.total, COLUMNS), self._distances.dtype)

    def run(self, scratch: Array, first: int, last: int) -> dict[str, Array]:
        """Return the rows of goals first to last - 1."""
        steps = np.empty((last - first, self.total), self._kind)
        for begin in range(first, last, COLUMNS):
            end = min(last, begin + COLUMNS)
            made.read_distances(self._distances, begin, end - begin, scratch)
            made.write_steps(self._links.links, self._links.first, scratch, steps[begin - first : end - first])
        return {"steps": steps}


def _make_distances_again(grid: Grid) -> DistanceWork:
    """Return the work on another machine, made anew from the map."""
    return DistanceWork(grid, join_spots(grid.table, map_spots(grid.table)))
