"""`waygrid build`: build the index of an algorithm for a map and save it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from waygrid.cli.codes import Stopped
from waygrid.cli.options import (
    Clearance,
    Cluster,
    Corners,
    MapFile,
    MetricName,
    Reading,
    Settings,
    Topology,
    load_grid,
    read_settings,
)
from waygrid.errors import WaygridError


def build(
    map: MapFile,
    algorithm: Annotated[
        str,
        typer.Option("-a", "--algorithm", metavar="NAME", help="An algorithm with an index; auto: chosen for the map."),
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Index to write; default: MAP.wgi.")
    ] = None,
    settings: Settings = None,
    device: Annotated[str, typer.Option(metavar="NAME", help="Where to build: cpu or gpu.")] = "cpu",
    threads: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Worker threads; default: all cores.", show_default=False),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Memory limit for floods and results, such as 2GB; the rest goes to files."),
    ] = None,
    cluster: Cluster = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")] = False,
    grid: Topology = None,
    corners: Corners = "never",
    metric: MetricName = "octile",
    clearance: Clearance = 1,
    reading: Reading = None,
) -> None:
    """Build the index of an algorithm for a map and save it.

    waygrid find --index FILE and waygrid.load_finder read it, for the same map and rules. If a build of more than a
    minute is interrupted, the same command resumes it.
    """
    from waygrid.algorithms.make import make_finder
    from waygrid.cli.show import duration, progress
    from waygrid.search.declaration import BUILD_OPTIONS
    from waygrid.search.names import AUTOMATIC
    from waygrid.search.registry import algorithms

    known = algorithms()
    if algorithm in known and not known[algorithm].index:
        indexed = ", ".join(name for name, info in known.items() if info.index)
        raise WaygridError(f"{algorithm} has no index; allowed are {indexed}")
    target = output or map.with_suffix(".wgi")
    if target.exists() and target.resolve() == map.resolve():
        raise WaygridError(f"{target} is the map itself; allowed is another file for the index")
    options = read_settings(settings, [algorithm])
    plan: dict[str, Any] = {"device": device, "threads": threads, "memory": memory, "cluster": cluster}
    for name in BUILD_OPTIONS:
        if name in options:
            raise WaygridError(
                f"--set {name}={options[name]}; allowed here are --device, --threads, --memory, --cluster, --quiet"
            )
    with progress(f"building {target.name}", hidden=quiet) as tell, report_kept_work():
        loaded = load_grid(map, grid, corners, metric, clearance, reading)
        if algorithm == AUTOMATIC:
            plan = {name: value for name, value in plan.items() if value is not None}
        finder = make_finder(algorithm, loaded, **{"progress": make_reporter(tell), **plan, **options})
        if finder.reason:
            print(finder.reason, file=sys.stderr)
            algorithm = finder.info.name
            if not finder.info.index:
                limited = "allowed are" in finder.reason  # else the map is one that auto builds no index for
                more = "allow more with --memory or --set build_seconds=S" if limited else "name one that has, with -a"
                raise WaygridError(f"{algorithm} was chosen, which has no index to save; {more}")
        finder.save(target)
    if not quiet:
        size = finder.memory.fixed_bytes
        each = size / max(1, int(loaded.passable.sum()))
        print(
            f"{target}: {algorithm}, {size} bytes of index, {each:.1f} per passable cell, "
            f"built in {duration(finder.build_seconds)} on the {device if cluster is None else f'cluster at {cluster}'}"
        )


def make_reporter(tell: Callable[[float, str], None], what: str = "") -> Callable[[int, int, float | None], None]:
    """Return a progress function for a build."""
    from waygrid.build.progress_bar import time_left

    def report(done: int, total: int, left: float | None) -> None:
        tell(done / total, " ".join(word for word in (what, f"{done / total:.0%}", time_left(left)) if word))

    return report


@contextmanager
def report_kept_work() -> Iterator[None]:
    """Report after Ctrl-C how far a build got, and how to resume it."""
    from waygrid.build.sweep import BuildInterrupted

    try:
        yield
    except BuildInterrupted as stop:
        raise Stopped(f"{stop}; run the same command again to resume" if stop.kept else str(stop)) from stop
