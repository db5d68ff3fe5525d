"""Which maps goal bounding is tried on, and how its searches are timed and checked there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from waygrid.bench.problems import check_cells, pick
from waygrid.bench.scenario import Scenario
from waygrid.errors import WaygridError
from waygrid.finders.base import Finder
from waygrid.finders.goalbounds import AStarGb, DijkstraGb
from waygrid.finders.registry import algorithms, make_finder
from waygrid.grid.grid import Grid
from waygrid.maps import map_files

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
ORDER = ("dijkstra", "astar", "dijkstra-gb", "astar-gb", "jps", "jps+", "jps+gb", "cpd")
EIGHT_DECIMALS = ("dao", "bgmaps", "sc1", "wc3maps512", "cities")  # the other sets have six significant digits
_CHUNK_S = 0.5  # a batch comes back about this often, so that progress can be shown and Ctrl-C is heard
_FULL_S = 0.02  # a round takes at least this long
_LONG_S = 5.0  # no further round after so much time

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
    us: float
    expanded: float
    build_s: float
    index_bytes: int
    wrong: int  # costs that are not the scenario's
    suboptimality: float  # mean of cost / optimum - 1


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
    return Place(f"{file.parent.name}/{file.stem}", file, grid, some)


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


def timed(
    finder: Batches, starts: Any, goals: Any, rounds: int, tell: Tell | None = None
) -> tuple[float, npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Answer all problems on one thread, with every path written; return us per problem, costs and expansions.

    The quickest of several rounds counts; long ones are not repeated, short ones are several calls. One call with the
    list repeated would not do: its many paths no longer fit the cache, and jps+gb looks up to twice as slow.
    """
    count = len(starts)
    sample = np.unique(np.linspace(0, count - 1, min(count, 64)).astype(np.int64))
    each = math.inf
    for _ in range(2):  # the first compiles, and touches the memory
        began = perf_counter()
        finder.find_many(starts[sample], goals[sample], threads=1)
        each = max(1e-8, (perf_counter() - began) / len(sample))
    calls = math.ceil(_FULL_S / (each * count))
    size = max(1, int(_CHUNK_S / each))
    parts = [slice(first, first + size) for first in range(0, count, size)]
    best, spent, done = math.inf, 0.0, 0
    costs, expanded = np.zeros(count), np.zeros(count, np.int64)
    while done < rounds and (done == 0 or spent < _LONG_S):
        seconds = 0.0
        for number, part in enumerate(parts * calls):
            ends = starts[part], goals[part]
            began = perf_counter()
            batch = finder.find_many(*ends, threads=1)
            seconds += perf_counter() - began
            costs[part], expanded[part] = batch.costs, batch.expanded
            if tell is not None:
                tell((done + number / len(parts) / calls) / rounds, "asking")
        best, spent, done = min(best, seconds / calls), spent + seconds, done + 1
    return 1e6 * best / count, costs, expanded


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


def measure(
    place: Place, name: str, finder: Finder, build_s: float, rounds: int, tell: Tell | None = None, label: str = ""
) -> Run:
    """Time a finder on the problems of a map and compare its costs."""
    scenario = place.scenario
    us, costs, expanded = timed(finder, scenario.starts, scenario.goals, rounds, tell)
    real = scenario.costs > 0
    above = costs[real] / scenario.costs[real] - 1
    return Run(
        place=place.name,
        set=place.set,
        cells=place.cells,
        algorithm=label or name,
        problems=len(scenario),
        us=us,
        expanded=float(expanded.mean()),
        build_s=build_s,
        index_bytes=finder.memory.fixed_bytes,
        wrong=wrong_costs(place.set, costs, scenario.costs),
        suboptimality=float(above.mean()) if above.size else 0.0,
    )


def together(runs: Iterable[Run], place: str) -> Run:
    """Return the mean over all problems of runs of one algorithm on several maps, as the paper's table has it."""
    every = list(runs)
    problems = sum(run.problems for run in every)

    def mean(name: str) -> float:
        return sum(float(getattr(run, name)) * run.problems for run in every) / problems

    return replace(
        every[0],
        place=place,
        set=place,
        cells=sum(run.cells for run in every),
        problems=problems,
        us=mean("us"),
        expanded=mean("expanded"),
        build_s=sum(run.build_s for run in every),
        index_bytes=sum(run.index_bytes for run in every),
        wrong=sum(run.wrong for run in every),
        suboptimality=mean("suboptimality"),
    )
