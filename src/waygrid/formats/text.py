"""Maps drawn in plain text (``.txt``), one row per line.

``.`` is open ground, ``#`` or ``@`` a wall, and a digit 1 to 9 ground of that weight (``.`` then counts as 1). White
space around a row and empty lines before the first and after the last row are ignored, so that a map can be drawn in an
indented string. An empty line between rows is an error. A space is not a cell, because it would be lost at line ends.
"""

import os

import numpy as np

from waygrid.errors import WaygridError
from waygrid.formats.files import PathLike, read_text, write_atomically
from waygrid.formats.mapdata import MAX_CELLS, MapData, check_map, check_size

_BAD = 255
_CODES = bytearray([_BAD] * 256)
for _sign, _code in [*zip(b"#@", (0, 0), strict=True), (ord("."), 1), *((ord("0") + d, d) for d in range(1, 10))]:
    _CODES[_sign] = _code
_TABLE = bytes(_CODES)


def parse(text: str, name: str = "text") -> MapData:
    """Return the map drawn in a string; error messages begin with ``name``.

    >>> parse('''
    ...     ..#
    ...     3.9
    ... ''').weights
    array([[1, 1, 1],
           [3, 1, 9]], dtype=uint16)
    >>> parse("...\\n..")
    Traceback (most recent call last):
    waygrid.errors.WaygridError: text, line 2: a row of 2 cells; the first row has 3
    """
    lines = [line.strip() for line in text.split("\n")]
    first = next((i for i, line in enumerate(lines) if line), None)
    if first is None:
        raise WaygridError(f"{name}: the file is empty; a map has at least one row")
    last = next(i for i in range(len(lines) - 1, -1, -1) if lines[i])
    rows = lines[first : last + 1]
    width = len(rows[0])
    for i, row in enumerate(rows):
        if len(row) != width:
            raise WaygridError(f"{name}, line {first + i + 1}: a row of {len(row)} cells; the first row has {width}")
    check_size(width, len(rows), name)
    drawn = "".join(rows)
    # A sign beyond ASCII becomes one "?", itself not allowed, so that places still agree.
    cells = np.frombuffer(drawn.encode("ascii", "replace").translate(_TABLE), np.uint8).reshape(len(rows), width)
    if cells.max() == _BAD:
        at = int((cells == _BAD).argmax())
        y, x = divmod(at, width)
        column = text.split("\n")[first + y].index(rows[y]) + x + 1
        raise WaygridError(
            f"{name}, line {first + y + 1}, column {column}: {drawn[at]!r} is not a cell; allowed are . # @ and 1 to 9"
        )
    passable = cells != 0
    # Digits may all be 1, so the drawing decides whether there are weights, not their values.
    weighted = any(sign in drawn for sign in "123456789")
    return MapData(passable, np.where(passable, cells, 1).astype(np.uint16) if weighted else None)


def format(data: MapData) -> str:
    """Draw a map as text that :func:`parse` turns back into the same map; weights above 9 are refused.

    >>> print(format(parse("..@\\n5.5")), end="")
    ..#
    5.5
    """
    data = check_map(data, "text")
    signs = np.where(data.passable, ord("."), ord("#")).astype(np.uint8)
    if data.weights is not None:
        if data.weights.max() > 9:
            raise WaygridError(f"text can store weights 1 to 9, not {data.weights.max()}; use .npy, .png or .tmx")
        # Dots read better than ones. Ones are only needed to mark a map with weights if all weights are 1.
        drawn = data.passable if data.weights.max() == 1 else data.weights > 1
        signs = np.where(drawn, ord("0") + data.weights, signs).astype(np.uint8)
    lines = np.full((signs.shape[0], signs.shape[1] + 1), ord("\n"), np.uint8)
    lines[:, :-1] = signs
    return lines.tobytes().decode("ascii")


def read(path: PathLike) -> MapData:
    """Read a ``.txt`` map."""
    return parse(read_text(path, 2 * MAX_CELLS), os.fspath(path))


def write(path: PathLike, data: MapData) -> None:
    """Write a ``.txt`` map."""
    try:
        drawn = format(data)
    except WaygridError as error:
        raise WaygridError(f"{os.fspath(path)}: {error}") from error
    write_atomically(path, drawn.encode("ascii"))
