"""Searches on graphs with and without goal bounding: python benchmarks/graphs.py [--maps DIR] [--queries 1000]."""

import sys
from itertools import product

import numpy as np
from common import begin_run, make_parser, print_heading, print_row, time_finders

import waygrid as wg

ROUNDS = 3


def city(side=50):
    """Crossings in a jittered square, three streets in ten missing."""
    chance = np.random.default_rng(3)
    y, x = np.divmod(np.arange(side * side), side)
    points = np.stack([x, y], axis=1) + chance.random((side * side, 2)) * 0.6
    right, down = np.flatnonzero(x < side - 1), np.flatnonzero(y < side - 1)
    edges = np.concatenate([np.stack([right, right + 1], 1), np.stack([down, down + side], 1)])
    return wg.Graph(points, edges[chance.random(len(edges)) > 0.3])


def mesh(side=51):
    """A floor of triangles with holes for pillars, about as large as the paper's example of a game level."""
    y, x = np.divmod(np.arange((side + 1) ** 2), side + 1)
    jitter = np.random.default_rng(1).random((len(x), 2)) * 0.4
    faces = []
    for row in range(side):
        for column in range(side):
            if column % 6 in (2, 3) and row % 5 in (1, 2, 3):
                continue
            a = row * (side + 1) + column
            faces += [(a, a + 1, a + side + 2), (a, a + side + 2, a + side + 1)]
    return wg.Graph.from_navmesh(np.stack([x, y], axis=1) + jitter, faces)


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--queries", type=int, default=1000)
    given = begin_run(parser)
    graphs = {"waypoints": city(), "navmesh": mesh()}
    file = given.maps / "dao" / "arena2.map"
    if file.is_file():
        graphs["quadtree of dao/arena2"] = wg.Graph.quadtree(wg.Grid.from_file(file))
    else:
        print(f"no quadtree: {file} is missing", file=sys.stderr)
    print_heading("graph", "nodes", "edges", "finder", "us per path", "expanded", "build s", "bytes")
    for label, graph in graphs.items():
        labels = graph.components
        largest = np.flatnonzero(labels == np.bincount(labels).argmax())
        starts, goals = np.random.default_rng(0).choice(largest, (2, given.queries))
        finders = {name: wg.make_finder(name, graph) for name in ("dijkstra", "astar")}
        for name, ties in product(("dijkstra-gb", "astar-gb"), ("one", "all")):
            finders[f"{name}, ties {ties}"] = wg.make_finder(name, graph, ties=ties, threads=1)
        times = time_finders(finders, starts, goals, ROUNDS)
        for name, finder in finders.items():
            assert np.allclose(times[name].column("costs"), times["dijkstra"].column("costs"), rtol=1e-9)
            built = (f"{finder.build_seconds:.2f}", f"{finder.memory.fixed_bytes:,}") if "gb" in name else ("-", "-")
            asked = f"{times[name].us:.1f}", f"{times[name].column('expanded').mean():.0f}"
            print_row(label, f"{len(graph):,}", f"{len(graph.edges):,}", name, *asked, *built)


if __name__ == "__main__":
    main()
