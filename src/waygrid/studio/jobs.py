"""Long work: runs on its own threads with progress, can be cancelled, and is refused if there is too much of it.

The kernels release the interpreter lock, so that the server can answer meanwhile. A job checks between two slices of
its work whether it is cancelled. Callers of a cancelled job are notified at once, even if the job notices later.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from threading import Event, Lock, Thread, current_thread
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from waygrid.errors import WaygridError
from waygrid.studio.limits import StudioLimits

Answer = TypeVar("Answer")


class CancelledJobError(Exception):
    """The job was cancelled."""


class TooBusyError(Exception):
    """The queue is full."""


class Job:
    """One piece of work and its progress."""

    def __init__(self, token: str, owner: tuple[str, str]) -> None:
        self.token, self.owner = token, owner
        self.state, self.share, self.what = "waiting", 0.0, ""
        self._ended = Event()
        self._deadline = self._allowed = float("inf")

    def begin(self, state: str, seconds: float) -> None:
        """Begin a stage of the work with a time limit."""
        self.check()
        self.state, self.share, self.what = state, 0.0, ""
        self._deadline, self._allowed = monotonic() + seconds, seconds

    def tell(self, share: float, what: str) -> None:
        """Report progress; raises `CancelledJobError` if the job was cancelled."""
        self.check()
        self.share, self.what = share, what

    def cancel(self) -> None:
        """End the work at its next check."""
        self._ended.set()

    def check(self) -> None:
        """Raise `CancelledJobError` if the job was cancelled."""
        if self.cancelled:
            raise CancelledJobError

    def check_time(self, what: str) -> None:
        """Raise an error if the job was cancelled or its current stage is over its time limit."""
        self.check()
        if self.late:
            raise WaygridError(f"{what} takes longer than the {self._allowed:g} s that the studio allows")

    @property
    def cancelled(self) -> bool:
        """Whether the job was cancelled."""
        return self._ended.is_set()

    @property
    def late(self) -> bool:
        """Whether the current stage is over its time limit."""
        return monotonic() > self._deadline


class _Task(NamedTuple):
    """A job, its function, and the future for its result."""

    job: Job
    work: Callable[[Job], Any]
    future: Future[Any]


class Desk:
    """Runs jobs. A new job of the same pane of the same page cancels the previous one.

    >>> desk = Desk(StudioLimits())
    >>> desk.submit("a", ("page", "A"), lambda job: job.token.upper())[1].result()
    'A'
    >>> desk.close(1.0)
    True
    """

    def __init__(self, limits: StudioLimits) -> None:
        self._limits = limits
        self._tasks: dict[str, _Task] = {}
        self._queue: deque[_Task] = deque()
        self._threads: set[Thread] = set()
        self._lock = Lock()
        self._closed = False

    def submit(self, token: str, owner: tuple[str, str], work: Callable[[Job], Answer]) -> tuple[Job, Future[Answer]]:
        """Put a job in the queue."""
        task = _Task(Job(token, owner), work, Future())
        with self._lock:
            ended = [self._end(t) for t in list(self._tasks.values()) if t.job.owner == owner and owner[0]]
            wanted = sum(not t.job.cancelled for t in self._tasks.values())
            refused = wanted >= self._limits.running + self._limits.waiting or token in self._tasks or self._closed
            if not refused:
                self._tasks[token] = task
                self._take_on(task)
        _tell_cancelled(ended)
        if refused:
            raise TooBusyError
        return task.job, task.future

    def _take_on(self, task: _Task) -> None:
        if len(self._threads) >= self._limits.running:
            self._queue.append(task)
            return
        # A daemon thread, because the interpreter waits for all others at exit: Ctrl-C must not wait for a build.
        thread = Thread(target=self._run, args=(task,), name="studio", daemon=True)
        self._threads.add(thread)
        thread.start()

    def _run(self, task: _Task | None) -> None:
        """Run a job and then the jobs in the queue."""
        while task is not None:
            answer, error = None, None
            try:
                task.job.check()
                answer = task.work(task.job)
            except BaseException as raised:  # any error must reach the caller
                error = raised
            with self._lock:
                self._tasks.pop(task.job.token, None)
                following = self._queue.popleft() if self._queue else None
                if following is None:
                    self._threads.discard(current_thread())
            _answer(task.future, answer, error)
            task = following

    def _end(self, task: _Task) -> Future[Any]:
        """Cancel a job and free its place in the queue."""
        task.job.cancel()
        if task in self._queue:
            self._queue.remove(task)
            del self._tasks[task.job.token]
        return task.future

    def progress(self, token: str) -> dict[str, Any]:
        """Return the progress of a job."""
        task = self._tasks.get(token)
        if task is None or task.job.cancelled:
            return {"state": "unknown", "share": 0.0, "what": ""}
        return {"state": task.job.state, "share": task.job.share, "what": task.job.what}

    def cancel(self, token: str) -> bool:
        """Cancel a job; return whether there was one."""
        with self._lock:
            task = self._tasks.get(token)
            ended = [] if task is None else [self._end(task)]
        _tell_cancelled(ended)
        return task is not None

    def close(self, seconds: float = 0.0) -> bool:
        """Cancel all jobs and wait for them up to a limit; return whether all have ended."""
        with self._lock:
            self._closed = True
            ended, threads = [self._end(task) for task in list(self._tasks.values())], list(self._threads)
        _tell_cancelled(ended)
        until = monotonic() + seconds
        for thread in threads:
            thread.join(max(0.0, until - monotonic()))
        return not any(thread.is_alive() for thread in threads)


def _answer(future: Future[Any], answer: Any, error: BaseException | None) -> None:
    """Send the result to the caller, unless it was already notified of the cancellation."""
    try:
        if error is None:
            future.set_result(answer)
        else:
            future.set_exception(error)
    except InvalidStateError:
        pass


def _tell_cancelled(futures: list[Future[Any]]) -> None:
    for future in futures:
        _answer(future, None, CancelledJobError())
