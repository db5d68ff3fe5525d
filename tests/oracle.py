"""Slow, obvious versions of everything. Nothing is shared with the package: the rules are written out again."""

import heapq
import math
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

SQUARE = {
    "N": (0, -1),
    "E": (1, 0),
    "S": (0, 1),
    "W": (-1, 0),
    "NE": (1, -1),
    "SE": (1, 1),
    "SW": (-1, 1),
    "NW": (-1, -1),
}
DIAGONAL_COST = {"octile": math.sqrt(2), "dba": 1.4, "kumar": 1.4, "bg": 1.5, "unit": 1.0}


@dataclass
class Case:
    """A map and its rules, plainly."""

    passable: np.ndarray
    topology: str = "octile"
    corners: str = "never"
    metric: object = "octile"
    weights: np.ndarray | None = None
    clearance: int = 1
    rule: str = "enter"  # the weight of the cell entered counts, or "mean": that of both cells
    one_way: dict = field(default_factory=dict)  # (x, y) -> set of names
    blocked: set = field(default_factory=set)

    @property
    def diagonal(self):
        return DIAGONAL_COST[self.metric] if isinstance(self.metric, str) else self.metric[1] / self.metric[0]

    def fits(self, x, y):
        height, width = self.passable.shape
        for dy in range(self.clearance):
            for dx in range(self.clearance):
                if not (0 <= x + dx < width and 0 <= y + dy < height):
                    return False
                if not self.passable[y + dy, x + dx] or (x + dx, y + dy) in self.blocked:
                    return False
        return True

    def steps(self, x):
        if self.topology in ("hex", "tex"):
            up, down = (-1, 0) if x % 2 else (0, 1)
            return {"N": (0, -1), "NE": (1, up), "SE": (1, down), "S": (0, 1), "SW": (-1, down), "NW": (-1, up)}
        return SQUARE if self.topology == "octile" else {name: SQUARE[name] for name in "NESW"}

    def neighbours(self, x, y):
        """Yield (x, y, price in cells) of every legal move."""
        for name, (dx, dy) in self.steps(x).items():
            if name not in self.one_way.get((x, y), name):
                continue
            if not self.fits(x + dx, y + dy):
                continue
            price = 1.0
            if self.topology == "octile" and dx and dy:
                sides = self.fits(x + dx, y) + self.fits(x, y + dy)
                if sides < {"never": 2, "one": 1, "always": 0}[self.corners]:
                    continue
                price = self.diagonal
            yield x + dx, y + dy, price * self.weight_of_move((x, y), (x + dx, y + dy))

    def weight_of_move(self, here, there):
        if self.weights is None:
            return 1
        if self.rule == "mean":
            return (int(self.weights[here[1], here[0]]) + int(self.weights[there[1], there[0]])) / 2
        return int(self.weights[there[1], there[0]])

    def cells(self):
        height, width = self.passable.shape
        return [(x, y) for y in range(height) for x in range(width) if self.fits(x, y)]

    def dijkstra(self, source):
        """Return the cheapest cost to every cell that can be reached."""
        done, queue = {}, [(0.0, source)]
        while queue:
            cost, cell = heapq.heappop(queue)
            if cell in done:
                continue
            done[cell] = cost
            for x, y, price in self.neighbours(*cell):
                if (x, y) not in done:
                    heapq.heappush(queue, (cost + price, (x, y)))
        return done

    def moves_away(self, source):
        """Return the fewest moves to every cell that can be reached."""
        depth, layer = {source: 0}, [source]
        while layer:
            following = []
            for cell in layer:
                for x, y, _ in self.neighbours(*cell):
                    if (x, y) not in depth:
                        depth[x, y] = depth[cell] + 1
                        following.append((x, y))
            layer = following
        return depth

    def path_cost(self, cells, blocked_start=False):
        """Return the cost of a path, asserting that each of its moves is legal."""
        cells = [tuple(map(int, cell)) for cell in cells]
        assert blocked_start or self.fits(*cells[0])
        total = 0.0
        for here, there in pairwise(cells):
            prices = [price for x, y, price in self.neighbours(*here) if (x, y) == there]
            assert prices, f"illegal move {here} -> {there}"
            total += prices[0]
        return total
