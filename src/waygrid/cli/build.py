"""`waygrid build`: prepare a map for an algorithm and save the index."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from waygrid.cli.options import (
    Clearance,
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
    grid: Topology = None,
    corners: Corners = "never",
    metric: MetricName = "octile",
    clearance: Clearance = 1,
    reading: Reading = None,
) -> None:
    """Prepare a map for an algorithm and save the index.

    waygrid find --index FILE and waygrid.load_finder read it, for the same map and rules.
    """
    from waygrid.cli.show import progress
    from waygrid.finders.registry import algorithms, make_finder

    known = algorithms()
    if algorithm in known and not known[algorithm].index:
        indexed = ", ".join(name for name, info in known.items() if info.index)
        raise WaygridError(f"{algorithm} has no index; allowed are {indexed}")
    target = output or map.with_suffix(".wgi")
    with progress(f"building {target.name}"):
        loaded = load_grid(map, grid, corners, metric, clearance, reading)
        options = read_settings(settings, [algorithm])
        began = perf_counter()
        finder = make_finder(algorithm, loaded, **options)
        seconds = perf_counter() - began
        finder.save(target)
    print(f"{target}: {algorithm}, {finder.memory.fixed_bytes} bytes of index, built in {seconds:.2f} s")
