"""Where units are measured: those of a map one after the other and then in turns on this machine, or on a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from waygrid.bench.rounds import Timed, Yardstick, take_turns, time_round, timed_unit
from waygrid.bench.timing import Progress, slices
from waygrid.bench.work import Settings, Sink, Unit, build, measure_slice, ready

_KEPT_BYTES = 2**31  # of the indexes that are held for the rounds of a map
_ROUNDS_SHARE = 0.2  # of the progress of a map


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
    if cluster is not None:
        from waygrid.bench.cluster import measure_on_cluster

        measure_on_cluster(units, settings, sink, cluster, progress)
        return
    yardstick = Yardstick()
    for _, group in groupby(enumerate(units), key=lambda pair: id(pair[1].grid)):
        _measure_map(list(group), len(units), settings, sink, yardstick, progress)


def _measure_map(
    group: list[tuple[int, Unit]],
    whole: int,
    settings: Settings,
    sink: Sink,
    yardstick: Yardstick,
    progress: Progress | None,
) -> None:
    """Measure the units of one map, and then their rounds in turns, as far as their indexes fit into memory."""
    kept: list[Timed] = []
    kept_bytes = 0

    def tell_map(share: float, what: str) -> None:
        if progress is not None:
            progress((group[0][0] + share * len(group)) / whole, what)

    for place, (number, unit) in enumerate(group):
        tell = part_of(lambda share, what: tell_map((1 - _ROUNDS_SHARE) * share, what), place, len(group), unit.title)
        timed = _measure_unit(unit, number, settings, sink, yardstick, tell)
        if timed is None:
            continue
        kept_bytes += timed[1]
        if kept and kept_bytes > _KEPT_BYTES:
            _measure_rounds(kept, sink, yardstick, tell_map)
            kept, kept_bytes = [], timed[1]
        kept.append(timed[0])
    _measure_rounds(kept, sink, yardstick, tell_map)


def _measure_unit(
    unit: Unit, number: int, settings: Settings, sink: Sink, yardstick: Yardstick, tell: Progress
) -> tuple[Timed, int] | None:
    """Measure what the sink does not have yet; return what is to be timed in rounds, and the bytes that it holds."""
    gaps, there = sink.gaps(number), {each.number for each in sink.rounds(number)}
    missing = [each for each in range(settings.rounds) if each not in there]
    # Of a unit that is there without a single round none is missing: its queries are too long for them.
    if not gaps and (not there or not missing):
        return None
    problems, whole = unit.problems, len(unit.problems)
    finder, made = build(unit.grid, unit.algorithm, unit.options, tell)
    sink.begin(number, made)
    tell(0.0, "warming up")
    pace = ready(finder, problems, settings)
    for first, last in slices(gaps, pace, settings.threads):
        tell(first / whole, "measuring")
        sink.add(number, measure_slice(finder, problems.part(first, last), first, whole, settings))
    tell(1.0, "measured")
    timed = timed_unit(number, finder, problems, settings.max_expansions, missing, pace.each_s)
    if timed.rounds[:1] == [0]:  # the first round at once: the more time between rounds, the more they see
        sink.add_round(number, time_round(timed, timed.rounds.pop(0), yardstick))
    return (timed, made.fixed_bytes) if timed.rounds else None


def _measure_rounds(kept: list[Timed], sink: Sink, yardstick: Yardstick, tell: Progress) -> None:
    if not kept:
        return
    total = sum(len(unit.rounds) for unit in kept)
    for done, (number, measured) in enumerate(take_turns(kept, yardstick), 1):
        sink.add_round(number, measured)
        tell(1 - _ROUNDS_SHARE + _ROUNDS_SHARE * done / total, f"round {measured.number + 1}")


def part_of(progress: Progress | None, number: int, parts: int, name: str = "") -> Progress:
    """Return a progress that fills its part of the whole."""

    def tell(share: float, what: str) -> None:
        if progress is not None:
            progress((number + share) / parts, f"{name}: {what}" if name else what)

    return tell
