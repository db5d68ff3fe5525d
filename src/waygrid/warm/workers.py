"""Do jobs in processes, one per core as far as memory allows."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from typing import NamedTuple

import llvmlite.binding as llvm

from waygrid import interrupts
from waygrid.core import announce
from waygrid.core.cache import count_compiled
from waygrid.search.cells import count_threads
from waygrid.warm.jobs import list_jobs

MEMORY = 900 * 2**20  # bytes of all processes together
_WORKER = 210 * 2**20  # that a compiling process takes: 120 MB to begin with, then what it compiles
_JOBS_EACH = 16  # then new processes begin, with the memory of none


class Done(NamedTuple):
    """What a job has done."""

    job: str
    kernels: int  # compiled; the rest was there


def count_workers() -> int:
    """Return how many processes compile at a time."""
    return max(1, min(count_threads(), MEMORY // _WORKER))


def _set_options(options: Sequence[str]) -> None:
    """Set options of LLVM, for all that this process compiles from now on."""
    for option in options:
        llvm.set_option("waygrid", option)


def _start(options: Sequence[str]) -> None:
    _set_options(options)
    announce.show = lambda text: None  # the parent shows a bar
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process


@contextmanager
def _ending_early(pool: ProcessPoolExecutor) -> Iterator[None]:
    """End the processes when an error or Ctrl-C ends the block: otherwise the pool waits for what they compile."""
    try:
        yield
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        interrupts.end_children()
        raise


def do_job(job: str) -> Done:
    """Do one job by its name, in this process."""
    before = count_compiled()
    list_jobs(everything=True)[job]()
    return Done(job, count_compiled() - before)


def compile_kernels(
    names: Iterable[str] | None = None,
    everything: bool = False,
    workers: int | None = None,
    report: Callable[[int, int, str], None] = lambda done, total, job: None,
    options: Sequence[str] = (),
) -> int:
    """Compile what some algorithms need, all by default, and return how many kernels were compiled.

    everything: every combination of maps, options and ways of asking. report: gets the number of jobs that are done,
    that of all jobs, and the name of the last. options: of LLVM.
    """
    jobs = list(list_jobs(names, everything))
    count, compiled = workers or count_workers(), 0
    if count == 1 or len(jobs) == 1:
        _set_options(options)
        for number, job in enumerate(jobs):
            report(number, len(jobs), job)
            compiled += do_job(job).kernels
        return compiled
    finished, waiting = 0, sorted(jobs, key=_order)
    while waiting:
        # Not max_tasks_per_child: with it, a pool of Python 3.11 may wait for ever.
        batch, waiting = waiting[: count * _JOBS_EACH], waiting[count * _JOBS_EACH :]
        with (
            ProcessPoolExecutor(count, get_context("spawn"), initializer=_start, initargs=(options,)) as pool,
            _ending_early(pool),
        ):
            for one in as_completed([pool.submit(do_job, job) for job in batch]):
                done, finished = one.result(), finished + 1
                compiled += done.kernels
                report(finished, len(jobs), done.job)
    return compiled


_LONG = ("knn-lrta", "hcdps", "dba", "sglrta", "gateway", "dlrta", "cpd", "jps+gb")


def _order(job: str) -> int:
    """Return the rank of a job: what the others need first, then the long ones."""
    if job == "maps":
        return -1
    return _LONG.index(job) if job in _LONG else len(_LONG)
