"""`waygrid reproduce`: the tables and figures of a paper, from our own runs."""

from __future__ import annotations

from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from waygrid.cli.options import read_settings
from waygrid.errors import WaygridError

if TYPE_CHECKING:
    from collections.abc import Callable

    from waygrid.papers.report import Report

PAPERS = {
    "path-finder-tool": "waygrid.papers.path_finder_tool",
    "grid-based": "waygrid.papers.grid_based",
    "goal-bounding": "waygrid.papers.goal_bounding",
    "improved-heuristics": "waygrid.papers.improved_heuristics",
    "dba": "waygrid.papers.dba",
}


def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help=f"One of {', '.join(PAPERS)}.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for tables and figures.")] = Path("out"),
    maps: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            envvar="WAYGRID_MAPS",
            help="Folder of the maps that the paper uses; by default those that waygrid maps fetch has fetched.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer and smaller runs, to see that it works.")] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="OPTION=VALUE", help="Option of the paper; may be given several times.", show_default=False
        ),
    ] = None,
) -> None:
    """Run a paper's experiments again.

    Its tables and figures are written to a folder and set beside ours.
    """
    from waygrid.cli.show import page, progress
    from waygrid.folders import maps_home

    run = _module(paper)
    options = _options(paper, run, read_settings(settings))
    if maps is None and maps_home().is_dir():
        maps = maps_home()
    if maps is not None and not maps.is_dir():
        raise WaygridError(f"maps is {str(maps)!r}; that is not a folder")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WaygridError(f"cannot write {out}: {error.strerror or error}") from error
    with progress(paper) as tell:
        if "progress" in signature(run).parameters:
            options["progress"] = tell
        report = run(out, quick=quick, maps=maps, **options)
    report.print(page())


def _options(paper: str, run: Callable[..., Report], options: dict[str, Any]) -> dict[str, Any]:
    """Refuse options that the paper does not have."""
    parameters = signature(run).parameters
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values()):
        return options  # it looks at them itself
    own = [name for name in parameters if name not in ("out", "quick", "maps", "progress")]
    for option in options:
        if option not in own:
            raise WaygridError(f"{paper} has no option {option!r}; allowed are {', '.join(own) or 'none'}")
    return options


def _module(paper: str) -> Callable[..., Report]:
    """Return the function that reproduces a paper; a paper that is not there says so and leaves the others alone."""
    if paper not in PAPERS:
        raise WaygridError(f"there is no paper {paper!r}; allowed are {', '.join(PAPERS)}")
    try:
        module = import_module(PAPERS[paper])
    except ModuleNotFoundError as error:
        if error.name == PAPERS[paper]:
            raise WaygridError(f"paper {paper!r} is not part of this version of waygrid") from error
        raise WaygridError(
            f"reproducing {paper!r} needs {error.name}, which is not installed; pip install 'waygrid[papers]'"
        ) from error
    return cast("Callable[..., Report]", module.reproduce)
