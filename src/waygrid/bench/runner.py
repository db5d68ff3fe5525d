"""The benchmark: algorithms on the problems of maps, timed, checked and compared with the optimum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from waygrid.bench.engine import measure_units, part_of
from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.measure.builds import Made, rehearse
from waygrid.measure.dynamic import DynamicScenario
from waygrid.measure.machine import Machine, this_machine
from waygrid.measure.path_check import judge
from waygrid.measure.problems import Problems, check_cells, check_limit, dijkstra_costs, euclidean_costs, pick
from waygrid.measure.rounds import ROUNDS, Round, choose_sample
from waygrid.measure.rows import EDIT_COLUMNS, Rows, join_rows
from waygrid.measure.scenario import Scenario, has_scenario_rules
from waygrid.measure.timing import Progress
from waygrid.measure.work import Settings, Slice, Unit
from waygrid.search.declaration import BUILD_OPTIONS
from waygrid.search.registry import algorithms as known_algorithms


class About(NamedTuple):
    """What is known of a measured unit beside its rows."""

    map: str
    algorithm: str
    options: dict[str, Any]
    source: str  # of the optima
    made: Made
    seconds: float  # of all batches
    check_s: float
    agent_bytes: int
    fault: str | None
    rounds: Sequence[Round] = ()
    edits: Rows | None = None  # of a dynamic scenario


@dataclass(frozen=True)
class Result:
    """What one algorithm did on one map; times in microseconds, see `waygrid.measure.slices` for how they are taken."""

    map: str
    algorithm: str
    options: dict[str, Any]  #: those that were given
    queries: int
    mean_us: float  #: wall time of whole batches per query
    median_us: float  #: of the single queries, on one thread
    first_move_us: float  #: mean time until the first move is known
    longest_step_us: float  #: of all queries
    first_20_us: float  #: mean time until 20 moves are known
    expanded: float  #: mean
    generated: float  #: mean
    suboptimality: float | None  #: mean of cost / optimum - 1; None: no path was found
    build_s: float  #: 0 for an algorithm without index
    fixed_bytes: int  #: the index alone
    agent_bytes: int  #: the memory of one search, or of one real-time agent
    ns_per_expansion: float | None
    optimal: bool  #: whether the cheapest path is claimed, with these options
    optimum: str  #: where the optimum comes from: scenario or dijkstra
    differ: int  #: rows of an optimal algorithm whose cost is not the optimum
    illegal: int  #: paths that break the rules; always a bug
    cut_off: int  #: queries that max_expansions ended
    unsolved: int  #: queries without a path although there is one
    below: int  #: legal paths that are cheaper than the optimum, which is then wrong
    first_fault: str | None  #: the first row that differs or is illegal, in words
    check_s: float  #: seconds that the check of all paths took; in no other time
    threads: int
    repeat: int
    round_us: list[float]  #: mean time of the queries of each round, see `waygrid.measure.rounds`
    yardstick_us: list[float]  #: of the yardstick beside them
    edits: int  #: of the map while the queries were asked; 0 unless the scenario is dynamic
    edit_us: float | None  #: mean time of an edit; None without any
    rows: Rows = field(repr=False, compare=False)  #: everything of each query, see `waygrid.measure.rows`
    edit_rows: Rows = field(repr=False, compare=False)  #: everything of each edit

    @classmethod
    def of(cls, about: About, rows: Rows, settings: Settings) -> Result:
        """Sum up the rows of a unit."""
        verdict = judge(rows, claims_optimal=about.made.optimal)
        count, total = len(rows["number"]), int(rows["expanded"].sum())
        edits = about.edits or {name: np.zeros(0, column.kind) for name, column in EDIT_COLUMNS.items()}
        edit_us = edits["edit_us"]
        above = rows["suboptimality"][~np.isnan(rows["suboptimality"])]
        return cls(
            map=about.map,
            algorithm=about.algorithm,
            options=about.options,
            queries=count,
            mean_us=1e6 * about.seconds / count,
            median_us=float(np.median(rows["time_us"])),
            first_move_us=float(rows["first_move_us"].mean(dtype=np.float64)),
            longest_step_us=float(rows["longest_step_us"].max()),
            first_20_us=float(rows["first_20_us"].mean(dtype=np.float64)),
            expanded=total / count,
            generated=float(rows["generated"].mean()),
            suboptimality=float(above.mean()) if above.size else None,
            build_s=about.made.build_s,
            fixed_bytes=about.made.fixed_bytes,
            agent_bytes=about.agent_bytes,
            ns_per_expansion=1e9 * about.seconds / total if total else None,
            optimal=about.made.optimal,
            optimum=about.source,
            differ=verdict.differ,
            illegal=verdict.illegal,
            cut_off=verdict.cut_off,
            unsolved=verdict.unsolved,
            below=verdict.below,
            first_fault=about.fault or verdict.first,
            check_s=about.check_s,
            threads=settings.threads,
            repeat=settings.repeat,
            round_us=[1e6 * each.seconds / len(choose_sample(count)) for each in about.rounds],
            yardstick_us=[1e6 * each.yardstick_s for each in about.rounds],
            edits=len(edit_us),
            edit_us=float(edit_us.mean(dtype=np.float64)) if len(edit_us) else None,
            rows=rows,
            edit_rows=edits,
        )

    @property
    def times_us(self) -> npt.NDArray[np.float32]:
        """The time of each query."""
        return cast("npt.NDArray[np.float32]", self.rows["time_us"])

    @property
    def costs(self) -> npt.NDArray[np.float64]:
        """The cost of each path, inf where there is none."""
        return cast("npt.NDArray[np.float64]", self.rows["cost"])

    @property
    def optima(self) -> npt.NDArray[np.float64]:
        """The cost of the cheapest path of each query."""
        return cast("npt.NDArray[np.float64]", self.rows["optimum"])

    @property
    def expansions(self) -> npt.NDArray[np.int64]:
        """The expansions of each query."""
        return cast("npt.NDArray[np.int64]", self.rows["expanded"])

    @property
    def statuses(self) -> npt.NDArray[np.uint8]:
        """The status of each query."""
        return cast("npt.NDArray[np.uint8]", self.rows["status"])

    def as_json(self) -> dict[str, Any]:
        """Return everything but the rows, ready for `json.dumps`."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.compare}


class Kept:
    """Results kept in memory."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units
        self.machines = [this_machine()]
        self._made: dict[int, Made] = {}
        self._slices: dict[int, list[Slice]] = {number: [] for number in range(len(units))}
        self._rounds: dict[int, list[Round]] = {number: [] for number in range(len(units))}

    def gaps(self, number: int) -> list[tuple[int, int]]:
        """Return the ranges of queries that are not there yet."""
        done = [(part.first, part.last) for part in self._slices[number]]
        return gaps_between(done, len(self._units[number].problems))

    def begin(self, number: int, made: Made) -> None:
        """Take note of a unit's finder."""
        self._made[number] = made

    def add(self, number: int, part: Slice) -> None:
        """Keep a slice."""
        self._slices[number].append(part)

    def rounds(self, number: int) -> list[Round]:
        """Return the rounds of a unit that are there."""
        return self._rounds[number]

    def add_round(self, number: int, measured: Round) -> None:
        """Keep a round."""
        self._rounds[number].append(measured)

    def ran_on(self, machines: Sequence[Machine]) -> None:
        """Take note of the machines that measure."""
        self.machines = list(machines)

    def results(self, settings: Settings) -> list[Result]:
        """Return the results of all units."""
        return [self._result(number, unit, settings) for number, unit in enumerate(self._units)]

    def _result(self, number: int, unit: Unit, settings: Settings) -> Result:
        parts = sorted(self._slices[number], key=lambda part: part.first)
        about = About(
            unit.map,
            unit.algorithm,
            dict(unit.options),
            unit.problems.source,
            self._made[number],
            sum(part.seconds for part in parts),
            sum(part.check_s for part in parts),
            max(part.agent_bytes for part in parts),
            next((part.fault for part in parts if part.fault), None),
            self._rounds[number],
            parts[0].edits,
        )
        return Result.of(about, join_rows(part.rows for part in parts), settings)


def gaps_between(done: Sequence[tuple[int, int]], total: int) -> list[tuple[int, int]]:
    """Return the ranges that are not done.

    >>> gaps_between([(5, 7), (0, 2)], 9)
    [(2, 5), (7, 9)]
    """
    gaps, place = [], 0
    for first, last in sorted(done):
        gaps.append((place, first))
        place = max(place, last)
    return [(a, b) for a, b in (*gaps, (place, total)) if a < b]


def run(
    grid: Grid,
    scenario: Scenario | DynamicScenario,
    algorithms: Sequence[str],
    options: Mapping[str, Any] | None = None,
    *,
    threads: int = 1,
    repeat: int = 1,
    limit: int | None = None,
    max_expansions: int | None = None,
    expansions: int = 10,
    rounds: int = ROUNDS,
    optima: npt.NDArray[np.float64] | None = None,
    name: str = "",
    progress: Progress | None = None,
) -> list[Result]:
    """Measure algorithms on the problems of a scenario; one result for each.

    options: go to every algorithm that has them, and must fit at least one.
    limit: ask so many of the problems, evenly spread over the scenario; of a dynamic one the first.
    max_expansions: end a query there; needed for searches without memory (ida, iddfs) on real maps.
    expansions: of a real-time agent in one step.
    rounds: so often a sample of the queries is timed again, in turns with the other algorithms; 0: not at all.
    optima: the optimal cost of each problem. Without them the scenario's costs count where the grid has the rules that
    scenario files are made for, and dijkstra's elsewhere.

    >>> grid = Grid([[1, 1, 1], [0, 0, 1], [1, 1, 1]])
    >>> cell = np.zeros((1, 2), np.int32)
    >>> result = run(grid, Scenario(cell, cell + [[0, 2]], np.array([6.0])), ["astar"])[0]
    >>> result.queries, result.differ, result.suboptimality, result.expanded
    (1, 0, 0.0, 7.0)
    """
    settings = Settings(threads, repeat, max_expansions, expansions, rounds)
    settings.check()
    first, rest = part_of(progress, 0, 2), part_of(progress, 1, 2)
    units = units_of(grid, scenario, algorithms, options, limit=limit, optima=optima, name=name, report=first)
    settings.check_units(units)
    kept = Kept(units)
    measure_units(units, settings, kept, progress=rest)
    return kept.results(settings)


def units_of(
    grid: Grid,
    scenario: Scenario | DynamicScenario,
    algorithms: Sequence[str],
    options: Mapping[str, Any] | None = None,
    *,
    limit: int | None = None,
    optima: npt.NDArray[np.float64] | None = None,
    name: str = "",
    report: Progress | None = None,
) -> list[Unit]:
    """Return what is to be measured on one map; bad names, options and problems are refused here."""
    chosen = shared_options(algorithms, options or {})
    _refuse_early(grid, chosen)
    if isinstance(scenario, DynamicScenario):
        _refuse_straight(algorithms, scenario.name)
        changes, problems = _dynamic_problems(grid, scenario, limit, optima)
        title = name or scenario.name
        return [Unit(title, grid, problems, algorithm, chosen[algorithm], changes) for algorithm in algorithms]
    check_cells(scenario, grid)
    rows = pick(scenario, limit)
    if rows.size == 0:
        raise WaygridError(f"{scenario.name}: there are no problems to run")
    starts, goals = np.ascontiguousarray(scenario.starts[rows]), np.ascontiguousarray(scenario.goals[rows])
    known, stated = known_algorithms(), has_scenario_rules(grid)
    by_metric: dict[str, Problems] = {}
    for metric in {known[algorithm].metric for algorithm in algorithms}:
        if optima is not None and metric == scenario.metric:
            best, source = optima[rows], "dijkstra"
        elif stated and metric == scenario.metric:
            best, source = scenario.costs[rows], "scenario"
        elif metric == "euclidean":
            best, source = euclidean_costs(grid, starts, goals, report)
        else:
            best, source = dijkstra_costs(grid, starts, goals, report), "dijkstra"
        by_metric[metric] = Problems(starts, goals, best, scenario.numbers[rows], source)
    title = name or scenario.name
    return [Unit(title, grid, by_metric[known[one].metric], one, chosen[one]) for one in algorithms]


def _dynamic_problems(
    grid: Grid, scenario: DynamicScenario, limit: int | None, optima: npt.NDArray[np.float64] | None
) -> tuple[DynamicScenario, Problems]:
    """Return the part of a dynamic scenario that is to be replayed, and its queries."""
    scenario.check(grid)
    count = check_limit(limit, len(scenario))
    if count == 0:
        raise WaygridError(f"{scenario.name}: there are no problems to run")
    part = scenario if count == len(scenario) else scenario.take_first(count)
    best, source = (part.costs, "scenario") if optima is None else (optima[:count], "dijkstra")
    return part, Problems(part.starts, part.goals, best, np.arange(count), source)


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


def _refuse_straight(algorithms: Sequence[str], name: str) -> None:
    """Refuse algorithms whose paths are straight legs where the optima are costs of moves."""
    for algorithm in algorithms:
        if known_algorithms()[algorithm].metric != "grid":
            raise WaygridError(f"{name}: states costs of moves, and paths of {algorithm} are measured by their length")


def _refuse_early(grid: Grid, chosen: Mapping[str, dict[str, Any]]) -> None:
    """Refuse bad names and options before anything is measured."""
    for algorithm, options in chosen.items():
        rehearse(grid, algorithm, options)
