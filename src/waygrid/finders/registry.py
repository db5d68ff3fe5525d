"""The algorithms by name, and what each one declares; finders themselves are imported when first made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, overload

from waygrid.errors import WaygridError

if TYPE_CHECKING:
    from waygrid.finders.base import Finder
    from waygrid.finders.building import Plan
    from waygrid.finders.graph import GraphFinder
    from waygrid.graph.graph import Graph
    from waygrid.grid.grid import Grid

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
}

_REGISTRY: dict[str, AlgorithmInfo] = {}


def _add(name: str, place: str, summary: str, paper: str, **declared: Any) -> None:
    _REGISTRY[name] = AlgorithmInfo(name, summary, paper, place=place, **declared)


_add("bfs", "breadth:Bfs", "breadth-first search: fewest moves, whatever they cost", _TOOL)
_add("bibfs", "breadth:BiBfs", "breadth-first search from both ends: fewest moves", _TOOL)
_add("dfs", "depth:Dfs", "depth-first search: some path", _TOOL)
_add("iddfs", "depth:Iddfs", "depth-first search with a growing limit: fewest moves", _TOOL)
_add("dijkstra", "bestfirst:Dijkstra", "cheapest path by cost so far alone", _TOOL, optimal=True)
_add(
    "best-first",
    "bestfirst:BestFirst",
    "always the cell that looks closest to the goal: quick, not optimal",
    _TOOL,
    options={"heuristic": _HEURISTIC},
)
_add(
    "astar",
    "bestfirst:AStar",
    "A*: cheapest path by cost so far plus estimate",
    _TOOL,
    optimal=True,
    options={"heuristic": _HEURISTIC, "weight": _WEIGHT},
)
_add(
    "step",
    "step:Step",
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
    "bestfirst:AStarOverestimate",
    "A* on Manhattan distance until an obstacle is met, then on the overestimate",
    _TOOL,
    topologies=("tile", "octile"),
    options={"reading": Option("K1", "K1 K2 K3 K4", "what meeting an obstacle means and changes")},
)
_add(
    "ida",
    "ida:Ida",
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
_add("jps", "jps:Jps", "A* over jump points, found by scanning", _BOUNDING, optimal=True, **_UNIFORM)
_add(
    "jps+",
    "jps:JpsPlus",
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
    "goalbounds:DijkstraGb",
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
    "goalbounds:AStarGb",
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
    "jps:JpsPlusGb",
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
    "cpd:Cpd",
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
    "deadend:DeadEnd",
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
    "gateway:Gateway",
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
    "pra:Pra",
    "PRA*: A* over regions of sectors, then from centre to centre; not optimal",
    _DATABASE,
    index=True,
    **_UNPRICED,
    options={
        "sector": _SECTOR,
        "trim": Option(True, "true false", "drop the last tenth of each leg"),
        "centres": Option("mean", "mean optimised", "of regions; optimised: tried out, which takes long"),
    },
)
_add(
    "dba",
    "dba:Dba",
    "DBA*: climbs along stored paths between regions of sectors; not optimal",
    _DATABASE,
    index=True,
    **_UNPRICED,
    options={
        "sector": _SECTOR,
        "level": Option(1, "1 to 16", "paths are stored to regions so many hops away"),
        "trim": Option(True, "true false paper", "shorten paths at their joints; paper = as in the paper only"),
    },
)
_MAX_MOVES = Option(None, "integers from 1", "give up after so many; default: 100 per passable cell")


def algorithms() -> dict[str, AlgorithmInfo]:
    """Return every algorithm's name and what it declares.

    >>> algorithms()["astar"].optimal, algorithms()["bfs"].topologies
    (True, ('tile', 'octile', 'hex', 'tex'))
    """
    return dict(_REGISTRY)


@overload
def make_finder(name: str, grid: Grid, **options: Any) -> Finder: ...
@overload
def make_finder(name: str, grid: Graph, **options: Any) -> GraphFinder: ...
def make_finder(name: str, grid: Grid | Graph, **options: Any) -> Finder | GraphFinder:
    """Make a finder of a named algorithm for a grid; builds the index where the algorithm has one.

    Algorithms with an index also take the options of a build: device, threads, progress, memory.

    >>> import waygrid as wg
    >>> wg.make_finder("astar", wg.Grid([[1, 1]]), heuristic="zero").find((0, 0), (1, 0)).cost
    1.0
    >>> wg.make_finder("a-star", wg.Grid([[1, 1]]))   # doctest: +ELLIPSIS
    Traceback (most recent call last):
    waygrid.errors.WaygridError: there is no algorithm 'a-star'; did you mean 'astar'? Allowed are ...
    """
    from waygrid.graph.graph import Graph

    if isinstance(grid, Graph):
        from waygrid.finders.graph import make_graph_finder

        return make_graph_finder(name, grid, options)
    info, kind = _known(name)
    refuse_unsupported(info, grid)
    building = BUILD_OPTIONS if info.index else {}
    for option in options:
        if option not in info.options and option not in building:
            known = ", ".join((*info.options, *building)) or "none"
            raise WaygridError(f"{name} has no option {option!r}; allowed are {known}")
    chosen = {key: options.get(key, option.default) for key, option in info.options.items()}
    made: Finder
    if info.index:
        made = kind(info, grid, chosen, plan=_plan(info, {key: options[key] for key in building if key in options}))
    else:
        made = kind(info, grid, chosen)
    return made


def _plan(info: AlgorithmInfo, options: Mapping[str, Any]) -> Plan:
    """Check how an index is to be built."""
    from waygrid.finders.building import plan_of

    plan = plan_of(options)
    if plan.device == "gpu" and not info.gpu:
        able = ", ".join(name for name, other in _REGISTRY.items() if other.gpu) or "no algorithm yet"
        raise WaygridError(f"{info.name} builds on device 'cpu' only; allowed to build on 'gpu' is {able}")
    return plan


@overload
def load_finder(path: str | PathLike[str], grid: Grid, verify: bool = False) -> Finder: ...
@overload
def load_finder(path: str | PathLike[str], grid: Graph, verify: bool = False) -> GraphFinder: ...
def load_finder(path: str | PathLike[str], grid: Grid | Graph, verify: bool = False) -> Finder | GraphFinder:
    """Read a saved index for the grid it was made from; verify=True also looks for damage anywhere in the file.

    The arrays are mapped into memory: the finder answers before the whole file has been read.
    """
    from waygrid.formats.index import read_index
    from waygrid.graph.graph import Graph

    if isinstance(grid, Graph):
        from waygrid.finders.graph import load_graph_finder

        return load_graph_finder(path, grid, verify)
    data = read_index(path, verify=verify)
    info, kind = _known(data.algorithm)
    refuse_unsupported(info, grid)
    if data.map_hash != grid.fingerprint():
        raise WaygridError(
            f"{fspath(path)}: the index was made for another map or other rules "
            f"(hash {data.map_hash[:12]}..., this grid has {grid.fingerprint()[:12]}...)"
        )
    as_written = info.index and data.options.keys() == info.options.keys()
    if not as_written or data.extra.get("layout") != kind.LAYOUT or data.arrays.keys() != set(kind.ARRAYS):
        raise WaygridError(
            f"{fspath(path)}: not an index of {info.name} as this version of waygrid writes it; make it anew"
        )
    made: Finder = kind(info, grid, data.options, data.arrays)
    return made


def _known(name: str) -> tuple[AlgorithmInfo, Any]:
    """Return an algorithm's declaration and its class."""
    if not isinstance(name, str) or name not in _REGISTRY:
        raise WaygridError(f"there is no algorithm {name!r}; {_suggestion(str(name))}")
    info = _REGISTRY[name]
    module, kind = info.place.split(":")
    return info, getattr(import_module(f"waygrid.finders.{module}"), kind)


def refuse_unsupported(info: AlgorithmInfo, grid: Grid) -> None:
    """Raise an error for a grid that the algorithm does not declare."""
    from waygrid.grid.grid import Grid

    if not isinstance(grid, Grid):
        raise WaygridError(f"{info.name} needs a Grid, not {type(grid).__name__}")
    for what, value, allowed in (
        ("topology", grid.topology, info.topologies),
        ("corners", grid.corners, info.corners if grid.topology == "octile" else (grid.corners,)),
    ):
        if value not in allowed:
            raise WaygridError(f"{info.name} does not support {what} {value!r}; allowed are {', '.join(allowed)}")
    for what, present, supported in (
        ("terrain weights", grid.weights is not None, info.weights),
        ("one-way tiles", grid.has_one_way, info.one_way),
    ):
        if present and not supported:
            others = ", ".join(name for name, other in _REGISTRY.items() if other.optimal and other.weights)
            raise WaygridError(f"{info.name} does not support {what}; take one of {others}")


def _suggestion(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, _REGISTRY, 1)
    return (f"did you mean {close[0]!r}? " if close else "") + f"Allowed are {', '.join(_REGISTRY)}"
