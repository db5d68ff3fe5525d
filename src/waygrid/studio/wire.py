"""Messages of arrays: a JSON header, followed by the arrays as they are in memory.

A message is the length of the header (4 bytes, little endian), the header (JSON, padded with spaces), and the data. The
data begins at a multiple of 8 bytes, and so does each array in it; the header's "arrays" say what is where.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError

TYPES = ("u1", "i2", "u2", "i4", "f4", "f8")
_ALIGNED = 8
_LONGEST_HEADER = 2**20


def pack(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return a message.

    >>> header, arrays = unpack(pack({"width": 2}, {"walls": np.array([1, 0], np.uint8)}))
    >>> header["width"], arrays["walls"].tolist()
    (2, [1, 0])
    """
    listed, pieces, offset = [], [], 0
    for name, array in arrays.items():
        dtype = array.dtype.newbyteorder("<")
        if dtype.str[1:] not in TYPES:
            raise WaygridError(f"array {name!r} is of {array.dtype}; allowed are {', '.join(TYPES)}")
        data = np.ascontiguousarray(array, dtype).tobytes()
        listed.append({"name": name, "dtype": dtype.str[1:], "shape": list(array.shape), "offset": offset})
        pieces.append(data + bytes(-len(data) % _ALIGNED))
        offset += len(pieces[-1])
    text = json.dumps({**header, "arrays": listed}, allow_nan=False).encode()
    text += b" " * (-(4 + len(text)) % _ALIGNED)
    return b"".join((struct.pack("<I", len(text)), text, *pieces))


def unpack(message: bytes) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return header and arrays of a message; refuse a damaged one.

    >>> unpack(b"nonsense")
    Traceback (most recent call last):
    waygrid.errors.WaygridError: the message is damaged: its header is not JSON
    """
    length = struct.unpack("<I", message[:4])[0] if len(message) >= 4 else 0
    try:
        header = json.loads(message[4 : 4 + min(length, _LONGEST_HEADER)])
        listed = header.pop("arrays")
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise WaygridError("the message is damaged: its header is not JSON") from None
    data, arrays = memoryview(message)[4 + length :], {}
    try:
        for entry in listed:
            if entry["dtype"] not in TYPES:
                raise ValueError
            dtype, shape, offset = np.dtype("<" + entry["dtype"]), tuple(entry["shape"]), entry["offset"]
            if not all(isinstance(side, int) and 0 <= side < 2**31 for side in (*shape, offset)):
                raise ValueError
            size = int(np.prod(shape, dtype=object)) * dtype.itemsize
            if offset + size > len(data):
                raise ValueError
            arrays[str(entry["name"])] = np.frombuffer(data[offset : offset + size], dtype).reshape(shape)
    except (ValueError, KeyError, TypeError):
        raise WaygridError("the message is damaged: an array does not match the header") from None
    return header, arrays
