"""A search in slices: each call advances it by a number of expansions; it can be cancelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.errors import WaygridError, show
from waygrid.search.batch import check_queries
from waygrid.search.path import Path, Status
from waygrid.search.request import Request, cells_of, make_room

if TYPE_CHECKING:
    from waygrid.search.finder import Finder


class Search:
    """One running search; created by `finder.start`."""

    def __init__(self, finder: Finder, start: Array, goal: Array) -> None:
        self._finder = finder
        self._request = Request(layout.TRACK_BEST | finder._plain.flags)
        self._version = finder.grid.version
        query = check_queries(finder, start, goal, self._request)
        self._pool = finder._pool  # the finder may follow the grid to memory of another shape meanwhile
        self._scratch = self._pool.take()
        self._scratch.query[:] = query
        self._resume = False
        self._path: Path | None = None
        self.cancelled = False

    @property
    def done(self) -> bool:
        """Whether the search has ended."""
        return self._path is not None

    @property
    def expanded(self) -> int:
        """Expansions so far."""
        return self._path.stats.expanded if self._path else int(self._scratch.ctl[layout.EXPANDED]) * self._resume

    def advance(self, expansions: int) -> bool:
        """Continue for at most `expansions` expansions; return whether the search has ended."""
        if self.cancelled:
            raise WaygridError("the search was cancelled; start another one")
        if self._path is not None:
            return True
        finder, scratch = self._finder, self._scratch
        if finder._damage is not None:
            raise finder._damage
        if finder.grid.version != self._version:
            raise WaygridError(
                f"the grid changed from version {self._version} to {finder.grid.version} meanwhile; start again"
            )
        if not isinstance(expansions, (int, np.integer)) or expansions < 0:
            raise WaygridError(f"advance takes a number of expansions from 0, not {show(expansions)}")
        left = min(int(expansions), 2**62)
        while True:
            before = int(scratch.ctl[layout.EXPANDED]) if self._resume else 0
            done = finder._call(
                scratch, finder._tables, finder._index_arrays, self._request.array(0, 1, self._resume, left)
            )
            self._resume = True
            if done:
                row = scratch.row[0].tolist()
                self._path = finder._path_type(row, cells_of(scratch, row), finder._sizes)
                self._pool.give(scratch)
                return True
            if scratch.ctl[layout.PAUSE] == layout.PAUSE_BUDGET:
                return False
            left -= int(scratch.ctl[layout.EXPANDED]) - before
            make_room(scratch, 0, scratch.row)

    def cancel(self) -> None:
        """End the search without a result and release its memory."""
        if self._path is None and not self.cancelled:
            self._scratch.empty()
            self._pool.give(self._scratch)
        self.cancelled = True

    def path(self) -> Path:
        """Return the path; before the end, with status CUTOFF, the path to the closest cell so far."""
        if self._path is not None:
            return self._path
        if self.cancelled:
            raise WaygridError("the search was cancelled and has no path")
        return self._so_far()

    def _so_far(self) -> Path:
        finder, scratch = self._finder, self._scratch
        if not self._resume:  # nothing has been done yet
            row = [0] * layout.ROW_SIZE
            row[layout.ROW_STATUS], row[layout.ROW_LENGTH] = Status.CUTOFF, 1
            return finder._path_type(row, scratch.query[:, :2] * finder._point_unit, finder._sizes)
        ctl = scratch.ctl.copy()
        ctl[layout.STATUS] = Status.CUTOFF
        row, cells = finder._close_so_far(scratch, ctl, self._request.array(0, 1, False))
        return finder._path_type(row, cells[: 2 * row[layout.ROW_LENGTH]].reshape(-1, 2).copy(), finder._sizes)
