"""A Gymnasium environment of many agents: an agent chooses where robots fetch parcels, a crowd moves them safely.

python examples/gymnasium_crowd.py [--robots 12] [--steps 300]        needs: pip install gymnasium
"""

import argparse
from typing import Any

import gymnasium as gym
import numpy as np

import waygrid as wg

SHELF = "...##..##..##..##..##..."
FLOOR = ["." * len(SHELF), *([SHELF] * 4 + ["." * len(SHELF)]) * 3]


class Warehouse(gym.Env[np.ndarray, np.ndarray]):
    """Robots fetch parcels at stations; two never collide, whatever the agent chooses.

    An action names a station for each robot. The agent sees the cells of the robots, then the parcels that wait at each
    station. The reward is the number of parcels fetched in the step, and -0.01 for each one that waits.
    """

    def __init__(self, robots: int = 12, stations: int = 10, most_steps: int = 300) -> None:
        self.grid, self.most_steps = wg.Grid(FLOOR, topology="tile"), most_steps
        self.cells = np.argwhere(self.grid.passable)[:, ::-1]
        self.robots, self.stations = robots, self.cells[:: len(self.cells) // stations][:stations]
        side = max(self.grid.width, self.grid.height)
        self.observation_space = gym.spaces.Box(0, side, (2 * robots + stations,), np.int32)
        self.action_space = gym.spaces.MultiDiscrete([stations] * robots)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        starts = self.np_random.choice(self.cells, self.robots, replace=False)
        self.crowd = wg.Crowd(self.grid, starts, starts, history=True)
        self.parcels = np.ones(len(self.stations), np.int32)
        return self.look(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        goals = self.stations[action]
        changed = np.flatnonzero((goals != self.crowd.goals).any(axis=1))
        self.crowd.set_goals(changed, goals[changed])
        cells = self.crowd.step()
        there = (cells[:, None] == self.stations).all(axis=2).any(axis=0)  # a robot stands at the station
        fetched = int((there & (self.parcels > 0)).sum())
        self.parcels[there] = np.maximum(self.parcels[there] - 1, 0)
        self.parcels[self.np_random.integers(len(self.stations))] += self.np_random.random() < 0.3
        np.minimum(self.parcels, 9, out=self.parcels)
        late = self.crowd.steps >= self.most_steps
        return self.look(), fetched - 0.01 * int(self.parcels.sum()), False, late, {"fetched": fetched}

    def look(self) -> np.ndarray:
        return np.concatenate([self.crowd.positions.ravel(), self.parcels]).astype(np.int32)


def choose_nearest(world: Warehouse, costs: np.ndarray) -> np.ndarray:
    """Send each robot in turn to the nearest station with a parcel that nobody else goes for."""
    left, action = world.parcels.copy(), np.zeros(world.robots, np.int64)
    for robot, (x, y) in enumerate(world.crowd.positions):
        away = np.where(left > 0, costs[:, y, x], np.inf)
        action[robot] = np.argmin(away) if np.isfinite(away).any() else robot % len(left)
        left[action[robot]] -= 1
    return action


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", type=int, default=12)
    parser.add_argument("--steps", type=int, default=300)
    given = parser.parse_args()

    world = Warehouse(given.robots, most_steps=given.steps)
    costs = np.stack([np.asarray(wg.distances(world.grid, tuple(cell), reverse=True)) for cell in world.stations])
    world.action_space.seed(1)
    policies = {"random": world.action_space.sample, "nearest parcel": lambda: choose_nearest(world, costs)}
    for name, choose in policies.items():  # put your agent here
        world.reset(seed=1)
        fetched, late = 0, False
        while not late:
            _, _, _, late, info = world.step(choose())
            fetched += info["fetched"]
        fault = wg.first_collision(world.grid, world.crowd.history)
        print(f"{name}: {fetched} parcels in {world.crowd.steps} steps, {fault or 'no collision'}")


if __name__ == "__main__":
    main()
