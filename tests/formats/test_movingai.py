import numpy as np
import pytest
from formats.support import (
    assert_same,
    count_calls,
    damaged,
    fuzzing,
    maps,
    parses_or_refuses,
    quick,
    real_files,
    refused,
    round_trip,
)
from hypothesis import given
from hypothesis import strategies as st

from waygrid.formats import MapData, movingai, read_map, write_map

pytestmark = pytest.mark.quick

PLAIN = b"type octile\nheight 2\nwidth 3\nmap\n.G@\nSTO\n"
MIXED = b"type octile\nheight 2\nwidth 4\nground 1\ntree +inf\nswamp 10\nwater 20\nmap\n.GSW\nT@OS\n"


def test_terrain():
    assert_same(movingai.parse(PLAIN), MapData(np.array([[1, 1, 0], [1, 0, 0]], bool), None))
    assert not movingai.parse(PLAIN.replace(b"S", b"W")).passable[1].any()


def test_terrain_with_costs():
    wanted = MapData(np.array([[1, 1, 1, 1], [0, 0, 0, 1]], bool), np.array([[1, 1, 10, 20], [1, 1, 1, 10]], np.uint16))
    assert_same(movingai.parse(MIXED), wanted)
    walls = movingai.parse(MIXED.replace(b"ground 1", b"ground inf").replace(b"tree +inf", b"tree 7.0"))
    assert walls.passable.tolist() == [[False, False, True, True], [True, False, False, True]]
    assert walls.weights[1, 0] == 7


def test_costs_left_out_are_those_of_a_plain_map():
    data = movingai.parse(PLAIN.replace(b"map\n", b"swamp 3\nmap\n"))
    assert_same(data, MapData(movingai.parse(PLAIN).passable, np.array([[1, 1, 1], [3, 1, 1]], np.uint16)))


@pytest.mark.parametrize("sample", [PLAIN, MIXED])
@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.replace(b"\n", b"\r\n"),
        lambda d: d.rstrip(b"\n"),
        lambda d: d.replace(b"\n", b"\r\n").rstrip(b"\r\n"),
        lambda d: d + b"\n\n \r\n",
        lambda d: d.replace(b" ", b"\t  "),
        lambda d: d.replace(b"\n", b" \t\n"),
        lambda d: b"\xef\xbb\xbf" + d,
        lambda d: b"\n" + d.replace(b"type octile", b"  type tile "),
        lambda d: d[:-3] + b"\r\n" + d[-3:] if d.endswith(b"\r\n") else d.replace(b"map\n", b"map\r\n"),
    ],
)
def test_untidy_files_are_the_same_map(sample, change):
    assert_same(movingai.parse(change(sample)), movingai.parse(sample))


def test_header_in_either_order():
    assert_same(movingai.parse(b"width 3\nheight 2\ntype hex\nmap\n.G@\nSTO\n"), movingai.parse(PLAIN))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"octile", b"square", "a.map, line 1: type 'square'; allowed are tile, octile, hex, tex"),
        (b"height 2", b"height 0", "a.map, line 2: height '0'; allowed are 1 to 65535"),
        (b"height 2", b"height 65536", "a.map, line 2: height '65536'; allowed are 1 to 65535"),
        (b"width 3", b"width x", "a.map, line 3: width 'x'; allowed are 1 to 65535"),
        (b"width 3", b"width 3 3", "a.map, line 3: 'width' needs one value, not 2"),
        (b"width 3", b"width", "a.map, line 3: 'width' needs one value, not 0"),
        (b"width 3", b"height 3", "a.map, line 3: 'height' was already given in line 2"),
        (b"width 3\n", b"", "a.map, line 3: the header has no line 'width'"),
        (b"type octile\n", b"", "a.map, line 3: the header has no line 'type'"),
        (
            b"map\n",
            b"",
            "a.map, line 4: header line '.G@'; allowed are type, height, width, ground, tree, swamp, water, map",
        ),
        (b"map\n.G@\nSTO\n", b"", "a.map, line 4: the line 'map' is missing from the header"),
        (b"map\n", b"swamp 1.5\nmap\n", "a.map, line 4: swamp '1.5'; a cost is a whole number 1 to 65535 or +inf"),
        (b"map\n", b"swamp 65536\nmap\n", "a.map, line 4: swamp '65536'; a cost is a whole number 1 to 65535 or +inf"),
        (b"map\n", b"tree -inf\nmap\n", "a.map, line 4: tree '-inf'; a cost is a whole number 1 to 65535 or +inf"),
        (b"map\n", b"tree nan\nmap\n", "a.map, line 4: tree 'nan'; a cost is a whole number 1 to 65535 or +inf"),
        (b"map\n", b"water 1_0\nmap\n", "a.map, line 4: water '1_0'; a cost is a whole number 1 to 65535 or +inf"),
        (b"STO\n", b"", "a.map, line 6: the file ends after 1 of the 2 rows"),
        (b"STO\n", b"STO\n\n...\n", "a.map, line 8: more rows than the 2 of the header"),
        (b"STO\n", b"ST\n", "a.map, line 6: a row of 2 cells; the header says 3"),
        (b".G@\n", b".G@.\n", "a.map, line 5: a row of 4 cells; the header says 3"),
        (b".G@\n", b"\n.G@\n", "a.map, line 5: a row of 0 cells; the header says 3"),
        (b"STO", b"S?O", "a.map, line 6, column 2: '?' is not a terrain; allowed are . G S @ O T W"),
        (b"STO", b"ST\xff", "a.map, line 6, column 3: byte 0xff is not a terrain; allowed are . G S @ O T W"),
    ],
)
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_errors_name_file_and_line(old, new, message, ending):
    data = PLAIN.replace(old, new, 1).replace(b"\n", ending)
    assert refused(lambda: movingai.parse(data, "a.map")) == message


def test_absurd_size_is_refused_before_memory_is_taken():
    data = b"type octile\nheight 65535\nwidth 65535\nmap\n"
    assert "at most 268435456 cells" in refused(lambda: movingai.parse(data))


@quick
@given(maps(weights=st.sampled_from([1, 2, 900, 65535])))
def test_round_trip(data):
    assert_same(round_trip(data, ".map"), data)


@quick
@given(maps(), st.sampled_from([b"\n", b"\r\n"]), st.booleans())
def test_line_ends(data, ending, last):
    rows = ["".join(".@"[not cell] for cell in row).encode() for row in data.passable]
    height, width = data.passable.shape
    text = ending.join([b"type octile", b"height %d" % height, b"width %d" % width, b"map", *rows])
    assert_same(movingai.parse(text + ending * last), data)


def test_too_many_weights_for_a_map(tmp_path):
    path = tmp_path / "a.map"
    data = MapData(np.ones((1, 5), bool), np.arange(1, 6, dtype=np.uint16)[None])
    message = refused(lambda: write_map(path, data))
    assert message == f"{path}: a .map can store 4 different weights, not 5; use .npy, or .png (up to 255)"
    assert_same(
        round_trip(data._replace(passable=data.passable & (data.weights > 1)), ".map"),
        MapData(data.weights > 1, data.weights),
    )


def test_topology_is_written(tmp_path):
    path = tmp_path / "a.map"
    write_map(path, MapData(np.ones((1, 1), bool)), topology="hex")
    assert path.read_bytes() == b"type hex\nheight 1\nwidth 1\nmap\n.\n"
    assert "allowed are tile, octile, hex, tex" in refused(
        lambda: write_map(path, MapData(np.ones((1, 1), bool)), topology="square")
    )


@pytest.mark.parametrize("path", real_files("*.map"))
def test_real_maps(path, tmp_path):
    data = read_map(path)
    lines = path.read_bytes().decode().splitlines()
    rows = lines[lines.index("map") + 1 :]
    assert data.passable.shape == (len(rows), len(rows[0]))
    mixed = path.parent.name == "mixedcost"
    drawn = "".join(rows)
    assert int(data.passable.sum()) == sum(drawn.count(sign) for sign in (".GSW" if mixed else ".GS"))
    assert (data.weights is not None) == mixed
    if mixed:
        assert int(data.weights[data.passable].sum()) == drawn.count(".") + 10 * drawn.count("S") + 20 * drawn.count(
            "W"
        )
    for suffix in (".map", ".png"):
        assert_same(round_trip(data, suffix), data)


def test_a_big_map_is_read_as_a_whole():
    """No function is called for each cell: far fewer calls than cells, and as many for a map of four times the size."""
    rng = np.random.default_rng(1)
    calls = []
    for side in (512, 1024):
        rows = np.full((side, side + 1), ord("\n"), np.uint8)
        rows[:, :-1] = np.where(rng.random((side, side)) < 0.3, ord("@"), ord("."))
        data = f"type octile\nheight {side}\nwidth {side}\nmap\n".encode() + rows.tobytes()
        calls.append(count_calls(lambda data=data: movingai.parse(data)))
        np.testing.assert_array_equal(movingai.parse(data).passable, rows[:, :-1] == ord("."))
    assert calls[1] <= 2.5 * calls[0] < 20_000


@fuzzing
@given(st.binary(max_size=200))
def test_any_bytes(data):
    parses_or_refuses(movingai.parse, data)
    parses_or_refuses(movingai.parse, b"type octile\nheight 2\nwidth 3\nmap\n" + data)


@fuzzing
@given(damaged([PLAIN, MIXED, PLAIN.replace(b"\n", b"\r\n")]))
def test_damaged_files(data):
    parses_or_refuses(movingai.parse, data)
