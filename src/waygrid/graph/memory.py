"""The memory of a search on a graph; stamped with a search number, so that nothing is cleared between queries."""

from __future__ import annotations

import numpy as np

from waygrid.core import layout
from waygrid.core.types import Array

_ROOM = 4096  # nodes of paths that are collected before they are put away


class GraphMemory:
    """Records, heap and paths of one running search on a graph."""

    __slots__ = ("arrays", "path", "query", "row", "total")

    def __init__(self, nodes: int) -> None:
        self.arrays: tuple[Array, Array, Array, Array, Array] = (
            np.zeros(nodes, layout.NODE_WIDE),
            np.zeros(nodes, np.int32),  # heap
            np.zeros(nodes, np.int64),  # keys
            np.zeros(nodes, np.int32),  # the arc by which each node was reached
            np.zeros(layout.CTL_SIZE, np.int64),
        )
        self.path: Array = np.zeros(nodes + _ROOM, np.int32)
        self.query: Array = np.zeros((1, 2), np.int32)
        self.row: Array = np.zeros((1, layout.ROW_SIZE), np.int64)
        self.total: Array = np.zeros(1, np.float64)

    @staticmethod
    def bytes_for(nodes: int) -> int:
        """Return the bytes of the arrays, without the paths that are returned."""
        return nodes * (layout.NODE_WIDE.itemsize + 4 + 8 + 4) + 8 * layout.CTL_SIZE
