"""`waygrid studio`: watch, draw and compare searches in the browser, or export them as a page of their own."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from waygrid import interrupts
from waygrid.cli.options import (
    Corners,
    MetricName,
    Settings,
    Topology,
    read_cell,
    read_metric,
    read_names,
    read_settings,
)
from waygrid.errors import WaygridError

if TYPE_CHECKING:
    from waygrid.studio.lesson import LessonPage

_EXPORT = "Export"


def studio(
    map: Annotated[
        Path | None,
        typer.Argument(
            metavar="[MAP]",
            help="Map file to open: .map .png .npy .txt .tmx .tif .tiff .yaml .yml .ldtk or .json.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, metavar="N", help="Port; default: 8765, or any free one.", show_default=False),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            metavar="H", help="Address to listen on; any other than 127.0.0.1 opens the studio to the network."
        ),
    ] = "127.0.0.1",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.html",
            help="Write one HTML file with recorded searches and the player, and end: of MAP, of --lesson, or of the "
            "studio's examples.",
            show_default=False,
            rich_help_panel=_EXPORT,
        ),
    ] = None,
    lesson: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json",
            help="Pages to export, each with a map, boards and a text.",
            show_default=False,
            rich_help_panel=_EXPORT,
        ),
    ] = None,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm",
            "-a",
            metavar="NAME,NAME",
            help="Algorithms to export, each on a board; default: astar.",
            show_default=False,
            rich_help_panel=_EXPORT,
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(metavar="X,Y", help="Cell to start from; default: far from the goal.", rich_help_panel=_EXPORT),
    ] = None,
    goal: Annotated[
        str | None,
        typer.Option(metavar="X,Y", help="Cell to go to; default: far from the start.", rich_help_panel=_EXPORT),
    ] = None,
    settings: Settings = None,
    grid: Topology = None,
    corners: Corners = "never",
    metric: MetricName = "octile",
) -> None:
    """Open Path Finder Studio.

    A page in the browser that shows searches as they happen, lets you draw maps and compares algorithms. It runs on
    this machine; Ctrl-C ends it. With --export it writes a file that anyone can open without waygrid.
    """
    asked = {"algorithm": algorithm, "start": start, "goal": goal, "set": settings}
    ruled = {"grid": grid, "corners": corners != "never", "metric": metric != "octile"}
    given = [name for name, value in {**asked, **ruled}.items() if value]
    if export is None:
        for name in ["lesson"] * (lesson is not None) + given:
            raise WaygridError(f"--{name} belongs to an export; give --export FILE.html too")
        return _serve(map, port, host, not no_browser)
    if given and map is None:
        raise WaygridError(f"--{given[0]} is about a map; give MAP too")
    return _export(export, lesson, map, asked, {"topology": grid, "corners": corners, "metric": read_metric(metric)})


def _serve(map: Path | None, port: int | None, host: str, browser: bool) -> None:
    """Serve the studio until Ctrl-C."""
    try:
        from waygrid.studio.serve import serve
    except ModuleNotFoundError as error:
        raise WaygridError(
            f"the studio needs {error.name}, which is not installed; pip install 'waygrid[studio]'"
        ) from error
    from waygrid.formats import read_map
    from waygrid.studio.limits import StudioLimits
    from waygrid.studio.model import check_cells
    from waygrid.studio.opening import make_terrain

    first = None
    if map is not None:
        first = make_terrain(read_map(map))
        check_cells(first.passable.shape[1], first.passable.shape[0], StudioLimits())
    # A name that is no text, which Linux allows, holds halves of characters: no answer of the server could.
    name = os.fsencode(map.name).decode(errors="replace") if map is not None else ""
    with interrupts.unwatched():  # Ctrl-C is how it ends
        ended = serve(host, port, browser, first, name, lambda text: print(text, flush=True))
    if not ended:
        end_now()


def _export(file: Path, lesson: Path | None, map: Path | None, asked: dict[str, Any], rules: dict[str, Any]) -> None:
    """Write a lesson."""
    from waygrid.cli.show import progress
    from waygrid.formats.files import write_atomically
    from waygrid.studio.lesson import make_example_pages
    from waygrid.studio.lesson_file import export_lesson, read_lesson
    from waygrid.studio.limits import StudioLimits

    if file.suffix.lower() not in (".html", ".htm"):
        raise WaygridError(f"--export {file}; a lesson is written as .html")
    if lesson is not None and map is not None:
        raise WaygridError(f"give a map or --lesson, not both: {map} and {lesson}")
    limits = StudioLimits()
    if lesson is not None:
        title, pages = read_lesson(lesson, limits)
    elif map is not None:
        title, pages = map.name, [_map_page(map, asked, rules, limits)]
    else:
        title, pages = "Path finding", make_example_pages()
    with progress("recording searches"):
        page = export_lesson(title, pages, limits)
    write_atomically(file, page)
    boards = sum(len(one.boards) for one in pages)
    print(f"{file}: pages {len(pages)}, boards {boards}, bytes {len(page):,}")


def _map_page(map: Path, asked: dict[str, Any], rules: dict[str, Any], limits: Any) -> LessonPage:
    """Return the page that the command line describes."""
    from waygrid.formats import read_map
    from waygrid.search.registry import algorithms
    from waygrid.studio.lesson_file import make_page
    from waygrid.studio.model import check_cells
    from waygrid.studio.opening import make_terrain

    cells: dict[str, Any] = {
        name: read_cell(name, asked[name]) for name in ("start", "goal") if asked[name] is not None
    }
    names = read_names(asked["algorithm"] or ["astar"])
    known = algorithms()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise WaygridError(f"--algorithm {unknown[0]}; allowed are {', '.join(known)}")
    settings = read_settings(asked["set"], names)
    options = [{key: value for key, value in settings.items() if key in known[name].options} for name in names]
    unused = [name for name in settings if not any(name in one for one in options)]
    if unused:
        raise WaygridError(f"--set {unused[0]}: none of {', '.join(names)} has this option")
    read = read_map(map)
    check_cells(read.passable.shape[1], read.passable.shape[0], limits)
    rules = {**rules, "topology": rules["topology"] or read.topology or "octile"}
    page = make_page(map.name, make_terrain(read), rules)
    boards = [(name, chosen, "") for name, chosen in zip(names, options, strict=True)]
    return page._replace(boards=boards, **cells)


def end_now() -> None:
    """End without waiting for the threads of a build that does not react to the cancellation."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
