"""Which of several cheapest paths a query gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waygrid.errors import WaygridError, show
from waygrid.search.registry import algorithms, import_place

if TYPE_CHECKING:
    from waygrid.search.finder import Finder
    from waygrid.search.following import StandIn

_STRAIGHTEST = "classic.straightest:Straightest"


def find_preferred(finder: Finder, prefer: str | None) -> Finder | StandIn:
    """Return what answers instead of a finder: because of what is preferred, or on a map that is not its index's."""
    if prefer is None:
        assert finder._stand_in is not None
        return finder._stand_in
    if not isinstance(prefer, str) or prefer != "straight":
        raise WaygridError(f'prefer is {show(prefer)}; allowed are "straight", or None')
    name = finder.info.name
    if finder.info.model != "cells" or not finder.optimal:
        able = ", ".join(other for other, info in algorithms().items() if info.optimal and info.model == "cells")
        raise WaygridError(
            f'prefer="straight" needs cheapest paths of moves, which {name} does not promise; take one of {able}'
        )
    if finder._preferred is None:
        astar = algorithms()["astar"]
        options = {option: declared.default for option, declared in astar.options.items()}
        finder._preferred = import_place(_STRAIGHTEST)(astar, finder.grid, options)
    return finder._preferred
