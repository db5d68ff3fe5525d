"""Section 22.6 of Goal Bounding: how much memory tables of all pairs and goal bounds take; and a navigation mesh."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from waygrid.algorithms.bounds.box_type import box_type
from waygrid.algorithms.jumps.turns import bound_turns, turn_graph
from waygrid.algorithms.make import make_finder
from waygrid.graph.graph import Graph
from waygrid.grid.grid import Grid
from waygrid.measure.timing import Queries, time_queries

ENTRY_BYTES = 4  # of a table of all pairs: with it a map of 1000 x 1000 takes the paper's four terabytes
VALUE_BYTES = 2  # of a side of a box
GRID_VALUES, MESH_VALUES = 32, 12  # per node: four for each of eight moves, or of three edges of a triangle
POLYGONS = 4000  # of a level of a modern game, by the paper


def all_pairs_bytes(nodes: int) -> int:
    """Return the bytes of a Floyd-Warshall table.

    >>> all_pairs_bytes(1000 * 1000) / 1e12
    4.0
    """
    return ENTRY_BYTES * nodes**2


def paper_bytes(nodes: int, values: int = GRID_VALUES) -> int:
    """Return the bytes of goal bounds as the paper counts them.

    >>> paper_bytes(1000 * 1000), paper_bytes(4000, MESH_VALUES)
    (64000000, 96000)
    """
    return VALUE_BYTES * values * nodes


def box_bytes(grid: Grid) -> int:
    """Return the size of the index of astar-gb and dijkstra-gb, without building it: 32 numbers for each cell."""
    return GRID_VALUES * grid.width * grid.height * int(np.dtype(box_type(grid.table.geo)).itemsize)


def jump_bytes(grid: Grid) -> int:
    """Return the size of the index of jps+gb, without the floods that fill its boxes."""
    graph = turn_graph(grid.table)
    bound_turns(grid.table, graph, np.zeros((grid.width * grid.height, 8, 4), box_type(grid.table.geo)))
    return sum(array.nbytes for array in graph.values())


# --- A navigation mesh -----------------------------------------------------------------------------------------------


def mesh(side: int = 50, seed: int = 1) -> Graph:
    """Return a floor of triangles with crosses of walls in it: 4,000 polygons with the default side.

    >>> len(mesh(10))
    160
    """
    y, x = np.divmod(np.arange((side + 1) ** 2), side + 1)
    jitter = np.random.Generator(np.random.PCG64(seed)).random((len(x), 2)) * 0.4
    faces: list[tuple[int, int, int]] = []
    for row in range(side):
        for column in range(side):
            if abs(column % 5 - 2) + abs(row % 5 - 2) <= 1:
                continue
            a = row * (side + 1) + column
            faces += [(a, a + 1, a + side + 2), (a, a + side + 2, a + side + 1)]
    return Graph.from_navmesh(np.stack([x, y], axis=1) + jitter, faces)


class MeshRun(NamedTuple):
    """What one finder did on the mesh; means per query."""

    algorithm: str
    times: tuple[float, ...]  # us, of each round
    expanded: float
    index_bytes: int
    box_bytes: int  # of them, the boxes alone
    same: bool  # all costs are those of dijkstra


def mesh_runs(graph: Graph, queries: int, rounds: int) -> list[MeshRun]:
    """Ask random queries of the mesh, with goal bounds and without."""
    chance = np.random.Generator(np.random.PCG64(0)).random((2, queries))
    starts, goals = (chance * len(graph)).astype(np.int64)
    finders = {name: make_finder(name, graph) for name in ("dijkstra", "astar", "dijkstra-gb", "astar-gb")}
    found = []
    times = time_queries(finders, [Queries(starts, goals)], rounds)
    for name, finder in finders.items():
        boxes = finder.index["boxes"].nbytes if "boxes" in finder.index else 0
        same = bool(np.allclose(times[name].column("costs"), times["dijkstra"].column("costs"), rtol=1e-9))
        size = finder.memory.fixed_bytes
        expanded = float(times[name].column("expanded").mean())
        found.append(MeshRun(name, times[name].rounds_us, expanded, size, boxes, same))
    return found
