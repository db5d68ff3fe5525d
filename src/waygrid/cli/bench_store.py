"""`waygrid bench` with a store: resuming runs, comparing them with earlier ones, exports."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from waygrid import interrupts
from waygrid.cli.codes import ExitCode, Stopped
from waygrid.errors import WaygridError

if TYPE_CHECKING:
    from waygrid.bench.compare import Allowed, Comparison
    from waygrid.bench.runner import Result
    from waygrid.bench.store import Plan, Store
    from waygrid.measure.timing import Progress
    from waygrid.measure.work import Settings, Sink, Unit

    Measure = Callable[[Sequence[Unit], Settings, Sink], None]

_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*(%?)")


class Measured(NamedTuple):
    """The results of a run with a store."""

    results: list[Result]
    notes: list[str]
    comparison: Comparison | None
    machine: str  # the processors that measured


class Keeping(NamedTuple):
    """What to do with the results besides printing them."""

    store: Path | None = None
    name: str | None = None
    against: str | None = None
    threshold: str | None = None
    quality: str | None = None
    export: Path | None = None

    @property
    def allowed(self) -> Allowed:
        """How much slower or worse a result may be."""
        from waygrid.bench.compare import Allowed

        given = (("time", "--threshold", self.threshold), ("suboptimality", "--quality", self.quality))
        return Allowed(**{name: read_share(option, text) for name, option, text in given if text is not None})

    def check(self) -> None:
        """Refuse options that need a store that is not given, or that would have no effect."""
        _ = self.allowed
        for option, text in (("--threshold", self.threshold), ("--quality", self.quality)):
            if text is not None and self.against is None:
                raise WaygridError(f"{option} {text} needs --against RUN: without it nothing is compared")
        for option, value in (("--name", self.name), ("--export", self.export)):
            if value is not None and self.store is None:
                raise WaygridError(f"{option} {value} needs --store FILE")
        if self.against is not None and self.store is None and not Path(self.against).is_file():
            raise WaygridError(f"--against {self.against} is no store file; a run's number or name needs --store FILE")
        if self.export is not None:
            from waygrid.bench.store import EXPORTS

            if self.export.suffix.lower() not in EXPORTS:
                raise WaygridError(f"--export {self.export}; allowed are names that end in {', '.join(EXPORTS)}")

    @property
    def needed(self) -> bool:
        """Whether a store is needed, if only in memory."""
        return self.store is not None or self.against is not None


def read_share(option: str, text: str) -> float:
    """Return the fraction that "5%" or "0.05" stands for.

    >>> read_share("--threshold", "5%"), read_share("--threshold", "0.05")
    (0.05, 0.05)
    """
    found = _PERCENT.fullmatch(text.strip())
    if found is None:
        raise WaygridError(f"{option} is {text!r}; allowed is a share such as 5% or 0.05")
    return float(found[1]) / (100 if found[2] else 1)


def measure_plan(plan: Plan, keeping: Keeping, measure: Measure) -> Measured:
    """Measure a plan into its store."""
    from waygrid.bench.compare import compare, refuse_other_work
    from waygrid.bench.store import MEMORY, open_store

    notes: list[str] = []
    with open_store(keeping.store or MEMORY) as store:
        old = _old_run(store, keeping)  # before hours are spent on measuring
        if old is not None:
            refuse_other_work(old.known, plan.settings)
        recording = store.begin(plan)
        total = sum(len(unit.problems) for unit in plan.units)
        if recording.resumed:
            notes.append(f"run {recording.run} resumes: {recording.done} of {total} queries were already stored")
        try:
            with _explain_interrupt(recording.run, keeping):
                measure(plan.units, plan.settings, recording)
        except KeyboardInterrupt as stop:
            if keeping.store is None:
                raise
            raise Stopped(
                f"run {recording.run} was interrupted with {recording.done} of {total} queries stored; "
                "run the same command again to resume"
            ) from stop
        results = recording.finish()
        if keeping.store is not None:
            check_s = sum(result.check_s for result in results)
            notes.append(
                f"run {recording.run} is in {keeping.store}: {total} queries; not in the measured time: checking "
                f"{check_s:.2f} s, storing {recording.store_s:.2f} s"
            )
        if keeping.export is not None:
            rows = store.export(keeping.export, recording.run)
            notes.append(f"{keeping.export}: {rows} rows of run {recording.run}")
        comparison = None if old is None else compare(store, recording.run, old.known["run"], old.file)
        return Measured(results, notes, comparison, recording.machine)


def _explain_interrupt(run: int, keeping: Keeping) -> AbstractContextManager[None]:
    """Let an interrupt that ends the process at once report what is stored."""
    if keeping.store is None:
        return nullcontext()
    return interrupts.explaining(
        f"run {run} was interrupted; what it measured is stored; run the same command again to resume"
    )


class _Old(NamedTuple):
    """A run to compare with."""

    file: str | None  # of another store
    known: dict[str, Any]


def _old_run(store: Store, keeping: Keeping) -> _Old | None:
    """Return the run to compare with."""
    from waygrid.bench.store import open_store

    if keeping.against is None:
        return None
    if Path(keeping.against).is_file() and (keeping.store is None or not keeping.store.samefile(keeping.against)):
        with open_store(keeping.against, create=False) as other:
            return _Old(keeping.against, _known(other, other.last_run()))
    number = store.last_run() if Path(keeping.against).is_file() else store.find_run(keeping.against)
    return _Old(None, _known(store, number))


def _known(store: Store, number: int) -> dict[str, Any]:
    return next(run for run in store.runs() if run["run"] == number)


def report_comparison(comparison: Comparison, keeping: Keeping, *, shown: bool = True) -> int:
    """Report a comparison, as a table if `shown`; return the exit code."""
    from waygrid.cli.bench_show import print_comparison

    allowed = keeping.allowed
    if not comparison.differences:
        raise WaygridError(f"this run has no unit in common with {keeping.against}: there is nothing to compare")
    if shown:
        print()
        print_comparison(comparison, allowed)
    for note in comparison.notes:
        print(note, file=sys.stderr)
    for words, alone in (("only now", comparison.only_new), ("only before", comparison.only_old)):
        for title in alone:
            print(f"{words}: {title}", file=sys.stderr)
    bad = [each for each in comparison.differences if each.is_regression(allowed)]
    for each in bad:
        said = [each.time_says(allowed), each.quality_says(allowed)]
        if each.edits_say(allowed) == "slower":
            said.append("slower edits")
        words = " and ".join(word for word in said if word in ("slower", "worse", "slower edits"))
        print(f"{each.map}, {each.algorithm}: {words} than {keeping.against}", file=sys.stderr)
    return ExitCode.SLOWER if bad else ExitCode.DONE


def export_all(keeping: Keeping) -> None:
    """Export a store without measuring anything."""
    from waygrid.bench.store import open_store

    if keeping.store is None or keeping.export is None:
        raise WaygridError("no MAP is given; without one, bench needs --store FILE and --export FILE")
    for option, value in (("--name", keeping.name), ("--against", keeping.against)):
        if value is not None:
            raise WaygridError(f"{option} {value} needs a map: without one nothing is measured")
    with open_store(keeping.store, create=False) as store:
        rows = store.export(keeping.export)
    print(f"{keeping.export}: {rows} rows of {keeping.store}")


def choose_measure(cluster: str | None, progress: Progress) -> Measure:
    """Return the function that measures units: on threads here, or on a cluster."""
    from waygrid.bench.engine import measure_units

    return partial(measure_units, cluster=cluster, progress=progress)
