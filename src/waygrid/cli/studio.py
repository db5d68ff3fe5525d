"""`waygrid studio`: watch, draw and compare searches in the browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from waygrid import interrupts
from waygrid.errors import WaygridError


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
) -> None:
    """Open Path Finder Studio.

    A page in the browser that shows searches as they happen, lets you draw maps and compares algorithms. It runs on
    this machine; Ctrl-C ends it.
    """
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
    name = map.name if map is not None else ""
    with interrupts.unwatched():  # Ctrl-C is how it ends
        ended = serve(host, port, not no_browser, first, name, lambda text: print(text, flush=True))
    if not ended:
        end_now()


def end_now() -> None:
    """End without waiting for the threads of a build that does not react to the cancellation."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
