"""The two large parts of a turn table, built on the GPU: the same numbers as on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from waygrid.algorithms.bounds.gpu import require
from waygrid.algorithms.pathdb.turntable_work import Links, row_begins, step_type
from waygrid.build.all_pairs import Upward
from waygrid.core.types import Array

_BATCH = 4096  # sources of a call
_THREADS = 64  # of a block of sources: few, so that all multiprocessors get some
_TILE = (32, 8)  # threads of a block that writes rows: along a row, and rows


def _blocks(columns: int, rows: int) -> tuple[int, int]:
    return -(-columns // _TILE[0]), -(-rows // _TILE[1])


class GpuDistanceWork:
    """The triangle of distances between all spots: `distances`, row by row."""

    max_workers = 1
    batch = _BATCH

    def __init__(self, upward: Upward) -> None:
        require()
        self._upward = upward
        self.total = upward.rank.size
        self.scratch_bytes = (min(_BATCH, self.total) * self.total + 1) * upward.prices.itemsize
        self.output_bytes = self.total * (self.total + 1) // 2 * upward.prices.itemsize

    def scratch(self) -> list[Any]:
        """Return the graph, on the GPU."""
        from waygrid.build.cuda._device import cuda

        upward = self._upward
        return [cuda.to_device(array) for array in (upward.first, upward.upper, upward.prices, upward.rank)]

    def run(self, scratch: list[Any], first: int, last: int) -> dict[str, Array]:
        """Return the rows of spots first to last - 1."""
        from waygrid.build.cuda._device import cuda
        from waygrid.build.cuda.all_pairs import sweep_columns, write_rows

        begins, size = row_begins(first, last)
        kind = self._upward.prices.dtype
        if first == last:
            return {"distances": np.zeros(0, kind)}
        *graph, rank = scratch
        sources = cuda.to_device(self._upward.rank[first:last])
        dist, rows = cuda.device_array((self.total, last - first), kind), cuda.device_array(size, kind)
        sweep_columns[-(-(last - first) // _THREADS), _THREADS](*graph, sources, self._upward.far, dist)
        write_rows[_blocks(last, last - first), _TILE](dist, rank, first, cuda.to_device(begins), rows)
        return {"distances": np.asarray(rows.copy_to_host())}


class GpuStepWork:
    """The steps of all spots towards all others: `steps`, one row for each goal."""

    max_workers = 1
    batch = _BATCH

    def __init__(self, distances: Array, links: Links) -> None:
        require()
        self._distances, self._links = distances, links
        self.total = len(links.first) - 1
        self._kind = step_type(links)
        self.scratch_bytes = distances.nbytes + links.links.nbytes
        self.output_bytes = self.total * self.total * self._kind.itemsize

    def scratch(self) -> list[Any]:
        """Return distances and links, on the GPU."""
        from waygrid.build.cuda._device import cuda

        links = self._links
        arrays = self._distances, links.links["spot"].astype(np.int64), links.links["cost"], links.first
        return [cuda.to_device(np.array(array)) for array in arrays]

    def run(self, scratch: list[Any], first: int, last: int) -> dict[str, Array]:
        """Return the rows of goals first to last - 1."""
        from waygrid.build.cuda._device import cuda
        from waygrid.build.cuda.all_pairs import choose_steps

        if first == last:
            return {"steps": np.zeros((0, self.total), self._kind)}
        steps = cuda.device_array((last - first, self.total), self._kind)
        none = int(np.iinfo(self._kind).max)
        choose_steps[_blocks(self.total, last - first), _TILE](*scratch, first, none, steps)
        return {"steps": np.asarray(steps.copy_to_host())}
