"""A chase: units hunt a player who runs from room to room while doors open and close.

All units have one goal, the player's cell, which changes in every frame. One flow field serves all of them, and one
compiled call moves them: no two ever stand in a cell.

python examples/chase.py [--units 200] [--frames 600] [--size 128x96] [--gif chase.gif]
"""

import argparse
import time

import numpy as np

import waygrid as wg


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--units", type=int, default=200)
    parser.add_argument("--frames", type=int, default=600)
    parser.add_argument("--size", default="128x96", help="of the map, in cells")
    parser.add_argument("--gif", help="write the chase as a film")
    given = parser.parse_args()
    width, height = (int(side) for side in given.size.split("x"))

    level = wg.generate("rooms", width=width, height=height, seed=3)
    labels = level.components
    floor = np.argwhere(labels == np.bincount(labels[labels >= 0]).argmax())[:, ::-1]
    chance = np.random.default_rng(1)
    doors = chance.choice(floor, 40, replace=False)
    # The player is an agent too, of the highest priority: nobody stands in its way.
    starts = chance.choice(floor, given.units + 1, replace=False)
    crowd = wg.Crowd(level, starts, starts[:1], priorities=[1] + [0] * given.units, history=bool(given.gif))
    units, spent = np.arange(1, given.units + 1), []
    for frame in range(given.frames):
        began = time.perf_counter()
        door = doors[frame % len(doors)]
        if frame % 10 == 0 and not (crowd.positions == door).all(axis=1).any():  # nobody is shut in a door
            x, y = door.tolist()
            level.set_passable((x, y), not level.passable[y, x])
        player = crowd.positions[0]
        if crowd.arrived[0] or not crowd.reachable[0]:  # it runs on to another corner
            free = floor[level.passable[floor[:, 1], floor[:, 0]]]
            crowd.set_goals([0], chance.choice(free))
        crowd.set_goals(units, player)
        crowd.step()
        spent.append(time.perf_counter() - began)
    if given.gif:
        from waygrid.crowd.film import save_film

        save_film(given.gif, level, crowd.history, crowd.goals)
    away = np.abs(crowd.positions[1:] - crowd.positions[0]).max(axis=1)
    print(f"{given.frames} frames, {1e3 * np.median(spent):.2f} ms each, {(away < 10).sum()} units near the player")


if __name__ == "__main__":
    main()
