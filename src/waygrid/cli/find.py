"""`waygrid find`: one path on one map."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from waygrid.cli.codes import ExitCode
from waygrid.cli.options import (
    Clearance,
    Corners,
    MapFile,
    MetricName,
    PriceRule,
    Reading,
    Settings,
    Topology,
    load_grid,
    read_cell,
    read_end,
    read_settings,
)
from waygrid.errors import WaygridError

if TYPE_CHECKING:
    from waygrid.search.finder import Finder
    from waygrid.search.path import Path as FoundPath

Cell = tuple[int, int]

_CALLS, _TIMING_S = 10, 0.05
_TASTE = 64  # expansions: enough to compile and to allocate memory
_SHOWN = 12  # waypoints


def find(
    map: MapFile,
    start: Annotated[str, typer.Argument(metavar="START", help="Cell X,Y to start from; with --coordinates a point.")],
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="Cell X,Y to go to; with --coordinates a point.")],
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--algorithm",
            "-a",
            metavar="NAME",
            help="Algorithm; waygrid algorithms lists them; auto: chosen for the map. Default: astar.",
        ),
    ] = None,
    settings: Settings = None,
    index: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Index from waygrid build; it names the algorithm.")
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="If the goal is unreachable, go to the closest reachable cell.")
    ] = False,
    max_expansions: Annotated[int | None, typer.Option(metavar="N", help="Stop after N expansions.")] = None,
    max_time: Annotated[float | None, typer.Option(metavar="SECONDS", help="Stop after this time.")] = None,
    blocked: Annotated[
        list[str] | None,
        typer.Option(metavar="X,Y", help="A cell that is a wall for this query; repeatable."),
    ] = None,
    coordinates: Annotated[
        bool,
        typer.Option(
            "--coordinates",
            help="START and GOAL are points in the coordinates of the map (.tif); the path is printed in them too.",
        ),
    ] = False,
    geojson: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the path as GeoJSON, in the coordinates of the map.")
    ] = None,
    straighten: Annotated[
        bool, typer.Option("--straighten", help="Pull the path straight: legs at any angle between cell centres.")
    ] = False,
    prefer: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of equally cheap paths one with the fewest turns: straight."),
    ] = None,
    cells: Annotated[bool, typer.Option("--cells", help="Print every cell of the path, one per line.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object and nothing else.")] = False,
    png: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the map, the cells searched and the path.")
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the search for Posthoc (.trace.yaml, .trace.json) or as a film (.gif, or .mp4 with ffmpeg).",
        ),
    ] = None,
    grid: Topology = None,
    corners: Corners = "never",
    metric: MetricName = "octile",
    clearance: Clearance = 1,
    rule: PriceRule = "enter",
    reading: Reading = None,
) -> None:
    """Find a path and report what the search did.

    The exit code is 1 if no path to the goal exists, also with --partial. It is 0 if a limit stopped the search.
    """
    from waygrid.algorithms.make import load_finder, make_finder
    from waygrid.cli.show import print_json, progress
    from waygrid.search.path import Status

    if not coordinates:
        read_cell("start", start), read_cell("goal", goal)  # before a large map is read
    walls = [read_cell("blocked cell", text) for text in blocked or ()]
    limits: dict[str, Any] = {"partial": partial, "max_expansions": max_expansions, "max_time": max_time}
    limits["blocked"] = walls or None
    with progress(f"{algorithm or 'searching'} on {map.name}"):
        loaded = load_grid(map, grid, corners, metric, clearance, reading, rule)
        ends = read_end("start", start, loaded, coordinates), read_end("goal", goal, loaded, coordinates)
        if index is None:
            algorithm = algorithm or "astar"
            options = read_settings(settings, [algorithm])
            finder = make_finder(algorithm, loaded, **options)
            if finder.reason:
                print(finder.reason, file=sys.stderr)
                algorithm, options = finder.info.name, finder.options
        else:
            finder = load_finder(index, loaded)
            if finder.stale:
                differ = f"{finder.stale} cells differ from the map of the index"
                print(f"{index}: {differ}; the answer is for this map", file=sys.stderr)
            _refuse_another(index, finder, algorithm, settings)
            algorithm, options = finder.info.name, finder.options
        path, seconds = _search(finder, ends, {**limits, "prefer": prefer})
        if straighten and len(path):
            path = path.straighten(loaded, blocked=limits["blocked"])
        if trace is not None or png is not None:
            from waygrid.cli.record import draw, record, write

            left = _time_left(limits, seconds, required=trace is not None)
            recorded = None if left is None else record(finder, ends, left, required=trace is not None)
            if trace is not None and recorded is not None:
                write(trace, recorded)
            if png is not None:
                draw(png, finder.grid, path, recorded, ends, walls)
        if geojson is not None:
            _write_geojson(geojson, path)
        finder.finish_verification()  # with a damaged index the result may be wrong
    if as_json:
        facts = _as_json(str(map), algorithm, options, path, seconds)
        if loaded.georeference is not None:
            facts["coordinates"] = path.coordinates.tolist()
        print_json(facts)
    else:
        _print(algorithm, path, seconds, cells, coordinates, [file for file in (png, trace, geojson) if file])
    if path.status in (Status.UNREACHABLE, Status.PARTIAL):
        raise typer.Exit(ExitCode.NO_PATH)


def _write_geojson(file: Path, path: FoundPath) -> None:
    from waygrid.formats.files import write_atomically

    write_atomically(file, json.dumps(path.to_geojson(), allow_nan=False).encode())


def _refuse_another(index: Path, finder: Finder, algorithm: str | None, settings: list[str] | None) -> None:
    """Refuse an algorithm or options that differ from those of the index."""
    name = finder.info.name
    if algorithm is not None and algorithm != name:
        raise WaygridError(f"{index} is an index of {name}, not of {algorithm}; leave out -a, or give -a {name}")
    for option, value in read_settings(settings, [name]).items():
        if option not in finder.options or finder.options[option] != value:
            made = f"made with {option}={finder.options[option]}" if option in finder.options else f"of {name}"
            raise WaygridError(f"--set {option}={value}, but {index} is an index {made}; leave out --set")


def _search(finder: Finder, ends: tuple[Cell, Cell], limits: dict[str, Any]) -> tuple[FoundPath, float]:
    """Return the path and the seconds of the search without compilation; short searches run several times.

    A long search runs once: time limits apply to the whole command.
    """
    from waygrid.measure.timing import time_best, time_call, wall_clock

    taste = {**limits, "max_expansions": min(_TASTE, limits["max_expansions"] or _TASTE)}
    finder.find_many([ends[0]], [ends[1]], threads=1, **taste)
    seconds, paths = time_call(lambda: finder.find_many([ends[0]], [ends[1]], threads=1, **limits), wall_clock)
    if seconds < _TIMING_S:
        seconds = time_best(lambda: finder.find(*ends, **limits), fill_s=_TIMING_S, most=_CALLS)
    return paths[0], seconds


def _time_left(limits: dict[str, Any], spent: float, *, required: bool) -> dict[str, Any] | None:
    """Return the limits for the recorded second search; None if no time is left for it."""
    if limits["max_time"] is None:
        return limits
    left = limits["max_time"] - spent
    if left <= 0 and not required:
        return None
    # A requested trace gets a moment more, to record as much as the search did.
    return {**limits, "max_time": max(left, _TIMING_S)}


def _as_json(map_name: str, algorithm: str, options: dict[str, Any], path: FoundPath, seconds: float) -> dict[str, Any]:
    stats = path.stats
    return {
        "map": map_name,
        "algorithm": algorithm,
        "options": {name: str(value) if isinstance(value, Path) else value for name, value in options.items()},
        "status": path.status.name,
        "cost": path.cost if len(path) else None,
        "cells": path.cells.tolist(),
        "waypoints": path.waypoints.tolist(),
        "model": path.model,
        "expanded": stats.expanded,
        "generated": stats.generated,
        "peak_open": stats.peak_open,
        "estimate": stats.estimate,
        "nodes": stats.nodes,
        "bytes": stats.bytes,
        "seconds": seconds,
    }


def _print(algorithm: str, path: FoundPath, seconds: float, cells: bool, coordinates: bool, files: list[Path]) -> None:
    from waygrid.cli.show import TableColumn, duration, print_table

    stats, rows = path.stats, [("algorithm", algorithm), ("status", path.status.name)]
    if len(path):
        points = _list_points(path, path.waypoints, coordinates)
        shown = points if len(points) <= _SHOWN else [*points[: _SHOWN // 2], "...", *points[-_SHOWN // 2 :]]
        rows += [
            ("cost", f"{path.cost:.4f}"),
            *([("moves", str(len(path) - 1))] if path.model == "cells" else [("legs", str(len(points) - 1))]),
            ("waypoints", f"{len(points)}: {' '.join(shown)}"),
        ]
    rows += [
        ("estimate", f"{stats.estimate:.4f}"),
        ("expanded", str(stats.expanded)),
        ("generated", str(stats.generated)),
        ("peak open", str(stats.peak_open)),
        ("time", f"{duration(seconds)} (compiled and warm)"),
        *(("written", str(file)) for file in files),
    ]
    print_table([TableColumn("what"), TableColumn("value", fold=True)], rows, titles=False)
    if cells:
        for point in _list_points(path, path.cells, coordinates):
            print(point)


def _list_points(path: FoundPath, cells: Any, coordinates: bool) -> list[str]:
    """Return cells as text, or the coordinates of their centres."""
    place = path._sizes.place
    if coordinates and place is not None:
        return [f"{x:.10g},{y:.10g}" for x, y in place.to_world(cells).tolist()]
    return [f"{x},{y}" for x, y in cells.tolist()]
