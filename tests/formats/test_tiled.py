import base64
import gzip
import struct
import zlib

import numpy as np
import pytest
from formats.support import assert_same, damaged, fuzzing, maps, parses_or_refuses, quick, refused, round_trip
from hypothesis import given
from hypothesis import strategies as st

from waygrid.formats import MapData, read_map, tiled, tiled_data

pytestmark = pytest.mark.quick

FLIPPED = 0x80000000 | 2
TILESET = (
    '<tileset firstgid="1" name="t" tilewidth="8" tileheight="8" tilecount="9" columns="3">'
    '<tile id="0"><properties><property name="blocks" type="bool" value="true"/></properties></tile>'
    '<tile id="1"><properties><property name="blocks" type="bool" value="false"/>'
    '<property name="weight" type="int" value="5"/></properties></tile>'
    '<tile id="2"><properties><property name="weight" type="int">70</property></properties></tile>'
    "</tileset>"
)


def document(*layers: str, tilesets: str = "", size: str = 'width="3" height="2"', more: str = "") -> bytes:
    text = '<?xml version="1.0" encoding="UTF-8"?>\n<map version="1.10" '
    return f'{text}{size} tilewidth="8" tileheight="8" {more}>{tilesets}{"".join(layers)}</map>'.encode()


def layer(name: str, data: str, attributes: str = 'encoding="csv"', size: str = 'width="3" height="2"') -> str:
    return f'<layer id="1" name="{name}" {size}><data {attributes}>{data}</data></layer>'


def packed(numbers: list[int], squeeze=bytes) -> str:
    return base64.b64encode(squeeze(struct.pack(f"<{len(numbers)}I", *numbers))).decode()


WALLS = [0, 1, 0, FLIPPED, 0, 3]
PASSABLE = np.array([[1, 0, 1], [0, 1, 0]], bool)


@pytest.mark.parametrize(
    ("data", "attributes"),
    [
        (",".join(map(str, WALLS)), 'encoding="csv"'),
        ("\n0,1,0,\r\n2147483650, 0 ,3\n", 'encoding="csv"'),
        (packed(WALLS), 'encoding="base64"'),
        ("\n   " + packed(WALLS)[:9] + "\n" + packed(WALLS)[9:] + "\n", 'encoding="base64" compression=""'),
        (packed(WALLS, zlib.compress), 'encoding="base64" compression="zlib"'),
        (packed(WALLS, lambda data: gzip.compress(data, mtime=0)), 'encoding="base64" compression="gzip"'),
        ("".join(f'<tile gid="{n}"/>' if n else "<tile/>" for n in WALLS), ""),
    ],
)
def test_encodings(data, attributes):
    assert_same(tiled.parse(document(layer("Walls", data, attributes))), MapData(PASSABLE, None))


@pytest.mark.parametrize("name", ["walls", "Collision", "BLOCKED", "obstacles"])
def test_wall_layer_by_its_name(name):
    data = document(layer("ground", "1,1,1,1,1,1"), layer(name, "0,1,0,1,0,1"), tilesets=TILESET)
    assert tiled.parse(data).passable.tolist() == PASSABLE.tolist()


def test_layer_that_is_asked_for(tmp_path):
    path = tmp_path / "a.tmx"
    path.write_bytes(document(layer("Walls", "0,0,0,0,0,0"), f"<group>{layer('Rocks', '0,1,0,1,0,1')}</group>"))
    assert read_map(path).passable.all()
    assert_same(read_map(path, layer="Rocks"), MapData(PASSABLE, None))
    assert refused(lambda: read_map(path, layer="rocks")) == f"{path}: no layer 'rocks'; there are 'Walls', 'Rocks'"


def test_several_wall_layers_add_up():
    data = document(layer("walls", "0,1,0,0,0,0"), layer("collision", "0,0,0,1,0,1"))
    assert_same(tiled.parse(data), MapData(PASSABLE, None))


def test_tile_properties():
    data = document(layer("ground", "2,2,3,9,0,1"), layer("things", "0,1,2,0,3,3"), tilesets=TILESET)
    wanted = MapData(np.array([[1, 0, 1], [1, 1, 0]], bool), np.array([[5, 1, 70], [1, 70, 1]], np.uint16))
    assert_same(tiled.parse(data), wanted)


def test_names_of_properties(tmp_path):
    path = tmp_path / "a.tmx"
    sets = TILESET.replace("blocks", "solid").replace("weight", "price")
    path.write_bytes(document(layer("ground", "2,1,3,1,9,1"), tilesets=sets))
    assert "the map does not define walls" in refused(lambda: read_map(path))
    assert_same(read_map(path, property="solid"), MapData(PASSABLE, None))
    assert read_map(path, property="solid", weight="price").weights.tolist() == [[5, 1, 70], [1, 1, 1]]


def test_several_tilesets():
    second = TILESET.replace('firstgid="1"', 'firstgid="3"')
    data = tiled.parse(document(layer("a", "1,2,3,4,5,0"), tilesets=second + TILESET))
    # Tile 2 of the first set would have number 3, which belongs to the second set.
    assert data.passable.tolist() == [[False, True, False], [True, True, True]]
    assert data.weights.tolist() == [[1, 5, 1], [5, 70, 1]]


def test_external_tileset(tmp_path):
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "t.tsx").write_text(TILESET.replace('firstgid="1"', ""))
    path = tmp_path / "a.tmx"
    link = '<tileset firstgid="10" source="{}"/>'
    path.write_bytes(document(layer("a", "11,10,0,10,0,10"), tilesets=link.format("sets/t.tsx")))
    assert_same(read_map(path), MapData(PASSABLE, np.array([[5, 1, 1], [1, 1, 1]], np.uint16)))
    for source, words in [
        ("sets/no.tsx", "cannot read"),
        ("../t.tsx", "tileset '../t.tsx' is outside the folder of the map"),
        ("/etc/t.tsx", "is outside the folder of the map"),
        ("sets/t.tsj", "only .tsx files are read"),
        (".", "only .tsx files are read"),
    ]:
        path.write_bytes(document(layer("a", "0,0,0,0,0,0"), tilesets=link.format(source)))
        assert words in refused(lambda: read_map(path))
    (tmp_path / "out").mkdir()
    inner = tmp_path / "out" / "a.tmx"
    (tmp_path / "out" / "link.tsx").symlink_to(tmp_path / "sets" / "t.tsx")
    inner.write_bytes(document(layer("a", "0,0,0,0,0,0"), tilesets=link.format("link.tsx")))
    assert "is outside the folder" in refused(lambda: read_map(inner))
    (tmp_path / "sets" / "t.tsx").write_text("<map/>")
    path.write_bytes(document(layer("a", "0,0,0,0,0,0"), tilesets=link.format("sets/t.tsx")))
    assert "the outermost element is <map>, not <tileset>" in refused(lambda: read_map(path))


def test_infinite_maps():
    chunks = (
        '<chunk x="-2" y="0" width="2" height="1">0,1</chunk><chunk x="1" y="1" width="2" height="2">1,0,0,1</chunk>'
    )
    data = document(layer("walls", chunks), size='width="30" height="20" infinite="1"')
    wanted = [[1, 0, 1, 1, 1], [1, 1, 1, 0, 1], [1, 1, 1, 1, 0]]
    assert tiled.parse(data).passable.astype(int).tolist() == wanted
    bits = packed([0, 1], zlib.compress)
    chunk = f'<chunk x="0" y="0" width="2" height="1">{bits}</chunk>'
    data = document(layer("walls", chunk, 'encoding="base64" compression="zlib"'), more='infinite="1"')
    assert tiled.parse(data).passable.tolist() == [[True, False]]


PLAIN = document(layer("walls", "0,1,0,1,0,1"))
TILES = document(layer("ground", "2,1,3,1,9,1"), tilesets=TILESET)


def encoded(data: str, attributes: str) -> bytes:
    return document(layer("walls", data, attributes))


def infinite(chunks: str) -> bytes:
    return document(layer("walls", chunks), more='infinite="1"')


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "a.tmx, line 1, column 1: not valid XML (no element found)"),
        (b"<map>\n<x></map>", "a.tmx, line 2, column 6: not valid XML (mismatched tag)"),
        (b"<tileset/>", "a.tmx: the outermost element is <tileset>, not <map>"),
        (b'<!DOCTYPE map [<!ENTITY a "b">]><map>&a;</map>', "a.tmx: a DOCTYPE is not allowed"),
        (
            '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE map><map/>'.encode("utf-16"),
            "a.tmx: a DOCTYPE is not allowed",
        ),
        (document(), "a.tmx: there are no tile layers"),
        (PLAIN.replace(b'width="3"', b'width="0"', 1), "a.tmx: width '0' of <map>; allowed are 1 to 65535"),
        (PLAIN.replace(b'width="3"', b"", 1), "a.tmx: <map> has no 'width'"),
        (
            PLAIN.replace(b'width="3" height="2"', b'width="65535" height="65535"', 1),
            "a.tmx: a map of 65535 x 65535 cells; at most 67108864 cells are allowed",
        ),
        (PLAIN.replace(b'width="3"', b'width="4"', 1), "a.tmx, layer 'walls': width 3; the map has 4"),
        (
            PLAIN.replace(b"version", b'orientation="round" version', 2).replace(b'orientation="round" ', b"", 1),
            "a.tmx: orientation 'round' is not supported; allowed are orthogonal, isometric, hexagonal",
        ),
        (
            document(layer("ground", "0,0,0,0,0,0"), layer("sky", "0,0,0,0,0,0")),
            "a.tmx: the map does not define walls: no layer is called walls, collision, blocked, obstacles and no tile "
            "has the property 'blocks'; the layers are 'ground', 'sky'",
        ),
        (document('<layer name="walls"/>'), "a.tmx, layer 'walls': there is no <data>"),
        (encoded("0,1,0", 'encoding="csv"'), "a.tmx, layer 'walls': the data has 3 tiles; 3 x 2 need 6"),
        (encoded("", 'encoding="csv"'), "a.tmx, layer 'walls': the data has 0 tiles; 3 x 2 need 6"),
        (encoded("", ""), "a.tmx, layer 'walls': the data has 0 tiles; 3 x 2 need 6"),
        (
            encoded("0,1,0,1,0,4294967296", 'encoding="csv"'),
            "a.tmx, layer 'walls': tile number 4294967296; allowed is up to 4294967295",
        ),
        (
            encoded('<tile gid="x"/>' * 6, ""),
            "a.tmx, layer 'walls': gid 'x' of <tile>; allowed are 0 to 4294967295",
        ),
        (
            encoded("AAAA", 'encoding="base64"'),
            "a.tmx, layer 'walls': the data has 3 bytes; 6 tiles need 24",
        ),
        (
            encoded("!!!!", 'encoding="base64"'),
            "a.tmx, layer 'walls': the base64 data cannot be decoded (Only base64 data is allowed)",
        ),
        (
            encoded(packed([0] * 10**6, zlib.compress), 'encoding="base64" compression="zlib"'),
            "a.tmx, layer 'walls': the data has more than 24 bytes; 6 tiles need 24",
        ),
        (
            encoded(packed(WALLS, lambda d: zlib.compress(d)[:-2]), 'encoding="base64" compression="zlib"'),
            "a.tmx, layer 'walls': the zlib data is cut off",
        ),
        (
            encoded("AAAA", 'encoding="base64" compression="zstd"'),
            "a.tmx, layer 'walls': compression 'zstd' is not supported; allowed are none, zlib and gzip",
        ),
        (
            encoded("AAAA", 'encoding="hex"'),
            "a.tmx, layer 'walls': encoding 'hex' is not supported; allowed are csv, base64 and none",
        ),
        (infinite(""), "a.tmx: the infinite map has no tiles"),
        (
            infinite(
                '<chunk x="0" y="0" width="1" height="1">1</chunk><chunk x="99999" y="0" width="1" height="1">1</chunk>'
            ),
            "a.tmx: a map of 100000 x 1 cells; each side must be 1 to 65535",
        ),
        (
            infinite('<chunk x="0" y="0" width="0" height="1"/>'),
            "a.tmx: width '0' of <chunk>; allowed are 1 to 65535",
        ),
        (
            TILES.replace(b'"true"', b'"yes"'),
            "a.tmx, tile 0: blocks 'yes'; allowed are true and false",
        ),
        (TILES.replace(b'"5"', b'"0"'), "a.tmx, tile 1: weight '0'; allowed are 1 to 65535"),
        (TILES.replace(b'"5"', b'"1.5"'), "a.tmx, tile 1: weight '1.5'; allowed are 1 to 65535"),
        (TILES.replace(b'firstgid="1"', b""), "a.tmx: <tileset> has no 'firstgid'"),
    ],
)
def test_errors(data, message):
    assert refused(lambda: tiled.parse(data, "a.tmx")) == message


@pytest.mark.parametrize("data", ["0,1,0,1,0,x", "0,1,0,,0,1", "0,1,0,1,0,1,", "0 1,0,1,0,1", "0,1,0,1,0,-1"])
def test_bad_csv(data):
    message = refused(lambda: tiled.parse(encoded(data, 'encoding="csv"'), "a.tmx"))
    assert message == "a.tmx, layer 'walls': the CSV data must be whole numbers between commas"


def test_unknown_encoding():
    assert "not XML that can be read" in refused(lambda: tiled.parse(b'<?xml version="1.0" encoding="nope"?><map/>'))


def test_overlapping_chunks_cannot_take_all_memory(monkeypatch):
    monkeypatch.setattr(tiled, "MAX_TILES", 9)
    chunk = '<chunk x="0" y="0" width="2" height="2">1,1,1,1</chunk>'
    assert tiled.parse(infinite(chunk * 2)).passable.shape == (2, 2)
    assert "chunks of more than 9 tiles in all" in refused(lambda: tiled.parse(infinite(chunk * 3)))
    ground = layer("g", "1,1,1,1,1,1")
    assert "7 layers of 3 x 2 tiles are too many" in refused(lambda: tiled.parse(document(*[ground] * 7)))


@quick
@given(maps(weights=st.integers(1, 65535)))
def test_round_trip(data):
    wanted = data if data.passable.any() else MapData(data.passable, None)
    assert_same(round_trip(data, ".tmx"), wanted)


def test_what_is_written(tmp_path):
    path = tmp_path / "a.tmx"
    tiled.write(path, MapData(np.array([[1, 0, 1]], bool), np.array([[3, 1, 900]], np.uint16)))
    root = tiled_data.parse_xml(path.read_bytes(), "a.tmx", "map")
    assert (root.get("width"), root.get("height"), root.get("infinite")) == ("3", "1", "0")
    assert root.find("tileset").get("tilecount") == "3"
    assert root.find("layer/data").text.split() == ["2,1,3"]


CHUNKED = infinite('<chunk x="-2" y="0" width="2" height="1">0,1</chunk>')
SQUEEZED = encoded(packed(WALLS, zlib.compress), 'encoding="base64" compression="zlib"')


@fuzzing
@given(st.binary(max_size=100), damaged([PLAIN, TILES, CHUNKED, SQUEEZED]))
def test_fuzz(noise, broken):
    parses_or_refuses(tiled.parse, noise)
    parses_or_refuses(tiled.parse, broken)


@fuzzing
@given(
    st.text("0123456789,- \n\tax", max_size=40) | st.binary(max_size=40).map(lambda b: base64.b64encode(b).decode()),
    st.sampled_from(["csv", "base64", "", "x"]),
    st.sampled_from(["", "zlib", "gzip", "zstd"]),
)
def test_fuzzed_data(data, encoding, compression):
    parses_or_refuses(tiled.parse, encoded(data, f'encoding="{encoding}" compression="{compression}"'))
