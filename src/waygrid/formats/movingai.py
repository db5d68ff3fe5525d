"""MovingAI maps (``.map``); scenarios are in :mod:`waygrid.formats.scenario`.

``.``, ``G`` and ``S`` are passable, ``@``, ``O``, ``T`` and ``W`` are not. When the header has any of the lines
``ground``, ``tree``, ``swamp`` and ``water``, these give the cost of entering ``.`` (and ``G``), ``T``, ``S`` and
``W``: a whole number 1 to 65535 makes the terrain passable with that weight, ``+inf`` makes it a wall. Terrain without
such a line is passable or not as in a plain map, with weight 1.
"""

import os
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waygrid.errors import WaygridError, show
from waygrid.formats.files import PathLike, read_bytes, replacing
from waygrid.formats.mapdata import MAX_CELLS, MAX_SIDE, MAX_WEIGHT, MapData, check_map, check_size, distinct_weights
from waygrid.formats.rules import row_spans
from waygrid.formats.scenario import ScenarioData, read_scenario, write_scenario

__all__ = ["TYPES", "ScenarioData", "parse", "read", "read_scenario", "write", "write_scenario"]

TYPES = ("tile", "octile", "hex", "tex")

_TERRAINS = {"ground": ".G", "tree": "T", "swamp": "S", "water": "W"}
_PLAIN_COSTS = {"ground": 1, "tree": 0, "swamp": 1, "water": 0}  # 0 = wall
_FIELDS = ("type", "height", "width", *_TERRAINS)
_BAD = 255


class _Header(NamedTuple):
    width: int
    height: int
    costs: dict[str, int] | None
    end: int  # offset of the first row
    line: int  # its line number
    topology: str


def _number(word: str, field: str, where: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= 9 and 1 <= int(word) <= MAX_SIDE):
        raise WaygridError(f"{where}: {field} {word!r}; allowed are 1 to {MAX_SIDE}")
    return int(word)


def _cost(word: str, field: str, where: str) -> int:
    try:
        value = float(word) if word.isascii() and "_" not in word else float("nan")
    except ValueError:
        value = float("nan")
    if value == float("inf"):
        return 0
    if not (value.is_integer() and 1 <= value <= MAX_WEIGHT):
        raise WaygridError(f"{where}: {field} {word!r}; a cost is a whole number 1 to {MAX_WEIGHT} or +inf")
    return int(value)


def _header(data: bytes, name: str) -> _Header:
    fields: dict[str, int] = {}
    seen: dict[str, int] = {}
    at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    line = 0
    while True:
        line += 1
        where = f"{name}, line {line}"
        if at >= len(data) or line > 100:
            raise WaygridError(f"{where}: the line 'map' is missing from the header")
        newline = data.find(b"\n", at, at + 1000)
        end = newline if newline >= 0 else min(len(data), at + 1000)
        words = data[at:end].decode("ascii", "replace").split()
        at = end + 1
        if not words:
            continue
        field = words[0]
        if words == ["map"]:
            break
        if field not in _FIELDS:
            raise WaygridError(f"{where}: header line {field[:40]!r}; allowed are {', '.join(_FIELDS)}, map")
        if len(words) != 2:
            raise WaygridError(f"{where}: {field!r} needs one value, not {len(words) - 1}")
        if field in seen:
            raise WaygridError(f"{where}: {field!r} was already given in line {seen[field]}")
        seen[field] = line
        if field == "type":
            if words[1] not in TYPES:
                raise WaygridError(f"{where}: type {words[1][:40]!r}; allowed are {', '.join(TYPES)}")
            topology = words[1]
        else:
            convert = _cost if field in _TERRAINS else _number
            fields[field] = convert(words[1][:40], field, where)
    for field in ("type", "height", "width"):
        if field not in seen:
            raise WaygridError(f"{where}: the header has no line {field!r}")
    check_size(fields["width"], fields["height"], name)
    costs = {terrain: fields[terrain] for terrain in _TERRAINS if terrain in fields}
    terrain_costs = {**_PLAIN_COSTS, **costs} if costs else None
    return _Header(fields["width"], fields["height"], terrain_costs, at, line + 1, topology)


def _table(costs: dict[str, int]) -> tuple[bytes, NDArray[np.uint16]]:
    """Return tables from character to code and from code to weight (0 = wall), for one pass of bytes.translate."""
    codes = bytearray([_BAD] * 256)
    weights = [0]
    for sign in b"@O":
        codes[sign] = 0
    for terrain, signs in _TERRAINS.items():
        code = 0
        if costs[terrain]:
            code = len(weights)
            weights.append(costs[terrain])
        for sign in signs.encode():
            codes[sign] = code
    return bytes(codes), np.array(weights, np.uint16)


_PLAIN_TABLE = _table(_PLAIN_COSTS)[0]


def _block(body: bytes, header: _Header, table: bytes) -> NDArray[np.uint8] | None:
    """Return the codes of a regular file by reshaping, or None if the rows must be read one by one."""
    width, height = header.width, header.height
    for ending in (b"\n", b"\r\n"):
        stride = width + len(ending)
        size = height * stride - len(ending)
        if len(body) < size or body[width:stride] not in (ending, b"") or body[size:].strip():
            continue
        whole = body if body.startswith(ending, size) else body[:size] + ending
        rows = np.frombuffer(whole, np.uint8, height * stride).reshape(height, stride)
        if (rows[:, width:] == np.frombuffer(ending, np.uint8)).all():
            codes = np.frombuffer(whole.translate(table), np.uint8, height * stride).reshape(height, stride)[:, :width]
            if codes.max() < _BAD:
                return codes
    return None


def _rows(body: bytes, header: _Header, table: bytes, name: str) -> NDArray[np.uint8]:
    """Return the codes row by row: for irregular line ends, and to name the place of an error."""
    width, height, first = header.width, header.height, header.line
    rows = [row.rstrip(b" \t\r") for row in body.split(b"\n", height)]
    rest = rows.pop() if len(rows) > height else b""
    while not rest.strip() and rows and not rows[-1]:
        rows.pop()
    check_lengths(rows, width, first, name)
    if rest.strip():
        blank = rest[: len(rest) - len(rest.lstrip())]
        line = first + height + blank.count(b"\n")
        raise WaygridError(f"{name}, line {line}: more rows than the {height} of the header")
    if len(rows) < height:
        raise WaygridError(f"{name}, line {first + len(rows)}: the file ends after {len(rows)} of the {height} rows")
    return _read_codes(rows, width, first, table, name)


def check_lengths(rows: list[bytes], width: int, first: int, name: str) -> None:
    """Refuse a row of another length than the header says; the first row is line ``first`` of the file."""
    for i, row in enumerate(rows):
        if len(row) != width:
            raise WaygridError(f"{name}, line {first + i}: a row of {len(row)} cells; the header says {width}")


def _read_codes(rows: list[bytes], width: int, first: int, table: bytes, name: str) -> NDArray[np.uint8]:
    """Return the codes of rows of the right length."""
    codes = np.frombuffer(b"".join(rows).translate(table), np.uint8).reshape(len(rows), width)
    if codes.max() == _BAD:
        y, x = divmod(int((codes == _BAD).argmax()), width)
        sign = repr(chr(rows[y][x])) if 32 < rows[y][x] < 127 else f"byte 0x{rows[y][x]:02x}"
        raise WaygridError(
            f"{name}, line {first + y}, column {x + 1}: {sign} is not a terrain; allowed are . G S @ O T W"
        )
    return codes


def read_plain_rows(rows: list[bytes], width: int, first: int, name: str) -> NDArray[np.bool_]:
    """Return which cells of a map without terrain costs are passable; the first row is line ``first`` of the file.

    >>> read_plain_rows([b".@", b"TG"], 2, 5, "a.patch").astype(int).tolist()
    [[1, 0], [0, 1]]
    """
    check_lengths(rows, width, first, name)
    return np.asarray(_read_codes(rows, width, first, _PLAIN_TABLE, name) != 0)


def parse(data: bytes, name: str = "map") -> MapData:
    """Return the map in the bytes of a ``.map`` file; error messages begin with ``name``.

    >>> parse(b"type octile\\nheight 1\\nwidth 3\\nmap\\n.@G\\n").passable
    array([[ True, False,  True]])
    >>> parse(b"type octile\\nheight 1\\nwidth 3\\nswamp 5\\nmap\\n.@S\\n").weights
    array([[1, 1, 5]], dtype=uint16)
    """
    header = _header(data, name)
    table, weights = _table(header.costs or _PLAIN_COSTS)
    body = data[header.end :]
    del data
    codes = _block(body, header, table)
    if codes is None:
        codes = _rows(body, header, table, name)
    del body
    priced = np.maximum(weights, 1).astype(np.uint16)[codes] if header.costs else None
    return MapData(codes != 0, priced, header.topology)


def read(path: PathLike) -> MapData:
    """Read a ``.map`` file; line ends may be LF or CRLF, the last one may be missing."""
    return parse(read_bytes(path, MAX_CELLS + 4 * MAX_SIDE + 10**6), os.fspath(path))


def write(path: PathLike, data: MapData, *, topology: str | None = None) -> None:
    """Write a ``.map`` file, with the costs of up to four terrains in its header if there are weights."""
    name = os.fspath(path)
    topology = topology or data.topology or "octile"
    if topology not in TYPES:
        raise WaygridError(f"{name}: type {show(topology)}; allowed are {', '.join(TYPES)}")
    data = check_map(data, name)
    height, width = data.passable.shape
    header = f"type {topology}\nheight {height}\nwidth {width}\n"
    if data.weights is None:
        signs = np.frombuffer(b".", np.uint8)
    else:
        found = distinct_weights(data)
        if len(found) > 4:
            raise WaygridError(
                f"{name}: a .map can store 4 different weights, not {len(found)}; use .npy, or .png (up to 255)"
            )
        used = {sign: str(weight) for sign, weight in zip(".SWT", found.tolist(), strict=False)}
        used.setdefault(".", "1")  # a map of walls only
        for terrain, letters in _TERRAINS.items():
            header += f"{terrain} {used.get(letters[0], '+inf')}\n"
        signs = np.frombuffer(b".SWT", np.uint8)
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(f"{header}map\n".encode())
        for rows in row_spans(data.passable.shape):
            ground = data.passable[rows]
            lines = np.full((len(ground), width + 1), ord("\n"), np.uint8)
            which = 0 if data.weights is None else np.searchsorted(found, data.weights[rows]).clip(max=3)
            lines[:, :-1] = np.where(ground, signs[which], np.uint8(ord("@")))
            file.write(lines.data)
