"""A search in slices: so many expansions per frame, and an agent that walks before the search has ended.

python examples/sliced_search.py [--slice 200] [--size 160x100]
"""

import argparse

import numpy as np

import waygrid as wg


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slice", type=int, default=200, help="expansions per frame")
    parser.add_argument("--size", default="160x100", help="of the map, in cells")
    given = parser.parse_args()
    width, height = (int(side) for side in given.size.split("x"))

    grid = wg.generate("rooms", width=width, height=height, seed=4)
    finder = wg.make_finder("astar", grid)
    ys, xs = np.nonzero(grid.passable)
    start, goal = (int(xs[0]), int(ys[0])), (int(xs[-1]), int(ys[-1]))

    search = finder.start(start, goal)
    frame = 0
    while not search.advance(given.slice):
        frame += 1
        so_far = search.path()  # status CUTOFF: the way to the cell closest to the goal so far
        if frame <= 3:
            x, y = so_far.cells[-1].tolist()
            print(f"frame {frame}: {search.expanded} expansions, closest so far ({x}, {y})")
    path = search.path()
    print(f"{path.status.name} after {frame + 1} frames and {path.stats.expanded} expansions, cost {path.cost:.2f}")
    assert path.cells.tolist() == finder.find(start, goal).cells.tolist()  # slices change nothing

    search = finder.start(start, goal)
    search.advance(10)
    search.cancel()  # the goal is no longer wanted: memory goes back to the pool
    print("a second search was cancelled after 10 expansions")


if __name__ == "__main__":
    main()
