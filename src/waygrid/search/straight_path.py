"""Results whose paths are straight legs, and not moves from cell to cell."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from waygrid.core import layout as at
from waygrid.core import lines
from waygrid.errors import WaygridError
from waygrid.grid.straight import first_bad_leg, place_centres
from waygrid.grid.topology import geometry
from waygrid.search.along import follow_line, measure_marks
from waygrid.search.curve import Curve, round_bends
from waygrid.search.path import STATUSES, Batch, Path, Sizes

if TYPE_CHECKING:
    from waygrid.core.types import Array
    from waygrid.grid.grid import Grid
    from waygrid.search.legs import Legs

_NO_WALLS = np.zeros(0, np.uint8)
_FLOATS, _INTEGERS = struct.Struct("2d"), struct.Struct("2q")


class StraightPath(Path):
    """A path of straight legs and how it was found.

    `cost` is what the legs cost: their length in cells, on weighted maps what is paid on the way, times the grid's
    scale. `length` is their length. Its `cells` are those that the legs pass, and `len(path)` is their number.

    >>> import numpy as np, waygrid as wg
    >>> grid = wg.Grid(np.ones((4, 4)))
    >>> path = wg.make_finder("astar", grid).find((0, 0), (3, 1)).straighten()
    >>> path.points.tolist(), round(path.length, 3)
    ([[0.0, 0.0], [3.0, 1.0]], 3.162)
    >>> path.along(path.length / 2).tolist()
    [1.5, 0.5]
    """

    __slots__ = ("_all_cells", "_marks", "length")

    def __init__(
        self, row: list[int], cells: npt.NDArray[np.int32] | None, sizes: Sizes, legs: Legs | None = None
    ) -> None:
        self.status = STATUSES[row[at.ROW_STATUS]]  #: how the search ended
        self._cells = cells  # the waypoints, in the units of the model
        self._legs = legs
        self._row = row
        self._sizes = sizes
        self._all_cells: npt.NDArray[np.int32] | None = None
        self._marks: npt.NDArray[np.float64] | None = None  # how far each waypoint is along the path
        cost, length = _FLOATS.unpack(_INTEGERS.pack(row[at.ROW_COST], row[at.ROW_DISTANCE]))
        #: what the legs cost; inf without a path
        self.cost = cost * sizes.scale if row[at.ROW_LENGTH] else math.inf
        self.length: float = length if row[at.ROW_LENGTH] else math.inf  #: the length of the legs, in cells

    @property
    def points(self) -> npt.NDArray[np.float64]:
        """The waypoints, (n, 2): where the path starts, bends and ends.

        The centre of cell (x, y) is the point (x, y), and its corners are half a cell away. Columns of a hex grid are
        sqrt(3)/2 wide, and odd columns of hex and tex grids sit half a cell higher.
        """
        return place_points(self._stored, self._sizes)

    @property
    def waypoints(self) -> npt.NDArray[Any]:
        """The same, as cells where paths bend at the centres of cells only."""
        return self._stored.copy() if self._sizes.model == "centres" else self.points

    @property
    def cells(self) -> npt.NDArray[np.int32]:
        """The cells whose inside the legs pass, (k, 2).

        Where a path bends at cell centres, they are moves of the grid. Along the side of a wall, the free cell counts.
        """
        if self._all_cells is None:
            self._all_cells = pass_cells(self._stored, self._sizes)
        return self._all_cells

    @property
    def _stored(self) -> npt.NDArray[np.int32]:
        assert self._cells is not None
        return self._cells

    def along(self, distance: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the position so far along the path, (2,), or for k distances the positions (k, 2).

        Before its start that is the start, and beyond its end the end. An agent that moves at a speed of s cells a
        second is at `path.along(s * seconds)`.

        >>> import waygrid as wg
        >>> path = wg.make_finder("astar", wg.Grid([[1, 1, 1, 1]])).find((0, 0), (3, 0)).straighten()
        >>> path.along([0, 1.25, 9]).tolist()
        [[0.0, 0.0], [1.25, 0.0], [3.0, 0.0]]
        """
        points = self.points
        if self._marks is None:
            self._marks = measure_marks(points)
        return follow_line(points, self._marks, distance)

    def curve(self, radius: float = 1.0, *, pieces: int = 8, grid: Grid | None = None) -> Curve:
        """Return the path with its bends rounded, as a curve that touches free cells only.

        radius: an arc begins so many cells before a bend and ends so many behind it, at most in the middle of a leg. It
        is made smaller where it would touch a wall. pieces: straight pieces of an arc. grid: as for `straighten`.

        >>> import waygrid as wg
        >>> grid = wg.Grid(["....", ".##.", "...."])
        >>> path = wg.make_finder("theta", grid).find((0, 2), (3, 1))
        >>> path.curve(0.5).length < path.length
        True
        """
        home = self._sizes.link.grid() if grid is None else grid
        if home is None:
            raise WaygridError("the grid of this path is gone; name one: curve(grid=grid)")
        if self._sizes.model != "centres":
            raise WaygridError("a path that bends at walls cannot be rounded without touching them; use straighten()")
        return round_bends(self.points, home, radius, pieces)

    def is_valid(self, grid: Grid) -> bool:
        """Return whether every leg is legal on the current grid, by a check that shares nothing with the search."""
        return len(self._stored) > 0 and first_bad_leg(grid, self.points, self._sizes.model) is None

    def __len__(self) -> int:
        return len(self.cells) if self._row[at.ROW_LENGTH] else 0

    def __repr__(self) -> str:
        return f"StraightPath({self.status.name}, {len(self._stored)} points, cost {self.cost:.4f})"

    def _facts(self) -> list[str]:
        facts = [self.status.name]
        if self._row[at.ROW_LENGTH]:
            facts += [f"cost {self.cost:,.4f}", f"{len(self._stored):,} points", f"{len(self):,} cells"]
        return facts


class StraightBatch(Batch):
    """Results of many queries whose paths are straight legs.

    `points` holds the waypoints of all paths, one path after the other; path i lies from `offsets[i]` to
    `offsets[i + 1]`, and `lengths` are their numbers of waypoints.
    """

    _path_type: ClassVar[type[Path]] = StraightPath

    @property
    def points(self) -> npt.NDArray[np.float64] | None:
        """The waypoints of all paths, (total, 2); None with paths=False."""
        return None if self._cells is None else place_points(self._cells, self._sizes)

    @property
    def cells(self) -> npt.NDArray[np.int32] | None:
        """The cells that all paths pass, one path after the other; None with paths=False."""
        if self._cells is None:
            return None
        return np.concatenate([np.zeros((0, 2), np.int32), *(path.cells for path in self)])

    @property
    def waypoints(self) -> list[npt.NDArray[Any]]:
        """The waypoints of each path, as `path.waypoints`."""
        return [path.waypoints for path in self]

    @property
    def costs(self) -> npt.NDArray[np.float64]:
        """Cost of each path, inf if there is none."""
        costs = np.ascontiguousarray(self.rows[:, at.ROW_COST]).view(np.float64) * self._sizes.scale
        return np.where(self.lengths > 0, costs, np.inf)

    @property
    def distances(self) -> npt.NDArray[np.float64]:
        """Length of each path in cells, inf if there is none."""
        lengths = np.ascontiguousarray(self.rows[:, at.ROW_DISTANCE]).view(np.float64)
        return np.where(self.lengths > 0, lengths, np.inf)


def place_points(stored: npt.NDArray[np.int32], sizes: Sizes) -> npt.NDArray[np.float64]:
    """Return the points of waypoints as searches store them: cells, or halves of a cell where walls are touched."""
    if sizes.model == "corners":
        return stored.astype(np.float64) / 2
    return place_centres(stored, sizes.topology)


def pass_cells(stored: npt.NDArray[np.int32], sizes: Sizes) -> npt.NDArray[np.int32]:
    """Return the cells that the legs between waypoints pass."""
    if len(stored) == 0:
        return np.zeros((0, 2), np.int32)
    room = 2 * int(np.abs(np.diff(stored.astype(np.int64), axis=0)).sum()) + 2 * len(stored) + 4
    out = np.empty(2 * room, np.int32)
    if sizes.model == "centres":
        geo = geometry(sizes.topology, "never", "enter", (1, 1), 1, 1, 1)
        count = lines.list_between(geo, np.ascontiguousarray(stored).reshape(-1), len(stored), out)
    else:
        grid = sizes.link.grid()
        walk, width = (_NO_WALLS, 1) if grid is None else (grid.table.walk, grid.width)
        count = lines.list_legs(stored.astype(np.int64) + 1, False, walk, width, out)
    return out.reshape(-1, 2)[:count].copy()


def measure_legs(points: npt.NDArray[np.float64], offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the length of each path; path i has the points from offsets[i] to offsets[i + 1]."""
    legs = np.concatenate(([0.0, 0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))))
    first, last = offsets[:-1] + 1, np.maximum(offsets[1:], offsets[:-1] + 1)
    return np.asarray(legs[np.minimum(last, len(legs) - 1)] - legs[np.minimum(first, len(legs) - 1)])


def pack_lengths(rows: Array, numbers: Any, lengths: Any, costs: Any = None) -> None:
    """Write the lengths of straight paths, and what they cost, into rows of results."""
    rows[numbers, at.ROW_DISTANCE] = np.asarray(lengths, np.float64).view(np.int64)
    rows[numbers, at.ROW_COST] = np.asarray(lengths if costs is None else costs, np.float64).view(np.int64)
