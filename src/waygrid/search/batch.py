"""Batches: chunks of queries over threads that run compiled code without the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise
from os import getpid
from time import perf_counter_ns
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from waygrid.core import clock, layout
from waygrid.core.legs import settle_lengths
from waygrid.core.query import join_queries
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.search.legs import Legs
from waygrid.search.path import Batch, Sizes, Status
from waygrid.search.registry import remade
from waygrid.search.request import Request, Tables, make_room

if TYPE_CHECKING:
    from waygrid.search.finder import Finder

PARTIAL_FLOOD = layout.WALL_GOAL | layout.WANT_PARTIAL | layout.TRACK_BEST  # what finds the closest cell
Job = TypeVar("Job")
Piece = TypeVar("Piece")
_CHUNKS_PER_THREAD = 8  # so that a thread with long paths does not keep the others waiting at the end


@contextmanager
def lend_tables(
    finder: Finder, starts: Array, goals: Array, request: Request
) -> Iterator[tuple[Array, Tables, Array | None]]:
    """Check the queries and lend the tables that a kernel needs, with cells blocked for the time of the block."""
    queries = check_queries(finder, starts, goals, request)
    numbers = range(len(queries)) if len(queries) > 1 else ()
    with _lend_blocked(finder, queries, request, numbers) as (tables, index_arrays):
        yield queries, tables, index_arrays


@contextmanager
def _lend_blocked(
    finder: Finder, queries: Array, request: Request, numbers: Sequence[int]
) -> Iterator[tuple[Tables, Array | None]]:
    """Lend the tables for queries that are checked; numbers: what errors call them, if they are many."""
    if request.blocked is None:
        yield finder._tables, finder._index_arrays
        return
    with finder.grid.table.blocked(request.blocked) as overlay:
        _refuse_blocked_goals(finder, queries, overlay.walk, request, numbers)
        index_arrays = finder._arrays_for_blocked(overlay.walk, overlay.moves)
        yield (overlay.moves, *finder._tables[1:]), index_arrays


def answer(finder: Finder, starts: Array, goals: Array, request: Request, threads: int, paths: bool) -> Batch:
    """Answer all queries and concatenate the paths, in the order of the queries."""
    if request.blocked is None:
        queries, tables = check_queries(finder, starts, goals, request), finder._tables
        return _answer(finder, queries, tables, finder._index_arrays, request, threads, paths, finder._sizes)
    with lend_tables(finder, starts, goals, request) as (queries, tables, index_arrays):
        sizes = finder._sizes._replace(exact=False)
        return _answer(finder, queries, tables, index_arrays, request, threads, paths, sizes)


def _answer(
    finder: Finder,
    queries: Array,
    tables: Tables,
    index_arrays: Array | None,
    request: Request,
    threads: int,
    paths: bool,
    sizes: Sizes,
) -> Batch:
    """Answer checked queries by these tables."""
    count = len(queries)
    rows = np.zeros((count, layout.ROW_SIZE), np.int64)
    stop: list[bool] = []  # not empty: threads end with their slice
    if threads == 1 or count < 2:
        cells, ticks = _chunk(finder, tables, index_arrays, request, queries, rows, paths, stop)
        writing = [(0, count, ticks)]
    else:
        bounds = np.linspace(0, count, min(count, threads * _CHUNKS_PER_THREAD) + 1).astype(int).tolist()
        jobs = [(queries[a:b], rows[a:b]) for a, b in pairwise(bounds)]

        def work(job: tuple[Array, Array]) -> tuple[Array, int]:
            return _chunk(finder, tables, index_arrays, request, *job, paths, stop)

        try:
            pieces = run_jobs(work, jobs, threads)
        except BaseException:
            stop.append(True)  # Ctrl-C, or one bad chunk
            raise
        cells = np.concatenate([piece for piece, _ in pieces])
        writing = [(a, b, ticks) for (a, b), (_, ticks) in zip(pairwise(bounds), pieces, strict=True)]
    if paths and keeps_waypoints(finder, request):
        counts = np.empty(count, np.int64)
        settle_lengths(rows, counts)
        return Batch(rows, None, sizes, writing, Legs(counts, cells))
    return finder._batch_type(rows, cells.reshape(-1, 2) if paths else None, sizes, writing)


def answer_groups(
    finder: Finder,
    starts: Array,
    goals: Array,
    request: Request,
    groups: Sequence[tuple[Array, Array | None]],
    threads: int,
    paths: bool,
) -> Batch:
    """Answer queries in groups, each with walls of its own; return them group after group.

    groups: the numbers of the queries, and the blocked cells; every query is in one of them. The walls of a group are
    put into a table and taken out again, so that a query with its own takes no batch of its own.
    """
    order: Array = np.concatenate([members for members, _ in groups])
    queries = check_queries(finder, starts, goals, request)[order]
    rows, count = np.zeros((len(queries), layout.ROW_SIZE), np.int64), len(queries)
    share = count if threads == 1 else max(1, -(-count // (threads * _CHUNKS_PER_THREAD)))
    jobs: list[list[tuple[int, int, Array | None]]] = [[]]
    first, held = 0, 0
    for members, walls in groups:
        for begin in range(first, first + len(members), share):
            end = min(begin + share, first + len(members))
            if held >= share:
                jobs.append([])
                held = 0
            jobs[-1].append((begin, end, walls))
            held += end - begin
        first += len(members)
    walled = request._replace(flags=request.flags | layout.CHECK_REACH)
    stop: list[bool] = []

    def work(job: list[tuple[int, int, Array | None]]) -> list[Array]:
        made = []
        for begin, end, walls in job:
            own, asked = request if walls is None else walled._replace(blocked=walls), queries[begin:end]
            with _lend_blocked(finder, asked, own, order[begin:end].tolist()) as (tables, index_arrays):
                cells, _ = _chunk(finder, tables, index_arrays, own, asked, rows[begin:end], paths, stop)
            made.append(cells)
        return made

    try:
        pieces = [cells for made in run_jobs(work, jobs, threads) for cells in made]
    except BaseException:
        stop.append(True)
        raise
    cells = np.concatenate(pieces).reshape(-1, 2) if paths else None
    return finder._batch_type(rows, cells, finder._sizes._replace(exact=False))


def keeps_waypoints(finder: Finder, request: Request) -> bool:
    """Return whether paths stay waypoints: that was asked for, and the kernel knows them."""
    return finder._knows_waypoints and bool(request.flags & layout.KEEP_WAYPOINTS)


def run_jobs(work: Callable[[Job], Piece], jobs: Sequence[Job], threads: int) -> list[Piece]:
    """Do jobs on threads, or here where there is only one."""
    return [work(job) for job in jobs] if len(jobs) < 2 else list(_executor(threads, getpid()).map(work, jobs))


@lru_cache(maxsize=4)
def _executor(threads: int, process: int) -> ThreadPoolExecutor:
    """Return the workers of this process; a forked child has none of its parent's threads."""
    return ThreadPoolExecutor(threads, thread_name_prefix="waygrid")


def _chunk(
    finder: Finder,
    tables: Tables,
    index_arrays: Array | None,
    request: Request,
    queries: Array,
    rows: Array,
    paths: bool,
    stop: list[bool],
) -> tuple[Array, int]:
    """Answer some queries on this thread; return their cells, and the ticks for writing them at the end."""
    scratch = finder._pool.take()
    as_waypoints = keeps_waypoints(finder, request)
    kept = finder._keep(request) if paths else layout.FORGET_PATHS
    flags = request.flags & ~layout.KEEP_WAYPOINTS | kept
    request = request if flags == request.flags else request._replace(flags=flags)
    timed = bool(flags & layout.TIMED)
    number, resume, last = 0, False, len(queries)
    while number < last and not stop:
        batch = (queries, rows, scratch.cells, request.array(number, last, resume))
        number = finder._run(tables, finder._policy, scratch.arrays, index_arrays, None, batch)
        if number < last:
            paused = perf_counter_ns()
            make_room(scratch, number, rows)
            resume = True
            if timed:
                scratch.ctl[layout.BEGAN] += _ticks_since(paused)  # no query's own time
    written_from = perf_counter_ns() if timed else 0
    if not paths:
        cells = scratch.cells[:0].copy()
    elif as_waypoints:
        cells = scratch.cells[: 2 * int(rows[:, layout.ROW_LENGTH].sum())].copy()
    elif kept and not stop:
        cells = finder._write_paths(kept, queries, rows, scratch.cells)
    else:
        cells = scratch.cells[: 2 * int(rows[:, layout.ROW_LENGTH].sum())].copy()
    ticks = _ticks_since(written_from) if timed else 0
    finder._pool.give(scratch)
    return cells, ticks


def _ticks_since(began: int) -> int:
    return int((perf_counter_ns() - began) / clock.ns_per_tick())


def check_queries(finder: Finder, starts: Array, goals: Array, request: Request, what: str = "query") -> Array:
    """Check every query and return them as rows of start x, start y, goal x, goal y."""
    if len(starts) != len(goals):
        raise WaygridError(
            f"there are {len(starts)} starts and {len(goals)} goals; there must be as many goals as starts"
        )
    table, allowed = finder.grid.table, bool(request.flags & layout.WALL_GOAL)
    queries = np.empty((len(starts), 4), np.int32)
    bad = join_queries(table.geo, table.walk, as_int32(starts), as_int32(goals), allowed, queries)
    if bad < 0:
        return queries
    for k in range(bad, len(starts)):
        _require_cells(finder, starts[k], goals[k], allowed, "" if len(starts) == 1 else f"{what} {k}: ")
    return queries


def as_int32(cells: Array) -> Array:
    """Return cells as the one type that kernels take; numbers that do not fit lie outside of every map."""
    if cells.dtype != np.int32:
        cells = np.clip(cells, -1, 2**31 - 1).astype(np.int32)
    return np.ascontiguousarray(cells)


def _require_cells(finder: Finder, start: Array, goal: Array, allowed: bool, where: str) -> None:
    """Raise an error where an end of a query is not a cell to stand in; allowed: goals may be walls."""
    grid, walk = finder.grid, finder.grid.table.walk
    for name, cell in (("start", start), ("goal", goal)):
        x, y = int(cell[0]), int(cell[1])
        inside = 0 <= x < grid.width and 0 <= y < grid.height
        if not inside or (walk[y * grid.width + x] == 0 and (name == "start" or not allowed)):
            raise grid.cell_error(f"{where}{name}", x, y)


def _refuse_blocked_goals(
    finder: Finder, queries: Array, walk: Array, request: Request, numbers: Sequence[int]
) -> None:
    """Refuse blocked goals, unless partial paths are allowed; a start may be blocked."""
    x, y = queries[:, 2].astype(np.int64), queries[:, 3].astype(np.int64)
    bad = (walk[y * finder.grid.width + x] == 0) & (queries[:, :2] != queries[:, 2:]).any(axis=1)
    if bad.any() and not request.partial:
        k = int(np.argmax(bad))
        where = f"query {numbers[k]}: " if numbers else ""
        raise WaygridError(f"{where}goal ({x[k]}, {y[k]}) is a blocked= cell; allowed only for partial paths")


def add_partial_paths(
    finder: Finder, batch: Batch, starts: Array, goals: Array, request: Request, threads: int
) -> Batch:
    """Replace UNREACHABLE by paths to the reachable cell closest to the goal; ties go to the cheapest.

    A flood of the start's component finds that cell and the cheapest path to it. Finders that are not optimal then
    search for that cell themselves.
    """
    lost = np.flatnonzero(batch.statuses == Status.UNREACHABLE)
    if lost.size == 0:
        return batch
    flood = remade("dijkstra", finder.grid, {}, None)
    flood._refresh()
    seeking = request._replace(flags=PARTIAL_FLOOD)
    nearest = answer(flood, starts[lost], goals[lost], seeking, threads, True)
    if not finder.optimal or finder.info.model != "cells":
        nearest = _walk_there(finder, nearest, starts[lost], request, threads)
    rows = batch.rows.copy()
    searched = rows[lost]
    rows[lost] = nearest.rows
    for counter in (layout.ROW_EXPANDED, layout.ROW_GENERATED):  # both searches were needed
        rows[lost, counter] += searched[:, counter]
    rows[lost, layout.ROW_ESTIMATE] = [finder._estimate(a, b) for a, b in zip(starts[lost], goals[lost], strict=True)]
    if not batch.has_paths:
        return finder._batch_type(rows, None, finder._sizes)
    # An unreachable query had no cells: the found ones go where it stands.
    places = np.repeat(batch.offsets[lost], nearest.lengths)
    return finder._batch_type(
        rows, np.insert(batch._require_stored(), places, nearest._require_stored(), axis=0), finder._sizes
    )


def _walk_there(finder: Finder, nearest: Batch, starts: Array, request: Request, threads: int) -> Batch:
    """Replace the cheapest paths to the closest cells by the finder's own; keep floods that a limit stopped."""
    assert nearest.cells is not None
    whole = np.flatnonzero(nearest.statuses == Status.PARTIAL)
    ends = nearest.cells[nearest.offsets[1:] - 1]
    walked = answer(finder, starts[whole], ends[whole], request, threads, True)
    adopted = finder._adopt(nearest)
    rows, paths = adopted.rows.copy(), [path._stored for path in adopted]
    for k, number in enumerate(whole.tolist()):
        if walked.statuses[k] != Status.UNREACHABLE:
            rows[number], paths[number] = walked.rows[k], walked[k]._stored
            if walked.statuses[k] == Status.FOUND:
                rows[number, layout.ROW_STATUS] = Status.PARTIAL
    return finder._batch_type(rows, np.concatenate(paths), finder._sizes)
