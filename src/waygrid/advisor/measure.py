"""One candidate on some problems: how long its paths are, how soon it answers, how long each move takes."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.advisor.problems import Asked
from waygrid.advisor.ways import AGENT, Way
from waygrid.grid.legal import first_fault, path_cost
from waygrid.measure.check import fault_in_words, same_cost, sound_paths
from waygrid.measure.rounds import cpu_clock
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


def take(finder: Finder, way: Way, asked: Asked, each_s: float) -> Sample:
    """Measure a candidate on one thread; each_s: about how long a problem takes."""
    repeat = _ROUNDS if each_s * len(asked) < _QUICK_S else 1
    return _agents(finder, way, asked, repeat) if way.use == AGENT else _paths(finder, way, asked, repeat)


class Times(NamedTuple):
    """One more turn on problems that are known: mean times."""

    response_us: float
    total_us: float


def take_turn(finder: Finder, way: Way, asked: Asked) -> Times:
    """Time the same problems once more; nothing is checked again."""
    if way.use == AGENT:
        walk = _joined([_walk(finder, way, part) for part in _parts(asked)])
        return Times(float(walk.first_ns.mean()) / 1e3, float(walk.total_ns.mean()) / 1e3)
    seconds, _ = _ask(finder, asked.starts, asked.goals, _cap(finder))
    return Times(1e6 * seconds / len(asked), 1e6 * seconds / len(asked))


def probe_s(finder: Finder, way: Way, asked: Asked) -> float:
    """Return about how long one problem takes; also loads what was compiled before."""
    few = asked.part(0, 3)
    for _ in range(2):
        began = perf_counter()
        if way.use == AGENT:
            _walk(finder, way, few)
        else:
            finder.find_many(few.starts, few.goals, threads=1, max_expansions=_cap(finder))
    return (perf_counter() - began) / max(1, len(few))


def _cap(finder: Finder) -> int | None:
    if not finder.info.exponential:
        return None
    return CELLS_OVER * int(np.count_nonzero(finder.grid.passable))


def _above(costs: Floats, optima: Floats) -> Floats:
    return np.where(same_cost(costs, optima), 0.0, costs / optima - 1)


def _paths(finder: Finder, way: Way, asked: Asked, repeat: int) -> Sample:
    limit = _cap(finder)
    rounds = [_ask(finder, asked.starts, asked.goals, limit) for _ in range(repeat)]
    seconds, batch = min(rounds, key=lambda answer: answer[0])
    times_ns = np.min([answers.times_ns for _, answers in rounds], axis=0)
    found = batch.statuses == Status.FOUND
    moves = int(batch.lengths.sum()) - int(np.count_nonzero(batch.lengths))
    above = _above(batch.costs[found], asked.optima[found])
    return Sample(
        above=above,
        response_us=times_ns / 1e3,
        response_mean_us=1e6 * seconds / len(asked),
        total_us=1e6 * seconds / len(asked),
        move_us=1e6 * seconds / max(1, moves),
        problems=len(asked),
        unsolved=len(asked) - int(found.sum()),
        fault=_fault(finder, asked, batch, above),
        agent_bytes=finder.memory.scratch_bytes,
        optimal=finder.optimal,
    )


def _ask(finder: Finder, starts: Any, goals: Any, limit: int | None) -> tuple[float, Batch]:
    began = cpu_clock()
    batch = finder.find_many(starts, goals, threads=1, timed=True, max_expansions=limit)
    return cpu_clock() - began, batch


def _fault(finder: Finder, asked: Asked, batch: Batch, above: Floats) -> str | None:
    """Return what is wrong with the first path that breaks a rule or a promise."""
    sound = sound_paths(finder.grid, asked.starts, asked.goals, batch)
    if not sound.all():
        row = int(np.argmin(sound))
        return f"problem {row}: {fault_in_words(finder.grid, batch[row], asked.starts[row], asked.goals[row])}"
    if finder.optimal and above.any():
        return f"a path is {above.max():.4%} above the optimum that it promises"
    return None


@dataclass
class _Walk:
    """Agents that walked to their end."""

    costs: Floats
    found: npt.NDArray[np.bool_]
    moves: npt.NDArray[np.int64]
    first_ns: Floats
    total_ns: Floats
    bytes_each: int
    ways: list[npt.NDArray[np.int32]] | None = None  # the cells of each, where they were kept


def _agents(finder: Finder, way: Way, asked: Asked, repeat: int) -> Sample:
    walks = [_walk(finder, way, part, history=True) for part in _parts(asked)]
    fault = _fault_of_walks(finder, asked, walks)
    best = _joined(walks)
    for _ in range(repeat - 1):
        again = _joined([_walk(finder, way, part) for part in _parts(asked)])
        best.first_ns = np.minimum(again.first_ns, best.first_ns)
        best.total_ns = np.minimum(again.total_ns, best.total_ns)
    response = best.first_ns / 1e3
    return Sample(
        above=_above(best.costs[best.found], asked.optima[best.found]),
        response_us=response,
        response_mean_us=float(response.mean()),
        total_us=float(best.total_ns.mean()) / 1e3,
        move_us=float(best.total_ns.sum() / 1e3 / max(1, int(best.moves.sum()))),
        problems=len(asked),
        unsolved=len(asked) - int(best.found.sum()),
        fault=fault,
        agent_bytes=best.bytes_each,
        optimal=finder.optimal,
    )


def _parts(asked: Asked) -> list[Asked]:
    return [asked.part(first, first + _POOL) for first in range(0, len(asked), _POOL)]


def _joined(parts: list[_Walk]) -> _Walk:
    def all_of(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    arrays = {name: all_of(name) for name in ("costs", "found", "moves", "first_ns", "total_ns")}
    return _Walk(**arrays, bytes_each=max(part.bytes_each for part in parts))


def _fault_of_walks(finder: Finder, asked: Asked, walks: list[_Walk]) -> str | None:
    """Return what is wrong with the first walk that breaks the rules of the map, ends elsewhere or lies on its cost."""
    grid, number = finder.grid, 0
    for walk in walks:
        for way, cost, found in zip(walk.ways or [], walk.costs, walk.found, strict=True):
            start, goal = asked.starts[number], asked.goals[number]
            words = first_fault(grid, way)
            if words is None and ((way[0] != start).any() or (found and (way[-1] != goal).any())):
                words = f"the agent walked from {tuple(way[0].tolist())} to {tuple(way[-1].tolist())}"
            true = path_cost(grid, way)
            if words is None and np.isfinite(cost) and abs(cost - true) > 1e-9 * max(1.0, true):
                words = f"the walk costs {true:.6f}, not {cost:.6f} as the agent says"
            if words is not None:
                return f"problem {number}: {words}"
            number += 1
    return None


def _walk(finder: Finder, way: Way, asked: Asked, *, history: bool = False) -> _Walk:
    """Let agents walk until all are done; times are read inside the compiled code where that can read a clock."""
    most = DETOUR * int(asked.optima.max()) + 100
    pool = finder.agents(asked.starts, asked.goals, max_moves=most, history=history, **way.agent_options)
    steps = np.zeros(len(pool), np.int64)
    wall = first = 0.0
    while not (done := pool.done).all():
        steps += ~done
        began = perf_counter()
        pool.step()
        wall += perf_counter() - began
        first = first or wall
    mean_ns = pool.mean_step_ns
    total = mean_ns * steps if mean_ns is not None else 1e9 * wall * steps / max(1, int(steps.sum()))
    firsts = pool.first_step_ns
    return _Walk(
        costs=pool.costs,
        found=pool.statuses == Status.FOUND,
        moves=pool.moves,
        first_ns=np.full(len(pool), 1e9 * first / len(pool)) if firsts is None else firsts.astype(np.float64),
        total_ns=np.asarray(total, np.float64),
        bytes_each=pool.memory.agent_bytes,
        ways=pool.paths() if history else None,
    )
