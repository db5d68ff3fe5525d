"""Searches over regions of the map, and databases of paths between them."""

from typing import Any

from waygrid.algorithms.regions import steps
from waygrid.options import Choice, Flag, Integer, Sizes
from waygrid.search.declaration import AlgorithmInfo, Detail, Overlay

DATABASE = "Fast Grid-based Path Finding for Video Games (Lee and Lawrence)"
UNPRICED: dict[str, Any] = {"blocked": False, "topologies": ("tile", "octile"), "weights": False, "one_way": False}
_SECTOR = Sizes(16, "size of sectors", least=1, unit="cells")

ALGORITHMS = (
    AlgorithmInfo(
        "pra",
        "PRA*: A* over regions of sectors, then from centre to centre; not optimal",
        f"{DATABASE}, section 2.2; Sturtevant",
        index=True,
        follows="checked",
        falls_back=("jps", "astar"),
        agents_fall_back=("tba",),
        real_time=True,
        **UNPRICED,
        options={
            "sector": _SECTOR,
            "trim": Flag(True, "drop the last tenth of each leg"),
            "centres": Choice(
                "mean", "of regions; optimised: tried out, which takes long", choices=("mean", "optimised")
            ),
        },
        settings=({"sector": 16}, {"sector": 32}, {"sector": 8}),
        open_list="f",
        pseudo_code=steps.PRA,
        place="regions.pra:Pra",
        page="pra.md",
        memory="20 bytes, and less than one of index",
        overlays={
            "sectors": Overlay(
                "Sectors and regions",
                "of PRA* and DBA*: representatives, and which regions touch",
                "regions.overlays:show_sectors",
                ("sector",),
            )
        },
    ),
    AlgorithmInfo(
        "dba",
        "DBA*: climbs along stored paths between regions of sectors; not optimal",
        DATABASE,
        index=True,
        follows="checked",
        falls_back=("jps", "astar"),
        agents_fall_back=("tba",),
        real_time=True,
        **UNPRICED,
        options={
            "sector": _SECTOR,
            "level": Integer(1, "paths are stored to regions so many hops away", least=1, greatest=16, unit="hops"),
            "trim": Choice(
                True, "shorten paths at their joints; paper = as in the paper only", choices=(True, False, "paper")
            ),
        },
        # Sectors trade memory for quality, levels quality for memory; `trim="paper"` is quicker and longer than True.
        settings=tuple(
            {"sector": sector, "level": level, **trim}
            for trim in ({}, {"trim": "paper"})
            for level in (1, 2, 3)
            for sector in (16, 32, 64, 128)
        ),
        agents_ignore=("trim",),  # agents trim or do not; True and "paper" both mean that they do
        pseudo_code=steps.DBA,
        open_list="f",
        details={
            "records": Detail(
                "Records used", "stored paths that the query joins", "regions.details:show_sector_records"
            )
        },
        place="regions.dba:Dba",
        page="dba.md",
        memory="24 bytes, and less than one of index",
        overlays={
            "paths": Overlay(
                "Stored paths",
                "of DBA*: subgoals and the paths along them",
                "regions.overlays:show_stored_paths",
                ("sector", "level"),
            )
        },
        build_estimate="regions.stored_paths:estimate_build",
    ),
    AlgorithmInfo(
        "hcdps",
        "HCDPS: climbs along stored paths between regions of cells that climb to a seed and back; not optimal",
        f"{DATABASE}, section 2.3; Lawrence and Bulitko",
        index=True,
        follows="checked",
        falls_back=("jps", "astar"),
        agents_fall_back=("tba",),
        real_time=True,
        **UNPRICED,
        options={
            "level": Integer(1, "paths are stored to regions so many hops away", least=1, greatest=4, unit="hops"),
            "trim": Choice(
                True, "shorten paths at their joints; paper = at both ends only", choices=(True, False, "paper")
            ),
            "cutoff": Integer(
                250,
                "moves of a climb within a region, and how far apart seeds begin",
                least=1,
                greatest=2**31 - 1,
                unit="moves",
            ),
        },
        settings=({"level": 1}, {"level": 2}, {"level": 1, "trim": "paper"}),
        agents_ignore=("trim",),
        pseudo_code=steps.HCDPS,
        details={
            "records": Detail(
                "Records used", "stored paths that the query joins", "regions.details:show_climbable_records"
            )
        },
        place="regions.hcdps:Hcdps",
        page="hcdps.md",
        memory="24 bytes, and less than one of index",
        overlays={
            "climbable": Overlay(
                "Hill-climbable regions",
                "of HCDPS: cells that climb to a seed and back",
                "regions.overlays:show_climbable",
                ("cutoff",),
            )
        },
    ),
)
