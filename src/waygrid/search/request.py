"""What is asked of a kernel, and what is done where it comes back early."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.errors import damage_error
from waygrid.search.scratch import Scratch

Tables: TypeAlias = tuple[Array, Array | None, Array, Array]  # moves, weights, geometry, labels
SLICE = 1 << 24  # expansions after which a kernel comes back, so that Ctrl-C is heard


class Memory(NamedTuple):
    """Bytes of the arrays, as the DBA* paper divides them (section 2), and of a thread that answers queries.

    fixed_bytes: the index alone, which all share. agent_bytes: what an agent owns between two moves, at most; where the
    algorithm is not a real-time one, its running search. scratch_bytes: what one running `find` sets aside.
    """

    fixed_bytes: int
    agent_bytes: int
    scratch_bytes: int


class Ask(NamedTuple):
    """The per-query options, checked."""

    flags: int = 0
    limit: int = -1
    max_ns: int = 0
    blocked: npt.NDArray[np.int64] | None = None
    partial: bool = False

    def array(self, first: int, last: int, resume: bool, budget: int = SLICE) -> Array:
        """Return what a kernel takes (see `layout`)."""
        return np.array((first, last, resume, self.flags, self.limit, self.max_ns, budget), np.int64)


PLAIN = Ask()


def make_room(scratch: Scratch, number: int, rows: Array) -> None:
    """Enlarge what the kernel found too small; raise an error where it found the index damaged."""
    if scratch.ctl[layout.PAUSE] == layout.PAUSE_STACK:
        scratch.grow_stack()
    elif scratch.ctl[layout.PAUSE] == layout.PAUSE_STORE:
        scratch.grow_store()
    elif scratch.ctl[layout.PAUSE] == layout.PAUSE_CELLS:
        needed = int(rows[number, layout.ROW_OFFSET] + rows[number, layout.ROW_LENGTH]) * 2
        grown = np.empty(max(needed, 2 * scratch.cells.size), np.int32)
        grown[: scratch.cells.size] = scratch.cells
        scratch.cells = grown
    elif scratch.ctl[layout.PAUSE] == layout.PAUSE_DAMAGED:
        raise damage_error("its entries lead out of the map or round in a circle; make the index anew")


def cells_of(scratch: Scratch, row: list[int]) -> npt.NDArray[np.int32]:
    """Copy the path that a kernel left in the scratch."""
    return scratch.cells[: 2 * row[layout.ROW_LENGTH]].reshape(-1, 2).copy()
