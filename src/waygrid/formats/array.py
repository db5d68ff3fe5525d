"""Maps as NumPy arrays (``.npy``).

The rules are those of ``Grid``: an array of booleans, or of 0 (wall) and 1, of shape (height, width). Other numbers are
refused; ``Grid.from_costs`` accepts them. A map with weights is an array of pairs ``passable``, ``weight``.
"""

import io
import math
import os
import warnings
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from waygrid.errors import WaygridError
from waygrid.formats.files import PathLike, read_bytes, replacing
from waygrid.formats.mapdata import MAX_CELLS, MapData, check_map, check_size
from waygrid.formats.rules import bands, read_walls

_PAIRS = np.dtype([("passable", "?"), ("weight", "<u2")])  # of a map with weights
_ANY_BYTES = np.dtype([("passable", "u1"), ("weight", "<u2")])  # the same, as damaged files may have it


def _load(data: bytes, name: str) -> NDArray[Any]:
    """Return the array in the bytes of a .npy file, as a view; a wrong header cannot cause an allocation."""
    stream = io.BytesIO(data)
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
    if len(shape) != 2:
        raise WaygridError(f"{name}: an array of shape {shape}; a map has shape (height, width)")
    height, width = shape
    check_size(width, height, name)
    start = stream.tell()
    expected = math.prod(shape) * dtype.itemsize
    if len(data) - start != expected:
        raise WaygridError(f"{name}: {len(data) - start} bytes of cells; shape {shape} of {dtype} needs {expected}")
    # A damaged bool array may contain any byte; as uint8 each is simply zero or not.
    seen = {"b": np.dtype(np.uint8), "V": _ANY_BYTES}.get(dtype.kind, dtype)
    flat = np.frombuffer(data, seen, offset=start)
    cells: NDArray[Any] = flat.reshape((width, height)).T if fortran else flat.reshape((height, width))
    return cells != 0 if dtype.kind == "b" else cells


def parse(data: bytes, name: str = "array") -> MapData:
    """Return the map in the bytes of a ``.npy`` file; error messages begin with ``name``.

    >>> stream = io.BytesIO()
    >>> np.save(stream, np.array([[0, 1, 1]]))
    >>> parse(stream.getvalue()).passable
    array([[False,  True,  True]])
    """
    cells = _load(data, name)
    if cells.dtype.names:
        return check_map(MapData(cells["passable"] != 0, cells["weight"]), name)
    return MapData(read_walls(cells, where=f"{name}: ", source="np.load(file)").view(np.bool_), None)


def read(path: PathLike) -> MapData:
    """Read a ``.npy`` map; pickled objects are never loaded."""
    return parse(read_bytes(path, 16 * MAX_CELLS), os.fspath(path))


def write(path: PathLike, data: MapData) -> None:
    """Write a ``.npy`` map: booleans, or pairs of `passable` and `weight` if there are weights."""
    data = check_map(data, os.fspath(path))
    kind, shape = np.dtype(np.bool_) if data.weights is None else _PAIRS, data.passable.shape
    with replacing(path) as temporary, temporary.open("wb") as file:
        npy.write_array_header_1_0(file, {"descr": npy.dtype_to_descr(kind), "fortran_order": False, "shape": shape})
        for rows in bands(shape):
            cells: NDArray[Any] = data.passable[rows]
            if data.weights is not None:
                pairs = np.empty(cells.shape, _PAIRS)
                pairs["passable"], pairs["weight"] = cells, data.weights[rows]
                cells = pairs
            file.write(np.ascontiguousarray(cells).data)
