"""Maps of ROS: pixels judged as map_server does, by an oracle that loops over pixels; round trips; odd files."""

import io
import math
from pathlib import Path

import numpy as np
import pytest
from formats.support import assert_same, damaged, fuzzing, maps, parses_or_refuses, quick, refused, weightless
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import waygrid as wg
from waygrid.formats import MapData, read_map, ros_image, ros_map, write_map

pytestmark = pytest.mark.quick
pytest.importorskip("yaml")

TEXT = """image: a.pgm
mode: trinary
resolution: 0.05
origin: [-3.0, -2.0, 0.0]
negate: 0
occupied_thresh: 0.65
free_thresh: 0.196
"""


def occupancy_by_hand(pixel, most, has_alpha, mode, negate, occupied, free):
    """The occupancy of one pixel (red, green, blue, alpha): the rules of nav2's map_server, written out once more."""
    channels = list(pixel[:3])
    if mode == "trinary" and has_alpha:
        channels.append(pixel[3])
    shade = sum(channels) / len(channels) / most
    occ = shade if negate else 1.0 - shade
    if mode == "raw":
        percent = math.floor(shade * 255 + 0.5)
        return percent if 0 <= percent <= 100 else -1
    if mode == "scale" and has_alpha and pixel[3] != most:
        return -1
    if occupied < occ:
        return 100
    if occ < free:
        return 0
    if mode == "trinary":
        return -1
    return round((occ - free) / (occupied - free) * 100.0)  # halves to even, as C rounds them


def save_picture(folder, kind, rng):
    """Write a picture of a kind, every brightness among its pixels; return its name, pixels as RGBA, most and alpha."""
    shape = (13, 23)
    if kind in ("grey", "plain", "deep pgm"):
        most = {"grey": 255, "plain": 100, "deep pgm": 1000}[kind]
        grey = rng.integers(0, most + 1, shape)
        grey.flat[: min(most + 1, 256)] = np.arange(min(most + 1, 256))
        if kind == "plain":
            rows = "\n".join(" ".join(map(str, row)) for row in grey)
            data = f"P2\n# made by hand\n23 13 # size\n{most}\n{rows}\n".encode()
        else:
            data = f"P5 23 13 {most}\n".encode() + grey.astype(np.uint8 if most < 256 else ">u2").tobytes()
        (folder / "a.pgm").write_bytes(data)
        return "a.pgm", np.stack([grey] * 3 + [np.full(shape, most)], axis=-1), most, False
    bands = {"png": 1, "grey alpha": 2, "colour": 3, "colour alpha": 4}[kind]
    pixels = rng.integers(0, 256, (*shape, bands)).astype(np.uint8)
    pixels[..., 0].flat[:256] = np.arange(256)
    if bands in (2, 4):
        pixels[..., -1][rng.random(shape) < 0.6] = 255
    Image.fromarray(pixels.squeeze()).save(folder / "a.png")
    colours = pixels[..., :3] if bands > 2 else np.repeat(pixels[..., :1], 3, axis=-1)
    alpha = pixels[..., -1:] if bands in (2, 4) else np.full((*shape, 1), 255)
    return "a.png", np.concatenate([colours, alpha], axis=-1).astype(int), 255, bands in (2, 4)


@pytest.mark.parametrize("mode", ["trinary", "scale", "raw"])
@pytest.mark.parametrize("kind", ["grey", "plain", "deep pgm", "png", "grey alpha", "colour", "colour alpha"])
@pytest.mark.parametrize("negate", [0, 1, True])
def test_every_pixel_is_judged_as_by_map_server(tmp_path, mode, kind, negate):
    rng = np.random.default_rng([len(kind), len(mode), negate])
    image, pixels, most, alpha = save_picture(tmp_path, kind, rng)
    for occupied, free in ((0.65, 0.196), (0.6, 0.25), (1.0, 0.0), (0.51, 0.49)):
        text = TEXT.replace("trinary", mode).replace("a.pgm", image).replace("negate: 0", f"negate: {negate}")
        text = text.replace("0.65", str(occupied)).replace("0.196", str(free))
        wanted = np.array(
            [[occupancy_by_hand(p, most, alpha, mode, negate, occupied, free) for p in row] for row in pixels.tolist()]
        )
        info = ros_map.parse_info(text)
        read = ros_image.read_image((tmp_path / image).read_bytes(), image)
        np.testing.assert_array_equal(ros_map.judge_pixels(read, info), wanted)
        (tmp_path / "a.yaml").write_text(text)
        for unknown in ("wall", "free"):
            grid = wg.Grid.from_file(tmp_path / "a.yaml", unknown=unknown)
            least = 65 if mode == "raw" else 100
            np.testing.assert_array_equal(grid.passable, (wanted < least) & ((wanted >= 0) | (unknown == "free")))
            between = grid.passable & (wanted >= 0)
            weights = np.ones(wanted.shape, int) if grid.weights is None else grid.weights
            np.testing.assert_array_equal(weights[between], wanted[between] + 1)
            np.testing.assert_array_equal(grid.to_cell(grid.to_world((4, 12))), (4, 12))
            np.testing.assert_allclose(grid.to_world((0, 12)), (-2.975, -1.975))  # the lower left pixel


def test_sixteen_bits_and_palettes(tmp_path):
    grey = np.array([[0, 65535, 40000, 22938]], np.uint16)
    Image.fromarray(grey).save(tmp_path / "deep.png")
    info = ros_map.parse_info(TEXT)
    deep = ros_image.read_image((tmp_path / "deep.png").read_bytes(), "deep.png")
    assert deep.most == 65535
    assert ros_map.judge_pixels(deep, info).tolist() == [[100, 0, -1, -1]]
    picture = Image.new("P", (2, 1))
    picture.putpixel((1, 0), 1)
    picture.putpalette([0, 0, 0, 255, 255, 255])
    picture.save(tmp_path / "palette.png")
    read = ros_image.read_image((tmp_path / "palette.png").read_bytes(), "palette.png")
    assert ros_map.judge_pixels(read, info).tolist() == [[100, 0]]


@quick
@given(maps(weights=st.integers(1, 100)), st.sampled_from([None, False, True]), st.floats(-3, 3))
def test_round_trip(tmp_path_factory, data, image_like, yaw):
    """Cells and weights come back, and every cell where it was in the world, also where row 0 was the lowest."""
    folder = tmp_path_factory.mktemp("maps")
    height, width = data.passable.shape
    place = None
    if image_like is not None:
        more = {"image_height": height} if image_like else {}
        place = wg.Georeference.from_resolution(0.05, (-3.5, 2.25), yaw, **more)
    write_map(folder / "a.yaml", data._replace(georeference=place))
    assert sorted(file.name for file in folder.iterdir()) == ["a.pgm", "a.yaml"]
    read = read_map(folder / "a.yaml", unknown="error")
    wanted = weightless(data)
    if image_like is False:
        rows = None if wanted.weights is None else np.ascontiguousarray(wanted.weights[::-1])
        wanted = MapData(np.ascontiguousarray(wanted.passable[::-1]), rows)
    assert_same(read, wanted)
    if place is not None:
        there = place.to_world((width - 1, 0))
        np.testing.assert_allclose(
            read.georeference.to_world((width - 1, 0 if image_like else height - 1)), there, atol=1e-9
        )
        again = folder / "b.yaml"
        write_map(again, read)
        assert_same(read_map(again), wanted)


def test_a_grid_and_its_file(tmp_path):
    grid = wg.Grid(["..#", "5.#"], georeference=wg.Georeference.from_resolution(0.05, (-3, -2), image_height=2))
    grid.save(tmp_path / "it's a map.yaml")
    read = wg.Grid.from_file(tmp_path / "it's a map.yaml")
    assert (read.passable == grid.passable).all()
    assert (read.weights == grid.weights).all()
    np.testing.assert_allclose(read.transform, grid.transform)
    assert wg.Grid.from_file(tmp_path / "it's a map.yaml", weighted=False).weights is None
    assert wg.Grid.from_file(tmp_path / "it's a map.yaml", threshold=4).passable.sum() == 3


def test_what_is_not_written(tmp_path):
    heavy = MapData(np.ones((1, 2), bool), np.array([[3, 101]], np.uint16))
    assert "weight 101 at (1, 0); a .yaml can store weights of 1 to 100" in refused(
        lambda: write_map(tmp_path / "a.yaml", heavy)
    )
    place = wg.Georeference((30, 0, 0, 0, -30, 0), "EPSG:32632")
    assert "only its transform can be stored" in refused(
        lambda: write_map(tmp_path / "a.yaml", MapData(heavy.passable, None, None, place))
    )
    assert "cannot store" in refused(lambda: write_map(tmp_path / "a\nb.yaml", MapData(heavy.passable, None)))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("image: a.pgm\n", "", "the key 'image' is missing"),
        ("negate: 0\n", "", "the key 'negate' is missing; a map needs image, resolution"),
        ("a.pgm", "[1]", "image is [1]; allowed is a file name"),
        ("a.pgm", "../a.pgm", "is outside the folder of the map"),
        ("a.pgm", "/etc/a.pgm", "is outside the folder of the map"),
        ("a.pgm", "a.bmp", "allowed are .pgm .png"),
        ("a.pgm", "b.pgm", "cannot read"),
        ("trinary", "binary", "mode is 'binary'; allowed are trinary, scale, raw"),
        ("0.05", "0", "resolution is 0; allowed are numbers above 0"),
        ("0.05", ".nan", "resolution is nan; allowed are finite numbers"),
        ("0.05", "fine", "resolution is 'fine'"),
        ("[-3.0, -2.0, 0.0]", "[-3.0, -2.0]", "allowed are three numbers [x, y, yaw]"),
        ("-2.0", "down", "origin is 'down'; allowed are finite numbers"),
        ("negate: 0", "negate: maybe", "negate is 'maybe'; allowed are 0 and 1"),
        ("0.65", "0.1", "free_thresh is 0.196 and occupied_thresh 0.1"),
        ("0.65", "65", "allowed are 0 <= free_thresh < occupied_thresh <= 1"),
        ("image: a.pgm", "image: &a [1]\nmore: *a", "aliases (*name) are not allowed"),
        ("image:", "image: [", "line"),
        ("image: a.pgm", "image: !!python/object/apply:os.getcwd []", "not valid YAML"),
    ],
)
def test_errors_name_file_key_and_value(tmp_path, old, new, words):
    (tmp_path / "a.pgm").write_bytes(b"P5 1 1 255\n\0")
    path = tmp_path / "a.yaml"
    path.write_text(TEXT.replace(old, new))
    message = refused(lambda: read_map(path))
    assert words in message
    assert str(tmp_path) in message


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"unknown": "error"}, "1 cells are unknown, the first at (1, 0); pass unknown='wall' or 'free'"),
        ({"unknown": "maybe"}, "unknown is 'maybe'; allowed are wall, free, error"),
        ({"threshold": 0}, "threshold is 0; allowed are the integers 1 to 100"),
        ({"weighted": "yes"}, "weighted is 'yes'; allowed are true and false"),
        ({"negate": 1}, "reading this format has no option 'negate'; allowed are unknown, threshold, weighted"),
    ],
)
def test_errors_of_options(tmp_path, options, words):
    (tmp_path / "a.pgm").write_bytes(b"P5 3 1 255\n\0\xcd\xfe")
    (tmp_path / "a.yaml").write_text(TEXT)
    assert words in refused(lambda: read_map(tmp_path / "a.yaml", **options))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not a PGM or PNG image"),
        (b"P6 1 1 255\nabc", "not a PGM or PNG image"),
        (b"P5", "without a width"),
        (b"P5 3 2", "without a height"),
        (b"P5 3 2 255", "without a largest grey"),
        (b"P5 3 2 255\nabc", "3 bytes of pixels; 3 x 2 need 6"),
        (b"P5 3 1 70000\nabcdef", "largest grey 70000; allowed are 1 to 65535"),
        (b"P5 3 1 9\nabc", "grey 99 in an image whose largest grey is 9"),
        (b"P5 99999 99999 255\n", "each side must be 1 to 65535"),
        (b"P5 0 3 255\n", "each side must be 1 to 65535"),
        (b"P2 2 1 9\n1", "1 pixels; the image needs 2"),
        (b"P2 2 1 9\n1 x", "must be whole numbers"),
        (b"P2 2 1 9\n1 12345678901", "more than 9 digits"),
        (b"\x89PNG\r\n\x1a\n", "damaged PNG"),
        (b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + b"\0\0\0\1" * 2 + b"\x08" + b"\0" * 30, "cannot be read"),
    ],
)
def test_odd_images(data, words):
    message = refused(lambda: ros_image.read_image(data, "a.pgm"))
    assert words in message
    assert "a.pgm" in message


def sample_pictures():
    stream = io.BytesIO()
    Image.fromarray(np.arange(24, dtype=np.uint8).reshape(4, 6)).save(stream, "PNG")
    return [b"P5\n# odd\n3 2 255\nabcdef", b"P2\n3 2\n9\n1 2 3\n4 5 6\n", b"P5 2 1 300\n\0\1\1\0", stream.getvalue()]


@fuzzing
@given(damaged(sample_pictures()))
def test_damaged_images(data):
    parses_or_refuses(lambda data: ros_image.read_image(data, "a"), data)


@fuzzing
@given(damaged([TEXT.encode(), TEXT.replace("[-3.0, -2.0, 0.0]", "{x: &a !!set {b: 1}, <<: 3}").encode()]))
def test_damaged_descriptions(data):
    parses_or_refuses(lambda data: ros_map.parse_info(data.decode("latin-1")), data)


@pytest.mark.parametrize("text", ["", "3", "- 1", "[" * 20_000, "{a: " * 20_000, "? [a]\n: b", "2020-13-45: x", "1: 2"])
def test_odd_descriptions(text):
    assert "a.yaml" in refused(lambda: ros_map.parse_info(text, "a.yaml"))


def test_a_description_that_grows():
    lines = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 60)]
    assert "aliases" in refused(lambda: ros_map.parse_info("\n".join(lines), "a.yaml"))


def test_a_large_description(tmp_path):
    (tmp_path / "a.yaml").write_bytes(b"#" * 70_000)
    assert "larger than the 65536 bytes" in refused(lambda: read_map(tmp_path / "a.yaml"))


def test_without_pyyaml(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "yaml", None)
    (tmp_path / "a.yaml").write_text(TEXT)
    assert "pip install 'waygrid[robots]'" in refused(lambda: read_map(tmp_path / "a.yaml"))
    wg.Grid(["."]).save(tmp_path / "b.yaml")  # writing needs no package
    assert Path(tmp_path / "b.pgm").exists()
