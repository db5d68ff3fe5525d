"""Maps as `Grid` is given them: arrays, or drawings in text."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from waygrid.errors import WaygridError, show
from waygrid.formats.rules import Walls, Weights, read_walls, read_weights
from waygrid.formats.text import parse


def read_map(passable: Any, weights: Any = None) -> tuple[Walls, Weights | None]:
    """Return the walls and weights of what `Grid` is given: an array, or a drawing as rows of text.

    >>> read_map(["..#", "3.."])[1].tolist()
    [[1, 1, 1], [3, 1, 1]]
    """
    rows = _drawing(passable)
    if rows is None:
        walls = read_walls(passable)
        return walls, None if weights is None else read_weights(weights, walls)
    data = parse("\n".join(row.strip() for row in rows), "map")
    if weights is not None and data.weights is not None:
        raise WaygridError("the drawing has weights (digits), and weights= are given too; only one of them is allowed")
    walls = data.passable.view(np.uint8)
    return walls, data.weights if weights is None else read_weights(weights, walls)


def _drawing(passable: Any) -> list[str] | None:
    """Return the rows of a drawing in text; None where something else is given."""
    if isinstance(passable, str) and "\n" in passable:
        return passable.strip("\n").split("\n")
    if isinstance(passable, (str, bytes, PathLike)):
        raise WaygridError(
            f"{show(passable)} is no map; a map file is read by wg.Grid.from_file, a drawing is a list of rows of text"
        )
    if isinstance(passable, np.ndarray) and passable.ndim == 1 and passable.dtype.kind == "U":
        passable = passable.tolist()
    if isinstance(passable, Sequence) and passable and all(isinstance(row, str) for row in passable):
        return list(passable)
    return None
