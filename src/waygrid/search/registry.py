"""The algorithms by name: what each declares, and its finder, which is imported when it is first made."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from waygrid.errors import WaygridError, show
from waygrid.search.declaration import AlgorithmInfo
from waygrid.search.names import unknown_algorithm

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid
    from waygrid.search.finder import Finder

_ALGORITHMS = "waygrid.algorithms"


@cache
def declared() -> dict[str, AlgorithmInfo]:
    """Return the declarations of all families, by the names of the algorithms.

    Algorithms lie above this module, so they are found by the names of their families and not by an import statement.
    """
    families = import_module(_ALGORITHMS).FAMILIES
    modules = [import_module(f"{_ALGORITHMS}.{family}.declare") for family in families]
    return {info.name: info for module in modules for info in module.ALGORITHMS}


def algorithms() -> dict[str, AlgorithmInfo]:
    """Return every algorithm's name and what it declares.

    >>> algorithms()["astar"].optimal, algorithms()["bfs"].topologies
    (True, ('tile', 'octile', 'hex', 'tex'))
    """
    return dict(declared())


def remade(name: str, grid: Grid, options: Mapping[str, Any], index: dict[str, Any] | None, *following: Any) -> Finder:
    """Return a finder that came from another process, with its index and how that follows edits."""
    info, kind = find_class(name)
    made: Finder = kind(info, grid, options) if index is None else kind._remade(info, grid, options, index, *following)
    return made


def find_class(name: str) -> tuple[AlgorithmInfo, Any]:
    """Return an algorithm's declaration and its class."""
    if not isinstance(name, str) or name not in declared():
        raise unknown_algorithm(name, declared())
    info = declared()[name]
    return info, import_place(info.place)


def import_place(place: str) -> Any:
    """Return what a declaration names as module:name.

    >>> import_place("classic.breadth:Bfs").__name__
    'Bfs'
    """
    module, name = place.split(":")
    return getattr(import_module(f"{_ALGORITHMS}.{module}"), name)


def refuse_unsupported(info: AlgorithmInfo, grid: Grid) -> None:
    """Raise an error for a grid that the algorithm does not declare."""
    from waygrid.grid.grid import Grid

    if not isinstance(grid, Grid):
        raise WaygridError(f"{info.name} needs a Grid, not {type(grid).__name__}")
    for what, value, allowed in (
        ("topology", grid.topology, info.topologies),
        ("corners", grid.corners, info.corners if grid.topology == "octile" else (grid.corners,)),
    ):
        if value not in allowed:
            raise WaygridError(f"{info.name} does not support {what} {show(value)}; allowed are {', '.join(allowed)}")
    for what, present, name in (
        ("terrain weights", grid.weights is not None, "weights"),
        ("rule 'mean'", grid.rule == "mean", "mean"),
        ("one-way tiles", grid.has_one_way, "one_way"),
    ):
        if present and not getattr(info, name):
            needed = ("weights", name)
            able = [other for other in declared().values() if all(getattr(other, n) for n in needed)]
            alike = [other.name for other in able if other.real_time] if info.real_time else []
            others = ", ".join(alike or [other.name for other in able if other.optimal])
            raise WaygridError(f"{info.name} does not support {what}; take one of {others}")


def make_backup(owner: Finder, names: tuple[str, ...] = ()) -> Finder:
    """Return the first of the finders that may search instead of one and supports its grid."""
    refusal = None
    for name in names or owner.info.falls_back:
        info, kind = find_class(name)
        try:
            refuse_unsupported(info, owner.grid)
        except WaygridError as error:
            refusal = error
            continue
        shared = {key: option.default for key, option in info.options.items()}
        shared |= {key: value for key, value in owner.options.items() if key in shared}
        made: Finder = kind(info, owner.grid, shared)
        return made
    raise refusal or WaygridError(f"{owner.info.name} names nothing that searches in its place")
