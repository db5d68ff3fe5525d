"""GeoTIFF files: written and read back, against rasterio itself; bands, nodata, masks, scales, errors."""

import math
import warnings

import numpy as np
import pytest
import rasterio
from formats.support import assert_same, maps, parses_or_refuses, quick, refused, round_trip, weightless
from hypothesis import given
from hypothesis import strategies as st
from rasterio.enums import ColorInterp

import waygrid as wg
from waygrid.formats import MapData, geotiff, read_map, rules, write_map
from waygrid.formats.geotiff import read_raster, write_raster

pytestmark = pytest.mark.quick

UTM = rasterio.Affine(30, 0, 500000, 0, -30, 4600000)
PLACE = wg.Georeference(UTM, "EPSG:32632")


def make(path, *bands, **profile):
    """Write bands with rasterio alone."""
    first = np.asarray(bands[0])
    profile = {"transform": UTM, "crs": "EPSG:32632", **profile}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with rasterio.open(
            path,
            "w",
            driver="GTiff",
            height=first.shape[0],
            width=first.shape[1],
            count=len(bands),
            dtype=first.dtype,
            **profile,
        ) as dataset:
            for number, band in enumerate(bands, 1):
                dataset.write(band, number)
    return path


@quick
@given(maps(weights=st.integers(1, 65535)))
def test_maps_are_read_back(data):
    assert_same(weightless(round_trip(data, ".tif")), weightless(data))


def test_what_is_written_is_what_rasterio_reads(tmp_path):
    grid = wg.Grid([[1, 0, 1]], weights=[[500, 9, 65535]], georeference=PLACE)
    grid.save(tmp_path / "a.tif")
    with rasterio.open(tmp_path / "a.tif") as dataset:
        assert (dataset.transform, dataset.crs, dataset.nodata) == (UTM, rasterio.CRS.from_epsg(32632), 0)
        assert dataset.read(1).tolist() == [[500, 0, 65535]]
        assert dataset.read(1, masked=True).mask.tolist() == [[False, True, False]]
    assert wg.Grid.from_file(tmp_path / "a.tif") == grid
    plain = wg.Grid([[1, 0, 1]])
    plain.save(tmp_path / "b.tif")
    read = wg.Grid.from_file(tmp_path / "b.tif")
    assert read == plain
    assert read.weights is read.georeference is None


@pytest.mark.parametrize("costs", [[[0.5, np.nan, 2.25]], [[0.3, 0.9, 700.0]]])
def test_a_scale_is_kept(tmp_path, costs):
    grid = wg.Grid.from_costs(costs, georeference=PLACE)
    grid.save(tmp_path / "a.tif")
    assert wg.Grid.from_file(tmp_path / "a.tif") == grid
    with rasterio.open(tmp_path / "a.tif") as dataset:
        assert dataset.scales == (grid.scale,)
    np.testing.assert_allclose(read_raster(tmp_path / "a.tif").values.filled(np.nan), costs)
    assert "declares its own, 0.01; leave out scale" in refused(
        lambda: wg.Grid.from_file(tmp_path / "a.tif", scale=2)
    ).replace("0.1;", "0.01;")
    assert "cannot store the scale" in refused(lambda: grid.save(tmp_path / "a.npy"))


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64"])
def test_all_types(tmp_path, dtype):
    costs = np.array([[1, 2, 100], [7, 0, 3]], dtype)
    path = make(tmp_path / "a.tif", costs, nodata=0)
    grid = wg.Grid.from_file(path)
    assert grid.passable.tolist() == (costs != 0).tolist()
    assert grid.weights.tolist() == [[1, 2, 100], [7, 1, 3]]
    assert (grid.crs, tuple(grid.transform)) == ("EPSG:32632", tuple(UTM)[:6])


@pytest.mark.parametrize("options", [{"tiled": True, "blockxsize": 16, "blockysize": 16}, {"blockysize": 3}, {}])
def test_blocks_of_rows_in_tiles_and_strips(tmp_path, monkeypatch, options):
    costs = np.random.default_rng(3).uniform(1, 90, (70, 45)).astype(np.float32)
    costs[10:20, 30:] = np.nan
    path = make(tmp_path / "a.tif", costs, **options)
    monkeypatch.setattr(rules, "BLOCK_CELLS", 500)
    grid = wg.Grid.from_file(path)
    assert grid == wg.Grid.from_costs(costs, georeference=PLACE)
    grid.save(tmp_path / "b.tif")
    assert wg.Grid.from_file(tmp_path / "b.tif") == grid
    costs[66, 7] = -3
    make(path, costs)
    assert f"{path}: cost -3.0 at (7, 66)" in refused(lambda: wg.Grid.from_file(path))


def test_bands(tmp_path):
    path = make(tmp_path / "a.tif", np.array([[1, 2]], np.uint8), np.array([[3, 4]], np.uint8))
    assert wg.Grid.from_file(path).weights.tolist() == [[1, 2]]
    assert wg.Grid.from_file(path, band=2).weights.tolist() == [[3, 4]]
    for band in (0, 3, "red", True, 1.0):
        assert f"{path}: band is {band!r}; allowed are the integers 1 to 2" in refused(
            lambda band=band: wg.Grid.from_file(path, band=band)
        )


def test_no_data_by_value_by_nan_by_mask_by_alpha_and_by_argument(tmp_path):
    floats = np.array([[1.5, -9999, np.nan, np.inf]], np.float32)
    path = make(tmp_path / "a.tif", floats, nodata=-9999)
    assert wg.Grid.from_file(path).passable.tolist() == [[True, False, False, False]]
    path = make(tmp_path / "b.tif", floats)
    assert "cost -9999.0 at (1, 0)" in refused(lambda: wg.Grid.from_file(path))
    assert wg.Grid.from_file(path, nodata=-9999).passable.sum() == 1
    lowest = float(np.finfo(np.float32).min)
    path = make(tmp_path / "c.tif", np.array([[lowest, 2]], np.float32), nodata=lowest)
    assert wg.Grid.from_file(path).passable.tolist() == [[False, True]]
    path = make(tmp_path / "d.tif", np.array([[5, 6]], np.uint8), np.array([[0, 255]], np.uint8))
    with rasterio.open(path, "r+") as dataset:
        dataset.colorinterp = (ColorInterp.gray, ColorInterp.alpha)
    assert wg.Grid.from_file(path).passable.tolist() == [[False, True]]
    path = make(tmp_path / "e.tif", np.array([[5, 6]], np.uint8))
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True), rasterio.open(path, "r+") as dataset:
        dataset.write_mask(np.array([[True, False]]))
    assert wg.Grid.from_file(path).passable.tolist() == [[True, False]]


def test_factor_and_offset(tmp_path):
    path = make(tmp_path / "a.tif", np.array([[1, 3]], np.int16))
    with rasterio.open(path, "r+") as dataset:
        dataset.scales, dataset.offsets = (0.5,), (10.0,)
    grid = wg.Grid.from_file(path)
    assert (grid.weights * grid.scale).tolist() == [[10.5, 11.5]]
    assert read_raster(path).values.tolist() == [[10.5, 11.5]]
    path = make(tmp_path / "b.tif", np.array([[1, 3]], np.float32))
    with rasterio.open(path, "r+") as dataset:
        dataset.scales = (0.25,)
    grid = wg.Grid.from_file(path)
    assert (grid.weights * grid.scale).tolist() == [[0.25, 0.75]]


@pytest.mark.parametrize(
    ("profile", "words"),
    [
        ({"transform": rasterio.Affine(30, 0, 0, 0, -20, 0)}, "cells are 30 x 20 (width x height)"),
        ({"transform": rasterio.Affine(1, 0.8, 0, 0, 0.6, 0)}, "shears cells"),
        ({"crs": "EPSG:4326"}, "coordinates are degrees (EPSG:4326)"),
    ],
)
def test_cells_that_are_no_squares_are_refused_unless_asked_for(tmp_path, profile, words):
    path = make(tmp_path / "a.tif", np.array([[1, 3]], np.uint8), **profile)
    message = refused(lambda: wg.Grid.from_file(path))
    assert message.startswith(f"{path}: ")
    assert words in message
    grid = wg.Grid.from_file(path, distortion="ignore")
    assert grid.georeference.distortion == "ignore"
    grid.save(tmp_path / "b.tif")
    assert wg.Grid.from_file(tmp_path / "b.tif", distortion="ignore") == grid
    assert words in refused(lambda: read_raster(path))
    assert read_raster(path, distortion="ignore").georeference == grid.georeference


def test_a_rotated_raster_is_fine(tmp_path):
    turned = rasterio.Affine(24, 18, 500000, 18, -24, 4600000)
    path = make(tmp_path / "a.tif", np.ones((4, 5), np.uint8), transform=turned)
    grid = wg.Grid.from_file(path)
    with rasterio.open(path) as dataset:
        assert grid.to_world((4, 3)).tolist() == pytest.approx(dataset.xy(3, 4))


def test_raster_of_any_numbers(tmp_path):
    values = np.array([[310.5, -4.25], [0.0, np.nan]], np.float32)
    write_raster(tmp_path / "a.tif", values, PLACE)
    read = read_raster(tmp_path / "a.tif")
    assert read.georeference == PLACE
    assert read.values.filled(-1).tolist() == [[310.5, -4.25], [0.0, -1.0]]
    write_raster(tmp_path / "b.tif", np.ma.masked_equal([[3, 4, 5]], 4), nodata=-7)
    assert read_raster(tmp_path / "b.tif").values.tolist() == [[3, None, 5]]
    write_raster(tmp_path / "c.tif", np.array([[True, False]]))
    assert read_raster(tmp_path / "c.tif").values.tolist() == [[1, 0]]
    for call, words in (
        (lambda: write_raster(tmp_path / "d.tif", [1, 2]), "not int64 of shape (2,)"),
        (lambda: write_raster(tmp_path / "d.tif", np.ma.masked_equal([[3, 4]], 4)), "some cells are masked"),
        (lambda: write_raster(tmp_path / "no" / "d.tif", [[1.0]]), "no such file or directory"),
        (lambda: write_raster(tmp_path / "d.tif", [[1]], nodata=math.nan), "cannot write"),
    ):
        assert words in refused(call)
    assert not (tmp_path / "d.tif").exists()


def test_files_that_are_no_geotiff(tmp_path):
    path = tmp_path / "a.tif"
    for content in (b"", b"II*\0", b"\x89PNG\r\n\x1a\n", b"<VRTDataset/>"):
        path.write_bytes(content)
        assert "a GeoTIFF that cannot be read" in refused(lambda: read_map(path))
    make(path, np.ones((3, 4), np.complex64))
    assert "band 1 holds complex64" in refused(lambda: read_map(path))


def test_damaged_files_are_read_or_refused(tmp_path):
    path = tmp_path / "a.tif"
    write_map(path, MapData(np.ones((300, 40), bool), np.arange(1, 12001, dtype=np.uint16).reshape(300, 40)))
    whole = path.read_bytes()
    chance = np.random.default_rng(5)
    for cut in (20, 200, len(whole) // 2, len(whole) - 10):
        path.write_bytes(whole[:cut])
        parses_or_refuses(lambda data: geotiff.read(path), b"")
    for _ in range(60):
        damaged = bytearray(whole)
        for place in chance.integers(0, len(whole), 3):
            damaged[place] = chance.integers(0, 256)
        path.write_bytes(damaged)
        parses_or_refuses(lambda data: geotiff.read(path), b"")
