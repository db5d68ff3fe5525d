"""Costs at every limit of sides, weights and metrics: no number of the searches overflows."""

import numpy as np
import pytest
from cases import grid_of, pairs_of
from edited import supporting
from oracle import Case
from torture.edits import check

import waygrid as wg

LARGEST_WEIGHT, LARGEST_PRICE, LARGEST_SIDE = 65535, 2**20, 65535
NEVER_SURE = {"ida", "iddfs", "step"}  # may take too long, or give up
ON_LONG_MAPS = ("bfs", "bibfs", "dfs", "dijkstra", "best-first", "astar", "jps", "jpsw")
LIMITS = [
    ((LARGEST_PRICE, LARGEST_PRICE), (1, LARGEST_WEIGHT)),
    ((LARGEST_PRICE // 2, LARGEST_PRICE), (LARGEST_WEIGHT,)),
    ((LARGEST_PRICE - 1, LARGEST_PRICE), None),
    ((1, 1), (1, LARGEST_WEIGHT)),
    ("octile", (1, 2, LARGEST_WEIGHT)),
    ("octile", None),
]


@pytest.mark.parametrize("topology", ["octile", "tile", "hex"])
@pytest.mark.parametrize(("metric", "weights"), LIMITS)
def test_the_largest_prices(topology, metric, weights):
    """One move may cost more than 32 bits hold."""
    chance = np.random.default_rng(1)
    passable = chance.random((9, 11)) > 0.2
    priced = None if weights is None else chance.choice(weights, passable.shape)
    case = Case(passable, topology, "never", metric, priced)
    for finder in supporting(grid_of(case), [name for name in wg.algorithms() if name not in NEVER_SURE]):
        if finder.info.real_time and weights is not None:  # agents climb out of a cost of 65535 step by step
            for pair in pairs_of(case, 3, 1):
                path = finder.find(*pair)
                assert path.cost == pytest.approx(case.path_cost(path.cells), rel=1e-9) if len(path) else not path
        else:
            check(case, finder, pairs_of(case, 8, 1))


@pytest.mark.parametrize("weight", [1, 2**11])
@pytest.mark.parametrize("more", [-2, -1, 0, 1, 2])
def test_costs_around_two_to_the_31(weight, more):
    """Where searches go over from 32 to 64 bits."""
    price, side = (2**20, 2**11 + more) if weight == 1 else (2**10, 2**10 + more)
    weights = None if weight == 1 else np.full((1, side), weight, np.uint16)
    for shape in ((1, side), (side, 1)):
        priced = None if weights is None else weights.reshape(shape)
        grid = wg.Grid(np.ones(shape, bool), metric=(price, price), weights=priced)
        ends = (0, 0), (shape[1] - 1, shape[0] - 1)
        for name in ("dijkstra", "astar", "best-first", "bfs", "jps", "jps+", "jpsw", "dijkstra-gb", "dead-end", "ch"):
            if weights is None or wg.algorithms()[name].weights:
                finder = wg.make_finder(name, grid)
                assert finder.find(*ends).cost == (side - 1) * weight, name
                assert finder.find(*reversed(ends)).cost == (side - 1) * weight, name


@pytest.mark.parametrize("shape", [(1, LARGEST_SIDE), (LARGEST_SIDE, 1)])
@pytest.mark.parametrize("weight", [1, LARGEST_WEIGHT])
def test_the_longest_side(shape, weight):
    weights = None if weight == 1 else np.full(shape, weight, np.uint16)
    for metric in ("octile", (LARGEST_PRICE, LARGEST_PRICE)):
        grid = wg.Grid(np.ones(shape, bool), metric=metric, weights=weights)
        ends, cost = ((0, 0), (shape[1] - 1, shape[0] - 1)), (LARGEST_SIDE - 1) * weight
        for name in ON_LONG_MAPS:
            if weights is None or wg.algorithms()[name].weights:
                path = wg.make_finder(name, grid).find(*ends)
                assert (path.cost, len(path)) == (cost, LARGEST_SIDE), name
        field = wg.distances(grid, ends[0])
        assert field[shape[0] - 1, shape[1] - 1] == cost


def test_a_side_too_long_is_refused():
    with pytest.raises(wg.WaygridError, match="at most 65535 cells per side"):
        wg.Grid(np.ones((1, LARGEST_SIDE + 1), bool))
    with pytest.raises(wg.WaygridError, match="allowed are 1 to 65535"):
        wg.Grid([[1]], weights=[[LARGEST_WEIGHT + 1]])
    with pytest.raises(wg.WaygridError, match="up to 1048576"):
        wg.Grid([[1]], metric=(LARGEST_PRICE, LARGEST_PRICE + 1))
