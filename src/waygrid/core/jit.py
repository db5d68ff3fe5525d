"""The one decorator of all compiled loops: policy in one place."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

from waygrid.core.cache import KernelCache, writable_folder
from waygrid.core.compiler import Kernel
from waygrid.core.types import Array, int64

__all__ = ["Array", "int64", "jit"]

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = numba.config  # its settings are made at run time, unseen by type checkers
BOUNDS_CHECK = os.environ.get("WAYGRID_BOUNDSCHECK", "0") == "1"
CACHE_FOLDER = None if config.DISABLE_JIT else writable_folder(BOUNDS_CHECK)
# error_model: a division by zero is not looked for; widths are never zero.
_OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "boundscheck": BOUNDS_CHECK}


def jit(function: Function, sources: Sequence[Path] = ()) -> Function:
    """Compile lazily, without the interpreter lock; load from the package's pack or the user's cache where possible.

    sources: the files that a function was written from by a template; by default the one that it stands in.
    """
    if config.DISABLE_JIT:
        return function
    kernel = Kernel(function, _OPTIONS)
    kernel._cache = KernelCache(function, CACHE_FOLDER, sources)
    return cast(Function, kernel)
