"""Least-cost corridors: by how much the best path through each cell is dearer than the best path of all."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.classic.distances import distances, read_sources
from waygrid.algorithms.classic.surface import Surface
from waygrid.errors import LARGEST_FLOAT, WaygridError, show
from waygrid.grid.grid import Grid
from waygrid.grid.topology import TOPOLOGIES

if TYPE_CHECKING:
    from PIL.Image import Image

# The metric's integers are off by 1e-8, so equal paths may differ by that much when their costs are summed as floats.
_EQUAL = 1e-7
_SHARE = 0.05


class Corridor(Surface):
    """The extra cost of the best path through each cell, as an array [y, x]; inf where no path leads through.

    `optimum` is the cost of the best path of all; on its cells the extra cost is 0. `starts` and `goals` are the ends,
    (n, 2).
    """

    optimum: float
    starts: npt.NDArray[Any]
    goals: npt.NDArray[Any]
    _shown_as = "extra_cost"

    def __array_finalize__(self, other: Any) -> None:
        super().__array_finalize__(other)
        self.optimum = getattr(other, "optimum", math.nan)
        self.starts = getattr(other, "starts", np.zeros((0, 2), np.int64))
        self.goals = getattr(other, "goals", np.zeros((0, 2), np.int64))

    def within(self, extra: float | None = None, *, share: float | None = None) -> npt.NDArray[np.bool_]:
        """Return a mask of the corridor: cells whose best path costs at most so much more than the optimum.

        extra: in units of cost. share: in parts of the optimum, 0.05 for 5 %.

        >>> import waygrid as wg
        >>> grid = wg.Grid([[1, 1, 1], [1, 1, 1]], topology="tile")
        >>> wg.corridor(grid, (0, 0), (2, 0)).within(0).tolist()
        [[True, True, True], [False, False, False]]
        """
        return np.asarray(self) <= self._limit(extra, share) + _EQUAL * max(self._known_optimum(), 0.0)

    def _known_optimum(self) -> float:
        return self.optimum if math.isfinite(self.optimum) else -math.inf

    def _limit(self, extra: Any, share: Any) -> float:
        if (extra is None) == (share is None):
            raise WaygridError("a corridor takes either extra=, in units of cost, or share=, in parts of the optimum")
        name, value = ("share", share) if extra is None else ("extra", extra)
        number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if not number or not 0 <= value <= LARGEST_FLOAT:
            raise WaygridError(f"{name} is {show(value)}; allowed are finite numbers from 0")
        if not math.isfinite(self.optimum):  # no path at all: no cell is within anything
            return -math.inf
        return float(value) if share is None else float(value) * self.optimum

    def draw(self, extra: float | None = None, *, share: float | None = None, scale: int | None = None) -> Image:
        """Draw the corridor over its map: from yellow, the best path, to blue, the limit (default: 5 % more).

        >>> import waygrid as wg
        >>> grid = wg.Grid([[1, 1, 1], [1, 0, 1]])
        >>> wg.corridor(grid, (0, 0), (2, 0)).draw(1, scale=10).size
        (30, 20)
        """
        from waygrid.draw.maps import draw_map

        share = _SHARE if extra is None and share is None else share
        passable, weights = self._ground()
        heat = np.where(self.within(extra, share=share), np.asarray(self), np.inf)
        ends: dict[str, Any] = {"start": self.starts, "goal": self.goals}
        return draw_map(passable, topology=self._drawn_as(), weights=weights, heat=heat, scale=scale, **ends)

    def _ground(self) -> tuple[npt.NDArray[np.bool_], Any]:
        """Return the passable cells and weights to draw; where the map is no more, what paths lead through."""
        if self.shape != self._whole:
            raise WaygridError(f"only the whole corridor can be drawn, not a part of shape {self.shape}")
        grid = self._link.grid()
        if grid is None or grid.version != self._link.version:
            return np.isfinite(np.asarray(self)), None
        return grid.passable, grid.weights

    def _drawn_as(self) -> str:
        return "tile" if self._topology is None else self._topology.name

    def _repr_html_(self) -> str | None:
        """Return the corridor of 5 % and its facts; None, for plain text, for a part of one."""
        if self.shape != self._whole or not math.isfinite(self.optimum):
            return None
        from waygrid.draw.notebook import card, draw_small

        inside = self.within(share=_SHARE)
        facts = [f"optimum {self.optimum:,.4f}", f"{np.count_nonzero(inside):,} cells within {_SHARE:.0%}"]
        heat = np.where(inside, np.asarray(self), np.inf)
        ends = {"start": self.starts.tolist(), "goal": self.goals.tolist()}
        passable, weights = self._ground()
        picture = draw_small(passable, topology=self._drawn_as(), weights=weights, heat=heat, **ends)
        return card("Corridor", facts, picture, "a corridor")

    def __reduce__(self) -> tuple[Any, ...]:
        """Let corridors travel to other processes with what they know."""
        whole: tuple[Any, ...] = super().__reduce__()  # type: ignore[assignment]
        make, arguments, state = whole
        topology = None if self._topology is None else self._topology.name
        known = self.optimum, self.starts, self.goals, topology, self._place, self._whole
        return make, arguments, (state, known)

    def __setstate__(self, state: Any) -> None:
        values, (self.optimum, self.starts, self.goals, topology, self._place, self._whole) = state
        self._topology = None if topology is None else TOPOLOGIES[topology]
        super().__setstate__(values)


def corridor(grid: Grid, start: Any, goal: Any, *, blocked: Any = None) -> Corridor:
    """Return by how much the best path from start to goal through each cell is dearer than the best of all.

    start, goal: a cell (x, y), or several, of which the best counts. It is the sum of the distances from the start and
    to the goal. These are two different fields: a move costs what the cell costs that is entered, so the way back has
    another price. blocked: cells (x, y) or a (height, width) mask that are walls for this call only.

    >>> import waygrid as wg
    >>> extra = wg.corridor(wg.Grid([[1, 1, 1], [1, 1, 1], [1, 0, 1]], topology="tile"), (0, 0), (2, 0))
    >>> extra.tolist(), extra.optimum
    ([[0.0, 0.0, 0.0], [2.0, 2.0, 2.0], [4.0, inf, 4.0]], 2.0)
    """
    ends = read_sources("start", start), read_sources("goal", goal)
    # The sum goes into the first field: on a large raster each of them takes gigabytes.
    field = np.asarray(distances(grid, ends[0], blocked=blocked))
    back = np.asarray(distances(grid, ends[1], reverse=True, blocked=blocked))
    np.add(field, back, out=field)
    del back
    optimum = float(field.min())
    if math.isfinite(optimum):
        field -= optimum
        np.copyto(field, 0.0, where=field <= _EQUAL * optimum)
    result = field.view(Corridor)._put_on(grid)
    result.optimum, result.starts, result.goals = optimum, ends[0], ends[1]
    return result
