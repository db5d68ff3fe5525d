"""The one decorator of all compiled loops: policy in one place.

Machine code is cached on disk in a folder named by a hash of every kernel source and of the versions that compiled it.
Numba itself only looks at the file of the function it loads, so a change in an imported kernel would otherwise go
unnoticed by its cached callers.
"""

import hashlib
import os
import platform
import tempfile
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba import njit

from waygrid.folders import cache_home
from waygrid.kernels._types import Array, int64

__all__ = ["Array", "int64", "jit"]

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = numba.config  # its settings are made at run time, unseen by type checkers
BOUNDS_CHECK = os.environ.get("WAYGRID_BOUNDSCHECK", "0") == "1"


def _fingerprint() -> str:
    """Hash every kernel source together with the versions that turn it into machine code."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.name.encode() + source.read_bytes())
    versions = (numba.__version__, np.__version__, llvmlite.__version__, platform.python_version(), BOUNDS_CHECK)
    digest.update(repr(versions).encode())
    return digest.hexdigest()[:16]


def _writable_cache() -> str | None:
    try:
        folder = cache_home() / _fingerprint()
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except (OSError, RuntimeError):  # RuntimeError: no home folder is known
        return None
    return str(folder)


CACHE_FOLDER = _writable_cache()
_setting = Lock()


def jit(function: Function) -> Function:
    """Compile lazily, without the interpreter lock, kept on disk where a folder can be written."""
    # Threads that import kernels at a time would change the setting under each other, and write to where they stand.
    with _setting:
        before = config.CACHE_DIR
        config.CACHE_DIR = (
            CACHE_FOLDER or ""
        )  # read by Numba while it decorates; other libraries keep their own setting
        try:
            # error_model: a division by zero is not looked for; widths are never zero.
            decorate = njit(nogil=True, error_model="numpy", boundscheck=BOUNDS_CHECK, cache=CACHE_FOLDER is not None)
            return cast(Function, decorate(function))
        finally:
            config.CACHE_DIR = before
