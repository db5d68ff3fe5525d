"""Where units are measured: one after the other on this machine, or as tasks of a cluster."""

from __future__ import annotations

from collections.abc import Sequence

from waygrid.bench.timing import Progress
from waygrid.bench.work import Settings, Sink, Unit, measure_unit


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
    for number, unit in enumerate(units):
        measure_unit(unit, number, settings, sink, part_of(progress, number, len(units), unit.title))


def part_of(progress: Progress | None, number: int, parts: int, name: str = "") -> Progress:
    """Return a progress that fills its part of the whole."""

    def tell(share: float, what: str) -> None:
        if progress is not None:
            progress((number + share) / parts, f"{name}: {what}" if name else what)

    return tell
