"""What a game allows, and how its limits are written: 200KB, 3%, 50us."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from waygrid.errors import LARGEST_FLOAT, WaygridError, show
from waygrid.search.declaration import BUILD_OPTIONS

FRAME_S = 1 / 60
"""With `updates` an index must be rebuilt within one frame of a game that draws 60 a second."""

_NUMBER = r"(\d{1,12}(?:\.\d{1,12})?|\.\d{1,12})"
_SHARE = re.compile(_NUMBER + r" ?(%?)")
_TIME = re.compile(_NUMBER + r" ?(ns|us|µs|ms|s)", re.IGNORECASE)
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}


@dataclass(frozen=True)
class Limits:
    """What an algorithm may take; None: as much as it likes."""

    memory: int | None = None  # bytes of the index
    suboptimality: float | None = None  # mean of cost / optimum - 1
    response: float | None = None  # mean seconds to the first move
    updates: bool = False  # the map changes during play

    def words(self) -> str:
        """Say the limits.

        >>> Limits(200_000, 0.03, 50e-6).words()
        'memory 200 KB, suboptimality 3 %, response 50 us'
        >>> Limits().words()
        'none'
        """
        said = []
        if self.memory is not None:
            said.append(f"memory {size_words(self.memory)}")
        if self.suboptimality is not None:
            said.append(f"suboptimality {share_words(self.suboptimality)}")
        if self.response is not None:
            said.append(f"response {time_words(self.response)}")
        if self.updates:
            said.append(f"an index rebuilt within {time_words(FRAME_S)}")
        return ", ".join(said) or "none"


def limits_of(
    memory: int | str | None = None,
    suboptimality: float | str | None = None,
    response: float | str | None = None,
    updates: bool = False,
) -> Limits:
    """Read limits: numbers (bytes, a fraction, seconds) or texts with a unit.

    >>> limits_of("64KiB", "3%", "2ms") == limits_of(65536, 0.03, 0.002)
    True
    """
    return Limits(
        BUILD_OPTIONS["memory"].check("memory", memory),
        None if suboptimality is None else share_of(suboptimality),
        None if response is None else seconds_of(response),
        bool(updates),
    )


def share_of(value: float | str) -> float:
    """Return the fraction that a number or a text such as 3% stands for.

    >>> share_of("3%"), share_of("0.03"), share_of(0)
    (0.03, 0.03, 0.0)
    """
    share = math.nan
    if isinstance(value, str):
        found = _SHARE.fullmatch(value.strip())
        if found is not None:
            share = float(found[1]) / (100 if found[2] else 1)
    elif _is_number(value) and abs(value) <= LARGEST_FLOAT:
        share = float(value)
    if not 0 <= share < math.inf:
        raise WaygridError(
            f"suboptimality is {show(value)}; allowed are a fraction from 0 such as 0.03 and a text like '3%'"
        )
    return share


def seconds_of(value: float | str) -> float:
    """Return the seconds that a number or a text such as 50us stands for.

    >>> seconds_of("50us"), seconds_of("2 ms"), seconds_of(0.5)
    (5e-05, 0.002, 0.5)
    """
    seconds = math.nan
    if isinstance(value, str):
        found = _TIME.fullmatch(value.strip())
        if found is not None:
            seconds = float(f"{float(found[1]) * _UNITS[found[2].lower()]:.15g}")
    elif _is_number(value) and abs(value) <= LARGEST_FLOAT:
        seconds = float(value)
    if not 0 < seconds < math.inf:
        raise WaygridError(
            f"response is {show(value)}; allowed are seconds above 0 and a text with a unit such as '50us' or '2ms'"
        )
    return seconds


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def size_words(size: float) -> str:
    """Return bytes with a unit that suits them.

    >>> size_words(0), size_words(312), size_words(41_300), size_words(2.91e6)
    ('0 bytes', '312 bytes', '41 KB', '2.9 MB')
    """
    if size < 1000:
        return f"{size:.0f} bytes"
    units = ("KB", "MB", "GB")
    power = 1
    while power < len(units) and size / 1000**power >= 999.5:
        power += 1
    size, unit = size / 1000**power, units[power - 1]
    text = f"{size:.1f}".removesuffix(".0") if size < 9.95 else f"{size:.0f}"
    return f"{text} {unit}"


def share_words(share: float) -> str:
    """Return a fraction in percent.

    >>> share_words(0), share_words(0.0123), share_words(0.03), share_words(2.5), share_words(0.00004)
    ('0 %', '1.2 %', '3 %', '250 %', 'under 0.01 %')
    """
    percent = 100 * share
    if 0 < percent < 0.01:
        return "under 0.01 %"
    digits = 0 if percent >= 99.5 or percent == 0 else 2 if percent < 1 else 1
    text = f"{percent:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if digits else text} %"


def time_words(seconds: float) -> str:
    """Return a time with a unit that suits it.

    >>> time_words(50e-6), time_words(3.14e-8), time_words(1 / 60), time_words(12), time_words(400)
    ('50 us', '0.031 us', '17 ms', '12 s', '7 min')
    """
    if seconds >= 120:
        return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= 0.995 * size or unit == "us":
            break
    value = seconds / size
    if value >= 9.95:
        return f"{value:.0f} {unit}"
    return f"{value:.2g} {unit}"
