"""Checks the positions of many agents by the map and its rules alone; shares no code with what moves them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show
from waygrid.grid.legal import first_bad_move

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid


def first_collision(grid: Grid, positions: npt.ArrayLike) -> str | None:
    """Return what is wrong with the first step in which agents collide or move illegally, None if there is none.

    positions: the cells of all agents after each step, (steps, agents, 2), all of them on the map. No two may stand in
    a cell, swap their cells or cross on two diagonals, and every move must be one of the grid as it is now; whoever
    waits may stand in a wall.

    >>> import waygrid as wg
    >>> grid = wg.Grid([[1, 1], [1, 1]])
    >>> wg.first_collision(grid, [[(0, 0), (1, 0)], [(0, 1), (1, 1)]]) is None
    True
    >>> wg.first_collision(grid, [[(0, 0), (1, 0)], [(1, 0), (0, 0)]])
    'step 1: agents 0 and 1 swap their cells (0, 0) and (1, 0)'
    >>> wg.first_collision(grid, [[(0, 0), (1, 0)], [(1, 1), (0, 1)]])
    'step 1: agents 0 and 1 cross on two diagonals, from (0, 0) and (1, 0)'
    """
    try:
        whole = np.asarray(positions)
    except ValueError:  # steps of different lengths
        whole = np.zeros(0)
    if whole.ndim != 3 or whole.shape[2] != 2 or (whole.dtype.kind not in "iu" and whole.size):
        raise WaygridError(f"positions is {show(positions)}; allowed are integers of the shape (steps, agents, 2)")
    whole = whole.astype(np.int64)
    for number, here in enumerate(whole):
        fault = (
            _outside(grid, here)
            or _shared_cell(here)
            or (_first_fault(grid, whole[number - 1], here) if number else None)
        )
        if fault:
            return f"step {number}: {fault}"
    return None


def _outside(grid: Grid, here: npt.NDArray[np.int64]) -> str | None:
    away = ((here < 0) | (here >= (grid.width, grid.height))).any(axis=1)
    if not away.any():
        return None
    k = int(np.argmax(away))
    return f"agent {k} is in {tuple(here[k].tolist())}, outside the map of {grid.width} x {grid.height} cells"


def _shared_cell(here: npt.NDArray[np.int64]) -> str | None:
    order = np.lexsort((here[:, 0], here[:, 1]))
    same = (here[order][1:] == here[order][:-1]).all(axis=1)
    if not same.any():
        return None
    k = int(np.argmax(same))
    one, other = sorted((int(order[k]), int(order[k + 1])))
    return f"agents {one} and {other} both stand in {tuple(here[one].tolist())}"


def _first_fault(grid: Grid, before: npt.NDArray[np.int64], after: npt.NDArray[np.int64]) -> str | None:
    moved = np.flatnonzero((before != after).any(axis=1))
    old, new = before[moved], after[moved]
    fault = first_bad_move(grid, old, new)
    if fault is not None:
        k, what = fault
        return f"the move of agent {moved[k]} from {tuple(old[k].tolist())} to {tuple(new[k].tolist())} {what}"
    pair = _first_match(np.column_stack((old, new)), np.column_stack((new, old)))
    if pair is not None:
        one, other = (tuple(old[k].tolist()) for k in pair)
        return f"agents {moved[pair[0]]} and {moved[pair[1]]} swap their cells {one} and {other}"
    return _crossing(grid, moved, old, new)


def _crossing(
    grid: Grid, moved: npt.NDArray[np.int64], old: npt.NDArray[np.int64], new: npt.NDArray[np.int64]
) -> str | None:
    """Return who crosses whom in the middle of four cells."""
    if grid.topology != "octile":
        return None
    diagonal = np.flatnonzero((old != new).all(axis=1))
    corner = np.minimum(old, new)[diagonal]
    falls = ((new - old).prod(axis=1) > 0)[diagonal]
    down, up = diagonal[falls], diagonal[~falls]
    pair = _first_match(corner[falls], corner[~falls])
    if pair is None:
        return None
    k, other = sorted((int(down[pair[0]]), int(up[pair[1]])))
    places = f"{tuple(old[k].tolist())} and {tuple(old[other].tolist())}"
    return f"agents {moved[k]} and {moved[other]} cross on two diagonals, from {places}"


def _first_match(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> tuple[int, int] | None:
    """Return the numbers of the first row of an array that another has too, and of that row there."""
    if not len(one) or not len(other):
        return None
    both = np.concatenate((one, other))
    _, names = np.unique(both, axis=0, return_inverse=True)
    names = names.reshape(-1)
    mine, theirs = names[: len(one)], names[len(one) :]
    shared = np.isin(mine, theirs)
    if not shared.any():
        return None
    k = int(np.argmax(shared))
    return k, int(np.argmax(theirs == mine[k]))
