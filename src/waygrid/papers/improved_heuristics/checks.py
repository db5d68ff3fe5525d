"""Improved Heuristics put to the test: what must be expanded, Algorithm 1 as printed, bridges and trails, corners."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.classic.distances import distances
from waygrid.algorithms.make import make_finder
from waygrid.algorithms.zones.bridges import mark_trails
from waygrid.algorithms.zones.dead_end import relevant_zones
from waygrid.algorithms.zones.zones import Ports, decompose, find_ports
from waygrid.core import layout
from waygrid.grid.grid import Grid
from waygrid.grid.make import generate
from waygrid.grid.topology import CORNERS
from waygrid.measure.problems import random_problems
from waygrid.papers.improved_heuristics import measure as measures
from waygrid.papers.improved_heuristics.measure import ALL, DEMO_MAP, LARGE_MAP, TOP, UNIT, Place, Run
from waygrid.papers.improved_heuristics.tables import PAPER, percent, printed_row
from waygrid.papers.report import Report, show
from waygrid.search.finder import Finder

EXPANDING = ("octile", "gateway, whole gates", "gateway")  # methods whose expansions are looked into
SMALL = ({"width": 24, "height": 18, "room": 6}, {"width": 36, "height": 24, "room": 8})  # of an indoor map
_TRAIL_STEPS = 1_000_000  # of one enumeration, as many as the finder takes
_SEARCHES = 50  # of dead-end, by bridges and by trails
_ENUMERATED = 100  # zones: game maps of more are left out


# --- Expansions ------------------------------------------------------------------------------------------------------


class Expansions(NamedTuple):
    """What some searches of a map expanded, in means, beside the cells that their estimate calls for."""

    group: str
    searches: str
    method: str
    nodes: float
    repeated: float  # expansions of a cell that was expanded before
    below: float  # cells whose cost from the start and estimate are together less than the cost of the path
    up_to: float  # or equal to it


def expansions(place: Place, searches: str, method: str, finder: Finder, most: int) -> Expansions:
    """Trace some searches of a map, and count the cells whose cost and estimate stay within the cost of the path."""
    problems, labels = place.problems(searches), place.grid.components
    rows = []
    for k in np.unique(np.linspace(0, len(problems) - 1, most).astype(np.int64)).tolist():
        start, goal = (tuple(side[k].tolist()) for side in (problems.starts, problems.goals))
        events = finder.trace(start, goal).events
        nodes = events["node"][events["kind"] == layout.E_EXPANDING]
        y, x = np.nonzero(labels == labels[start[1], start[0]])
        cells = np.stack((x, y), axis=1)
        batch = finder.find_many(cells, np.broadcast_to(problems.goals[k], cells.shape), max_expansions=1, paths=False)
        least = UNIT * np.asarray(distances(place.grid, start))[y, x] + batch.rows[:, layout.ROW_ESTIMATE]
        cost = UNIT * problems.costs[k]
        rows.append((len(nodes), len(nodes) - len(np.unique(nodes)), (least < cost).sum(), (least <= cost).sum()))
    return Expansions(place.group, searches, method, *np.mean(rows, axis=0).tolist())


def add_expansions_table(report: Report, found: Sequence[Expansions], traced: int) -> None:
    """Add what the estimate calls for, and what was expanded."""
    table = report.table(
        "expansions",
        "Expansions: what the estimate calls for, and what was",
        ("maps", "searches", "algorithm", "f < cost", "f <= cost", "nodes", "of them repeated", "nodes (paper)"),
        notes=(
            f"Up to {traced} searches of each map, evenly spread, so that nodes are not quite those of Table 1.",
            "f: least cost from the start and estimate of a cell. With a consistent estimate every A* expands the "
            "cells below the cost of the path, and ties decide on those equal to it.",
            "The gateway estimate is admissible, not consistent: a cell below the cost may stay hidden behind others, "
            "and a closed cell may be reached at less cost and be expanded again (repeated).",
        ),
    )
    for key in dict.fromkeys(row[:3] for row in found):
        rows = np.array([row[3:] for row in found if row[:3] == key])
        nodes, repeated, below, up_to = rows.mean(axis=0).tolist()
        paper = printed_row(*key)
        table.add(*key, below, up_to, nodes, percent(repeated / nodes, 1), None if paper is None else paper[2])


# --- The printed algorithm -------------------------------------------------------------------------------------------


class Printed(NamedTuple):
    """What the printed decomposition does on a map."""

    zones: int
    printed_zones: int
    marked_walls: int
    searches: int
    wrong: int  # costs found with its zones, walls taken out of them, that are not dijkstra's


def try_printed(place: Place) -> Printed:
    """Cut a map into zones by Algorithm 1 as it stands, with walls taken out of its zones, and search with them."""
    problems = place.problems(ALL)
    right, other = decompose(place.grid), decompose(place.grid, "printed")
    wrong = 0
    for name in ("dead-end", "gateway"):
        finder = make_finder(name, place.grid, decomposition="printed")
        wrong += int((finder.find_many(problems.starts, problems.goals, paths=False).costs != problems.costs).sum())
    return Printed(right.count, other.count, other.marked_walls, 2 * len(problems), wrong)


def add_printed_table(report: Report, places: Sequence[Place]) -> None:
    """Add what Algorithm 1 does as it is printed."""
    found = [(place.name, try_printed(place)) for place in places]
    marked = sum(row.marked_walls > 0 for _, row in found)
    table = report.table(
        "decomposition",
        "Algorithm 1 as printed, and repaired",
        ("map", "zones", "zones, printed", "walls that it marks", "searches", "wrong costs"),
        notes=(
            f"As printed it takes walls for zones on {marked} of {len(found)} maps: it does not see that nothing is "
            "free below a line, and does not keep the left border that it found.",
            "wrong costs: of dead-end and gateway with the printed zones, walls taken out of them. Zones need not be "
            "good to be safe.",
        ),
    )
    for name, row in found:
        table.add(name, *row)


# --- Bridges and trails ----------------------------------------------------------------------------------------------


class Relevance(NamedTuple):
    """Relevant zones of pairs of zones, by bridges and by enumerating trails."""

    zones: int
    gates: int
    pairs: int
    finished: int  # of the enumerations
    differ: int  # of those that finished
    bridge_nodes: float  # per search of the finder
    trail_nodes: float


def relevance(grid: Grid, pairs: int, searches: int, seed: int = 0) -> Relevance:
    """Compare the relevant zones of random pairs of zones, and what searches between random cells expand."""
    ports = find_ports(grid)
    ends = (np.random.Generator(np.random.PCG64(seed)).random((pairs, 2)) * ports.zones).astype(np.int64)
    finished = differ = 0
    for start, goal in ends.tolist():
        marks = trails(ports, start, goal)
        if marks is not None:
            finished += 1
            differ += bool((marks != relevant_zones(ports, start, goal)).any())
    problems = random_problems(grid, searches, seed=seed)
    nodes = []
    for kind in ("bridges", "trails"):
        finder = make_finder("dead-end", grid, relevance=kind)
        nodes.append(float(finder.find_many(problems.starts, problems.goals, paths=False).expanded.mean()))
    return Relevance(ports.zones, len(ports.sides), pairs, finished, differ, *nodes)


def trails(ports: Ports, start: int, goal: int) -> npt.NDArray[np.bool_] | None:
    """Return the zones on trails between two zones; None where there are too many trails.

    >>> ports = find_ports(Grid([[1, 1, 0, 1, 1], [1, 1, 1, 1, 1], [0, 0, 0, 0, 1]]))
    >>> trails(ports, 0, 0).tolist(), trails(ports, 0, 1).tolist()
    ([True, False], [True, True])
    """
    gates = len(ports.sides)
    used, stack, marks = np.zeros(gates, np.int64), np.zeros(gates + 1, np.int64), np.zeros(ports.zones, np.int64)
    done = mark_trails(ports.first, ports.enters, ports.gate, start, goal, used, stack, marks, 1, _TRAIL_STEPS)
    if not done:
        return None
    found: npt.NDArray[np.bool_] = marks != 0
    return found if found[goal] else np.zeros_like(found)  # parted: the enumeration marks where it began


def small_floors(count: int, corners: str) -> Iterable[tuple[str, Grid]]:
    """Yield small indoor maps, on which trails can be enumerated."""
    for size in SMALL:
        for seed in range(count):
            grid = generate("indoor", seed=seed, corners=corners, metric=measures.METRIC, **size)  # type: ignore[arg-type]
            yield f"indoor {size['width']} x {size['height']}, seed {seed}", grid


def add_trails_table(report: Report, places: Sequence[Place], floors: int, pairs: int, corners: str) -> None:
    """Add the comparison of dead ends by bridges with the paper's enumeration."""
    table = report.table(
        "relevance",
        "Relevant zones by bridges, and by the paper's enumeration of trails",
        ("map", "zones", "gates", "pairs of zones", "finished", "differ", "nodes, bridges", "nodes, trails"),
        notes=(
            "An enumeration is given up after a million steps; differ: of those that finished.",
            "nodes: of the dead-end search; where trails are too many, all zones count as relevant to it.",
            f"Game maps of more than {_ENUMERATED} zones are left out.",
        ),
    )
    grids = [*small_floors(floors, corners)]
    grids += [(p.name, p.grid) for p in places if p.group == DEMO_MAP or decompose(p.grid).count <= _ENUMERATED]
    for name, grid in grids:
        table.add(name, *relevance(grid, pairs, _SEARCHES))


# --- Corner rules ----------------------------------------------------------------------------------------------------


def corner_rules(grid: Grid, searches: int, draws: int) -> Iterable[tuple[str, list[float], list[float]]]:
    """Yield mean cost, octile estimate and nodes of a map's longest searches under each rule, and how draws differ."""
    for corners in CORNERS:
        same = Grid(grid.passable, corners=corners, metric=measures.METRIC)
        octile = {"octile": make_finder("astar", same)}
        rows = []
        for seed in range(draws):
            place = measures.with_problems("", "", same, searches, seed)
            run = measures.measure(place, TOP, octile, 1)[0]
            rows.append((run.cost, run.estimate, run.nodes))
        values = np.array(rows)
        yield corners, values.mean(axis=0).tolist(), values.std(axis=0, ddof=min(1, draws - 1)).tolist()


def add_corners_table(report: Report, places: Sequence[Place], draws: int) -> None:
    """Add the large map under each corner rule, as the paper does not say which it has."""
    for place in places:
        if place.group == LARGE_MAP:
            names = ("path cost", "estimate", "nodes")
            table = report.table(
                "corners",
                f"{place.name}, top 10 %, octile: which corner rule?",
                ("corners", *(column for name in names for column in (name, f"{name} ±"))),
                notes=(
                    f"±: standard deviation of one draw of problems, from {draws} {'draw' if draws == 1 else 'draws'}.",
                ),
            )
            for corners, means, spread in corner_rules(place.grid, place.searches, draws):
                table.add(corners, *(value for pair in zip(means, spread, strict=True) for value in pair))
            cost, rows = PAPER[LARGE_MAP, TOP]
            table.add("paper", cost, None, rows["octile"][0], None, rows["octile"][1], None)


# --- All of them -----------------------------------------------------------------------------------------------------


def add_verdict(report: Report, runs: Sequence[Run]) -> None:
    """Say before everything else whether every search was optimal and every check held; loudly if not."""
    faults, wrong = [], [run for run in runs if run.wrong]
    if wrong:
        faults.append(f"WRONG COSTS: {sum(run.wrong for run in wrong)} searches, see wrong-costs.")
        columns = ("map", "searches", "blocked", "algorithm", "wrong", "of", "first")
        table = report.table("wrong-costs", "WRONG COSTS", columns)
        for run in wrong:
            where = (run.place, run.searches, percent(run.blocked), run.method)
            table.add(*where, run.wrong, run.problems, run.example or "a path where there is none")
    if sum(report.tables["decomposition"].column("wrong costs")):
        faults.append("WRONG COSTS with the printed zones, see decomposition.")
    if sum(report.tables["relevance"].column("differ")):
        faults.append("BRIDGES AND TRAILS DIFFER, see relevance.")
    if faults:
        report.intro = " ".join([*faults, report.intro])
    else:
        searches = sum(run.problems + run.parted for run in runs)
        report.intro += f" Every cost is dijkstra's, in all {show(searches)} searches of all methods."
