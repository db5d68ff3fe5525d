import hashlib
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from formats.support import damaged, fuzzing, parses_or_refuses, quick, refused
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from waygrid.formats import files
from waygrid.formats.index import DTYPES, read_index, write_index

pytestmark = pytest.mark.quick

ARRAYS = {
    "boxes": np.arange(12, dtype=np.uint16).reshape(3, 4),
    "costs": np.array([1.5, np.nan, np.inf]),
    "empty": np.empty((0, 7), np.int32),
    "scalar": np.array(-5, np.int8),
    "mask": np.array([True, False]),
}
ABOUT = {"algorithm": "jps+gb", "options": {"ties": "all", "sector": [16, 16]}, "map_hash": "é" * 3}


def content(arrays=ARRAYS, **about) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.wgi")
        write_index(path, arrays, **{**ABOUT, **about})
        return path.read_bytes()


def split(data: bytes) -> tuple[dict, bytes]:
    size = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + size]), data[8 + size :]


def joined(header: object, rest: bytes) -> bytes:
    text = (header if isinstance(header, str) else json.dumps(header)).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + rest


def check(got, wanted) -> None:
    assert set(got) == set(wanted)
    for name, array in wanted.items():
        assert got[name].dtype == array.dtype
        assert got[name].shape == array.shape
        assert not got[name].flags.writeable
        assert got[name].flags.aligned
        np.testing.assert_array_equal(got[name], array)


@pytest.mark.parametrize("verify", [False, True])
def test_round_trip(tmp_path, verify):
    path = tmp_path / "a.wgi"
    write_index(path, ARRAYS, **ABOUT, extra={"built": "é\n\"'"})
    assert [p.name for p in tmp_path.iterdir()] == ["a.wgi"]
    found = read_index(path, verify=verify)
    check(found.arrays, ARRAYS)
    assert (found.algorithm, found.options, found.map_hash) == ("jps+gb", ABOUT["options"], "é" * 3)
    assert (found.format_version, found.extra) == ("1", {"built": "é\n\"'"})


@quick
@given(
    st.dictionaries(
        st.text("abcXYZ09_.+/-", min_size=1, max_size=8),
        st.sampled_from(list(DTYPES.values())).flatmap(
            lambda dtype: npst.arrays(dtype, npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
        ),
        max_size=5,
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=9),
    st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5) | st.none() | st.booleans(), max_size=3),
)
def test_random_indexes(arrays, text, options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.wgi")
        write_index(path, arrays, algorithm=text, options=options, map_hash=text, extra={text: text})
        found = read_index(path, verify=True)
        check(found.arrays, arrays)
        assert found[1:] == (text, options, text, "1", {text: text})
        # Anybody else's safetensors must read it as well.
        check_foreign = safetensors.numpy.load_file(path)
        for name, array in arrays.items():
            np.testing.assert_array_equal(check_foreign[name], array)


def test_other_layouts_are_stored_plainly(tmp_path):
    path = tmp_path / "a.wgi"
    cells = np.arange(12, dtype=">i4").reshape(3, 4).T[::2]
    write_index(path, {"a": cells}, **ABOUT)
    check(read_index(path, verify=True).arrays, {"a": np.ascontiguousarray(cells, "<i4")})


def test_same_content_same_bytes():
    assert len({content() for _ in range(5)}) == 1
    assert content(dict(reversed(ARRAYS.items()))) == content()


def test_header():
    header, rest = split(content())
    about = header["__metadata__"]
    assert all(isinstance(value, str) for value in about.values())
    assert about["format_version"] == "1"
    sums = json.loads(about["sha256"])
    assert set(sums) == set(ARRAYS)
    begin, end = header["boxes"]["data_offsets"]
    assert hashlib.sha256(rest[begin:end]).hexdigest() == sums["boxes"]
    assert json.loads(about["options"]) == ABOUT["options"]


def test_arrays_are_mapped_not_loaded(tmp_path):
    path = tmp_path / "a.wgi"
    write_index(path, {"big": np.zeros(1000)}, **ABOUT)
    found = read_index(path, verify=False)
    assert not found.arrays["big"].flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        found.arrays["big"][0] = 1
    # A new index may take the place of one in use; who has mapped the old one keeps it.
    write_index(path, {"big": np.ones(1000)}, **ABOUT)
    assert found.arrays["big"].sum() == 0
    assert read_index(path).arrays["big"].sum() == 1000


def test_every_flipped_byte_is_noticed(tmp_path):
    path = tmp_path / "a.wgi"
    good = content({"a": np.arange(3, dtype=np.uint16), "b": np.empty((0, 2))}, map_hash="f" * 64)
    path.write_bytes(good)
    read_index(path)
    for at in range(len(good)):
        for change in (0x01, 0x20, 0x80, good[at] ^ ord(" "), good[at] ^ ord("\n"), good[at] ^ ord("0")):
            if change:
                bad = bytearray(good)
                bad[at] ^= change
                path.write_bytes(bad)
                message = refused(lambda: read_index(path))
                assert str(path) in message
                assert "the index is damaged" in message
    for end in range(len(good)):
        path.write_bytes(good[:end])
        refused(lambda: read_index(path, verify=False))


def change(edit) -> bytes:
    header, rest = split(content())
    edit(header)
    return joined(header, rest)


def set_entry(name: str, **values):
    return lambda header: header[name].update(values)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "0 bytes are too few for an index"),
        (b"PK\x03\x04" + bytes(60), "not a safetensors file"),
        (bytes(60), "not a safetensors file"),
        (content()[:100], "cut off: a header of"),
        (content()[:-1], "cut off: array 'mask' ends at"),
        (content() + b"x", "1 bytes after the last array"),
        (joined("{bad", b""), "the header cannot be read"),
        (joined('{"a":1,"a":2}', b""), "the header cannot be read (a key occurs twice)"),
        (joined('{"a":' + "[" * 100_000, b""), "the header cannot be read"),
        (joined({"a": 1}, b""), "the header has no metadata"),
        (joined({"__metadata__": {"format_version": 1}}, b""), "the header has no metadata"),
        (joined({"__metadata__": {"format_version": "1"}}, b""), "the header has no 'algorithm'"),
        (change(lambda h: h["__metadata__"].update(format_version="2")), "index format version '2'; allowed is '1'"),
        (change(lambda h: h["__metadata__"].pop("format_version")), "index format version None; allowed is '1'"),
        (change(lambda h: h["__metadata__"].update(options="[1]")), "'options' is not a JSON object"),
        (change(lambda h: h["__metadata__"].update(options='{"a":NaN}')), "'options' cannot be read (NaN is not a"),
        (change(lambda h: h["__metadata__"].update(extra='{"a":1}')), "'extra' may contain only text"),
        (change(set_entry("boxes", dtype="BF16")), "array 'boxes' has dtype 'BF16'; allowed are BOOL, U8"),
        (change(set_entry("boxes", dtype=[])), "array 'boxes' has dtype []; allowed are BOOL, U8"),
        (change(set_entry("boxes", shape=[-3, -4])), "array 'boxes' has a bad shape"),
        (change(set_entry("boxes", shape=[3, 4.0])), "array 'boxes' has a bad shape"),
        (change(set_entry("boxes", shape=[1] * 33)), "array 'boxes' has a bad shape"),
        (change(set_entry("empty", shape=[0, 2**62])), "array 'empty' has a bad shape"),
        (change(set_entry("boxes", shape=[3, 5])), "array 'boxes' of uint16 (3, 5) does not fit its 24 bytes"),
        (change(set_entry("boxes", data_offsets=[0])), "bad data_offsets"),
        (change(set_entry("boxes", data_offsets=[0, 24])), "begins at"),
        (change(set_entry("mask", data_offsets=[10**6, 10**6 + 2])), "begins at 1000000"),
        (change(set_entry("boxes", data_offsets=[25, 49])), "which is not aligned for uint16"),
        (change(set_entry("boxes", more=1)), "array 'boxes' needs dtype, shape and data_offsets"),
        (change(lambda h: h.update(boxes=7)), "array 'boxes' needs dtype, shape and data_offsets"),
        (change(lambda h: h.pop("boxes")), "begins at"),
    ],
)
def test_broken_files(tmp_path, data, words):
    path = tmp_path / "a.wgi"
    path.write_bytes(data)
    message = refused(lambda: read_index(path, verify=False))
    assert message.startswith(str(path))
    assert words in message


def test_a_rearranged_header_is_noticed(tmp_path):
    path = tmp_path / "a.wgi"
    path.write_bytes(change(lambda h: h["__metadata__"].update(algorithm="cpd")))
    assert read_index(path, verify=False).algorithm == "cpd"
    assert "the index is damaged: the checksum of the header is wrong" in refused(lambda: read_index(path))


def test_missing_file_and_directory(tmp_path):
    assert (
        refused(lambda: read_index(tmp_path / "no.wgi")) == f"cannot read {tmp_path}/no.wgi: no such file or directory"
    )
    assert refused(lambda: read_index(tmp_path)) == f"cannot read {tmp_path}: is a directory"


@pytest.mark.parametrize(
    ("arrays", "about", "words"),
    [
        ({"a": np.ones(2, np.float16)}, {}, "array 'a' of float16; allowed are bool, uint8"),
        ({"a": np.array([object()])}, {}, "array 'a' of object"),
        ({"a": np.array(["x"])}, {}, "array 'a' of <U1"),
        ({"": np.ones(2)}, {}, "array name ''"),
        ({'"': np.ones(2)}, {}, "allowed are letters, digits"),
        ({}, {"options": {"a": float("nan")}}, "options cannot be stored as JSON"),
        ({}, {"options": {"a": object()}}, "options cannot be stored as JSON"),
        ({}, {"extra": {"a": 1}}, "a must be text, not 1"),
        ({}, {"algorithm": None}, "algorithm must be text, not None"),
        ({}, {"map_hash": "\ud800"}, "must be valid text"),
    ],
)
def test_what_cannot_be_written(tmp_path, arrays, about, words):
    path = tmp_path / "a.wgi"
    message = refused(lambda: write_index(path, arrays, **{**ABOUT, **about}))
    assert words in message
    assert str(path) in message
    assert list(tmp_path.iterdir()) == []


def test_failing_write_keeps_the_old_index(tmp_path, monkeypatch):
    path = tmp_path / "a.wgi"
    write_index(path, ARRAYS, **ABOUT)
    before = path.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", fail)
    assert "no space left" in refused(lambda: write_index(path, {}, **ABOUT))
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.wgi"]


SAMPLES = [content(), content({})]


@fuzzing
@given(st.binary(max_size=80), damaged(SAMPLES), st.booleans())
def test_fuzz(noise, broken, verify):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.wgi")

        def parse(data: bytes) -> None:
            path.write_bytes(data)
            read_index(path, verify=verify)

        parses_or_refuses(parse, noise)
        parses_or_refuses(parse, joined(noise.decode("latin-1"), b""))
        parses_or_refuses(parse, broken)
