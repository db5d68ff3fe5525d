"""Heuristics by name: their parameters, and whether each is admissible and consistent on a grid."""

from __future__ import annotations

import math
from dataclasses import dataclass

from waygrid.core import layout
from waygrid.core.heuristics import estimate
from waygrid.core.types import Array
from waygrid.errors import WaygridError, show
from waygrid.grid.grid import Grid

_SQUARE = ("manhattan", "octile", "chebyshev", "euclidean", "zero")
_SHIFTED = ("vancouver", "vancouver-printed", "euclidean", "zero")
_NATURAL = {"tile": "manhattan", "octile": "octile", "hex": "vancouver", "tex": "vancouver"}


@dataclass(frozen=True)
class Heuristic:
    """A named heuristic times a weight."""

    name: str
    scale: float
    admissible: bool
    consistent: bool

    @property
    def needs_reopening(self) -> bool:
        """Whether closed cells must be reopened for optimal paths."""
        return self.admissible and not self.consistent

    def of(self, policy: Array, grid: Grid, start: Array, goal: Array) -> int:
        """Return the estimate between two cells, as the kernels compute it."""
        return estimate(policy, grid.table.geo, int(start[0]), int(start[1]), int(goal[0]), int(goal[1]))

    def write(self, policy: Array, grid: Grid) -> None:
        """Write the kind and factors of the heuristic into a policy, scaled by the lowest weight on the map."""
        geo = grid.table.geo
        unit = int(geo[layout.MIN_WEIGHT]) * self.scale * (1 << layout.H_SHIFT)
        cardinal, diagonal = int(geo[layout.CARDINAL]), int(geo[layout.DIAGONAL])
        kind, most, least = layout.LINEAR, 0.0, 0.0
        if self.name == "manhattan":
            most = least = unit * cardinal
        elif self.name == "octile":
            most, least = unit * cardinal, unit * (diagonal - cardinal)
        elif self.name == "chebyshev":
            most = unit * cardinal
        elif self.name == "euclidean":
            # The farthest that one unit of cost can carry; a column of hexes is sqrt(3)/2 wide, a tex's side step
            # sqrt(5)/2 long.
            kind, least = layout.EUCLIDEAN, float(1 << layout.H_SHIFT)
            if grid.topology == "hex":
                most, least = unit * cardinal, 0.75 * least
            elif grid.topology == "tex":
                most = unit * cardinal / math.sqrt(1.25)
            elif grid.topology == "tile":
                most = unit * cardinal
            else:
                most = unit * min(cardinal, diagonal / math.sqrt(2))
        elif self.name.startswith("vancouver"):
            kind = layout.VANCOUVER if self.name == "vancouver" else layout.VANCOUVER_PRINTED
            most = unit * cardinal
        policy[layout.HEURISTIC] = kind
        policy[layout.H_MAX], policy[layout.H_MIN] = math.floor(most), math.floor(least)


def heuristic(name: str | None, grid: Grid, weight: float) -> Heuristic:
    """Return a heuristic by name; None is the one that is exact on the empty map.

    >>> from waygrid import Grid
    >>> heuristic(None, Grid([[1]], topology="hex"), 1.0).name
    'vancouver'
    >>> heuristic("manhattan", Grid([[1]]), 1.0).admissible   # diagonals are shorter
    False
    """
    allowed = _SQUARE if grid.topology in ("tile", "octile") else _SHIFTED
    if name is None:
        name = _NATURAL[grid.topology]
    if not isinstance(name, str) or name not in allowed:
        raise WaygridError(
            f"heuristic {show(name)} does not fit {grid.topology} grids; allowed are {', '.join(allowed)}"
        )
    exceeds = name == "manhattan" and grid.topology == "octile"
    if exceeds:  # it is only right where a diagonal costs two straight moves
        exceeds = grid._metric.diagonal < 2 * grid._metric.cardinal
    admissible = weight <= 1.0 and not exceeds
    return Heuristic(name, weight, admissible, admissible and name != "vancouver-printed")
