"""The one check of paths: is every path legal, does it join start and goal, cost what it says and what it should?

`explain_fault` says what is wrong with one path, from the map and the written rules alone: it shares nothing with the
searches. All paths of a batch are checked against the move table, by compiled code, and some of them by
`explain_fault` as well, which also explains the first bad one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.grid.legal import first_fault, path_cost
from waygrid.grid.straight import first_bad_leg, place_centres
from waygrid.measure import walk
from waygrid.measure.timing import QueryTimes, spread_rows
from waygrid.search.path import Batch, Path, Status
from waygrid.search.straight_path import StraightBatch, StraightPath

# Scenario files give costs with eight decimals, older ones with six significant digits.
_ABSOLUTE, _RELATIVE = 1e-4, 5e-6
_EXPLAINED = 100  # paths of a batch that are also checked by `explain_fault`, evenly spread

Cells = npt.NDArray[np.int32]


class Walked(NamedTuple):
    """The walk of an agent, or a path from elsewhere."""

    cells: Cells
    status: Status
    cost: float


class Checked(NamedTuple):
    """Which paths of a batch are right, and what is wrong with the first bad one."""

    valid: npt.NDArray[np.bool_]
    first: int | None  # row of the first bad path
    fault: str | None  # what is wrong with it

    @property
    def wrong(self) -> int:
        """How many are not right."""
        return int(np.count_nonzero(~self.valid))


class Verdict(NamedTuple):
    """What the check of one algorithm's answers found; rows are counted."""

    differ: int  # legal paths whose cost is not the optimum; always 0 for an algorithm that does not claim it
    illegal: int  # paths against the rules of the grid, with wrong ends or a wrong cost
    cut_off: int  # queries that a limit ended
    unsolved: int  # queries without a path although there is one
    below: int  # legal paths that are cheaper than the optimum: then it is the optimum that is wrong
    first: str | None  # the first row that differs, in words


def same_cost(costs: npt.ArrayLike, optima: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Tell which costs are equal, as exactly as the optima are written: with six significant digits, or with more.

    >>> same_cost([10.00005, 123456.4, np.inf, 10.1], [10.0, 123456.0, np.inf, 10.0]).tolist()
    [True, True, True, False]
    >>> same_cost([2000.001, 7.5], [2000.0, 7.24264069]).tolist()
    [False, False]
    """
    cost, optimum = np.asarray(costs, np.float64), np.asarray(optima, np.float64)
    with np.errstate(invalid="ignore"):  # inf - inf
        apart = np.abs(cost - optimum)
        near = apart <= _ABSOLUTE
        if not _has_many_digits(optimum):
            near |= (apart <= _RELATIVE * optimum) & np.isfinite(optimum)
    same: npt.NDArray[np.bool_] = near | (cost == optimum)
    return same


def _has_many_digits(costs: npt.NDArray[np.float64]) -> bool:
    """Tell whether some of the costs have more than six significant digits."""
    some = costs[np.isfinite(costs) & (costs > 0)]
    unit = 10.0 ** (np.floor(np.log10(some)) - 5)
    return bool((np.abs(some / unit - np.round(some / unit)) > 1e-6).any())


def explain_fault(
    grid: Grid,
    path: Path | Walked,
    start: npt.ArrayLike,
    goal: npt.ArrayLike,
    optimum: float | None = None,
    *,
    optimal: bool = False,
) -> str | None:
    """Return what is wrong with a path; None where nothing is.

    optimum: cost of the cheapest path, where it is known. Then there has to be a path, and not one that is cheaper.
    optimal: whether the path is promised to cost no more than that.

    >>> import waygrid as wg
    >>> grid, path = wg.Grid([[1, 1, 1]]), Walked(np.array([[0, 0], [1, 0]], np.int32), Status.FOUND, 1.0)
    >>> explain_fault(grid, path, (0, 0), (1, 0)), explain_fault(grid, path, (0, 0), (2, 0))
    (None, 'the path leads from (0, 0) to (1, 0)')
    >>> explain_fault(grid, path, (0, 0), (1, 0), 2.0)
    'the path costs 1.000000, less than the optimum 2.000000'
    """
    if isinstance(path, StraightPath):
        return explain_straight(grid, path, start, goal, optimum, optimal=optimal)
    found = path.status == Status.FOUND
    if len(path.cells) == 0 and found:
        return "there is no path although it says so"
    if not found and optimum is not None and np.isfinite(optimum):
        return f"{path.status.name}, but there is a path"
    if len(path.cells) == 0:
        return None
    fault = first_fault(grid, path.cells)
    if fault is not None:
        return fault
    ends = [tuple(path.cells[k].tolist()) for k in (0, -1)]
    wrong_end = found and ends[1] != tuple(np.asarray(goal).tolist())
    if path.status == Status.UNREACHABLE or wrong_end or ends[0] != tuple(np.asarray(start).tolist()):
        return f"the path leads from {ends[0]} to {ends[1]}"
    true = path_cost(grid, path.cells)
    if abs(path.cost - true) > 1e-9 * max(1.0, true):
        return f"the path costs {true:.6f}, not {path.cost:.6f} as it says"
    return _explain_cost(path, optimum if found else None, optimal)


def _explain_cost(path: Path | Walked, optimum: float | None, optimal: bool) -> str | None:
    """Return what is wrong with the cost of a path that is legal."""
    if optimum is None or same_cost(path.cost, optimum):
        return None
    if path.cost < optimum:
        return f"the path costs {path.cost:.6f}, less than the optimum {optimum:.6f}"
    return f"the path costs {path.cost:.6f}, not the optimum {optimum:.6f} as promised" if optimal else None


def explain_straight(
    grid: Grid,
    path: StraightPath,
    start: npt.ArrayLike,
    goal: npt.ArrayLike,
    optimum: float | None = None,
    *,
    optimal: bool = False,
) -> str | None:
    """Return the same for a path of straight legs without weights; its length is what it costs.

    >>> import waygrid as wg
    >>> grid = wg.Grid(["....", "...."])
    >>> path = wg.make_finder("lazy-theta", grid).find((0, 0), (3, 1))
    >>> explain_straight(grid, path, (0, 0), (3, 1)), explain_straight(grid, path, (0, 0), (3, 0))
    (None, 'the path leads from (0, 0) to (3, 1)')
    """
    points, found = path.points, path.status == Status.FOUND
    if len(points) == 0 and found:
        return "there is no path although it says so"
    if not found and optimum is not None and np.isfinite(optimum):
        return f"{path.status.name}, but there is a path"
    if len(points) == 0:
        return None
    fault = first_bad_leg(grid, points, path.model)
    if fault is not None:
        return fault
    ends = place_centres(np.array([start, goal]), grid.topology)
    if not np.allclose(points[0], ends[0]) or (found and not np.allclose(points[-1], ends[1])):
        shown = [f"({x:g}, {y:g})" for x, y in points[[0, -1]].tolist()]
        return f"the path leads from {shown[0]} to {shown[1]}"
    true = float(np.hypot(*np.diff(points, axis=0).T).sum()) * grid.scale
    if grid.weights is None and abs(path.cost - true) > 1e-9 * max(1.0, true):
        return f"the path costs {true:.6f}, not {path.cost:.6f} as it says"
    return _explain_cost(path, optimum if found else None, optimal)


def check_paths(
    grid: Grid,
    starts: npt.NDArray[np.int32],
    goals: npt.NDArray[np.int32],
    batch: Batch,
    optima: npt.NDArray[np.float64] | None = None,
    *,
    optimal: bool = False,
    explained: int = _EXPLAINED,
) -> Checked:
    """Check all paths of a batch as `explain_fault` does; without optima, having no path is no fault.

    explained: so many of them, evenly spread, are also checked by `explain_fault` itself.

    >>> import waygrid as wg
    >>> grid = wg.Grid([[1, 1, 1]])
    >>> starts, goals = np.array([[0, 0]], np.int32), np.array([[2, 0]], np.int32)
    >>> batch = wg.make_finder("astar", grid).find_many(starts, goals)
    >>> check_paths(grid, starts, goals, batch)
    Checked(valid=array([ True]), first=None, fault=None)
    >>> check_paths(wg.Grid([[1, 0, 1]]), starts, goals, batch).fault
    'cell 1 at (1, 0) cannot be entered'
    """
    straight = isinstance(batch, StraightBatch)
    valid = np.ones(len(batch), np.bool_) if straight else _check_moves(grid, starts, goals, batch)
    if optima is not None:
        valid &= _check_costs(batch, optima, optimal)

    def explain(row: int) -> str | None:
        optimum = None if optima is None else float(optima[row])
        return explain_fault(grid, batch[row], starts[row], goals[row], optimum, optimal=optimal)

    # Straight legs are few, and all of them are checked in fractions.
    chosen = np.arange(len(batch)) if straight or not len(batch) else spread_rows(len(batch), explained)
    for row in chosen.tolist():
        valid[row] &= explain(row) is None
    if valid.all():
        return Checked(valid, None, None)
    first = int(np.argmin(valid))
    return Checked(valid, first, explain(first) or "the move table does not allow it")


def check_answers(
    grid: Grid,
    optima: npt.NDArray[np.float64],
    times: QueryTimes,
    *,
    optimal: bool,
    walled: dict[int, Grid] | None = None,
) -> tuple[int, str]:
    """Return how many answers are wrong, and what is wrong with the first of them.

    optima: of all queries, in their order. Obstacles of queries are walls to their paths; `walled` keeps the grids with
    these walls for the next finder.
    """
    walled = {} if walled is None else walled
    wrong, example, done = 0, "", 0
    for queries, batch in times.answers:
        there = grid
        if queries.blocked is not None:
            if id(queries.blocked) not in walled:
                walled[id(queries.blocked)] = _add_walls(grid, queries.blocked)
            there = walled[id(queries.blocked)]
        part = optima[done : done + len(batch)]
        checked = check_paths(there, queries.starts, queries.goals, batch, part, optimal=optimal)
        if checked.first is not None:
            ends = (tuple(cells[checked.first].tolist()) for cells in (queries.starts, queries.goals))
            example = example or f"{' to '.join(map(str, ends))}: {checked.fault}"
        wrong, done = wrong + checked.wrong, done + len(batch)
    return wrong, example


def _add_walls(grid: Grid, walls: npt.NDArray[np.bool_]) -> Grid:
    return Grid(grid.passable & ~walls, topology=grid.topology, corners=grid.corners, metric=grid.metric)


def _check_moves(grid: Grid, starts: Cells, goals: Cells, batch: Batch) -> npt.NDArray[np.bool_]:
    """Check moves, ends and costs of all paths against the move table."""
    if batch.cells is None:
        raise WaygridError("the batch was made with paths=False and kept no cells to check")
    table = grid.table
    queries = np.ascontiguousarray(np.hstack((starts, goals)), np.int32)
    cells = np.ascontiguousarray(batch.cells, np.int32).reshape(-1)
    faults = np.zeros(len(batch), np.uint8)
    walk.find_faults(table.moves, table.walk, table.weights, table.geo, queries, batch.rows, cells, faults)
    return np.asarray(faults == walk.SOUND)


def _check_costs(batch: Batch, optima: npt.NDArray[np.float64], optimal: bool) -> npt.NDArray[np.bool_]:
    """Check that there is a path where there should be one, no cheaper than the optimum, nor dearer if so promised."""
    found, costs = batch.statuses == Status.FOUND, batch.costs
    right = same_cost(costs, optima) if optimal else (costs > optima) | same_cost(costs, optima)
    return np.where(found, right, ~np.isfinite(optima))


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
