"""Search traces for the Posthoc visualiser (``.trace.yaml``, ``.trace.yml``, ``.trace.json``), version 1.4.0.

An event is a row (kind, node, parent, g, h) of whole numbers. Costs are divided by the cost of a straight move. Ids are
the cell number plus one, because Posthoc loses a parent with id 0. The numbers of these kinds have other meanings:

* ``bound`` (IDA*): a new iteration, exported as ``source`` with ``bound`` = g.
* ``refine``: g is the level of abstraction.
* ``region``: a run of cells to the right of node; g is its length and h the region's number. On hex and tex grids,
  where a row is not a straight strip, runs are written cell by cell.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waygrid.errors import WaygridError, show
from waygrid.formats.files import PathLike, write_atomically
from waygrid.formats.posthoc_views import pivot, views

VERSION = "1.4.0"
SUFFIXES = (".trace.yaml", ".trace.yml", ".trace.json")
TOPOLOGIES = ("tile", "octile", "hex", "tex")

EVENT_KINDS = {
    0: "source",
    1: "destination",
    2: "generating",
    3: "expanding",
    4: "updating",
    5: "closing",
    6: "end",
    7: "jump",
    8: "subgoal",
    9: "region",
    10: "pruned",
    11: "refine",
    12: "move",
    13: "bound",
}

EVENT_DTYPE = np.dtype([("kind", np.uint8), ("node", np.int32), ("parent", np.int32), ("g", np.int64), ("h", np.int64)])

_SOURCE, _DESTINATION, _REGION, _REFINE, _BOUND = 0, 1, 9, 11, 13
_OWN_KINDS = range(7, 13)  # those that Posthoc itself has no colour for
_PLAIN_WORD = re.compile(r"[$A-Za-z][A-Za-z-]*")


def _decimal(value: float) -> str:
    """Return a number with up to six decimals, without trailing zeros."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _fields(event: tuple[int, int, int, int, int], width: int, cardinal: float, runs: bool) -> Iterator[dict[str, str]]:
    """Return the event as Posthoc needs it, with values as text; the run of a region may become several events."""
    kind, node, parent, g, h = event
    name = EVENT_KINDS[kind]
    y, x = divmod(node, width)
    place = {"x": str(x), "y": str(y)}
    if kind in (_SOURCE, _DESTINATION):
        yield {"type": name, "id": str(node + 1), **place}
    elif kind == _BOUND:
        yield {"type": "source", "id": str(node + 1), "bound": _decimal(g / cardinal), **place}
    elif kind == _REGION and runs:
        yield {"type": name, "id": str(node + 1), "region": str(h), "width": str(g), **place}
    elif kind == _REGION:
        for i in range(g):
            yield {"type": name, "id": str(node + 1 + i), "region": str(h), "x": str(x + i), "y": str(y)}
    else:
        link = {"type": name, "id": str(node + 1), "pId": str(parent + 1) if parent >= 0 else "null"}
        if kind == _REFINE:
            yield {**link, "level": str(g), **place}
        else:
            yield {**link, "g": _decimal(g / cardinal), "f": _decimal((g + h) / cardinal), **place}


def _yaml(value: Any, indent: str) -> str:
    """A small tree in block style; every text that is more than a word is quoted as in JSON, which YAML reads too."""
    if isinstance(value, dict):
        lines = []
        for key, item in value.items():
            gap = "\n" if isinstance(item, dict | list) else " "
            lines.append(f"{indent}{key}:{gap}{_yaml(item, indent + '  ')}")
        return "\n".join(lines)
    if isinstance(value, list):
        # The dash takes the place of the last two blanks in front of an entry's first line.
        return "\n".join(f"{indent}- {_yaml(item, indent + '  ').lstrip()}" for item in value)
    if isinstance(value, str) and _PLAIN_WORD.fullmatch(value):
        return value
    return json.dumps(value)


def _check_events(events: NDArray[Any], where: str) -> NDArray[Any]:
    if events.dtype.names is None or not {"kind", "node", "parent", "g", "h"} <= set(events.dtype.names):
        raise WaygridError(f"{where}: events need the fields kind, node, parent, g and h, not {events.dtype}")
    if events.ndim != 1:
        raise WaygridError(f"{where}: events must be a list, not an array of shape {events.shape}")
    wrong = (events["kind"] > max(EVENT_KINDS)) | (events["node"] < 0) | (events["parent"] < -1)
    wrong |= (events["kind"] == _REGION) & (events["g"] < 1)
    if wrong.any():
        i = int(wrong.argmax())
        raise WaygridError(f"{where}: event {i} is {events[i]}; kind, node, parent or run length is out of range")
    return events


def _add_ends(
    events: NDArray[Any], width: int, source: tuple[int, int] | None, destination: tuple[int, int] | None, where: str
) -> NDArray[Any]:
    """Return the events with source and destination first, unless the search has recorded them."""
    front = []
    for kind, cell in ((_SOURCE, source), (_DESTINATION, destination)):
        if cell is not None:
            x, y = (int(part) for part in cell)
            if not (0 <= x < width and y >= 0):
                raise WaygridError(f"{where}: {EVENT_KINDS[kind]} ({x}, {y}) is outside a map of width {width}")
            if not (events["kind"] == kind).any():
                front.append((kind, y * width + x, -1, 0, 0))
    if not front:
        return events
    ends: NDArray[Any] = np.zeros(len(front), EVENT_DTYPE)
    for i, row in enumerate(front):
        ends[i] = row
    return np.concatenate([ends, events[["kind", "node", "parent", "g", "h"]].astype(EVENT_DTYPE)])


def _choose_kinds(types: Iterable[str] | None, where: str) -> set[int]:
    if types is None:
        return set(EVENT_KINDS)
    numbers = {name: kind for kind, name in EVENT_KINDS.items()}
    wanted = {types} if isinstance(types, str) else set(types)
    for name in sorted(wanted, key=str):
        if name not in numbers:
            raise WaygridError(f"{where}: event type {show(name)}; allowed are {', '.join(numbers)}")
    return {numbers[name] for name in wanted}


def write_trace(
    path: PathLike,
    events: NDArray[Any],
    *,
    width: int,
    topology: str,
    cardinal: float,
    source: tuple[int, int] | None,
    destination: tuple[int, int] | None,
    max_events: int | None = None,
    types: Iterable[str] | None = None,
) -> int:
    """Write a trace and return how many events it has.

    ``source`` and ``destination`` are cells (x, y), written first unless ``events`` has them. ``types`` keeps only
    these kinds (names as in EVENT_KINDS); of these, ``max_events`` keeps the first ones. The beginning of a trace is a
    valid trace, because no event refers to a later one.

    >>> import pathlib, tempfile
    >>> events = np.array([(2, 5, -1, 0, 20), (2, 6, 5, 10, 10)], EVENT_DTYPE)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "a.trace.yaml")
    ...     count = write_trace(
    ...         file, events, width=4, topology="octile", cardinal=10, source=(1, 1), destination=(3, 1)
    ...     )
    ...     print(count, file.read_text().splitlines()[-1])
    4   - { type: generating, id: 7, pId: 6, g: 1, f: 2, x: 2, y: 1 }
    """
    where = os.fspath(path)
    if not where.lower().endswith(SUFFIXES):
        raise WaygridError(f"{where}: the name of a trace must end in {', '.join(SUFFIXES)}")
    if topology not in TOPOLOGIES:
        raise WaygridError(f"{where}: topology {show(topology)}; allowed are {', '.join(TOPOLOGIES)}")
    for title, number in (("width", width), ("cardinal price", cardinal)):
        if not number > 0:
            raise WaygridError(f"{where}: {title} {number}; it must be above 0")
    if max_events is not None and max_events < 0:
        raise WaygridError(f"{where}: max_events {max_events}; it must be 0 or more")
    kinds = _choose_kinds(types, where)
    events = _add_ends(_check_events(np.asarray(events), where), width, source, destination, where)
    events = events[np.isin(events["kind"], list(kinds))][:max_events]
    columns = [events[field].tolist() for field in ("kind", "node", "parent", "g", "h")]
    runs = topology in ("tile", "octile")
    shown = [e for row in zip(*columns, strict=True) for e in _fields(row, width, cardinal, runs)][:max_events]
    present = set(columns[0])
    tree = {
        "version": VERSION,
        "views": views(topology, [EVENT_KINDS[kind] for kind in _OWN_KINDS if kind in present]),
        "pivot": pivot(topology),
    }
    write_atomically(path, _document(tree, shown, as_json=where.lower().endswith(".json")).encode())
    return len(shown)


def _document(tree: dict[str, Any], events: list[dict[str, str]], *, as_json: bool) -> str:
    if as_json:
        top = json.dumps(tree, indent=1)[:-2]
        lines = (
            "{" + ", ".join(f'"{k}": ' + (f'"{v}"' if k == "type" else v) for k, v in event.items()) + "}"
            for event in events
        )
        return f'{top},\n "events": [\n' + ",\n".join(lines) + "\n]}\n"
    # The version stands without quotes, as in Posthoc's own files; two dots keep it from being a number.
    head = f"version: {tree.pop('version')}\n" + _yaml(tree, "")
    if not events:
        return f"{head}\nevents: []\n"
    body = "\n".join("  - { " + ", ".join(f"{k}: {v}" for k, v in event.items()) + " }" for event in events)
    return f"{head}\nevents:\n{body}\n"
