"""Reads JSON that others have written: whole, with a size limit, and value by value."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show
from waygrid.formats.files import PathLike, decode, read_bytes

MAX_TEXT = 2**28  # bytes; a number and its comma for each cell of a large map


def load_object(path: PathLike, name: str) -> dict[str, Any]:
    """Return the JSON object in a file."""
    return parse_object(decode(read_bytes(path, MAX_TEXT), name), name)


def parse_object(text: str, name: str) -> dict[str, Any]:
    """Return the JSON object in a text.

    >>> parse_object("[1]", "a.json")
    Traceback (most recent call last):
    waygrid.errors.WaygridError: a.json: the file holds a list; allowed is a JSON object {...}
    """
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise WaygridError(f"{name}, line {error.lineno}, column {error.colno}: not valid JSON") from error
    except (RecursionError, ValueError) as error:  # nested too deeply, or numbers of thousands of digits
        raise WaygridError(f"{name}: not JSON that can be read ({type(error).__name__})") from error
    if not isinstance(found, dict):
        raise WaygridError(f"{name}: the file holds a {type(found).__name__}; allowed is a JSON object {{...}}")
    return found


def read_whole(keys: Mapping[str, Any], key: str, where: str, least: int, most: int) -> int:
    """Return a whole number under a key.

    >>> read_whole({"width": 0}, "width", "a.json", 1, 9)
    Traceback (most recent call last):
    waygrid.errors.WaygridError: a.json: width is 0; allowed are the integers 1 to 9
    """
    value = keys.get(key)
    if type(value) is float and math.isfinite(value) and value == int(value):  # Godot writes all numbers as floats
        value = int(value)
    if type(value) is not int or not least <= value <= most:
        raise WaygridError(f"{where}: {key} is {show(value)}; allowed are the integers {least} to {most}")
    return value


def read_list(keys: Mapping[str, Any], key: str, where: str) -> list[Any]:
    """Return a list under a key, an empty one where there is none."""
    value = keys.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise WaygridError(f"{where}: {key} is {show(value)}; allowed is a list")
    return value


def read_objects(keys: Mapping[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    """Return a list of objects under a key."""
    found = read_list(keys, key, where)
    for number, one in enumerate(found):
        if not isinstance(one, dict):
            raise WaygridError(f"{where}: entry {number} of {key} is {show(one)}; allowed are objects {{...}}")
    return found


def read_cells(
    keys: Mapping[str, Any], key: str, where: str, size: tuple[int, int], most: int
) -> npt.NDArray[np.int64]:
    """Return a list of whole numbers 0 to `most`, row by row, as an array (height, width).

    >>> read_cells({"cells": [0, 7]}, "cells", "a.json", (2, 1), 9).tolist()
    [[0, 7]]
    """
    width, height = size
    found = read_list(keys, key, where)
    if len(found) != width * height:
        raise WaygridError(f"{where}: {key} has {len(found)} numbers; {width} x {height} cells need {width * height}")
    try:
        array = np.array(found)
    except (ValueError, OverflowError):
        array = np.zeros(0, object)
    if array.ndim != 1 or array.dtype.kind not in "iuf" or len(array) != len(found):
        raise WaygridError(f"{where}: {key} is {show(found)}; allowed are the integers 0 to {most}")
    odd = ~((array >= 0) & (array <= most) & (array == np.floor(array)))
    if odd.any():
        y, x = divmod(int(odd.argmax()), width)
        raise WaygridError(
            f"{where}: {key} holds {show(found[y * width + x])} at ({x}, {y}); allowed are the integers 0 to {most}"
        )
    return array.astype(np.int64).reshape(height, width)
