"""The map argument of `Grid`: an array, or a drawing in text."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from waygrid.errors import WaygridError, show
from waygrid.formats.rules import CheckedMap, Walls, Weights, read_walls, read_weights
from waygrid.formats.text import parse


def read_map(passable: Any, weights: Any = None) -> tuple[Walls, Weights | None]:
    """Return the walls and weights of the map argument of `Grid`: an array, or a drawing as rows of text.

    >>> read_map(["..#", "3.."])[1].tolist()
    [[1, 1, 1], [3, 1, 1]]
    """
    if isinstance(passable, CheckedMap):
        return passable
    rows = _read_drawing(passable)
    if rows is None:
        walls = read_walls(passable)
        return walls, None if weights is None else read_weights(weights, walls)
    data = parse("\n".join(row.strip() for row in rows), "map")
    if weights is not None and data.weights is not None:
        raise WaygridError("the drawing has weights (digits), and weights= is given too; only one of them is allowed")
    walls = data.passable.view(np.uint8)
    return walls, data.weights if weights is None else read_weights(weights, walls)


def _read_drawing(passable: Any) -> list[str] | None:
    """Return the rows of a drawing in text; None for anything else."""
    if isinstance(passable, str) and "\n" in passable:
        return passable.strip("\n").split("\n")
    if isinstance(passable, (str, bytes, PathLike)):
        raise WaygridError(
            f"{show(passable)} is not a map; use wg.Grid.from_file for a file, or a list of rows for a drawing in text"
        )
    if isinstance(passable, np.ndarray) and passable.ndim == 1 and passable.dtype.kind == "U":
        passable = passable.tolist()
    if isinstance(passable, Sequence) and passable and all(isinstance(row, str) for row in passable):
        return list(passable)
    return None
