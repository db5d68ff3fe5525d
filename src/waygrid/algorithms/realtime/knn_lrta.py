"""kNN LRTA*: follow the solution of a similar problem (Bulitko, Björnsson and Lawrence 2010)."""

from __future__ import annotations

import numpy as np

from waygrid.algorithms.realtime import guides
from waygrid.algorithms.realtime import knn_lrta_guide as knn
from waygrid.algorithms.realtime.guided import GuidedLrta
from waygrid.algorithms.realtime.knn_lrta_records import (
    RecordWork,
    block_boxes,
    random_pairs,
    record_database,
    verify_records,
)
from waygrid.algorithms.regions.checks import list_owners, require_cells
from waygrid.build.checks import require, require_array, require_offsets, require_range
from waygrid.build.sweep import build_key, sweep
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.search.agents import check_count

VERSION = 1  # of the records; a higher one when their meaning changes
CELLS_PER_RECORD, FEWEST, MOST = 2, 256, 8192  # where `records` is not given


class KnnLrta(GuidedLrta):
    """LRTA* along the subgoals of the nearest record that it can climb to and from."""

    _ARRAYS = knn.Records._fields[:-1]

    def _configure(self) -> None:
        super()._configure()
        self._policy[layout.FALLBACK] = int(self.options["fallback"] == "record")
        self._policy[layout.NEAREST] = check_count("nearest", self.options["nearest"])

    def _build(self) -> dict[str, Array]:
        count, seed = self._most_records(), self.options["seed"]
        pairs = random_pairs(self.grid, count, seed)
        chosen = {"records": count, "seed": seed}
        key = build_key("records", self.grid.fingerprint(), chosen, VERSION)
        made = record_database(pairs, sweep(RecordWork(self.grid, pairs), self._plan, key))
        verify_records(self.grid, made)
        return made

    def _most_records(self) -> int:
        """Return how many problems are solved; those that need no subgoals, and repeated ones, are not kept."""
        if self.options["records"] is not None:
            return int(self.options["records"])
        return int(np.clip(np.count_nonzero(self.grid.table.walk) // CELLS_PER_RECORD, FEWEST, MOST))

    def _check_index(self) -> None:
        index, grid, most = self.index, self.grid, self._most_records()
        ends = require_array(index, "ends", (np.int16, np.int32), (None, 4))
        require(len(ends) <= most, f"array 'ends' has {len(ends)} records; allowed are {most}")
        require_range(ends, "array 'ends'", 0, np.array([grid.width - 1, grid.height - 1] * 2))
        starts, goals = (ends[:, k].astype(np.int64) + grid.width * ends[:, k + 1].astype(np.int64) for k in (0, 2))
        components = require_cells(grid, starts, "array 'ends'")
        require_cells(grid, goals, "array 'ends'", components)
        subgoals = require_array(index, "subgoals", np.int32, (None,))
        first = require_array(index, "first", np.int32, (len(ends) + 1,))
        require_offsets(first, "array 'first'", len(subgoals))
        require((first[1:] > first[:-1]).all(), "array 'first' has a record without subgoals")
        require_cells(grid, subgoals, "array 'subgoals'", components[list_owners(first)])
        boxes = block_boxes(ends)
        require_array(index, "boxes", boxes.dtype, boxes.shape)
        require(np.array_equal(index["boxes"], boxes), "array 'boxes' does not agree with 'ends'")

    def verify(self) -> None:
        """Climb along every record once more; an error names the first that cannot be followed.

        >>> import waygrid as wg
        >>> wg.make_finder("knn-lrta", wg.generate("rooms", width=60, height=40, seed=1)).verify()
        """
        self._check_version()
        verify_records(self.grid, self.index)

    def _index_arrays_for(self, moves: Array) -> guides.Guide:
        arrays = {name: self.index[name] for name in self._ARRAYS}
        return guides.Guide(records=knn.Records(**arrays, labels=self.grid.table.labels))
