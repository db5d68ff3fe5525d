"""All papers one after the other, and one report of them."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from waygrid.errors import WaygridError
from waygrid.formats.files import write_atomically
from waygrid.measure import machine
from waygrid.measure.timing import Progress
from waygrid.papers import catalogue, saved
from waygrid.papers.report import Report, Steps
from waygrid.papers.saved import Finished

# Seconds on two cores, for the bar and for the order: what is soon done comes first, and is kept if the rest is not.
SECONDS = {"path-finder-tool": 20, "dba": 240, "improved-heuristics": 480, "grid-based": 700, "goal-bounding": 1600}
QUICK_SECONDS = {"path-finder-tool": 10, "dba": 8, "improved-heuristics": 10, "grid-based": 25, "goal-bounding": 20}
_OTHER_SECONDS = 60
HTML, MARKDOWN = "report.html", "report.md"


@dataclass
class Outcome:
    """A paper: its report, or why there is none."""

    paper: str
    done: Finished | None = None
    error: str = ""
    kept: bool = False  # from an earlier run

    @property
    def title(self) -> str:
        """The paper's title, its name where it did not run."""
        return self.done.report.title if self.done else self.paper


@dataclass
class Everything:
    """All papers, in the order of the catalogue, and what they were run with."""

    outcomes: list[Outcome]
    quick: bool
    machine: dict[str, str]
    date: str
    files: list[Path] = field(default_factory=list)

    @property
    def reports(self) -> dict[str, Report]:
        """The reports of the papers that ran."""
        return {one.paper: one.done.report for one in self.outcomes if one.done}

    @property
    def failed(self) -> list[Outcome]:
        """The papers that did not run."""
        return [one for one in self.outcomes if one.done is None]

    @property
    def seconds(self) -> float:
        """The time of all papers together, those of earlier runs included."""
        return sum(one.done.seconds for one in self.outcomes if one.done)


def reproduce_all(
    out: Path,
    *,
    quick: bool = False,
    maps: Path | None = None,
    options: dict[str, dict[str, Any]] | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
) -> Everything:
    """Run every paper into a folder of its own in `out`, and write report.html and report.md.

    options: of each paper, by its name. A paper that cannot run is named in the report. Papers
    that an earlier run finished with the same code, machine, mode, maps and options are taken from there unless `fresh`
    is set.
    """
    options = options or {}
    for paper in options:  # before any work
        catalogue.check_options(paper, catalogue.runner(paper), options[paper])
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WaygridError(f"cannot write {out}: {error.strerror or error}") from error
    expected = {paper: _seconds(paper, quick) for paper in catalogue.PAPERS}
    steps = Steps(progress, expected)
    outcomes = {}
    for paper in sorted(expected, key=lambda paper: expected[paper]):
        steps.begin(paper)
        outcomes[paper] = _outcome(paper, out / paper, quick, maps, options.get(paper, {}), fresh, steps)
    everything = Everything(
        [outcomes[paper] for paper in expected], quick, machine.describe_machine(), machine.format_now()
    )
    write(everything, out)
    steps.end()
    return everything


def write(everything: Everything, out: Path) -> None:
    """Write both reports."""
    from waygrid.papers import html, markdown

    pages = {HTML: html.page(everything), MARKDOWN: markdown.page(everything)}
    for name, text in pages.items():
        write_atomically(out / name, text.encode())
    everything.files = [out / name for name in pages]


def _seconds(paper: str, quick: bool) -> float:
    return (QUICK_SECONDS if quick else SECONDS).get(paper, _OTHER_SECONDS)


# --- One paper -------------------------------------------------------------------------------------------------------


def _outcome(
    paper: str, folder: Path, quick: bool, maps: Path | None, options: dict[str, Any], fresh: bool, steps: Steps
) -> Outcome:
    """Run a paper, or take it from an earlier run; whatever goes wrong in it is its own matter."""
    try:
        there, remarks = _maps(paper, maps)
        key = {"quick": quick, "options": options, "maps": fingerprint(there, catalogue.map_sets(paper))}
        key |= machine.describe_machine()
        kept = None if fresh else saved.load(folder, key)
        if kept is not None:
            return Outcome(paper, kept, kept=True)
        began = time.monotonic()
        report = catalogue.run_paper(paper, folder, quick=quick, maps=there, options=options, progress=steps.within)
        done = Finished(report, machine.format_now(), round(time.monotonic() - began, 1), remarks)
        saved.save(folder, done, saved.plain(key))
        return Outcome(paper, done)
    except WaygridError as error:
        return Outcome(paper, error=str(error))
    except Exception as error:
        return Outcome(paper, error=f"{type(error).__name__}: {error}")


def _maps(paper: str, maps: Path | None) -> tuple[Path | None, list[str]]:
    """Return the folder of maps if it has any that the paper uses, and what to do about those it lacks."""
    sets = catalogue.map_sets(paper)
    there = set() if maps is None else {file.parent.name for file in maps.rglob("*.map")}
    missing = [name for name in sets if name not in there]
    if not missing:
        return maps, []
    commands = " and ".join(f"`waygrid maps fetch {name}`" for name in missing)
    remark = (
        f"Maps that the paper uses are not there: {', '.join(missing)}. {commands} gets them; --maps DIR (or "
        "WAYGRID_MAPS) names the folder that holds these folders."
    )
    return (maps if len(missing) < len(sets) else None), [remark]


def fingerprint(maps: Path | None, sets: Iterable[str]) -> str | None:
    """Return a hash of names and sizes of the maps of some sets, so that new ones are noticed; None without maps."""
    wanted = set(sets)
    if maps is None or not wanted:
        return None
    digest = hashlib.sha256()
    for file in sorted(maps.rglob("*")):
        if file.parent.name in wanted and file.is_file():
            digest.update(f"{file.relative_to(maps).as_posix()} {file.stat().st_size}\n".encode())
    return digest.hexdigest()[:16]
