"""The tables of Improved Heuristics: Table 1 and its ratios, obstacles, indexes, checks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from waygrid.algorithms.zones.zones import decompose
from waygrid.grid.grid import Grid
from waygrid.grid.make import generate
from waygrid.papers.improved_heuristics.measure import (
    ALL,
    DEMO,
    DEMO_MAP,
    GAME_FOLDER,
    GAME_MAPS,
    LARGE,
    LARGE_MAP,
    METHODS,
    METRIC,
    SHARES,
    TOP,
    Found,
)
from waygrid.papers.intervals import estimate_share
from waygrid.papers.report import INTERVAL, Cell, Report

# Table 1: path cost, then estimate, nodes and milliseconds of octile, dead-end and gateway.
PAPER: dict[tuple[str, str], tuple[int, dict[str, tuple[int, int, float]]]] = {
    (DEMO_MAP, ALL): (7430, {"octile": (3940, 955, 18.6), "dead-end": (3940, 579, 14.7), "gateway": (7241, 220, 13.2)}),
    (DEMO_MAP, TOP): (
        14373,
        {"octile": (6605, 2397, 42.9), "dead-end": (6605, 1352, 30.4), "gateway": (14179, 487, 28.0)},
    ),
    (GAME_MAPS, ALL): (
        10339,
        {"octile": (7788, 1231, 27.3), "dead-end": (7788, 1120, 24.6), "gateway": (9884, 723, 22.6)},
    ),
    (GAME_MAPS, TOP): (
        20468,
        {"octile": (13290, 3701, 69.2), "dead-end": (13290, 3370, 60.7), "gateway": (19731, 2313, 54.5)},
    ),
    (LARGE_MAP, TOP): (
        30463,
        {"octile": (17201, 5961, 110.1), "dead-end": (17201, 4536, 84.0), "gateway": (30002, 2361, 71.3)},
    ),
}
SAME = {"gateway, whole gates": "gateway"}  # what the paper calls gateway
NO_MAPS = (
    "No game maps were searched: --maps DIR (or WAYGRID_MAPS) names a folder with MovingAI's maps of Baldur's Gate II "
    f"in a folder {GAME_FOLDER}; waygrid maps fetch {GAME_FOLDER} downloads them."
)
DRAWN = {"AR0205SR": "Figure 5", LARGE: "Figure 6"}
KINDS: dict[str, dict[str, Any]] = {
    "indoor": {key: value for key, value in DEMO.items() if key != "seed"},
    "caves": {"width": 100, "height": 80},
    "rooms": {"width": 97, "height": 65},
    "random": {"width": 100, "height": 80, "walls": 0.2},
}


def printed_row(group: str, searches: str, label: str) -> tuple[int, int, int, float] | None:
    """Return the paper's path cost, estimate, nodes and milliseconds, None where Table 1 has none.

    >>> printed_row("large map", "top 10 %", "gateway")
    (30463, 30002, 2361, 71.3)
    """
    cost, rows = PAPER.get((group, searches), (0, {}))
    row = rows.get(SAME.get(label, label))
    return None if row is None else (cost, *row)


def percent(share: float, digits: int = 0) -> str:
    """Return a share as a reader wants it.

    >>> percent(0.05)
    '5 %'
    """
    return f"{100 * share:.{digits}f} %"


# --- Table 1 ---------------------------------------------------------------------------------------------------------


def add_table_1(report: Report, found: Found) -> None:
    """Add Table 1: means per search, beside the paper's."""
    measured = ("path cost", "estimate", "nodes", "us")
    table = report.table(
        "table-1",
        "Table 1: means per search, costs 100 and 150",
        ("maps", "searches", "algorithm", *measured, *(f"{name} (paper)" for name in measured[:3]), "ms (paper)"),
        notes=_about(found),
    )
    for group in found.groups():
        for searches in (ALL, TOP):
            for label in METHODS:
                run = found.mean(group, searches, label)
                row = printed_row(group, searches, label) or (None,) * 4
                table.add(group, searches, label, run.cost, run.estimate, run.nodes, run.us, *row)


def _about(found: Found) -> list[str]:
    of_game = [place for place in found.places if place.group == GAME_MAPS]
    size = f"{DEMO['width']} x {DEMO['height']}, seed {DEMO['seed']}"
    notes = [
        f"demo map: the paper's (Figure 1) is not published. Ours is generated, indoor, {size}, picked from 288 by the "
        "octile search alone, whose costs, estimates and nodes come within 10 % of the paper's under corners never.",
        f"{GAME_MAPS}: {len(of_game)}, {', '.join(place.name for place in of_game)}; the paper has nine, of which it "
        "shows AR0205SR. Every search counts the same."
        if of_game
        else NO_MAPS,
        f"all: {found.places[0].searches} random pairs within the largest connected component; top 10 %: the longest "
        "of ten times as many.",
        "nodes: expansions, repeated ones included. us: find_many on one thread, every path written, over the number "
        "of searches; the methods take turns, of each the quickest round counts.",
        "gateway cuts long gates to pieces, as many as its memory allows; with whole gates it is the paper's.",
    ]
    return notes


def add_ratios(report: Report, found: Found) -> None:
    """Add the ratios that carry over from one machine to another."""
    names = ("nodes / octile", "estimate / cost", "time / octile", "ns per node")
    columns = [column for name in names for column in (name, f"{name} (paper)")]
    columns.insert(1, names[0] + INTERVAL)
    table = report.table(
        "ratios",
        "Table 1 as ratios",
        ("maps", "searches", "algorithm", *columns),
        notes=(
            "[low, high]: the interval that holds the true ratio with 95 %, by Student's t over the searches. It does "
            "not cover the choice of maps.",
        ),
    )
    for group in found.groups():
        for searches in (ALL, TOP):
            for label in METHODS:
                pairs = zip(_ratios(found, group, searches, label), paper_ratios(group, searches, label), strict=True)
                cells: list[Cell] = [value for pair in pairs for value in pair]
                cells.insert(1, None if label == "octile" else _nodes_interval(found, group, searches, label))
                table.add(group, searches, label, *cells)


def _nodes_interval(found: Found, group: str, searches: str, label: str) -> str | None:
    run, octile = found.mean(group, searches, label), found.mean(group, searches, "octile")
    return estimate_share(run.each, octile.each).interval


def _ratios(found: Found, group: str, searches: str, label: str) -> tuple[float, ...]:
    run, octile = found.mean(group, searches, label), found.mean(group, searches, "octile")
    return run.nodes / octile.nodes, run.estimate / run.cost, run.us / octile.us, 1e3 * run.us / run.nodes


def paper_ratios(group: str, searches: str, label: str) -> tuple[float | None, ...]:
    """Return the paper's nodes and time over octile's, estimate over cost, ns per node; None where it has none."""
    row, octile = printed_row(group, searches, label), printed_row(group, searches, "octile")
    if row is None or octile is None:
        return (None,) * 4
    cost, estimate, nodes, ms = row
    return nodes / octile[2], estimate / cost, ms / octile[3], 1e6 * ms / nodes


def bars(found: Found) -> tuple[list[str], dict[str, dict[str, list[float | None]]]]:
    """Return the groups of searches and, for each ratio, its bars: ours and the paper's."""
    groups = [(group, searches) for group in found.groups() for searches in (ALL, TOP)]
    panels: dict[str, dict[str, list[float | None]]] = {}
    for k, title in enumerate(("nodes / octile", "estimate / cost", "time / octile")):
        series: dict[str, list[float | None]] = {}
        for label in ("dead-end", "gateway", "gateway, whole gates"):
            series[label] = [_ratios(found, *key, label)[k] for key in groups]
        for label in ("dead-end", "gateway"):
            series[f"{label}, paper"] = [paper_ratios(*key, label)[k] for key in groups]
        panels[title] = series
    return [f"{group},\n{searches}" for group, searches in groups], panels


# --- Obstacles, maps, indexes ----------------------------------------------------------------------------------------


def add_blocked(report: Report, found: Found) -> None:
    """Add the searches with obstacles that the index does not know."""
    table = report.table(
        "blocked",
        "The same searches with temporary obstacles (all; random cells, blocked for these queries only)",
        (
            "maps",
            "blocked",
            "algorithm",
            "searches",
            "cut off",
            "path cost",
            "nodes",
            "nodes / octile",
            "us",
            "time / octile",
            "wrong costs",
        ),
        notes=(
            "Ten draws of obstacles for each map, each for a tenth of the searches; left out are searches with a "
            "blocked end, and those whose goal is cut off, which no method found either.",
            "wrong costs: not what dijkstra finds with the same obstacles. us: with the time to set up the obstacles.",
        ),
    )
    for group in found.groups():
        for share in (0.0, *SHARES):
            octile = found.mean(group, ALL, "octile", share)
            for label in METHODS:
                run = found.mean(group, ALL, label, share)
                counts = (run.problems, run.parted, run.cost, run.nodes, run.nodes / octile.nodes)
                table.add(group, percent(share), label, *counts, run.us, run.us / octile.us, run.wrong)


def add_maps(report: Report, found: Found) -> None:
    """Add the figures of each map."""
    table = report.table(
        "maps",
        "Each map",
        (
            "map",
            "searches",
            "algorithm",
            "passable cells",
            "path cost",
            "estimate / cost",
            "nodes",
            "nodes / octile",
            "us",
            "time / octile",
            "wrong costs",
        ),
    )
    for place in found.places:
        for searches in (ALL, TOP):
            octile = found.mean(place.name, searches, "octile")
            for label in METHODS:
                run = found.mean(place.name, searches, label)
                shares = (run.cost, run.estimate / run.cost, run.nodes, run.nodes / octile.nodes)
                table.add(place.name, searches, label, place.cells, *shares, run.us, run.us / octile.us, run.wrong)


def add_indexes(report: Report, found: Found) -> None:
    """Add what is kept of each map, and how long it takes to make."""
    table = report.table(
        "indexes",
        "Indexes",
        (
            "map",
            "cells",
            "passable",
            "zones",
            "algorithm",
            "gates",
            "longest gate",
            "build s",
            "index bytes",
            "bytes per cell",
        ),
        notes=("A map of one bit a cell has 0.125 bytes per cell; the table of moves, which A* needs too, has one.",),
    )
    for place in found.places:
        cells, cut = place.grid.width * place.grid.height, decompose(place.grid)
        for index in found.indexes:
            if index.place == place.name:
                gates = (index.gates, index.longest) if index.gates is not None else (len(cut.gates), None)
                size = (index.index_bytes, index.index_bytes / cells)
                table.add(place.name, cells, place.cells, cut.count, index.method, *gates, index.build_s, *size)


def generate_others(kinds: Iterable[str], count: int, corners: str) -> Iterable[tuple[str, str, Grid]]:
    """Yield generated maps with their names and kinds: floors like the demo map, and fewer of other kinds."""
    for kind in kinds:
        options = KINDS[kind]
        seeds = [seed for seed in range(count + 1) if seed != DEMO["seed"]][:count]
        for seed in seeds if kind == "indoor" else range(max(1, count // 3)):
            yield f"{kind}, seed {seed}", kind, generate(kind, seed=seed, corners=corners, metric=METRIC, **options)


def add_other_maps(report: Report, others: Found) -> None:
    """Add other generated maps: means of each kind, and how far its maps differ."""
    table = report.table(
        "other-maps",
        "Other generated maps (all)",
        (
            "kind",
            "size",
            "maps",
            "algorithm",
            "nodes",
            "nodes / octile",
            "least",
            "most",
            "estimate / cost",
            "time / octile",
            "wrong costs",
        ),
        notes=("indoor: as the demo map, with other seeds. least, most: of nodes / octile, over the maps of a kind.",),
    )
    for kind in others.groups():
        names = [place.name for place in others.places if place.group == kind]
        octile = others.mean(kind, ALL, "octile")
        for label in METHODS:
            run = others.mean(kind, ALL, label)
            each = [others.mean(name, ALL, label).nodes / others.mean(name, ALL, "octile").nodes for name in names]
            size = f"{KINDS[kind]['width']} x {KINDS[kind]['height']}"
            spread = (run.nodes / octile.nodes, min(each), max(each), run.estimate / run.cost)
            table.add(kind, size, len(names), label, run.nodes, *spread, run.us / octile.us, run.wrong)
