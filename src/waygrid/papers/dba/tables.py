"""The tables of the DBA* paper: all configurations, Figures 6 to 8 as numbers, trimming, maps, the example."""

from __future__ import annotations

from typing import Any

from waygrid.papers.dba.authors import DBA, PRA, Java, java_of
from waygrid.papers.dba.figures import EXAMPLE, GOAL, SECTOR, START, Series, Step
from waygrid.papers.dba.measure import FOLDER, TRIM_NAMES, Found, Place, Run, Way
from waygrid.papers.report import INTERVAL, Report, show

AS_PRINTED, DEFAULT, AUTHORS = "as in the paper", "waygrid's default", "authors' Java"
NO_MAPS = (
    "No game maps were searched: --maps DIR (or WAYGRID_MAPS) names a folder with MovingAI's maps of Dragon Age: "
    f"Origins in a folder {FOLDER}; waygrid maps fetch {FOLDER} downloads them."
)
FIGURES: dict[str, tuple[str, tuple[str, str], tuple[str, str]]] = {  # title, then x and y: attribute and name
    "figure-6": ("Suboptimality and move time", ("us_move", "us per move"), ("above", "above the optimum, %")),
    "figure-7": ("Suboptimality and memory", ("kb", "index, KB"), ("above", "above the optimum, %")),
    "figure-8": ("Generation time and size", ("kb", "index, KB"), ("build_s", "generation, s")),
}
EACH = (Way("pra", 16, None, True), Way("hcdps", None, 1, True), Way("dba", 16, 1, True), Way("dba", 32, 2, True))
WAY = ("algorithm", "sector", "level", "trim")
PAPER_EXAMPLE = (23, 11, 0)


def add_configurations(report: Report, found: Found) -> None:
    """Add how good and how fast every configuration is, as means over the maps."""
    table = report.table(
        "configurations",
        f"All configurations: {_means_over(found)}",
        (
            *WAY,
            "maps",
            "solved",
            "of",
            "by A*",
            "above %",
            f"above %{INTERVAL}",
            "worst %",
            "deviation %",
            "us",
            "us per move",
            "expanded",
            "index KB",
            "generation s",
        ),
        notes=_about(found),
    )
    for way in found.ways():
        run = found.mean(way)
        quality = (*found.above(way).cells, run.worst, run.spread, run.us, run.us_move, run.expanded)
        built = (None, None) if way.algorithm == "astar" else (run.kb, run.build_s)
        table.add(*way.cells, run.maps, run.solved, run.problems, run.searched, *quality, *built)


def add_indexes(report: Report, found: Found) -> None:
    """Add what every configuration keeps, beside the authors' Java; trimming makes no difference to it."""
    pairs = {"kb": "KB", "build_s": "s", "regions": "regions", "paths": "paths"}
    table = report.table(
        "indexes",
        f"Indexes, beside the authors' Java: {_means_over(found)}",
        (
            *WAY[:3],
            *(column for name in pairs.values() for column in (name, f"{name} (Java)")),
            "subgoals",
            "paths alone (Java)",
            "with matrix (Java)",
            "compact KB",
            "agent KB",
            "search KB",
        ),
        notes=(
            "s: generation on all cores, the quicker of two. compact: pra in Sturtevant's layout.",
            "agent: the most that one of the agents below owned at a time, mean over the problems.",
            "search: what a thread that answers `find` sets aside, room for an A* over the whole map included.",
            "KB (Java): paths and a run-length table of next hops; with matrix (KB): the R x R matrix of the text.",
        ),
    )
    ways: dict[Any, Way] = {}
    for way in found.ways():
        if way.algorithm != "astar":
            ways.setdefault(way.kept, way)
    for way in ways.values():
        run, java = found.mean(way), java_of(way.algorithm, way.sector, way.level, True)
        both = [(getattr(run, name), _value(java, name)) for name in pairs]
        theirs = (_value(java, "paths_kb"), _value(java, "matrix_kb"))
        compact = None if run.compact_bytes is None else run.compact_bytes / 1e3
        cells = (value for pair in both for value in pair)
        table.add(
            *way.cells[:3],
            *cells,
            run.subgoals,
            *theirs,
            compact,
            run.agent_bytes / 1e3,
            (run.scratch_bytes or 0) / 1e3,
        )


def add_agents(report: Report, found: Found) -> None:
    """Add what real-time agents do on the same problems: response time, ways and memory (section 2)."""
    table = report.table(
        "agents",
        f"Agents: the same problems in real time, {_means_over(found)}",
        (
            *WAY[:3],
            "arrived",
            "of",
            "above %",
            "find: above %",
            "first step us",
            "longest step us",
            "fixed KB",
            "agent B",
        ),
        notes=(
            "Ten expansions a step. first, longest: of an agent, by the clock, median over the problems of a map.",
            "fixed: the index, which all agents share. agent: the most that an agent owned at a time, mean.",
        ),
    )
    for way in found.ways():
        run = found.mean(way)
        if run.walk is not None:
            walk = run.walk
            row = (walk.arrived, run.problems, walk.above, run.above, walk.first_us, walk.longest_us)
            table.add(*way.cells[:3], *row, run.kb, walk.bytes)


def _about(found: Found) -> list[str]:
    places = found.places
    cells = sum(place.cells for place in places) / len(places)
    moves = found.mean(Way("astar")).moves
    return [
        *found.left_out,
        f"{_count_maps(places)}: {', '.join(place.name for place in places)}; in the mean {cells:.0f} passable cells "
        f"and {moves:.0f} moves on a cheapest path; corners never, costs 10 and 14.",
        "trim: paper = as the papers describe it (dba: at every joint; hcdps: at both ends); true = smoothed as well, "
        "waygrid's default (pra: its 10 %); false = none.",
        "above, worst: cost above astar's, mean and largest. deviation: standard deviation within a map, mean over the "
        "maps. by A*: answers of dba and hcdps for which a plain A* stepped in.",
        "us: find_many on one thread, every path written, processor time. Configurations take turns, several rounds. "
        "Problems are asked in calls of about a millisecond; of each call the quickest round counts. expanded: of dba "
        "and hcdps the moves that were made.",
        "[low, high]: the interval that holds the true mean with 95 %, by Student's t over the "
        f"{'maps' if len(places) > 1 else 'problems of the map'}.",
        "generation: on all cores, the quicker of two.",
    ]


def _means_over(found: Found) -> str:
    """Say what the rows are means of: one map is named."""
    return f"means over {_count_maps(found.places)}" if len(found.places) > 1 else f"on {found.places[0].name} alone"


def _count_maps(places: list[Place]) -> str:
    return "1 map" if len(places) == 1 else f"{len(places)} maps"


# --- Figures 6 to 8 --------------------------------------------------------------------------------------------------


def _series(way: Way) -> tuple[str, str]:
    """Return the name of the line on which a configuration lies, and of the point."""
    if way.algorithm == "dba":
        return f"DBA* {way.sector}", f"L{way.level}"
    if way.algorithm == "pra":
        return "PRA*", str(way.sector)
    return ("HCDPS", f"L{way.level}") if way.algorithm == "hcdps" else ("sgLRTA*", "")


def _points(found: Found, trim: Any) -> dict[tuple[str, str], Run | Java]:
    """Return the points of a plot: dba and hcdps trimmed in this way, pra always by its tenth."""
    wanted = {"dba": trim, "hcdps": trim, "pra": True, "sglrta": None}
    ways = [way for way in found.ways() if way.algorithm in wanted and way.trim == wanted[way.algorithm]]
    return {_series(way): found.mean(way) for way in sorted(ways, key=lambda way: way.algorithm)}


def sources(found: Found) -> dict[str, dict[tuple[str, str], Run | Java]]:
    """Return all points: ours as in the paper, ours by default, and those of the authors' Java."""
    ours = _points(found, True)
    java: dict[tuple[str, str], Run | Java] = {_series(Way("dba", *key)): value for key, value in DBA.items()}
    java |= {_series(Way("pra", sector)): value for sector, value in PRA.items()}
    measured = {key: value for key, value in java.items() if key in ours}
    return {AS_PRINTED: _points(found, "paper"), DEFAULT: ours, AUTHORS: measured}


def add_figure(report: Report, found: Found, name: str) -> dict[str, Series]:
    """Add the numbers of a figure; return them as they are drawn."""
    title, x, y = FIGURES[name]
    every = sources(found)
    if name == "figure-8":  # trimming is a matter of queries
        every = {"waygrid": every[DEFAULT], AUTHORS: every[AUTHORS]}
    columns = [f"{axis[1]} ({source})" for source in every for axis in (x, y)]
    number = name.removeprefix("figure-")
    table = report.table(name, f"Figure {number}: {title.lower()}", ("series", "point", *columns))
    for key in next(iter(every.values())):
        there = [points.get(key) for points in every.values()]
        table.add(*key, *(_value(point, axis[0]) for point in there for axis in (x, y)))
    panels: dict[str, dict[str, list[tuple[float, float, str]]]] = {}
    for source, points in every.items():
        panel = panels.setdefault(source, {})
        for (series, label), point in points.items():
            panel.setdefault(series, []).append((getattr(point, x[0]), getattr(point, y[0]), label))
    return panels  # type: ignore[return-value]


def _value(point: Run | Java | None, attribute: str) -> float | None:
    return None if point is None else getattr(point, attribute)


# --- Beside the authors' ---------------------------------------------------------------------------------------------


def add_beside_authors(report: Report, found: Found) -> None:
    """Add ours and the authors' Java, configuration by configuration."""
    names = {"above": "above %", "worst": "worst %", "us": "us", "us_move": "us per move"}
    table = report.table(
        "authors",
        "Beside the authors' Java on the same problems",
        (*WAY, *(column for name in names.values() for column in (name, f"{name} (Java)"))),
        notes=(
            "Java: ubco-db/database-pathfinding, run by us on another machine (JVM 17, warm, the paper's ten maps); "
            "its code of the paper's time for trimmed DBA*, that of 2024 for the rest. Times do not compare as such.",
            "Its PRA* trims as the paper says, after a repair: as shipped it returns broken paths.",
        ),
    )
    for way in found.ways():
        java = java_of(way.algorithm, way.sector, way.level, way.trim is not False)
        if java is not None:
            run = found.mean(way)
            pairs = [(getattr(run, name), getattr(java, name)) for name in names]
            table.add(*way.cells, *(value for pair in pairs for value in pair))


def add_trimming(report: Report, found: Found) -> None:
    """Add what the optimisations of section 4.4 do: trimming, and paths to more neighbours."""
    table = report.table(
        "trimming",
        "Trimming and neighbourhood depth (section 4.4)",
        (*WAY, "above %", "worst %", "us per move", "index KB"),
    )
    plain = [way for way in found.ways() if way.trim is False]
    for way in plain:
        for trim in (False, "paper", True):
            other = way._replace(trim=trim)
            if other in found.ways():
                run = found.mean(other)
                table.add(*other.cells, run.above, run.worst, run.us_move, run.kb)


def add_maps(report: Report, found: Found) -> None:
    """Add single maps, for some configurations."""
    table = report.table(
        "maps",
        "Each map, some configurations",
        (
            "map",
            "passable cells",
            "moves",
            "configuration",
            "above %",
            "worst %",
            "deviation %",
            "us",
            "us per move",
            "index KB",
            "generation s",
        ),
    )
    shown = (*EACH, *(way._replace(trim="paper") for way in EACH[1:]), Way("sglrta"))
    for place in found.places:
        least = next(run for run in found.runs if run.place == place.name and run.way == Way("astar"))
        for run in found.runs:
            if run.place == place.name and run.way in shown:
                rest = (run.above, run.worst, run.spread, run.us, run.us_move, run.kb, run.build_s)
                table.add(place.name, place.cells, least.moves, str(run.way), *rest)


def add_example(report: Report, steps: list[Step]) -> None:
    """Add Figures 3 to 5 as numbers."""
    size = f"caves, {EXAMPLE['width']} x {EXAMPLE['height']}, seed {EXAMPLE['seed']}"
    table = report.table(
        "figures-3-to-5",
        "Figures 3 to 5: one problem, three steps",
        ("figure", "level", "trim", "cost", "above %", "above % (paper)"),
        notes=(
            f"The paper's map is not published. Ours is generated ({size}, sectors of {SECTOR}), picked, with the "
            f"problem {START} to {GOAL}, from 240 maps with up to 300 problems each for steps like the paper's.",
        ),
    )
    for step, printed in zip(steps, PAPER_EXAMPLE, strict=True):
        table.add(step.title, step.way.level, TRIM_NAMES[step.way.trim], step.path.cost, step.above, printed)


def add_verdict(report: Report, found: Found) -> None:
    """Say before everything else whether every path is legal and every problem is solved; loudly if not."""
    wrong = [run for run in found.runs if run.wrong]
    if not wrong:
        paths = sum(run.problems for run in found.runs)
        report.intro += f" All problems were solved, and all {show(paths)} paths are legal, none below astar's cost."
        return
    report.intro = f"WRONG PATHS: {sum(run.wrong for run in wrong)}, see wrong-paths. {report.intro}"
    table = report.table("wrong-paths", "WRONG PATHS", ("map", "configuration", "wrong", "of", "first"))
    for run in wrong:
        table.add(run.place, str(run.way), run.wrong, run.problems, run.example)
