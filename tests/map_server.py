"""A web server of our own that misbehaves on demand, and archives to put on it."""

import io
import threading
import time
import zipfile
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

ARENA = b"type octile\nheight 2\nwidth 3\nmap\n..@\n@..\n"
PROBLEMS = b"version 1\n0\tarena.map\t3\t2\t0\t0\t1\t0\t1.0\n"


def packed(files, compression=zipfile.ZIP_DEFLATED):
    """Return a zip archive; files: name or ZipInfo -> bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


@dataclass
class Remote:
    """A file of the server. plan: how it misbehaves, one entry for each request, then well again."""

    data: bytes
    etag: str | None = '"1"'
    modified: str | None = None
    ranges: bool = True
    plan: list = field(default_factory=list)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def do_GET(self):
        asked = self.headers.get("Range")
        self.server.asked.append((self.path, asked, self.headers.get("If-Range")))
        remote = self.server.files.get(self.path)
        if remote is None:
            return self.answer(404, b"not here")
        trick = remote.plan.pop(0) if remote.plan else {}
        for name, value in trick.get("becomes", {}).items():
            setattr(remote, name, value)
        time.sleep(trick.get("silent", 0))
        if "status" in trick:
            return self.answer(trick["status"], trick.get("body", b""), trick.get("headers", {}))
        headers = {"ETag": remote.etag, "Last-Modified": remote.modified}
        status, body = 200, remote.data
        if asked and remote.ranges and self.headers.get("If-Range") in (remote.etag, remote.modified):
            first = int(asked.removeprefix("bytes=").rstrip("-")) + trick.get("shift", 0)
            if first >= len(body):
                return self.answer(416, b"", {"Content-Range": f"bytes */{len(body)}"})
            headers["Content-Range"] = f"bytes {first}-{len(body) - 1}/{len(body)}"
            status, body = 206, body[first:]
        self.answer(status, body, headers | trick.get("headers", {}), trick)

    def answer(self, status, body, headers=None, trick=None):
        trick = trick or {}
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            if value is not None:
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            sent = body[: trick.get("cut", len(body))]
            step = trick.get("drip", len(sent) or 1)
            for at in range(0, len(sent), step):
                self.wfile.write(sent[at : at + step])
                self.wfile.flush()
                time.sleep(trick.get("pause", 0))
        except OSError:
            pass  # the client has had enough


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.asked = {}, []

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def of(self, path):
        """The ranges that were asked for of a file."""
        return [asked for name, asked, _ in self.asked if name == path]


@pytest.fixture
def server(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def dao(server):
    """A small set called dao on the server: 3 maps, 3 scenarios and what else lies in such archives."""
    maps = {f"arena{number}.map": ARENA for number in range(3)}
    scenarios = {f"deep/arena{number}.map.scen": PROBLEMS for number in range(3)}
    server.files["/dao/dao-map.zip"] = Remote(packed({**maps, "read me.txt": b"!", "__MACOSX/._arena0.map": b"\0"}))
    server.files["/dao/dao-scen.zip"] = Remote(packed({"deep/": b"", **scenarios}))
    return server
