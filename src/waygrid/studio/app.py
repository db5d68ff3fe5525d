"""The controller: answers the requests of the page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from waygrid.errors import WaygridError
from waygrid.studio import exports, imports, opening
from waygrid.studio.crowds import walk_crowd
from waygrid.studio.described import describe
from waygrid.studio.details import detail
from waygrid.studio.examples import EXAMPLES
from waygrid.studio.guard import Guard, TooLargeError, known_hosts
from waygrid.studio.jobs import CancelledJobError, Desk, Job, TooBusyError
from waygrid.studio.lesson_file import lesson_file
from waygrid.studio.limits import StudioLimits
from waygrid.studio.model import Model, Terrain, UnknownMapError
from waygrid.studio.overlays import overlay
from waygrid.studio.searches import search
from waygrid.studio.walks import walk

STATIC = Path(__file__).parent / "static"
_LOOK_S = 0.1  # how often it checks whether the page still waits
_BINARY = "application/octet-stream"
_QUICK_BYTES = 65_536  # a drawn terrain so small takes less time to read than a thread takes to begin

Answer = TypeVar("Answer")
Work = Callable[[Model, Mapping[str, Any], Job], bytes]


class Studio:
    """The handlers of all requests, with the model they share."""

    def __init__(self, limits: StudioLimits, first: Terrain | None = None, name: str = "") -> None:
        self.model, self.desk, self.limits = Model(limits), Desk(limits), limits
        self._reading = Desk(limits._replace(running=limits.uploads, waiting=limits.queued_uploads))
        self._uploads, self._coming = asyncio.Semaphore(limits.uploads), 0
        self._first, self._first_name = first, name

    def routes(self) -> list[Route | Mount]:
        """Return the routes."""
        routes: list[Route | Mount] = [
            Route("/", self.page),
            Route("/api/registry", self.registry),
            Route("/api/maps/{key}", self.kept_map),
            Route("/api/examples/{name}", self.example),
            Route("/api/progress", self.progress),
            Route("/api/cancel", self.cancel, methods=["POST"]),
            Route("/api/terrain", self.terrain, methods=["POST"]),
            Route("/api/open", self.open, methods=["POST"]),
            Route("/api/robot", self.robot, methods=["POST"]),
            Route("/api/generate", self.generate, methods=["POST"]),
            Route("/api/scenario", self.scenario, methods=["POST"]),
            Route("/api/import/trace", self.import_trace, methods=["POST"]),
            Route("/api/import/dynamic", self.import_dynamic, methods=["POST"]),
        ]
        for path, work, media in (
            ("search", search, _BINARY),
            ("agents", walk, _BINARY),
            ("crowd", walk_crowd, _BINARY),
            ("overlay", overlay, _BINARY),
            ("detail", detail, _BINARY),
            ("import/paths", imports.check_paths, _BINARY),
            ("export/map", exports.map_file, _BINARY),
            ("export/trace", exports.trace_file, "application/yaml"),
            ("export/gif", exports.gif_file, "image/gif"),
            ("export/lesson", lesson_file, "text/html"),
        ):
            routes.append(Route(f"/api/{path}", self._make_handler(work, media), methods=["POST"]))
        return [*routes, Mount("/static", StaticFiles(directory=STATIC))]

    async def page(self, request: Request) -> Response:
        """Return the page itself."""
        return FileResponse(STATIC / "index.html")

    async def registry(self, request: Request) -> Response:
        """Return the available choices, and the map that the studio was started with."""
        described = describe(self.limits)
        if self._first is not None:
            described["opened"] = {"id": self.model.add(self._first), "name": self._first_name}
        return JSONResponse(described)

    async def kept_map(self, request: Request) -> Response:
        """Return a cached map."""
        key = request.path_params["key"]
        return Response(opening.pack_terrain(key, self.model.terrain(key)), media_type=_BINARY)

    async def example(self, request: Request) -> Response:
        """Return an example with its map."""
        name = request.path_params["name"]
        if name not in EXAMPLES:
            raise WaygridError(f"there is no example {name[:40]!r}; allowed are {', '.join(EXAMPLES)}")

        def work() -> bytes:
            terrain, described = EXAMPLES[name].make(), EXAMPLES[name].described(name)
            more = {"name": described["title"], "example": described, "doors": terrain.doors}
            return opening.pack_terrain(self.model.add(terrain), terrain, **more)

        return Response(await self._read(work), media_type=_BINARY)

    async def terrain(self, request: Request) -> Response:
        """Receive a drawn terrain."""

        def work(body: bytes) -> Response:
            return JSONResponse({"id": self.model.add(opening.receive_terrain(body, self.limits))})

        if int(request.headers.get("content-length", _QUICK_BYTES + 1)) <= _QUICK_BYTES:
            return work(await self._receive(request))
        return await self._read_upload(request, work)

    async def open(self, request: Request) -> Response:
        """Read a map file."""
        name = request.query_params.get("name", "")

        def work(body: bytes) -> Response:
            terrain, topology = opening.open_file(name, body, self.limits)
            message = opening.pack_terrain(self.model.add(terrain), terrain, name=name[:100], topology=topology)
            return Response(message, media_type=_BINARY)

        return await self._read_upload(request, work)

    async def robot(self, request: Request) -> Response:
        """Read a robot's map: its description and its image."""
        name = request.query_params.get("name", "")

        def work(body: bytes) -> Response:
            terrain = opening.open_robot_map(name, body, self.limits)
            return Response(opening.pack_terrain(self.model.add(terrain), terrain, name=name[:100]), media_type=_BINARY)

        return await self._read_upload(request, work)

    async def generate(self, request: Request) -> Response:
        """Generate a map."""
        asked = await _read_request(request)

        def work() -> bytes:
            terrain = opening.generate_terrain(asked, self.limits)
            return opening.pack_terrain(self.model.add(terrain), terrain)

        return Response(await self._read(work), media_type=_BINARY)

    async def scenario(self, request: Request) -> Response:
        """Read a scenario file for a map."""
        shape = self.model.terrain(request.query_params.get("map")).passable.shape
        return await self._read_upload(
            request, lambda body: JSONResponse(opening.read_problems(body, shape[1], shape[0], self.limits))
        )

    async def import_trace(self, request: Request) -> Response:
        """Read a search trace of another solver."""
        name = request.query_params.get("name", "")
        return await self._read_upload(
            request, lambda body: Response(imports.read_trace(name, body, self.limits), media_type=_BINARY)
        )

    async def import_dynamic(self, request: Request) -> Response:
        """Read a dynamic scenario with its patches, for a map."""
        height, width = self.model.terrain(request.query_params.get("map")).passable.shape
        return await self._read_upload(
            request,
            lambda body: Response(imports.read_dynamic(body, width, height, self.limits), media_type=_BINARY),
        )

    async def _read(self, work: Callable[[], Answer]) -> Answer:
        """Run a short task on a thread; the number of threads and the queue are bounded."""
        return await asyncio.wrap_future(self._reading.submit(uuid4().hex, ("", ""), lambda job: work())[1])

    async def _read_upload(self, request: Request, work: Callable[[bytes], Response]) -> Response:
        """Receive a large body and parse it on a thread; few are in memory at a time, the others wait."""
        if self._coming >= self.limits.uploads + self.limits.queued_uploads:
            raise TooBusyError
        self._coming += 1
        try:
            async with self._uploads:
                body = await self._receive(request)
                return await self._read(lambda: work(body))
        finally:
            self._coming -= 1

    async def _receive(self, request: Request) -> bytes:
        """Return the body of a request; it may not drip for ever."""
        try:
            return await asyncio.wait_for(request.body(), self.limits.upload_s)
        except TimeoutError:
            raise HTTPException(408, f"the upload took longer than {self.limits.upload_s:g} s") from None

    def close(self, seconds: float = 0.0) -> bool:
        """Cancel all work, wait for its end up to a limit, and return whether it has ended."""
        searched, read = self.desk.close(seconds), self._reading.close(seconds)
        return searched and read

    async def progress(self, request: Request) -> Response:
        """Return the progress of a job."""
        return JSONResponse(self.desk.progress(request.query_params.get("token", "")))

    async def cancel(self, request: Request) -> Response:
        """Cancel a job."""
        return JSONResponse({"cancelled": self.desk.cancel(str((await _read_request(request)).get("token")))})

    def _make_handler(self, work: Work, media: str) -> Callable[[Request], Awaitable[Response]]:
        """Return a handler that works on a thread as long as the page waits for it."""

        async def handler(request: Request) -> Response:
            asked = await _read_request(request)
            token = str(asked.get("token") or uuid4().hex)[:100]
            owner = (str(asked.get("client", ""))[:100], str(asked.get("pane", ""))[:100])
            _, future = self.desk.submit(token, owner, lambda job: work(self.model, asked, job))
            waiting = asyncio.wrap_future(future)
            while True:
                done, _ = await asyncio.wait({waiting}, timeout=_LOOK_S)
                if done:
                    break
                if await request.is_disconnected():
                    self.desk.cancel(token)
            return Response(await waiting, media_type=media)

        return handler


async def _read_request(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request."""
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


async def _explain_error(request: Request, error: Exception) -> Response:
    """Return the response for an error: one sentence."""
    if isinstance(error, UnknownMapError):
        return _answer(404, str(error), code="unknown-map")
    if isinstance(error, WaygridError):
        return _answer(400, str(error))
    if isinstance(error, TooBusyError):
        return _answer(429, "the studio is busy; try again in a moment")
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
    limits: StudioLimits | None = None,
    first: Terrain | None = None,
    name: str = "",
) -> ASGIApp:
    """Return the application for the address that it will be served at."""
    return guarded(Studio(limits or StudioLimits(), first, name), host, port)


def guarded(studio: Studio, host: str, port: int) -> ASGIApp:
    """Return the application of a studio."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> Any:
        yield
        studio.close()

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
    handlers: dict[Any, Any] = dict.fromkeys(kinds, _explain_error)
    app = Starlette(routes=studio.routes(), exception_handlers=handlers, lifespan=lifespan)
    any_address = host in ("0.0.0.0", "::")
    return Guard(app, known_hosts(host, port), any_address, studio.limits)
