"""Preprocessed indexes (``.wgi``): named arrays in a safetensors file, mapped into memory when read.

The layout is that of safetensors: eight bytes (little-endian) with the length of the header, the header as JSON, then
the bytes of the arrays without gaps. The header's ``__metadata__`` holds, all as text: ``format_version``,
``algorithm``, ``map_hash``, ``options`` and ``extra`` (JSON), ``sha256`` (JSON, one checksum per array) and
``header_sha256``. The last one is the checksum of the length and the header in the file, with 64 zeros in place of the
checksum itself. No code is ever stored or run.
"""

import hashlib
import json
import math
import mmap
import os
import re
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray

from waygrid.errors import WaygridError, show
from waygrid.formats.files import PathLike, replacing

FORMAT_VERSION = "1"

MAX_HEADER = 2**24
_PIECE = 2**22  # bytes that are hashed between two checks for cancellation
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
    """The contents of a ``.wgi`` file; the arrays are read-only views of the file."""

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
    ...     found = read_index(f"{folder}/a.wgi")
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
    """Sort the header (safetensors writes its metadata in random order) and insert its checksum."""
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


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not a number")


def _load(text: str | bytes, what: str, where: str) -> dict[str, Any]:
    try:
        found = json.loads(text, object_pairs_hook=_refuse_duplicates, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise _damage_error(where, f"{what} cannot be read ({str(error).splitlines()[0][:100]})") from error
    if not isinstance(found, dict):
        raise _damage_error(where, f"{what} is not a JSON object")
    return found


def _size(entry: object, name: str, where: str) -> tuple[np.dtype[Any], tuple[int, ...], int, int]:
    """Return type, shape and place of an array, after checking each."""

    def naturals(value: object, most: int) -> bool:
        return isinstance(value, list) and len(value) <= most and all(type(v) is int and 0 <= v < 2**63 for v in value)

    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise _damage_error(where, f"array {name!r} needs dtype, shape and data_offsets")
    dtype = DTYPES.get(entry["dtype"]) if isinstance(entry["dtype"], str) else None
    if dtype is None:
        raise _damage_error(where, f"array {name!r} has dtype {show(entry['dtype'])}; allowed are {', '.join(DTYPES)}")
    shape, offsets = entry["shape"], entry["data_offsets"]
    if (
        not naturals(shape, 32)
        or math.prod(max(v, 1) for v in shape) >= 2**60
        or not naturals(offsets, 2)
        or len(offsets) != 2
    ):
        raise _damage_error(where, f"array {name!r} has a bad shape or bad data_offsets")
    begin, end = offsets
    if end - begin != math.prod(shape) * dtype.itemsize:
        raise _damage_error(where, f"array {name!r} of {dtype} {tuple(shape)} does not fit its {end - begin} bytes")
    if begin % dtype.itemsize:
        raise _damage_error(where, f"array {name!r} begins at {begin}, which is not aligned for {dtype}")
    return dtype, tuple(shape), begin, end


def _metadata(header: dict[str, Any], where: str) -> dict[str, str]:
    metadata = header.pop("__metadata__", None)
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise WaygridError(f"{where}: not a waygrid index, or the index is damaged: the header has no metadata")
    return metadata


def _check_metadata(metadata: dict[str, str], sound: bool, where: str) -> None:
    """Refuse a header of another version or with missing keys; sound: whether its checksum is right."""
    version = metadata.get("format_version")
    if version != FORMAT_VERSION:
        otherwise = "" if sound else ", or the index is damaged"
        raise WaygridError(f"{where}: index format version {version!r}; allowed is {FORMAT_VERSION!r}{otherwise}")
    if not sound:
        raise _damage_error(where, "the checksum of the header is wrong")
    for key in _TEXTS:
        if key not in metadata:
            raise WaygridError(f"{where}: not a waygrid index, or the index is damaged: the header has no {key!r}")


def _open(path: PathLike, where: str) -> tuple[BinaryIO, mmap.mmap]:
    try:
        file = open(path, "rb")  # noqa: SIM115 (checksums may be compared later, from the same file)
    except (OSError, ValueError) as error:
        raise _read_error(where, error) from error
    try:
        length = os.fstat(file.fileno()).st_size
        if length < 10:  # also what cannot be mapped: an empty file
            raise _damage_error(where, f"{length} bytes are too few for an index")
        return file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except BaseException as error:
        file.close()
        if isinstance(error, OSError) or (isinstance(error, ValueError) and not isinstance(error, WaygridError)):
            raise _read_error(where, error) from error
        raise


def _read_error(where: str, error: Exception) -> WaygridError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return WaygridError(f"cannot read {where}: {reason[:1].lower()}{reason[1:]}")


def _damage_error(where: str, reason: str) -> WaygridError:
    return WaygridError(f"{where}: the index is damaged: {reason}")


class Checksums:
    """The checksums of the arrays of one file, to be compared at once or while the index is in use.

    Comparing reads the file, not its mapping: if the file is truncated meanwhile, that is an error and not a crash.
    """

    def __init__(self, file: BinaryIO, where: str, expected: list[tuple[str, int, int, str]]) -> None:
        self._file, self._where = file, where
        self._expected = expected  # name, first byte, end, checksum
        self.size = expected[-1][2] if expected else 0  # of the file, in bytes

    def compare(self, wanted: Callable[[], bool] = lambda: True) -> None:
        """Raise an error for the first array that has changed; stop early if the caller cancels."""
        piece = memoryview(bytearray(min(_PIECE, max(self.size, 1))))
        for name, begin, end, checksum in self._expected:
            found, left = hashlib.sha256(), end - begin
            self._file.seek(begin)
            while left > 0:
                if not wanted():
                    return
                got = self._file.readinto(piece[: min(left, len(piece))])  # type: ignore[attr-defined]
                if not got:
                    raise _damage_error(self._where, f"the file was truncated while it was in use, in array {name!r}")
                found.update(piece[:got])
                left -= got
            if found.hexdigest() != checksum:
                raise _damage_error(self._where, f"the checksum of array {name!r} is wrong")

    def close(self) -> None:
        """Close the file; the arrays stay mapped."""
        self._file.close()


def read_index(path: PathLike, *, verify: bool = True) -> IndexFile:
    """Map an index; refuse it if a single byte has changed. `verify=False` trusts the file.

    The caller must check that it belongs to the current map and algorithm.
    """
    data, checksums = open_index(path, verify=verify)
    try:
        if verify:
            checksums.compare()
    finally:
        checksums.close()
    return data


def open_index(path: PathLike, *, verify: bool = True) -> tuple[IndexFile, Checksums]:
    """Map an index and check its header; return it with the checksums of its arrays, for the caller to compare."""
    if not isinstance(path, (str, os.PathLike)):
        raise WaygridError(f"{show(path)} is not a file name")
    where = os.fspath(path)
    file, mapped = _open(path, where)
    try:
        return _parse(file, mapped, verify, where)
    except BaseException:
        file.close()
        raise


def _parse(file: BinaryIO, mapped: mmap.mmap, verify: bool, where: str) -> tuple[IndexFile, Checksums]:
    size = int.from_bytes(mapped[:8], "little")
    if not 2 <= size <= MAX_HEADER or mapped[8:9] != b"{":
        raise WaygridError(
            f"{where}: not a safetensors file and so not an index, or the index is damaged at its beginning"
        )
    if 8 + size > len(mapped):
        raise _damage_error(where, f"cut off: a header of {size} bytes in a file of {len(mapped)}")
    header = _load(mapped[8 : 8 + size], "the header", where)
    metadata = _metadata(header, where)
    sound = not verify or _is_sound(mapped, size, metadata.get("header_sha256", ""))
    _check_metadata(metadata, sound, where)
    checksums = _load(metadata["sha256"], "'sha256'", where)
    if verify and checksums.keys() != header.keys():
        raise _damage_error(where, "checksums and arrays do not match")
    arrays: dict[str, NDArray[Any]] = {}
    expected = 0
    places = {name: _size(entry, name, where) for name, entry in header.items()}
    for name, (dtype, shape, begin, end) in sorted(places.items(), key=lambda item: item[1][2:]):
        if begin != expected:
            raise _damage_error(where, f"array {name!r} begins at {begin}; the one before it ends at {expected}")
        expected = end
        if 8 + size + end > len(mapped):
            raise _damage_error(where, f"cut off: array {name!r} ends at {8 + size + end} of {len(mapped)} bytes")
        if begin == end:
            arrays[name] = np.empty(shape, dtype)
        else:
            arrays[name] = np.frombuffer(mapped, dtype, math.prod(shape), 8 + size + begin).reshape(shape)
        arrays[name].flags.writeable = False
    if 8 + size + expected != len(mapped):
        raise _damage_error(where, f"{len(mapped) - 8 - size - expected} bytes after the last array")
    extra = _load(metadata["extra"], "'extra'", where)
    if not all(isinstance(value, str) for value in extra.values()):
        raise _damage_error(where, "'extra' may contain only text")
    options = _load(metadata["options"], "'options'", where)
    about = (metadata["algorithm"], options, metadata["map_hash"], metadata["format_version"], extra)
    pieces = [(name, 8 + size + p[2], 8 + size + p[3], str(checksums.get(name))) for name, p in places.items()]
    return IndexFile(arrays, *about), Checksums(file, where, sorted(pieces, key=lambda piece: piece[1:3]))


def _is_sound(mapped: mmap.mmap, size: int, stored: str) -> bool:
    return len(stored) == 64 and _header_checksum(mapped[:8], mapped[8 : 8 + size], stored) == stored
