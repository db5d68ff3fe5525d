"""Reads search traces for Posthoc (``.trace.yaml``, ``.trace.yml``, ``.trace.json``) that other solvers wrote.

Versions 1.0.4 to 1.4.0 differ in this:

* until 1.0.4 the list of events is called ``eventList``, from 1.0.5 on ``events``;
* coordinates stand in the event itself, or in its ``variables``;
* how events are drawn (``render``, later ``views``) differs, but is not needed here.

Ids may be any numbers or words: a parent is the event before it with that id. Costs are in any unit. An event of a kind
that is not known is left out and counted.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from waygrid.errors import WaygridError, show
from waygrid.formats.files import PathLike, decode, read_bytes
from waygrid.formats.posthoc import EVENT_KINDS, SUFFIXES

_NUMBERS = {name: number for number, name in EVENT_KINDS.items() if name != "region"}
_OTHER_WORDS = {
    "start": "source",
    "goal": "destination",
    "generate": "generating",
    "expand": "expanding",
    "update": "updating",
    "relaxing": "updating",
    "close": "closing",
    "closed": "closing",
}
_NEVER = (None, "", "null", "~")
_LISTS = ("events", "eventList")
_MOST = 2**31 - 1

_SECTION = re.compile(r"^(events|eventList)\s*:[ \t]*(\[\s*\])?[ \t]*(?:#.*)?$", re.MULTILINE)
_VERSION = re.compile(r"^version\s*:\s*[\"']?([\w.]+)", re.MULTILINE)
_ITEM = re.compile(r"^([ \t]*)-[ \t]", re.MULTILINE)
# Words have an end, or each letter of a long one would be tried as the beginning of another.
_PAIR = re.compile(r"""["']?([A-Za-z_$][\w$-]{0,60})["']?\s*:[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^,{}\n#]*)""")


class ReadTrace(NamedTuple):
    """The events of a trace, in columns; cells and parents are (x, y), a parent of (-1, -1) is none."""

    version: str
    kinds: NDArray[np.uint8]
    cells: NDArray[np.int32]
    parents: NDArray[np.int32]
    g: NDArray[np.float64]
    h: NDArray[np.float64]
    left_out: Mapping[str, int]  # kinds that are not known, with the number of their events


def read_trace(path: PathLike, most: int = 20_000_000) -> ReadTrace:
    """Read a trace; events after the first ``most`` are not read.

    >>> import pathlib, tempfile, waygrid as wg
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "a.trace.yaml")
    ...     wg.make_finder("bfs", wg.Grid([[1, 1, 1]])).trace((0, 0), (2, 0)).save(file)
    ...     trace = read_trace(file)
    >>> trace.version, len(trace.kinds), trace.cells[-1].tolist()
    ('1.4.0', 10, [2, 0])
    """
    return parse(read_bytes(path), os.fspath(path), most)


def parse(data: bytes, name: str = "a.trace.yaml", most: int = 20_000_000) -> ReadTrace:
    """Return the trace in the bytes of a file; error messages begin with ``name``.

    >>> events = b"- {type: source, id: 7, x: 1, y: 2}\\n- {type: end, id: 9, pId: 7, x: 1, y: 3}\\n"
    >>> trace = parse(b"version: 1.0.5\\nevents:\\n" + events)
    >>> trace.cells.tolist(), trace.parents.tolist()
    ([[1, 2], [1, 3]], [[-1, -1], [1, 2]])
    """
    if not name.lower().endswith(SUFFIXES):
        raise WaygridError(f"{name}: the name of a trace must end in {', '.join(SUFFIXES)}")
    text = decode(data, name)
    version, events = _open_json(text, name) if text.lstrip()[:1] == "{" else _open_yaml(text, name)
    columns = _Columns(name)
    for number, event in enumerate(events):
        if number >= most:
            break
        columns.add(number, event)
    return columns.finish(version)


def _open_json(text: str, name: str) -> tuple[str, Iterator[Mapping[str, Any]]]:
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WaygridError(f"{name}: not JSON ({error})") from None
    listed = next((tree[key] for key in _LISTS if isinstance(tree.get(key), list)), None)
    if listed is None:
        raise WaygridError(f"{name}: there is no list of events, called {' or '.join(_LISTS)}")

    def events() -> Iterator[Mapping[str, Any]]:
        for number, event in enumerate(listed):
            if not isinstance(event, dict):
                raise WaygridError(f"{name}: event {number} is {show(event)}; an object is needed")
            inner = event.get("variables")
            yield {**inner, **event} if isinstance(inner, dict) else event

    return str(tree.get("version", "")), events()


def _open_yaml(text: str, name: str) -> tuple[str, Iterator[Mapping[str, Any]]]:
    """Return version and events of a YAML file: a list of mappings of plain values, in block or flow style."""
    section = _SECTION.search(text)
    if section is None:
        raise WaygridError(f"{name}: there is no list of events, called {' or '.join(_LISTS)}")
    version = _VERSION.search(text)
    return (version[1] if version else ""), _yaml_events(text, section.end())


def _yaml_events(text: str, at: int) -> Iterator[Mapping[str, Any]]:
    first = _ITEM.search(text, at)
    if first is None or re.search(r"^\w", text[at : first.start()], re.MULTILINE):
        return
    dash = re.compile(rf"^{first[1]}-[ \t]", re.MULTILINE)
    ends = re.compile(r"^[A-Za-z]", re.MULTILINE) if first[1] else re.compile(r"^[A-Za-z].*:", re.MULTILINE)
    close = ends.search(text, first.end())
    last = close.start() if close else len(text)
    here: re.Match[str] | None = first
    while here is not None:
        following = dash.search(text, here.end(), last)
        item = text[here.end() : following.start() if following else last]
        yield {key: value.strip().strip("\"'") for key, value in _PAIR.findall(item)}
        here = following


class _Columns:
    """The events while they are read."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._rows: list[tuple[int, int, int, int, int, float, float]] = []
        self._places: dict[str, tuple[int, int]] = {}  # where the last event with an id was
        self._left_out: dict[str, int] = {}

    def add(self, number: int, event: Mapping[str, Any]) -> None:
        """Read one event."""
        word = str(event.get("type", "")).strip()
        kind = _NUMBERS.get(_OTHER_WORDS.get(word, word))
        if kind is None:
            self._left_out[word] = self._left_out.get(word, 0) + 1
            return
        if "bound" in event and word == "source":
            kind = _NUMBERS["bound"]
        x, y = (self._coordinate(number, event, axis) for axis in ("x", "y"))
        above = event.get("pId")
        parent = (-1, -1) if above in _NEVER else self._places.get(str(above), (-1, -1))
        if event.get("id") not in _NEVER:
            self._places[str(event["id"])] = (x, y)
        g = self._number(number, event, "g", 0.0)
        h = self._number(number, event, "h", self._number(number, event, "f", g) - g)
        self._rows.append((kind, x, y, *parent, g, h))

    def _coordinate(self, number: int, event: Mapping[str, Any], axis: str) -> int:
        value = self._number(number, event, axis, np.nan)
        if not 0 <= value <= _MOST or value != int(value):
            where = f"{self._name}: {axis} of event {number}"
            raise WaygridError(f"{where} is {show(event.get(axis))}; a cell of a grid has whole numbers of 0 or more")
        return int(value)

    def _number(self, number: int, event: Mapping[str, Any], key: str, otherwise: float) -> float:
        value = event.get(key)
        if value in _NEVER:
            return otherwise
        try:
            return float(value) if not isinstance(value, bool) else np.nan
        except (TypeError, ValueError, OverflowError):
            raise WaygridError(f"{self._name}: {key} of event {number} is {show(value)}; a number is needed") from None

    def finish(self, version: str) -> ReadTrace:
        """Return all columns."""
        if not self._rows:
            raise WaygridError(f"{self._name}: no event has a kind that is known; known are {', '.join(_NUMBERS)}")
        kinds, xs, ys, parent_xs, parent_ys, g, h = zip(*self._rows, strict=True)
        cells, parents = (
            np.stack([np.array(x, np.int32), np.array(y, np.int32)], axis=1)
            for x, y in ((xs, ys), (parent_xs, parent_ys))
        )
        costs = [np.array(column, np.float64) for column in (g, h)]
        return ReadTrace(version, np.array(kinds, np.uint8), cells, parents, costs[0], costs[1], self._left_out)
