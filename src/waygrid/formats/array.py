"""Maps as NumPy arrays (``.npy``).

A boolean array says where one can walk. In an integer array 0 is a wall and n ground of weight n; where all are 0 or 1
there are no weights. In a float array what is not 0 is passable. The array has shape (height, width).
"""

import io
import math
import os
import warnings

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from waygrid.errors import WaygridError
from waygrid.formats.files import PathLike, read_bytes, write_atomically
from waygrid.formats.mapdata import MAX_CELLS, MAX_WEIGHT, MapData, check_size, checked


def _load(data: bytes, name: str) -> NDArray[np.generic]:
    """The array in the bytes of a .npy file, as a view of them; nothing is allocated by what the header claims."""
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
    if dtype.kind not in "buif":
        raise WaygridError(f"{name}: an array of {dtype}; allowed are bool, integers and floats")
    if len(shape) != 2:
        raise WaygridError(f"{name}: an array of shape {shape}; a map has shape (height, width)")
    height, width = shape
    check_size(width, height, name)
    start = stream.tell()
    expected = math.prod(shape) * dtype.itemsize
    if len(data) - start != expected:
        raise WaygridError(f"{name}: {len(data) - start} bytes of cells; shape {shape} of {dtype} needs {expected}")
    # Any byte may stand in a damaged bool array; seen as uint8 each of them is simply zero or not.
    flat = np.frombuffer(data, np.dtype(np.uint8) if dtype.kind == "b" else dtype, offset=start)
    cells: NDArray[np.generic] = flat.reshape((width, height)).T if fortran else flat.reshape((height, width))
    return cells != 0 if dtype.kind == "b" else cells


def parse(data: bytes, name: str = "array") -> MapData:
    """The map in the bytes of a ``.npy`` file; ``name`` stands in front of error messages.

    >>> stream = io.BytesIO()
    >>> np.save(stream, np.array([[0, 1, 7]]))
    >>> parse(stream.getvalue()).weights
    array([[1, 1, 7]], dtype=uint16)
    """
    cells = _load(data, name)
    if cells.dtype.kind == "f":
        finite = np.isfinite(cells)
        if not finite.all():
            y, x = (int(i) for i in np.unravel_index(int((~finite).argmax()), finite.shape))
            raise WaygridError(f"{name}: {cells[y, x]} in cell ({x}, {y}); only finite numbers are allowed")
    passable = np.ascontiguousarray(cells != 0)
    if cells.dtype.kind in "bf":
        return MapData(passable, None)
    low, high = int(cells.min()), int(cells.max())
    if low < 0 or high > MAX_WEIGHT:
        raise WaygridError(
            f"{name}: value {low if low < 0 else high}; allowed are 0 (wall) and weights 1 to {MAX_WEIGHT}"
        )
    if high <= 1:
        return MapData(passable, None)
    return MapData(passable, np.where(passable, cells, 1).astype(np.uint16))


def read(path: PathLike) -> MapData:
    """Read a ``.npy`` map; pickled objects are never loaded."""
    return parse(read_bytes(path, 16 * MAX_CELLS), os.fspath(path))


def write(path: PathLike, data: MapData) -> None:
    """Write a ``.npy`` map: booleans, or uint16 with 0 in walls where there are weights."""
    data = checked(data, os.fspath(path))
    cells = data.passable if data.weights is None else np.where(data.passable, data.weights, 0).astype(np.uint16)
    stream = io.BytesIO()
    npy.write_array(stream, cells, version=(1, 0), allow_pickle=False)
    write_atomically(path, stream.getvalue())
