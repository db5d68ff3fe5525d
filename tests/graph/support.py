"""Random graphs, and what is true of them, found the slow and obvious way."""

import heapq
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

import waygrid as wg

NAMES = ("dijkstra", "astar", "dijkstra-gb", "astar-gb")
BOUNDED = ("dijkstra-gb", "astar-gb")


@dataclass
class Drawn:
    """Points, edges as given (loops, duplicates and all) and their costs."""

    points: np.ndarray
    edges: np.ndarray
    costs: np.ndarray | None
    directed: bool

    @property
    def graph(self):
        return wg.Graph(self.points, self.edges, self.costs, self.directed)

    def links(self):
        """Return {node: {neighbour: cheapest cost}}, as fractions: their sums are exact."""
        found = {node: {} for node in range(len(self.points))}
        for number, (one, other) in enumerate(self.edges.tolist()):
            if one == other:
                continue
            if self.costs is None:
                cost = Fraction(float(np.hypot.reduce(self.points[one] - self.points[other])))
            else:
                cost = Fraction(float(self.costs[number]))
            for a, b in ((one, other),) if self.directed else ((one, other), (other, one)):
                found[a][b] = min(cost, found[a].get(b, cost))
        return found


def dijkstra(links, source):
    """Return the cheapest cost to every node that can be reached."""
    done, queue = {}, [(0, source)]
    while queue:
        cost, node = heapq.heappop(queue)
        if node in done:
            continue
        done[node] = cost
        for other, price in links[node].items():
            if other not in done:
                heapq.heappush(queue, (cost + price, other))
    return done


@st.composite
def drawn_graphs(draw, most=14, whole=False):
    """Draw sizes and kinds, and the rest from a seed. whole: small integer costs, for many ties."""
    nodes = draw(st.integers(1, most))
    chance = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    axes = draw(st.sampled_from((2, 3)))
    edges = chance.integers(0, nodes, (draw(st.integers(0, 3 * nodes)), 2))
    kind = "whole" if whole else draw(st.sampled_from(("whole", "length", "real", "wild")))
    if draw(st.booleans()):
        points = chance.integers(-3, 4, (nodes, axes)).astype(float)  # several at one place, in rows and columns
    else:
        points = chance.normal(size=(nodes, axes)) * 10.0 ** chance.integers(-3, 4)
    costs = {
        "whole": lambda: chance.integers(1, 4, len(edges)).astype(float),
        "real": lambda: chance.random(len(edges)) + 0.01,
        "wild": lambda: 10.0 ** chance.integers(-4, 5, len(edges)),
        "length": lambda: None,
    }[kind]()
    if kind == "length":
        points = chance.permutation(nodes)[:, None] + points / (3 + 3 * np.abs(points).max())  # no two at one place
    return Drawn(points, edges, costs, draw(st.booleans()))
