"""PRA*: legal paths wherever there is one, legs from centre to centre, trimming."""

import itertools

import numpy as np
import pytest
from cases import cases, grid_of, pairs_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.regions.sectors import find_sectors
from waygrid.core import layout


@pytest.mark.quick
@settings(max_examples=400)
@given(
    cases(topologies=("tile", "octile"), one_way=False, weighted=False, largest=14),
    st.sampled_from((1, 2, 3, 4, 8, (3, 5), 100)),
    st.booleans(),
    st.integers(0, 99),
)
def test_every_path_is_legal_and_there_is_one_wherever_there_can_be(case, sector, trim, seed):
    finder = wg.make_finder("pra", grid_of(case), sector=sector, trim=trim)
    for start, goal in pairs_of(case, 10, seed):
        truth, path = case.dijkstra(start), finder.find(start, goal)
        assert (path.status == wg.Status.FOUND) == (goal in truth)
        if goal in truth:
            assert tuple(path.cells[0].tolist()) == start
            assert tuple(path.cells[-1].tolist()) == goal
            assert path.cost == pytest.approx(case.path_cost(path.cells), rel=1e-12)
            assert path.cost >= truth[goal] * (1 - 1e-7)
            assert path.stats.estimate <= path.cost * (1 + 1e-7)


def abstract_way(grid, cut, one, other):
    """The cheapest way from region to region by the distance of their centres, by relaxing until nothing changes."""
    places = [(int(c % grid.width), int(c // grid.width)) for c in cut.centres]

    def far(a, b):
        dx, dy = (abs(p - q) for p, q in zip(places[a], places[b], strict=True))
        return max(dx, dy) + (2**0.5 - 1) * min(dx, dy)

    best, before, changed = {one: 0.0}, {}, True
    while changed:
        changed = False
        for a in list(best):
            for b in cut.neighbours[cut.offsets[a] : cut.offsets[a + 1]].tolist():
                if best[a] + far(a, b) < best.get(b, np.inf) - 1e-9:
                    best[b], before[b], changed = best[a] + far(a, b), a, True
    return best[other], before


def test_legs_lead_from_centre_to_centre():
    grid = wg.generate("rooms", width=90, height=70, seed=2)
    cut, finder = find_sectors(grid, 16), wg.make_finder("pra", grid, trim=False)
    cells = np.argwhere(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())[:, ::-1]
    for start, goal in np.random.default_rng(1).choice(cells, (15, 2)).tolist():
        one, other = (int(cut.region[y * 90 + x]) for x, y in (start, goal))
        trace = finder.trace(tuple(start), tuple(goal))
        ends = trace.events["node"][trace.events["kind"] == layout.E_SUBGOAL].tolist()
        regions = [int(cut.region[cell]) for cell in ends]
        assert all(int(cut.centres[region]) == cell for region, cell in zip(regions, ends, strict=True))
        if one != other:
            least, _ = abstract_way(grid, cut, one, other)
            places = [(int(c % 90), int(c // 90)) for c in cut.centres[[one, *regions, other]]]
            walked = 0.0
            for (ax, ay), (bx, by) in itertools.pairwise(places):
                dx, dy = abs(ax - bx), abs(ay - by)
                walked += max(dx, dy) + (2**0.5 - 1) * min(dx, dy)
            assert walked == pytest.approx(least, rel=1e-6)
        else:
            assert not ends
        cells_of_path = {int(y) * 90 + int(x) for x, y in trace.path.cells}
        assert set(ends) <= cells_of_path


def test_trimming_makes_paths_shorter_and_larger_sectors_longer():
    grid = wg.generate("caves", width=200, height=160, seed=4, metric="dba")
    cells = np.argwhere(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())[:, ::-1]
    starts, goals = cells[np.random.default_rng(1).integers(len(cells), size=(2, 300))]

    def cost(**options):
        return wg.make_finder("pra", grid, **options).find_many(starts, goals).costs.sum()

    assert cost(trim=True) < cost(trim=False)
    assert cost(trim=False) < cost(sector=32, trim=False)


def test_within_one_region_the_path_is_the_cheapest():
    grid = wg.generate("caves", width=40, height=30, seed=4)
    finder, astar = wg.make_finder("pra", grid, sector=100), wg.make_finder("astar", grid)
    cells = np.argwhere(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())[:, ::-1]
    starts, goals = cells[np.random.default_rng(1).integers(len(cells), size=(2, 50))]
    one, other = finder.find_many(starts, goals), astar.find_many(starts, goals)
    assert (one.costs == other.costs).all()
    assert (one.expanded == other.expanded).all()


def test_memory_and_saving(tmp_path):
    grid = wg.generate("caves", width=150, height=150, seed=5)
    finder = wg.make_finder("pra", grid, sector=(10, 25))
    assert finder.memory.fixed_bytes == sum(array.nbytes for array in finder.index.values())
    assert finder.compact_bytes < finder.memory.fixed_bytes < 150 * 150
    finder.save(tmp_path / "sectors.wgi")
    loaded = wg.load_finder(tmp_path / "sectors.wgi", grid, verify=True)
    cells = np.argwhere(grid.passable)[:, ::-1]
    starts, goals = cells[np.random.default_rng(1).integers(len(cells), size=(2, 40))]
    assert (loaded.find_many(starts, goals).rows == finder.find_many(starts, goals).rows).all()


def test_optimised_centres_save_expansions():
    grid = wg.generate("rooms", width=120, height=90, seed=6, room=9)
    cells = np.argwhere(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())[:, ::-1]
    starts, goals = cells[np.random.default_rng(1).integers(len(cells), size=(2, 200))]
    mean, best = (wg.make_finder("pra", grid, sector=24, centres=centres) for centres in ("mean", "optimised"))
    assert (best.index["centres"] != mean.index["centres"]).any()
    cut = find_sectors(grid, 24)
    assert (cut.region[best.index["centres"]] == np.arange(len(cut.centres))).all()
    one, other = mean.find_many(starts, goals), best.find_many(starts, goals)
    assert (other.statuses == wg.Status.FOUND).all()
    assert other.expanded.sum() < one.expanded.sum()


def test_bad_options():
    grid = wg.Grid(np.ones((4, 4), bool))
    with pytest.raises(wg.WaygridError, match="trim is 'paper'; allowed are True, False"):
        wg.make_finder("pra", grid, trim="paper")
    with pytest.raises(wg.WaygridError, match="centres is 'best'; allowed are mean, optimised"):
        wg.make_finder("pra", grid, centres="best")
    with pytest.raises(wg.WaygridError, match=r"sector is \(2,\); allowed are the integers from 1"):
        wg.make_finder("pra", grid, sector=(2,))
