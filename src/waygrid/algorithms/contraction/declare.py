"""Contraction hierarchies."""

from waygrid.algorithms.contraction import steps
from waygrid.algorithms.jumps.declare import UNIFORM
from waygrid.search.declaration import AlgorithmInfo, Detail, Overlay

ALGORITHMS = (
    AlgorithmInfo(
        "ch",
        "paths put together from a hierarchy of shortcuts between the cells where paths turn",
        "Contraction Hierarchies (Geisberger, Sanders, Schultes and Delling)",
        optimal=True,
        index=True,
        follows="proved",
        falls_back=("jps+",),
        blocked=False,
        **UNIFORM,
        pseudo_code=steps.CH,
        details={"climb": Detail("Climb and descent", "the way up to the hub, and down from it")},
        place="contraction.ch:ContractionFinder",
        aliases=("contraction hierarchy", "contraction hierarchies"),
        page="contraction.md",
        memory="10 to 50 bytes of index",
        overlays={
            "levels": Overlay("Levels", "how high spots stand in the hierarchy", "contraction.overlays:show_levels"),
            "hubs": Overlay("Hubs", "where paths from a cell climb to", "contraction.overlays:show_hubs", cursor=True),
        },
    ),
)
