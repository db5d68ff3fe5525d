"""Maps of robots and of games on the command line, and inflated walls."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import waygrid as wg

pytestmark = pytest.mark.quick
pytest.importorskip("yaml")


@pytest.fixture
def hall(tmp_path):
    place = wg.Georeference.from_resolution(0.05, (-3, -2), image_height=30)
    passable = np.ones((30, 40), bool)
    passable[:20, 20] = False
    grid = wg.Grid(passable, georeference=place)
    grid.save(tmp_path / "hall.yaml")
    return grid


def test_every_command_reads_maps_of_ros(cli, hall):
    facts = json.loads(cli("info", "hall.yaml", "--json").out)
    assert (facts["width"], facts["height"], facts["passable"]) == (40, 30, 1180)
    np.testing.assert_allclose(facts["transform"], hall.transform)
    found = json.loads(cli("find", "hall.yaml", "-2.9,-0.6", "-1.1,-0.6", "--coordinates", "--json").out)
    assert found["cells"][0] == list(hall.to_cell((-2.9, -0.6)))
    assert found["coordinates"][-1] == pytest.approx(hall.to_world(hall.to_cell((-1.1, -0.6))).tolist())


def test_inflate_in_metres_and_in_cells(cli, hall):
    answer = cli("inflate", "hall.yaml", "--radius", "0.2", "-o", "safe.yaml", "--png", "safe.png")
    assert (answer.code, answer.err) == (0, "")
    wanted = hall.inflate(0.2)
    assert f"{wanted.passable.sum()} of 1180 cells are left" in answer.out
    read = wg.Grid.from_file("safe.yaml")
    assert (read.passable == wanted.passable).all()
    assert Image.open("safe.png").size[0] >= 40
    again = cli("inflate", "hall.yaml", "--radius", "4", "--units", "cells", "-o", "safe.npy")
    assert "radius    4 cells" in again.out
    assert (wg.Grid.from_file("safe.npy").passable == wanted.passable).all()


def test_costs_near_walls(cli, hall):
    words = ["--radius", "0.1", "--falloff", "exponential", "--reach", "0.5", "--cost", "60", "--steepness", "3"]
    answer = cli("inflate", "hall.yaml", *words, "-o", "safe.yaml")
    wanted = hall.inflate(0.1, falloff="exponential", reach=0.5, cost=60, steepness=3)
    assert f"1 to {wanted.weights[wanted.passable].max()}" in answer.out
    read = wg.Grid.from_file("safe.yaml")
    assert (read.weights[read.passable] == wanted.weights[wanted.passable]).all()


def test_errors_of_inflate(cli, hall):
    for words, said in (
        (["--radius", "-1"], "radius is -1.0; allowed are numbers from 0"),
        (["--radius", "1", "--reach", "2"], "reach is 2.0, but without falloff= there are only walls"),
        (["--radius", "1", "--units", "miles"], "units is 'miles'"),
        (["--radius", "0.1", "--grid", "hex"], "square cells"),
        ([], "radius"),
    ):
        answer = cli("inflate", "hall.yaml", *words)
        assert answer.code == 2
        assert said in answer.err


def test_convert_between_all(cli, hall):
    for target in ("a.json", "b.ldtk", "c.yml", "d.tmx", "e.yaml"):
        source = "hall.yaml" if target in ("a.json", "c.yml", "b.ldtk") else "a.json"
        answer = cli("convert", source, target)
        assert (answer.code, answer.err) == (0, "")
        assert ("without its coordinates" in answer.out) == (target in ("b.ldtk", "d.tmx"))
        assert (wg.Grid.from_file(target).passable == hall.passable).all()
    np.testing.assert_allclose(wg.Grid.from_file("e.yaml").transform, hall.transform)


def test_options_of_formats(cli, hall):
    image = Path("hall.pgm").read_bytes()
    Path("hall.pgm").write_bytes(image[:-1] + bytes([205]))
    for rule, count in (("wall", 1179), ("free", 1180)):
        facts = json.loads(cli("info", "hall.yaml", "--read", f"unknown={rule}", "--json").out)
        assert facts["passable"] == count
    answer = cli("info", "hall.yaml", "--read", "unknown=error")
    assert answer.code == 2
    assert "1 cells are unknown, the first at (39, 29)" in answer.err
    wg.Grid(["#5."]).save("level.ldtk")
    facts = json.loads(cli("info", "level.ldtk", "--read", "walls=1,2", "--read", "level=0", "--json").out)
    assert facts["passable"] == 1
    facts = json.loads(cli("info", "level.ldtk", "--read", "weights=weight_5:9", "--json").out)
    assert facts["weights"] == [1, 9]
