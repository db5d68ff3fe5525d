"""The smaller tables of Goal Bounding: ties, overestimating, sizes (22.6), the navigation mesh, widths of boxes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from waygrid.grid.grid import Grid
from waygrid.grid.make import generate
from waygrid.measure.problems import random_problems
from waygrid.measure.timing import Queries, time_queries
from waygrid.papers.goal_bounding.measure import Place, Run, average_runs, build, with_boxes
from waygrid.papers.goal_bounding.sizes import (
    MESH_VALUES,
    POLYGONS,
    all_pairs_bytes,
    box_bytes,
    jump_bytes,
    mesh,
    mesh_runs,
    paper_bytes,
)
from waygrid.papers.intervals import estimate_ratio, estimate_time
from waygrid.papers.report import INTERVAL, Report
from waygrid.search.registry import algorithms

_BYTE_SIDE, _WORD_SIDE = 200, 256  # of a map: below 256 a side of a box fits a byte
_MEGA = 1e6
_MESH_QUERIES, _WIDTH_QUERIES = 1000, 500


def _with_interval(column: str) -> tuple[str, str]:
    return column, column + INTERVAL


def add_ties_table(report: Report, found: Sequence[tuple[str, Run]]) -> None:
    """Compare boxes of one first move per goal with those of all."""
    table = report.table(
        "ties",
        "Goal bounds of one cheapest path per goal, and of all",
        ("map", "algorithm", "ties", *_with_interval("us"), "expanded", "build s", "wrong costs"),
        notes=(
            "one: of equally good first moves only one counts for a goal, so boxes are smaller; A* and Dijkstra stay "
            "exact.",
            "all: as 22.2 words it, every goal that the edge reaches optimally. The flood of 22.4 marks one edge.",
        ),
    )
    for ties, run in found:
        us = estimate_time(run.times).cells
        table.add(run.place, run.algorithm, ties, *us, run.expanded, run.build_s, run.wrong)


def add_weights_table(report: Report, found: Sequence[tuple[str, float, Run]], everywhere: str) -> None:
    """Show what an overestimating heuristic does with goal bounds and without (22.7)."""
    table = report.table(
        "overestimate",
        "Overestimating the heuristic (22.7)",
        ("map", "algorithm", "weight", *_with_interval("us"), "expanded", "above the optimum"),
        notes=(
            "weight: factor of the estimate. Above 1 keys can fall, and the open list is a heap instead of buckets.",
            "above the optimum: mean of cost / optimum - 1.",
        ),
    )
    places = list(dict.fromkeys(run.place for _, _, run in found))
    for where in [*places, everywhere] if len(places) > 1 else places:
        for name, weight in dict.fromkeys((name, weight) for name, weight, _ in found):
            chosen = [run for n, w, run in found if (n, w) == (name, weight) and where in (run.place, everywhere)]
            run = average_runs(chosen, where)
            us, above = estimate_time(run.times).cells, f"{run.suboptimality:.2%}".replace("%", " %")
            table.add(where, name, weight, *us, run.expanded, above)


# --- Sizes -----------------------------------------------------------------------------------------------------------


def add_sizes_table(report: Report, places: Sequence[Place], runs: Sequence[Run], big: Path | None) -> None:
    """Compare a table of all pairs, goal bounds as the paper counts them, and our indexes (22.6), in megabytes."""
    table = report.table(
        "sizes",
        "Section 22.6: megabytes of a table of all pairs and of goal bounds",
        ("map", "nodes", "all pairs", "paper's count", "astar-gb", "jps+gb", "cpd"),
        notes=(
            "all pairs: Floyd-Warshall, 4 bytes an entry. paper's count: 32 values of 2 bytes per passable cell of a "
            "grid, 12 per triangle of a mesh.",
            "Ours keep boxes for walls too, and one byte a value where both sides are below 256; jps+gb also has the "
            "jumps and the graph of turns.",
            "The paper has about four terabytes and about 60 MB for 1000 x 1000, less than 100 KB for 4000 polygons.",
        ),
    )
    kept = {(run.place, run.algorithm): run.index_bytes for run in runs}
    for place in places:
        found = [kept.get((place.name, name)) for name in ("astar-gb", "jps+gb", "cpd")]
        _add_size_row(report, place.name, place.cells, found)
    _add_size_row(report, *_compute_sizes("1000 x 1000, empty", Grid(np.ones((1000, 1000), np.bool_))))
    if big is not None and big.is_file() and f"{big.parent.name}/{big.stem}" not in [place.name for place in places]:
        name = f"{big.parent.name}/{big.stem} (computed)"
        _add_size_row(report, *_compute_sizes(name, Grid.from_file(big, topology="octile")))
    if "cpd" not in algorithms():
        table.notes.append("cpd is not part of this version.")


def _compute_sizes(name: str, grid: Grid) -> tuple[str, int, list[int | None]]:
    """Return sizes that need no build: those of boxes do not depend on what is in them."""
    return name, int(grid.passable.sum()), [box_bytes(grid), jump_bytes(grid), None]


def _add_size_row(report: Report, name: str, nodes: int, found: Sequence[int | None]) -> None:
    ours = [None if size is None else size / _MEGA for size in found]
    report.tables["sizes"].add(name, nodes, all_pairs_bytes(nodes) / _MEGA, paper_bytes(nodes) / _MEGA, *ours)


def add_mesh_table(report: Report, rounds: int) -> None:
    """Run the searches on a navigation mesh of as many polygons as the paper's level has."""
    graph = mesh()
    table = report.table(
        "mesh",
        f"A navigation mesh of {len(graph)} triangles, {len(graph.edges)} edges",
        (
            "algorithm",
            *_with_interval("us"),
            "expanded",
            *_with_interval("A* factor"),
            "index bytes",
            "of them boxes",
            "costs agree",
        ),
        notes=(
            f"{_MESH_QUERIES} random queries, one thread. By the paper's count {POLYGONS} triangles take "
            f"{paper_bytes(POLYGONS, MESH_VALUES)} bytes; triangles at a wall have fewer than three edges.",
        ),
    )
    runs = mesh_runs(graph, _MESH_QUERIES, rounds)
    astar = next(run for run in runs if run.algorithm == "astar")
    for run in runs:
        sizes = (run.index_bytes, run.box_bytes) if run.index_bytes else (None, None)
        factor = (1, None) if run is astar else estimate_ratio(astar.times, run.times).cells
        us = estimate_time(run.times).cells
        table.add(run.algorithm, *us, run.expanded, *factor, *sizes, "yes" if run.same else "no")
    boxes = next(run for run in runs if run.algorithm == "astar-gb").index_bytes / _MEGA
    pairs, counted = all_pairs_bytes(len(graph)) / _MEGA, paper_bytes(len(graph), MESH_VALUES) / _MEGA
    report.tables["sizes"].add(f"mesh of {len(graph)} triangles", len(graph), pairs, counted, boxes, None, None)


# --- One byte or two -------------------------------------------------------------------------------------------------


def add_width_table(report: Report, side: int, rounds: int) -> None:
    """Compare boxes of one-byte and of two-byte numbers on the same queries (22.1.1)."""
    side = min(side, _BYTE_SIDE)
    table = report.table(
        "box-width",
        f"One byte or two for a side of a box (22.1.1): indoor, {side} x {side}",
        ("algorithm", "bytes of a value", "map", *_with_interval("us"), "index bytes"),
        notes=(
            "astar-gb: the same boxes with wider numbers. jps+gb: the same map with walls around it, up to 256 x 256, "
            "which is where two bytes begin; its index is larger by the walls as well.",
        ),
    )
    grid = generate("indoor", width=side, height=side, seed=1)
    problems = random_problems(grid, _WIDTH_QUERIES)
    narrow, _ = build("astar-gb", grid)
    padded = np.zeros((_WORD_SIDE, _WORD_SIDE), np.bool_)
    padded[:side, :side] = grid.passable
    rows = (
        ("astar-gb", 1, f"{side} x {side}", narrow),
        ("astar-gb", 2, f"{side} x {side}", with_boxes(narrow, kind=np.uint16)),
        ("jps+gb", 1, f"{side} x {side}", build("jps+gb", grid)[0]),
        ("jps+gb", 2, f"{_WORD_SIDE} x {_WORD_SIDE}", build("jps+gb", Grid(padded))[0]),
    )
    finders = {number: row[-1] for number, row in enumerate(rows)}
    times = time_queries(finders, [Queries(problems.starts, problems.goals)], rounds)
    for number, (name, wide, size, finder) in enumerate(rows):
        table.add(name, wide, size, *estimate_time(times[number].rounds_us).cells, finder.memory.fixed_bytes)
