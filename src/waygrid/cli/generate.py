"""`waygrid generate`: generate a map."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from waygrid.cli.options import read_settings, read_size


def generate(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="random, rooms, maze, caves or indoor.")],
    size: Annotated[str, typer.Option(metavar="WxH", help="Width and height in cells, such as 120x80.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Map to write: .map .png .npy .txt or .tmx.")
    ],
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed gives the same map everywhere.")] = 0,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="OPTION=VALUE",
            help="Option of the kind; repeatable. random: walls. rooms: room, loops. maze: corridor, "
            "loops. caves: walls, rounds. indoor: room, furniture, loops.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Generate a map from a seed."""
    from waygrid.cli.show import progress
    from waygrid.formats import MapData, write_map
    from waygrid.grid.generate import generate_passable

    width, height = read_size(size)
    options = read_settings(settings)
    with progress(f"generating {output.name}"):
        passable = generate_passable(kind, width, height, seed, **options)
        write_map(output, MapData(passable))
    share = float(passable.mean())
    print(f"{output}: {kind}, {width} x {height}, seed {seed}, {int(passable.sum())} passable cells ({share:.1%})")
