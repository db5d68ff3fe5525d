"""Which maps a paper is tried on: its own, or those that were asked for."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from waygrid.errors import WaygridError
from waygrid.maps import map_files


def choose_maps(
    folder: Path, only: object, wanted: Iterable[str], example: str, *, scenarios: bool = True
) -> tuple[list[Path], list[str]]:
    """Return the files of the wanted maps, and the names of those that are not there.

    only: names divided by commas, with or without their folder (dao/arena2, arena2), that take the place of those
    wanted; each of these has to be there. example: of such names. scenarios: whether a map needs one beside it.
    """
    if only is not None:
        wanted = [name.strip() for name in str(only).split(",") if name.strip()]
        if not wanted:
            raise WaygridError(f"only is {only!r}; allowed are names of maps divided by commas, such as {example}")
    there = {f"{file.resolve().parent.name}/{file.stem}": file for file in map_files(folder)}
    found, missing = [], []
    for name in wanted:
        matches = [file for key, file in there.items() if name in (key, file.stem)]
        if matches and (not scenarios or scenario_of(matches[0]).is_file()):
            found.append(matches[0])
        elif only is None:
            missing.append(name)
        elif matches:
            raise WaygridError(
                f"only: {matches[0]} has no scenario; {scenario_of(matches[0]).name} is needed beside it"
            )
        else:
            some = ", ".join(file.stem for file in there.values()) or "no maps"
            raise WaygridError(f"only: there is no map {name!r} in {folder}; there are {some}")
    return found, missing


def scenario_of(file: Path) -> Path:
    """Return the file of a map's scenario."""
    return file.with_name(f"{file.name}.scen")
