"""Searches whose paths are straight legs at any angle."""

from waygrid.algorithms.anyangle import steps
from waygrid.algorithms.anyangle.taut_declare import AT_CORNERS
from waygrid.search.declaration import AlgorithmInfo, Detail

SIGHT = {"sight": Detail("Line of sight", "the leg of the current event, and the one that is blocked")}

ALGORITHMS = (
    AlgorithmInfo(
        "theta",
        "Theta*: straight legs between cell centres, by lines of sight; short, not always shortest",
        "Theta* (Nash et al.)",
        topologies=("tile", "octile"),
        weights=False,
        model="centres",
        open_list="ranges",
        pseudo_code=steps.THETA,
        details=SIGHT,
        place="anyangle.theta:Theta",
        aliases=("basic theta",),
        page="straight.md#theta",
        memory="20 bytes and the buckets",
    ),
    AlgorithmInfo(
        "lazy-theta",
        "Lazy Theta*: the same with a line of sight for each expanded cell only: quicker",
        "Lazy Theta* (Nash et al.)",
        topologies=("tile", "octile"),
        weights=False,
        model="centres",
        open_list="legs",
        pseudo_code=steps.LAZY_THETA,
        details=SIGHT,
        place="anyangle.theta:LazyTheta",
        page="straight.md#lazy-theta",
        memory="20 bytes and the buckets",
    ),
    *AT_CORNERS,
)
