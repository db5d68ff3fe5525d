import io
import json
import struct
import zlib

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
from PIL import Image, PngImagePlugin

from waygrid.formats import MapData, image, read_map, write_map

pytestmark = pytest.mark.quick


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int, depth: int, colour: int, rows: bytes, *more: bytes) -> bytes:
    """A PNG by hand: rows with their filter bytes, and further chunks before the pixels."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    parts = [chunk(b"IHDR", header), *more, chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def saved(picture: Image.Image, **options) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, "PNG", **options)
    return stream.getvalue()


def weighted(weights: list[int]) -> MapData:
    return MapData(np.ones((1, len(weights)), bool), np.array([weights], np.uint16))


@quick
@given(maps(weights=st.integers(1, 65535)))
def test_round_trip(data):
    assert_same(round_trip(data, ".png"), data)


def test_most_weights(tmp_path):
    data = weighted([*range(1, 255), 65535])
    assert_same(round_trip(data, ".png"), data)
    path = tmp_path / "a.png"
    message = refused(lambda: write_map(path, weighted([*range(1, 257)])))
    assert message == f"{path}: a .png can store 255 different weights, not 256; use .npy or .tmx"


@pytest.mark.parametrize("weights", [[1], [1, 2], [5], [5, 9], [1, 10, 20], [*range(1, 256)], [*range(9, 264)]])
def test_colours_tell_weights_apart_and_look_passable(tmp_path, weights):
    path = tmp_path / "a.png"
    write_map(path, weighted(weights))
    with Image.open(path) as picture:
        assert picture.mode == "P"
        luma = np.asarray(picture.convert("L"))[0]
        colours = [tuple(c) for c in np.asarray(picture.convert("RGB"))[0].tolist()]
    assert luma.min() >= 128
    assert len(set(colours)) == len(weights)
    assert (np.diff(luma.astype(int)) <= 1).all()  # darker and darker, but for rounding
    assert (colours[0] == (255, 255, 255)) == (weights[0] == 1)


def test_a_foreign_reader_sees_the_walls(tmp_path):
    path = tmp_path / "a.png"
    data = MapData(np.array([[1, 0, 1]], bool), np.array([[4, 1, 60000]], np.uint16))
    write_map(path, data)
    with Image.open(path) as picture:
        plain = saved(picture.convert("RGB"))
    assert_same(image.parse(plain), MapData(data.passable, None))


@pytest.mark.parametrize("mode", ["L", "RGB", "P", "LA", "RGBA", "1"])
def test_modes(mode):
    grey = Image.fromarray(np.array([[0, 127, 128, 255]], np.uint8))
    picture = grey.point(lambda v: 255 * (v >= 128)).convert("1") if mode == "1" else grey.convert(mode)
    assert image.parse(saved(picture)).passable.tolist() == [[False, False, True, True]]


def test_sixteen_bits():
    grey = Image.fromarray(np.array([[0, 127 * 256 + 255, 128 * 256, 65535]], np.uint16))
    assert image.parse(saved(grey)).passable.tolist() == [[False, False, True, True]]


def test_threshold(tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(saved(Image.fromarray(np.array([[9, 10, 200]], np.uint8))))
    assert read_map(path, threshold=10).passable.tolist() == [[False, True, True]]
    assert read_map(path, threshold=201).passable.tolist() == [[False, False, False]]
    for bad in (0, 256, True, "x", 1.5):
        assert (
            refused(lambda bad=bad: read_map(path, threshold=bad)) == f"{path}: threshold {bad!r}; allowed are 1 to 255"
        )


def test_transparent_pixels_are_walls():
    pixels = np.array([[[255, 255, 255, 0], [255, 255, 255, 1], [0, 0, 0, 255]]], np.uint8)
    assert image.parse(saved(Image.fromarray(pixels))).passable.tolist() == [[False, True, False]]


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (png(8, 1, 1, 0, b"\0\xf0", chunk(b"tRNS", b"\0\1")), [0] * 8),
        (png(4, 1, 2, 0, b"\0\xf8", chunk(b"tRNS", b"\0\2")), [1, 1, 0, 0]),
        (png(2, 1, 4, 0, b"\0\xf9", chunk(b"tRNS", b"\0\x0f")), [0, 1]),
        (png(2, 1, 8, 0, b"\0\xff\xfe", chunk(b"tRNS", b"\0\xff")), [0, 1]),
        (png(2, 1, 16, 0, b"\0\xff\xff\xff\xfe", chunk(b"tRNS", b"\xff\xff")), [0, 1]),
        (png(2, 1, 8, 2, b"\0\xff\xff\xff\xff\xff\xfe", chunk(b"tRNS", b"\0\xff\0\xff\0\xff")), [0, 1]),
        (png(2, 1, 8, 3, b"\0\0\1", chunk(b"PLTE", b"\xff" * 6), chunk(b"tRNS", b"\0\x80")), [0, 1]),
        (png(2, 1, 8, 3, b"\0\0\1", chunk(b"PLTE", b"\xff" * 6), chunk(b"tRNS", b"\xff\0")), [1, 0]),
    ],
)
def test_transparent_colours_are_walls(data, wanted):
    assert image.parse(data).passable.astype(int).tolist() == [wanted]


GOOD = png(3, 2, 8, 0, b"\0\x00\x80\xff\0\xff\xff\xff")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "a.png: not a PNG image"),
        (b"GIF89a" + bytes(60), "a.png: not a PNG image"),
        (GOOD[:30], "a.png: not a PNG image"),
        (GOOD[:50], "a.png: a PNG image that cannot be read ("),
        (GOOD[:40] + b"\xff" + GOOD[41:], "a.png: a PNG image that cannot be read ("),
        (GOOD.replace(zlib.compress(b"\0\x00\x80\xff\0\xff\xff\xff"), bytes(16)), "cannot be read ("),
        (png(0, 2, 8, 0, b""), "a.png: a map of 0 x 2 cells; each side must be 1 to 65535"),
        (png(70000, 1, 8, 0, b""), "a.png: a map of 70000 x 1 cells"),
        (png(60000, 60000, 1, 0, b""), "at most 67108864 cells are allowed"),
        (png(3, 2, 8, 0, b"\0\0\0"), "cannot be read ("),
        (png(3, 2, 7, 0, b"\0\0\0"), "cannot be read ("),
        (png(1, 1, 8, 0, b"\0\0", chunk(b"zTXt", b"k\0\0" + zlib.compress(bytes(10**8)))), "cannot be read ("),
    ],
)
def test_broken_images(data, words):
    assert words in refused(lambda: image.parse(data, "a.png"))


def with_notes(text: str, entries: list[int], palette: list[int]) -> bytes:
    picture = Image.fromarray(np.array([entries], np.uint8))
    picture.putpalette(palette)
    notes = PngImagePlugin.PngInfo()
    notes.add_text(image.WEIGHTS_KEY, text)
    return saved(picture, pnginfo=notes, bits=8)


OURS = [32, 32, 32, 255, 255, 255, 235, 105, 90]


@pytest.mark.parametrize(
    ("text", "entries", "palette", "words"),
    [
        ("[0, 1, 9]", [0, 1, 2], [0, 0, 0, *OURS[3:]], "its colours were changed"),
        ("[0, 1, 9]", [0, 1, 2], OURS[:6], "its colours were changed"),
        ("[0, 1, 9]", [0, 1, 3], [*OURS, 1, 2, 3], "palette entry 3 has no weight; 3 are given"),
        ("[0, 1, ", [0], OURS, "is not JSON"),
        ("[" * 100_000, [0], OURS, "is not JSON"),
        ("{}", [0], OURS, "must be a list of 0 and up to 255 weights"),
        ("[]", [0], OURS, "must be a list of 0 and up to 255 weights"),
        ("[1, 0]", [0], OURS, "must be a list of 0 and up to 255 weights"),
        ("[0, 65536]", [0], OURS, "must be a list of 0 and up to 255 weights"),
        ("[0, 1.5]", [0], OURS, "must be a list of 0 and up to 255 weights"),
        ("[0, true]", [0], OURS, "must be a list of 0 and up to 255 weights"),
        (json.dumps([0, *range(1, 257)]), [0], OURS, "must be a list of 0 and up to 255 weights"),
    ],
)
def test_notes_that_do_not_fit(text, entries, palette, words):
    assert words in refused(lambda: image.parse(with_notes(text, entries, palette), "a.png"))


def test_notes_that_fit():
    assert image.parse(with_notes("[0, 1, 9]", [0, 1, 2], OURS)).weights.tolist() == [[1, 1, 9]]


SAMPLES = [GOOD, with_notes("[0, 1, 9]", [0, 1, 2], OURS), saved(Image.new("RGBA", (3, 3), "white"))]


@fuzzing
@given(st.binary(max_size=100), damaged(SAMPLES))
def test_fuzz(noise, broken):
    parses_or_refuses(image.parse, noise)
    parses_or_refuses(image.parse, GOOD[:33] + noise)
    parses_or_refuses(image.parse, broken)


@fuzzing
@given(
    st.tuples(st.integers(0, 20), st.integers(0, 20), st.sampled_from([1, 2, 4, 8, 16, 3]), st.integers(0, 7)),
    st.binary(max_size=60),
    st.lists(
        st.tuples(
            st.sampled_from([b"PLTE", b"tRNS", b"tEXt", b"iTXt", b"zTXt", b"gAMA", b"acTL", b"fcTL", b"IHDR", b"eXIf"]),
            st.binary(max_size=30),
        ),
        max_size=3,
    ),
)
def test_fuzzed_chunks_with_right_checksums(header, rows, chunks):
    parses_or_refuses(image.parse, png(*header, rows, *(chunk(kind, data) for kind, data in chunks)))
