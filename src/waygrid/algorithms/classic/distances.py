"""Distance maps and flow fields."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.classic.best_first import make_flooding
from waygrid.algorithms.classic.flood_query import flood_within, follow_flow, read_flood, write_distances
from waygrid.algorithms.classic.surface import Surface
from waygrid.algorithms.jumps.floods import CanonicalFlood, FloodTypes, compile_flood, uniform
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.errors import LARGEST_FLOAT, WaygridError, show
from waygrid.grid.grid import Grid
from waygrid.grid.table import MoveTable, cell_numbers
from waygrid.grid.topology import TOPOLOGIES
from waygrid.grid.where import as_list
from waygrid.search.cells import pair_of, pairs_of
from waygrid.search.registry import algorithms, refuse_unsupported

_SHOWN_SOURCES = 100  # that a picture marks


class Distances(Surface):
    """Distances as an array [y, x], with the flow field that leads back to the source.

    `flow[y, x]` is the number of the move (see `Grid.directions`) from that cell towards the source; -1 at the source
    itself and where there is no way.
    """

    flow: npt.NDArray[np.int8]
    _shown_as = "distance"

    def next_cell(self, cell: tuple[int, int]) -> tuple[int, int]:
        """Return the next cell (x, y) towards the source; the cell itself at the source and where there is no way."""
        x, y = cell
        if self._topology is None or not self.flow.size:
            raise WaygridError("only the whole distance map can be followed, not a part of it")
        if not (0 <= x < self.shape[1] and 0 <= y < self.shape[0]):
            raise WaygridError(f"cell ({x}, {y}) is outside the map of {self.shape[1]} x {self.shape[0]} cells")
        d = int(self.flow[y, x])
        return (int(x), int(y)) if d < 0 else (x + self._topology.dx[d], y + self._topology.dy[x % 2][d])

    def step(self, positions: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return where the flow leads from each of many positions (x, y) in one step; (n, 2), in one compiled call.

        At the source and where there is no way, a position stays.

        >>> import waygrid as wg
        >>> field = wg.distances(wg.Grid([[1, 1, 1, 1]]), (0, 0), reverse=True)
        >>> field.step([(3, 0), (1, 0), (0, 0)]).tolist()
        [[2, 0], [0, 0], [0, 0]]
        """
        if self._topology is None or not self.flow.size:
            raise WaygridError("only the whole distance map can be followed, not a part of it")
        cells = np.ascontiguousarray(pairs_of("positions", positions), np.int64)
        moved = np.empty(cells.shape, np.int32)
        steps = np.array(self._topology.dx), np.array(self._topology.dy)
        outside = follow_flow(np.ascontiguousarray(self.flow), *steps, cells, moved)
        if outside >= 0:
            x, y = cells[outside].tolist()
            size = f"{self.shape[1]} x {self.shape[0]}"
            raise WaygridError(f"position {outside}, ({x}, {y}), is outside the map of {size} cells")
        return moved

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

    def _repr_html_(self) -> str | None:
        """Return a heat map and its range; None, for plain text, where this is no map of distances."""
        if self.ndim != 2 or not self.size or self.dtype.kind != "f":
            return None
        from waygrid.draw.notebook import card, draw_small

        values = np.asarray(self)
        passable = reached = np.isfinite(values)
        sources: Any = ()
        dark, topology, grid = "walls and cells out of reach", "tile", None
        if self._topology is not None and self.flow.shape == self.shape:  # the whole map, not a part of it
            topology = self._topology.name
            sources = np.argwhere((self.flow < 0) & reached)[:_SHOWN_SOURCES, ::-1].tolist()
            grid = self._link.grid()
        if grid is not None and grid.version == self._link.version:
            passable, dark = grid.passable, "walls"
        facts = [f"{self.shape[1]:,} x {self.shape[0]:,} cells", f"{np.count_nonzero(reached):,} reached"]
        if reached.any():
            facts.append(f"{values[reached].min():g} (yellow) to {values[reached].max():g} (blue)")
        facts += [f"dark: {dark}"] * bool(not passable.all())
        picture = draw_small(passable, topology=topology, heat=values, goal=sources)
        return card("Distances", facts, picture, "a map of distances")

    def __array_finalize__(self, other: Any) -> None:
        super().__array_finalize__(other)
        flow = getattr(other, "flow", None)  # parts of the map and results of arithmetic have no field of their own
        self.flow = flow if flow is not None and flow.shape == self.shape else np.zeros(0, np.int8)

    def __reduce__(self) -> tuple[Any, ...]:
        """Let distances travel to other processes and into files with their flow."""
        whole: tuple[Any, ...] = super().__reduce__()  # type: ignore[assignment]
        make, arguments, state = whole
        topology = None if self._topology is None else self._topology.name
        return make, arguments, (state, self.flow, topology, self._place, self._whole)

    def __setstate__(self, state: Any) -> None:
        values, self.flow, topology, self._place, self._whole = state
        self._topology = None if topology is None else TOPOLOGIES[topology]
        super().__setstate__(values)


def distances(
    grid: Grid, source: Any, *, reverse: bool = False, blocked: Any = None, max_cost: float | None = None
) -> Distances:
    """Return the cost of the cheapest path from the source to every cell, inf where there is none.

    source: a cell (x, y), or several, of which the nearest counts. reverse=True gives the cost of getting from every
    cell to the source instead: the same unless weights or one-way tiles make a difference. Following `flow` from any
    cell leads to the source along a cheapest path (against the moves unless reverse).
    blocked: cells (x, y) or a (height, width) mask that are walls for this call only; the source may be one of them
    unless reverse. max_cost: cells that cost more are inf as well, and the search ends there.

    >>> import waygrid as wg
    >>> field = wg.distances(wg.Grid([[1, 1, 1], [1, 0, 1]]), (0, 0))
    >>> field.tolist()
    [[0.0, 1.0, 2.0], [1.0, inf, 3.0]]
    >>> wg.Grid([[1]]).directions[field.flow[0, 2]]
    'W'
    >>> wg.distances(wg.Grid([[1, 1, 1, 1, 1]]), (1, 0), blocked={(0, 0)}, max_cost=2).tolist()
    [[inf, 0.0, 1.0, 2.0, inf]]
    """
    cells = read_sources("source", source)
    refuse_unsupported(algorithms()["dijkstra"], grid)
    table, x, y = grid.table, cells[:, 0].astype(np.int64), cells[:, 1].astype(np.int64)
    for k in range(len(cells)):
        outside = not (0 <= x[k] < grid.width and 0 <= y[k] < grid.height)
        if outside or not table.walk[y[k] * grid.width + x[k]]:
            raise grid.cell_error("source", int(x[k]), int(y[k]))
    sources = y * grid.width + x
    most = None if max_cost is None else _most(max_cost, grid)
    if blocked is None:
        return _field(grid, sources, reverse, Ways(table.moves, table.reverse), max_cost, most)
    with table.blocked(cell_numbers(blocked, grid)) as overlay:
        shut = np.flatnonzero(overlay.walk[sources] == 0)
        if reverse and shut.size:
            raise WaygridError(f"source ({x[shut[0]]}, {y[shut[0]]}) is among the cells that blocked= makes walls")
        ways = Ways(overlay.moves, table.reversed(overlay.moves))
        return _field(grid, sources, reverse, ways, max_cost, layout.INFINITE if most is None else most)


def read_sources(name: str, source: Any) -> Array:
    """Return a cell (x, y), or several, as rows; at least one."""
    source = as_list(source)
    single = isinstance(source, (tuple, list, np.ndarray)) and len(source) == 2 and np.isscalar(source[0])
    cells = pair_of(name, source) if single else pairs_of(name, source)
    if len(cells) == 0:
        raise WaygridError(f"{name} is empty; at least one {name} is needed")
    return cells


class Ways(NamedTuple):
    """The moves out of each cell and those into it."""

    out: Array
    into: Array


def _most(max_cost: Any, grid: Grid) -> int:
    """Return a limit of costs in the metric's integers, never below what the float means."""
    number = isinstance(max_cost, (int, float, np.integer, np.floating)) and not isinstance(max_cost, bool)
    if not number or not max_cost >= 0:
        raise WaygridError(f"max_cost is {show(max_cost)}; allowed are numbers from 0")
    max_cost = min(max_cost, LARGEST_FLOAT)
    return int(min(max_cost / grid.price_scale * grid.cardinal_price * (1 + 1e-6) + 1, layout.INFINITE))


def _field(
    grid: Grid, sources: Array, reverse: bool, ways: Ways, max_cost: float | None, most: int | None
) -> Distances:
    """Return distances and flow; with `most`, which whole floods have not, by a search that ends there."""
    table = grid.table
    canonical = _known_flood(grid) if most is None else None
    if canonical is not None:
        dist = canonical.distances(sources)
    else:
        dist = search_distances(grid, sources, reverse, ways, most)
        if most is None:
            _compile_for_later(grid)
    distance = np.full(dist.size, np.inf)
    flow = np.full(dist.size, -1, np.int8)
    back = ways.out if reverse else ways.into
    read_flood(back, table.weights, table.geo, reverse, dist, grid.diagonal_cost, distance, flow)
    distance *= grid.price_scale
    if max_cost is not None:
        # Sums of floats may end a little above the limit that they mean.
        far = distance > min(max_cost, LARGEST_FLOAT) * (1 + 1e-9)
        distance[far], flow[far] = np.inf, -1
    result = distance.reshape(grid.height, grid.width).view(Distances)
    result.flow = flow.reshape(grid.height, grid.width)
    return result._put_on(grid)


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


def search_distances(
    grid: Grid, sources: Array, reverse: bool, ways: Ways | None = None, most: int | None = None
) -> Array:
    """Return the distances that the best-first loop finds, up to `most`; -1 where there is no way."""
    finder = make_flooding(grid)
    finder._refresh()
    table, policy = grid.table, finder._policy
    policy[layout.REVERSE] = reverse
    ways = ways or Ways(table.moves, table.reverse)
    moves = ways.into if reverse else ways.out
    scratch = finder._pool.take()
    farthest = layout.INFINITE if most is None else most
    flood_within(moves, table.weights, table.geo, policy, *scratch.arrays, sources, farthest)
    dist = np.empty(scratch.nodes.size, np.int64)
    write_distances(scratch.nodes, scratch.ctl, dist)
    finder._pool.give(scratch)
    if most is not None:
        dist[dist > most] = -1
    return dist
