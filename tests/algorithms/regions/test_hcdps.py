"""HCDPS: regions that hill climbing crosses both ways, their index, legal paths, options, memory, what is kept."""

from collections import deque
from itertools import pairwise

import numpy as np
import pytest
from algorithms.regions.test_climb import climb_slowly, distance
from cases import cases, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.regions.hcdps_query import join_goal, join_start, region_of
from waygrid.algorithms.regions.hcdps_regions import find_climbable
from waygrid.core import layout

SQUARE = {"topologies": ("tile", "octile"), "one_way": False, "weighted": False}
CUTOFFS = (1, 2, 3, 5, 8, 250)


def grow_slowly(case, cutoff):
    """The regions by the rule, every climb made anew: {cell: seed}, and the seeds in their order."""
    height, width = case.passable.shape
    lattice = [
        (x, row * cutoff) for row in range(-(-height // cutoff)) for x in range(row % 2 * (cutoff // 2), width, cutoff)
    ]
    cells, owner, seeds = set(case.cells()), {}, []

    def joined(a, b):
        there, back = climb_slowly(case, a, b), climb_slowly(case, b, a)
        return there is not None and back is not None and max(len(there), len(back)) - 1 <= cutoff

    for seed in [*lattice, *sorted(cells, key=lambda cell: cell[::-1])]:
        if seed not in cells or seed in owner:
            continue
        seeds.append(seed)
        owner[seed], met, todo = seed, {seed}, deque([seed])
        while todo:
            for x, y, _ in case.neighbours(*todo.popleft()):
                cell = x, y
                if cell not in met:
                    met.add(cell)
                    nearer = cell not in owner or distance(case, cell, seed) < distance(case, cell, owner[cell]) - 1e-9
                    if nearer and joined(cell, seed):
                        owner[cell] = seed
                        todo.append(cell)
    return owner, seeds


@settings(max_examples=250)
@given(cases(largest=11, **SQUARE), st.sampled_from(CUTOFFS))
def test_regions_are_those_of_the_rule_and_touch_by_legal_moves(case, cutoff):
    grid = grid_of(case)
    cut, (owner, seeds) = find_climbable(grid, cutoff), grow_slowly(case, cutoff)
    region = cut.region.reshape(grid.height, grid.width)
    assert [(int(c % grid.width), int(c // grid.width)) for c in cut.centres] == seeds
    assert {(int(x), int(y)) for y, x in np.argwhere(region >= 0)} == set(case.cells()) == set(owner)
    assert all(seeds[region[y, x]] == seed for (x, y), seed in owner.items())
    for number in range(len(seeds)):
        own = [cell for cell in owner if owner[cell] == seeds[number]]
        touched = {int(region[y, x]) for cell in own for x, y, _ in case.neighbours(*cell)} - {number}
        assert cut.neighbours[cut.offsets[number] : cut.offsets[number + 1]].tolist() == sorted(touched)


OPTIONS = st.fixed_dictionaries(
    {
        "level": st.integers(1, 4),
        "trim": st.sampled_from((True, False, "paper")),
        "cutoff": st.sampled_from(CUTOFFS),
    }
)


@pytest.mark.quick
@settings(max_examples=400)
@given(cases(largest=14, **SQUARE), OPTIONS, st.integers(0, 99))
def test_every_path_is_legal_and_there_is_one_wherever_there_can_be(case, options, seed):
    finder = wg.make_finder("hcdps", grid_of(case), threads=1, **options)
    finder.verify()
    if not (pairs := pairs_of(case, 12, seed)):
        return
    batch = finder.find_many([start for start, _ in pairs], [goal for _, goal in pairs], threads=1)
    assert finder.fallbacks(batch) == 0
    for (start, goal), path in zip(pairs, batch, strict=True):
        truth = case.dijkstra(start)
        assert (path.status == wg.Status.FOUND) == (goal in truth)
        if goal in truth:
            assert tuple(path.cells[0].tolist()) == start
            assert tuple(path.cells[-1].tolist()) == goal
            assert path.cost == pytest.approx(case.path_cost(path.cells), rel=1e-12)
            assert path.cost >= truth[goal] * (1 - 1e-7)


@settings(max_examples=200)
@given(cases(largest=14, **SQUARE), st.sampled_from(CUTOFFS))
def test_the_index_of_the_map_tells_every_cells_region(case, cutoff):
    grid = grid_of(case)
    cut, index = find_climbable(grid, cutoff), wg.make_finder("hcdps", grid, threads=1, cutoff=cutoff).index
    walkable = np.flatnonzero(cut.region >= 0)
    assert [region_of(index["spans"], index["bits"], cell) for cell in walkable.tolist()] == cut.region[
        walkable
    ].tolist()
    if len(walkable):  # a span begins only where the region changes from one cell to the next that is no wall
        assert len(index["spans"]) == 1 + np.count_nonzero(np.diff(cut.region[walkable]))


@settings(max_examples=300)
@given(cases(largest=14, **SQUARE), st.integers(0, 99))
def test_both_ends_are_joined_by_climbs(case, seed):
    grid = grid_of(case)
    table, width = grid.table, grid.width
    numbers = {cell: cell[1] * width + cell[0] for cell in case.cells()}
    way, points = np.zeros(600, np.int64), np.zeros(3, np.int64)
    for (one, between), (other, _) in zip(pairs_of(case, 9, seed), pairs_of(case, 9, seed + 1), strict=True):
        there, on = climb_slowly(case, one, between), climb_slowly(case, between, other)
        if there is None or on is None:
            continue
        for join in (join_start, join_goal):
            points[:] = numbers[one], numbers[between], numbers[other]
            count = join(table.moves, table.geo, points, 3, way)
            kept = [(int(point % width), int(point // width)) for point in points[:count]]
            assert (kept[0], kept[-1]) == (one, other)
            assert (count == 2) == (climb_slowly(case, one, other) is not None)
            assert all(climb_slowly(case, a, b) is not None for a, b in pairwise(kept))
            if count == 3:
                assert kept[1] in (on if join is join_start else there)


def many(grid, seed=1, count=300):
    cells = np.argwhere(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())[:, ::-1]
    return cells[np.random.default_rng(seed).integers(len(cells), size=(2, count))]


def test_trimming_and_levels_make_paths_shorter():
    grid = wg.generate("caves", width=200, height=160, seed=4, metric="dba")
    starts, goals = many(grid)
    best = wg.make_finder("astar", grid).find_many(starts, goals).costs.sum()

    def over(**options):
        return wg.make_finder("hcdps", grid, **options).find_many(starts, goals).costs.sum() / best - 1

    plain, paper, smooth = (over(trim=trim) for trim in (False, "paper", True))
    assert 0 <= smooth < paper < plain
    by_level = [over(level=level, trim="paper") for level in (1, 2, 4)]
    assert by_level == sorted(by_level, reverse=True)


def test_without_trimming_paths_lead_over_both_seeds():
    grid = wg.generate("caves", width=80, height=60, seed=2)
    finder, cut = wg.make_finder("hcdps", grid, trim=False), find_climbable(grid, 250)
    for start, goal in zip(*(ends.tolist() for ends in many(grid, count=40)), strict=True):
        cells = [x + y * 80 for x, y in finder.find(tuple(start), tuple(goal)).cells.tolist()]
        if start != goal:
            ends = (int(cut.centres[cut.region[x + y * 80]]) for x, y in (start, goal))
            assert all(seed in cells for seed in ends)


def broken(finder, name, at, value):
    finder.index[name] = finder.index[name].copy()
    finder.index[name][at] = value


def test_a_changed_record_is_noticed():
    grid = wg.generate("maze", width=41, height=41, seed=3)
    finder = wg.make_finder("hcdps", grid)
    assert finder.index["subgoals"][0] != finder.index["centres"][-1]
    broken(finder, "subgoals", 0, finder.index["centres"][-1])
    with pytest.raises(wg.WaygridError, match="the stored path from region 0 to"):
        finder.verify()


@pytest.mark.parametrize("region", ["another", "none"])
def test_a_cell_in_the_wrong_region_is_noticed(region):
    finder = wg.make_finder("hcdps", wg.generate("maze", width=41, height=41, seed=3))
    spans, bits, regions = finder.index["spans"], int(finder.index["bits"][1]), len(finder.index["centres"])
    wrong = regions - 1 if region == "another" else (1 << bits) - 1
    assert region == "another" or wrong >= regions
    broken(finder, "spans", 0, (int(spans[0]) >> bits << bits) | wrong)
    with pytest.raises(wg.WaygridError, match=r"cell \(1, 1\) and the seed of its region cannot be climbed between"):
        finder.verify()


def test_the_database_is_small_and_the_same_for_any_number_of_threads():
    grid = wg.generate("caves", width=150, height=150, seed=5)
    one, other = (wg.make_finder("hcdps", grid, level=2, threads=threads) for threads in (1, 2))
    assert one.index.keys() == other.index.keys()
    assert all((one.index[name] == other.index[name]).all() for name in one.index)
    assert one.memory.fixed_bytes == sum(array.nbytes for array in one.index.values())
    assert one.memory.fixed_bytes < 2 * 150 * 150
    size = one.subgoals()
    assert size["regions"] == len(one.index["centres"])
    assert size["map_share"] == one.index["spans"].nbytes / (150 * 150)


def test_saved_and_loaded(tmp_path):
    grid = wg.generate("rooms", width=80, height=60, seed=5)
    finder = wg.make_finder("hcdps", grid, cutoff=30, level=2)
    finder.save(tmp_path / "paths.wgi")
    loaded = wg.load_finder(tmp_path / "paths.wgi", grid, verify=True)
    loaded.verify()
    starts, goals = many(grid, count=60)
    one, other = finder.find_many(starts, goals), loaded.find_many(starts, goals)
    assert (one.rows == other.rows).all()
    assert (one.cells == other.cells).all()


def test_traces_show_subgoals_and_moves():
    grid = wg.generate("rooms", width=80, height=60, seed=5)
    finder = wg.make_finder("hcdps", grid)
    starts, goals = many(grid, count=20)
    for start, goal in zip(starts.tolist(), goals.tolist(), strict=True):
        trace = finder.trace(tuple(start), tuple(goal))
        assert layout.E_EXPANDING not in trace.events["kind"]
        moves = trace.events[trace.events["kind"] == layout.E_MOVE]
        cells = [[int(node % 80), int(node // 80)] for node in moves["node"]]
        assert cells == trace.path.cells[1:].tolist()
        subgoals = set(trace.events["node"][trace.events["kind"] == layout.E_SUBGOAL].tolist())
        assert subgoals <= set(moves["node"].tolist())
        assert start == goal or moves["node"][-1] in subgoals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 0}, "level is 0; allowed are the integers from 1 to 4"),
        ({"level": 5}, "level is 5; allowed are the integers from 1 to 4"),
        ({"level": True}, "level is True; allowed are the integers from 1 to 4"),
        ({"cutoff": 0}, "cutoff is 0; allowed are the integers from 1 to"),
        ({"cutoff": 2.5}, r"cutoff is 2\.5; allowed are the integers from 1 to"),
        ({"trim": "all"}, "trim is 'all'; allowed are True, False, paper"),
        ({"trim": 1}, "trim is 1; allowed are True, False, paper"),
        ({"sector": 16}, "hcdps has no option 'sector'; allowed are level, trim, cutoff"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(wg.WaygridError, match=message):
        wg.make_finder("hcdps", wg.Grid(np.ones((4, 4), bool)), **options)


def test_what_it_cannot_do_is_refused():
    grid = wg.Grid(np.ones((4, 4), bool))
    with pytest.raises(wg.WaygridError, match="hcdps does not support blocked="):
        wg.make_finder("hcdps", grid).find((0, 0), (3, 3), blocked=[(1, 1)])
    with pytest.raises(wg.WaygridError, match="hcdps does not support topology 'hex'"):
        wg.make_finder("hcdps", wg.Grid([[1, 1]], topology="hex"))
    with pytest.raises(wg.WaygridError, match="hcdps does not support terrain weights"):
        wg.make_finder("hcdps", wg.Grid([[1, 1]], weights=[[1, 2]]))
    grid.set_one_way((1, 1), allowed=["E"])
    with pytest.raises(wg.WaygridError, match="hcdps does not support one-way tiles"):
        wg.make_finder("hcdps", grid)


def test_too_many_regions_are_refused():
    checkered = np.add.outer(np.arange(300), np.arange(300)) % 2 == 0  # no cell reaches another
    with pytest.raises(wg.WaygridError, match="cutoff 250 makes 45000 regions of this map, at most 32768"):
        wg.make_finder("hcdps", wg.Grid(checkered))
