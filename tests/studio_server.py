"""A studio on a free port for tests, and a client that shares nothing with the server's own code for requests."""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from waygrid.studio.app import make_app
from waygrid.studio.limits import StudioLimits
from waygrid.studio.serve import listen


class Client:
    def __init__(self, port: int) -> None:
        self.port = port
        self.address = f"http://127.0.0.1:{port}/"

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        sent = {"content-type": "application/json"} if isinstance(body, dict) else {}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, json.dumps(body) if isinstance(body, dict) else body, sent)
        answer = connection.getresponse()
        read = answer.read()
        connection.close()
        return answer.status, read

    def get(self, path: str) -> Any:
        status, body = self.ask("GET", path)
        assert status == 200, body
        return json.loads(body)

    def error(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str]:
        status, answer = self.ask(method, path, body, **headers)
        assert status >= 400
        return status, json.loads(answer)["error"]


@contextmanager
def studio(limits: StudioLimits | None = None) -> Iterator[Client]:
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    config = uvicorn.Config(make_app("127.0.0.1", port, limits), log_level="error", timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
    yield Client(port)
    server.should_exit = True
    thread.join(20)
    listening.close()
