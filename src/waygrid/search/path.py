"""The results of searches."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from enum import IntEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar, overload
from weakref import ref

import numpy as np
import numpy.typing as npt

from waygrid.core import layout as at
from waygrid.errors import WaygridError
from waygrid.grid.legal import first_fault
from waygrid.search.legs import Legs
from waygrid.search.placed_path import PlacedBatch, PlacedPath

if TYPE_CHECKING:
    from waygrid.formats.georeference import Georeference
    from waygrid.grid.grid import Grid
    from waygrid.search.straight_path import StraightBatch, StraightPath

_SHOWN = 10  # queries of a batch that a notebook shows


class Status(IntEnum):
    """How a search ended, and what its path is then. All but UNREACHABLE are true: there is a path."""

    meaning: str

    UNREACHABLE = 0, "no cells, cost `inf`"
    FOUND = 1, "the whole path; start = goal gives one cell and cost 0"
    PARTIAL = 2, "the path to the closest reachable cell, and its cost"
    CUTOFF = 3, "the path to the closest cell so far, and its cost"

    def __new__(cls, number: int, meaning: str = "") -> Status:
        """Make a status that carries its meaning."""
        status = int.__new__(cls, number)
        status._value_, status.meaning = number, meaning
        return status

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(self.name, spec)


STATUSES = tuple(Status)  # by number


class Stats(NamedTuple):
    """What a search did."""

    expanded: int  #: cells taken from the open list
    generated: int  #: cells put on it
    peak_open: int  #: the most it ever held
    estimate: float  #: h(start), in the units of costs
    nodes: int  #: records in memory: distinct cells touched
    bytes: int  #: memory of those records and of the open list


class GridLink:
    """The grid of a result and its version, for pictures: it is not kept alive, and not pickled with the result."""

    __slots__ = ("grid", "version")

    def __init__(self, grid: Grid | None = None) -> None:
        self.grid = ref(grid) if grid is not None else _nothing
        self.version = 0 if grid is None else grid._version

    def __reduce__(self) -> tuple[Any, ...]:
        return GridLink, ()


def _nothing() -> None:
    return None


class Sizes(NamedTuple):
    """What is needed to read rows of results: move costs, the sizes of search memory, and the grid for pictures."""

    diagonal_cost: float
    cardinal: int
    node_bytes: int
    open_bytes: int
    topology: str
    scale: float  # what a factor of 1 costs: see `Grid.price_scale`
    link: GridLink
    exact: bool = False  # whether paths with these are cheapest ones of the map
    place: Georeference | None = None  # where the cells lie in the world
    model: str = "cells"  # where paths bend, see `declaration.MODELS`

    def linked(self, grid: Grid) -> Sizes:
        """Return the same for a grid as it is now; `_replace` takes twice as long."""
        return Sizes._make((*self[:6], GridLink(grid), *self[7:]))


class Path(PlacedPath):
    """A path and how it was found.

    >>> import waygrid as wg
    >>> path = wg.make_finder("astar", wg.Grid([[1, 1, 1], [1, 1, 1]])).find((0, 0), (2, 1))
    >>> path.status.name, path.cells.tolist()
    ('FOUND', [[0, 0], [1, 1], [2, 1]])
    >>> round(path.cost, 3), len(path.waypoints), path.stats.expanded
    (2.414, 3, 3)
    >>> path[0], path[-1], path[:2]
    ((0, 0), (2, 1), [(0, 0), (1, 1)])
    """

    __slots__ = ("_cells", "_legs", "_row", "_sizes", "cost", "status")

    def __init__(
        self, row: list[int], cells: npt.NDArray[np.int32] | None, sizes: Sizes, legs: Legs | None = None
    ) -> None:
        self.status = STATUSES[row[at.ROW_STATUS]]  #: how the search ended
        self._cells = cells
        self._legs = legs  # what the cells are written from, where there are none yet
        self._row = row
        self._sizes = sizes
        if row[at.ROW_LENGTH]:
            #: the sum of its moves; inf without a path
            self.cost = (row[at.ROW_STRAIGHT] + row[at.ROW_DIAGONAL] * sizes.diagonal_cost) * sizes.scale
        else:
            self.cost = math.inf

    @property
    def cells(self) -> npt.NDArray[np.int32]:
        """Every cell from start to goal, (k, 2)."""
        if self._cells is None:
            assert self._legs is not None
            self._cells = self._legs.write_cells(self._row[at.ROW_LENGTH])
        return self._cells

    @property
    def _stored(self) -> npt.NDArray[np.int32]:
        """What a batch stores of it."""
        return self.cells

    @property
    def model(self) -> str:
        """Where it may bend: "cells", from cell to cell; "centres" or "corners", straight legs between these."""
        return self._sizes.model

    @property
    def stats(self) -> Stats:
        """Counters of the search."""
        row, sizes = self._row, self._sizes
        return Stats(
            row[at.ROW_EXPANDED],
            row[at.ROW_GENERATED],
            row[at.ROW_PEAK],
            row[at.ROW_ESTIMATE] / sizes.cardinal * sizes.scale,
            row[at.ROW_TOUCHED],
            row[at.ROW_TOUCHED] * sizes.node_bytes + row[at.ROW_PEAK] * sizes.open_bytes,
        )

    @property
    def waypoints(self) -> npt.NDArray[np.int32]:
        """The waypoints: start, every cell where the direction changes, goal."""
        if self._cells is None and self._legs is not None:
            return self._legs.turning_points()[0]
        return waypoints(self.cells, self._sizes.topology)

    def straighten(self, grid: Grid | None = None, *, rounds: int = 2, blocked: Any = None) -> StraightPath:
        """Return the path pulled straight: legs between the centres of some of the cells it passes, each of them legal.

        The corner rule, clearance and one-way tiles of the grid hold for legs too. On weighted maps a leg replaces
        cells only where it costs no more. rounds: how often the path is pulled, in turns from its start and from its
        end; two are a good bargain. grid: the grid of the path, where it may be gone. blocked: as it was for `find`.

        >>> import waygrid as wg
        >>> path = wg.make_finder("astar", wg.Grid(["....", "...."])).find((0, 0), (3, 1))
        >>> path.straighten().points.tolist(), round(path.cost, 3), round(path.straighten().cost, 3)
        ([[0.0, 0.0], [3.0, 1.0]], 3.414, 3.162)
        """
        made: StraightPath = _above("straighten").straighten_path(self, grid, rounds, blocked)
        return made

    def is_valid(self, grid: Grid) -> bool:
        """Return whether the path is legal on the current grid."""
        return len(self) > 0 and first_fault(grid, self.cells) is None

    def __len__(self) -> int:
        return self._row[at.ROW_LENGTH]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return (tuple(cell) for cell in self.cells.tolist())

    @overload
    def __getitem__(self, number: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, number: slice) -> list[tuple[int, int]]: ...
    def __getitem__(self, number: int | slice) -> tuple[int, int] | list[tuple[int, int]]:
        """Return a cell (x, y) of the path, or a list of cells for a slice."""
        if isinstance(number, slice):
            return [tuple(cell) for cell in self.cells[number].tolist()]
        if not -len(self) <= number < len(self):
            raise IndexError(f"cell {number} of a path of {len(self)} cells")
        x, y = self.cells[number].tolist()
        return x, y

    def __repr__(self) -> str:
        return f"Path({self.status.name}, {len(self)} cells, cost {self.cost:.4f})"

    def _repr_html_(self) -> str:
        """Return the facts, and the path on its map; on an empty one where the map is no more."""
        from waygrid.draw.notebook import card, draw_small

        title, facts = type(self).__name__, self._facts()
        facts.append(f"{self.stats.expanded:,} expanded")
        if not len(self):
            return card(title, facts)
        link, cells = self._sizes.link, self.cells
        grid = link.grid()
        if grid is None:
            facts.append("its map is gone")
            passable, weights = np.ones(cells.max(axis=0)[::-1] + 2, np.bool_), None
        else:
            facts += ["the map was edited since"] * (grid.version != link.version)
            passable, weights = grid.passable, grid.weights
        picture = draw_small(passable, topology=self._sizes.topology, weights=weights, path=self)
        return card(title, facts, picture, repr(self))

    def _facts(self) -> list[str]:
        facts = [self.status.name]
        if len(self):
            facts += [f"cost {self.cost:,.4f}", f"{len(self):,} cells", f"{len(self.waypoints):,} waypoints"]
        return facts


def _above(name: str) -> Any:
    """Return a module that builds on this one; as in the registry, it is found by its name."""
    return import_module(f"waygrid.search.{name}")


def waypoints(cells: npt.NDArray[np.int32], topology: str) -> npt.NDArray[np.int32]:
    """Return the cells of a path at which it starts, turns and ends."""
    return cells if len(cells) < 3 else cells[turns_of(cells, np.array([0, len(cells)]), topology)]


def turns_of(cells: npt.NDArray[np.int32], offsets: npt.NDArray[np.int64], topology: str) -> npt.NDArray[np.bool_]:
    """Return which cells of paths are waypoints; path i lies from offsets[i] to offsets[i + 1]."""
    turns = np.zeros(len(cells), np.bool_)
    if len(cells):
        step = np.diff(cells, axis=0)
        heading = step[:, 0] * 3 + step[:, 1]
        if topology in ("hex", "tex"):
            # Sideways moves climb or fall by half a cell: one heading shows as different steps in odd and even columns.
            lower = (step[:, 1] == 1) | ((step[:, 1] == 0) & (cells[:-1, 0] % 2 == 1))
            heading = np.where(step[:, 0] == 0, step[:, 1], step[:, 0] * 10 + lower)
        turns[1:-1] = heading[1:] != heading[:-1]
        some = np.diff(offsets) > 0
        turns[offsets[:-1][some]] = turns[offsets[1:][some] - 1] = True
    return turns


Kind = TypeVar("Kind")


class Answers(Generic[Kind]):
    """Rows of results over all queries, and the concatenated paths; shared by batches on grids and graphs."""

    def __init__(self, rows: npt.NDArray[np.int64]) -> None:
        self.rows = rows
        self.lengths = rows[:, at.ROW_LENGTH]  #: cells or nodes of each path
        self.offsets = np.zeros(len(rows) + 1, np.int64)  #: path i lies from offsets[i] to offsets[i + 1]
        self.lengths.cumsum(out=self.offsets[1:])
        rows[:, at.ROW_OFFSET] = self.offsets[:-1]

    def path(self, number: int, part: slice) -> Kind:
        """Return a path, whose cells or nodes are in this slice."""
        raise NotImplementedError

    @property
    def statuses(self) -> npt.NDArray[np.int64]:
        """`Status` of each query."""
        return self.rows[:, at.ROW_STATUS]

    @property
    def expanded(self) -> npt.NDArray[np.int64]:
        """Expansions of each query."""
        return self.rows[:, at.ROW_EXPANDED]

    @property
    def generated(self) -> npt.NDArray[np.int64]:
        """Cells or nodes put on the open list by each query."""
        return self.rows[:, at.ROW_GENERATED]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> Kind:
        if not -len(self) <= number < len(self):
            raise IndexError(f"query {number} of a batch of {len(self)}")
        number %= len(self)
        return self.path(number, slice(self.offsets[number], self.offsets[number + 1]))

    def __iter__(self) -> Iterator[Kind]:
        return (self[number] for number in range(len(self)))

    def __repr__(self) -> str:
        counts = {status.name: int((self.statuses == status).sum()) for status in Status}
        found = ", ".join(f"{n} {k}" for k, n in counts.items() if n)
        return f"{type(self).__name__}({len(self)} queries{': ' if found else ''}{found})"


class Batch(Answers[Path], PlacedBatch):
    """Results of many queries: arrays over all queries, paths stored as offsets and cells.

    >>> import waygrid as wg
    >>> finder = wg.make_finder("astar", wg.Grid([[1, 1, 1], [1, 1, 1]]))
    >>> batch = finder.find_many([(0, 0), (2, 0)], [(2, 0), (2, 0)])
    >>> batch.costs.tolist(), batch.lengths.tolist(), batch[0].cells.tolist()
    ([2.0, 0.0], [3, 1], [[0, 0], [1, 0], [2, 0]])
    """

    _path_type: ClassVar[type[Path]] = Path

    def __init__(
        self,
        rows: npt.NDArray[np.int64],
        cells: npt.NDArray[np.int32] | None,
        sizes: Sizes,
        writing: Sequence[tuple[int, int, int]] = (),
        legs: Legs | None = None,
    ) -> None:
        super().__init__(rows)
        self._cells = cells
        self._legs = legs  # what the cells are written from, where there are none yet
        self._sizes = sizes
        self._writing = writing  # ticks that writing the paths of queries first to last - 1 took

    @property
    def cells(self) -> npt.NDArray[np.int32] | None:
        """All paths, one after the other, (total, 2); None with paths=False."""
        if self._cells is None and self._legs is not None:
            self._cells = self._legs.write_cells(int(self.offsets[-1]))
        return self._cells

    @property
    def has_paths(self) -> bool:
        """Whether paths were kept: False with paths=False."""
        return self._cells is not None or self._legs is not None

    @property
    def waypoints(self) -> list[npt.NDArray[np.int32]]:
        """The waypoints of each path, (k, 2): start, every cell where the direction changes, goal.

        >>> import waygrid as wg
        >>> finder = wg.make_finder("turntable", wg.Grid([[1, 1, 1], [1, 1, 1]]))
        >>> batch = finder.find_many([(0, 0), (2, 0)], [(2, 1), (0, 0)], waypoints=True)
        >>> [points.tolist() for points in batch.waypoints]
        [[[0, 0], [1, 0], [2, 1]], [[2, 0], [0, 0]]]
        """
        if self._cells is None and self._legs is not None:
            points, counts = self._legs.turning_points()
        else:
            cells = self._require_stored()
            turns = turns_of(cells, self.offsets, self._sizes.topology)
            points = cells[turns]
            counts = np.diff(np.concatenate(([0], np.cumsum(turns)))[self.offsets])
        return np.split(points, np.cumsum(counts)[:-1]) if len(self) else []

    def _require_stored(self) -> npt.NDArray[np.int32]:
        """Return what is stored of all paths, as the offsets count it."""
        if self._cells is None and self._legs is None:
            raise WaygridError("the batch was computed with paths=False and has no cells")
        assert self._cells is not None or self.cells is not None
        return self._cells  # type: ignore[return-value]  # written by now

    def straighten(self, grid: Grid | None = None, *, rounds: int = 2, blocked: Any = None) -> StraightBatch:
        """Return all paths pulled straight; the options are those of `path.straighten`.

        >>> import waygrid as wg
        >>> batch = wg.make_finder("astar", wg.Grid(["....", "...."])).find_many([(0, 0)], [(3, 1)])
        >>> batch.straighten()[0].points.tolist()
        [[0.0, 0.0], [3.0, 1.0]]
        """
        made: StraightBatch = _above("straighten").straighten_batch(self, grid, rounds, blocked)
        return made

    @property
    def costs(self) -> npt.NDArray[np.float64]:
        """Cost of each path, inf if there is none."""
        costs = self.rows[:, at.ROW_STRAIGHT] + self.rows[:, at.ROW_DIAGONAL] * self._sizes.diagonal_cost
        costs *= self._sizes.scale
        return np.where(self.lengths > 0, costs, np.inf)

    @property
    def times_ns(self) -> npt.NDArray[np.float64]:
        """Time of each query in nanoseconds; 0 unless `find_many` was called with timed=True.

        Measured inside the compiled code, from the end of the previous query; the time of writing all paths is
        distributed by their lengths.

        >>> import waygrid as wg
        >>> finder = wg.make_finder("astar", wg.Grid([[1, 1, 1]]))
        >>> (finder.find_many([(0, 0)], [(2, 0)], timed=True).times_ns > 0).tolist()
        [True]
        """
        from waygrid.core.clock import ns_per_tick

        ticks = np.maximum(self.rows[:, at.ROW_TICKS], 0).astype(np.float64)
        for first, last, spent in self._writing:
            lengths = self.lengths[first:last]
            ticks[first:last] += spent / max(1, int(lengths.sum())) * lengths
        return np.asarray(ticks * ns_per_tick())

    def _repr_html_(self) -> str:
        """Return a summary and a table of the first queries."""
        from waygrid.draw.notebook import card, table

        costs = self.costs
        facts = [f"{len(self):,} queries"]
        facts += [f"{n:,} {status.name}" for status in Status if (n := int((self.statuses == status).sum()))]
        if (paid := costs[np.isfinite(costs)]).size:
            facts.append(f"cost {paid.min():,.2f} to {paid.max():,.2f}, mean {paid.mean():,.2f}")
        facts.append(f"{int(self.expanded.sum()):,} expanded")
        rows = [self._row_text(i, costs[i]) for i in range(min(len(self), _SHOWN))]
        if len(self) > _SHOWN:
            rows.append(["…"] * len(rows[0]))
        titles = ("query", "status", *(() if self.cells is None else ("start", "end")), "cost", "cells", "expanded")
        return card("Batch", facts, more=table(titles, rows) if rows else "")

    def _row_text(self, i: int, cost: float) -> list[str]:
        ends = [] if self.cells is None else ["", ""]
        if self.cells is not None and self.lengths[i]:
            ends = [f"{x}, {y}" for x, y in self.cells[[self.offsets[i], self.offsets[i + 1] - 1]].tolist()]
        counts = [f"{self.lengths[i]:,}", f"{self.expanded[i]:,}"]
        return [str(i), STATUSES[self.statuses[i]].name, *ends, f"{cost:,.4f}", *counts]

    def path(self, number: int, part: slice) -> Path:
        row = self.rows[number].tolist()
        if self._cells is None and self._legs is not None:
            return Path(row, None, self._sizes, self._legs.of(number))
        return self._path_type(row, self._require_stored()[part], self._sizes)
