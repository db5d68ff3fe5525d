"""Polygons from Wavefront OBJ files (``.obj``): lines ``v x y z`` and ``f a b c ...``; other lines are ignored.

A corner of a face may be written ``a``, ``a/t``, ``a//n`` or ``a/t/n``; vertices count from 1, negative numbers back
from the latest one. A line that ends in ``\\`` continues on the next.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError
from waygrid.formats.files import PathLike, read_text
from waygrid.graph.check import LARGEST

_IGNORED = frozenset(
    ("vt", "vn", "vp", "o", "g", "s", "mg", "usemtl", "mtllib", "l", "p", "lod", "bevel", "c_interp", "d_interp")
)


def read_obj(path: PathLike) -> tuple[npt.NDArray[np.float64], list[list[int]]]:
    """Read a file; return its vertices, (n, 3), and the vertex numbers of each face, from 0."""
    return parse_obj(read_text(path), os.fspath(path))


def parse_obj(text: str, name: str = "obj") -> tuple[npt.NDArray[np.float64], list[list[int]]]:
    """Return vertices and faces of a file's text; error messages begin with ``name``.

    >>> vertices, faces = parse_obj("v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1/1 2/2 -1/3\\n")
    >>> len(vertices), faces
    (3, [[0, 1, 2]])
    >>> parse_obj("v 0 0 zero")
    Traceback (most recent call last):
    waygrid.errors.WaygridError: obj, line 1: 'zero' is not a coordinate; allowed are finite numbers
    """
    vertices: list[list[float]] = []
    faces: list[list[int]] = []
    lines: list[int] = []  # of the faces, which may come before their vertices
    for line, words in _statements(text):
        where = f"{name}, line {line}"
        if words[0] == "v":
            if len(words) < 4:
                raise WaygridError(f"{where}: a vertex has 3 coordinates, not {len(words) - 1}")
            vertices.append([_coordinate(word, where) for word in words[1:4]])
        elif words[0] in ("f", "fo"):
            faces.append(_face(words[1:], len(vertices), where))
            lines.append(line)
        elif words[0] not in _IGNORED:
            raise WaygridError(f"{where}: {words[0][:40]!r} is not a keyword of an OBJ file with polygons")
    for line, face in zip(lines, faces, strict=True):
        if max(face) >= len(vertices):
            raise WaygridError(f"{name}, line {line}: vertex {max(face) + 1}; the file has {len(vertices)}")
    if not faces:
        raise WaygridError(f"{name}: the file has no faces (lines that begin with f)")
    return np.array(vertices, np.float64).reshape(-1, 3), faces


def _statements(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the words of every non-empty line, with the number of the line where it begins."""
    held, began = "", 0
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        began = began or number
        content = line.split("#", 1)[0].rstrip()
        if content.endswith("\\"):
            held += content[:-1] + " "
            continue
        words = (held + content).split()
        if words:
            yield began, words
        held, began = "", 0
    if held.split():
        yield began, held.split()


def _coordinate(word: str, where: str) -> float:
    try:
        value = float(word) if "_" not in word else float("nan")
    except ValueError:
        value = float("nan")
    if not abs(value) <= LARGEST:
        raise WaygridError(f"{where}: {word[:40]!r} is not a coordinate; allowed are finite numbers")
    return value


def _face(words: list[str], vertices: int, where: str) -> list[int]:
    corners = []
    for word in words:
        first = word.split("/", 1)[0]
        digits = first.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 9) or word.count("/") > 2:
            raise WaygridError(f"{where}: {word[:40]!r} is not a corner of a face; allowed are a, a/t, a//n and a/t/n")
        number = int(first)
        if number == 0:
            raise WaygridError(f"{where}: vertex 0; vertices count from 1")
        if number < -vertices:
            raise WaygridError(f"{where}: vertex {number}; only {vertices} vertices come before this line")
        corners.append(number - 1 if number > 0 else vertices + number)
    if len(corners) < 3:
        raise WaygridError(f"{where}: a face has 3 corners or more, not {len(corners)}")
    if len(set(corners)) < len(corners):
        raise WaygridError(f"{where}: the face has a vertex twice")
    return corners
