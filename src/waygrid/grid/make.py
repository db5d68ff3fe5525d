"""Generated maps as grids."""

from __future__ import annotations

from typing import Any

from waygrid.grid.generate import generate_passable
from waygrid.grid.grid import Grid


def generate(
    kind: str,
    *,
    width: int,
    height: int,
    seed: int = 0,
    topology: str = "octile",
    corners: str = "never",
    metric: str | tuple[int, int] = "octile",
    clearance: int = 1,
    **options: Any,
) -> Grid:
    """Generate a map: random, rooms, maze, caves or indoor. The same seed gives the same map on every machine.

    >>> grid = generate("maze", width=9, height=5, seed=3)
    >>> grid.width, grid.height
    (9, 5)
    """
    passable = generate_passable(kind, width, height, seed, **options)
    return Grid(passable, topology=topology, corners=corners, metric=metric, clearance=clearance)
