"""`waygrid corridor`: where a path costs only a little more than the best one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from waygrid.cli.codes import ExitCode
from waygrid.cli.options import (
    Clearance,
    Corners,
    MapFile,
    MetricName,
    PriceRule,
    Reading,
    Topology,
    load_grid,
    read_cell,
    read_end,
)
from waygrid.errors import WaygridError


def corridor(
    map: MapFile,
    start: Annotated[str, typer.Argument(metavar="START", help="Cell X,Y; with --coordinates a point.")],
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="Cell X,Y; with --coordinates a point.")],
    within: Annotated[
        str, typer.Option(metavar="LIMIT", help="How much more a path may cost: a share such as 5%, or a cost.")
    ] = "5%",
    coordinates: Annotated[
        bool, typer.Option("--coordinates", help="START and GOAL are points in the coordinates of the map (.tif).")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the extra cost of every cell as GeoTIFF (.tif)."),
    ] = None,
    png: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the corridor over the map.")] = None,
    grid: Topology = None,
    corners: Corners = "never",
    metric: MetricName = "octile",
    clearance: Clearance = 1,
    rule: PriceRule = "enter",
    reading: Reading = None,
) -> None:
    """Find the cells of nearly best paths.

    The exit code is 1 if no path to the goal exists.
    """
    import math

    import numpy as np

    from waygrid.algorithms.classic.corridor import corridor as find_corridor
    from waygrid.cli.show import TableColumn, print_table, progress
    from waygrid.draw.maps import save_png

    limit = _read_limit(within)
    if not coordinates:
        read_cell("start", start), read_cell("goal", goal)  # before a large map is read
    with progress(f"distances on {map.name}"):
        loaded = load_grid(map, grid, corners, metric, clearance, reading, rule)
        ends = read_end("start", start, loaded, coordinates), read_end("goal", goal, loaded, coordinates)
        found = find_corridor(loaded, *ends)
        inside = int(np.count_nonzero(found.within(**limit)))
        if output is not None:
            found.save(output)
        if png is not None:
            save_png(png, found.draw(**limit))
    rows = [("optimum", f"{found.optimum:.4f}"), ("corridor", f"{inside} cells within {within} of it")]
    if loaded.georeference is not None:
        rows.append(("area", f"{inside * loaded.georeference.cell_size**2:.6g} square units of the coordinates"))
    rows += [("written", str(file)) for file in (output, png) if file is not None]
    print_table([TableColumn("what"), TableColumn("value", fold=True)], rows, titles=False)
    if not math.isfinite(found.optimum):
        raise typer.Exit(ExitCode.NO_PATH)


def _read_limit(text: str) -> dict[str, Any]:
    """Return the arguments of `Corridor.within` that a limit stands for.

    >>> _read_limit("5%"), _read_limit("12.5")
    ({'share': 0.05}, {'extra': 12.5})
    """
    try:
        number = float(text.strip().removesuffix("%"))
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise WaygridError(f"--within is {text!r}; allowed are a share such as 5%, or a cost, from 0")
    return {"share": number / 100} if text.strip().endswith("%") else {"extra": number}
