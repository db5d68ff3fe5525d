"""How long the process has spent on machine code: compiling it, or reading it from the cache.

Times of builds leave this out: it is paid once on a machine, or once in a process, and says nothing about the map.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from numba.core import event

_event: Any = event  # without types of its own


class _Clock:
    """Runs while any thread makes code: the others wait for the compiler then, which works for one at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._makers = 0
        self._since = self._seconds = 0.0

    def start(self) -> None:
        with self._lock:
            if self._makers == 0:
                self._since = time.perf_counter()
            self._makers += 1

    def stop(self) -> None:
        with self._lock:
            self._makers -= 1
            if self._makers == 0:
                self._seconds += time.perf_counter() - self._since

    def read(self) -> float:
        with self._lock:
            return self._seconds + (time.perf_counter() - self._since if self._makers else 0.0)


_clock = _Clock()


@contextmanager
def counting_code_time() -> Iterator[None]:
    """Count the time of the block as time spent on code; blocks may be nested and run on several threads."""
    _clock.start()
    try:
        yield
    finally:
        _clock.stop()


def code_seconds() -> float:
    """Return the seconds that this process has spent on code so far.

    >>> before = code_seconds()
    >>> with counting_code_time():
    ...     total = sum(range(1000))
    >>> code_seconds() > before
    True
    """
    return _clock.read()


class _Compiler(_event.Listener):  # type: ignore[misc]
    """Starts and stops the clock with Numba's compiler."""

    def on_start(self, event: Any) -> None:
        _clock.start()

    def on_end(self, event: Any) -> None:
        _clock.stop()


_event.register("numba:compile", _Compiler())
