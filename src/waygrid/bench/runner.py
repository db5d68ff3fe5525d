"""The benchmark: algorithms on the problems of one map, timed, checked and compared with the optimum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.bench.check import judge
from waygrid.bench.problems import check_cells, dijkstra_costs, pick
from waygrid.bench.scenario import Scenario
from waygrid.bench.timing import Progress, measure
from waygrid.errors import WaygridError
from waygrid.finders.base import Finder
from waygrid.finders.build_progress import time_left
from waygrid.finders.registry import BUILD_OPTIONS, make_finder
from waygrid.finders.registry import algorithms as known_algorithms
from waygrid.grid.grid import Grid

_ARRAYS = ("times_us", "costs", "optima", "expansions", "statuses")


@dataclass(frozen=True)
class Result:
    """What one algorithm did on one map; times in microseconds, see `waygrid.bench.timing` for how they are taken."""

    map: str
    algorithm: str
    options: dict[str, Any]  # those that were given
    queries: int
    mean_us: float  # wall time of a whole batch per query
    median_us: float  # of the single queries, on one thread
    expanded: float  # mean
    suboptimality: float | None  # mean of cost / optimum - 1; None: no path was found
    build_s: float  # 0 for an algorithm without index
    fixed_bytes: int  # the index alone
    ns_per_expansion: float | None
    optimal: bool  # whether the cheapest path is claimed, with these options
    optimum: str  # where the optimum comes from: scenario or dijkstra
    differ: int  # rows of an optimal algorithm whose cost is not the optimum
    illegal: int  # paths that break the rules; always a bug
    cut_off: int  # queries that max_expansions ended
    unsolved: int  # queries without a path although there is one
    first_fault: str | None  # the first row that differs or is illegal, in words
    threads: int
    repeat: int
    times_us: npt.NDArray[np.float64] = field(repr=False)  # of each query
    costs: npt.NDArray[np.float64] = field(repr=False)
    optima: npt.NDArray[np.float64] = field(repr=False)
    expansions: npt.NDArray[np.int64] = field(repr=False)
    statuses: npt.NDArray[np.int64] = field(repr=False)

    def as_json(self) -> dict[str, Any]:
        """Return everything but the arrays, ready for `json.dumps`."""
        names = [entry.name for entry in fields(self) if entry.name not in _ARRAYS]
        return {name: getattr(self, name) for name in names}


def run(
    grid: Grid,
    scenario: Scenario,
    algorithms: Sequence[str],
    options: Mapping[str, Any] | None = None,
    *,
    threads: int = 1,
    repeat: int = 1,
    limit: int | None = None,
    max_expansions: int | None = None,
    optima: npt.NDArray[np.float64] | None = None,
    name: str = "",
    progress: Progress | None = None,
) -> list[Result]:
    """Measure algorithms on the problems of a scenario; one result for each.

    options: go to every algorithm that has them, and must fit at least one.
    limit: ask so many of the problems, evenly spread over the scenario.
    max_expansions: end a query there; needed for searches without memory (ida, iddfs) on real maps.
    optima: the optimal cost of each problem. Without them the scenario's costs count where the grid has the rules that
    scenario files are made for, and dijkstra's elsewhere.

    >>> grid = Grid([[1, 1, 1], [0, 0, 1], [1, 1, 1]])
    >>> cell = np.zeros((1, 2), np.int32)
    >>> result = run(grid, Scenario(cell, cell + [[0, 2]], np.array([6.0])), ["astar"])[0]
    >>> result.queries, result.differ, result.suboptimality, result.expanded
    (1, 0, 0.0, 7.0)
    """
    for what, value in (("threads", threads), ("repeat", repeat)):
        if not isinstance(value, int) or value < 1:
            raise WaygridError(f"{what} is {value!r}; allowed are the integers from 1")
    chosen = shared_options(algorithms, options or {})
    _refuse_early(grid, chosen)
    check_cells(scenario, grid)
    rows = pick(scenario, limit)
    if rows.size == 0:
        raise WaygridError(f"{scenario.name}: there are no problems to run")
    starts, goals = scenario.starts[rows], scenario.goals[rows]
    parts = len(algorithms) + 1
    source = "scenario"
    if optima is not None:
        best, source = optima[rows], "dijkstra"
    elif _as_in_files(grid):
        best = scenario.costs[rows]
    else:
        best, source = dijkstra_costs(grid, starts, goals, _part(progress, 0, parts, "optimum")), "dijkstra"
    results = []
    for number, algorithm in enumerate(algorithms, 1):
        tell = _part(progress, number, parts, algorithm)
        finder, build_s = _build(grid, algorithm, chosen[algorithm], tell)
        timing = measure(
            finder, starts, goals, threads=threads, repeat=repeat, max_expansions=max_expansions, progress=tell
        )
        verdict = judge(grid, starts, goals, timing.batches, best, claims_optimal=finder.optimal)
        expansions = np.concatenate([batch.expanded for batch in timing.batches])
        total = int(expansions.sum())
        results.append(
            Result(
                map=name or scenario.name,
                algorithm=algorithm,
                options=chosen[algorithm],
                queries=len(rows),
                mean_us=timing.mean_us,
                median_us=float(np.median(timing.times_us)),
                expanded=float(expansions.mean()),
                suboptimality=verdict.suboptimality,
                build_s=build_s,
                fixed_bytes=finder.memory.fixed_bytes,
                ns_per_expansion=1e3 * timing.mean_us * len(rows) / total if total else None,
                optimal=finder.optimal,
                optimum=source,
                differ=verdict.differ,
                illegal=verdict.illegal,
                cut_off=verdict.cut_off,
                unsolved=verdict.unsolved,
                first_fault=verdict.first,
                threads=threads,
                repeat=repeat,
                times_us=timing.times_us,
                costs=np.concatenate([batch.costs for batch in timing.batches]),
                optima=best,
                expansions=expansions,
                statuses=np.concatenate([batch.statuses for batch in timing.batches]),
            )
        )
    return results


def shared_options(algorithms: Sequence[str], options: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Give each algorithm those options that it has; an option that none of them has stays, to be refused.

    >>> shared_options(["bfs", "astar"], {"weight": 2})
    {'bfs': {}, 'astar': {'weight': 2}}
    """
    known = known_algorithms()
    if not algorithms:
        raise WaygridError(f"no algorithm is named; allowed are {', '.join(known)}")
    has = {
        name: {*known[name].options, *(BUILD_OPTIONS if known[name].index else ())} if name in known else set()
        for name in algorithms
    }
    strange = {option for option in options if not any(option in own for own in has.values())}
    return {
        name: {option: value for option, value in options.items() if option in own or option in strange}
        for name, own in has.items()
    }


def _as_in_files(grid: Grid) -> bool:
    """Tell whether the grid has the rules under which scenario files state their optimum."""
    rules = (grid.topology, grid.corners, grid.metric, grid.clearance)
    return rules == ("octile", "never", "octile", 1) and grid.weights is None and not grid.has_one_way


def _refuse_early(grid: Grid, chosen: Mapping[str, dict[str, Any]]) -> None:
    """Make every finder on a tiny map of the same rules: bad names and options are refused before anything is measured.

    What builds an index is compiled by this as well, so that `build_s` is not the time of the compiler.
    """
    side = max(8, grid.clearance)
    weights = None if grid.weights is None else np.ones((side, side), np.uint16)
    tiny = Grid(
        np.ones((side, side)),
        topology=grid.topology,
        corners=grid.corners,
        metric=grid.metric,
        weights=weights,
        clearance=grid.clearance,
    )
    for algorithm, options in chosen.items():
        make_finder(algorithm, tiny, **options)


def _build(grid: Grid, algorithm: str, options: dict[str, Any], tell: Progress) -> tuple[Finder, float]:
    """Make the finder and measure how long its index takes; the move table is the grid's and made before."""
    if not known_algorithms()[algorithm].index:
        return make_finder(algorithm, grid, **options), 0.0
    tell(0.0, "building the index")

    def told(done: int, total: int, left: float | None) -> None:
        tell(0.0, " ".join(filter(None, (f"building the index {done / total:.0%}", time_left(left)))))

    began = perf_counter()
    finder = make_finder(algorithm, grid, **{**options, "progress": told})
    return finder, perf_counter() - began


def _part(progress: Progress | None, number: int, parts: int, name: str) -> Progress:
    """Return a progress that fills its part of the whole."""

    def tell(share: float, what: str) -> None:
        if progress is not None:
            progress((number + share) / parts, f"{name}: {what}")

    return tell
