"""Other Python packages on the same queries in the same run, each on its own ground (corner rule, diagonal price).

    python benchmarks/peers.py [--maps DIR] [--rows 50] [--only NAME,NAME]

Packages that are not installed are left out. Each gets its best settings; its costs are compared with waygrid's under
the same rules. waygrid answers one `find` per query, as the others do (`distances` against scipy, which always makes
the whole tree); `find_many` is shown beside it. The pure-Python ones and xarray-spatial get fewer rows.
"""

import argparse
import importlib
import math
import os
import time
from pathlib import Path

import numpy as np

import waygrid as wg

ROOT = Path(__file__).resolve().parent.parent
MAPS = ("dao/arena", "dao/brc202d", "dao/orz100d", "dao/ost100d")
SQUARE = [(0, -1), (1, 0), (0, 1), (-1, 0), (1, -1), (1, 1), (-1, 1), (-1, -1)]


ROOT_TWO = math.sqrt(2)


def path_cost(points, diagonal=ROOT_TWO):
    """Cost of a path of (y, x) or (x, y) points on plain ground."""
    steps = np.abs(np.diff(np.asarray(points, int), axis=0)).sum(axis=1)
    return float((steps == 1).sum() + diagonal * (steps == 2).sum())


def edges(grid):
    """The graph of a grid for the graph packages: arrays of tail, head, cost."""
    numbers = np.arange(grid.width * grid.height).reshape(grid.height, grid.width)
    tails, heads, costs = [], [], []
    for bit, (dx, dy) in enumerate(SQUARE):
        tail = numbers[(grid.moves >> bit & 1).astype(bool)]
        tails.append(tail)
        heads.append(tail + dy * grid.width + dx)
        costs.append(np.full(len(tail), math.sqrt(2) if bit > 3 else 1.0))
    return np.concatenate(tails), np.concatenate(heads), np.concatenate(costs)


def octile(a, b, width):
    dx, dy = abs(a % width - b % width), abs(a // width - b // width)
    return max(dx, dy) + (math.sqrt(2) - 1) * min(dx, dy)


# Each maker takes the grid and returns a function (start, goal) -> cost, start and goal being (x, y).


def w9(grid):
    from w9_pathfinding.envs import DiagonalMovement, Grid
    from w9_pathfinding.pf import AStar

    rule = DiagonalMovement.only_when_no_obstacle
    weights = np.where(grid.passable, 1.0, -1.0)
    env = Grid(weights.tolist(), diagonal_movement=rule, diagonal_movement_cost_multiplier=math.sqrt(2))
    finder = AStar(env)
    return lambda start, goal: path_cost(finder.find_path(start, goal))


def tcod_custom(grid):
    import tcod.path

    cost = grid.passable.astype(np.int32)
    graph = tcod.path.CustomGraph(cost.shape, order="C")
    for bit, (dx, dy) in enumerate(SQUARE):
        price = 141421 if bit > 3 else 100000
        graph.add_edge((dy, dx), price, cost=cost, condition=(grid.moves >> bit & 1).astype(np.int8))
    graph.set_heuristic(cardinal=100000, diagonal=141421)

    def query(start, goal):
        finder = tcod.path.Pathfinder(graph)
        finder.add_root((start[1], start[0]))
        return path_cost(finder.path_to((goal[1], goal[0])))

    return query


def tcod_old(grid):
    import tcod.path

    finder = tcod.path.AStar(grid.passable.astype(np.float32), math.sqrt(2))
    return lambda start, goal: path_cost([(start[1], start[0]), *finder.get_path(start[1], start[0], goal[1], goal[0])])


def pyastar2d(grid):
    import pyastar2d

    weights = np.where(grid.passable, 1, np.inf).astype(np.float32)
    return lambda s, g: path_cost(pyastar2d.astar_path(weights, s[::-1], g[::-1], allow_diagonal=True), 1.0)


def skimage(grid):
    from skimage.graph import MCP_Geometric

    costs = np.where(grid.passable, 1.0, -1.0)

    def query(start, goal):
        finder = MCP_Geometric(costs)
        finder.find_costs([start[::-1]], [goal[::-1]])
        return path_cost(finder.traceback(goal[::-1]))

    return query


def scipy(grid):
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    tails, heads, costs = edges(grid)
    cells = grid.width * grid.height
    graph = csr_array((costs, (tails, heads)), shape=(cells, cells))
    return lambda s, g: dijkstra(graph, indices=s[1] * grid.width + s[0])[g[1] * grid.width + g[0]]


def igraph(grid):
    import igraph

    tails, heads, costs = edges(grid)
    graph = igraph.Graph(grid.width * grid.height, np.stack([tails, heads], axis=1), directed=True)
    graph.es["weight"] = costs

    def query(start, goal):
        a, b = start[1] * grid.width + start[0], goal[1] * grid.width + goal[0]
        way = graph.get_shortest_path(a, b, weights="weight")
        return path_cost([(cell // grid.width, cell % grid.width) for cell in way])

    return query


def rustworkx(grid):
    import rustworkx

    tails, heads, costs = edges(grid)
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(grid.width * grid.height))
    graph.add_edges_from(list(zip(tails.tolist(), heads.tolist(), costs.tolist(), strict=True)))

    def query(start, goal):
        a, b = start[1] * grid.width + start[0], goal[1] * grid.width + goal[0]
        way = rustworkx.astar_shortest_path(graph, a, lambda n: n == b, float, lambda n: octile(n, b, grid.width))
        return path_cost([(cell // grid.width, cell % grid.width) for cell in way])

    return query


def networkx(grid):
    import networkx

    tails, heads, costs = edges(grid)
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from(zip(tails.tolist(), heads.tolist(), costs.tolist(), strict=True))

    def query(start, goal):
        a, b = start[1] * grid.width + start[0], goal[1] * grid.width + goal[0]
        way = networkx.astar_path(graph, a, b, lambda u, v: octile(u, v, grid.width)) if a != b else [a]
        return path_cost([(cell // grid.width, cell % grid.width) for cell in way])

    return query


def pathfinding(grid):
    from pathfinding.core.diagonal_movement import DiagonalMovement
    from pathfinding.core.grid import Grid
    from pathfinding.core.heuristic import octile as estimate
    from pathfinding.finder.a_star import AStarFinder

    env = Grid(matrix=grid.passable.astype(int).tolist())
    finder = AStarFinder(heuristic=estimate, diagonal_movement=DiagonalMovement.only_when_no_obstacle)

    def query(start, goal):
        env.cleanup()
        way, _ = finder.find_path(env.node(*start), env.node(*goal), env)
        return path_cost([(node.x, node.y) for node in way])

    return query


def xarray_spatial(grid):
    import xarray
    from xrspatial import a_star_search

    surface = xarray.DataArray(grid.passable.astype(float), dims=["y", "x"])
    surface["y"], surface["x"] = np.arange(grid.height), np.arange(grid.width)

    def query(start, goal):
        out = a_star_search(surface, start[::-1], goal[::-1], barriers=[0.0])
        return float(np.nanmax(out.values))

    return query


# name: maker, module, corners, metric, share of the rows
PEERS = {
    "w9-pathfinding A*": (w9, "w9_pathfinding", "never", "octile", 1.0),
    "scipy dijkstra (whole tree)": (scipy, "scipy", "never", "octile", 1.0),
    "tcod CustomGraph": (tcod_custom, "tcod", "never", "octile", 1.0),
    "tcod AStar": (tcod_old, "tcod", "always", "octile", 1.0),
    "pyastar2d": (pyastar2d, "pyastar2d", "always", "unit", 1.0),
    "scikit-image MCP": (skimage, "skimage", "always", "octile", 1.0),
    "igraph Dijkstra": (igraph, "igraph", "never", "octile", 1.0),
    "rustworkx A*": (rustworkx, "rustworkx", "never", "octile", 0.2),
    "networkx A*": (networkx, "networkx", "never", "octile", 0.2),
    "pathfinding A*": (pathfinding, "pathfinding", "never", "octile", 0.2),
    "xarray-spatial A*": (xarray_spatial, "xrspatial", "always", "octile", 0.1),
}


def milliseconds(query, starts, goals):
    begin = time.perf_counter()
    costs = [query(start, goal) for start, goal in zip(starts, goals, strict=True)]
    return (time.perf_counter() - begin) / len(starts) * 1e3, np.array(costs)


def measure(name, arguments, map_name):
    maker, module, corners, metric, share = PEERS[name]
    importlib.import_module(module)
    grid = wg.Grid.from_file(arguments.maps / f"{map_name}.map", corners=corners, metric=metric)
    scenario = wg.Scenario.from_file(arguments.maps / f"{map_name}.map.scen")
    rows = np.linspace(1, len(scenario) - 1, max(4, int(arguments.rows * share))).astype(int)
    starts = [tuple(map(int, cell)) for cell in scenario.starts[rows]]
    goals = [tuple(map(int, cell)) for cell in scenario.goals[rows]]
    query = maker(grid)
    query(starts[0], goals[0])
    theirs, costs = milliseconds(query, starts, goals)
    finder = wg.make_finder("astar", grid)

    def own(start, goal):
        # A package that always gives the distances to all cells is met on that ground.
        return wg.distances(grid, start)[goal[1], goal[0]] if "whole tree" in name else finder.find(start, goal).cost

    own(starts[0], goals[0])
    ours, exact = milliseconds(own, starts, goals)
    begin = time.perf_counter()
    finder.find_many(starts, goals, threads=1)
    batch = (time.perf_counter() - begin) / len(starts) * 1e3
    same = int((np.abs(costs - exact) < 1e-3 * np.maximum(1, exact)).sum())
    return theirs, ours, batch, same, len(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("WAYGRID_MAPS", ROOT.parent / "shared" / "maps"))
    parser.add_argument("--maps", type=Path, default=default)
    parser.add_argument("--rows", type=int, default=50)
    parser.add_argument("--only", default=",".join(PEERS))
    arguments = parser.parse_args()
    print("| package | corners, metric | map | package ms | waygrid ms | find_many ms | times as fast | same cost |")
    print("|---|---|---|---|---|---|---|---|")
    for name in arguments.only.split(","):
        for map_name in MAPS:
            try:
                theirs, ours, batch, same, rows = measure(name, arguments, map_name)
            except ImportError as error:
                print(f"| {name} | not installed: {error} |")
                break
            figures = f"{theirs:.3f} | {ours:.3f} | {batch:.3f} | {theirs / ours:.1f} | {same}/{rows}"
            print(f"| {name} | {PEERS[name][2]}, {PEERS[name][3]} | {map_name} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
