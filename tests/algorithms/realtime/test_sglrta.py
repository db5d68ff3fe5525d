"""sgLRTA*: trees whose chains cost the least, optimal walks, bounded steps, limits, what is kept."""

from itertools import pairwise

import numpy as np
import pytest
from cases import cases, check, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.core import layout

SMALL = {"topologies": ("tile", "octile"), "one_way": False, "weighted": False}


def tree_of(finder, goal):
    """The nodes of a goal's tree: cell (x, y), parent's place, cost in the metric's integers."""
    index, width = finder.index, finder.grid.width
    number = int(index["ids"][goal[1] * width + goal[0]])
    part = slice(int(index["offsets"][number]), int(index["offsets"][number + 1]))
    cells = [divmod(int(index["cells"][node]), width)[::-1] for node in index["nodes"][part]]
    return list(zip(cells, index["parents"][part].tolist(), index["costs"][part].tolist(), strict=True))


@settings(max_examples=150)
@given(cases(largest=12, **SMALL), st.integers(0, 99))
def test_chains_cost_the_least(case, seed):
    grid = grid_of(case)
    finder = wg.make_finder("sglrta", grid, threads=1)
    finder.verify()
    straight, diagonal = (int(grid.table.geo[k]) for k in (layout.CARDINAL, layout.DIAGONAL))
    for goal, _ in pairs_of(case, 4, seed):
        truth, nodes = case.dijkstra(goal), tree_of(finder, goal)
        assert (nodes[0][0], nodes[0][2]) == (goal, 0)
        assert len({cell for cell, _, _ in nodes}) == len(nodes)
        assert [cost for _, _, cost in nodes] == sorted(cost for _, _, cost in nodes)
        for (x, y), parent, cost in nodes[1:]:
            (px, py), _, rest = nodes[parent]
            dx, dy = abs(x - px), abs(y - py)
            across = min(dx, dy) if case.topology == "octile" else 0
            assert cost == rest + diagonal * across + straight * (dx + dy - 2 * across)
            assert cost / straight == pytest.approx(truth[x, y], rel=1e-6)


@pytest.mark.quick
@settings(max_examples=200)
@given(cases(largest=12, **SMALL), st.integers(0, 99))
def test_walks_are_the_cheapest(case, seed):
    check(case, wg.make_finder("sglrta", grid_of(case), threads=1), seed=seed)


@settings(max_examples=60)
@given(cases(largest=12, **SMALL), st.sampled_from((1, 2, 3, 10)), st.integers(0, 99))
def test_agents_walk_as_find_does_whatever_a_step_may_cost(case, expansions, seed):
    finder = wg.make_finder("sglrta", grid_of(case), threads=1)
    pairs = pairs_of(case, 5, seed)
    if not pairs:
        return
    starts, goals = zip(*pairs, strict=True)
    pool = finder.agents(starts, goals, expansions, history=True)
    while not pool.done.all():
        pool.step()
    assert (pool.max_expanded <= expansions).all()
    for path, way in zip(finder.find_many(starts, goals, threads=1), pool.paths(), strict=True):
        if path.status == wg.Status.FOUND:
            assert path.cells.tolist() == way.tolist()


def test_larger_maps_are_refused():
    grid = wg.Grid(np.ones((20, 20), bool))
    message = "the map has 400 cells, and sglrta makes a tree for each; allowed are 399: the option max_cells=400"
    with pytest.raises(wg.WaygridError, match=message):
        wg.make_finder("sglrta", grid, max_cells=399)
    assert wg.make_finder("sglrta", grid, max_cells=400).find((0, 0), (19, 19)).cost == pytest.approx(19 * 2**0.5)
    assert wg.algorithms()["sglrta"].options["max_cells"].default == 50_000
    with pytest.raises(wg.WaygridError, match="max_cells is 0; allowed are the integers from 1"):
        wg.make_finder("sglrta", grid, max_cells=0)


def test_the_trees_are_the_same_for_any_number_of_threads():
    grid = wg.generate("caves", width=40, height=30, seed=5)
    one, other = (wg.make_finder("sglrta", grid, threads=threads) for threads in (1, 3))
    assert all((one.index[name] == other.index[name]).all() for name in one.index)
    assert one.memory.fixed_bytes == sum(array.nbytes for array in one.index.values())
    assert one.subgoals() == {"trees": np.count_nonzero(grid.passable), "nodes": len(one.index["nodes"])}


def test_saved_and_loaded(tmp_path):
    grid = wg.generate("rooms", width=40, height=30, seed=5, corners="one")
    finder = wg.make_finder("sglrta", grid)
    finder.save(tmp_path / "trees.wgi")
    loaded = wg.load_finder(tmp_path / "trees.wgi", grid, verify=True)
    loaded.verify()
    ys, xs = np.nonzero(grid.passable)
    cells = np.stack([xs, ys], axis=1)[np.random.default_rng(1).integers(len(xs), size=(2, 60))]
    one, other = finder.find_many(*cells), loaded.find_many(*cells)
    assert (one.rows == other.rows).all()
    assert (one.cells == other.cells).all()


def test_a_changed_tree_is_noticed():
    finder = wg.make_finder("sglrta", wg.generate("maze", width=21, height=21, seed=3))
    broken = finder.index["parents"].copy()
    node = int(np.argmax(finder.index["parents"]))
    broken[node] = 0
    finder.index["parents"] = broken
    with pytest.raises(wg.WaygridError, match="does not lead to the next one"):
        finder.verify()


def test_traces_show_the_subgoals_of_the_tree():
    grid = wg.generate("maze", width=31, height=21, seed=3)
    finder = wg.make_finder("sglrta", grid)
    start, goal = (1, 1), (29, 19)
    trace = finder.trace(start, goal)
    shown = trace.events["node"][trace.events["kind"] == layout.E_SUBGOAL].tolist()
    aims = [divmod(node, grid.width)[::-1] for node in shown]
    nodes = tree_of(finder, goal)
    places = {cell: place for place, (cell, _, _) in enumerate(nodes)}
    assert len(aims) > 3
    for here, there in pairwise(aims):
        assert places[there] == nodes[places[here]][1]
    visited = [tuple(cell) for cell in trace.path.cells.tolist()]
    assert [visited.index(aim) for aim in aims] == sorted(visited.index(aim) for aim in aims)
    assert aims[-1] == goal
