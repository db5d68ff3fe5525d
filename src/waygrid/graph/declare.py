"""The algorithms that search graphs."""

from dataclasses import replace

from waygrid.options import Choice
from waygrid.search.declaration import AlgorithmInfo
from waygrid.search.registry import algorithms

_WEIGHT = replace(
    algorithms()["astar"].options["weight"], summary="factor of the estimate; above 1 it bounds the cost by it"
)
_TIES = Choice(
    "one", "goals in a box: those one flood reached through the edge, or all with such a path", choices=("one", "all")
)
_PAPER = "Faster A* with Goal Bounding (Rabin and Sturtevant)"

ALGORITHMS: dict[str, AlgorithmInfo] = {
    info.name: replace(info, aliases=algorithms()[info.name].aliases)
    for info in (
        AlgorithmInfo("dijkstra", "cheapest path by cost so far alone", "", optimal=True),
        AlgorithmInfo(
            "astar", "cheapest path by cost so far plus straight line", "", optimal=True, options={"weight": _WEIGHT}
        ),
        AlgorithmInfo(
            "dijkstra-gb", "Dijkstra with goal bounding", _PAPER, optimal=True, index=True, options={"ties": _TIES}
        ),
        AlgorithmInfo(
            "astar-gb",
            "A* with goal bounding",
            _PAPER,
            optimal=True,
            index=True,
            options={"weight": _WEIGHT, "ties": _TIES},
        ),
    )
}
