"""`waygrid convert`: write a map in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from waygrid.cli.options import read_settings


def convert(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN", help="Map to read: .map .png .npy .txt .tmx .tif .tiff .yaml .yml .ldtk or .json."
        ),
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="Map to write; its suffix names the format.")],
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="OPTION=VALUE",
            help="Option of the input format; repeatable. .png: threshold. .tmx: layer, property, weight. .tif: band, "
            "scale, nodata, distortion. .yaml: unknown, threshold, weighted. .ldtk: level, layer, walls, weights.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write a map in another format.

    Ends with an error if the format cannot store the map.
    """
    from waygrid.cli.show import progress
    from waygrid.formats import read_map, stores_coordinates, write_map

    with progress(f"converting {source.name}"):
        data = read_map(source, **read_settings(settings))
        write_map(target, data)
    height, width = data.passable.shape
    weighted = "without weights" if data.weights is None else "with weights"
    lost = data.georeference is not None and not stores_coordinates(target)
    print(
        f"{target}: {width} x {height}, {int(data.passable.sum())} passable cells, {weighted}"
        + (", without its coordinates: only .tif .yaml and .json store them" if lost else "")
    )
