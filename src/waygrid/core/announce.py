"""Say that something is compiled, where that takes a while: `compiling jps+gb, once: 5 of 9 kernels`.

A terminal and a notebook see one line, which goes away when it is done. Everybody else can listen to the logger
`waygrid`, at INFO.
"""

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, ModuleType
from typing import Any, TextIO

QUIET_S = 0.5  # of compiling for one purpose; what takes less is not worth a line
_APART_S = 5.0  # without compiling: what comes then is announced anew
_log = logging.getLogger("waygrid")

show: Callable[[str], None] | None = None
"""Where a program has a progress display of its own: shows the line instead; called with "" when it is done."""


def _names(code: CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*map(_names, inner))


def list_callees(kernel: Any) -> set[Any]:
    """Return a kernel and all kernels that it calls, directly or not."""
    found, waiting = {kernel}, [kernel]
    while waiting:
        function = waiting.pop().py_func
        names = _names(function.__code__)
        values = [value for name in names if (value := function.__globals__.get(name)) is not None]
        for module in [value for value in values if isinstance(value, ModuleType)]:
            values += [value for name in names if (value := getattr(module, name, None)) is not None]
        new = {value for value in values if isinstance(value, type(kernel))} - found
        found |= new
        waiting += new
    return found


def _name_purpose(kernel: Any) -> str:
    """Return the name of the algorithm that asked for a kernel, else the module of the kernel."""
    frame = sys._getframe(1)
    while frame is not None:
        info = getattr(frame.f_locals.get("self"), "info", None)
        name = frame.f_locals.get("name") if frame.f_code.co_name == "make_finder" else getattr(info, "name", None)
        if isinstance(name, str) and frame.f_globals.get("__name__", "").startswith("waygrid."):
            return name
        frame = frame.f_back  # type: ignore[assignment]
    return str(kernel.py_func.__module__.rpartition(".")[2])


def find_screen() -> TextIO | None:
    """Return where a person would see a line: a terminal, or the output of a notebook's cell."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if type(shell).__name__ == "ZMQInteractiveShell":
        return sys.stdout
    return sys.stderr if sys.stderr is not None and sys.stderr.isatty() else None


class _Line:
    """The line, while kernels are compiled for one purpose. The compiler works for one thread at a time."""

    def __init__(self) -> None:
        self.purpose = ""
        self.kernels: set[Any] = set()
        self.done: set[Any] = set()
        self.seconds = self.ended = 0.0
        self.width = 0

    def begin(self, kernel: Any) -> None:
        purpose = _name_purpose(kernel)
        if purpose != self.purpose or time.perf_counter() - self.ended > _APART_S:
            self.__init__()  # type: ignore[misc]
            self.purpose = purpose
        self.kernels |= list_callees(kernel)
        self.began = time.perf_counter()

    def write(self) -> None:
        if self.seconds + time.perf_counter() - self.began >= QUIET_S:
            self._show(f"compiling {self.purpose}, once: {len(self.done) + 1} of {len(self.kernels)} kernels")

    def _show(self, text: str) -> None:
        if show is not None:
            show(text)
            return
        screen = find_screen()
        if screen is not None and (text or self.width):
            screen.write("\r" + text.ljust(self.width) + ("" if text else "\r"))
            screen.flush()
        self.width = len(text)

    def end(self, kernel: Any) -> None:
        self._show("")
        self.ended = time.perf_counter()
        took = self.ended - self.began
        self.seconds += took
        self.done |= list_callees(kernel)
        if took >= QUIET_S:
            name = f"{kernel.py_func.__module__}.{kernel.py_func.__name__}"
            _log.info("compiled %s for %s in %.1f s, once", name, self.purpose, took)


_line = _Line()


@contextmanager
def announce(kernel: Any, callee: bool) -> Iterator[None]:
    """Report while a kernel is compiled. callee: within another one, whose line is up to date then."""
    if not callee:
        _line.begin(kernel)
    try:
        _line.write()
        yield
        _line.done.add(kernel)
    finally:
        if not callee:
            _line.end(kernel)
