"""Rasters on the command line: points in map coordinates, GeoJSON, properties, other formats."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import waygrid as wg
from waygrid.formats.geotiff import read_raster

pytestmark = pytest.mark.quick


@pytest.fixture
def raster(tmp_path):
    place = wg.Georeference((30, 0, 500000, 0, -30, 4600000), "EPSG:32632")
    costs = np.full((12, 20), 0.5)
    costs[3:9, 8:12] = 2.75
    costs[0, 0] = np.nan
    grid = wg.Grid.from_costs(costs, georeference=place)
    grid.save(tmp_path / "map.tif")
    return grid


def test_find_takes_and_gives_coordinates(cli, raster):
    ends = "500040,4599700", "500590,4599980"
    answer = cli("find", "map.tif", *ends, "--coordinates", "--geojson", "out.json", "--cells")
    assert (answer.code, answer.err) == (0, "")
    path = wg.make_finder("astar", raster).find(raster.to_cell((500040, 4599700)), raster.to_cell((500590, 4599980)))
    assert f"{path.cost:.4f}" in answer.out
    printed = [tuple(map(float, line.split(","))) for line in answer.out.splitlines()[-len(path) :]]
    assert printed == [tuple(point) for point in path.coordinates.tolist()]
    assert "500045,4599685" in answer.out.split("waypoints")[1].splitlines()[0]
    assert json.loads(Path("out.json").read_text()) == path.to_geojson()
    found = json.loads(cli("find", "map.tif", *ends, "--coordinates", "--json").out)
    assert found["cells"] == path.cells.tolist()
    assert found["coordinates"] == path.coordinates.tolist()
    by_cells = json.loads(cli("find", "map.tif", "1,10", "19,0", "--json").out)
    assert by_cells["cells"] == path.cells.tolist()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["map.tif", "0,0", "500590,4599980", "--coordinates"], "point (0, 0) is outside the map"),
        (["map.tif", "here", "500590,4599980", "--coordinates"], "start is 'here'; a point is X,Y"),
        (["map.tif", "1.5,2", "3,3"], "start is '1.5,2'; a cell is X,Y"),
        (["map.tif", "0,0", "3,3"], "start (0, 0) is in a wall"),
        (["small.txt", "0,0", "1,0", "--coordinates"], "the grid has no coordinates"),
        (["small.txt", "0,0", "1,0", "--geojson", "out.json"], "the grid has no coordinates"),
        (["map.tif", "1,1", "3,3", "--read", "band=2"], "band is 2"),
    ],
)
def test_what_is_refused(cli, raster, small, words, message):
    answer = cli("find", *words)
    assert answer.code == 2
    assert message in answer.err


def test_corridor(cli, raster):
    words = "corridor", "map.tif", "500040,4599700", "500590,4599980", "--coordinates"
    answer = cli(*words, "--within", "10%", "-o", "extra.tif", "--png", "extra.png")
    assert (answer.code, answer.err) == (0, "")
    found = wg.corridor(raster, (1, 10), (19, 0))
    cells = int(found.within(share=0.1).sum())
    assert f"{found.optimum:.4f}" in answer.out
    assert f"{cells} cells within 10% of it" in answer.out
    assert f"{cells * 900} square units" in answer.out
    np.testing.assert_allclose(read_raster("extra.tif").values.filled(np.inf), found, rtol=1e-6)
    assert Path("extra.png").read_bytes().startswith(b"\x89PNG")
    by_cost = cli("corridor", "map.tif", "1,10", "19,0", "--within", "2")
    assert f"{int(found.within(extra=2).sum())} cells within 2 of it" in by_cost.out
    for limit in ("much", "-1%", "nan"):
        answer = cli("corridor", "map.tif", "1,10", "19,0", f"--within={limit}")
        assert (answer.code, f"--within is '{limit}'" in answer.err) == (2, True)


def test_no_corridor_is_code_1(cli, small):
    answer = cli("corridor", small, "0,0", "0,4")
    assert answer.code == 1
    assert "0 cells within 5% of it" in answer.out


def test_info(cli, raster):
    answer = cli("info", "map.tif")
    assert answer.code == 0
    for words in (
        "500000,4600000 to 500600,4599640, cells of 30",
        "EPSG:32632",
        "30, 0, 500000, 0, -30, 4600000",
        "50 to 275, times 0.01",
    ):
        assert words in answer.out
    facts = json.loads(cli("info", "map.tif", "--json").out)
    assert facts["transform"] == [30, 0, 500000, 0, -30, 4600000]
    assert (facts["crs"], facts["scale"], facts["rounding"]) == ("EPSG:32632", 0.01, 0)
    assert "crs" not in cli("info", "map.tif", "--zones", "z.png").out.split("fingerprint")[1]


def test_convert(cli, raster, small):
    answer = cli("convert", "map.tif", "map.npy")
    assert answer.code == 2
    assert "cannot store the scale 0.01 of costs; .tif .tiff can" in answer.err
    assert cli("convert", "map.tif", "copy.tif").code == 0
    assert wg.Grid.from_file("copy.tif") == raster
    assert cli("convert", small, "plain.tif").code == 0
    assert wg.Grid.from_file("plain.tif") == wg.Grid.from_file(small)
    whole = wg.Grid([[1, 0]], georeference=raster.georeference)
    whole.save("whole.tif")
    answer = cli("convert", "whole.tif", "whole.png")
    assert answer.out.rstrip().endswith("without its coordinates: only .tif .yaml and .json store them")
    assert (wg.Grid.from_file("whole.png").passable == whole.passable).all()
    assert cli("convert", "whole.tif", "fine.tif", "--set", "scale=0.5").code == 0
    assert wg.Grid.from_file("fine.tif").weights.tolist() == [[2, 1]]


def test_a_corridor_by_the_mean_of_both_cells(cli, raster):
    answer = cli("corridor", "map.tif", "1,10", "9,5", "--rule", "mean")
    assert (answer.code, answer.err) == (0, "")
    found = wg.corridor(wg.Grid.from_file("map.tif", rule="mean"), (1, 10), (9, 5))
    assert f"{found.optimum:.4f}" in answer.out
    assert found.optimum < wg.corridor(raster, (1, 10), (9, 5)).optimum
    answer = cli("corridor", "map.tif", "1,10", "19,0", "--rule", "median")
    assert (answer.code, "rule is 'median'" in answer.err) == (2, True)


def test_a_benchmark_by_the_mean_of_both_cells(cli, raster):
    for rule in ("enter", "mean"):
        words = ["bench", "map.tif", "--limit", 20, "--rule", rule, "--rounds", 0, "-a", "astar,dijkstra"]
        answer = cli(*words, "--store", f"{rule}.db", "--export", f"{rule}.csv")
        assert answer.code == 0
        with Path(f"{rule}.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == 40
        finder = wg.make_finder("astar", wg.Grid.from_file("map.tif", rule=rule))
        for row in rows:
            start, goal = ((int(row[f"{end}_x"]), int(row[f"{end}_y"])) for end in ("start", "goal"))
            assert float(row["cost"]) == pytest.approx(finder.find(start, goal).cost)
    assert Path("enter.csv").read_text() != Path("mean.csv").read_text()
    answer = cli("bench", "map.tif", "--rule", "median")
    assert (answer.code, "rule is 'median'" in answer.err) == (2, True)
