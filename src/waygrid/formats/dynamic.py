"""Dynamic scenarios (``.scen``, version 2): edits and queries of a map that changes, with the optimal lengths.

The file of the Grid-Based Path Planning Competition. Its header has the lines ``version 2``, ``height H``, ``width W``,
``cost N NAME...`` (what the numbers behind a query are; one of them is the octile length), ``patch FILE`` (beside the
scenario) and ``commands``. Then follow, in the order in which they happen,

* ``P bucket patch x y``: lay the patch of that number over the map, its top-left cell at (x, y);
* ``Q bucket sx sy gx gy length``: ask for a path; the length is that of a shortest one on the map as it is then.
"""

import math
import os
from array import array
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from waygrid.errors import WaygridError, show
from waygrid.formats.files import PathLike, decode, find_inside, read_bytes, write_atomically
from waygrid.formats.mapdata import MAX_SIDE, check_size
from waygrid.formats.patches import check_patches, read_patches, write_patches

_LARGEST = 2**31 - 1
_MOST_BYTES = 2**28
_MOST_COSTS = 16
_OCTILE = "octile"
_FIELDS = ("height", "width", "cost", "patch")
_EDIT = ("bucket", "patch", "x", "y")
_QUERY = ("bucket", "start x", "start y", "goal x", "goal y")


class DynamicData(NamedTuple):
    """Edits and queries as arrays; cells are (x, y)."""

    width: int
    height: int
    edits: NDArray[np.int32]  # (m, 3): number of the patch, x, y
    edit_buckets: NDArray[np.int32]
    starts: NDArray[np.int32]
    goals: NDArray[np.int32]
    costs: NDArray[np.float64]
    buckets: NDArray[np.int32]  # of the queries
    before: NDArray[np.int64]  # for each query, how many edits happen before it


class _DynamicHeader(NamedTuple):
    width: int
    height: int
    costs: int  # numbers behind a query
    octile: int  # which of them is the octile length
    patch: str
    line: int  # lines of the header


def _read_integer(text: str, title: str, where: str, most: int = _LARGEST, least: int = 0) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and least <= int(text) <= most):
        raise WaygridError(f"{where}: {title} {text[:40]!r}; a whole number {least} to {most} is needed")
    return int(text)


def _read_length(text: str, where: str) -> float:
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise WaygridError(f"{where}: length {text[:40]!r}; a number of 0 or more is needed")
    return value


def _read_costs(words: list[str], where: str) -> tuple[int, int]:
    """Return how many costs a query has, and which of them is the octile length."""
    count = _read_integer(words[0] if words else "", "cost", where, _MOST_COSTS, 1)
    names = words[1:]
    if len(names) != count or names.count(_OCTILE) != 1:
        raise WaygridError(
            f"{where}: cost {' '.join(words)[:40]!r}; a number of costs and as many names are needed, one of them "
            f"{_OCTILE!r}, as in 'cost 1 {_OCTILE}'"
        )
    return count, names.index(_OCTILE)


def _read_header(lines: list[str], name: str) -> _DynamicHeader:
    fields: dict[str, str] = {}
    seen: dict[str, int] = {}
    version_seen = False
    for number, line in enumerate(lines, 1):
        where, words = f"{name}, line {number}", line.split()
        if not words:
            continue
        if not version_seen:
            if words != ["version", "2"]:
                raise WaygridError(f"{where}: {line.strip()[:40]!r}; a dynamic scenario begins with 'version 2'")
            version_seen = True
        elif words == ["commands"]:
            for field in _FIELDS:
                if field not in seen:
                    raise WaygridError(f"{where}: the header has no line {field!r}")
            break
        elif words[0] not in _FIELDS:
            raise WaygridError(f"{where}: header line {words[0][:40]!r}; allowed are {', '.join(_FIELDS)}, commands")
        elif words[0] in seen:
            raise WaygridError(f"{where}: {words[0]!r} was already given in line {seen[words[0]]}")
        else:
            seen[words[0]] = number
            fields[words[0]] = line.strip()[len(words[0]) :].strip()
    else:
        raise WaygridError(f"{name}, line {len(lines)}: the line 'commands' is missing from the header")
    places = {field: f"{name}, line {at}" for field, at in seen.items()}
    width, height = (_read_integer(fields[field], field, places[field], MAX_SIDE, 1) for field in ("width", "height"))
    check_size(width, height, name)
    costs = _read_costs(fields["cost"].split(), places["cost"])
    if not fields["patch"] or "\0" in fields["patch"]:
        raise WaygridError(f"{places['patch']}: patch {fields['patch'][:40]!r}; the name of a file is needed")
    return _DynamicHeader(width, height, *costs, fields["patch"], number)


class _Commands:
    """The commands of a scenario while they are read."""

    def __init__(self, header: _DynamicHeader) -> None:
        self._header = header
        # Arrays of plain numbers take a tenth of the memory that lists of lists of words would.
        self._edits, self._queries, self._before, self._lengths = array("i"), array("i"), array("q"), array("d")
        self.edit_lines = array("q")
        self.query_lines = array("q")

    def read_edit(self, words: list[str], line: int, where: str) -> None:
        """Read a line P."""
        if len(words) != len(_EDIT):
            raise WaygridError(f"{where}: {len(words)} fields behind P; there are {len(_EDIT)}: {', '.join(_EDIT)}")
        self._edits.extend([_read_integer(text, title, where) for text, title in zip(words, _EDIT, strict=True)])
        self.edit_lines.append(line)

    def read_query(self, words: list[str], line: int, where: str) -> None:
        """Read a line Q."""
        first, costs = len(_QUERY), self._header.costs
        if len(words) != first + costs:
            titles = ", ".join((*_QUERY, *["length"] * costs))
            raise WaygridError(f"{where}: {len(words)} fields behind Q; there are {first + costs}: {titles}")
        self._queries.extend(
            [_read_integer(text, title, where) for text, title in zip(words[:first], _QUERY, strict=True)]
        )
        self._lengths.append(_read_length(words[first + self._header.octile], where))
        self._before.append(len(self.edit_lines))
        self.query_lines.append(line)

    def finish(self) -> DynamicData:
        """Return all commands."""
        edits = np.array(self._edits, np.int32).reshape(-1, len(_EDIT))
        queries = np.array(self._queries, np.int32).reshape(-1, len(_QUERY))
        return DynamicData(
            self._header.width,
            self._header.height,
            np.ascontiguousarray(edits[:, 1:]),
            np.ascontiguousarray(edits[:, 0]),
            np.ascontiguousarray(queries[:, 1:3]),
            np.ascontiguousarray(queries[:, 3:5]),
            np.array(self._lengths, np.float64),
            np.ascontiguousarray(queries[:, 0]),
            np.array(self._before, np.int64),
        )


class ParsedDynamic(NamedTuple):
    """A scenario without its patches."""

    data: DynamicData
    patch: str  # file name, relative to the scenario
    edit_lines: NDArray[np.int64]  # where each edit stands


def parse(text: bytes, name: str = "scenario") -> ParsedDynamic:
    """Return what the bytes of a dynamic ``.scen`` file say; error messages begin with ``name``.

    >>> head = b"version 2\\nheight 3\\nwidth 4\\ncost 1 octile\\npatch a.patch\\ncommands\\n"
    >>> found = parse(head + b"Q 0 0 0 3 0 3\\nP 1 0 1 1\\nQ 1 0 0 3 2 3.82842712\\n")
    >>> found.patch, found.data.edits.tolist(), found.data.before.tolist()
    ('a.patch', [[0, 1, 1]], [0, 1])
    """
    lines = decode(text, name).split("\n")
    header = _read_header(lines, name)
    commands = _Commands(header)
    for number, line in enumerate(lines[header.line :], header.line + 1):
        words = line.split()
        if not words:
            continue
        where = f"{name}, line {number}"
        if words[0] == "P":
            commands.read_edit(words[1:], number, where)
        elif words[0] == "Q":
            commands.read_query(words[1:], number, where)
        else:
            raise WaygridError(f"{where}: command {words[0][:40]!r}; allowed are P and Q")
    data = commands.finish()
    _check_cells(data, lambda row: f"{name}, line {commands.query_lines[row]}")
    return ParsedDynamic(data, header.patch, np.array(commands.edit_lines, np.int64))


def _check_cells(data: DynamicData, place: Callable[[int], str]) -> None:
    """Refuse starts and goals outside the map."""
    size = np.array([data.width, data.height])
    for title, cells in (("start", data.starts), ("goal", data.goals)):
        outside = ((cells < 0) | (cells >= size)).any(axis=1)
        if outside.any():
            row = int(outside.argmax())
            x, y = cells[row].tolist()
            raise WaygridError(
                f"{place(row)}: {title} ({x}, {y}) is outside the map of {data.width} x {data.height} cells"
            )


def _check_edits(data: DynamicData, patches: Sequence[NDArray[np.bool_]], place: Callable[[int], str]) -> None:
    """Refuse edits by a patch that does not exist, or that does not lie inside the map."""
    number = data.edits[:, 0]
    unknown = (number < 0) | (number >= len(patches))
    if unknown.any():
        row = int(unknown.argmax())
        allowed = f"allowed are 0 to {len(patches) - 1}" if patches else "there are none"
        raise WaygridError(f"{place(row)}: patch {number[row]}; {allowed}")
    shapes = np.array([patch.shape[::-1] for patch in patches], np.int64).reshape(-1, 2)
    corners = data.edits[:, 1:].astype(np.int64)
    outside = ((corners < 0) | (corners + shapes[number] > (data.width, data.height))).any(axis=1)
    if outside.any():
        row = int(outside.argmax())
        (x, y), (width, height) = corners[row].tolist(), shapes[number[row]].tolist()
        raise WaygridError(
            f"{place(row)}: patch {number[row]} of {width} x {height} cells at ({x}, {y}) does not lie inside the map "
            f"of {data.width} x {data.height} cells"
        )


def is_dynamic(path: PathLike) -> bool:
    """Tell whether a scenario is one of version 2; any other file is not, nor one that cannot be read."""
    try:
        with open(path, "rb") as file:
            begin = file.read(1000)
    except OSError:
        return False
    return begin.removeprefix(b"\xef\xbb\xbf").split()[:2] == [b"version", b"2"]


def read_dynamic(path: PathLike) -> tuple[DynamicData, list[NDArray[np.bool_]]]:
    """Read a dynamic ``.scen`` file and its patches, a file in the folder of the scenario or below it."""
    name = os.fspath(path)
    parsed = parse(read_bytes(path, _MOST_BYTES), name)
    if find_inside(Path(path).parent, parsed.patch) is None:
        raise WaygridError(f"{name}: patch {parsed.patch[:200]!r} is outside the folder of the scenario")
    patches = read_patches(Path(path).parent / parsed.patch)
    _check_edits(parsed.data, patches, lambda row: f"{name}, line {parsed.edit_lines[row]}")
    return parsed.data, patches


def check_dynamic(data: DynamicData, patches: Sequence[ArrayLike], name: str) -> list[NDArray[np.bool_]]:
    """Refuse arrays that are no dynamic scenario; return the patches as arrays of booleans."""
    checked = check_patches(patches, name)
    check_size(data.width, data.height, name)
    edits, queries = len(data.edits), len(data.starts)
    for title, values, shape in (
        ("edits", data.edits, (edits, 3)),
        ("edit_buckets", data.edit_buckets, (edits,)),
        ("starts", data.starts, (queries, 2)),
        ("goals", data.goals, (queries, 2)),
        ("costs", data.costs, (queries,)),
        ("buckets", data.buckets, (queries,)),
        ("before", data.before, (queries,)),
    ):
        found = np.asarray(values)
        if found.shape != shape:
            raise WaygridError(f"{name}: {title} of shape {found.shape}; {shape} is needed")
        if title != "costs" and (found.dtype.kind not in "ui" or (found.size and found.min() < 0)):
            raise WaygridError(f"{name}: {title} must be integers of 0 or more")
        if title != "costs" and found.size and found.max() > _LARGEST:
            raise WaygridError(f"{name}: {title} has {found.max()}; allowed is up to {_LARGEST}")
    wrong = ~(np.isfinite(data.costs) & (np.asarray(data.costs) >= 0))
    if wrong.any():
        row = int(wrong.argmax())
        raise WaygridError(f"{name}, query {row}: length {data.costs[row]}; a number of 0 or more is needed")
    order = [0, *np.asarray(data.before).tolist(), edits]
    if any(a > b for a, b in pairwise(order)):
        raise WaygridError(f"{name}: before must not decrease, nor be more than the {edits} edits")
    _check_cells(data, lambda row: f"{name}, query {row}")
    _check_edits(data, checked, lambda row: f"{name}, edit {row}")
    return checked


def write_dynamic(path: PathLike, data: DynamicData, patches: Sequence[ArrayLike], patch: str | None = None) -> None:
    """Write a dynamic ``.scen`` file, and its patches beside it; lengths get as many digits as they need.

    patch: the name of their file; default: that of the scenario, ending in .patch.
    """
    name, target = os.fspath(path), Path(path)
    patch = target.with_suffix(".patch").name if patch is None else patch
    if not patch or len(patch.split()) != 1 or patch != Path(patch).name or patch == target.name:
        raise WaygridError(
            f"{name}: patch file {show(patch)}; a name is needed without white space or folder, other than that of "
            "the scenario"
        )
    checked = check_dynamic(data, patches, name)
    lines = [
        "version 2",
        f"height {data.height}",
        f"width {data.width}",
        f"cost 1 {_OCTILE}",
        f"patch {patch}",
        "commands",
    ]
    edits = [
        f"P {bucket} {number} {x} {y}"
        for bucket, (number, x, y) in zip(data.edit_buckets.tolist(), data.edits.tolist(), strict=True)
    ]
    done = 0
    for before, bucket, start, goal, cost in zip(
        data.before.tolist(),
        data.buckets.tolist(),
        data.starts.tolist(),
        data.goals.tolist(),
        data.costs.tolist(),
        strict=True,
    ):
        lines += edits[done:before]
        lines.append(f"Q {bucket} {start[0]} {start[1]} {goal[0]} {goal[1]} {cost!r}")
        done = before
    lines += edits[done:]
    try:
        written = ("\n".join(lines) + "\n").encode()
    except UnicodeEncodeError as error:
        raise WaygridError(f"{name}: patch file {show(patch)} cannot be written as UTF-8") from error
    write_patches(target.with_name(patch), checked)  # first: whoever sees the scenario finds its patches
    write_atomically(path, written)
