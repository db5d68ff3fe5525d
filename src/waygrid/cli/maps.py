"""`waygrid maps`: MovingAI's sets of maps: list, fetch, check."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from waygrid.errors import WaygridError

if TYPE_CHECKING:
    from waygrid.maps.there import State

maps = typer.Typer(
    help="Fetch MovingAI's benchmark maps; without a command: list them.",
    invoke_without_command=True,
    add_completion=False,
)

_SetName = Annotated[str, typer.Argument(metavar="SET", help="Name of a set, such as dao.")]
_Folder = Annotated[
    Path | None,
    typer.Option(
        "--dir",
        metavar="DIR",
        help="Folder of the sets; WAYGRID_MAPS, else a folder of waygrid's own, unless given.",
        show_default=False,
    ),
]


@maps.callback()
def _root(context: typer.Context, folder: _Folder = None) -> None:
    if context.invoked_subcommand is None:
        show(folder)
    else:
        context.obj = folder


@maps.command("list")
def show_sets(context: typer.Context, folder: _Folder = None) -> None:
    """List the sets, and which of them are there."""
    show(folder or context.obj)


def show(folder: Path | None) -> None:
    """Print the sets, and which of them are in a folder."""
    from waygrid.cli.show import TableColumn, print_table
    from waygrid.folders import maps_home
    from waygrid.maps import SETS, state

    home = folder or maps_home()
    rows = [[known.name, known.what, str(known.maps), _words(state(known.name, home))] for known in SETS.values()]
    known_folders = {known.folder for known in SETS.values()}
    rows += [[name, "a folder of yours", str(count), "there"] for name, count in _others(home, known_folders)]
    columns = [
        TableColumn("set"),
        TableColumn("what", fold=True),
        TableColumn("maps", right=True),
        TableColumn("here", fold=True),
    ]
    print_table(columns, rows)
    print(f"folder: {home}{'' if home.is_dir() else ' (not there yet)'}")


def _others(home: Path, known: set[str]) -> list[tuple[str, int]]:
    """Return other folders with maps."""
    from waygrid.maps import map_files

    counts: dict[str, int] = {}
    for file in map_files(home) if home.is_dir() else []:
        name = file.relative_to(home).parts[0]
        if name not in known and name != file.name:
            counts[name] = counts.get(name, 0) + 1
    return sorted(counts.items())


def _words(state: State) -> str:
    """Say what is there of a set."""
    counted = f"{state.maps} maps, {state.scenarios} scenarios"
    if state.kind == "damaged":
        more = f" and {len(state.faults) - 1} more" if len(state.faults) > 1 else ""
        return f"damaged: {state.faults[0]}{more}"
    return {
        "none": "-",
        "part": "partly downloaded; fetch goes on",
        "own": f"{counted} in {state.folder.name}, not fetched by waygrid",
        "complete": f"{counted} in {state.folder.name}",
    }[state.kind]


@maps.command("fetch")
def fetch_set(
    context: typer.Context,
    name: _SetName,
    folder: _Folder = None,
    url: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            envvar="WAYGRID_MAPS_URL",
            help="Where the sets are, if not at MovingAI: SET/SET-map.zip and SET/SET-scen.zip below it.",
            show_default=False,
        ),
    ] = None,
    sums: Annotated[
        list[str] | None,
        typer.Option(
            "--sha256",
            metavar="KIND=HEX",
            help="Checksum that an archive must have: map=HEX or scen=HEX; may be given twice.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Fetch it anew although it is there.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out files that cannot be read.")] = False,
) -> None:
    """Download a set, unless it is there.

    What an interrupted download has brought is kept, and the same command goes on from there. The archives' checksums
    are pinned when a set is first fetched.
    """
    from waygrid.cli.show import progress
    from waygrid.maps import fetch

    folder = folder or context.obj
    with progress(f"fetching {name}") as tell:
        fetched = fetch(name, folder, address=url, checksums=_sums(sums), force=force, skip_bad=skip_bad, progress=tell)
    state = fetched.state
    done = "fetched" if fetched.fresh else "already there and unchanged"
    print(f"{name}: {done}: {state.maps} maps, {state.scenarios} scenarios in {state.folder}")
    for note in fetched.notes:
        print(note, file=sys.stderr)


def _sums(words: list[str] | None) -> dict[str, str]:
    sums: dict[str, str] = {}
    for word in words or ():
        kind, equals, digest = word.partition("=")
        if not equals or kind in sums:
            raise WaygridError(f"--sha256 {word!r}; allowed are map=HEX and scen=HEX, each once")
        sums[kind] = digest
    return sums


@maps.command("check")
def check_set(context: typer.Context, name: _SetName, folder: _Folder = None) -> None:
    """Compare every file of a fetched set with its checksum."""
    from waygrid.cli.show import progress
    from waygrid.maps import check

    with progress(f"checking {name}") as tell:
        state = check(name, folder or context.obj, tell)
    if state.kind == "damaged":
        for fault in state.faults:
            print(fault)
        raise WaygridError(f"{state.folder}: {len(state.faults)} faults; waygrid maps fetch {name} --force repairs it")
    if state.kind != "complete":
        words = {"own": "was not fetched by waygrid; nothing is known to check it against"}
        raise WaygridError(f"{state.folder} {words.get(state.kind, 'is not there')}; waygrid maps fetch {name}")
    print(f"{name}: {state.maps} maps, {state.scenarios} scenarios in {state.folder}, all as fetched")
