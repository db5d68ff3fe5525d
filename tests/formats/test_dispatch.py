import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from formats.support import ROOT, assert_same, refused

from waygrid.errors import WaygridError
from waygrid.formats import SUFFIXES, MapData, files, mapdata, read_map, rules, write_map

pytestmark = pytest.mark.quick

SMALL = MapData(np.array([[True, False, True], [False, True, True]]), None)


@pytest.mark.parametrize("suffix", [*SUFFIXES, *(s.upper() for s in SUFFIXES)])
def test_suffix_in_any_case(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    write_map(path, SMALL)
    assert_same(read_map(str(path)), SMALL)


@pytest.mark.parametrize("name", ["a.bmp", "a", "a.map.scen", ".map"])
def test_unknown_suffix(tmp_path, name):
    for call in (lambda: read_map(tmp_path / name), lambda: write_map(tmp_path / name, SMALL)):
        message = refused(call)
        assert name in message
        assert "allowed are .map .png .npy .txt .tmx .tif .tiff" in message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_missing_file_and_directory(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    assert refused(lambda: read_map(path)) == f"cannot read {path}: no such file or directory"
    path.mkdir()
    assert refused(lambda: read_map(path)) == f"cannot read {path}: is a directory"
    assert refused(lambda: write_map(path, SMALL)) == f"cannot write {path}: it is a directory"
    assert list(path.iterdir()) == []


@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="root may read anything, and Windows has no modes")
def test_unreadable_file(tmp_path):
    path = tmp_path / "a.map"
    write_map(path, SMALL)
    path.chmod(0)
    assert refused(lambda: read_map(path)) == f"cannot read {path}: permission denied"


def test_options_of_another_format(tmp_path):
    assert "no option 'threshold'; it has none" in refused(lambda: read_map(tmp_path / "a.map", threshold=3))
    assert "no option 'layer'; allowed are threshold" in refused(lambda: read_map(tmp_path / "a.png", layer="x"))
    assert "allowed are layer, property, weight" in refused(lambda: read_map(tmp_path / "a.tmx", threshold=1))
    assert "allowed are topology" in refused(lambda: write_map(tmp_path / "a.map", SMALL, layer="x"))


def test_import_is_cheap():
    code = (
        "import sys, waygrid.formats; "
        "print([m for m in sys.modules if m.split('.')[0] in ('PIL', 'numba', 'safetensors', 'xml')])"
    )
    # A stand-in for the top of the package, so that only what formats itself imports is seen.
    stub = f"import sys, types; w = types.ModuleType('waygrid'); w.__path__ = [{str(ROOT / 'src/waygrid')!r}]; "
    program = [sys.executable, "-c", stub + "sys.modules['waygrid'] = w; " + code]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    done = subprocess.run(program, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (MapData(np.ones(3, bool), None), "(height, width)"),
        (MapData(np.ones((0, 3), bool), None), "3 x 0 cells"),
        (MapData(np.ones((1, 70000), bool), None), "each side must be 1 to 65535"),
        (MapData(np.ones((2, 2), bool), np.ones((2, 3), np.uint16)), "weights have shape (2, 3)"),
        (MapData(np.ones((2, 2), bool), np.ones((2, 2))), "not float64"),
        (MapData(np.array([[0, 3]]), None), "the map holds 3 at (1, 0)"),
        (MapData(np.ones((2, 2), bool), np.array([[1, 1], [0, 1]])), "weight 0 at (0, 1)"),
        (MapData(np.ones((2, 2), bool), np.array([[1, 65536], [1, 1]])), "weight 65536 at (1, 0)"),
    ],
)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_bad_arrays_are_not_written(tmp_path, data, words, suffix):
    path = tmp_path / f"a{suffix}"
    message = refused(lambda: write_map(path, data))
    assert words in message
    assert str(path) in message
    assert not path.exists()


def test_0_and_1_and_weights_in_walls(tmp_path):
    path = tmp_path / "a.npy"
    write_map(path, MapData(np.array([[0, 1, 1]]), np.array([[0, 2, 9]])))
    assert_same(read_map(path), MapData(np.array([[False, True, True]]), np.array([[1, 2, 9]], np.uint16)))


def test_too_many_cells():
    assert "at most 268435456 cells" in refused(lambda: mapdata.check_size(65535, 65535, "a"))
    mapdata.check_size(2**14, 2**14, "a")


def test_read_limit(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 11)
    assert files.read_bytes(path, 11) == b"x" * 11
    assert "larger than the 10 bytes" in refused(lambda: files.read_bytes(path, 10))
    assert "larger than" in refused(lambda: files.read_bytes("/dev/zero", 10))
    assert files.read_text(path) == "x" * 11
    assert "null" in refused(lambda: files.read_bytes("a\0b"))


def test_failing_write_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.map"
    write_map(path, SMALL)
    before = path.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    for name in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(files.os, name, fail)
            message = refused(lambda: write_map(path, MapData(~SMALL.passable, None)))
        assert message == f"cannot write {path}: no space left on device"
        assert path.read_bytes() == before
        assert [p.name for p in tmp_path.iterdir()] == ["a.map"]


def test_interrupted_block_leaves_nothing(tmp_path):
    def interrupted():
        with files.replacing(tmp_path / "a.bin") as temporary:
            temporary.write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_write_into_a_missing_folder(tmp_path):
    path = tmp_path / "no" / "a.map"
    assert refused(lambda: write_map(path, SMALL)) == f"cannot write {path}: no such file or directory"


def test_permissions_and_links(tmp_path):
    path, link = tmp_path / "a.bin", tmp_path / "b.bin"
    old = os.umask(0o022)
    try:
        files.write_atomically(path, b"1")
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o777 == 0o644
    path.chmod(0o600)
    link.symlink_to(path)
    files.write_atomically(link, b"2")
    assert link.is_symlink()
    assert path.read_bytes() == b"2"
    assert path.stat().st_mode & 0o777 == 0o600


def test_error_is_a_value_error():
    assert issubclass(WaygridError, ValueError)


@pytest.mark.parametrize("suffix", [".npy", ".tif"])
def test_large_maps_are_written_and_read_without_copies(tmp_path, suffix):
    """Reading takes the map's own 3 bytes per cell, writing a few blocks of rows; edits may leave weights in walls."""
    passable = np.ones((3000, 4000), bool)
    passable[7] = False
    weights = np.full(passable.shape, 9, np.uint16)
    path = tmp_path / f"a{suffix}"
    write_map(tmp_path / f"b{suffix}", SMALL)  # loads what is loaded once
    read_map(tmp_path / f"b{suffix}")
    for kept, most in ((np.where(passable, weights, np.uint16(1)), 0), (weights, 2)):
        tracemalloc.start()
        try:
            write_map(path, MapData(passable, kept))
            written = tracemalloc.get_traced_memory()[1]
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            read = read_map(path)
            peak = tracemalloc.get_traced_memory()[1] - before
        finally:
            tracemalloc.stop()
        assert written < most * passable.size + 25 * rules.BLOCK_CELLS
        assert peak < 3 * passable.size + 25 * rules.BLOCK_CELLS
        np.testing.assert_array_equal(read.weights, np.where(passable, 9, 1))
