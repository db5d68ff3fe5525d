"""Forged indexes of path databases and guided agents: refused where a number leads astray; no crash, no hang."""

import functools
import re

import numpy as np
import pytest
from cases import cases, grid_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.regions.checks import list_owners
from waygrid.algorithms.regions.hcdps_query import region_of

OPTIONS = {
    "pra": {"sector": 6},
    "dba": {"sector": 6},
    "hcdps": {},
    "dlrta": {"level": 2},
    "knn-lrta": {"records": 80},
    "sglrta": {},
}
# What is reported for an array whose last number is the largest of its kind, where it is not that array.
ELSEWHERE = {("dba", "counts"): "subgoals", ("hcdps", "counts"): "subgoals"}


@functools.cache
def finder_of(name, **options):
    grid = wg.generate("rooms", width=30, height=22, seed=2)
    return wg.make_finder(name, grid, threads=1, **(OPTIONS[name] | options))


ARRAYS = [(name, array) for name in OPTIONS for array in type(finder_of(name))._ARRAYS]


def forged(finder, **arrays):
    """The same finder with other arrays, as if they had been loaded."""
    return type(finder)(finder.info, finder.grid, finder.options, finder.index | arrays)


def reason(finder):
    with pytest.raises(wg.WaygridError) as error:
        finder._check_index()
    return str(error.value)


@pytest.mark.parametrize(("name", "array"), ARRAYS)
def test_a_number_too_large_is_refused(name, array):
    finder = finder_of(name)
    changed = finder.index[array].copy()
    assert changed.size
    changed.reshape(-1)[-1] = np.iinfo(changed.dtype).max
    said = reason(forged(finder, **{array: changed}))
    assert said.startswith(f"the index is damaged: array '{ELSEWHERE.get((name, array), array)}' ")


@pytest.mark.parametrize(("name", "array"), ARRAYS)
def test_other_kinds_and_shapes_are_refused(name, array):
    finder = finder_of(name)
    whole = finder.index[array]
    for other in (whole.astype(np.float64), whole.reshape(1, *whole.shape), whole[:0].copy()):
        assert reason(forged(finder, **{array: other})).startswith("the index is damaged: array '")


@pytest.mark.parametrize("name", OPTIONS)
def test_a_forged_file_is_refused(name, tmp_path):
    finder, array = finder_of(name), type(finder_of(name))._ARRAYS[-2]
    changed = finder.index[array].copy()
    changed.reshape(-1)[0] = np.iinfo(changed.dtype).max
    forged(finder, **{array: changed}).save(tmp_path / "forged.wgi")  # its checksums are right
    with pytest.raises(wg.WaygridError, match="the index is damaged: array"):
        wg.load_finder(tmp_path / "forged.wgi", finder.grid, verify=True)


@settings(max_examples=60)
@given(cases(topologies=("tile", "octile"), one_way=False, weighted=False, largest=12), st.sampled_from(list(OPTIONS)))
def test_sound_indexes_pass(case, name):
    wg.make_finder(name, grid_of(case), threads=1)._check_index()


def test_numbers_in_range_that_agree_with_nothing_are_refused():
    dba, hcdps, trees = finder_of("dba"), finder_of("hcdps"), finder_of("sglrta")
    targets = dba.index["targets"].copy()
    targets[0] = 0
    assert reason(forged(dba, targets=targets)).endswith("array 'targets' leads from region 0 to itself")
    centres = np.roll(dba.index["centres"], 1)
    assert "which lies outside region 0" in reason(forged(dba, centres=centres))
    assert "which lies outside region 0" in reason(forged(hcdps, centres=np.roll(hcdps.index["centres"], 1)))
    walls = np.full_like(dba.index["subgoals"], np.flatnonzero(dba.grid.table.walk == 0)[0])
    assert reason(forged(dba, subgoals=walls)).endswith("which is a wall")
    parents = trees.index["parents"].copy()
    deep = int(np.argmax(parents))
    parents[deep] = deep - trees.index["offsets"][list_owners(trees.index["offsets"])[deep]]  # its own parent
    assert "array 'parents' holds" in reason(forged(trees, parents=parents))


def test_another_connected_component_is_refused():
    grid = wg.Grid([[1, 1, 1, 1, 0, 1, 1, 1, 1]])
    pra = wg.make_finder("pra", grid, sector=2, threads=1)
    assert pra.index["neighbours"].tolist()[:2] == [1, 0]
    said = reason(forged(pra, neighbours=pra.index["neighbours"][::-1].copy()))
    assert "array 'neighbours' leads from region 0 to" in said
    assert said.endswith("which it cannot reach")


def ends(grid, count=60):
    floor = np.argwhere(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())[:, ::-1]
    return floor[np.random.default_rng(3).integers(len(floor), size=(2, count))]


def assert_all_found(finder):
    starts, goals = ends(finder.grid)
    for path in finder.find_many(starts, goals, threads=1):
        assert path.status == wg.Status.FOUND
        assert path.is_valid(finder.grid)


@pytest.mark.parametrize("trim", [True, False, "paper"])
@pytest.mark.parametrize("name", ["dba", "hcdps"])
def test_next_hops_in_a_circle_end(name, trim):
    finder = finder_of(name, trim=trim)
    bits = int(finder.index["bits"][0])
    circles = forged(finder, runs=finder.index["runs"] >> bits << bits)  # always the first neighbour
    circles._check_index()
    assert_all_found(circles)
    starts, goals = ends(finder.grid)
    pool = circles.agents(starts, goals, max_moves=200)
    for _ in range(200):
        pool.step()
    assert pool.done.all()


@pytest.mark.parametrize("trim", [True, False, "paper"])
@pytest.mark.parametrize("name", ["dba", "hcdps"])
def test_subgoals_that_cannot_be_climbed_to_are_searched_for_or_reported(name, trim):
    grid = wg.generate("maze", width=31, height=31, seed=3)
    options = {"sector": 10} if name == "dba" else {}
    finder = wg.make_finder(name, grid, threads=1, trim=trim, **options)
    lost = forged(finder, subgoals=np.full_like(finder.index["subgoals"], finder.index["centres"][0]))
    lost._check_index()
    assert_all_found(lost)
    starts, goals = ends(grid)
    pool, reported = lost.agents(starts, goals, max_moves=200), []
    while not pool.done.all():
        try:
            pool.step()
        except wg.WaygridError as error:
            reported.append(str(error))
    assert reported
    pattern = r"the index is damaged: agent \d+ at \(\d+, \d+\) cannot follow its stored path"
    assert all(re.fullmatch(pattern, text) for text in reported)
    x, y = pool.positions.T
    assert grid.passable[y, x].all()


@pytest.mark.parametrize("lookahead", [1, 3])
def test_subgoals_in_a_circle_are_left_after_a_while(lookahead):
    finder = finder_of("dlrta", lookahead=lookahead)
    spans, bits = finder.index["spans"], finder.index["bits"]
    nodes = np.array([region_of(spans, bits, cell) for cell in range(finder.grid.table.walk.size)])
    inside = [int(np.flatnonzero((nodes == node) & (finder.grid.table.walk > 0))[0]) for node in (0, 1)]
    owners = list_owners(finder.index["offsets"])
    circle = forged(finder, exits=np.where(owners == 1, *inside).astype(np.int32))
    circle._check_index()
    assert_all_found(circle)
    starts, goals = ends(finder.grid)
    inside = np.full(finder.index["exits"].shape, starts[0, 1] * finder.grid.width + starts[0, 0], np.int32)
    at_the_goal = forged(finder, exits=inside)  # agents stand where they should go
    at_the_goal._check_index()
    pool = at_the_goal.agents(np.broadcast_to(starts[0], goals.shape), goals)
    while not pool.done.all():
        x, y = pool.step().T
        assert finder.grid.passable[y, x].all()
    assert (pool.statuses == wg.Status.FOUND).all()
