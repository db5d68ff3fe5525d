"""Grid-Based Path-Finding (Yap): its tables, measured again, and two of its formulas put to the test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from waygrid.algorithms.classic import ida_query as ida
from waygrid.errors import WaygridError
from waygrid.measure.timing import Progress
from waygrid.papers import figures
from waygrid.papers.grid_based import claims as grid_claims
from waygrid.papers.grid_based import figures as grid_charts
from waygrid.papers.grid_based import table2, theory
from waygrid.papers.grid_based import trials as sums
from waygrid.papers.grid_based.cells import GRIDS
from waygrid.papers.grid_based.checks import check_pruning, check_vancouver, counter_example
from waygrid.papers.report import Report, Steps, whole

TITLE = "Grid-Based Path-Finding (Yap)"
SECONDS, QUICK_SECONDS = 600.0, 12.0  # for Table 2
CAP, QUICK_CAP = 10**8, 10**6  # expansions of one search of Table 2
_AWAY = (10, 20, 40, 80, 160, 320)


def reproduce(
    out: Path,
    *,
    quick: bool = False,
    maps: Path | None = None,
    progress: Progress | None = None,
    trials: int | None = None,
    seconds: float | None = None,
    cap: int | None = None,
    seed: int = 0,
) -> Report:
    """Measure everything, write tables and figures into `out` and return the report.

    trials: of each row of Table 2, at most; the paper has up to a million. seconds: for Table 2 in all, 600 (quick: 12)
    unless trials are given alone, which are then run however long they take. cap: a search is cut after so many
    expansions. The paper uses no real maps: `maps` is ignored.
    """
    figures.require()
    if trials is not None:
        whole("trials", trials, 1)
    if seconds is None and trials is None:
        seconds = QUICK_SECONDS if quick else SECONDS
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or seconds <= 0):
        raise WaygridError(f"seconds is {seconds!r}; allowed are numbers above 0")
    limit = whole("cap", (QUICK_CAP if quick else CAP) if cap is None else cap, 1)
    whole("seed", seed, 0)
    report = Report(TITLE, "Ours beside the paper's; what differs, and why, is in docs/paper-grid-based.md.")
    steps = Steps(progress, {"Table 1": 10.0, "formulas": 5.0, "Table 2": seconds or 60.0})
    steps.begin("Table 1")
    _add_theory(report, quick)
    steps.begin("formulas")
    _add_vancouver(report)
    _add_pruning(report, quick)
    steps.begin("Table 2")
    outcomes = table2.run_table(most=trials, seconds=seconds, seed=seed, cap=limit, progress=steps.within)
    _add_table_2(report, outcomes)
    _add_details(report, outcomes)
    _add_whole_iterations(report, outcomes)
    grid_claims.add_claims(report)
    report.figure(
        "table-2",
        grid_charts.table_2(outcomes),
        "Table 2: tex / tile. Nodes and times have long tails; see the counts of cut searches.",
        "Three panels, paths, nodes and times: our ratios with error bars beside the paper's, a place for each row.",
    )
    report.write(out)
    steps.end()
    return report


# --- Table 1 ---------------------------------------------------------------------------------------------------------


def _add_theory(report: Report, quick: bool) -> None:
    table = report.table(
        "table-1",
        "Table 1: the four grids",
        (
            "grid",
            "adjacent",
            "branching",
            "branching (paper)",
            "depth / D",
            "depth / D (paper)",
            "A*: D to the",
            "A* (paper)",
            "IDA* base, derived",
            "IDA* base, measured",
            "IDA* base (paper)",
        ),
        notes=(
            "branching: ratio of successive levels of pruned move sequences, depth 40; the paper's 4.2 is 2 + sqrt 5.",
            "depth / D: mean moves to cells 1000 away in 4096 directions, cells of equal area, over the tile grid's.",
            "base, derived: branching ** depth. Measured: IDA* with h = 0 to goals around the start, fitted over D.",
        ),
    )
    bases = theory.ida_bases(3.0, 6.0) if quick else theory.ida_bases(4.0, 9.0)
    laws = _add_growth(report, quick)
    exponent = {law.topology: law.exponent for law in laws if law.name == "no heuristic"}
    for grid in GRIDS:
        factor, depth = theory.branching(grid), theory.mean_depth(grid)
        table.add(
            grid,
            theory.ADJACENT[grid],
            factor,
            theory.PAPER_BRANCHING[grid],
            depth,
            theory.PAPER_DEPTH[grid],
            exponent[grid],
            2,
            factor**depth,
            bases.base[grid],
            theory.PAPER_BASE[grid],
        )
    _add_levels(report)
    _add_depths(report, quick)
    report.figure(
        "ida-growth",
        grid_charts.ida_growth(bases),
        "IDA* without heuristic: nodes over tile distance D.",
        "Points and fitted lines on a logarithmic scale, one for each grid: tile grows fastest, hex and tex slowest.",
    )
    report.figure(
        "astar-growth",
        grid_charts.astar_growth(laws),
        "Expansions over distance; the dashed line is D².",
        "Three panels of expansions over distance, both logarithmic, a line for each grid beside a line of slope 2.",
    )


def _add_levels(report: Report) -> None:
    table = report.table(
        "branching",
        "Move sequences left after pruning, per depth (section 4)",
        ("grid", "pruning", *(f"depth {k}" for k in range(1, 7)), "ratio at 40"),
    )
    for grid in GRIDS:
        for name, variant in (("only the way back", ida.PRUNE_REVERSE), ("the paper's", ida.PRUNE_PAPER)):
            table.add(grid, name, *theory.levels(grid, 6, variant)[1:], theory.branching(grid, variant=variant))


def _add_depths(report: Report, quick: bool) -> None:
    sides = (10,) if quick else (10, 20, 30)
    table = report.table(
        "depths",
        "Mean distance over the tile grid's: theory and square grids",
        ("grid", "exact", "all directions", *(f"all pairs {n} x {n}" for n in sides), "paper"),
        notes=(
            "all pairs: by flooding from every cell; pairs of a square are not spread evenly over directions.",
            "hex and tex share their topology, so their pairs agree; but N x N hexes are no square in the plane.",
        ),
    )
    for grid in GRIDS:
        pairs = (theory.pair_depth(grid, side) for side in sides)
        table.add(grid, theory.DEPTH[grid], theory.mean_depth(grid), *pairs, theory.PAPER_DEPTH[grid])


def _add_growth(report: Report, quick: bool) -> list[theory.Growth]:
    away = _AWAY[:-1] if quick else _AWAY
    cases: tuple[tuple[str, str, dict[str, Any], dict[str, Any]], ...] = (
        ("no heuristic", "dijkstra", {}, {}),
        ("half the heuristic", "astar", {"weight": 0.5}, {}),
        ("30 % obstacles", "astar", {}, {"walls": 0.3, "maps": 2 if quick else 8, "directions": 32}),
    )
    table = report.table(
        "astar-growth",
        "A*: mean expansions with the goal at distance D, and the exponent (paper: 2)",
        ("search", "grid", *(f"D = {distance}" for distance in away), "exponent", "last doubling"),
        notes=(
            "half the heuristic: an error that grows with D, on an empty grid. 30 % obstacles: the full heuristic.",
            "last doubling: the exponent between the two largest D alone.",
        ),
    )
    laws = []
    for name, algorithm, options, where in cases:
        for grid in GRIDS:
            law = theory.growth(name, grid, away, algorithm, options, **where)
            laws.append(law)
            table.add(name, grid, *law.expanded, law.exponent, np.log2(law.expanded[-1] / law.expanded[-2]))
    return laws


# --- Formulas --------------------------------------------------------------------------------------------------------


def _add_vancouver(report: Report) -> None:
    printed, corrected, true = counter_example()
    table = report.table(
        "vancouver",
        "Vancouver distance (section 6) on all pairs of a 13 x 13 hex grid",
        ("formula", "pairs", "wrong", "too large", "moves that lose more than 1", "(0, 1) to (3, 0)", "true"),
        notes=(
            "printed: max{0, y - [x/2]} + x - correction; corrected: x + max{0, y - [x/2] - correction}.",
            "(0, 1) to (3, 0): y upwards, as in the paper. To lose more than 1 in a move is to be inconsistent.",
        ),
    )
    for name, shown, as_printed in (("printed", printed, True), ("corrected", corrected, False)):
        found = check_vancouver(as_printed)
        table.add(name, found.pairs, found.wrong, found.too_large, found.falls, shown, true)


def _add_pruning(report: Report, quick: bool) -> None:
    table = report.table(
        "pruning",
        "Octile pruning (section 4): IDA* against Dijkstra on 300 random maps, 8 x 8, 20 % obstacles",
        ("corners", "diagonal costs", "pruning", "maps wrong", "of maps", "queries", "too dear", "lost"),
        notes=(
            "lost: no path found within 200 000 expansions though there is one.",
            "The rule drops straight-then-sideways because one diagonal does both; under `never` that may be illegal.",
        ),
    )
    for corners in ("never", "one", "always"):
        for metric, diagonal in (("unit", "1"),) if quick else (("unit", "1"), ("octile", "sqrt 2")):
            for pruning in ("paper", "sound"):
                found = check_pruning(pruning, corners, metric)
                table.add(
                    corners,
                    diagonal,
                    "as printed" if pruning == "paper" else "sound",
                    found.wrong_maps,
                    found.maps,
                    found.queries,
                    found.dearer,
                    found.lost,
                )


# --- Table 2 ---------------------------------------------------------------------------------------------------------


def _add_table_2(report: Report, outcomes: list[table2.Outcome]) -> None:
    table = report.table(
        "table-2",
        "Table 2: IDA*, tex / tile",
        (
            "size",
            "obstacles",
            "trials",
            "path",
            "path ±",
            "path (paper)",
            "nodes",
            "nodes ±",
            "nodes (paper)",
            "time",
            "time ±",
            "time (paper)",
        ),
        notes=(
            "Ratios of means. ± is a rough standard error from 10 batches; with such tails it is too small for nodes.",
            "nodes: expansions, successors in the order of the direction bits, the search ends at the first goal.",
            "path counts all solvable trials; nodes and time only those that both grids finished (see details).",
        ),
    )
    for row in outcomes:
        table.add(
            f"{row.setting.size}²",
            f"{row.setting.obstacles:.0%}",
            row.solvable,
            row.ratio(sums.PATH),
            row.error(sums.PATH),
            row.setting.path,
            row.ratio(sums.NODES),
            row.error(sums.NODES),
            row.setting.nodes,
            row.ratio(sums.NANOSECONDS),
            row.error(sums.NANOSECONDS),
            row.setting.time,
        )


def _add_details(report: Report, outcomes: list[table2.Outcome]) -> None:
    table = report.table(
        "table-2-details",
        "Table 2: what was left out, and other ways of counting",
        (
            "size",
            "obstacles",
            "drawn",
            "no tile path",
            "cut: tile",
            "cut: tex",
            "tile nodes",
            "tex nodes",
            "generated tex / tile",
            "nodes, cut = cap",
            "wrong",
        ),
        notes=(
            f"A search is cut after {outcomes[0].cap:,} expansions".replace(",", " ")
            + " and left out of nodes and time.",
            "nodes, cut = cap: cut searches count with the cap; above the true ratio if only tile searches are cut.",
            "wrong: paths that differ in length from a breadth-first search of the same instance.",
        ),
    )
    for row in outcomes:
        table.add(
            f"{row.setting.size}²",
            f"{row.setting.obstacles:.0%}",
            row.count(sums.DRAWN),
            row.count(sums.UNSOLVABLE),
            row.count(sums.CUT),
            row.count(sums.CUT + 1),
            row.mean(sums.NODES, 0),
            row.mean(sums.NODES, 1),
            row.ratio(sums.GENERATED),
            row.ratio(sums.CAPPED),
            row.count(sums.WRONG),
        )


def _add_whole_iterations(report: Report, outcomes: list[table2.Outcome]) -> None:
    table = report.table(
        "table-2-empty",
        "Table 2, empty grids: nodes tex / tile if the iteration that finds the goal is finished",
        ("size", "first goal", "whole iteration", "paper", "tile nodes, whole iteration", "tex nodes, whole iteration"),
        notes=(
            "first goal: measured above. whole iteration: counted exactly over all pairs, not run.",
            "The paper does not say where its search stops; its figures lie between the two.",
        ),
    )
    for row in outcomes:
        if row.setting.obstacles == 0:
            tile, tex = table2.whole_iterations(row.setting.size)
            size, paper = f"{row.setting.size}²", row.setting.nodes
            table.add(size, row.ratio(sums.NODES), tex / tile, paper, tile, tex)
