"""Exact shortest paths of a point that may touch walls."""

from typing import Any

from waygrid.algorithms.anyangle import steps
from waygrid.search.declaration import AlgorithmInfo, Overlay

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
        pseudo_code=steps.ANYA,
        open_list="hidden",
        place="anyangle.anya:Anya",
        aliases=("polyanya", "any-angle", "euclidean shortest path"),
        page="taut.md",
        memory="20 bytes, an eighth for the rows as bits, and 56 bytes for each cone",
    ),
    AlgorithmInfo(
        "taut",
        "the shortest path of a point among walls, from a table of all pairs of corners",
        "Euclidean shortest paths by corners: ENLSVG (Oh and Leong), Euclidean hub labelling (Du, Shen and Cheema)",
        optimal=True,
        index=True,
        follows="proved",
        falls_back=("anya",),
        blocked=False,
        **AT_WALLS,
        pseudo_code=steps.TAUT,
        place="anyangle.taut:TautFinder",
        aliases=("taut table", "visibility graph"),
        page="taut.md",
        memory="some hundred bytes of index; it grows with the square of the number of corners",
        overlays={
            "corners": Overlay("Corners", "corners of walls where paths bend", "anyangle.taut_overlays:show_corners"),
            "visible": Overlay(
                "Visible corners", "the corners that a cell sees", "anyangle.taut_overlays:show_visible", cursor=True
            ),
        },
    ),
)
