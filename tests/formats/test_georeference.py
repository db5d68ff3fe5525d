"""Coordinates of cells, against rasterio's own; what is refused because cells are no squares."""

import copy
import math
import pickle

import numpy as np
import pytest
import rasterio
import rasterio.transform
from formats.support import quick, refused
from hypothesis import given
from hypothesis import strategies as st
from rasterio.crs import CRS

import waygrid as wg
from waygrid.formats import georeference, gis

pytestmark = pytest.mark.quick

UTM = (30.0, 0.0, 500000.0, 0.0, -30.0, 4600000.0)


@quick
@given(
    st.floats(1e-3, 1e4),
    st.floats(-math.pi, math.pi),
    st.booleans(),
    st.tuples(st.floats(-1e7, 1e7), st.floats(-1e7, 1e7)),
    st.integers(0, 2**32 - 1),
)
def test_coordinates_are_those_of_rasterio(size, turn, mirrored, corner, seed):
    sign = -1 if mirrored else 1
    east, north = size * math.cos(turn), size * math.sin(turn)
    transform = rasterio.Affine(east, -north * sign, corner[0], north, east * sign, corner[1])
    grid = wg.Grid(np.ones((40, 50)), georeference=wg.Georeference(transform))
    assert tuple(grid.transform) == tuple(transform)[:6]
    assert rasterio.Affine(*grid.transform) == transform
    chance = np.random.Generator(np.random.PCG64(seed))
    cells = chance.integers(0, (50, 40), (20, 2))
    x, y = rasterio.transform.xy(transform, cells[:, 1], cells[:, 0])
    np.testing.assert_allclose(grid.to_world(cells), np.stack((x, y), axis=1), rtol=1e-12, atol=1e-9)
    assert grid.to_cell(grid.to_world(cells)).tolist() == cells.tolist()
    inside = cells + chance.uniform(0.01, 0.99, cells.shape)
    matrix = np.array(tuple(transform)).reshape(3, 3)[:2]
    points = inside @ matrix[:, :2].T + matrix[:, 2]
    assert grid.to_cell(points).tolist() == cells.tolist()


def test_one_cell_and_many():
    grid = wg.Grid(np.ones((3, 4)), georeference=wg.Georeference(UTM))
    assert grid.to_world((0, 0)).tolist() == [500015, 4599985]
    assert grid.to_world(np.zeros((0, 2), int)).shape == (0, 2)
    assert grid.to_cell((500119.9, 4599910.1)) == (3, 2)
    cells = grid.to_cell([(500000, 4600000), (500030, 4599970)])
    assert (cells.tolist(), cells.dtype) == ([[0, 0], [1, 1]], np.int32)
    assert wg.make_finder("astar", grid).find(grid.to_cell((500001, 4599999)), (3, 2)).cost == 1 + 2 * math.sqrt(2)


@pytest.mark.parametrize("point", [(499999.9, 4599999), (500120, 4599999), (500001, 4600000.1), (500001, 4599909.9)])
def test_points_outside_are_refused_with_their_value(point):
    grid = wg.Grid(np.ones((3, 4)), georeference=wg.Georeference(UTM))
    message = refused(lambda: grid.to_cell([(500001, 4599999), point]))
    assert (
        f"point ({point[0]:.10g}, {point[1]:.10g}) is outside the map, whose corners are (500000, 4600000)" in message
    )
    assert "is outside" in refused(lambda: grid.to_cell((math.nan, 0.0)))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: wg.Grid([[1]]).to_world((0, 0)), "the grid has no coordinates"),
        (lambda: wg.Grid([[1]]).to_cell((0, 0)), "the grid has no coordinates"),
        (lambda: PLACED.to_world("here"), "cells is 'here'; allowed are two numbers (x, y)"),
        (lambda: PLACED.to_world([[1, 2, 3]]), "an (n, 2) array"),
        (lambda: PLACED.to_cell("here"), "points is 'here'"),
        (lambda: PLACED.to_cell([(1, 2), (3,)]), "points is [(1, 2), (3,)]"),
        (lambda: wg.Georeference((1, 2, 3)), "allowed are six finite numbers"),
        (lambda: wg.Georeference("north"), "transform is 'north'"),
        (lambda: wg.Georeference((1, 0, 0, 0, math.nan, 0)), "six finite numbers"),
        (lambda: wg.Georeference((1, 0, 0, 1, 0, 0)), "its cells have no area"),
        (lambda: wg.Georeference((30, 0, 0, 0, -20, 0)), "cells are 30 x 20"),
        (lambda: wg.Georeference((30, 0, 0, 0, -30.01, 0)), "cells are 30 x 30.01"),
        (lambda: wg.Georeference((1, 1, 0, 0, math.sqrt(2), 0)), "cells are 1 x 1.732050808"),
        (lambda: wg.Georeference((1, 0.8, 0, 0, 0.6, 0)), "shears cells"),
        (lambda: wg.Georeference((1, 0, 0, 0, 1, 0), "EPSG:4326"), "coordinates are degrees (EPSG:4326)"),
        (lambda: wg.Georeference((1, 0, 0, 0, 1, 0), "EPSG:4258"), "coordinates are degrees (EPSG:4258)"),
        (lambda: wg.Georeference((1, 0, 0, 0, 1, 0), CRS.from_epsg(4326)), "coordinates are degrees"),
        (lambda: wg.Georeference((1, 0, 0, 0, 1, 0), CRS.from_epsg(4326).to_wkt()), "(longitude and latitude)"),
        (lambda: wg.Georeference((1, 0, 0, 0, 1, 0), "EPSG:1"), "crs is 'EPSG:1', which is not known"),
        (lambda: wg.Georeference((1, 0, 0, 0, 1, 0), 3.5), "crs is 3.5"),
        (lambda: wg.Georeference(UTM, distortion="maybe"), "distortion is 'maybe'; allowed are refuse, ignore"),
        (lambda: wg.Grid([[1]], georeference=UTM), "allowed are a wg.Georeference and None"),
        (lambda: wg.Grid([[1]], topology="hex", georeference=wg.Georeference(UTM)), "needs square cells"),
        (lambda: wg.Georeference.from_resolution(0), "resolution is 0"),
        (lambda: wg.Georeference.from_resolution(1, origin=(1, 2, 3)), "a number, two numbers and a number"),
    ],
)
def test_what_is_refused(call, words):
    assert words in refused(call)


PLACED = wg.Grid([[1, 1]], georeference=wg.Georeference(UTM))


@pytest.mark.parametrize("transform", [(30, 0, 0, 0, -20, 0), (1, 0.8, 0, 0, 0.6, 0)])
def test_distortion_can_be_ignored(transform):
    place = wg.Georeference(transform, "EPSG:4326", distortion="ignore")
    grid = wg.Grid(np.ones((5, 6)), georeference=place)
    assert grid.to_cell(grid.to_world([(4, 3)])).tolist() == [[4, 3]]


@pytest.mark.parametrize("crs", ["EPSG:32632", 32632, CRS.from_epsg(32632), "  EPSG:32632 "])
def test_a_crs_by_name_number_and_object(crs):
    assert wg.Georeference(UTM, crs).crs == "EPSG:32632"


def test_sides_that_differ_by_rounding_are_equal():
    step = float(np.float32(30.000001))
    assert wg.Georeference((step, 0, 0, 0, -30, 0)).cell_size == pytest.approx(30)
    assert wg.Georeference(UTM, CRS()).crs is None


@pytest.mark.parametrize("yaw", [0.0, 0.3, -2.0])
def test_the_map_of_a_robot(yaw):
    """Row 0 of an occupancy grid is the lowest, row 0 of its image the highest; both name the same places."""
    array = wg.Georeference.from_resolution(0.05, (-3, 2), yaw)
    image = wg.Georeference.from_resolution(0.05, (-3, 2), yaw, image_height=80)
    cells = np.random.default_rng(0).integers(0, 80, (30, 2))
    flipped = np.stack((cells[:, 0], 79 - cells[:, 1]), axis=1)
    np.testing.assert_allclose(array.to_world(cells), image.to_world(flipped), atol=1e-12)
    x, y = (cells[0] + 0.5) * 0.05
    expected = (-3 + x * math.cos(yaw) - y * math.sin(yaw), 2 + x * math.sin(yaw) + y * math.cos(yaw))
    np.testing.assert_allclose(array.to_world(cells[0]), expected, atol=1e-12)
    assert array.cell_size == pytest.approx(0.05)


def test_it_stays_with_the_grid():
    place = wg.Georeference(UTM, "EPSG:32632")
    grid = wg.Grid(np.ones((5, 6)), georeference=place)
    print_of = grid.fingerprint()
    for other in (grid.copy(), copy.copy(grid), pickle.loads(pickle.dumps(grid)), grid.twin(np.ones((2, 2)), None)):
        assert other.georeference == place
        assert (other.crs, other.transform) == ("EPSG:32632", UTM)
    assert grid.copy() == grid
    assert wg.Grid(np.ones((5, 6))) != grid
    assert wg.Grid(np.ones((5, 6))).fingerprint() == print_of  # indexes do not depend on it
    grid.set_passable((1, 1), False)
    grid.set_weight((2, 2), 7)
    assert grid.georeference == place
    assert "crs='EPSG:32632'" in repr(grid)
    with pytest.raises(AttributeError):
        place.crs = "EPSG:1"


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch, tmp_path):
    def missing(name):
        raise ImportError(name)

    np.save(tmp_path / "a.npy", np.ones((2, 2)))
    (tmp_path / "a.tif").write_bytes(b"")
    monkeypatch.setattr(gis, "import_module", missing)
    assert georeference.is_in_degrees("EPSG:4326")
    assert wg.Georeference(UTM, "PROJCS[...]").crs == "PROJCS[...]"
    grid = wg.Grid.from_file(tmp_path / "a.npy")
    for call, needed in (
        (lambda: wg.Grid.from_file(tmp_path / "a.tif"), "rasterio"),
        (lambda: grid.save(tmp_path / "b.tif"), "rasterio"),
        (lambda: wg.Georeference(UTM, "EPSG:32632"), "rasterio"),
        (lambda: wg.Grid.from_xarray(0), "xarray"),
        (grid.to_xarray, "xarray"),
    ):
        assert refused(call).endswith(f"needs {needed}: pip install 'waygrid[gis]'")
