"""Small words for the claims of papers: is a number near another, and how are several shown in one line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from waygrid.papers.report import Table, show


def near(ours: float, paper: float, factor: float) -> bool:
    """Tell whether two positive numbers differ by no more than a factor.

    >>> near(0.9, 1.0, 1.2), near(0.8, 1.0, 1.2)
    (True, False)
    """
    return min(ours, paper) > 0 and max(ours, paper) / min(ours, paper) <= factor


def all_near(ours: Iterable[float], paper: Iterable[float], factor: float) -> bool:
    """Tell whether all numbers are near those of the paper."""
    return all(near(mine, theirs, factor) for mine, theirs in zip(ours, paper, strict=True))


def every(verdicts: Iterable[bool], wanted: int | None = None) -> bool | None:
    """Tell whether all hold; None where nothing was judged, or where all that were hold but fewer than wanted.

    >>> every([True, True]), every([]), every([True], wanted=2), every([False], wanted=2)
    (True, None, None, False)
    """
    known = list(verdicts)
    if not all(known):
        return False
    return True if known and len(known) >= (wanted or 0) else None


def note_missing(rows: Sequence[Any], wanted: int) -> str:
    """Say how many rows were judged where some are missing.

    >>> note_missing([1, 2], 2), note_missing([1], 2)
    ('', '; 1 of 2 rows were judged')
    """
    return "" if len(rows) == wanted else f"; {len(rows)} of {wanted} rows were judged"


def join_numbers(values: Iterable[float]) -> str:
    """Return numbers one after the other.

    >>> join_numbers([3, 4.2360679])
    '3, 4.236'
    """
    return ", ".join(show(value) for value in values)


def spread(values: Sequence[float], unit: str = "") -> str:
    """Return the least and the largest of some numbers; one of them if they are the same to the reader.

    >>> spread([0.5, 0.25]), spread([2.0, 2.0], " s")
    ('0.25 to 0.5', '2 s')
    """
    least, most = show(min(values)), show(max(values))
    return f"{least}{unit}" if least == most else f"{least} to {most}{unit}"


def rows(table: Table, **wanted: Any) -> list[dict[str, Any]]:
    """Return the rows of a table that have these values, by the names of its columns.

    >>> table = Table("t", "T", ("grid", "nodes"), rows=[("tex", 4), ("hex", 5)])
    >>> rows(table, grid="hex")
    [{'grid': 'hex', 'nodes': 5}]
    """
    every = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    return [row for row in every if all(row[name] == value for name, value in wanted.items())]
