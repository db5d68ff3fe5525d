"""Heuristics from zones and the gates between them."""

from waygrid.algorithms.zones import steps
from waygrid.options import Choice, Flag, Integer
from waygrid.search.declaration import AlgorithmInfo, Detail, Overlay

_PAPER = "Improved Heuristics for Optimal Pathfinding on Game Maps (Björnsson and Halldórsson)"
_SQUARE = ("tile", "octile")
_DECOMPOSITION = Choice(
    "repaired", "how the map is cut into zones; printed = as in the paper", choices=("repaired", "printed")
)

ALGORITHMS = (
    AlgorithmInfo(
        "dead-end",
        "A* that never enters a part of the map from which the only way on leads back",
        _PAPER,
        optimal=True,
        index=True,
        follows="searched",
        falls_back=("astar",),
        topologies=_SQUARE,
        options={
            "relevance": Choice(
                "bridges",
                "how dead ends are found; trails = the paper's enumeration, for study",
                choices=("bridges", "trails"),
            ),
            "decomposition": _DECOMPOSITION,
        },
        open_list="f",
        pseudo_code=steps.DEAD_END,
        place="zones.dead_end:DeadEnd",
        page="zones.md",
        memory="as `astar`, and 3 bytes of index",
    ),
    AlgorithmInfo(
        "gateway",
        "A* with an estimate that leads through the gates between zones",
        _PAPER,
        optimal=True,
        index=True,
        follows="searched",
        falls_back=("astar",),
        topologies=_SQUARE,
        options={
            "dead_ends": Flag(False, "never enter dead ends either"),
            "table": Choice(
                "pairs",
                "costs between all gates, or within each zone, combined per query",
                choices=("pairs", "zones"),
            ),
            "gate_length": Integer(
                "auto",
                "longer gates are cut; auto: as memory allows",
                least=1,
                extra=("auto", None),
                unit="cells",
            ),
            "decomposition": _DECOMPOSITION,
        },
        # Dead ends help where rooms are many; costs within zones need less memory than those between all gates.
        settings=({}, {"dead_ends": True}, {"table": "zones"}),
        open_list="gates",
        pseudo_code=steps.GATEWAY,
        details={"gates": Detail("Gates in the estimate", "of the last expansion", "zones.details:show_gates")},
        place="zones.gateway:Gateway",
        page="zones.md",
        memory="as `astar`, and up to some hundred bytes of index",
        overlays={
            "zones": Overlay(
                "Zones and gates",
                "of the improved heuristics; bridges part the map",
                "zones.overlays:show_zones",
                ("decomposition",),
            )
        },
    ),
)
