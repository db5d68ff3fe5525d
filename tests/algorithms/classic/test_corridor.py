"""Corridors against a brute force over all cells; masks, pictures, files."""

import math
import pickle

import numpy as np
import pytest
from cases import cases, grid_of
from formats.support import refused
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.formats.geotiff import read_raster

pytestmark = pytest.mark.quick

PLACE = wg.Georeference((10, 0, 500000, 0, -10, 4600000), "EPSG:32632")


@settings(max_examples=60, deadline=None)
@given(cases(largest=8), st.integers(0, 2**32 - 1))
def test_every_cell_has_the_extra_cost_of_the_best_path_through_it(case, seed):
    """Prices of entering a cell and one-way tiles make the ways there and back different."""
    cells = case.cells()
    if not cells:
        return
    chance = np.random.Generator(np.random.PCG64(seed))
    start, goal = (cells[int(k)] for k in chance.integers(0, len(cells), 2))
    found = wg.corridor(grid_of(case), start, goal)
    there = case.dijkstra(start)
    best = there.get(goal, math.inf)
    assert found.optimum == pytest.approx(best, rel=1e-7)
    for y, x in np.ndindex(*case.passable.shape):
        through = math.inf
        if (x, y) in there:
            through = there[x, y] + case.dijkstra((x, y)).get(goal, math.inf)
        extra = through - best if math.isfinite(through) else math.inf
        assert found[y, x] == pytest.approx(extra, rel=1e-6, abs=1e-6 * max(1, best if math.isfinite(best) else 1))
    if math.isfinite(best):
        path = wg.make_finder("dijkstra", grid_of(case)).find(start, goal)
        assert (found[path.cells[:, 1], path.cells[:, 0]] == 0).all()


def terrain(**rules):
    costs = np.random.default_rng(4).uniform(1, 9, (30, 40)).round(2)
    costs[10:20, 15:20] = np.nan
    return wg.Grid.from_costs(costs, **rules)


def test_masks_by_cost_and_by_share():
    grid = terrain()
    found = wg.corridor(grid, (1, 1), (38, 27))
    path = wg.make_finder("astar", grid).find((1, 1), (38, 27))
    assert found.optimum == pytest.approx(path.cost)
    assert found.within(0)[path.cells[:, 1], path.cells[:, 0]].all()
    narrow, wide = found.within(3), found.within(share=0.2)
    assert narrow.sum() < wide.sum() < np.isfinite(found).sum()
    assert (narrow == (np.asarray(found) <= 3)).all()
    assert (wide == (np.asarray(found) <= 0.2 * found.optimum)).all()
    assert not narrow[~grid.passable].any()


def test_several_ends_and_blocked_cells():
    grid = terrain()
    starts, goals = [(1, 1), (1, 28)], [(38, 27), (38, 2)]
    found = wg.corridor(grid, starts, goals)
    single = [wg.corridor(grid, start, goal) for start in starts for goal in goals]
    best = min(one.optimum for one in single)
    sums = np.min([np.asarray(one) + one.optimum for one in single], axis=0)
    assert found.optimum == pytest.approx(best)
    np.testing.assert_allclose(found, sums - best, atol=1e-6)
    shut = {(x, 5) for x in range(3, 40)}
    around = wg.corridor(grid, (1, 1), (38, 27), blocked=shut)
    assert around.optimum > wg.corridor(grid, (1, 1), (38, 27)).optimum
    assert np.isinf(around[5, 3:]).all()


def test_no_way_at_all():
    found = wg.corridor(wg.Grid([[1, 0, 1]]), (0, 0), (2, 0))
    assert found.optimum == math.inf
    assert np.isinf(found).all()
    assert not found.within(5).any()
    assert not found.within(share=5).any()
    assert wg.corridor(wg.Grid([[1, 1]]), (0, 0), (0, 0)).tolist() == [[0, 2]]


def test_it_is_drawn_saved_pickled_and_read(tmp_path):
    grid = terrain(georeference=PLACE)
    found = wg.corridor(grid, (1, 1), (38, 27))
    assert found.draw().size == found.draw(2).size
    assert found.draw(share=0.1, scale=4).size == (160, 120)
    assert "within 5%" in found._repr_html_()
    found.save(tmp_path / "a.tif")
    read = read_raster(tmp_path / "a.tif")
    assert (read.georeference, read.values.dtype) == (PLACE, np.float32)
    np.testing.assert_allclose(read.values.filled(np.inf), found, rtol=1e-6)
    array = found.to_xarray()
    assert array.name == "extra_cost"
    assert float(array.sel(x=500015, y=4599985)) == found[1, 1]
    again = pickle.loads(pickle.dumps(found))
    assert (again == found).all()
    assert (again.optimum, again.starts.tolist()) == (found.optimum, [[1, 1]])
    assert again.to_xarray().equals(array)
    assert again.draw(scale=4).size == (160, 120)
    part = found[3:, 2:]
    assert part.optimum == found.optimum
    for call in (part.draw, part.to_xarray, lambda: part.save(tmp_path / "b.tif")):
        assert "only the whole" in refused(call)
    assert "must end in .tif" in refused(lambda: found.save(tmp_path / "a.png"))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda grid: wg.corridor(grid, (0, 0), (90, 0)), "(90, 0) is outside the map"),
        (lambda grid: wg.corridor(grid, (0, 0), []), "goal is empty; at least one goal is needed"),
        (lambda grid: wg.corridor(grid, (0, 0), (16, 11)), "(16, 11) is in a wall"),
        (lambda grid: wg.corridor(grid, (0, 0), (1, 1)).within(), "either extra=, in units of cost, or share="),
        (lambda grid: wg.corridor(grid, (0, 0), (1, 1)).within(1, share=1), "either extra=, in units of cost, or"),
        (lambda grid: wg.corridor(grid, (0, 0), (1, 1)).within(-1), "extra is -1; allowed are finite numbers from 0"),
        (lambda grid: wg.corridor(grid, (0, 0), (1, 1)).within(share="all"), "share is 'all'"),
    ],
)
def test_what_is_refused(call, words):
    assert words in refused(lambda: call(terrain()))


def test_distances_have_coordinates_too(tmp_path):
    grid = terrain(georeference=PLACE)
    field = wg.distances(grid, (3, 4))
    array = field.to_xarray()
    assert array.dims == ("y", "x")
    assert float(array.sel(x=500035, y=4599955)) == 0
    assert np.isnan(array.values[12, 16])
    field.save(tmp_path / "a.tif")
    np.testing.assert_allclose(read_raster(tmp_path / "a.tif").values.filled(np.inf), field, rtol=1e-6)
    assert pickle.loads(pickle.dumps(field)).to_xarray().equals(array)
    with pytest.raises(wg.WaygridError, match="only the whole map"):
        field[1:].to_xarray()
    plain = wg.distances(wg.Grid([[1, 1]]), (0, 0))
    plain.save(tmp_path / "b.tif")
    assert read_raster(tmp_path / "b.tif").values.tolist() == [[0, 1]]
    assert not plain.to_xarray().coords
