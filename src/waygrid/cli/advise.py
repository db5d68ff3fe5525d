"""`waygrid advise`: which algorithm suits a map and a game's limits."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import fill, indent
from typing import TYPE_CHECKING, Annotated

import typer

from waygrid.cli.build import report_kept_work
from waygrid.cli.options import (
    Clearance,
    Corners,
    MapFile,
    MetricName,
    Reading,
    Topology,
    load_grid,
    read_names,
    read_settings,
)

if TYPE_CHECKING:
    from waygrid.advisor.advice import Advice
    from waygrid.advisor.candidate import Candidate
    from waygrid.cli.show import TableColumn
    from waygrid.measure.scenario import Scenario


_WIDE = 120  # columns that the table needs with a column of reasons
_REASON = 36  # columns of a reason below a name


def advise(
    map: MapFile,
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Largest size of the index, such as 200KB, 1.5MB or 64KiB.")
    ] = None,
    suboptimality: Annotated[
        str | None, typer.Option(metavar="SHARE", help="How much longer than the optimum paths may be, such as 3%.")
    ] = None,
    response: Annotated[
        str | None, typer.Option(metavar="TIME", help="Longest time to the first move, such as 50us or 2ms.")
    ] = None,
    updates: Annotated[
        bool, typer.Option("--updates", help="The map changes during play: an index must be rebuilt within a frame.")
    ] = False,
    budget: Annotated[float, typer.Option(metavar="SECONDS", help="Time for all measurements.")] = 120,
    scen: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Scenario with the problems; default: MAP.scen, otherwise random problems."),
    ] = None,
    algorithm: Annotated[
        list[str] | None,
        typer.Option("--algorithm", "-a", metavar="NAME,NAME", help="Algorithms to try; default: all."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the sample of problems.")] = 0,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write everything as JSON; - prints only JSON."),
    ] = None,
    html_file: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a page with plots (pip install 'waygrid[papers]')."),
    ] = None,
    grid: Topology = None,
    corners: Corners = "never",
    metric: MetricName = "octile",
    clearance: Clearance = 1,
    reading: Reading = None,
) -> None:
    """Recommend an algorithm for a map.

    Measures every algorithm that supports the map on a sample of problems, the promising ones on more problems. Among
    those that meet the limits, recommends the one with the least time for a whole path. Limits that are not given are
    ignored. Suboptimality and response are means. The exit code is 5 if no algorithm meets the limits.
    """
    from waygrid.advisor.advise import advise as ask
    from waygrid.advisor.limits import limits_of
    from waygrid.cli.codes import ExitCode
    from waygrid.cli.show import is_stdout, progress, write_json
    from waygrid.formats.files import write_atomically

    limits_of(memory, suboptimality, response)  # refuse bad limits before the map is read
    if html_file is not None:
        from waygrid.papers.figures import require

        require()
    with progress("measuring") as tell, report_kept_work():
        loaded = load_grid(map, grid, corners, metric, clearance, reading)
        advice = ask(
            loaded,
            memory=memory,
            suboptimality=suboptimality,
            response=response,
            updates=updates,
            budget=budget,
            scenario=_scenario(map, scen),
            algorithms=read_names(algorithm) if algorithm else None,
            seed=seed,
            progress=tell,
        )
    options = read_settings(reading)
    if json_file is not None:
        write_json(json_file, advice.as_json())
    if html_file is not None:
        write_atomically(html_file, advice.html(f"An algorithm for {map.name}", str(map), options).encode())
    if not is_stdout(json_file):
        _print(advice, advice.code(str(map), options))
    for file in (json_file, html_file):
        if file is not None and not is_stdout(file):
            print(f"written: {file}", file=sys.stderr)
    if advice.recommendation is None:
        raise typer.Exit(ExitCode.NO_ADVICE)


def _scenario(map_file: Path, scen: Path | None) -> Scenario | None:
    from waygrid.measure.scenario import Scenario

    beside = map_file.with_name(map_file.name + ".scen")
    if scen is None and not beside.exists():
        return None
    return Scenario.from_file(scen or beside)


def _print(advice: Advice, code: str) -> None:
    from waygrid.cli.show import page, print_table

    target = page()
    for number, line in enumerate(advice.summary()):
        print(fill(line, target.width, initial_indent="  " if number else "", subsequent_indent="    "))
    print()
    if code:
        print(code)
    print_table(*_columns(_leaders(advice), narrow=target.width < _WIDE), target=target, tight=True)
    shown = len(_leaders(advice))
    ending = f"The best of each algorithm: {shown} of {len(advice.candidates)} candidates, on {advice.problems}."
    print("\n" + fill(ending, target.width))


def _leaders(advice: Advice) -> list[Candidate]:
    """Return the best candidate of each algorithm and use, the recommended one first."""
    from waygrid.advisor.choose import miss

    def worth(one: Candidate) -> tuple[bool, bool, bool, float, float]:
        apart = 0.0 if one.feasible else miss(one, advice.limits)
        return one is not advice.recommendation, not one.feasible, not one.measured, apart, one.effort_us

    best: dict[tuple[str, str], Candidate] = {}
    for one in sorted(advice.candidates, key=worth):
        best.setdefault((one.algorithm, one.use), one)
    return list(best.values())


def _columns(shown: list[Candidate], *, narrow: bool) -> tuple[list[TableColumn], list[list[str]]]:
    """Return the table; on a narrow page the reasons are below the names, where they have some width."""
    from waygrid.advisor.limits import share_words, size_words, time_words
    from waygrid.cli.show import TableColumn

    titles = [
        TableColumn("candidate, and why", fold=True) if narrow else TableColumn("candidate"),
        TableColumn("above\noptimum", right=True),
        TableColumn("first\nmove", right=True),
        TableColumn("whole\npath", right=True),
        TableColumn("index", right=True),
        *(() if narrow else (TableColumn("why", fold=True),)),
    ]
    rows = [
        [
            f"{one.name}\n{indent(fill(one.reason, _REASON), '  ')}" if narrow else one.name,
            "-" if one.suboptimality is None else share_words(one.suboptimality),
            "-" if one.response_us is None else time_words(one.response_us / 1e6),
            "-" if one.total_us is None else time_words(one.total_us / 1e6),
            "-" if one.fixed_bytes is None else size_words(one.fixed_bytes),
            *(() if narrow else (one.reason,)),
        ]
        for one in shown
    ]
    return titles, rows
