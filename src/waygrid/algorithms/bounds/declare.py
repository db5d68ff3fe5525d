"""Goal bounding."""

from waygrid.algorithms.bounds import steps
from waygrid.algorithms.classic.declare import HEURISTIC, WEIGHT
from waygrid.algorithms.jumps.declare import BOUNDING, UNIFORM
from waygrid.options import Choice
from waygrid.search.declaration import AlgorithmInfo, Detail, Overlay

TIES = Choice(
    "one", "first moves that boxes count: of one cheapest path per goal, or of all of them", choices=("one", "all")
)
_MEMORY = "as without goal bounds, and 32 or 64 bytes of index"

BOXES = {
    "boxes": Detail(
        "Goal bounds", "boxes of the last expansion that let a move pass, or do not", "bounds.details:show_boxes"
    )
}

ALGORITHMS = (
    AlgorithmInfo(
        "dijkstra-gb",
        "Dijkstra with goal bounding",
        BOUNDING,
        optimal=True,
        index=True,
        follows="proved",
        falls_back=("dijkstra",),
        blocked=False,
        gpu=True,
        options={"ties": TIES},
        open_list="f",
        pseudo_code=steps.DIJKSTRA_GB,
        details=BOXES,
        place="bounds.astar_gb:DijkstraGb",
        page="goal-bounding.md",
        memory=_MEMORY,
    ),
    AlgorithmInfo(
        "astar-gb",
        "A* with goal bounding",
        BOUNDING,
        optimal=True,
        index=True,
        follows="proved",
        falls_back=("astar",),
        blocked=False,
        gpu=True,
        options={"heuristic": HEURISTIC, "weight": WEIGHT, "ties": TIES},
        open_list="f",
        pseudo_code=steps.ASTAR_GB,
        details=BOXES,
        place="bounds.astar_gb:AStarGb",
        page="goal-bounding.md",
        memory=_MEMORY,
        overlays={
            "goal-bounds": Overlay(
                "Goal bounds",
                "of the cell under the mouse: a box for each first move",
                "bounds.overlays:show_goal_bounds",
                ("ties",),
                cursor=True,
            )
        },
    ),
    AlgorithmInfo(
        "jps+gb",
        "A* over jump points with goal bounding",
        BOUNDING,
        optimal=True,
        index=True,
        follows="proved",
        falls_back=("jps+",),
        blocked=False,
        gpu=True,
        **UNIFORM,
        open_list="turns",
        pseudo_code=steps.JPS_PLUS_GB,
        details={
            "boxes": Detail(
                "Goal bounds",
                "jumps of the last expansion that pass, and those that do not",
                "jumps.details:show_jumps",
            )
        },
        place="bounds.jps_plus_gb:JpsPlusGb",
        aliases=("jps+ goal bounding", "goal bounding"),
        page="goal-bounding.md",
        memory="52 or 84 bytes of index, and the turns",
    ),
)
