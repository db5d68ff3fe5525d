"""Robots' maps in the studio: opened with their image, in metres, and inflated as a layer."""

import json
import zipfile
from io import BytesIO

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the studio's packages are not installed")
pytest.importorskip("yaml", reason="PyYAML is not installed")

from studio_server import studio

import waygrid as wg
from waygrid.errors import WaygridError
from waygrid.studio import exports, opening
from waygrid.studio.hall import make_hall
from waygrid.studio.jobs import Job
from waygrid.studio.limits import StudioLimits
from waygrid.studio.model import Model, Terrain
from waygrid.studio.overlays import overlay
from waygrid.studio.wire import pack, unpack

YAML = "image: {image}\nresolution: 0.5\norigin: [-3, -2, 0.0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n"
PGM = b"P5\n4 2\n255\n" + bytes([254, 205, 0, 254, 254, 254, 254, 254])


def message(text=None, image=PGM, **header):
    text = YAML.format(image="hall.pgm") if text is None else text
    arrays = {"text": np.frombuffer(text.encode(), np.uint8)}
    if image is not None:
        arrays["image"] = np.frombuffer(image, np.uint8)
    return pack({"image": "hall.pgm", "unknown": "wall", **header}, arrays)


def open_map(sent, **limits):
    return opening.open_robot_map("hall.yaml", sent, StudioLimits()._replace(**limits))


def test_a_map_and_its_image():
    terrain = open_map(message())
    assert terrain.passable.tolist() == [[True, False, False, True], [True] * 4]
    assert open_map(message(unknown="free")).passable[0].tolist() == [True, True, False, True]
    assert terrain.place.to_world((0, 1)).tolist() == [-2.75, -1.75]
    elsewhere = YAML.format(image="/home/someone/maps/hall.pgm")  # the page sent the image itself
    assert open_map(message(elsewhere)).place == terrain.place


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (message(image=None), "hall.yaml: its image 'hall.pgm' is missing"),
        (message("nonsense: 1"), "the key 'image' is missing"),
        (message(image=b"JFIF"), "hall.pgm: not a PGM or PNG image"),
        (message(image=PGM[:-3]), "bytes of pixels"),
        (message(unknown="maybe"), "unknown is 'maybe'"),
        (message(unknown=None), "unknown is None"),
        (message("a" * 70_000), "has at most 65536"),
        (pack({}, {}), "the description of the map is missing"),
        (b"x", "the message is damaged"),
    ],
)
def test_what_is_no_map(sent, why):
    with pytest.raises(WaygridError, match=why):
        open_map(sent)


def test_large_images_are_refused_before_they_are_unpacked():
    from PIL import Image

    picture = BytesIO()
    Image.new("L", (400, 300), 254).save(picture, "PNG")
    for image in (picture.getvalue(), b"P5\n400 300\n255\n"):
        with pytest.raises(WaygridError, match="at most 1000 cells"):
            open_map(message(image=image), cells=1000)


def show(model, key, **options):
    asked = {"map": key, "overlay": "inflation", "options": options}
    return unpack(overlay(model, asked, Job("t", ("", ""))))


def layers(header, arrays, kind):
    return {one["name"]: arrays[one["array"]] for one in header["layers"] if one["type"] == kind}


@pytest.mark.quick
@pytest.mark.parametrize(
    ("options", "same"),
    [
        ({"radius": 0.25, "falloff": "none"}, {"radius": 0.25}),
        ({}, {"radius": 0.3, "falloff": "exponential", "reach": 0.9, "cost": 10}),
        (
            {"radius": 0, "falloff": "linear", "reach": 1.2, "cost": 50},
            {"radius": 0, "falloff": "linear", "reach": 1.2, "cost": 50},
        ),
    ],
)
def test_the_layer_is_what_inflate_does(options, same):
    hall, model = make_hall(), Model(StudioLimits())
    header, arrays = show(model, model.add(hall), **options)
    grid = wg.Grid(hall.passable, georeference=hall.place)
    inflated = grid.inflate(**same)
    grown = grid.passable & ~inflated.passable
    cells = layers(header, arrays, "cells")
    np.testing.assert_array_equal(next(iter(cells.values())), np.flatnonzero(grown))
    added = np.zeros(grid.passable.shape) if inflated.weights is None else inflated.weights.astype(float) - 1
    added[~inflated.passable] = 0
    values = layers(header, arrays, "values")
    np.testing.assert_array_equal(values["costs more"], added.ravel())
    np.testing.assert_allclose(values["nearest wall (m)"], grid.clearance_map().ravel(), rtol=1e-6)
    bands = np.concatenate([cells[name] for name in list(cells)[1:]] or [np.zeros(0, np.int32)])
    assert sorted(bands.tolist()) == np.flatnonzero(added).tolist()  # each cell in one band
    np.testing.assert_array_equal(layers(header, arrays, "walls")[""] != 0, inflated.passable.ravel())
    assert all(text["text"] not in values for text in header["legend"])


def test_without_coordinates_distances_are_cells():
    model = Model(StudioLimits())
    passable = np.ones((9, 9), np.bool_)
    passable[4, 4] = False
    key = model.add(opening.make_terrain(wg.formats.MapData(passable)))
    header, arrays = show(model, key, radius=2, falloff="none")
    assert header["legend"][0]["text"] == "within 2 cells of a wall"
    assert len(arrays["0"]) == 12
    assert layers(header, arrays, "values")["nearest wall (cells)"].max() == pytest.approx(np.hypot(4, 4))
    with pytest.raises(WaygridError, match="allowed is a reach above the radius"):
        show(model, key, radius=4, reach=3)
    with pytest.raises(WaygridError, match="hex"):
        overlay(model, {"map": key, "overlay": "inflation", "grid": {"topology": "hex"}}, Job("t", ("", "")))


@pytest.mark.parametrize("weights", [None, 7])
def test_an_exported_map_is_opened_again(weights):
    model, hall = Model(StudioLimits()), make_hall()
    priced = None if weights is None else np.where(hall.passable, weights, 1).astype(np.uint16)
    key = model.add(Terrain(hall.passable, priced, place=hall.place))
    with zipfile.ZipFile(BytesIO(exports.map_file(model, {"map": key, "format": ".yaml"}, Job("t", ("", ""))))) as both:
        assert both.namelist() == ["map.pgm", "map.yaml"]
        text, image = both.read("map.yaml").decode(), both.read("map.pgm")
    opened = opening.open_robot_map("map.yaml", message(text, image), model.limits)
    np.testing.assert_array_equal(opened.passable, hall.passable)
    assert opened.place.to_world((3, 4)).tolist() == pytest.approx(hall.place.to_world((3, 4)).tolist())
    assert (opened.weights is None) == (weights is None)
    assert weights is None or (opened.weights[opened.passable] == weights).all()
    written = json.loads(exports.map_file(model, {"map": key, "format": ".json"}, Job("t", ("", ""))))
    assert written["transform"] == pytest.approx(list(hall.place.transform))


def test_places_travel_to_the_page_and_back():
    with studio() as client:
        header, _ = unpack(client.ask("GET", "/api/examples/robot")[1])
        assert header["place"]["transform"] == list(make_hall().place.transform)
        status, body = client.ask("POST", "/api/robot?name=hall.yaml", message())
        opened, walls = unpack(body)
        assert (status, opened["width"], opened["name"]) == (200, 4, "hall.yaml")
        sent = {"width": 4, "height": 2, "place": opened["place"]}
        back = json.loads(client.ask("POST", "/api/terrain", pack(sent, {"walls": walls["walls"]}))[1])
        assert back["id"] == opened["id"]
        other = pack({**sent, "place": None}, {"walls": walls["walls"]})
        assert json.loads(client.ask("POST", "/api/terrain", other)[1])["id"] != opened["id"]
        for place in ("x", {}, {"transform": [1, 2]}, {"transform": [0] * 6}, {"transform": ["a"] * 6}):
            bad = pack({**sent, "place": place}, {"walls": walls["walls"]})
            assert client.error("POST", "/api/terrain", bad)[0] == 400
        assert client.error("POST", "/api/robot?name=hall.yaml", message(image=None))[0] == 400
