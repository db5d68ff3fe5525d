"""Patches of maps that change (``.patch``): small maps, by number, that a dynamic scenario lays over its map.

The header is ``type patch`` and ``patches N``. Then N patches follow, numbered from 0: ``patch NUMBER``, ``height H``,
``width W``, ``map`` and H rows of W cells. The cells are those of MovingAI's maps: ``.``, ``G`` and ``S`` are passable,
``@``, ``O``, ``T`` and ``W`` are not.
"""

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from waygrid.errors import WaygridError
from waygrid.formats.files import PathLike, read_bytes, write_atomically
from waygrid.formats.mapdata import MAX_SIDE, check_size
from waygrid.formats.movingai import read_plain_rows
from waygrid.formats.rules import read_walls

MOST_PATCHES = 2**20
MOST_BYTES = 2**28
_SIZES = ("height", "width")


class _Lines:
    """The lines of a file, one after the other."""

    def __init__(self, data: bytes, name: str) -> None:
        self._lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        self._name = name
        self.at = 0  # lines that are read

    @property
    def where(self) -> str:
        """The place of the last line, for errors."""
        return f"{self._name}, line {self.at}"

    def take_words(self, wanted: str) -> list[str]:
        """Return the words of the next line that has any; wanted: what should come, for the error at the end."""
        while self.at < len(self._lines):
            self.at += 1
            words = self._lines[self.at - 1][:1000].decode("ascii", "replace").split()
            if words:
                return words
        raise WaygridError(f"{self._name}, line {self.at}: the file ends before {wanted}")

    def take_number(self, field: str, least: int, most: int) -> int:
        """Return the number behind a word that has to come next."""
        return self.read_number(self.take_words(f"the line '{field} N'"), field, least, most)

    def read_number(self, words: list[str], field: str, least: int, most: int) -> int:
        """Return the number behind a word."""
        if words[0] != field or len(words) != 2:
            raise WaygridError(f"{self.where}: {' '.join(words)[:40]!r}; a line '{field} N' is needed")
        text = words[1]
        if not (text.isascii() and text.isdigit() and len(text) <= 10 and least <= int(text) <= most):
            raise WaygridError(f"{self.where}: {field} {text[:40]!r}; allowed are {least} to {most}")
        return int(text)

    def take_rows(self, height: int) -> list[bytes]:
        """Return the next rows of a patch."""
        rows = self._lines[self.at : self.at + height]
        if len(rows) < height:
            raise WaygridError(f"{self._name}, line {len(self._lines)}: the file ends within a patch of {height} rows")
        self.at += height
        return [row.rstrip(b" \t\r") for row in rows]

    def expect_end(self, count: int) -> None:
        """Refuse anything but blanks behind the last patch."""
        for line in self._lines[self.at :]:
            self.at += 1
            if line.strip():
                raise WaygridError(f"{self.where}: more than the {count} patches of the header")


def parse(data: bytes, name: str = "patches") -> list[NDArray[np.bool_]]:
    """Return the patches in the bytes of a ``.patch`` file, True for passable cells; errors begin with ``name``.

    >>> parse(b"type patch\\npatches 1\\npatch 0\\nheight 1\\nwidth 2\\nmap\\n.@\\n")
    [array([[ True, False]])]
    """
    lines = _Lines(data, name)
    words = lines.take_words("the line 'type patch'")
    if words != ["type", "patch"]:
        raise WaygridError(f"{lines.where}: {' '.join(words)[:40]!r}; the first line is 'type patch'")
    count = lines.take_number("patches", 0, MOST_PATCHES)
    patches = [_read_patch(lines, number, name) for number in range(count)]
    lines.expect_end(count)
    return patches


def _read_patch(lines: _Lines, number: int, name: str) -> NDArray[np.bool_]:
    found = lines.take_number("patch", 0, MOST_PATCHES)
    if found != number:
        raise WaygridError(f"{lines.where}: patch {found}; the next patch is number {number}")
    sizes: dict[str, int] = {}
    while (words := lines.take_words("the line 'map'")) != ["map"]:
        if words[0] not in _SIZES:
            raise WaygridError(f"{lines.where}: header line {words[0][:40]!r}; allowed are {', '.join(_SIZES)}, map")
        if words[0] in sizes:
            raise WaygridError(f"{lines.where}: {words[0]!r} was already given")
        sizes[words[0]] = lines.read_number(words, words[0], 1, MAX_SIDE)
    for field in _SIZES:
        if field not in sizes:
            raise WaygridError(f"{lines.where}: patch {number} has no line {field!r}")
    check_size(sizes["width"], sizes["height"], lines.where)
    first = lines.at + 1
    return read_plain_rows(lines.take_rows(sizes["height"]), sizes["width"], first, name)


def read_patches(path: PathLike) -> list[NDArray[np.bool_]]:
    """Read a ``.patch`` file."""
    return parse(read_bytes(path, MOST_BYTES), os.fspath(path))


def check_patches(patches: Sequence[ArrayLike], name: str) -> list[NDArray[np.bool_]]:
    """Return patches as arrays of booleans; refuse what is not a map, and too many."""
    if len(patches) > MOST_PATCHES:
        raise WaygridError(f"{name}: {len(patches)} patches; allowed are up to {MOST_PATCHES}")
    return [read_walls(patch, where=f"{name}: patch {number}: ").view(np.bool_) for number, patch in enumerate(patches)]


def write_patches(path: PathLike, patches: Sequence[ArrayLike]) -> None:
    """Write a ``.patch`` file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_patches(f"{folder}/a.patch", [[[1, 0]], [[1], [1]]])
    ...     [patch.shape for patch in read_patches(f"{folder}/a.patch")]
    [(1, 2), (2, 1)]
    """
    checked = check_patches(patches, os.fspath(path))
    parts = [f"type patch\npatches {len(checked)}\n".encode()]
    for number, patch in enumerate(checked):
        height, width = patch.shape
        parts.append(f"patch {number}\nheight {height}\nwidth {width}\nmap\n".encode())
        lines = np.full((height, width + 1), ord("\n"), np.uint8)
        lines[:, :-1] = np.where(patch, ord("."), ord("@"))
        parts.append(lines.tobytes())
    write_atomically(path, b"".join(parts))
