"""The results of searches on graphs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, overload

import numpy as np
import numpy.typing as npt

from waygrid.core import layout as at
from waygrid.search.path import STATUSES, Answers, Stats, Status

if TYPE_CHECKING:
    from waygrid.graph.graph import Graph

NODE_BYTES = at.NODE_WIDE.itemsize + 4  # the record and the arc by which the node was reached
OPEN_BYTES = 12  # number and key


class GraphPath:
    """The result of one query on a graph.

    >>> import waygrid as wg
    >>> graph = wg.Graph([(0, 0), (1, 0), (2, 0), (9, 9)], [(0, 1), (1, 2)])
    >>> finder = wg.make_finder("astar", graph)
    >>> finder.find(0, 2)
    GraphPath(FOUND, 3 nodes, cost 2.0000)
    >>> finder.find(0, 3).cost
    inf
    """

    __slots__ = ("_graph", "_row", "cost", "nodes", "status")

    def __init__(self, row: list[int], cost: float, nodes: npt.NDArray[np.int32], graph: Graph) -> None:
        self._row = row
        self._graph = graph
        self.status: Status = STATUSES[row[at.ROW_STATUS]]  #: how the search ended
        self.nodes = nodes  #: (k,) from start to goal
        self.cost = cost  #: sum of the costs of the edges; inf where there is no path

    @property
    def points(self) -> npt.NDArray[np.float64]:
        """The coordinates of the nodes."""
        return self._graph.points[self.nodes]

    @property
    def names(self) -> list[Hashable]:
        """The names of the nodes, or their numbers if they have no names."""
        names = self._graph.names
        return [node if names is None else names[node] for node in self.nodes.tolist()]

    @property
    def stats(self) -> Stats:
        """Counters of the search; the estimate is in the unit of the costs."""
        row = self._row
        return Stats(
            row[at.ROW_EXPANDED],
            row[at.ROW_GENERATED],
            row[at.ROW_PEAK],
            row[at.ROW_ESTIMATE] * self._graph.unit,
            row[at.ROW_TOUCHED],
            row[at.ROW_TOUCHED] * NODE_BYTES + row[at.ROW_PEAK] * OPEN_BYTES,
        )

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[int]:
        return iter(self.nodes.tolist())

    @overload
    def __getitem__(self, number: int) -> int: ...
    @overload
    def __getitem__(self, number: slice) -> list[int]: ...
    def __getitem__(self, number: int | slice) -> int | list[int]:
        """Return a node of the path, or a list of nodes for a slice."""
        nodes: int | list[int] = self.nodes[number].tolist()
        return nodes

    def __repr__(self) -> str:
        return f"GraphPath({self.status.name}, {len(self.nodes)} nodes, cost {self.cost:.4f})"


class GraphBatch(Answers[GraphPath]):
    """Results of many queries: arrays over all queries, paths stored as offsets and nodes.

    >>> import waygrid as wg
    >>> finder = wg.make_finder("dijkstra", wg.Graph([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)]))
    >>> batch = finder.find_many([0, 2, 1], [2, 1, 1])
    >>> batch.costs.tolist(), batch.lengths.tolist(), batch[0].nodes.tolist()
    ([2.0, 1.0, 0.0], [3, 2, 1], [0, 1, 2])
    """

    def __init__(
        self,
        rows: npt.NDArray[np.int64],
        costs: npt.NDArray[np.float64],
        nodes: npt.NDArray[np.int32],
        graph: Graph,
    ) -> None:
        super().__init__(rows)
        self.costs = costs  #: inf where there is no path
        self.nodes = nodes  #: all paths, one after the other
        self._graph = graph

    def path(self, number: int, part: slice) -> GraphPath:
        return GraphPath(self.rows[number].tolist(), float(self.costs[number]), self.nodes[part], self._graph)
