"""Checks of an index from a file; `IndexedFinder._check_index` of each algorithm uses them.

Compiled loops do not check array bounds. So all numbers that they use as an address, a length or a count are checked
here, once, before the first query. Every error is one sentence that begins with "the index is damaged"; `load_finder`
adds the name of the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import DTypeLike

from waygrid.core.types import Array
from waygrid.errors import damage_error


def require(truth: bool | np.bool_, reason: str) -> None:
    """Refuse the index for a reason, unless a condition holds.

    >>> require(1 + 1 == 2, "numbers do not add up")
    """
    if not truth:
        raise damage_error(reason)


def require_array(
    index: Mapping[str, Array], name: str, kinds: DTypeLike | Sequence[DTypeLike], shape: Sequence[int | None]
) -> Array:
    """Return an array of the index after checking its type and shape; None allows any length.

    >>> require_array({"ids": np.zeros((3, 2), np.int32)}, "ids", (np.int16, np.int32), (None, 2)).shape
    (3, 2)
    >>> require_array({"ids": np.zeros(3, np.int32)}, "ids", np.int32, (4,))   # doctest: +ELLIPSIS
    Traceback (most recent call last):
    waygrid.errors.WaygridError: the index is damaged: array 'ids' is int32 of shape (3,); it must be int32 of ...
    """
    array = index[name]
    allowed = [np.dtype(kind) for kind in (kinds if isinstance(kinds, (tuple, list)) else (kinds,))]
    fits = len(array.shape) == len(shape) and all(
        wanted is None or length == wanted for length, wanted in zip(array.shape, shape, strict=True)
    )
    if not fits or array.dtype not in allowed:
        lengths = ", ".join("any" if wanted is None else str(wanted) for wanted in shape)
        text = f"({lengths},)" if len(shape) == 1 else f"({lengths})"
        names = " or ".join(str(kind) for kind in allowed)
        raise damage_error(
            f"array {name!r} is {array.dtype} of shape {array.shape}; it must be {names} of shape {text}"
        )
    return array


def require_range(array: Array, what: str, low: int | Array, high: int | Array) -> None:
    """Refuse numbers below `low` or above `high`; both may be arrays with one limit per number.

    `what` names them in the error: an array, or a part of it.

    >>> require_range(np.array([0, 3, 7]), "array 'turns'", 0, 6)
    Traceback (most recent call last):
    waygrid.errors.WaygridError: the index is damaged: array 'turns' holds 7; allowed are 0 to 6
    """
    if array.size == 0:
        return
    if isinstance(low, int) and isinstance(high, int):  # without a boolean array: indexes can be large
        least, most = array.min(), array.max()
        if least < low or most > high:
            raise damage_error(f"{what} holds {least if least < low else most}; allowed are {low} to {high}")
        return
    bad = (array < low) | (array > high)
    if bad.any():
        place = np.unravel_index(int(np.argmax(bad)), bad.shape)
        limits = (np.broadcast_to(limit, bad.shape)[place] for limit in (low, high))
        value = np.broadcast_to(array, bad.shape)[place]
        raise damage_error(f"{what} holds {value}; allowed there are {' to '.join(map(str, limits))}")


def require_offsets(offsets: Array, what: str, total: int) -> None:
    """Refuse offsets that do not begin at 0, that decrease, or that do not end at `total`, the length of the array.

    >>> require_offsets(np.array([0, 2, 2, 5]), "array 'first'", 5)
    >>> require_offsets(np.array([0, 3, 2, 5]), "array 'first'", 5)
    Traceback (most recent call last):
    waygrid.errors.WaygridError: the index is damaged: array 'first' falls from 3 to 2
    """
    require(offsets.size > 0, f"{what} is empty")
    if offsets[0] != 0 or offsets[-1] != total:
        raise damage_error(f"{what} runs from {offsets[0]} to {offsets[-1]}; it must run from 0 to {total}")
    falls = offsets[1:] < offsets[:-1]  # compared, not subtracted: differences of unsigned numbers are never negative
    if falls.any():
        place = int(np.argmax(falls))
        raise damage_error(f"{what} falls from {offsets[place]} to {offsets[place + 1]}")
