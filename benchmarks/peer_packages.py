"""How other Python packages are asked for a path on a grid, each in the way that is quickest for it.

A maker takes the grid and returns a `Peer`: `ask(start, goal)` is what is timed, start and goal being (x, y); `cells`
turns its answer into cells outside the measured time. Packages for graphs get one with a node for each passable cell.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SQUARE = ((0, -1), (1, 0), (0, 1), (-1, 0), (1, -1), (1, 1), (-1, 1), (-1, -1))  # the bits of Grid.moves
ROOT_TWO = math.sqrt(2)


@dataclass(frozen=True)
class Peer:
    """A package that is ready to be asked; without `cells` its answer is a cost."""

    ask: Callable[[tuple[int, int], tuple[int, int]], Any]
    cells: Callable[[Any], Any] | None


@dataclass(frozen=True)
class Package:
    """A way to use a package: its maker, names for import and installation, and the rules it can search by."""

    maker: Callable[[Any], Peer]
    module: str
    name: str
    corners: str
    metric: str
    whole_tree: bool = False  # it always makes the distances to all cells, and waygrid does the same beside it


class Nodes:
    """The graph of a grid for packages that know no grids: only passable cells are nodes."""

    def __init__(self, grid):
        cells = grid.passable.astype(bool)
        self.of_cell = np.full(cells.shape, -1)
        self.of_cell[cells] = np.arange(cells.sum())
        ys, xs = np.nonzero(cells)
        self.xy = np.stack([xs, ys], axis=1)
        tails, heads, costs = [], [], []
        for bit, (dx, dy) in enumerate(SQUARE):
            y, x = np.nonzero((grid.moves >> bit & 1).astype(bool))
            tails.append(self.of_cell[y, x])
            heads.append(self.of_cell[y + dy, x + dx])
            costs.append(np.full(len(x), ROOT_TWO if bit > 3 else 1.0))
        self.tails, self.heads, self.costs = map(np.concatenate, (tails, heads, costs))

    def __len__(self):
        return len(self.xy)

    def __call__(self, cell):
        return int(self.of_cell[cell[1], cell[0]])

    def cells(self, way):
        return self.xy[np.asarray(list(way), int)]

    def once(self):
        """Tails, heads and costs with every edge once, for graphs without directions: half as much to look at."""
        kept = self.tails < self.heads
        return self.tails[kept], self.heads[kept], self.costs[kept]

    def edges(self):
        return zip(*(column.tolist() for column in self.once()), strict=True)

    def estimates(self, goal):
        """Octile distances of all nodes to one, as a list: quicker than a Python function that is called each time."""
        apart = np.abs(self.xy - self.xy[goal])
        return (apart.max(axis=1) + (ROOT_TWO - 1) * apart.min(axis=1)).tolist()


def turned(way):
    """Cells of a path whose points are (y, x)."""
    return np.asarray(way, int).reshape(-1, 2)[:, ::-1]


def w9(algorithm):
    def make(grid):
        from w9_pathfinding import pf
        from w9_pathfinding.envs import DiagonalMovement, Grid

        rule = DiagonalMovement.only_when_no_obstacle
        weights = np.where(grid.passable, 1.0, -1.0)
        env = Grid(weights.tolist(), diagonal_movement=rule, diagonal_movement_cost_multiplier=ROOT_TWO)
        return Peer(getattr(pf, algorithm)(env).find_path, np.array)

    return make


def tcod_custom(grid):
    """Corners are never cut: one condition for each direction. Costs are integers."""
    import tcod.path

    cost = grid.passable.astype(np.int32)
    graph = tcod.path.CustomGraph(cost.shape, order="C")
    for bit, (dx, dy) in enumerate(SQUARE):
        price = 141421 if bit > 3 else 100000
        graph.add_edge((dy, dx), price, cost=cost, condition=(grid.moves >> bit & 1).astype(np.int8))
    graph.set_heuristic(cardinal=100000, diagonal=141421)

    def ask(start, goal):
        finder = tcod.path.Pathfinder(graph)
        finder.add_root(start[::-1])
        return finder.path_to(goal[::-1])

    return Peer(ask, turned)


def tcod_old(grid):
    import tcod.path

    finder = tcod.path.AStar(grid.passable.astype(np.float32), ROOT_TWO)

    def ask(start, goal):
        return [start[::-1], *finder.get_path(*start[::-1], *goal[::-1])]

    return Peer(ask, turned)


def pyastar2d(grid):
    import pyastar2d

    weights = np.where(grid.passable, 1, np.inf).astype(np.float32)
    return Peer(lambda s, g: pyastar2d.astar_path(weights, s[::-1], g[::-1], allow_diagonal=True), turned)


def skimage(grid):
    from skimage.graph import MCP_Geometric

    finder = MCP_Geometric(np.where(grid.passable, 1.0, -1.0))  # may be asked again and again

    def ask(start, goal):
        finder.find_costs([start[::-1]], [goal[::-1]])
        return finder.traceback(goal[::-1])

    return Peer(ask, turned)


def scipy(grid):
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    nodes = Nodes(grid)
    graph = csr_array((nodes.costs, (nodes.tails, nodes.heads)), shape=(len(nodes), len(nodes)))
    return Peer(lambda start, goal: dijkstra(graph, indices=nodes(start))[nodes(goal)], None)


def igraph(grid):
    """Its A* is left out: with an estimate in Python, version 1.0 brings the interpreter down."""
    import igraph

    nodes = Nodes(grid)
    tails, heads, costs = nodes.once()
    graph = igraph.Graph(len(nodes), np.stack([tails, heads], axis=1))
    weights = costs.tolist()
    return Peer(lambda s, g: graph.get_shortest_path(nodes(s), nodes(g), weights=weights), nodes.cells)


def _rustworkx(grid):
    import rustworkx

    nodes = Nodes(grid)
    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(len(nodes)))
    graph.add_edges_from(list(nodes.edges()))
    return rustworkx, nodes, graph


def rustworkx_astar(grid):
    rustworkx, nodes, graph = _rustworkx(grid)

    def ask(start, goal):
        a, b = nodes(start), nodes(goal)
        return rustworkx.astar_shortest_path(graph, a, b.__eq__, float, nodes.estimates(b).__getitem__)

    return Peer(ask, nodes.cells)


def rustworkx_dijkstra(grid):
    rustworkx, nodes, graph = _rustworkx(grid)

    def ask(start, goal):
        a, b = nodes(start), nodes(goal)
        return rustworkx.dijkstra_shortest_paths(graph, a, b, weight_fn=float)[b] if a != b else [a]

    return Peer(ask, nodes.cells)


def _networkx(grid):
    import networkx

    nodes = Nodes(grid)
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(nodes)))
    graph.add_weighted_edges_from(nodes.edges())
    return networkx, nodes, graph


def networkx_astar(grid):
    networkx, nodes, graph = _networkx(grid)

    def ask(start, goal):
        b = nodes(goal)
        estimates = nodes.estimates(b)
        return networkx.astar_path(graph, nodes(start), b, lambda node, _: estimates[node])

    return Peer(ask, nodes.cells)


def networkx_both(grid):
    networkx, nodes, graph = _networkx(grid)
    return Peer(lambda s, g: networkx.bidirectional_dijkstra(graph, nodes(s), nodes(g))[1], nodes.cells)


def pathfinding(grid):
    from pathfinding.core.diagonal_movement import DiagonalMovement
    from pathfinding.core.grid import Grid
    from pathfinding.core.heuristic import octile
    from pathfinding.finder.a_star import AStarFinder

    env = Grid(matrix=grid.passable.astype(int).tolist())
    finder = AStarFinder(heuristic=octile, diagonal_movement=DiagonalMovement.only_when_no_obstacle)

    def ask(start, goal):
        env.cleanup()  # the nodes keep what the last search noted in them
        return finder.find_path(env.node(*start), env.node(*goal), env)[0]

    return Peer(ask, lambda way: [(node.x, node.y) for node in way])


def xarray_spatial(grid):
    import xarray
    from xrspatial import a_star_search

    surface = xarray.DataArray(grid.passable.astype(float), dims=["y", "x"])
    surface["y"], surface["x"] = np.arange(grid.height), np.arange(grid.width)

    def ask(start, goal):
        return float(np.nanmax(a_star_search(surface, start[::-1], goal[::-1], barriers=[0.0]).values))

    return Peer(ask, None)


PACKAGES = {
    "w9-pathfinding A*": Package(w9("AStar"), "w9_pathfinding", "w9-pathfinding", "never", "octile"),
    "w9-pathfinding bidirectional Dijkstra": Package(
        w9("BiDijkstra"), "w9_pathfinding", "w9-pathfinding", "never", "octile"
    ),
    "tcod CustomGraph": Package(tcod_custom, "tcod", "tcod", "never", "octile"),
    "tcod AStar": Package(tcod_old, "tcod", "tcod", "always", "octile"),
    "pyastar2d": Package(pyastar2d, "pyastar2d", "pyastar2d", "always", "unit"),
    "scikit-image MCP_Geometric": Package(skimage, "skimage", "scikit-image", "always", "octile"),
    "scipy Dijkstra (all distances)": Package(scipy, "scipy", "scipy", "never", "octile", whole_tree=True),
    "igraph Dijkstra": Package(igraph, "igraph", "igraph", "never", "octile"),
    "rustworkx A*": Package(rustworkx_astar, "rustworkx", "rustworkx", "never", "octile"),
    "rustworkx Dijkstra": Package(rustworkx_dijkstra, "rustworkx", "rustworkx", "never", "octile"),
    "networkx A*": Package(networkx_astar, "networkx", "networkx", "never", "octile"),
    "networkx bidirectional Dijkstra": Package(networkx_both, "networkx", "networkx", "never", "octile"),
    "pathfinding A*": Package(pathfinding, "pathfinding", "pathfinding", "never", "octile"),
    "xarray-spatial A*": Package(xarray_spatial, "xrspatial", "xarray-spatial", "always", "octile"),
}
