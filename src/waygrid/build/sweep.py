"""Builds large indexes: one flood for each source cell, on several threads, in bounded memory, resumable.

An index that needs a flood from every cell is a `Work`. `sweep` divides it into ranges of sources that take a fraction
of a second each and gives them to threads, or to a cluster as tasks. A build of more than a minute saves its work
in a file, and the next build with the same key resumes from it. The result is the same for any number of threads,
workers and interruptions.

The memory limit of a plan covers what each worker needs (`scratch_bytes`) and all pieces (`output_bytes`; twice if they
have more or fewer rows than sources, because they are copied together in the end). If the pieces do not fit, they are
written to the file at once, and the result is mapped from a file. Then the limit covers the workers and the pieces that
are under construction or waiting to be written.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from waygrid import interrupts
from waygrid.build import sample as build_sample
from waygrid.build.pieces import Pieces
from waygrid.build.progress_bar import TELL_S, Meter, Progress, Stopwatch
from waygrid.build.workers import PATIENCE_S, Crew
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.options import check_options
from waygrid.search.cells import count_threads
from waygrid.search.declaration import BUILD_OPTIONS

if TYPE_CHECKING:
    from waygrid.build.cluster import ClusterCrew

_ENDLESS = 2**62
_PIECE_BYTES = 2**20  # what a piece should be allowed, where memory is short


class Work(Protocol):
    """One large build, divided into ranges of sources.

    A work may also have `max_workers`, the most threads that it can use (1 for a GPU), and `batch`, the fewest sources
    per call.
    """

    @property
    def total(self) -> int:
        """The number of sources."""

    @property
    def scratch_bytes(self) -> int:
        """Memory that one worker needs."""

    @property
    def output_bytes(self) -> int:
        """Size of all pieces together, possibly an estimate."""

    def scratch(self) -> Any:
        """Return memory for one worker thread; called on that thread."""

    def run(self, scratch: Any, first: int, last: int) -> dict[str, Array]:
        """Return the pieces of the sources first to last - 1, in their order along axis 0.

        Runs compiled code without the interpreter lock. The rows of a source must not depend on where ranges begin and
        end; their number may differ from source to source. An empty range gives arrays without rows.
        """


@dataclass(frozen=True)
class Plan:
    """How an index is built; the plan never changes the index."""

    device: str = "cpu"
    threads: int | None = None  # None: all cores
    progress: bool | Progress | None = None
    memory: int | None = None  # bytes; None: as much as it takes
    edits: str = "follow"  # what happens after edits of the map, see BUILD_OPTIONS
    cluster: str | None = None  # address of a Dask scheduler; None: this machine
    watch: Stopwatch = field(default_factory=Stopwatch, repr=False, compare=False)

    def again(self) -> Plan:
        """Return the same plan for another build."""
        return replace(self, watch=Stopwatch())


def plan_of(options: Mapping[str, Any]) -> Plan:
    """Check the options of a build.

    >>> plan_of({"threads": 2, "memory": "500 MB"})
    Plan(device='cpu', threads=2, progress=None, memory=500000000, edits='follow', cluster=None)
    """
    return Plan(**check_options("a build", BUILD_OPTIONS, options))


def build_key(algorithm: str, map_hash: str, options: Mapping[str, Any], version: int) -> str:
    """Return a name for a build: the same for the same index, however it is built.

    version: of the algorithm's pieces; increase it when their meaning changes.

    >>> build_key("jps+gb", "1f2e", {"ties": "all"}, 1)
    'jps-gb-...'
    """
    whole = json.dumps([algorithm, map_hash, dict(options), version], sort_keys=True, default=str)
    return f"{re.sub('[^a-z0-9]+', '-', algorithm.lower())}-{hashlib.sha256(whole.encode()).hexdigest()[:32]}"


class BuildInterrupted(KeyboardInterrupt):
    """Ctrl-C during a build; holds how far it got and how much of that is saved for the next one."""

    def __init__(self, done: int, total: int, kept: int) -> None:
        self.done, self.total, self.kept = done, total, kept
        super().__init__(done, total, kept)

    def __str__(self) -> str:
        got = f"interrupted with {self.done} of {self.total} sources done ({self.done / self.total:.1%})"
        return f"{got}; {self.kept} are kept" if self.kept else f"{got}; nothing is kept"


class Room(NamedTuple):
    """The workers and the memory that a build may use."""

    workers: int
    piece_bytes: int  # of all pieces in memory at once
    spooling: bool  # pieces do not stay in memory

    def rows(self, row_bytes: float) -> int:
        """Return the sources of a range: each worker has two pieces running or waiting, and one is being written."""
        return max(1, int(self.piece_bytes / ((2 * self.workers + 1) * max(row_bytes, 1e-9))))


def fit_memory(work: Work, plan: Plan) -> Room:
    """Fit a build into its memory limit."""
    wanted = min(count_threads(plan.threads), getattr(work, "max_workers", work.total), work.total)
    if plan.memory is None:
        return Room(wanted, _ENDLESS, False)
    scratch, output = max(1, work.scratch_bytes), work.output_bytes
    if scratch + output <= plan.memory:
        workers = min(wanted, (plan.memory - output) // scratch)
        return Room(workers, plan.memory - workers * scratch, False)
    row = -(-output // work.total)
    for piece in (max(row, _PIECE_BYTES), row):  # rather fewer workers than tiny pieces
        workers = min(wanted, (plan.memory - piece) // (scratch + 2 * piece))
        if workers > 0:
            return Room(workers, plan.memory - workers * scratch, True)
    raise WaygridError(
        f"memory is {plan.memory} bytes; this build needs {scratch + 3 * row} or more, "
        f"and {scratch + output} to hold the whole index"
    )


def sweep(work: Work, plan: Plan, key: str) -> dict[str, Array]:
    """Build all pieces and return them joined along axis 0, in the order of the sources; read-only.

    key: identifies the build by map, algorithm, options and version of the pieces, in a-z, 0-9 and -; see `build_key`.
    """
    if work.total == 0:
        empty = work.run(work.scratch(), 0, 0)
        for array in empty.values():  # to the compiler the same type as others
            array.flags.writeable = False
        return empty
    room = fit_memory(work, plan)
    watch = build_sample.current_watch()
    if watch is not None:
        watch.enter(work, room.workers)
    pieces = Pieces(key, work.total, room.piece_bytes, spooling=room.spooling, watch=plan.watch)
    try:
        _build(work, plan, room, pieces)
        result = pieces.result()
        pieces.close(remove=True)
        if watch is not None:
            watch.leave()
    except KeyboardInterrupt as stop:
        pieces.close()
        raise BuildInterrupted(pieces.done, work.total, pieces.kept) from stop
    finally:
        pieces.close()
    return result


def _crew(work: Work, plan: Plan, room: Room, gaps: list[tuple[int, int]]) -> Crew | ClusterCrew:
    """Return the crew that does the work: threads, or tasks of a cluster."""
    if plan.cluster is not None:
        from waygrid.build.cluster import ClusterCrew

        return ClusterCrew(work, gaps, plan.cluster)
    return Crew(work, gaps, min(room.workers, sum(last - first for first, last in gaps)))


def _build(work: Work, plan: Plan, room: Room, pieces: Pieces) -> None:
    gaps = pieces.gaps()
    meter = Meter(plan.progress, work.total, pieces.done)
    crew = _crew(work, plan, room, gaps)
    row_bytes = work.output_bytes / work.total
    try:
        meter.add(0)
        if pieces.spooling:
            crew.hold_back(room.rows(row_bytes))
        crew.start()
        for piece in crew.pieces(TELL_S):
            if piece is None:
                pieces.look_at_clock()
                meter.add(0)
                continue
            pieces.add(piece)
            if pieces.spooling:  # perhaps only now, because there is more than expected
                row_bytes = max(row_bytes, piece.nbytes / (piece.last - piece.first))
                crew.hold_back(room.rows(row_bytes))
            meter.add(piece.last - piece.first)
        meter.finish()
    except BaseException as end:
        with interrupts.saving(), suppress(WaygridError):  # the first error counts, not that the disk is full as well
            for piece in crew.stop(PATIENCE_S if isinstance(end, KeyboardInterrupt) else None):
                pieces.add(piece)
            pieces.save()
        raise
    finally:
        meter.close()
