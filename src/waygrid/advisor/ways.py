"""Which algorithms and options the advisor tries, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from waygrid.search.registry import AlgorithmInfo

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
        """What `finder.agents` is to be told: the work per move, where that is an option of the algorithm."""
        return {"expansions": self.options["expansions"]} if "expansions" in self.options else {}


# What is worth trying beside the defaults; an algorithm that is not here is tried with its defaults alone. The first of
# each list is tried before the second of any, so the likeliest comes first.
GRIDS: dict[str, list[dict[str, Any]]] = {
    # A weighted estimate trades quality for time, at no memory.
    "astar": [{}, {"weight": 1.2}, {"weight": 1.5}, {"weight": 2.0}],
    # Sectors trade memory for quality, levels quality for memory; `trim="paper"` is quicker and longer than True.
    "dba": [
        {"sector": sector, "level": level, **trim}
        for trim in ({}, {"trim": "paper"})
        for level in (1, 2, 3)
        for sector in (16, 32, 64, 128)
    ],
    "pra": [{"sector": 16}, {"sector": 32}, {"sector": 8}],
    "hcdps": [{"level": 1}, {"level": 2}, {"level": 1, "trim": "paper"}],
    # Dead ends help where rooms are many; costs within zones need less memory than those between all gates.
    "gateway": [{}, {"dead_ends": True}, {"table": "zones"}],
    # Work per move: shorter ways for longer steps.
    "tba": [{"expansions": 10}, {"expansions": 50}, {"expansions": 250}],
    "lrta": [{"lookahead": 1}, {"lookahead": 2}],
    # Lower levels have more groups: shorter ways, larger tables, longer builds.
    "dlrta": [{}, {"level": 3}, {"level": 5}],
    "knn-lrta": [{}, {"nearest": 50}],
}
# `find` of other real-time algorithms runs an agent to its end, so only their agents are measured; these search or
# climb along whole paths as well.
PATHS_TOO = ("pra", "dba", "hcdps")
UNBOUNDED = ("ida", "iddfs")  # without memory of where they were, one query can take years: these are cut off
AGENTS_IGNORE = {"dba": ("trim",), "hcdps": ("trim",)}  # agents trim or do not; the values above all mean that they do


def ways_of(algorithms: Mapping[str, AlgorithmInfo]) -> list[Way]:
    """Return what to try: the first choice of every algorithm, then the second of those that have one, and so on.

    >>> from waygrid.search.registry import algorithms
    >>> [way.name for way in ways_of({"lrta": algorithms()["lrta"], "astar": algorithms()["astar"]})][:3]
    ['lrta agents, lookahead=1', 'astar', 'lrta agents, lookahead=2']
    """
    ranked: list[tuple[int, Way]] = []
    for name, info in algorithms.items():
        for rank, options in enumerate(GRIDS.get(name, [{}])):
            for use in _uses(info):
                way = Way(name, _that_count(name, options, use), use)
                if all(way != other for _, other in ranked):
                    ranked.append((rank, way))
    return [way for _, way in sorted(ranked, key=lambda pair: pair[0])]


def _uses(info: AlgorithmInfo) -> tuple[str, ...]:
    if not info.real_time:
        return (FIND,)
    return (FIND, AGENT) if info.name in PATHS_TOO else (AGENT,)


def _that_count(name: str, options: Mapping[str, Any], use: str) -> dict[str, Any]:
    without = AGENTS_IGNORE.get(name, ()) if use == AGENT else ()
    return {key: value for key, value in options.items() if key not in without}
