"""Untrusted zip archives: the list of contents is checked before anything is unpacked.

Only ``.map`` and ``.scen`` files are unpacked, all into one folder, whatever their folders in the archive. The whole
archive is refused if it has a name that leads elsewhere, a link, or more than the limits allow.
"""

import hashlib
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, NamedTuple

from waygrid.errors import WaygridError
from waygrid.formats import movingai, scenario
from waygrid.formats.files import reason

SUFFIXES = {".map": movingai.parse, ".scen": scenario.parse}

_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # names that Windows keeps for itself
_END, _END64_PLACE, _END64 = b"PK\x05\x06", b"PK\x06\x07", b"PK\x06\x06"
_END_SIZE, _END64_PLACE_SIZE, _END64_SIZE = 22, 20, 56
_BYTES_PER_ENTRY = 2**10  # of the list of contents: 46 and a name


class Limits(NamedTuple):
    """Limits of an archive. Maps are plain text and compress well: to as little as a hundredth in MovingAI's sets."""

    files: int = 10_000
    single: int = 2**26  # bytes of one file
    total: int = 2**31  # of all
    ratio: int = 400  # times the packed size, of files above a million bytes


class RefusedError(WaygridError):
    """A damaged or suspicious archive: it is deleted, and another download may help."""


class Unpacked(NamedTuple):
    """The files of an archive: name to size and checksum, and the skipped ones with the reason."""

    files: dict[str, tuple[int, str]]
    left_out: dict[str, str]


def unpack(
    archive: Path, folder: Path, *, skip_bad: bool, limits: Limits, tell: Callable[[float, str], None]
) -> Unpacked:
    """Unpack the maps and scenarios of an archive into a folder; each must be valid for its suffix."""
    files: dict[str, tuple[int, str]] = {}
    left_out: dict[str, str] = {}
    try:
        with open(archive, "rb") as file:
            _check_directory(file, archive.name, limits)
            with zipfile.ZipFile(file) as opened:
                wanted = _select_entries(opened.infolist(), archive.name, limits)
                for number, (name, entry) in enumerate(wanted.items()):
                    tell(number / len(wanted), name)
                    data = _read(opened, entry, archive.name)
                    try:
                        SUFFIXES[Path(name).suffix.lower()](data, f"{archive.name}, {name}")
                    except WaygridError as error:
                        if not skip_bad:
                            raise WaygridError(f"{error}; --skip-bad skips such files") from error
                        left_out[name] = str(error)
                        continue
                    _write(folder / name, data)
                    files[name] = len(data), hashlib.sha256(data).hexdigest()
    except (zipfile.BadZipFile, EOFError, struct.error, NotImplementedError, UnicodeDecodeError) as error:
        raise RefusedError(f"{archive.name} is not a valid zip archive: {reason(error)}") from error
    except OSError as error:
        raise WaygridError(f"cannot unpack {archive.name}: {reason(error)}") from error
    return Unpacked(files, left_out)


def _check_directory(file: IO[bytes], name: str, limits: Limits) -> None:
    """Refuse a list of contents that is too long, before the library makes an object of every entry.

    The record read here has to be the one that the library reads: that of an archive without comment at the very end,
    else the last one with any comment; and of the 64 bit form the record directly before its locator, whatever place
    the locator names.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 2**16 - _END_SIZE - _END64_PLACE_SIZE - _END64_SIZE))
    tail = file.read()
    at = len(tail) - _END_SIZE
    if at < 0 or tail[at : at + 4] != _END or tail[-2:] != b"\0\0":
        at = tail.rfind(_END)
    if at < 0 or len(tail) < at + _END_SIZE:
        raise RefusedError(f"{name} is not a zip archive, or its end is missing")
    (length,) = struct.unpack_from("<I", tail, at + 12)
    locator = at - _END64_PLACE_SIZE
    if locator >= 0 and tail[locator : locator + 4] == _END64_PLACE:
        length = _length64(tail, locator, size - len(tail), name)
    if length > limits.files * _BYTES_PER_ENTRY:
        raise RefusedError(f"{name}: a list of contents of {length} bytes; allowed are {limits.files} files")
    file.seek(0)


def _length64(tail: bytes, locator: int, before: int, name: str) -> int:
    """Return the length of the list of contents in its 64 bit record; `before`: bytes of the file before the tail."""
    at = locator - _END64_SIZE
    (place,) = struct.unpack_from("<Q", tail, locator + 8)
    if at < 0 or tail[at : at + 4] != _END64 or place != before + at:
        raise RefusedError(f"{name}: its list of contents is in the wrong place")
    (length,) = struct.unpack_from("<Q", tail, at + 40)
    return int(length)


def _select_entries(entries: list[zipfile.ZipInfo], archive: str, limits: Limits) -> dict[str, zipfile.ZipInfo]:
    """Return the entries to unpack, by their new names; refuse the archive if any entry is suspicious."""
    if len(entries) > limits.files:
        raise RefusedError(f"{archive} holds {len(entries)} files; allowed are {limits.files}")
    _check_overlap(entries, archive)
    wanted: dict[str, zipfile.ZipInfo] = {}
    seen: dict[str, str] = {}
    total = 0
    for entry in entries:
        name = _check_name(entry, archive)
        if entry.is_dir() or name.startswith(".") or "__MACOSX" in entry.filename.split("/"):
            continue  # what Macs add to archives begins with a dot
        if Path(name).suffix.lower() not in SUFFIXES:
            continue
        total += entry.file_size
        _check_entry(entry, archive, total, limits)
        # One of two names that differ by case only would be lost on some systems.
        if name.casefold() in seen:
            raise RefusedError(f"{archive} holds {seen[name.casefold()]!r} and {entry.filename!r}: the same name twice")
        seen[name.casefold()] = entry.filename
        wanted[name] = entry
    return wanted


def _check_overlap(entries: list[zipfile.ZipInfo], archive: str) -> None:
    """Refuse entries that share bytes: zip bombs use them."""
    end, last = 0, "the beginning"
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < end:
            raise RefusedError(f"{archive}: {last!r} and {entry.filename!r} share bytes")
        end, last = entry.header_offset + 30 + entry.compress_size, entry.filename


def _check_name(entry: zipfile.ZipInfo, archive: str) -> str:
    """Return the last part of an entry's name; a name that could lead out of the folder is refused."""
    path = entry.filename
    where = f"{archive}: {path[:200]!r}"
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise RefusedError(f"{where} is a link or a device; allowed are plain files")
    parts = path.removesuffix("/").split("/")
    # orig_filename: the library cuts names at a zero byte.
    if path.startswith("/") or ".." in parts or _FORBIDDEN.search(entry.orig_filename):
        raise RefusedError(f"{where} is a name that leads out of the folder or is not allowed on some systems")
    name = parts[-1]
    if not name or len(name.encode()) > 200 or name[-1] in ". " or _RESERVED.fullmatch(name):
        raise RefusedError(f"{where} is a name that is not allowed on some systems")
    return name


def _check_entry(entry: zipfile.ZipInfo, archive: str, total: int, limits: Limits) -> None:
    where = f"{archive}: {entry.filename!r}"
    if entry.flag_bits & 0x1:
        raise RefusedError(f"{where} is encrypted")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise RefusedError(f"{where} is packed by method {entry.compress_type}; allowed are 0 (stored) and 8 (deflate)")
    if entry.file_size > limits.single:
        raise RefusedError(f"{where} has {entry.file_size} bytes; allowed are {limits.single}")
    if entry.file_size > 10**6 and entry.file_size > limits.ratio * entry.compress_size:
        raise RefusedError(f"{where} unpacks to more than {limits.ratio} times its size, which no map does")
    if total > limits.total:
        raise RefusedError(f"{archive} unpacks to more than the {limits.total} bytes allowed")


def _read(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, archive: str) -> bytes:
    try:
        with opened.open(entry) as file:
            data = file.read(entry.file_size + 1)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        UnicodeDecodeError,  # the library reads the name once more, as strictly
    ) as error:
        raise RefusedError(f"{archive}: {entry.filename!r} is damaged: {reason(error)}") from error
    if len(data) != entry.file_size:
        raise RefusedError(f"{archive}: {entry.filename!r} is damaged: it has {len(data)} of {entry.file_size} bytes")
    return data


def _write(path: Path, data: bytes) -> None:
    """Write a file to the folder that is being unpacked; the other archive may have contained it already."""
    try:
        with open(path, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        if path.read_bytes() != data:
            raise WaygridError(f"{path.name} is in both archives, with different contents") from None
