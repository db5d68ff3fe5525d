"""Progress of what is no sweep over sources: threads count what they have done, and an interrupt ends them all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import get_ident
from types import TracebackType
from typing import Any, Self, TypeVar

from waygrid import interrupts
from waygrid.build.progress_bar import TELL_S, Meter, Progress
from waygrid.build.sweep import BuildInterrupted

Result = TypeVar("Result")


class _StoppedError(Exception):
    """The build has ended, with an error of another thread or an interrupt."""


class Steps:
    """A part of a build that is done in steps of a fraction of a second, each a call of a kernel.

    The thread that makes this reports the progress; it is to be used as a context.

    >>> with Steps(lambda *now: print(now), 10) as steps:
    ...     steps.add(10)
    (0, 10, None)
    (10, 10, 0.0)
    """

    def __init__(self, progress: bool | Progress | None = None, total: int = 0, done: int = 0) -> None:
        self._meter = Meter(progress, total, done)
        self._total = total
        self._home = get_ident()
        self._elsewhere: SimpleQueue[int] = SimpleQueue()  # done on other threads, not reported yet
        self._stopped = False

    def __enter__(self) -> Self:
        self._report()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            if kind is None and self._total > 0:
                self._meter.finish()
        finally:
            self._meter.close()
        if isinstance(error, KeyboardInterrupt) and self._total > 0:
            raise BuildInterrupted(self._meter.done, self._total, 0) from error

    def add(self, count: int) -> None:
        """Count what was done, on any thread; ends a thread of `share` once another one or the build has failed."""
        if get_ident() == self._home:
            self._report(count)
        elif self._stopped:
            raise _StoppedError
        else:
            self._elsewhere.put(count)

    def _report(self, count: int = 0) -> None:
        with suppress(Empty):
            while True:
                count += self._elsewhere.get_nowait()
        if self._total > 0:  # else there is nothing to report a share of
            self._meter.add(count)

    def share(
        self,
        work: Callable[..., Result],
        calls: Iterable[tuple[Any, ...]],
        threads: int,
        keep: Callable[[Result], object] | None = None,
    ) -> list[Result]:
        """Do several calls on threads and return their results in order; the calls `add` what they have done.

        keep: takes each result at once, on this thread.
        """
        with ThreadPoolExecutor(threads, thread_name_prefix="waygrid") as pool:
            every = [pool.submit(work, *call) for call in calls]
            waiting = set(every)
            try:
                while waiting:
                    for one in wait(waiting, TELL_S, FIRST_COMPLETED).done:
                        waiting.remove(one)
                        result = one.result()
                        if keep is not None:
                            keep(result)
                    self._report()
            except BaseException:
                self._stopped = True
                with interrupts.saving():
                    pool.shutdown(cancel_futures=True)
                    for one in waiting:
                        if keep is not None and not one.cancelled() and one.exception() is None:
                            keep(one.result())
                raise
        return [one.result() for one in every]
