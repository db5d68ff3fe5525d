"""`waygrid warmup`: compile everything now, so that no later call has to wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from waygrid.finders.registry import AlgorithmInfo
    from waygrid.grid.grid import Grid


def warmup() -> None:
    """Compile everything now, so that later calls start at once.

    The machine code of every algorithm is kept on disk; a second run only loads it.
    """
    from time import perf_counter

    from waygrid.cli.show import duration, progress
    from waygrid.finders.registry import algorithms
    from waygrid.kernels._jit import CACHE_FOLDER

    began = perf_counter()
    known = algorithms()
    with progress("compiling") as tell:
        jobs = [(info, *variant) for info in known.values() for variant in _variants(info)]
        for number, (info, what, rules, traced) in enumerate(jobs):
            tell(number / len(jobs), f"{info.name}, {what}")
            _use(info, _grid(info, rules), traced)
        tell(1.0, "distances")
        _use_the_rest()
    took = duration(perf_counter() - began)
    if CACHE_FOLDER is None:
        print(f"{len(known)} algorithms compiled in {took}; nothing is kept, since no cache folder can be written")
        print("set WAYGRID_CACHE to a folder that can be, and run this again")
    else:
        print(f"{len(known)} algorithms ready in {took}; cache: {CACHE_FOLDER}")


def _variants(info: AlgorithmInfo) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Yield what kernels are compiled for: a name, the rules of a grid, and whether a trace is taken.

    Prices and sizes decide between 32 and 64 bit distances and between buckets and heap; these are the smallest maps
    on which each is chosen.
    """
    yield "plain", {"side": 12}, True
    yield "wide distances", {"side": 170, "metric": (87_000, 87_000)}, False
    if info.weights:
        yield "weights", {"side": 12, "weight": 3}, True
        yield "heavy weights", {"side": 12, "weight": 60}, False
        yield "wide weights", {"side": 12, "weight": 65_535}, False


def _grid(info: AlgorithmInfo, rules: dict[str, Any]) -> Grid:
    import numpy as np

    from waygrid.grid.grid import Grid

    side = rules["side"]
    weights = None
    if "weight" in rules:
        weights = np.ones((side, side), np.uint16)
        weights[::2] = rules["weight"]
    topology = "octile" if "octile" in info.topologies else info.topologies[0]
    passable = np.ones((side, side), np.uint8)
    passable[1, : side - 1] = 0
    corners = "never" if "never" in info.corners else info.corners[0]
    return Grid(passable, topology=topology, corners=corners, metric=rules.get("metric", "octile"), weights=weights)


def _use(info: AlgorithmInfo, grid: Grid, traced: bool) -> None:
    from waygrid.finders.registry import make_finder

    finder = make_finder(info.name, grid)
    ends = (0, 0), (2, 2)
    # Searches without memory are stopped: a few expansions compile as well as many.
    finder.find_many([ends[0]], [ends[1]], threads=1, max_expansions=100)
    if traced:
        small = make_finder(info.name, _small(grid))
        small.trace((0, 0), (1, 0))


def _small(grid: Grid) -> Grid:
    """Return a corner of the grid, on which any search ends at once."""
    from waygrid.grid.grid import Grid

    weights = None if grid.weights is None else grid.weights[:1, :2]
    return Grid(
        grid.passable[:1, :2], topology=grid.topology, corners=grid.corners, metric=grid.metric, weights=weights
    )


def _use_the_rest() -> None:
    """Use what no algorithm's own kernel compiles: distance maps, partial paths, walls for one query."""
    import numpy as np

    from waygrid.finders.flood import distances
    from waygrid.finders.registry import make_finder
    from waygrid.grid.grid import Grid

    for weights in (None, np.full((3, 3), 2, np.uint16)):
        grid = Grid([[1, 1, 1], [1, 0, 1], [1, 1, 1]], weights=weights)
        distances(grid, (0, 0))
        make_finder("astar", grid).find((0, 0), (2, 2), blocked=[(2, 1)], partial=True)
        grid.set_one_way((1, 0), ["E"])
        distances(grid, (0, 0), reverse=True)
