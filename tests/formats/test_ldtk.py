"""Levels of LDtk: values, names, levels in files of their own, round trips, odd files."""

import json

import numpy as np
import pytest
from formats.support import (
    assert_same,
    damaged,
    fuzzing,
    maps,
    parses_or_refuses,
    quick,
    refused,
    round_trip,
    weightless,
)
from hypothesis import given
from hypothesis import strategies as st

import waygrid as wg
from waygrid.formats import ldtk, read_map

pytestmark = pytest.mark.quick


def make_layer(name, rows, kind="IntGrid"):
    values = [value for row in rows for value in row]
    return {"__identifier": name, "__type": kind, "__cWid": len(rows[0]), "__cHei": len(rows), "intGridCsv": values}


def make_project(**more):
    values = [(1, "wall"), (2, "mud"), (3, "cost_7"), (4, None)]
    named = [{"value": value, "identifier": called, "color": "#000"} for value, called in values]
    cave = [make_layer("Decoration", [[1, 1]], "Tiles"), make_layer("Ground", [[0, 1, 2], [3, 4, 0]])]
    hall = [make_layer("Ground", [[2, 0]]), make_layer("Collisions", [[0, 5]])]
    levels = [{"identifier": "Cave", "layerInstances": cave}, {"identifier": "Hall", "layerInstances": hall}]
    return {"defs": {"layers": [{"identifier": "Ground", "intGridValues": named}]}, "levels": levels} | more


TEXT = json.dumps(make_project())


@pytest.mark.parametrize(
    ("options", "passable", "weights"),
    [
        ({}, [[1, 0, 1], [1, 1, 1]], [[1, 1, 1], [7, 1, 1]]),
        ({"level": "Cave", "layer": "Ground"}, [[1, 0, 1], [1, 1, 1]], [[1, 1, 1], [7, 1, 1]]),
        ({"walls": [1, "mud"]}, [[1, 0, 0], [1, 1, 1]], [[1, 1, 1], [7, 1, 1]]),
        ({"walls": "wall,4"}, [[1, 0, 1], [1, 0, 1]], [[1, 1, 1], [7, 1, 1]]),
        ({"walls": (4, 1)}, [[1, 0, 1], [1, 0, 1]], [[1, 1, 1], [7, 1, 1]]),
        ({"walls": 2, "weights": {"wall": 9}}, [[1, 1, 0], [1, 1, 1]], [[1, 9, 1], [1, 1, 1]]),
        ({"weights": "mud:3,4:8"}, [[1, 0, 1], [1, 1, 1]], [[1, 1, 3], [1, 8, 1]]),
        ({"level": 1}, [[1, 0]], None),
        ({"level": "Hall", "layer": "Collisions", "weights": {5: 2}}, [[1, 1]], [[1, 2]]),
    ],
)
def test_values_become_walls_and_weights(options, passable, weights):
    data = ldtk.parse(TEXT, **options)
    assert data.passable.astype(int).tolist() == passable
    assert (None if data.weights is None else data.weights.tolist()) == weights


def test_worlds_and_levels_in_files_of_their_own(tmp_path):
    project = make_project()
    inner = project.pop("levels")
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "Cave.ldtkl").write_text(json.dumps(inner[0]))
    outer = {"identifier": "Cave", "layerInstances": None, "externalRelPath": "game/Cave.ldtkl"}
    project["worlds"] = [{"identifier": "World", "levels": [outer, inner[1]]}]
    path = tmp_path / "a.ldtk"
    path.write_text(json.dumps(project))
    assert_same(read_map(path), ldtk.parse(TEXT))
    assert wg.Grid.from_file(path, level="Hall").width == 2
    for source in ("../b.ldtkl", "/etc/passwd", "a.ldtk", "a\0.ldtkl"):
        outer["externalRelPath"] = source
        path.write_text(json.dumps(project))
        assert ".ldtkl" in refused(lambda: read_map(path))


@quick
@given(maps(weights=st.integers(1, 65535)))
def test_round_trip(data):
    assert_same(round_trip(data, ".ldtk"), weightless(data))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"level": "Attic"}, "a.ldtk: no level 'Attic'; allowed are 0 to 1, or the names Cave, Hall"),
        ({"level": 2}, "no level 2"),
        ({"layer": "Decoration"}, "a.ldtk, level 'Cave': no IntGrid layer 'Decoration'; there are Ground"),
        ({"walls": "lava"}, "walls names 'lava'; allowed are values from 1, and the names wall, mud, cost_7"),
        ({"walls": 0}, "walls names 0"),
        ({"weights": {"mud": 0}}, "weight 0 of 'mud'; allowed are 1 to 65535"),
        ({"weights": "mud"}, "weight '' of 'mud'"),
        ({"weights": 3}, "weights is 3; allowed is a dict"),
    ],
)
def test_options_that_fit_nothing(options, words):
    assert words in refused(lambda: ldtk.parse(TEXT, "a.ldtk", **options))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"__cWid": 3', '"__cWid": 4', "intGridCsv has 6 numbers; 4 x 2 cells need 8"),
        ('"__cWid": 3', '"__cWid": 0', "__cWid is 0; allowed are the integers 1 to 65535"),
        ('"__cWid": 3, "__cHei": 2', '"__cWid": 60000, "__cHei": 60000', "at most 16777216 cells"),
        ("[0, 1, 2, 3, 4, 0]", "[0, 1, 2, 3, 4, -1]", "intGridCsv holds -1 at (2, 1)"),
        ("[0, 1, 2, 3, 4, 0]", '[0, 1, 2, 3, 4, "x"]', "allowed are the integers 0 to 2147483647"),
        ("[0, 1, 2, 3, 4, 0]", "[0, 1, 2, 3, 4, [1]]", "allowed are the integers"),
        ("[0, 1, 2, 3, 4, 0]", "[0, 1, 2, 3, 4, 1.5]", "holds 1.5 at (2, 1)"),
        ("[0, 1, 2, 3, 4, 0]", "[0, 1, 2, 3, 4, 99999999999999999999]", "allowed are the integers"),
        ('"levels": [', '"levels": [3, ', "entry 0 of levels is 3"),
        ('"levels": [', '"rooms": [', "there are no levels"),
        ('"cost_7"', '"cost_70000"', "weight 70000 of value 3"),
        ("{", "[", "not valid JSON"),
    ],
)
def test_errors_name_file_key_and_value(old, new, words):
    assert old in TEXT
    message = refused(lambda: ldtk.parse(TEXT.replace(old, new, 1), "a.ldtk"))
    assert words in message
    assert message.startswith("a.ldtk")


def test_which_layer_must_be_clear():
    project = make_project()
    project["levels"][0]["layerInstances"].append(make_layer("Other", [[0]]))
    words = "which IntGrid layer is the map? pass layer=; there are Ground, Other"
    assert words in refused(lambda: ldtk.parse(json.dumps(project)))
    project["levels"][0]["layerInstances"] = []
    assert "there are none" in refused(lambda: ldtk.parse(json.dumps(project)))


@fuzzing
@given(damaged([TEXT.encode()]))
def test_damaged_files(data):
    parses_or_refuses(lambda data: ldtk.parse(data.decode("latin-1")), data)


@pytest.mark.parametrize(
    "text", ["", "3", "[" * 100_000, '{"levels": 1e400}', "{" + '"a":{' * 50_000, '{"a": ' + "9" * 9999 + "}"]
)
def test_odd_files(text):
    assert "a.ldtk" in refused(lambda: ldtk.parse(text, "a.ldtk"))


def test_values_are_judged_one_by_one():
    """Against a loop over cells."""
    rng = np.random.default_rng(2)
    values = rng.integers(0, 6, (7, 9))
    project = make_project()
    project["levels"] = [{"identifier": "A", "layerInstances": [make_layer("Ground", values.tolist())]}]
    data = ldtk.parse(json.dumps(project), walls=[2, 5], weights={3: 4, 1: 300})
    for (y, x), value in np.ndenumerate(values):
        assert data.passable[y, x] == (value not in (2, 5))
        assert data.weights[y, x] == {3: 4, 1: 300}.get(value, 1)
