"""Making finders, and the one way to say how long a build takes: `finder.build_seconds`, without compiling code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from waygrid.algorithms.make import make_finder
from waygrid.build.progress_bar import time_left
from waygrid.grid.grid import Grid
from waygrid.measure.timing import Progress
from waygrid.search.finder import Finder
from waygrid.search.registry import algorithms

LONG_BUILD_S = 5.0  # such a build is not repeated
_LOOK_S = 1.0  # before that a build's own forecast is not believed


class TooLong(Exception):  # noqa: N818 (no error: what was asked for)
    """A build that was stopped, with the seconds that it would have taken."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(seconds)


def watch_build(
    allowed_s: float, clock: Callable[[], float] = perf_counter
) -> Callable[[int, int, float | None], None]:
    """Return a progress function that raises `TooLong` where a build takes longer than allowed, or will.

    >>> watch_build(60.0)(1, 100, 20.0)
    """
    began = clock()

    def watch(done: int, total: int, left: float | None) -> None:
        spent = clock() - began
        if spent > allowed_s or (left is not None and spent > _LOOK_S and spent + left > allowed_s):
            raise TooLong(spent + left if left is not None else spent * total / max(done, 1))

    return watch


class Made(NamedTuple):
    """What is known of a finder before it is asked."""

    build_s: float  # 0 for an algorithm without index
    fixed_bytes: int  # the index alone
    optimal: bool  # whether the cheapest path is claimed, with these options


def rehearse(grid: Grid, algorithm: str, options: Mapping[str, Any]) -> None:
    """Make the finder on a tiny map of the same rules: bad names and options are refused."""
    side = max(8, grid.clearance)
    tiny = Grid(
        np.ones((side, side)),
        topology=grid.topology,
        corners=grid.corners,
        metric=grid.metric,
        weights=None if grid.weights is None else np.ones((side, side), np.uint16),
        clearance=grid.clearance,
        rule=grid.rule,
    )
    make_finder(algorithm, tiny, **options)


def build_finder(
    grid: Grid, algorithm: str, options: Mapping[str, Any], report: Progress | None = None, *, repeat: int = 1
) -> tuple[Finder, Made]:
    """Make the finder and measure how long its index takes; the move table is the grid's and made before.

    repeat: build so often, and count the quickest; a build that takes long is not repeated.
    """
    _ = grid.table.labels
    if not algorithms()[algorithm].index:
        finder = make_finder(algorithm, grid, **options)
        return finder, Made(0.0, 0, finder.optimal)

    def report_build(done: int, total: int, left: float | None) -> None:
        if report is not None:
            share = done / max(1, total)
            report(share, " ".join(filter(None, (f"building the index {share:.0%}", time_left(left)))))

    finder = make_finder(algorithm, grid, **{"progress": report_build, **options})
    seconds = finder.build_seconds
    for _ in range(repeat - 1 if seconds < LONG_BUILD_S else 0):
        seconds = min(seconds, make_finder(algorithm, grid, **options).build_seconds)
    return finder, Made(seconds, finder.memory.fixed_bytes, finder.optimal)
