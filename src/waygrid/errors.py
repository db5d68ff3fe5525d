"""The error that invalid input raises, and how it prints values."""

from __future__ import annotations

import reprlib
import sys
import unicodedata
from typing import Any

LARGEST_FLOAT = sys.float_info.max  # limits are compared with it: a larger integer cannot become a float

_LONGEST = 80  # characters of a value that an error shows
_LONGEST_MESSAGE = 1600  # characters of an error


class WaygridError(ValueError):
    """Invalid input, reported in one sentence: the value, the place and what is allowed.

    >>> raise WaygridError("cell (3, 9) is outside the map of 4 x 4 cells")
    Traceback (most recent call last):
    waygrid.errors.WaygridError: cell (3, 9) is outside the map of 4 x 4 cells
    """

    def __str__(self) -> str:
        # Names in a map from a stranger may be of any length, and hold signs that a terminal obeys.
        return _printable(super().__str__())


def _printable(text: str) -> str:
    """Return a message without control characters, in one line, and not too long to be read."""
    if not text.isprintable():
        text = "".join(sign if _is_harmless(sign) else " " if sign == "\n" else repr(sign)[1:-1] for sign in text)
    if len(text) <= _LONGEST_MESSAGE:
        return text
    return f"{text[: _LONGEST_MESSAGE * 3 // 4]} ... {text[-_LONGEST_MESSAGE // 4 :]}"


def _is_harmless(sign: str) -> bool:
    return sign.isprintable() or unicodedata.category(sign) == "Zs"  # all kinds of spaces


class _Short(reprlib.Repr):
    """Python's own shortened `repr`, for arrays their shape."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = 6
        self.maxstring = self.maxother = self.maxlong = _LONGEST

    def repr1(self, x: Any, level: int) -> str:
        """Return the text of one value, also inside of others."""
        shape = getattr(x, "shape", ())
        if isinstance(shape, tuple) and shape:
            return f"<{type(x).__name__} of shape {shape} and type {getattr(x, 'dtype', 'unknown')}>"
        return super().repr1(x, level)


_short = _Short()


def show(value: Any) -> str:
    """Return a value as an error shows it: short, and never a whole array.

    >>> show("A*"), show(list(range(1000)))
    ("'A*'", '[0, 1, 2, 3, 4, 5, ...]')
    >>> import numpy
    >>> show(numpy.zeros((300, 200)))
    '<ndarray of shape (300, 200) and type float64>'
    """
    text = " ".join(_short.repr(value).split())
    return text if len(text) <= 2 * _LONGEST else f"{text[: 2 * _LONGEST]}..."


def show_bytes(size: float) -> str:
    """Return an amount of memory as a sentence shows it.

    >>> show_bytes(2_340_000), show_bytes(900)
    ('2.3 MB', '900 bytes')
    """
    size = min(size, LARGEST_FLOAT)
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "KB")):
        if size >= unit:
            return f"{size / unit:.2g} {name}" if size < 99.5 * unit else f"{size / unit:.0f} {name}"
    return f"{size:.0f} bytes"


def damage_error(reason: str) -> WaygridError:
    """Return the error for a damaged index, for the caller to raise.

    >>> raise damage_error("array 'ids' is empty")
    Traceback (most recent call last):
    waygrid.errors.WaygridError: the index is damaged: array 'ids' is empty
    """
    return WaygridError(f"the index is damaged: {reason}")
