"""`waygrid bench`: algorithms on many problems of one or more maps, timed and checked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from waygrid.cli.build import telling_what_is_kept
from waygrid.cli.options import (
    Clearance,
    Corners,
    MetricName,
    Reading,
    Settings,
    Topology,
    load_grid,
    read_names,
    read_settings,
)
from waygrid.errors import WaygridError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from waygrid.bench.runner import Result
    from waygrid.bench.scenario import Scenario
    from waygrid.bench.timing import Progress
    from waygrid.cli.show import Column
    from waygrid.grid.grid import Grid

_RANDOM = 200  # problems where there is no scenario and no --limit
_WIDE = 120  # columns that the whole table needs


def bench(
    maps: Annotated[list[Path], typer.Argument(metavar="MAP", help="Map files: .map .png .npy .txt or .tmx.")],
    scen: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The problems of the map; MAP.scen where this is not given.")
    ] = None,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm", "-a", metavar="NAME,NAME", help="Algorithms to measure; astar where none is named."
        ),
    ] = None,
    settings: Settings = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Ask N problems, evenly spread over the scenario, or N random ones."),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, metavar="N", help="Threads for the mean time.")] = 1,
    repeat: Annotated[int, typer.Option(min=1, metavar="N", help="Rounds; the quickest counts.")] = 1,
    max_expansions: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="End each query there; ida and iddfs need it on real maps."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Of the random problems.")] = 0,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the results as JSON as well.")
    ] = None,
    grid: Topology = None,
    corners: Corners = "never",
    metric: MetricName = "octile",
    clearance: Clearance = 1,
    reading: Reading = None,
) -> None:
    """Measure algorithms and check their paths.

    Every path is checked, and its cost compared with the optimum: the scenario's on octile grids under its own rules
    (corners never, metric octile, no weights), dijkstra's otherwise. A map without scenario gets random problems in its
    largest connected part.

    mean us is the time of a whole batch for each query; median us that of the single queries, with the overhead of
    a call taken off. An option given by --set goes to every algorithm that has it.
    """
    from waygrid.bench.runner import run
    from waygrid.cli.show import json_text, progress
    from waygrid.formats.files import write_atomically

    if scen is not None and len(maps) > 1:
        raise WaygridError(f"--scen goes with one map, not with {len(maps)}; without it each map's own is taken")
    names = read_names(algorithm or ["astar"])
    options = read_settings(settings, names)
    results: list[Result] = []
    notes: list[str] = []
    with progress("measuring") as tell, telling_what_is_kept():
        for number, map_file in enumerate(maps):
            share = _part(tell, number, len(maps), map_file.name)
            loaded = load_grid(map_file, grid, corners, metric, clearance, reading)
            scenario, optima = _problems(map_file, scen, loaded, limit or _RANDOM, seed, share, notes)
            results += run(
                loaded,
                scenario,
                names,
                options,
                threads=threads,
                repeat=repeat,
                limit=limit,
                max_expansions=max_expansions,
                optima=optima,
                name=map_file.name,
                progress=share,
            )
    if json_file is not None:
        write_atomically(json_file, json_text([result.as_json() for result in results]).encode())
    _print(results)
    for note in [*notes, *_warnings(results)]:
        print(note, file=sys.stderr)


def _problems(
    map_file: Path, scen: Path | None, grid: Grid, count: int, seed: int, tell: Progress, notes: list[str]
) -> tuple[Scenario, npt.NDArray[np.float64] | None]:
    """Return the problems of a map, and their optimal costs where these are already those of this grid."""
    from waygrid.bench.problems import random_problems, with_room
    from waygrid.bench.scenario import Scenario

    beside = map_file.with_name(map_file.name + ".scen")
    if scen is None and not beside.exists():
        notes.append(f"{map_file.name}: no scenario; {count} random problems, seed {seed}")
        problems = random_problems(grid, count, seed=seed, progress=lambda share, what: tell(0.2 * share, what))
        return problems, problems.costs
    scenario = Scenario.from_file(scen or beside)
    fitting = with_room(scenario, grid)
    if len(fitting) < len(scenario):
        left = len(scenario) - len(fitting)
        notes.append(f"{map_file.name}: {left} of {len(scenario)} problems have no room for the agent and are left out")
    return fitting, None


def _part(tell: Progress, number: int, parts: int, name: str) -> Progress:
    return lambda share, what: tell((number + share) / parts, f"{name}, {what}")


def _print(results: list[Result]) -> None:
    """Print one table; on a narrow terminal one for each map, without the columns that say nothing there."""
    from waygrid.cli.show import console, print_table

    target = console()
    if target.width >= _WIDE:
        print_table(*_columns(results, set()), target=target)
        return
    needless = {"map", "queries"}
    if not any(result.fixed_bytes or result.build_s for result in results):
        needless |= {"build\ns", "index\nbytes"}
    for name in dict.fromkeys(result.map for result in results):
        chosen = [result for result in results if result.map == name]
        target.print(f"{name}, {chosen[0].queries} queries")
        print_table(*_columns(chosen, needless), target=target, tight=True)
        target.print()


def _columns(results: list[Result], without: set[str]) -> tuple[list[Column], list[list[str]]]:
    from waygrid.cli.show import Column, number

    columns = {
        "map": [result.map for result in results],
        "algorithm": [result.algorithm for result in results],
        "queries": [str(result.queries) for result in results],
        "mean\nus": [number(result.mean_us) for result in results],
        "median\nus": [number(result.median_us) for result in results],
        "expanded": [number(result.expanded) for result in results],
        "ns per\nexp.": [number(result.ns_per_expansion) for result in results],
        "cost\ncheck": [_cost_check(result) for result in results],
        "above\noptimum": [_share(result.suboptimality) for result in results],
        "build\ns": [f"{result.build_s:.2f}" for result in results],
        "index\nbytes": [str(result.fixed_bytes) for result in results],
    }
    shown = {title: cells for title, cells in columns.items() if title not in without}
    titles = [Column(title, right=title not in ("map", "algorithm")) for title in shown]
    return titles, [list(row) for row in zip(*shown.values(), strict=True)]


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2%}"


def _cost_check(result: Result) -> str:
    """Return `ok`, the number of rows that differ or were cut off, or - where the cheapest path is not claimed."""
    if result.illegal:
        return f"{result.illegal} illegal"
    if result.cut_off:
        return f"{result.cut_off} cut off"
    if not result.optimal:
        return "-"
    return "ok" if result.differ == 0 else str(result.differ)


def _warnings(results: list[Result]) -> list[str]:
    """Say what the table has no room for."""
    said = []
    for result in results:
        where, of = f"{result.map}, {result.algorithm}", f"of {result.queries} queries"
        if result.illegal or result.differ:
            said.append(f"{where}: wrong: {result.illegal + result.differ} {of}; {result.first_fault}")
        if result.cut_off:
            said.append(f"{where}: cut off: {result.cut_off} {of}")
        if result.unsolved and not result.optimal:
            said.append(f"{where}: given up: {result.unsolved} {of}")
    return said
