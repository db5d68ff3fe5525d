"""The file of an unfinished build: a sequence of pieces, each complete or ignored.

The file begins with a record that names the build. Every record is a prefix (mark, length of its header, length of its
data, checksum of lengths and header, checksum of the data), a header in JSON, and the bytes of the arrays. Whatever
ends a build, kill -9 and a full disk included, the next one reads the file up to its last complete record and resumes.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import struct
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from waygrid.build.workers import Piece
from waygrid.core.types import Array
from waygrid.formats.files import lock

_MARK = b"wgb1"
_PREFIX = struct.Struct("<4sIQII")
_LENGTHS = struct.Struct("<IQ")
_LONGEST_HEADER = 2**20
_CHUNK = 2**20
_ALIGNED = 64  # bytes; where arrays begin in the mapped file


class Field(NamedTuple):
    """An array of a piece."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Size of the array."""
        return math.prod(self.shape) * self.dtype.itemsize


class Record(NamedTuple):
    """Where the piece of the sources first to last - 1 lies in the file."""

    first: int
    last: int
    offset: int
    fields: tuple[Field, ...]

    @property
    def end(self) -> int:
        """Where the next record begins."""
        return self.offset + sum(field.nbytes for field in self.fields)


class BuildFile:
    """The pieces of one build, in a file that this process has locked."""

    def __init__(self, handle: int, path: Path | None, key: str, total: int) -> None:
        self._handle = handle
        self.path = path  # None: an unnamed file that disappears with the process
        self.records: list[Record] = []
        self.seconds = 0.0  # that the build had taken when the last piece was written
        self._name = {"key": key, "total": total}
        self._begin = 0  # of the first piece
        self._read(total)
        if self._begin == 0:
            self._begin = self._write(self._name, [])

    @classmethod
    def open(cls, path: Path, key: str, total: int, *, create: bool) -> BuildFile | None:
        """Open and lock a file; None if there is none, OSError if it is in use or cannot be written."""
        if create:
            path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            try:
                handle = os.open(path, os.O_RDWR | (os.O_CREAT if create else 0) | getattr(os, "O_BINARY", 0), 0o666)
            except FileNotFoundError:
                if create:
                    raise
                return None
            try:
                lock(handle)
                if _same(handle, path):
                    return cls._locked(handle, path, key, total)
                os.close(handle)  # removed between opening and locking: by a build that has just ended
            except BaseException:
                with suppress(OSError):
                    os.close(handle)
                raise

    @classmethod
    def _locked(cls, handle: int, path: Path, key: str, total: int) -> BuildFile:
        try:
            return cls(handle, path, key, total)
        except OSError:
            with suppress(OSError):
                if os.fstat(handle).st_size == 0:  # a full disk took not even its name
                    path.unlink()
            raise

    @classmethod
    def open_nameless(cls, folder: Path | None, key: str, total: int) -> BuildFile:
        """Open an unnamed file that disappears with the process; None uses the system's temporary folder."""
        with tempfile.TemporaryFile(dir=folder) as file:
            return cls(os.dup(file.fileno()), None, key, total)

    def append(self, piece: Piece, seconds: float = 0.0) -> None:
        """Append a piece; after an error or an interrupt the file is as before.

        seconds: the build time so far, for the next process that resumes it.
        """
        arrays = [np.ascontiguousarray(array) for array in piece.arrays.values()]
        fields = [
            (name, np.lib.format.dtype_to_descr(array.dtype), array.shape)
            for name, array in zip(piece.arrays, arrays, strict=True)
        ]
        header = {"first": piece.first, "last": piece.last, "arrays": fields, "seconds": seconds}
        offset = self._write(header, [array.reshape(-1).view(np.uint8).data for array in arrays])
        named = tuple(Field(name, array.dtype, array.shape) for name, array in zip(piece.arrays, arrays, strict=True))
        self.records.append(Record(piece.first, piece.last, offset, named))

    def read(self, record: Record) -> Piece:
        """Return a piece."""
        arrays: dict[str, Array] = {}
        offset = record.offset
        for field in record.fields:
            arrays[field.name] = np.empty(field.shape, field.dtype)
            flat, place = arrays[field.name].reshape(-1).view(np.uint8), 0
            for chunk in self._chunks(offset, field.nbytes):
                flat[place : place + len(chunk)] = np.frombuffer(chunk, np.uint8)
                place += len(chunk)
            offset += field.nbytes
        return Piece(record.first, record.last, arrays)

    def forget(self) -> None:
        """Drop all pieces."""
        self.records.clear()
        self.seconds = 0.0

    def map_arrays(self) -> dict[str, Array]:
        """Return the arrays of all records, joined in the order of the sources: read-only views of a file.

        That file has no name and disappears when nothing uses the arrays any more.
        """
        records = sorted(self.records)
        folder = None if self.path is None else self.path.parent
        places: list[tuple[Field, int]] = []
        with tempfile.TemporaryFile(dir=folder) as file:
            for number, field in enumerate(records[0].fields):
                file.write(bytes(-file.tell() % _ALIGNED))
                begin, rows = file.tell(), 0
                for record in records:
                    before = sum(other.nbytes for other in record.fields[:number])
                    for chunk in self._chunks(record.offset + before, record.fields[number].nbytes):
                        file.write(chunk)
                    rows += record.fields[number].shape[0]
                places.append((Field(field.name, field.dtype, (rows, *field.shape[1:])), begin))
            file.write(b"\0")  # an empty file cannot be mapped
            file.flush()
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return {
            field.name: np.ndarray(field.shape, field.dtype, data, begin)  # read-only, as the mapping is
            for field, begin in places
        }

    def close(self, *, remove: bool = False) -> None:
        """Close the file; a second call does nothing."""
        handle, self._handle = self._handle, -1
        if handle < 0:
            return
        with suppress(OSError):
            # Removed while it is still locked, so that no other build finds it in between; Windows refuses that.
            if remove and self.path is not None and os.name != "nt":
                self.path.unlink()
        with suppress(OSError):
            os.close(handle)
        with suppress(OSError):
            if remove and self.path is not None and os.name == "nt":
                self.path.unlink()

    # --- Records ------------------------------------------------------------------------------------------------------

    @property
    def _end(self) -> int:
        """Where the next piece goes, computed from the records alone, so an interrupt cannot make them disagree."""
        return self.records[-1].end if self.records else self._begin

    def _write(self, header: dict[str, Any], data: Sequence[memoryview]) -> int:
        """Append a record and return where its data begins."""
        text = json.dumps(header).encode()
        lengths = _LENGTHS.pack(len(text), sum(view.nbytes for view in data))
        checksum = 0
        for view in data:
            checksum = zlib.crc32(view, checksum)
        prefix = _PREFIX.pack(_MARK, *_LENGTHS.unpack(lengths), zlib.crc32(text, zlib.crc32(lengths)), checksum)
        place = self._end
        os.ftruncate(self._handle, place)  # what an interrupted write left behind
        os.lseek(self._handle, place, os.SEEK_SET)
        try:
            for view in (memoryview(prefix + text), *data):
                while view.nbytes:
                    view = view[os.write(self._handle, view[: 64 * _CHUNK]) :]
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._handle, place)  # do not keep a full disk full
            raise
        return place + len(prefix) + len(text)

    def _read(self, total: int) -> None:
        """Find the complete records."""
        done: list[tuple[int, int]] = []
        for place, end, header in self._headers(os.fstat(self._handle).st_size):
            if self._begin == 0:
                if header != self._name:
                    return  # of another build: start from the beginning
                self._begin = end
                continue
            record = _record(header, place, end, total)
            if record is None or any(a < record.last and record.first < b for a, b in done):
                return
            if self.records and _kinds(record) != _kinds(self.records[0]):
                return
            done = _join_ranges(done, (record.first, record.last))
            self.records.append(record)
            self.seconds = _seconds(header)

    def _headers(self, size: int) -> Iterator[tuple[int, int, Any]]:
        """Yield where data begins and ends, and the header, of every record whose checksums are right."""
        place = 0
        while place + _PREFIX.size <= size:
            mark, length, data, header_sum, data_sum = _PREFIX.unpack(b"".join(self._chunks(place, _PREFIX.size)))
            place += _PREFIX.size
            if mark != _MARK or length > _LONGEST_HEADER or place + length + data > size:
                return
            text = b"".join(self._chunks(place, length))
            place += length
            if zlib.crc32(text, zlib.crc32(_LENGTHS.pack(length, data))) != header_sum:
                return
            checksum = 0
            for chunk in self._chunks(place, data):
                checksum = zlib.crc32(chunk, checksum)
            if checksum != data_sum:
                return
            try:
                header = json.loads(text)
            except (ValueError, RecursionError):
                return
            yield place, place + data, header
            place += data

    def _chunks(self, place: int, length: int) -> Iterator[bytes]:
        end = place + length
        while place < end:
            os.lseek(self._handle, place, os.SEEK_SET)
            chunk = os.read(self._handle, min(_CHUNK, end - place))
            if not chunk:
                raise OSError(f"the file ends at {place} of {end} bytes")
            place += len(chunk)
            yield chunk


def _record(header: Any, place: int, end: int, total: int) -> Record | None:
    """Return the record that a header describes, if it is valid."""
    try:
        first, last = int(header["first"]), int(header["last"])
        fields = tuple(Field(str(n), _dtype(kind), tuple(map(int, shape))) for n, kind, shape in header["arrays"])
    except Exception:  # NumPy evaluates the text that describes a type, which can fail in any way
        return None
    sound = all(field.shape and min(field.shape) >= 0 for field in fields)
    if not sound or not 0 <= first < last <= total or sum(field.nbytes for field in fields) != end - place:
        return None
    return Record(first, last, place, fields)


def _seconds(header: Any) -> float:
    """Return the build time in a header, 0 if it is invalid."""
    seconds = header.get("seconds", 0.0)
    return float(seconds) if isinstance(seconds, (int, float)) and 0 <= seconds < 2**53 else 0.0


def _dtype(described: Any) -> np.dtype[Any]:
    """Return the type that a header describes: a text, or a list of fields."""
    if isinstance(described, list):
        described = [(name, kind, *map(tuple, shape)) for name, kind, *shape in described]
    dtype = np.lib.format.descr_to_dtype(described)
    if dtype.hasobject:
        raise TypeError("objects are not kept in files")
    return dtype


def _kinds(record: Record) -> list[tuple[str, np.dtype[Any], tuple[int, ...]]]:
    return [(field.name, field.dtype, field.shape[1:]) for field in record.fields]


def _join_ranges(ranges: list[tuple[int, int]], new: tuple[int, int]) -> list[tuple[int, int]]:
    """Add a range and merge those that touch, so that there are few."""
    first, last = new
    apart = []
    for a, b in ranges:
        if b == first:
            first = a
        elif a == last:
            last = b
        else:
            apart.append((a, b))
    return [*apart, (first, last)]


def _same(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False
