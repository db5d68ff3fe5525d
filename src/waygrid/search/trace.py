"""Traces: the events of a search, recorded by the kernels that search."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.search.batch import PARTIAL_FLOOD, add_partial_paths, lend_tables
from waygrid.search.path import Path, Status
from waygrid.search.registry import remade
from waygrid.search.request import Request, Tables, cells_of, make_room

if TYPE_CHECKING:
    from waygrid.draw.animate import Animation
    from waygrid.grid.grid import Grid
    from waygrid.search.finder import Finder

_ROWS = 1 << 16


class Trace:
    """Every event of one search, and the path it found.

    `events` has the fields kind, node (y * width + x), parent (-1: none), g and h. `unit` is the cost of a straight
    move in g and h: that of the metric, or 1 if the search counts moves. `cut` is true if later events were dropped.
    """

    def __init__(
        self,
        events: npt.NDArray[Any],
        path: Path,
        grid: Grid,
        ends: tuple[tuple[int, int], tuple[int, int]],
        unit: int,
        cut: bool = False,
        blocked: Array | None = None,
    ) -> None:
        self.unit = unit
        self.cut = cut
        self.events = events
        self.path = path  #: what the search found
        self._grid = grid
        self._ends = ends
        self._blocked = blocked  # cells that were walls for this search only

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

    def animate(
        self,
        path: str | os.PathLike[str],
        *,
        seconds: float = 6.0,
        fps: int = 25,
        scale: int | None = None,
        colours: str = "standard",
    ) -> Animation:
        """Write the search as a film: .gif, or .mp4 and .webm where the program ffmpeg is installed.

        The search takes `seconds`, or less if it has few events, with at most `fps` frames per second. The last frame
        shows the path, and stays for two seconds. `scale` is in pixels per cell; by default the picture has a size for
        a web page. The result shows itself in a notebook.

        >>> import tempfile, waygrid as wg
        >>> trace = wg.make_finder("astar", wg.Grid([[1, 1, 1]])).trace((0, 0), (2, 0))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     trace.animate(f"{folder}/search.gif").frames
        7
        """
        from waygrid.draw.animate import write_film
        from waygrid.draw.film import Film

        film = Film(
            self._ground(), self.events, self._grid.weights, self._grid.topology, self._ends, self.path.cells, colours
        )
        return write_film(path, film, seconds, fps, scale)

    def __repr__(self) -> str:
        return f"Trace({len(self.events)} events, {self.path!r})"

    def _repr_html_(self) -> str:
        from waygrid.draw.notebook import card, draw_small

        stats, order = self.path.stats, self.expansion_order()
        facts = [self.path.status.name] + [f"cost {self.path.cost:,.4f}"] * bool(self.path)
        facts += [f"{len(self.events):,} events", f"{stats.expanded:,} expanded", f"{stats.generated:,} generated"]
        facts += ["later events were dropped"] * self.cut
        picture = draw_small(
            self._ground(),
            topology=self._grid.topology,
            weights=self._grid.weights,
            expanded=order,
            opened=self.generated(),
            path=self.path.cells if len(self.path) else None,
            start=[self._ends[0]],
            goal=[self._ends[1]],
        )
        return card("Trace", facts, picture, repr(self))

    def _ground(self) -> npt.NDArray[np.bool_]:
        """Return the passable cells of this search."""
        if self._blocked is None:
            return self._grid.passable
        ground = self._grid.passable.copy()
        ground.ravel()[self._blocked] = False
        return ground


def record_trace(
    finder: Finder,
    start: Array,
    goal: Array,
    request: Request,
    max_events: int,
    *,
    cut: bool = False,
    look: Callable[[], None] | None = None,
) -> Trace:
    """Run one search and record it; for a partial path also the flood that finds the closest cell.

    cut: drop events after `max_events` instead of raising an error. look: is called now and then, and may raise an
    exception to end the search.
    """
    finder, pieces = finder._for_trace(), _Pieces(max_events, cut, look)
    with lend_tables(finder, start, goal, request) as (queries, tables, index_arrays):
        row, cells = _record(finder, queries, tables, index_arrays, request, pieces)
    batch = finder._batch_type(np.array([row], np.int64), cells, finder._sizes)
    if request.partial and batch.statuses[0] == Status.UNREACHABLE:
        flood = remade("dijkstra", finder.grid, {}, None)
        flood._refresh()
        flood = flood._for_trace()
        seeking = request._replace(flags=PARTIAL_FLOOD)
        with lend_tables(flood, start, goal, seeking) as (queries, tables, index_arrays):
            _record(flood, queries, tables, index_arrays, seeking, pieces)
        batch = add_partial_paths(finder, batch, start, goal, request, 1)
    x, y, goal_x, goal_y = queries[0].tolist()
    ends = ((x, y), (goal_x, goal_y))
    return Trace(pieces.events(), batch[0], finder.grid, ends, finder._event_unit, pieces.full, request.blocked)


class _Pieces:
    """The events so far."""

    def __init__(self, most: int, cut: bool, look: Callable[[], None] | None) -> None:
        self._most, self._cut, self._look = most, cut, look
        self._pieces: list[Array] = []
        self._count = 0
        self.full = False

    def add(self, piece: Array) -> None:
        if self._look is not None:
            self._look()
        self._pieces.append(piece)
        self._count += len(piece)
        if self._count > self._most:
            if not self._cut:
                raise WaygridError(
                    f"the trace has more than max_events={self._most} events; raise the limit or trace less"
                )
            self.full = True

    def events(self) -> Array:
        return np.concatenate(self._pieces)[: self._most if self._cut else None]


def _record(
    finder: Finder, queries: Array, tables: Tables, index_arrays: Array | None, request: Request, pieces: _Pieces
) -> tuple[list[int], npt.NDArray[np.int32]]:
    """Answer one query with an event buffer, drained into `pieces` whenever it is full."""
    scratch = finder._pool.take()
    scratch.query[:] = queries
    sides = finder.grid.width + finder.grid.height  # an expansion may follow lines across the whole map
    buffer: Array = np.zeros(max(_ROWS, 16 * sides), layout.EVENT)
    resume = done = False
    while not done:
        done = finder._call(scratch, tables, index_arrays, request.array(0, 1, resume), None if pieces.full else buffer)
        resume = True
        pieces.add(buffer[: int(scratch.ctl[layout.EVENTS])].copy())
        scratch.ctl[layout.EVENTS] = 0
        if not done:
            make_room(scratch, 0, scratch.row)
    row: list[int] = scratch.row[0].tolist()
    cells = cells_of(scratch, row)
    finder._pool.give(scratch)
    return row, cells
