"""Large builds on the GPU: goal bounds, first moves and runs, made by one flood from each source cell.

`BoxWork` and `RunWork` are works of a build (see `sweep`); `Floods` does a set of sources at once. Nothing of
numba.cuda is imported before one of them is used.
"""

from __future__ import annotations

import importlib.util
from typing import Any, NamedTuple

import numpy as np

from waygrid.algorithms.bounds.box_type import box_type
from waygrid.algorithms.bounds.declare import TIES
from waygrid.core import layout as at
from waygrid.core.types import Array
from waygrid.errors import WaygridError

_THREADS = 160  # of a block: on orz100d 128 take 9 % more time on an H200, 256 take 16 %
_BLOCKS = 8  # for each multiprocessor: more of them share its cache; 16 take 2 % more time
_SHARE = 0.8  # of the free memory of the GPU, where no limit is given
_BAND_BYTES = 40_000  # of shared memory, for rows and columns: every GPU has 48 KB
_TABLE_BYTES = 16  # of a cell, at most, in what all floods read
_MATRIX = 2**30  # bytes of first moves that wait for compression
_ROWS = 64  # compressed by one block
_BATCH = 4096  # sources of a call: a few for each block
_RUNS = 500  # of a row, roughly: orz100d has 516


def available() -> str | None:
    """Return why no GPU can be used, as a sentence; None where one can."""
    try:
        from waygrid.build.cuda._device import cuda
    except ImportError as error:
        return f"a GPU needs numba-cuda, which cannot be imported ({error}); install waygrid[gpu]"
    if cuda.is_available():
        return None
    if importlib.util.find_spec("numba_cuda") is None:
        return "a GPU needs numba-cuda, which is not installed; install waygrid[gpu]"
    try:
        cuda.current_context()
    except Exception as error:  # whatever the driver says, it is what the user needs to read
        return f"no GPU can be used: {' '.join(str(error).split()) or type(error).__name__}"
    return "no GPU can be used: the CUDA toolkit was not found; install waygrid[gpu]"


def require() -> None:
    """Raise where no GPU can be used."""
    reason = available()
    if reason is not None:
        raise WaygridError(reason)


class LaunchShape(NamedTuple):
    """How floods are spread over the GPU; results do not depend on it."""

    threads: int = _THREADS
    blocks: int = _BLOCKS  # for each multiprocessor, as far as they fit the memory
    room: int = 0  # cells in each list of a flood; 0: by the size of the map


class Floods:
    """Memory on the GPU for floods over one map: its tables and, for each block, the state of a flood."""

    def __init__(self, moves: Array, geo: Array, memory: int | None = None, shape: LaunchShape | None = None) -> None:
        require()
        from waygrid.algorithms.bounds.gpu_tables import classify
        from waygrid.build.cuda._device import cuda

        _check(geo)
        shape = shape or LaunchShape()
        self._cuda = cuda
        self.width, self.height, self.cells = int(geo[at.WIDTH]), int(geo[at.HEIGHT]), moves.size
        self.threads = shape.threads
        classes, table = classify(moves, geo)
        none = int(np.iinfo(box_type(geo)).max)
        sizes = np.array([self.width, self.height, geo[at.CARDINAL], geo[at.DIAGONAL], none], np.int32)
        self._kind = box_type(geo)
        self._tables = [cuda.to_device(array) for array in (np.array(moves), classes, table, sizes)]
        self._memory = self._limit(memory, least_bytes(geo))
        self._most_blocks = shape.blocks * getattr(cuda.current_context().device, "MULTIPROCESSOR_COUNT", 1)
        self._jumps: tuple[Any, Any] | None = None
        self._state: tuple[Any, ...] = ()
        self._allocate(min(self.cells, shape.room or _room(geo)))

    def _limit(self, memory: int | None, least: int) -> int:
        free = self._cuda.current_context().get_memory_info()[0]
        limit = int(min(free, 2**40) * _SHARE)
        if memory is not None:
            limit = min(limit, memory)
        if limit < least:
            raise WaygridError(f"floods of this map take {least} bytes of GPU memory or more, and {limit} may be used")
        return limit - _TABLE_BYTES * self.cells

    def _allocate(self, room: int) -> None:
        """Make the state of as many floods as fit three quarters of the memory; the rest is for results."""
        self._state = ()  # the old one goes first: both may not fit
        self.room = room
        self.blocks = max(1, min(self._most_blocks, self._memory * 3 // 4 // (12 * (self.cells + room))))
        marks = self._cuda.device_array((self.blocks, self.cells, 8), np.uint8)
        words = self._cuda.device_array((self.blocks, self.cells), np.int32)
        lists = self._cuda.device_array((self.blocks, 3, room), np.int32)
        self._state = (words, marks, marks.view(np.uint64), lists)

    def _run(self, sources: Array, mode: int, boxes: Any, position: Any, masks: Any) -> None:
        """Flood from these cells; rows of `boxes` or `masks` follow their order.

        Lists are sized for what maps are like. Where one is too short for a bucket, those floods are done again with
        longer ones, at most as long as the map has cells, which is always enough.
        """
        from waygrid.build.cuda.flood import flood

        left = np.stack([sources, np.arange(sources.size)], axis=1).astype(np.int32)
        shared = 4 * ((self.width + 3) // 4 + (self.height + 3) // 4)
        while len(left):
            counter = self._cuda.to_device(np.zeros(1, np.int32))
            failed = self._cuda.device_array(len(left), np.int32)
            flood[min(self.blocks, len(left)), self.threads, 0, shared](
                *self._tables, *self._state, counter, self._cuda.to_device(left), mode, boxes, position, masks, failed
            )
            left = left[failed.copy_to_host() != 0]
            if len(left):
                self._allocate(min(self.cells, 4 * self.room))

    def boxes(self, sources: Array, ties: str = "all") -> Array:
        """Return the boxes of these cells, as (sources, 8, 4); those of walls are empty."""
        from waygrid.build.cuda.flood import ALL, ONE

        TIES.check("ties", ties)
        if len(sources) == 0:
            return np.zeros((0, 8, 4), self._kind)
        found = self._cuda.device_array((len(sources), 32), self._kind)
        masks, position = self._cuda.device_array((1, 1), np.uint8), self._cuda.device_array(1, np.int32)
        self._run(np.asarray(sources), ALL if ties == "all" else ONE, found, position, masks)
        return np.asarray(found.copy_to_host()).reshape(-1, 8, 4)

    def masks(self, sources: Array, order: Array) -> Array:
        """Return the first moves from these cells to the cells of an order, as (sources, order)."""
        if len(sources) == 0:
            return np.zeros((0, len(order)), np.uint8)
        return np.asarray(self._masks(sources, order).copy_to_host())[:, : len(order)]

    def _masks(self, sources: Array, order: Array) -> Any:
        """Return the first moves on the GPU, each row filled up with zeros to whole words of eight."""
        from waygrid.build.cuda.flood import MASKS

        position = self._position(order)
        masks = self._cuda.device_array((len(sources), _padded(len(order))), np.uint8)
        boxes = self._cuda.device_array((1, 32), self._kind)
        self._run(np.asarray(sources), MASKS, boxes, self._cuda.to_device(position), masks)
        return masks

    def _forget_direct(self, jumps: Array, sources: Array, order: Array, masks: Any) -> None:
        from waygrid.build.cuda.runs import forget_direct

        if self._jumps is None:
            width = self.width
            steps = np.array([-width, 1, width, -1, 1 - width, 1 + width, width - 1, -width - 1], np.int32)
            self._jumps = self._cuda.to_device(np.array(jumps)), self._cuda.to_device(steps)
        position = self._cuda.to_device(self._position(order))
        cells = self._cuda.to_device(np.asarray(sources, np.int32))
        forget_direct[len(sources), min(self.threads, 32)](*self._jumps, position, cells, masks)

    def _position(self, order: Array) -> Array:
        position = np.full(self.cells, -1, np.int32)
        position[order] = np.arange(len(order))
        return position

    def runs(self, sources: Array, order: Array, jumps: Array | None = None) -> tuple[Array, Array]:
        """Return how many runs each of these cells has, and all runs, packed as id of the first cell << 3 | move.

        With the table of jumps, goals that need no look-up do not count.
        """
        from waygrid.build.cuda.runs import count_runs, write_runs

        counts, found = [np.zeros(0, np.int32)], [np.zeros(0, np.uint32)]
        rows = max(1, min(_MATRIX, self._memory // 4) // _padded(len(order)))
        for begin in range(0, len(sources), rows):
            masks = self._masks(sources[begin : begin + rows], order)
            if jumps is not None:
                self._forget_direct(jumps, sources[begin : begin + rows], order, masks)
            wide = masks.view(np.uint64)
            size = wide.shape[0]
            blocks = (size + _ROWS - 1) // _ROWS
            number = self._cuda.device_array(size, np.int32)
            count_runs[blocks, _ROWS](wide, number)
            counts.append(np.asarray(number.copy_to_host()))
            ends = np.cumsum(counts[-1], dtype=np.int64)
            packed = self._cuda.device_array(int(ends[-1]), np.uint32)
            write_runs[blocks, _ROWS](wide, self._cuda.to_device(ends - counts[-1]), packed)
            found.append(np.asarray(packed.copy_to_host()))
        return np.concatenate(counts), np.concatenate(found)


class BoxWork:
    """The goal bounds of all cells, as a build: `boxes`, (cells, 8, 4)."""

    max_workers = 1
    batch = _BATCH

    def __init__(self, moves: Array, geo: Array, ties: str = "all", memory: int | None = None) -> None:
        require()
        _check(geo)
        TIES.check("ties", ties)
        self._moves, self._geo, self._ties, self._memory = moves, geo, ties, memory
        self.total = int(moves.size)
        self.scratch_bytes = least_bytes(geo)
        self.output_bytes = self.total * 32 * np.dtype(box_type(geo)).itemsize

    def scratch(self) -> Floods:
        """Return the memory of the floods."""
        return Floods(self._moves, self._geo, self._memory)

    def run(self, scratch: Floods, first: int, last: int) -> dict[str, Array]:
        """Return the boxes of cells first to last - 1."""
        return {"boxes": scratch.boxes(np.arange(first, last), self._ties)}


class RunWork:
    """The compressed first moves of some cells, as a build: `counts`, one per source, and `runs` one after the other.

    order: the cells in the order of their ids, each at most once. sources: cells; the order itself where not given.
    A row without any first move, such as a wall's, has the single run 0. With the table of jumps, goals that need no
    look-up do not count.
    """

    max_workers = 1
    batch = _BATCH

    def __init__(
        self,
        moves: Array,
        geo: Array,
        order: Array,
        sources: Array | None = None,
        jumps: Array | None = None,
        memory: int | None = None,
    ) -> None:
        require()
        _check(geo)
        self._moves, self._geo, self._order, self._memory = moves, geo, np.asarray(order), memory
        self._jumps = jumps
        self._sources = self._order if sources is None else np.asarray(sources)
        self.total = int(self._sources.size)
        self.scratch_bytes = least_bytes(geo)
        self.output_bytes = self.total * 4 * (1 + _RUNS)

    def scratch(self) -> Floods:
        """Return the memory of the floods."""
        return Floods(self._moves, self._geo, self._memory)

    def run(self, scratch: Floods, first: int, last: int) -> dict[str, Array]:
        """Return the runs of sources first to last - 1."""
        counts, runs = scratch.runs(self._sources[first:last], self._order, self._jumps)
        return {"counts": counts, "runs": runs}


def _padded(size: int) -> int:
    return max(8, (size + 7) // 8 * 8)


def least_bytes(geo: Array) -> int:
    """Return the memory of the GPU that floods need: one flood whose lists hold the whole map, tables and results."""
    return int(geo[at.WIDTH] * geo[at.HEIGHT]) * (_TABLE_BYTES + 32)


def _check(geo: Array) -> None:
    width, height = int(geo[at.WIDTH]), int(geo[at.HEIGHT])
    if geo[at.TOPOLOGY] != at.OCTILE or geo[at.CORNERS] not in (at.NEVER, at.ALWAYS):
        raise WaygridError("builds on the GPU need an octile grid with corners never or always")
    if width + height > _BAND_BYTES:
        raise WaygridError(f"the map has {width} x {height} cells; builds on the GPU take {_BAND_BYTES} for both sides")


def _room(geo: Array) -> int:
    """Return the cells that a list holds at first: the largest bucket seen had 888, on a random map of 512 x 512."""
    return max(1024, 4 * int(geo[at.WIDTH] + geo[at.HEIGHT]))
