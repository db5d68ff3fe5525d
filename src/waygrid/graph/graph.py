"""Graph: nodes with coordinates, edges with costs, and the arrays that searches read."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show
from waygrid.graph import quadtree
from waygrid.graph.check import check_costs, check_edges, check_points
from waygrid.graph.scale import cheapest_ratio, exponent_for, to_integers
from waygrid.grid.grid import Grid

# An edge in one direction. `cost` is an integer, in units of `Graph.unit`; `price` is what the user gave and sees.
ARC = np.dtype([("source", "<i4"), ("target", "<i4"), ("cost", "<i8"), ("price", "<f8")])


class Graph:
    """Nodes with 2D or 3D coordinates and edges between them; immutable.

    points: (n, 2) or (n, 3) numbers; nodes are numbered in this order, from 0.
    edges: (m, 2) node numbers. Loops are dropped; of parallel edges the cheapest counts.
    costs: (m,) positive numbers; default: the lengths of the edges.
    directed: edges lead only from their first node to the second.

    >>> import waygrid as wg
    >>> graph = wg.Graph([(0, 0), (3, 0), (3, 4), (0, 9)], [(0, 1), (1, 2), (2, 0), (2, 3)])
    >>> path = wg.make_finder("astar-gb", graph).find(0, 3)
    >>> path.nodes.tolist(), round(path.cost, 4)
    ([0, 2, 3], 10.831)
    """

    def __init__(
        self,
        points: npt.ArrayLike,
        edges: npt.ArrayLike,
        costs: npt.ArrayLike | None = None,
        directed: bool = False,
    ) -> None:
        self.points = _freeze(check_points(points))
        self.directed = bool(directed)
        self.names: tuple[Hashable, ...] | None = None
        pairs = check_edges(edges, len(self.points))
        prices = check_costs(costs, self.points, pairs)
        # Arcs are edges in one direction, sorted by source; those of node n are arcs[offsets[n] : offsets[n + 1]].
        self.offsets, self.arcs, exponent = _arrange(len(self.points), pairs, prices, self.directed)
        self.unit = 2.0**-exponent  # what the integer 1 stands for in costs that searches add (see graph.scale)
        self._ratio: float | None = None
        self._scaled: npt.NDArray[np.float64] | None = None
        self._labels: npt.NDArray[np.int32] | None = None
        self._numbers: dict[Hashable, int] | None = None

    # --- Graphs from other sources --------------------------------------------------------------------------------

    @classmethod
    def from_obj(cls, path: str | PathLike[str]) -> Graph:
        """Read a navigation mesh from an OBJ file; node i is its i-th polygon. See `from_navmesh`."""
        from waygrid.graph.obj import read_obj

        return cls.from_navmesh(*read_obj(path))

    @classmethod
    def from_navmesh(cls, vertices: npt.ArrayLike, faces: npt.ArrayLike | Sequence[Sequence[int]]) -> Graph:
        """Return a graph of polygons: nodes are their centroids, edges connect polygons that share an edge.

        vertices: (n, 2) or (n, 3); those at the same place count as one. faces: vertex numbers of each polygon, an
        array of triangles or a list of polygons of any size. An edge costs the distance between the centroids.

        >>> import waygrid as wg
        >>> square = wg.Graph.from_navmesh([(0, 0), (2, 0), (2, 2), (0, 2)], [(0, 1, 2), (0, 2, 3)])
        >>> square.points.round(2).tolist(), square.edges.tolist()
        ([[1.33, 0.67], [0.67, 1.33]], [[0, 1]])
        """
        from waygrid.graph.navmesh import build_navmesh

        return cls(*build_navmesh(vertices, faces))

    @classmethod
    def quadtree(cls, grid: Grid) -> QuadtreeGraph:
        """Decompose the passable cells of a grid into squares; see `waygrid.graph.quadtree`.

        >>> import waygrid as wg
        >>> graph = wg.Graph.quadtree(wg.Grid([[1, 1, 1], [1, 1, 0]]))
        >>> graph.squares.tolist(), graph.node_at((1, 1))
        ([[0, 0, 2], [2, 0, 1]], 0)
        """
        return QuadtreeGraph(grid)

    @classmethod
    def from_networkx(cls, graph: Any, pos: Any = "pos", weight: str | None = "weight") -> Graph:
        """Convert a networkx graph; `names` holds its nodes, in the order of the numbers.

        pos: the node attribute with the coordinates, or a mapping from nodes to coordinates.
        weight: the edge attribute with the cost; if no edge has it, or with None, the length of the edge counts.
        """
        from waygrid.graph.network import read_network

        points, edges, costs, directed, names = read_network(graph, pos, weight)
        made = cls(points, edges, costs, directed)
        made.names = names
        return made

    # --- Properties ---------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        kind = "directed " if self.directed else ""
        return f"{type(self).__name__}({len(self)} nodes, {len(self.edges)} {kind}edges, {self.dimensions}D)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Graph) and self.fingerprint() == other.fingerprint()

    __hash__ = None  # type: ignore[assignment]  # it would have to read all of it

    @property
    def dimensions(self) -> int:
        """2 on a plane, 3 in space."""
        return int(self.points.shape[1])

    @property
    def edges(self) -> npt.NDArray[np.int32]:
        """The edges that count, (m, 2) node numbers; undirected edges once, smaller number first."""
        return np.stack([self._kept["source"], self._kept["target"]], axis=1)

    @property
    def costs(self) -> npt.NDArray[np.float64]:
        """The costs of `edges`."""
        return self._kept["price"].copy()

    @property
    def _kept(self) -> npt.NDArray[Any]:
        return self.arcs if self.directed else self.arcs[self.arcs["source"] < self.arcs["target"]]

    def neighbours(self, node: int) -> npt.NDArray[np.int32]:
        """Return the nodes to which an edge leads from this one, in the order of their numbers.

        >>> Graph([(0, 0), (1, 0), (2, 0)], [(1, 0), (1, 2)]).neighbours(1).tolist()
        [0, 2]
        """
        number = self.node_number("node", node)
        targets: npt.NDArray[np.int32] = self.arcs["target"][self.offsets[number] : self.offsets[number + 1]]
        return targets.copy()

    def node_number(self, what: str, value: Any) -> int:
        """Check and return a node number; `what` names it in the error."""
        number = -1 if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) else int(value)
        if not 0 <= number < len(self):
            raise self.node_error(what, value)
        return number

    def node_error(self, what: str, value: Any) -> WaygridError:
        """Return the error for an invalid node number."""
        if len(self) == 0:
            return WaygridError(f"{what} is {show(value)}, but the graph has no nodes")
        shown = value if isinstance(value, (int, float)) else show(value)
        return WaygridError(f"{what} is {shown}; allowed are the node numbers 0 to {len(self) - 1}")

    def node_at(self, point: npt.ArrayLike) -> Any:
        """Return the node nearest to a point, or the nodes nearest to each of (k, dimensions) points.

        Among equally near nodes it is the one with the smallest number.

        >>> graph = Graph([(0, 0), (4, 0), (4, 3)], [(0, 1), (1, 2)])
        >>> graph.node_at((3, 1)), graph.node_at([(3, 2), (0, 1)]).tolist()
        (1, [2, 0])
        """
        given = self._read_points(point)
        if len(self) == 0:
            raise WaygridError("the graph has no nodes, so there is no nearest one")
        rows = given.reshape(-1, self.dimensions).astype(np.float64)
        found = np.array([int(((self.points - row) ** 2).sum(axis=1).argmin()) for row in rows], np.int32)
        return int(found[0]) if given.ndim == 1 else found

    def _read_points(self, point: npt.ArrayLike) -> npt.NDArray[Any]:
        try:
            given = np.asarray(point)
        except ValueError:
            given = np.zeros(0)
        if given.size == 0 and given.ndim == 2:
            given = np.zeros((0, self.dimensions))
        known = given.ndim in (1, 2) and given.shape[-1] == self.dimensions and given.dtype.kind in "iuf"
        if not known or not np.isfinite(given).all():
            axes = "(x, y)" if self.dimensions == 2 else "(x, y, z)"
            raise WaygridError(f"point is {show(point)}; allowed are finite numbers {axes}, or rows of them")
        return given

    def number_of(self, name: Hashable) -> int:
        """Return the number of a node by its name, if nodes have names (`from_networkx`)."""
        if self.names is None:
            raise WaygridError("the nodes of this graph have no names; use their numbers")
        if self._numbers is None:
            self._numbers = {known: number for number, known in enumerate(self.names)}
        try:
            return self._numbers[name]
        except (KeyError, TypeError):
            raise WaygridError(f"there is no node {show(name)} among the {len(self)} names of the graph") from None

    def fingerprint(self) -> str:
        """Return a hash of nodes, edges and costs; index files store it."""
        digest = hashlib.sha256(f"graph {self.points.shape}".encode())
        for array in (self.points, self.offsets, self.arcs["target"], self.arcs["price"]):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    # --- What searches need -------------------------------------------------------------------------------------------

    @property
    def scaled_points(self) -> npt.NDArray[np.float64]:
        """The points in three columns, scaled by a power of two so that no square overflows; kernels read them."""
        if self._scaled is None:
            scaled = np.zeros((len(self), 3))
            scaled[:, : self.dimensions] = self.points
            largest = float(np.abs(scaled).max(initial=0.0))
            self._scaled = _freeze(np.ldexp(scaled, -int(np.frexp(largest)[1])))
        return self._scaled

    @property
    def ratio(self) -> float:
        """The lowest cost per distance between `scaled_points`, in units of cost, minus a margin for rounding."""
        if self._ratio is None:
            self._ratio = cheapest_ratio(self.scaled_points, self.arcs)
        return self._ratio

    @property
    def components(self) -> npt.NDArray[np.int32]:
        """The connected component of each node, named by its smallest node; no path connects two components."""
        if self._labels is None:
            from waygrid.graph import query as graph

            labels = np.empty(len(self), np.int32)
            graph.components(self.arcs, labels)
            self._labels = _freeze(labels)
        return self._labels


def _arrange(
    nodes: int, pairs: npt.NDArray[np.int64], prices: npt.NDArray[np.float64], directed: bool
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any], int]:
    """Sort the arcs by source and target, keep the cheapest of equal ones, and give them integer costs."""
    if not directed:
        pairs, prices = np.concatenate((pairs, pairs[:, ::-1])), np.concatenate((prices, prices))
    order = np.lexsort((prices, pairs[:, 1], pairs[:, 0]))
    pairs, prices = pairs[order], prices[order]
    kept = pairs[:, 0] != pairs[:, 1]
    kept[1:] &= (pairs[1:] != pairs[:-1]).any(axis=1)
    arcs = np.zeros(int(kept.sum()), ARC)
    arcs["source"], arcs["target"], arcs["price"] = pairs[kept, 0], pairs[kept, 1], prices[kept]
    exponent = exponent_for(nodes, arcs["price"])
    arcs["cost"] = to_integers(arcs["price"], exponent)
    offsets = np.searchsorted(arcs["source"], np.arange(nodes + 1)).astype(np.int64)
    return _freeze(offsets), _freeze(arcs), exponent


def _freeze(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.flags.writeable = False
    return array


class QuadtreeGraph(Graph):
    """The graph of a quadtree; created by `Graph.quadtree`.

    Nodes are squares, and their points are the centres: that of a single cell is the cell itself, that of a square of
    two lies half a cell further right and down. An edge connects two squares if the grid allows a move from a cell of
    one to a cell of the other, across a side or, if corners and topology allow it, across a corner.

    An edge has the cost of the grid's moves from centre to centre: straight and diagonal parts at their costs, each
    times the weight of the square in which it lies (the line crosses no third square). A path leads from the centre of
    the first square to that of the last: a good route, usually somewhat more expensive than the cheapest path cell by
    cell.

    >>> import waygrid as wg
    >>> graph = wg.Graph.quadtree(wg.generate("indoor", width=60, height=40, seed=1))
    >>> len(graph), int((graph.cells >= 0).sum())
    (695, 1604)
    """

    def __init__(self, grid: Grid) -> None:
        if not isinstance(grid, Grid):
            raise WaygridError(f"a quadtree needs a Grid, not {type(grid).__name__}")
        if grid.topology not in ("tile", "octile"):
            raise WaygridError(f"a quadtree does not support topology {show(grid.topology)}; allowed are tile, octile")
        if grid.has_one_way:
            raise WaygridError("a quadtree does not support one-way tiles: all moves inside a square must be legal")
        if grid.rule != "enter":
            raise WaygridError(f"a quadtree does not support rule {grid.rule!r}; allowed is 'enter'")
        standing = grid.components >= 0  # where the agent has room
        weights = np.ones(standing.shape, np.int64) if grid.weights is None else grid.weights.astype(np.int64)
        squares, cells = quadtree.decompose(np.where(standing, weights, 0))
        middles = squares[:, :2] + (squares[:, 2:] - 1) / 2
        edges = quadtree.find_borders(grid, cells)
        ground = weights[squares[:, 1], squares[:, 0]]
        super().__init__(middles, edges, quadtree.compute_costs(grid, middles, squares[:, 2], ground, edges))
        self.squares = squares
        self.cells = cells
        for array in (squares, cells):
            array.flags.writeable = False

    squares: npt.NDArray[np.int32]
    """(n, 3): left column, top row and side of every square, in cells."""
    cells: npt.NDArray[np.int32]
    """(height, width): the node of each cell, -1 for walls."""

    def node_at(self, point: npt.ArrayLike) -> Any:
        """Return the square that contains a cell (x, y), or those of each of (k, 2) cells."""
        given = self._read_points(point)
        if given.dtype.kind not in "iu":
            raise WaygridError(f"point is {show(point)}; allowed are cells (x, y) of two integers, or rows of them")
        rows = given.reshape(-1, 2)
        height, width = self.cells.shape
        outside = ((rows < 0) | (rows >= (width, height))).any(axis=1)
        if outside.any():
            x, y = rows[int(np.argmax(outside))]
            raise WaygridError(f"cell ({x}, {y}) is outside the map of {width} x {height} cells")
        found = self.cells[rows[:, 1], rows[:, 0]]
        if (found < 0).any():
            x, y = rows[int(np.argmax(found < 0))]
            raise WaygridError(f"cell ({x}, {y}) is in a wall or leaves no room for the agent; no square contains it")
        return int(found[0]) if given.ndim == 1 else found
