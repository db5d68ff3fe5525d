"""Reports kept beside their tables, so that a run that was interrupted resumes with the papers that are missing."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from waygrid.errors import WaygridError
from waygrid.formats.files import read_bytes, write_atomically
from waygrid.papers.report import Claim, Picture, Report, Table

NAME = "report.json"
_FORMAT = 3


@dataclass
class Finished:
    """A paper that was run: its report, when it was finished, and how long it took."""

    report: Report
    finished: str  # date and time, UTC
    seconds: float
    remarks: list[str] = field(default_factory=list)  # maps that are missing and the like


def save(folder: Path, done: Finished, key: dict[str, Any]) -> None:
    """Keep a report whose CSV files and pictures are already there; `key` says what it was made with."""
    report = done.report
    content = {
        "format": _FORMAT,
        "key": key,
        "finished": done.finished,
        "seconds": done.seconds,
        "remarks": done.remarks,
        "run": report.run,
        "title": report.title,
        "intro": report.intro,
        "claims": [claim._asdict() for claim in report.claims],
        "tables": [
            {"name": t.name, "title": t.title, "columns": t.columns, "rows": t.rows, "notes": t.notes}
            for t in report.tables.values()
        ],
        "pictures": [
            {"name": name, "caption": picture.caption, "alt": picture.alt, "sha256": _hash(picture.png)}
            for name, picture in report.pictures.items()
        ],
        "files": {name: _hash(read_bytes(folder / name)) for name in _files(report)},
    }
    write_atomically(folder / NAME, json.dumps(content, ensure_ascii=False, indent=1).encode())


def load(folder: Path, key: dict[str, Any]) -> Finished | None:
    """Return a report that was made with the same key; None where there is none, or where a file of it has changed."""
    if not (folder / NAME).is_file():
        return None
    try:
        content = json.loads(read_bytes(folder / NAME))
        if content["format"] != _FORMAT or content["key"] != plain(key):
            return None
        return Finished(
            _report(folder, content), str(content["finished"]), float(content["seconds"]), list(content["remarks"])
        )
    except (WaygridError, ValueError, KeyError, TypeError):
        return None  # damaged, of another version, or with a file of a later run: it is made again


def plain(value: Any) -> Any:
    """Return a value as it comes back from JSON; what JSON does not know becomes text.

    >>> plain({"sector": (16, 8), "plain": Path("a.cpp")})
    {'sector': [16, 8], 'plain': 'a.cpp'}
    """
    return json.loads(json.dumps(value, default=str))


def _report(folder: Path, content: dict[str, Any]) -> Report:
    report = Report(content["title"], content["intro"])
    report.run = dict(content["run"])
    report.claims = [Claim(**claim) for claim in content["claims"]]
    for kept in content["tables"]:
        rows = [tuple(row) for row in kept["rows"]]
        report.tables[kept["name"]] = Table(kept["name"], kept["title"], tuple(kept["columns"]), rows, kept["notes"])
    for name in _files(report):
        if _hash(read_bytes(folder / name)) != content["files"][name]:
            raise ValueError(f"{name} was changed")
    for kept in content["pictures"]:
        png = read_bytes(folder / f"{kept['name']}.png")
        if _hash(png) != kept["sha256"]:
            raise ValueError(f"{kept['name']}.png is of another run")
        report.pictures[kept["name"]] = Picture(png, kept["caption"], kept["alt"])
    return report


def _files(report: Report) -> list[str]:
    """Return the names of the files that are read by people and programs, and not by `load`."""
    return [*(f"{name}.csv" for name in report.tables), "summary.md"]


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
