"""Things that move: agents are obstacles for each other (blocked=), and a door closes while they walk (set_passable).

python examples/moving_obstacles.py [--agents 6] [--ticks 120]
"""

import argparse

import numpy as np

import waygrid as wg

ROOMS = """
    ###################
    #........#........#
    #........#........#
    #.................#
    #........#........#
    #........#........#
    #.................#
    #........#........#
    ###################
"""
UPPER_DOOR = (9, 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=6)
    parser.add_argument("--ticks", type=int, default=120)
    given = parser.parse_args()

    grid = wg.Grid([[sign == "." for sign in row] for row in ROOMS.split()])
    finder = wg.make_finder("astar", grid)
    ys, xs = np.nonzero(grid.passable)
    cells = np.random.default_rng(3).permutation(np.stack([xs, ys], axis=1))
    left, right = cells[cells[:, 0] < 9], cells[cells[:, 0] > 9]
    agents = [tuple(cell) for cell in left[: given.agents].tolist()]
    goals = [tuple(cell) for cell in right[: given.agents].tolist()]

    plans: list[wg.Path | None] = [None] * len(agents)
    done = [0] * len(agents)  # the place of each agent on its plan
    searches = 0
    for tick in range(given.ticks):
        if tick >= 4 and grid.version == 0 and UPPER_DOOR not in agents:
            grid.set_passable(UPPER_DOOR, False)  # it closes as soon as nobody stands in it; version 1 of the map
            plans = [plan if plan and plan.is_valid(grid) else None for plan in plans]  # only these must ask again
        for i, here in enumerate(agents):
            if here == goals[i]:
                continue
            others, plan = agents[:i] + agents[i + 1 :], plans[i]
            ahead = [] if plan is None else plan.cells[done[i] + 1 :].tolist()
            if not ahead or tuple(ahead[0]) in others:
                plan = finder.find(here, goals[i], blocked=others, partial=True)
                plans[i], done[i], ahead = plan, 0, plan.cells[1:].tolist()
                searches += 1
            if ahead:  # else it is shut in by the others and waits
                agents[i] = tuple(ahead[0])
                done[i] += 1
        if agents == goals:
            break
    print(f"{sum(a == b for a, b in zip(agents, goals, strict=True))} of {len(agents)} agents are there, tick {tick}")
    print(f"{searches} searches; the map is at version {grid.version}")


if __name__ == "__main__":
    main()
