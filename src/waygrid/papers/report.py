"""What a reproduction hands back: tables with notes, pictures, and the files they become."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from waygrid.errors import WaygridError
from waygrid.formats.files import write_atomically

if TYPE_CHECKING:
    from PIL.Image import Image
    from rich.console import Console

Cell: TypeAlias = str | int | float | None
Progress: TypeAlias = Callable[[float, str], None]
"""Is told the share that is done, 0 to 1, and what is being done."""


@dataclass
class Table:
    """Columns, rows and what must be known to read them; `name` is also the name of its CSV file.

    >>> table = Table("halving", "Cycles", ("heuristic", "cycles"), notes=["head-on"])
    >>> table.add("manhattan", 120)
    >>> table.column("cycles")
    [120]
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, *cells: Cell) -> None:
        """Append a row; it has one cell per column, None where there is nothing to say."""
        if len(cells) != len(self.columns):
            raise ValueError(f"a row of {len(cells)} cells in table {self.name!r} of {len(self.columns)} columns")
        self.rows.append(tuple(_plain(cell) for cell in cells))

    def column(self, name: str) -> list[Any]:
        """Return the cells of one column."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def row(self, *first: Cell) -> dict[str, Any]:
        """Return the row that begins with these cells, by the names of its columns."""
        for row in self.rows:
            if row[: len(first)] == first:
                return dict(zip(self.columns, row, strict=True))
        raise KeyError(f"table {self.name!r} has no row {first!r}")

    def csv(self) -> str:
        """Return the table as CSV with numbers in full; the notes are in the summary."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(["" if cell is None else cell for cell in row] for row in self.rows)
        return text.getvalue()

    def markdown(self) -> str:
        """Return title, rows and notes as Markdown."""
        shown = [[_escaped(show(cell)) for cell in row] for row in self.rows]
        rule = ["---:" if all(_is_number(row[k]) for row in self.rows) else "---" for k in range(len(self.columns))]
        lines = [f"## {self.title}", "", _line(_escaped(name) for name in self.columns), _line(rule)]
        lines += [_line(row) for row in shown]
        lines += ["", *(f"* {note}" for note in self.notes)] if self.notes else []
        return "\n".join(lines) + "\n"


class Report:
    """A title, tables and pictures, in the order in which they were added.

    >>> report = Report("A paper")
    >>> table = report.table("depth", "Average depth", ("grid", "ours", "paper"))
    >>> table.add("tex", 0.80902, 0.81)
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in report.write(Path(folder))]
    ['depth.csv', 'summary.md']
    """

    def __init__(self, title: str, intro: str = "") -> None:
        self.title = title
        self.intro = intro
        self.tables: dict[str, Table] = {}
        self.pictures: dict[str, tuple[bytes, str]] = {}  # PNG bytes and a caption
        self.files: list[Path] = []  # what the last `write` wrote

    def table(self, name: str, title: str, columns: Sequence[str], *, notes: Iterable[str] = ()) -> Table:
        """Add an empty table and return it."""
        table = Table(name, title, tuple(columns), notes=list(notes))
        self.tables[name] = table
        return table

    def picture(self, name: str, image: Image, caption: str) -> None:
        """Add a Pillow picture; it becomes `name`.png."""
        data = io.BytesIO()
        image.save(data, format="PNG", optimize=True)
        self.pictures[name] = data.getvalue(), caption

    def figure(self, name: str, png: bytes, caption: str) -> None:
        """Add a figure that is already PNG (see `papers.figures`); it becomes `name`.png."""
        self.pictures[name] = png, caption

    def print(self, console: Console) -> None:
        """Show all tables with their notes, and where the files are."""
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        if console.is_terminal:
            console.rule(Text(self.title))
        else:
            console.width = max(console.width, 160)  # nothing is cut in a file or a pipe
            console.print(Text(self.title))
        if self.intro:
            console.print(Text(self.intro))
        for table in self.tables.values():
            shown = RichTable(title=Text(table.title), box=box.SIMPLE_HEAD, title_justify="left")
            for k, column in enumerate(table.columns):
                numbers = all(_is_number(row[k]) for row in table.rows)
                shown.add_column(Text(column), justify="right" if numbers else "left")
            for row in table.rows:
                shown.add_row(*(Text(show(cell)) for cell in row))
            console.print(shown)
            for note in table.notes:
                console.print(Text(f"  {note}", style="dim"))
        for path in self.files:
            console.print(Text(f"wrote {path}"))

    def write(self, out: Path) -> list[Path]:
        """Write a CSV per table, the pictures and summary.md; each file is whole or absent. Returns their paths."""
        out = Path(out)
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WaygridError(f"cannot make the folder {out}: {error.strerror or error}") from error
        files = {f"{name}.csv": table.csv().encode() for name, table in self.tables.items()}
        files |= {f"{name}.png": data for name, (data, _) in self.pictures.items()}
        files["summary.md"] = self.summary().encode()
        for name, data in files.items():
            write_atomically(out / name, data)
        self.files = [out / name for name in files]
        return self.files

    def summary(self) -> str:
        """Return everything as one page of Markdown."""
        parts = [f"# {self.title}\n", *([self.intro + "\n"] if self.intro else [])]
        parts += [table.markdown() for table in self.tables.values()]
        parts += [f"![{name}]({name}.png)\n\n{caption}\n" for name, (_, caption) in self.pictures.items()]
        return "\n".join(parts)


def show(cell: Cell) -> str:
    """Return a cell as a reader wants it: four significant digits, thousands apart, a dash for nothing.

    >>> show(0.80901699), show(1234567), show(120.0), show(None), show(2.4e9), show(0.00012), show(4.2)
    ('0.809', '1 234 567', '120', '-', '2.4e+09', '0.00012', '4.2')
    """
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return f"{cell:,}".replace(",", " ")
    if cell != cell or cell in (float("inf"), float("-inf")):
        return str(cell)
    if cell == round(cell) and abs(cell) < 1e9:
        return show(round(cell))
    if abs(cell) >= 1e9 or 0 < abs(cell) < 1e-4:
        return f"{cell:.2g}"
    if abs(cell) < 0.01:
        return f"{cell:.2g}"
    digits = 0 if abs(cell) >= 1000 else 1 if abs(cell) >= 100 else 2 if abs(cell) >= 10 else 3
    text = f"{cell:,.{digits}f}".replace(",", " ")
    return text.rstrip("0").rstrip(".") if digits else text


def _plain(cell: Any) -> Cell:
    """Return NumPy's scalars as Python's own, so that CSV and comparisons are the same everywhere."""
    plain: Cell = cell.item() if hasattr(cell, "item") else cell
    return plain


def _is_number(cell: Cell) -> bool:
    return cell is None or not isinstance(cell, str)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def whole(name: str, value: Any, least: int) -> int:
    """Return an option that must be a whole number of at least so much."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise WaygridError(f"{name} is {value!r}; allowed are the integers from {least}")
    return value


class Steps:
    """Turns the parts of a reproduction into one share that grows from 0 to 1.

    >>> steps = Steps(lambda done, text: print(f"{done:.2f} {text}"), {"maps": 1, "table": 3})
    >>> steps.begin("maps"); steps.begin("table"); steps.within(0.5); steps.end()
    0.00 maps
    0.25 table
    0.62 table
    1.00 done
    """

    def __init__(self, progress: Progress | None, weights: dict[str, float]) -> None:
        self._progress = progress or (lambda done, text: None)
        self._weights = weights
        self._total = sum(weights.values())
        self._before = 0.0
        self._now = ""

    def begin(self, name: str) -> None:
        """Start the part of this name; the one before is finished."""
        self._before += self._weights.get(self._now, 0.0)
        self._now = name
        self.within(0.0)

    def within(self, share: float, text: str = "") -> None:
        """Say how much of the present part is done."""
        done = (self._before + share * self._weights[self._now]) / self._total
        self._progress(min(done, 1.0), f"{self._now}: {text}" if text else self._now)

    def end(self) -> None:
        """Say that everything is done."""
        self._progress(1.0, "done")
