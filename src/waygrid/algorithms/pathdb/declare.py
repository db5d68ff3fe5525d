"""Compressed path databases."""

from waygrid.algorithms.jumps.declare import UNIFORM
from waygrid.algorithms.regions.declare import DATABASE
from waygrid.search.declaration import AlgorithmInfo

ALGORITHMS = (
    AlgorithmInfo(
        "cpd",
        "paths looked up in a compressed table of the first moves of all pairs",
        f"{DATABASE}, section 2.4",
        optimal=True,
        index=True,
        blocked=False,
        gpu=True,
        **UNIFORM,
        place="pathdb.cpd:Cpd",
        aliases=("compressed path database", "compressed path databases"),
        page="cpd.md",
        memory="some hundred bytes of index, more on large maps",
    ),
)
