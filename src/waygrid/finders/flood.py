"""Distance maps and flow fields."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError
from waygrid.finders.base import pair_of, pairs_of
from waygrid.finders.bestfirst import Dijkstra
from waygrid.finders.registry import algorithms, make_finder, refuse_unsupported
from waygrid.grid.grid import Grid
from waygrid.grid.table import MoveTable
from waygrid.grid.topology import TOPOLOGIES, Topology
from waygrid.kernels import layout
from waygrid.kernels._types import Array
from waygrid.kernels.flood import flood, read_flood, settled
from waygrid.structures.floods import CanonicalFlood, FloodTypes, compile_flood, uniform


class Distances(np.ndarray[Any, np.dtype[np.float64]]):
    """Distances as an array [y, x], with the flow field that leads back to the source.

    `flow[y, x]` is the number of the move (see `Grid.directions`) from that cell towards the source; -1 at the source
    itself and where there is no way.
    """

    flow: npt.NDArray[np.int8]
    _topology: Topology | None = None

    def next_cell(self, cell: tuple[int, int]) -> tuple[int, int]:
        """Return the next cell (x, y) towards the source; the cell itself at the source and where there is no way."""
        x, y = cell
        if self._topology is None or not self.flow.size:
            raise WaygridError("only the whole distance map can be followed, not a part of it")
        if not (0 <= x < self.shape[1] and 0 <= y < self.shape[0]):
            raise WaygridError(f"cell ({x}, {y}) is outside the map of {self.shape[1]} x {self.shape[0]} cells")
        d = int(self.flow[y, x])
        return (int(x), int(y)) if d < 0 else (x + self._topology.dx[d], y + self._topology.dy[x % 2][d])

    def path_from(self, cell: tuple[int, int]) -> npt.NDArray[np.int32]:
        """Return the cells from here to the source, (k, 2); none where there is no way.

        >>> import waygrid as wg
        >>> wg.distances(wg.Grid([[1, 1, 1]]), (0, 0)).path_from((2, 0)).tolist()
        [[2, 0], [1, 0], [0, 0]]
        """
        cells = [(int(cell[0]), int(cell[1]))]
        while (following := self.next_cell(cells[-1])) != cells[-1]:
            cells.append(following)
        reached = bool(np.isfinite(self[cells[0][1], cells[0][0]]))
        return np.array(cells if reached else [], np.int32).reshape(-1, 2)

    def __array_finalize__(self, other: Any) -> None:
        self._topology = getattr(other, "_topology", None)
        flow = getattr(other, "flow", None)  # parts of the map and results of arithmetic have no field of their own
        self.flow = flow if flow is not None and flow.shape == self.shape else np.zeros(0, np.int8)


def distances(grid: Grid, source: Any, *, reverse: bool = False) -> Distances:
    """Return the cost of the cheapest path from the source to every cell, inf where there is none.

    source: a cell (x, y), or several, of which the nearest counts. reverse=True gives the cost of getting from every
    cell to the source instead: the same unless weights or one-way tiles make a difference. Following `flow` from any
    cell leads to the source along a cheapest path (against the moves unless reverse).

    >>> import waygrid as wg
    >>> field = wg.distances(wg.Grid([[1, 1, 1], [1, 0, 1]]), (0, 0))
    >>> field.tolist()
    [[0.0, 1.0, 2.0], [1.0, inf, 3.0]]
    >>> wg.Grid([[1]]).directions[field.flow[0, 2]]
    'W'
    """
    single = isinstance(source, (tuple, list, np.ndarray)) and len(source) == 2 and np.isscalar(source[0])
    cells = pair_of("source", source) if single else pairs_of("source", source)
    if len(cells) == 0:
        raise WaygridError("distances needs at least one source")
    refuse_unsupported(algorithms()["dijkstra"], grid)
    table, x, y = grid.table, cells[:, 0].astype(np.int64), cells[:, 1].astype(np.int64)
    for k in range(len(cells)):
        outside = not (0 <= x[k] < grid.width and 0 <= y[k] < grid.height)
        if outside or not table.walk[y[k] * grid.width + x[k]]:
            raise grid.cell_error("source", int(x[k]), int(y[k]))
    sources = y * grid.width + x
    canonical = _known_flood(grid)
    if canonical is None:
        dist = searched(grid, sources, reverse)
        _compile_for_later(grid)
    else:
        dist = canonical.distances(sources)
    distance = np.full(dist.size, np.inf)
    flow = np.full(dist.size, -1, np.int8)
    back = table.moves if reverse else table.reverse
    read_flood(back, table.weights, table.geo, reverse, dist, grid.diagonal_cost, distance, flow)
    result = distance.reshape(grid.height, grid.width).view(Distances)
    result.flow = flow.reshape(grid.height, grid.width)
    result._topology = TOPOLOGIES[grid.topology]
    return result


_MANY_TURNS = 0.3  # per cell
_seen: WeakKeyDictionary[MoveTable, tuple[int, CanonicalFlood | None, bool]] = WeakKeyDictionary()


def _known_flood(grid: Grid) -> CanonicalFlood | None:
    """Return the canonical flood of a grid, from the second call on for the same version of it.

    On orz100d its tables take 12 ms to make; then a flood takes 0.3 ms instead of 4.5. On maps broken up by walls it
    does not pay: on 700 x 700 cells, 2 % of them single walls (0.15 turns per cell), distances take 27 ms instead of
    35, with 10 % 50 instead of 39.
    """
    if not uniform(grid):
        return None
    version, flood, tried = _seen.get(grid.table, (-1, None, False))
    if version != grid.version:
        flood = None
        tried = False
    elif not tried:
        tried = True
        made = CanonicalFlood(grid)
        flood = made if made.turns < _MANY_TURNS * np.count_nonzero(grid.table.walk) else None
    _seen[grid.table] = (grid.version, flood, tried)
    return flood


_compiled: set[FloodTypes] = set()


def _compile_for_later(grid: Grid) -> None:
    """Compile what the next call for this grid uses, so that only the first one has to wait for the compiler."""
    if uniform(grid) and (types := FloodTypes.of(grid)) not in _compiled:
        compile_flood(types)
        _compiled.add(types)


def searched(grid: Grid, sources: Array, reverse: bool) -> Array:
    """Return the distances that the best-first loop finds; -1 where there is no way."""
    finder = make_finder("dijkstra", grid)
    assert isinstance(finder, Dijkstra)
    finder.refresh()
    table, policy = grid.table, finder._policy
    policy[layout.REVERSE] = reverse
    scratch = finder._pool.take()
    flood(table.reverse if reverse else table.moves, table.weights, table.geo, policy, *scratch.arrays, sources, None)
    dist = np.empty(scratch.nodes.size, np.int64)
    settled(scratch.nodes, scratch.ctl, dist)
    finder._pool.give(scratch)
    return dist
