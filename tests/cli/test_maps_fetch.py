"""`waygrid maps`; tests/maps looks at what it calls."""

import hashlib

import pytest
from map_server import dao, server

__all__ = ["dao", "server"]


def test_list(cli, tmp_path):
    answer = cli("maps")
    assert answer.code == 0
    assert answer.out == cli("maps", "list").out
    assert "dao         Dragon Age: Origins                     156  -" in answer.out.splitlines()
    assert answer.out.splitlines()[-1] == f"folder: {tmp_path / 'no-maps'} (does not exist yet)"


def test_list_knows_folders_of_others(cli, tmp_path, monkeypatch):
    for folder in ("mine", "cities", ".hidden"):
        (tmp_path / "sets" / folder).mkdir(parents=True)
        (tmp_path / "sets" / folder / "a.map").write_text("")
    monkeypatch.setenv("WAYGRID_MAPS", str(tmp_path / "sets"))
    out = cli("maps", "list").out
    assert "1 maps, 0 scenarios in cities, not fetched by waygrid" in out
    assert "mine        your own folder" in out
    assert "hidden" not in out
    assert out == cli("maps", "list", "--dir", tmp_path / "sets").out.replace("WAYGRID_MAPS", "")


def test_fetch_and_check(cli, dao, tmp_path):
    answer = cli("maps", "fetch", "dao", "--dir", "sets", "--url", dao.address)
    assert (answer.code, answer.out) == (0, "dao: fetched: 3 maps, 3 scenarios in sets/dao\n")
    assert "there was no checksum to compare with; the current one is now pinned" in answer.err
    assert "3 maps, 3 scenarios in dao" in cli("maps", "list", "--dir", "sets").out
    answer = cli("maps", "fetch", "dao", "--dir", "sets")
    assert (answer.code, answer.out) == (
        0,
        "dao: already downloaded and unchanged: 3 maps, 3 scenarios in sets/dao\n",
    )
    assert cli("maps", "check", "dao", "--dir", "sets").out.endswith("all unchanged\n")
    (tmp_path / "sets" / "dao" / "arena0.map").write_text("")
    assert "damaged: arena0.map has 0 bytes" in cli("maps", "list", "--dir", "sets").out
    answer = cli("maps", "check", "dao", "--dir", "sets")
    assert answer.code == 2
    assert "arena0.map has 0 bytes" in answer.out
    assert "waygrid maps fetch dao --force downloads it again" in answer.err
    assert cli("maps", "fetch", "dao", "--dir", "sets", "--force", "--url", dao.address).code == 0
    assert cli("maps", "check", "dao", "--dir", "sets").code == 0


def test_the_address_from_the_environment(cli, dao, monkeypatch):
    monkeypatch.setenv("WAYGRID_MAPS_URL", dao.address)
    monkeypatch.setenv("WAYGRID_MAPS", "elsewhere")
    assert "in elsewhere/dao" in cli("maps", "fetch", "dao").out


def test_checksums(cli, dao):
    right = hashlib.sha256(dao.files["/dao/dao-map.zip"].data).hexdigest()
    words = ("maps", "fetch", "dao", "--dir", "sets", "--url", dao.address)
    answer = cli(*words, "--sha256", "map=" + "0" * 64)
    assert answer.code == 2
    assert f"dao-map.zip has checksum {right}" in answer.err
    assert cli(*words, "--sha256", f"map={right}").code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["fetch", "chess"], "there is no set 'chess'; allowed are dao da2"),
        (["check", "chess"], "there is no set 'chess'"),
        (["check", "dao", "--dir", "sets"], "sets/dao does not exist; waygrid maps fetch dao"),
        (["fetch", "dao", "--url", "file:///etc"], "it must begin with https://"),
        (["fetch", "dao", "--sha256", "1234"], "allowed are map=HEX and scen=HEX"),
        (["fetch", "dao", "--sha256", "map=1234"], "64 hexadecimal digits"),
        (["steal", "dao"], "no such command"),
    ],
)
def test_bad_input(cli, words, told):
    answer = cli("maps", *words)
    assert answer.code == 2
    assert told in answer.err.lower() or told in answer.err


def test_check_of_a_folder_of_others(cli, tmp_path):
    (tmp_path / "sets" / "dao").mkdir(parents=True)
    (tmp_path / "sets" / "dao" / "a.map").write_text("")
    answer = cli("maps", "check", "dao", "--dir", "sets")
    assert answer.code == 2
    assert "was not fetched by waygrid" in answer.err
