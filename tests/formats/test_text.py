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

from waygrid.formats import MapData, files, text, write_map

pytestmark = pytest.mark.quick

DRAWN = "..#\n@.9\n"


def parse_bytes(data: bytes) -> MapData:
    return text.parse(files.decode(data, "a.txt"), "a.txt")


def test_signs():
    wanted = MapData(np.array([[1, 1, 0], [0, 1, 1]], bool), np.array([[1, 1, 1], [1, 1, 9]], np.uint16))
    assert_same(text.parse(DRAWN), wanted)
    assert_same(text.parse("..\n.#"), MapData(np.array([[1, 1], [1, 0]], bool), None))


@pytest.mark.parametrize("other", ["..#\r\n@.9", "\n\n   ..#  \n\t@.9\n\n  \n", "\ufeff..#\n#.9\n"])
def test_untidy_text_is_the_same_map(other):
    assert_same(parse_bytes(other.encode()), text.parse(DRAWN))


def test_drawing():
    assert text.format(text.parse(DRAWN)) == "..#\n#.9\n"
    assert text.format(MapData(np.array([[1, 0]], bool), np.array([[1, 1]], np.uint16))) == "1#\n"


@quick
@given(maps(weights=st.integers(1, 9)))
def test_round_trip(data):
    wanted = data if data.passable.any() else weightless(data)
    assert_same(text.parse(text.format(data)), wanted)
    assert_same(round_trip(data, ".txt"), wanted)


@pytest.mark.parametrize(
    ("drawn", "message"),
    [
        ("", "a.txt: the file is empty; a map has at least one row"),
        ("\n \n", "a.txt: the file is empty; a map has at least one row"),
        ("\n..\n.", "a.txt, line 3: a row of 1 cells; the first row has 2"),
        ("..\n\n..", "a.txt, line 2: a row of 0 cells; the first row has 2"),
        ("..\n  .0", "a.txt, line 2, column 4: '0' is not a cell; allowed are . # @ and 1 to 9"),
        (". .", "a.txt, line 1, column 2: ' ' is not a cell; allowed are . # @ and 1 to 9"),
        (".é", "a.txt, line 1, column 2: 'é' is not a cell; allowed are . # @ and 1 to 9"),
    ],
)
def test_errors_name_file_and_line(drawn, message):
    assert refused(lambda: parse_bytes(drawn.encode())) == message


def test_bytes_that_are_no_text():
    assert refused(lambda: parse_bytes(b"..\n\xff")) == "a.txt, line 2: not UTF-8 text (byte 0xff)"


def test_heavy_weights_are_not_drawn(tmp_path):
    path = tmp_path / "a.txt"
    data = MapData(np.ones((1, 2), bool), np.array([[1, 10]], np.uint16))
    message = refused(lambda: write_map(path, data))
    assert message == f"{path}: text can store weights 1 to 9, not 10; use .npy, .png or .tmx"


@fuzzing
@given(st.binary(max_size=100), st.text(".#@123\n ", max_size=60), damaged([DRAWN.encode()]))
def test_fuzz(noise, drawn, broken):
    for data in (noise, drawn.encode(), broken):
        parses_or_refuses(parse_bytes, data)
