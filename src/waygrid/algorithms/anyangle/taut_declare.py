"""Exact shortest paths of a point that may touch walls."""

from typing import Any

from waygrid.search.declaration import AlgorithmInfo

ANYA = "Optimal any-angle pathfinding in practice (Harabor, Grastien, Oz and Aksakalli)"
AT_WALLS: dict[str, Any] = {
    "model": "corners",
    "topologies": ("tile", "octile"),
    "weights": False,
    "one_way": False,
}

AT_CORNERS = (
    AlgorithmInfo(
        "anya",
        "the shortest path of a point among walls: a search over what corners see",
        ANYA,
        optimal=True,
        **AT_WALLS,
        place="anyangle.anya:Anya",
        aliases=("polyanya", "any-angle", "euclidean shortest path"),
        page="taut.md",
        memory="20 bytes, an eighth for the rows as bits, and 56 bytes for each cone",
    ),
)
