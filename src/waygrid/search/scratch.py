"""Search memory: preallocated, stamped with a search number, pooled per map size."""

from __future__ import annotations

import sys
import weakref
from collections import deque
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from waygrid.core import layout, levels
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.search.pool import Pool

_LARGE_STORE = 2**26  # bytes
_FIRST_CHUNKS = 2**18  # numbers of the open list on a large map
_LARGE_RESULT = 2**23  # bytes; smaller ones come from memory that the allocator keeps


class Shape(NamedTuple):
    """The memory that a search needs: records, queue entries and bits, and whether it needs keys of a heap."""

    cells: int
    wide: bool  # 64-bit distances
    queue: int
    bits: int
    heap: bool
    corners: int = 0  # room for the waypoints of paths; records are then those of turns
    notes: int = 0  # numbers after the state of the search, for use by one algorithm
    listed: int = 0  # room for the cells of a path that is put together, in place of a heap's keys
    slots: int = 0  # records of the sparse memory of real-time agents, in the same place (see kernels.agents)
    slot: np.dtype[np.void] | None = None  # and their type
    compact: bool = False  # records of one number, and an open list in chunks: see `core.compact`


def record_type(shape: Shape) -> np.dtype[Any]:
    """Return the type of a search's records."""
    if shape.compact:
        return layout.WORD_WIDE if shape.wide else layout.WORD
    if shape.corners:
        return layout.TURN_WIDE if shape.wide else layout.TURN
    return layout.NODE_WIDE if shape.wide else layout.NODE


class Scratch:
    """The memory of one running search."""

    __slots__ = ("arrays", "bits", "cells", "ctl", "nodes", "query", "queue", "row", "spare")

    def __init__(self, shape: Shape) -> None:
        self.nodes: Array = np.zeros(shape.cells, record_type(shape))
        self.queue: Array = np.zeros(shape.queue, np.int32) if shape.compact else np.full(shape.queue, -1, np.int32)
        self.bits: Array = np.zeros(shape.bits, np.uint64)
        self.spare: Array | None = None
        if shape.compact:
            self.spare = np.zeros(_FIRST_CHUNKS, np.int32)
        elif shape.corners:
            self.spare = np.zeros(2 * shape.corners, np.int32)
        elif shape.listed:
            self.spare = np.zeros(shape.listed, np.int32)
        elif shape.slots:
            self.spare = np.zeros(shape.slots, shape.slot)
        elif shape.heap:
            self.spare = np.zeros(shape.cells, np.int64 if shape.wide else np.int32)
        self.ctl: Array = np.zeros(layout.CTL_SIZE + shape.notes, np.int64)
        self.query: Array = np.zeros((1, 4), np.int32)
        self.row: Array = np.zeros((1, layout.ROW_SIZE), np.int64)
        self.cells: Array = np.zeros(2 * 512, np.int32)
        self.gather()

    @property
    def is_compact(self) -> bool:
        """Whether records are numbers: those of searches on large maps, see `core.compact`."""
        return self.nodes.dtype.names is None

    def gather(self) -> None:
        """Collect the arrays in the order in which kernels take them."""
        self.arrays = (self.nodes, self.queue, self.bits, self.spare, self.ctl)

    @property
    def bytes(self) -> int:
        """Memory of the search, without the paths it returns."""
        return sum(array.nbytes for array in self.arrays if array is not None)

    def grow_stack(self) -> None:
        """Double the queue and its bits, or the chunks of the open list on a large map, keeping their contents."""
        if self.is_compact and self.spare is not None:
            used = int(self.ctl[levels.UNUSED])
            grown = np.zeros(2 * self.spare.size, np.int32)  # the system commits what is written, not all of it
            grown[:used] = self.spare[:used]
            self.spare = grown
            self.gather()
            return
        self.queue = np.concatenate((self.queue, np.full(self.queue.size, -1, np.int32)))
        self.bits = np.concatenate((self.bits, np.zeros(self.bits.size, np.uint64)))
        self.gather()

    def grow_store(self) -> None:
        """Enlarge the sparse memory of agents, keeping its contents: double it, or add half if it is large.

        In place: the system moves pages instead of copying them. Copied, 10,000 agents waited 80 ms for 70 MB.
        """
        assert self.spare is not None
        size = self.spare.size
        size += size if self.spare.nbytes < _LARGE_STORE else size // 2
        if size >= 2**31:  # chunks are numbered by 32 bits
            raise WaygridError(f"the agents would need {size} records of memory; allowed are {2**31 - 1}")
        self.spare.resize(size, refcheck=False)

    def empty(self) -> None:
        """Discard an unfinished search; compact memory is cleared by the next one."""
        if self.is_compact:
            return
        self.queue.fill(-1)
        self.bits.fill(0)


class ScratchPool(Pool[Scratch]):
    """Scratch memory of one shape, and memory for large results."""

    def __init__(self, shape: Shape) -> None:
        huge = shape.compact and shape.cells > _LARGEST_POOLED
        super().__init__(lambda: Scratch(shape), 0 if huge else 16)
        self.shape = shape
        self._lock = Lock()
        self._block = np.empty(0, np.int32)

    def make_cells(self, count: int) -> Array:
        """Return memory for cells, as x and y of each; a large one is used again once nobody holds it any more.

        The system fills new memory with zeros, page by page. All paths of orz900d, 72 MB, took 2.9 us a query with new
        memory and take 1.8 us with that of the batch before.
        """
        if 8 * count < _LARGE_RESULT:
            return np.empty(2 * count, np.int32)
        with self._lock:
            if not count <= self._block.size // 2 <= 4 * count or self._count_holders() > _NO_HOLDERS:
                self._block = np.empty(2 * count, np.int32)
            return self._block[: 2 * count]

    def _count_holders(self) -> int:
        """Return the references to the block. Every view of it holds one, however it was made."""
        return sys.getrefcount(self._block)


_NO_HOLDERS = ScratchPool(Shape(1, False, 1, 1, False))._count_holders()  # the pool's own, and that of the call

_LARGEST_POOLED = 2**24  # cells: the memory of searches on larger maps goes back to the system after each call
# Pools outlive their finders a little, for calls that make a finder each time (`distances`); the largest do not.
_recent: deque[ScratchPool] = deque(maxlen=4)
_LARGEST_KEPT = 2**21  # cells
_pools: weakref.WeakValueDictionary[Shape, ScratchPool] = weakref.WeakValueDictionary()


def find_pool(shape: Shape) -> ScratchPool:
    """Return the pool that all finders of this shape share, as long as one of them exists.

    Each finder uses notes in its own way, so memory with notes is not shared.
    """
    if shape.notes and not shape.compact:
        return ScratchPool(shape)
    pool = _pools.get(shape)
    if pool is None:
        pool = _pools[shape] = ScratchPool(shape)
    if max(shape.cells, shape.corners) <= _LARGEST_KEPT and pool not in _recent:
        _recent.append(pool)
    return pool
