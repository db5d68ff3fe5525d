"""Nanoseconds from inside compiled code."""

import sys
import time
from typing import Any

from numba import types

from waygrid.kernels._jit import Array, config, jit
from waygrid.kernels.layout import CLOCK

# The C library's clock is found by its symbol's name: a ctypes pointer would make every caller uncacheable. A reading
# costs 24 ns. Where the name is unknown, time limits are refused (see finders.base).
AVAILABLE = sys.platform in ("linux", "darwin")
_MONOTONIC = 6 if sys.platform == "darwin" else 1

if config.DISABLE_JIT:

    def now(ctl: Array) -> int:
        """Return the monotonic clock in nanoseconds."""
        return time.monotonic_ns()

elif AVAILABLE:
    _clock_gettime: Any = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.voidptr))

    @jit
    def now(ctl: Array) -> int:
        """Return the monotonic clock in nanoseconds, the same clock as `time.monotonic_ns`."""
        _clock_gettime(_MONOTONIC, ctl[CLOCK : CLOCK + 2].ctypes)
        return int(ctl[CLOCK] * 1_000_000_000 + ctl[CLOCK + 1])

else:

    @jit
    def now(ctl: Array) -> int:
        """Return 0: there is no clock that compiled code can reach here."""
        return 0
