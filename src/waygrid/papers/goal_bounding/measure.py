"""Which maps goal bounding is tried on, and how its searches are timed and checked there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import geometric_mean
from time import perf_counter, thread_time
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.bounds.astar_gb import AStarGb, DijkstraGb
from waygrid.algorithms.make import make_finder
from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.maps import map_files
from waygrid.measure.problems import check_cells, pick
from waygrid.measure.scenario import Scenario
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
EIGHT_DECIMALS = ("dao", "bgmaps", "sc1", "wc3maps512", "cities")  # the other sets have six significant digits
_CHUNK_S = 0.5  # a batch comes back about this often, so that progress can be shown and Ctrl-C is heard
_FULL_S = 0.02  # a round takes at least this long

Tell = Callable[[float, str], None]


class Batches(Protocol):
    """What grids' and graphs' finders have in common."""

    def find_many(self, starts: Any, goals: Any, threads: int | None = None) -> Any:
        """Answer many queries."""


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
    wrong: int  # costs that are not the scenario's
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


def chosen_maps(folder: Path, only: object, quick: bool) -> tuple[list[Path], list[str]]:
    """Return the files of the maps that were asked for, and the names of default maps that are not there.

    only: names divided by commas, with or without their folder (dao/arena2, arena2).
    """
    if only is None:
        wanted: Sequence[str] = QUICK_MAPS if quick else MAPS
    else:
        wanted = [name.strip() for name in str(only).split(",") if name.strip()]
        if not wanted:
            raise WaygridError(f"only is {only!r}; allowed are names of maps divided by commas, such as arena2,brc202d")
    there = {f"{file.parent.name}/{file.stem}": file for file in map_files(folder)}
    found, missing = [], []
    for name in wanted:
        matches = [file for key, file in there.items() if key == name or ("/" not in name and file.stem == name)]
        if matches and _scenario_of(matches[0]).is_file():
            found.append(matches[0])
        elif only is None:
            missing.append(name)
        elif matches:
            raise WaygridError(
                f"only: {matches[0]} has no scenario; {_scenario_of(matches[0]).name} is needed beside it"
            )
        else:
            some = ", ".join(file.stem for file in there.values()) or "no maps"
            raise WaygridError(f"only: there is no map {name!r} in {folder}; there are {some}")
    return found, missing


def _scenario_of(file: Path) -> Path:
    return file.with_name(file.name + ".scen")


def load(file: Path, rows: int | None) -> Place:
    """Read a map and its problems, at most `rows` of them, evenly spread; the rules are the benchmark's."""
    grid = Grid.from_file(file, topology="octile", corners="never", metric="octile")
    if grid.weights is not None:
        raise WaygridError(f"{file.name} has terrain weights; jump points need a map without")
    scenario = Scenario.from_file(_scenario_of(file))
    check_cells(scenario, grid)
    kept = pick(scenario, rows)
    if kept.size == 0:
        raise WaygridError(f"{scenario.name}: there are no problems to run")
    some = Scenario(scenario.starts[kept], scenario.goals[kept], scenario.costs[kept], name=scenario.name)
    return Place(f"{file.parent.name}/{file.stem}", file, grid, some, len(scenario))


# --- Finders ---------------------------------------------------------------------------------------------------------


def build(name: str, grid: Grid, tell: Tell | None = None, **options: Any) -> tuple[Finder, float]:
    """Make a finder on all cores; return it and how many seconds its index took."""
    if not algorithms()[name].index:
        return make_finder(name, grid, **options), 0.0
    make_finder(name, Grid(np.ones((8, 8))), **options)  # compiles

    so_far = 0.0  # an index may be built in several sweeps, and each begins at 0

    def told(done: int, total: int, left: float | None) -> None:
        nonlocal so_far
        so_far = max(so_far, done / total)
        if tell is not None:
            tell(so_far, f"building {name}")

    grid.table  # noqa: B018 (made here, so that it is not counted)
    began = perf_counter()
    finder = make_finder(name, grid, progress=told, **options)
    return finder, perf_counter() - began


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


class Questions:
    """The problems of a map, asked of one finder on one thread with every path written; `costs` and `expanded` follow.

    What counts is the processor time of the thread: on a busy machine it leaves out the time in which others run. A
    round takes at least 20 ms: short lists are asked several times. One call with the list repeated would not do: its
    many paths no longer fit the cache, and jps+gb looks up to twice as slow.
    """

    def __init__(self, finder: Batches, starts: Any, goals: Any) -> None:
        self.finder, self.starts, self.goals = finder, starts, goals
        count = len(starts)
        sample = np.unique(np.linspace(0, count - 1, min(count, 64)).astype(np.int64))
        each = math.inf
        for _ in range(2):  # the first compiles, and touches the memory
            began = thread_time()
            finder.find_many(starts[sample], goals[sample], threads=1)
            each = max(1e-8, (thread_time() - began) / len(sample))
        self.calls = math.ceil(_FULL_S / (each * count))
        size = max(1, int(_CHUNK_S / each))
        self.parts = [slice(first, first + size) for first in range(0, count, size)]
        self.costs, self.expanded = np.zeros(count), np.zeros(count, np.int64)

    def ask(self, report: Callable[[float], None] | None = None) -> float:
        """Ask all of them in a round; return us per problem. `report` is called with the share that is done."""
        seconds, every = 0.0, self.parts * self.calls
        for number, part in enumerate(every):
            ends = self.starts[part], self.goals[part]
            began = thread_time()
            batch = self.finder.find_many(*ends, threads=1)
            seconds += thread_time() - began
            self.costs[part], self.expanded[part] = batch.costs, batch.expanded
            if report is not None:
                report((number + 1) / len(every))
        return 1e6 * seconds / self.calls / len(self.starts)


def ask_in_turn(every: Sequence[Questions], rounds: int) -> list[tuple[float, ...]]:
    """Ask several finders in turn, round by round; return the us per problem of each finder's rounds."""
    times = [[questions.ask() for questions in every] for _ in range(rounds)]
    return list(zip(*times, strict=True))


def wrong_costs(set_name: str, costs: npt.NDArray[np.float64], optima: npt.NDArray[np.float64]) -> int:
    """Count costs that are not the scenario's, as exactly as its set is written.

    >>> wrong_costs("dao", np.array([100.0, 2000.001]), np.array([100.00005, 2000.0]))
    1
    >>> wrong_costs("mazes", np.array([2000.001]), np.array([2000.0]))
    0
    """
    allowed = np.full(len(optima), 1e-4)
    if set_name not in EIGHT_DECIMALS:
        allowed = np.maximum(allowed, 5e-6 * optima)
    return int((~(np.abs(costs - optima) <= allowed)).sum())


class Entry(NamedTuple):
    """A finder that takes its turn on a map: the algorithm's name, and the seconds that its index took to build."""

    name: str
    finder: Finder
    build_s: float


def measure_in_turn(
    place: Place,
    entries: Sequence[Entry],
    rounds: int,
    tell: Tell | None = None,
    plain: Callable[[], Plain | None] | None = None,
) -> list[Run]:
    """Time finders on the problems of a map and compare their costs.

    They take turns, round by round, so that a slow spell of the machine strikes all of them and leaves their ratios as
    they are. plain: runs the yardstick, which takes its turn as the first.
    """
    scenario = place.scenario
    every = [Questions(entry.finder, scenario.starts, scenario.goals) for entry in entries]
    times: list[list[float]] = [[] for _ in entries]
    theirs: list[Plain] = []
    for number in range(rounds):
        if plain is not None and (measured := plain()) is not None:
            theirs.append(measured)
        for k, questions in enumerate(every):

            def report(share: float, done: float = number + k / len(every), name: str = entries[k].name) -> None:
                if tell is not None:
                    tell((done + share / len(every)) / rounds, f"asking {name}")

            times[k].append(questions.ask(report))
    runs = [_run(place, *parts) for parts in zip(entries, every, times, strict=True)]
    if theirs:
        us = tuple(one.us for one in theirs)
        row = Run(place.name, place.set, place.cells, PLAIN, len(scenario), us, theirs[0].expanded, 0.0, 0, 0, 0.0)
        runs.insert(0, row)
    return runs


def _run(place: Place, entry: Entry, asked: Questions, times: Sequence[float]) -> Run:
    scenario = place.scenario
    real = scenario.costs > 0
    above = asked.costs[real] / scenario.costs[real] - 1
    return Run(
        place=place.name,
        set=place.set,
        cells=place.cells,
        algorithm=entry.name,
        problems=len(scenario),
        times=tuple(times),
        expanded=float(asked.expanded.mean()),
        build_s=entry.build_s,
        index_bytes=entry.finder.memory.fixed_bytes,
        wrong=wrong_costs(place.set, asked.costs, scenario.costs),
        suboptimality=float(above.mean()) if above.size else 0.0,
    )


def together(runs: Iterable[Run], place: str) -> Run:
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
