"""Several levels that stairs and portals connect, and paths through them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.make import make_finder
from waygrid.errors import LARGEST_FLOAT, WaygridError, show
from waygrid.grid.grid import Grid
from waygrid.search.finder import Finder
from waygrid.search.path import Path, Status

LevelCell = tuple[int, int, int]  # level, x, y


class Portal(NamedTuple):
    """A way from one cell to another, of any levels, in one direction."""

    start: LevelCell
    end: LevelCell
    cost: float


class LevelPath:
    """A path through several levels: stretches on one level each, and the portals between them."""

    def __init__(self, cost: float, legs: list[tuple[int, Path]], portals: list[Portal]) -> None:
        self.cost = cost  #: of all stretches and portals; inf without a path
        self.legs = legs  #: (level, path on this level), in order
        self.portals = portals  #: those used, in order; portal i leads from leg i to leg i + 1

    @property
    def status(self) -> Status:
        """FOUND, or UNREACHABLE."""
        return Status.FOUND if self.legs else Status.UNREACHABLE

    @property
    def cells(self) -> npt.NDArray[np.int32]:
        """Every cell from start to goal with its level, (k, 3): level, x, y."""
        parts = [np.column_stack([np.full(len(path), level, np.int32), path.cells]) for level, path in self.legs]
        return np.concatenate(parts) if parts else np.zeros((0, 3), np.int32)

    def __len__(self) -> int:
        return sum(len(path) for _, path in self.legs)

    def __repr__(self) -> str:
        return f"LevelPath({self.status.name}, {len(self)} cells, {len(self.portals)} portals, cost {self.cost:.4f})"


class Levels:
    """Grids above each other, or side by side, that portals connect: stairs, lifts, doors between maps.

    grids: one for each level, of any sizes and rules. portals: (start, end, cost), where start and end are cells
    (level, x, y) of the same or of different levels; each can be used in both directions unless directed=True. Costs
    are in the units of path costs, from 0. algorithm and its options: what searches on a level; paths are the cheapest
    ones if it is an optimal one, such as the default.

    The costs between all portals of a level are kept, and computed again after an edit of it. A query then asks for
    the costs from the start to the portals of its level, and from those of the goal's level to the goal.

    >>> import waygrid as wg
    >>> ground, upper = wg.Grid(["..#..", "..#.."]), wg.Grid([".....", "....."])
    >>> levels = wg.Levels([ground, upper], [((0, 1, 0), (1, 1, 0), 2.5), ((0, 3, 0), (1, 3, 0), 2.5)])
    >>> path = levels.find((0, 0, 0), (0, 4, 0))
    >>> path.cost, path.cells.tolist()
    (9.0, [[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 2, 0], [1, 3, 0], [0, 3, 0], [0, 4, 0]])
    """

    def __init__(
        self,
        grids: Sequence[Grid],
        portals: Iterable[tuple[LevelCell, LevelCell, float]] = (),
        *,
        directed: bool = False,
        algorithm: str = "astar",
        **options: Any,
    ) -> None:
        self.grids = tuple(grids) if isinstance(grids, Iterable) else ()
        if not self.grids or not all(isinstance(grid, Grid) for grid in self.grids):
            raise WaygridError(f"grids is {show(grids)}; allowed is a list of wg.Grid, one for each level")
        read = [_read_portal(number, portal, self.grids) for number, portal in enumerate(portals)]
        if not directed:
            read += [Portal(one.end, one.start, one.cost) for one in read]
        self.portals = tuple(read)  #: in each direction in which they can be used
        self.finders: tuple[Finder, ...] = tuple(make_finder(algorithm, grid, **options) for grid in self.grids)
        if any(finder.info.real_time for finder in self.finders):
            raise WaygridError(
                f"algorithm is {show(algorithm)}, whose agents do not plan ahead; allowed are all others"
            )
        self._starts = _as_array([portal.start for portal in read])
        self._ends = _as_array([portal.end for portal in read])
        self._prices = np.array([portal.cost for portal in read], np.float64)
        self._between = np.full((len(read), len(read)), np.inf)  # from the end of one portal to the start of another
        self._versions = [-1] * len(self.grids)

    def find(self, start: LevelCell, goal: LevelCell) -> LevelPath:
        """Find the cheapest path between two cells (level, x, y)."""
        first = _read_cell("start", start, self.grids)
        last = _read_cell("goal", goal, self.grids)
        for level in range(len(self.grids)):
            self._follow(level)
        reached, before = self._reach(first)
        leave = self._cost_between(last[0], self._ends, [last], False)[:, 0]
        direct = math.inf
        if first[0] == last[0]:
            direct = float(self.finders[first[0]].costs([first[1:]], [last[1:]])[0, 0])
        total = reached + leave
        best = int(total.argmin()) if len(total) else -1
        if min(direct, math.inf if best < 0 else float(total[best])) == math.inf:
            return LevelPath(math.inf, [], [])
        used: list[Portal] = []
        while best >= 0 and (used or total[best] < direct):
            used.append(self.portals[best])
            best = int(before[best])
        return self._walk(first, last, used[::-1])

    def _walk(self, first: LevelCell, last: LevelCell, used: list[Portal]) -> LevelPath:
        """Return the path that uses these portals in order."""
        legs: list[tuple[int, Path]] = []
        for here, there in zip([first, *(one.end for one in used)], [*(one.start for one in used), last], strict=True):
            legs.append((here[0], self.finders[here[0]].find(here[1:], there[1:])))
        cost = sum(path.cost for _, path in legs) + sum(one.cost for one in used)
        return LevelPath(cost, legs, used)

    def _reach(self, first: LevelCell) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return the costs to the end of each portal, and the portal before it, -1 where it is the first."""
        costs = self._cost_between(first[0], self._starts, [first], True)[0] + self._prices
        before = np.full(len(costs), -1, np.int64)
        waiting = np.ones(len(costs), np.bool_)
        while waiting.any():  # Dijkstra's search without a queue: there are few portals
            here = int(np.where(waiting, costs, np.inf).argmin())
            if costs[here] == np.inf or not waiting[here]:
                break
            waiting[here] = False
            through = costs[here] + self._between[here] + self._prices
            nearer = waiting & (through < costs)
            costs[nearer], before[nearer] = through[nearer], here
        return costs, before

    def _follow(self, level: int) -> None:
        """Compute the costs between the portals of a level anew if it was edited."""
        if self._versions[level] == self.grids[level].version:
            return
        ends = self._standing(self._ends, level)
        starts = self._standing(self._starts, level)
        self._between[self._ends[:, 0] == level] = np.inf
        if len(ends) and len(starts):
            costs = self.finders[level].costs(self._ends[ends, 1:], self._starts[starts, 1:])
            self._between[np.ix_(ends, starts)] = costs
        self._versions[level] = self.grids[level].version

    def _standing(self, cells: npt.NDArray[np.int32], level: int) -> npt.NDArray[np.int64]:
        """Return which cells are on a level and can be stood in: an edit may have put a wall on a portal."""
        on = np.flatnonzero(cells[:, 0] == level)
        return on[self.grids[level].components[cells[on, 2], cells[on, 1]] >= 0]

    def _cost_between(
        self, level: int, cells: npt.NDArray[np.int32], places: list[LevelCell], forwards: bool
    ) -> npt.NDArray[np.float64]:
        """Return the costs from places to cells, or from cells to places, inf for cells of other levels."""
        found = np.full((len(places), len(cells)) if forwards else (len(cells), len(places)), np.inf)
        some = self._standing(cells, level)
        inside = [place[1:] for place in places]
        finder = self.finders[level]
        if len(some) and forwards:
            found[:, some] = finder.costs(inside, cells[some, 1:])
        elif len(some):
            found[some] = finder.costs(cells[some, 1:], inside)
        return found


def _as_array(cells: list[LevelCell]) -> npt.NDArray[np.int32]:
    return np.array(cells, np.int32).reshape(-1, 3)


def _read_cell(what: str, cell: Any, grids: tuple[Grid, ...]) -> LevelCell:
    """Check a cell (level, x, y)."""
    try:
        array = np.asarray(cell)
    except ValueError:
        array = np.zeros(0)
    if array.shape != (3,) or array.dtype.kind not in "iu":
        raise WaygridError(f"{what} is {show(cell)}; allowed is a cell (level, x, y) of three integers")
    level, x, y = (int(part) for part in array)
    if not 0 <= level < len(grids):
        raise WaygridError(f"{what} {show((level, x, y))} is on level {level}; allowed are 0 to {len(grids) - 1}")
    grid = grids[level]
    if not (0 <= x < grid.width and 0 <= y < grid.height) or grid.components[y, x] < 0:
        raise WaygridError(f"level {level}: {grid.cell_error(what, x, y)}")
    return level, x, y


def _read_portal(number: int, portal: Any, grids: tuple[Grid, ...]) -> Portal:
    what = f"portal {number}"
    if not isinstance(portal, (tuple, list)) or len(portal) != 3:
        raise WaygridError(f"{what} is {show(portal)}; allowed is (start, end, cost) with cells (level, x, y)")
    start, end = (
        _read_cell(f"{what}, {name}", cell, grids) for name, cell in zip(("start", "end"), portal, strict=False)
    )
    cost = portal[2]
    real = isinstance(cost, (int, float, np.integer, np.floating)) and not isinstance(cost, bool)
    if not real or not 0 <= cost <= LARGEST_FLOAT:
        raise WaygridError(f"{what}: cost is {show(cost)}; allowed are finite numbers from 0")
    return Portal(start, end, float(cost))
