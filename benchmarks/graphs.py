"""Searches on graphs with and without goal bounding: python benchmarks/graphs.py [--maps DIR] [--queries 1000]."""

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np

import waygrid as wg

ROOT = Path(__file__).resolve().parent.parent
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--maps", type=Path, default=os.environ.get("WAYGRID_MAPS", ROOT.parent / "shared" / "maps"))
    parser.add_argument("--queries", type=int, default=1000)
    given = parser.parse_args()
    graphs = {"waypoints": city(), "navmesh": mesh()}
    file = given.maps / "dao" / "arena2.map"
    if file.is_file():
        graphs["quadtree of dao/arena2"] = wg.Graph.quadtree(wg.Grid.from_file(file))
    else:
        print(f"no quadtree: {file} is missing", file=sys.stderr)
    print("| graph | nodes | edges | finder | us per path | expanded | build s | bytes |")
    print("|---|---|---|---|---|---|---|---|")
    for label, graph in graphs.items():
        parts = graph.components
        main_part = np.flatnonzero(parts == np.bincount(parts).argmax())
        starts, goals = np.random.default_rng(0).choice(main_part, (2, given.queries))
        truth = None
        for name in ("dijkstra", "astar", "dijkstra-gb", "astar-gb"):
            for ties in ("one", "all") if name.endswith("gb") else (None,):
                options = {} if ties is None else {"ties": ties}
                wg.make_finder(name, wg.Graph(graph.points[:3], [(0, 1)]), **options).find(0, 1)  # compiles
                begin = time.perf_counter()
                finder = wg.make_finder(name, graph, **options, **({"threads": 1} if ties else {}))
                built = time.perf_counter() - begin
                finder.find_many(starts, goals, threads=1)
                took = []
                for _ in range(ROUNDS):
                    begin = time.perf_counter()
                    batch = finder.find_many(starts, goals, threads=1)
                    took.append((time.perf_counter() - begin) / given.queries * 1e6)
                truth = batch.costs if truth is None else truth
                assert np.allclose(batch.costs, truth, rtol=1e-9)
                shown = name if ties is None else f"{name}, ties {ties}"
                made = f"{built:.2f} | {finder.memory.fixed_bytes:,}" if ties else "- | -"
                size = f"{len(graph):,} | {len(graph.edges):,}"
                print(f"| {label} | {size} | {shown} | {min(took):.1f} | {batch.expanded.mean():.0f} | {made} |")


if __name__ == "__main__":
    main()
