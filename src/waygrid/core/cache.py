"""Where compiled kernels are kept: one folder per module, named by a hash of everything that its machine code is from.

Numba's own cache compares the path and the time stamp of the one file that a function stands in. A change in an
imported kernel would go unnoticed by its cached callers, and a second checkout of the same sources would compile
everything again. Here the key is the content: of the module and of all modules of the package that it imports, of the
versions that compile, and of the settings. So an edit compiles what depends on it again, and nothing else.
"""

import hashlib
import os
import pickle
import platform
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import caching

from waygrid.core.code_time import counting_code_time
from waygrid.folders import cache_home

_caching: Any = caching  # without types of its own
PACKAGE = Path(__file__).parent.parent
_THIS = Path(__file__)
_DAMAGED = (EOFError, pickle.UnpicklingError)  # cut short by a full disk or a power cut
_INNER = ("waygrid", "numba", "importlib", "_frozen_importlib", "contextlib")
_IMPORT = re.compile(r"^\s*(?:from\s+(waygrid[\w.]*)\s+import\s+(\([^)]*\)|[^\n]*)|import\s+(waygrid[\w.]*))", re.M)


def _file_of(module: str) -> Path | None:
    """Return the file of a module of the package, None where the name is none."""
    place = PACKAGE.parent.joinpath(*module.split("."))
    for file in (place.with_suffix(".py"), place / "__init__.py"):
        if file.is_file():
            return file
    return None


def _imports(source: str) -> set[Path]:
    """Return the files of the package that a source imports, in functions too."""
    found = set()
    for module, names, plain in _IMPORT.findall(source):
        names = re.sub(r"\bas\s+\w+", "", names)  # another name for it here may be the name of another module
        listed = [f"{module}.{name}" for name in re.findall(r"\w+", names)] if module else []
        found |= {file for name in (module or plain, *listed) if (file := _file_of(name)) is not None}
    return found


@cache
def _resolve(file: str) -> Path:
    return Path(file).resolve()


@cache
def _read(file: Path) -> tuple[bytes, frozenset[Path]]:
    source = file.read_bytes()
    return hashlib.sha256(source).digest(), frozenset(_imports(source.decode()))


def sources_of(file: Path) -> set[Path]:
    """Return a source file and all files of the package that it imports, directly or not.

    This file is left out, with what only it imports: it says where machine code is kept, not what it is.
    """
    found, waiting = {file}, [file]
    while waiting:
        new = _read(waiting.pop())[1] - found - {_THIS}
        found |= new
        waiting += new
    return found


@cache
def source_hash(*files: Path) -> str:
    """Return a hash of all sources of the machine code of files."""
    digest = hashlib.sha256()
    for digests in sorted(_read(one)[0] for one in set().union(*map(sources_of, files))):
        digest.update(digests)
    return digest.hexdigest()


def versions_hash(*settings: object) -> str:
    """Return a hash of the versions that turn sources into machine code, and of settings."""
    versions = (numba.__version__, np.__version__, llvmlite.__version__, platform.python_version(), *settings)
    return hashlib.sha256(repr(versions).encode()).hexdigest()[:16]


def writable_folder(*settings: object) -> Path | None:
    """Return the folder that kernels compiled with these settings are kept in, None where it cannot be written."""
    try:
        folder = cache_home() / "kernels" / versions_hash(*settings)
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except (OSError, RuntimeError) as error:  # RuntimeError: no home folder is known
        warn_caller(
            f"no cache folder can be written ({error}): every process compiles its kernels again; "
            "set WAYGRID_CACHE to a folder that can be written"
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


class _Place:
    """What Numba calls a locator: where the kernels of one module are kept, and what they were compiled from."""

    def __init__(self, function: Callable[..., Any], folder: Path, sources: Sequence[Path]) -> None:
        self._py_file = function.__code__.co_filename  # read by Numba's warnings
        files = {_resolve(str(sys.modules[function.__module__].__file__)), *(_resolve(str(file)) for file in sources)}
        self._stamp = source_hash(*sorted(files))
        self._folder = folder / f"{function.__module__.partition('.')[2]}-{self._stamp[:16]}"
        self._line = function.__code__.co_firstlineno

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Results(_caching.CompileResultCacheImpl):  # type: ignore[misc]
    """How compiled functions become bytes: Numba's way, in our place."""

    def __init__(self, function: Callable[..., Any], folder: Path, sources: Sequence[Path]) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Place(function, folder, sources)
        self._filename_base = self.get_filename_base(function.__qualname__, getattr(sys, "abiflags", ""))


class _Files:
    """One file per function and signature, so that processes that compile at the same time lose nothing of each other.

    Numba lists all signatures of a function in one index, which the last writer overwrites.
    """

    def __init__(self, folder: Path, base: str) -> None:
        self._folder = folder
        self._base = base

    def file_of(self, key: Any) -> Path:
        signature, processor, _ = key  # the third is a hash of the function, for which the folder's name stands
        return (
            self._folder / f"{self._base}-{hashlib.sha256(repr((signature, processor)).encode()).hexdigest()[:16]}.nbc"
        )

    def load(self, key: Any) -> Any:
        file = self.file_of(key)
        try:
            return pickle.loads(file.read_bytes())
        except FileNotFoundError:
            return None

    def save(self, key: Any, data: Any) -> None:
        file = self.file_of(key)
        handle, draft = tempfile.mkstemp(dir=self._folder, prefix=file.name)
        try:
            with open(handle, "wb") as out:
                out.write(_caching.dumps(data))
            os.replace(draft, file)
        except BaseException:
            with suppress(OSError):
                os.unlink(draft)
            raise


class KernelCache(_caching.FunctionCache):  # type: ignore[misc]
    """The machine code of one function on disk. A cache that fails is left aside, with one warning."""

    def __init__(self, function: Callable[..., Any], folder: Path, sources: Sequence[Path] = ()) -> None:
        self._impl_class = lambda function: _Results(function, folder, sources)
        super().__init__(function)
        self._cache_file = _Files(Path(self._cache_path), self._impl.filename_base)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature, None where there is nothing that can be read."""
        with counting_code_time(), suppress(OSError, *_DAMAGED):
            return super().load_overload(sig, target_context)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, where that is possible."""
        if KernelCache.failed:
            return
        try:
            with counting_code_time():
                super().save_overload(sig, data)
        except OSError as error:
            KernelCache.failed = True
            warn_caller(
                f"compiled kernels cannot be kept ({error}): every process compiles them again; "
                "set WAYGRID_CACHE to a folder with room"
            )

    failed = False  # of this process: one warning is enough
