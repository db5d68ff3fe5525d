"""A Gymnasium environment: one agent walks to a goal on a grid; its reward is what a step brings it closer.

python examples/gymnasium_env.py [--episodes 20] [--size 32x24]        needs: pip install gymnasium
"""

import argparse
from typing import Any

import gymnasium as gym
import numpy as np

import waygrid as wg


class GridWalk(gym.Env[np.ndarray, int]):
    """The agent sees its cell and the goal, and chooses one of eight moves; an illegal move leaves it where it is.

    The reward is the cost of the shortest path before the step minus that after it, and -0.1 for time. The distances of
    all cells to the goal are one flood at the beginning of an episode, so a reward costs a look into an array.
    """

    def __init__(self, grid: wg.Grid, most_steps: int = 500) -> None:
        self.grid, self.most_steps = grid, most_steps
        self.ground = np.argwhere(grid.components == np.bincount(grid.components[grid.passable]).argmax())[:, ::-1]
        sides = np.array([grid.width, grid.height] * 2)
        self.observation_space = gym.spaces.Box(np.zeros(4, np.int32), (sides - 1).astype(np.int32), dtype=np.int32)
        self.action_space = gym.spaces.Discrete(len(grid.directions))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.cell, self.goal = self.ground[self.np_random.choice(len(self.ground), 2, replace=False)]
        self.left = np.asarray(wg.distances(self.grid, tuple(self.goal), reverse=True))
        self.steps = 0
        return self.look(), {"optimum": self.cost()}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        before = self.cost()
        if self.grid.moves[self.cell[1], self.cell[0]] >> action & 1:
            dx, dy = [(0, -1), (1, 0), (0, 1), (-1, 0), (1, -1), (1, 1), (-1, 1), (-1, -1)][action]
            self.cell = self.cell + np.array([dx, dy])
        self.steps += 1
        arrived = bool((self.cell == self.goal).all())
        return self.look(), before - self.cost() - 0.1, arrived, self.steps >= self.most_steps, {}

    def look(self) -> np.ndarray:
        return np.concatenate([self.cell, self.goal]).astype(np.int32)

    def cost(self) -> float:
        return float(self.left[self.cell[1], self.cell[0]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--size", default="32x24", help="of the map, in cells")
    given = parser.parse_args()
    width, height = (int(side) for side in given.size.split("x"))

    world = GridWalk(wg.generate("rooms", width=width, height=height, seed=2))
    arrived = 0
    for episode in range(given.episodes):
        world.reset(seed=episode)
        world.action_space.seed(episode)
        done = False
        while not done:  # a random walk: put your agent here
            _, _, found, late, _ = world.step(int(world.action_space.sample()))
            done = found or late
        arrived += found
    size = f"{world.grid.width} x {world.grid.height}"
    print(f"{given.episodes} episodes of a random agent on {size} cells: {arrived} arrive")


if __name__ == "__main__":
    main()
