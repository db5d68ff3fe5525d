"""Output: rich tables and progress on a terminal, plain aligned text everywhere else."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_ENDLESS = 100_000  # columns of a file or pipe: rows are never broken there
_PAGE = 120
LINES_S = 5.0  # between two lines of progress without a terminal
_JSON_DEPTH = 7  # a line break and two blanks for each level


class TableColumn(NamedTuple):
    """A column of a table; where it may fold, long cells take several lines when the terminal is narrow."""

    title: str  # a line break in it is a blank where there is room
    right: bool = False
    fold: bool = False


def console() -> Console:
    """Return the way to standard output; it takes text literally, without markup."""
    from rich.console import Console

    made = Console(highlight=False, markup=False, emoji=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = _ENDLESS
    return made


def page() -> Console:
    """Return the way to standard output for text that reads better broken into lines than in one long one."""
    made = console()
    if made.width == _ENDLESS:
        made.width = _PAGE
    return made


def print_table(
    columns: Sequence[TableColumn],
    rows: Iterable[Sequence[str]],
    *,
    titles: bool = True,
    tight: bool = False,
    target: Console | None = None,
) -> None:
    """Print a table: ruled on a terminal, otherwise aligned by blanks, and one line for each row unless on a `page`."""
    target = target or console()
    table = _table(columns, rows, titles, 1 if tight else 2, target)
    if target.is_terminal:
        target.print(table)
        return
    with target.capture() as captured:
        target.print(table)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def _table(
    columns: Sequence[TableColumn], rows: Iterable[Sequence[str]], titles: bool, gap: int, target: Console
) -> Table:
    from rich import box
    from rich.table import Table

    ruled = target.is_terminal and titles
    table = Table(
        box=box.SIMPLE_HEAD if ruled else None,
        show_header=titles,
        show_edge=False,
        pad_edge=False,
        padding=(0, gap - 1 if ruled else gap, 0, 0),  # the ruled box has a blank between columns of its own
        header_style="bold" if target.is_terminal else "none",
    )
    for number, column in enumerate(columns):
        table.add_column(
            column.title if target.is_terminal or target.width < _PAGE else column.title.replace("\n", " "),
            justify="right" if column.right else "left",
            no_wrap=not column.fold,
            style="cyan" if number == 0 and target.is_terminal else "none",
        )
    for row in rows:
        table.add_row(*row)
    return table


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    print(json_text(value), end="")


def write_json(file: Path, value: Any) -> None:
    """Write a value as JSON to a file; `-` is standard output."""
    from waygrid.formats.files import write_atomically

    if is_stdout(file):
        print_json(value)
    else:
        write_atomically(file, json_text(value).encode())


def is_stdout(file: Path | None) -> bool:
    """Tell whether a file stands for standard output."""
    return file is not None and str(file) == "-"


def json_text(value: Any) -> str:
    """Return JSON with one entry a line; what is inside an entry stays on its line.

    >>> print(json_text({"cost": 2.0, "cells": [[0, 0], [1, 0]]}), end="")
    {
      "cost": 2.0,
      "cells": [[0, 0], [1, 0]]
    }
    """
    return _json(value, "\n") + "\n"


def _json(value: Any, line: str) -> str:
    inner = line + "  "
    if isinstance(value, dict) and value and len(inner) <= _JSON_DEPTH:
        entries = [f"{json.dumps(name)}: {_json(entry, inner)}" for name, entry in value.items()]
        return "{" + inner + f",{inner}".join(entries) + line + "}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[" + inner + f",{inner}".join(_json(entry, inner) for entry in value) + line + "]"
    return json.dumps(value, allow_nan=False)


@contextmanager
def progress(what: str, *, hidden: bool = False) -> Iterator[Callable[[float, str], None]]:
    """Show on standard error how far the block is: a bar on a terminal, elsewhere a line every few seconds.

    The block is given a function that takes the share that is done, 0 to 1, and what is being done now. Until it is
    called only the time that has passed is shown. hidden: show nothing.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    errors = Console(stderr=True, highlight=False, markup=False)
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
        console=errors,
        transient=True,
        disable=hidden or not errors.is_terminal,
    )
    if not hidden and not errors.is_terminal:
        with _lines(what) as tell_lines:
            yield tell_lines
        return
    from waygrid.core import announce

    with bar:
        task = bar.add_task(what, total=None)
        if not hidden:
            announce.show = lambda text: bar.update(task, description=f"{what}  {text}" if text else what)

        def tell(share: float, now: str = "") -> None:
            bar.update(task, total=1.0, completed=share, description=f"{what}  {now}" if now else what)

        try:
            yield tell
        finally:
            announce.show = None


@contextmanager
def _lines(what: str) -> Iterator[Callable[[float, str], None]]:
    """Print a plain line on standard error every few seconds; work that is shorter prints none."""
    began, stop, state = time.monotonic(), Event(), [what]

    def tell(share: float, now: str = "") -> None:
        state[0] = f"{what} {share:.0%}  {now}" if now else f"{what} {share:.0%}"

    def report() -> None:
        # Work in compiled code does not come back to tell anything, so a thread of its own looks at the clock.
        while not stop.wait(LINES_S):
            print(f"{state[0]}  ({time.monotonic() - began:.0f} s)", file=sys.stderr, flush=True)

    thread = Thread(target=report, name="waygrid-progress", daemon=True)
    thread.start()
    try:
        yield tell
    finally:
        stop.set()
        thread.join()


def duration(seconds: float) -> str:
    """Return a time with a unit that suits it.

    >>> duration(4.56e-5), duration(0.0234), duration(75)
    ('45.6 us', '23.4 ms', '75.0 s')
    """
    if seconds < 1e-3:
        return f"{1e6 * seconds:.1f} us"
    return f"{1e3 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


def number(value: float | None) -> str:
    """Return a measured number with three digits or more, a dash for none.

    >>> number(0.1234), number(12.34), number(1234.5), number(None)
    ('0.12', '12.3', '1234', '-')
    """
    if value is None:
        return "-"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}" if abs(value) < 100 else f"{value:.0f}"
