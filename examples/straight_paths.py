"""Straight paths: a cheapest path pulled straight, an any-angle search, a curve, and a walker at a constant speed.

python examples/straight_paths.py [--size 60x40] [--seed 4] [--speed 4]
"""

import argparse

import numpy as np

import waygrid as wg


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="60x40")
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--speed", type=float, default=4.0, help="cells a second")
    given = parser.parse_args()
    width, height = (int(side) for side in given.size.split("x"))
    grid = wg.generate("caves", width=width, height=height, seed=given.seed)

    # Two cells far apart in the largest cave.
    sizes = np.bincount(grid.components[grid.components >= 0])
    cells = np.argwhere(grid.components == sizes.argmax())[:, ::-1]
    start, goal = tuple(cells[cells.sum(axis=1).argmin()]), tuple(cells[cells.sum(axis=1).argmax()])

    steps = wg.make_finder("astar", grid).find(start, goal)
    print(f"astar         {steps.cost:7.2f}, {len(steps.waypoints)} waypoints")
    straight = steps.straighten()
    print(f"straightened  {straight.length:7.2f}, {len(straight.points)} points, legal: {straight.is_valid(grid)}")
    lazy = wg.make_finder("lazy-theta", grid).find(start, goal)
    print(f"lazy-theta    {lazy.length:7.2f}, {len(lazy.points)} points")
    curve = straight.curve(radius=1.5)
    print(f"curve         {curve.length:7.2f}")

    seconds = np.arange(0, curve.length / given.speed, 3)
    for second, (x, y) in zip(seconds, curve.along(given.speed * seconds), strict=True):
        print(f"after {second:3.0f} s the walker is at {x:.2f}, {y:.2f}")


if __name__ == "__main__":
    main()
