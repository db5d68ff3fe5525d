"""Options that several commands share, and how their values are parsed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from waygrid.errors import WaygridError
from waygrid.options import Option, read_value

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid

_RULES = "Rules of the map"

MapFile = Annotated[
    Path, typer.Argument(metavar="MAP", help="Map file: .map .png .npy .txt .tmx .tif .tiff .yaml .yml .ldtk or .json.")
]
Topology = Annotated[
    str | None,
    typer.Option(
        "--grid",
        metavar="TOPOLOGY",
        help="tile, octile, hex or tex; default: that of the map file, otherwise octile.",
        show_default=False,
        rich_help_panel=_RULES,
    ),
]
Corners = Annotated[
    str,
    typer.Option(
        metavar="RULE",
        help="Diagonals at corners: never (both cells free), one (one cell free), always.",
        rich_help_panel=_RULES,
    ),
]
MetricName = Annotated[
    str,
    typer.Option(
        "--metric",
        metavar="NAME",
        help="octile, dba, kumar, bg, unit, or the costs of a straight and a diagonal move, such as 5,7.",
        rich_help_panel=_RULES,
    ),
]
Clearance = Annotated[int, typer.Option(metavar="N", help="Side of a square agent, in cells.", rich_help_panel=_RULES)]
PriceRule = Annotated[
    str,
    typer.Option(
        "--rule",
        metavar="NAME",
        help="What weighs a move: enter (the cell that it enters) or mean (both its cells).",
        rich_help_panel=_RULES,
    ),
]
Reading = Annotated[
    list[str] | None,
    typer.Option(
        "--read",
        metavar="OPTION=VALUE",
        help="Option of the map format, such as layer=Walls (.tmx), unknown=free (.yaml), level=2 (.ldtk); repeatable.",
        show_default=False,
        rich_help_panel=_RULES,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="OPTION=VALUE",
        help="Option of the algorithm; repeatable. waygrid algorithms lists them.",
        show_default=False,
    ),
]

Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Use a Dask cluster: the address of its scheduler, such as tcp://10.0.0.1:8786.",
        show_default=False,
    ),
]

_PAIR = re.compile(r"[+-]?\d{1,18},[+-]?\d{1,18}")


def load_grid(
    path: Path,
    topology: str | None,
    corners: str,
    metric: str,
    clearance: int,
    reading: list[str] | None,
    rule: str = "enter",
) -> Grid:
    """Read a map with the given rules."""
    from waygrid.grid.grid import Grid

    rules: dict[str, Any] = {
        "topology": topology,
        "corners": corners,
        "metric": read_metric(metric),
        "clearance": clearance,
        "rule": rule,
    }
    return Grid.from_file(path, **rules, **read_settings(reading))


def read_metric(text: str) -> str | tuple[int, int]:
    """Return a metric's name, or the pair that "5,7" stands for.

    >>> read_metric("octile"), read_metric("5,7")
    ('octile', (5, 7))
    """
    if not _PAIR.fullmatch(text):
        return text
    cardinal, diagonal = text.split(",")
    return int(cardinal), int(diagonal)


def read_cell(name: str, text: str) -> tuple[int, int]:
    """Return the cell that "X,Y" stands for.

    >>> read_cell("start", "3,4")
    (3, 4)
    """
    if not _PAIR.fullmatch(text.strip()):
        raise WaygridError(f"{name} is {text.strip()!r}; a cell is X,Y, two whole numbers without a space")
    x, y = text.split(",")
    return int(x), int(y)


def read_end(name: str, text: str, grid: Grid, coordinates: bool) -> tuple[int, int]:
    """Return the cell that "X,Y" stands for: a cell, or a point in the coordinates of the map."""
    if not coordinates:
        return read_cell(name, text)
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        raise WaygridError(f"{name} is {text.strip()!r}; a point is X,Y, two numbers without a space") from None
    cell: tuple[int, int] = grid.to_cell((x, y))
    return cell


def read_size(text: str) -> tuple[int, int]:
    """Return width and height of "WxH".

    >>> read_size("120x80")
    (120, 80)
    """
    found = re.fullmatch(r"(\d{1,9})[xX](\d{1,9})", text.strip())
    if found is None:
        raise WaygridError(f"size is {text!r}; allowed is WxH in cells, such as 120x80")
    return int(found[1]), int(found[2])


def read_names(lists: Sequence[str]) -> list[str]:
    """Return the names in lists such as "bfs,astar", each once.

    >>> read_names(["bfs,astar", "bfs"])
    ['bfs', 'astar']
    """
    names = (name.strip() for text in lists for name in text.split(","))
    return list(dict.fromkeys(name for name in names if name))


def read_settings(settings: Iterable[str] | None, algorithms: Iterable[str] = ()) -> dict[str, Any]:
    """Return the options that `--set option=value` gives: numbers, pairs of them, true, false, none, else text.

    An option that one of the algorithms declares is read as it says: `pruning=none` of ida is a word.

    >>> read_settings(["weight=1.5", "sector=16,8", "trim=false", "seed=none", "layer=Walls"])
    {'weight': 1.5, 'sector': (16, 8), 'trim': False, 'seed': None, 'layer': 'Walls'}
    >>> read_settings(["pruning=none"], ["ida"]), read_settings(["dead_ends=true"], ["gateway"])
    ({'pruning': 'none'}, {'dead_ends': True})
    """
    from waygrid.search.registry import algorithms as known_algorithms

    known = known_algorithms()
    own = [known[name].options for name in algorithms if name in known]
    options: dict[str, Any] = {}
    for setting in settings or ():
        name, equals, text = setting.partition("=")
        if not equals or not name.strip().isidentifier():
            raise WaygridError(f"--set {setting!r}; allowed is OPTION=VALUE, such as weight=1.5")
        name = name.strip()
        if name in options:
            raise WaygridError(f"--set {setting!r}; {name} was already given as {options[name]!r}")
        options[name] = _read(text, [declared[name] for declared in own if name in declared])
    return options


def _read(text: str, declared: Sequence[Option]) -> Any:
    """Return a value as the first of the declared options reads it that allows it."""
    for option in declared:
        value = option.read(text)
        with suppress(WaygridError):
            option.check("value", value)
            return value
    return read_value(text)
