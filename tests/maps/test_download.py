import errno
import json
import os
import shutil
import ssl
import subprocess
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest
from map_server import Remote

from waygrid.errors import WaygridError
from waygrid.maps import download as downloading
from waygrid.maps.download import discard, download, get_small

DATA = os.urandom(300_000)
PATH = "/some/file.zip"


@pytest.fixture
def get(server, tmp_path, patience):
    """Fetch the server's file into a folder and return what is known about it."""

    def run(patience=patience, path=PATH):
        return download(server.address + path, tmp_path / "file.zip", patience, lambda have, length, what: None)

    return run


@pytest.fixture
def remote(server):
    server.files[PATH] = Remote(DATA)
    return server.files[PATH]


def test_a_file_arrives_whole(get, remote, server, tmp_path, waits):
    got = get()
    assert (got.path.read_bytes(), got.bytes, got.at_once, got.etag) == (DATA, len(DATA), True, '"1"')
    assert {file.name for file in tmp_path.iterdir()} == {"file.zip", "file.zip.json"}
    assert waits == []
    assert get().sha256 == got.sha256
    assert len(server.asked) == 1, "a file that is there is not asked for again"
    discard(got.path)
    assert not any(tmp_path.iterdir())


def test_a_cut_connection_goes_on_where_it_ended(get, remote, server, waits):
    remote.plan = [{"cut": 100_000}, {"cut": 50_000}]
    got = get()
    assert (got.path.read_bytes(), got.at_once) == (DATA, False)
    assert server.asked == [(PATH, None, None), (PATH, "bytes=100000-", '"1"'), (PATH, "bytes=150000-", '"1"')]
    assert len(waits) == 2


def test_an_interrupted_call_goes_on_in_the_next(get, remote, server, tmp_path, patience):
    remote.plan = [{"cut": 100_000}, *[{"status": 503}] * 3]
    with pytest.raises(WaygridError, match=r"answered 503 Service Unavailable; gave up after 3 attempts in a row"):
        get()
    assert (tmp_path / "file.zip.part").stat().st_size == 100_000
    assert not (tmp_path / "file.zip").exists()
    assert get().path.read_bytes() == DATA
    assert server.of(PATH)[-1] == "bytes=100000-"


def test_ctrl_c_keeps_what_has_arrived(remote, server, tmp_path, patience):
    def interrupt(have, length, what):
        if have:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        download(server.address + PATH, tmp_path / "file.zip", patience, interrupt)
    have = (tmp_path / "file.zip.part").stat().st_size
    assert have > 0
    got = download(server.address + PATH, tmp_path / "file.zip", patience, lambda *words: None)
    assert got.path.read_bytes() == DATA
    assert have == len(DATA) or server.of(PATH)[-1] == f"bytes={have}-"


def test_last_modified_serves_where_the_etag_is_weak(get, remote, server):
    remote.etag, remote.modified = 'W/"1"', "Mon, 01 Jan 2024 00:00:00 GMT"
    remote.plan = [{"cut": 1000}]
    assert get().path.read_bytes() == DATA
    assert server.asked[1] == (PATH, "bytes=1000-", remote.modified)


def test_without_a_validator_it_begins_anew(get, remote, server):
    remote.etag = None
    remote.plan = [{"cut": 1000}]
    assert get().path.read_bytes() == DATA
    assert server.of(PATH) == [None, None]


def test_a_server_without_ranges_begins_anew(get, remote, server):
    remote.ranges = False
    remote.plan = [{"cut": 1000}]
    assert get().path.read_bytes() == DATA
    assert server.of(PATH) == [None, "bytes=1000-"]


def test_a_server_without_ranges_that_always_cuts_is_given_up(get, remote):
    remote.ranges = False
    remote.plan = [{"cut": 1000}] * 9
    with pytest.raises(WaygridError, match="the connection ended after 1000 of 300000 bytes; gave up"):
        get()


def test_a_file_that_changed_in_between_is_not_mixed(get, remote):
    other = os.urandom(200_000)
    remote.plan = [{"cut": 100_000}, {"becomes": {"data": other, "etag": '"2"'}}]
    got = get()
    assert (got.path.read_bytes(), got.etag, got.at_once) == (other, '"2"', True)


@pytest.mark.parametrize(
    "trick",
    [
        {"shift": 7},  # another beginning, honestly told
        {"headers": {"Content-Range": "bytes 5-9/10"}},
        {"headers": {"Content-Range": "nonsense"}},
        {"headers": {"Content-Range": None}},
        {"headers": {"Content-Range": f"bytes 100000-{len(DATA)}/{len(DATA) + 1}"}},  # of another length
        {"headers": {"ETag": '"2"'}},  # of another file
        {"status": 416},
    ],
)
def test_a_wrong_answer_to_a_range_is_not_believed(get, remote, server, trick):
    remote.plan = [{"cut": 100_000}, trick]
    assert get().path.read_bytes() == DATA
    assert server.of(PATH) == [None, "bytes=100000-", None]


def test_a_range_that_nobody_asked_for(get, remote):
    remote.plan = [{"status": 206, "headers": {"Content-Range": "bytes 0-0/1"}, "body": b"x"}]
    with pytest.raises(WaygridError, match="answered with unexpected status 206"):
        get()


def test_a_length_that_is_too_long_is_noticed(get, remote, tmp_path):
    remote.plan = [{"headers": {"Content-Length": str(len(DATA) + 10)}}] * 9
    with pytest.raises(WaygridError, match="gave up after 3 attempts"):
        get()
    assert not (tmp_path / "file.zip").exists()


def test_no_length_at_all(get, remote):
    remote.plan = [{"headers": {"Content-Length": None}}]
    assert get().path.read_bytes() == DATA


def test_a_broken_chunk_is_noticed(get, remote):
    remote.plan = [{"headers": {"Content-Length": None, "Transfer-Encoding": "chunked"}, "cut": 0}]
    assert get().path.read_bytes() == DATA


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_refusals_are_final(get, remote, waits, status):
    remote.plan = [{"status": status}] * 2
    with pytest.raises(WaygridError, match=f"{PATH}: the server answered {status} "):
        get()
    assert waits == []


def test_waits_grow(get, remote, waits):
    remote.plan = [{"status": 500}, {"status": 502}]
    assert get().path.read_bytes() == DATA
    assert waits == [1.0, 2.0]


def test_the_server_may_ask_for_a_pause(get, remote, waits):
    remote.plan = [
        {"status": 429, "headers": {"Retry-After": "17"}},
        {"status": 503, "headers": {"Retry-After": "999999"}},
    ]
    assert get().path.read_bytes() == DATA
    assert waits == [17.0, 60.0]
    remote.plan = [
        {
            "status": 503,
            "headers": {"Retry-After": time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 30))},
        }
    ]
    waits.clear()
    discard(get().path)
    get()
    assert 20 < waits[0] < 31


def test_tries_that_bring_something_do_not_count(get, remote):
    remote.plan = [{"cut": 1000}] * 20
    assert get().path.read_bytes() == DATA


def test_but_there_is_an_end(get, remote, patience):
    remote.plan = [{"cut": 1000}] * 20
    with pytest.raises(WaygridError, match="gave up after 10 connections"):
        get(replace(patience, rounds=10))


def test_silence_times_out(get, remote, patience):
    remote.plan = [{"silent": 0.6}]
    got = get(replace(patience, timeout=0.2))
    assert got.path.read_bytes() == DATA


def test_a_drip_is_cut_off(get, remote, patience, server):
    remote.plan = [{"drip": 10, "pause": 0.05, "cut": 2000}]
    assert get(replace(patience, timeout=0.3, slowest=1e5)).path.read_bytes() == DATA
    assert server.of(PATH)[1] is not None


def test_nobody_listens(tmp_path, patience, server, waits):
    with pytest.raises(WaygridError, match=r"connection refused; gave up after 3 attempts"):
        download("http://127.0.0.1:9/x.zip", tmp_path / "x.zip", patience, lambda *words: None)
    assert waits == [1.0, 2.0]


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://example.org/x", "data:text/plain,x", "FILE:/etc/hosts"]
)
def test_redirects_stay_on_the_web(get, remote, target, waits):
    remote.plan = [{"status": 302, "headers": {"Location": target}}]
    with pytest.raises(WaygridError, match=r"the server redirects to .*; allowed are https addresses"):
        get()
    assert waits == []


def test_a_redirect_is_followed(get, server, remote):
    server.files["/old"] = Remote(b"", plan=[{"status": 301, "headers": {"Location": PATH}}])
    assert get(path="/old").path.read_bytes() == DATA


def test_redirects_in_a_circle_end(get, server, remote):
    remote.plan = [{"status": 302, "headers": {"Location": PATH}}] * 30
    with pytest.raises(WaygridError, match="answered 302 Found without an address"):
        get()
    assert len(server.asked) < 10


def test_what_began_encrypted_stays_encrypted():
    from waygrid.maps.web import Gone, _Redirects

    closed = []
    file = SimpleNamespace(close=lambda: closed.append(1))
    request = SimpleNamespace(full_url="https://example.org/a", type="https")
    with pytest.raises(Gone, match="http from http only"):
        _Redirects().http_error_302(request, file, 302, "", {"location": "http://example.org/a"})
    assert closed


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate with")
def test_certificates_are_checked(server, remote, tmp_path, patience, waits):
    names = ["-keyout", tmp_path / "key", "-out", tmp_path / "cert", "-subj", "/CN=127.0.0.1"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    subprocess.run(made, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert", tmp_path / "key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    url = server.address.replace("http:", "https:") + PATH
    with pytest.raises(WaygridError, match=r"the server's certificate is not valid: self.signed certificate"):
        download(url, tmp_path / "file.zip", patience, lambda *words: None)
    assert (server.asked, waits) == ([], [])


def test_too_large_files_are_refused(get, remote, patience, tmp_path):
    small = replace(patience, largest=1000)
    with pytest.raises(WaygridError, match="300000 bytes; allowed are 1000"):
        get(small)
    remote.plan = [{"headers": {"Content-Length": None}}]
    with pytest.raises(WaygridError, match="more than the 1000 bytes allowed"):
        get(small)


def test_an_encoded_file_is_refused(get, remote):
    remote.plan = [{"headers": {"Content-Encoding": "gzip"}}]
    with pytest.raises(WaygridError, match="encodes the file"):
        get()


def test_a_full_disk_is_told_before(get, remote, monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=1000))
    with pytest.raises(WaygridError, match="300000 bytes are missing, but the disk has room for 1000"):
        get()


def test_a_disk_that_fills_up_keeps_what_was_written(get, remote, monkeypatch, server, tmp_path):
    class Full:
        def __init__(self, file):
            self._file = file

        def __enter__(self):
            return self

        def __exit__(self, *error):
            self._file.close()

        def write(self, data):
            self._file.write(data[:500])
            self._file.flush()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def opened(path, mode):
        file = open(path, mode)  # noqa: SIM115 (the caller closes it)
        return Full(file) if mode == "ab" else file

    with monkeypatch.context() as patch:
        patch.setattr(downloading, "open", opened, raising=False)
        with pytest.raises(WaygridError, match=r"cannot write .*file.zip: no space left on device"):
            get()
    assert get().path.read_bytes() == DATA
    assert server.of(PATH) == [None, "bytes=500-"]


@pytest.mark.parametrize(
    "notes", [b"", b"[]", b"{", b'{"url": 1}', b"\xff", b'{"url": "URL", "length": "x", "etag": 7}']
)
def test_damaged_notes_mean_a_new_beginning(get, remote, server, tmp_path, notes):
    (tmp_path / "file.zip.part").write_bytes(b"old")
    (tmp_path / "file.zip.part.json").write_bytes(notes.replace(b"URL", (server.address + PATH).encode()))
    assert get().path.read_bytes() == DATA
    assert server.of(PATH) == [None]


def test_a_part_that_was_only_not_renamed(get, remote, server, tmp_path):
    (tmp_path / "file.zip.part").write_bytes(DATA)
    facts = {"url": server.address + PATH, "length": len(DATA), "etag": '"1"', "pieces": 1}
    (tmp_path / "file.zip.part.json").write_text(json.dumps(facts))
    assert get().path.read_bytes() == DATA
    assert server.asked == []


def test_small_files(server, patience, waits):
    server.files["/a"] = Remote(b"x" * 100, plan=[{"status": 500}])
    assert get_small(f"{server.address}/a", patience, 50) == b"x" * 50
    assert waits == [1.0]
    assert get_small(f"{server.address}/b", patience) is None
    server.files["/a"].plan = [{"status": 500}] * 3
    with pytest.raises(WaygridError, match="gave up after 3 attempts"):
        get_small(f"{server.address}/a", patience)
