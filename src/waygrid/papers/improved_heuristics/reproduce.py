"""Improved Heuristics for Optimal Pathfinding on Game Maps (Björnsson and Halldórsson): Table 1, measured again."""

from __future__ import annotations

from pathlib import Path

from waygrid.grid.topology import CORNERS, choose
from waygrid.measure.timing import Progress
from waygrid.papers import figures
from waygrid.papers.improved_heuristics import checks as zones_checks
from waygrid.papers.improved_heuristics import claims as zones_claims
from waygrid.papers.improved_heuristics import figures as zones_pictures
from waygrid.papers.improved_heuristics import tables as zones_tables
from waygrid.papers.improved_heuristics.measure import (
    ALL,
    DEMO_MAP,
    GAME_FOLDER,
    GAME_MAPS,
    LARGE,
    LARGE_MAP,
    METHODS,
    SHARES,
    TOP,
    Found,
    Place,
    build,
    choose_paper_maps,
    demo,
    measure,
    measure_blocked,
    read,
    with_problems,
)
from waygrid.papers.report import Report, Steps, whole

TITLE = "Improved Heuristics for Optimal Pathfinding on Game Maps (Björnsson and Halldórsson)"
INTRO = "Ours beside the paper's; what differs, and why, is in docs/paper-improved-heuristics.md."
SETS = (GAME_FOLDER,)
SEARCHES, QUICK_SEARCHES = 1000, 100
ROUNDS, QUICK_ROUNDS = 7, 1
TRACED, QUICK_TRACED = 100, 10  # searches of each map whose expansions are looked into
FLOORS, QUICK_FLOORS = 10, 2  # other maps of a kind
QUICK_KINDS = ("indoor", "caves")
PAIRS, QUICK_PAIRS = 200, 50  # of zones, for which trails are enumerated
DRAWS, QUICK_DRAWS = 10, 1  # of problems, for the corner rules


def reproduce(
    out: Path,
    *,
    quick: bool = False,
    maps: Path | None = None,
    progress: Progress | None = None,
    only: str | None = None,
    corners: str = "never",
    searches: int | None = None,
    rounds: int | None = None,
    seed: int = 0,
) -> Report:
    """Measure everything, write tables and figures into `out` and return the report.

    only: names of maps, divided by commas, instead of all maps in a folder bgmaps (quick: AR0012SR and AR0406SR).
    corners: the paper does not say which rule it has. searches: of each map, 1000 unless given (quick: 100); ten times
    as many are drawn for the longest tenth. rounds: of each method, the quickest counts. seed: of the problems. Without
    a folder of maps only generated maps are searched.
    """
    figures.require()
    choose("corners", corners, CORNERS)
    searches = whole("searches", (QUICK_SEARCHES if quick else SEARCHES) if searches is None else searches, 10)
    rounds = whole("rounds", (QUICK_ROUNDS if quick else ROUNDS) if rounds is None else rounds, 1)
    whole("seed", seed, 0)
    grids = {DEMO_MAP: demo(corners)}
    if maps is not None:
        grids |= {file.stem: read(file, corners) for file in choose_paper_maps(maps, only, quick)}
    weights = {name: 1.0 + grid.passable.sum() / 5e3 for name, grid in grids.items()}
    steps = Steps(progress, weights | {"other maps": 5.0, "checks": 10.0, "pictures": 2.0})
    report, found = Report(TITLE, INTRO), Found()
    traced = QUICK_TRACED if quick else TRACED
    expansions: list[zones_checks.Expansions] = []
    for name, grid in grids.items():
        steps.begin(name)
        group = DEMO_MAP if name == DEMO_MAP else LARGE_MAP if name == LARGE else GAME_MAPS
        place = with_problems(name, group, grid, searches, seed)
        found.places.append(place)
        expansions += _measure_map(found, place, rounds, traced, seed, steps)
    steps.begin("other maps")
    others = _other_maps(quick, corners, searches, seed, rounds, steps)
    zones_tables.add_table_1(report, found)
    zones_tables.add_ratios(report, found)
    zones_tables.add_blocked(report, found)
    zones_tables.add_maps(report, found)
    zones_tables.add_indexes(report, found)
    zones_checks.add_expansions_table(report, expansions, traced)
    zones_tables.add_other_maps(report, others)
    steps.begin("checks")
    zones_checks.add_printed_table(report, [*found.places, *others.places])
    floors, pairs = (1, QUICK_PAIRS) if quick else (FLOORS, PAIRS)
    zones_checks.add_trails_table(report, found.places, floors, pairs, corners)
    steps.within(0.4)
    zones_checks.add_corners_table(report, found.places, QUICK_DRAWS if quick else DRAWS)
    zones_checks.add_verdict(report, [*found.runs, *others.runs])
    zones_claims.add_claims(report)
    steps.begin("pictures")
    _add_pictures(report, found)
    report.write(out)
    steps.end()
    return report


def _measure_map(
    found: Found, place: Place, rounds: int, traced: int, seed: int, steps: Steps
) -> list[zones_checks.Expansions]:
    """Run every method on all problems of a map; return what some of the searches expanded."""
    steps.within(0.3, "building")
    finders, indexes = build(place)
    found.indexes += indexes
    for number, searches in enumerate((ALL, TOP)):
        steps.within(0.4 + 0.15 * number, searches)
        found.runs += measure(place, searches, finders, rounds)
    for number, share in enumerate(SHARES):
        steps.within(0.7 + 0.1 * number, f"{zones_tables.percent(share)} blocked")
        found.runs += measure_blocked(place, finders, share, rounds, seed)
    steps.within(0.9, "expansions")
    return [
        zones_checks.expansions(place, searches, label, finders[label], traced)
        for searches in (ALL, TOP)
        for label in zones_checks.EXPANDING
    ]


def _other_maps(quick: bool, corners: str, searches: int, seed: int, rounds: int, steps: Steps) -> Found:
    """Search other generated maps, to see what the choice of the demo map does."""
    found = Found()
    kinds, count = (QUICK_KINDS, QUICK_FLOORS) if quick else (tuple(zones_tables.KINDS), FLOORS)
    grids = list(zones_tables.generate_others(kinds, count, corners))
    for number, (name, kind, grid) in enumerate(grids):
        steps.within(number / len(grids), name)
        place = with_problems(name, kind, grid, searches, seed)
        finders, indexes = build(place)
        found.places.append(place)
        found.indexes += indexes
        found.runs += measure(place, ALL, finders, min(rounds, 3))
    return found


# --- Figures ---------------------------------------------------------------------------------------------------------


def _add_pictures(report: Report, found: Found) -> None:
    report.picture(
        "figures-1-to-3",
        zones_pictures.search_pictures(),
        "Figures 1 to 3: zones, relevant zones and expanded cells on our own floor, always under corners never.",
        "A floor of rooms six times: its zones in colours, those relevant to a query, and what octile, dead-end and "
        "gateway, with whole gates and with cut ones, expand for the same path.",
    )
    for place in found.places:
        if place.name in zones_tables.DRAWN:
            figure = zones_tables.DRAWN[place.name]
            picture = zones_pictures.zones_picture(place.grid)
            report.picture(
                figure.lower().replace(" ", "-"),
                picture,
                f"{figure}: the zones of {place.name}.",
                f"Map {place.name}, each zone in a colour, gates as lines.",
            )
    groups, panels = zones_tables.bars(found)
    report.figure(
        "table-1",
        zones_pictures.ratio_chart(groups, panels),
        "Table 1 as ratios; hatched bars are the paper's.",
        "Three bar charts over the groups of maps: nodes over octile's, estimate over cost, time over octile's.",
    )
    shares = [zones_tables.percent(share) for share in (0.0, *SHARES)]
    lines = {
        group: {
            label: [
                found.mean(group, ALL, label, share).nodes / found.mean(group, ALL, "octile", share).nodes
                for share in (0.0, *SHARES)
            ]
            for label in METHODS
            if label != "octile"
        }
        for group in found.groups()
    }
    report.figure(
        "blocked",
        zones_pictures.blocked_chart(shares, lines),
        "Nodes over octile's, with temporary obstacles.",
        "A panel for each group of maps: nodes over octile's for 0, 1 and 5 % blocked cells, a line for each method.",
    )
