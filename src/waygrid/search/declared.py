"""The algorithms and what each one declares: options, guarantees, grids it supports, and where it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_ALL = ("tile", "octile", "hex", "tex")
_CORNERS = ("never", "one", "always")
_TOOL = "Efficient Path Finding for 2D Games (Kumar et al.)"
_GRIDS = "Grid-Based Path-Finding (Yap)"


@dataclass(frozen=True)
class Option:
    """One option of an algorithm: its default, what is allowed, and what it does."""

    default: Any
    allowed: str
    summary: str


@dataclass(frozen=True)
class AlgorithmInfo:
    """What an algorithm is and what it supports; anything else is refused."""

    name: str
    summary: str
    paper: str
    optimal: bool = False  # the cheapest path, with the default options
    index: bool = False  # preprocesses the map
    real_time: bool = False
    topologies: tuple[str, ...] = _ALL
    corners: tuple[str, ...] = _CORNERS
    weights: bool = True  # accepts terrain weights
    one_way: bool = True  # accepts one-way tiles
    blocked: bool = True  # honours cells that are walls for one query
    gpu: bool = False  # the index can be built on a GPU
    options: Mapping[str, Option] = field(default_factory=dict)
    place: str = ""  # module:class


_HEURISTIC = Option(
    None,
    "manhattan octile chebyshev euclidean vancouver vancouver-printed zero",
    "estimate; default: exact on the empty map",
)
_WEIGHT = Option(1.0, "0 to 100", "factor of the estimate; above 1, admissible ones bound the cost by it")

BUILD_OPTIONS: dict[str, Option] = {  # of every algorithm with an index; they change nothing in the index
    "device": Option("cpu", "cpu gpu", "where the index is built"),
    "threads": Option(None, "integers from 1", "threads that build; default: all cores"),
    "progress": Option(None, "true false function", "show or tell how far the build is"),
    "memory": Option(None, "bytes, or text such as 2GB", "most memory that the build takes"),
    "cluster": Option(None, "address of a Dask scheduler", "build there, in ranges of cells that become tasks"),
}

REGISTRY: dict[str, AlgorithmInfo] = {}


def _add(name: str, place: str, summary: str, paper: str, **declared: Any) -> None:
    REGISTRY[name] = AlgorithmInfo(name, summary, paper, place=place, **declared)


_add("bfs", "classic.breadth:Bfs", "breadth-first search: fewest moves, whatever they cost", _TOOL)
_add("bibfs", "classic.breadth:BiBfs", "breadth-first search from both ends: fewest moves", _TOOL)
_add("dfs", "classic.depth:Dfs", "depth-first search: some path", _TOOL)
_add("iddfs", "classic.depth:Iddfs", "depth-first search with a growing limit: fewest moves", _TOOL)
_add("dijkstra", "classic.best_first:Dijkstra", "cheapest path by cost so far alone", _TOOL, optimal=True)
_add(
    "best-first",
    "classic.best_first:BestFirst",
    "always the cell that looks closest to the goal: quick, not optimal",
    _TOOL,
    options={"heuristic": _HEURISTIC},
)
_add(
    "astar",
    "classic.best_first:AStar",
    "A*: cheapest path by cost so far plus estimate",
    _TOOL,
    optimal=True,
    options={"heuristic": _HEURISTIC, "weight": _WEIGHT},
)
_add(
    "step",
    "classic.step:Step",
    "walk towards the goal, avoid obstacles when met",
    _TOOL,
    options={
        "avoid": Option("robust", "random trace robust", "way round an obstacle"),
        "seed": Option(0, "integers", "of the random steps"),
        "max_steps": Option(None, "integers from 1", "give up after so many; default: 16 per cell of the map"),
    },
)
_add(
    "astar-overestimate",
    "classic.best_first:AStarOverestimate",
    "A* on Manhattan distance until an obstacle is met, then on the overestimate",
    _TOOL,
    topologies=("tile", "octile"),
    options={"reading": Option("K1", "K1 K2 K3 K4", "what meeting an obstacle means and changes")},
)
_add(
    "ida",
    "classic.ida:Ida",
    "IDA*: cheapest path with the memory of one path",
    _GRIDS,
    optimal=True,
    options={
        "heuristic": _HEURISTIC,
        "pruning": Option(
            "sound", "sound paper reverse none", "moves left out; paper = as printed, misses paths under corners never"
        ),
    },
)
_BOUNDING = "Faster A* with Goal Bounding (Rabin and Sturtevant)"
_UNIFORM = {"topologies": ("octile",), "corners": ("never", "always"), "weights": False, "one_way": False}
_add("jps", "jumps.jps:Jps", "A* over jump points, found by scanning", _BOUNDING, optimal=True, **_UNIFORM)
_add(
    "jps+",
    "jumps.jps:JpsPlus",
    "A* over jump points, read from a table",
    _BOUNDING,
    optimal=True,
    index=True,
    blocked=False,
    **_UNIFORM,
)
_TIES = Option("one", "one all", "first moves that boxes count: of one cheapest path per goal, or of all of them")
_add(
    "dijkstra-gb",
    "bounds.astar_gb:DijkstraGb",
    "Dijkstra with goal bounding",
    _BOUNDING,
    optimal=True,
    index=True,
    blocked=False,
    gpu=True,
    options={"ties": _TIES},
)
_add(
    "astar-gb",
    "bounds.astar_gb:AStarGb",
    "A* with goal bounding",
    _BOUNDING,
    optimal=True,
    index=True,
    blocked=False,
    gpu=True,
    options={"heuristic": _HEURISTIC, "weight": _WEIGHT, "ties": _TIES},
)
_add(
    "jps+gb",
    "bounds.jps_plus_gb:JpsPlusGb",
    "A* over jump points with goal bounding",
    _BOUNDING,
    optimal=True,
    index=True,
    blocked=False,
    gpu=True,
    **_UNIFORM,
)
_add(
    "cpd",
    "pathdb.cpd:Cpd",
    "paths looked up in a compressed table of the first moves of all pairs",
    "Fast Grid-based Path Finding for Video Games (Lee and Lawrence), section 2.4",
    optimal=True,
    index=True,
    blocked=False,
    gpu=True,
    **_UNIFORM,
)
_ZONES = "Improved Heuristics for Optimal Pathfinding on Game Maps (Björnsson and Halldórsson)"
_SQUARE = {"topologies": ("tile", "octile")}
_DECOMPOSITION = Option("repaired", "repaired printed", "how the map is cut into zones; printed = as in the paper")
_add(
    "dead-end",
    "zones.dead_end:DeadEnd",
    "A* that never enters a part of the map from which the only way on leads back",
    _ZONES,
    optimal=True,
    index=True,
    **_SQUARE,
    options={
        "relevance": Option(
            "bridges", "bridges trails", "how dead ends are told; trails = the paper's enumeration, for study"
        ),
        "decomposition": _DECOMPOSITION,
    },
)
_add(
    "gateway",
    "zones.gateway:Gateway",
    "A* with an estimate that leads through the gates between zones",
    _ZONES,
    optimal=True,
    index=True,
    **_SQUARE,
    options={
        "dead_ends": Option(False, "true false", "never enter dead ends either"),
        "table": Option("pairs", "pairs zones", "costs between all gates, or within each zone, combined per query"),
        "gate_length": Option("auto", "integers from 1, none, auto", "longer gates are cut; auto: as memory allows"),
        "decomposition": _DECOMPOSITION,
    },
)
_DATABASE = "Fast Grid-based Path Finding for Video Games (Lee and Lawrence)"
_SECTOR = Option(16, "integers from 1, or (rows, columns)", "size of sectors")
_UNPRICED = {"blocked": False, "topologies": ("tile", "octile"), "weights": False, "one_way": False}
_add(
    "pra",
    "regions.pra:Pra",
    "PRA*: A* over regions of sectors, then from centre to centre; not optimal",
    _DATABASE,
    index=True,
    real_time=True,
    **_UNPRICED,
    options={
        "sector": _SECTOR,
        "trim": Option(True, "true false", "drop the last tenth of each leg"),
        "centres": Option("mean", "mean optimised", "of regions; optimised: tried out, which takes long"),
    },
)
_add(
    "dba",
    "regions.dba:Dba",
    "DBA*: climbs along stored paths between regions of sectors; not optimal",
    _DATABASE,
    index=True,
    real_time=True,
    **_UNPRICED,
    options={
        "sector": _SECTOR,
        "level": Option(1, "1 to 16", "paths are stored to regions so many hops away"),
        "trim": Option(True, "true false paper", "shorten paths at their joints; paper = as in the paper only"),
    },
)
_add(
    "hcdps",
    "regions.hcdps:Hcdps",
    "HCDPS: climbs along stored paths between regions of cells that climb to a seed and back; not optimal",
    f"{_DATABASE}, section 2.3; Lawrence and Bulitko",
    index=True,
    real_time=True,
    **_UNPRICED,
    options={
        "level": Option(1, "1 to 4", "paths are stored to regions so many hops away"),
        "trim": Option(True, "true false paper", "shorten paths at their joints; paper = at both ends only"),
        "cutoff": Option(250, "integers from 1", "moves of a climb within a region, and how far apart seeds begin"),
    },
)
_MAX_MOVES = Option(None, "integers from 1", "give up after so many; default: 100 per passable cell")
_add(
    "lrta",
    "realtime.lrta:Lrta",
    "LRTA*: looks a few moves ahead, learns and moves; real-time, not optimal",
    f"{_DATABASE}, section 2.3",
    real_time=True,
    one_way=False,
    options={
        "lookahead": Option(1, "1 to 16", "moves that are looked ahead"),
        "max_moves": _MAX_MOVES,
    },
)
_add(
    "tba",
    "realtime.tba:Tba",
    "TBA*: one A* spread over the moves of an agent; real-time, not optimal",
    f"{_DATABASE}, section 2.3",
    real_time=True,
    one_way=False,
    options={
        "expansions": Option(10, "integers from 1", "work per move of `find`, in expansions"),
        "split": Option(0.9, "above 0, up to 1", "share of it that expands; the rest traces paths back"),
        "max_moves": _MAX_MOVES,
    },
)
_add(
    "dlrta",
    "realtime.dlrta:Dlrta",
    "D LRTA*: LRTA* towards subgoals from a table over groups of cells; real-time, not optimal",
    f"{_DATABASE}, section 2.3; Bulitko et al.",
    index=True,
    real_time=True,
    **_UNPRICED,
    options={
        "level": Option(None, "1 to 16", "of the abstraction; default: the first with at most 2500 nodes"),
        "lookahead": Option(1, "1 to 16", "moves that are looked ahead"),
        "max_moves": _MAX_MOVES,
    },
)
_add(
    "knn-lrta",
    "realtime.knn_lrta:KnnLrta",
    "kNN LRTA*: LRTA* along the subgoals of a similar problem, solved before; real-time, not optimal",
    f"{_DATABASE}, section 2.3; Bulitko, Björnsson and Lawrence",
    index=True,
    real_time=True,
    **_UNPRICED,
    options={
        "records": Option(None, "integers from 1", "random problems solved; default: one per 2 cells, 256 to 8192"),
        "nearest": Option(10, "integers from 1", "records that are tried"),
        "fallback": Option(
            "record", "record goal", "where none can be climbed to and from: the nearest, or the goal as in the paper"
        ),
        "seed": Option(0, "integers from 0", "of the random problems"),
        "max_moves": _MAX_MOVES,
    },
)
_add(
    "sglrta",
    "realtime.sglrta:SgLrta",
    "sgLRTA*: LRTA* along a tree of subgoals made for its goal; real-time, small maps only",
    f"{_DATABASE}, section 2.4; Hernández and Baier",
    optimal=True,
    index=True,
    real_time=True,
    **_UNPRICED,
    options={
        "max_cells": Option(50_000, "integers from 1", "larger maps are refused: time and memory grow by the square"),
        "max_moves": _MAX_MOVES,
    },
)
