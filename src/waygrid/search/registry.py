"""Finders by the names of their algorithms; they are imported when first made."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from waygrid.errors import WaygridError, show
from waygrid.search.declared import BUILD_OPTIONS, REGISTRY, AlgorithmInfo, Option
from waygrid.search.names import unknown_algorithm

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid
    from waygrid.search.finder import Finder

__all__ = ["BUILD_OPTIONS", "AlgorithmInfo", "Option", "algorithms", "find_class", "refuse_unsupported", "remade"]


def algorithms() -> dict[str, AlgorithmInfo]:
    """Return every algorithm's name and what it declares.

    >>> algorithms()["astar"].optimal, algorithms()["bfs"].topologies
    (True, ('tile', 'octile', 'hex', 'tex'))
    """
    return dict(REGISTRY)


def remade(name: str, grid: Grid, options: Mapping[str, Any], index: dict[str, Any] | None) -> Finder:
    """Return a finder that came from another process, index and all."""
    info, kind = find_class(name)
    made: Finder = kind(info, grid, options) if index is None else kind(info, grid, options, index)
    return made


def find_class(name: str) -> tuple[AlgorithmInfo, Any]:
    """Return an algorithm's declaration and its class."""
    if not isinstance(name, str) or name not in REGISTRY:
        raise unknown_algorithm(name, REGISTRY)
    info = REGISTRY[name]
    module, kind = info.place.split(":")
    return info, getattr(import_module(f"waygrid.algorithms.{module}"), kind)


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
    for what, present, supported in (
        ("terrain weights", grid.weights is not None, info.weights),
        ("one-way tiles", grid.has_one_way, info.one_way),
    ):
        if present and not supported:
            others = ", ".join(name for name, other in REGISTRY.items() if other.optimal and other.weights)
            raise WaygridError(f"{info.name} does not support {what}; take one of {others}")
