"""A navigation mesh: read from an OBJ file, prepared once, asked many times.

python examples/navmesh.py [--side 30] [--queries 200]
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import waygrid as wg


def hall(side: int) -> str:
    """Return an OBJ file of a hilly floor with holes for pillars, two triangles to a square."""
    lines = []
    for y in range(side + 1):
        for x in range(side + 1):
            lines.append(f"v {x} {y} {np.sin(x / 4) + np.cos(y / 5):.3f}")
    for y in range(side):
        for x in range(side):
            if x % 6 in (2, 3) and y % 5 in (1, 2, 3):
                continue
            a = y * (side + 1) + x + 1
            lines += [f"f {a} {a + 1} {a + side + 2}", f"f {a} {a + side + 2} {a + side + 1}"]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=30, help="of the hall")
    parser.add_argument("--queries", type=int, default=200)
    given = parser.parse_args()

    with TemporaryDirectory() as folder:
        file = Path(folder) / "hall.obj"
        file.write_text(hall(given.side))
        graph = wg.Graph.from_obj(file)
    print(graph)

    start, goal = graph.node_at((0, 0, 1)), graph.node_at((given.side, given.side, 0))
    path = wg.make_finder("astar-gb", graph).find(start, goal)
    print(f"across the hall: {len(path)} triangles, {path.cost:.2f} long")

    starts, goals = np.random.default_rng(1).integers(0, len(graph), (2, given.queries))
    for name in ("dijkstra", "astar", "dijkstra-gb", "astar-gb"):
        finder = wg.make_finder(name, graph)
        batch = finder.find_many(starts, goals)
        index = finder.memory.fixed_bytes
        print(f"{name:12} {batch.expanded.mean():7.1f} expanded per path, {index:,} bytes of index")


if __name__ == "__main__":
    main()
