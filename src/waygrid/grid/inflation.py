"""Distances to walls, and maps whose walls are grown by the radius of a robot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from waygrid.errors import LARGEST_FLOAT, WaygridError, show

if TYPE_CHECKING:
    from waygrid.formats.georeference import Georeference

UNITS = ("cells", "world")
FALLOFFS = ("linear", "exponential")
LARGEST_REACH = 4096  # cells; prices are listed by squared distance
_COST = 10.0
_ROUNDING = 1e-9  # of prices, so that those that are whole numbers stay so


class Falloff(NamedTuple):
    """How the cost of cells near walls falls with distance; distances are in cells."""

    kind: str
    radius: float
    reach: float
    cost: float
    steepness: float

    def price(self, radius: int, reach: int) -> npt.NDArray[np.int64]:
        """Return what a cell costs more, by squared distance from radius + 1 to reach."""
        away = np.sqrt(np.arange(radius + 1, reach + 1, dtype=np.float64)) - self.radius
        if self.kind == "linear":
            prices = self.cost * (1 - away / (self.reach - self.radius))
        else:
            prices = self.cost * np.exp(-self.steepness * away)
        return np.clip(np.floor(prices + _ROUNDING), 0, 65535).astype(np.int64)


class Inflates:
    """The part of a grid that measures distances to walls."""

    _passable: npt.NDArray[np.uint8]
    _weights: npt.NDArray[np.uint16] | None
    _exits: npt.NDArray[np.uint8] | None
    _topology: str
    _scale: float
    _georeference: Georeference | None

    def clearance_map(self, *, units: str | None = None, threads: int | None = None) -> npt.NDArray[np.float64]:
        """Return the distance from the centre of each cell to that of the nearest wall, indexed [y, x].

        Exact Euclidean distances: 0 in walls, infinite on a map without walls. The border of the map is no wall. units:
        "world", the units of the grid's coordinates, or "cells"; default: world if the grid has coordinates.

        >>> import waygrid as wg
        >>> wg.Grid(["#...", "....", "...#"]).clearance_map().round(2).tolist()
        [[0.0, 1.0, 2.0, 2.0], [1.0, 1.41, 1.41, 1.0], [2.0, 2.0, 1.0, 0.0]]
        """
        from waygrid.core import wall_distance
        from waygrid.core.threads import share_lines

        size = self._unit("clearance_map", units)
        steps, count = self._count_steps(threads)
        distances = np.empty(self._passable.shape, np.float64)
        write = wall_distance.write_distances
        share_lines(lambda first, last: write(steps, distances, size, first, last), len(steps), count)
        return distances

    def inflate(
        self,
        radius: float,
        *,
        falloff: str | None = None,
        reach: float | None = None,
        cost: float | None = None,
        steepness: float | None = None,
        units: str | None = None,
        threads: int | None = None,
    ) -> Self:
        """Return a grid in which every cell within the radius of a wall is a wall: for a robot of that radius.

        Distances are exact Euclidean ones between centres of cells, as in `clearance_map`; units as there.

        falloff: also make cells dearer that lie a little farther from walls, up to `reach`. A cell costs more by
        `cost` (default 10) next to the radius, in the units of path costs; "linear" falls evenly to 0 at `reach`,
        "exponential" with exp(-steepness * distance beyond the radius). The default steepness leaves 1 at `reach`.
        What a cell costs more is rounded down to whole weights.

        >>> import waygrid as wg
        >>> grid = wg.Grid(["........", "........", "#......."])
        >>> grid.inflate(1.5).passable.astype(int).tolist()
        [[1, 1, 1, 1, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1, 1, 1]]
        >>> grid.inflate(1, falloff="linear", reach=5, cost=8).weights[2].tolist()
        [1, 1, 7, 5, 3, 1, 1, 1]
        """
        from waygrid.core import wall_distance
        from waygrid.core.threads import share_lines

        size = self._unit("inflate", units)
        shape = _read_falloff(size, radius, falloff, reach, cost, steepness)
        near = _square(shape.radius)
        steps, count = self._count_steps(threads)
        walls = self._passable.copy()
        if falloff is None:
            grow = wall_distance.inflate_walls
            sides = np.array([math.isqrt(near - down * down) for down in range(math.isqrt(near) + 1)], np.int64)
            share_lines(lambda first, last: grow(steps, walls, sides, first, last), len(steps), count)
            return self._inflated(walls, None if self._weights is None else self._weights.copy())
        far = max(_square(shape.reach), near)
        prices = shape._replace(cost=shape.cost / self._scale).price(near, far)
        weights = np.ones(walls.shape, np.uint16) if self._weights is None else self._weights.copy()
        raised = wall_distance.raise_weights
        share_lines(lambda a, b: raised(steps, walls, weights, prices, near, far, a, b), len(steps), count)
        return self._inflated(walls, weights if (weights != 1).any() else None)

    def _inflated(self, walls: npt.NDArray[np.uint8], weights: npt.NDArray[np.uint16] | None) -> Self:
        from waygrid.formats.rules import CheckedMap

        grid: Any = self
        made: Self = grid.twin(CheckedMap(walls, weights), None)
        made._exits = None if self._exits is None else self._exits.copy()
        return made

    def _count_steps(self, threads: int | None) -> tuple[npt.NDArray[np.uint16], int]:
        """Return the steps from each cell to the nearest wall above or below, and how many threads to use."""
        from waygrid.core import wall_distance
        from waygrid.core.threads import count_threads, share_lines

        count = count_threads(threads)
        steps = np.empty(self._passable.shape, np.uint16)
        work = wall_distance.count_steps
        # Narrow strips would share cache lines.
        share_lines(lambda first, last: work(self._passable, steps, first, last), len(steps[0]), count, least=512)
        return steps, count

    def _unit(self, doing: str, units: str | None) -> float:
        """Return the side of a cell in the units that are asked for."""
        if self._topology not in ("tile", "octile"):
            raise WaygridError(f"{doing} needs square cells (tile or octile); this grid is {self._topology}")
        if units is not None and units not in UNITS:
            raise WaygridError(f"units is {show(units)}; allowed are {', '.join(UNITS)}, and None")
        place = self._georeference
        if units == "cells" or (units is None and place is None):
            return 1.0
        if place is None:
            raise WaygridError("units is 'world', but the grid has no coordinates; allowed is 'cells'")
        if place.distortion != "refuse":
            raise WaygridError(f"{doing} cannot measure cells that are no squares; pass units='cells'")
        return place.cell_size


def _square(distance: float) -> int:
    """Return the largest squared distance between cells that is within a distance.

    0.6 / 0.05 is a little less than 12: cells at exactly the radius are within it. Squares are below 2^33, so that this
    adds less than a hundredth.
    """
    return math.floor(distance * distance * (1 + 1e-12) + 1e-9)


def _read_number(name: str, value: Any, least: float, allowed: str) -> float:
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not real or not least <= value <= LARGEST_FLOAT:
        raise WaygridError(f"{name} is {show(value)}; allowed are {allowed}")
    return float(value)


def _read_falloff(size: float, radius: Any, kind: Any, reach: Any, cost: Any, steepness: Any) -> Falloff:
    """Check the arguments of `inflate`, and return them with distances in cells of this size."""
    near = _read_number("radius", radius, 0, "numbers from 0") / size
    if near > 65535:
        raise WaygridError(f"radius is {show(radius)}, {near:.6g} cells; allowed are up to 65535 cells")
    if kind is None:
        for name, value in (("reach", reach), ("cost", cost), ("steepness", steepness)):
            if value is not None:
                raise WaygridError(f"{name} is {show(value)}, but without falloff= there are only walls")
        return Falloff("", near, near, 0.0, 0.0)
    if not isinstance(kind, str) or kind not in FALLOFFS:
        raise WaygridError(f"falloff is {show(kind)}; allowed are {', '.join(FALLOFFS)}, and None")
    if reach is None:
        raise WaygridError(f"falloff={kind!r} needs reach=, the distance from walls up to which cells cost more")
    far = _read_number("reach", reach, 0, "numbers above the radius") / size
    if not near < far <= LARGEST_REACH:
        raise WaygridError(
            f"reach is {show(reach)}, {far:.6g} cells; allowed is more than the radius of {near:.6g} cells, and at "
            f"most {LARGEST_REACH} cells"
        )
    dear = _COST if cost is None else _read_number("cost", cost, 0, "numbers from 0")
    if steepness is None:
        fall = math.log(max(dear, 1.0)) / (far - near)
    elif kind == "linear":
        raise WaygridError(f"steepness is {show(steepness)}; it belongs to falloff='exponential'")
    else:
        fall = _read_number("steepness", steepness, 0, "numbers from 0") * size
    return Falloff(kind, near, far, dear, fall)
