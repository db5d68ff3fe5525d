"""What real-time finders share if their `find` runs one agent until it is done."""

from __future__ import annotations

import numpy as np

from waygrid.core import agents, layout
from waygrid.core.heuristics import natural
from waygrid.core.types import Array
from waygrid.search.agents import move_limit
from waygrid.search.finder import Finder
from waygrid.search.scratch import Shape

FIRST_SLOTS = 4096


def node_record(distance: str, lists: tuple[str, ...]) -> np.dtype[np.void]:
    """Return the type of the records of an agent's own A* (see kernels.sparse), and of lists that it keeps in them."""
    links = ("cell", "parent", "next", "prev", "entry", "hash", *lists)
    return np.dtype([("g", distance), ("key", distance), *((name, "<i4") for name in links)])


def pool_shape(slot: np.dtype[np.void], slots: int, notes: int) -> Shape:
    """Return the memory of a pool: agents' records, at first so many, and notes for all of them."""
    size = agents.NOTES - layout.CTL_SIZE + notes
    return Shape(1, False, 4096, 1, False, notes=size, slots=slots, slot=slot)


class RealTimeFinder(Finder):
    """A finder whose `find` is the walk of one agent: limits, prices, the estimate, sparse memory."""

    def _refresh(self) -> None:
        policy = self._policy.copy()  # other threads may be searching by the present one
        policy[layout.LIMIT_STEPS] = move_limit(self)
        policy[layout.LONGEST] = self.grid.table.longest
        self._policy = policy
        super()._refresh()

    @property
    def _wide(self) -> bool:
        """Whether distances, and estimates added to them, need 64 bits."""
        geo, table = self.grid.table.geo, self.grid.table
        dearest = int(geo[layout.DIAGONAL]) * max(table.max_weight, int(geo[layout.MIN_WEIGHT]))
        return table.longest + (self.grid.width + self.grid.height + 1) * dearest >= 2**31

    @property
    def _event_unit(self) -> int:
        return self.grid.cardinal_price

    def _estimate(self, start: Array, goal: Array) -> int:
        geo = self.grid.table.geo
        ends = (int(start[0]), int(start[1]), int(goal[0]), int(goal[1]))
        return int(geo[layout.MIN_WEIGHT]) * natural(geo, *ends)

    def _record_bytes(self) -> tuple[int, int]:
        slot = self._pool.shape.slot
        assert slot is not None
        return slot.itemsize, 0

    def _sparse(self, slot: np.dtype[np.void], notes: int = 0) -> Shape:
        """Return the shape of a walk, whose memory is that of the cells it touches."""
        return pool_shape(slot, FIRST_SLOTS, notes)
