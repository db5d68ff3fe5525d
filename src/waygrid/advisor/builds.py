"""Building a candidate's index within a time: estimated beforehand, and stopped where it takes too long."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np

from waygrid.advisor.ways import Way
from waygrid.algorithms.make import make_finder
from waygrid.build.sample import Sampled, watching
from waygrid.grid.grid import Grid
from waygrid.measure.builds import TooLong as TooLong  # what `build` raises
from waygrid.measure.builds import watch_build
from waygrid.search.finder import Finder
from waygrid.search.registry import algorithms

_FIRST_CELLS = 1500  # of the smallest part of the map; each further one has four times as many
_STEP = 4
_LEAST, _MOST = 1.0, 2.3  # powers of the number of cells that builds grow with; floods from all cells: 2
_SHORT_S, _AGAIN = 0.05, 2  # builds about as short as a frame are timed again, as one may have been interrupted
_COPY_CELLS = 8000  # of a small copy
_BOLD = 4  # a second part may take so many times as long: the first alone hardly shows how times grow
_SURELY = 0.1  # of what is short enough: parts have far fewer gates or pairs than the whole map, or none


class Forecast(NamedTuple):
    """What an index of the whole map is likely to take."""

    seconds: float
    size: float  # bytes


def build(grid: Grid, way: Way, allowed_s: float, clock: Callable[[], float] = perf_counter) -> tuple[Finder, float]:
    """Make a finder and return it with the seconds of its build; raises `TooLong` where these would be too many."""
    if not algorithms()[way.algorithm].index:
        return make_finder(way.algorithm, grid, **way.options), 0.0
    finder = make_finder(way.algorithm, grid, **way.options, progress=watch_build(allowed_s, clock))
    seconds = finder.build_seconds
    for _ in range(_AGAIN if seconds < _SHORT_S else 0):
        seconds = min(seconds, make_finder(way.algorithm, grid, **way.options).build_seconds)
    return finder, seconds


class Parts:
    """Square parts of a map, each with about four times as many passable cells as the one before."""

    def __init__(self, grid: Grid) -> None:
        self.whole = grid
        self.cells = int(np.count_nonzero(grid.passable))
        self._made: list[Grid] = []

    def __getitem__(self, number: int) -> Grid | None:
        """Return a part, None where it would be half of the map or more."""
        while number >= len(self._made):
            if self.cells < 2 * _FIRST_CELLS * _STEP ** len(self._made):
                return None
            self._made.append(_part(self.whole, _FIRST_CELLS * _STEP ** len(self._made)))
        return self._made[number]


def _part(grid: Grid, cells: int) -> Grid:
    """Return the square window with the most passable cells, of a size to have about so many."""
    full = np.zeros((grid.height + 1, grid.width + 1), np.int64)
    np.cumsum(np.cumsum(grid.passable, axis=0), axis=1, out=full[1:, 1:])
    best, side = (0, 0, 0), max(8, grid.clearance, math.isqrt(cells))
    while best[0] < cells and side < max(grid.width, grid.height):
        side = side * 5 // 4
        high, wide = min(side, grid.height), min(side, grid.width)
        inside = full[high:, wide:] - full[:-high, wide:] - full[high:, :-wide] + full[:-high, :-wide]
        place = int(inside.argmax())
        best = (int(inside.flat[place]), place // inside.shape[1], place % inside.shape[1] // 2 * 2)
    window = (slice(best[1], best[1] + side), slice(best[2], best[2] + side))
    return _like(grid, grid.passable[window], None if grid.weights is None else grid.weights[window])


def shrink(grid: Grid) -> Grid | None:
    """Return a small copy of a map that has its rooms and corridors, in fewer cells; None where it is small already.

    A cell of the copy is passable where half of the cells that it stands for are.

    >>> shrink(Grid(np.ones((400, 200)))).passable.shape
    (100, 50)
    """
    factor = math.ceil(math.sqrt(int(np.count_nonzero(grid.passable)) / _COPY_CELLS))
    if factor < 2:
        return None
    high, wide = grid.height // factor, grid.width // factor
    window = (slice(0, high * factor), slice(0, wide * factor))
    blocks = grid.passable[window].reshape(high, factor, wide, factor)
    weights = None if grid.weights is None else grid.weights[window][::factor, ::factor]
    return _like(grid, blocks.mean(axis=(1, 3)) >= 0.5, weights)


def _like(grid: Grid, passable: object, weights: object) -> Grid:
    rules = {"topology": grid.topology, "corners": grid.corners, "metric": grid.metric, "clearance": grid.clearance}
    return Grid(passable, weights=weights, **rules)  # type: ignore[arg-type]


def forecast(
    way: Way,
    parts: Parts,
    enough_s: float,
    clock: Callable[[], float] = perf_counter,
    cpu: Callable[[], float] = process_time,
) -> Forecast | None:
    """Estimate what the index of the whole map takes, None on maps too small to bother.

    Larger and larger parts of the map are built until the whole surely takes less than `enough_s`, or the next part
    longer. Two parts hardly show by which power the time grows. So an index that is made by floods, unless it takes
    next to nothing, is estimated from a sample of these on the whole map instead.
    """
    known: list[tuple[int, float, int]] = []
    found = None
    while (part := parts[len(known)]) is not None:
        with watching(clock=cpu) as watch:  # short builds: what else runs must not count
            began, cpu_began = clock(), cpu()
            finder = make_finder(way.algorithm, part, **way.options)
            seconds, cpu_s = clock() - began, cpu() - cpu_began
        cells = int(np.count_nonzero(part.passable))
        known.append((cells, max(seconds, 1e-6), finder.memory.fixed_bytes))
        found = _extend(known, parts.cells)
        next_s = _extend(known, _STEP * cells).seconds
        if found.seconds < enough_s or next_s > (_BOLD if len(known) == 1 else 1) * enough_s:
            break
    if found is None or found.seconds < _SURELY * enough_s or not watch.left:
        return found
    try:
        with watching(sample_last=len(watch.left) - 1, clock=clock):
            make_finder(way.algorithm, parts.whole, **way.options)
    except Sampled as sample:
        number, rest_s = sample.number, max(0.0, cpu_s - watch.left[sample.number])
        if number < len(watch.left) - 1:  # what follows are more sweeps, which grow as this one does
            more = sample.sweep_s / max(watch.left[number] - watch.entered[number], 1e-6)
        else:
            more = parts.cells / known[-1][0]
        return Forecast(sample.before_s + sample.sweep_s + rest_s * more, found.size)
    return found  # there was nothing to sweep after all


def _extend(known: list[tuple[int, float, int]], cells: int) -> Forecast:
    """Continue the growth from the last part but one to the last; from a single part: as the square, in time."""
    count, seconds, size = known[-1]
    more = cells / max(count, 1)
    if len(known) == 1:
        return Forecast(seconds * more**2, size * more)
    before, less_s, smaller = known[-2]
    wider = math.log(max(count / max(before, 1), 1.5))
    powers = (math.log(max(seconds / less_s, 1.0)) / wider, math.log(max(size, 1) / max(smaller, 1)) / wider)
    in_time, in_size = (min(max(power, _LEAST), _MOST) for power in powers)
    return Forecast(seconds * more**in_time, size * more**in_size)
