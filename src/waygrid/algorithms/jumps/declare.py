"""Jump point search."""

from typing import Any

from waygrid.algorithms.jumps import steps
from waygrid.options import Choice
from waygrid.search.declaration import AlgorithmInfo, Detail, Overlay

BOUNDING = "Faster A* with Goal Bounding (Rabin and Sturtevant)"
UNIFORM: dict[str, Any] = {  # what canonical paths need: moves that cost the same both ways
    "topologies": ("octile",),
    "corners": ("never", "always"),
    "weights": False,
    "one_way": False,
}

ALGORITHMS = (
    AlgorithmInfo(
        "jps",
        "A* over jump points, found by scanning",
        BOUNDING,
        optimal=True,
        **UNIFORM,
        open_list="jumps",
        pseudo_code=steps.JPS,
        details={"scans": Detail("Scanned lines", "of the last expansion", "jumps.details:show_scans")},
        place="jumps.jps:Jps",
        aliases=("jump point",),
        page="jps.md",
        memory="16 bytes and the buckets",
    ),
    AlgorithmInfo(
        "jps+",
        "A* over jump points, read from a table",
        BOUNDING,
        optimal=True,
        index=True,
        follows="repaired",
        blocked=False,
        **UNIFORM,
        open_list="turns",
        pseudo_code=steps.JPS_PLUS,
        details={"jumps": Detail("Stored jumps", "of the turn that was expanded last", "jumps.details:show_jumps")},
        place="jumps.jps:JpsPlus",
        aliases=("jump point+",),
        page="jps.md",
        memory="20 bytes of index, and the turns",
        overlays={"jump-points": Overlay("Jump points", "cells where JPS+ stops", "jumps.overlays:show_jump_points")},
    ),
    AlgorithmInfo(
        "jpsw",
        "A* along lines through even terrain, on maps with few weights",
        "Optimal Pathfinding on Weighted Grid Maps (Carlson, Moghadam, Harabor, Stuckey and Ebrahimi)",
        optimal=True,
        topologies=("octile",),
        one_way=False,
        options={
            "fallback": Choice(
                "auto", "auto: let A* search maps on which most lines would be short", choices=("auto", "never")
            )
        },
        open_list="lines",
        pseudo_code=steps.JPSW,
        place="jumps.jpsw:Jpsw",
        aliases=("weighted jump point",),
        page="jpsw.md",
        memory="20 bytes and the buckets",
    ),
)
