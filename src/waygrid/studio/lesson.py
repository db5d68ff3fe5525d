"""Lessons: one HTML file with maps, recorded searches and the whole player, which needs no server and no network.

The file has the page, its modules and the data as compressed blocks. `static/lesson.js` answers from them what the
page would ask a server.
"""

from __future__ import annotations

import base64
import html
import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from waygrid.errors import WaygridError, show
from waygrid.studio.columns import COLUMNS, code_trace
from waygrid.studio.described import describe
from waygrid.studio.examples import EXAMPLES
from waygrid.studio.jobs import Job
from waygrid.studio.model import Model, Terrain
from waygrid.studio.opening import pack_terrain
from waygrid.studio.searches import search
from waygrid.studio.wire import pack, unpack

STATIC = Path(__file__).parent / "static"
MOST_PAGES, MOST_BOARDS = 60, 6

_MODULES = "waygrid/"  # what the modules are named in the import map of the page
_IMPORT = re.compile(r"""(\bfrom\s*|\bimport\s*\(?\s*)(["'])(\.{1,2}/[\w./-]+\.js)\2""")
_STYLE = re.compile(r'<link rel="stylesheet" href="/static/([\w./-]+\.css)">')
_SCRIPT = re.compile(r'\s*<script type="module" src="/static/[\w./-]+"></script>')
_PICTURE = re.compile(r'(?<=")/static/([\w./-]+\.svg)(?=")')
_POLICY = "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data: blob:"
_START = """
(async () => {
  const text = document.getElementById("lesson-modules").textContent.trim();
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const imports = {};
  for (const [name, source] of Object.entries(JSON.parse(await new Response(stream).text())))
    imports[name] = `data:text/javascript;charset=utf-8,${encodeURIComponent(`${source}\\n//# sourceURL=${name}`)}`;
  const map = document.createElement("script");
  map.type = "importmap";
  map.textContent = JSON.stringify({ imports });
  document.head.append(map);
  await import("waygrid/lesson.js");
})();
"""


class LessonPage(NamedTuple):
    """A map, a query, and the boards that show it; `boards` are algorithm, options and title."""

    title: str
    terrain: Terrain
    start: tuple[int, int]
    goal: tuple[int, int]
    boards: Sequence[tuple[str, Mapping[str, Any], str]]
    rules: Mapping[str, Any] = {}
    summary: str = ""  # one line
    text: str = ""  # paragraphs with empty lines between them


def make_example_pages(names: Iterable[str] | None = None) -> list[LessonPage]:
    """Return examples of the studio as pages; by default all of them in which no agents walk.

    >>> [page.title for page in make_example_pages(["hex", "maze"])]
    ['Hexes', 'A maze']
    """
    chosen = names if names is not None else [name for name, one in EXAMPLES.items() if one.walk is None]
    pages = []
    for name in chosen:
        if name not in EXAMPLES:
            raise WaygridError(f"there is no example {show(name)}; allowed are {', '.join(EXAMPLES)}")
        one = EXAMPLES[name]
        pages.append(LessonPage(one.title, one.make(), one.start, one.goal, one.compare, one.rules, one.summary))
    return pages


def write_lesson(model: Model, pages: Sequence[LessonPage], title: str, job: Job) -> bytes:
    """Return the HTML file: searches are run and recorded.

    >>> import numpy as np
    >>> from waygrid.studio.limits import StudioLimits
    >>> pages = [LessonPage("Three cells", Terrain(np.ones((1, 3), np.bool_), None), (0, 0), (2, 0), [("bfs", {}, "")])]
    >>> file = write_lesson(Model(StudioLimits()), pages, "Breadth first", Job("lesson", ("", "")))
    >>> file.startswith(b"<!doctype html>"), b"<title>Breadth first</title>" in file, b"http://" in file
    (True, True, False)
    """
    if not 1 <= len(pages) <= MOST_PAGES:
        raise WaygridError(f"a lesson has {len(pages)} pages; allowed are 1 to {MOST_PAGES}")
    lesson = _Lesson(model, job)
    for number, page in enumerate(pages, 1):
        try:
            lesson.add(f"page-{number}", page)
        except WaygridError as error:
            if len(pages) == 1:
                raise
            raise WaygridError(f"page {number}, {show(page.title)}: {error}") from None
    registry = describe(model.limits)
    used = {question["algorithm"] for question in (one["question"] for one in lesson.searches)}
    registry["algorithms"] = [info for info in registry["algorithms"] if info["name"] in used]
    for info in registry["algorithms"]:
        info["details"] = [detail for detail in info["details"] if not detail["served"]]
    registry |= {"examples": lesson.described, "overlays": [], "exercises": [], "lesson": {"title": title}}
    index = {"registry": registry, "pages": lesson.pages, "searches": lesson.searches, "files": read_files()}
    return _write_page(title, index, lesson.blocks)


class _Lesson:
    """The data of a lesson while it is made."""

    def __init__(self, model: Model, job: Job) -> None:
        self._model, self._job = model, job
        self.blocks: list[bytes] = []
        self.pages: dict[str, int] = {}
        self.described: list[dict[str, Any]] = []
        self.searches: list[dict[str, Any]] = []

    def add(self, name: str, page: LessonPage) -> None:
        """Record a page: its map, and the search of each board."""
        if not 1 <= len(page.boards) <= MOST_BOARDS:
            raise WaygridError(f"there are {len(page.boards)} boards; allowed are 1 to {MOST_BOARDS} on a page")
        key = self._model.add(page.terrain)
        rules = {"topology": "octile", "corners": "never", "metric": "octile", **page.rules}
        boards = [
            {"algorithm": algorithm, "options": dict(options), **({"title": title} if title else {})}
            for algorithm, options, title in page.boards
        ]
        query: dict[str, Any] = {"start": list(page.start), "goal": list(page.goal), "grid": rules}
        shown: dict[str, Any] = {"name": name, "title": page.title, "summary": page.summary, "text": page.text, **query}
        shown |= {**boards[0], "title": page.title, "compare": boards, "walk": None}
        self.described.append(shown)
        terrain = pack_terrain(key, page.terrain, name=page.title, example=shown, doors=page.terrain.doors)
        self.pages[name] = self._keep(terrain)
        for board in boards:
            self._record({**query, "map": key, "algorithm": board["algorithm"], "options": board["options"]})

    def _record(self, question: dict[str, Any]) -> None:
        if any(one["question"] == question for one in self.searches):
            return
        asked = {**question, "trace": True, "optimum": True, "timed": True}
        answer = code_answer(search(self._model, asked, self._job))
        self.searches.append({"question": question, "block": self._keep(answer)})

    def _keep(self, message: bytes) -> int:
        """Keep a block of data and return its number."""
        self.blocks.append(compress(message))
        return len(self.blocks) - 1


def code_answer(message: bytes) -> bytes:
    """Return the message of a search with its trace as columns of small numbers."""
    header, arrays = unpack(message)
    if not all(name in arrays for name in COLUMNS):
        return message
    units, coded = code_trace({name: arrays[name] for name in COLUMNS}, float(header["unit"]))
    return pack({**header, "coded": units}, {**arrays, **coded})


def compress(data: bytes) -> bytes:
    """Compress data as browsers decompress it by themselves: "deflate-raw"."""
    packer = zlib.compressobj(7, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def read_modules(folder: Path = STATIC) -> dict[str, str]:
    """Return the modules of the page by their names in an import map, with imports by these names.

    >>> modules = read_modules()
    >>> 'from "waygrid/api.js"' in modules["waygrid/lesson.js"]
    True
    """

    def rename(file: Path) -> str:
        def replace(found: re.Match[str]) -> str:
            place = (file.parent / PurePosixPath(found[3])).resolve().relative_to(folder.resolve())
            return f"{found[1]}{found[2]}{_MODULES}{place.as_posix()}{found[2]}"

        return _IMPORT.sub(replace, file.read_text(encoding="utf-8"))

    return {f"{_MODULES}{file.relative_to(folder).as_posix()}": rename(file) for file in sorted(folder.rglob("*.js"))}


def read_files(folder: Path = STATIC) -> dict[str, str]:
    """Return the data files of the page by the addresses at which modules ask for them."""
    return {
        f"/static/{file.relative_to(folder).as_posix()}": file.read_text(encoding="utf-8")
        for file in sorted(folder.rglob("*.json"))
    }


def _write_page(title: str, index: Mapping[str, Any], blocks: Sequence[bytes]) -> bytes:
    """Return index.html with everything that it refers to."""

    def block(name: str, data: bytes) -> str:
        return f'<script type="text/plain" id="{name}">{base64.b64encode(data).decode()}</script>'

    def style(found: re.Match[str]) -> str:
        return f"<style>\n{(STATIC / found[1]).read_text(encoding='utf-8')}</style>"

    def picture(found: re.Match[str]) -> str:
        return f"data:image/svg+xml;base64,{base64.b64encode((STATIC / found[1]).read_bytes()).decode()}"

    page = (STATIC / "index.html").read_text(encoding="utf-8")
    page = _PICTURE.sub(picture, _STYLE.sub(style, _SCRIPT.sub("", page)))
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    page = re.sub(r"<title>.*?</title>", lambda _: f"{policy}\n  <title>{html.escape(title)}</title>", page)
    data = [
        block("lesson-modules", compress(json.dumps(read_modules()).encode())),
        block("lesson-index", compress(json.dumps(index, allow_nan=False).encode())),
        *(block(f"block-{number}", data) for number, data in enumerate(blocks)),
        f"<script>{_START}</script>",
    ]
    head, body, tail = page.rpartition("</body>")
    return "\n".join([head, *data, body + tail]).encode(errors="replace")  # a title may hold half of a character
