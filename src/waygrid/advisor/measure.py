"""One candidate on some problems: how long its paths are, how soon it answers, how long each move takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.advisor.ways import AGENT, Way
from waygrid.measure.moves import walk_agents
from waygrid.measure.path_check import Walked, check_paths, explain_fault, same_cost
from waygrid.measure.problems import Problems
from waygrid.measure.timing import time_call, wall_clock
from waygrid.search.finder import Finder
from waygrid.search.path import Batch, Status

Floats = npt.NDArray[np.float64]

DETOUR = 30  # an agent that has walked so many times the longest optimum is lost
CELLS_OVER = 16  # searches without memory are cut off after so many expansions for each cell of the map
_POOL = 50  # agents at once: those of tba take as much memory as an A* each
_ROUNDS = 3  # the quickest counts: now and then one is interrupted
_QUICK_S = 0.3  # longer rounds are not repeated


@dataclass(frozen=True)
class Sample:
    """What was measured on some problems."""

    above: Floats  # cost / optimum - 1 of each problem that was solved
    response_us: Floats  # of each problem
    response_mean_us: float
    total_us: float  # of a whole path, mean
    move_us: float
    problems: int
    unsolved: int
    fault: str | None  # of the first path that breaks the rules of the map
    agent_bytes: int  # of a running search or an agent
    optimal: bool


def measure_sample(finder: Finder, way: Way, problems: Problems, each_s: float) -> Sample:
    """Measure a candidate on one thread; each_s: about how long a problem takes."""
    repeat = _ROUNDS if each_s * len(problems) < _QUICK_S else 1
    measure = _measure_agents if way.use == AGENT else _measure_paths
    return measure(finder, way, problems, repeat)


class Times(NamedTuple):
    """One more turn on problems that are known: mean times."""

    response_us: float
    total_us: float


def time_again(finder: Finder, way: Way, problems: Problems) -> Times:
    """Take one more turn on the same problems; nothing is checked again."""
    if way.use == AGENT:
        walk = _walk_all(finder, way, problems)
        return Times(float(walk.first_ns.mean()) / 1e3, float(walk.total_ns.mean()) / 1e3)
    seconds, _ = time_call(_make_call(finder, problems, timed=True))
    return Times(1e6 * seconds / len(problems), 1e6 * seconds / len(problems))


def probe_s(finder: Finder, way: Way, problems: Problems) -> float:
    """Return about how long one problem takes; also loads what was compiled before."""
    few = problems.part(slice(0, 3))
    call = partial(_walk, finder, way, few) if way.use == AGENT else _make_call(finder, few)
    call()
    return time_call(call, wall_clock)[0] / max(1, len(few))


def _make_call(finder: Finder, problems: Problems, **more: Any) -> partial[Batch]:
    """Return the call that answers problems on one thread; searches without memory are limited."""
    limit = None
    if finder.info.exponential:
        limit = CELLS_OVER * int(np.count_nonzero(finder.grid.passable))
    return partial(finder.find_many, problems.starts, problems.goals, threads=1, max_expansions=limit, **more)


def _above(costs: Floats, optima: Floats) -> Floats:
    return np.where(same_cost(costs, optima), 0.0, costs / optima - 1)


def _measure_paths(finder: Finder, way: Way, problems: Problems, repeat: int) -> Sample:
    rounds = [time_call(_make_call(finder, problems, timed=True)) for _ in range(repeat)]
    seconds, batch = min(rounds, key=lambda answer: answer[0])
    times_ns = np.min([answers.times_ns for _, answers in rounds], axis=0)
    found = batch.statuses == Status.FOUND
    moves = int(batch.lengths.sum()) - int(np.count_nonzero(batch.lengths))
    above = _above(batch.costs[found], problems.optima[found])
    return Sample(
        above=above,
        response_us=times_ns / 1e3,
        response_mean_us=1e6 * seconds / len(problems),
        total_us=1e6 * seconds / len(problems),
        move_us=1e6 * seconds / max(1, moves),
        problems=len(problems),
        unsolved=len(problems) - int(found.sum()),
        fault=_find_fault(finder, problems, batch, above),
        agent_bytes=finder.memory.scratch_bytes,
        optimal=finder.optimal,
    )


def _find_fault(finder: Finder, problems: Problems, batch: Batch, above: Floats) -> str | None:
    """Return what is wrong with the first path that breaks a rule or a promise."""
    checked = check_paths(finder.grid, problems.starts, problems.goals, batch)
    if checked.first is not None:
        return f"problem {checked.first}: {checked.fault}"
    if finder.optimal and above.any():
        return f"a path is {above.max():.4%} above the optimum that it promises"
    return None


@dataclass
class _Walk:
    """Agents that walked to their end."""

    costs: Floats
    statuses: npt.NDArray[np.int64]
    moves: npt.NDArray[np.int64]
    first_ns: Floats
    total_ns: Floats
    bytes_each: int
    fault: str | None = None  # of the first walk that breaks the rules, where walks were checked

    @property
    def found(self) -> npt.NDArray[np.bool_]:
        return np.asarray(self.statuses == Status.FOUND)


def _measure_agents(finder: Finder, way: Way, problems: Problems, repeat: int) -> Sample:
    best = _walk_all(finder, way, problems, check=True)
    for _ in range(repeat - 1):
        again = _walk_all(finder, way, problems)
        best.first_ns = np.minimum(again.first_ns, best.first_ns)
        best.total_ns = np.minimum(again.total_ns, best.total_ns)
    response, found = best.first_ns / 1e3, best.found
    return Sample(
        above=_above(best.costs[found], problems.optima[found]),
        response_us=response,
        response_mean_us=float(response.mean()),
        total_us=float(best.total_ns.mean()) / 1e3,
        move_us=float(best.total_ns.sum() / 1e3 / max(1, int(best.moves.sum()))),
        problems=len(problems),
        unsolved=len(problems) - int(found.sum()),
        fault=best.fault,
        agent_bytes=best.bytes_each,
        optimal=finder.optimal,
    )


def _walk_all(finder: Finder, way: Way, problems: Problems, *, check: bool = False) -> _Walk:
    """Let agents walk all problems, some at a time."""
    pools = [slice(first, first + _POOL) for first in range(0, len(problems), _POOL)]
    parts = [_walk(finder, way, problems.part(rows), check=check, first=rows.start) for rows in pools]
    names = ("costs", "statuses", "moves", "first_ns", "total_ns")
    arrays: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    fault = next((part.fault for part in parts if part.fault is not None), None)
    return _Walk(**arrays, bytes_each=max(part.bytes_each for part in parts), fault=fault)


def _walk(finder: Finder, way: Way, problems: Problems, *, check: bool = False, first: int = 0) -> _Walk:
    """Let agents walk until all are done; first: number of the first problem."""
    most = DETOUR * int(problems.optima.max()) + 100
    pool = finder.agents(problems.starts, problems.goals, max_moves=most, history=check, **way.agent_options)
    times = walk_agents(pool)
    walk = _Walk(pool.costs, pool.statuses, pool.moves, times.first_ns, times.total_ns, pool.memory.agent_bytes)
    for number, cells in enumerate(pool.paths() if check else []):
        answer = Walked(cells, Status(int(walk.statuses[number])), float(walk.costs[number]))
        fault = explain_fault(finder.grid, answer, problems.starts[number], problems.goals[number])
        if fault is not None:
            walk.fault = f"problem {first + number}: {fault}"
            break
    return walk
