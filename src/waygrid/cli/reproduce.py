"""`waygrid reproduce`: the tables and figures of a paper, or of all of them, from our own runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from waygrid.cli.options import read_settings
from waygrid.errors import WaygridError
from waygrid.papers.catalogue import ALL, PAPERS, check_options, run_paper, runner

if TYPE_CHECKING:
    from waygrid.papers.all import Everything


def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help=f"One of {', '.join(PAPERS)}; or {ALL}.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for tables and figures.")] = Path("out"),
    maps: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            envvar="WAYGRID_MAPS",
            help="Folder of the maps that the paper uses; default: those that waygrid maps fetch downloaded.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer and smaller runs, to test that it works.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="With all: run finished papers again.")] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="OPTION=VALUE",
            help="Option of the paper, with all PAPER.OPTION=VALUE; repeatable.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Reproduce the experiments of a paper.

    Writes its tables and figures and ours to a folder. With all, reproduces every paper in its own folder and writes
    everything to report.html and report.md; finished papers are not run again.
    """
    from waygrid.cli.show import page, progress
    from waygrid.folders import maps_home

    if maps is None and maps_home().is_dir():
        maps = maps_home()
    if maps is not None and not maps.is_dir():
        raise WaygridError(f"maps is {str(maps)!r}; that is not a folder")
    if paper == ALL:
        _all(out, maps, quick, fresh, settings or [])
        return
    if fresh:
        raise WaygridError(f"--fresh works with {ALL} only; a single paper always runs again")
    run = runner(paper)
    options = read_settings(settings)
    check_options(paper, run, options)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WaygridError(f"cannot write {out}: {error.strerror or error}") from error
    with progress(paper) as tell:
        report = run_paper(paper, out, quick=quick, maps=maps, options=options, progress=tell)
    report.print(page())


def _all(out: Path, maps: Path | None, quick: bool, fresh: bool, settings: list[str]) -> None:
    """Run every paper; if one fails, raise the error after the others have run and the report is written."""
    from waygrid.cli.show import progress
    from waygrid.papers.all import reproduce_all

    options = _options_of_each(settings)
    with progress(ALL) as tell:
        found = reproduce_all(out, quick=quick, maps=maps, options=options, fresh=fresh, progress=tell)
    _print(found)
    if found.failed:
        failures = "; ".join(f"{one.paper}: {one.error}" for one in found.failed)
        raise WaygridError(f"{len(found.failed)} of {len(found.outcomes)} papers could not run: {failures}")


def _options_of_each(settings: list[str]) -> dict[str, dict[str, Any]]:
    """Return the options of each paper, from PAPER.OPTION=VALUE."""
    given: dict[str, list[str]] = {}
    for setting in settings:
        paper, dot, rest = setting.partition(".")
        if not dot or paper not in PAPERS:
            raise WaygridError(f"--set {setting!r}; with {ALL}, allowed is PAPER.OPTION=VALUE, such as dba.longest=20")
        given.setdefault(paper, []).append(rest)
    return {paper: read_settings(some) for paper, some in given.items()}


def _print(found: Everything) -> None:
    """Print a line for each paper: how many claims agree, and how long it took."""
    from waygrid.cli.show import TableColumn, print_table
    from waygrid.papers.report import AGREES, DIFFERS, NOT_MEASURED
    from waygrid.papers.words import duration

    names = (AGREES, DIFFERS, NOT_MEASURED)
    rows = []
    for one in found.outcomes:
        verdicts = [claim.verdict for claim in one.done.report.claims] if one.done else []
        counts = [str(verdicts.count(name)) if one.done else "-" for name in names]
        time = "could not run" if one.done is None else duration(one.done.seconds) + (", kept" if one.kept else "")
        rows.append((one.paper, *counts, time))
    print_table([TableColumn("paper"), *(TableColumn(name, right=True) for name in names), TableColumn("time")], rows)
    for one in found.outcomes:
        for remark in one.done.remarks if one.done else ():
            print(f"{one.paper}: {remark}")
    for path in found.files:
        print(f"wrote {path}")
