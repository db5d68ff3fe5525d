"""Nanoseconds from inside compiled code."""

import platform
import sys
import time
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from waygrid.core.jit import Array, config, jit
from waygrid.core.layout import CLOCK, CTL_SIZE

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


# Two looks at the clock of the system for each query would be felt where a query takes 1 us. The processor's own
# counter takes 8 to 10 ns. On x86 it runs at one speed whatever the clock rate; elsewhere a program may not read it.
COUNTER = platform.machine().lower() in ("x86_64", "amd64") and not config.DISABLE_JIT
_CALIBRATION_S = 0.01

if COUNTER:

    def _read_counter(typing: Any) -> Any:
        """Return the processor's counter of cycles."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = ir.FunctionType(ir.IntType(64), ())
            return builder.call(builder.module.declare_intrinsic("llvm.readcyclecounter", (), kind), ())

        return types.int64(), generate

    _counter: Any = intrinsic(_read_counter)

    @jit
    def ticks(ctl) -> int:
        """Return the quickest clock there is, never 0; `ns_per_tick` says what its numbers mean."""
        return _counter()

else:
    ticks = now


@jit
def _both(ctl, read) -> None:
    read[0], read[1] = now(ctl), ticks(ctl)


@cache
def ns_per_tick() -> float:
    """Return the nanoseconds of a tick, measured once.

    >>> 0.01 < ns_per_tick() < 100
    True
    """
    if not COUNTER:
        return 1.0
    ctl, first, last = np.zeros(CTL_SIZE, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    _both(ctl, first)  # compiled by now
    _both(ctl, first)
    time.sleep(_CALIBRATION_S)
    _both(ctl, last)
    # Where compiled code has no clock of the system but a counter (Windows), Python's own will do.
    if not AVAILABLE:
        return _by_python(ctl, first, last)
    return float((last[0] - first[0]) / (last[1] - first[1]))


def _by_python(ctl: Array, first: Array, last: Array) -> float:
    began = time.perf_counter_ns()
    _both(ctl, first)
    time.sleep(2 * _CALIBRATION_S)
    _both(ctl, last)
    return float((time.perf_counter_ns() - began) / (last[1] - first[1]))
