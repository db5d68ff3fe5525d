"""How `waygrid bench` shows what it measured: tables, warnings, and two runs side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waygrid.bench.compare import Allowed, Comparison, Difference
    from waygrid.bench.runner import Result
    from waygrid.cli.show import TableColumn
    from waygrid.measure.work import Settings

_WIDE = 120  # columns that the whole table needs


def print_results(results: list[Result]) -> None:
    """Print one table; on a narrow terminal one per map, without the columns that are the same in all rows."""
    from waygrid.cli.show import console, print_table

    target = console()
    if target.width >= _WIDE:
        print_table(*_columns(results, set()), target=target)
        return
    needless = {"map", "queries"}
    if not any(result.fixed_bytes or result.build_s for result in results):
        needless |= {"build\ns", "index\nbytes"}
    if any(result.edits for result in results):
        needless |= {"ns per\nexp."}  # edits need its room
    for name in dict.fromkeys(result.map for result in results):
        chosen = [result for result in results if result.map == name]
        target.print(f"{name}, {chosen[0].queries} queries")
        print_table(*_columns(chosen, needless), target=target, tight=True)
        target.print()


def print_how(how: str, machine: str, settings: Settings) -> None:
    """Print how and on which machine times were measured."""
    from textwrap import fill

    from waygrid.cli.show import console

    rounds = f"{settings.threads} thread{'s' * (settings.threads > 1)}, repeat {settings.repeat}"
    width = console().width
    print(("" if width < _WIDE else "\n") + fill(f"times: {how}; {rounds}; on {machine}", width))


def _columns(results: list[Result], without: set[str]) -> tuple[list[TableColumn], list[list[str]]]:
    from waygrid.cli.show import TableColumn, number

    columns = {
        "map": [result.map for result in results],
        "algorithm": [result.algorithm for result in results],
        "queries": [str(result.queries) for result in results],
        "mean\nus": [number(result.mean_us) for result in results],
        "median\nus": [number(result.median_us) for result in results],
        "edits": [str(result.edits) for result in results],
        "edit\nus": [number(result.edit_us) for result in results],
        "expanded": [number(result.expanded) for result in results],
        "ns per\nexp.": [number(result.ns_per_expansion) for result in results],
        "cost\ncheck": [_cost_check(result) for result in results],
        "above\noptimum": [_share(result.suboptimality) for result in results],
        "build\ns": [f"{result.build_s:.2f}" for result in results],
        "index\nbytes": [str(result.fixed_bytes) for result in results],
    }
    if not any(result.edits for result in results):
        without = without | {"edits", "edit\nus"}
    shown = {title: cells for title, cells in columns.items() if title not in without}
    titles = [TableColumn(title, right=title not in ("map", "algorithm")) for title in shown]
    return titles, [list(row) for row in zip(*shown.values(), strict=True)]


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2%}"


def _cost_check(result: Result) -> str:
    """Return `ok`, the number of rows that differ or were cut off, or - if optimality is not guaranteed."""
    if result.illegal:
        return f"{result.illegal} illegal"
    if result.cut_off:
        return f"{result.cut_off} cut off"
    if not result.optimal:
        return "-"
    return "ok" if result.differ == 0 else str(result.differ)


def warnings(results: list[Result]) -> list[str]:
    """Return warnings that do not fit into the table."""
    from waygrid.measure.path_check import below_optimum

    said = []
    for result in results:
        where, of = f"{result.map}, {result.algorithm}", f"of {result.queries} queries"
        if result.illegal or result.differ:
            said.append(f"{where}: wrong: {result.illegal + result.differ} {of}; {result.first_fault}")
        if result.below:
            row = int(below_optimum(result.rows).argmax())
            cost, optimum, number = (result.rows[name][row] for name in ("cost", "optimum", "number"))
            said.append(
                f"{where}: the optimum ({result.optimum}) is wrong: {result.below} {of} have a legal path that is "
                f"cheaper; row {number}: cost {cost:.6f}, optimum {optimum:.6f}"
            )
        if result.cut_off:
            said.append(f"{where}: cut off: {result.cut_off} {of}")
        if result.unsolved and not result.optimal:
            said.append(f"{where}: given up: {result.unsolved} {of}")
    return said


def print_comparison(comparison: Comparison, allowed: Allowed) -> None:
    """Print what is faster, slower, better or worse."""
    from waygrid.cli.show import TableColumn, number, print_table

    titles = ("map", "algorithm", "rounds", "before\nus", "now\nus", "ratio", "95 %\ninterval", "time", "quality")
    right = ("rounds", "before\nus", "now\nus", "ratio", "95 %\ninterval")
    rows = [
        [
            each.map,
            each.algorithm + ("" if each.options == "{}" else f" {each.options}"),
            str(each.rounds),
            number(each.old_us),
            number(each.new_us),
            f"{each.ratio:.3f}",
            f"{each.low:.3f} to {each.high:.3f}",
            each.time_says(allowed),
            _quality(each, allowed),
        ]
        for each in comparison.differences
    ]
    print_table([TableColumn(title, right=title in right) for title in titles], rows)
    changing = [each for each in comparison.differences if each.new_edit_us is not None]
    if changing:
        print()
        _print_edits(changing, allowed)


def _print_edits(differences: list[Difference], allowed: Allowed) -> None:
    """Print the times of edits, which have no rounds, in a table of their own."""
    from waygrid.cli.show import TableColumn, number, print_table

    titles = ("map", "algorithm", "edits before\nus", "edits now\nus", "edits")
    rows = [
        [each.map, each.algorithm, number(each.old_edit_us), number(each.new_edit_us), each.edits_say(allowed)]
        for each in differences
    ]
    print_table([TableColumn(title, right=title.endswith("us")) for title in titles], rows)


def _quality(each: Difference, allowed: Allowed) -> str:
    says = each.quality_says(allowed)
    if each.lost:
        return f"{says}: {each.lost} lost"
    return says if says == "same" or each.worse is None else f"{says}: {each.worse:+.2%}"
