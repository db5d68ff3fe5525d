"""`waygrid bench` with a store: runs that go on where they stopped, comparisons with earlier ones, exports."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from waygrid.cli import DONE, SLOWER, Stopped
from waygrid.errors import WaygridError

if TYPE_CHECKING:
    from waygrid.bench.compare import Comparison
    from waygrid.bench.runner import Result
    from waygrid.bench.store import Plan, Store
    from waygrid.bench.timing import Progress
    from waygrid.bench.work import Settings, Sink, Unit

    Measure = Callable[[Sequence[Unit], Settings, Sink], None]

_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*(%?)")


class Keeping(NamedTuple):
    """What is to be done with the results besides showing them."""

    store: Path | None = None
    name: str | None = None
    against: str | None = None
    threshold: float = 0.05
    quality: float = 0.001
    export: Path | None = None

    def check(self) -> None:
        """Refuse what needs a store where there is none."""
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
        """Whether there has to be a store, be it in memory."""
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


def measured(plan: Plan, keeping: Keeping, measure: Measure) -> tuple[list[Result], list[str], Comparison | None]:
    """Measure a plan into its store; return the results, what is to be said, and the comparison."""
    from waygrid.bench.store import MEMORY, open_store

    notes: list[str] = []
    with open_store(keeping.store or MEMORY) as store:
        old = _old_run(store, keeping)  # before hours are spent on what it is compared with
        recording = store.begin(plan)
        total = sum(len(unit.problems) for unit in plan.units)
        if recording.resumed:
            notes.append(f"run {recording.run} goes on: {recording.done} of {total} queries were there")
        try:
            measure(plan.units, plan.settings, recording)
        except KeyboardInterrupt as stop:
            if keeping.store is None:
                raise
            raise Stopped(
                f"run {recording.run} was interrupted with {recording.done} of {total} queries stored; "
                "run the same command again to go on"
            ) from stop
        results = recording.finish()
        if keeping.store is not None:
            check_s = sum(result.check_s for result in results)
            notes.append(
                f"run {recording.run} is in {keeping.store}: {total} queries; besides the measured time, checking took "
                f"{check_s:.2f} s and storing {recording.store_s:.2f} s"
            )
        if keeping.export is not None:
            rows = store.export(keeping.export, recording.run)
            notes.append(f"{keeping.export}: {rows} rows of run {recording.run}")
        comparison = None if old is None else _compared(store, recording.run, old)
    return results, notes, comparison


def _old_run(store: Store, keeping: Keeping) -> tuple[str, int] | None:
    """Return the store, by its file, and the number of the run to compare with; "" is the same store."""
    from waygrid.bench.store import open_store

    if keeping.against is None:
        return None
    if Path(keeping.against).is_file() and (keeping.store is None or not keeping.store.samefile(keeping.against)):
        with open_store(keeping.against, create=False) as other:
            return keeping.against, other.last_run()
    if Path(keeping.against).is_file():
        return "", store.last_run()
    return "", store.find_run(keeping.against)


def _compared(store: Store, run: int, old: tuple[str, int]) -> Comparison:
    from waygrid.bench.compare import compare

    return compare(store, run, old[1], old[0] or None)


def judged(comparison: Comparison, keeping: Keeping) -> int:
    """Show a comparison; return the exit code."""
    from waygrid.bench.compare import Allowed
    from waygrid.cli.bench_show import print_comparison

    allowed = Allowed(keeping.threshold, keeping.quality)
    print()
    print_comparison(comparison, allowed)
    for words, alone in (("only now", comparison.only_new), ("only before", comparison.only_old)):
        for title in alone:
            print(f"{words}: {title}", file=sys.stderr)
    bad = [each for each in comparison.differences if each.regressed(allowed)]
    for each in bad:
        said = [each.time_says(allowed), each.quality_says(allowed)]
        words = " and ".join(word for word in said if word in ("slower", "worse"))
        print(f"{each.map}, {each.algorithm}: {words} than {keeping.against}", file=sys.stderr)
    if not comparison.differences:
        print(f"nothing of this run is in {keeping.against}: there is nothing to compare", file=sys.stderr)
    return SLOWER if bad else DONE


def export_all(keeping: Keeping) -> None:
    """Export a store without measuring anything."""
    from waygrid.bench.store import open_store

    if keeping.store is None or keeping.export is None:
        raise WaygridError("no map is named; without one, bench needs --store FILE and --export FILE")
    with open_store(keeping.store, create=False) as store:
        rows = store.export(keeping.export)
    print(f"{keeping.export}: {rows} rows of {keeping.store}")


def measuring(cluster: str | None, progress: Progress) -> Measure:
    """Return what measures units into a sink."""
    from waygrid.bench.engine import measure_units

    return partial(measure_units, cluster=cluster, progress=progress)
