"""Goal bounds of a graph: for each edge, in each direction, the box of the goals that it leads to."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.core.types import Array
from waygrid.graph import query as kernel
from waygrid.graph.graph import Graph
from waygrid.graph.memory import GraphMemory

VERSION = 1  # of the boxes; a higher one when their meaning changes


def rank_coordinates(points: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
    """Return the coordinates as small integers: along each axis, the rank among the values that occur.

    Ranks have 8 bits if no axis has more than 256 values, and 16 bits otherwise. If an axis has more than 65,536,
    neighbouring values share a rank; a box then contains a little more, never less.

    >>> rank_coordinates(np.array([[0.5, 7.0], [9.0, 7.0], [2.0, -1.0]])).tolist()
    [[0, 1], [2, 1], [1, 0]]
    """
    ranks, most = [], 0
    for column in points.T:
        values, rank = np.unique(column, return_inverse=True)
        most = max(most, len(values))
        ranks.append(rank.reshape(-1) if len(values) <= 2**16 else rank.reshape(-1) * 2**16 // len(values))
    return np.stack(ranks, axis=1).astype(np.uint8 if most <= 2**8 else np.uint16)


class BoxWork:
    """The boxes as a build over source nodes (see `waygrid.build.sweep`)."""

    def __init__(self, graph: Graph, places: Array, every: bool) -> None:
        self._graph = graph
        self._places = places
        self._every = every

    @property
    def total(self) -> int:
        """Source nodes."""
        return len(self._graph)

    @property
    def scratch_bytes(self) -> int:
        """Memory of one worker."""
        return GraphMemory.bytes_for(len(self._graph)) + 12 * len(self._graph)

    @property
    def output_bytes(self) -> int:
        """Size of all boxes."""
        return 2 * self._places.itemsize * self._graph.dimensions * len(self._graph.arcs)

    def scratch(self) -> tuple[GraphMemory, Array, Array]:
        """Return the memory of one worker."""
        count = len(self._graph)
        return GraphMemory(count), np.zeros(count, np.int32), np.zeros(count, np.uint64)

    def run(self, scratch: tuple[GraphMemory, Array, Array], first: int, last: int) -> dict[str, Array]:
        """Return the boxes of the edges that leave the nodes first to last - 1."""
        graph, (memory, order, marks) = self._graph, scratch
        count = int(graph.offsets[last] - graph.offsets[first])
        boxes = np.zeros((count, 2 * graph.dimensions), self._places.dtype)
        boxes[:, ::2] = np.iinfo(boxes.dtype).max
        tables = (graph.offsets, graph.arcs, graph.scaled_points, self._places)
        kernel.fill(tables, memory.arrays, order, marks, self._every, first, last, boxes)
        return {"boxes": boxes}
