"""Other spellings of algorithm names, and the error that suggests the right one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from waygrid.errors import WaygridError, show
from waygrid.search.declaration import AlgorithmInfo

AUTOMATIC = "auto"  # in place of a name: the algorithm is chosen for the map


def unknown_algorithm(name: Any, allowed: Mapping[str, AlgorithmInfo], where: str = "") -> WaygridError:
    """Return the error for an unknown name, with a suggestion.

    >>> from waygrid.search.registry import algorithms
    >>> some = {name: algorithms()[name] for name in ("bfs", "astar")}
    >>> str(unknown_algorithm("A*", some))
    "there is no algorithm 'A*'; did you mean 'astar'? Allowed are bfs, astar"
    """
    meant = suggest(name, allowed) if isinstance(name, str) else None
    listed = ", ".join(allowed)
    end = f"allowed are {listed}" if meant is None else f"did you mean {meant!r}? Allowed are {listed}"
    return WaygridError(f"there is no algorithm {show(name)}{where}; {end}")


def suggest(name: str, allowed: Mapping[str, AlgorithmInfo]) -> str | None:
    """Return the allowed name for another spelling, or the closest one; None if nothing is close.

    >>> from waygrid.search.registry import algorithms
    >>> written = ("a_star", "JPS+GB", "LRTA*", "Greedy best-first search", "quick-sort")
    >>> [suggest(name, algorithms()) for name in written]
    ['astar', 'jps+gb', 'lrta', 'best-first', None]
    """
    names = {_spelling(one): one for one in allowed}
    aliases = {_spelling(alias): info.name for info in allowed.values() for alias in info.aliases}
    key = _spelling(name[:100])
    for spelling in (key, key.removesuffix("star")):
        if spelling in names or spelling in aliases:
            return names.get(spelling) or aliases[spelling]
    close = get_close_matches(key, names, 1)
    return names[close[0]] if close else None


def _spelling(name: str) -> str:
    """Return a name without case, blanks and punctuation: `A*`, `a-star` and `A star` are the same."""
    word = re.sub(r"[^a-z0-9+]", "", name.casefold().replace("*", "star").replace("plus", "+"))
    return re.sub(r"(search|algorithm)$", "", re.sub(r"(search|algorithm)$", "", word)) or word
