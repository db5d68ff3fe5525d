"""`waygrid inflate`: walls grown by the radius of a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from waygrid.cli.options import MapFile, Reading, Topology, load_grid

_COSTS = "Costs near walls"


def inflate(
    map: MapFile,
    radius: Annotated[
        float,
        typer.Option(metavar="R", help="Cells this near to a wall become walls; see --units."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Map to write; its suffix names the format."),
    ] = None,
    png: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the inflated map.")] = None,
    units: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="cells, or world for the units of the map's coordinates; default: world if it has any.",
            show_default=False,
        ),
    ] = None,
    falloff: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How costs fall beyond the radius: linear or exponential; default: none.",
            show_default=False,
            rich_help_panel=_COSTS,
        ),
    ] = None,
    reach: Annotated[
        float | None,
        typer.Option(metavar="R", help="Distance at which costs end.", show_default=False, rich_help_panel=_COSTS),
    ] = None,
    cost: Annotated[
        float | None,
        typer.Option(
            metavar="COST",
            help="What a cell next to the radius costs more; default: 10.",
            show_default=False,
            rich_help_panel=_COSTS,
        ),
    ] = None,
    steepness: Annotated[
        float | None,
        typer.Option(
            metavar="K",
            help="exponential: costs fall with exp(-K * distance); default: to 1 at the reach.",
            show_default=False,
            rich_help_panel=_COSTS,
        ),
    ] = None,
    grid: Topology = None,
    reading: Reading = None,
) -> None:
    """Grow the walls of a map by the radius of a robot.

    Distances are exact Euclidean ones between centres of cells. Prints how many cells are left.
    """
    from waygrid.cli.show import TableColumn, print_table, progress
    from waygrid.draw.maps import draw_map, save_png

    falling: dict[str, Any] = {"falloff": falloff, "reach": reach, "cost": cost, "steepness": steepness}
    with progress(f"inflating {map.name}"):
        loaded = load_grid(map, grid, "never", "octile", 1, reading)
        made = loaded.inflate(radius, units=units, **falling)
        if output is not None:
            made.save(output)
        if png is not None:
            save_png(png, draw_map(made.passable, topology=made.topology, weights=made.weights))
    before, after = int(loaded.passable.sum()), int(made.passable.sum())
    shown = "world" if units is None and loaded.georeference is not None else units or "cells"
    rows = [
        ("radius", f"{radius:g} {'units of the coordinates' if shown == 'world' else 'cells'}"),
        ("passable", f"{after} of {before} cells are left"),
    ]
    if made.weights is not None and after:
        entered = made.weights[made.passable]
        rows.append(("weights", f"{int(entered.min())} to {int(entered.max())}"))
    rows += [("written", str(file)) for file in (output, png) if file is not None]
    print_table([TableColumn("what"), TableColumn("value", fold=True)], rows, titles=False)
