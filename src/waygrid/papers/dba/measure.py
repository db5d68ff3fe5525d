"""Which maps DBA*, PRA* and HCDPS are tried on, in which configurations, and how they are timed and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from waygrid.algorithms.make import make_finder
from waygrid.build.indexed import IndexedFinder
from waygrid.core import layout
from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.grid.make import generate
from waygrid.measure.builds import build_finder
from waygrid.measure.path_check import check_answers
from waygrid.measure.problems import check_cells, random_problems
from waygrid.measure.scenario import Scenario
from waygrid.measure.timing import Progress, Queries, QueryTimes, time_queries
from waygrid.papers.choose_maps import choose_maps
from waygrid.papers.dba.agents import Walk, mean_walk, walk
from waygrid.papers.intervals import Estimate, estimate_from_spread, estimate_mean
from waygrid.search.finder import Finder
from waygrid.search.path import Status
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
    wrong: int = 0  # paths that are not legal, not paths between the two cells, or not of the cost that it says
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
        return average_runs([run for run in self.runs if run.way == way])

    def above(self, way: Way) -> Estimate:
        """Return how far paths of a configuration lie above the optimum: over the maps, or the problems of a map."""
        runs = [run for run in self.runs if run.way == way]
        if len(runs) == 1:
            return estimate_from_spread(runs[0].above, runs[0].spread, runs[0].solved)
        return estimate_mean([run.above for run in runs])

    def means(self, algorithm: str, trim: Any) -> list[Run]:
        """Return the means of an algorithm's configurations that are trimmed like this."""
        return [self.mean(way) for way in self.ways() if (way.algorithm, way.trim) == (algorithm, trim)]


def average_runs(runs: Sequence[Run]) -> Run:
    """Return the mean of a configuration over maps: every map counts the same, worst and slowest are of all maps.

    >>> one = Run("a", Way("pra", 16), 100, 100, 4.0, 9.0, 1.0, 50.0, 0.1, 500.0, 900.0, 2e4, 1e6, 0.01, 0.01)
    >>> both = average_runs([one, replace(one, place="b", above=6.0, worst=20.0, solved=99)])
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


def choose_paper_maps(folder: Path, only: object, quick: bool) -> tuple[list[Path], list[str]]:
    """Return the files of the paper's maps, or of those that were asked for, and the names of those not there."""
    return choose_maps(folder, only, QUICK_MAPS if quick else MAPS, "orz103d,hrt000d")


def load(file: Path, longest: int) -> Place:
    """Read a map and the longest problems of its scenario, by the costs that the file states."""
    grid = Grid.from_file(file, topology="octile", corners="never", metric=METRIC)
    if grid.weights is not None:
        raise WaygridError(f"{file.name} has terrain weights; the paper's maps have none")
    scenario = Scenario.from_file(f"{file}.scen")
    check_cells(scenario, grid)
    return _place(file.stem, grid, scenario, longest)


def generate_caves(name: str, options: dict[str, Any], longest: int, seed: int) -> Place:
    """Make a map of caves, and take the longest of many random problems."""
    grid = generate("caves", corners="never", metric=METRIC, **options)
    return _place(name, grid, random_problems(grid, 10 * longest, seed=seed), longest)


def _place(name: str, grid: Grid, scenario: Scenario, longest: int) -> Place:
    some = scenario.select(np.argsort(-scenario.costs, kind="stable")[:longest])
    if len(some) == 0:
        raise WaygridError(f"{scenario.name}: there are no problems to run")
    costs = make_finder("astar", grid).find_many(some.starts, some.goals, paths=False).costs
    return Place(name, grid, some.select(np.isfinite(costs) & (costs > 0), costs))


# --- Finders ---------------------------------------------------------------------------------------------------------


def choose_manageable(place: Place, every: Sequence[Way], limit: int) -> tuple[list[Way], list[str]]:
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


def build(place: Place, wanted: Sequence[Way], report: Progress) -> tuple[dict[Way, Finder], dict[Way, float]]:
    """Make a finder for every configuration; return them, and how many seconds their indexes took on all cores."""
    finders: dict[Way, Finder] = {}
    seconds: dict[Way, float] = {}
    built: dict[Any, tuple[Finder, float]] = {}
    for number, way in enumerate(wanted):
        report(number / len(wanted), f"building {way}")
        if way.kept not in built:
            try:
                finder, made = build_finder(place.grid, way.algorithm, way.options, repeat=_BUILDS)
            except WaygridError:
                if way.algorithm != "sglrta":
                    raise
                continue  # it has a limit of its own
            built[way.kept] = finder, made.build_s
        finder, seconds[way] = built[way.kept]
        if isinstance(finder, IndexedFinder) and finder.options.get("trim") != way.trim:
            finder = type(finder)(finder.info, place.grid, finder.options | {"trim": way.trim}, finder.index)
        finders[way] = finder
    return finders, seconds


# --- Times and costs -------------------------------------------------------------------------------------------------


def measure(place: Place, wanted: Sequence[Way], rounds: int, report: Progress) -> list[Run]:
    """Time configurations on the problems of a map, in turns, and check every path."""
    finders, seconds = build(place, wanted, lambda share, text: report(0.4 * share, text))
    report(0.4, "asking")
    times = time_queries(finders, [Queries(place.problems.starts, place.problems.goals)], rounds)
    runs = []
    for number, (way, finder) in enumerate(finders.items()):
        report(0.8 + 0.2 * number / len(finders), "checking")
        runs.append(_run(place, way, finder, times[way], seconds[way]))
    return runs


def _run(place: Place, way: Way, finder: Finder, times: QueryTimes, build_s: float) -> Run:
    solved = times.column("statuses") == Status.FOUND
    above = 100 * (times.column("costs")[solved] / place.problems.costs[solved] - 1)
    wrong, example = check_answers(place.grid, place.problems.costs, times, optimal=finder.optimal)
    moves = np.maximum(times.column("lengths") - 1, 0)
    memory, count, seconds = finder.memory, times.count, times.seconds
    agents = walk(finder, place.problems) if finder.info.real_time and way.trim in (True, None) else None
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
        expanded=float(times.column("expanded").mean()),
        fixed_bytes=memory.fixed_bytes,
        agent_bytes=memory.agent_bytes if agents is None else agents.bytes,
        scratch_bytes=memory.scratch_bytes,
        walk=agents,
        build_s=build_s,
        slowest_s=build_s,
        compact_bytes=finder.compact_bytes if way.algorithm == "pra" else None,  # type: ignore[attr-defined]
        regions=sizes.get("regions", len(finder.index["centres"]) if way.algorithm == "pra" else None),  # type: ignore[attr-defined]
        paths=sizes.get("paths"),
        subgoals=sizes.get("subgoals"),
        searched=int((times.column("rows")[:, layout.ROW_PEAK] > 0).sum()) if way.algorithm in CLIMBING else None,
        wrong=wrong,
        example=example,
    )
