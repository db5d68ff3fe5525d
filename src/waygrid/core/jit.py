"""The one decorator of all compiled loops: policy in one place."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import njit

from waygrid.core.cache import KernelCache, writable_folder
from waygrid.core.types import Array, int64

__all__ = ["Array", "int64", "jit"]

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = numba.config  # its settings are made at run time, unseen by type checkers
BOUNDS_CHECK = os.environ.get("WAYGRID_BOUNDSCHECK", "0") == "1"
CACHE_FOLDER = None if config.DISABLE_JIT else writable_folder(BOUNDS_CHECK)


def jit(function: Function, sources: Sequence[Path] = ()) -> Function:
    """Compile lazily, without the interpreter lock, kept on disk where a folder can be written.

    sources: the files that a function was written from by a template; by default the one that it stands in.
    """
    # error_model: a division by zero is not looked for; widths are never zero.
    compiled: Any = njit(nogil=True, error_model="numpy", boundscheck=BOUNDS_CHECK)(function)
    if CACHE_FOLDER is not None:
        compiled._cache = KernelCache(function, CACHE_FOLDER, sources)
    return cast(Function, compiled)
