"""`waygrid warmup`: compile all kernels now, so that later calls start at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid
    from waygrid.search.declaration import AlgorithmInfo


class Variant(NamedTuple):
    """A map to compile kernels for; weights and the longest path determine the types of arrays."""

    name: str
    weight: int = 1
    large: bool = False  # as if its longest path needed 64 bits
    traced: bool = False


# Each combination of 32 or 64 bit distances, buckets or heap, weights or none.
VARIANTS = (
    Variant("plain", traced=True),
    Variant("large map", large=True),
    Variant("weights", 3, traced=True),
    Variant("heavy weights", 60),
    Variant("very heavy weights", 65_535),
    Variant("large map with weights", 3, large=True),
)
_SIDE = 12
_LONGEST = 2**32  # of a path whose cost needs 64 bits everywhere


def warmup() -> None:
    """Compile all kernels now, so that later calls start at once.

    The compiled kernels are cached on disk; a second run only loads them.
    """
    from time import perf_counter

    from waygrid.cli.show import duration, progress
    from waygrid.core.jit import CACHE_FOLDER
    from waygrid.search.registry import algorithms

    began = perf_counter()
    known = algorithms()
    steps = len(VARIANTS) * (len(known) + 1)
    with progress("compiling") as tell:
        for number, variant in enumerate(VARIANTS):
            for place, info in enumerate(known.values()):
                tell((number * (len(known) + 1) + place) / steps, f"{variant.name}, {info.name}")
                if info.weights or variant.weight == 1:
                    _search(info, variant)
            tell((number + 1) * (len(known) + 1) / steps, f"{variant.name}, distances")
            _flood(variant)
        _use_the_rest()
    took = duration(perf_counter() - began)
    if CACHE_FOLDER is None:
        print(f"{len(known)} algorithms compiled in {took}; nothing is cached")  # a warning has said why
    else:
        print(f"{len(known)} algorithms ready in {took}; cache: {CACHE_FOLDER}")


def make_grid(variant: Variant, topology: str = "octile", corners: str = "never") -> Grid:
    """Return a small map of the variant, with a wall.

    The longest path of a map decides between 32 and 64 bits. Here it is only pretended: an index for a map with such a
    path takes most of a minute to build, and compiles nothing else.
    """
    import numpy as np

    from waygrid.grid.grid import Grid

    passable = np.ones((_SIDE, _SIDE), np.uint8)
    passable[1, :-1] = 0
    weights = None
    if variant.weight > 1:
        weights = np.ones(passable.shape, np.uint16)
        weights[::2] = variant.weight
    grid = Grid(passable, topology=topology, corners=corners, weights=weights)
    if variant.large:
        grid.table.longest = _LONGEST
    return grid


def _search(info: AlgorithmInfo, variant: Variant) -> None:
    from waygrid.algorithms.make import make_finder

    topology = "octile" if "octile" in info.topologies else info.topologies[0]
    corners = "never" if "never" in info.corners else info.corners[0]
    finder = make_finder(info.name, make_grid(variant, topology, corners))
    # Searches without memory would take long, and a few expansions compile everything.
    finder.find((0, 0), (2, 2), max_expansions=100)
    if info.real_time:
        finder.agents([(0, 0)], [(2, 0)]).step()
    if variant.traced:
        finder.trace((0, 0), (1, 0))


def _flood(variant: Variant) -> None:
    from waygrid.algorithms.classic.distances import distances

    grid = make_grid(variant)
    distances(grid, (0, 0)).step([(0, 0)])  # also compiles what a second call uses
    distances(grid, (0, 0), max_cost=2)


def _use_the_rest() -> None:
    """Compile what plain searches do not use: partial paths, temporary walls, the nearest goal, one-way tiles."""
    from waygrid.algorithms.classic.distances import distances
    from waygrid.algorithms.make import make_finder

    grid = make_grid(VARIANTS[0])
    finder = make_finder("astar", grid)
    finder.find((0, 0), (2, 2), blocked=[(11, 1)], partial=True)
    finder.find_nearest((0, 0), [(2, 0), (3, 0)])
    grid.set_one_way((1, 0), ["E"])
    distances(grid, (0, 0), reverse=True)
    make_finder("bibfs", grid).find((0, 0), (2, 0))
