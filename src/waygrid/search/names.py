"""Names of algorithms as people write them, and the error that suggests the right one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from waygrid.errors import WaygridError, show

_OTHER_NAMES = {
    "breadthfirst": "bfs",
    "bidirectional": "bibfs",
    "bidirectionalbfs": "bibfs",
    "bidirectionalbreadthfirst": "bibfs",
    "depthfirst": "dfs",
    "iterativedeepening": "iddfs",
    "iterativedeepeningdfs": "iddfs",
    "iterativedeepeningdepthfirst": "iddfs",
    "ids": "iddfs",
    "iterativedeepeningastar": "ida",
    "uniformcost": "dijkstra",
    "ucs": "dijkstra",
    "dijkstras": "dijkstra",
    "greedy": "best-first",
    "greedybestfirst": "best-first",
    "gbfs": "best-first",
    "weightedastar": "astar",
    "wastar": "astar",
    "jumppoint": "jps",
    "jumppoint+": "jps+",
    "jps+goalbounding": "jps+gb",
    "goalbounding": "jps+gb",
    "compressedpathdatabase": "cpd",
    "compressedpathdatabases": "cpd",
}


def unknown_algorithm(name: Any, allowed: Iterable[str], where: str = "") -> WaygridError:
    """Return the error for a name that is none of the allowed ones; it suggests the one that was probably meant.

    >>> str(unknown_algorithm("A*", ["bfs", "astar"]))
    "there is no algorithm 'A*'; did you mean 'astar'? Allowed are bfs, astar"
    """
    names = tuple(allowed)
    meant = suggest(name, names) if isinstance(name, str) else None
    listed = ", ".join(names)
    end = f"allowed are {listed}" if meant is None else f"did you mean {meant!r}? Allowed are {listed}"
    return WaygridError(f"there is no algorithm {show(name)}{where}; {end}")


def suggest(name: str, allowed: Iterable[str]) -> str | None:
    """Return the allowed name that another spelling means, or the closest one; None where nothing is close.

    >>> names = ["astar", "best-first", "jps+gb", "lrta"]
    >>> [suggest(name, names) for name in ("a_star", "JPS+GB", "LRTA*", "Greedy best-first search", "quick-sort")]
    ['astar', 'jps+gb', 'lrta', 'best-first', None]
    """
    names = {_spelling(one): one for one in allowed}
    key = _spelling(name[:100])
    for spelling in (key, _spelling(_OTHER_NAMES.get(key, "")), key.removesuffix("star")):
        if spelling in names:
            return names[spelling]
    close = get_close_matches(key, names, 1)
    return names[close[0]] if close else None


def _spelling(name: str) -> str:
    """Return a name without case, blanks and signs: `A*`, `a-star` and `A star` are one."""
    word = re.sub(r"[^a-z0-9+]", "", name.casefold().replace("*", "star").replace("plus", "+"))
    return re.sub(r"(search|algorithm)$", "", re.sub(r"(search|algorithm)$", "", word)) or word
