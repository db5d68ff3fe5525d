"""The choice among algorithms that `make_finder("auto", ...)` makes: from the size of a map and its number of spots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from waygrid.errors import WaygridError, show_bytes
from waygrid.options import Bytes, Number, Option, check_options
from waygrid.search.declaration import BUILD_OPTIONS
from waygrid.search.registry import algorithms, refuse_unsupported

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid

OPTIONS: dict[str, Option] = {
    "memory": Bytes(100_000_000, "most memory that the index takes", unit="bytes"),
    "build_seconds": Number(3.0, "most time that the build takes", least=0, unit="seconds"),
    **{name: option for name, option in BUILD_OPTIONS.items() if name != "memory"},
}
_LOOKED_AT = 2**20  # cells that are looked at for spots; on larger maps some rows stand for all


class MapFacts(NamedTuple):
    """What a choice is made from."""

    cells: int  # walls too
    open_cells: int
    spots: int


class IndexEstimate(NamedTuple):
    """What an index is expected to take."""

    bytes: float
    seconds: float


NO_INDEX = IndexEstimate(0, 0)


class Choice(NamedTuple):
    """The algorithm chosen for a map, and why."""

    algorithm: str
    reason: str


# The quickest to answer first; the first one that fits is taken, and what has no index always fits. The figures are
# fitted to builds on two cores, and rather high: see `benchmarks/contraction.py --only auto`.
CHOICES: dict[str, Callable[[MapFacts], IndexEstimate]] = {
    "turntable": lambda map: IndexEstimate(
        3 * map.spots**2 + 20 * map.cells + 130 * map.open_cells, 4e-8 * map.spots**2 + 2e-6 * map.open_cells
    ),
    "ch": lambda map: IndexEstimate(
        14 * map.open_cells + 0.2 * map.cells + _label_bytes(map.spots),
        1e-4 * map.spots + 1.5e-6 * map.open_cells + 4e-8 * map.cells,
    ),
    "jps+": lambda map: IndexEstimate(20 * map.cells + 300 * map.spots, 3e-7 * map.cells + 5e-6 * map.spots),
    "jps": lambda map: NO_INDEX,
    "jpsw": lambda map: NO_INDEX,  # lets A* answer where terrain is too mixed for it
    "astar": lambda map: NO_INDEX,
}


def _label_bytes(spots: int) -> float:
    """Return what the labels and shortcuts of so many spots take: labels grow slowly with the map."""
    return spots * (200 + 35 * max(spots, 1) ** 0.35)


def measure_map(grid: Grid) -> MapFacts:
    """Count the cells and, on an octile grid, the spots of a map, or estimate them from some of its rows.

    >>> import waygrid as wg
    >>> measure_map(wg.Grid([[1, 1, 1], [1, 0, 1], [1, 1, 1]]))
    MapFacts(cells=9, open_cells=8, spots=4)
    """
    cells = grid.width * grid.height
    open_cells = int(np.count_nonzero(grid.table.walk))
    if grid.topology != "octile":
        return MapFacts(cells, open_cells, 0)
    from waygrid.algorithms.contraction.tiles_build import count_bits_of, map_tiles

    across, down = -(-grid.width // 8), -(-grid.height // 8)
    masks, places = np.zeros(across * down, np.uint64), np.zeros(across * down, np.int32)
    every = max(1, cells // _LOOKED_AT)
    rows = range(every // 2, down, every)
    for row in rows:
        map_tiles(grid.table.moves, grid.table.geo, masks, places, row, row + 1)
    return MapFacts(cells, open_cells, round(count_bits_of(masks) * down / max(1, len(rows))))


def choose_algorithm(grid: Grid, **options: Any) -> Choice:
    """Return the algorithm that `make_finder("auto", grid, **options)` takes for a grid, and why.

    >>> import waygrid as wg
    >>> choose_algorithm(wg.generate("rooms", width=80, height=80, seed=3)).algorithm
    'turntable'
    >>> choose_algorithm(wg.generate("rooms", width=80, height=80, seed=3), memory="300 KB").algorithm
    'ch'
    >>> choose_algorithm(wg.Grid([[1, 1]], topology="hex")).reason
    'astar: no index that auto builds takes topology hex'
    """
    return _choose(grid, check_options("auto", OPTIONS, options))


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options of the choice and those of a build."""
    chosen = check_options("auto", OPTIONS, options)
    return {name: chosen.pop(name) for name in ("memory", "build_seconds")}, chosen


def _choose(grid: Grid, options: Mapping[str, Any]) -> Choice:
    able = [name for name in CHOICES if name in algorithms() and _takes(name, grid)]
    if CHOICES[able[0]](MapFacts(1, 1, 1)) == NO_INDEX:
        return Choice(able[0], f"{able[0]}: no index that auto builds takes {_say_what(grid)}")
    facts, memory, seconds, missed = measure_map(grid), options["memory"], options["build_seconds"], list[str]()
    counted = f"{facts.open_cells:,} open cells and about {facts.spots:,} cells where paths turn"
    for name in able:
        needs = CHOICES[name](facts)
        takes = f"about {show_bytes(needs.bytes)} and {float(f'{needs.seconds:.1g}'):g} s"
        if needs == NO_INDEX or (needs.bytes <= memory and needs.seconds <= seconds):
            index = f"its index takes {takes} to build" if needs != NO_INDEX else "it has no index"
            limits = f"allowed are {show_bytes(memory)} and {seconds:g} s"
            others = "".join(f"; {one}" for one in missed)
            return Choice(name, f"{name}: the map has {counted}, and {index}; {limits}{others}")
        missed.append(f"{name} would take {takes}")
    raise AssertionError("the last choices have no index")


def _takes(name: str, grid: Grid) -> bool:
    try:
        refuse_unsupported(algorithms()[name], grid)
    except WaygridError:
        return False
    return True


def _say_what(grid: Grid) -> str:
    """Say what of a grid only few algorithms take."""
    if grid.topology != "octile":
        return f"topology {grid.topology}"
    if grid.weights is not None:
        return "terrain weights"
    return "one-way tiles" if grid.has_one_way else f"corners {grid.corners!r}"
