"""Arrays of xarray: axes by name, ascending and descending coordinates, walls, CRS, and back."""

import numpy as np
import pytest
import xarray as xr
from formats.support import refused
from rasterio.crs import CRS

import waygrid as wg

pytestmark = pytest.mark.quick

COSTS = np.array([[1.0, 2.0, np.nan], [4.0, 5.0, 6.0]])


def make(x=(5, 15, 25), y=(40, 30), values=COSTS, dims=("y", "x"), **more):
    return xr.DataArray(values, dims=dims, coords={dims[0]: list(y), dims[1]: list(x)}, **more)


@pytest.mark.parametrize("x", [(5, 15, 25), (25, 15, 5)])
@pytest.mark.parametrize("y", [(40, 30), (30, 40)])
def test_axes_may_ascend_and_descend(x, y):
    array = make(x, y)
    grid = wg.Grid.from_xarray(array)
    assert grid.passable.tolist() == [[True, True, False], [True, True, True]]
    for row in range(2):
        for column in range(3):
            assert grid.to_world((column, row)).tolist() == [x[column], y[row]]
            assert grid.to_cell((x[column], y[row])) == (column, row)
    back = grid.to_xarray()
    assert back.equals(array)
    assert wg.Grid.from_xarray(back) == grid
    assert grid.georeference.cell_size == 10


@pytest.mark.parametrize("dims", [("lat", "lon"), ("latitude", "longitude"), ("northing", "easting"), ("row", "col")])
def test_axes_by_name_in_any_order(dims):
    array = make(dims=dims)
    grid = wg.Grid.from_xarray(array, distortion="ignore")
    assert wg.Grid.from_xarray(array.transpose(), distortion="ignore") == grid
    assert grid.weights.tolist() == [[1, 2, 1], [4, 5, 6]]


def test_axes_by_attribute():
    grid = wg.Grid.from_xarray(make())
    named = make(dims=("a", "b"))
    named["a"].attrs["axis"], named["b"].attrs["axis"] = "Y", "X"
    assert wg.Grid.from_xarray(named.transpose()) == grid


def test_layers():
    layered = make().expand_dims("band")
    assert wg.Grid.from_xarray(layered) == wg.Grid.from_xarray(make())
    two = xr.concat([make(), make()], "band")
    assert "dimensions y and x, not band, y, x; choose one layer" in refused(lambda: wg.Grid.from_xarray(two))
    assert wg.Grid.from_xarray(two.sel(band=1)) == wg.Grid.from_xarray(make())
    column = xr.DataArray([[1.0], [2.0]], dims=("y", "x"), coords={"y": [10, 20], "x": [5]})
    assert wg.Grid.from_xarray(column).to_world((0, 1)).tolist() == [5, 20]


@pytest.mark.parametrize("attribute", ["_FillValue", "missing_value", "nodata"])
def test_walls(attribute):
    values = np.array([[1, -9, 3], [0, 5, 6]], np.int16)
    array = make(values=values, attrs={attribute: np.int16(-9)})
    assert wg.Grid.from_xarray(array, nodata=0).passable.tolist() == [[True, False, True], [False, True, True]]
    assert wg.Grid.from_xarray(array, nodata=[0, 6]).passable.sum() == 3
    floats = make(attrs={attribute: np.nan})
    assert wg.Grid.from_xarray(floats).passable.sum() == 5


def test_crs():
    array = make()
    assert wg.Grid.from_xarray(array).crs is None
    wkt = CRS.from_epsg(32632).to_wkt()
    marked = array.assign_coords(spatial_ref=xr.DataArray(0, attrs={"crs_wkt": wkt}))
    grid = wg.Grid.from_xarray(marked)
    assert CRS.from_user_input(grid.crs) == CRS.from_epsg(32632)
    assert wg.Grid.from_xarray(grid.to_xarray()) == grid
    assert wg.Grid.from_xarray(make(attrs={"crs": "EPSG:32632"})).crs == "EPSG:32632"
    other = array.assign_coords(grid_map=xr.DataArray(0, attrs={"spatial_ref": "EPSG:32633"}))
    other.attrs["grid_mapping"] = "grid_map"
    assert wg.Grid.from_xarray(other).crs == "EPSG:32633"
    degrees = make()
    degrees["x"].attrs["units"] = "degrees_east"
    assert "coordinates are degrees" in refused(lambda: wg.Grid.from_xarray(degrees))
    assert wg.Grid.from_xarray(degrees, distortion="ignore").crs == "OGC:CRS84"


def test_crs_is_named_where_it_has_a_name():
    """A line in GeoJSON names its CRS; without the name QGIS would take metres for degrees."""
    facts = {"crs_wkt": CRS.from_epsg(32632).to_wkt()}
    grid = wg.Grid.from_xarray(make().assign_coords(spatial_ref=xr.DataArray(0, attrs=facts)))
    assert grid.crs == "EPSG:32632"
    line = wg.make_finder("astar", grid).find((0, 0), (2, 1)).to_geojson()
    assert line["crs"]["properties"]["name"] == "urn:ogc:def:crs:EPSG::32632"
    own = 'LOCAL_CS["a site",UNIT["metre",1]]'
    assert wg.Grid.from_xarray(make(attrs={"crs": own})).crs.startswith('LOCAL_CS["a site"')
    assert wg.Grid.from_xarray(make(attrs={"crs": 'PROJCS["broken"'})).crs == 'PROJCS["broken"'


@pytest.mark.parametrize("dims", [("lat", "lon"), ("latitude", "Longitude")])
def test_longitudes_are_degrees_by_name(dims):
    """Files of NetCDF often have no CRS, and arrays made by hand no units."""
    array = make(dims=dims)
    assert "coordinates are degrees (OGC:CRS84)" in refused(lambda: wg.Grid.from_xarray(array))
    array[dims[1]].attrs["units"] = "metre"
    assert wg.Grid.from_xarray(array).crs is None
    by_attribute = make()
    by_attribute["x"].attrs["standard_name"] = "longitude"
    assert "coordinates are degrees" in refused(lambda: wg.Grid.from_xarray(by_attribute))
    assert wg.Grid.from_xarray(make(dims=dims, attrs={"crs": "EPSG:32632"})).crs == "EPSG:32632"


def test_through_a_geotiff(tmp_path):
    grid = wg.Grid.from_xarray(make(attrs={"crs": "EPSG:32632"}), scale=0.5)
    grid.save(tmp_path / "a.tif")
    read = wg.Grid.from_file(tmp_path / "a.tif")
    assert read == grid
    assert read.to_xarray().equals(grid.to_xarray())
    assert wg.Grid([[1, 0]]).to_xarray().values.tolist() == [[1.0, pytest.approx(np.nan, nan_ok=True)]]
    assert wg.Grid.from_costs([[0.3]], scale=0.1).to_xarray().dtype == np.float64
    assert wg.Grid([[1, 0]]).to_xarray().dtype == np.float32


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (np.ones((2, 2)), "is not an xarray.DataArray; pass arrays of NumPy to from_costs"),
        (xr.DataArray([1.0, 2.0]), "dimensions y and x, not dim_0"),
        (make(x=(5, 15, 26)), "the coordinates of 'x' are not evenly spaced: number 1 is 15, not 15.5"),
        (make(x=(5, 5, 5)), "not evenly spaced"),
        (make(y=(40, 20)), "cells are 10 x 20"),
        (make(x=("a", "b", "c")), "the coordinates of 'x' are <U1; allowed are numbers"),
        (make().drop_vars("y"), "no coordinates for 'y'; give both or none"),
        (make(attrs={"nodata": "none"}), "the attribute 'nodata' is 'none'; allowed are numbers"),
    ],
)
def test_what_is_refused(given, words):
    assert words in refused(lambda: wg.Grid.from_xarray(given))


def test_without_coordinates_and_rotated():
    plain = xr.DataArray(COSTS, dims=("y", "x"))
    grid = wg.Grid.from_xarray(plain)
    assert grid.georeference is None
    assert grid.to_xarray().equals(plain)
    turned = wg.Grid([[1]], georeference=wg.Georeference.from_resolution(1, yaw=0.5))
    assert "the map is rotated" in refused(turned.to_xarray)
