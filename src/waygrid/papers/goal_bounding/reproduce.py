"""Faster A* with Goal Bounding (Rabin and Sturtevant): Table 22.1 and section 22.6, measured again."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from waygrid.grid.make import generate
from waygrid.measure.timing import Progress
from waygrid.papers import figures
from waygrid.papers.goal_bounding import claims as goal_claims
from waygrid.papers.goal_bounding import extras as goal_extras
from waygrid.papers.goal_bounding import figures as goal_pictures
from waygrid.papers.goal_bounding.measure import (
    MAPS,
    PLAIN,
    Entry,
    Place,
    Run,
    average_runs,
    build,
    choose_paper_maps,
    load,
    measure_in_turns,
    names,
    with_boxes,
)
from waygrid.papers.goal_bounding.yardstick import Yardstick
from waygrid.papers.intervals import INTERVALS_NOTE, estimate_ratio, estimate_time
from waygrid.papers.report import INTERVAL, Cell, Report, Steps, show, whole
from waygrid.search.finder import Finder
from waygrid.search.registry import algorithms

TITLE = "Faster A* with Goal Bounding (Rabin and Sturtevant)"
SETS = tuple(dict.fromkeys(name.split("/")[0] for name in MAPS))
PAPER = {  # Table 22.1: milliseconds and A* factor
    "astar": (15.492, 1.0),
    "astar-gb": (1.888, 8.2),
    "jps+": (0.072, 215.2),
    "jps+gb": (0.010, 1549.2),
}
INTRO = "Ours beside the paper's; what differs, and why, is in docs/paper-goal-bounding.md."
NO_MAPS = (
    "No maps were measured: --maps DIR (or WAYGRID_MAPS) names a folder of MovingAI maps with their scenarios, "
    "in folders such as dao, sc1, wc3maps512; waygrid maps fetch dao downloads those of dao."
)
ROUNDS, QUICK_ROWS = 5, 200
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

    @property
    def everywhere(self) -> str:
        """What the means over everything are called: the map where there is only one."""
        return self.places[0].name if len(self.places) == 1 else f"all {len(self.places)} maps"

    @property
    def sets(self) -> list[str]:
        """The sets that the maps are of."""
        return list(dict.fromkeys(place.set for place in self.places))

    def of(self, where: str) -> dict[str, Run]:
        """Return the means of all algorithms on a map, on a set of maps or everywhere."""
        return _means([run for run in self.runs if where in (run.place, run.set, self.everywhere)], where)

    def what(self) -> str:
        """Say which problems of which maps were searched.

        >>> Found().what()
        'no maps'
        """
        parts = []
        for place in self.places:
            count = len(place.scenario)
            part = f"all {show(count)}" if count == place.rows else f"{show(count)} of the {show(place.rows)}"
            parts.append(f"{part} problems of {place.name}")
        return ", ".join(parts) or "no maps"


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
    in each of them every algorithm has its turn, and intervals are taken over them; 5 unless given. rows: problems of
    each scenario, evenly spread; all unless given (quick: 200). plain: a program, or a .cpp file, that takes the place
    of our plain A*; False for none. Without a folder of maps only sizes, the mesh and pictures are made.
    """
    figures.require()
    rounds = whole("rounds", ROUNDS if rounds is None else rounds, 1)
    rows = QUICK_ROWS if rows is None and quick else rows
    if rows is not None:
        whole("rows", rows, 1)
    files, missing = ([], []) if maps is None else choose_paper_maps(maps, only, quick)
    report = Report(TITLE, INTRO)
    with Yardstick(plain) as yardstick:
        found = Found(places=[load(file, rows) for file in files])
        if found.places:
            report.intro += f" Searched: {found.what()}."
        steps = Steps(progress, {place.name: 1 + (place.cells / 2e4) ** 2 for place in found.places} | {"sizes": 3.0})
        for place in found.places:
            steps.begin(place.name)
            _measure_map(found, place, yardstick, rounds, QUICK_TIES_CELLS if quick else TIES_CELLS, steps)
        notes = [f"Not there, so left out: {', '.join(missing)}."] if missing else []
        _add_table_22_1(report, found, [*notes, *_about_yardstick(yardstick, found)], rounds)
    steps.begin("sizes")
    if found.places:
        _add_times_table(report, found)
        _add_maps(report, found)
        if found.ties:
            goal_extras.add_ties_table(report, found.ties)
        if found.weights:
            goal_extras.add_weights_table(report, found.weights, found.everywhere)
    big = None if maps is None or quick else maps / BIG
    goal_extras.add_sizes_table(report, found.places, found.runs, big)
    goal_extras.add_mesh_table(report, rounds)
    goal_extras.add_width_table(report, 60 if quick else 200, rounds)
    everywhere = found.everywhere if found.places else ""
    goal_claims.add_claims(report, everywhere, found.of(everywhere) if found.places else {})
    _add_pictures(report, found)
    report.write(out)
    steps.end()
    return report


# --- On one map ------------------------------------------------------------------------------------------------------


def _measure_map(found: Found, place: Place, yardstick: Yardstick, rounds: int, most: int, steps: Steps) -> None:
    """Run every algorithm on the problems of a map; one set of boxes serves A*, Dijkstra and all weights.

    most: cells of a map that is also built with all ties, which takes several times as long.
    """
    every = names()
    boxes, boxes_s = build("astar-gb", place.grid, lambda share, what: steps.within(0.3 * share, what))
    entries = []
    for number, name in enumerate(every):

        def report(share: float, what: str, number: int = number) -> None:
            steps.within(0.3 + 0.4 * (number + share) / len(every), what)

        if name in ("astar-gb", "dijkstra-gb"):
            finder, seconds = (boxes if name == "astar-gb" else with_boxes(boxes, name)), boxes_s
        else:
            finder, seconds = build(name, place.grid, report)
        entries.append(Entry(name, finder, seconds))
    found.runs += measure_in_turns(
        place,
        entries,
        rounds,
        lambda share, what: steps.within(0.7 + 0.2 * share, what),
        lambda: yardstick.measure(place.file, place.scenario),
    )
    if place.cells <= WEIGHT_CELLS:
        steps.within(0.9, "overestimating")
        _measure_weights(found, place, boxes, rounds)
    if place.cells <= most:
        steps.within(0.95, "all ties")
        _measure_ties(found, place, Entry("astar-gb", boxes, boxes_s), rounds)


def _measure_weights(found: Found, place: Place, boxes: Finder, rounds: int) -> None:
    pairs = [(weight, name) for weight in WEIGHTS for name in ("astar", "astar-gb")]
    entries = [
        Entry(name, with_boxes(boxes, weight=w) if name == "astar-gb" else build(name, place.grid, weight=w)[0], 0.0)
        for w, name in pairs
    ]
    runs = measure_in_turns(place, entries, rounds)
    found.weights += [(name, weight, run) for (weight, name), run in zip(pairs, runs, strict=True)]


def _measure_ties(found: Found, place: Place, one: Entry, rounds: int) -> None:
    every_tie = Entry("astar-gb", *build("astar-gb", place.grid, ties="all"))
    pairs = [(ties, name) for ties in ("one", "all") for name in ("astar-gb", "dijkstra-gb")]
    made = {"one": one, "all": every_tie}
    entries = [Entry(name, with_boxes(made[ties].finder, name), made[ties].build_s) for ties, name in pairs]
    runs = measure_in_turns(place, entries, rounds)
    found.ties += [(ties, run) for (ties, _), run in zip(pairs, runs, strict=True)]


def _means(runs: list[Run], where: str) -> dict[str, Run]:
    """Return the mean of each algorithm over all problems of these runs."""
    return {
        name: average_runs([run for run in runs if run.algorithm == name], where)
        for name in dict.fromkeys(run.algorithm for run in runs)
    }


# --- Table 22.1 ------------------------------------------------------------------------------------------------------

_TIME, _FACTOR, _OVER_PLAIN = "us", "A* factor", "over plain A*"
_COUNTED = ("expanded", "build s", "bytes per cell", "wrong costs")


def _time_columns(found: Found) -> tuple[str, ...]:
    """Return the columns of what was timed, each followed by its interval; without a yardstick nothing is over it."""
    there = any(run.algorithm == PLAIN for run in found.runs)
    columns = (_TIME, _FACTOR, _OVER_PLAIN) if there else (_TIME, _FACTOR)
    return tuple(name for column in columns for name in (column, column + INTERVAL))


def _add_table_22_1(report: Report, found: Found, notes: list[str], rounds: int) -> None:
    columns = ("maps", "problems", "algorithm", *_time_columns(found), "ms (paper)", "A* factor (paper)", *_COUNTED)
    what = f", mean over {found.what()}" if len(found.places) == 1 else ", mean over all problems of each map"
    title = f"Table 22.1: search algorithms{what if found.places else ''}"
    table = report.table("table-22-1", title, columns, notes=notes)
    if not found.places:
        for name, (ms, factor) in PAPER.items():
            table.add("paper", None, name, *(None,) * len(_time_columns(found)), ms, factor, None, None, None, None)
        table.notes.insert(0, NO_MAPS)
        return
    table.notes += [
        f"Searched: {found.what()}.",
        f"One thread, find_many over the problems with every path written. The algorithms take turns, {rounds} rounds; "
        "times (processor time of the thread) and factors are geometric means of the rounds.",
        *([INTERVALS_NOTE] if rounds > 1 else []),
        "astar-gb and dijkstra-gb use the same boxes, ties one, built once on all cores; so do their build times.",
        "bytes per cell: of the index, per passable cell. wrong costs: paths that break the rules, and costs that are "
        "not the scenario's to 1e-4, or to six significant digits where it is written with no more.",
        "The paper's maps are those of a competition, of StarCraft, Warcraft III and Dragon Age, on a 2.4 GHz Xeon "
        "E5620.",
    ]
    for where in [*found.sets, found.everywhere] if len(found.sets) > 1 else [found.everywhere]:
        means = found.of(where)
        for name, run in means.items():
            printed = PAPER[name] if where == found.everywhere and name in PAPER else (None, None)
            table.add(where, run.problems, name, *_times(means, name), *printed, *_counts(run))


def _add_times_table(report: Report, found: Found) -> None:
    every = list(found.of(found.everywhere))
    table = report.table("times", "Mean us per path", ("map", "passable cells", "problems", *every))
    for where in dict.fromkeys([*(place.name for place in found.places), found.everywhere]):
        means = found.of(where)
        run = means["astar"]
        table.add(where, run.cells, run.problems, *(means[name].us for name in every))


def _add_maps(report: Report, found: Found) -> None:
    table = report.table(
        "maps",
        "Each map",
        ("map", "passable cells", "problems", "algorithm", *_time_columns(found), *_COUNTED, "index bytes"),
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


def _times(means: dict[str, Run], name: str) -> list[Cell]:
    """Return the time of an algorithm, and how many times as fast it is as our A* and as the plain one, if it ran."""
    run = means[name]
    cells: list[Cell] = [*estimate_time(run.times).cells]
    for base in ("astar", PLAIN):
        if base == name:
            cells += [1, None]
        elif base in means:
            cells += estimate_ratio(means[base].times, run.times).cells
    return cells


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
        return [
            f"There is no plain A* in C++ to compare with: {yardstick.missing}. The A* factor is against our own A* "
            "alone."
        ]
    return [
        "A* factor: against our own astar, as the paper's is against its own A*. over plain A*: against a textbook A* "
        "in C++ (binary heap, float costs, cost only), run in turn with ours."
    ]


# --- Figures ---------------------------------------------------------------------------------------------------------


def _add_pictures(report: Report, found: Found) -> None:
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
    means = found.of(found.everywhere)
    paper_us = {name: 1e3 * ms for name, (ms, _) in PAPER.items()}
    over = [means[base].us if base in means else None for base in ("astar", PLAIN)]
    factors = {
        name: (*(None if us is None else us / means[name].us for us in over), factor)
        for name, (_, factor) in PAPER.items()
    }
    report.figure(
        "times",
        goal_pictures.times_chart({name: run.us for name, run in means.items()}, paper_us, factors),
        f"Table 22.1: mean time per path and A* factors beside the paper's; {found.what()}.",
        "Two bar charts on logarithmic scales: time per path of every algorithm, with the paper's as diamonds; and how "
        "many times as fast as A* they are, against our A*, a plain one in C++ and in the paper.",
    )
