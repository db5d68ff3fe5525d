"""Many agents, one call per frame: every frame all of them ask for a path, and each takes one step along its own.

python examples/many_agents.py [--agents 500] [--frames 10] [--size 200x120]
"""

import argparse

import numpy as np

import waygrid as wg


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=500)
    parser.add_argument("--frames", type=int, default=10)
    parser.add_argument("--size", default="200x120", help="of the map, in cells")
    given = parser.parse_args()
    width, height = (int(side) for side in given.size.split("x"))

    grid = wg.generate("indoor", width=width, height=height, seed=1)
    finder = wg.make_finder("astar", grid)
    ys, xs = np.nonzero(grid.passable)
    cells = np.stack([xs, ys], axis=1)  # cells are (x, y) everywhere
    chance = np.random.default_rng(1)
    agents = chance.choice(cells, given.agents)
    goals = chance.choice(cells, given.agents)

    arrived = expanded = 0
    for _ in range(given.frames):
        batch = finder.find_many(agents, goals)  # one call, all cores
        expanded += int(batch.expanded.sum())
        # The paths lie behind each other in batch.cells; path i begins at batch.offsets[i].
        more = batch.lengths > 1
        agents[more] = batch.cells[batch.offsets[:-1][more] + 1]
        there = (agents == goals).all(axis=1)
        arrived += int(there.sum())
        goals[there] = chance.choice(cells, int(there.sum()))
    print(f"{given.frames} frames of {given.agents} paths, {expanded} expansions in all, {arrived} arrivals")


if __name__ == "__main__":
    main()
