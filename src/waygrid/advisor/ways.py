"""Which algorithms and options the advisor tries, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from waygrid.search.declaration import AlgorithmInfo

FIND, AGENT = "find", "agent"


@dataclass(frozen=True)
class Way:
    """An algorithm, its options and how it is used: whole paths by `find`, or agents that move before they know one."""

    algorithm: str
    options: Mapping[str, Any] = field(default_factory=dict)
    use: str = FIND

    @property
    def name(self) -> str:
        """Name and options.

        >>> Way("dba", {"sector": 32}).name, Way("dba", {"sector": 32}, AGENT).name, Way("tba", use=AGENT).name
        ('dba, sector=32', 'dba agents, sector=32', 'tba agents')
        """
        first = f"{self.algorithm} agents" if self.use == AGENT else self.algorithm
        return ", ".join((first, *(f"{key}={value}" for key, value in self.options.items())))

    @property
    def agent_options(self) -> dict[str, Any]:
        """What `finder.agents` takes: the work per move, where that is an option of the algorithm."""
        return {"expansions": self.options["expansions"]} if "expansions" in self.options else {}


def ways_of(algorithms: Mapping[str, AlgorithmInfo]) -> list[Way]:
    """Return what to try: the first choice of every algorithm, then the second of those that have one, and so on.

    Algorithms whose paths are straight legs are left out: costs of one metric are compared, that of the grid's moves.

    >>> from waygrid.search.registry import algorithms
    >>> [way.name for way in ways_of({"lrta": algorithms()["lrta"], "astar": algorithms()["astar"]})][:3]
    ['lrta agents, lookahead=1', 'astar', 'lrta agents, lookahead=2']
    """
    ranked: list[tuple[int, Way]] = []
    for name, info in algorithms.items():
        for rank, options in enumerate(info.settings if info.model == "cells" else ()):
            for use in _uses(info):
                ignored = info.agents_ignore if use == AGENT else ()
                way = Way(name, {key: value for key, value in options.items() if key not in ignored}, use)
                if all(way != other for _, other in ranked):
                    ranked.append((rank, way))
    return [way for _, way in sorted(ranked, key=lambda pair: pair[0])]


def _uses(info: AlgorithmInfo) -> tuple[str, ...]:
    if not info.real_time:
        return (FIND,)
    return (AGENT,) if info.find_walks else (FIND, AGENT)
