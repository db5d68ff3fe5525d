"""Where compiled kernels are kept: in the package's pack, or in the user's cache, one folder per module.

The name of a folder is a hash of everything that its machine code is from, see `sources`. Numba lists all signatures of
a function in one index, which the last writer overwrites; here each has a file, so that processes that compile at the
same time lose nothing of each other.
"""

import hashlib
import os
import pickle
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba.core import caching

from waygrid.core.code_time import counting_code_time
from waygrid.core.compiler import is_callee, pack_result, unpack_result
from waygrid.core.pack import find_pack, name_processor
from waygrid.core.sources import name_module, versions_hash
from waygrid.folders import cache_home

try:
    import fcntl
except ImportError:  # Windows: processes that need a kernel at the same time compile it each
    fcntl = None  # type: ignore[assignment]

_caching: Any = caching  # without types of its own
_DAMAGED = (EOFError, pickle.UnpicklingError)  # cut short by a full disk or a power cut
KERNEL, CALLEE = ".kernel", ".callee"  # what Python calls, and what only kernels call
_INNER = ("waygrid", "numba", "importlib", "_frozen_importlib", "contextlib")


def find_writers(folder: Path) -> str:
    """Return who else may write to a folder, or replace it: a clause for a warning, empty where nobody may."""
    if os.name == "nt":
        return ""
    own = (0, os.getuid())
    for place in (folder, *folder.parents):
        facts = place.stat()
        sticky = bool(facts.st_mode & stat.S_ISVTX) and place != folder  # there, entries belong to their owners
        if facts.st_uid not in own:
            return f"{place} belongs to another user"
        if facts.st_mode & stat.S_IWOTH and not sticky:
            return f"every user may write to {place}"
        # Where each user has a group of his own, files are often writable by that group.
        if facts.st_mode & stat.S_IWGRP and not sticky and facts.st_gid not in (0, facts.st_uid):
            return f"a group of users may write to {place}"
    return ""


def writable_folder(*settings: object) -> Path | None:
    """Return the folder that kernels compiled with these settings are kept in, None where it cannot be used."""
    again = "every process compiles its kernels again; set WAYGRID_CACHE to a folder"
    try:
        home = cache_home().absolute()
        folder = home / "kernels" / versions_hash(*settings)
        home.mkdir(parents=True, exist_ok=True)
        for each in (folder.parent, folder):
            each.mkdir(mode=0o700, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        writers = find_writers(folder.resolve())
    except (OSError, RuntimeError) as error:  # RuntimeError: no home folder is known
        warn_caller(f"no cache folder can be written ({error}): {again} that can be written")
        return None
    if writers:
        warn_caller(
            f"the cache of compiled kernels is not used, since it is executed and {writers}: {again} of your own"
        )
        return None
    return folder


def warn_caller(message: str) -> None:
    """Warn at the line outside of the package, and of what compiles for it, that led here."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _INNER:
        frame = frame.f_back
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    module = frame.f_globals.get("__name__", "<unknown>")
    warnings.warn_explicit(message, RuntimeWarning, frame.f_code.co_filename, frame.f_lineno, module, registry)


@cache
def _processor() -> str:
    return _hash(name_processor())[:8]


def _hash(*values: object) -> str:
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


class KernelCache(_caching._Cache):  # type: ignore[misc]
    """The compiled code of one function on disk. A cache that fails is left aside, with one warning."""

    failed = False  # of this process: one warning is enough
    compiled = 0  # functions, by this process

    def __init__(self, function: Callable[..., Any], folder: Path | None, sources: Sequence[Path] = ()) -> None:
        self._function = function
        self._module = name_module(function, sources)
        self._folder = None if folder is None else folder / self._module
        self._base = f"{function.__qualname__}-{function.__code__.co_firstlineno}"

    @property
    def cache_path(self) -> str:
        """The folder of the function's module."""
        return str(self._folder)

    def enable(self) -> None:
        """Do nothing: the cache is always used."""

    def disable(self) -> None:
        """Do nothing: the cache is always used."""

    def flush(self) -> None:
        """Forget what was compiled, for Numba's `recompile`."""
        for file in [] if self._folder is None else self._folder.glob(f"{self._base}-*"):
            file.unlink(missing_ok=True)

    def entry_of(self, sig: Any) -> str:
        """Return the name of a signature's code in a pack, whatever processor it is for."""
        return f"{self._module}/{self._base}-{_hash(sig)}"

    def _file(self, sig: Any) -> Path | None:
        """Return the file of a signature's code: for this processor, for Python or for kernels."""
        if self._folder is None:
            return None
        kind = CALLEE if is_callee() else KERNEL
        return self._folder.parent / f"{self.entry_of(sig)}-{_processor()}{kind}"

    def _read(self, sig: Any) -> bytes | None:
        if not is_callee() and (pack := find_pack()) is not None:
            code = pack.read(self.entry_of(sig))
            if code is not None:
                return code
        file = self._file(sig)
        try:
            return None if file is None else file.read_bytes()
        except FileNotFoundError:
            return None

    def holds(self, sig: Any) -> bool:
        """Return True where code for a signature can be loaded."""
        if not is_callee() and (pack := find_pack()) is not None and self.entry_of(sig) in pack:
            return True
        file = self._file(sig)
        return file is not None and file.exists()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature, None where there is nothing that can be read."""
        with counting_code_time(), suppress(OSError, *_DAMAGED):
            target_context.refresh()
            code = self._read(sig)
            return None if code is None else unpack_result(target_context, pickle.loads(code))
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, where that is possible."""
        KernelCache.compiled += 1
        file = self._file(sig)
        if KernelCache.failed or file is None or data.library.has_dynamic_globals:
            return
        try:
            with counting_code_time():
                _write(file, _caching.dumps(pack_result(data)))
        except OSError as error:
            KernelCache.failed = True
            warn_caller(
                f"compiled kernels cannot be kept ({error}): every process compiles them again; "
                "set WAYGRID_CACHE to a folder with room"
            )

    @contextmanager
    def locked(self, sig: Any) -> Iterator[None]:
        """Keep other processes from compiling the same at the same time; they wait, and find it on disk.

        One byte of one file stands for each signature. Kernels call each other in no circle, so nobody waits for ever.
        """
        file = self._file(sig)
        if file is None or fcntl is None:
            yield
            return
        handle, byte = _lock_file(file.parent.parent), int(_hash(file.name), 16) >> 2
        with suppress(OSError):  # a file system without locks
            fcntl.lockf(handle, fcntl.LOCK_EX, 1, byte)
        try:
            yield
        finally:
            with suppress(OSError):
                fcntl.lockf(handle, fcntl.LOCK_UN, 1, byte)


def count_compiled() -> int:
    """Return how many kernels, with what they call, this process has compiled so far."""
    return KernelCache.compiled


_lock_files: dict[Path, int] = {}


def _lock_file(folder: Path) -> int:
    """Return the open file whose bytes are locked. It stays open: to close it gives up every lock of the process."""
    if folder not in _lock_files:
        _lock_files[folder] = os.open(folder / "locks", os.O_RDWR | os.O_CREAT, 0o600)
    return _lock_files[folder]


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(exist_ok=True, mode=0o700)
    handle, draft = tempfile.mkstemp(dir=file.parent, prefix=file.name)
    try:
        with open(handle, "wb") as out:
            out.write(content)
        os.replace(draft, file)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise
