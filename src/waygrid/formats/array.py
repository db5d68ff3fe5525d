"""Maps as NumPy arrays (``.npy``).

The rules are those of ``Grid``: an array of booleans, or of 0 (wall) and 1, of shape (height, width). Other numbers are
refused; ``Grid.from_costs`` accepts them. A map with weights is an array of pairs ``passable``, ``weight``.
"""

import io
import math
import os
import stat
import warnings
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from waygrid.errors import WaygridError
from waygrid.formats.files import PathLike, read_bytes, reason, replacing
from waygrid.formats.mapdata import MAX_CELLS, MapData, check_map, check_size
from waygrid.formats.rules import read_walls, row_spans

_PAIRS = np.dtype([("passable", "?"), ("weight", "<u2")])  # of a map with weights
_ANY_BYTES = np.dtype([("passable", "u1"), ("weight", "<u2")])  # the same, as damaged files may have it


def _read_header(stream: IO[bytes], size: int, name: str) -> tuple[tuple[int, int], bool, np.dtype[Any]]:
    """Return shape, order and type of the array that follows; a wrong header cannot cause an allocation."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # headers written by Python 2 are read, with a warning, by NumPy
            version = npy.read_magic(stream)
            if version == (1, 0):
                shape, fortran, dtype = npy.read_array_header_1_0(stream)
            elif version == (2, 0):
                shape, fortran, dtype = npy.read_array_header_2_0(stream)
            else:
                raise WaygridError(f"{name}: .npy version {version[0]}.{version[1]}; allowed are 1.0 and 2.0")
    except WaygridError:
        raise
    except Exception as error:  # the header is evaluated as Python text, which can fail in any way
        raise WaygridError(f"{name}: not a .npy file that can be read") from error
    if dtype.kind not in "buif" and dtype != _PAIRS:
        raise WaygridError(f"{name}: an array of {dtype}; allowed are bool, integers and floats")
    if len(shape) != 2 or not all(type(side) is int for side in shape):  # True is an integer for NumPy's own check
        raise WaygridError(f"{name}: an array of shape {shape}; a map has shape (height, width)")
    height, width = shape
    check_size(width, height, name)
    left, expected = size - stream.tell(), math.prod(shape) * dtype.itemsize
    if left != expected:
        raise WaygridError(f"{name}: {left} bytes of cells; shape {shape} of {dtype} needs {expected}")
    return (height, width), fortran, dtype


def _read(stream: IO[bytes], size: int, name: str) -> MapData:
    """Read a map a few rows at a time: a large one takes no memory but that of its two arrays."""
    shape, fortran, dtype = _read_header(stream, size, name)
    stored = shape[::-1] if fortran else shape
    passable, weights = np.empty(shape, np.bool_), np.empty(shape, np.uint16) if dtype == _PAIRS else None
    # A damaged bool array may contain any byte; as uint8 each is simply zero or not.
    seen = {"b": np.dtype(np.uint8), "V": _ANY_BYTES}.get(dtype.kind, dtype)
    for rows in row_spans(stored):
        part: Any = (slice(None), rows) if fortran else rows
        data = stream.read((rows.stop - rows.start) * stored[1] * dtype.itemsize)
        if len(data) != (rows.stop - rows.start) * stored[1] * dtype.itemsize:
            raise WaygridError(f"{name}: the file became shorter while it was read")
        cells: NDArray[Any] = np.frombuffer(data, seen).reshape(-1, stored[1])
        cells = cells.T if fortran else cells
        if weights is not None:
            passable[part], weights[part] = cells["passable"] != 0, cells["weight"]
        elif dtype.kind == "b":
            np.not_equal(cells, 0, out=passable[part])
        else:
            _read_numbers(cells, passable, part, rows.start, fortran, name)
    return check_map(MapData(passable, weights), name)


def _read_numbers(
    cells: NDArray[Any], passable: NDArray[np.bool_], part: Any, first: int, fortran: bool, name: str
) -> None:
    """Take over numbers 0 and 1; refuse others, with their place in the whole map."""
    passable[part] = cells == 1
    if ((cells != 0) & (cells != 1)).any():
        place = (first, 0) if fortran else (0, first)
        read_walls(cells, where=f"{name}: ", source="np.load(file)", corner=place)


def parse(data: bytes, name: str = "array") -> MapData:
    """Return the map in the bytes of a ``.npy`` file; error messages begin with ``name``.

    >>> stream = io.BytesIO()
    >>> np.save(stream, np.array([[0, 1, 1]]))
    >>> parse(stream.getvalue()).passable
    array([[False,  True,  True]])
    """
    return _read(io.BytesIO(data), len(data), name)


def read(path: PathLike) -> MapData:
    """Read a ``.npy`` map; pickled objects are never loaded."""
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if stat.S_ISREG(status.st_mode):
                return _read(file, status.st_size, name)
    except OSError as error:
        raise WaygridError(f"cannot read {name}: {reason(error)}") from error
    return parse(read_bytes(path, 16 * MAX_CELLS), name)  # a pipe


def write(path: PathLike, data: MapData) -> None:
    """Write a ``.npy`` map: booleans, or pairs of `passable` and `weight` if there are weights."""
    data = check_map(data, os.fspath(path))
    kind, shape = np.dtype(np.bool_) if data.weights is None else _PAIRS, data.passable.shape
    with replacing(path) as temporary, temporary.open("wb") as file:
        npy.write_array_header_1_0(file, {"descr": npy.dtype_to_descr(kind), "fortran_order": False, "shape": shape})
        for rows in row_spans(shape):
            cells: NDArray[Any] = data.passable[rows]
            if data.weights is not None:
                pairs = np.empty(cells.shape, _PAIRS)
                pairs["passable"], pairs["weight"] = cells, data.weights[rows]
                cells = pairs
            file.write(np.ascontiguousarray(cells).data)
