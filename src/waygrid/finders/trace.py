"""Traces: the events of a search, recorded by the kernels that search."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError
from waygrid.finders.path import Path
from waygrid.kernels import layout
from waygrid.kernels._types import Array

if TYPE_CHECKING:
    from waygrid.finders.base import Finder
    from waygrid.grid.grid import Grid

_ROWS = 1 << 16


class Trace:
    """Every event of one search, and the path it found.

    `events` has the fields kind, node (y * width + x), parent (-1: none), g and h. `unit` is what a straight move
    counts in g and h: the metric's price, or 1 where a search counts moves.
    """

    def __init__(
        self,
        events: npt.NDArray[Any],
        path: Path,
        grid: Grid,
        ends: tuple[tuple[int, int], tuple[int, int]],
        unit: int,
    ) -> None:
        self.unit = unit
        self.events = events
        self.path = path
        self._grid = grid
        self._ends = ends

    def save(self, path: str | os.PathLike[str], *, max_events: int | None = None, types: Any = None) -> None:
        """Write a Posthoc search trace (.trace.yaml or .trace.json)."""
        from waygrid.formats.posthoc import write_trace

        write_trace(
            path,
            self.events,
            width=self._grid.width,
            topology=self._grid.topology,
            cardinal=self.unit,
            source=self._ends[0],
            destination=self._ends[1],
            max_events=max_events,
            types=types,
        )

    def expansion_order(self) -> npt.NDArray[np.int64]:
        """Return for each cell, indexed [y, x], when it was first expanded (0, 1, ...), -1 if never."""
        order = np.full(self._grid.height * self._grid.width, -1, np.int64)
        nodes = self.events["node"][self.events["kind"] == layout.E_EXPANDING]
        first, where = np.unique(nodes, return_index=True)
        order[first] = where
        return order.reshape(self._grid.height, self._grid.width)

    def generated(self) -> npt.NDArray[np.bool_]:
        """Return which cells, indexed [y, x], were ever generated."""
        mask = np.zeros(self._grid.height * self._grid.width, np.bool_)
        mask[self.events["node"][self.events["kind"] == layout.E_GENERATING]] = True
        return mask.reshape(self._grid.height, self._grid.width)

    def __repr__(self) -> str:
        return f"Trace({len(self.events)} events, {self.path!r})"


def record_trace(finder: Finder, start: Array, goal: Array, max_events: int) -> Trace:
    """Run one search with an event buffer, drained whenever it is full."""
    from waygrid.finders.base import PLAIN, cells_of, make_room
    from waygrid.finders.batch import checked_queries

    query = checked_queries(finder, start, goal, PLAIN)
    scratch = finder._pool.take()
    scratch.query[:] = query
    buffer: Array = np.zeros(_ROWS, layout.EVENT)
    pieces: list[Array] = []
    total, resume, done = 0, False, False
    while not done:
        done = finder.call(scratch, finder._extra, finder._resume if resume else finder._begin, buffer)
        resume = True
        count = int(scratch.ctl[layout.EVENTS])
        pieces.append(buffer[:count].copy())
        total += count
        scratch.ctl[layout.EVENTS] = 0
        if total > max_events:
            raise WaygridError(f"the trace has more than max_events={max_events} events; allow more or trace less")
        if not done:
            make_room(scratch, 0, scratch.row)
    row = scratch.row[0].tolist()
    path = Path(row, cells_of(scratch, row), finder._sizes)
    finder._pool.give(scratch)
    x, y, goal_x, goal_y = query[0].tolist()
    return Trace(np.concatenate(pieces), path, finder.grid, ((x, y), (goal_x, goal_y)), finder.event_unit)
