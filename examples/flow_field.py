"""A flow field: one flood from the goal serves any number of agents, each of which only looks up its next step.

python examples/flow_field.py [--agents 500] [--size 120x80]
"""

import argparse

import numpy as np

import waygrid as wg

STEPS = {
    "N": (0, -1),
    "E": (1, 0),
    "S": (0, 1),
    "W": (-1, 0),
    "NE": (1, -1),
    "SE": (1, 1),
    "SW": (-1, 1),
    "NW": (-1, -1),
}
ARROWS = {"N": "↑", "E": "→", "S": "↓", "W": "←", "NE": "↗", "SE": "↘", "SW": "↙", "NW": "↖"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=500)
    parser.add_argument("--size", default="120x80", help="of the map, in cells")
    given = parser.parse_args()
    width, height = (int(side) for side in given.size.split("x"))

    grid = wg.generate("caves", width=width, height=height, seed=2)
    ys, xs = np.nonzero(grid.passable)
    middle = len(xs) // 2
    goal = (int(xs[middle]), int(ys[middle]))
    field = wg.distances(grid, goal, reverse=True)  # reverse: the cost of getting from every cell to the goal

    step = np.array([STEPS[name] for name in grid.directions])  # by the number that field.flow holds
    chance = np.random.default_rng(1)
    agents = chance.choice(np.stack([xs, ys], axis=1)[np.isfinite(field[ys, xs])], given.agents)
    ticks = 0
    while True:
        move = field.flow[agents[:, 1], agents[:, 0]]  # -1 at the goal
        if (move < 0).all():
            break
        agents[move >= 0] += step[move[move >= 0]]
        ticks += 1
    print(f"{given.agents} agents are at {goal} after {ticks} ticks")

    x0, y0 = max(0, goal[0] - 20), max(0, goal[1] - 6)
    for y in range(y0, min(height, y0 + 13)):
        line = ""
        for x in range(x0, min(width, x0 + 41)):
            direction = field.flow[y, x]
            line += "o" if (x, y) == goal else ARROWS[grid.directions[direction]] if direction >= 0 else "#"
        print(line)


if __name__ == "__main__":
    main()
