"""Searches as on large maps: the paths and counters are those of a record per cell, and the costs the oracle's.

With weights and an open list of two levels the order differs within a bucket: then another path as cheap may be found.
"""

import numpy as np
import pytest
from cases import cases, check, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.classic import best_first

pytestmark = pytest.mark.quick

RULES = ("enter", "mean")


@pytest.fixture(params=[None, 64], ids=["labels", "no-labels"])
def large(request, monkeypatch):
    """Let every map count as large; without labels also as one whose components are not numbered."""
    monkeypatch.setattr(best_first, "LARGE", 0)
    if request.param:
        monkeypatch.setattr(best_first, "LABELLED", 0)


def make(name, grid, *, large, fine=None, **options):
    """Make a finder; fine: with an open list of two levels, this the fewest buckets of the finer one (64 or 128)."""
    with pytest.MonkeyPatch.context() as patch:
        if fine is not None:
            patch.setattr(best_first, "_ONE_LEVEL", 0)
            patch.setattr(best_first, "_FINE", fine)
        finder = wg.make_finder(name, grid, **options)
        finder._keeps_records = not large
        finder._check_version()
        assert finder._is_large == large
    assert fine is None or has_two_levels(finder)
    return finder


def has_two_levels(finder):
    return finder._pool.shape.queue > 1 << int(finder._policy[16])


def facts(path):
    return path.status, path.cost, path.cells.tolist(), path.stats[:5]


def agree(finder, path, known):
    """Return whether two paths are the same, or as cheap where the order of expansions may differ."""
    if finder.grid.weights is None or not has_two_levels(finder):
        return facts(path) == facts(known)
    same = path.status == known.status and path.cost == pytest.approx(known.cost, rel=1e-7)
    return same and (len(path) == 0 or path.is_valid(finder.grid))


@settings(max_examples=250)
@given(
    cases(rules=RULES),
    st.sampled_from((None, "euclidean", "zero", "chebyshev")),
    st.sampled_from((1.0, 0.7)),
    st.integers(0, 99),
)
def test_paths_and_counters_are_those_of_records(case, name, weight, seed):
    grid = grid_of(case)
    if name == "chebyshev" and case.topology in ("hex", "tex"):
        name = None
    for algorithm, options in (("astar", {"heuristic": name, "weight": weight}), ("dijkstra", {})):
        known, finder = (make(algorithm, grid, large=large, **options) for large in (False, True))
        pairs = pairs_of(case, 6, seed)
        for start, goal in pairs:
            assert agree(finder, finder.find(start, goal), known.find(start, goal))
            limits = {"partial": True, "max_expansions": 5}
            if grid.weights is None or not has_two_levels(finder):
                assert facts(finder.find(start, goal, **limits)) == facts(known.find(start, goal, **limits))
            assert agree(finder, *(each.find(start, goal, partial=True) for each in (finder, known)))
        if pairs:
            starts, goals = zip(*pairs, strict=True)
            many = finder.find_many(starts, goals).costs
            assert many == pytest.approx(known.find_many(starts, goals).costs, rel=1e-7)
            assert agree(finder, *(each.find_nearest(starts[0], goals) for each in (finder, known)))


@settings(max_examples=250)
@given(cases(rules=RULES), st.integers(0, 99))
def test_costs_are_those_of_the_oracle(case, seed):
    grid = grid_of(case)
    for name in ("astar", "dijkstra"):
        check(case, make(name, grid, large=True), seed=seed)


@settings(max_examples=300)
@given(
    cases(rules=RULES),
    st.sampled_from((64, 128)),
    st.sampled_from((None, "euclidean", "zero")),
    st.sampled_from((1.0, 0.7)),
    st.integers(0, 99),
)
def test_cells_that_need_no_sorting_are_reached_as_cheaply_as_can_be(case, fine, name, weight, seed):
    grid = grid_of(case)
    for algorithm, options in (("astar", {"heuristic": name, "weight": weight}), ("dijkstra", {})):
        finder = make(algorithm, grid, large=True, fine=fine, **options)
        check(case, finder, seed=seed)
        for start, goal in pairs_of(case, 2, seed):
            whole, search = finder.find(start, goal), finder.start(start, goal)
            while not search.advance(3):
                pass
            assert facts(search.path()) == facts(whole)


@settings(max_examples=100)
@given(cases(rules=RULES, one_way=False), st.integers(0, 99))
def test_blocked_cells_slices_and_traces(case, seed):
    grid = grid_of(case)
    known, finder = (make("astar", grid, large=large) for large in (False, True))
    for start, goal in pairs_of(case, 3, seed):
        blocked = [cell for cell, _ in pairs_of(case, 3, seed + 1) if cell not in (start, goal)]
        limits = {"blocked": blocked, "partial": True}
        assert agree(finder, *(each.find(start, goal, **limits) for each in (finder, known)))
        whole, search = finder.find(start, goal), finder.start(start, goal)
        while not search.advance(2):
            so_far = search.path()
            assert so_far.status == wg.Status.CUTOFF
            assert so_far.cost == pytest.approx(case.path_cost(so_far.cells), rel=1e-12)
        assert facts(search.path()) == facts(whole)
        search = finder.start(start, goal)
        search.advance(1)
        search.cancel()  # what it left behind is cleared by the next search
        assert facts(finder.find(start, goal)) == facts(whole)
        assert agree(finder, finder.trace(start, goal).path, whole)


@pytest.mark.parametrize(
    ("metric", "weight", "bits", "levels"),
    [
        ("octile", 1, 32, 1),
        ("octile", 9, 32, 1),
        ("octile", 999, 32, 2),
        ("octile", 65535, 64, 2),
        ((1, 2), 60000, 32, 1),
    ],
)
def test_records_and_levels_fit_the_keys(metric, weight, bits, levels):
    chance = np.random.default_rng(3)
    weights = chance.integers(1, weight, (60, 70), endpoint=True)
    weights[0, 0] = weight
    for rule in RULES:
        grid = wg.Grid(chance.random((60, 70)) < 0.9, weights=weights, metric=metric, rule=rule)
        for name in ("astar", "dijkstra"):
            known, finder = (make(name, grid, large=large) for large in (False, True))
            assert (finder._pool.take().nodes.itemsize * 8, 1 + has_two_levels(finder)) == (bits, levels)
            cells = np.argwhere(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())[:, ::-1]
            for start, goal in zip(cells[::600], cells[::-500], strict=False):
                assert agree(finder, finder.find(start, goal), known.find(start, goal))


def test_g_beyond_what_records_hold():
    """Costs add up to a multiple of 2 ** 28: records keep them modulo that."""
    weights = np.full((40, 400), 8000)
    weights[1::2, 3:] = 1
    passable = np.ones((40, 400), bool)
    passable[1::4, :-1] = passable[3::4, 1:] = False
    grid = wg.Grid(passable, weights=weights, metric=(7000, 8000))
    known, finder = (make("astar", grid, large=large) for large in (False, True))
    assert finder._pool.take().nodes.itemsize == 4
    path = finder.find((0, 0), (399, 38))
    assert path.cost * 7000 > 2**33
    assert agree(finder, path, known.find((0, 0), (399, 38)))


def test_the_open_list_grows(monkeypatch):
    from waygrid.search import scratch

    monkeypatch.setattr(scratch, "_FIRST_CHUNKS", 1000)
    grid = wg.Grid(np.ones((201, 203)), topology="tile", metric="unit")
    known, finder = (make("dijkstra", grid, large=large) for large in (False, True))
    path = finder.find((100, 100), (0, 1))
    assert path.stats.peak_open > 100
    assert facts(path) == facts(known.find((100, 100), (0, 1)))


def test_errors_and_ends_in_walls_are_the_same(large):
    grid = wg.Grid(["..#.", "..##"])
    finder = wg.make_finder("astar", grid)
    assert finder.find((0, 0), (3, 0)).status == wg.Status.UNREACHABLE
    assert finder.find((0, 0), (2, 0), partial=True).cells.tolist() == [[0, 0], [1, 0]]
    assert finder.find_nearest((0, 0), [(3, 0), (1, 1)])[-1] == (1, 1)
    for start, goal, words in (((2, 0), (0, 0), "start"), ((0, 0), (2, 0), "goal"), ((0, 0), (9, 0), "goal")):
        with pytest.raises(wg.WaygridError, match=words):
            finder.find(start, goal)
    grid.set_passable((2, 0), True)
    assert finder.find((0, 0), (3, 0)).cost == 3
