"""Checks paths by the map and its rules alone; shares no code with the searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid


def first_fault(grid: Grid, cells: npt.ArrayLike) -> str | None:
    """Return what is wrong with the first illegal cell or move of a path, None if the path is legal.

    >>> from waygrid import Grid
    >>> grid = Grid([[1, 1], [0, 1]])
    >>> first_fault(grid, [(0, 0), (1, 0), (1, 1)]) is None
    True
    >>> first_fault(grid, [(0, 0), (1, 1)])
    'move 0 from (0, 0) to (1, 1) cuts a corner'
    """
    path = np.asarray(cells, np.int64).reshape(-1, 2)
    room = _fits(grid, path[:, 0], path[:, 1])
    if not room.all():
        k = int(np.argmin(room))
        return f"cell {k} at {tuple(path[k].tolist())} cannot be entered"
    fault = first_bad_move(grid, path[:-1], path[1:])
    if fault is None:
        return None
    k, what = fault
    return f"move {k} from {tuple(path[k].tolist())} to {tuple(path[k + 1].tolist())} {what}"


def first_bad_move(grid: Grid, here: npt.NDArray[Any], there: npt.NDArray[Any]) -> tuple[int, str] | None:
    """Return the number of the first move that is illegal and what is wrong with it, None if all are legal.

    here, there: (n, 2) cells, between which each move leads.
    """
    step = there - here
    for fault, bad in (
        ("leaves where nobody can stand", ~_fits(grid, here[:, 0], here[:, 1])),
        ("ends where nobody can stand", ~_fits(grid, there[:, 0], there[:, 1])),
        ("is not a move of this grid", ~_adjacent(grid.topology, here, step)),
        ("cuts a corner", _cuts(grid, here, there)),
        ("is against a one-way tile", _forbidden(grid, here, step)),
    ):
        if bad.any():
            return int(np.argmax(bad)), fault
    return None


def path_cost(grid: Grid, cells: npt.ArrayLike) -> float:
    """Return the cost of a path, summed from its moves."""
    path = np.asarray(cells, np.int64).reshape(-1, 2)
    if len(path) < 2:
        return 0.0
    entered = path[1:]
    weights = np.ones(len(entered)) if grid.weights is None else grid.weights[entered[:, 1], entered[:, 0]]
    if grid.rule == "mean" and grid.weights is not None:
        weights = (weights + grid.weights[path[:-1, 1], path[:-1, 0]].astype(np.int64)) / 2
    diagonal = np.abs(path[1:] - path[:-1]).sum(axis=1) == 2
    if grid.topology in ("hex", "tex"):
        diagonal[:] = False
    return float(weights[~diagonal].sum() + grid.diagonal_cost * weights[diagonal].sum()) * grid.scale


def _fits(grid: Grid, x: npt.NDArray[Any], y: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    side, passable = grid.clearance, grid.passable
    room = (x >= 0) & (y >= 0) & (x + side <= grid.width) & (y + side <= grid.height)
    for down in range(side):
        for right in range(side):
            room &= passable[np.clip(y + down, 0, grid.height - 1), np.clip(x + right, 0, grid.width - 1)]
    return np.asarray(room)


def _adjacent(topology: str, here: npt.NDArray[Any], step: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    dx, dy = np.abs(step[:, 0]), np.abs(step[:, 1])
    if topology == "tile":
        return np.asarray(dx + dy == 1)
    if topology == "octile":
        return np.asarray(np.maximum(dx, dy) == 1)
    # Hex and tex: up and down, or sideways by half a cell; an odd column's half cell goes up, an even one's down.
    odd = here[:, 0] % 2 == 1
    sideways = (step[:, 1] == 0) | np.where(odd, step[:, 1] == -1, step[:, 1] == 1)
    return np.asarray(((dx == 0) & (dy == 1)) | ((dx == 1) & sideways))


def _cuts(grid: Grid, here: npt.NDArray[Any], there: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    if grid.topology != "octile" or grid.corners == "always":
        return np.zeros(len(here), np.bool_)
    diagonal = (here != there).all(axis=1)
    sides = _fits(grid, there[:, 0], here[:, 1]).astype(int) + _fits(grid, here[:, 0], there[:, 1])
    return np.asarray(diagonal & (sides < (2 if grid.corners == "never" else 1)))


_SQUARE = {
    (0, -1): "N",
    (1, 0): "E",
    (0, 1): "S",
    (-1, 0): "W",
    (1, -1): "NE",
    (1, 1): "SE",
    (-1, 1): "SW",
    (-1, -1): "NW",
}


def _forbidden(grid: Grid, here: npt.NDArray[Any], step: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    bad = np.zeros(len(here), np.bool_)
    if grid._exits is None:
        return bad
    for k in range(len(here)):
        x, y = here[k]
        dx, dy = int(step[k, 0]), int(step[k, 1])
        name = _SQUARE.get((dx, dy), "")
        if grid.topology in ("hex", "tex") and dx:
            lower = dy == 1 or (dy == 0 and x % 2 == 1)
            name = ("S" if lower else "N") + ("E" if dx > 0 else "W")
        # Another check reports steps that are not moves at all.
        bad[k] = name in grid.directions and not grid._exits[y, x] >> grid.directions.index(name) & 1
    return bad
