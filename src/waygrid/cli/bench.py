"""`waygrid bench`: time and check algorithms on many problems, store the results and compare runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from waygrid.cli.bench_problems import MapRules, load_problems
from waygrid.cli.build import report_kept_work
from waygrid.cli.options import (
    Clearance,
    Cluster,
    Corners,
    MetricName,
    PriceRule,
    Reading,
    Settings,
    Topology,
    read_names,
    read_settings,
)
from waygrid.errors import WaygridError

if TYPE_CHECKING:
    from waygrid.measure.timing import Progress

_RANDOM = 200  # problems without a scenario and without --limit
_KEEPING = "Storing and comparing"
SPACING_S = 0.25  # between the rounds that runs are compared by: disturbances of a machine last about a second
_PREPARING = 0.05  # share of the progress bar


def bench(
    maps: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="MAP",
            help="Map files: .map .png .npy .txt .tmx .tif .tiff .yaml .yml .ldtk or .json; or dynamic "
            "scenarios: .scen.",
        ),
    ] = None,
    scen: Annotated[Path | None, typer.Option(metavar="FILE", help="Scenario of the map; default: MAP.scen.")] = None,
    algorithm: Annotated[
        list[str] | None,
        typer.Option("--algorithm", "-a", metavar="NAME,NAME", help="Algorithms to measure; default: astar."),
    ] = None,
    settings: Settings = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Run N problems: evenly spread over the scenario, the first of a dynamic one, or random.",
        ),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, metavar="N", help="Threads for a batch.")] = 1,
    repeat: Annotated[int, typer.Option(min=1, metavar="N", help="Repeats; the fastest counts.")] = 1,
    max_expansions: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Stop each query after N expansions; ida and iddfs need this on real maps."
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Rounds in which algorithms take turns; --against needs 4 or more; 0 for none; default: 20.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the random problems.")] = 0,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="FILE", help="Also write the results as JSON; - prints JSON instead of the table."
        ),
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Store a row for every query in this DuckDB file; an interrupted run resumes where it stopped.",
            rich_help_panel=_KEEPING,
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the run in the store.", rich_help_panel=_KEEPING)
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="Compare with a run of the store, by number or name, or with the last run of another store file.",
            rich_help_panel=_KEEPING,
        ),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(metavar="SHARE", help="How much slower --against allows; default: 5%.", rich_help_panel=_KEEPING),
    ] = None,
    quality: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE",
            help="How much more suboptimality --against allows; default: 0.1%.",
            rich_help_panel=_KEEPING,
        ),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the rows of the run to a .parquet or .csv file; without MAP all rows of the store.",
            rich_help_panel=_KEEPING,
        ),
    ] = None,
    cluster: Cluster = None,
    grid: Topology = None,
    corners: Corners = "never",
    metric: MetricName = "octile",
    clearance: Clearance = 1,
    rule: PriceRule = "enter",
    reading: Reading = None,
) -> int:
    """Measure algorithms and check their paths.

    Every path is checked, and its cost is compared with the optimum: that of the scenario under its rules (octile,
    corners never, metric octile, no weights), otherwise that of dijkstra. A map without a scenario gets random problems
    in its largest connected component.

    A scenario of version 2 is dynamic: it changes the map between its queries. Name it in place of the map, which is
    then the file of the same name beside it, or all passable without one; or name both with --scen. It is replayed in
    order, one query at a time, and edit us is the mean time of an edit.

    mean us is the time of whole batches per query. median us is the median of single queries, measured inside the
    compiled code. An option given with --set applies to every algorithm that has it. With --against the exit code is 3
    if a benchmark regressed: something is slower or worse than allowed. It is 4 for wrong results: a path that breaks
    the rules, or a missed optimum of an algorithm that guarantees it.
    """
    from waygrid.bench.runner import Kept, units_of
    from waygrid.bench.store import Plan
    from waygrid.cli.bench_show import print_how, print_results, warnings
    from waygrid.cli.bench_store import Keeping, choose_measure, export_all, measure_plan, report_comparison
    from waygrid.cli.codes import ExitCode
    from waygrid.cli.show import is_stdout, progress, write_json
    from waygrid.measure.rounds import ROUNDS
    from waygrid.measure.work import Settings as Measuring
    from waygrid.measure.work import describe_timing

    keeping = Keeping(store, name, against, threshold, quality, export)
    keeping.check()
    if not maps:
        export_all(keeping)
        return ExitCode.DONE
    maps = list(dict.fromkeys(maps))
    if scen is not None and len(maps) > 1:
        raise WaygridError(
            f"--scen works with one map, not with {len(maps)}; without it each map uses its own scenario"
        )
    names = read_names(algorithm or ["astar"])
    options = read_settings(settings, names)
    rules = MapRules(grid, corners, metric, clearance, reading, rule)
    notes: list[str] = []
    units, comparison = [], None
    with progress("measuring") as tell, report_kept_work():
        for number, map_file in enumerate(maps):
            share = _part(tell, number, len(maps), map_file.name)
            asked = load_problems(map_file, scen, rules, limit or _RANDOM, seed, share, notes)
            known = (asked.grid, asked.scenario, names, options)
            units += units_of(*known, limit=limit, optima=asked.optima, name=map_file.name, report=share)
        changing = next((unit.map for unit in units if unit.changes is not None), None)
        if rounds is not None and changing is not None:
            raise WaygridError(
                f"{changing}: --rounds {rounds} has no effect on a dynamic scenario, which is replayed in order"
            )
        how = Measuring(
            threads,
            repeat,
            max_expansions,
            rounds=ROUNDS if rounds is None else rounds,
            spacing_s=SPACING_S * keeping.needed,
        )
        how.check()
        how.check_units(units)
        measure = choose_measure(cluster, lambda share, what: tell(_PREPARING + (1 - _PREPARING) * share, what))
        if keeping.needed:
            plan = Plan(units, how, "threads" if cluster is None else "cluster", name, seed)
            results, said, comparison, machine = measure_plan(plan, keeping, measure)
            notes += said
        else:
            kept = Kept(units)
            measure(units, how, kept)
            results = kept.results(how)
            machine = "; ".join(dict.fromkeys(each.cpu for each in kept.machines))
    if json_file is not None:
        write_json(json_file, [result.as_json() for result in results])
    shown = not is_stdout(json_file)
    if shown:
        print_results(results)
        print_how(describe_timing(units), machine, how)
    for note in [*notes, *warnings(results)]:
        print(note, file=sys.stderr)
    code = ExitCode.DONE if comparison is None else report_comparison(comparison, keeping, shown=shown)
    return ExitCode.WRONG if any(result.illegal or result.differ for result in results) else code


def _part(tell: Progress, number: int, parts: int, name: str) -> Progress:
    return lambda share, what: tell(_PREPARING * (number + share) / parts, f"{name}, {what}")
