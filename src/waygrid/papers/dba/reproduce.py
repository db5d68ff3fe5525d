"""Fast Grid-based Path Finding for Video Games (Lee and Lawrence): section 5, Figures 3 to 8, measured again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from waygrid.measure.timing import Progress
from waygrid.papers import figures
from waygrid.papers.dba import claims as dba_claims
from waygrid.papers.dba import figures as dba_pictures
from waygrid.papers.dba import tables as dba_tables
from waygrid.papers.dba.measure import (
    FOLDER,
    Found,
    Place,
    choose_manageable,
    choose_paper_maps,
    generate_caves,
    load,
    measure,
    ways,
)
from waygrid.papers.report import Report, Steps, whole

TITLE = "Fast Grid-based Path Finding for Video Games (Lee and Lawrence): DBA*, PRA* and HCDPS"
INTRO = "Ours beside the paper's statements and the authors' Java; what differs, and why, is in docs/paper-dba.md."
SETS = (FOLDER,)
LONGEST, QUICK_LONGEST = 100, 20  # problems of each map
ROUNDS, QUICK_ROUNDS = 5, 1
SGLRTA_CELLS, QUICK_SGLRTA_CELLS = 50_000, 2_000
CAVES: dict[str, dict[str, Any]] = {  # where there are no maps
    "caves 1": {"width": 300, "height": 240, "seed": 1},
    "caves 2": {"width": 400, "height": 300, "seed": 2},
    "caves 3": {"width": 500, "height": 400, "seed": 3},
}
QUICK_CAVES: dict[str, dict[str, Any]] = {
    "caves 1": {"width": 150, "height": 110, "seed": 1},
    "caves 2": {"width": 160, "height": 120, "seed": 2},
}


def reproduce(
    out: Path,
    *,
    quick: bool = False,
    maps: Path | None = None,
    progress: Progress | None = None,
    only: str | None = None,
    longest: int | None = None,
    rounds: int | None = None,
    sglrta_cells: int | None = None,
    seed: int = 0,
) -> Report:
    """Measure everything, write tables and figures into `out` and return the report.

    only: names of maps, divided by commas, instead of the paper's ten (quick: orz103d). longest: so many of the longest
    problems of each map, 100 unless given (quick: 20). rounds: in which all configurations take turns; the quickest
    call counts. sglrta_cells: sglrta is tried on maps of at most so many passable cells. seed: of the problems where
    there is no folder of maps; then generated caves are searched.
    """
    figures.require()
    longest = whole("longest", (QUICK_LONGEST if quick else LONGEST) if longest is None else longest, 1)
    rounds = whole("rounds", (QUICK_ROUNDS if quick else ROUNDS) if rounds is None else rounds, 1)
    default_cells = QUICK_SGLRTA_CELLS if quick else SGLRTA_CELLS
    limit = whole("sglrta_cells", default_cells if sglrta_cells is None else sglrta_cells, 0)
    whole("seed", seed, 0)
    files, missing = ([], []) if maps is None else choose_paper_maps(maps, only, quick)
    caves = {} if files else QUICK_CAVES if quick else CAVES
    steps = Steps(progress, dict.fromkeys([*(file.stem for file in files), *caves], 1.0) | {"figures": 0.1})
    found = Found()
    if not files:
        found.left_out.append(dba_tables.NO_MAPS)
    elif missing:
        found.left_out.append(f"Maps of the paper that are not there: {', '.join(missing)}.")
    for file in files:
        steps.begin(file.stem)
        _search(found, load(file, longest), quick, rounds, limit, steps)
    for name, options in caves.items():
        steps.begin(name)
        _search(found, generate_caves(name, options, longest, seed), quick, rounds, limit, steps)
    steps.begin("figures")
    report = _report(found)
    report.write(out)
    steps.end()
    return report


def _search(found: Found, place: Place, quick: bool, rounds: int, limit: int, steps: Steps) -> None:
    """Measure every configuration that a map can have."""
    some, reasons = choose_manageable(place, ways(quick), limit)
    found.places.append(place)
    found.left_out += [reason for reason in reasons if reason not in found.left_out]
    runs = measure(place, some, rounds, steps.within)
    found.left_out += [f"{way} refuses {place.name}." for way in some if way not in {run.way for run in runs}]
    found.runs += runs


def _report(found: Found) -> Report:
    report, solved = Report(TITLE, INTRO), dba_pictures.example_steps()
    dba_claims.add_claims(report, found, solved)
    dba_claims.add_each_configuration(report, found)
    dba_tables.add_configurations(report, found)
    dba_tables.add_indexes(report, found)
    dba_tables.add_agents(report, found)
    dba_tables.add_beside_authors(report, found)
    dba_tables.add_trimming(report, found)
    dba_tables.add_example(report, solved)
    report.picture(
        "figures-3-to-5",
        dba_pictures.example_picture(),
        "Figures 3 to 5 on our own map: one problem without trimming, with it, and with paths to regions two away.",
        "A map of caves three times, cut into sectors and regions, with a path that is nearer the optimum each time.",
    )
    for name, (title, x, y) in dba_tables.FIGURES.items():
        panels = dba_tables.add_figure(report, found, name)
        chart = dba_pictures.trade_off(panels, x[1], y[1])
        report.figure(
            name,
            chart,
            f"{name.replace('-', ' ').capitalize()}: {title.lower()}.",
            f"A panel for each of {', '.join(panels)}: {y[1]} over {x[1]}, a line for each algorithm and sector.",
        )
    dba_tables.add_maps(report, found)
    dba_tables.add_verdict(report, found)
    return report
