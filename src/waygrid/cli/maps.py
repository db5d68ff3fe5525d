"""`waygrid maps`: list, fetch, check and verify MovingAI's map sets."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from waygrid.cli.maps_verify import verify_sets
from waygrid.errors import WaygridError

if TYPE_CHECKING:
    from waygrid.maps.inventory import State

maps = typer.Typer(
    help="Download MovingAI's benchmark maps, list or verify them.",
    invoke_without_command=True,
    add_completion=False,
)

_SetName = Annotated[str, typer.Argument(metavar="SET", help="Name of a set, such as dao.")]
_Folder = Annotated[
    Path | None,
    typer.Option(
        "--dir",
        metavar="DIR",
        help="Folder of the sets; default: WAYGRID_MAPS, otherwise waygrid's cache folder.",
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
    """List the sets and which of them are downloaded."""
    show(folder or context.obj)


def show(folder: Path | None) -> None:
    """Print the sets and which of them are in a folder."""
    from waygrid.cli.show import TableColumn, print_table
    from waygrid.folders import maps_home
    from waygrid.maps import SETS, state

    home = folder or maps_home()
    rows = [[known.name, known.what, str(known.maps), _words(state(known.name, home))] for known in SETS.values()]
    known_folders = {known.folder for known in SETS.values()}
    rows += [[name, "your own folder", str(count), "present"] for name, count in _others(home, known_folders)]
    columns = [
        TableColumn("set"),
        TableColumn("what", fold=True),
        TableColumn("maps", right=True),
        TableColumn("downloaded", fold=True),
    ]
    print_table(columns, rows)
    print(f"folder: {home}{'' if home.is_dir() else ' (does not exist yet)'}")


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
    """Describe the state of a set."""
    counted = f"{state.maps} maps, {state.scenarios} scenarios"
    if state.kind == "damaged":
        more = f" and {len(state.faults) - 1} more" if len(state.faults) > 1 else ""
        return f"damaged: {state.faults[0]}{more}"
    return {
        "none": "-",
        "part": "partly downloaded; fetch resumes",
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
            help="Mirror to use instead of MovingAI: SET/SET-map.zip and SET/SET-scen.zip below this address.",
            show_default=False,
        ),
    ] = None,
    sums: Annotated[
        list[str] | None,
        typer.Option(
            "--sha256",
            metavar="KIND=HEX",
            help="Expected checksum of an archive: map=HEX or scen=HEX; repeatable.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Download the set again.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Skip files that cannot be read.")] = False,
) -> None:
    """Download a set if it is missing.

    If a download is interrupted, the same command resumes it. The checksums of the archives are pinned when a set is
    first fetched.
    """
    from waygrid.cli.show import progress
    from waygrid.maps import fetch

    folder = folder or context.obj
    with progress(f"fetching {name}") as tell:
        fetched = fetch(name, folder, address=url, checksums=_sums(sums), force=force, skip_bad=skip_bad, progress=tell)
    state = fetched.state
    done = "fetched" if fetched.fresh else "already downloaded and unchanged"
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
        raise WaygridError(
            f"{state.folder}: {len(state.faults)} faults; waygrid maps fetch {name} --force downloads it again"
        )
    if state.kind != "complete":
        words = {"own": "was not fetched by waygrid, so there are no checksums to compare with"}
        raise WaygridError(f"{state.folder} {words.get(state.kind, 'does not exist')}; waygrid maps fetch {name}")
    print(f"{name}: {state.maps} maps, {state.scenarios} scenarios in {state.folder}, all unchanged")


maps.command("verify")(verify_sets)
