"""Yap's Table 2: IDA* on random instances, once as a tile grid and once as a tex grid."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from waygrid.algorithms.make import make_finder
from waygrid.core import clock, layout
from waygrid.core.types import Array
from waygrid.grid.grid import Grid
from waygrid.papers.grid_based import trials

BATCHES = 10  # the spread between them gives the standard errors
MOST_TRIALS = 1_000_000  # of the paper's rows
SLICE_S = 0.5  # the kernel comes back about this often, so that progress can be shown and Ctrl-C is heard
_UNTIMED_SLICE = 200  # trials per call where compiled code has no clock
_STACK = 4096


class Setting(NamedTuple):
    """A row of the paper's table: what was tried and the ratios tex / tile that it reports."""

    size: int
    obstacles: float
    trials: int
    path: float
    nodes: float
    time: float

    @property
    def walls(self) -> int:
        """Number of obstacles."""
        return round(self.obstacles * self.size**2)

    def __str__(self) -> str:
        return f"{self.size} x {self.size}, {self.obstacles:.0%}"


PAPER = (
    Setting(10, 0.0, 10**6, 0.809, 0.769, 1.172),
    Setting(10, 0.1, 10**6, 0.809, 0.067, 0.157),
    Setting(10, 0.2, 10**6, 0.810, 0.049, 0.090),
    Setting(10, 0.3, 10**6, 0.826, 0.021, 0.048),
    Setting(20, 0.0, 10**6, 0.808, 0.492, 0.974),
    Setting(20, 0.1, 6000, 0.808, 0.012, 0.020),
    Setting(20, 0.2, 1000, 0.813, 0.019, 0.034),
    Setting(30, 0.0, 10**6, 0.811, 0.152, 0.285),
)


@dataclass
class Outcome:
    """The sums of one row, by batch; see `trials` for their places."""

    setting: Setting
    cap: int
    sums: npt.NDArray[np.float64]

    def count(self, place: int) -> int:
        """Return a count over all batches."""
        return int(self.sums[:, place].sum())

    @property
    def solvable(self) -> int:
        """Trials that the tile grid can solve; all of them are in the path ratio."""
        return self.count(trials.DRAWN) - self.count(trials.UNSOLVABLE)

    def mean(self, place: int, grid: int) -> float | None:
        """Return a mean per instance that both grids finished: grid 0 = tile, 1 = tex."""
        finished = self.count(trials.FINISHED)
        return float(self.sums[:, place + grid].sum()) / finished if finished else None

    def ratio(self, place: int) -> float | None:
        """Return tex / tile as a ratio of means."""
        tile, tex = self.sums[:, place : place + 2].sum(axis=0).tolist()
        return tex / tile if tile else None

    def error(self, place: int) -> float | None:
        """Return a rough standard error of the ratio, from the spread of the batches' own ratios."""
        tile, tex = self.sums[:, place], self.sums[:, place + 1]
        if (tile == 0).any():
            return None
        return float(np.std(tex / tile, ddof=1) / np.sqrt(len(self.sums)))


class Trials:
    """Runs trials of one setting, in slices."""

    def __init__(self, setting: Setting, *, seed: int = 0, cap: int = 10**8) -> None:
        self.outcome = Outcome(setting, cap, np.zeros((BATCHES, trials.SUMS)))
        self._setting, self._seed, self._cap, self._next = setting, seed, cap, 0
        tables: list[tuple[Array, Array]] = []
        for topology in ("tile", "tex"):
            grid = Grid(np.ones((setting.size, setting.size), np.bool_), topology=topology, metric="unit")
            finder = make_finder("ida", grid)
            finder._refresh()
            tables.append((grid.table.geo, finder._policy))
        self._geos, self._policies = (np.ascontiguousarray(pair) for pair in zip(*tables, strict=True))
        cells = setting.size**2
        self._memory = (
            np.zeros(cells, layout.NODE),
            np.full(_STACK, -1, np.int32),
            np.zeros(_STACK, np.uint64),
            np.zeros(layout.CTL_SIZE, np.int64),
        )

    def advance(self, last: int, seconds: float) -> int:
        """Run on to trial `last` or for about so long; return how many were run so far."""
        until = 0
        if clock.AVAILABLE:
            until = time.monotonic_ns() + int(seconds * 1e9)
        else:
            last = min(last, self._next + _UNTIMED_SLICE)
        where = (self._setting.walls, self._seed, self._cap, self._next, last, until)
        self._next = trials.run(self._geos, self._policies, *self._memory, *where, self.outcome.sums)
        return self._next


def run_table(
    settings: Sequence[Setting] = PAPER,
    *,
    most: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    cap: int = 10**8,
    progress: Callable[[float, str], None] | None = None,
) -> list[Outcome]:
    """Run all rows, each with up to `most` trials, in about so many seconds altogether.

    Without `seconds` every row gets exactly `most` trials, and all but the times is the same on every machine. Rows
    that are done early leave their time to the others.
    """
    report = progress or (lambda done, text: None)
    limit = most or MOST_TRIALS
    warm = Trials(PAPER[1])
    warm.advance(1, 60.0)  # compiling is not part of the budget
    left = float("inf") if seconds is None else seconds
    # The rows that end by their number of trials come first: what they leave is shared by those that never end.
    order = sorted(range(len(settings)), key=lambda k: (settings[k].obstacles > 0, settings[k].size))
    outcomes: dict[int, Outcome] = {}
    for number, k in enumerate(order):
        row = Trials(settings[k], seed=seed, cap=cap)
        share = left / (len(order) - number)
        began, done = time.monotonic(), 0
        while done < limit and time.monotonic() - began < share:
            done = row.advance(limit, min(SLICE_S, share))
            spent = 0.0 if seconds is None else (time.monotonic() - began) / share
            report((number + min(1.0, max(done / limit, spent))) / len(order), f"{settings[k]}: {done} trials")
        left -= time.monotonic() - began
        outcomes[k] = row.outcome
    return [outcomes[k] for k in range(len(settings))]


def whole_iterations(size: int) -> tuple[float, float]:
    """Return the mean nodes on empty tile and tex grids if the iteration that finds the goal is finished."""
    found = []
    for topology in ("tile", "tex"):
        grid = Grid(np.ones((size, size), np.bool_), topology=topology, metric="unit")
        finder = make_finder("ida", grid)
        finder._refresh()
        found.append(trials.whole_iterations(grid.table.moves, grid.table.geo, finder._policy))
    return found[0], found[1]
