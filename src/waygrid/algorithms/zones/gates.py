"""Distances between gates, as a build over ports (see `waygrid.build.sweep`), and within zones."""

from __future__ import annotations

from typing import Any

import numpy as np

from waygrid.algorithms.bounds.boxes_build import FloodMemory
from waygrid.algorithms.classic.best_first import make_flooding
from waygrid.algorithms.jumps import canonical
from waygrid.algorithms.jumps.floods import CanonicalFlood, uniform
from waygrid.algorithms.zones import gate_costs
from waygrid.algorithms.zones.zones import Ports, doors_of
from waygrid.build.sweep import Work
from waygrid.core.types import Array
from waygrid.grid.grid import Grid


class GateWork:
    """Rows of least costs from every port to every port: `costs`, (ports, ports)."""

    def __init__(self, grid: Grid, crossings: gate_costs.Crossings) -> None:
        self._grid, self._crossings = grid, crossings
        self._kind = np.int64 if grid.table.longest >= 2**31 else np.int32
        self.total = len(crossings.opposite)
        self.output_bytes = self.total**2 * np.dtype(self._kind).itemsize

    def __reduce__(self) -> tuple[Any, ...]:
        return _make_again, (type(self), self._grid, tuple(self._crossings))

    def _rows(self, first: int, last: int) -> tuple[Array, int]:
        return np.empty((last - first, self.total), self._kind), int(np.iinfo(self._kind).max)


class CanonicalGates(GateWork):
    """By canonical floods: octile grids of uniform cost. On ost000a ten times as fast as by searches."""

    def __init__(self, grid: Grid, crossings: gate_costs.Crossings) -> None:
        super().__init__(grid, crossings)
        self._flood = CanonicalFlood(grid)
        self.scratch_bytes = self._flood.bytes

    def scratch(self) -> canonical.Water:
        """Return the memory of one flood."""
        return self._flood.water()

    def run(self, scratch: canonical.Water, first: int, last: int) -> dict[str, Array]:
        """Return the rows of ports first to last - 1."""
        rows, none = self._rows(first, last)
        gate_costs.canonical_costs(self._flood.ground, scratch, self._crossings, first, last, rows, none)
        return {"costs": rows}


class _Searching:
    """Floods by the best-first loop over a move table."""

    def __init__(self, grid: Grid, moves: Array) -> None:

        finder: Any = make_flooding(grid)
        finder._refresh()
        self.pool, self.bytes = finder._pool, finder.memory.scratch_bytes
        self.searched = gate_costs.GateSearch(moves, grid.table.weights, grid.table.geo, finder._policy)


class SearchedGates(GateWork):
    """By the best-first loop: any corners, weights, one-way tiles."""

    def __init__(self, grid: Grid, crossings: gate_costs.Crossings) -> None:
        super().__init__(grid, crossings)
        self._searching = _Searching(grid, grid.table.moves)
        self._cells = grid.table.moves.size
        self.scratch_bytes = self._searching.bytes + 8 * self._cells

    def scratch(self) -> Any:
        """Return the memory of one search."""
        return self._searching.pool.take()

    def run(self, scratch: Any, first: int, last: int) -> dict[str, Array]:
        """Return the rows of ports first to last - 1."""
        rows, none = self._rows(first, last)
        memory, dist = FloodMemory(*scratch.arrays), np.empty(self._cells, np.int64)
        gate_costs.search_costs(self._searching.searched, memory, self._crossings, first, last, dist, rows, none)
        return {"costs": rows}


def _make_again(kind: type[Any], grid: Grid, crossings: tuple[Array, ...]) -> Any:
    """Return a work on another machine; arrays that came over a network may be read-only, to Numba another type."""
    return kind(grid, gate_costs.Crossings(*(array.copy() for array in crossings)))


def gate_work(grid: Grid, crossings: gate_costs.Crossings) -> Work:
    """Return the build of the table of pairs."""
    return CanonicalGates(grid, crossings) if uniform(grid) else SearchedGates(grid, crossings)


def inner_table(grid: Grid, ports: Ports, crossings: gate_costs.Crossings) -> tuple[Array, Array]:
    """Return the distances within zones, flat, zone by zone, and where each zone's begin; none: the largest number."""
    counts = np.diff(ports.first)
    first = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts**2)))
    kind = np.int64 if grid.table.longest >= 2**31 else np.int32
    costs, none = np.empty(int(first[-1]), kind), int(np.iinfo(kind).max)
    inside = grid.table.moves & ~doors_of(grid.table.moves.size, ports.moves, ports.moves[:0, 2])
    searching = _Searching(grid, inside)
    scratch = searching.pool.take()
    gate_costs.inner_costs(searching.searched, FloodMemory(*scratch.arrays), crossings, ports.first, first, costs, none)
    searching.pool.give(scratch)
    return costs, first
