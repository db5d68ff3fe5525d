"""Paths as rows (``.csv``): a line ``path,x,y`` for each cell, in the order in which a path is walked."""

import os
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from waygrid.errors import WaygridError, show
from waygrid.formats.files import PathLike, decode, read_bytes, write_atomically

_HEAD = ["path", "x", "y"]
_MOST = 2**31 - 1


class NamedPath(NamedTuple):
    """A path of a file: the word in its first column, and its cells (x, y)."""

    name: str
    cells: NDArray[np.int32]


def parse(data: bytes, name: str = "paths.csv") -> list[NamedPath]:
    """Return the paths in the bytes of a file; rows of a path need not stand together, and a headline is optional.

    >>> [(path.name, path.cells.tolist()) for path in parse(b"path,x,y\\na,0,0\\na,1,0\\nb,5,5\\n")]
    [('a', [[0, 0], [1, 0]]), ('b', [[5, 5]])]
    """
    found: dict[str, list[tuple[int, int]]] = {}
    for number, line in enumerate(decode(data, name).splitlines(), 1):
        words = [word.strip() for word in line.split("," if "," in line else ";" if ";" in line else None)]
        if not any(words) or (number == 1 and [word.lower() for word in words] == _HEAD):
            continue
        where = f"{name}, line {number}"
        if len(words) != len(_HEAD):
            raise WaygridError(f"{where}: {show(line[:60])}; a row is {','.join(_HEAD)}")
        cell = _read_coordinate(words[1], where), _read_coordinate(words[2], where)
        found.setdefault(words[0], []).append(cell)
    if not found:
        raise WaygridError(f"{name}: there is no path; a row is {','.join(_HEAD)}")
    return [NamedPath(title, np.array(cells, np.int32)) for title, cells in found.items()]


def _read_coordinate(text: str, where: str) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 10 and int(digits) <= _MOST):
        raise WaygridError(f"{where}: {show(text[:40])}; a cell is two whole numbers")
    return int(text)


def read_paths(path: PathLike) -> list[NamedPath]:
    """Read the paths of a file.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "a.csv")
    ...     write_paths(file, [NamedPath("first", np.array([[0, 0], [1, 1]], np.int32))])
    ...     read_paths(file)[0].cells.tolist()
    [[0, 0], [1, 1]]
    """
    return parse(read_bytes(path), os.fspath(path))


def write_paths(path: PathLike, paths: Iterable[NamedPath | tuple[str, ArrayLike]]) -> None:
    """Write paths as rows, such as ``[("astar", found.cells)]``."""
    rows = [",".join(_HEAD)]
    for name, cells in paths:
        if any(sign in str(name) for sign in ',;\n\r"'):
            raise WaygridError(
                f"{os.fspath(path)}: a path is called {show(name)}; commas, quotes and lines are not allowed"
            )
        rows += [f"{name},{x},{y}" for x, y in np.asarray(cells, np.int64).reshape(-1, 2).tolist()]
    write_atomically(path, ("\n".join(rows) + "\n").encode())
