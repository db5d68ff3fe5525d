"""The controller: requests of the page, answered from the model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from waygrid.errors import WaygridError
from waygrid.formats.scenario import parse as parse_scenario
from waygrid.studio import exports, opening
from waygrid.studio.described import describe
from waygrid.studio.examples import EXAMPLES
from waygrid.studio.guard import Guard, TooLargeError, known_hosts
from waygrid.studio.jobs import CancelledJobError, Desk, Job, TooBusyError
from waygrid.studio.limits import Limits
from waygrid.studio.model import Model, Terrain, UnknownMapError
from waygrid.studio.overlays import overlay
from waygrid.studio.searches import search, walk

STATIC = Path(__file__).parent / "static"
_LOOK_S = 0.1  # how often it is asked whether the page still waits
_BINARY = "application/octet-stream"

Work = Callable[[Model, Mapping[str, Any], Job], bytes]


class Studio:
    """The handlers of all requests, with the model they share."""

    def __init__(self, limits: Limits, first: Terrain | None = None, name: str = "") -> None:
        self.model, self.desk, self.limits = Model(limits), Desk(limits), limits
        self._first, self._first_name = first, name

    def routes(self) -> list[Route | Mount]:
        """Return what is answered where."""
        routes: list[Route | Mount] = [
            Route("/", self.page),
            Route("/api/registry", self.registry),
            Route("/api/maps/{key}", self.kept_map),
            Route("/api/examples/{name}", self.example),
            Route("/api/progress", self.progress),
            Route("/api/cancel", self.cancel, methods=["POST"]),
            Route("/api/terrain", self.terrain, methods=["POST"]),
            Route("/api/open", self.open, methods=["POST"]),
            Route("/api/generate", self.generate, methods=["POST"]),
            Route("/api/scenario", self.scenario, methods=["POST"]),
        ]
        for path, work, media in (
            ("search", search, _BINARY),
            ("agents", walk, _BINARY),
            ("overlay", overlay, _BINARY),
            ("export/map", exports.map_file, _BINARY),
            ("export/trace", exports.trace_file, "application/yaml"),
            ("export/gif", exports.gif_file, "image/gif"),
        ):
            routes.append(Route(f"/api/{path}", self._working(work, media), methods=["POST"]))
        return [*routes, Mount("/static", StaticFiles(directory=STATIC))]

    async def page(self, request: Request) -> Response:
        """Return the page itself."""
        return FileResponse(STATIC / "index.html")

    async def registry(self, request: Request) -> Response:
        """Return what can be chosen, and the map that the studio was opened with."""
        described = describe(self.limits)
        if self._first is not None:
            described["opened"] = {"id": self.model.add(self._first), "name": self._first_name}
        return JSONResponse(described)

    async def kept_map(self, request: Request) -> Response:
        """Return a map that the studio remembers."""
        key = request.path_params["key"]
        return Response(opening.sent(key, self.model.terrain(key)), media_type=_BINARY)

    async def example(self, request: Request) -> Response:
        """Return an example with its map."""
        name = request.path_params["name"]
        if name not in EXAMPLES:
            raise WaygridError(f"there is no example {name[:40]!r}; allowed are {', '.join(EXAMPLES)}")
        terrain = await asyncio.to_thread(EXAMPLES[name].make)
        described = EXAMPLES[name].described(name)
        message = opening.sent(self.model.add(terrain), terrain, name=described["title"], example=described)
        return Response(message, media_type=_BINARY)

    async def terrain(self, request: Request) -> Response:
        """Take a terrain that was drawn."""
        body = await request.body()
        terrain = await asyncio.to_thread(opening.received, body, self.limits)
        return JSONResponse({"id": self.model.add(terrain)})

    async def open(self, request: Request) -> Response:
        """Read a map file."""
        name, body = request.query_params.get("name", ""), await request.body()
        terrain, topology = await asyncio.to_thread(opening.open_file, name, body, self.limits)
        message = opening.sent(self.model.add(terrain), terrain, name=name[:100], topology=topology)
        return Response(message, media_type=_BINARY)

    async def generate(self, request: Request) -> Response:
        """Make a map."""
        asked = await _asked(request)
        terrain = await asyncio.to_thread(opening.generated, asked, self.limits)
        return Response(opening.sent(self.model.add(terrain), terrain), media_type=_BINARY)

    async def scenario(self, request: Request) -> Response:
        """Read a scenario file for a map."""
        terrain = self.model.terrain(request.query_params.get("map"))
        data = await asyncio.to_thread(parse_scenario, await request.body(), "scenario")
        height, width = terrain.passable.shape
        if len(data.starts) and (data.sizes != (width, height)).any():
            named = " x ".join(str(side) for side in data.sizes[0].tolist())
            raise WaygridError(f"the scenario is for a map of {named} cells, not of {width} x {height}")
        rows = zip(data.starts.tolist(), data.goals.tolist(), data.costs.tolist(), strict=True)
        problems = [[*start, *goal, cost] for start, goal, cost in rows]
        return JSONResponse({"rows": len(problems), "problems": problems[: self.limits.problems]})

    async def progress(self, request: Request) -> Response:
        """Tell how far a job is."""
        return JSONResponse(self.desk.progress(request.query_params.get("token", "")))

    async def cancel(self, request: Request) -> Response:
        """Cancel a job."""
        return JSONResponse({"cancelled": self.desk.cancel(str((await _asked(request)).get("token")))})

    def _working(self, work: Work, media: str) -> Callable[[Request], Awaitable[Response]]:
        """Return a handler that does its work on a thread, as long as the page waits for it."""

        async def handler(request: Request) -> Response:
            asked = await _asked(request)
            token = str(asked.get("token") or uuid4().hex)[:100]
            owner = (str(asked.get("client", ""))[:100], str(asked.get("pane", ""))[:100])
            job, future = self.desk.submit(token, owner, lambda job: work(self.model, asked, job))
            waiting = asyncio.wrap_future(future)
            while True:
                done, _ = await asyncio.wait({waiting}, timeout=_LOOK_S)
                if done:
                    break
                if await request.is_disconnected():
                    job.cancel()
            return Response(await waiting, media_type=media)

        return handler


async def _asked(request: Request) -> dict[str, Any]:
    """Return the object that a request carries."""
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise HTTPException(415, "the request must be of type application/json")
    try:
        asked = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise WaygridError("the request is not JSON") from None
    if not isinstance(asked, dict):
        raise WaygridError("the request is not a JSON object")
    return asked


def _answer(status: int, text: str, **more: Any) -> Response:
    return JSONResponse({"error": text, **more}, status_code=status)


async def _failed(request: Request, error: Exception) -> Response:
    """Answer what went wrong with a sentence."""
    if isinstance(error, UnknownMapError):
        return _answer(404, str(error), code="unknown-map")
    if isinstance(error, WaygridError):
        return _answer(400, str(error))
    if isinstance(error, TooBusyError):
        return _answer(429, "the studio has more to do than it takes on; try again in a moment")
    if isinstance(error, (CancelledJobError, asyncio.CancelledError, ClientDisconnect)):
        return _answer(409, "the search was cancelled", code="cancelled")
    if isinstance(error, TooLargeError):
        return _answer(413, "the request is larger than the studio allows")
    if isinstance(error, MemoryError):
        return _answer(507, "there is not enough memory for this")
    if isinstance(error, HTTPException):
        return _answer(error.status_code, error.detail)
    return _answer(500, f"the studio failed: {type(error).__name__}")


def make_app(
    host: str = "127.0.0.1",
    port: int = 80,
    limits: Limits | None = None,
    first: Terrain | None = None,
    name: str = "",
) -> ASGIApp:
    """Return the application, for the address under which it will be reached."""
    limits = limits or Limits()
    studio = Studio(limits, first, name)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> Any:
        yield
        studio.desk.close()

    kinds = (
        WaygridError,
        TooBusyError,
        CancelledJobError,
        ClientDisconnect,
        TooLargeError,
        MemoryError,
        HTTPException,
        Exception,
    )
    handlers: dict[Any, Any] = dict.fromkeys(kinds, _failed)
    app = Starlette(routes=studio.routes(), exception_handlers=handlers, lifespan=lifespan)
    any_address = host in ("0.0.0.0", "::")
    return Guard(app, known_hosts(host, port), any_address, limits.upload_bytes)
