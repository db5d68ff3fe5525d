"""Which maps dead ends and gateways are tried on, and how their searches are timed and checked there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.make import make_finder
from waygrid.core import layout
from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.grid.make import generate
from waygrid.maps import map_files
from waygrid.measure.problems import random_problems
from waygrid.measure.scenario import Scenario
from waygrid.search.finder import Finder
from waygrid.search.path import Batch
from waygrid.search.registry import algorithms

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "octile": ("astar", {}),
    "dead-end": ("dead-end", {}),
    "gateway": ("gateway", {}),
    "gateway, whole gates": ("gateway", {"gate_length": None}),
    "gateway and dead ends": ("gateway", {"dead_ends": True}),
}
METRIC = "bg"  # 100 and 150
UNIT = 100  # of the paper's costs: a straight move
DEMO = {"width": 84, "height": 64, "seed": 3, "room": 10, "furniture": 0.3}
DEMO_MAP, GAME_MAPS, LARGE_MAP = "demo map", "game maps", "large map"
ALL, TOP = "all", "top 10 %"
GAME_FOLDER, LARGE, QUICK_MAPS = "bgmaps", "AR0406SR", ("AR0012SR", "AR0406SR")
SHARES = (0.01, 0.05)  # of the cells, blocked for one query
_GROUPS = 10  # of searches with obstacles of their own
_FULL_S = 0.02  # a round takes at least this long
_LONG_S = 10.0  # no further round after so much time

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Place:
    """A map, the group of maps it belongs to, and its random problems with their optimal costs."""

    name: str
    group: str
    grid: Grid
    drawn: Scenario
    searches: int

    @property
    def cells(self) -> int:
        """Passable cells."""
        return int(self.grid.passable.sum())

    def problems(self, which: str) -> Scenario:
        """Return the first problems that were drawn, or the longest of all; ten times as many are drawn."""
        longest = np.argsort(-self.drawn.costs, kind="stable")
        return rows_of(self.drawn, np.arange(self.searches) if which == ALL else longest[: self.searches])


@dataclass(frozen=True)
class Run:
    """What one method did on the problems of a map or of a group of maps; means per search, costs in the paper's unit.

    searches: all or the longest. blocked: share of the cells that were obstacles for these searches only.
    """

    place: str
    group: str
    searches: str
    method: str
    problems: int
    cost: float
    estimate: float
    nodes: float
    us: float
    wrong: int  # costs that are not dijkstra's
    blocked: float = 0.0
    parted: int = 0  # problems whose goal the obstacles cut off: checked, not counted
    example: str = ""  # of a wrong cost
    each: Sequence[float] = ()  # nodes of every search


@dataclass
class Index:
    """What a method keeps of a map."""

    place: str
    group: str
    method: str
    build_s: float
    index_bytes: int
    gates: int | None = None
    longest: int | None = None  # gate, in cells


@dataclass
class Found:
    """Everything that was measured on maps."""

    places: list[Place] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    indexes: list[Index] = field(default_factory=list)

    def groups(self) -> list[str]:
        """Return the groups that have maps."""
        return list(dict.fromkeys(place.group for place in self.places))

    def mean(self, where: str, searches: str, method: str, blocked: float = 0.0) -> Run:
        """Return the mean over a map or a group of maps; every search counts the same."""
        key = (searches, method, blocked)
        runs = [r for r in self.runs if where in (r.place, r.group) and (r.searches, r.method, r.blocked) == key]
        return together(runs, where)


def together(runs: Sequence[Run], where: str) -> Run:
    """Return the mean of runs of one method over all their searches.

    >>> one = Run("a", "maps", ALL, "octile", 1, 700.0, 500.0, 10.0, 2.0, 0)
    >>> together([one, replace(one, problems=3, nodes=30.0)], "maps").nodes
    25.0
    """
    problems = sum(run.problems for run in runs)

    def mean(name: str) -> float:
        return sum(float(getattr(run, name)) * run.problems for run in runs) / max(1, problems)

    means = {name: mean(name) for name in ("cost", "estimate", "nodes", "us")}
    sums = {name: sum(int(getattr(run, name)) for run in runs) for name in ("wrong", "parted")}
    each = [nodes for run in runs for nodes in run.each]
    return replace(runs[0], place=where, problems=problems, each=each, **means, **sums)  # type: ignore[arg-type]


def rows_of(scenario: Scenario, rows: Ints | npt.NDArray[np.bool_]) -> Scenario:
    """Return some rows of a scenario."""
    return Scenario(scenario.starts[rows], scenario.goals[rows], scenario.costs[rows], name=scenario.name)


# --- Maps ------------------------------------------------------------------------------------------------------------


def chosen_maps(folder: Path, only: object, quick: bool) -> list[Path]:
    """Return the files of the maps to be measured: those of Baldur's Gate II, or names divided by commas."""
    there = {f"{file.resolve().parent.name}/{file.stem}": file for file in map_files(folder)}
    if only is None:
        game = {name: file for name, file in there.items() if name.startswith(f"{GAME_FOLDER}/")}
        return [file for file in game.values() if not quick or file.stem in QUICK_MAPS]
    wanted = [name.strip() for name in str(only).split(",") if name.strip()]
    if not wanted:
        raise WaygridError(f"only is {only!r}; allowed are names of maps divided by commas, such as AR0205SR,AR0406SR")
    found = []
    for name in wanted:
        matches = [file for key, file in there.items() if name in (key, file.stem)]
        if not matches:
            some = ", ".join(file.stem for file in there.values()) or "no maps"
            raise WaygridError(f"only: there is no map {name!r} in {folder}; there are {some}")
        found.append(matches[0])
    return found


def demo(corners: str = "never") -> Grid:
    """Return the floor that stands for the map of Figure 1, which is not published."""
    return generate("indoor", corners=corners, metric=METRIC, **DEMO)  # type: ignore[arg-type]


def read(file: Path, corners: str) -> Grid:
    """Read a map with the paper's costs."""
    grid = Grid.from_file(file, topology="octile", corners=corners, metric=METRIC)
    if grid.weights is not None:
        raise WaygridError(f"{file.name} has terrain weights; the paper's maps have none")
    return grid


def with_problems(name: str, group: str, grid: Grid, searches: int, seed: int) -> Place:
    """Draw problems within the largest connected part of a map, ten for each search, and solve them by dijkstra."""
    return Place(name, group, grid, random_problems(grid, 10 * searches, seed=seed), searches)


# --- Finders ---------------------------------------------------------------------------------------------------------


def build(place: Place) -> tuple[dict[str, Finder], list[Index]]:
    """Make all finders; return them and what their indexes take. Each method is built once before, to compile it."""
    finders, indexes = {}, []
    for label, (name, options) in METHODS.items():
        make_finder(name, Grid(np.ones((8, 8)), corners=place.grid.corners, metric=METRIC), **options)
        place.grid.table  # noqa: B018 (made here, so that it is not counted)
        began = perf_counter()
        finders[label] = finder = make_finder(name, place.grid, **options)
        if algorithms()[name].index:
            taken = perf_counter() - began
            entry = Index(place.name, place.group, label, taken, finder.memory.fixed_bytes)
            if name == "gateway":
                boxes = finder.index["boxes"].astype(np.int64)  # type: ignore[attr-defined]
                entry.gates = len(boxes) // 2
                entry.longest = int((boxes[:, 2:] - boxes[:, :2]).max(initial=-1)) + 1
            indexes.append(entry)
    return finders, indexes


# --- Times and costs -------------------------------------------------------------------------------------------------


class Group(NamedTuple):
    """Problems that are asked in one call, with the same obstacles."""

    problems: Scenario
    blocked: npt.NDArray[np.bool_] | None = None


def in_turn(
    finders: Mapping[str, Finder], groups: Sequence[Group], rounds: int
) -> tuple[dict[str, float], dict[str, list[Batch]]]:
    """Ask every finder all groups on one thread, with every path written; return their seconds, and the answers.

    The finders take turns, so that a slow spell of the machine strikes all of them; of each the quickest round counts.
    """

    def ask(finder: Finder) -> tuple[float, list[Batch]]:
        seconds, batches = 0.0, []
        for problems, blocked in groups:
            began = perf_counter()
            batches.append(finder.find_many(problems.starts, problems.goals, threads=1, blocked=blocked))
            seconds += perf_counter() - began
        return seconds, batches

    first = {label: ask(finder) for label, finder in finders.items()}  # compiles, and touches the memory
    best = dict.fromkeys(finders, np.inf)
    spent, done = 0.0, 0
    while done < rounds and (done == 0 or spent < _LONG_S):
        for label, finder in finders.items():
            calls = max(1, min(20, int(_FULL_S / max(first[label][0], 1e-9))))
            seconds = sum(ask(finder)[0] for _ in range(calls)) / calls
            best[label], spent = min(best[label], seconds), spent + seconds * calls
        done += 1
    return best, {label: batches for label, (_, batches) in first.items()}


def measure(place: Place, searches: str, finders: Mapping[str, Finder], rounds: int) -> list[Run]:
    """Time all methods on the problems of a map and compare their costs with dijkstra's."""
    problems = place.problems(searches)
    seconds, answers = in_turn(finders, [Group(problems)], rounds)
    return [_run(place, searches, label, [Group(problems)], answers[label], seconds[label]) for label in finders]


def measure_blocked(place: Place, finders: Mapping[str, Finder], share: float, rounds: int, seed: int) -> list[Run]:
    """Do the same with random obstacles for these searches only.

    Problems with a blocked end are left out, and so are those whose goal is cut off, after a check that all methods
    agree: they would flood the map.
    """
    groups, parted = _obstacles(place, share, seed)
    seconds, answers = in_turn(finders, groups, rounds)
    apart = sum(len(group.problems) for group in parted)
    runs = []
    for label, finder in finders.items():
        made = _run(place, ALL, label, groups, answers[label], seconds[label])
        lost = [finder.find_many(p.starts, p.goals, blocked=blocked, paths=False).costs for p, blocked in parted]
        wrong = made.wrong + sum(int(np.isfinite(costs).sum()) for costs in lost)
        runs.append(replace(made, blocked=share, parted=apart, wrong=wrong))
    return runs


def _obstacles(place: Place, share: float, seed: int) -> tuple[list[Group], list[Group]]:
    """Return problems with obstacles, solved by dijkstra, and those that the obstacles make unsolvable."""
    dijkstra, grid = make_finder("dijkstra", place.grid), place.grid
    every = place.problems(ALL)
    chance = np.random.Generator(np.random.PCG64([seed, round(1e6 * share)]))
    groups: list[Group] = []
    parted: list[Group] = []
    for rows in np.array_split(np.arange(len(every)), min(_GROUPS, len(every))):
        blocked = grid.passable & (chance.random(grid.passable.shape) < share)
        some = rows_of(every, rows)
        free = ~blocked[some.starts[:, 1], some.starts[:, 0]] & ~blocked[some.goals[:, 1], some.goals[:, 0]]
        some = rows_of(some, free)
        costs = dijkstra.find_many(some.starts, some.goals, blocked=blocked, paths=False).costs
        solved = Scenario(some.starts, some.goals, costs, name=some.name)
        for kept, to in ((np.isfinite(costs), groups), (~np.isfinite(costs), parted)):
            if kept.any():
                to.append(Group(rows_of(solved, kept), blocked))
    return groups, parted


def _run(
    place: Place, searches: str, label: str, groups: Sequence[Group], batches: Sequence[Batch], seconds: float
) -> Run:
    """Turn the answers of a method into a row, and compare each cost with the optimum: they are exact multiples."""
    costs = np.concatenate([batch.costs for batch in batches])
    rows = np.concatenate([batch.rows for batch in batches])
    problems = [np.concatenate([getattr(group.problems, name) for group in groups]) for name in _SCENARIO]
    differs = costs != problems[2]
    example = ""
    if differs.any():
        k = int(np.argmax(differs))
        start, goal = (tuple(problems[side][k].tolist()) for side in (0, 1))
        example = f"{start} to {goal}: {costs[k] * UNIT:g} instead of {problems[2][k] * UNIT:g}"
    return Run(
        place=place.name,
        group=place.group,
        searches=searches,
        method=label,
        problems=len(costs),
        cost=UNIT * float(costs.mean()),
        estimate=float(rows[:, layout.ROW_ESTIMATE].mean()),
        nodes=float(rows[:, layout.ROW_EXPANDED].mean()),
        each=rows[:, layout.ROW_EXPANDED].tolist(),
        us=1e6 * seconds / len(costs),
        wrong=int(differs.sum()),
        example=example,
    )


_SCENARIO = ("starts", "goals", "costs")
