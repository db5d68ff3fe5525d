"""Reservations: which cells are taken when, and paths of single units that keep clear of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.core import layout as at
from waygrid.core import space_time as st
from waygrid.core.flood import FAR, flood_fields
from waygrid.core.types import Array
from waygrid.errors import WaygridError, show
from waygrid.grid.grid import Grid
from waygrid.grid.legal import first_fault
from waygrid.search.cells import pair_of, pairs_of
from waygrid.search.path import GridLink, Path, Sizes, Status

if TYPE_CHECKING:
    from waygrid.search.finder import Finder

_FIRST = 1 << 10
_GOALS = 16  # whose distances are kept
_MOST = 1 << st.OWNER_BITS
_LONGEST = 2**43  # of time * cells, which must fit into the upper bits of an entry
NOBODY = -1


class _Unit(NamedTuple):
    cells: npt.NDArray[np.int64]
    begin: int
    stays: bool


class TimedPath(Path):
    """A path with a cell for every time step; a unit waits where one is repeated. `cost` counts moves, not waits."""

    __slots__ = ("begin",)

    def __init__(self, row: list[int], cells: npt.NDArray[np.int32], sizes: Sizes, begin: int) -> None:
        super().__init__(row, cells, sizes)
        self.begin = begin  #: the time of the first cell

    @property
    def arrival(self) -> int:
        """The time at which the unit reaches its goal and may stay; -1 if there is no way."""
        return self.begin + len(self) - 1 if len(self) else -1

    def is_valid(self, grid: Grid) -> bool:
        """Return whether the moves are legal on the current grid."""
        cells = self.cells
        moved = np.ones(len(cells), np.bool_)
        moved[1:] = (cells[1:] != cells[:-1]).any(axis=1)
        return len(self) > 0 and first_fault(grid, cells[moved]) is None

    def __repr__(self) -> str:
        return f"TimedPath({self.status.name}, from time {self.begin} to {self.arrival}, cost {self.cost:.4f})"


class Reservations:
    """A table of cells and times that units have reserved; `find(..., reservations=)` plans around them.

    Every move and every wait takes one time step. A path is free of conflicts if no two units are in a cell at a time,
    none swap cells, and no two diagonal moves cross. `time` is when new paths begin: 0, or what you set it to.

    >>> import waygrid as wg
    >>> grid = wg.Grid([[1, 1, 1], [0, 1, 0]], topology="tile")
    >>> finder, table = wg.make_finder("astar", grid), wg.Reservations(grid)
    >>> first = finder.find((0, 0), (2, 0), reservations=table)
    >>> table.add(first)
    0
    >>> second = finder.find((1, 0), (0, 0), reservations=table)
    >>> second.cells.tolist(), second.arrival
    ([[1, 0], [1, 1], [1, 0], [0, 0]], 3)
    """

    def __init__(self, grid: Grid) -> None:
        if not isinstance(grid, Grid):
            raise WaygridError(f"reservations need a Grid, not {type(grid).__name__}")
        if grid.clearance != 1:
            raise WaygridError(f"the grid's clearance is {grid.clearance}; reservations are for units of one cell")
        self.grid = grid  #: the map
        self.time = 0  #: when new paths begin
        self._units: dict[int, _Unit] = {}
        self._next = 0
        self._goals: dict[int, npt.NDArray[np.int32]] = {}
        self._version = grid.version
        self._table: npt.NDArray[np.int64] = np.full(_FIRST, st.EMPTY, np.int64)
        self._rest: npt.NDArray[np.int32] = np.full((grid.width * grid.height, 2), -1, np.int32)
        self._used = 0
        self._ask = np.zeros(st.ASK_SIZE, np.int64)
        self._take_memory(_FIRST)

    def _take_memory(self, states: int) -> None:
        self._nodes = np.empty((states, 4), np.int32)
        self._heads: npt.NDArray[np.int32] = np.full(states, -1, np.int32)
        self._seen = np.zeros(4 * states, np.int64)
        self._ask[st.SEARCH] = 0

    @property
    def _last(self) -> int:
        """The last time at which anything is reserved by somebody who moves."""
        return max((unit.begin + len(unit.cells) - 1 for unit in self._units.values()), default=0)

    def add(self, path: Path | npt.ArrayLike, *, begin: int | None = None, stays: bool = True) -> int:
        """Reserve a path, one cell for each time step, and return the number of the reservation.

        begin: the time of its first cell; default: that of the path, or `time`. stays=True: its last cell is reserved
        from then on; with False the unit is gone after it. A path that others are in the way of is refused.
        """
        if begin is None:
            begin = path.begin if isinstance(path, TimedPath) else self.time
        cells = self._numbers(path.cells if isinstance(path, Path) else pairs_of("path", path))
        _check_time("begin", begin)
        if self._next >= _MOST:
            raise WaygridError(f"{self._next} paths were reserved; allowed are {_MOST}: start a new table")
        if (begin + len(cells)) * len(self._rest) >= _LONGEST:
            raise WaygridError(f"begin is {begin}; times on this map end at {_LONGEST // len(self._rest)}")
        fault = st.first_block(self.grid.table.geo, self._table, self._rest, cells, begin, stays, self._last)
        if fault < len(cells):
            x, y = self._cell(int(cells[fault]))
            when = "later" if fault < 0 else f"at time {begin + fault}"
            raise WaygridError(f"the path cannot be reserved: somebody is in the way of cell ({x}, {y}) {when}")
        number, self._next = self._next, self._next + 1
        self._units[number] = _Unit(cells, begin, stays)
        self._used += len(cells)
        if 2 * self._used > len(self._table):
            self._rebuild()
        else:
            st.reserve_cells(self._table, self._rest, cells, begin, number, stays)
        return number

    def remove(self, number: int) -> None:
        """Give a reservation up: a unit is gone, or will plan anew.

        >>> import waygrid as wg
        >>> table = wg.Reservations(wg.Grid([[1, 1, 1]]))
        >>> number = table.add([(0, 0), (1, 0)])
        >>> table.holder((1, 0), 5), table.remove(number), table.holder((1, 0), 5)
        (0, None, -1)
        """
        if number not in self._units:
            raise WaygridError(f"number is {show(number)}; allowed are those that add() returned and nobody removed")
        unit = self._units.pop(number)
        self._used -= len(unit.cells)
        self._rebuild()

    def _rebuild(self) -> None:
        size = max(_FIRST, 1 << (4 * self._used).bit_length())
        self._table = np.full(size, st.EMPTY, np.int64)
        self._rest.fill(-1)
        for number, unit in self._units.items():
            st.reserve_cells(self._table, self._rest, unit.cells, unit.begin, number, unit.stays)

    def holder(self, cell: tuple[int, int], time: int) -> int:
        """Return the number of the reservation of a cell at a time, -1 if it is free."""
        _check_time("time", time)
        return int(st.holder(self._table, self._rest, time, int(self._numbers(pair_of("cell", cell))[0])))

    def _numbers(self, cells: Array) -> npt.NDArray[np.int64]:
        x, y = cells[:, 0].astype(np.int64), cells[:, 1].astype(np.int64)
        outside = (x < 0) | (x >= self.grid.width) | (y < 0) | (y >= self.grid.height)
        if outside.any():
            k = int(np.argmax(outside))
            raise self.grid.cell_error(f"cell {k} of the path", int(x[k]), int(y[k]))
        return y * self.grid.width + x

    def _cell(self, number: int) -> tuple[int, int]:
        return number % self.grid.width, number // self.grid.width

    def _distances(self, goal: int) -> npt.NDArray[np.int32]:
        """Return the steps from every cell to a goal, by which the search is guided; those of some goals are kept."""
        if self._version != self.grid.version:
            self._goals.clear()
            self._version = self.grid.version
        if goal not in self._goals:
            if len(self._goals) == _GOALS:
                del self._goals[next(iter(self._goals))]
            table, field = self.grid.table, np.empty((1, len(self._rest)), np.int32)
            flood_fields(table.reverse, table.geo, 1, 1, np.array([goal]), np.zeros(1, np.int64), field)
            self._goals[goal] = field[0]
        return self._goals[goal]

    def _find(self, finder: Finder, start: Array, goal: Array) -> TimedPath:
        """Return the path that arrives first, for `Finder.find`."""
        if finder.grid is not self.grid:
            raise WaygridError("the reservations are those of another grid; make them for the grid of the finder")
        _check_time("time", self.time)
        ends = [int(self._end(name, cell)) for name, cell in (("start", start), ("goal", goal))]
        left, last, ask = self._distances(ends[1]), max(self._last, self.time), self._ask
        ask[[st.START, st.GOAL, st.BEGIN, st.LAST]] = *ends, self.time, last
        ask[st.MOST] = FAR - 1
        table = self.grid.table
        node = st.NO_WAY
        if st.holder(self._table, self._rest, self.time, ends[0]) < 0:
            node = st.NO_ROOM
        while node == st.NO_ROOM:
            arrays = self._ask, self._nodes, self._heads, self._seen
            node = st.search_time(table.moves, table.geo, left, self._table, self._rest, *arrays)
            if node == st.NO_ROOM:
                self._take_memory(4 * len(self._nodes))
        cells = np.empty(0 if node < 0 else int(self._nodes[node, st.TIME]) - self.time + 1, np.int64)
        st.follow_back(self._nodes, node, cells)
        return self._path(finder._sizes, cells)

    def _end(self, name: str, cell: Array) -> int:
        x, y = int(cell[0, 0]), int(cell[0, 1])
        inside = 0 <= x < self.grid.width and 0 <= y < self.grid.height
        if not inside or not self.grid.table.walk[y * self.grid.width + x]:
            raise self.grid.cell_error(name, x, y)
        return y * self.grid.width + x

    def _path(self, sizes: Sizes, cells: npt.NDArray[np.int64]) -> TimedPath:
        x, y = cells % self.grid.width, cells // self.grid.width
        moved = np.flatnonzero(np.diff(cells)) + 1
        weights = self.grid.table.weights
        prices = np.ones(len(moved), np.int64) if weights is None else weights[cells[moved]].astype(np.int64)
        if weights is not None and self.grid.rule == "mean":
            prices += weights[cells[moved - 1]]
        diagonal = (x[moved] != x[moved - 1]) & (y[moved] != y[moved - 1]) & (self.grid.topology == "octile")
        row = [0] * at.ROW_SIZE
        row[at.ROW_STATUS] = Status.FOUND if len(cells) else Status.UNREACHABLE
        row[at.ROW_LENGTH] = len(cells)
        row[at.ROW_STRAIGHT], row[at.ROW_DIAGONAL] = int(prices[~diagonal].sum()), int(prices[diagonal].sum())
        row[at.ROW_EXPANDED] = row[at.ROW_GENERATED] = row[at.ROW_TOUCHED] = int(self._ask[st.COUNT])
        link = GridLink(self.grid)
        pairs = np.column_stack((x, y)).astype(np.int32)
        return TimedPath(row, pairs, sizes._replace(link=link, exact=False), self.time)

    def __len__(self) -> int:
        return len(self._units)

    def __repr__(self) -> str:
        return f"Reservations({len(self)} paths, until time {self._last})"


def find_in_time(finder: Finder, table: Any, start: Any, goal: Any, others: tuple[Any, ...]) -> TimedPath:
    """Return the path that arrives first, for `Finder.find`; others: options of it that do not go with reservations."""
    if not isinstance(table, Reservations):
        raise WaygridError(f"reservations is {show(table)}; allowed is a waygrid.Reservations table")
    if any(other is not None and other is not False for other in others):
        raise WaygridError("reservations= goes with none of partial, max_expansions, max_time, blocked and prefer")
    return table._find(finder, pair_of("start", start), pair_of("goal", goal))


def _check_time(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value < 2**31:
        raise WaygridError(f"{name} is {show(value)}; allowed are the integers from 0 to {2**31 - 1}")
