import hashlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from map_server import ARENA, PROBLEMS, Remote, packed

from waygrid.errors import WaygridError
from waygrid.maps import check, fetch, map_files, state
from waygrid.maps.catalogue import ADDRESS, base_address, find_set
from waygrid.maps.inventory import MANIFEST, download_folder

MAP, SCEN = "/dao/dao-map.zip", "/dao/dao-scen.zip"


@pytest.fixture
def get(dao, tmp_path, patience):
    def run(name="dao", **options):
        return fetch(name, tmp_path, address=dao.address, patience=patience, **options)

    return run


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def test_a_set_is_fetched_once(get, dao, tmp_path):
    fetched = get()
    assert (fetched.state.kind, fetched.state.maps, fetched.state.scenarios, fetched.fresh) == ("complete", 3, 3, True)
    assert fetched.notes[0].startswith("dao-map.zip and dao-scen.zip: there was no checksum to compare with")
    assert "3 maps; MovingAI's set has 156" in fetched.notes
    assert [file.name for file in map_files(tmp_path)] == ["arena0.map", "arena1.map", "arena2.map"]
    assert {file.name for file in tmp_path.iterdir()} == {"dao"}, "nothing else is left"
    assert len(list((tmp_path / "dao").iterdir())) == 7
    manifest = json.loads((tmp_path / "dao" / MANIFEST).read_text())
    assert manifest["archives"]["dao-map.zip"]["sha256"] == sha256(dao.files[MAP].data)
    assert manifest["archives"]["dao-map.zip"]["checked_by"] == "first use"
    assert manifest["files"]["arena0.map"] == {"bytes": len(ARENA), "sha256": sha256(ARENA)}
    asked = len(dao.asked)
    assert not get().fresh
    assert len(dao.asked) == asked


def test_a_set_has_the_folder_that_papers_look_for(dao, tmp_path, patience):
    dao.files["/room/room-map.zip"] = dao.files[MAP]
    dao.files["/room/room-scen.zip"] = dao.files[SCEN]
    fetched = fetch("rooms", tmp_path, address=dao.address + "/", patience=patience)
    assert fetched.state.folder == tmp_path / "rooms"


def test_nothing_is_there_before_everything_is(get, dao, tmp_path):
    dao.files[SCEN].plan = [{"cut": 50}, *[{"status": 500}] * 3]
    with pytest.raises(WaygridError, match="answered 500 Internal Server Error; gave up"):
        get()
    assert state("dao", tmp_path).kind == "part"
    assert map_files(tmp_path) == []
    assert not (tmp_path / "dao").exists()
    assert get().state.kind == "complete"
    assert dao.of(MAP) == [None], "the first archive was kept"
    assert dao.of(SCEN)[-1] == "bytes=50-"


@pytest.mark.parametrize("kind", ["map", "scen"])
def test_a_given_checksum_decides(get, dao, tmp_path, kind):
    right = sha256(dao.files[f"/dao/dao-{kind}.zip"].data)
    with pytest.raises(WaygridError, match=rf"dao-{kind}.zip has checksum {right}; given: 0000"):
        get(checksums={kind: "0" * 64})
    assert not (tmp_path / "dao").exists()
    fetched = get(checksums={kind: right.upper()})
    assert fetched.state.kind == "complete"
    assert not get(checksums={kind: right}).fresh
    with pytest.raises(WaygridError, match=r"not 0+; use --force"):
        get(checksums={kind: "0" * 64})


@pytest.mark.parametrize(
    ("sums", "told"),
    [({"png": "0" * 64}, "allowed are map, scen"), ({"map": "12"}, "64 hexadecimal digits")],
)
def test_checksums_that_are_none(get, sums, told):
    with pytest.raises(WaygridError, match=told):
        get(checksums=sums)


def test_a_checksum_beside_the_archive_decides(get, dao, tmp_path):
    dao.files[f"{MAP}.sha256"] = Remote(f"{'0' * 64}  dao-map.zip\n".encode())
    with pytest.raises(WaygridError, match=r"; dao-map.zip.sha256: 0000"):
        get()
    dao.files[f"{MAP}.sha256"] = Remote(f"{sha256(dao.files[MAP].data).upper()}  dao-map.zip\n".encode())
    dao.files[f"{SCEN}.sha256"] = Remote(b"<html>there is no such page</html>")
    assert get().notes[0].startswith("dao-scen.zip: there was no checksum to compare with")
    archives = json.loads((tmp_path / "dao" / MANIFEST).read_text())["archives"]
    assert [facts["checked_by"] for facts in archives.values()] == ["dao-map.zip.sha256", "first use"]


def test_a_changed_archive_is_not_taken_for_the_pinned_one(get, dao, tmp_path):
    get()
    old = sha256(dao.files[MAP].data)
    assert get(force=True).fresh
    archives = json.loads((tmp_path / "dao" / MANIFEST).read_text())["archives"]
    assert archives["dao-map.zip"]["checked_by"] == "pinned"
    dao.files[MAP] = Remote(packed({"other.map": ARENA}), etag='"2"')
    with pytest.raises(WaygridError, match=rf"; pinned when it was first fetched .*: {old}"):
        get(force=True)
    assert check("dao", tmp_path).maps == 3, "the old set is still there"
    fetched = get(force=True, checksums={"map": sha256(dao.files[MAP].data)})
    assert (fetched.state.maps, fetched.state.kind) == (1, "complete")
    assert [file.name for file in map_files(tmp_path)] == ["other.map"]


def test_damage_on_the_way_is_repaired(get, dao, tmp_path):
    """A proxy that answers a range with wrong bytes: the whole is fetched once more."""
    good = dao.files[MAP].data
    bad = good[:60] + bytes(len(good) - 60)
    dao.files[MAP].plan = [{"cut": 60}, {"becomes": {"data": bad}}, {"becomes": {"data": good}}]
    assert get().state.kind == "complete"
    assert dao.of(MAP) == [None, "bytes=60-", None]


def test_a_damaged_archive_is_not_kept(get, dao, tmp_path):
    good = dao.files[SCEN].data
    dao.files[SCEN].data = good[:-40]
    with pytest.raises(WaygridError, match=r"dao-scen.zip is not a zip archive, or its end is missing"):
        get()
    assert state("dao", tmp_path).kind == "part"
    dao.files[SCEN].data = good
    assert get().state.kind == "complete"
    assert dao.of(SCEN) == [None, None]


def test_a_set_without_maps(get, dao):
    dao.files[MAP] = Remote(packed({"readme.txt": b"moved"}))
    with pytest.raises(WaygridError, match=r"dao-map.zip contains no maps"):
        get()


def test_bad_files_are_left_out_on_demand(get, dao, tmp_path):
    dao.files[MAP] = Remote(packed({"a.map": ARENA, **{f"b{i}.map": b"?" for i in range(5)}}))
    dao.files[SCEN] = Remote(packed({"a.map.scen": PROBLEMS, "lonely.map.scen": PROBLEMS}))
    with pytest.raises(WaygridError, match=r"b0.map.*--skip-bad skips such files"):
        get()
    fetched = get(skip_bad=True)
    assert fetched.state.maps == 1
    assert sum(note.startswith("skipped b") for note in fetched.notes) == 3
    assert fetched.notes[-1] == "skipped 2 more"
    assert "1 scenarios without a matching map, such as lonely.map.scen" in fetched.notes
    assert dao.of(MAP) == [None], "the archive was kept"
    assert len(json.loads((tmp_path / "dao" / MANIFEST).read_text())["left_out"]) == 5


def test_a_refused_archive_is_fetched_again_the_next_time(get, dao, tmp_path):
    good = dao.files[MAP].data
    dao.files[MAP].data = packed({"../evil.map": ARENA})
    with pytest.raises(WaygridError, match="leads out of the folder"):
        get()
    assert not (tmp_path / "evil.map").exists()
    dao.files[MAP].data = packed({"a.map": b"?"})
    with pytest.raises(WaygridError, match="--skip-bad"):
        get()
    dao.files[MAP].data = good
    assert get(force=True).state.maps == 3


def test_folders_of_others_are_never_touched(get, dao, tmp_path):
    (tmp_path / "dao").mkdir()
    (tmp_path / "dao" / "mine.map").write_bytes(ARENA)
    for force in (False, True):
        with pytest.raises(WaygridError, match="holds 1 maps that waygrid did not fetch"):
            get(force=force)
    assert state("dao", tmp_path).kind == "own"
    (tmp_path / "dao" / "mine.map").rename(tmp_path / "dao" / "mine.txt")
    with pytest.raises(WaygridError, match="exists already"):
        get(force=True)
    (tmp_path / "dao" / "mine.txt").unlink()
    assert get().state.kind == "complete", "an empty folder is nobody's"
    assert dao.asked


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (
            lambda dao: (dao / "arena1.map").write_bytes(ARENA.replace(b"..@", b"@@@")),
            "arena1.map has changed since it was fetched",
        ),
        (lambda dao: (dao / "arena1.map").write_bytes(b""), "arena1.map has 0 bytes instead of"),
        (lambda dao: (dao / "arena1.map").unlink(), "arena1.map is missing"),
        (lambda dao: (dao / MANIFEST).write_text("{}"), "is not the list of a fetched set"),
        (lambda dao: (dao / MANIFEST).write_text('{"format": 9, "files": {}, "archives": {}}'), "format 9"),
        (
            lambda dao: (dao / MANIFEST).write_text('{"files": {"../x": {"bytes": 1, "sha256": ""}}}'),
            "entry '../x'; allowed are file names",
        ),
    ],
)
def test_damage_is_found_and_repaired(get, tmp_path, harm, told):
    get()
    harm(tmp_path / "dao")
    found = check("dao", tmp_path)
    assert found.kind == "damaged"
    assert told in found.faults[0]
    with pytest.raises(WaygridError, match="--force downloads the set again"):
        get()
    assert get(force=True).state.kind == "complete"
    assert check("dao", tmp_path).faults == ()


def test_a_crash_between_two_renames_is_repaired(get, dao, tmp_path):
    get()
    work = download_folder(tmp_path, find_set("dao"))
    work.mkdir()
    (tmp_path / "dao").rename(work / "old")
    asked = len(dao.asked)
    assert not get().fresh
    assert len(dao.asked) == asked


def test_two_at_once_do_not_disturb_each_other(get, dao, tmp_path):
    def meanwhile(share, what):
        if not met:
            met.append(True)
            with pytest.raises(WaygridError, match="another process is fetching"):
                get()

    met = []
    assert get(progress=meanwhile).state.kind == "complete"
    assert met


CHILD = """
import sys
from pathlib import Path
from waygrid.maps import fetch
fetch("dao", Path(sys.argv[1]), address=sys.argv[2])
"""


def test_kill_in_the_middle_loses_nothing(get, dao, tmp_path):
    """kill -9 while the archive drips in: the next run goes on from there."""
    maps = {f"m{i}.map": ARENA + b"\n" * i for i in range(200)}
    dao.files[MAP] = Remote(packed(maps, 0), plan=[{"drip": 500, "pause": 0.02}])
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(tmp_path), dao.address])
    part = download_folder(tmp_path, find_set("dao")) / "dao-map.zip.part"
    until = time.monotonic() + 60
    while time.monotonic() < until and not (part.exists() and part.stat().st_size > 2000):
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    child.wait()
    have = part.stat().st_size
    assert have > 2000
    assert map_files(tmp_path) == []
    assert get().state.maps == 200
    assert dao.of(MAP) == [None, f"bytes={have}-"]


def test_a_folder_that_cannot_be_written(dao, tmp_path, patience):
    (tmp_path / "file").write_text("")
    with pytest.raises(WaygridError, match="cannot write"):
        fetch("dao", tmp_path / "file" / "maps", address=dao.address, patience=patience)


def test_unknown_sets_and_addresses(tmp_path, monkeypatch):
    with pytest.raises(WaygridError, match="there is no set 'chess'"):
        fetch("chess", tmp_path)
    for address in ("file:///etc", "movingai.com", "http://", "https://x y/", "http://a/?q=1", "http://[", "http://é/"):
        with pytest.raises(WaygridError, match="it must begin with https://"):
            fetch("dao", tmp_path, address=address)
    monkeypatch.delenv("WAYGRID_MAPS_URL", raising=False)
    assert base_address(None) == ADDRESS
    monkeypatch.setenv("WAYGRID_MAPS_URL", "http://mirror.example/maps")
    assert base_address(None) == "http://mirror.example/maps"
    assert not any(tmp_path.iterdir())
