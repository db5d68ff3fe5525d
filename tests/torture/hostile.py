"""Requests that no page sends: of other sites, malformed, oversized, endless.

Each returns the status of the answer, None where there is none. A studio has to refuse each with a status of 400 to
499, or cut the connection.
"""

import asyncio
import json
import struct
import zlib

import numpy as np

from waygrid.studio.wire import pack

PATIENCE_S = 60.0
WALLS = np.ones((20, 20), np.uint8)


async def send(port, data, wait=True, slowly=0.0):
    """Send bytes as they are; return the status of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for first in range(0, len(data), 65536):
            writer.write(data[first : first + 65536])
            await writer.drain()
            if slowly:
                await asyncio.sleep(slowly)
        if not wait:
            return None
        line = await asyncio.wait_for(reader.readline(), PATIENCE_S)
        return int(line.split()[1]) if line.startswith(b"HTTP/1.1 ") else None
    finally:
        writer.close()


def request(port, method, path, body=b"", **fields):
    """Return the bytes of a request."""
    if isinstance(body, (dict, list)):
        body = json.dumps(body).encode()
        fields.setdefault("content_type", "application/json")
    known = {"Host": f"127.0.0.1:{port}", "Content-Length": str(len(body)), "Connection": "close"}
    known |= {name.replace("_", "-").title(): value for name, value in fields.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in known.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("utf-8", "surrogateescape") + body


def whole(make):
    """Return an attack that sends one whole request."""

    async def attack(port, chance):
        method, path, body, fields = make(chance)
        return await send(port, request(port, method, path, body, **fields))

    return attack


def search(**more):
    return {"map": "0" * 32, "algorithm": "astar", "start": [0, 0], "goal": [1, 1]} | more


def bomb_png():
    """Return a small file that says it is a picture of 60,000 x 60,000 pixels."""
    size = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", size), (b"IDAT", zlib.compress(bytes(10**6))), (b"IEND", b"")]
    coded = [struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(coded)


def bomb_tiled():
    """Return a few lines that say they are a map of 8,000 x 8,000 tiles."""
    data = '<data encoding="csv">0</data>'
    return f'<map height="8000" width="8000"><layer name="walls">{data}</layer></map>'.encode()


BILLION = b'<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb">' + b"".join(
    f'<!ENTITY {chr(99 + k)} "{f"&{chr(98 + k)};" * 10}">'.encode() for k in range(9)
)

WHOLE = {
    "another site": lambda chance: ("POST", "/api/search", search(), {"origin": "http://evil.example"}),
    "another host": lambda chance: ("GET", "/api/registry", b"", {"host": "evil.example"}),
    "from another page": lambda chance: ("GET", "/api/registry", b"", {"sec_fetch_site": "cross-site"}),
    "a length of 10 TB": lambda chance: ("POST", "/api/open?name=a.map", b"", {"content_length": str(10**13)}),
    "a length that is none": lambda chance: ("POST", "/api/open?name=a.map", b"", {"content_length": "-7"}),
    "no JSON": lambda chance: ("POST", "/api/search", b"{" * 50, {"content_type": "application/json"}),
    "deep JSON": lambda chance: ("POST", "/api/search", b"[" * 400_000, {"content_type": "application/json"}),
    "large JSON": lambda chance: ("POST", "/api/search", b" " * 2_000_000, {"content_type": "application/json"}),
    "a list": lambda chance: ("POST", "/api/search", [1, 2], {}),
    "no map": lambda chance: ("POST", "/api/search", search(map=chance.choice([None, 7, [], "../../etc/passwd"])), {}),
    "odd cells": lambda chance: ("POST", "/api/search", search(start=chance.choice([[1e308, 0], "a", [], None])), {}),
    "odd options": lambda chance: ("POST", "/api/search", search(options=[["threads", 9]], grid={"clearance": 9}), {}),
    "a path upwards": lambda chance: ("GET", "/static/../../../../etc/passwd", b"", {}),
    "an encoded path upwards": lambda chance: ("GET", "/static/%2e%2e/%2e%2e/app.py", b"", {}),
    "a null byte": lambda chance: ("GET", "/static/%00", b"", {}),
    "another method": lambda chance: (chance.choice(["PUT", "DELETE", "TRACE", "OPTIONS"]), "/api/registry", b"", {}),
    "an unknown address": lambda chance: ("GET", f"/api/{chance.random()}", b"", {}),
    "a picture that unpacks": lambda chance: ("POST", "/api/open?name=a.png", bomb_png(), {}),
    "a tiled map that unpacks": lambda chance: ("POST", "/api/open?name=a.tmx", bomb_tiled(), {}),
    "a billion laughs": lambda chance: ("POST", "/api/open?name=a.tmx", BILLION + b"]><map>&k;</map>", {}),
    "a name that is a path": lambda chance: ("POST", "/api/open?name=../../a.wgi", b"x", {}),
    "noise as a map": lambda chance: (
        "POST",
        f"/api/open?name=a{chance.choice(['.map', '.png', '.npy', '.tmx', '.tif', '.yaml', '.ldtk', '.json'])}",
        chance.randbytes(chance.randrange(5000)),
        {},
    ),
    "noise as a drawing": lambda chance: ("POST", "/api/terrain", chance.randbytes(chance.randrange(3000)), {}),
    "a drawing that lies": lambda chance: (
        "POST",
        "/api/terrain",
        pack({"width": 2**31, "height": chance.randrange(-5, 5)}, {"walls": WALLS.ravel()}),
        {},
    ),
    "a huge generated map": lambda chance: (
        "POST",
        "/api/generate",
        {"kind": "maze", "width": chance.choice([65535, -1, 1e9, True]), "height": 65535},
        {},
    ),
    "a scenario of no map": lambda chance: ("POST", "/api/scenario?map=x", b"version 1\n", {}),
    "agents of no map": lambda chance: ("POST", "/api/agents", search(starts=[[0, 0]] * 10_000), {}),
}


async def garbage(port, chance):
    """Bytes that are no HTTP."""
    return await send(port, chance.randbytes(300) + b"\r\n\r\n")


async def long_header(port, chance):
    """A header without an end."""
    return await send(port, b"GET / HTTP/1.1\r\nX: " + b"a" * 300_000)


async def half(port, chance):
    """Half a request, and then nothing."""
    body = request(port, "POST", "/api/open?name=a.map", b"type octile\n" * 1000)
    return await send(port, body[: chance.randrange(10, len(body))], wait=False)


async def slow(port, chance):
    """A request that comes in drips, and ends too soon."""
    data = request(port, "POST", "/api/open?name=a.map", b"a" * 400_000)[:-1]
    return await send(port, data, wait=False, slowly=0.2)


async def endless(port, chance):
    """A body in chunks that is larger than allowed, without a length."""
    head = f"POST /api/search HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nTransfer-Encoding: chunked\r\n"
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    return await send(port, (head + "Content-Type: application/json\r\n\r\n").encode() + chunk * 40)


HOSTILE = {name: whole(make) for name, make in WHOLE.items()}
HOSTILE |= {"garbage": garbage, "a long header": long_header, "half a request": half, "slow": slow, "endless": endless}
