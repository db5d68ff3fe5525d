"""Traces: the events of a search, recorded by the kernels that search."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError
from waygrid.finders.path import Batch, Path, Status
from waygrid.kernels import layout
from waygrid.kernels._types import Array

if TYPE_CHECKING:
    from waygrid.finders.base import Ask, Finder, Tables
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


def record_trace(finder: Finder, start: Array, goal: Array, ask: Ask, max_events: int) -> Trace:
    """Run one search and record it; for a partial path also the flood that finds the closest cell."""
    from waygrid.finders.batch import PARTIAL_FLOOD, in_use, with_partial
    from waygrid.finders.bestfirst import Dijkstra

    pieces: list[Array] = []
    with in_use(finder, start, goal, ask) as (queries, tables, extra):
        row, cells = _recorded(finder, queries, tables, extra, ask, max_events, pieces)
    batch = Batch(np.array([row], np.int64), cells, finder._sizes)
    if ask.partial and batch.statuses[0] == Status.UNREACHABLE:
        flood = Dijkstra.of(finder)
        flood.refresh()
        seeking = ask._replace(flags=PARTIAL_FLOOD)
        with in_use(flood, start, goal, seeking) as (queries, tables, extra):
            _recorded(flood, queries, tables, extra, seeking, max_events, pieces)
        batch = with_partial(finder, batch, start, goal, ask, 1)
    x, y, goal_x, goal_y = queries[0].tolist()
    return Trace(np.concatenate(pieces), batch[0], finder.grid, ((x, y), (goal_x, goal_y)), finder.event_unit)


def _recorded(
    finder: Finder, queries: Array, tables: Tables, extra: Array | None, ask: Ask, max_events: int, pieces: list[Array]
) -> tuple[list[int], npt.NDArray[np.int32]]:
    """Answer one query with an event buffer, drained into `pieces` whenever it is full."""
    from waygrid.finders.base import cells_of, make_room

    scratch = finder._pool.take()
    scratch.query[:] = queries
    sides = finder.grid.width + finder.grid.height  # an expansion may follow lines across the whole map
    buffer: Array = np.zeros(max(_ROWS, 16 * sides), layout.EVENT)
    resume = done = False
    while not done:
        done = finder.call(scratch, tables, extra, ask.array(0, 1, resume), buffer)
        resume = True
        pieces.append(buffer[: int(scratch.ctl[layout.EVENTS])].copy())
        scratch.ctl[layout.EVENTS] = 0
        if sum(map(len, pieces)) > max_events:
            raise WaygridError(f"the trace has more than max_events={max_events} events; allow more or trace less")
        if not done:
            make_room(scratch, 0, scratch.row)
    row: list[int] = scratch.row[0].tolist()
    cells = cells_of(scratch, row)
    finder._pool.give(scratch)
    return row, cells
