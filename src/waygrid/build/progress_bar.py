"""Elapsed time, progress and time left of a build.

Progress is reported to a function, or shown as a bar on standard error.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from waygrid.core import announce
from waygrid.core.code_time import code_seconds

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

Progress: TypeAlias = Callable[[int, int, float | None], Any]
"""Receives the sources done, all sources, and the seconds left, or None while unknown."""

TELL_S = 0.1  # between two calls of a progress function
SHOW_S = 0.5  # a build that takes less shows no bar
_WINDOW_S = 15.0  # of the past that the time left is estimated from
_KNOWN_S = 0.3


class Stopwatch:
    """The build time in seconds: without compiling and loading code, with the earlier part of a resumed build.

    Code is compiled once on a machine and loaded once in a process, so its time does not depend on the map.

    >>> watch = Stopwatch()
    >>> watch.earlier = 60.0
    >>> 60 < watch.seconds < 120
    True
    """

    def __init__(self) -> None:
        self.earlier = 0.0
        self.start()

    def start(self) -> None:
        """Count from now on."""
        self._began, self._code = time.perf_counter(), code_seconds()

    def resume(self, seconds: float) -> None:
        """Count the time in the file of an earlier part; where there are several, the last one includes the others."""
        self.earlier = max(self.earlier, seconds)

    @property
    def seconds(self) -> float:
        """The time so far."""
        return self.earlier + max(0.0, time.perf_counter() - self._began - (code_seconds() - self._code))


class Meter:
    """Counts sources and reports progress, on the thread that builds."""

    def __init__(self, progress: bool | Progress | None, total: int, done: int) -> None:
        self._report = _make_report(progress)
        self._total, self.done = total, done
        self._reported = -1e9
        self._past: deque[tuple[float, int]] = deque([(time.perf_counter(), done)])

    def add(self, sources: int) -> None:
        """Count more sources; with 0, only update the time."""
        self.done += sources
        now = time.perf_counter()
        if self._report is None or now - self._reported < TELL_S:
            return
        self._reported = now
        while len(self._past) > 1 and now - self._past[0][0] > _WINDOW_S:
            self._past.popleft()
        before, done = self._past[0]
        left = None
        if self.done > done and now - before > _KNOWN_S:
            left = (self._total - self.done) * (now - before) / (self.done - done)
        self._past.append((now, self.done))
        self._report(self.done, self._total, left)

    def finish(self) -> None:
        """Report that all is done."""
        if self._report is not None:
            self._report(self._total, self._total, 0.0)

    def close(self) -> None:
        """Remove the bar; also after an error."""
        if isinstance(self._report, (_Bar, _Part)):
            self._report.close()


def split_progress(progress: bool | Progress | None, totals: Sequence[int]) -> list[Progress | None]:
    """Return what each of several sweeps reports to that make one index: together they count all sources once.

    totals: the sources of each sweep.

    >>> first, second = split_progress(lambda *now: print(now), [4, 6])
    >>> first(4, 4, 0.0), second(3, 6, 9.0), second(6, 6, 0.0)
    (4, 10, None)
    (7, 10, 9.0)
    (10, 10, 0.0)
    (None, None, None)
    """
    report, begins = _make_report(progress), [sum(totals[:number]) for number in range(len(totals))]
    return [None if report is None else _Part(report, begin, sum(totals)) for begin in begins]


def _make_report(progress: bool | Progress | None) -> Progress | None:
    return progress if callable(progress) else _Bar() if progress else None


class _Part:
    """Reports one of several sweeps as a part of all."""

    def __init__(self, report: Progress, begin: int, total: int) -> None:
        self._report, self._begin, self._total = report, begin, total

    def __call__(self, done: int, total: int, left: float | None) -> None:
        later = self._total - self._begin - total
        if later and left is not None:  # as if the other sweeps took as long for a source
            left = left * (1 + later / (total - done)) if done < total else None
        self._report(self._begin + done, self._total, left)

    def close(self) -> None:
        """Remove the bar."""
        if isinstance(self._report, _Bar):
            self._report.close()


class _Bar:
    """A bar with percentage, elapsed time and time left, shown after a moment and only on a terminal."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._bar: Bar | None = None

    def __call__(self, done: int, total: int, left: float | None) -> None:
        if self._bar is None:
            if done == total or time.perf_counter() - self._began < SHOW_S or not sys.stderr.isatty():
                return
            announce.show = lambda text: None  # two lines that move would disturb each other
            self._bar = self._make_bar()
            self._task = self._bar.add_task("building", total=total, completed=done, left="")
            self._bar.tasks[0].start_time = self._bar.get_time() - (time.perf_counter() - self._began)
            self._bar.start()
        self._bar.update(self._task, completed=done, left=time_left(left))

    def _make_bar(self) -> Bar:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

        return Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=Console(stderr=True),
            transient=True,
        )

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = announce.show = None


def time_left(seconds: float | None) -> str:
    """Return the time left in words, empty while unknown.

    >>> time_left(8.2), time_left(75), time_left(7300), time_left(None)
    ('9 s left', '1:15 left', '2:01:40 left', '')
    """
    if seconds is None:
        return ""
    whole = int(seconds) + (seconds > int(seconds))
    if whole < 60:
        return f"{whole} s left"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} left" if hours else f"{minutes}:{rest:02} left"
