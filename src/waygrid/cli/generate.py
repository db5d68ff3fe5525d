"""`waygrid generate`: generate a map."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from waygrid.cli.options import read_settings, read_size
from waygrid.errors import WaygridError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_CHANGES = "A map that changes"


def generate(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="random, rooms, maze, caves or indoor.")],
    size: Annotated[str, typer.Option(metavar="WxH", help="Width and height in cells, such as 120x80.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Map to write: .map .png .npy .txt .tmx .tif .tiff .yaml .yml .ldtk or .json; with --changes "
            "a scenario: .scen.",
        ),
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
    changes: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="Write a dynamic scenario, with its map (.map) and patches (.patch) beside it: doors that open and "
            "close, walls that fall, bases that are built, or mixed.",
            show_default=False,
            rich_help_panel=_CHANGES,
        ),
    ] = None,
    edits: Annotated[
        int | None, typer.Option(metavar="N", help="Edits of the map; default: 100.", rich_help_panel=_CHANGES)
    ] = None,
    queries: Annotated[
        int | None,
        typer.Option(metavar="N", help="Queries between the edits; default: 100.", rich_help_panel=_CHANGES),
    ] = None,
    burst: Annotated[
        int | None,
        typer.Option(metavar="N", help="Queries in a row between edits; default: 10.", rich_help_panel=_CHANGES),
    ] = None,
) -> None:
    """Generate a map from a seed, or a map and its changes."""
    from waygrid.cli.show import progress
    from waygrid.formats import MapData, write_map
    from waygrid.grid.generate import generate_passable

    width, height = read_size(size)
    options = read_settings(settings)
    given = {"edits": edits, "queries": queries, "burst": burst}
    counts = {name: value for name, value in given.items() if value is not None}
    if changes is not None:
        passable = generate_passable(kind, width, height, seed, **options)
        _write_changes(passable, changes, counts, seed, output)
        return
    for name, value in counts.items():
        raise WaygridError(f"--{name} {value} needs --changes KIND: without it the map does not change")
    with progress(f"generating {output.name}"):
        passable = generate_passable(kind, width, height, seed, **options)
        write_map(output, MapData(passable))
    share = float(passable.mean())
    print(f"{output}: {kind}, {width} x {height}, seed {seed}, {int(passable.sum())} passable cells ({share:.1%})")


def _write_changes(passable: npt.NDArray[np.bool_], kind: str, counts: dict[str, int], seed: int, output: Path) -> None:
    """Generate changes of a map, and write the scenario with its files."""
    from waygrid.cli.show import progress
    from waygrid.grid.grid import Grid
    from waygrid.measure.changes import generate_changes
    from waygrid.measure.dynamic import check_name

    check_name(output)  # before the work
    with progress(f"generating {output.name}") as tell:
        scenario = generate_changes(Grid(passable), kind, seed=seed, progress=tell, **counts)
        scenario.save(output)
    files = " ".join(str(output.with_suffix(suffix)) for suffix in (".map", ".patch"))
    print(
        f"{output}: {kind}, {scenario.width} x {scenario.height}, seed {seed}, {len(scenario.edits)} edits with "
        f"{len(scenario.patches)} patches, {len(scenario)} queries; beside it {files}"
    )
