import io

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
)
from hypothesis import given
from hypothesis import strategies as st

from waygrid.formats import MapData, array
from waygrid.grid.grid import Grid

pytestmark = pytest.mark.quick


def saved(cells, **options) -> bytes:
    stream = io.BytesIO()
    np.save(stream, cells, **options)
    return stream.getvalue()


@quick
@given(maps(weights=st.integers(1, 65535)))
def test_round_trip(data):
    assert_same(round_trip(data, ".npy"), data)


@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "<u2", ">u2", "<i4", ">i8", "u8", "f2", "<f4", ">f8", "g"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_kinds_of_arrays(dtype, order):
    cells = np.array([[0, 1, 1], [1, 0, 0]]).astype(dtype, order=order)
    assert_same(array.parse(saved(cells)), MapData(np.array([[0, 1, 1], [1, 0, 0]], bool), None))


@pytest.mark.parametrize("order", ["C", "F"])
def test_pairs_have_weights(order):
    cells = np.zeros((2, 2), [("passable", "?"), ("weight", "<u2")])
    cells["passable"], cells["weight"] = [[0, 1], [1, 1]], [[0, 1], [7, 65535]]
    wanted = MapData(np.array([[0, 1], [1, 1]], bool), np.array([[1, 1], [7, 65535]], np.uint16))
    assert_same(array.parse(saved(np.asarray(cells, order=order))), wanted)


def test_strange_booleans():
    data = bytearray(saved(np.array([[True, False, True]])))
    data[-1] = 7
    assert_same(array.parse(bytes(data)), MapData(np.array([[1, 0, 1]], bool), None))


def test_second_version():
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.array([[1, 0]]), version=(2, 0))
    assert array.parse(stream.getvalue()).passable.tolist() == [[True, False]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "a.npy: not a .npy file that can be read"),
        (b"\x93NUMPY\x01\x00\x10\x00garbage garbage!", "a.npy: not a .npy file that can be read"),
        (b"\x93NUMPY\x03\x00\x10\x00", "a.npy: .npy version 3.0; allowed are 1.0 and 2.0"),
        (saved(np.ones(3)), "a.npy: an array of shape (3,); a map has shape (height, width)"),
        (saved(np.ones((0, 3))), "a.npy: a map of 3 x 0 cells; each side must be 1 to 65535"),
        (saved(np.ones((2, 2)) * 1j), "a.npy: an array of complex128; allowed are bool, integers and floats"),
        (saved(np.array([["x"]])), "a.npy: an array of <U1; allowed are bool, integers and floats"),
        (
            saved(np.array([[object()]]), allow_pickle=True),
            "a.npy: an array of object; allowed are bool, integers and floats",
        ),
        (saved(np.ones((2, 2), bool))[:-1], "a.npy: 3 bytes of cells; shape (2, 2) of bool needs 4"),
        (saved(np.ones((2, 2), bool)) + b"x", "a.npy: 5 bytes of cells; shape (2, 2) of bool needs 4"),
    ],
)
def test_errors(data, message):
    assert refused(lambda: array.parse(data, "a.npy")) == message


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (np.array([[1, -1]]), "holds -1 at (1, 0), and a negative number is neither wall nor ground"),
        (np.array([[1, 7]]), "holds 7 at (1, 0); a map is an array of booleans or of 0 (wall) and 1; for costs"),
        (np.array([[2**64 - 1]], np.uint64), f"holds {2**64 - 1} at (0, 0)"),
        (np.array([[1, 0.5]]), "holds 0.5 at (1, 0)"),
        (np.array([[1, np.nan]]), "holds nan at (1, 0)"),
        (np.array([[1], [-np.inf]]), "holds -inf at (0, 1)"),
    ],
)
def test_other_numbers_are_refused_as_by_grid(cells, words):
    message = refused(lambda: array.parse(saved(cells), "a.npy"))
    assert message.startswith("a.npy: the map ")
    assert words in message
    assert "wg.Grid.from_costs(np.load(file)" in message
    assert refused(lambda: Grid(cells)) == message.removeprefix("a.npy: ").replace("np.load(file)", "array")


def test_a_pair_without_a_legal_weight_is_refused():
    cells = np.zeros((1, 2), [("passable", "?"), ("weight", "<u2")])
    cells["passable"] = True
    assert "a.npy: weight 0 at (0, 0); allowed are 1 to 65535" in refused(lambda: array.parse(saved(cells), "a.npy"))


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ("16384, 16384", "needs 268435456"),
        ("99999999999999999999, 1", "each side must be 1 to 65535"),
        ("-1, 1", "each side must be 1 to 65535"),
        ("65535, 65535", "at most 268435456 cells"),
    ],
)
def test_a_header_cannot_take_memory(shape, words):
    header = f"{{'descr': '|b1', 'fortran_order': False, 'shape': ({shape}), }}\n".encode()
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    assert words in refused(lambda: array.parse(data))


SAMPLES = [
    saved(np.array([[1, 0], [0, 1]], np.uint16)),
    saved(np.zeros((1, 2), [("passable", "?"), ("weight", "<u2")])),
    saved(np.array([[True, False]])),
    saved(np.asfortranarray([[1.0, 0], [0, 1]])),
]


@fuzzing
@given(st.binary(max_size=150), damaged(SAMPLES))
def test_fuzz(noise, broken):
    parses_or_refuses(array.parse, noise)
    parses_or_refuses(array.parse, SAMPLES[0][:10] + noise)
    parses_or_refuses(array.parse, broken)


@fuzzing
@given(st.text("{}()'descrfotanhpe_, :<>u2i4f8?TrueFals0123456789LO[]", max_size=100))
def test_fuzzed_headers(header):
    text = header.encode()
    parses_or_refuses(array.parse, b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text)
