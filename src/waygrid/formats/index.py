"""Preprocessed indexes (``.wgi``): named arrays in a safetensors file, mapped into memory when read.

The layout is that of safetensors: eight bytes (little-endian) with the length of the header, the header as JSON, then
the bytes of the arrays without gaps. The header's ``__metadata__`` holds, all as text: ``format_version``,
``algorithm``, ``map_hash``, ``options`` and ``extra`` (JSON), ``sha256`` (JSON, one checksum per array) and
``header_sha256``. The last one is taken over the length and the header as they stand in the file, with 64 zeros in
the place of the checksum itself. No code is ever stored or run.
"""

import hashlib
import json
import math
import mmap
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray

from waygrid.errors import WaygridError, show
from waygrid.formats.files import PathLike, replacing

FORMAT_VERSION = "1"

MAX_HEADER = 2**24
DTYPES: dict[str, np.dtype[Any]] = {
    "BOOL": np.dtype(np.bool_),
    "U8": np.dtype("<u1"),
    "I8": np.dtype("<i1"),
    "U16": np.dtype("<u2"),
    "I16": np.dtype("<i2"),
    "U32": np.dtype("<u4"),
    "I32": np.dtype("<i4"),
    "U64": np.dtype("<u8"),
    "I64": np.dtype("<i8"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
}

_NAME = re.compile(r"[A-Za-z0-9_.+/-]{1,200}")
_NO_CHECKSUM = "0" * 64
_TEXTS = ("format_version", "algorithm", "map_hash", "options", "extra", "sha256", "header_sha256")


class IndexFile(NamedTuple):
    """What a ``.wgi`` file holds; the arrays are read-only views of the file."""

    arrays: dict[str, NDArray[Any]]
    algorithm: str
    options: dict[str, Any]
    map_hash: str
    format_version: str
    extra: dict[str, str]


def _json(value: object, what: str, where: str) -> str:
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise WaygridError(f"{where}: {what} cannot be stored as JSON ({error})") from error


def _header_checksum(head: bytes, header: bytes, stored: str) -> str:
    """The checksum of a header that contains the checksum ``stored``."""
    blank = header.replace(stored.encode("ascii", "replace"), _NO_CHECKSUM.encode(), 1)
    return hashlib.sha256(head + blank).hexdigest()


def _storable(arrays: Mapping[str, NDArray[Any]], where: str) -> dict[str, NDArray[Any]]:
    plain: dict[str, NDArray[Any]] = {}
    for name, array in sorted(arrays.items()):
        if not _NAME.fullmatch(name):
            raise WaygridError(f"{where}: array name {show(name)}; allowed are letters, digits and _ . + / -")
        array = np.asarray(array)
        if array.dtype.newbyteorder("<") not in DTYPES.values():
            known = ", ".join(dtype.name for dtype in DTYPES.values())
            raise WaygridError(f"{where}: array {name!r} of {array.dtype}; allowed are {known}")
        plain[name] = np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")
    return plain


def write_index(
    path: PathLike,
    arrays: Mapping[str, NDArray[Any]],
    *,
    algorithm: str,
    options: Mapping[str, Any],
    map_hash: str,
    extra: Mapping[str, str] | None = None,
) -> None:
    """Write an index atomically; the same content always gives the same bytes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_index(f"{folder}/a.wgi", {"next": np.arange(3)}, algorithm="cpd", options={"level": 2}, map_hash="1f")
    ...     found = read_index(f"{folder}/a.wgi", verify=True)
    ...     found.algorithm, found.options, found.arrays["next"].tolist()
    ('cpd', {'level': 2}, [0, 1, 2])
    """
    where = os.fspath(path)
    plain = _storable(arrays, where)
    for key, value in (*{"algorithm": algorithm, "map_hash": map_hash}.items(), *(extra or {}).items()):
        if not isinstance(key, str) or not isinstance(value, str):
            raise WaygridError(f"{where}: {key} must be text, not {show(value)}")
    try:
        f"{algorithm}{map_hash}".encode()
    except UnicodeEncodeError as error:
        raise WaygridError(f"{where}: algorithm and map_hash must be valid text") from error
    metadata = {
        "format_version": FORMAT_VERSION,
        "algorithm": algorithm,
        "map_hash": map_hash,
        "options": _json(dict(options), "options", where),
        "extra": _json(dict(extra or {}), "extra", where),
        # Hashed as flat bytes: hashlib takes no arrays of other kinds, and none that are empty in two dimensions.
        "sha256": _json(
            {n: hashlib.sha256(a.reshape(-1).view(np.uint8).data).hexdigest() for n, a in plain.items()}, "", ""
        ),
        "header_sha256": _NO_CHECKSUM,
    }
    with replacing(path) as temporary:
        try:
            safetensors.numpy.save_file(plain, os.fspath(temporary), metadata=metadata)
        except safetensors.SafetensorError as error:
            raise WaygridError(f"cannot write {where}: {error}") from error
        _seal(os.fspath(temporary))


def _seal(path: str) -> None:
    """Put the header in a fixed order (safetensors writes its metadata in a random one) and its checksum in."""
    with open(path, "rb+") as file:
        head = file.read(8)
        size = int.from_bytes(head, "little")
        written = json.loads(file.read(size))
        ordered = json.dumps(written, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        if len(ordered) > size:  # both writers escape the same characters; a mistake here must not damage the data
            raise AssertionError(f"header of {len(ordered)} bytes in a place of {size}")
        ordered = ordered.ljust(size)
        checksum = hashlib.sha256(head + ordered).hexdigest()
        label = b'"header_sha256":"'
        file.seek(8)
        file.write(ordered.replace(label + _NO_CHECKSUM.encode(), label + checksum.encode(), 1))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not a number")


def _load(text: str | bytes, what: str, where: str) -> dict[str, Any]:
    try:
        found = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise WaygridError(f"{where}: {what} cannot be read ({str(error).splitlines()[0][:100]})") from error
    if not isinstance(found, dict):
        raise WaygridError(f"{where}: {what} is not a JSON object")
    return found


def _size(entry: object, name: str, where: str) -> tuple[np.dtype[Any], tuple[int, ...], int, int]:
    """Type, shape and place of an array, each checked for itself."""

    def naturals(value: object, most: int) -> bool:
        return isinstance(value, list) and len(value) <= most and all(type(v) is int and 0 <= v < 2**63 for v in value)

    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise WaygridError(f"{where}: array {name!r} needs dtype, shape and data_offsets")
    dtype = DTYPES.get(entry["dtype"]) if isinstance(entry["dtype"], str) else None
    if dtype is None:
        raise WaygridError(
            f"{where}: array {show(name)} has dtype {show(entry['dtype'])}; allowed are {', '.join(DTYPES)}"
        )
    shape, offsets = entry["shape"], entry["data_offsets"]
    if not naturals(shape, 32) or not naturals(offsets, 2) or len(offsets) != 2:
        raise WaygridError(f"{where}: array {name!r} has a bad shape or bad data_offsets")
    begin, end = offsets
    if end - begin != math.prod(shape) * dtype.itemsize:
        raise WaygridError(f"{where}: array {name!r} of {dtype} {tuple(shape)} does not fit its {end - begin} bytes")
    if begin % dtype.itemsize:
        raise WaygridError(f"{where}: array {name!r} begins at {begin}, which is not aligned for {dtype}")
    return dtype, tuple(shape), begin, end


def _metadata(header: dict[str, Any], where: str) -> dict[str, str]:
    metadata = header.pop("__metadata__", None)
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise WaygridError(f"{where}: not a waygrid index: the header has no metadata")
    version = metadata.get("format_version")
    if version != FORMAT_VERSION:
        raise WaygridError(f"{where}: index format version {version!r}; allowed is {FORMAT_VERSION!r}")
    for key in _TEXTS:
        if key not in metadata:
            raise WaygridError(f"{where}: not a waygrid index: the header has no {key!r}")
    return metadata


def _map(path: PathLike, where: str) -> mmap.mmap:
    try:
        with open(path, "rb") as file:
            length = os.fstat(file.fileno()).st_size
            if length < 10:  # also what cannot be mapped: an empty file
                raise WaygridError(f"{where}: {length} bytes are too few for an index")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        if isinstance(error, WaygridError):
            raise
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise WaygridError(f"cannot read {where}: {reason[:1].lower()}{reason[1:]}") from error


def read_index(path: PathLike, *, verify: bool = False) -> IndexFile:
    """Map an index; ``verify=True`` also reads all of it and refuses it when a single byte is not as written.

    Whether it belongs to the map and the algorithm at hand is for the caller to compare.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise WaygridError(f"{show(path)} is no file name")
    where = os.fspath(path)
    mapped = _map(path, where)
    size = int.from_bytes(mapped[:8], "little")
    if not 2 <= size <= MAX_HEADER or mapped[8:9] != b"{":
        raise WaygridError(f"{where}: not a safetensors file")
    if 8 + size > len(mapped):
        raise WaygridError(f"{where}: cut off: a header of {size} bytes in a file of {len(mapped)}")
    raw = mapped[8 : 8 + size]
    header = _load(raw, "the header", where)
    metadata = _metadata(header, where)
    checksums = _load(metadata["sha256"], "'sha256'", where)
    arrays: dict[str, NDArray[Any]] = {}
    expected = 0
    places = {name: _size(entry, name, where) for name, entry in header.items()}
    for name, (dtype, shape, begin, end) in sorted(places.items(), key=lambda item: item[1][2:]):
        if begin != expected:
            raise WaygridError(f"{where}: array {name!r} begins at {begin}; the one before it ends at {expected}")
        expected = end
        if 8 + size + end > len(mapped):
            raise WaygridError(f"{where}: cut off: array {name!r} ends at {8 + size + end} of {len(mapped)} bytes")
        if begin == end:
            arrays[name] = np.empty(shape, dtype)
        else:
            arrays[name] = np.frombuffer(mapped, dtype, math.prod(shape), 8 + size + begin).reshape(shape)
        arrays[name].flags.writeable = False
    if 8 + size + expected != len(mapped):
        raise WaygridError(f"{where}: {len(mapped) - 8 - size - expected} bytes after the last array")
    if verify:
        _verify(mapped, size, metadata, places, checksums, where)
    extra = _load(metadata["extra"], "'extra'", where)
    if not all(isinstance(value, str) for value in extra.values()):
        raise WaygridError(f"{where}: 'extra' may hold texts only")
    options = _load(metadata["options"], "'options'", where)
    return IndexFile(arrays, metadata["algorithm"], options, metadata["map_hash"], metadata["format_version"], extra)


def _verify(
    mapped: mmap.mmap,
    size: int,
    metadata: dict[str, str],
    places: dict[str, tuple[np.dtype[Any], tuple[int, ...], int, int]],
    checksums: dict[str, Any],
    where: str,
) -> None:
    stored = metadata["header_sha256"]
    if len(stored) != 64 or _header_checksum(mapped[:8], mapped[8 : 8 + size], stored) != stored:
        raise WaygridError(f"{where}: damaged: the checksum of the header is wrong")
    if checksums.keys() != places.keys():
        raise WaygridError(f"{where}: damaged: checksums and arrays do not agree")
    with memoryview(mapped) as view:
        for name, (_, _, begin, end) in places.items():
            if hashlib.sha256(view[8 + size + begin : 8 + size + end]).hexdigest() != checksums[name]:
                raise WaygridError(f"{where}: damaged: the checksum of array {name!r} is wrong")
