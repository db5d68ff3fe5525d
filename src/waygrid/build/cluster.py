"""A build on a cluster: ranges of sources become tasks; if a worker is lost, only its ranges run again.

The work itself is a task too, so that it is sent to every worker once and created again if a worker is lost. Short
builds stay on this machine, because every task takes some milliseconds.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterable, Iterator
from queue import Empty, SimpleQueue
from threading import local
from typing import TYPE_CHECKING, Any

from waygrid.build.dask import connected, same, slots, spread, the_library
from waygrid.build.workers import Piece
from waygrid.core.types import Array
from waygrid.errors import WaygridError

if TYPE_CHECKING:
    from waygrid.build.sweep import Work

TASK_S = 0.5  # what a task should take
LEAST_S = 0.1  # and at least
LOCAL_S = 1.0  # what is left of a build that is rather done here
_TRIED_S = 0.05  # here, before it is known how long a range takes
_GROWTH = 4
_AHEAD = 2  # tasks for each thread of the cluster, so that none waits for the next
_SHARES = 8  # parts that each thread has at least, so that none works alone at the end

_own = local()


def run_range(work: Work, first: int, last: int) -> tuple[dict[str, Array], float]:
    """Run the sources first to last - 1 on a worker; also return the time."""
    known = getattr(_own, "work", None)
    if known is None or known() is not work:
        _own.work, _own.scratch = weakref.ref(work), work.scratch()
    began = time.perf_counter()
    arrays = work.run(_own.scratch, first, last)
    return arrays, time.perf_counter() - began


class ClusterCrew:
    """Like `workers.Crew`, with tasks of a cluster instead of threads."""

    def __init__(self, work: Work, gaps: Iterable[tuple[int, int]], address: str) -> None:
        self._work, self._address = work, address
        self._gaps = list(gaps)[::-1]
        self._shortest = max(1, getattr(work, "batch", 1))
        self._length = self._shortest
        self._most = 2**62  # sources of a range
        self._running: dict[Any, tuple[int, int]] = {}
        self._ready: SimpleQueue[Any] = SimpleQueue()

    def hold_back(self, sources: int) -> None:
        """Limit the number of sources of a range."""
        self._most = sources

    def start(self) -> None:
        """Do nothing: work begins with the first call of `pieces`."""

    def pieces(self, tick_s: float) -> Iterator[Piece | None]:
        """Yield pieces as they arrive, and None if none arrived for a while."""
        scratch, each_s, took = self._work.scratch(), 0.0, 0.0
        while self._gaps and (took < _TRIED_S or self._left * each_s < LOCAL_S):
            first, last = self._next()
            began = time.perf_counter()
            arrays = self._work.run(scratch, first, last)
            took = time.perf_counter() - began
            each_s = took / (last - first)
            self._fit(last - first, took, 1)
            yield Piece(first, last, arrays)
        del scratch
        if self._gaps:
            with connected(self._address) as client:
                yield from self._tasks(client, tick_s)

    def stop(self, patience_s: float | None = None) -> list[Piece]:
        """Cancel the running tasks: the scheduler drops tasks whose results are no longer needed."""
        self._running.clear()
        return []

    @property
    def _left(self) -> int:
        return sum(last - first for first, last in self._gaps)

    def _tasks(self, client: Any, tick_s: float) -> Iterator[Piece | None]:
        work = client.submit(same, self._work, pure=False)
        spread(client, work, len(client.nthreads()))
        while self._gaps or self._running:
            threads = slots(client)
            while self._gaps and len(self._running) < _AHEAD * threads:
                first, last = self._next()
                future = client.submit(run_range, work, first, last, pure=False)
                self._running[future] = (first, last)
                future.add_done_callback(self._ready.put)
            try:
                future = self._ready.get(timeout=tick_s)
            except Empty:
                yield None
                continue
            first, last = self._running.pop(future)
            arrays, took = self._result(future, first, last)
            self._fit(last - first, took, threads)
            yield Piece(first, last, arrays)

    def _result(self, future: Any, first: int, last: int) -> tuple[dict[str, Array], float]:
        try:
            found: tuple[dict[str, Array], float] = future.result()
        except the_library().scheduler.KilledWorker as error:
            raise WaygridError(
                f"sources {first} to {last - 1} crashed every worker that ran them; "
                "the workers may have too little memory"
            ) from error
        return found

    def _fit(self, sources: int, took: float, threads: int) -> None:
        fitting = int(sources * TASK_S / max(took, 1e-6))
        # Shares get smaller towards the end, but not so small that tasks take longer to send than to do.
        share = max(self._left // (_SHARES * threads), int(sources * LEAST_S / max(took, 1e-6)))
        self._length = max(self._shortest, min(fitting, _GROWTH * max(sources, self._length), share))

    def _next(self) -> tuple[int, int]:
        first, end = self._gaps[-1]
        last = min(end, first + max(1, min(self._length, self._most)))
        if last == end:
            self._gaps.pop()
        else:
            self._gaps[-1] = (last, end)
        return first, last
