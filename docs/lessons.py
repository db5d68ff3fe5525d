"""Searches to play with: a lesson for each page that explains algorithms, exported when the site is built.

`python docs/lessons.py FOLDER` writes them without the site.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))  # the lessons are those of this checkout

import waygrid as wg
from waygrid.formats.files import write_atomically
from waygrid.grid.generate import generate_passable
from waygrid.studio.lesson import LessonPage
from waygrid.studio.lesson_file import choose_ends, export_lesson
from waygrid.studio.model import Terrain

SIZE, SMALL = (72, 48), (10, 7)
SEEDS = {"caves": 3, "rooms": 5}
ROOMS = ("zones", "pra", "dba", "hcdps", "contraction", "turntable")  # pages whose algorithms look for rooms and doors
TITLE = "A search to play with"
HEIGHT_PX = 760


def list_pages() -> dict[str, list[str]]:
    """Return the algorithms that each page of the documentation explains."""
    pages: dict[str, list[str]] = {}
    for info in wg.algorithms().values():
        pages.setdefault(info.page.split("#")[0].removesuffix(".md"), []).append(info.name)
    return pages


def make_map(name: str, exponential: bool) -> Terrain:
    """Return the map of a lesson; searches that may take years get a small one."""
    width, height = SMALL if exponential else SIZE
    kind = "rooms" if name in ROOMS else "caves"
    return Terrain(generate_passable(kind, width, height, SEEDS[kind]), None)


def make_pages(name: str, algorithms: list[str]) -> list[LessonPage]:
    """Return the pages of one lesson: each algorithm beside A*."""
    pages = []
    for algorithm in algorithms:
        info = wg.algorithms()[algorithm]
        terrain = make_map(name, info.exponential)
        boards = [(algorithm, {}, ""), ("dijkstra" if algorithm == "astar" else "astar", {}, "")]
        pages.append(LessonPage(algorithm, terrain, *choose_ends(terrain, {}), boards, {}, info.summary, info.paper))
    return pages


def write_lessons(folder: Path) -> list[Path]:
    """Write all lessons and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, algorithms in list_pages().items():
        files.append(folder / f"{name}.html")
        write_atomically(files[-1], export_lesson(", ".join(algorithms), make_pages(name, algorithms)))
    return files


def add_lesson(text: str, name: str) -> str:
    """Return a page of the documentation with its lesson at the end; other pages as they are."""
    pages = list_pages()
    if name == "gallery":
        links = [f'<li><a href="lessons/{page}.html">{", ".join(names)}</a></li>' for page, names in pages.items()]
        shown = f"<p>Each opens in the browser, without waygrid.</p><ul>{''.join(links)}</ul>"
        return f"{text}\n\n## Searches to play with\n\n```{{raw}} html\n{shown}\n```\n"
    if name not in pages:
        return text
    frame = f'<iframe src="lessons/{name}.html" title="{TITLE}: {", ".join(pages[name])}" loading="lazy"'
    style = f'style="width:100%;height:{HEIGHT_PX}px;border:1px solid #8886;border-radius:6px"'
    alone = f'<p>Play, step and compare it here, or <a href="lessons/{name}.html">on a page of its own</a>.</p>'
    return f"{text}\n\n## {TITLE}\n\n```{{raw}} html\n{alone}\n{frame} {style}></iframe>\n```\n"


if __name__ == "__main__":
    for file in write_lessons(Path(sys.argv[1])):
        print(file, file.stat().st_size)
