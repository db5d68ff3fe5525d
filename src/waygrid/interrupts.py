"""Ctrl-C on the command line: exit code 130 within a second, whatever the main thread is doing.

Python raises KeyboardInterrupt between two instructions of the main thread. A compiler that works for seconds does not
get there, and one that calls back into Python swallows the exception or turns it into another. So a thread watches as
well. The signal handler of the system wakes it at once. It ends the process if the main thread does not do so in time.

Files are written under a temporary name and renamed, stores are transactional, and the file of an unfinished build can
be read up to its last complete record. So ending the process loses no saved data. Code that must save something after
an interrupt uses `saving`, and the thread waits for it. Other programs that import waygrid are not affected.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread, current_thread, main_thread
from typing import Any

INTERRUPTED = 130  # the exit code
LEAVE_S = 0.4  # what the main thread has to end by itself
AGAIN_S = 0.5  # a second Ctrl-C after this ends the process at once; one that comes sooner is the same one, sent twice
_TICK_S = 0.05


class _Watch:
    """The thread that watches for Ctrl-C, and its state."""

    def __init__(self) -> None:
        self.interrupted = False
        self.ended = False  # the command has said what there is to say, and the interpreter is on its way out
        self._raised = False
        self.postponed = 0  # blocks that KeyboardInterrupt may not leave halfway
        self.late = False  # it is to be raised behind them
        self._ears, self._mouth = socket.socketpair()
        self._mouth.setblocking(False)

    def start(self) -> None:
        """Let the system's handler wake the thread, and Python's raise KeyboardInterrupt once."""
        signal.signal(signal.SIGINT, self._raise)
        signal.set_wakeup_fd(self._mouth.fileno(), warn_on_full_buffer=False)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))
        sys.unraisablehook = self._unless_interrupted(sys.unraisablehook)
        Thread(target=self._run, name="waygrid-interrupts", daemon=True).start()

    def _raise(self, number: int, frame: Any) -> None:
        first, self._raised = not self._raised, True
        self.interrupted = True
        if first and not self.ended and not _saving:
            self.late = self.postponed > 0
            if not self.late:
                raise KeyboardInterrupt

    def _unless_interrupted(self, hook: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return a hook that hides errors that follow from an interrupt, such as those in callbacks of the compiler."""

        def report(problem: Any) -> None:
            if not self.interrupted:
                hook(problem)

        return report

    def _run(self) -> None:
        while self._hear() != signal.SIGINT:
            pass
        self.interrupted = True
        began = last = time.monotonic()
        self._ears.settimeout(_TICK_S)
        while True:
            with suppress(TimeoutError):
                if self._hear() == signal.SIGINT and time.monotonic() - began > AGAIN_S:
                    break
            if _saving:
                last = time.monotonic()
            elif time.monotonic() - last > LEAVE_S:
                break
        self._leave()

    def _hear(self) -> int:
        return self._ears.recv(1)[0]

    def _leave(self) -> None:
        """End the process. The main thread may hold any lock: nothing here waits for one."""
        with suppress(Exception):
            end_children()
        with suppress(Exception):
            if os.isatty(2):
                os.write(2, b"\x1b[?25h\n")  # a progress bar has hidden the cursor
            if not self.ended:
                os.write(2, f"waygrid: {_explanations[-1]}\n".encode())
        os._exit(INTERRUPTED)


_watch: _Watch | None = None
_saving: set[object] = set()  # blocks that the thread waits for
_explanations = ["interrupted"]


def watch() -> None:
    """Watch for Ctrl-C until the process ends; called once, by the command line, on the main thread.

    If the process was started with Ctrl-C disabled, it stays disabled.
    """
    global _watch
    if _watch is None and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        _watch = _Watch()
        _watch.start()


def interrupted() -> bool:
    """Return whether Ctrl-C came while the command line watched for it."""
    return _watch is not None and _watch.interrupted


def end() -> None:
    """Mark the command as done, so that the exit of the interpreter is not disturbed."""
    if _watch is not None:
        _watch.ended = True


@contextmanager
def saving() -> Iterator[None]:
    """Let a block that saves data finish before an interrupt ends the process.

    >>> with saving():
    ...     kept = [1, 2, 3]
    """
    block = object()
    _saving.add(block)
    try:
        yield
    finally:
        _saving.discard(block)


@contextmanager
def postponing() -> Iterator[None]:
    """Let a block of the main thread end before KeyboardInterrupt is raised; one that takes long ends with the process.

    LLVM's objects know their owner a step later than they have one: left in between, the compiler frees them twice.

    >>> with postponing():
    ...     kept = [1, 2, 3]
    """
    watch = _watch if current_thread() is main_thread() else None
    if watch is None:
        yield
        return
    watch.postponed += 1
    try:
        yield
    finally:
        watch.postponed -= 1
    if watch.late and not watch.postponed:
        watch.late = False
        raise KeyboardInterrupt


@contextmanager
def explaining(words: str) -> Iterator[None]:
    """Print these words if an interrupt ends the process while the block runs."""
    _explanations.append(words)
    try:
        yield
    finally:
        _explanations.pop()


@contextmanager
def unwatched() -> Iterator[None]:
    """Let the block handle Ctrl-C itself."""
    if _watch is None:
        yield
        return
    handler, fd = signal.signal(signal.SIGINT, signal.default_int_handler), signal.set_wakeup_fd(-1)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        signal.set_wakeup_fd(fd, warn_on_full_buffer=False)


def end_children() -> None:
    """End the worker processes, which would otherwise keep running."""
    processes = sys.modules.get("multiprocessing")
    if processes is not None:
        for child in processes.active_children():
            child.kill()
