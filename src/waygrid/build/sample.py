"""Estimates build times: builds and times some of the sources, spread over the whole map."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waygrid.build.sweep import Work

_RANGE = 4  # sources of a range: neighbours, as in a build, so that what one reads is there for the next
_ENOUGH_S = 0.6  # the sample grows until it takes so long,
_SHORT_S = 1.0  # a sweep before the last one is made, unless it takes longer
_FIRST, _GROWTH = 16, 4  # from so many ranges, so many times as many each time


class Sampled(Exception):  # noqa: N818 (no error: what was asked for)
    """A build that ended before a sweep: the number of the sweep, the seconds before it, and its estimated seconds."""

    def __init__(self, number: int, before_s: float, sweep_s: float) -> None:
        self.number, self.before_s, self.sweep_s = number, before_s, sweep_s
        super().__init__(number, before_s, sweep_s)


class Watch:
    """Watches the sweeps of a build: times them, or replaces a long one, or the last, by a sample."""

    def __init__(self, sample_last: int | None, clock: Callable[[], float]) -> None:
        self._last, self._clock = sample_last, clock
        self._began = clock()
        self._sampling_s = 0.0
        self.entered: list[float] = []  # seconds after the beginning, of each sweep
        self.left: list[float] = []

    def enter(self, work: Work, workers: int) -> None:
        """Record that a sweep begins; raises `Sampled` if a sample replaces it."""
        now = self._clock()
        self.entered.append(now - self._began - self._sampling_s)
        if self._last is None:
            return
        sweep_s, number = sample_sweep(work, workers, self._clock), len(self.entered) - 1
        self._sampling_s += self._clock() - now
        if number >= self._last or sweep_s > _SHORT_S:
            raise Sampled(number, self.entered[-1], sweep_s)

    def leave(self) -> None:
        """Record that it is done."""
        self.left.append(self._clock() - self._began - self._sampling_s)


_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


def current_watch() -> Watch | None:
    """Return the watch of the current block, None outside of one."""
    return _watch.get()


@contextmanager
def watching(*, sample_last: int | None = None, clock: Callable[[], float] = perf_counter) -> Iterator[Watch]:
    """Watch the build in a block. sample_last: the number of its last sweep, which is sampled and ends the build."""
    watch = Watch(sample_last, clock)
    token = _watch.set(watch)
    try:
        yield watch
    finally:
        _watch.reset(token)


def sample_sweep(work: Work, workers: int, clock: Callable[[], float] = perf_counter) -> float:
    """Estimate the seconds of a whole sweep on a number of threads.

    Sources differ: those in walls cost nothing, those in small connected components little. So the sample is spread
    evenly over all sources.
    """
    total, count = work.total, _FIRST
    scratches = [work.scratch() for _ in range(workers)]
    work.run(scratches[0], 0, min(1, total))  # compiles
    while True:
        step = max(_RANGE, total // count)
        ranges = [(first, min(total, first + _RANGE)) for first in range(step // 2 % max(1, total), total, step)]
        began = clock()
        _run_ranges(work, scratches, ranges)
        spent = max(clock() - began, 1e-9)
        if spent >= _ENOUGH_S or step == _RANGE:
            return spent * total / max(1, sum(last - first for first, last in ranges))
        count *= _GROWTH


def _run_ranges(work: Work, scratches: list[object], ranges: list[tuple[int, int]]) -> None:
    def run_worker(worker: int) -> None:
        for first, last in ranges[worker :: len(scratches)]:
            work.run(scratches[worker], first, last)

    threads = [Thread(target=run_worker, args=(worker,)) for worker in range(1, len(scratches))]
    for thread in threads:
        thread.start()
    run_worker(0)
    for thread in threads:
        thread.join()
