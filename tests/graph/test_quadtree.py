"""Quadtrees of grids: a partition of the passable cells, with edges where the grid allows a move."""

import math

import numpy as np
import pytest
from cases import cases, grid_of
from hypothesis import given, settings

import waygrid as wg


@settings(max_examples=300)
@given(cases(largest=13, topologies=("tile", "octile"), one_way=False))
def test_a_partition_with_legal_borders(case):
    graph = wg.Graph.quadtree(grid_of(case))
    free = set(case.cells())
    owner = {}
    for node, (x, y, side) in enumerate(graph.squares.tolist()):
        assert side & (side - 1) == 0
        assert x % side == y % side == 0
        weights = set()
        for cell in ((x + dx, y + dy) for dx in range(side) for dy in range(side)):
            assert cell in free
            assert cell not in owner
            owner[cell] = node
            weights.add(1 if case.weights is None else int(case.weights[cell[1], cell[0]]))
        assert len(weights) == 1
        assert graph.points[node].tolist() == [x + (side - 1) / 2, y + (side - 1) / 2]
    assert set(owner) == free
    for (x, y), node in owner.items():
        assert graph.cells[y, x] == node == graph.node_at((x, y))
    assert (graph.cells >= 0).sum() == len(free)
    legal = {
        (owner[cell], owner[nx, ny])
        for cell in free
        for nx, ny, _ in case.neighbours(*cell)
        if owner[cell] < owner[nx, ny]
    }
    assert {tuple(edge) for edge in graph.edges.tolist()} == legal


@settings(max_examples=300)
@given(cases(largest=13, topologies=("tile", "octile"), one_way=False))
def test_squares_are_as_large_as_they_can_be(case):
    """Four squares that fill one of twice the side do not all have the same weight."""
    graph = wg.Graph.quadtree(grid_of(case))
    known = {tuple(square) for square in graph.squares.tolist()}
    for x, y, side in known:
        left, top = x - x % (2 * side), y - y % (2 * side)
        four = [(left + a, top + b, side) for a in (0, side) for b in (0, side)]
        if all(square in known for square in four):
            assert case.weights is not None
            assert len({int(case.weights[b, a]) for a, b, _ in four}) > 1


@settings(max_examples=150)
@given(cases(largest=13, topologies=("octile",), one_way=False, weighted=False))
def test_edges_cost_the_way_between_the_middles(case):
    graph = wg.Graph.quadtree(grid_of(case))
    for (one, other), cost in zip(graph.edges.tolist(), graph.costs.tolist(), strict=True):
        dx, dy = np.abs(graph.points[one] - graph.points[other])
        assert cost == pytest.approx(max(dx, dy) + (case.diagonal - 1) * min(dx, dy))


def test_weights_count_by_the_way_through_each_square():
    grid = wg.Grid(np.ones((2, 3)), weights=[[1, 1, 5], [1, 1, 1]], topology="tile")
    graph = wg.Graph.quadtree(grid)
    assert graph.squares.tolist() == [[0, 0, 2], [2, 0, 1], [2, 1, 1]]
    # From (0.5, 0.5) to (2, 0): 2 moves, two thirds of them in the large square.
    assert dict(zip(map(tuple, graph.edges.tolist()), graph.costs.tolist(), strict=True)) == pytest.approx(
        {(0, 1): 2 * (2 * 1 + 1 * 5) / 3, (0, 2): 2.0, (1, 2): 3.0}
    )


def test_corners_decide_on_edges_across_them():
    passable = [[1, 0], [0, 1]]
    for rule, edges in (("never", 0), ("one", 0), ("always", 1)):
        assert len(wg.Graph.quadtree(wg.Grid(passable, corners=rule)).edges) == edges
    assert wg.Graph.quadtree(wg.Grid(passable, corners="always")).costs[0] == pytest.approx(math.sqrt(2))


def test_reachability_is_that_of_the_grid():
    grid = wg.generate("caves", width=70, height=45, seed=6)
    graph = wg.Graph.quadtree(grid)
    free = np.argwhere(grid.passable)[:, ::-1]
    chance = np.random.default_rng(0)
    starts, goals = chance.choice(free, 200), chance.choice(free, 200)
    on_grid = wg.make_finder("astar", grid).find_many(starts, goals)
    for name in ("astar", "astar-gb"):
        found = wg.make_finder(name, graph).find_many(graph.node_at(starts), graph.node_at(goals))
        assert (found.statuses == on_grid.statuses).all()
        far = np.isfinite(on_grid.costs) & (on_grid.costs > 20)
        ratio = found.costs[far] / on_grid.costs[far]
        assert ratio.min() > 0.8  # from middle to middle, so a little may be missing at both ends
        assert ratio.mean() < 1.15
    assert len(graph) < len(free) / 2


def test_a_narrow_map_takes_no_square_of_memory():
    graph = wg.Graph.quadtree(wg.Grid(np.ones((1, 60_000))))
    assert len(graph) == 60_000
    assert wg.Graph.quadtree(wg.Grid(np.ones((16, 16)))).squares.tolist() == [[0, 0, 16]]
    assert len(wg.Graph.quadtree(wg.Grid(np.zeros((3, 3))))) == 0


def test_what_cannot_be_is_refused():
    grid = wg.Grid(np.ones((3, 3)))
    graph = wg.Graph.quadtree(grid)
    for words, call in (
        ("a quadtree needs a Grid, not list", lambda: wg.Graph.quadtree([[1]])),
        ("topology 'hex'; allowed are tile, octile", lambda: wg.Graph.quadtree(wg.Grid([[1]], topology="hex"))),
        ("cell (3, 0) is outside the map of 3 x 3 cells", lambda: graph.node_at((3, 0))),
        ("cell (-1, 2) is outside", lambda: graph.node_at([(0, 0), (-1, 2)])),
        ("two integers", lambda: graph.node_at((0.5, 0.5))),
        ("cell (0, 0) is in a wall", lambda: wg.Graph.quadtree(wg.Grid([[0, 1]])).node_at((0, 0))),
    ):
        with pytest.raises(wg.WaygridError) as caught:
            call()
        assert words in str(caught.value)
    grid.set_one_way((0, 0), ["E"])
    with pytest.raises(wg.WaygridError, match="one-way tiles"):
        wg.Graph.quadtree(grid)
