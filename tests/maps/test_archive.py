import io
import stat
import struct
import zipfile

import pytest
from map_server import ARENA, PROBLEMS, packed

from waygrid.errors import WaygridError
from waygrid.maps import archive as archives
from waygrid.maps.archive import Limits, RefusedError, unpack


@pytest.fixture
def take(tmp_path):
    """Unpack bytes into the folder `out`."""

    def run(data, skip_bad=False, **limits):
        (tmp_path / "x-map.zip").write_bytes(data)
        (tmp_path / "out").mkdir(exist_ok=True)
        told = []
        return unpack(
            tmp_path / "x-map.zip",
            tmp_path / "out",
            skip_bad=skip_bad,
            limits=Limits(**limits),
            tell=lambda share, what: told.append(share),
        )

    return run


def names(tmp_path):
    return {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file()} - {"x-map.zip"}


def info(name, mode=0, kind=zipfile.ZIP_STORED):
    made = zipfile.ZipInfo("placeholder")
    made.filename = name  # as it is: the constructor tidies names up
    made.external_attr = mode << 16
    made.compress_type = kind
    return made


def test_maps_and_scenarios_come_into_one_folder(take, tmp_path):
    files = {
        "maps/arena.map": ARENA,
        "maps/scen/arena.map.scen": PROBLEMS,
        "Up.MAP": ARENA,
        "maps/": b"",
        "readme.txt": b"hello",
        "run.sh": b"rm",
        ".hidden.map": b"\0",
        "__MACOSX/maps/._arena.map": b"\0",
    }
    found = take(packed(files))
    assert names(tmp_path) == {"out/arena.map", "out/arena.map.scen", "out/Up.MAP"}
    assert (tmp_path / "out" / "arena.map").read_bytes() == ARENA
    assert found.files["arena.map"][0] == len(ARENA)
    assert found.left_out == {}


@pytest.mark.parametrize(
    "name",
    [
        "../evil.map",
        "maps/../../evil.map",
        "/etc/evil.map",
        "..\\evil.map",
        "C:\\evil.map",
        "C:evil.map",
        "maps/..",
        "evil.map\n",
        "con.map",
        "maps/NUL.map",
        "evil.map.",
        "x" * 250 + ".map",
        "../readme.txt",
    ],
)
def test_names_that_lead_elsewhere_are_refused(take, tmp_path, name):
    with pytest.raises(WaygridError, match="is a name that"):
        take(packed({"good.map": ARENA, info(name): ARENA}))
    assert names(tmp_path) == set()


def test_a_zero_byte_does_not_hide_the_rest_of_a_name(take, tmp_path):
    data = packed({"good.map": ARENA, "evilX.map": ARENA}).replace(b"evilX", b"evil\0")
    with pytest.raises(WaygridError, match="is a name that"):
        take(data)
    assert names(tmp_path) == set()


@pytest.mark.parametrize("mode", [stat.S_IFLNK | 0o777, stat.S_IFIFO | 0o600, stat.S_IFCHR | 0o600])
def test_links_and_devices_are_refused(take, tmp_path, mode):
    with pytest.raises(WaygridError, match=r"'evil.map' is a link or a device"):
        take(packed({"good.map": ARENA, info("evil.map", mode): b"/etc/passwd"}))
    assert names(tmp_path) == set()


def test_bombs_are_refused_by_their_list_of_contents(take, tmp_path):
    bomb = packed({"big.map": bytes(3_000_000)})
    assert len(bomb) < 10_000
    with pytest.raises(WaygridError, match="unpacks to more than 400 times its size"):
        take(bomb)
    with pytest.raises(WaygridError, match=r"'big.map' has 3000000 bytes; allowed are 1000000"):
        take(bomb, single=10**6)
    with pytest.raises(WaygridError, match="unpacks to more than the 100 bytes allowed"):
        take(packed({f"{i}.map": ARENA for i in range(4)}), total=100)
    with pytest.raises(WaygridError, match="holds 20 files; allowed are 19"):
        take(packed({f"{i}.txt": b"" for i in range(20)}), files=19)
    with pytest.raises(WaygridError, match=r"a list of contents of \d+ bytes; allowed are 5 files"):
        take(packed({f"{i}{'x' * 200}.txt": b"" for i in range(90)}), files=5)
    assert names(tmp_path) == set()


def test_a_size_that_is_a_lie_is_damage(take):
    """The list says 10 bytes, the stream has more: no more is unpacked than the list says."""
    honest = packed({"big.map": bytes(3_000_000)})
    size = struct.pack("<I", 3_000_000)
    with pytest.raises(RefusedError, match=r"'big.map' is damaged"):
        take(honest.replace(size, struct.pack("<I", 10)))


def test_entries_that_share_bytes_are_refused(take):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("a.map", ARENA)
        twin = zipfile.ZipInfo("b.map")
        first = archive.filelist[0]
        for field in ("header_offset", "CRC", "compress_size", "file_size"):
            setattr(twin, field, getattr(first, field))
        archive.filelist.append(twin)
        archive._didModify = True
    with pytest.raises(WaygridError, match=r"'a.map' and 'b.map' share bytes"):
        take(made.getvalue())


def test_names_that_differ_by_case_only_are_refused(take):
    with pytest.raises(WaygridError, match="the same name twice"):
        take(packed({"one/Arena.map": ARENA, "two/arena.map": ARENA}))


def test_encrypted_files_and_other_methods_are_refused(take):
    data = bytearray(packed({"a.map": ARENA}))
    at = data.index(b"PK\x01\x02")
    data[at + 8] |= 1
    with pytest.raises(WaygridError, match=r"'a.map' is encrypted"):
        take(bytes(data))
    with pytest.raises(WaygridError, match="packed by method 12; allowed are 0"):
        take(packed({"a.map": ARENA}, zipfile.ZIP_BZIP2))


GOOD = packed({"arena.map": ARENA, "b.map": ARENA * 1})


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>not found</html>",
        GOOD[:-30],
        GOOD[: len(GOOD) // 2],
        GOOD[50:],
        GOOD.replace(b"PK\x03\x04", b"PK\x03\x05"),
        GOOD.replace(b"PK\x01\x02", b"PK\x01\x09"),
    ],
)
def test_damage_is_noticed(take, data):
    with pytest.raises(RefusedError):
        take(data)


def test_any_single_damaged_byte_is_noticed_or_harmless(take, tmp_path):
    """Whatever byte is wrong, what is unpacked is what was packed, or the archive is refused."""
    for at in range(len(GOOD)):
        data = bytearray(GOOD)
        data[at] ^= 0x55
        try:
            found = take(bytes(data))
        except WaygridError:
            found = None
        for file in (tmp_path / "out").iterdir():
            assert file.read_bytes() == ARENA, at
            file.unlink()
        assert found is None or all(size == len(ARENA) for size, _ in found.files.values())


def test_files_must_be_what_their_names_say(take, tmp_path):
    data = packed({"a.map": ARENA, "bad.map": b"type octile\nheight 9\nwidth 3\nmap\n...\n", "c.scen": PROBLEMS})
    with pytest.raises(
        WaygridError, match=r"x-map.zip, bad.map, line 6: the file ends after 1 of the 9 rows; --skip-bad"
    ):
        take(data)
    for file in (tmp_path / "out").iterdir():
        file.unlink()
    found = take(data, skip_bad=True)
    assert set(found.files) == {"a.map", "c.scen"}
    assert "line 6" in found.left_out["bad.map"]
    assert names(tmp_path) == {"out/a.map", "out/c.scen"}


def test_the_same_file_in_both_archives(take, tmp_path):
    take(packed({"a.map": ARENA}))
    take(packed({"a.map": ARENA}))
    with pytest.raises(WaygridError, match=r"a.map is in both archives, with different contents"):
        take(packed({"a.map": ARENA.replace(b"..@", b"@@@")}))


def test_a_disk_error_is_told(take, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archives.os, "fsync", full)
    with pytest.raises(WaygridError, match=r"cannot unpack x-map.zip: no space left on device"):
        take(packed({"a.map": ARENA}))


def test_zip64(take):
    """A list of contents in the 64 bit form is read, and its length is judged too."""
    data = packed({"a.map": ARENA})
    end = data.rindex(b"PK\x05\x06")
    count, length, offset = struct.unpack_from("<HII", data, end + 10)
    record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, length, offset)
    place = struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1)
    short = data[: end + 8] + b"\xff\xff\xff\xff" + b"\xff" * 8 + b"\0\0"
    wide = data[:end] + record + place + short[end:]
    assert set(take(wide).files) == {"a.map"}
    huge = data[:end] + record[:40] + struct.pack("<Q", 2**40) + record[48:] + place + short[end:]
    with pytest.raises(WaygridError, match="a list of contents of 1099511627776 bytes"):
        take(huge)


def wide_zip(data, comment=b"", place=None, record=None):
    """Return an archive with its list of contents in the 64 bit form."""
    end = data.rindex(b"PK\x05\x06")
    count, length, offset = struct.unpack_from("<HII", data, end + 10)
    made = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, length, offset)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end if place is None else place, 1)
    short = data[end : end + 8] + b"\xff\xff\xff\xff" + b"\xff" * 8 + struct.pack("<H", len(comment)) + comment
    return data[:end] + (record or (lambda same: same))(made) + locator + short


def test_the_limit_holds_for_the_record_that_the_library_reads(take):
    data = packed({"a.map": ARENA})
    assert set(take(wide_zip(data)).files) == {"a.map"}
    assert set(take(wide_zip(data, b"x" * (2**16 - 1))).files) == {"a.map"}
    # A locator that names a harmless record elsewhere, while a huge one stands where the library looks.
    decoy = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, 10, 0)
    lying = wide_zip(data, record=lambda made: made[:40] + struct.pack("<Q", 2**40) + made[48:])
    with pytest.raises(RefusedError, match="a list of contents of 1099511627776 bytes"):
        take(lying)
    with pytest.raises(RefusedError, match="a list of contents of 1099511627776 bytes"):
        take(wide_zip(data, b"x" * (2**16 - 1), record=lambda made: made[:40] + struct.pack("<Q", 2**40) + made[48:]))
    with pytest.raises(RefusedError, match="its list of contents is in the wrong place"):
        take(wide_zip(decoy + data, place=0))


def test_names_that_are_no_text_are_refused(take):
    """Marked as UTF-8, and not: in the list of contents, or before the file's bytes alone."""
    data = packed({"\xe4.map": ARENA})
    local, listed = data.index(b"\xc3\xa4"), data.rindex(b"\xc3\xa4")
    for at in (local, listed):
        with pytest.raises(RefusedError, match=r"x-map\.zip"):
            take(data[:at] + b"\xff\xff" + data[at + 2 :])
