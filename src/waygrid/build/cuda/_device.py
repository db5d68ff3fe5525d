"""The decorators of all GPU code, and numba.cuda itself, imported in one place.

`cuda` must keep that name in every file that uses it: numba's simulator swaps the module of this name.
"""

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from waygrid.core.jit import CACHE_FOLDER, config
from waygrid.core.sources import source_hash

# numba-cuda 0.30 asks NumPy for names that NumPy 2.5 no longer has.
for _old, _new in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
    if not hasattr(np, _old) and hasattr(np, _new):
        setattr(np, _old, getattr(np, _new))

from numba import cuda as _cuda  # noqa: E402
from numba import types as _types  # noqa: E402

cuda: Any = _cuda
types: Any = _types

if TYPE_CHECKING:
    int32 = int64 = uint64 = int
else:
    from numpy import int32, int64, uint64

_CONFIGS = ("numba.cuda.core.config",)  # numba-cuda has settings of its own
Function = TypeVar("Function", bound=Callable[..., Any])

__all__ = ["cuda", "device", "int32", "int64", "kernel", "types", "uint64"]


def kernel(function: Callable[..., None]) -> Any:
    """Compile for the GPU on first use, kept on disk; launched as kernel[blocks, threads, stream, shared_bytes](...).

    The first flood starts after 0.5 s with the code on disk, of which most is the driver, and after 3 s without.
    """
    warnings.filterwarnings("ignore", ".*Grid size .* low occupancy")  # a build's last sources are few
    file = Path(function.__code__.co_filename).resolve()
    folder = "" if CACHE_FOLDER is None else str(CACHE_FOLDER / f"cuda.{file.stem}-{source_hash(file)[:16]}")
    configs = [config, *(sys.modules[name] for name in _CONFIGS if name in sys.modules)]
    before = [each.CACHE_DIR for each in configs]
    try:
        for each in configs:
            each.CACHE_DIR = folder
        return cuda.jit(function, cache=CACHE_FOLDER is not None)
    finally:
        for each, old in zip(configs, before, strict=True):
            each.CACHE_DIR = old


def device(function: Function) -> Function:
    """Compile as a part of kernels."""
    return cast(Function, cuda.jit(function, device=True))
