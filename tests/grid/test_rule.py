"""The price rule "mean": a move costs its length times the mean of the weights of both its cells."""

import pickle

import numpy as np
import pytest
from cases import cases, check, grid_of, pairs_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.grid.legal import path_cost

pytestmark = pytest.mark.quick

MEAN = ("mean",)
PRICED = {"astar", "dijkstra", "best-first", "astar-overestimate", "bfs", "bibfs", "dfs", "iddfs", "step"}


def mean_grid(weights=((1, 3, 5),), **rules):
    return wg.Grid(np.ones(np.shape(weights)), weights=weights, rule="mean", **rules)


def test_a_move_costs_the_mean_of_both_cells():
    grid = mean_grid([[1, 4, 9], [9, 9, 2]], corners="always")
    path = wg.make_finder("astar", grid).find((0, 0), (2, 1))
    assert path.cells.tolist() == [[0, 0], [1, 0], [2, 1]]
    assert path.cost == 2.5 + 3 * 2**0.5
    assert path.cost == path_cost(grid, path.cells)
    assert path.stats.estimate == pytest.approx(1 + 2**0.5, rel=1e-7)


@settings(max_examples=500)
@given(cases(rules=MEAN), st.sampled_from((None, "euclidean", "zero")), st.integers(0, 99))
def test_searches_are_optimal(case, heuristic, seed):
    grid = grid_of(case)
    check(case, wg.make_finder("astar", grid, heuristic=heuristic), seed=seed)
    check(case, wg.make_finder("dijkstra", grid), seed=seed)


@settings(max_examples=200)
@given(cases(rules=MEAN), st.booleans(), st.integers(0, 99))
def test_distances_are_those_of_the_oracle(case, reverse, seed):
    assume(not case.one_way or not reverse)  # then both ways cost the same
    grid = grid_of(case)
    for source, _ in pairs_of(case, 1, seed):
        field, truth = wg.distances(grid, source, reverse=reverse), case.dijkstra(source)
        for x, y in case.cells():
            assert field[y, x] == pytest.approx(truth.get((x, y), np.inf), rel=1e-7)
            if (x, y) in truth:
                cells = field.path_from((x, y))
                assert case.path_cost(cells if reverse else cells[::-1]) == pytest.approx(truth[x, y], rel=1e-7)


@settings(max_examples=100)
@given(cases(rules=MEAN), st.integers(0, 99))
def test_all_that_take_the_rule_report_costs_by_it(case, seed):
    grid = grid_of(case)
    for name in sorted(PRICED):
        info = wg.algorithms()[name]
        if case.topology not in info.topologies or (case.one_way and not info.one_way):
            continue
        for start, goal in pairs_of(case, 3, seed):
            path = wg.make_finder(name, grid).find(start, goal)
            assert path.cost == pytest.approx(case.path_cost(path.cells) if len(path) else np.inf, rel=1e-12)
            assert not len(path) or path.cost == pytest.approx(path_cost(grid, path.cells), rel=1e-12)


@settings(max_examples=100)
@given(cases(rules=MEAN, one_way=False), st.integers(0, 99))
def test_edits_and_replanning_follow_the_rule(case, seed):
    grid = grid_of(case)
    finder = wg.make_finder("astar", grid)
    for start, goal in pairs_of(case, 3, seed):
        path = finder.find(start, goal)
        x, y = start
        if case.weights is None or not len(path):
            continue
        case.weights[y, x] = weight = (int(case.weights[y, x]) * 7 + 3) % 9 + 1
        grid.set_weight(start, weight)
        assert grid == grid_of(case)
        check(case, finder, sources=1, goals=4, seed=seed)
        again = finder.replan(path, start)
        assert again.cost == pytest.approx(case.dijkstra(start)[goal], rel=1e-7)


def test_the_rule_belongs_to_the_grid():
    grid, plain = mean_grid(), wg.Grid([[1, 1, 1]], weights=[[1, 3, 5]])
    assert (grid.rule, plain.rule, grid.price_scale, plain.price_scale) == ("mean", "enter", 0.5, 1.0)
    assert "rule='mean'" in repr(grid)
    assert "rule" not in repr(plain)
    assert grid != plain
    for twin in (grid.copy(), pickle.loads(pickle.dumps(grid)), grid.twin(grid.passable, grid.weights)):
        assert twin == grid
        assert twin.rule == "mean"
        assert wg.make_finder("dijkstra", twin).find((0, 0), (2, 0)).cost == 6
    grid.set_weight((slice(0, 3), slice(0, 1)), 1)
    assert grid.weights is not None  # prices stay those of two cells
    assert wg.make_finder("astar", grid).find((0, 0), (2, 0)).cost == 2


def test_who_takes_the_rule_is_declared():
    assert {name for name, info in wg.algorithms().items() if info.mean} == PRICED
    for name, info in wg.algorithms().items():
        if name not in PRICED and info.weights:
            with pytest.raises(wg.WaygridError, match=f"{name} does not support rule 'mean'; take one of dijkstra, as"):
                wg.make_finder(name, mean_grid(topology=info.topologies[0], corners=info.corners[0]))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: wg.Grid([[1]], rule="mean"), "rule 'mean' prices moves by weights, and the map has none"),
        (lambda: wg.Grid([[1]], rule="max"), "rule is 'max'; allowed are enter, mean"),
        (lambda: wg.Graph.quadtree(mean_grid()), "a quadtree does not support rule 'mean'"),
    ],
)
def test_bad_rules_are_refused(make, words):
    with pytest.raises(wg.WaygridError, match=words):
        make()
