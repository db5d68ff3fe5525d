"""Paths in coordinates and as GeoJSON."""

import json
import math
import pickle

import numpy as np
import pytest
import rasterio.warp
from formats.support import refused

import waygrid as wg

pytestmark = pytest.mark.quick

PLACE = wg.Georeference((30, 0, 500000, 0, -30, 4600000), "EPSG:32632")


def make_grid(**more):
    passable = np.ones((20, 30), bool)
    passable[:15, 12] = False
    return wg.Grid(passable, georeference=PLACE, **more)


@pytest.mark.parametrize("name", ["astar", "turntable", "jps+"])
@pytest.mark.parametrize("waypoints", [False, True])
def test_coordinates_are_those_of_the_cells(name, waypoints):
    grid = make_grid()
    path = wg.make_finder(name, grid).find((2, 3), (27, 4), waypoints=waypoints)
    assert path.coordinates.tolist() == grid.to_world(path.cells).tolist()
    made = path.to_geojson()
    assert made["geometry"]["coordinates"] == grid.to_world(path.waypoints).tolist()
    assert made["properties"] == {"status": "FOUND", "cost": path.cost, "length": pytest.approx(30 * path.cost)}
    assert made["crs"]["properties"]["name"] == "urn:ogc:def:crs:EPSG::32632"
    assert json.loads(json.dumps(made)) == made
    again = pickle.loads(pickle.dumps(path))
    assert again.to_geojson() == made


def test_a_batch_is_a_collection():
    grid = make_grid()
    grid.set_passable((slice(0, 4), slice(0, 4)), False)
    grid.set_passable((1, 1), True)
    batch = wg.make_finder("astar", grid).find_many([(5, 5), (5, 5), (5, 5)], [(29, 0), (1, 1), (5, 5)])
    assert batch.coordinates.tolist() == grid.to_world(batch.cells).tolist()
    made = batch.to_geojson()
    assert [one["id"] for one in made["features"]] == [0, 1, 2]
    line, lost, point = made["features"]
    assert line["geometry"]["type"] == "LineString"
    assert lost == {
        "id": 1,
        "type": "Feature",
        "geometry": None,
        "properties": {"status": "UNREACHABLE", "cost": None, "length": 0.0},
    }
    assert point["geometry"] == {"type": "Point", "coordinates": grid.to_world((5, 5)).tolist()}
    assert json.loads(json.dumps(made, allow_nan=False)) == made


def test_length_is_measured_on_the_ground_and_cost_in_costs():
    grid = wg.Grid.from_costs(np.full((3, 3), 0.5), georeference=PLACE)
    made = wg.make_finder("astar", grid).find((0, 0), (2, 2)).to_geojson()
    assert made["properties"]["cost"] == pytest.approx(math.sqrt(2))
    assert made["properties"]["length"] == pytest.approx(2 * math.sqrt(2) * 30)


def test_another_crs():
    path = wg.make_finder("astar", make_grid()).find((2, 3), (27, 4))
    made = path.to_geojson(crs="EPSG:4326")
    assert "crs" not in made  # longitude and latitude are what GeoJSON means
    points = path.to_geojson()["geometry"]["coordinates"]
    expected = rasterio.warp.transform("EPSG:32632", "EPSG:4326", *zip(*points, strict=True))
    np.testing.assert_allclose(made["geometry"]["coordinates"], np.transpose(expected))
    assert made["properties"] == path.to_geojson()["properties"]
    assert "EPSG:99" in refused(lambda: path.to_geojson(crs="EPSG:99"))
    assert "crs is 4326" in refused(lambda: path.to_geojson(crs=4326))


def test_without_coordinates():
    path = wg.make_finder("astar", wg.Grid([[1, 1]])).find((0, 0), (1, 0))
    for call in (lambda: path.coordinates, path.to_geojson):
        assert "the grid has no coordinates" in refused(call)
    plane = wg.Grid([[1, 1]], georeference=wg.Georeference.from_resolution(0.05))
    path = wg.make_finder("astar", plane).find((0, 0), (1, 0))
    assert "crs" not in path.to_geojson()
    assert "does not know the CRS" in refused(lambda: path.to_geojson(crs="EPSG:4326"))
