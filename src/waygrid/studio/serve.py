"""Serves the studio: chooses an address, opens the browser, shuts down cleanly."""

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

_CONNECTIONS = 800  # at a time, idle ones of browsers included; more are refused
_ANYWHERE = ("0.0.0.0", "::")
_GRACE_S = 1.0  # for work to end after Ctrl-C


class _Server(uvicorn.Server):
    """Cancels the work before it waits for open requests, so that they end at once."""

    def __init__(self, config: uvicorn.Config, studio: Studio) -> None:
        super().__init__(config)
        self._studio = studio

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._studio.close()
        await super().shutdown(sockets)


def listen(host: str, port: int | None) -> socket.socket:
    """Return a listening socket: on the given port, otherwise on 8765 or any free port."""
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
    """Return the address for other machines, None if the server listens locally only or has none."""
    if host not in _ANYWHERE:
        with suppress(ValueError):
            return None if ip_address(host).is_loopback else host
        return None if host == "localhost" else host
    family, far = (socket.AF_INET6, "2001:db8::1") if ":" in host else (socket.AF_INET, "192.0.2.1")
    try:
        # Nothing is sent: connecting a datagram socket only finds the route, and with it our own address.
        with socket.socket(family, socket.SOCK_DGRAM) as way:
            way.connect((far, 9))
            found = str(way.getsockname()[0])
    except OSError:
        return None
    return None if ip_address(found).is_loopback or ip_address(found).is_unspecified else found


def warning(listening: socket.socket, host: str) -> str | None:
    """Return a warning that others can use the studio, and its address; None if they cannot."""
    outside = outside_address(host)
    if outside is None and host not in _ANYWHERE:
        return None
    where = f"at {address(listening, outside)}" if outside else "at the address of this machine"
    return f"warning: anyone on the network can use this studio, {where}; without --host only this machine can"


def address(listening: socket.socket, host: str) -> str:
    """Return the address of the studio for a browser."""
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
    """Serve until Ctrl-C; return whether all work has ended (a compiled call may still run)."""
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
