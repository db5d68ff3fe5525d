"""Faster A* with Goal Bounding (Rabin and Sturtevant): Table 22.1 and section 22.6, measured again."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from waygrid.finders.registry import algorithms
from waygrid.grid.make import generate
from waygrid.papers import figures, goal_claims, goal_extras, goal_pictures
from waygrid.papers.goal_measures import (
    MAPS,
    Place,
    Run,
    build,
    chosen_maps,
    load,
    measure,
    names,
    together,
    with_boxes,
)
from waygrid.papers.report import Progress, Report, Steps, whole
from waygrid.papers.yardstick import Yardstick

TITLE = "Faster A* with Goal Bounding (Rabin and Sturtevant)"
SETS = tuple(dict.fromkeys(name.split("/")[0] for name in MAPS))
PAPER = {  # Table 22.1: milliseconds and A* factor
    "astar": (15.492, 1.0),
    "astar-gb": (1.888, 8.2),
    "jps+": (0.072, 215.2),
    "jps+gb": (0.010, 1549.2),
}
PLAIN = "plain A* (C++)"
EVERYWHERE = "all maps"
NO_MAPS = (
    "No maps were measured: --maps DIR (or WAYGRID_MAPS) names a folder of MovingAI maps with their scenarios, "
    "in folders such as dao, sc1, wc3maps512; waygrid maps fetch dao downloads those of dao."
)
ROUNDS, QUICK_ROUNDS, QUICK_ROWS = 5, 2, 200
WEIGHTS = (1.0, 1.5, 2.0)
TIES_CELLS, QUICK_TIES_CELLS = 30_000, 10_000  # maps up to this size are also built with all ties
WEIGHT_CELLS = 110_000  # and up to this one searched with weights
BIG = "sc1/Expedition.map"  # a StarCraft map of 1024 x 1024


@dataclass
class Found:
    """Everything that was measured on maps."""

    places: list[Place] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    ties: list[tuple[str, Run]] = field(default_factory=list)
    weights: list[tuple[str, float, Run]] = field(default_factory=list)

    def of(self, where: str) -> dict[str, Run]:
        """Return the means of all algorithms on a map, on a set of maps or everywhere."""
        return _means([run for run in self.runs if where in (run.place, run.set, EVERYWHERE)], where)


def reproduce(
    out: Path,
    *,
    quick: bool = False,
    maps: Path | None = None,
    progress: Progress | None = None,
    only: str | None = None,
    rounds: int | None = None,
    rows: int | None = None,
    plain: str | Path | bool | None = None,
) -> Report:
    """Measure everything, write tables and figures into `out` and return the report.

    only: names of maps, divided by commas; a list of small and middle-sized ones unless given (quick: arena2). rounds:
    of each algorithm, the quickest counts. rows: problems of each scenario, evenly spread; all unless given (quick:
    200). plain: a program, or a .cpp file, that takes the place of benchmarks/plain_astar.cpp; False for none.
    Without a folder of maps only sizes, the mesh and pictures are made.
    """
    figures.require()
    rounds = whole("rounds", (QUICK_ROUNDS if quick else ROUNDS) if rounds is None else rounds, 1)
    rows = QUICK_ROWS if rows is None and quick else rows
    if rows is not None:
        whole("rows", rows, 1)
    files, missing = ([], []) if maps is None else chosen_maps(maps, only, quick)
    report = Report(TITLE, "Ours beside the paper's; what differs, and why, is in docs/paper-goal-bounding.md.")
    with Yardstick(plain) as yardstick:
        found = Found(places=[load(file, rows) for file in files])
        steps = Steps(progress, {place.name: 1 + (place.cells / 2e4) ** 2 for place in found.places} | {"sizes": 3.0})
        for place in found.places:
            steps.begin(place.name)
            _measure_map(found, place, yardstick, rounds, QUICK_TIES_CELLS if quick else TIES_CELLS, steps)
        notes = [f"Not there, so left out: {', '.join(missing)}."] if missing else []
        _table_22_1(report, found, [*notes, *_about_yardstick(yardstick, found)])
    steps.begin("sizes")
    if found.places:
        _times_table(report, found)
        _maps(report, found)
        if found.ties:
            goal_extras.ties_table(report, found.ties)
        if found.weights:
            goal_extras.weights_table(report, found.weights, EVERYWHERE)
    big = None if maps is None or quick else maps / BIG
    goal_extras.sizes_table(report, found.places, found.runs, big)
    goal_extras.mesh_table(report, rounds)
    goal_extras.width_table(report, 60 if quick else 200, rounds)
    goal_claims.claims(report, EVERYWHERE)
    _pictures(report, found)
    report.write(out)
    steps.end()
    return report


# --- On one map ------------------------------------------------------------------------------------------------------


def _measure_map(found: Found, place: Place, yardstick: Yardstick, rounds: int, most: int, steps: Steps) -> None:
    """Run every algorithm on the problems of a map; one set of boxes serves A*, Dijkstra and all weights.

    most: cells of a map that is also built with all ties, which takes several times as long.
    """
    steps.within(0.0, PLAIN)
    theirs = yardstick.measure(place.file, place.scenario)
    if theirs is not None:
        problems = len(place.scenario)
        row = Run(place.name, place.set, place.cells, PLAIN, problems, theirs.us, theirs.expanded, 0.0, 0, 0, 0.0)
        found.runs.append(row)
    every = names()
    boxes, boxes_s = build("astar-gb", place.grid, lambda share, what: steps.within(0.4 * share, what))
    for number, name in enumerate(every):

        def tell(share: float, what: str, number: int = number, name: str = name) -> None:
            part = 0.8 + 0.2 * share if what == "asking" else 0.8 * share  # building comes first and takes longest
            steps.within(0.4 + 0.5 * (number + part) / len(every), f"{what} {name}" if what == "asking" else what)

        if name in ("astar-gb", "dijkstra-gb"):
            finder, seconds = (boxes if name == "astar-gb" else with_boxes(boxes, name)), boxes_s
        else:
            finder, seconds = build(name, place.grid, tell)
        found.runs.append(measure(place, name, finder, seconds, rounds, tell))
    if place.cells <= WEIGHT_CELLS:
        steps.within(0.9, "overestimating")
        for weight in WEIGHTS:
            plain, _ = build("astar", place.grid, weight=weight)
            for name, finder in (("astar", plain), ("astar-gb", with_boxes(boxes, weight=weight))):
                found.weights.append((name, weight, measure(place, name, finder, 0.0, rounds)))
    if place.cells <= most:
        steps.within(0.95, "all ties")
        every_tie, every_s = build("astar-gb", place.grid, ties="all")
        for ties, finder, seconds in (("one", boxes, boxes_s), ("all", every_tie, every_s)):
            for name in ("astar-gb", "dijkstra-gb"):
                run = measure(place, name, with_boxes(finder, name), seconds, rounds)
                found.ties.append((ties, run))


def _means(runs: list[Run], where: str) -> dict[str, Run]:
    """Return the mean of each algorithm over all problems of these runs."""
    return {
        name: together([run for run in runs if run.algorithm == name], where)
        for name in dict.fromkeys(run.algorithm for run in runs)
    }


# --- Table 22.1 ------------------------------------------------------------------------------------------------------

_MEASURED = ("us", "A* factor", "over plain A*")
_COUNTED = ("expanded", "build s", "bytes per cell", "wrong costs")


def _table_22_1(report: Report, found: Found, notes: list[str]) -> None:
    columns = ("maps", "problems", "algorithm", *_MEASURED, "ms (paper)", "A* factor (paper)", *_COUNTED)
    table = report.table("table-22-1", "Table 22.1: search algorithms, mean over all problems", columns, notes=notes)
    if not found.places:
        for name, (ms, factor) in PAPER.items():
            table.add("paper", None, name, None, None, None, ms, factor, None, None, None, None)
        table.notes.insert(0, NO_MAPS)
        return
    table.notes += [
        "One thread, find_many over the whole scenario with every path written; the quickest of several rounds.",
        "astar-gb and dijkstra-gb use the same boxes, ties one, built once on all cores; so do their build times.",
        "bytes per cell: of the index, per passable cell. wrong costs: not the scenario's to 1e-4 (dao, bgmaps, sc1, "
        "wc3maps512, cities) or to six significant digits (the others).",
        "The paper's maps are those of a competition, of StarCraft, Warcraft III and Dragon Age, on a 2.4 GHz Xeon "
        "E5620.",
    ]
    sets = list(dict.fromkeys(place.set for place in found.places))
    for where in [*sets, EVERYWHERE] if len(sets) > 1 else [EVERYWHERE]:
        means = found.of(where)
        for name, run in means.items():
            printed = PAPER[name] if where == EVERYWHERE and name in PAPER else (None, None)
            table.add(where, run.problems, name, *_times(means, name), *printed, *_counts(run))


def _times_table(report: Report, found: Found) -> None:
    every = list(found.of(EVERYWHERE))
    table = report.table("times", "Mean us per path", ("map", "passable cells", "problems", *every))
    for where in [*(place.name for place in found.places), EVERYWHERE]:
        means = found.of(where)
        run = means["astar"]
        table.add(where, run.cells, run.problems, *(means[name].us for name in every))


def _maps(report: Report, found: Found) -> None:
    table = report.table(
        "maps",
        "Each map",
        ("map", "passable cells", "problems", "algorithm", *_MEASURED, *_COUNTED, "index bytes"),
    )
    for place in found.places:
        means = found.of(place.name)
        for name, run in means.items():
            table.add(
                place.name,
                run.cells,
                run.problems,
                name,
                *_times(means, name),
                *_counts(run),
                _index(run, run.index_bytes),
            )


def _times(means: dict[str, Run], name: str) -> tuple[float, float, float | None]:
    """Return the time of an algorithm, and how many times as fast it is as our A* and as the plain one."""
    us = means[name].us
    return us, means["astar"].us / us, means[PLAIN].us / us if PLAIN in means else None


def _counts(run: Run) -> tuple[float, float | None, float | None, int | None]:
    wrong = None if run.algorithm == PLAIN else run.wrong
    return run.expanded, _index(run, run.build_s), _index(run, run.index_bytes / run.cells), wrong


def _index(run: Run, value: float) -> float | None:
    """Return a figure of the index, None for an algorithm without one."""
    known = algorithms()
    return value if run.algorithm in known and known[run.algorithm].index else None


def _about_yardstick(yardstick: Yardstick, found: Found) -> list[str]:
    if not found.places:
        return []
    if yardstick.missing:
        return [f"No plain A* to compare with: {yardstick.missing}. The A* factor is against our own A* alone."]
    return [
        "A* factor: against our own astar, as the paper's is against its own A*. over plain A*: against a textbook A* "
        "in C++ (binary heap, float costs, cost only), run in turn with ours."
    ]


# --- Figures ---------------------------------------------------------------------------------------------------------


def _pictures(report: Report, found: Found) -> None:
    floor = generate("indoor", width=48, height=30, seed=5, room=8)
    report.picture(
        "figure-22-1",
        goal_pictures.box_picture(floor, (20, 8), "W", 9),
        "Figures 22.1, 22.4 and 22.5: where one move leads, its box, and the boxes of all moves of a cell.",
        "The same floor three times: cells best reached by going west first, the box around them, and a colour and a "
        "box for every first move.",
    )
    if not found.places:
        return
    means = found.of(EVERYWHERE)
    paper_us = {name: 1e3 * ms for name, (ms, _) in PAPER.items()}
    factors = {name: (*_times(means, name)[1:], factor) for name, (_, factor) in PAPER.items()}
    report.figure(
        "times",
        goal_pictures.times_chart({name: run.us for name, run in means.items()}, paper_us, factors),
        "Table 22.1: mean time per path and A* factors, beside the paper's.",
        "Two bar charts on logarithmic scales: time per path of every algorithm, with the paper's as diamonds; and how "
        "many times as fast as A* they are, against our A*, a plain one in C++ and in the paper.",
    )
