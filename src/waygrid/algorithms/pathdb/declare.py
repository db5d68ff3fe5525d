"""Compressed path databases."""

from waygrid.algorithms.jumps.declare import BOUNDING, UNIFORM
from waygrid.algorithms.pathdb import steps
from waygrid.algorithms.regions.declare import DATABASE
from waygrid.search.declaration import AlgorithmInfo, Detail, Overlay

ALGORITHMS = (
    AlgorithmInfo(
        "cpd",
        "paths looked up in a compressed table of the first moves of all pairs",
        f"{DATABASE}, section 2.4",
        optimal=True,
        index=True,
        follows="proved",
        falls_back=("jps+", "astar"),
        blocked=False,
        gpu=True,
        **UNIFORM,
        pseudo_code=steps.CPD,
        place="pathdb.cpd:Cpd",
        aliases=("compressed path database", "compressed path databases"),
        page="cpd.md",
        memory="some hundred bytes of index, more on large maps",
    ),
    AlgorithmInfo(
        "turntable",
        "paths read off a table of all pairs of the cells where paths turn",
        BOUNDING,
        optimal=True,
        index=True,
        follows="proved",
        falls_back=("jps+",),
        blocked=False,
        gpu=True,
        **UNIFORM,
        pseudo_code=steps.TURNTABLE,
        details={"pairs": Detail("Pairs of spots", "that were compared so far")},
        place="pathdb.turntable:TurnTableFinder",
        aliases=("turn table", "turn tables"),
        page="turntable.md",
        memory="some hundred bytes of index; it grows with the square of the number of corners",
        overlays={
            "spots": Overlay("Spots", "cells where paths turn", "pathdb.overlays:show_spots"),
            "accesses": Overlay(
                "Accesses", "the spots by which paths leave a cell", "pathdb.overlays:show_accesses", cursor=True
            ),
        },
    ),
)
