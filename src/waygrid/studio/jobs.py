"""Work that takes time: done on threads of its own, watched, cancelled, and refused when there is too much of it.

The kernels release the interpreter's lock, so that the server answers meanwhile. A job is asked between two slices of
its work whether it should go on.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event, Lock
from time import monotonic
from typing import Any, TypeVar

from waygrid.studio.limits import Limits

Answer = TypeVar("Answer")


class CancelledJobError(Exception):
    """The job is not wanted any more."""


class TooBusyError(Exception):
    """There is more to do than the studio takes on."""


class Job:
    """One piece of work and how far it is."""

    def __init__(self, token: str, owner: tuple[str, str]) -> None:
        self.token, self.owner = token, owner
        self.state, self.share, self.what = "waiting", 0.0, ""
        self._ended = Event()
        self._deadline = float("inf")

    def begin(self, state: str, seconds: float) -> None:
        """Enter a part of the work that may take so long."""
        self.check()
        self.state, self.share, self.what = state, 0.0, ""
        self._deadline = monotonic() + seconds

    def tell(self, share: float, what: str) -> None:
        """Say how far the work is; raises `CancelledJobError` where it should end."""
        self.check()
        self.share, self.what = share, what

    def cancel(self) -> None:
        """End the work at its next look."""
        self._ended.set()

    def check(self) -> None:
        """Raise `CancelledJobError` where the job was cancelled."""
        if self._ended.is_set():
            raise CancelledJobError

    @property
    def late(self) -> bool:
        """Whether the present part has had its time."""
        return monotonic() > self._deadline


class Desk:
    """Takes jobs on. A new job of the same pane of the same page ends the one before.

    >>> desk = Desk(Limits())
    >>> desk.submit("a", ("page", "A"), lambda job: job.token.upper())[1].result()
    'A'
    >>> desk.close()
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.running, thread_name_prefix="studio")
        self._jobs: dict[str, Job] = {}
        self._lock = Lock()

    def submit(self, token: str, owner: tuple[str, str], work: Callable[[Job], Answer]) -> tuple[Job, Future[Answer]]:
        """Put a job in the queue."""
        job = Job(token, owner)
        with self._lock:
            for other in self._jobs.values():
                if other.owner == owner and owner[0]:
                    other.cancel()
            if len(self._jobs) >= self._limits.running + self._limits.waiting or token in self._jobs:
                raise TooBusyError
            self._jobs[token] = job

        def run() -> Answer:
            try:
                job.check()
                return work(job)
            finally:
                with self._lock:
                    self._jobs.pop(token, None)

        return job, self._pool.submit(run)

    def progress(self, token: str) -> dict[str, Any]:
        """Return how far a job is."""
        job = self._jobs.get(token)
        if job is None:
            return {"state": "unknown", "share": 0.0, "what": ""}
        return {"state": job.state, "share": job.share, "what": job.what}

    def cancel(self, token: str) -> bool:
        """Cancel a job; tell whether there was one."""
        job = self._jobs.get(token)
        if job is not None:
            job.cancel()
        return job is not None

    def close(self) -> None:
        """End all jobs."""
        for job in list(self._jobs.values()):
            job.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)
