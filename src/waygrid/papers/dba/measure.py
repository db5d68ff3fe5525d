"""Which maps DBA*, PRA* and HCDPS are tried on, in which configurations, and how they are timed and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from waygrid.algorithms.make import make_finder
from waygrid.build.indexed import IndexedFinder
from waygrid.core import layout
from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.grid.legal import first_fault, path_cost
from waygrid.grid.make import generate
from waygrid.maps import map_files
from waygrid.measure.problems import check_cells, random_problems
from waygrid.measure.scenario import Scenario
from waygrid.papers.dba.agents import Walk, mean_walk, walk
from waygrid.papers.improved_heuristics.measure import rows_of
from waygrid.papers.intervals import Estimate, estimate_from_spread, estimate_mean
from waygrid.search.finder import Finder
from waygrid.search.path import Batch, Status
from waygrid.search.registry import algorithms

MAPS = (
    "hrt000d",
    "orz100d",
    "orz103d",
    "orz300d",
    "orz700d",
    "orz702d",  # printed as irz702, which does not exist
    "orz900d",
    "ost000a",
    "ost000t",
    "ost100d",
)
QUICK_MAPS = ("orz103d",)
FOLDER = "dao"
METRIC = "dba"  # 10 and 14
SECTORS, QUICK_SECTORS = (16, 32, 64, 128), (16, 32)
LEVELS, QUICK_LEVELS = (1, 2, 3, 4), (1, 2)
TRIM_NAMES: dict[Any, str] = {True: "true", "paper": "paper", False: "false", None: ""}
CLIMBING = ("dba", "hcdps")  # without an open list; where an answer had one, A* stepped in
_BUILDS = 2  # of each index; the quicker counts
_TURN_S = 0.02  # a finder is asked at least so long before it is the next one's turn
_PART_S = 0.001  # problems that are asked in one call take about so long
_LONG_BUILD_S = 5.0  # such a one is made only once

Tell = Callable[[float, str], None]


class Way(NamedTuple):
    """An algorithm with its options: one point of the paper's plots."""

    algorithm: str
    sector: int | None = None
    level: int | None = None
    trim: Any = None

    @property
    def options(self) -> dict[str, Any]:
        """What `make_finder` takes."""
        return {name: value for name, value in zip(self._fields[1:], self[1:], strict=True) if value is not None}

    @property
    def kept(self) -> tuple[str, int | None, int | None]:
        """What the index depends on: trimming is a matter of the query."""
        return self[:3]

    @property
    def cells(self) -> tuple[str, int | None, int | None, str]:
        """How a table names it."""
        return *self[:3], TRIM_NAMES[self.trim]

    def __str__(self) -> str:
        """Return a short name, such as dba 16/1.

        >>> str(Way("dba", 16, 1, True)), str(Way("hcdps", None, 2, "paper"))
        ('dba 16/1', 'hcdps 2, trim=paper')
        """
        size = "/".join(str(part) for part in (self.sector, self.level) if part is not None)
        name = f"{self.algorithm} {size}".strip()
        return name if self.trim in (True, None) else f"{name}, trim={TRIM_NAMES[self.trim]}"


@dataclass(frozen=True)
class Place:
    """A map with its longest problems, and what astar finds to be their least costs."""

    name: str
    grid: Grid
    problems: Scenario

    @property
    def cells(self) -> int:
        """Passable cells."""
        return int(self.grid.passable.sum())


@dataclass(frozen=True)
class Run:
    """What one configuration did on a map, or on several: then means over the maps, each counting the same.

    above, worst, spread: of the paths' costs above the least, in percent: mean, largest, standard deviation.
    """

    place: str
    way: Way
    problems: int
    solved: int
    above: float
    worst: float
    spread: float
    us: float
    us_move: float
    moves: float
    expanded: float
    fixed_bytes: float
    agent_bytes: float
    build_s: float
    slowest_s: float
    compact_bytes: float | None = None  # pra: in Sturtevant's layout
    regions: float | None = None
    paths: float | None = None
    subgoals: float | None = None
    scratch_bytes: float | None = None  # of a thread that answers queries
    walk: Walk | None = None  # of agents, where the algorithm has them; the index and the default way of trimming
    searched: int | None = None  # answers of a plain A* instead
    wrong: int = 0  # paths that are not legal, not paths between the two cells, or not of the cost that was told
    example: str = ""
    maps: int = 1

    @property
    def kb(self) -> float:
        """Size of the index."""
        return self.fixed_bytes / 1e3


_MEANS = ("above", "spread", "us", "us_move", "moves", "expanded", "fixed_bytes", "agent_bytes", "build_s")
_SOME_MEANS = ("compact_bytes", "regions", "paths", "subgoals", "scratch_bytes")


@dataclass
class Found:
    """Everything that was measured."""

    places: list[Place] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  # what was not measured, and why

    def ways(self) -> list[Way]:
        """Return the configurations that were measured."""
        return list(dict.fromkeys(run.way for run in self.runs))

    def mean(self, way: Way) -> Run:
        """Return the mean of a configuration over its maps."""
        return together([run for run in self.runs if run.way == way])

    def above(self, way: Way) -> Estimate:
        """Return how far paths of a configuration lie above the optimum: over the maps, or the problems of a map."""
        runs = [run for run in self.runs if run.way == way]
        if len(runs) == 1:
            return estimate_from_spread(runs[0].above, runs[0].spread, runs[0].solved)
        return estimate_mean([run.above for run in runs])

    def means(self, algorithm: str, trim: Any) -> list[Run]:
        """Return the means of an algorithm's configurations that are trimmed like this."""
        return [self.mean(way) for way in self.ways() if (way.algorithm, way.trim) == (algorithm, trim)]


def together(runs: Sequence[Run]) -> Run:
    """Return the mean of a configuration over maps: every map counts the same, worst and slowest are of all maps.

    >>> one = Run("a", Way("pra", 16), 100, 100, 4.0, 9.0, 1.0, 50.0, 0.1, 500.0, 900.0, 2e4, 1e6, 0.01, 0.01)
    >>> both = together([one, replace(one, place="b", above=6.0, worst=20.0, solved=99)])
    >>> both.above, both.worst, both.problems, both.solved, both.maps
    (5.0, 20.0, 200, 199, 2)
    """
    values: dict[str, Any] = {name: float(np.mean([getattr(run, name) for run in runs])) for name in _MEANS}
    for name in _SOME_MEANS:
        if getattr(runs[0], name) is not None:
            values[name] = float(np.mean([getattr(run, name) for run in runs]))
    values |= {name: sum(getattr(run, name) for run in runs) for name in ("problems", "solved", "wrong", "maps")}
    walks = [run.walk for run in runs if run.walk is not None]
    values["walk"] = mean_walk(walks) if walks else None
    if runs[0].searched is not None:
        values["searched"] = sum(run.searched or 0 for run in runs)
    values |= {name: max(getattr(run, name) for run in runs) for name in ("worst", "slowest_s")}
    return replace(runs[0], place="", example=next((run.example for run in runs if run.example), ""), **values)


def ways(quick: bool) -> list[Way]:
    """Return all configurations, those of algorithms that this version lacks too."""
    sectors, levels = (QUICK_SECTORS, QUICK_LEVELS) if quick else (SECTORS, LEVELS)
    found = [Way("astar")]
    found += [Way("pra", sector, None, trim) for trim in (True, False) for sector in sectors]
    found += [Way("hcdps", None, level, trim) for trim in (True, "paper") for level in levels]
    found += [Way("hcdps", None, level, False) for level in levels[:2]]
    found += [Way("dba", sector, level, trim) for trim in (True, "paper") for sector in sectors for level in levels]
    found += [Way("dba", sector, level, False) for sector in sectors[:2] for level in levels[:2]]
    return [*found, Way("sglrta")]


# --- Maps ------------------------------------------------------------------------------------------------------------


def chosen_maps(folder: Path, only: object, quick: bool) -> tuple[list[Path], list[str]]:
    """Return the files of the paper's maps, or of those that were asked for, and the names of those not there."""
    wanted: Iterable[str] = QUICK_MAPS if quick else MAPS
    if only is not None:
        wanted = [name.strip() for name in str(only).split(",") if name.strip()]
        if not wanted:
            raise WaygridError(
                f"only is {only!r}; allowed are names of maps divided by commas, such as orz103d,hrt000d"
            )
    there = {f"{file.resolve().parent.name}/{file.stem}": file for file in map_files(folder)}
    found, missing = [], []
    for name in wanted:
        matches = [file for key, file in there.items() if name in (key, file.stem)]
        if matches and Path(f"{matches[0]}.scen").is_file():
            found.append(matches[0])
        elif only is None:
            missing.append(name)
        elif matches:
            raise WaygridError(f"only: {matches[0]} has no scenario; {matches[0].name}.scen is needed beside it")
        else:
            some = ", ".join(file.stem for file in there.values()) or "no maps"
            raise WaygridError(f"only: there is no map {name!r} in {folder}; there are {some}")
    return found, missing


def load(file: Path, longest: int) -> Place:
    """Read a map and the longest problems of its scenario, by the costs that the file tells."""
    grid = Grid.from_file(file, topology="octile", corners="never", metric=METRIC)
    if grid.weights is not None:
        raise WaygridError(f"{file.name} has terrain weights; the paper's maps have none")
    scenario = Scenario.from_file(f"{file}.scen")
    check_cells(scenario, grid)
    return _place(file.stem, grid, scenario, longest)


def generated(name: str, options: dict[str, Any], longest: int, seed: int) -> Place:
    """Make a map of caves, and take the longest of many random problems."""
    grid = generate("caves", corners="never", metric=METRIC, **options)
    return _place(name, grid, random_problems(grid, 10 * longest, seed=seed), longest)


def _place(name: str, grid: Grid, scenario: Scenario, longest: int) -> Place:
    some = rows_of(scenario, np.argsort(-scenario.costs, kind="stable")[:longest])
    if len(some) == 0:
        raise WaygridError(f"{scenario.name}: there are no problems to run")
    costs = make_finder("astar", grid).find_many(some.starts, some.goals, paths=False).costs
    real = np.isfinite(costs) & (costs > 0)
    return Place(name, grid, rows_of(Scenario(some.starts, some.goals, costs, name=some.name), real))


# --- Finders ---------------------------------------------------------------------------------------------------------


def manageable(place: Place, every: Sequence[Way], limit: int) -> tuple[list[Way], list[str]]:
    """Return the configurations that can be tried on a map, and why others cannot.

    limit: of cells, for sglrta, which keeps a tree for every goal.
    """
    known, some, reasons = algorithms(), [], []
    for way in every:
        if way.algorithm not in known:
            reasons.append(f"{way.algorithm} is left out: this version of waygrid does not have it.")
        elif way.algorithm == "sglrta" and place.cells > limit:
            reasons.append(f"sglrta is left out on maps of more than {limit} passable cells: it keeps a tree per goal.")
        else:
            some.append(way)
    return some, list(dict.fromkeys(reasons))


def build(place: Place, wanted: Sequence[Way], tell: Tell) -> tuple[dict[Way, Finder], dict[Way, float]]:
    """Make a finder for every configuration; return them, and how many seconds their indexes took on all cores."""
    finders: dict[Way, Finder] = {}
    seconds: dict[Way, float] = {}
    made: dict[Any, tuple[Finder, float]] = {}
    place.grid.table  # noqa: B018 (made here, so that it is not counted)
    for number, way in enumerate(wanted):
        tell(number / len(wanted), f"building {way}")
        if way.kept not in made:
            try:
                made[way.kept] = _timed_build(place.grid, way)
            except WaygridError:
                if way.algorithm != "sglrta":
                    raise
                continue  # it has a limit of its own
        finder, seconds[way] = made[way.kept]
        if isinstance(finder, IndexedFinder) and finder.options.get("trim") != way.trim:
            finder = type(finder)(finder.info, place.grid, finder.options | {"trim": way.trim}, finder.index)
        finders[way] = finder
    return finders, seconds


def _timed_build(grid: Grid, way: Way) -> tuple[Finder, float]:
    """Make a finder twice; the quicker counts."""
    if not algorithms()[way.algorithm].index:
        return make_finder(way.algorithm, grid, **way.options), 0.0
    make_finder(way.algorithm, generate("caves", width=40, height=30, seed=0, metric=METRIC), **way.options)  # compiles
    best = np.inf
    for _ in range(_BUILDS):
        began = perf_counter()
        finder = make_finder(way.algorithm, grid, **way.options)
        best = min(best, perf_counter() - began)
        if best > _LONG_BUILD_S:
            break
    return finder, float(best)


# --- Times and costs -------------------------------------------------------------------------------------------------


def in_turn(
    finders: Mapping[Way, Finder], problems: Scenario, rounds: int
) -> tuple[dict[Way, float], dict[Way, Batch]]:
    """Ask every finder all problems on one thread, with every path written; return their seconds, and the answers.

    The finders take turns, so that a slow spell of the machine strikes all of them. Problems are asked in parts of a
    millisecond, and of each part the quickest call counts: whoever else uses the machine seldom breaks in on all.
    """
    answers, parts = {}, {}
    for way, finder in finders.items():
        for _ in range(2):  # the first compiles
            began = perf_counter()
            answers[way] = finder.find_many(problems.starts, problems.goals, threads=1)
            seconds = perf_counter() - began
        size = max(1, int(_PART_S * len(problems) / seconds))
        parts[way] = [slice(first, first + size) for first in range(0, len(problems), size)]
    best = {way: np.full(len(some), np.inf) for way, some in parts.items()}
    for way, finder in [*finders.items()] * rounds:
        spent = 0.0
        while spent < _TURN_S:
            for k, part in enumerate(parts[way]):
                began = perf_counter()
                finder.find_many(problems.starts[part], problems.goals[part], threads=1)
                seconds = perf_counter() - began
                best[way][k], spent = min(best[way][k], seconds), spent + seconds
    return {way: float(some.sum()) for way, some in best.items()}, answers


def measure(place: Place, wanted: Sequence[Way], rounds: int, tell: Tell) -> list[Run]:
    """Time configurations on the problems of a map, in turn, and check every path."""
    finders, seconds = build(place, wanted, lambda share, text: tell(0.4 * share, text))
    tell(0.4, "asking")
    times, answers = in_turn(finders, place.problems, rounds)
    runs = []
    for number, (way, finder) in enumerate(finders.items()):
        tell(0.8 + 0.2 * number / len(finders), "checking")
        runs.append(_run(place, way, finder, answers[way], times[way], seconds[way]))
    return runs


def _run(place: Place, way: Way, finder: Finder, batch: Batch, seconds: float, build_s: float) -> Run:
    solved = batch.statuses == Status.FOUND
    above = 100 * (batch.costs[solved] / place.problems.costs[solved] - 1)
    faults = [text for k in range(len(batch)) if (text := fault(place, batch, k))]
    moves = np.maximum(batch.lengths - 1, 0)
    memory, count = finder.memory, len(batch)
    walked = walk(finder, place.problems) if finder.info.real_time and way.trim in (True, None) else None
    sizes = finder.subgoals() if hasattr(finder, "subgoals") else {}
    return Run(
        place=place.name,
        way=way,
        problems=count,
        solved=int(solved.sum()),
        above=float(above.mean()) if above.size else np.nan,
        worst=float(above.max(initial=0.0)),
        spread=float(above.std()) if above.size else np.nan,
        us=1e6 * seconds / count,
        us_move=1e6 * seconds / max(1, int(moves.sum())),
        moves=float(moves.mean()),
        expanded=float(batch.expanded.mean()),
        fixed_bytes=memory.fixed_bytes,
        agent_bytes=memory.agent_bytes if walked is None else walked.bytes,
        scratch_bytes=memory.scratch_bytes,
        walk=walked,
        build_s=build_s,
        slowest_s=build_s,
        compact_bytes=finder.compact_bytes if way.algorithm == "pra" else None,  # type: ignore[attr-defined]
        regions=sizes.get("regions", len(finder.index["centres"]) if way.algorithm == "pra" else None),  # type: ignore[attr-defined]
        paths=sizes.get("paths"),
        subgoals=sizes.get("subgoals"),
        searched=int((batch.rows[:, layout.ROW_PEAK] > 0).sum()) if way.algorithm in CLIMBING else None,
        wrong=len(faults),
        example=faults[0] if faults else "",
    )


def fault(place: Place, batch: Batch, number: int) -> str | None:
    """Return what is wrong with an answer: a path that is not legal or not between its ends, or a cost not its own."""
    problems, path = place.problems, batch[number]
    start, goal = problems.starts[number].tolist(), problems.goals[number].tolist()
    what = f"{tuple(start)} to {tuple(goal)}"
    if path.status != Status.FOUND:
        return f"{what}: {path.status.name}, but there is a path"
    if path.cells[[0, -1]].tolist() != [start, goal]:
        return f"{what}: the path leads from {path.cells[0].tolist()} to {path.cells[-1].tolist()}"
    if text := first_fault(place.grid, path.cells):
        return f"{what}: {text}"
    if abs(path_cost(place.grid, path.cells) - path.cost) > 1e-6:
        return f"{what}: a cost of {path.cost:g} for a path of {path_cost(place.grid, path.cells):g}"
    if path.cost < problems.costs[number] - 1e-6:
        return f"{what}: {path.cost:g} is below the least cost {problems.costs[number]:g}"
    return None
