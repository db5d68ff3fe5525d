"""Which maps dead ends and gateways are tried on, and how their searches are timed and checked there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.make import make_finder
from waygrid.core import layout
from waygrid.errors import WaygridError
from waygrid.grid.grid import Grid
from waygrid.grid.make import generate
from waygrid.maps import map_files
from waygrid.measure.builds import build_finder
from waygrid.measure.path_check import check_answers
from waygrid.measure.problems import random_problems
from waygrid.measure.scenario import Scenario
from waygrid.measure.timing import Queries, time_queries
from waygrid.papers.choose_maps import choose_maps
from waygrid.search.finder import Finder
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
_LONG_S = 10.0  # no further round after so much time


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
        return self.drawn.select(np.arange(self.searches) if which == ALL else longest[: self.searches])


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
    wrong: int  # paths that break the rules, or costs that are not dijkstra's
    blocked: float = 0.0
    parted: int = 0  # problems whose goal the obstacles cut off: checked, not counted
    example: str = ""  # of a wrong path
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
        return average_runs(runs, where)


def average_runs(runs: Sequence[Run], where: str) -> Run:
    """Return the mean of runs of one method over all their searches.

    >>> one = Run("a", "maps", ALL, "octile", 1, 700.0, 500.0, 10.0, 2.0, 0)
    >>> average_runs([one, replace(one, problems=3, nodes=30.0)], "maps").nodes
    25.0
    """
    problems = sum(run.problems for run in runs)

    def mean(name: str) -> float:
        return sum(float(getattr(run, name)) * run.problems for run in runs) / max(1, problems)

    means = {name: mean(name) for name in ("cost", "estimate", "nodes", "us")}
    sums = {name: sum(int(getattr(run, name)) for run in runs) for name in ("wrong", "parted")}
    each = [nodes for run in runs for nodes in run.each]
    return replace(runs[0], place=where, problems=problems, each=each, **means, **sums)  # type: ignore[arg-type]


# --- Maps ------------------------------------------------------------------------------------------------------------


def choose_paper_maps(folder: Path, only: object, quick: bool) -> list[Path]:
    """Return the files of the maps to be measured: those of Baldur's Gate II, or names divided by commas."""
    if only is None:
        game = [file for file in map_files(folder) if file.resolve().parent.name == GAME_FOLDER]
        return [file for file in game if not quick or file.stem in QUICK_MAPS]
    return choose_maps(folder, only, (), "AR0205SR,AR0406SR", scenarios=False)[0]


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
    """Draw problems in the largest connected component of a map, ten for each search, and solve them by dijkstra."""
    return Place(name, group, grid, random_problems(grid, 10 * searches, seed=seed), searches)


# --- Finders ---------------------------------------------------------------------------------------------------------


def build(place: Place) -> tuple[dict[str, Finder], list[Index]]:
    """Make all finders; return them and what their indexes take."""
    finders, indexes = {}, []
    for label, (name, options) in METHODS.items():
        finders[label], made = build_finder(place.grid, name, options)
        if algorithms()[name].index:
            entry = Index(place.name, place.group, label, made.build_s, made.fixed_bytes)
            if name == "gateway":
                boxes = finders[label].index["boxes"].astype(np.int64)  # type: ignore[attr-defined]
                entry.gates = len(boxes) // 2
                entry.longest = int((boxes[:, 2:] - boxes[:, :2]).max(initial=-1)) + 1
            indexes.append(entry)
    return finders, indexes


# --- Times and costs -------------------------------------------------------------------------------------------------


class Group(NamedTuple):
    """Problems that are asked with the same obstacles."""

    problems: Scenario
    blocked: npt.NDArray[np.bool_] | None = None


def measure(place: Place, searches: str, finders: Mapping[str, Finder], rounds: int) -> list[Run]:
    """Time all methods on the problems of a map and compare their costs with dijkstra's."""
    return _measure_groups(place, searches, finders, [Group(place.problems(searches))], rounds)


def measure_blocked(place: Place, finders: Mapping[str, Finder], share: float, rounds: int, seed: int) -> list[Run]:
    """Do the same with random obstacles for these searches only.

    Problems with a blocked end are left out, and so are those whose goal is cut off, after a check that all methods
    agree: they would flood the map.
    """
    groups, parted = _obstacles(place, share, seed)
    apart = sum(len(group.problems) for group in parted)
    runs = []
    for run in _measure_groups(place, ALL, finders, groups, rounds):
        finder = finders[run.method]
        lost = [finder.find_many(p.starts, p.goals, blocked=blocked, paths=False).costs for p, blocked in parted]
        wrong = run.wrong + sum(int(np.isfinite(costs).sum()) for costs in lost)
        runs.append(replace(run, blocked=share, parted=apart, wrong=wrong))
    return runs


def _measure_groups(
    place: Place, searches: str, finders: Mapping[str, Finder], groups: Sequence[Group], rounds: int
) -> list[Run]:
    """Time all methods in turns; check every path."""
    queries = [Queries(group.problems.starts, group.problems.goals, group.blocked) for group in groups]
    optima = np.concatenate([group.problems.costs for group in groups])
    walled: dict[int, Grid] = {}
    runs = []
    for label, times in time_queries(finders, queries, rounds, most_s=_LONG_S).items():
        costs, rows = times.column("costs"), times.column("rows")
        wrong, example = check_answers(place.grid, optima, times, optimal=True, walled=walled)
        run = Run(
            place=place.name,
            group=place.group,
            searches=searches,
            method=label,
            problems=len(costs),
            cost=UNIT * float(costs.mean()),
            estimate=float(rows[:, layout.ROW_ESTIMATE].mean()),
            nodes=float(rows[:, layout.ROW_EXPANDED].mean()),
            each=rows[:, layout.ROW_EXPANDED].tolist(),
            us=times.us,
            wrong=wrong,
            example=example,
        )
        runs.append(run)
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
        some = every.select(rows)
        free = ~blocked[some.starts[:, 1], some.starts[:, 0]] & ~blocked[some.goals[:, 1], some.goals[:, 0]]
        some = some.select(free)
        costs = dijkstra.find_many(some.starts, some.goals, blocked=blocked, paths=False).costs
        for kept, to in ((np.isfinite(costs), groups), (~np.isfinite(costs), parted)):
            if kept.any():
                to.append(Group(some.select(kept, costs), blocked))
    return groups, parted
