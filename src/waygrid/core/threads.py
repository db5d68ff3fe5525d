"""Threads for compiled code, which runs without the interpreter lock."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from waygrid.errors import WaygridError, show


def count_threads(threads: int | None = None) -> int:
    """Return how many threads to use: as many as asked for, or one for each core that this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not isinstance(threads, (int, np.integer)) or threads < 1:
        raise WaygridError(f"threads is {show(threads)}; allowed are the integers from 1, or None for all cores")
    return int(threads)


def share_lines(work: Callable[[int, int], object], lines: int, threads: int, least: int = 64) -> None:
    """Call work(first, last) for parts of the rows or columns of a map that together are all of them.

    least: so many lines are worth a thread. Parts outnumber threads, because some are quicker than others.

    >>> done = []
    >>> share_lines(lambda first, last: done.append((first, last)), 300, 2)
    >>> sorted(done)
    [(0, 75), (75, 150), (150, 225), (225, 300)]
    """
    if threads == 1 or lines < 2 * least:
        work(0, lines)
        return
    parts = min(4 * threads, lines // least)
    ends = [lines * part // parts for part in range(parts + 1)]
    with ThreadPoolExecutor(threads, thread_name_prefix="waygrid") as pool:
        list(pool.map(work, ends[:-1], ends[1:]))
