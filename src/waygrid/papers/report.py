"""What a reproduction hands back: tables with notes, pictures, and the files they become."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from waygrid.errors import WaygridError
from waygrid.formats.files import write_atomically
from waygrid.measure.timing import Progress

if TYPE_CHECKING:
    from PIL.Image import Image
    from rich.console import Console
    from rich.table import Table as RichTable

Cell: TypeAlias = str | int | float | None

AGREES, DIFFERS, NOT_MEASURED = "agrees", "differs", "not measured"
COMPUTED, EXAMPLE = "computed", "an example"  # no verdicts: no measurement could come out otherwise
INTERVAL = ", 95 %"  # behind the name of a column: a column of its own with the intervals of its figures
_PAPERS_COLUMN = " (paper)"
SHORT = 24  # characters: cells of a column of shorter ones are not broken into lines
_SAME, _LARGE = 0.005, 3.0  # a deviation that is not shown, and a factor from which on it is shown as one
_INTERVAL = re.compile(r"\[-?[\d. e+]+, -?[\d. e+]+\]")
_PERCENTAGE = re.compile(r"-?[\d.]+ ?%")
_EMPHASIS = re.compile(r"\*(?=\w)|(?<!\w)_(?=\w)|\[(?=[^\]]*\]\()")  # what would begin emphasis or a link


CLAIM_COLUMNS = ("claim", "paper", "ours", "verdict")


class Claim(NamedTuple):
    """A statement of a paper, what it says and what was measured, and by which rule the two agree or not."""

    text: str
    paper: str
    ours: str
    verdict: str
    rule: str
    why: str  # what is known of the difference; empty where there is none


class Picture(NamedTuple):
    """A PNG, its caption, and what is to be seen on it for those who cannot see it."""

    png: bytes
    caption: str
    alt: str

    def markdown(self, file: str) -> str:
        """Return the picture and its caption as Markdown."""
        alt = escape(self.alt).replace("[", "(").replace("]", ")")
        return f"![{alt}]({file})\n\n{escape(self.caption)}\n"


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

    def deviation(self, row: Sequence[Cell], place: int) -> float | None:
        """Return how far a cell of a row is from the paper's, as a share; None where the paper has no such number.

        The paper's number stands in the column of the same name with `(paper)` behind it.

        >>> table = Table("depth", "Depth", ("grid", "depth", "depth (paper)"), rows=[("tex", 0.9, 0.75)])
        >>> [table.deviation(table.rows[0], k) for k in range(3)]
        [None, 0.2, None]
        """
        other = self.columns[place] + _PAPERS_COLUMN
        if other not in self.columns:
            return None
        ours, theirs = row[place], row[self.columns.index(other)]
        if not (isinstance(ours, (int, float)) and isinstance(theirs, (int, float)) and theirs):
            return None
        return round(float(ours / theirs - 1), 6)

    def is_interval(self, place: int) -> bool:
        """Tell whether a column holds the intervals of the column before it."""
        name = self.columns[place]
        return place > 0 and name == self.columns[place - 1] + INTERVAL

    def is_number(self, place: int) -> bool:
        """Tell whether a column holds numbers, percentages or intervals, to be set flush right."""
        return all(_is_number(row[place]) for row in self.rows)

    def csv(self) -> str:
        """Return the table as CSV with numbers in full; the notes are in the summary."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(["" if cell is None else cell for cell in row] for row in self.rows)
        return text.getvalue()

    def markdown(self, heading: str = "##") -> str:
        """Return title, rows and notes as Markdown."""
        shown = [[escape(self._show_cell(row, k)) for k in range(len(row))] for row in self.rows]
        rule = ["---:" if self.is_number(k) else "---" for k in range(len(self.columns))]
        lines = [f"{heading} {escape(self.title)}", "", _line(escape(name) for name in self.columns), _line(rule)]
        lines += [_line(row) for row in shown]
        lines += ["", *(f"* {escape(note)}" for note in self.notes)] if self.notes else []
        return "\n".join(lines) + "\n"

    def _show_cell(self, row: Sequence[Cell], place: int) -> str:
        """Return a cell with its distance from the paper's behind it."""
        off = apart(self.deviation(row, place))
        return f"{show(row[place])} ({off})" if off else show(row[place])


class Report:
    """A title, claims, tables and pictures, in the order in which they were added.

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
        self.claims: list[Claim] = []
        self.pictures: dict[str, Picture] = {}
        self.files: list[Path] = []  # what the last `write` wrote
        self.run: dict[str, str] = {}  # the command, the date and the machine that made it

    def table(self, name: str, title: str, columns: Sequence[str], *, notes: Iterable[str] = ()) -> Table:
        """Add an empty table and return it."""
        table = Table(name, title, tuple(columns), notes=list(notes))
        self.tables[name] = table
        return table

    def claim(self, text: str, paper: str, ours: str, holds: bool | None, *, rule: str, why: str = "") -> Claim:
        """Add a statement of the paper; `holds` is None where it was not measured.

        rule: when the two are said to agree. why: what is known of a difference, kept only if there is one.
        """
        verdict = NOT_MEASURED if holds is None else AGREES if holds else DIFFERS
        ours = "-" if holds is None and not ours else ours
        claim = Claim(text, paper, ours, verdict, rule, why if verdict == DIFFERS else "")
        self.claims.append(claim)
        return claim

    def aside(self, text: str, paper: str, ours: str, kind: str, *, rule: str) -> Claim:
        """Add a statement without a verdict: `COMPUTED` by a formula, or shown on an `EXAMPLE` that was picked for it.

        rule: why it has none.
        """
        claim = Claim(text, paper, ours or "-", kind if ours else NOT_MEASURED, rule, "")
        self.claims.append(claim)
        return claim

    def picture(self, name: str, image: Image, caption: str, alt: str = "") -> None:
        """Add a Pillow picture; it becomes `name`.png."""
        data = io.BytesIO()
        image.save(data, format="PNG", optimize=True)
        self.figure(name, data.getvalue(), caption, alt)

    def figure(self, name: str, png: bytes, caption: str, alt: str = "") -> None:
        """Add a figure that is already PNG (see `papers.figures`); it becomes `name`.png."""
        self.pictures[name] = Picture(png, caption, alt or caption)

    def print(self, console: Console) -> None:
        """Show all tables with their notes, and where the files are."""
        from rich.text import Text

        if console.is_terminal:
            console.rule(Text(self.title))
        else:
            console.print(Text(self.title))
        if self.intro:
            console.print(Text(self.intro))
        for table in (*self.claims_tables(), *self.tables.values()):
            shown, width = _drawn(table, intervals=True)
            if not console.is_terminal:  # no figure is cut or broken in a file or a pipe
                console.width = max(160, width)
            elif width > console.width:
                shown, width = _drawn(table, intervals=False)
                if width > console.width:
                    shown, _ = _drawn(table, intervals=False, broken=True)
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
        files |= {f"{name}.png": picture.png for name, picture in self.pictures.items()}
        files["summary.md"] = self.summary().encode()
        for name, data in files.items():
            write_atomically(out / name, data)
        self.files = [out / name for name in files]
        return self.files

    def record_run(self, out: Path, run: dict[str, str]) -> None:
        """Keep what made the report, and write it into summary.md."""
        self.run = run
        write_atomically(Path(out) / "summary.md", self.summary().encode())

    def claims_tables(self) -> list[Table]:
        """Return the claims as a table, in a list that is empty where there are none."""
        if not self.claims:
            return []
        table = Table("what-is-claimed", "What the paper says, and what was measured", CLAIM_COLUMNS)
        for claim in self.claims:
            table.add(*claim[:4])
        table.notes = [f"{claim.text}: {claim.why}" for claim in self.claims if claim.why]
        return [table]

    def summary(self) -> str:
        """Return everything as one page of Markdown."""
        parts = [f"# {escape(self.title)}\n", *([escape(self.intro) + "\n"] if self.intro else [])]
        parts += [table.markdown() for table in (*self.claims_tables(), *self.tables.values())]
        parts += [picture.markdown(f"{name}.png") for name, picture in self.pictures.items()]
        if self.run:
            facts = (f"* {escape(name)}: {escape(value)}\n" for name, value in self.run.items())
            parts.append(f"## How this was made\n\n{''.join(facts)}")
        return "\n".join(parts)


def _drawn(table: Table, *, intervals: bool, broken: bool = False) -> tuple[RichTable, int]:
    """Return a table for a terminal, with the columns of intervals or without, and how wide it should be.

    broken: figures may be broken into lines, where the terminal is too narrow for them.
    """
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    kept = [k for k in range(len(table.columns)) if intervals or not table.is_interval(k)]
    shown = RichTable(title=Text(table.title), box=box.SIMPLE_HEAD, title_justify="left")
    width = 1
    for k in kept:
        cells = [show(row[k]) for row in table.rows]
        words = [word for text in (table.columns[k], *(() if table.is_number(k) else cells)) for word in text.split()]
        whole = cells if table.is_number(k) or all(len(cell) <= SHORT for cell in cells) else []
        least = max((len(text) for text in (*words, *whole)), default=1)  # figures and short names are not broken
        shown.add_column(Text(table.columns[k]), justify="right" if table.is_number(k) else "left")
        shown.columns[-1].min_width = None if broken else least
        width += max(least, len(table.columns[k])) + 2
    for row in table.rows:
        shown.add_row(*(Text(show(row[k])) for k in kept))
    return shown, width + len(kept)


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
    return not isinstance(cell, str) or any(kind.fullmatch(cell) for kind in (_PERCENTAGE, _INTERVAL))


def apart(deviation: float | None) -> str:
    """Return how far a number is from the paper's as text: a percentage, or a factor where it is large; '' for nothing.

    >>> apart(0.083), apart(-0.4), apart(3.0), apart(-0.9), apart(0.002), apart(None)
    ('+8 %', '-40 %', 'x 4', 'x 0.1', '', '')
    """
    if deviation is None or abs(deviation) < _SAME:
        return ""
    if _LARGE > 1 + deviation > 1 / _LARGE:
        return f"{100 * deviation:+.0f} %"
    return f"x {show(round(1 + deviation, 3))}"


def escape(text: str) -> str:
    """Return text that means itself in Markdown; `code` stays code, and HTML does not come through.

    >>> print(escape("a | b <i> *x* A* `a*b`"))
    a \\| b &lt;i> \\*x* A* `a*b`
    """
    pieces = " ".join(text.split()).split("`")
    if len(pieces) % 2 == 0:  # a lone backtick
        pieces = ["\\`".join(pieces)]
    for k in range(0, len(pieces), 2):
        safe = pieces[k].replace("&", "&amp;").replace("<", "&lt;")
        pieces[k] = _EMPHASIS.sub(r"\\\g<0>", safe)
    return "`".join(pieces).replace("|", "\\|")


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
