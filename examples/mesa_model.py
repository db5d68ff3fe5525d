"""A Mesa model: people leave a building by the nearest exit; one flow field tells all of them the way.

python examples/mesa_model.py [--people 200] [--size 60x40]        needs: pip install mesa
"""

import argparse

import mesa
import numpy as np

import waygrid as wg


class Person(mesa.Agent):
    """Takes one step towards the nearest exit, unless somebody stands there."""

    def __init__(self, model: "Building", cell: tuple[int, int]) -> None:
        super().__init__(model)
        self.cell = cell

    def step(self) -> None:
        ahead = self.model.ways.step([self.cell])[0]
        there = int(ahead[0]), int(ahead[1])
        if there not in self.model.taken:
            self.model.taken.remove(self.cell)
            self.model.taken.add(there)
            self.cell = there
        if self.cell in self.model.exits:
            self.model.taken.remove(self.cell)
            self.remove()


class Building(mesa.Model):
    """A floor with people and exits; `ways` is the flow field to the nearest exit."""

    def __init__(self, grid: wg.Grid, people: int, seed: int = 1) -> None:
        super().__init__(rng=np.random.default_rng(seed))
        reachable = np.argwhere(grid.components == np.bincount(grid.components[grid.passable]).argmax())[:, ::-1]
        cells = [(int(x), int(y)) for x, y in reachable]
        self.exits = {cells[0], cells[-1]}
        self.ways = wg.distances(grid, sorted(self.exits), reverse=True)
        inside = [cell for cell in cells if cell not in self.exits]
        chosen = np.random.default_rng(seed).choice(len(inside), people, replace=False)
        self.taken = {inside[i] for i in chosen}
        for i in chosen:
            Person(self, inside[i])

    def step(self) -> None:
        self.agents.shuffle_do("step")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--size", default="60x40", help="of the building, in cells")
    given = parser.parse_args()
    width, height = (int(side) for side in given.size.split("x"))

    building = Building(wg.generate("indoor", width=width, height=height, seed=3), given.people)
    steps = 0
    while len(building.agents) and steps < 2000:
        building.step()
        steps += 1
    print(f"{given.people - len(building.agents)} of {given.people} people are outside after {steps} steps")


if __name__ == "__main__":
    main()
