"""`waygrid maps verify`: every row of map sets, answered by every algorithm that promises the cheapest path."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from waygrid import interrupts
from waygrid.cli.codes import ExitCode, Stopped
from waygrid.cli.options import read_names
from waygrid.errors import WaygridError

if TYPE_CHECKING:
    from waygrid.bench.verify import FitLimits, Verification, VerifiedUnit

_WRITE_S = 2.0  # between two writings of the report
_REPORT_BYTES = 2**28


def verify_sets(
    context: typer.Context,
    sets: Annotated[
        list[str] | None, typer.Argument(metavar="SET...", help="Sets to verify; default: all in the folder.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--dir",
            "--maps",
            metavar="DIR",
            help="Folder of the sets; default: WAYGRID_MAPS, otherwise waygrid's cache folder.",
            show_default=False,
        ),
    ] = None,
    algorithms: Annotated[
        list[str] | None,
        typer.Option(
            "-a",
            "--algorithms",
            metavar="NAMES",
            help="Algorithms, such as astar,jps; default: all that promise the cheapest path and are not exponential.",
            show_default=False,
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE.json",
            help="Keep the results in a file, and resume from it.",
            show_default=False,
        ),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option("--csv", metavar="FILE", help="Write a row for each map and algorithm.", show_default=False),
    ] = None,
    memory: Annotated[str, typer.Option(metavar="SIZE", help="Most memory of a build.")] = "2GB",
    build_seconds: Annotated[float, typer.Option(min=0.0, metavar="S", help="Longest build on a map.")] = 60.0,
    query_seconds: Annotated[float, typer.Option(min=0.0, metavar="S", help="Longest time for a map's rows.")] = 600.0,
    threads: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Threads; default: all cores.", show_default=False)
    ] = None,
) -> int:
    """Answer every row of map sets with every optimal algorithm that fits, and check all costs and paths.

    A path is checked by the map and the rules alone, its cost against the scenario's. With --report the same command
    resumes after an interruption; results of changed maps or another version of waygrid are not used again.
    """
    from waygrid.bench.verify import FitLimits, find_rows, optimal_algorithms
    from waygrid.cli.show import progress
    from waygrid.folders import maps_home
    from waygrid.search.declaration import BUILD_OPTIONS

    limits = FitLimits(BUILD_OPTIONS["memory"].check("--memory", memory), build_seconds, query_seconds)
    names = _check_names(read_names(algorithms)) if algorithms else optimal_algorithms()
    maps = find_rows(folder or context.obj or maps_home(), sets or [])
    done = _begin(report, limits)
    keep = _Keeper(report, done)
    try:
        with progress("verifying") as tell, interrupts.explaining(_say_kept(report)):
            done.run(maps, names, threads=threads, keep=keep, progress=tell)
    except KeyboardInterrupt as stop:
        keep.write()
        raise Stopped(_say_kept(report)) from stop
    keep.write()
    if table is not None:
        _write_csv(table, done.units)
    _print(done, len(maps), [f"{rows.set}/{rows.map.name}" for rows in maps if rows.scenario is None])
    return ExitCode.WRONG if any(unit.faults for unit in done.units) else ExitCode.DONE


def _check_names(names: Sequence[str]) -> list[str]:
    from waygrid.search.registry import find_class

    for name in names:
        info, _ = find_class(name)
        if not info.optimal:
            raise WaygridError(f"{name} does not promise the cheapest path, so there is nothing to verify")
    return list(names)


def _begin(report: Path | None, limits: FitLimits) -> Verification:
    """Return what an earlier run found, to go on from."""
    from waygrid.bench.verify import Verification, read_verification
    from waygrid.formats.files import read_bytes

    if report is None or not report.exists():
        return Verification(limits)
    try:
        data = json.loads(read_bytes(report, _REPORT_BYTES))
    except (ValueError, RecursionError) as error:
        raise WaygridError(f"{report} is not a file of results of waygrid maps verify") from error
    return Verification(limits, *read_verification(data, str(report)))


def _say_kept(report: Path | None) -> str:
    if report is None:
        return "interrupted; nothing is kept without --report FILE"
    return f"interrupted; the results so far are in {report}; run the same command again to resume"


class _Keeper:
    """Writes the report every few seconds."""

    def __init__(self, report: Path | None, done: Verification) -> None:
        self._report, self._done, self._last = report, done, monotonic()

    def __call__(self) -> None:
        if monotonic() - self._last > _WRITE_S:
            self.write()
            self._last = monotonic()

    def write(self) -> None:
        """Write the report now."""
        from waygrid.cli.show import write_json

        if self._report is not None:
            with interrupts.saving():
                write_json(self._report, self._done.as_json())


def _write_csv(file: Path, units: Sequence[VerifiedUnit]) -> None:
    from dataclasses import asdict

    from waygrid.formats.files import write_atomically

    text = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for unit in units:
        row = {**asdict(unit), "faults": unit.faults}
        if writer is None:
            writer = csv.DictWriter(text, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow(row)
    write_atomically(file, text.getvalue().encode())


def _print(done: Verification, maps: int, without: Sequence[str]) -> None:
    """Print a row for each set and algorithm, then faults, and what was left out."""
    from waygrid.cli.show import TableColumn, print_table

    titles = ("set", "algorithm", "maps", "left out", "rows", "differ", "illegal", "build s", "rows s", "check s")
    groups: dict[tuple[str, str], list[VerifiedUnit]] = {}
    for unit in done.units:
        groups.setdefault((unit.set, unit.algorithm), []).append(unit)
    columns = [TableColumn(title, right=number > 1) for number, title in enumerate(titles)]
    print_table(columns, [[*names, *_sum_up(units)] for names, units in sorted(groups.items())])
    answered, faults = sum(unit.answered for unit in done.units), sum(unit.faults for unit in done.units)
    print(f"\n{maps} maps, {answered} answers, {faults} faults")
    for unit in done.units:
        if unit.faults:
            print(f"FAULT {unit.set}/{unit.map}, {unit.algorithm}: {unit.first_fault or 'rows are missing'}")
        elif unit.left_out is not None:
            print(f"left out: {unit.set}/{unit.map}, {unit.algorithm}: {unit.left_out}", file=sys.stderr)
    for name in without:
        print(f"no scenario: {name}", file=sys.stderr)
    if done.resumed:
        print(f"{done.resumed} results are from an earlier run", file=sys.stderr)


def _sum_up(units: Sequence[VerifiedUnit]) -> list[str]:
    """Return the cells of a row of the table."""

    def total(name: str) -> str:
        value = sum(getattr(unit, name) for unit in units)
        return f"{value:.1f}" if isinstance(value, float) else str(value)

    inside = sum(unit.left_out is None for unit in units)
    summed = ("answered", "differ", "illegal", "build_s", "query_s", "check_s")
    return [str(inside), str(len(units) - inside), *map(total, summed)]
