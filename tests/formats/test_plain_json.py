"""Maps as a small JSON object, as an engine writes them."""

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
from waygrid.formats import plain_json

pytestmark = pytest.mark.quick

# As Godot writes it: all numbers are floats.
TEXT = '{"width": 3.0, "height": 2.0, "cells": [1.0, 0.0, 5.0, 1, 1, 1], "transform": [16, 0, -32, 0, 16, 48]}'


def test_what_an_engine_writes(tmp_path):
    (tmp_path / "a.json").write_text(TEXT)
    grid = wg.Grid.from_file(tmp_path / "a.json")
    assert grid.passable.astype(int).tolist() == [[1, 0, 1], [1, 1, 1]]
    assert grid.weights.tolist() == [[1, 1, 5], [1, 1, 1]]
    assert grid.to_cell((-31, 70)) == (0, 1)
    assert grid.to_world((2, 0)).tolist() == [8, 56]


@quick
@given(maps(weights=st.integers(1, 65535)), st.sampled_from([None, "tile", "octile", "hex", "tex"]), st.booleans())
def test_round_trip(data, topology, placed):
    place = wg.Georeference((2, 0, 5, 0, -2, 7), "EPSG:32632") if placed else None
    read = round_trip(data._replace(topology=topology, georeference=place), ".json")
    assert_same(read, weightless(data))
    assert read.topology == topology
    assert read.georeference == place


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("3.0", "3.5", "width is 3.5; allowed are the integers 1 to 65535"),
        ("3.0", '"3"', "width is '3'"),
        ("3.0", "true", "width is True"),
        ("3.0", "1e999", "width is inf"),
        ('"height": 2.0, ', "", "height is None"),
        ("3.0", "65535", "cells has 6 numbers; 65535 x 2 cells need 131070"),
        ("2.0", "65535", "cells has 6 numbers"),
        ("5.0", "-5", "cells holds -5 at (2, 0); allowed are the integers 0 to 65535"),
        ("5.0", "65536", "cells holds 65536 at (2, 0)"),
        ("5.0", "null", "cells is"),
        ("5.0", "NaN", "cells holds nan at (2, 0)"),
        ("[16,", "[", "transform is"),
        ("[16,", "[17,", "cells are 17 x 16"),
        ("}", ', "topology": "round"}', "topology is 'round'; allowed are tile, octile, hex, tex"),
    ],
)
def test_errors_name_file_key_and_value(old, new, words):
    message = refused(lambda: plain_json.parse(TEXT.replace(old, new, 1), "a.json"))
    assert words in message
    assert message.startswith("a.json")


@fuzzing
@given(damaged([TEXT.encode()]))
def test_damaged_files(data):
    parses_or_refuses(lambda data: plain_json.parse(data.decode("latin-1")), data)
