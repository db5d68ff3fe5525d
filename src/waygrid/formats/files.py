"""Reads files with a size limit and writes them atomically."""

import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from waygrid.errors import WaygridError, show

PathLike = str | os.PathLike[str]

DEFAULT_LIMIT = 2**30
_PIECE = 2**20


def reason(error: Exception) -> str:
    """Return the system's error message, without number and path."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return text[:1].lower() + text[1:]


def read_bytes(path: PathLike, limit: int = DEFAULT_LIMIT) -> bytes:
    """Return all bytes of a file; a missing, unreadable or too large file raises a WaygridError.

    >>> read_bytes("/nowhere/a.map")
    Traceback (most recent call last):
    waygrid.errors.WaygridError: cannot read /nowhere/a.map: no such file or directory
    """
    if not isinstance(path, (str, os.PathLike)):  # a number would be taken for an open file
        raise WaygridError(f"{show(path)} is not a file name")
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            # The size of a sparse or hostile file is checked before memory is allocated.
            sparse = stat.S_ISREG(status.st_mode) and status.st_size > limit
            data = b"" if sparse else _read_up_to(file, limit + 1, status.st_size)
    except (OSError, ValueError) as error:
        raise WaygridError(f"cannot read {os.fspath(path)}: {reason(error)}") from error
    if len(data) > limit or (not data and status.st_size > limit):
        raise WaygridError(f"cannot read {os.fspath(path)}: it is larger than the {limit} bytes allowed")
    return data


def _read_up_to(file: BinaryIO, most: int, expected: int) -> bytes:
    """Return all bytes of a file up to so many; `file.read(most)` would first allocate all of them."""
    data = file.read(min(most, expected + 1))
    if len(data) <= expected or len(data) == most:
        return data
    parts, left = [data], most - len(data)  # a pipe, or a file that grows
    while left and (part := file.read(min(left, _PIECE))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def decode(data: bytes, name: str) -> str:
    """Decode UTF-8 text (a byte order mark is dropped); an error names the line of the first bad byte.

    >>> decode(b"ok\\n\\xff", "a.txt")
    Traceback (most recent call last):
    waygrid.errors.WaygridError: a.txt, line 2: not UTF-8 text (byte 0xff)
    """
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise WaygridError(f"{name}, line {line}: not UTF-8 text (byte 0x{data[error.start]:02x})") from error


def read_text(path: PathLike, limit: int = DEFAULT_LIMIT) -> str:
    """Return the text of a UTF-8 file, line ends unchanged."""
    return decode(read_bytes(path, limit), os.fspath(path))


def find_inside(folder: PathLike, name: str) -> Path | None:
    """Return the file that a name in a map stands for, None if it is neither in the folder nor below it.

    A downloaded map must not open files in other folders.

    >>> find_inside("/maps", "tiles/a.tsx"), find_inside("/maps", "../a.tsx")
    (PosixPath('/maps/tiles/a.tsx'), None)
    """
    inside = Path(os.path.realpath(folder))
    try:
        path = Path(os.path.realpath(inside / name.replace("\0", "")))
    except (OSError, ValueError):  # what the system does not take for a name, such as half of a character
        return None
    return path if path.is_relative_to(inside) else None


@contextmanager
def replacing(path: PathLike) -> Iterator[Path]:
    """Yield a temporary file that replaces ``path`` when the block ends without an error.

    The file is empty at first, and the block may open it several times. Readers of ``path`` see either the old or the
    new content. After an error the temporary file is removed, and the old content stays.
    """
    shown = os.fspath(path)
    try:
        target = Path(os.path.realpath(path))  # a link stays a link, what it points to is replaced
        if target.is_dir():
            raise WaygridError(f"cannot write {shown}: it is a directory")
        temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")
        # Opened with 0o666 and not by tempfile (0o600), so that the file gets the permissions of any other new file.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except (OSError, ValueError) as error:
        if isinstance(error, WaygridError):
            raise
        raise WaygridError(f"cannot write {shown}: {reason(error)}") from error
    try:
        try:
            yield temporary
            with open(temporary, "rb+") as file:
                os.fsync(file.fileno())
            with suppress(FileNotFoundError):
                os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
            os.replace(temporary, target)
        except OSError as error:
            raise WaygridError(f"cannot write {shown}: {reason(error)}") from error
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def write_atomically(path: PathLike, data: bytes) -> None:
    """Write a whole file at once: under a temporary name in the same folder, flushed to disk, then renamed."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)


if sys.platform == "win32":

    def lock(handle: int) -> None:
        """Lock an open file for this process; raises OSError if another process has locked it."""
        import msvcrt

        os.lseek(handle, 2**40, os.SEEK_SET)  # locked bytes cannot be read there: one behind all data
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:

    def lock(handle: int) -> None:
        """Lock an open file for this process; the system unlocks it when the process ends, in whatever way."""
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
