"""The papers that can be repeated, and the modules that do it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from waygrid.errors import WaygridError
from waygrid.measure.machine import describe_run

if TYPE_CHECKING:
    from waygrid.papers.report import Report

PAPERS = {
    "path-finder-tool": "waygrid.papers.path_finder_tool.reproduce",
    "grid-based": "waygrid.papers.grid_based.reproduce",
    "goal-bounding": "waygrid.papers.goal_bounding.reproduce",
    "improved-heuristics": "waygrid.papers.improved_heuristics.reproduce",
    "dba": "waygrid.papers.dba.reproduce",
}
ALL = "all"
_COMMON = ("out", "quick", "maps", "progress")


def module_of(paper: str) -> ModuleType:
    """Return the module of a paper; one that is not there says so and leaves the others alone."""
    if paper not in PAPERS:
        raise WaygridError(f"there is no paper {paper!r}; allowed are {', '.join(PAPERS)} and {ALL}")
    try:
        return import_module(PAPERS[paper])
    except ModuleNotFoundError as error:
        if error.name == PAPERS[paper]:
            raise WaygridError(f"paper {paper!r} is not part of this version of waygrid") from error
        raise WaygridError(
            f"reproducing {paper!r} needs {error.name}, which is not installed; pip install 'waygrid[papers]'"
        ) from error


def runner(paper: str) -> Callable[..., Report]:
    """Return the function that reproduces a paper."""
    return cast("Callable[..., Report]", module_of(paper).reproduce)


def map_sets(paper: str) -> tuple[str, ...]:
    """Return the folders of maps that a paper uses, none for a paper that makes its own.

    >>> map_sets("dba"), map_sets("grid-based")
    (('dao',), ())
    """
    return tuple(getattr(module_of(paper), "SETS", ()))


def takes_progress(run: Callable[..., Any]) -> bool:
    """Return whether a paper's function reports how far it is."""
    return "progress" in signature(run).parameters


def run_paper(
    paper: str,
    out: Path,
    *,
    quick: bool,
    maps: Path | None,
    options: dict[str, Any],
    progress: Callable[[float, str], None],
) -> Report:
    """Reproduce a paper into a folder, and write there which command made it, when and on what machine."""
    run = runner(paper)
    more = {"progress": progress} if takes_progress(run) else {}
    report = run(out, quick=quick, maps=maps, **options, **more)
    words = [f"waygrid reproduce {paper}", *(["--quick"] if quick else []), *(["--maps DIR"] if maps else [])]
    words += [f"--set {name}={value}" for name, value in options.items()]
    report.record_run(out, describe_run(" ".join(words)))
    return report


def check_options(paper: str, run: Callable[..., Any], options: dict[str, Any]) -> None:
    """Refuse options that the paper does not have."""
    parameters = signature(run).parameters
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values()):
        return  # it looks at them itself
    own = [name for name in parameters if name not in _COMMON]
    for option in options:
        if option not in own:
            raise WaygridError(f"{paper} has no option {option!r}; allowed are {', '.join(own) or 'none'}")
