"""Serving the studio: an address, a browser that opens it, and a clean end."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address
from threading import Thread

import uvicorn

from waygrid.errors import WaygridError
from waygrid.studio.app import Studio, guarded
from waygrid.studio.limits import StudioLimits
from waygrid.studio.model import Terrain

_CONNECTIONS = 200  # at a time, idle ones of a browser included; more are refused
_ANYWHERE = ("0.0.0.0", "::")
_GRACE_S = 1.0  # for work to end after Ctrl-C


class _Server(uvicorn.Server):
    """Ends the work before it waits for the answers: they come at once then."""

    def __init__(self, config: uvicorn.Config, studio: Studio) -> None:
        super().__init__(config)
        self._studio = studio

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._studio.close()
        await super().shutdown(sockets)


def listen(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens: on the port, or on 8765 or any free one where none is named."""
    tried = [8765, 0] if port is None else [port]
    for number in tried:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # With the protocol named, asyncio sends at once; without it each answer waits 40 ms for the one before.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
            listening.listen(128)  # from now on: a browser may come before the server is ready for it, and waits
        except (OSError, OverflowError) as error:
            listening.close()
            if number == tried[-1]:
                reason = getattr(error, "strerror", None) or error
                raise WaygridError(f"cannot listen on {host} port {number}: {reason}") from error
        else:
            return listening
    raise AssertionError


def outside_address(host: str) -> str | None:
    """Return the address by which other machines reach this one, None where it listens to itself only or has none."""
    if host not in _ANYWHERE:
        with suppress(ValueError):
            return None if ip_address(host).is_loopback else host
        return None if host == "localhost" else host
    family, far = (socket.AF_INET6, "2001:db8::1") if ":" in host else (socket.AF_INET, "192.0.2.1")
    try:
        # Nothing is sent: to connect a datagram socket only finds the way there, and with it our own address.
        with socket.socket(family, socket.SOCK_DGRAM) as way:
            way.connect((far, 9))
            found = str(way.getsockname()[0])
    except OSError:
        return None
    return None if ip_address(found).is_loopback or ip_address(found).is_unspecified else found


def warning(listening: socket.socket, host: str) -> str | None:
    """Say that others can use the studio and where they find it, None where they cannot."""
    outside = outside_address(host)
    if outside is None and host not in _ANYWHERE:
        return None
    where = f"at {address(listening, outside)}" if outside else "by the address of this machine"
    return f"warning: anyone in the network can use this studio, {where}; without --host only this machine can"


def address(listening: socket.socket, host: str) -> str:
    """Return where a browser finds the studio."""
    port = listening.getsockname()[1]
    if host in _ANYWHERE:
        host = "localhost"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def serve(
    host: str,
    port: int | None,
    browser: bool,
    first: Terrain | None = None,
    name: str = "",
    tell: Callable[[str], None] = print,
) -> bool:
    """Serve until Ctrl-C; tell whether all work has ended, a compiled call may go on for a while."""
    listening = listen(host, port)
    where = address(listening, host)
    studio = Studio(StudioLimits(), first, name)
    config = uvicorn.Config(
        guarded(studio, host, listening.getsockname()[1]),
        log_level="warning",
        lifespan="on",
        timeout_graceful_shutdown=2,
        server_header=False,
        limit_concurrency=_CONNECTIONS,
    )
    server = _Server(config, studio)
    tell(f"Path Finder Studio: {where}  (Ctrl-C ends it)")
    open_to_all = warning(listening, host)
    if open_to_all is not None:
        tell(open_to_all)
    if browser:
        Thread(target=webbrowser.open, args=(where,), daemon=True).start()
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()
    return studio.close(_GRACE_S)
