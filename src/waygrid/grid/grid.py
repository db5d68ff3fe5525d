"""Grid: a map, its rules, and the move table that is compiled from both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show
from waygrid.formats.georeference import Georeference, require_georeference
from waygrid.formats.rules import LARGEST_WEIGHT
from waygrid.grid.drawing import read_map
from waygrid.grid.edits import EditLog, merge_windows
from waygrid.grid.fingerprint import hash_map
from waygrid.grid.inflation import Inflates
from waygrid.grid.metric import metric as make_metric
from waygrid.grid.placed import Placed
from waygrid.grid.robots import ReadsMessages
from waygrid.grid.topology import CORNERS, TOPOLOGIES, check_clearance, check_rule, choose, geometry
from waygrid.grid.where import Window, locate, locate_patch

if TYPE_CHECKING:
    from waygrid.grid.table import MoveTable


class Grid(ReadsMessages, Placed, Inflates):
    """A map of passable cells with its topology, corner rule, metric, terrain weights and clearance.

    passable: a (height, width) array of booleans or of 0 (wall) and 1, whose masked cells are walls; or a drawing, a
    list of rows such as "..#". Other numbers are refused: pass them as weights, or use `from_costs`. georeference:
    where the cells lie in the world (see `Georeference`), for square cells.

    >>> import waygrid as wg
    >>> grid = wg.Grid([[1, 1, 1],
    ...                 [1, 0, 1],
    ...                 [1, 1, 1]])
    >>> grid.width, grid.height, grid.version
    (3, 3, 0)
    >>> wg.make_finder("astar", grid).find((0, 0), (2, 2)).cost
    4.0
    >>> grid.set_passable((1, 1), True)
    >>> wg.make_finder("astar", grid).find((0, 0), (2, 2)).cost
    2.8284271247461903
    """

    def __init__(
        self,
        passable: npt.ArrayLike | Iterable[str],
        *,
        topology: str = "octile",
        corners: str = "never",
        metric: str | tuple[int, int] = "octile",
        weights: npt.ArrayLike | None = None,
        clearance: int = 1,
        georeference: Georeference | None = None,
        rule: str = "enter",
    ) -> None:
        self._passable, self._weights = read_map(passable, weights)
        self._height: int = self._passable.shape[0]
        self._width: int = self._passable.shape[1]
        self._topology = choose("topology", topology, TOPOLOGIES)
        self._corners = choose("corners", corners, CORNERS)
        self._rule = check_rule(rule, self._weights is not None)
        self._metric = make_metric(metric)
        self._clearance = check_clearance(clearance, self._topology)
        self._scale, self._rounding = 1.0, 0.0
        self._georeference = require_georeference(georeference)
        if georeference is not None and self._topology in ("hex", "tex"):
            raise WaygridError(f"georeference needs square cells (tile or octile); on {self._topology} it is None")
        self._exits: npt.NDArray[np.uint8] | None = None
        self._version = 0
        self._repriced = 0  # edits of weights
        self._edits = EditLog()
        self._table: MoveTable | None = None
        prices = (self._metric.cardinal, self._metric.diagonal)
        shape = (self._width, self._height, self._clearance)
        self._geo = geometry(self._topology, self._corners, self._rule, prices, *shape)

    # --- Properties ---------------------------------------------------------------------------------------------------

    @property
    def width(self) -> int:
        """Cells from left to right."""
        return self._width

    @property
    def height(self) -> int:
        """Cells from top to bottom."""
        return self._height

    @property
    def passable(self) -> npt.NDArray[np.bool_]:
        """Passable cells, indexed [y, x]; read-only, see `set_passable`."""
        return _read_only(self._passable.view(np.bool_))

    @property
    def weights(self) -> npt.NDArray[np.uint16] | None:
        """Cost of entering each cell, indexed [y, x]; read-only; None if all cost 1."""
        return None if self._weights is None else _read_only(self._weights)

    @property
    def rule(self) -> str:
        """What weighs a move: enter, the cell that it enters; mean, the mean of the cells that it leaves and enters."""
        return self._rule

    @property
    def scale(self) -> float:
        """Cost of entering a cell of weight 1: 1, or the scale given to `from_costs`."""
        return self._scale

    @property
    def rounding(self) -> float:
        """The most by which rounding to the scale changed a cost, in your units; 0 if all costs are exact."""
        return self._rounding

    @property
    def price_scale(self) -> float:
        """What the integer prices of searches count: the scale, or half of it where both cells' weights are added."""
        return self._scale / 2 if self._rule == "mean" else self._scale

    @property
    def topology(self) -> str:
        """One of tile, octile, hex and tex."""
        return self._topology

    @property
    def corners(self) -> str:
        """When a diagonal may cut a corner: never, one (past one wall) or always."""
        return self._corners

    @property
    def metric(self) -> str | tuple[int, int]:
        """The metric's name, or the pair (cardinal, diagonal)."""
        return self._metric.name

    @property
    def clearance(self) -> int:
        """Side of the square agent, in cells; its position is its top-left cell."""
        return self._clearance

    @property
    def version(self) -> int:
        """The number of edits so far."""
        return self._version

    @property
    def directions(self) -> tuple[str, ...]:
        """Names of the moves, in the order of the bits of a move byte."""
        return TOPOLOGIES[self._topology].directions

    @property
    def diagonal_cost(self) -> float:
        """Cost of a diagonal move if a straight one costs 1."""
        return self._metric.diagonal_cost

    @property
    def cardinal_price(self) -> int:
        """The metric's integer cost of a straight move; g and h of traces are multiples of it."""
        return self._metric.cardinal

    def __repr__(self) -> str:
        extra = "" if self._weights is None else ", weighted"
        extra += "" if self._scale == 1 else f", scale={self._scale:g}"
        extra += "" if self._georeference is None else f", crs={(self.crs or '')[:20]!r}"
        extra += "" if self._rule == "enter" else f", rule={self._rule!r}"
        extra += "" if self._clearance == 1 else f", clearance={self._clearance}"
        return (
            f"Grid({self._width} x {self._height}, topology={self._topology!r}, corners={self._corners!r}, "
            f"metric={self.metric!r}{extra}, version={self._version})"
        )

    def _repr_html_(self) -> str:
        from waygrid.draw.notebook import grid_html

        return grid_html(self)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Grid)
            and (self._scale, self._georeference) == (other._scale, other._georeference)
            and self.fingerprint() == other.fingerprint()
        )

    __hash__ = None  # type: ignore[assignment]  # a grid can change

    def copy(self) -> Grid:
        """Return an independent grid with the same map and rules, at version 0."""
        twin = self.twin(self._passable, self._weights)
        twin._exits = None if self._exits is None else self._exits.copy()
        return twin

    __copy__ = copy  # without it, both would share what edits change

    def twin(self, passable: npt.ArrayLike, weights: npt.ArrayLike | None) -> Grid:
        """Return a grid with another map and the same rules."""
        made = Grid(
            passable,
            topology=self._topology,
            corners=self._corners,
            metric=self._metric.name,
            weights=weights,
            clearance=self._clearance,
            georeference=self._georeference,
            rule=self._rule,
        )
        made._scale, made._rounding = self._scale, self._rounding
        return made

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: the map and its rules; the receiver compiles the move table again."""
        return {**self.__dict__, "_table": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickled arrays may be read-only, which is another type to Numba.
        self.__dict__.update(
            {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in state.items()}
        )

    def fingerprint(self) -> str:
        """Return a hash of the map and its rules; index files store it."""
        prices = (self._metric.cardinal, self._metric.diagonal)
        rules: tuple[Any, ...] = (self._width, self._height, self._topology, self._corners, prices, self._clearance)
        rules = rules if self._rule == "enter" else (*rules, self._rule)
        return hash_map(rules, self._passable, self._weights, self._exits)

    # --- Edits --------------------------------------------------------------------------------------------------------

    def set_passable(self, where: Any, value: bool) -> None:
        """Make cells passable (True) or walls (False): (x, y), (slice_x, slice_y) or a (height, width) mask.

        >>> grid = Grid([[1, 1, 1]])
        >>> grid.set_passable((slice(1, 3), slice(0, 1)), False)
        >>> grid.passable.tolist(), grid.version
        ([[True, False, False]], 1)
        """
        place = locate(where, self._width, self._height)
        if not isinstance(value, (bool, np.bool_, int, np.integer)) or value not in (0, 1):
            raise WaygridError(f"set_passable takes True or False for all given cells, not {show(value)}")
        self._passable[place.index] = 1 if value else 0
        self._changed(place.window)

    def paste(
        self, passable: npt.ArrayLike | Iterable[str] | Grid, x: int, y: int, *, weights: npt.ArrayLike | None = None
    ) -> None:
        """Lay a small map over this one, its top-left cell at (x, y), as one edit.

        passable: as for `Grid`, cells that may be entered and walls, or a drawing; or a grid, with its weights.
        weights: the cost of entering each of its cells; without them, the weights of the map stay.

        >>> grid = Grid(["....", "....", "...."])
        >>> grid.paste(["#.", ".#"], 1, 1)
        >>> grid.passable.astype(int).tolist(), grid.version
        ([[1, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1]], 1)
        """
        if isinstance(passable, Grid):
            if weights is None and passable._weights is not None and passable._scale != self._scale:
                raise WaygridError(
                    f"the grid has scale {passable._scale:g}; allowed is that of this map, {self._scale:g}"
                )
            weights = passable._weights if weights is None else weights
            passable = passable._passable
        patch, prices = read_map(passable, weights)
        place = locate_patch(patch.shape, x, y, self._width, self._height)
        self._passable[place.index] = patch
        if prices is not None and (self._weights is not None or (prices != 1).any()):
            if self._weights is None:
                self._weights = np.ones((self._height, self._width), np.uint16)
            self._weights[place.index] = prices
            self._repriced += 1
            self._drop_equal_weights(prices)
        self._changed(place.window)

    def edits_since(self, version: int) -> list[Window]:
        """Return the parts of the map that edits after a version changed: boxes (x0, y0, x1, y1), x1 and y1 excluded.

        At most 64: boxes that lie close together are merged if there are more.

        >>> grid = Grid(["....", "...."])
        >>> grid.set_passable((2, 1), False)
        >>> grid.edits_since(0), grid.edits_since(1)
        ([Window(x0=2, y0=1, x1=3, y1=2)], [])
        """
        if not isinstance(version, (int, np.integer)) or isinstance(version, bool) or not 0 <= version <= self._version:
            raise WaygridError(f"version is {show(version)}; allowed are the integers 0 to {self._version}")
        return merge_windows(self._edits.since(int(version)), self._width, self._height)

    def set_weight(self, where: Any, weight: int) -> None:
        """Set the cost of entering cells, 1 to 65535; cells are given as for `set_passable`."""
        place = locate(where, self._width, self._height)
        if not isinstance(weight, (int, np.integer)) or not 1 <= weight <= LARGEST_WEIGHT:
            raise WaygridError(f"weight is {show(weight)}; allowed are the integers 1 to {LARGEST_WEIGHT}")
        if self._weights is None:
            self._weights = np.ones((self._height, self._width), np.uint16)
        self._weights[place.index] = weight
        self._repriced += 1
        self._drop_equal_weights(weight)
        self._changed(place.window, legality=False)

    def _drop_equal_weights(self, written: Any) -> None:
        """Have no weights again once all are 1: more algorithms support that."""
        if self._rule != "enter" or not np.all(np.equal(written, 1)):
            return
        if self._weights is not None and (self._weights == 1).all():
            self._weights = None

    def set_one_way(self, where: Any, allowed: Iterable[str] | None) -> None:
        """Allow only these moves out of the cells, by name ("E", "NE"); None allows all moves again.

        >>> import waygrid as wg
        >>> grid = wg.Grid([[1, 1, 1]], topology="tile")
        >>> grid.set_one_way((1, 0), allowed=["E"])
        >>> finder = wg.make_finder("astar", grid)
        >>> finder.find((0, 0), (2, 0)).status.name, finder.find((2, 0), (0, 0)).status.name
        ('FOUND', 'UNREACHABLE')
        """
        place = locate(where, self._width, self._height)
        byte = 255
        if allowed is not None:
            names = (
                [allowed] if isinstance(allowed, str) else list(allowed) if isinstance(allowed, Iterable) else [allowed]
            )
            byte = 0
            for name in names:
                byte |= 1 << self.directions.index(choose("a one-way direction", name, self.directions))
            if byte == (1 << len(self.directions)) - 1:
                byte = 255
        if self._exits is None:
            self._exits = np.full((self._height, self._width), 255, np.uint8)
        self._exits[place.index] = byte
        if (self._exits == 255).all():
            self._exits = None
        self._changed(place.window)

    @property
    def has_one_way(self) -> bool:
        """Whether the grid has one-way tiles."""
        return self._exits is not None

    def _changed(self, window: Window, *, legality: bool = True) -> None:
        """Count the edit and update the compiled table inside the window."""
        self._version += 1
        self._edits.add(self._version, window)
        if self._table is not None:
            if legality:
                self._table.recompile(window)
            else:
                self._table.widen_bounds(window)

    # --- What searches need -------------------------------------------------------------------------------------------

    @property
    def table(self) -> MoveTable:
        """The move table; compiled on first use, because that loads the kernels."""
        if self._table is None:
            from waygrid.grid.table import MoveTable

            self._table = MoveTable(self)
        return self._table

    @property
    def moves(self) -> npt.NDArray[np.uint8]:
        """One byte per cell, bit d set if the move in direction d is legal; read-only."""
        return _read_only(self.table.moves.reshape(self._height, self._width))

    @property
    def components(self) -> npt.NDArray[np.int32]:
        """The connected component of each cell, -1 for walls; no path connects different components."""
        return _read_only(self.table.labels.reshape(self._height, self._width))

    def cell_error(self, what: str, x: int, y: int) -> WaygridError:
        """Return the error for an invalid cell."""
        if not (0 <= x < self._width and 0 <= y < self._height):
            size = f"{self._width} x {self._height}"
            return WaygridError(f"{what} ({x}, {y}) is outside the map of {size} cells (x right, y down, from 0)")
        if self._clearance > 1 and self._passable[y, x]:
            return WaygridError(
                f"{what} ({x}, {y}) leaves no room for an agent of {self._clearance} x {self._clearance}"
            )
        return WaygridError(f"{what} ({x}, {y}) is in a wall; it must be a passable cell")


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
