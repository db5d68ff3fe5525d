"""Which maps goal bounding is tried on, and how its searches are timed and checked there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import geometric_mean
from typing import Any, NamedTuple

from waygrid.algorithms.bounds.astar_gb import AStarGb, DijkstraGb
from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.measure.builds import build_finder
from waygrid.measure.path_check import check_answers
from waygrid.measure.problems import check_cells, pick
from waygrid.measure.scenario import Scenario
from waygrid.measure.timing import Progress, Queries, QueryTimes, time_queries
from waygrid.papers.choose_maps import choose_maps, scenario_of
from waygrid.papers.goal_bounding.yardstick import Plain
from waygrid.search.finder import Finder
from waygrid.search.registry import algorithms

MAPS = (  # every one is built in a few minutes on two cores
    "dao/arena2",
    "dao/lak303d",
    "dao/den520d",
    "dao/brc202d",
    "dao/orz103d",
    "dao/orz100d",
    "wc3maps512/battleground",
    "wc3maps512/divideandconquer",
    "sc1/Aftershock",
    "rooms/16room_000",
)
QUICK_MAPS = ("dao/arena2",)
PLAIN = "plain A* (C++)"
ORDER = ("dijkstra", "astar", "dijkstra-gb", "astar-gb", "jps", "jps+", "jps+gb", "cpd")


@dataclass(frozen=True)
class Place:
    """A map with its problems."""

    name: str  # folder and file, such as dao/arena2
    file: Path
    grid: Grid
    scenario: Scenario
    rows: int  # of the scenario's file; fewer are used where `rows` was given

    @property
    def cells(self) -> int:
        """Passable cells."""
        return int(self.grid.passable.sum())

    @property
    def set(self) -> str:
        """The folder: maps of one game or kind."""
        return self.name.split("/")[0]


@dataclass(frozen=True)
class Run:
    """What one search did on one map; means per problem."""

    place: str
    set: str
    cells: int
    algorithm: str
    problems: int
    times: tuple[float, ...]  # us per problem, of each round
    expanded: float
    build_s: float
    index_bytes: int
    wrong: int  # paths that break the rules, or do not cost what they should
    suboptimality: float  # mean of cost / optimum - 1

    @property
    def us(self) -> float:
        """Time per problem, the geometric mean of the rounds."""
        return geometric_mean(self.times)


def names() -> list[str]:
    """Return the algorithms that are compared, as far as this version has them."""
    known = algorithms()
    return [name for name in ORDER if name in known]


# --- Maps ------------------------------------------------------------------------------------------------------------


def choose_paper_maps(folder: Path, only: object, quick: bool) -> tuple[list[Path], list[str]]:
    """Return the files of the maps that were asked for, and the names of default maps that are not there.

    only: names divided by commas, with or without their folder (dao/arena2, arena2).
    """
    return choose_maps(folder, only, QUICK_MAPS if quick else MAPS, "arena2,brc202d")


def load(file: Path, rows: int | None) -> Place:
    """Read a map and its problems, at most `rows` of them, evenly spread; the rules are the benchmark's."""
    grid = Grid.from_file(file, topology="octile", corners="never", metric="octile")
    if grid.weights is not None:
        raise WaygridError(f"{file.name} has terrain weights; jump points need a map without")
    scenario = Scenario.from_file(scenario_of(file))
    check_cells(scenario, grid)
    some = scenario.select(pick(scenario, rows))
    if len(some) == 0:
        raise WaygridError(f"{scenario.name}: there are no problems to run")
    return Place(f"{file.parent.name}/{file.stem}", file, grid, some, len(scenario))


# --- Finders ---------------------------------------------------------------------------------------------------------


def build(name: str, grid: Grid, report: Progress | None = None, **options: Any) -> tuple[Finder, float]:
    """Make a finder on all cores; return it and how many seconds its index took."""
    so_far = 0.0  # an index may be built in several sweeps, and each begins at 0

    def report_build(share: float, what: str) -> None:
        nonlocal so_far
        so_far = max(so_far, share)
        if report is not None:
            report(so_far, f"building {name}")

    finder, made = build_finder(grid, name, options, report_build)
    return finder, made.build_s


def with_boxes(finder: Finder, name: str = "astar-gb", weight: float = 1.0, kind: Any = None) -> Finder:
    """Return another finder on the goal bounds of this one: they serve A* and Dijkstra, and any weight.

    kind: the type of number of the boxes; by default they are shared as they are.
    """
    boxes = finder.index["boxes"]  # type: ignore[attr-defined]
    index = {"boxes": boxes if kind is None else boxes.astype(kind)}
    info, ties = algorithms()[name], finder.options["ties"]
    if name == "dijkstra-gb":
        return DijkstraGb(info, finder.grid, {"ties": ties}, index)
    return AStarGb(info, finder.grid, {"heuristic": None, "weight": weight, "ties": ties}, index)


# --- Times and costs -------------------------------------------------------------------------------------------------


class Entry(NamedTuple):
    """A finder that takes its turn on a map: the algorithm's name, and the seconds that its index took to build."""

    name: str
    finder: Finder
    build_s: float


def measure_in_turns(
    place: Place,
    entries: Sequence[Entry],
    rounds: int,
    report: Progress | None = None,
    plain: Callable[[], Plain | None] | None = None,
) -> list[Run]:
    """Time finders on the problems of a map in turns, and check every path.

    plain: runs the yardstick, which takes its turn at the beginning of each round.
    """
    scenario = place.scenario
    theirs: list[Plain] = []

    def ask_plain() -> None:
        if plain is not None and (measured := plain()) is not None:
            theirs.append(measured)

    def report_turn(share: float, number: str) -> None:
        if report is not None:
            report(share, f"asking {entries[int(number)].name}")

    times = time_queries(
        {number: entry.finder for number, entry in enumerate(entries)},  # the same algorithm may come several times
        [Queries(scenario.starts, scenario.goals)],
        rounds,
        begin_round=ask_plain,
        report=report_turn,
    )
    runs = [_run(place, entry, times[number]) for number, entry in enumerate(entries)]
    if theirs:
        us = tuple(one.us for one in theirs)
        row = Run(place.name, place.set, place.cells, PLAIN, len(scenario), us, theirs[0].expanded, 0.0, 0, 0, 0.0)
        runs.insert(0, row)
    return runs


def _run(place: Place, entry: Entry, times: QueryTimes) -> Run:
    scenario = place.scenario
    real = scenario.costs > 0
    above = times.column("costs")[real] / scenario.costs[real] - 1
    wrong, _ = check_answers(place.grid, scenario.costs, times, optimal=entry.finder.optimal)
    return Run(
        place=place.name,
        set=place.set,
        cells=place.cells,
        algorithm=entry.name,
        problems=len(scenario),
        times=times.rounds_us,
        expanded=float(times.column("expanded").mean()),
        build_s=entry.build_s,
        index_bytes=entry.finder.memory.fixed_bytes,
        wrong=wrong,
        suboptimality=float(above.mean()) if above.size else 0.0,
    )


def average_runs(runs: Iterable[Run], place: str) -> Run:
    """Return the mean over all problems of runs of one algorithm on several maps, as the paper's table has it."""
    every = list(runs)
    problems = sum(run.problems for run in every)

    def mean(name: str) -> float:
        return sum(float(getattr(run, name)) * run.problems for run in every) / problems

    # Round k of one map goes with round k of another: algorithms take turns on each, so ratios stay paired.
    rounds = zip(*(run.times for run in every), strict=False)
    weights = [run.problems / problems for run in every]
    times = tuple(sum(us * weight for us, weight in zip(row, weights, strict=True)) for row in rounds)
    return replace(
        every[0],
        place=place,
        set=place,
        cells=sum(run.cells for run in every),
        problems=problems,
        times=times,
        expanded=mean("expanded"),
        build_s=sum(run.build_s for run in every),
        index_bytes=sum(run.index_bytes for run in every),
        wrong=sum(run.wrong for run in every),
        suboptimality=mean("suboptimality"),
    )
