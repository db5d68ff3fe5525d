"""Taut tables: exact shortest straight paths among walls, from an index."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from waygrid.algorithms.anyangle import taut_build as made
from waygrid.algorithms.anyangle import taut_query as query
from waygrid.algorithms.anyangle.anya import PointFinder
from waygrid.algorithms.anyangle.anya_rows import pack_rows
from waygrid.algorithms.anyangle.taut_follow import StraightStandIn
from waygrid.algorithms.anyangle.taut_work import (
    PairWork,
    SightWork,
    gather_accesses,
    link_corners,
    map_corners,
    measure_longest,
    take_out_corners,
)
from waygrid.build.checks import require, require_array, require_offsets, require_range
from waygrid.build.indexed import IndexedFinder
from waygrid.build.progress_bar import split_progress
from waygrid.build.sweep import build_key, sweep
from waygrid.core.types import Array
from waygrid.errors import WaygridError, show_bytes
from waygrid.search.scratch import Shape

VERSION = 1  # of the pieces; a higher one when their meaning changes
MOST_BYTES = 2**31  # of the table, where no limit is given
_MOST_CORNERS = 2**16 - 1
_PAIR_BYTES = 2  # of two corners: half of an entry


class TautFinder(IndexedFinder, PointFinder):
    """Distances and first legs between all corners, and the corners that every cell sees."""

    _kernel = staticmethod(query.run)
    _stand_in_type = StraightStandIn
    _ARRAYS = ("corners", "link_first", "links", "first", "accesses", "table", "form")
    _measured: tuple[dict[str, Array] | None, int] = (None, 0)  # an index, and the most accesses of a cell in it

    # --- The index ----------------------------------------------------------------------------------------------------

    def _build(self) -> dict[str, Array]:
        grid, plan = self.grid, self._plan
        found = map_corners(grid)
        self._check_size(len(found.corners))
        keys = {part: build_key(f"taut-{part}", grid.fingerprint(), {}, VERSION) for part in ("sight", "pairs")}
        sight = SightWork(found)
        parts = split_progress(plan.progress, [sight.total, len(found.corners)])
        seen = sweep(sight, replace(plan, progress=parts[0]), keys["sight"])
        cells = int(np.count_nonzero(grid.table.walk))
        scale = made.choose_scale(cells)
        known = (found.corners, seen["counts"], seen["links"], scale)
        links, upward = link_corners(*known, taut=False), take_out_corners(link_corners(*known, taut=True))
        form = made.choose_form(scale, measure_longest(upward, links), int(np.diff(links.first).max(initial=0)))
        table = sweep(PairWork(links, upward, form), replace(plan, progress=parts[1]), keys["pairs"])["table"]
        accesses = gather_accesses(found.free, rank_cells(found.free), seen["counts"], seen["spans"], cells)
        return {
            "corners": found.corners,
            "link_first": links.first.astype(np.int32),
            "links": links.heads.astype(np.uint16),
            "table": table,
            "form": form,
            **accesses,
        }

    def _check_size(self, corners: int) -> None:
        """Refuse a table that would be too large."""
        size, limit = _PAIR_BYTES * corners * corners, MOST_BYTES if self._plan.memory is None else self._plan.memory
        if corners > _MOST_CORNERS or size > limit:
            more = "" if corners > _MOST_CORNERS else ", or raise memory="
            raise WaygridError(
                f"the map has {corners} corners of walls where paths bend, and the table of all their pairs takes "
                f"{show_bytes(size)}; at most {show_bytes(limit)} and {_MOST_CORNERS} such corners are allowed: "
                f"take anya{more}"
            )

    def _check_index(self) -> None:
        index, grid = self.index, self.grid
        corners = require_array(index, "corners", np.int32, (None, 2))
        count, cells = len(corners), int(np.count_nonzero(grid.table.walk))
        require_range(corners[:, 0], "array 'corners', x,", 1, grid.width + 1)
        require_range(corners[:, 1], "array 'corners', y,", 1, grid.height + 1)
        links = require_array(index, "links", np.uint16, (None,))
        require_offsets(require_array(index, "link_first", np.int32, (count + 1,)), "array 'link_first'", len(links))
        require_range(links, "array 'links'", 0, count - 1)
        accesses = require_array(index, "accesses", np.uint16, (None,))
        require_offsets(require_array(index, "first", np.int32, (cells + 1,)), "array 'first'", len(accesses))
        require_range(accesses, "array 'accesses'", 0, count - 1)
        require_array(index, "table", np.uint32, (made.row_begin(count, count),))
        form = require_array(index, "form", np.int64, (made.FORM_SIZE,))
        require(1 <= form[made.LINK_BITS] <= 16, "array 'form' has no such number of bits for links")
        require(0 <= form[made.SHIFT] < 64, "array 'form' has no such shift")
        require(0 <= form[made.SCALE] <= made.MOST_SCALE, "array 'form' has no such scale")

    # --- Queries ------------------------------------------------------------------------------------------------------

    def _shape(self) -> Shape:
        if self._measured[0] is not self.index:
            self._measured = self.index, int(np.diff(self.index["first"]).max(initial=0))
        ways = 2 * self._measured[1] + 1
        return Shape(1, False, ways, 2 * ways, False, len(self.index["corners"]) + 4)

    def _index_arrays_for(self, moves: Array) -> query.TautTable:
        index = self.index
        free = pack_rows(self.grid.table.walk, self.grid.width, self.grid.height)
        known = (free, rank_cells(free), index["first"], index["accesses"], index["corners"], index["link_first"])
        return query.TautTable(*known, index["links"], index["table"], index["form"])


def rank_cells(free: Array) -> Array:
    """Return how many cells are free before each word of the map's rows."""
    ranks = np.zeros(free.shape, np.int32)
    made.rank_words(free, ranks)
    return ranks
