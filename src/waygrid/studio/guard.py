"""Access control: only the page of this server may send requests.

A page of another site can send requests to this machine from the visitor's browser. Its Origin reveals it. A host name
that was made to point here (DNS rebinding) is not among the known names of this server.
"""

from __future__ import annotations

import ipaddress
import json
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from waygrid.studio.limits import StudioLimits

_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-cache"),
)
_LOCAL = ("localhost", "127.0.0.1", "[::1]")


def known_hosts(host: str, port: int) -> frozenset[str]:
    """Return the values of Host that this server accepts: names of this machine, and addresses if configured.

    >>> "127.0.0.1:8000" in known_hosts("127.0.0.1", 8000), "evil.example:8000" in known_hosts("127.0.0.1", 8000)
    (True, False)
    """
    names = {*_LOCAL, f"[{host}]" if ":" in host else host}
    return frozenset(name for each in names for name in (f"{each}:{port}", *((each,) if port == 80 else ())))


class Guard:
    """Refuses requests from other origins, for other hosts, and with too large bodies; adds security headers."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], any_address: bool, limits: StudioLimits) -> None:
        self._app, self._hosts, self._any = app, hosts, any_address
        self._most, self._most_json = limits.upload_bytes, min(limits.json_bytes, limits.upload_bytes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
        most = self._most_json if _is_json(headers) else self._most
        fault = self._fault(headers, scope["method"], scope["path"], most)
        if fault is not None:
            await _refuse(send, *fault)
            return
        counted = _Counted(receive, most)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        await self._app(scope, counted, with_headers)

    def _fault(self, headers: dict[str, str], method: str, path: str, most: int) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if not (host.lower() in self._hosts or (self._any and _is_address(host))):
            return 403, f"this server does not accept the host name {host[:100]!r}"
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"http://{host.lower()}":
            return 403, f"requests from {origin[:100]!r} are not allowed"
        foreign = headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")
        if foreign and not _is_visit(headers, method, path):
            return 403, "requests from other sites are not allowed"
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > most:
            return 413, f"the request has {length[:20]} bytes; at most {most} are allowed"
        if method not in ("GET", "HEAD", "POST"):
            return 405, f"method {method[:20]} is not allowed; allowed are GET and POST"
        return None


def _is_json(headers: dict[str, str]) -> bool:
    """Return whether a body is JSON, which is read as a whole before it is checked."""
    return headers.get("content-type", "").split(";")[0].strip().lower() == "application/json"


def _is_visit(headers: dict[str, str], method: str, path: str) -> bool:
    """Return whether the user follows a link to the page: the other site cannot see the response."""
    how = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
    return method == "GET" and how == ("navigate", "document") and (path == "/" or path.startswith("/static/"))


class _Counted:
    """Receives a body and stops if it gets too large, whatever its header says."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._left = receive, most

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise TooLargeError
        return message


class TooLargeError(Exception):
    """A body that is larger than announced, or without an announced length."""


def _is_address(host: str) -> bool:
    """Return whether a Host is a numeric address: an attacker can choose a name, but not an address."""
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


async def _refuse(send: Send, status: int, text: str) -> None:
    body = json.dumps({"error": text}).encode()
    headers: list[Any] = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *HEADERS]})
    await send({"type": "http.response.body", "body": body})
