"""What is run so that kernels get compiled: tiny searches, each a job that a process can do by its name.

The types of a kernel's arguments decide what is compiled. They depend on weights, on the longest path (32 or 64 bits),
on the kind of queue that follows from both, and on whether a search is traced; those of an index also on the size of
the map. Corner rules make no difference, and the topology only to how an index is built.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from waygrid.algorithms.classic.distances import distances
from waygrid.algorithms.make import load_finder, make_finder
from waygrid.crowd.crowd import Crowd
from waygrid.errors import WaygridError
from waygrid.graph.declare import ALGORITHMS as GRAPH_ALGORITHMS
from waygrid.graph.graph import Graph
from waygrid.grid.generate import KINDS
from waygrid.grid.grid import Grid
from waygrid.grid.make import generate
from waygrid.measure.path_check import check_paths
from waygrid.measure.rounds import Yardstick
from waygrid.search.registry import algorithms
from waygrid.search.reservations import Reservations

if TYPE_CHECKING:
    from waygrid.search.declaration import AlgorithmInfo
    from waygrid.search.finder import Finder


class Variant(NamedTuple):
    """A map to compile kernels for."""

    name: str
    weight: int = 1
    large: bool = False  # as if its longest path needed 64 bits
    one_way: bool = False
    shape: tuple[int, int] = (12, 12)  # rows and columns
    huge: bool = False  # as if the map had millions of cells


PLAIN = Variant("plain")
# Each combination of 32 or 64 bit distances, buckets or heap, weights or none.
VARIANTS = (
    PLAIN,
    Variant("large", large=True),
    Variant("weights", 3),
    Variant("heavy-weights", 60),
    Variant("very-heavy-weights", 65_535),
    Variant("large-weights", 3, large=True),
    Variant("one-way", one_way=True),
)
# Searches on maps of millions of cells: records of 32 and 64 bits, weights or none.
_HUGE = (
    Variant("huge", huge=True),
    Variant("huge-weights", 3, huge=True),
    Variant("huge-very-heavy-weights", 65_535, huge=True),
)
# Coordinates need 16 bits.
_LONG = (Variant("long", shape=(6, 300)), Variant("long-weights", 3, shape=(6, 300)))
_SEVERAL = Variant("several sectors", shape=(40, 40))  # between which a build searches
# Numbers of regions and nodes, and costs between gates, that need more bits than those of small maps: the kind of a
# map, its width and height, and options.
_CROWDED: dict[str, tuple[str, tuple[int, int], dict[str, Any]]] = {
    "dba": ("random", (300, 300), {"sector": 8}),
    "hcdps": ("random", (300, 300), {}),
    "dlrta": ("random", (120, 120), {"level": 1}),
    "gateway": ("rooms", (300, 60), {}),
}
_LONGEST = 2**32  # of a path whose cost needs 64 bits everywhere
_START, _GOAL = (0, 0), (2, 2)
_LIMIT = 100  # expansions: searches without memory would take long, and a few compile everything


def make_grid(variant: Variant, topology: str = "octile", corners: str = "never") -> Grid:
    """Return a small map of the variant, with a wall.

    The longest path of a map decides between 32 and 64 bits. Here it is only pretended: an index for a map with such a
    path takes most of a minute to build, and compiles nothing else.
    """
    passable = np.ones(variant.shape, np.uint8)
    passable[1, :-1] = 0
    weights = None
    if variant.weight > 1:
        weights = np.ones(passable.shape, np.uint16)
        weights[::2] = variant.weight
    grid = Grid(passable, topology=topology, corners=corners, weights=weights)
    if variant.large:
        grid.table.longest = _LONGEST
    if variant.one_way:
        grid.set_one_way((1, 0), ["E" if "E" in grid.directions else "NE"])
    return grid


def _make_finder(info: AlgorithmInfo, variant: Variant, topology: str = "octile", **options: Any) -> Finder:
    topology = topology if topology in info.topologies else info.topologies[0]
    corners = "never" if "never" in info.corners else info.corners[0]
    made = make_finder(info.name, make_grid(variant, topology, corners), **options)
    if variant.huge:
        made._keeps_records = False
    return made


def _search(finder: Finder) -> None:
    """Ask what a plain user asks: one path, many paths, moves of agents."""
    path = finder.find(_START, _GOAL, max_expansions=_LIMIT)
    path.cells  # noqa: B018
    finder.find_many([_START], [_GOAL], threads=1, max_expansions=_LIMIT)
    if finder.info.real_time:
        finder.agents([_START], [(2, 0)]).step()


def _search_in_all_ways(finder: Finder) -> None:
    """Ask in every way that has kernels of its own."""
    info = finder.info
    finder.trace(_START, (1, 0), max_expansions=_LIMIT)
    finder.find_nearest(_START, [(2, 0), (3, 0)])
    finder.find(_START, _GOAL, partial=True, max_expansions=_LIMIT)
    search = finder.start(_START, _GOAL)
    search.advance(2)
    search.path()
    _ask_for_less(finder)
    getattr(finder, "verify", lambda: None)()
    if info.blocked:
        finder.find(_START, _GOAL, blocked=[(11, 1)], partial=True, max_expansions=_LIMIT)
    if info.real_time:
        pool = finder.agents([_START], [(2, 0)], history=True)
        pool.step()
        pool.set_goals([0], [(3, 0)])
        pool.remove(pool.add([_START], [(1, 0)]))
        pool.step()
    if info.index:
        with tempfile.TemporaryDirectory() as folder:
            finder.save(Path(folder) / "index.wgi")
            _search(load_finder(Path(folder) / "index.wgi", finder.grid))


def _ask_for_less(finder: Finder) -> None:
    """Ask for costs or waypoints alone, and for times."""
    ends = [_START], [(1, 0)]
    finder.costs(*ends, 1)
    finder.find(_START, (1, 0), waypoints=True).waypoints  # noqa: B018
    batch = finder.find_many(*ends, threads=1, waypoints=True)
    batch.cells  # noqa: B018
    finder.find_many(*ends, threads=1, waypoints=True).waypoints  # noqa: B018
    finder.find_many(*ends, threads=1, timed=True)


def _edit(grid: Grid) -> None:
    grid.set_passable((4, 6), False)
    grid.components  # noqa: B018
    grid.fingerprint()


def _split_and_join() -> None:
    """Edit a map that is large enough for its components to be repaired."""
    grid = Grid(np.ones((128, 128), np.uint8))
    for value in (False, True, False):
        grid.components  # noqa: B018
        grid.set_passable((64, slice(0, 128)), value)
        grid.set_passable((20, 20), value)


def _follow_edits(finder: Finder) -> None:
    """Ask and walk while the map changes."""
    pool = finder.agents([_START], [_GOAL]) if finder.info.real_time else None
    path = finder.find(_START, (3, 0))
    for value in (False, True):
        finder.grid.set_passable((2, 0), value)
        finder.find(_START, (3, 0))
        finder.find_many([_START], [(3, 0)], threads=1)
        finder.trace(_START, (1, 0), max_expansions=_LIMIT)
        if pool is not None:
            pool.step()
    finder.replan(path, _START)
    finder.grid.set_passable((1, 1), True)  # a way through the wall, which an old answer has to be compared with
    finder.find(_START, (0, 2), max_expansions=None if finder.info.index else _LIMIT)
    finder.grid.set_passable((1, 1), False)


def _prefer(variant: Variant) -> None:
    """Ask for the cheapest paths with the fewest turns, where the weights allow that."""
    finder = make_finder("astar", make_grid(variant))
    with suppress(WaygridError):
        finder.find(_START, _GOAL, prefer="straight")
        finder.find_many([_START], [_GOAL], threads=1, prefer="straight")


def _choose_automatically() -> None:
    for memory in ("100 MB", "1 KB"):
        make_finder("auto", make_grid(PLAIN), memory=memory)


def _check_answers(variant: Variant) -> None:
    """Check paths as `waygrid bench` does."""
    grid = make_grid(variant)
    ends = np.array([_START]), np.array([_GOAL])
    batch = make_finder("astar", grid).find_many(*ends, threads=1)
    check_paths(grid, *ends, batch, batch.costs, optimal=True)


def _straighten(variant: Variant) -> None:
    for topology in ("octile", "hex"):
        grid = make_grid(variant, topology)
        path = make_finder("bfs", grid).find(_START, (3, 0)).straighten()
        path.cells  # noqa: B018


def _flood(variant: Variant) -> None:
    grid = make_grid(variant)
    field = distances(grid, _START)
    field.step([_START])
    field.path_from((3, 0))
    distances(grid, _START, max_cost=2)
    distances(grid, _START, reverse=True)
    distances(grid, [_START, (3, 0)])
    _edit(grid)


def _inflate() -> None:
    grid = make_grid(PLAIN)
    grid.clearance_map()
    grid.inflate(1).inflate(1, falloff="linear", reach=2)


def _walk_together(variant: Variant) -> None:
    """Let agents of a crowd walk, by fields and by routes."""
    for memory in (2**20, 0):
        crowd = Crowd(make_grid(variant), [_START, (3, 0)], [(3, 0), _START], memory=memory)
        crowd.step()
        crowd.grid.set_passable((4, 6), False)
        crowd.step()
        for k in range(30):  # routes are packed when there are gaps between them
            crowd.set_goals([0, 1], [(k % 5, 3), (k % 7, 4)])


def _plan_together() -> None:
    Crowd(make_grid(PLAIN), [_START, (3, 0)], [(3, 0), _START]).plan(max_time=0.05)
    corridor = Grid(["." * 20])  # without a solution: all 190 positions are tried, for which the search has to grow
    Crowd(corridor, [(0, 0), (19, 0)], [(19, 0), (0, 0)]).plan(max_time=60)


def _reserve() -> None:
    grid = make_grid(PLAIN)
    table = Reservations(grid)
    table.add(make_finder("astar", grid).find(_START, _GOAL, reservations=table))
    table.holder(_START, 0)


def _walk_graph(name: str) -> None:
    for size in (5, 300):  # numbers of nodes in 8 bits and in 16
        graph = Graph([(number, 0) for number in range(size)], [(number, number + 1) for number in range(size - 1)])
        finder = make_finder(name, graph)
        finder.find(0, 4)
        finder.find_many([0, 3], [4, 1], threads=1)
        finder.expansion_order(0, 4)
        graph.components  # noqa: B018


def _cross(name: str) -> None:
    """Use a map that an algorithm divides into very many regions."""
    kind, (width, height), options = _CROWDED[name]
    shares: dict[str, Any] = {"walls": 0.3} if kind == "random" else {}
    passable = generate(kind, width=width, height=height, seed=1, **shares).passable.copy()
    passable[:4, :4] = True  # where the searches are
    for weights in (None, np.where(passable, 3, 1)) if algorithms()[name].weights else (None,):
        finder = make_finder(name, Grid(passable, weights=weights), **options)
        _search(finder)
        finder.trace(_START, (1, 0), max_expansions=_LIMIT)


def _choose(info: AlgorithmInfo, options: dict[str, Any]) -> None:
    """Use an option, where it fits the map."""
    with suppress(WaygridError):
        _search(_make_finder(info, PLAIN, **options))


def _make_maps() -> None:
    for kind in KINDS:
        generate(kind, width=30, height=30, seed=1).components  # noqa: B018
    Graph.quadtree(make_grid(PLAIN))


def _options_of(info: AlgorithmInfo) -> Iterator[dict[str, Any]]:
    """Yield each choice of an option other than the default: many lead to other kernels."""
    for name, option in info.options.items():
        for choice in getattr(option, "choices", ()) or ():
            if choice != option.default:
                yield {name: choice}


def list_jobs(names: Iterable[str] | None = None, everything: bool = False) -> dict[str, Callable[[], object]]:
    """Return jobs by their names: what a plain user of some algorithms needs, or every combination.

    >>> list(list_jobs(["astar", "dba"]))
    ['maps', 'astar', 'dba']
    >>> len(list_jobs(everything=True)) > 100
    True
    """
    known = algorithms()
    chosen = [known[name] for name in (known if names is None else names)]
    jobs: dict[str, Callable[[], object]] = {"maps": lambda: _edit(make_grid(PLAIN))}
    if names is None:
        jobs["straighten"] = lambda: _straighten(PLAIN)
        jobs["distances"] = lambda: distances(make_grid(PLAIN), _START).step([_START])
        jobs["inflation"] = _inflate
        jobs |= {"crowds": lambda: _walk_together(PLAIN), "plans of crowds": _plan_together, "reservations": _reserve}
    for info in chosen:
        jobs[info.name] = lambda info=info: _do_plain(info)  # type: ignore[misc]
    if everything:
        jobs["edits"] = _split_and_join
        jobs["generators"] = _make_maps
        jobs["the choice of auto"] = _choose_automatically
        jobs["rounds of benchmarks"] = Yardstick
        jobs |= {f"checks, {one.name}": lambda one=one: _check_answers(one) for one in VARIANTS}  # type: ignore[misc]
        jobs |= {f"fewest turns, {one.name}": lambda one=one: _prefer(one) for one in VARIANTS}  # type: ignore[misc]
        jobs["crowds, weights"] = lambda: _walk_together(VARIANTS[2])
        jobs |= {f"graphs, {name}": lambda name=name: _walk_graph(name) for name in GRAPH_ALGORITHMS}  # type: ignore[misc]
        jobs |= {f"straighten, {one.name}": lambda one=one: _straighten(one) for one in VARIANTS}  # type: ignore[misc]
        jobs |= {f"distances, {one.name}": lambda one=one: _flood(one) for one in VARIANTS}  # type: ignore[misc]
        for info in chosen:
            jobs |= _list_variants(info)
    return jobs


def _list_variants(info: AlgorithmInfo) -> dict[str, Callable[[], object]]:
    jobs: dict[str, Callable[[], object]] = {}
    for variant in VARIANTS:
        if (info.weights or variant.weight == 1) and (info.one_way or not variant.one_way):
            jobs[f"{info.name}, {variant.name}"] = lambda variant=variant: _do_variant(info, variant)  # type: ignore[misc]
    for variant in _LONG if info.index else ():
        if info.weights or variant.weight == 1:
            jobs[f"{info.name}, {variant.name}"] = lambda variant=variant: _do_variant(info, variant)  # type: ignore[misc]
    for variant in _HUGE if info.large else ():
        jobs[f"{info.name}, {variant.name}"] = lambda variant=variant: _do_variant(info, variant)  # type: ignore[misc]
    if info.index and "tile" in info.topologies:  # octile maps have floods of their own
        jobs[f"{info.name}, tile"] = lambda: _do_tiles(info)
    if info.name in _CROWDED:
        jobs[f"{info.name}, crowded"] = lambda: _cross(info.name)
    for options in _options_of(info):
        ((name, choice),) = options.items()
        jobs[f"{info.name}, {name}={choice}"] = lambda options=options: _choose(info, options)  # type: ignore[misc]
    return jobs


def _do_plain(info: AlgorithmInfo) -> None:
    _search(_make_finder(info, PLAIN))
    if info.index:
        _make_finder(info, _SEVERAL)


def _do_tiles(info: AlgorithmInfo) -> None:
    for variant in (PLAIN, _LONG[0]):
        _search(_make_finder(info, variant, "tile"))


def _do_variant(info: AlgorithmInfo, variant: Variant) -> None:
    finder = _make_finder(info, variant)
    _search(finder)
    _search_in_all_ways(finder)
    if info.index or info.real_time:
        _follow_edits(finder)
