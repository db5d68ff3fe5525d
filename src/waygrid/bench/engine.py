"""Where units are measured: one after the other and then in turns on this machine, or on a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic, sleep

from waygrid.measure.builds import build_finder
from waygrid.measure.rounds import RoundPlan, Yardstick, plan_rounds, time_round, time_turn
from waygrid.measure.slices import cut_slices
from waygrid.measure.timing import Progress
from waygrid.measure.work import Settings, Sink, Unit, get_ready, measure_replay, measure_slice

_KEPT_BYTES = 2**31  # of the indexes that are held for the rounds of a map
_ROUNDS_SHARE = 0.2  # of the progress


def measure_units(
    units: Sequence[Unit],
    settings: Settings,
    sink: Sink,
    *,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> None:
    """Measure what the sink does not have yet.

    cluster: address of a Dask scheduler; None: this machine, with the threads of the settings for each batch.
    """
    settings.check_units(units)
    if cluster is not None:
        from waygrid.bench.cluster import measure_on_cluster

        measure_on_cluster(units, settings, sink, cluster, progress)
        return
    turns = _Turns(sink, settings.spacing_s)
    report_slices, report_rounds = _shares(progress)
    for number, unit in enumerate(units):
        _measure_unit(unit, number, settings, sink, turns, part_of(report_slices, number, len(units), unit.title))
        if number + 1 == len(units) or units[number + 1].grid is not unit.grid:
            turns.take()  # between two maps: the more time between rounds, the more of the machine they see
    turns.finish(report_rounds)


def _shares(progress: Progress | None) -> tuple[Progress, Progress]:
    """Return the progress of the slices and that of the rounds."""
    report = progress or (lambda share, what: None)
    return (
        lambda share, what: report((1 - _ROUNDS_SHARE) * share, what),
        lambda share, what: report(1 - _ROUNDS_SHARE * (1 - share), what),
    )


def _measure_unit(unit: Unit, number: int, settings: Settings, sink: Sink, turns: _Turns, report: Progress) -> None:
    """Measure what the sink does not have yet, and hand the finder over for rounds."""
    gaps, there = sink.gaps(number), {each.number for each in sink.rounds(number)}
    missing = [each for each in range(settings.rounds) if each not in there]
    # Of a unit that is there without a single round none is missing: its queries are too long for them.
    if not gaps and (not there or not missing):
        return
    problems, whole = unit.problems, len(unit.problems)
    finder, made = build_finder(unit.grid, unit.algorithm, unit.options, lambda _, what: report(0.0, what))
    sink.begin(number, made)
    if unit.changes is not None:
        sink.add(number, measure_replay(unit, finder, settings, report))
        report(1.0, "measured")
        return  # no rounds: a sample of the queries would need all edits before them
    report(0.0, "warming up")
    pace = get_ready(finder, problems, settings)
    for first, last in cut_slices(gaps, pace, settings.threads):
        report(first / whole, "measuring")
        sink.add(number, measure_slice(finder, problems.part(slice(first, last)), first, whole, settings))
    report(1.0, "measured")
    turns.add(plan_rounds(number, finder, problems, settings.max_expansions, missing, pace.each_s), made.fixed_bytes)


class _Turns:
    """Units that wait for their rounds; each turn measures one round of every unit."""

    def __init__(self, sink: Sink, spacing_s: float) -> None:
        self._sink, self._spacing_s = sink, spacing_s
        self._yardstick = Yardstick()
        self._waiting: list[RoundPlan] = []
        self._bytes = 0
        self._next = 0.0

    def add(self, unit: RoundPlan, size: int) -> None:
        """Take a unit in, with its first round; where indexes take too much memory, those before are done with."""
        if self._waiting and self._bytes + size > _KEPT_BYTES:
            self.finish(lambda share, what: None)
        if unit.rounds:
            self._sink.add_round(unit.number, time_round(unit, unit.rounds.pop(0), self._yardstick))
            self._waiting.append(unit)
            self._bytes += size

    def take(self) -> None:
        """Measure a round of all units, not too soon after the one before."""
        due = [unit for unit in self._waiting if unit.rounds]
        if not due:
            return
        sleep(max(0.0, self._next - monotonic()))
        self._next = monotonic() + self._spacing_s
        for number, measured in time_turn(due, self._yardstick):
            self._sink.add_round(number, measured)

    def finish(self, report: Progress) -> None:
        """Measure all rounds that are missing."""
        most = max((len(unit.rounds) for unit in self._waiting), default=0)
        for turn in range(most):
            report(turn / most, f"round {turn + 1} of {most}")
            self.take()
        self._waiting, self._bytes = [], 0


def part_of(progress: Progress | None, number: int, parts: int, name: str = "") -> Progress:
    """Return a progress that fills its part of the whole."""

    def report(share: float, what: str) -> None:
        if progress is not None:
            progress((number + share) / parts, f"{name}: {what}" if name else what)

    return report
