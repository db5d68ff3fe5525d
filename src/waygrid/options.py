"""Typed options: which values an option takes, how they are checked, and how a command line writes them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar

from waygrid.errors import LARGEST_FLOAT, WaygridError, show

_WORDS = {"true": True, "false": False, "none": None}
_INTEGER = re.compile(r"[+-]?\d{1,18}")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_PAIR = re.compile(r"[+-]?\d{1,18},[+-]?\d{1,18}")
_BYTES = re.compile(r"(\d{1,18}(?:\.\d{1,18})?) ?(?:([KMGT]?)(I?)B)?", re.IGNORECASE)


@dataclass(frozen=True)
class Option:
    """An option: its default, what it does, and which values it takes.

    `extra` are values beside those of the kind, such as "auto"; None is one wherever it is the default.

    >>> level = Integer(1, "hops", least=1, greatest=16)
    >>> level.kind, level.allowed, level.check("level", 3)
    ('integer', 'the integers from 1 to 16', 3)
    >>> level.check("level", 17)
    Traceback (most recent call last):
    waygrid.errors.WaygridError: level is 17; allowed are the integers from 1 to 16
    """

    default: Any
    summary: str
    _: KW_ONLY
    unit: str = ""
    choices: tuple[Any, ...] = ()
    extra: tuple[Any, ...] = ()
    least: float | None = None
    greatest: float | None = None
    kind: ClassVar[str] = "text"

    @property
    def values(self) -> tuple[Any, ...]:
        """The allowed values that can be listed: choices, extra values, and None where that is the default."""
        listed = (*self.choices, *self.extra)
        return listed if self.default is not None or None in listed else (*listed, None)

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        whole, listed = self._range(), [str(value) for value in self.values]
        if not whole or not listed:
            return whole or ", ".join(listed)
        return ", ".join((whole, *listed[:-1], f"or {listed[-1]}"))

    def check(self, name: str, value: Any) -> Any:
        """Return a value in the type of the option; one that is not allowed raises an error."""
        given = value.item() if getattr(value, "ndim", None) == 0 else value  # NumPy's numbers become Python's
        for listed in self.values:
            if type(given) is type(listed) and given == listed:
                return listed
        converted = self._convert(given)
        if converted is None:
            raise WaygridError(f"{name} is {show(value)}; allowed are {self.allowed}")
        return converted

    def read(self, text: str) -> Any:
        """Return the value that a command line means; a text that fits nothing stays one, for `check` to refuse.

        >>> Choice("all", "", choices=("all", "none")).read("none"), Integer(None, "").read("none")
        ('none', None)
        """
        for listed in self.values:
            if text.strip().lower() == str(listed).lower():
                return listed
        return read_value(text)

    def write(self, value: Any) -> str:
        """Return a value as a command line writes it.

        >>> Sizes(16, "").write((16, 8)), Flag(True, "").write(True), Integer(None, "").write(None)
        ('16,8', 'true', 'none')
        """
        if value is None or isinstance(value, bool):
            return str(value).lower()
        return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)

    def _range(self) -> str:
        """Return in words what cannot be listed."""
        return ""

    def _convert(self, value: Any) -> Any:
        """Return a value that is not listed in the type of the option, None where it does not fit."""
        return None


class Choice(Option):
    """One of a few values, the `choices`."""

    kind = "choice"


@dataclass(frozen=True)
class Flag(Option):
    """True or False."""

    choices: tuple[Any, ...] = (True, False)
    kind = "flag"


class Integer(Option):
    """A whole number within limits, both included."""

    kind = "integer"

    def _range(self) -> str:
        return f"the integers{_from_to(self.least, self.greatest)}"

    def _convert(self, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, Integral):
            return None
        return int(value) if _within(int(value), self.least, self.greatest) else None


@dataclass(frozen=True)
class Number(Option):
    """A number within limits, both included; `above` is a lower limit that is not."""

    above: float | None = None
    kind = "number"

    def _range(self) -> str:
        if self.above is not None:
            return f"numbers above {self.above:g}" + ("" if self.greatest is None else f", up to {self.greatest:g}")
        return f"numbers{_from_to(self.least, self.greatest)}"

    def _convert(self, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, Real):
            return None
        number: Any = value
        fits = _within(number, self.least, self.greatest) and (self.above is None or number > self.above)
        return float(number) if fits and not LARGEST_FLOAT < number < math.inf else None


@dataclass(frozen=True)
class Sizes(Integer):
    """A whole number, or one for each of several directions."""

    names: tuple[str, ...] = ("rows", "columns")
    kind = "sizes"

    def _range(self) -> str:
        return f"{super()._range()}, or ({', '.join(self.names)})"

    def _convert(self, value: Any) -> Any:
        if not isinstance(value, (tuple, list)):
            return super()._convert(value)
        sizes = tuple(super(Sizes, self)._convert(size) for size in value)
        return sizes if len(sizes) == len(self.names) and None not in sizes else None


class Bytes(Option):
    """An amount of memory: a number of bytes, or a text such as 500 MB; KB is 1000 bytes, KiB is 1024.

    >>> Bytes(None, "").check("memory", "2GB"), Bytes(None, "").check("memory", "1.5 KiB")
    (2000000000, 1536)
    """

    kind = "bytes"

    def _range(self) -> str:
        return "bytes from 1, as a number or a text such as '500 MB'"

    def _convert(self, value: Any) -> Any:
        size = value if isinstance(value, int) and not isinstance(value, bool) else 0
        found = _BYTES.fullmatch(value.strip()) if isinstance(value, str) else None
        if found is not None:
            power = "KMGT".find(found[2].upper()) + 1 if found[2] else 0
            size = int(float(found[1]) * (1024 if found[3] else 1000) ** power)
        return size if size >= 1 else None


class Function(Option):
    """Something that can be called."""

    kind = "function"

    def _range(self) -> str:
        return "a function"

    def _convert(self, value: Any) -> Any:
        return value if callable(value) else None


@dataclass(frozen=True)
class Text(Option):
    """Any text."""

    what: str = "text"

    def _range(self) -> str:
        return self.what

    def _convert(self, value: Any) -> Any:
        return value if isinstance(value, str) else None


class Mask(Option):
    """One bool for each cell of a map: an array (height, width), or the path of a map file, as a `Path`.

    A plain text is refused, so that only who writes a path on purpose lets a file be read. A command line does.

    >>> Mask(None, "").check("known", [[1, 0], [1, 1]]).tolist(), Mask(None, "").read("cave.map").name
    ([[True, False], [True, True]], 'cave.map')
    """

    kind = "mask"

    def read(self, text: str) -> Any:
        """Return the path that a command line means."""
        return None if text.strip().lower() == "none" else Path(text.strip())

    def _range(self) -> str:
        return "a (height, width) mask of bools, the path of a map file"

    def _convert(self, value: Any) -> Any:
        if isinstance(value, Path):
            return value
        import numpy as np

        try:
            array = np.asarray(value)
        except ValueError:  # rows of different lengths
            return None
        if array.ndim != 2 or array.dtype.kind not in "biu" or not np.isin(array, (0, 1)).all():
            return None
        mask = array.astype(np.bool_)
        mask.flags.writeable = False
        return mask


def _from_to(least: float | None, greatest: float | None) -> str:
    low = "" if least is None else f" from {least}"
    return low if greatest is None else f"{low} to {greatest}"


def _within(value: Any, least: float | None, greatest: float | None) -> bool:
    return bool((-math.inf if least is None else least) <= value <= (math.inf if greatest is None else greatest))


def check_options(
    owner: str, declared: Mapping[str, Option], given: Mapping[str, Any], where: str = ""
) -> dict[str, Any]:
    """Return a value for every declared option: what was given, checked, else the default.

    >>> check_options("astar", {"weight": Number(1.0, "", least=0)}, {"speed": 9})
    Traceback (most recent call last):
    waygrid.errors.WaygridError: astar has no option 'speed'; allowed are weight
    """
    for name in given:
        if name not in declared:
            known = ", ".join(declared) or "none"
            raise WaygridError(f"{owner} has no option {show(name)}{where}; allowed are {known}")
    return {
        name: option.check(name, given[name]) if name in given else option.default for name, option in declared.items()
    }


def read_value(text: str) -> Any:
    """Return what a text means where no option says it: a number, a pair, true, false or none, else the text.

    >>> read_value("1.5"), read_value("16,8"), read_value("false"), read_value("Walls")
    (1.5, (16, 8), False, 'Walls')
    """
    text = text.strip()
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        return float(text)
    return tuple(map(int, text.split(","))) if _PAIR.fullmatch(text) else text


def plain(value: Any) -> Any:
    """Return an option as a plain Python value that a file can store; lists become tuples.

    >>> import numpy as np
    >>> plain(np.int32(8)), plain([8, np.int64(24)]), plain("mean")
    (8, (8, 24), 'mean')
    """
    if isinstance(value, (list, tuple)):
        return tuple(plain(one) for one in value)
    return value.item() if getattr(value, "shape", None) == () else value  # of NumPy, which is not imported here
