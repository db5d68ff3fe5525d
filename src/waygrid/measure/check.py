"""Checking what a benchmark measured: is every path legal, and does it cost what it should?

All paths are checked by a kernel against the move table. What is wrong with the first bad one is then told by
`fault_in_words`, which shares nothing with the searches and is the kernel's oracle in the tests.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.grid.legal import first_fault, path_cost
from waygrid.measure import walk as verify
from waygrid.search.path import Batch, Path, Status

# Scenario files give costs with eight decimals, older ones with six significant digits.
_ABSOLUTE, _RELATIVE = 1e-4, 5e-6


class Verdict(NamedTuple):
    """What the check of one algorithm's answers found; rows are counted."""

    differ: int  # legal paths whose cost is not the optimum; always 0 for an algorithm that does not claim it
    illegal: int  # paths against the rules of the grid, with wrong ends or a wrong cost
    cut_off: int  # queries that a limit ended
    unsolved: int  # queries without a path although there is one
    below: int  # legal paths that are cheaper than the optimum: then it is the optimum that is wrong
    first: str | None  # the first row that differs, in words


def same_cost(costs: npt.ArrayLike, optima: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Tell which costs are equal, as exactly as scenario files are written.

    >>> same_cost([10.00005, 123456.4, np.inf, 10.1], [10.0, 123456.0, np.inf, 10.0]).tolist()
    [True, True, True, False]
    """
    cost, optimum = np.asarray(costs, np.float64), np.asarray(optima, np.float64)
    with np.errstate(invalid="ignore"):  # inf - inf
        apart = np.abs(cost - optimum)
        near = (apart <= _ABSOLUTE) | ((apart <= _RELATIVE * optimum) & np.isfinite(optimum))
    same: npt.NDArray[np.bool_] = near | (cost == optimum)
    return same


def sound_paths(
    grid: Grid, starts: npt.NDArray[np.int32], goals: npt.NDArray[np.int32], batch: Batch
) -> npt.NDArray[np.bool_]:
    """Tell which paths are legal, join their start and goal and cost what they say; having none is no fault.

    >>> import waygrid as wg
    >>> grid = wg.Grid([[1, 1, 1]])
    >>> starts, goals = np.array([[0, 0]], np.int32), np.array([[2, 0]], np.int32)
    >>> batch = wg.make_finder("astar", grid).find_many(starts, goals)
    >>> sound_paths(grid, starts, goals, batch), sound_paths(wg.Grid([[1, 0, 1]]), starts, goals, batch)
    (array([ True]), array([False]))
    """
    if batch.cells is None:
        raise WaygridError("the batch was made with paths=False and kept no cells to check")
    table = grid.table
    queries = np.ascontiguousarray(np.hstack((starts, goals)), np.int32)
    cells = np.ascontiguousarray(batch.cells, np.int32).reshape(-1)
    faults = np.zeros(len(batch), np.uint8)
    verify.find_faults(table.moves, table.walk, table.weights, table.geo, queries, batch.rows, cells, faults)
    return np.asarray(faults == verify.SOUND)


def fault_in_words(grid: Grid, path: Path, start: npt.NDArray[np.int32], goal: npt.NDArray[np.int32]) -> str | None:
    """Return what is wrong with a path, whatever its algorithm promises; None where nothing is."""
    if len(path) == 0:
        return "there is no path although it says so" if path.status == Status.FOUND else None
    fault = first_fault(grid, path.cells)
    if fault is not None:
        return fault
    wrong = path.status == Status.UNREACHABLE or (path.status == Status.FOUND and (path.cells[-1] != goal).any())
    if wrong or (path.cells[0] != start).any():
        return f"the path leads from {tuple(path.cells[0].tolist())} to {tuple(path.cells[-1].tolist())}"
    true = path_cost(grid, path.cells)
    if abs(path.cost - true) > 1e-9 * max(1.0, true):
        return f"the path costs {true:.6f}, not {path.cost:.6f} as it says"
    return None


def below_optimum(rows: dict[str, npt.NDArray[Any]]) -> npt.NDArray[np.bool_]:
    """Tell which rows have a legal path that is cheaper than their optimum, which is then none."""
    costs, optima = rows["cost"], rows["optimum"]
    found: npt.NDArray[np.bool_] = (rows["status"] == Status.FOUND) & rows["valid"]
    return found & (costs < optima) & ~same_cost(costs, optima)


def judge(rows: dict[str, npt.NDArray[Any]], *, claims_optimal: bool) -> Verdict:
    """Count what is wrong in rows that are measured and checked (see `waygrid.measure.rows`)."""
    statuses, costs, optima, valid = rows["status"], rows["cost"], rows["optimum"], rows["valid"]
    found = statuses == Status.FOUND
    differ = np.zeros(len(costs), np.bool_)
    if claims_optimal:
        differ = (found | (statuses == Status.UNREACHABLE)) & ~same_cost(costs, optima) & valid
    first = None
    if differ.any():
        row = int(np.argmax(differ))
        first = f"row {rows['number'][row]}: cost {costs[row]:.6f}, optimum {optima[row]:.6f}"
    return Verdict(
        differ=int(differ.sum()),
        illegal=int((~valid).sum()),
        cut_off=int((statuses == Status.CUTOFF).sum()),
        unsolved=int((~found & (statuses != Status.CUTOFF) & np.isfinite(optima)).sum()),
        below=int(below_optimum(rows).sum()),
        first=first,
    )
