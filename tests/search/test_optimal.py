"""Every search that claims optimality against an obvious Dijkstra, over all topologies, rules, metrics and weights."""

import pytest
from cases import cases, check, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg

pytestmark = pytest.mark.quick

SQUARE = ("manhattan", "octile", "chebyshev", "euclidean", "zero")
SHIFTED = ("vancouver", "vancouver-printed", "euclidean", "zero")


# What promises the cheapest path, and by which estimates A* does: written here again, so that a promise that is lost or
# made by mistake shows.
OPTIMAL = {
    "astar",
    "astar-gb",
    "ch",
    "cpd",
    "dead-end",
    "dijkstra",
    "dijkstra-gb",
    "gateway",
    "ida",
    "jps",
    "jps+",
    "jps+gb",
    "jpsw",
    "turntable",
}
OPTIMAL |= {"sglrta"}
OPTIMAL |= {"anya", "taut"}  # the shortest path of straight legs
ADMISSIBLE = {
    "tile": {"manhattan", "octile", "chebyshev", "euclidean", "zero"},
    "octile": {"octile", "chebyshev", "euclidean", "zero"},
    "hex": {"vancouver", "vancouver-printed", "euclidean", "zero"},
    "tex": {"vancouver", "vancouver-printed", "euclidean", "zero"},
}


def test_the_promises_are_those_written_here():
    assert {name for name, info in wg.algorithms().items() if info.optimal} == OPTIMAL
    for topology, names in ADMISSIBLE.items():
        grid = wg.Grid([[1] * 6] * 6, topology=topology)
        known = SQUARE if topology in ("tile", "octile") else SHIFTED
        assert {name for name in known if wg.make_finder("astar", grid, heuristic=name).optimal} == names, topology


@settings(max_examples=1200)
@given(cases(), st.sampled_from(SQUARE), st.sampled_from(SHIFTED), st.integers(0, 99))
def test_astar_is_optimal_with_every_admissible_heuristic(case, square, shifted, seed):
    name = square if case.topology in ("tile", "octile") else shifted
    finder = wg.make_finder("astar", grid_of(case), heuristic=name)
    if finder.optimal:
        check(case, finder, seed=seed)


@settings(max_examples=600)
@given(cases(), st.integers(0, 99))
def test_dijkstra_and_natural_astar_are_optimal(case, seed):
    grid = grid_of(case)
    check(case, wg.make_finder("dijkstra", grid), seed=seed)
    check(case, wg.make_finder("astar", grid), seed=seed)
    check(case, wg.make_finder("astar", grid, weight=0.5), seed=seed)


@settings(max_examples=400)
@given(cases(largest=5, weighted=False), st.integers(0, 99))
def test_ida_with_sound_pruning_is_optimal(case, seed):
    check(case, wg.make_finder("ida", grid_of(case)), goals=6, seed=seed)


@settings(max_examples=300)
@given(cases(largest=4), st.integers(0, 99), st.sampled_from(("sound", "reverse", "none")))
def test_ida_is_optimal_on_weighted_maps(case, seed, pruning):
    if case.weights is not None:
        case.weights = (case.weights - 1) % 3 + 1
    check(case, wg.make_finder("ida", grid_of(case), pruning=pruning), sources=1, goals=4, seed=seed)


@settings(max_examples=300)
@given(cases(), st.floats(1.0, 3.0), st.integers(0, 99))
def test_weighted_astar_keeps_its_bound(case, weight, seed):
    finder = wg.make_finder("astar", grid_of(case), weight=weight)
    for start, goal in pairs_of(case, 6, seed):
        path, truth = finder.find(start, goal), case.dijkstra(start)
        assert (path.status == wg.Status.FOUND) == (goal in truth)
        if goal in truth:
            assert path.cost <= truth[goal] * weight * (1 + 1e-7) + 1e-9


@settings(max_examples=400)
@given(cases(), st.integers(0, 99))
def test_breadth_first_takes_the_fewest_moves(case, seed):
    grid = grid_of(case)
    for name in ("bfs", "bibfs", "iddfs"):
        finder = wg.make_finder(name, grid)
        for start, goal in pairs_of(case, 5, seed):
            depth, path = case.moves_away(start), finder.find(start, goal)
            assert (path.status == wg.Status.FOUND) == (goal in depth), name
            if goal in depth:
                assert len(path.cells) - 1 == depth[goal], (name, start, goal)
                case.path_cost(path.cells)


@settings(max_examples=400)
@given(cases(), st.integers(0, 99))
def test_the_others_find_legal_paths_wherever_there_is_one(case, seed):
    grid = grid_of(case)
    finders = [wg.make_finder("dfs", grid), wg.make_finder("best-first", grid)]
    if case.topology in ("tile", "octile"):
        finders += [wg.make_finder("astar-overestimate", grid, reading=k) for k in ("K1", "K2", "K3", "K4")]
        finders.append(wg.make_finder("astar", grid, heuristic="manhattan"))
    for finder in finders:
        for start, goal in pairs_of(case, 5, seed):
            reach, path = case.moves_away(start), finder.find(start, goal)
            assert (path.status == wg.Status.FOUND) == (goal in reach), finder
            if goal in reach:
                assert path.cost == pytest.approx(case.path_cost(path.cells), rel=1e-12)


@settings(max_examples=600)
@given(cases(one_way=False), st.integers(0, 99))
def test_robust_step_taking_arrives_wherever_there_is_a_way(case, seed):
    finder = wg.make_finder("step", grid_of(case))
    for start, goal in pairs_of(case, 8, seed):
        reach, path = case.moves_away(start), finder.find(start, goal)
        if goal in reach:
            assert path.status == wg.Status.FOUND, (case, start, goal)
            case.path_cost(path.cells)
        else:
            assert path.status == wg.Status.UNREACHABLE


@settings(max_examples=200)
@given(cases(), st.sampled_from(("random", "trace")), st.integers(0, 99))
def test_step_taking_walks_legally_and_gives_up_in_time(case, avoid, seed):
    finder = wg.make_finder("step", grid_of(case), avoid=avoid, max_steps=300, seed=seed)
    for start, goal in pairs_of(case, 4, seed):
        path = finder.find(start, goal)
        if path.status in (wg.Status.FOUND, wg.Status.CUTOFF):
            assert len(path.cells) <= 301
            case.path_cost(path.cells)
