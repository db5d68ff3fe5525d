"""Finders by name: made for a grid or a graph, or read from the file of an index."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, overload

from waygrid.algorithms.automatic import choose_algorithm, split_options
from waygrid.build.loading import load_checked
from waygrid.build.sweep import Plan
from waygrid.errors import WaygridError, show
from waygrid.graph.finder import load_graph_finder, make_graph_finder
from waygrid.graph.graph import Graph
from waygrid.grid.grid import Grid
from waygrid.grid.metric import METRICS
from waygrid.grid.snapshot import PREFIX, Snapshot
from waygrid.grid.topology import CORNERS, RULES, TOPOLOGIES
from waygrid.options import check_options
from waygrid.search.declaration import BUILD_OPTIONS, AlgorithmInfo
from waygrid.search.names import AUTOMATIC
from waygrid.search.registry import algorithms, find_class, refuse_unsupported

if TYPE_CHECKING:
    from waygrid.build.indexed import IndexedFinder
    from waygrid.formats.index import IndexFile
    from waygrid.graph.finder import GraphFinder
    from waygrid.search.finder import Finder


@overload
def make_finder(name: str, grid: Grid, **options: Any) -> Finder: ...
@overload
def make_finder(name: str, grid: Graph, **options: Any) -> GraphFinder: ...
def make_finder(name: str, grid: Grid | Graph, **options: Any) -> Finder | GraphFinder:
    """Make a finder of a named algorithm for a grid; builds the index where the algorithm has one.

    Algorithms with an index also take the options of a build: device, threads, progress, memory.

    "auto" takes the quickest algorithm whose index fits: memory= (100 MB) and build_seconds= (3 s) say how large it may
    become and how long its build may take. `finder.info` is that of the algorithm, and `finder.reason` says why it was
    taken.

    >>> import waygrid as wg
    >>> wg.make_finder("astar", wg.Grid([[1, 1]]), heuristic="zero").find((0, 0), (1, 0)).cost
    1.0
    >>> finder = wg.make_finder("auto", wg.generate("rooms", width=80, height=80, seed=3), memory="500 KB")
    >>> finder.info.name, finder.reason   # doctest: +ELLIPSIS
    ('ch', 'ch: the map has ... cells where paths turn, and its index takes about ... turntable would take ...')
    >>> wg.make_finder("a-star", wg.Grid([[1, 1]]))   # doctest: +ELLIPSIS
    Traceback (most recent call last):
    waygrid.errors.WaygridError: there is no algorithm 'a-star'; did you mean 'astar'? Allowed are ...
    """
    if isinstance(grid, Graph):
        return make_graph_finder(name, grid, options)
    if isinstance(name, str) and name == AUTOMATIC:
        return _make_chosen(grid, options)
    info, kind = find_class(name)
    refuse_unsupported(info, grid)
    if not info.index:
        made: Finder = kind(info, grid, check_options(name, info.options, options))
        return made
    chosen = check_options(name, {**info.options, **BUILD_OPTIONS}, options)
    plan = Plan(**{key: chosen.pop(key) for key in BUILD_OPTIONS})
    _refuse_device(info, plan)
    made = kind(info, grid, chosen, plan=plan)
    return made


def _make_chosen(grid: Grid, options: dict[str, Any]) -> Finder:
    """Return a finder of the algorithm that suits a map."""
    if not isinstance(grid, Grid):
        raise WaygridError(f"auto needs a Grid, not {type(grid).__name__}")
    limits, plan = split_options(options)
    choice = choose_algorithm(grid, **limits)
    info = algorithms()[choice.algorithm]
    if not info.gpu:
        plan["device"] = "cpu"
    finder = make_finder(choice.algorithm, grid, **(plan if info.index else {}))
    finder.reason = choice.reason
    return finder


def _refuse_device(info: AlgorithmInfo, plan: Plan) -> None:
    """Refuse to build where the algorithm cannot."""
    if plan.device == "gpu" and plan.cluster is not None:
        raise WaygridError("device is 'gpu'; a cluster builds on device 'cpu' only")
    if plan.device == "gpu" and not info.gpu:
        able = ", ".join(name for name, other in algorithms().items() if other.gpu)
        raise WaygridError(f"{info.name} builds on device 'cpu' only; allowed to build on 'gpu' is {able}")


@overload
def load_finder(path: str | PathLike[str], grid: Grid, verify: bool = True, edits: str = "follow") -> Finder: ...
@overload
def load_finder(path: str | PathLike[str], grid: Graph, verify: bool = True) -> GraphFinder: ...
def load_finder(
    path: str | PathLike[str], grid: Grid | Graph, verify: bool = True, edits: str = "follow"
) -> Finder | GraphFinder:
    """Read a saved index for the grid or graph it was made from; a damaged file is refused.

    A grid may have been edited since: the finder then follows, as after edits made later, and `finder.stale` says how
    many cells differ. With edits="refuse" it must be the same, and stay so.

    Every number that a search uses as an address is checked before the first query, and all bytes are compared with
    their checksums. Files above 100 MB are compared while queries run: they are mapped into memory, and the finder
    answers before the whole file has been read. Once damage is found, every query raises the error;
    `finder.finish_verification()` waits for the comparison to end.

    verify=False trusts the file: a damaged one may crash the process or give wrong paths.

    >>> import tempfile, waygrid as wg
    >>> grid = wg.Grid([[1, 1, 1], [1, 0, 1]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     wg.make_finder("jps+", grid).save(folder + "/small.wgi")
    ...     load_finder(folder + "/small.wgi", grid).find((0, 1), (2, 1)).cost
    4.0
    """
    if isinstance(grid, Graph):
        return load_graph_finder(path, grid, verify)
    BUILD_OPTIONS["edits"].check("edits", edits)
    return load_checked(path, verify, lambda data: _put_into_finder(data, grid, fspath(path), edits))


def _put_into_finder(data: IndexFile, grid: Grid, path: str, edits: str) -> IndexedFinder:
    """Return a finder with an index from a file, of this grid or of what it was before edits."""
    if data.algorithm not in algorithms():
        raise WaygridError(f"{path}: an index of {show(data.algorithm)}, which this version of waygrid does not know")
    info, kind = find_class(data.algorithm)
    refuse_unsupported(info, grid)
    same = data.map_hash == grid.fingerprint()
    maps = {name: array for name, array in data.arrays.items() if name.startswith(PREFIX)}
    index = {name: array for name, array in data.arrays.items() if name not in maps}
    as_written = info.index and data.options.keys() == info.options.keys()
    if not as_written or data.extra.get("layout") != kind._LAYOUT or index.keys() != set(kind._ARRAYS):
        raise WaygridError(f"{path}: not an index of {info.name} as this version of waygrid writes it; make it anew")
    home = None if same else _read_home(data, maps, grid)
    if (home is None and not same) or (not same and edits == "refuse"):
        raise WaygridError(f"{path}: the index was made for {_name_difference(data, maps, grid, home)}")
    try:
        chosen = check_options(info.name, info.options, data.options)
        made: IndexedFinder = kind(info, grid, chosen, index, plan=Plan(edits=edits), home=home)
    except WaygridError as error:
        raise WaygridError(f"{path}: the index is damaged: {error}") from error
    return made


def _read_home(data: IndexFile, maps: dict[str, Any], grid: Grid) -> Snapshot | None:
    """Return the map of an index file if the grid may have come from it by edits: of its size, with its rules."""
    try:
        home = Snapshot.read(maps, grid)
        return home if home.restore(grid).fingerprint() == data.map_hash else None
    except WaygridError:
        return None


_MOST_CLEARANCE = 8  # that is tried to explain an error


def _name_difference(data: IndexFile, maps: dict[str, Any], grid: Grid, home: Snapshot | None) -> str:
    """Say how the map or the rules of an index differ from those of a grid, as far as its file tells."""
    if home is not None:
        walls = int((home.restore(grid).passable != grid.passable).sum())
        return (
            f"a map with {walls} other walls or passable cells, or other weights; with edits='refuse' none may differ"
        )
    rules = {name: getattr(grid, name) for name in ("topology", "corners", "metric", "clearance", "rule")}
    choices: dict[str, Iterable[Any]] = {
        "corners": CORNERS,
        "metric": METRICS,
        "clearance": range(1, _MOST_CLEARANCE + 1),
        "topology": TOPOLOGIES,
        "rule": RULES,
    }
    for name, values in choices.items():
        for value in values:
            with suppress(WaygridError):  # rules that do not go with each other
                other = Grid(grid.passable, weights=grid.weights, **{**rules, name: value})
                if _read_home(data, maps, other) is not None:
                    return f"{name} {show(value)}; this grid has {show(rules[name])}"
    return (
        f"another map or other rules (hash {data.map_hash[:12]}..., this grid of {grid.width} x {grid.height} has "
        f"{grid.fingerprint()[:12]}...)"
    )
