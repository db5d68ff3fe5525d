"""Checking what a benchmark measured: is every path legal, and does it cost what it should?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.finders.path import Batch, Path, Status
from waygrid.grid.grid import Grid
from waygrid.grid.legal import first_fault, path_cost

# Scenario files give costs with eight decimals, older ones with six significant digits.
_ABSOLUTE, _RELATIVE = 1e-4, 5e-6


class Verdict(NamedTuple):
    """What the check of one algorithm's answers found; rows are counted."""

    differ: int  # legal paths whose cost is not the optimum; always 0 for an algorithm that does not claim it
    illegal: int  # paths against the rules of the grid, with wrong ends or a wrong cost
    cut_off: int  # queries that a limit ended
    unsolved: int  # queries without a path although there is one
    suboptimality: float | None  # mean of cost / optimum - 1 over the paths found; None: there are none
    first: str | None  # the first row that differs or is illegal, in words


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


def judge(
    grid: Grid,
    starts: npt.NDArray[np.int32],
    goals: npt.NDArray[np.int32],
    batches: Sequence[Batch],
    optima: npt.NDArray[np.float64],
    *,
    claims_optimal: bool,
) -> Verdict:
    """Check all answers, given in the order of the queries."""
    statuses = np.concatenate([batch.statuses for batch in batches])
    costs = np.concatenate([batch.costs for batch in batches])
    notes: dict[int, str] = {}
    for row, path in enumerate(path for batch in batches for path in batch):
        fault = _fault(grid, path, starts[row], goals[row])
        if fault is not None:
            notes[row] = fault
    illegal = len(notes)
    found, reachable = statuses == Status.FOUND, np.isfinite(optima)
    same = same_cost(costs, optima)
    differ = np.zeros(len(costs), np.bool_)
    if claims_optimal:
        differ = (found | (statuses == Status.UNREACHABLE)) & ~same
        differ[list(notes)] = False  # these are counted already
        for row in np.flatnonzero(differ).tolist():
            notes[row] = f"cost {costs[row]:.6f}, optimum {optima[row]:.6f}"
    solved = found & reachable & (same | (optima > 0))  # a file that says 0 for a real path knows no optimum
    above = np.where(same[solved], 0.0, costs[solved] / np.where(same[solved], 1.0, optima[solved]) - 1)
    first = min(notes, default=None)
    return Verdict(
        differ=int(differ.sum()),
        illegal=illegal,
        cut_off=int((statuses == Status.CUTOFF).sum()),
        unsolved=int(((statuses != Status.FOUND) & (statuses != Status.CUTOFF) & reachable).sum()),
        suboptimality=float(above.mean()) if above.size else None,
        first=None if first is None else f"row {first}: {notes[first]}",
    )


def _fault(grid: Grid, path: Path, start: npt.NDArray[np.int32], goal: npt.NDArray[np.int32]) -> str | None:
    """Return what is wrong with a path, whatever its algorithm promises."""
    if len(path) == 0:
        return None
    fault = first_fault(grid, path.cells)
    if fault is not None:
        return fault
    if (path.cells[0] != start).any() or (path.status == Status.FOUND and (path.cells[-1] != goal).any()):
        return f"the path leads from {tuple(path.cells[0].tolist())} to {tuple(path.cells[-1].tolist())}"
    true = path_cost(grid, path.cells)
    if abs(path.cost - true) > 1e-9 * max(1.0, true):
        return f"the path costs {true:.6f}, not {path.cost:.6f} as it says"
    return None
