"""The worker threads of a build; each takes one short range of sources after the other."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, NamedTuple

from waygrid.core.types import Array

if TYPE_CHECKING:
    from waygrid.build.sweep import Work

RANGE_S = 0.15  # what a range should take: Ctrl-C is heard after it, and progress moves by it
_GROWTH = 4  # a range is at most so many times longer than the one before
_SHARES = 32  # parts that each worker has at least, so that none works alone at the end
_WAITING = 4  # pieces per worker that may wait to be collected: enough for the time that a file takes to write
_NAP_S = 0.001
PATIENCE_S = 0.4  # after Ctrl-C: more than a range takes, less than the compiler may take for its first one


class Piece(NamedTuple):
    """The arrays of the sources first to last - 1."""

    first: int
    last: int
    arrays: dict[str, Array]

    @property
    def nbytes(self) -> int:
        """Size of all arrays."""
        return sum(array.nbytes for array in self.arrays.values())


class Crew:
    """Threads that work through ranges of sources, in any order, until there are no more or one of them fails.

    The calling thread takes no lock here: an interrupt may hit it anywhere, and a lock that it never released would
    block the workers forever. It shares only an atomic queue and a few numbers with them.
    """

    def __init__(self, work: Work, gaps: Iterable[tuple[int, int]], workers: int) -> None:
        self._work = work
        self._gaps = list(gaps)[::-1]
        self._shortest = max(1, getattr(work, "batch", 1))
        sources = sum(last - first for first, last in self._gaps)
        self._longest = max(self._shortest, sources // (_SHARES * max(1, workers)))
        self._lock = Lock()  # for workers only
        self._stopped = False
        self._ready: SimpleQueue[Piece | BaseException | None] = SimpleQueue()
        self._threads = [Thread(target=self._run_worker, name=f"waygrid-build-{n}") for n in range(workers)]
        self._working = 0
        self._most_sources, self._most_waiting = 2**62, _WAITING * max(1, workers)

    def hold_back(self, sources: int) -> None:
        """Limit the sources of a range; then each worker has at most two pieces in progress or waiting."""
        self._most_sources, self._most_waiting = sources, len(self._threads)

    def start(self) -> None:
        """Start all workers."""
        for thread in self._threads:
            self._working += 1
            thread.start()

    def pieces(self, tick_s: float) -> Iterator[Piece | None]:
        """Yield pieces as they are finished, and None if none was for a while; raise the error of a worker."""
        while self._working:
            try:
                found = self._ready.get(timeout=tick_s)
            except Empty:
                yield None
                continue
            if isinstance(found, Piece):
                yield found
            else:
                self._working -= 1
                if found is not None:
                    raise found

    def stop(self, patience_s: float | None = None) -> list[Piece]:
        """Let all workers finish their range, and return their last pieces.

        patience_s: do not wait longer than this for a worker; its last piece is lost. None waits for all of them.
        """
        self._stopped = True
        made = []
        latest = time.perf_counter() + (math.inf if patience_s is None else patience_s)
        # Ask each thread instead of counting: an interrupt may have come while they were being started.
        while any(thread.is_alive() for thread in self._threads) or not self._ready.empty():
            if time.perf_counter() > latest:
                break
            with suppress(Empty):
                found = self._ready.get(timeout=_NAP_S)
                if isinstance(found, Piece):
                    made.append(found)
        return made

    def _run_worker(self) -> None:
        try:
            self._work_through()
        except BaseException as error:  # also what a thread would otherwise only print
            self._stopped = True
            self._ready.put(error)
        else:
            self._ready.put(None)

    def _work_through(self) -> None:
        if self._stopped:
            return
        scratch = self._work.scratch()
        length = self._shortest
        while True:
            while self._ready.qsize() >= self._most_waiting and not self._stopped:
                time.sleep(_NAP_S)
            first, last = self._next(length)
            if first == last or self._stopped:
                return
            began = time.perf_counter()
            arrays = self._work.run(scratch, first, last)
            took = time.perf_counter() - began
            self._ready.put(Piece(first, last, arrays))
            # From the last range alone: the first one may compile, and the regions of a map differ.
            fitting = int((last - first) * RANGE_S / max(took, 1e-6))
            length = max(self._shortest, min(fitting, _GROWTH * length, self._longest))

    def _next(self, length: int) -> tuple[int, int]:
        with self._lock:
            if not self._gaps:
                return 0, 0
            first, end = self._gaps[-1]
            last = min(end, first + max(1, min(length, self._most_sources)))
            if last == end:
                self._gaps.pop()
            else:
                self._gaps[-1] = (last, end)
            return first, last
