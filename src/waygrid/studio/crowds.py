"""Crowds for the page: units that never collide, step by step or by a whole plan, checked by the rules alone.

The server keeps nothing of a crowd. The page sends where all units stand, their goals and the order in which they
choose, and gets what they do from there on. So an edit of the map, another goal or another priority is a new request
from the step in which it happens.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.crowd.check import first_collision
from waygrid.crowd.crowd import Crowd
from waygrid.errors import WaygridError, show
from waygrid.grid.grid import Grid
from waygrid.search.path import Status
from waygrid.studio.jobs import Job
from waygrid.studio.limits import StudioLimits
from waygrid.studio.model import Model
from waygrid.studio.walks import ARRIVED, WAITING, WALKING, read_cells
from waygrid.studio.wire import pack

_STALLED = 250  # steps without one more unit at its goal, after which nothing is expected any more
_MOST_STEPS = 4000
_LEAST_PLAN_S = 0.05


class Units(NamedTuple):
    """What the page says of the units, in the order in which they choose."""

    order: npt.NDArray[np.int64]  # their numbers on the page
    starts: npt.NDArray[np.int64]  # (n, 2)
    goals: npt.NDArray[np.int64]
    priorities: npt.NDArray[np.int64]
    still: npt.NDArray[np.bool_]


class CrowdWalk(NamedTuple):
    """What the units do; rows are steps, columns units in the order in which they came."""

    positions: npt.NDArray[np.int32]  # (steps + 1, n, 2)
    ranks: npt.NDArray[np.int32]  # (steps + 1, n): 0 chooses first; empty for a plan
    facts: dict[str, Any]


def walk_crowd(model: Model, asked: Mapping[str, Any], job: Job) -> bytes:
    """Let a crowd walk and return positions, states and priorities after each step, with the verdict of the check."""
    limits, grid = model.limits, model.grid(asked.get("map"), asked.get("grid", {}))
    units = _read_units(asked, grid, limits)
    seconds = _read_seconds(asked.get("plan"), limits)
    _refuse_large(units, grid, seconds is not None, limits)
    job.begin("searching", limits.search_s)
    job.tell(0.0, "compiling")
    _compile(grid, seconds)
    job.begin("searching", limits.search_s)
    crowd = Crowd(
        grid,
        units.starts,
        units.goals,
        priorities=units.priorities,
        stationary=units.still,
        memory=limits.crowd_fields,
    )
    ready = crowd.reachable & ~crowd.stationary
    walked = _take_steps(crowd, limits, job) if seconds is None else _make_plan(crowd, seconds, job)
    faults, first = _check(grid, walked.positions, limits, job)
    away = (walked.positions != units.goals).any(axis=2)
    states = np.where(away, np.where(ready, WALKING, WAITING), ARRIVED)
    header = {
        "agents": len(units.order),
        "steps": len(walked.positions) - 1,
        "collisions": faults,
        "collision": first,
        **walked.facts,
    }
    back = np.argsort(units.order)
    arrays: dict[str, npt.NDArray[Any]] = {
        "positions": walked.positions[:, back].astype(np.uint16),
        "states": states[:, back].astype(np.uint8),
        "costs": _sum_costs(away).astype(np.int32),
    }
    if walked.ranks.size:
        arrays["ranks"] = walked.ranks[:, back].astype(np.uint16)
    return pack(header, arrays)


def _take_steps(crowd: Crowd, limits: StudioLimits, job: Job) -> CrowdWalk:
    """Let the units walk until all that can have arrived, or nothing more comes of it."""
    most = max(1, min(_MOST_STEPS, limits.positions // 2 // len(crowd)))
    positions, ranks = [crowd.positions], [_rank(crowd)]
    best, since, until = int(crowd.arrived.sum()), 0, monotonic() + limits.search_s
    while len(positions) <= most and since < _STALLED and monotonic() < until:
        arrived = crowd.arrived
        if (arrived | ~crowd.reachable | crowd.stationary).all():
            break
        positions.append(crowd.step())
        ranks.append(_rank(crowd))
        there = int(crowd.arrived.sum())
        best, since = (there, 0) if there > best else (best, since + 1)
        if len(positions) % 32 == 0:
            job.tell(len(positions) / most, "walking")
    return CrowdWalk(np.stack(positions), np.stack(ranks), {"status": None, "lower_bound": None})


def _rank(crowd: Crowd) -> npt.NDArray[np.int32]:
    """Return the place of each unit in the order of choosing."""
    ranks: npt.NDArray[np.int32] = np.empty(len(crowd), np.int32)
    ranks[crowd.order] = np.arange(len(crowd))
    return ranks


def _make_plan(crowd: Crowd, seconds: float, job: Job) -> CrowdWalk:
    """Make a whole plan; without one, the units stay where they are."""
    job.tell(0.0, "planning")
    plan = crowd.plan(max_time=seconds)
    facts = {
        "status": plan.status.name,
        "lower_bound": plan.lower_bound if plan.status == Status.FOUND else None,
        "first_ms": 1e3 * plan.first_seconds,
    }
    return CrowdWalk(plan.positions, np.zeros((0, 0), np.int32), facts)


def _check(grid: Grid, positions: npt.NDArray[np.int32], limits: StudioLimits, job: Job) -> tuple[int, str | None]:
    """Return in how many steps units collide or move illegally, and what is wrong with the first of them."""
    faults, first = 0, None
    job.begin("searching", limits.search_s)
    for step in range(1, len(positions)):
        fault = first_collision(grid, positions[step - 1 : step + 1])
        if fault is not None:
            faults, first = faults + 1, first or f"step {step}: {fault.partition(': ')[2]}"
        if step % 64 == 0:
            job.check_time("checking the crowd")
    return faults, first


def _sum_costs(away: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return, after each step, the steps of all units together until each came to its goal, waits included.

    >>> _sum_costs(np.array([[True, True], [True, False], [False, False], [False, False]])).tolist()
    [0, 2, 3, 3]
    """
    times = np.arange(len(away))[:, None]
    arrivals = np.maximum.accumulate(np.where(away, times + 1, 0), axis=0)
    sums: npt.NDArray[np.int64] = np.where(away, times, arrivals).sum(axis=1)
    return sums


def _compile(grid: Grid, seconds: float | None) -> None:
    """Move one unit on a tiny map, so that the time limits are not spent on compiling."""
    cells = np.ones((2, 2), np.bool_)
    weights = None if grid.weights is None else np.full(cells.shape, 2, np.uint16)
    tiny = Grid(cells, topology=grid.topology, corners=grid.corners, metric=grid.metric, weights=weights)
    crowd = Crowd(tiny, [(0, 0)], [(1, 0)])
    if seconds is None:
        crowd.step()
    else:
        crowd.plan(max_time=1e-3)


# --- Input validation -------------------------------------------------------------------------------------------------


def _read_units(asked: Mapping[str, Any], grid: Grid, limits: StudioLimits) -> Units:
    starts, goals = read_cells(asked, "starts", limits.crowd), read_cells(asked, "goals", limits.crowd)
    count = len(starts)
    if len(goals) != count:
        raise WaygridError(f"there are {count} starts and {len(goals)} goals; as many are needed")
    order = _read_numbers(asked, "order", list(range(count)), count)
    if sorted(order) != list(range(count)):
        raise WaygridError(f"order is {show(order)}; allowed is each number from 0 to {count - 1} once")
    numbers = np.array(order, np.int64)
    priorities = np.array(_read_numbers(asked, "priorities", [0] * count, count), np.int64)
    still = np.array(_read_numbers(asked, "still", [0] * count, count), np.int64)
    places = np.array(starts, np.int64), np.array(goals, np.int64)
    return Units(numbers, places[0][numbers], places[1][numbers], priorities[numbers], still[numbers] != 0)


def _refuse_large(units: Units, grid: Grid, planned: bool, limits: StudioLimits) -> None:
    """Refuse a crowd that would take too long, and a plan whose distances would take too much memory."""
    count, cells = len(units.order), grid.width * grid.height
    if count * cells > limits.crowd_cells:
        raise WaygridError(
            f"{count} units on {cells} cells are too many for the studio; units times cells may be "
            f"{limits.crowd_cells}: use fewer units or a smaller map"
        )
    if planned and 4 * count * cells > limits.crowd_fields:
        raise WaygridError(
            f"a plan for {count} units on {cells} cells needs {4 * count * cells} bytes of distances; the studio "
            f"allows {limits.crowd_fields}: let the units walk step by step"
        )


def _read_numbers(asked: Mapping[str, Any], name: str, default: list[int], count: int) -> list[int]:
    numbers = asked.get(name)
    if numbers is None:
        return default
    if not isinstance(numbers, list) or len(numbers) != count:
        raise WaygridError(f"{name} is {show(numbers)}; a list of {count} integers is needed, one for each unit")
    if not all(type(number) is int and abs(number) <= 1_000_000 for number in numbers):
        raise WaygridError(f"{name} has {show(numbers)}; allowed are integers up to 1000000")
    return numbers


def _read_seconds(value: Any, limits: StudioLimits) -> float | None:
    """Return how long to plan; None: the units walk without a plan."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not _LEAST_PLAN_S <= value <= limits.plan_s:
        raise WaygridError(f"plan is {show(value)}; allowed are seconds from {_LEAST_PLAN_S:g} to {limits.plan_s:g}")
    return float(value)
