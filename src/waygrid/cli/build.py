"""`waygrid build`: prepare a map for an algorithm and save the index."""

from __future__ import annotations

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
    algorithm: Annotated[str, typer.Option("-a", "--algorithm", metavar="NAME", help="An algorithm with an index.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Index to write; MAP.wgi by default.")
    ] = None,
    settings: Settings = None,
    device: Annotated[str, typer.Option(metavar="NAME", help="Where to build: cpu or gpu.")] = "cpu",
    threads: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Threads that build; all cores by default.", show_default=False),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Most memory for floods and results, such as 2GB; the rest goes to files."),
    ] = None,
    cluster: Cluster = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")] = False,
    grid: Topology = None,
    corners: Corners = "never",
    metric: MetricName = "octile",
    clearance: Clearance = 1,
    reading: Reading = None,
) -> None:
    """Prepare a map for an algorithm and save the index.

    waygrid find --index FILE and waygrid.load_finder read it, for the same map and rules. After Ctrl-C the same command
    goes on where a build of more than a minute was.
    """
    from waygrid.algorithms.make import make_finder
    from waygrid.cli.show import duration, progress
    from waygrid.search.declaration import BUILD_OPTIONS
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
    with progress(f"building {target.name}", hidden=quiet) as tell, telling_what_is_kept():
        loaded = load_grid(map, grid, corners, metric, clearance, reading)
        finder = make_finder(algorithm, loaded, **{"progress": told_by(tell), **plan, **options})
        finder.save(target)
    if not quiet:
        size = finder.memory.fixed_bytes
        each = size / max(1, int(loaded.passable.sum()))
        print(
            f"{target}: {algorithm}, {size} bytes of index, {each:.1f} per passable cell, "
            f"built in {duration(finder.build_seconds)} on the {device if cluster is None else f'cluster at {cluster}'}"
        )


def told_by(tell: Callable[[float, str], None], what: str = "") -> Callable[[int, int, float | None], None]:
    """Return what a build tells its progress to."""
    from waygrid.build.progress import time_left

    def told(done: int, total: int, left: float | None) -> None:
        tell(done / total, " ".join(word for word in (what, f"{done / total:.0%}", time_left(left)) if word))

    return told


@contextmanager
def telling_what_is_kept() -> Iterator[None]:
    """Say after Ctrl-C how far a build was, and how to go on."""
    from waygrid.build.sweep import BuildInterrupted

    try:
        yield
    except BuildInterrupted as stop:
        raise Stopped(f"{stop}; run the same command again to resume" if stop.kept else str(stop)) from stop
