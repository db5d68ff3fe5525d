"""Descriptions of lessons: files that teachers write, what the command line says, and what the page asks for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from os import fspath
from pathlib import Path
from typing import Any

import numpy as np

from waygrid.algorithms.classic.distances import distances
from waygrid.errors import WaygridError, show
from waygrid.formats import read_map
from waygrid.formats.files import PathLike, read_text
from waygrid.grid.grid import Grid
from waygrid.studio.jobs import Job
from waygrid.studio.lesson import LessonPage, make_example_pages, write_lesson
from waygrid.studio.limits import StudioLimits
from waygrid.studio.model import Model, Terrain, check_cells, read_rules
from waygrid.studio.opening import generate_terrain, make_terrain

_KEYS = ("title", "summary", "text", "map", "example", "generate", "start", "goal", "grid", "boards")
_GROUND = ("map", "example", "generate")
_BOARD_KEYS = ("algorithm", "options", "title")
_LONGEST = 20_000  # characters of a text


def read_lesson(path: PathLike, limits: StudioLimits) -> tuple[str, list[LessonPage]]:
    """Return title and pages of a lesson file: JSON with "title" and "pages", as docs/studio.md describes it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "course.json")
    ...     _ = file.write_text('{"title": "Mazes", "pages": [{"example": "maze", "boards": [{"algorithm": "bfs"}]}]}')
    ...     title, pages = read_lesson(file, StudioLimits())
    >>> title, pages[0].title, pages[0].boards
    ('Mazes', 'A maze', [('bfs', {}, '')])
    """
    name = fspath(path)
    written = read_text(path, limits.json_bytes)
    try:
        read = json.loads(written)
    except (ValueError, RecursionError) as error:
        raise WaygridError(f"{name}: not JSON ({error})") from None
    if not isinstance(read, dict) or read.keys() - {"title", "pages"} or not isinstance(read.get("pages"), list):
        raise WaygridError(f'{name}: a lesson is an object with "title" and a list of "pages"')
    title = _read_text(read, "title", name) or Path(name).stem
    pages = []
    for number, page in enumerate(read["pages"], 1):
        where = f"{name}, page {number}"
        try:
            pages.append(_read_page(page, where, Path(name).parent, limits))
        except WaygridError as error:  # of a map, a generator or the rules of a grid: they know no lesson
            raise error if str(error).startswith(where) else WaygridError(f"{where}: {error}") from None
    return title, pages


def _read_page(page: Any, where: str, folder: Path, limits: StudioLimits) -> LessonPage:
    if not isinstance(page, dict) or page.keys() - set(_KEYS):
        raise WaygridError(f"{where}: {show(page)}; a page is an object of {', '.join(_KEYS)}")
    if sum(key in page for key in _GROUND) != 1:
        raise WaygridError(f"{where}: exactly one of {', '.join(_GROUND)} is needed")
    rules = _read_object(page, "grid", where)
    read_rules(rules)
    if "example" in page:
        (made,) = make_example_pages([_read_text(page, "example", where)])
    elif "generate" in page:
        recipe = _read_object(page, "generate", where)
        made = make_page(str(recipe.get("kind")), generate_terrain(recipe, limits), rules)
    else:
        read = read_map(folder / _read_text(page, "map", where))
        check_cells(read.passable.shape[1], read.passable.shape[0], limits)
        own = {"topology": read.topology} if read.topology else {}
        made = make_page(Path(page["map"]).name, make_terrain(read), {**own, **rules})
    given: dict[str, Any] = {key: _read_text(page, key, where) for key in ("title", "summary", "text") if key in page}
    given |= {key: _read_cell(page, key, where) for key in ("start", "goal") if key in page}
    if "boards" in page:
        given["boards"] = read_boards(page["boards"], where)
    if rules:
        given["rules"] = {**made.rules, **rules}
    return made._replace(**given)


def make_page(title: str, terrain: Terrain, rules: Mapping[str, Any]) -> LessonPage:
    """Return a page with A* between two cells that are far apart.

    >>> page = make_page("A row", Terrain(np.ones((1, 9), np.bool_), None), {})
    >>> sorted([page.start, page.goal])
    [(0, 0), (8, 0)]
    """
    return LessonPage(title, terrain, *choose_ends(terrain, rules), [("astar", {}, "")], rules)


def choose_ends(terrain: Terrain, rules: Mapping[str, Any]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return two cells of the largest connected component that are far apart.

    >>> choose_ends(Terrain(np.array([[True, True, False, True]]), None), {})
    ((1, 0), (0, 0))
    """
    own: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in rules.items()}
    grid = Grid(terrain.passable, weights=terrain.weights, **own)
    labels = grid.components
    if not terrain.passable.any():
        raise WaygridError("the map has no passable cell")
    largest = np.bincount(labels[terrain.passable]).argmax()
    cell = int(np.flatnonzero(labels.ravel() == largest)[0])
    ends = []
    for _ in range(2):
        away = np.asarray(distances(grid, divmod(cell, grid.width)[::-1]))
        cell = int(np.where(np.isfinite(away) & terrain.passable, away, -1.0).argmax())
        ends.append((cell % grid.width, cell // grid.width))
    return ends[0], ends[1]


def read_boards(boards: Any, where: str) -> list[tuple[str, dict[str, Any], str]]:
    """Return the boards of a page: algorithm, options and title of each.

    >>> read_boards([{"algorithm": "astar", "options": {"weight": 2}}], "page 1")
    [('astar', {'weight': 2}, '')]
    """
    if not isinstance(boards, list):
        raise WaygridError(f"{where}: boards is {show(boards)}; allowed is a list of boards")
    read = []
    for board in boards:
        if not isinstance(board, dict) or board.keys() - set(_BOARD_KEYS) or "algorithm" not in board:
            raise WaygridError(f"{where}: board {show(board)}; a board is an object of {', '.join(_BOARD_KEYS)}")
        texts = [_read_text(board, key, where) for key in ("algorithm", "title")]
        read.append((texts[0], dict(_read_object(board, "options", where)), texts[1]))
    return read


def _read_text(given: Mapping[str, Any], key: str, where: str) -> str:
    text = given.get(key, "")
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise WaygridError(f"{where}: {key} is {show(text)}; allowed is a text of at most {_LONGEST} characters")
    return text


def _read_object(given: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    value = given.get(key, {})
    if not isinstance(value, dict):
        raise WaygridError(f"{where}: {key} is {show(value)}; allowed is an object of names and values")
    return value


def _read_cell(given: Mapping[str, Any], key: str, where: str) -> tuple[int, int]:
    cell = given[key]
    if not isinstance(cell, list) or len(cell) != 2 or not all(type(n) is int and abs(n) < 2**31 for n in cell):
        raise WaygridError(f"{where}: {key} is {show(cell)}; a cell is [x, y], two whole numbers")
    return cell[0], cell[1]


def lesson_file(model: Model, asked: Mapping[str, Any], job: Job) -> bytes:
    """Return what the page shows as a lesson: its map, query and boards, with a title and a text."""
    page = LessonPage(
        _read_text(asked, "title", "the lesson") or "map",
        model.terrain(asked.get("map")),
        _read_cell(asked, "start", "the lesson"),
        _read_cell(asked, "goal", "the lesson"),
        read_boards(asked.get("boards"), "the lesson"),
        _read_object(asked, "grid", "the lesson"),
        text=_read_text(asked, "text", "the lesson"),
    )
    return write_lesson(model, [page], page.title, job)


def export_lesson(
    title: str, pages: list[LessonPage], limits: StudioLimits | None = None, tell: Callable[[str], None] | None = None
) -> bytes:
    """Return a lesson as one HTML file.

    >>> file = export_lesson("Hexes", make_example_pages(["hex"]))
    >>> b"<title>Hexes</title>" in file
    True
    """
    for page in pages:
        if tell is not None:
            tell(page.title)
    return write_lesson(Model(limits or StudioLimits()), pages, title, Job("lesson", ("", "")))
