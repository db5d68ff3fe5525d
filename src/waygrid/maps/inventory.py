"""Which sets are downloaded, and whether their files are unchanged.

The list of files with checksums is ``waygrid.json`` in the folder of a set. It is written before the folder gets its
name, so a folder with a list was complete. Folders without a list belong to the user: they are used but never changed.
"""

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from waygrid.errors import WaygridError
from waygrid.folders import maps_home
from waygrid.formats.files import read_bytes
from waygrid.maps.catalogue import MapSet, find_set
from waygrid.maps.download import sha256

MANIFEST = "waygrid.json"
FORMAT = 1


class State(NamedTuple):
    """The state of a set. kind: "none", "part" (of a download), "own" (the user's files), "complete" or "damaged";
    maps and scenarios are counted, and faults lists what is wrong."""

    kind: str
    folder: Path
    maps: int = 0
    scenarios: int = 0
    faults: tuple[str, ...] = ()


def download_folder(folder: Path, chosen: MapSet) -> Path:
    """Return the folder of a set's unfinished downloads; its name keeps it out of `map_files`."""
    return folder / f".fetch-{chosen.folder}"


def map_files(folder: Path) -> list[Path]:
    """Return all maps below a folder, sorted, without those of sets that are being unpacked.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("dao/arena.map", "dao/arena.map.scen", ".fetch-sc1/files/a.map"):
    ...         (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
    ...         (Path(folder) / name).touch()
    ...     [file.name for file in map_files(Path(folder))]
    ['arena.map']
    """
    found = (file for file in folder.rglob("*.map") if file.is_file())
    return sorted(file for file in found if not any(part.startswith(".") for part in file.relative_to(folder).parts))


def read_manifest(place: Path) -> dict[str, Any] | None:
    """Return the list of a set, None if there is none."""
    file = place / MANIFEST
    if not file.exists():
        return None
    try:
        manifest = json.loads(read_bytes(file, 2**26))
        for name, facts in manifest["files"].items():
            if not isinstance(facts["bytes"], int) or not isinstance(facts["sha256"], str) or Path(name).name != name:
                raise WaygridError(f"{file}: entry {name!r}; allowed are file names with size and checksum")
        for facts in manifest["archives"].values():
            if not isinstance(facts["sha256"], str):
                raise WaygridError(f"{file}: an archive has no checksum")
        if manifest["format"] != FORMAT:
            raise WaygridError(f"{file}: format {manifest['format']!r}; this version of waygrid reads {FORMAT}")
    except (WaygridError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, WaygridError):
            raise
        raise WaygridError(f"{file} is not the list of a fetched set; it was changed or damaged") from error
    return dict(manifest)


def state(name: str, folder: Path | None = None) -> State:
    """Return the state of a set by names and sizes alone; `check` compares every byte.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     state("dao", Path(folder)).kind
    'none'
    """
    chosen = find_set(name)
    home = folder or maps_home()
    return _state(home, chosen, lambda file, facts: _size_fault(file, facts["bytes"]))


def check(name: str, folder: Path | None = None, tell: Callable[[float, str], None] | None = None) -> State:
    """Compare every file of a fetched set with its checksum."""
    chosen = find_set(name)
    home = folder or maps_home()
    total = done = 0
    with suppress(WaygridError, OSError):
        total = len((read_manifest(home / chosen.folder) or {"files": ()})["files"])

    def fault(file: Path, facts: dict[str, Any]) -> str | None:
        nonlocal done
        done += 1
        if tell:
            tell(done / max(1, total), file.name)
        wrong = _size_fault(file, facts["bytes"])
        if wrong is None and sha256(file) != facts["sha256"]:
            wrong = f"{file.name} has changed since it was fetched"
        return wrong

    return _state(home, chosen, fault)


def _size_fault(file: Path, size: int) -> str | None:
    if not file.is_file():
        return f"{file.name} is missing"
    found = file.stat().st_size
    return None if found == size else f"{file.name} has {found} bytes instead of {size}"


def _state(home: Path, chosen: MapSet, fault: Callable[[Path, dict[str, Any]], str | None]) -> State:
    place = home / chosen.folder
    try:
        manifest = read_manifest(place)
        if manifest is not None:
            files = manifest["files"]
            faults = tuple(wrong for file, facts in files.items() if (wrong := fault(place / file, facts)))
            return State("damaged" if faults else "complete", place, *count(files), faults)
    except WaygridError as error:
        return State("damaged", place, faults=(str(error),))
    except OSError as error:
        return State("damaged", place, faults=(f"{error.filename}: {error.strerror}",))
    if place.is_dir() and (maps := len(map_files(place))):
        return State("own", place, maps, sum(1 for _ in place.rglob("*.scen")))
    begun = any(download_folder(home, chosen).glob("*.zip*"))
    return State("part" if begun else "none", place)


def count(names: Iterable[str]) -> tuple[int, int]:
    """Return the number of maps and the number of scenarios among the names.

    >>> count(["arena.map", "arena.map.scen", "arena2.map"])
    (2, 1)
    """
    lower = [name.lower() for name in names]
    return sum(name.endswith(".map") for name in lower), sum(name.endswith(".scen") for name in lower)
